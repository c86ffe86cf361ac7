//! Which facts can ever hold: a superset, by a fixpoint in which negations of what changes count as
//! true (KE's first way, semi-naive and indexed).
//!
//! Static relations are computed first, component by component, so that negations of them are
//! exact. Then everything that changes together: legal moves may be done, what is next may be true.

use gdl_front::program::{Atom, Literal, RelationId, Rule, Term};

use super::join::{Clock, Join, Outcome};
use super::plan::{Plan, Planner, Template};
use super::rules::Rules;
use super::store::Store;
use super::{Limits, over_memory, over_time};
use crate::game::Game;
use crate::reasoner::Failure;
use crate::table::RowTable;
use crate::terms::{Arena, TermId};

/// Adds heads to their relation.
struct Derive<'a> {
    head: &'a [Template],
    table: &'a mut RowTable,
    row: Vec<u32>,
    /// How many bytes the relation may hold.
    room: usize,
}

impl Outcome for Derive<'_> {
    fn is_known(&mut self, bindings: &[u32], arena: &mut Arena) -> bool {
        self.row.clear();
        self.row.extend(self.head.iter().map(|template| template.build(bindings, arena)));
        self.table.find(&self.row).is_some()
    }

    fn found(&mut self, _: &[u32], _: &[u32], _: &mut Arena) {
        // The row was built at the cut, and no variable of the head has changed since.
        self.table.insert(&self.row);
    }

    fn is_full(&self) -> bool {
        self.table.bytes() > self.room
    }
}

/// A rule with its plans: one for each condition that may have new facts, and one without.
struct Prepared {
    relation: usize,
    head: Vec<Template>,
    conditions: usize,
    /// For all facts at once.
    whole: Plan,
    /// By the relation whose new facts come first.
    seeded: Vec<(usize, Plan)>,
}

/// Fills the store with everything that can ever hold.
pub(super) fn reach(
    game: &Game,
    rules: &Rules,
    store: &mut Store,
    arena: &mut Arena,
    limits: &Limits,
    clock: &mut Clock,
) -> Result<(), Failure> {
    let program = &game.program;
    for fact in &program.facts {
        let args = fact.atom.args.iter();
        let row: Vec<u32> = args.map(|arg| Template::new(arg, arena).build(&[], arena)).collect();
        store.tables[fact.atom.relation.index()].insert(&row);
    }
    (0..store.tables.len()).for_each(|relation| {
        if !rules.dynamic[relation] {
            store.publish(relation, arena);
        }
    });
    let mut fixpoint = Fixpoint { rules, store, arena, limits, clock };
    for component in &program.components {
        let relations: Vec<usize> = component.relations.iter().map(|id| id.index()).collect();
        if !rules.dynamic[relations[0]] {
            let defining = rules.rules.iter();
            let defining = defining.filter(|rule| relations.contains(&rule.head.relation.index()));
            fixpoint.run(&defining.cloned().collect::<Vec<_>>(), &relations, true)?;
        }
    }
    let changing: Vec<usize> = (0..rules.arities.len()).filter(|&at| rules.dynamic[at]).collect();
    let defining = rules.rules.iter().filter(|rule| rules.dynamic[rule.head.relation.index()]);
    let mut defining: Vec<Rule> = defining.cloned().collect();
    defining.extend(play(game));
    // No changing fact is shown yet, so a rule with such a condition waits for its first one.
    fixpoint.run(&defining, &changing, false)
}

/// `true(f) :- init(f).  true(f) :- next(f).  does(r, m) :- legal(r, m).` for each role.
fn play(game: &Game) -> Vec<Rule> {
    let words = &game.program.vocabulary;
    let rule = |head: RelationId, from: RelationId, args: Vec<Term>| Rule {
        head: Atom { relation: head, args: args.clone() },
        body: vec![Literal::Positive(Atom { relation: from, args })],
        variables: vec![game.program.relation(words.true_).name],
        span: gdl_front::Span::default(),
    };
    let fluent = || vec![Term::Variable(0)];
    let mut rules =
        vec![rule(words.true_, words.init, fluent()), rule(words.true_, words.next, fluent())];
    for role in &game.program.roles {
        rules.push(rule(words.does, words.legal, vec![role.clone(), Term::Variable(0)]));
    }
    rules
}

struct Fixpoint<'a> {
    rules: &'a Rules,
    store: &'a mut Store,
    arena: &'a mut Arena,
    limits: &'a Limits,
    clock: &'a mut Clock,
}

impl Fixpoint<'_> {
    /// Applies rules until nothing new follows; `relations` are those that grow, and `shown` says
    /// whether some of their facts are in the indexes already.
    fn run(&mut self, rules: &[Rule], relations: &[usize], shown: bool) -> Result<(), Failure> {
        let mut grows = vec![false; self.store.tables.len()];
        relations.iter().for_each(|&relation| grows[relation] = true);
        let prepared: Vec<Prepared> = rules.iter().map(|rule| self.prepare(rule, &grows)).collect();
        for rule in prepared.iter().filter(|rule| shown || rule.seeded.is_empty()) {
            self.apply(rule, &rule.whole, None);
        }
        loop {
            let mut any = false;
            let fresh: Vec<_> = relations
                .iter()
                .map(|&relation| self.store.publish(relation, self.arena))
                .collect();
            for (&relation, fresh) in relations.iter().zip(fresh) {
                if fresh.is_empty() {
                    continue;
                }
                any = true;
                for rule in &prepared {
                    for (_, plan) in rule.seeded.iter().filter(|(of, _)| *of == relation) {
                        self.apply(rule, plan, Some((relation, fresh.clone())));
                    }
                }
            }
            if self.clock.expired {
                return Err(over_time(self.limits, self.store));
            }
            if self.store.bytes() > self.limits.memory {
                return Err(over_memory(self.limits, self.store));
            }
            if !any {
                return Ok(());
            }
        }
    }

    fn prepare(&mut self, rule: &Rule, grows: &[bool]) -> Prepared {
        let mut matters = vec![false; rule.variables.len()];
        for arg in &rule.head.args {
            arg.for_each_variable(&mut |variable| matters[variable as usize] = true);
        }
        let head = rule.head.args.iter().map(|arg| Template::new(arg, self.arena)).collect();
        let mut planner = Planner::new(self.store, self.arena, &self.rules.dynamic, false);
        let whole = planner.plan(rule, None, &matters);
        let mut seeded = Vec::new();
        for (at, literal) in rule.body.iter().enumerate() {
            if let Literal::Positive(atom) = literal
                && grows[atom.relation.index()]
            {
                seeded.push((atom.relation.index(), planner.plan(rule, Some(at), &matters)));
            }
        }
        let relation = rule.head.relation.index();
        Prepared { relation, head, conditions: rule.body.len(), whole, seeded }
    }

    fn apply(
        &mut self,
        rule: &Prepared,
        plan: &Plan,
        fresh: Option<(usize, std::ops::Range<u32>)>,
    ) {
        // The head's relation is taken out, so that it can grow while the indexes are read.
        let empty = RowTable::new(0);
        let mut table = std::mem::replace(&mut self.store.tables[rule.relation], empty);
        let room = self.limits.memory.saturating_sub(self.store.bytes());
        let mut outcome = Derive { head: &rule.head, table: &mut table, row: Vec::new(), room };
        let indexes = &self.store.indexes;
        let mut join =
            Join::new(plan, rule.conditions, indexes, self.arena, self.clock, &mut outcome);
        match fresh {
            None => join.run(),
            Some((relation, fresh)) => {
                let mut row: Vec<u32> = Vec::new();
                for number in fresh {
                    row.clear();
                    let own = relation == rule.relation;
                    let rows =
                        if own { &*join.outcome.table } else { &self.store.tables[relation] };
                    row.extend_from_slice(rows.row(number));
                    join.run_seeded(&row);
                    if join.clock.expired || join.outcome.is_full() {
                        break;
                    }
                }
            }
        }
        self.store.tables[rule.relation] = table;
    }
}

/// The rows of a relation with one argument, as terms.
pub(super) fn terms_of(table: &RowTable) -> impl Iterator<Item = TermId> + '_ {
    (0..table.len() as u32).map(|row| TermId(table.row(row)[0]))
}
