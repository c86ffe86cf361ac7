//! Uniform random choice among legal moves, in all lanes at once.
//!
//! The legal moves are counted by a tree of bit-sliced adders. A random number below the count is
//! then followed down the tree: at each level it is compared with the count on the left of where it
//! stands, which is gathered over the whole level because only one node of a level is selected.
//! The number is drawn by rejection: as many random bits as the count needs, again where they make
//! too large a number. So every move is equally likely, exactly, up to [`MOST_DRAWS`].

use super::block::{Block, RandomBlocks};

/// A lane in which so many numbers were too large, which happens once in 2^64 or more rarely, takes
/// the last one without its highest bit.
const MOST_DRAWS: u32 = 64;

/// The most levels of a tree: enough for 65,536 moves.
const MOST_LEVELS: usize = 16;

/// Room for the counts of a choice.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    /// The counts of all levels, from the pairs of moves on. A node of level h has h + 1 blocks.
    counts: Vec<Block>,
    selected: Vec<Block>,
}

/// Runs a function whose parameter must be known when it is compiled.
macro_rules! with_constant {
    ($number:expr, $function:ident, $arguments:tt, [$($constant:literal)*]) => {
        match $number {
            $($constant => $function::<$constant> $arguments,)*
            _ => Default::default(),
        }
    };
    ($number:expr, $function:ident, $arguments:tt) => {
        with_constant!($number, $function, $arguments, [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16])
    };
}

/// The nodes of a level of the tree over so many moves.
fn nodes(moves: usize, level: usize) -> usize {
    moves.div_ceil(1 << level)
}

/// Where the counts of a level begin.
fn start(moves: usize, level: usize) -> usize {
    (1..level).map(|below| nodes(moves, below) * (below + 1)).sum()
}

impl Tree {
    /// Chooses one of the `legal` moves in every lane; writes it to `does`. Gives the lanes that
    /// have a legal move. There must be at least two moves.
    #[inline(always)]
    pub(super) fn choose(
        &mut self,
        legal: &[Block],
        does: &mut [Block],
        lanes: Block,
        random: &mut RandomBlocks,
    ) -> Block {
        let moves = legal.len();
        let levels = moves.next_power_of_two().trailing_zeros() as usize;
        let end = start(moves, levels + 1);
        if self.counts.len() < end {
            self.counts.resize(end, Block::FALSE);
            self.selected.resize(self.selected.len().max(moves), Block::FALSE);
        }
        let first = &mut self.counts[..nodes(moves, 1) * 2];
        add_pairs::<1>(legal, first);
        for level in 2..=levels {
            let (below, above) = self.counts.split_at_mut(start(moves, level));
            let below = &below[start(moves, level - 1)..];
            let above = &mut above[..nodes(moves, level) * (level + 1)];
            with_constant!(level, add_pairs, (below, above));
        }
        let count = &self.counts[start(moves, levels)..end];
        let any = count.iter().fold(Block::FALSE, |any, &plane| any | plane);
        let mut number = [Block::FALSE; MOST_LEVELS];
        with_constant!(levels, draw, (count, lanes & any, random, &mut number));
        self.selected[0] = Block::TRUE;
        for level in (2..=levels).rev() {
            let children = &self.counts[start(moves, level - 1)..start(moves, level)];
            let selected = &self.selected[..nodes(moves, level)];
            let right = with_constant!(level, descend, (children, selected, &mut number));
            divide(&mut self.selected, nodes(moves, level - 1), right);
        }
        let selected = &self.selected[..nodes(moves, 1)];
        let right = descend::<1>(legal, selected, &mut number);
        for (does, selected) in does.chunks_mut(2).zip(selected) {
            does[0] = *selected & !right;
            if let Some(does) = does.get_mut(1) {
                *does = *selected & right;
            }
        }
        any
    }
}

/// Adds neighbours: numbers of so many bits become half as many with one bit more.
#[inline(always)]
fn add_pairs<const BITS: usize>(from: &[Block], to: &mut [Block]) {
    let sums = to.chunks_exact_mut(BITS + 1);
    for (sum, pair) in sums.zip(from.chunks(2 * BITS)) {
        if pair.len() < 2 * BITS {
            sum[..BITS].copy_from_slice(&pair[..BITS]);
            sum[BITS] = Block::FALSE;
            continue;
        }
        let mut carry = pair[0] & pair[BITS];
        sum[0] = pair[0] ^ pair[BITS];
        for bit in 1..BITS {
            let (a, b) = (pair[bit], pair[BITS + bit]);
            sum[bit] = a ^ b ^ carry;
            carry = a & b | carry & (a | b);
        }
        sum[BITS] = carry;
    }
}

/// Draws a random number of so many bits below the count, where `lanes` holds.
#[inline(always)]
fn draw<const BITS: usize>(
    count: &[Block],
    lanes: Block,
    random: &mut RandomBlocks,
    number: &mut [Block; MOST_LEVELS],
) {
    let mut largest = [Block::FALSE; BITS];
    let mut borrow = Block::TRUE;
    for bit in 0..BITS {
        largest[bit] = count[bit] ^ borrow;
        borrow = borrow & !count[bit];
    }
    // The bits up to the highest of the largest number.
    let mut needed = largest;
    for bit in (0..BITS - 1).rev() {
        needed[bit] = needed[bit] | needed[bit + 1];
    }
    let mut drawn = [Block::FALSE; BITS];
    let mut left = lanes;
    for draw in 0..MOST_DRAWS {
        let mut exceeds = Block::FALSE;
        for bit in 0..BITS {
            let new = random.bits() & needed[bit];
            drawn[bit] = left.choose(new, drawn[bit]);
            exceeds = (drawn[bit] ^ largest[bit]).choose(drawn[bit], exceeds);
        }
        left = left & exceeds;
        if left.is_false() {
            break;
        }
        if draw + 1 == MOST_DRAWS {
            for bit in 0..BITS {
                let above = needed.get(bit + 1).copied().unwrap_or(Block::FALSE);
                drawn[bit] = drawn[bit] & !(left & needed[bit] & !above);
            }
        }
    }
    number[..BITS].copy_from_slice(&drawn);
}

/// Whether the number lies to the right below the selected node, whose children have counts of so
/// many bits; if so, takes off what lies to the left.
#[inline(always)]
fn descend<const BITS: usize>(
    children: &[Block],
    selected: &[Block],
    number: &mut [Block; MOST_LEVELS],
) -> Block {
    let mut left = [Block::FALSE; BITS];
    for (selected, pair) in selected.iter().zip(children.chunks(2 * BITS)) {
        for bit in 0..BITS {
            left[bit] = left[bit] | *selected & pair[bit];
        }
    }
    let mut borrow = Block::FALSE;
    let mut difference = [Block::FALSE; BITS];
    for bit in 0..BITS {
        let (a, b) = (number[bit], left[bit]);
        difference[bit] = a ^ b ^ borrow;
        borrow = !a & b | borrow & !(a ^ b);
    }
    let right = !borrow;
    for bit in 0..BITS {
        number[bit] = right.choose(difference[bit], number[bit]);
    }
    right
}

/// Selects the left or the right child of each selected node.
#[inline(always)]
fn divide(selected: &mut [Block], children: usize, right: Block) {
    for node in (0..children.div_ceil(2)).rev() {
        let parent = selected[node];
        selected[2 * node] = parent & !right;
        if 2 * node + 1 < children {
            selected[2 * node + 1] = parent & right;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::LANES;

    /// How often each move is chosen, in lanes with different legal moves.
    fn check(moves: usize, is_legal: impl Fn(usize, usize) -> bool) {
        let mut legal = vec![Block::FALSE; moves];
        for (action, block) in legal.iter_mut().enumerate() {
            (0..LANES).for_each(|lane| block.set(lane, is_legal(lane, action)));
        }
        let mut tree = Tree::default();
        let mut random = RandomBlocks::new(3);
        let mut does = vec![Block::FALSE; moves];
        let rounds = 200;
        let mut chosen = vec![0.0; moves];
        let mut expected = vec![0.0; moves];
        for _ in 0..rounds {
            let any = tree.choose(&legal, &mut does, Block::TRUE, &mut random);
            for lane in 0..LANES {
                let choices: Vec<usize> = (0..moves).filter(|&it| is_legal(lane, it)).collect();
                assert_eq!(any.get(lane), !choices.is_empty());
                let done: Vec<usize> = (0..moves).filter(|&it| does[it].get(lane)).collect();
                if choices.is_empty() {
                    continue;
                }
                assert!(done.len() == 1 && choices.contains(&done[0]), "{done:?} of {choices:?}");
                chosen[done[0]] += 1.0;
                choices.iter().for_each(|&it| expected[it] += 1.0 / choices.len() as f64);
            }
        }
        for (chosen, expected) in chosen.iter().zip(&expected) {
            let deviation = (chosen - expected) / f64::sqrt(expected + 1.0);
            assert!(deviation.abs() < 5.0, "{chosen} times instead of {expected}");
        }
    }

    #[test]
    fn all_moves_are_equally_likely() {
        check(2, |_, _| true);
        check(7, |_, _| true);
        check(37, |_, action| action % 5 != 3);
    }

    #[test]
    fn lanes_choose_among_their_own_moves() {
        check(3, |lane, action| lane % 8 >> action & 1 == 1);
        check(12, |lane, action| lane.wrapping_mul(0x9e37_79b9) >> (action + 4) & 1 == 1);
    }
}
