//! What each relation depends on: nothing, the state, or the moves.

use crate::program::{Class, Program};

pub(super) fn classify(program: &mut Program) {
    program.relations[program.vocabulary.true_.index()].class = Class::State;
    program.relations[program.vocabulary.does.index()].class = Class::Move;
    for component in &program.components {
        let conditions = component.rules.iter().flat_map(|&rule| &program.rules[rule].body);
        let class = conditions
            .filter_map(|literal| literal.atom())
            .map(|atom| program.relations[atom.relation.index()].class)
            .max();
        for relation in &component.relations {
            let relation = &mut program.relations[relation.index()];
            relation.class = relation.class.max(class.unwrap_or(Class::Static));
        }
    }
}
