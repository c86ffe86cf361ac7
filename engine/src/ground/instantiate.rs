//! The rules over the facts that can hold: every instance, with what is static decided.
//!
//! A literal of an instance is `2 * atom`, or `2 * atom + 1` if it is negated. Conditions on static
//! relations are gone from the bodies; so are negations of what can never hold.

use gdl_front::program::{Literal, Rule};

use super::join::{Clock, Join, Outcome};
use super::plan::{Planner, Template};
use super::rules::Rules;
use super::store::{Indexes, Store};
use super::{Limits, over_rules, over_time};
use crate::reasoner::Failure;
use crate::table::RowTable;
use crate::terms::Arena;

/// Ground rules, one behind the other.
#[derive(Clone, Debug, Default)]
pub struct Instances {
    /// The atom of each rule's head.
    pub heads: Vec<u32>,
    /// Where each rule's body ends in `literals`; it begins where that of the rule before ends.
    pub ends: Vec<u32>,
    /// All bodies.
    pub literals: Vec<u32>,
}

impl Instances {
    /// How many rules there are.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// The literals of a rule.
    pub fn body(&self, rule: usize) -> &[u32] {
        let start = if rule == 0 { 0 } else { self.ends[rule - 1] as usize };
        &self.literals[start..self.ends[rule] as usize]
    }

    /// Adds a rule.
    pub fn push(&mut self, head: u32, body: impl IntoIterator<Item = u32>) {
        self.literals.extend(body);
        self.heads.push(head);
        self.ends.push(self.literals.len() as u32);
    }
}

/// How a literal of a rule becomes one of an instance.
enum Part {
    /// The fact that a condition matched.
    Matched { condition: usize, first_atom: u32 },
    /// A negated atom that has to be looked up, in a relation.
    Negated { relation: usize, args: Vec<Template>, first_atom: u32 },
}

struct Emit<'a> {
    head: Vec<Template>,
    head_relation: usize,
    first_atom: u32,
    parts: Vec<Part>,
    tables: &'a [RowTable],
    /// The values of the variables that matter, if they may repeat.
    seen: Option<(Vec<u32>, RowTable)>,
    instances: &'a mut Instances,
    row: Vec<u32>,
    limit: usize,
}

/// Instantiates all rules of relations that change. `first_atoms` numbers the facts.
pub(super) fn instantiate(
    rules: &Rules,
    store: &mut Store,
    arena: &mut Arena,
    first_atoms: &[u32],
    limits: &Limits,
    clock: &mut Clock,
) -> Result<Instances, Failure> {
    let mut instances = Instances::default();
    let mut plans = Vec::new();
    let mut planner = Planner::new(store, arena, &rules.dynamic, true);
    for rule in rules.rules.iter().filter(|rule| rules.dynamic[rule.head.relation.index()]) {
        let matters = matters(rule, &rules.dynamic);
        plans.push((rule, planner.plan(rule, None, &matters), matters));
    }
    for (rule, plan, matters) in plans {
        let mut emit = Emit::new(rule, rules, &store.tables, arena, first_atoms, &mut instances);
        emit.limit = limits.rules;
        if plan.repeats {
            let columns: Vec<u32> =
                (0..matters.len() as u32).filter(|&at| matters[at as usize]).collect();
            let table = RowTable::new(columns.len());
            emit.seen = Some((columns, table));
        }
        let indexes: &Indexes = &store.indexes;
        Join::new(&plan, rule.body.len(), indexes, arena, clock, &mut emit).run();
        if clock.expired {
            return Err(over_time(limits, store));
        }
        if instances.len() > limits.rules || instances.literals.len() * 4 > limits.memory / 4 {
            return Err(over_rules(limits, &instances));
        }
    }
    Ok(instances)
}

/// The variables of the head and of the conditions that stay in the instance.
fn matters(rule: &Rule, dynamic: &[bool]) -> Vec<bool> {
    let mut matters = vec![false; rule.variables.len()];
    let mark = &mut |variable: u32| matters[variable as usize] = true;
    rule.head.args.iter().for_each(|arg| arg.for_each_variable(mark));
    for literal in &rule.body {
        if literal.atom().is_some_and(|atom| dynamic[atom.relation.index()]) {
            literal.for_each_variable(mark);
        }
    }
    matters
}

impl<'a> Emit<'a> {
    fn new(
        rule: &Rule,
        rules: &Rules,
        tables: &'a [RowTable],
        arena: &mut Arena,
        first_atoms: &[u32],
        instances: &'a mut Instances,
    ) -> Emit<'a> {
        let mut parts = Vec::new();
        for (condition, literal) in rule.body.iter().enumerate() {
            let Some(atom) = literal.atom() else { continue };
            let relation = atom.relation.index();
            let first_atom = first_atoms[relation];
            match literal {
                _ if !rules.dynamic[relation] => {}
                Literal::Negative(_) => {
                    let args = atom.args.iter().map(|arg| Template::new(arg, arena)).collect();
                    parts.push(Part::Negated { relation, args, first_atom });
                }
                _ => parts.push(Part::Matched { condition, first_atom }),
            }
        }
        let head_relation = rule.head.relation.index();
        Emit {
            head: rule.head.args.iter().map(|arg| Template::new(arg, arena)).collect(),
            head_relation,
            first_atom: first_atoms[head_relation],
            parts,
            tables,
            seen: None,
            instances,
            row: Vec::new(),
            limit: usize::MAX,
        }
    }

    fn fill(row: &mut Vec<u32>, templates: &[Template], bindings: &[u32], arena: &mut Arena) {
        row.clear();
        row.extend(templates.iter().map(|template| template.build(bindings, arena)));
    }
}

impl Outcome for Emit<'_> {
    fn is_known(&mut self, bindings: &[u32], _: &mut Arena) -> bool {
        let Some((columns, seen)) = &mut self.seen else { return false };
        self.row.clear();
        self.row.extend(columns.iter().map(|&column| bindings[column as usize]));
        seen.find(&self.row).is_some()
    }

    fn found(&mut self, bindings: &[u32], matched: &[u32], arena: &mut Arena) {
        if let Some((columns, seen)) = &mut self.seen {
            self.row.clear();
            self.row.extend(columns.iter().map(|&column| bindings[column as usize]));
            seen.insert(&self.row);
        }
        Self::fill(&mut self.row, &self.head, bindings, arena);
        let Some(head) = self.tables[self.head_relation].find(&self.row) else { return };
        for part in &self.parts {
            match part {
                Part::Matched { condition, first_atom } => {
                    self.instances.literals.push(2 * (first_atom + matched[*condition]));
                }
                Part::Negated { relation, args, first_atom } => {
                    Self::fill(&mut self.row, args, bindings, arena);
                    if let Some(row) = self.tables[*relation].find(&self.row) {
                        self.instances.literals.push(2 * (first_atom + row) + 1);
                    }
                }
            }
        }
        self.instances.push(self.first_atom + head, []);
    }

    fn is_full(&self) -> bool {
        self.instances.len() > self.limit
    }
}
