//! One bit for each lane, and random ones.

use super::vector::Vector;
use crate::random::Random;

/// Words in a block.
const WORDS: usize = 8;

/// How many playouts run side by side.
pub const LANES: usize = 64 * WORDS;

/// A truth value in each lane. Operations on it are loops that the compiler turns into vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
#[derive(Default)]
pub(super) struct Block([u64; WORDS]);

impl Block {
    pub(super) const FALSE: Block = Block([0; WORDS]);
    pub(super) const TRUE: Block = Block([u64::MAX; WORDS]);

    /// The same value in all lanes.
    pub(super) fn all(value: bool) -> Block {
        if value { Block::TRUE } else { Block::FALSE }
    }

    #[inline(always)]
    pub(super) fn is_false(&self) -> bool {
        self.0.iter().fold(0, |any, word| any | word) == 0
    }

    pub(super) fn get(&self, lane: usize) -> bool {
        self.0[lane / 64] >> (lane % 64) & 1 == 1
    }

    pub(super) fn set(&mut self, lane: usize, value: bool) {
        let bit = 1 << (lane % 64);
        self.0[lane / 64] = self.0[lane / 64] & !bit | if value { bit } else { 0 };
    }

    /// In how many lanes it holds.
    #[inline(always)]
    pub(super) fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// `yes` where this holds, `no` elsewhere.
    #[inline(always)]
    pub(super) fn choose(self, yes: Block, no: Block) -> Block {
        self & yes | !self & no
    }

    #[inline(always)]
    pub(super) fn zip(self, other: Block, combine: impl Fn(u64, u64) -> u64) -> Block {
        Block(std::array::from_fn(|word| combine(self.0[word], other.0[word])))
    }

    #[inline(always)]
    pub(super) fn map(self, change: impl Fn(u64) -> u64) -> Block {
        Block(self.0.map(change))
    }
}

impl std::ops::BitAnd for Block {
    type Output = Block;

    #[inline(always)]
    fn bitand(self, other: Block) -> Block {
        self.zip(other, |a, b| a & b)
    }
}

impl std::ops::BitOr for Block {
    type Output = Block;

    #[inline(always)]
    fn bitor(self, other: Block) -> Block {
        self.zip(other, |a, b| a | b)
    }
}

impl std::ops::BitXor for Block {
    type Output = Block;

    #[inline(always)]
    fn bitxor(self, other: Block) -> Block {
        self.zip(other, |a, b| a ^ b)
    }
}

impl std::ops::Not for Block {
    type Output = Block;

    #[inline(always)]
    fn not(self) -> Block {
        self.map(|a| !a)
    }
}

/// As many sources of random numbers ([`Random`], xoshiro256++) as a block has words.
#[derive(Clone, Debug)]
pub(super) struct RandomBlocks([Block; 4]);

impl RandomBlocks {
    pub(super) fn new(seed: u64) -> RandomBlocks {
        let mut random = Random::new(seed);
        RandomBlocks([(); 4].map(|()| Block([(); WORDS].map(|()| random.bits()))))
    }

    /// The sources as vectors, to draw from.
    #[inline(always)]
    pub(super) fn open<V: Vector>(&self) -> RandomVectors<V> {
        let [a, b, c, d] = &self.0;
        RandomVectors { a: V::load(a), b: V::load(b), c: V::load(c), d: V::load(d) }
    }

    /// Takes sources back that were drawn from.
    #[inline(always)]
    pub(super) fn close<V: Vector>(&mut self, drawn: RandomVectors<V>) {
        let [a, b, c, d] = &mut self.0;
        drawn.a.store(a);
        drawn.b.store(b);
        drawn.c.store(c);
        drawn.d.store(d);
    }
}

/// [`RandomBlocks`] while they are drawn from.
pub(super) struct RandomVectors<V> {
    a: V,
    b: V,
    c: V,
    d: V,
}

impl<V: Vector> RandomVectors<V> {
    /// A random bit in each lane.
    #[inline(always)]
    pub(super) fn bits(&mut self) -> V {
        let sum = self.a.sum(self.d);
        let result = (sum.left::<23>() | sum.right::<41>()).sum(self.a);
        let shifted = self.b.left::<17>();
        self.c = self.c ^ self.a;
        self.d = self.d ^ self.b;
        self.b = self.b ^ self.c;
        self.a = self.a ^ self.d;
        self.c = self.c ^ shifted;
        self.d = self.d.left::<45>() | self.d.right::<19>();
        result
    }
}

/// A number in each lane, its bits in as many blocks, lowest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Counter(Vec<Block>);

impl Counter {
    /// Adds one where `ones` holds.
    #[inline(always)]
    pub(super) fn add(&mut self, ones: Block) {
        let mut carry = ones;
        // Looking whether anything is carried on takes longer than a few blocks.
        for planes in self.0.chunks_mut(4) {
            for plane in planes {
                (*plane, carry) = (*plane ^ carry, *plane & carry);
            }
            if carry.is_false() {
                return;
            }
        }
        if !carry.is_false() {
            self.0.push(carry);
        }
    }

    /// Sets the numbers to zero where `lanes` holds.
    #[inline(always)]
    pub(super) fn clear(&mut self, lanes: Block) {
        self.0.iter_mut().for_each(|plane| *plane = *plane & !lanes);
    }

    /// Where the number is just this.
    #[inline(always)]
    pub(super) fn equals(&self, number: u64) -> Block {
        let bits = self.0.len() as u32;
        if number.checked_shr(bits).unwrap_or(0) != 0 {
            return Block::FALSE;
        }
        let planes = self.0.iter().enumerate();
        planes.fold(Block::TRUE, |all, (bit, plane)| {
            all & (*plane ^ Block::all(number >> bit & 1 == 0))
        })
    }

    /// The number in a lane.
    pub(super) fn get(&self, lane: usize) -> u64 {
        let planes = self.0.iter().enumerate();
        planes.map(|(bit, plane)| u64::from(plane.get(lane)) << bit).sum()
    }

    /// The sum of the numbers where `lanes` holds.
    pub(super) fn sum(&self, lanes: Block) -> u64 {
        self.0.iter().enumerate().map(|(bit, plane)| (*plane & lanes).count() << bit).sum()
    }
}
