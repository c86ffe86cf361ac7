//! Uniform random choice among legal moves, in all lanes at once.
//!
//! The legal moves are counted in groups of seven, and the groups by a tree of bit-sliced adders. A
//! random number below the count is then followed down the tree: at each level it is compared with
//! the count on the left of where it stands, which is gathered over the whole level because only
//! one node of a level is selected; so are the seven moves of the group where it ends.
//! The number is drawn by rejection: as many random bits as the count needs, again where they make
//! too large a number. So every move is equally likely, exactly, up to [`MOST_DRAWS`].

use super::block::{Block, RandomBlocks};
use super::vector::Vector;

/// A lane in which so many numbers were too large, which happens once in 2^64 or more rarely, takes
/// the last one without its highest bit.
const MOST_DRAWS: u32 = 64;

/// So many moves are counted in three bits.
const GROUP: usize = 7;
const GROUP_BITS: usize = 3;

/// The most bits of a number: enough for 65,536 moves.
const MOST_BITS: usize = 17;

type Number<V> = [V; MOST_BITS + 1];

/// Room for the counts of a choice.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    /// The counts of all levels, from the groups on. A node of level h has 3 + h blocks.
    counts: Vec<Block>,
    selected: Vec<Block>,
}

/// Runs a function for numbers of so many bits, which must be known when it is compiled, as must
/// twice as many.
macro_rules! with_bits {
    ($number:expr, $function:ident, $arguments:tt, $otherwise:expr, [$(($bits:literal $double:literal))*]) => {
        match $number {
            $($bits => $function::<V, $bits, $double> $arguments,)*
            // There are not so many registers.
            _ => $otherwise,
        }
    };
    ($number:expr, $function:ident, $arguments:tt, $otherwise:expr) => {
        with_bits!($number, $function, $arguments, $otherwise, [
            (1 2) (2 4) (3 6) (4 8) (5 10) (6 12) (7 14) (8 16) (9 18) (10 20) (11 22) (12 24)
            (13 26) (14 28) (15 30) (16 32) (17 34)
        ])
    };
}

/// The nodes of a level of the tree over so many groups.
fn nodes(groups: usize, level: usize) -> usize {
    groups.div_ceil(1 << level)
}

/// Where the counts of a level begin.
fn start(groups: usize, level: usize) -> usize {
    (0..level).map(|below| nodes(groups, below) * (GROUP_BITS + below)).sum()
}

impl Tree {
    /// Chooses one of the `legal` moves in every lane; writes it to `does`. Gives the lanes that
    /// have a legal move. There must be at least two moves.
    #[inline(always)]
    pub(super) fn choose<V: Vector>(
        &mut self,
        legal: &[Block],
        does: &mut [Block],
        lanes: Block,
        random: &mut RandomBlocks,
    ) -> Block {
        let groups = legal.len().div_ceil(GROUP);
        let levels = groups.next_power_of_two().trailing_zeros() as usize;
        let end = start(groups, levels + 1);
        if self.counts.len() < end {
            self.counts.resize(end, Block::FALSE);
            self.selected.resize(self.selected.len().max(groups), Block::FALSE);
        }
        count_groups::<V>(legal, &mut self.counts);
        for level in 0..levels {
            let (below, above) = self.counts.split_at_mut(start(groups, level + 1));
            let below = &below[start(groups, level)..];
            let bits = GROUP_BITS + level;
            let above = &mut above[..nodes(groups, level + 1) * (bits + 1)];
            with_bits!(bits, add_pairs, (below, above), {});
        }
        let count = &self.counts[start(groups, levels)..end];
        let mut any = V::load(&Block::FALSE);
        for plane in count {
            any = any | V::load(plane);
        }
        let mut number = [V::load(&Block::FALSE); MOST_BITS + 1];
        let bits = legal.len().next_power_of_two().trailing_zeros() as usize;
        let lanes = V::load(&lanes) & any;
        with_bits!(bits, draw, (count, lanes, random, &mut number), {});
        self.selected[0] = Block::TRUE;
        for level in (0..levels).rev() {
            let children = &self.counts[start(groups, level)..start(groups, level + 1)];
            let selected = &self.selected[..nodes(groups, level + 1)];
            let bits = GROUP_BITS + level;
            let right = with_bits!(bits, descend, (children, selected, &mut number), any);
            divide(&mut self.selected, nodes(groups, level), right);
        }
        select(legal, does, &self.selected[..groups], &number);
        let mut playable = Block::FALSE;
        any.store(&mut playable);
        playable
    }
}

/// The sum of three bits, and what is carried over.
#[inline(always)]
fn add<V: Vector>(a: V, b: V, c: V) -> (V, V) {
    (a ^ b ^ c, a & b | c & (a | b))
}

/// `yes` where the condition holds, `no` elsewhere.
#[inline(always)]
fn either<V: Vector>(condition: V, yes: V, no: V) -> V {
    condition & yes | !condition & no
}

/// Counts the legal moves of each group.
#[inline(always)]
fn count_groups<V: Vector>(legal: &[Block], counts: &mut [Block]) {
    let (whole, rest) = legal.as_chunks::<GROUP>();
    let (counts, _) = counts.as_chunks_mut::<GROUP_BITS>();
    for (count, group) in counts.iter_mut().zip(whole) {
        count_group::<V>(group, count);
    }
    if !rest.is_empty() {
        count_group::<V>(&filled(rest), &mut counts[whole.len()]);
    }
}

#[inline(always)]
fn count_group<V: Vector>(group: &[Block; GROUP], count: &mut [Block; GROUP_BITS]) {
    let at = |place: usize| V::load(&group[place]);
    let (first, carry_first) = add(at(0), at(1), at(2));
    let (second, carry_second) = add(at(3), at(4), at(5));
    let (ones, carry_third) = add(first, second, at(6));
    let (twos, fours) = add(carry_first, carry_second, carry_third);
    ones.store(&mut count[0]);
    twos.store(&mut count[1]);
    fours.store(&mut count[2]);
}

/// A group with moves that are never legal in place of those it lacks.
#[inline(always)]
fn filled(rest: &[Block]) -> [Block; GROUP] {
    let mut group = [Block::FALSE; GROUP];
    group[..rest.len()].copy_from_slice(rest);
    group
}

/// Adds neighbours: numbers of so many bits become half as many with one bit more.
#[inline(always)]
fn add_pairs<V: Vector, const BITS: usize, const DOUBLE: usize>(from: &[Block], to: &mut [Block]) {
    let (pairs, last) = from.as_chunks::<DOUBLE>();
    let mut sums = to.chunks_exact_mut(BITS + 1);
    for (pair, sum) in pairs.iter().zip(&mut sums) {
        let mut carry = V::load(&Block::FALSE);
        for bit in 0..BITS {
            let digit;
            (digit, carry) = add(V::load(&pair[bit]), V::load(&pair[BITS + bit]), carry);
            digit.store(&mut sum[bit]);
        }
        carry.store(&mut sum[BITS]);
    }
    if let Some(sum) = sums.next() {
        sum[..BITS].copy_from_slice(&last[..BITS]);
        sum[BITS] = Block::FALSE;
    }
}

/// Draws a random number of so many bits below the count, where `lanes` holds.
#[inline(always)]
fn draw<V: Vector, const BITS: usize, const DOUBLE: usize>(
    count: &[Block],
    lanes: V,
    random: &mut RandomBlocks,
    number: &mut Number<V>,
) {
    let none = V::load(&Block::FALSE);
    let mut largest = [none; BITS];
    let mut borrow = !none;
    for (largest, count) in largest.iter_mut().zip(count) {
        let count = V::load(count);
        *largest = count ^ borrow;
        borrow = borrow & !count;
    }
    // The bits up to the highest of the largest number.
    let mut needed = largest;
    for bit in (0..BITS - 1).rev() {
        needed[bit] = needed[bit] | needed[bit + 1];
    }
    let mut drawn = [none; BITS];
    let mut left = lanes;
    let mut open = random.open::<V>();
    for draw in 0..MOST_DRAWS {
        let mut exceeds = none;
        for bit in 0..BITS {
            let new = open.bits() & needed[bit];
            drawn[bit] = either(left, new, drawn[bit]);
            exceeds = either(drawn[bit] ^ largest[bit], drawn[bit], exceeds);
        }
        left = left & exceeds;
        let mut again = Block::FALSE;
        left.store(&mut again);
        if again.is_false() {
            break;
        }
        if draw + 1 == MOST_DRAWS {
            for bit in 0..BITS {
                let above = if bit + 1 < BITS { needed[bit + 1] } else { none };
                drawn[bit] = drawn[bit] & !(left & needed[bit] & !above);
            }
        }
    }
    random.close(open);
    number[..BITS].copy_from_slice(&drawn);
}

/// Whether the number lies to the right below the selected node, whose children have counts of so
/// many bits; if so, takes off what lies to the left.
#[inline(always)]
fn descend<V: Vector, const BITS: usize, const DOUBLE: usize>(
    children: &[Block],
    selected: &[Block],
    number: &mut Number<V>,
) -> V {
    let none = V::load(&Block::FALSE);
    let mut left = [none; BITS];
    let (pairs, last) = children.as_chunks::<DOUBLE>();
    for (selected, pair) in selected.iter().zip(pairs) {
        let selected = V::load(selected);
        for bit in 0..BITS {
            left[bit] = left[bit] | selected & V::load(&pair[bit]);
        }
    }
    if let Some(selected) = selected.get(pairs.len()) {
        let selected = V::load(selected);
        for (left, bit) in left.iter_mut().zip(last) {
            *left = *left | selected & V::load(bit);
        }
    }
    let mut borrow = none;
    let mut difference = [none; BITS];
    for bit in 0..BITS {
        let (a, b) = (number[bit], left[bit]);
        difference[bit] = a ^ b ^ borrow;
        borrow = !a & b | borrow & !(a ^ b);
    }
    // The number has one bit more than the count; with that bit it is always the larger one.
    let right = !borrow | number[BITS];
    for bit in 0..BITS {
        number[bit] = either(right, difference[bit], number[bit]);
    }
    right
}

/// Selects the left or the right child of each selected node.
#[inline(always)]
fn divide<V: Vector>(selected: &mut [Block], children: usize, right: V) {
    for node in (0..children.div_ceil(2)).rev() {
        let parent = V::load(&selected[node]);
        (parent & !right).store(&mut selected[2 * node]);
        if 2 * node + 1 < children {
            (parent & right).store(&mut selected[2 * node + 1]);
        }
    }
}

/// Selects the move with this number in the selected group.
#[inline(always)]
fn select<V: Vector>(legal: &[Block], does: &mut [Block], selected: &[Block], number: &Number<V>) {
    let (whole, rest) = legal.as_chunks::<GROUP>();
    let mut gathered = [V::load(&Block::FALSE); GROUP];
    let mut gather = |selected: &Block, group: &[Block; GROUP]| {
        let selected = V::load(selected);
        for place in 0..GROUP {
            gathered[place] = gathered[place] | selected & V::load(&group[place]);
        }
    };
    for (selected, group) in selected.iter().zip(whole) {
        gather(selected, group);
    }
    if let Some(selected) = selected.get(whole.len()) {
        gather(selected, &filled(rest));
    }
    let chosen = nth(&gathered, number);
    let (groups, last) = does.as_chunks_mut::<GROUP>();
    let mut selected = selected.iter();
    for (does, selected) in groups.iter_mut().zip(&mut selected) {
        let selected = V::load(selected);
        for place in 0..GROUP {
            (selected & chosen[place]).store(&mut does[place]);
        }
    }
    if let Some(selected) = selected.next() {
        let selected = V::load(selected);
        for (does, &chosen) in last.iter_mut().zip(&chosen) {
            (selected & chosen).store(does);
        }
    }
}

/// Of seven moves the legal one with this number.
#[inline(always)]
fn nth<V: Vector>(legal: &[V; GROUP], number: &Number<V>) -> [V; GROUP] {
    let [mut ones, mut twos, mut fours] = [number[0], number[1], number[2]];
    let mut chosen = *legal;
    for place in 0..GROUP {
        let legal = legal[place];
        chosen[place] = legal & !(ones | twos | fours);
        // Counts down; behind zero comes seven, and there are not so many moves left.
        let borrow_twos = legal & !ones;
        let borrow_fours = borrow_twos & !twos;
        (ones, twos, fours) = (ones ^ legal, twos ^ borrow_twos, fours ^ borrow_fours);
    }
    chosen
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
            let any = tree.choose::<Block>(&legal, &mut does, Block::TRUE, &mut random);
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
        check(3, |lane, action| ((lane % 8) >> action) & 1 == 1);
        check(12, |lane, action| lane.wrapping_mul(0x9e37_79b9) >> (action + 4) & 1 == 1);
    }
}
