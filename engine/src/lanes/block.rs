//! One bit for each lane, and random ones.

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
    fn zip(self, other: Block, combine: impl Fn(u64, u64) -> u64) -> Block {
        Block(std::array::from_fn(|word| combine(self.0[word], other.0[word])))
    }

    #[inline(always)]
    fn map(self, change: impl Fn(u64) -> u64) -> Block {
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

    /// A random bit in each lane.
    #[inline(always)]
    pub(super) fn bits(&mut self) -> Block {
        let RandomBlocks([a, b, c, d]) = self;
        let sum = a.zip(*d, u64::wrapping_add).map(|sum| sum.rotate_left(23));
        let result = sum.zip(*a, u64::wrapping_add);
        let shifted = b.map(|word| word << 17);
        *c = *c ^ *a;
        *d = *d ^ *b;
        *b = *b ^ *c;
        *a = *a ^ *d;
        *c = *c ^ shifted;
        *d = d.map(|word| word.rotate_left(45));
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
