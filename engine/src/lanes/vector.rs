//! Vectors of different processors, and the same code compiled for each.
//!
//! The lanes are written once, over [`Vector`]. Here their steps are compiled for the vectors of
//! several processors, and the widest that the processor at hand has are taken. Instructions that
//! not every processor has are unsafe to use, since one without them would fail; so this module,
//! and no other, holds `unsafe` code.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;
use std::ops::{BitAnd, BitOr, BitXor, Not};

use super::block::Block;
use super::core::Core;
use super::program::Program;

/// A block while it is worked on. The words of a block can be added and shifted too, for the random
/// numbers.
pub(super) trait Vector:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    fn load(block: &Block) -> Self;
    fn store(self, block: &mut Block);
    /// Sums word by word.
    fn sum(self, other: Self) -> Self;
    /// Shifts each word to the left.
    fn left<const BITS: i32>(self) -> Self;
    /// Shifts each word to the right.
    fn right<const BITS: i32>(self) -> Self;
}

impl Vector for Block {
    #[inline(always)]
    fn load(block: &Block) -> Block {
        *block
    }

    #[inline(always)]
    fn store(self, block: &mut Block) {
        *block = self;
    }

    #[inline(always)]
    fn sum(self, other: Block) -> Block {
        self.zip(other, u64::wrapping_add)
    }

    #[inline(always)]
    fn left<const BITS: i32>(self) -> Block {
        self.map(|word| word << BITS)
    }

    #[inline(always)]
    fn right<const BITS: i32>(self) -> Block {
        self.map(|word| word >> BITS)
    }
}

/// Makes a [`Vector`] of so many registers of a processor, from its instructions.
#[cfg(target_arch = "x86_64")]
macro_rules! vector {
    ($name:ident: $count:literal of $register:ident, $and:ident $or:ident $xor:ident $add:ident
     $left:ident $right:ident) => {
        #[derive(Clone, Copy)]
        struct $name([$register; $count]);

        // SAFETY, for all of the following: `Width::all` has found that the processor has these
        // instructions before anything is run with this type.
        vector!($name: $count, BitAnd bitand $and);
        vector!($name: $count, BitOr bitor $or);
        vector!($name: $count, BitXor bitxor $xor);

        impl Not for $name {
            type Output = $name;

            #[inline(always)]
            fn not(self) -> $name {
                self ^ $name::load(&Block::TRUE)
            }
        }

        impl Vector for $name {
            #[inline(always)]
            fn load(block: &Block) -> $name {
                // SAFETY: both are just so many bits.
                unsafe { std::mem::transmute::<Block, $name>(*block) }
            }

            #[inline(always)]
            fn store(self, block: &mut Block) {
                // SAFETY: both are just so many bits.
                *block = unsafe { std::mem::transmute::<$name, Block>(self) };
            }

            #[inline(always)]
            fn sum(mut self, other: $name) -> $name {
                for part in 0..$count {
                    self.0[part] = unsafe { $add(self.0[part], other.0[part]) };
                }
                self
            }

            #[inline(always)]
            fn left<const BITS: i32>(mut self) -> $name {
                for part in 0..$count {
                    self.0[part] = unsafe { $left(self.0[part], _mm_cvtsi32_si128(BITS)) };
                }
                self
            }

            #[inline(always)]
            fn right<const BITS: i32>(mut self) -> $name {
                for part in 0..$count {
                    self.0[part] = unsafe { $right(self.0[part], _mm_cvtsi32_si128(BITS)) };
                }
                self
            }
        }
    };
    ($name:ident: $count:literal, $operator:ident $method:ident $instruction:ident) => {
        impl $operator for $name {
            type Output = $name;

            #[inline(always)]
            fn $method(mut self, other: $name) -> $name {
                for part in 0..$count {
                    self.0[part] = unsafe { $instruction(self.0[part], other.0[part]) };
                }
                self
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
vector!(Avx2: 2 of __m256i, _mm256_and_si256 _mm256_or_si256 _mm256_xor_si256 _mm256_add_epi64
    _mm256_sll_epi64 _mm256_srl_epi64);
#[cfg(target_arch = "x86_64")]
vector!(Avx512: 1 of __m512i, _mm512_and_si512 _mm512_or_si512 _mm512_xor_si512 _mm512_add_epi64
    _mm512_sll_epi64 _mm512_srl_epi64);

/// How wide vectors are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    /// As every processor has them.
    Plain,
    /// 256 bits.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 512 bits.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// What to do, and how often.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    pub(super) settle: bool,
    pub(super) advance: bool,
    pub(super) times: u32,
}

impl Work {
    #[inline(always)]
    fn run<V: Vector>(self, core: &mut Core, program: &Program) {
        for _ in 0..self.times {
            if self.settle {
                core.settle(program);
            }
            if self.advance {
                core.advance::<V>(program);
            }
        }
    }
}

/// Whether the processor has all of these.
#[cfg(target_arch = "x86_64")]
macro_rules! detected {
    ($($feature:tt)*) => { $(is_x86_feature_detected!($feature))&&* };
}

impl Width {
    /// All that this processor has, the widest first.
    pub(super) fn all() -> Vec<Width> {
        let mut widths = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if detected!("avx512f" "avx512vl" "avx512dq" "avx512bw" "popcnt" "bmi1" "bmi2") {
                widths.push(Width::Avx512);
            }
            if detected!("avx2" "popcnt" "bmi1" "bmi2") {
                widths.push(Width::Avx2);
            }
        }
        widths.push(Width::Plain);
        widths
    }

    /// The widest that this processor has.
    pub(super) fn detect() -> Width {
        Width::all()[0]
    }

    /// Does some work.
    pub(super) fn run(self, core: &mut Core, program: &Program, work: Work) {
        match self {
            Width::Plain => work.run::<Block>(core, program),
            // SAFETY: `all` has found that the processor has these instructions.
            #[cfg(target_arch = "x86_64")]
            Width::Avx2 => unsafe { run_avx2(core, program, work) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Width::Avx512 => unsafe { run_avx512(core, program, work) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt,bmi1,bmi2")]
fn run_avx2(core: &mut Core, program: &Program, work: Work) {
    work.run::<Avx2>(core, program);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,popcnt,bmi1,bmi2")]
fn run_avx512(core: &mut Core, program: &Program, work: Work) {
    work.run::<Avx512>(core, program);
}
