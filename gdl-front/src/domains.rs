//! How large an instantiated game can get, by the domains of arguments (KE's dependency graph): a
//! bound that takes next to no time, for what the instantiation itself finds out exactly.

use crate::hash::HashMap;
use crate::program::{Class, Literal, Program, RelationId, Rule};
use crate::shapes::{Position, Shape, Shapes};

/// At most so many facts and ground rules; infinitely many where terms can grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SizeBound {
    /// Facts that change, of the program's own relations.
    pub facts: f64,
    /// Instances of the rules for them.
    pub rules: f64,
}

/// Bounds the size of a game by what can stand at each argument.
pub fn bound_size(program: &Program) -> SizeBound {
    let shapes = Shapes::of(program);
    let domains = Domains { program, shapes: &shapes };
    let changes = |id: RelationId| program.relation(id).class != Class::Static;
    let relations = (0..program.relations.len() as u32).map(RelationId);
    let rules = program.rules.iter().filter(|rule| changes(rule.head.relation));
    SizeBound {
        facts: relations.filter(|&id| changes(id)).map(|id| domains.facts(id)).sum(),
        rules: rules.map(|rule| domains.instances(rule)).sum(),
    }
}

struct Domains<'p> {
    program: &'p Program,
    shapes: &'p Shapes<'p>,
}

impl Domains<'_> {
    /// How many facts a relation can have.
    fn facts(&self, relation: RelationId) -> f64 {
        let words = &self.program.vocabulary;
        if relation == words.does || relation == words.legal {
            let roles = 0..self.program.roles.len();
            return roles.map(|role| self.terms_at(Position::Action(role))).sum();
        }
        let fluent = [words.true_, words.next, words.init, words.fnext].contains(&relation);
        let place = if fluent { words.true_ } else { relation };
        let arguments = 0..self.program.relation(relation).arity;
        arguments.map(|index| self.terms_at(Position::Argument(place, index))).product()
    }

    /// How many instances a rule can have, by the variables that its instances differ in.
    fn instances(&self, rule: &Rule) -> f64 {
        let mut known = HashMap::default();
        for literal in &rule.body {
            if let Literal::Positive(atom) = literal
                && !self.shapes.read_atom(atom, &mut known)
            {
                return 0.0;
            }
        }
        let mut matters = Vec::new();
        let mut mark = |variable: u32| matters.push(variable);
        rule.head.args.iter().for_each(|arg| arg.for_each_variable(&mut mark));
        for literal in &rule.body {
            let changes = |id| self.program.relation(id).class != Class::Static;
            if literal.atom().is_some_and(|atom| changes(atom.relation)) {
                literal.for_each_variable(&mut mark);
            }
        }
        matters.sort_unstable();
        matters.dedup();
        let sizes = matters.iter().filter_map(|variable| known.get(variable));
        sizes.map(|set| self.terms_of(set, &mut Vec::new())).product()
    }

    fn terms_at(&self, position: Position) -> f64 {
        self.terms_of(self.shapes.at(position), &mut Vec::new())
    }

    /// How many terms have one of these shapes; `inside` are the functions around them.
    fn terms_of<'s>(
        &self,
        shapes: impl IntoIterator<Item = &'s Shape>,
        inside: &mut Vec<Shape>,
    ) -> f64 {
        let mut total = 0.0;
        for &shape in shapes {
            if inside.contains(&shape) {
                return f64::INFINITY;
            }
            inside.push(shape);
            let arguments = (0..shape.1).map(|index| Position::Inside(shape, index));
            let sizes = arguments.map(|place| self.terms_of(self.shapes.at(place), inside));
            total += sizes.product::<f64>();
            inside.pop();
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(text: &str) -> SizeBound {
        bound_size(&crate::load(text, None).program.unwrap())
    }

    #[test]
    fn sizes_are_products_of_domains() {
        let game = "(role a) (role b) (square 1) (square 2) (square 3) (init (on 1))
            (<= (legal ?r (go ?x ?y)) (role ?r) (true (on ?x)) (square ?y))
            (<= (next (on ?y)) (does a (go ?x ?y)))
            (<= terminal (true (on 3))) (<= (goal ?r 100) (role ?r) (true (on 3)))";
        let SizeBound { facts, rules } = bound(game);
        // 9 moves for each role, done and legal; 3 fluents, true and next; terminal; 2 goals.
        assert_eq!(facts, 36.0 + 6.0 + 1.0 + 2.0);
        // legal: 2 * 3 * 3; next: 3 * 3; terminal; goal: 2.
        assert_eq!(rules, 18.0 + 9.0 + 1.0 + 2.0);
    }

    #[test]
    fn terms_that_can_grow_have_no_bound() {
        let game = "(role a) (init (count z)) (<= (legal a (say ?n)) (true (count ?n)))
            (<= (next (count (s ?n))) (true (count ?n)))
            (<= terminal (true (count (s (s z))))) (goal a 0)";
        assert_eq!(bound(game).facts, f64::INFINITY);
    }
}
