//! The same code compiled for several processors: for any, and for those that count and find bits, and
//! compare many bytes, in one instruction each.
//!
//! A function compiled for such instructions may only be called where the processor has them, which
//! the compiler cannot see; so this module may hold `unsafe` code.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// So many bytes fill the widest vectors.
pub(crate) const BYTES: usize = 64;

/// Bytes that lie as vectors want them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub(crate) struct Bytes(pub(crate) [u8; BYTES]);

/// What processors do in different ways.
pub(crate) trait Processor: Copy {
    /// The place of the n-th bit that is set, counted from 0; there must be so many.
    fn select(self, bits: u64, n: u32) -> u32;

    /// A bit for each byte that is zero.
    fn zeros(self, bytes: &Bytes) -> u64;
}

/// Work that counts and finds bits all the time. What it calls must be inlined to gain from the
/// instructions, which is why [`Task::run`] is always inlined.
pub(crate) trait Task {
    /// What it gives.
    type Output;

    /// Does it.
    fn run(self, processor: impl Processor) -> Self::Output;
}

/// The best instructions that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Best(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// Whether the processor has all of these.
#[cfg(target_arch = "x86_64")]
macro_rules! detected {
    ($($feature:tt)*) => { $(is_x86_feature_detected!($feature))&&* };
}

impl Best {
    /// All that this processor can, the best first.
    fn all() -> Vec<Best> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        if detected!("popcnt" "bmi1" "bmi2" "lzcnt" "avx2") {
            if detected!("avx512f" "avx512bw") {
                all.push(Best(Kind::Avx512));
            }
            all.push(Best(Kind::Avx2));
        }
        all.push(Best(Kind::Plain));
        all
    }

    /// Asks the processor.
    pub(crate) fn detect() -> Best {
        Best::all()[0]
    }

    /// Does some work.
    #[inline]
    pub(crate) fn run<T: Task>(self, task: T) -> T::Output {
        match self.0 {
            Kind::Plain => task.run(Plain),
            // SAFETY: the only way to this kind is `all`, which has asked the processor.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { with_avx2(task) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { with_avx512(task) },
        }
    }
}

/// Any processor.
#[derive(Clone, Copy)]
struct Plain;

impl Processor for Plain {
    /// The sums of bits up to and with each byte stand side by side in a word, and so does their
    /// comparison with `n`: the byte is found without a loop.
    #[inline]
    fn select(self, bits: u64, n: u32) -> u32 {
        let pairs = bits - ((bits >> 1) & (0x55 * EACH));
        let fours = (pairs & (0x33 * EACH)) + ((pairs >> 2) & (0x33 * EACH));
        let sums = ((fours + (fours >> 4)) & (0x0f * EACH)).wrapping_mul(EACH);
        let not_above = (((u64::from(n) * EACH) | (0x80 * EACH)) - sums) & (0x80 * EACH);
        let byte = 8 * not_above.count_ones();
        let before = (sums << 8 >> byte) as u32 & 0xff;
        let mut left = bits >> byte;
        (before..n).for_each(|_| left &= left - 1);
        byte + left.trailing_zeros()
    }

    /// Eight bytes at a time: the highest bit of each says whether it is zero, and a product brings
    /// these together.
    #[inline]
    fn zeros(self, bytes: &Bytes) -> u64 {
        const LOW: u64 = 0x7f * EACH;
        let (words, _) = bytes.0.as_chunks::<8>();
        let zeros = (0..).zip(words).map(|(place, &word)| {
            let word = u64::from_le_bytes(word);
            let zero = !(((word & LOW) + LOW) | word | LOW) >> 7;
            (zero.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * place)
        });
        zeros.fold(0, |all, some| all | some)
    }
}

/// A one in each byte of a word.
const EACH: u64 = 0x0101_0101_0101_0101;

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt,bmi1,bmi2,lzcnt,avx2")]
fn with_avx2<T: Task>(task: T) -> T::Output {
    task.run(Avx2)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt,bmi1,bmi2,lzcnt,avx2,avx512f,avx512bw")]
fn with_avx512<T: Task>(task: T) -> T::Output {
    task.run(Avx512)
}

/// One with the instructions of [`Kind::Avx2`].
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Avx2;

// SAFETY, for both: these types are made in functions alone that are compiled for their instructions.
#[cfg(target_arch = "x86_64")]
impl Processor for Avx2 {
    #[inline(always)]
    fn select(self, bits: u64, n: u32) -> u32 {
        unsafe { _pdep_u64(1 << n, bits) }.trailing_zeros()
    }

    #[inline(always)]
    fn zeros(self, bytes: &Bytes) -> u64 {
        let half = |start: usize| unsafe {
            let bytes = _mm256_load_si256(bytes.0.as_ptr().add(start).cast());
            _mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_setzero_si256())) as u32
        };
        u64::from(half(0)) | u64::from(half(32)) << 32
    }
}

/// One with those of [`Kind::Avx512`].
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Avx512;

#[cfg(target_arch = "x86_64")]
impl Processor for Avx512 {
    #[inline(always)]
    fn select(self, bits: u64, n: u32) -> u32 {
        Avx2.select(bits, n)
    }

    #[inline(always)]
    fn zeros(self, bytes: &Bytes) -> u64 {
        unsafe {
            let bytes = _mm512_load_si512(bytes.0.as_ptr().cast());
            _mm512_testn_epi8_mask(bytes, bytes)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    struct Select(u64, u32);

    impl Task for Select {
        type Output = u32;

        fn run(self, processor: impl Processor) -> u32 {
            processor.select(self.0, self.1)
        }
    }

    struct Zeros<'b>(&'b Bytes);

    impl Task for Zeros<'_> {
        type Output = u64;

        fn run(self, processor: impl Processor) -> u64 {
            processor.zeros(self.0)
        }
    }

    #[test]
    fn bits_are_found_by_their_rank() {
        let mut random = Random::new(1);
        for bits in [u64::MAX, 1, 1 << 63, random.bits(), random.bits() & random.bits()] {
            let mut left = bits;
            for n in 0..bits.count_ones() {
                let place = left.trailing_zeros();
                for best in Best::all() {
                    assert_eq!(best.run(Select(bits, n)), place, "{best:?}: bit {n} of {bits:x}");
                }
                left &= left - 1;
            }
        }
    }

    #[test]
    fn bytes_that_are_zero_are_found() {
        let mut random = Random::new(2);
        for _ in 0..100 {
            let bytes = Bytes(std::array::from_fn(|_| [0, 1, 0x80, 0xff][random.below(4)]));
            let zero = (0..64).filter(|&place| bytes.0[place] == 0);
            let zeros = zero.fold(0, |all, place| all | 1 << place);
            for best in Best::all() {
                assert_eq!(best.run(Zeros(&bytes)), zeros, "{best:?}: {bytes:?}");
            }
        }
    }
}
