//! The static relations: evaluated once, by a dataflow that is dropped when it has answered.

use std::sync::Arc;

use gdl_front::hash::HashSet;
use gdl_front::program::RelationId;

use super::workers::Workers;
use crate::game::Game;
use crate::plan::Plan;
use crate::reasoner::Failure;
use crate::reference::Facts;
use crate::row::Row;
use crate::terms::TermId;

/// The facts of all static relations.
pub(crate) fn static_facts(game: &Arc<Game>) -> Result<Facts, Failure> {
    let defined: HashSet<RelationId> =
        game.program.rules.iter().map(|rule| rule.head.relation).collect();
    let mut facts = Facts::default();
    for fact in game.program.facts.iter().filter(|fact| !defined.contains(&fact.atom.relation)) {
        let row = fact.atom.args.iter().filter_map(|arg| game.ground(arg)).collect();
        facts.insert(fact.atom.relation, row);
    }
    let plan = Arc::new(Plan::of_statics(game.clone(), facts.clone()));
    let world = Row::from(&[plan.worlds().0, 0][..]);
    let report = Workers::new(&plan, 1)?.epoch(vec![(world, 1)])?.game;
    for (row, _) in report.checked(&plan)? {
        let args = row[2..].iter().map(|&term| TermId(term)).collect();
        facts.insert(RelationId(row[0]), args);
    }
    Ok(facts)
}
