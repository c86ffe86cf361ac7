//! The same code for different processors.
//!
//! The lanes are written in plain Rust, whose vectors are as wide as the compiler may use. Here
//! their steps are compiled for wider ones as well, and the widest that the processor has is taken.
//! Calling a function that is compiled for more than the least of processors is unsafe, since the
//! processor might not know its instructions; so this module, and no other, holds `unsafe` code.
#![allow(unsafe_code)]

use super::core::Core;
use super::program::Program;

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
    fn run(self, core: &mut Core, program: &Program) {
        for _ in 0..self.times {
            if self.settle {
                core.settle(program);
            }
            if self.advance {
                core.advance(program);
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
    /// The widest that this processor has.
    pub(super) fn detect() -> Width {
        #[cfg(target_arch = "x86_64")]
        {
            if detected!("avx512f" "avx512vl" "avx512dq" "avx512bw" "popcnt" "bmi1" "bmi2") {
                return Width::Avx512;
            }
            if detected!("avx2" "popcnt" "bmi1" "bmi2") {
                return Width::Avx2;
            }
        }
        Width::Plain
    }

    /// Does some work.
    pub(super) fn run(self, core: &mut Core, program: &Program, work: Work) {
        match self {
            Width::Plain => work.run(core, program),
            // SAFETY: `detect` has found that the processor has these instructions.
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
    work.run(core, program);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,popcnt,bmi1,bmi2")]
fn run_avx512(core: &mut Core, program: &Program, work: Work) {
    work.run(core, program);
}
