//! Goal values as numbers: a reasoner names them as terms, a search counts with them.

use engine::{Failure, Game, Reasoner, TermId};

/// The best value that GDL lets a role reach.
pub const BEST_GOAL: i32 = 100;

/// The number that a goal term names; `None` if it is not an integer.
pub fn goal_number(game: &Game, term: TermId) -> Option<i32> {
    let arena = game.terms.read();
    if !arena.args(term).is_empty() {
        return None;
    }
    game.program.symbols.spelling(arena.symbol(term)).parse().ok()
}

/// What the state is worth to a role. Rules may name several values or none: the least counts, as
/// nobody should hope for a value that the manager may not give, and none is worth nothing.
pub fn goal_of<R: Reasoner + ?Sized>(reasoner: &mut R, role: usize) -> Result<i32, Failure> {
    let terms = reasoner.goals(role)?;
    let game = reasoner.game();
    let least = terms.iter().filter_map(|&term| goal_number(game, term)).min();
    Ok(least.unwrap_or(0).clamp(0, BEST_GOAL))
}

/// What the state is worth to every role.
pub fn all_goals<R: Reasoner + ?Sized>(reasoner: &mut R) -> Result<Vec<i32>, Failure> {
    (0..reasoner.game().roles.len()).map(|role| goal_of(reasoner, role)).collect()
}
