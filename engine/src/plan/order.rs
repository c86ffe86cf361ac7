//! The order in which the literals of a rule are joined.
//!
//! A rule starts from a literal that changes, moves before states; then always comes the literal
//! that multiplies the rows least: what is fully bound tests, static lookups count their entries,
//! anything else is guessed by its free variables. Negations wait until nothing else narrows.

use gdl_front::hash::HashSet;
use gdl_front::program::{Atom, Class, Literal, RelationId, Rule};

use super::statics::{Access, Statics};
use crate::game::Game;

/// How many values a variable of a state or move literal is taken to have.
const VALUES: f64 = 6.0;

/// The order of a rule.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// The literal that sets the rule off; none if all it waits for is a world.
    pub(crate) start: Option<usize>,
    pub(crate) rest: Vec<usize>,
}

/// What ordering needs to know.
pub(crate) struct Orderer<'a> {
    pub(crate) game: &'a Game,
    pub(crate) statics: &'a mut Statics,
    pub(crate) class: &'a dyn Fn(RelationId) -> Class,
}

impl Orderer<'_> {
    /// Orders a rule that may start from any positive literal for which `may_start` holds.
    pub(crate) fn order(&mut self, rule: &Rule, may_start: &dyn Fn(&Atom) -> bool) -> Order {
        let mut bound: HashSet<u32> = HashSet::default();
        let start = self.start(rule, may_start);
        if let Some(start) = start {
            rule.body[start].for_each_variable(&mut |variable| {
                bound.insert(variable);
            });
        }
        let mut left: Vec<usize> = (0..rule.body.len()).filter(|&i| Some(i) != start).collect();
        let mut rest = Vec::with_capacity(left.len());
        while let Some(place) = self.best(rule, &left, &bound) {
            let literal = left.remove(place);
            rule.body[literal].for_each_variable(&mut |variable| {
                bound.insert(variable);
            });
            rest.push(literal);
        }
        Order { start, rest }
    }

    fn start(&mut self, rule: &Rule, may_start: &dyn Fn(&Atom) -> bool) -> Option<usize> {
        let mut best: Option<(Class, usize, usize)> = None;
        for (number, literal) in rule.body.iter().enumerate() {
            let Literal::Positive(atom) = literal else {
                continue;
            };
            let class = (self.class)(atom.relation);
            if class == Class::Static || !may_start(atom) {
                continue;
            }
            let free = count_variables(literal, &HashSet::default());
            // The highest class first, then the fewest variables, then the order of the text.
            let better =
                best.is_none_or(|(high, few, _)| class > high || (class == high && free < few));
            if better {
                best = Some((class, free, number));
            }
        }
        best.map(|(_, _, number)| number)
    }

    /// Which of the literals left comes next.
    fn best(&mut self, rule: &Rule, left: &[usize], bound: &HashSet<u32>) -> Option<usize> {
        let mut best: Option<(f64, usize)> = None;
        for (place, &number) in left.iter().enumerate() {
            let Some(cost) = self.cost(&rule.body[number], bound) else {
                continue;
            };
            if best.is_none_or(|(lowest, _)| cost < lowest) {
                best = Some((cost, place));
            }
        }
        best.map(|(_, place)| place)
    }

    /// By what a literal multiplies the rows; `None` if it cannot be evaluated yet.
    fn cost(&mut self, literal: &Literal, bound: &HashSet<u32>) -> Option<f64> {
        let free = count_variables(literal, bound);
        match literal {
            Literal::Distinct(..) => (free == 0).then_some(0.1),
            Literal::Negative(atom) if self.is_static(atom) => (free == 0).then_some(0.2),
            // After all positive literals that do not multiply.
            Literal::Negative(_) => (free == 0).then_some(1.1),
            Literal::Positive(atom) if self.is_static(atom) => {
                let is_bound = |variable| bound.contains(&variable);
                let access = Access::new(atom, self.game, 0, &is_bound, &|_| true);
                Some(self.statics.fanout(access.index, self.game))
            }
            Literal::Positive(_) => Some(VALUES.powi(free as i32) * 1.05),
        }
    }

    fn is_static(&self, atom: &Atom) -> bool {
        (self.class)(atom.relation) == Class::Static
    }
}

fn count_variables(literal: &Literal, bound: &HashSet<u32>) -> usize {
    let mut free: HashSet<u32> = HashSet::default();
    literal.for_each_variable(&mut |variable| {
        if !bound.contains(&variable) {
            free.insert(variable);
        }
    });
    free.len()
}
