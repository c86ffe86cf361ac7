//! Joint moves: one move for each role, from the legal moves of all.

use engine::{Failure, TermId};

use crate::simulator::Simulator;

/// The legal moves of every role; `None` where the match cannot go on, because it is over or, in
/// odd rule sheets, because someone cannot move.
pub(super) fn legal_moves(
    simulator: &mut dyn Simulator,
) -> Result<Option<Vec<Vec<TermId>>>, Failure> {
    if simulator.is_terminal()? {
        return Ok(None);
    }
    let roles = simulator.game().roles.len();
    let mut all = Vec::with_capacity(roles);
    for role in 0..roles {
        let moves = simulator.legal(role)?;
        if moves.is_empty() {
            return Ok(None);
        }
        all.push(moves);
    }
    Ok(Some(all))
}

/// All ways to take one item of each list, the last list running fastest.
pub(super) fn products(lists: &[Vec<TermId>]) -> impl Iterator<Item = Vec<TermId>> + '_ {
    let mut indices = (!lists.iter().any(Vec::is_empty)).then(|| vec![0; lists.len()]);
    std::iter::from_fn(move || {
        let current = indices.as_mut()?;
        let product = lists.iter().zip(current.iter()).map(|(list, &index)| list[index]).collect();
        for position in (0..lists.len()).rev() {
            current[position] += 1;
            if current[position] < lists[position].len() {
                return Some(product);
            }
            current[position] = 0;
        }
        indices = None;
        Some(product)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_complete_and_in_order() {
        let lists = [vec![TermId(1), TermId(2)], vec![TermId(3)], vec![TermId(4), TermId(5)]];
        let all: Vec<Vec<u32>> =
            products(&lists).map(|joint| joint.iter().map(|term| term.0).collect()).collect();
        assert_eq!(all, [[1, 3, 4], [1, 3, 5], [2, 3, 4], [2, 3, 5]]);
        assert_eq!(products(&[]).count(), 1);
        assert_eq!(products(&[vec![]]).count(), 0);
    }
}
