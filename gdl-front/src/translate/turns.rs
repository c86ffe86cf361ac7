//! Which moves can be made at once, and what holds when a move is made.
//!
//! Most games say by a fluent such as `(control ?r)` whose turn it is. A *clock* is a name of fluents
//! with one argument of which no two hold in the same state; that is proved by induction over the
//! rules. Each rule that makes a move legal is an *occasion* for it: the values that it leaves to the
//! clocks, and the ground conditions that it asks for. Moves of two roles of which no two occasions
//! fit are never made together. What RST leave to a theorem prover is found so for games in which
//! roles take turns.

use std::collections::BTreeSet;

use super::covering::{Action, Element, JointMove};
use super::frame::Unfolder;
use super::statics::Statics;
use super::unify::Bindings;
use crate::hash::HashMap;
use crate::program::{Atom, Class, Literal, Program, Rule, Term};
use crate::shapes::{Position, Shape, Shapes, shape};
use crate::symbol::Symbol;

/// A clock has at most this many values.
const MAX_VALUES: usize = 60;
/// A rule is not written out into more than this.
const MAX_UNFOLDED: usize = 16;
/// How deep auxiliary relations are looked into.
const MAX_DEPTH: usize = 2;

/// What is known of moves that are legal.
pub(super) struct Turns<'p> {
    program: &'p Program,
    clocks: Vec<Clock>,
    /// The names of the actions of each role.
    actions: Vec<Vec<Shape>>,
    occasions: HashMap<(usize, Shape), Vec<Occasion>>,
}

/// A name of fluents of which no two hold at once.
#[derive(Clone, Debug)]
struct Clock {
    name: Symbol,
    values: Vec<Symbol>,
    /// Whether one of them holds in every state.
    runs: bool,
}

/// What a rule asks for.
#[derive(Clone, Debug)]
struct Occasion {
    /// For each clock the values at which it can apply, as bits; the one after the last value stands
    /// for none.
    values: Vec<u64>,
    /// Ground conditions.
    literals: Vec<Literal>,
    /// Actions of roles.
    moves: Vec<(Term, Shape)>,
}

impl<'p> Turns<'p> {
    /// Finds the clocks of a program, and the occasions for all moves.
    pub(super) fn of(
        program: &'p Program,
        shapes: &Shapes<'p>,
        statics: &Statics<'p>,
    ) -> Turns<'p> {
        let reader = Reader { program, statics, unfolder: Unfolder::new(program) };
        let actions = (0..program.roles.len()).map(|role| shapes.actions(role)).collect();
        let mut clocks = candidates(program, shapes);
        clocks.iter_mut().for_each(|clock| clock.runs = reader.runs(clock));
        let mut turns = Turns { program, clocks, actions, occasions: HashMap::default() };
        // Each proof takes the others for granted, so that all are made again if one fails.
        loop {
            turns.occasions = reader.occasions(&turns);
            let kept: Vec<Clock> =
                turns.clocks.iter().filter(|it| reader.is_clock(&turns, it)).cloned().collect();
            if kept.len() == turns.clocks.len() {
                return turns;
            }
            turns.clocks = kept;
        }
    }

    /// Whether a joint move has no instance that can be made.
    pub(super) fn rule_out(&self, joint: &JointMove) -> bool {
        let left = |role: usize| -> Vec<Shape> {
            let element = joint.elements.iter().find(|element| element.role == Some(role));
            let mut left = element.map_or(self.actions[role].clone(), |it| self.named(role, it));
            left.retain(|action| !joint.nobody.contains(action));
            left
        };
        let roles = 0..self.actions.len();
        let left: Vec<Vec<Shape>> = roles.clone().map(left).collect();
        roles.clone().any(|a| (0..a).any(|b| self.exclude((a, &left[a]), (b, &left[b]))))
    }

    /// Whether no role can do an action while another does what an element says; no name means any
    /// action.
    pub(super) fn excluded_by(
        &self,
        element: &Element,
        role: usize,
        action: Option<Shape>,
    ) -> bool {
        let actions = action.map_or_else(|| self.actions[role].clone(), |action| vec![action]);
        let excluded = |other: usize| {
            other == role || self.exclude((other, &self.named(other, element)), (role, &actions))
        };
        match element.role {
            Some(other) => other != role && excluded(other),
            None => (0..self.actions.len()).all(excluded),
        }
    }

    /// The names of the actions that an element of a joint move can be for a role.
    fn named(&self, role: usize, element: &Element) -> Vec<Shape> {
        let is_meant = |action: &Shape| match &element.action {
            Action::Named(name) => name == action,
            Action::Other(names) => !names.contains(action),
        };
        self.actions[role].iter().copied().filter(is_meant).collect()
    }

    /// Whether two roles never do such actions at once.
    fn exclude(&self, a: (usize, &[Shape]), b: (usize, &[Shape])) -> bool {
        let occasions = |(role, actions): (usize, &[Shape])| -> Vec<&Occasion> {
            let of = |action: &Shape| self.occasions.get(&(role, *action)).into_iter().flatten();
            actions.iter().flat_map(of).collect()
        };
        let others = occasions(b);
        occasions(a).into_iter().all(|one| others.iter().all(|other| !one.fits(other)))
    }

    /// Whether a ground atom holds, or does not, because of what is given: moves, and clocks.
    pub(super) fn decide(&self, atom: &Atom, given: &[Literal]) -> Option<bool> {
        let words = &self.program.vocabulary;
        if !atom.args.iter().all(Term::is_ground) {
            return None;
        }
        given.iter().find_map(|literal| {
            let Literal::Positive(other) = literal else { return None };
            if other.relation == words.true_ && atom.relation == words.true_ {
                let (clock, time) = self.time(atom)?;
                let differs = self.time(other)? != (clock, time) && self.time(other)?.0 == clock;
                return differs.then_some(false);
            }
            if other.relation != words.does {
                return None;
            }
            let role = self.program.roles.iter().position(|role| *role == other.args[0])?;
            let occasions = self.occasions.get(&(role, shape(&other.args[1])?))?;
            let mut answers = occasions.iter().map(|occasion| self.answer(occasion, atom));
            let first = answers.next()??;
            answers.all(|answer| answer == Some(first)).then_some(first)
        })
    }

    fn answer(&self, occasion: &Occasion, atom: &Atom) -> Option<bool> {
        if occasion.literals.contains(&Literal::Positive(atom.clone())) {
            return Some(true);
        }
        if occasion.literals.contains(&Literal::Negative(atom.clone())) {
            return Some(false);
        }
        let (clock, time) = self.time(atom)?;
        match occasion.values[clock] {
            only if only == 1 << time => Some(true),
            values if values & (1 << time) == 0 => Some(false),
            _ => None,
        }
    }

    /// The clock and its value that a ground fluent stands for.
    fn time(&self, atom: &Atom) -> Option<(usize, usize)> {
        if atom.relation != self.program.vocabulary.true_ {
            return None;
        }
        let Term::Function(name, args) = &atom.args[0] else { return None };
        let [Term::Constant(value)] = &args[..] else { return None };
        let clock = self.clocks.iter().position(|clock| clock.name == *name)?;
        let time = self.clocks[clock].values.iter().position(|it| it == value)?;
        Some((clock, time))
    }
}

/// The fluents that could be clocks.
fn candidates(program: &Program, shapes: &Shapes<'_>) -> Vec<Clock> {
    let candidate = |fluent: Shape| {
        let values = shapes.constants(Position::Inside(fluent, 0)).filter(|_| fluent.1 == 1)?;
        let is_small = (1..=MAX_VALUES).contains(&values.len());
        is_small.then(|| Clock {
            name: fluent.0,
            values: values.into_iter().collect(),
            runs: false,
        })
    };
    // Its steps are compared with each other, so a clock that only counts is left alone.
    let roles: BTreeSet<Symbol> =
        program.roles.iter().filter_map(|role| shape(role).map(|(name, _)| name)).collect();
    let speaks_of_roles = |clock: &Clock| clock.values.iter().any(|value| roles.contains(value));
    shapes.fluents().into_iter().filter_map(candidate).filter(speaks_of_roles).collect()
}

impl Occasion {
    fn fits(&self, other: &Occasion) -> bool {
        let refutes = |literal: &Literal| match literal {
            Literal::Positive(atom) => other.literals.contains(&Literal::Negative(atom.clone())),
            Literal::Negative(atom) => other.literals.contains(&Literal::Positive(atom.clone())),
            Literal::Distinct(..) => false,
        };
        let contradicts = |(role, action): &(Term, Shape)| {
            other.moves.iter().any(|(same, differs)| role == same && action != differs)
        };
        self.values.iter().zip(&other.values).all(|(a, b)| a & b != 0)
            && !self.literals.iter().any(refutes)
            && !self.moves.iter().any(contradicts)
    }
}

/// Reads what rules ask for.
struct Reader<'a, 'p> {
    program: &'p Program,
    statics: &'a Statics<'p>,
    unfolder: Unfolder<'p>,
}

impl Reader<'_, '_> {
    /// The occasions for all moves of all roles.
    fn occasions(&self, turns: &Turns<'_>) -> HashMap<(usize, Shape), Vec<Occasion>> {
        let mut occasions: HashMap<(usize, Shape), Vec<Occasion>> = HashMap::default();
        let legal = self.program.vocabulary.legal;
        let facts = self.program.facts.iter().filter(|fact| fact.atom.relation == legal);
        let facts = facts.map(|fact| (fact.atom.clone(), Vec::new()));
        let rules = self.program.rules.iter().filter(|rule| rule.head.relation == legal);
        let rules = rules.flat_map(|rule| self.unfolded(turns, rule));
        for (head, body) in facts.chain(rules.map(|rule| (rule.head, rule.body))) {
            for (role, name) in self.program.roles.iter().enumerate() {
                let mut bindings = Bindings::default();
                if !bindings.unify(&head.args[0], name) {
                    continue;
                }
                let resolved: Vec<Literal> =
                    body.iter().map(|literal| bindings.resolve_literal(literal)).collect();
                let Some(occasion) = self.occasion(turns, &resolved) else { continue };
                let meant = shape(&bindings.resolve(&head.args[1]));
                let actions = turns.actions[role].iter();
                for &action in actions.filter(|it| meant.is_none_or(|meant| meant == **it)) {
                    occasions.entry((role, action)).or_default().push(occasion.clone());
                }
            }
        }
        occasions
    }

    /// A rule with auxiliary relations written out that may speak of clocks.
    fn unfolded(&self, turns: &Turns<'_>, rule: &Rule) -> Vec<Rule> {
        let mut done = Vec::new();
        let mut waiting = vec![(rule.clone(), 0)];
        while let Some((rule, depth)) = waiting.pop() {
            let room = MAX_UNFOLDED.saturating_sub(done.len() + waiting.len());
            let hides = |literal: &Literal| match literal {
                Literal::Positive(atom) => {
                    let class = self.program.relation(atom.relation).class;
                    class == Class::State && self.unfolder.mentions(atom, &|it| turns.is_clock(it))
                }
                _ => false,
            };
            let position = rule.body.iter().position(hides).filter(|_| depth < MAX_DEPTH);
            let unfolded = position.and_then(|index| self.unfolder.unfold(&rule, index));
            match unfolded.filter(|rules| rules.len() <= room) {
                Some(rules) => waiting.extend(rules.into_iter().map(|rule| (rule, depth + 1))),
                None => done.push(rule),
            }
        }
        done
    }

    /// What a body asks for; `None` if it never holds.
    fn occasion(&self, turns: &Turns<'_>, body: &[Literal]) -> Option<Occasion> {
        if !self.is_consistent(body) {
            return None;
        }
        let values: Option<Vec<u64>> = turns
            .clocks
            .iter()
            .map(|clock| Some(self.values(turns.program, clock, body)).filter(|it| *it != 0))
            .collect();
        let is_ground = |literal: &&Literal| {
            literal.atom().is_some_and(|atom| atom.args.iter().all(Term::is_ground))
        };
        let moves = body.iter().filter_map(|literal| match literal {
            Literal::Positive(atom) if atom.relation == self.program.vocabulary.does => {
                Some((atom.args[0].clone(), shape(&atom.args[1])?))
            }
            _ => None,
        });
        Some(Occasion {
            values: values?,
            literals: body.iter().filter(is_ground).cloned().collect(),
            moves: moves.filter(|(role, _)| role.is_ground()).collect(),
        })
    }

    /// The values of a clock at which a body can hold.
    fn values(&self, program: &Program, clock: &Clock, body: &[Literal]) -> u64 {
        let none = 1u64 << clock.values.len();
        let bit =
            |value: &Symbol| clock.values.iter().position(|it| it == value).map_or(0, |at| 1 << at);
        let mut left = if clock.runs { none - 1 } else { none | (none - 1) };
        for literal in body {
            let Some(atom) = literal.atom().filter(|it| it.relation == program.vocabulary.true_)
            else {
                continue;
            };
            let Term::Function(name, args) = &atom.args[0] else { continue };
            if *name != clock.name || args.len() != 1 {
                continue;
            }
            match (literal, &args[0]) {
                (Literal::Positive(_), Term::Constant(value)) => left &= bit(value),
                (Literal::Negative(_), Term::Constant(value)) => left &= !bit(value),
                (Literal::Positive(_), Term::Variable(variable)) => {
                    let fits = |value: &&Symbol| {
                        let mut bindings = Bindings::default();
                        bindings.unify(&Term::Variable(*variable), &Term::Constant(**value));
                        let resolved = body.iter().map(|it| bindings.resolve_literal(it));
                        self.is_consistent(&resolved.collect::<Vec<_>>())
                    };
                    left &= clock.values.iter().filter(fits).map(bit).fold(0, |a, b| a | b);
                }
                _ => {}
            }
        }
        left
    }

    /// Whether neither static facts nor inequalities refute a body.
    fn is_consistent(&self, body: &[Literal]) -> bool {
        body.iter().all(|literal| match literal {
            Literal::Distinct(a, b) => a != b,
            Literal::Positive(atom) => self.statics.holds(atom) != Some(false),
            Literal::Negative(atom) => self.statics.holds(atom) != Some(true),
        })
    }

    /// Whether a clock starts, and each of its values leads to another, whatever else holds.
    fn runs(&self, clock: &Clock) -> bool {
        let words = &self.program.vocabulary;
        let instance = |value: &Symbol| Term::Function(clock.name, vec![Term::Constant(*value)]);
        let mut facts = self.program.facts.iter().map(|fact| &fact.atom);
        let starts = facts.any(|atom| {
            atom.relation == words.init && shape(&atom.args[0]) == Some((clock.name, 1))
        });
        let rules = self.program.rules.iter().filter(|rule| rule.head.relation == words.next);
        let steps: Vec<&Rule> =
            rules.filter(|rule| shape(&rule.head.args[0]) == Some((clock.name, 1))).collect();
        let leads_on = |value: &Symbol| {
            let given =
                Literal::Positive(Atom { relation: words.true_, args: vec![instance(value)] });
            steps.iter().any(|rule| rule.body == [given.clone()])
        };
        starts && clock.values.iter().all(leads_on)
    }

    /// Whether no two values of a clock hold at once: at first, and after any move if before it.
    fn is_clock(&self, turns: &Turns<'_>, clock: &Clock) -> bool {
        let words = &self.program.vocabulary;
        let instance = |value: &Symbol| Term::Function(clock.name, vec![Term::Constant(*value)]);
        let begins = |atom: &Atom| atom.relation == words.init;
        let facts = self.program.facts.iter().filter(|fact| begins(&fact.atom));
        let started: BTreeSet<&Symbol> = facts
            .flat_map(|fact| clock.values.iter().filter(|it| instance(it) == fact.atom.args[0]))
            .collect();
        let may_begin = |rule: &Rule| {
            let fluent = shape(&rule.head.args[0]);
            fluent.is_none_or(|fluent| fluent == (clock.name, 1))
        };
        let mut rules = self.program.rules.iter().filter(|rule| begins(&rule.head));
        if started.len() > 1 || rules.any(may_begin) {
            return false;
        }
        let steps = self.program.rules.iter().filter(|rule| rule.head.relation == words.next);
        let mut found: Vec<(Symbol, Occasion)> = Vec::new();
        for rule in steps.filter(|rule| may_begin(rule)) {
            for rule in self.unfolded(turns, rule) {
                for value in &clock.values {
                    let mut bindings = Bindings::default();
                    if !bindings.unify(&rule.head.args[0], &instance(value)) {
                        continue;
                    }
                    let body = rule.body.iter().map(|literal| bindings.resolve_literal(literal));
                    let occasion = self.occasion(turns, &body.collect::<Vec<_>>());
                    found.extend(occasion.map(|occasion| (*value, occasion)));
                }
            }
        }
        let clash = |(a, one): &(Symbol, Occasion), (b, other): &(Symbol, Occasion)| {
            a != b && one.fits(other)
        };
        !found.iter().enumerate().any(|(at, one)| found[..at].iter().any(|other| clash(one, other)))
    }
}

impl Turns<'_> {
    /// Whether an atom speaks of a clock, or of something that may be one.
    fn is_clock(&self, atom: &Atom) -> bool {
        if atom.relation != self.program.vocabulary.true_ {
            return false;
        }
        match shape(&atom.args[0]) {
            Some((name, arity)) => arity == 1 && self.clocks.iter().any(|it| it.name == name),
            None => true,
        }
    }
}
