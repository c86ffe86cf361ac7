//! The same code compiled twice: for any processor, and for one that counts and finds bits in one
//! instruction each.
//!
//! A function compiled for such instructions may only be called where the processor has them, which
//! the compiler cannot see; so this module may hold `unsafe` code.
#![allow(unsafe_code)]

/// Work that counts and finds bits all the time. What it calls must be inlined to gain from the
/// instructions, which is why [`Task::run`] is always inlined.
pub(crate) trait Task {
    /// What it gives.
    type Output;

    /// Does it. `select` gives the place of the n-th bit that is set, counted from 0; there must be
    /// so many.
    fn run(self, select: impl Fn(u64, u32) -> u32 + Copy) -> Self::Output;
}

/// Does some work with the best instructions that there are.
#[inline]
pub(crate) fn run<T: Task>(task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
    {
        // SAFETY: the processor has just been asked for all of the features.
        return unsafe { with_bit_instructions(task) };
    }
    task.run(select)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt,bmi1,bmi2,lzcnt")]
fn with_bit_instructions<T: Task>(task: T) -> T::Output {
    task.run(|bits, n| std::arch::x86_64::_pdep_u64(1 << n, bits).trailing_zeros())
}

/// The place of the n-th bit that is set, for any processor. The sums of bits up to and with each byte
/// stand side by side in a word, and so does their comparison with `n`: the byte is found without a
/// loop.
#[inline]
pub(crate) fn select(bits: u64, n: u32) -> u32 {
    const EACH: u64 = 0x0101_0101_0101_0101;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    struct Select(u64, u32);

    impl Task for Select {
        type Output = [u32; 2];

        fn run(self, best: impl Fn(u64, u32) -> u32 + Copy) -> [u32; 2] {
            [best(self.0, self.1), select(self.0, self.1)]
        }
    }

    #[test]
    fn bits_are_found_by_their_rank() {
        let mut random = Random::new(1);
        for bits in [u64::MAX, 1, 1 << 63, random.bits(), random.bits() & random.bits()] {
            let mut left = bits;
            for n in 0..bits.count_ones() {
                let place = left.trailing_zeros();
                assert_eq!(run(Select(bits, n)), [place; 2], "bit {n} of {bits:x}");
                left &= left - 1;
            }
        }
    }
}
