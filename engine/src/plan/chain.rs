//! One rule to a chain of continuations: static literals and tests become steps, and each literal
//! that changes ends one continuation and begins the next.

use gdl_front::hash::HashSet;
use gdl_front::program::{Atom, Class, Literal, RelationId, Rule};

use super::build::Planner;
use super::statics::Access;
use super::{
    ANY_BRANCH, BRANCH, Builder, Continuation, FIRST_VARIABLE, Index, Outline, Pattern, Start,
    Step, Then, Uses, WORLD,
};

/// Where a rule is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Site {
    /// Between levels.
    Flat,
    /// In the recursive component of that number; levels are then steps inside it.
    Loop(usize),
}

/// A rule that is being compiled.
struct Chain<'r> {
    rule: &'r Rule,
    site: Site,
    level: usize,
    bound: HashSet<u32>,
    /// Whether the branch is known.
    branch: bool,
    load: Vec<usize>,
    steps: Vec<Step>,
    outline: Vec<String>,
}

fn register(variable: u32) -> usize {
    FIRST_VARIABLE + variable as usize
}

impl Planner {
    pub(super) fn plan_rule(&mut self, rule: &Rule, site: Site) {
        self.plan.registers = self.plan.registers.max(FIRST_VARIABLE + rule.variables.len());
        let order = self.order(rule, site);
        let mut chain = self.start(rule, order.start, site);
        for (place, &number) in order.rest.iter().enumerate() {
            let later = needed_later(rule, &order.rest[place + 1..]);
            let before = self.plan.continuations.len();
            match &rule.body[number] {
                Literal::Distinct(a, b) => {
                    let [a, b] = [a, b].map(|term| Builder::of(term, &self.plan.game, &register));
                    chain.steps.push(Step::Distinct(a, b));
                }
                Literal::Positive(atom) => self.add(&mut chain, atom, false, &later),
                Literal::Negative(atom) => self.add(&mut chain, atom, true, &later),
            }
            self.outline(&mut chain, number, before);
        }
        self.end(chain);
    }

    fn start<'r>(&mut self, rule: &'r Rule, literal: Option<usize>, site: Site) -> Chain<'r> {
        let waits_for_moves = |literal: &Literal| {
            literal.atom().is_some_and(|atom| self.class(atom.relation) == Class::Move)
        };
        let vocabulary = self.plan.game.program.vocabulary;
        let head = rule.head.relation;
        let branch = rule.body.iter().any(waits_for_moves)
            || (self.class(head) == Class::Move
                && head != vocabulary.next
                && head != vocabulary.fnext);
        let atom = literal.and_then(|number| rule.body[number].atom());
        // A move rule may have to start from a state literal, but never without its branch.
        let atom = atom.filter(|atom| !branch || self.class(atom.relation) == Class::Move);
        let base = if branch { self.plan.branches() } else { self.plan.worlds() };
        let relation = atom.map_or(base, |atom| atom.relation);
        let mut chain = Chain {
            rule,
            site,
            level: if site == Site::Flat { self.plan.relation(relation).level } else { 0 },
            bound: HashSet::default(),
            branch,
            load: Vec::new(),
            steps: Vec::new(),
            outline: vec![format!("from {}", self.name(relation))],
        };
        let start = self.start_pattern(&mut chain, atom);
        self.uses(relation, site).starts.push(start);
        if let (None, Some(number)) = (atom, literal) {
            let later: HashSet<u32> = (0..rule.variables.len() as u32).collect();
            if let Some(atom) = rule.body[number].atom() {
                self.add(&mut chain, atom, false, &later);
            }
        }
        chain
    }

    fn start_pattern(&self, chain: &mut Chain<'_>, atom: Option<&Atom>) -> Start {
        let mut columns = vec![Pattern::Bind(WORLD)];
        if chain.branch {
            columns.push(Pattern::Bind(BRANCH));
        }
        let bound = &mut chain.bound;
        let mut bind = |variable| (register(variable), !bound.insert(variable));
        for arg in atom.map_or(&[][..], |atom| &atom.args) {
            columns.push(Pattern::of(arg, &self.plan.game, &mut bind));
        }
        Start { columns, continuation: self.plan.continuations.len() }
    }

    /// Adds a literal; `later` are the variables that what follows needs.
    fn add(&mut self, chain: &mut Chain<'_>, atom: &Atom, negative: bool, later: &HashSet<u32>) {
        let prefix = match self.class(atom.relation) {
            Class::Static => 0,
            Class::State => 1,
            Class::Move => 2,
        };
        let is_bound = |variable| chain.bound.contains(&variable);
        let is_kept = |variable| later.contains(&variable);
        let access = Access::new(atom, &self.plan.game, prefix, &is_bound, &is_kept);
        let mut key: Vec<usize> = [WORLD, BRANCH][..prefix].to_vec();
        key.extend(access.key.iter().map(|&variable| register(variable)));
        let bind: Vec<usize> = access.rest.iter().map(|&variable| register(variable)).collect();
        if prefix == 0 {
            let index = self.plan.statics.index(access.index, &self.plan.game);
            chain.steps.push(match negative {
                true => Step::Absent { index, key },
                false => Step::Lookup { index, key, bind },
            });
        } else {
            let mut keep: Vec<usize> =
                chain.bound.iter().filter(|v| later.contains(v)).map(|&v| register(v)).collect();
            if chain.branch {
                keep.push(BRANCH);
            }
            keep.retain(|register| !key.contains(register));
            keep.sort_unstable();
            self.join(chain, Index { negative, ..access.index }, [key, keep, bind]);
        }
        chain.bound.extend(access.rest);
    }

    /// Ends a continuation with a join, and begins the one behind it.
    fn join(&mut self, chain: &mut Chain<'_>, index: Index, registers: [Vec<usize>; 3]) {
        let level = self.plan.relation(index.relation).level;
        let inside = match chain.site {
            Site::Flat => false,
            Site::Loop(number) => self.plan.loops[number].relations.contains(&index.relation),
        };
        let negative = index.negative;
        let index = self.index(Index { inside, ..index }, chain.site);
        let [key, keep, bind] = registers;
        let load = [&key[..], &keep, &bind].concat();
        let next = self.plan.code(self.plan.continuations.len() + 1);
        self.close(
            chain,
            match negative {
                true => Then::Unless { index, key, keep, next },
                false => Then::Join { index, key, keep, next },
            },
        );
        chain.load = load;
        match chain.site {
            Site::Flat => {
                self.plan.joins.insert((chain.level, level));
                chain.level = chain.level.max(level) + 1;
            }
            Site::Loop(number) => {
                let recursion = &mut self.plan.loops[number];
                recursion
                    .outer
                    .resize_with(recursion.outer.len().max(chain.level + 1), Default::default);
                recursion.inner.resize(recursion.outer.len(), false);
                if inside {
                    recursion.inner[chain.level] = true;
                } else {
                    recursion.outer[chain.level].insert(level);
                    recursion.level = recursion.level.max(level);
                }
                chain.level += 1;
            }
        }
    }

    /// The number of an index, which its relation feeds from now on.
    fn index(&mut self, index: Index, site: Site) -> usize {
        if let Some(&known) = self.index_numbers.get(&index) {
            return known;
        }
        let number = self.plan.indexes.len();
        self.plan.indexes.push(index.clone());
        let site = if index.inside { site } else { Site::Flat };
        self.uses(index.relation, site).indexes.push(number);
        self.index_numbers.insert(index, number);
        number
    }

    fn uses(&mut self, relation: RelationId, site: Site) -> &mut Uses {
        match site {
            Site::Flat => &mut self.plan.relations[relation.index()].uses,
            Site::Loop(number) => self.plan.loops[number].uses.entry(relation).or_default(),
        }
    }

    fn close(&mut self, chain: &mut Chain<'_>, then: Then) {
        self.plan.continuations.push(Continuation {
            head: chain.rule.head.relation,
            level: chain.level,
            load: std::mem::take(&mut chain.load),
            steps: std::mem::take(&mut chain.steps),
            then,
        });
    }

    fn end(&mut self, mut chain: Chain<'_>) {
        let head = &chain.rule.head;
        let mut columns = vec![Builder::Register(WORLD)];
        if self.class(head.relation) == Class::Move {
            let any = Builder::Ground(ANY_BRANCH);
            columns.push(if chain.branch { Builder::Register(BRANCH) } else { any });
        }
        let build = |arg| Builder::of(arg, &self.plan.game, &register);
        columns.extend(head.args.iter().map(build));
        self.close(&mut chain, Then::Fact { relation: head.relation, columns });
        if chain.site == Site::Flat {
            let relation = &mut self.plan.relations[head.relation.index()];
            match relation.recursion {
                Some(number) => {
                    let recursion = &mut self.plan.loops[number];
                    recursion.level = recursion.level.max(chain.level);
                }
                None => relation.level = relation.level.max(chain.level),
            }
        }
        if head.relation == self.plan.answers() {
            return;
        }
        let rule = match chain.rule.body.is_empty() {
            true => gdl_front::print_fact(&self.plan.game.program, head),
            false => gdl_front::print_rule(&self.plan.game.program, chain.rule),
        };
        self.plan.outlines.push(Outline { rule, steps: chain.outline });
    }

    fn outline(&self, chain: &mut Chain<'_>, number: usize, before: usize) {
        if chain.rule.head.relation == self.plan.answers() {
            return;
        }
        let literal = gdl_front::print_literal(&self.plan.game.program, chain.rule, number);
        let joined = self.plan.continuations.len() > before;
        let how = match &chain.rule.body[number] {
            Literal::Positive(_) if joined => "join",
            Literal::Positive(_) => "look up",
            Literal::Negative(_) if joined => "take away",
            _ => "test",
        };
        let place = match chain.site {
            Site::Loop(_) if joined => format!(", step {} of the recursion", chain.level),
            Site::Flat if joined => format!(", level {}", chain.level),
            _ => String::new(),
        };
        chain.outline.push(format!("{how} {literal}{place}"));
    }

    fn name(&self, relation: RelationId) -> String {
        let program = &self.plan.game.program;
        match program.relations.get(relation.index()) {
            Some(found) => format!("{}/{}", program.relation_name(relation), found.arity),
            None if relation == self.plan.worlds() => "every world".to_owned(),
            None => "every branch".to_owned(),
        }
    }
}

/// The variables of the head and of the literals that come later.
fn needed_later(rule: &Rule, later: &[usize]) -> HashSet<u32> {
    let mut needed: HashSet<u32> = HashSet::default();
    let mut add = |variable| {
        needed.insert(variable);
    };
    rule.head.args.iter().for_each(|arg| arg.for_each_variable(&mut add));
    later.iter().for_each(|&number| rule.body[number].for_each_variable(&mut add));
    needed
}
