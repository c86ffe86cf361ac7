//! Random playouts as one writes them by hand for one game: bitboards, a fast generator, the n-th
//! bit by one instruction where the processor has it.
//!
//! The instructions that a program compiled for its own machine would use (`popcnt`, `pdep`) are
//! used if the processor has them: calling functions compiled so is what needs `unsafe` here.
#![allow(unsafe_code)]

/// What random play gave.
#[derive(Clone, Copy, Debug, Default)]
pub struct Played {
    /// Playouts.
    pub playouts: u64,
    /// Moves.
    pub states: u64,
    /// How often the first player won.
    pub wins: u64,
}

/// A small generator (wyrand).
struct Generator(u64);

impl Generator {
    #[inline(always)]
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_add(0xa076_1d64_78bd_642f);
        let product = u128::from(self.0) * u128::from(self.0 ^ 0xe703_7ed1_a0b4_28db);
        let bits = (product >> 64) as u32 ^ product as u32;
        ((u64::from(bits) * u64::from(bound)) >> 32) as u32
    }
}

/// A game of two players in turn, written by hand.
trait Game {
    /// The initial position, the first player to move.
    fn new() -> Self;
    /// A random move; whether the player who made it has won, `None` while the match goes on, and
    /// `Some(false)` for a draw.
    fn play(&mut self, generator: &mut Generator, select: impl Fn(u64, u32) -> u64)
    -> Option<bool>;
}

/// Plays so many matches of tic-tac-toe.
pub fn tic_tac_toe(matches: u64) -> Played {
    measure::<TicTacToe>(matches)
}

/// Plays so many matches of Connect Four.
pub fn connect_four(matches: u64) -> Played {
    measure::<ConnectFour>(matches)
}

/// Plays so many matches of Breakthrough.
pub fn breakthrough(matches: u64) -> Played {
    measure::<Breakthrough>(matches)
}

fn measure<G: Game>(matches: u64) -> Played {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor has just been asked.
        return unsafe { with_bit_instructions::<G>(matches) };
    }
    run::<G>(matches, clear_lowest)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt,bmi1,bmi2,lzcnt")]
fn with_bit_instructions<G: Game>(matches: u64) -> Played {
    run::<G>(matches, |bits, n| std::arch::x86_64::_pdep_u64(1 << n, bits))
}

/// The n-th bit of some.
fn clear_lowest(mut bits: u64, n: u32) -> u64 {
    (0..n).for_each(|_| bits &= bits - 1);
    bits & bits.wrapping_neg()
}

#[inline(always)]
fn run<G: Game>(matches: u64, select: impl Fn(u64, u32) -> u64) -> Played {
    let mut generator = Generator(1);
    let mut played = Played { playouts: matches, ..Played::default() };
    for _ in 0..matches {
        let mut game = G::new();
        let mut first_to_move = true;
        loop {
            played.states += 1;
            if let Some(won) = game.play(&mut generator, &select) {
                played.wins += u64::from(won && first_to_move);
                break;
            }
            first_to_move = !first_to_move;
        }
    }
    played
}

/// The marks of the player to move and of the other.
struct TicTacToe(u32, u32);

/// For each set of squares whether it holds a line: a bit each.
const LINES: [u64; 8] = lines();

const fn lines() -> [u64; 8] {
    let all: [u32; 8] = [0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];
    let mut table = [0; 8];
    let mut marks: usize = 0;
    while marks < 512 {
        let mut line = 0;
        while line < 8 {
            if marks as u32 & all[line] == all[line] {
                table[marks / 64] |= 1 << (marks % 64);
            }
            line += 1;
        }
        marks += 1;
    }
    table
}

impl Game for TicTacToe {
    fn new() -> TicTacToe {
        TicTacToe(0, 0)
    }

    #[inline(always)]
    fn play(
        &mut self,
        generator: &mut Generator,
        select: impl Fn(u64, u32) -> u64,
    ) -> Option<bool> {
        let free = !(self.0 | self.1) & 0o777;
        let count = free.count_ones();
        let own = self.0 | select(u64::from(free), generator.below(count)) as u32;
        if LINES[own as usize / 64] >> (own % 64) & 1 == 1 {
            return Some(true);
        }
        *self = TicTacToe(self.1, own);
        (count == 1).then_some(false)
    }
}

/// The discs of the player to move and of both; 7 bits a column, of which the highest stays empty.
struct ConnectFour(u64, u64);

const BOTTOM: u64 = 0x0000_0408_1020_4081;
const BOARD: u64 = BOTTOM * 63;

impl Game for ConnectFour {
    fn new() -> ConnectFour {
        ConnectFour(0, 0)
    }

    #[inline(always)]
    fn play(
        &mut self,
        generator: &mut Generator,
        select: impl Fn(u64, u32) -> u64,
    ) -> Option<bool> {
        let ConnectFour(own, all) = *self;
        let landings = (all + BOTTOM) & BOARD;
        let disc = select(landings, generator.below(landings.count_ones()));
        let [own, all] = [own | disc, all | disc];
        let four = |step: u32| {
            let pairs = own & own >> step;
            pairs & pairs >> (2 * step)
        };
        if four(1) | four(6) | four(7) | four(8) != 0 {
            return Some(true);
        }
        *self = ConnectFour(all ^ own, all);
        (all == BOARD).then_some(false)
    }
}

/// The pieces of the player to move and of the other; the board is turned after each move, so that
/// the player to move goes up.
struct Breakthrough(u64, u64);

const LEFT_FILE: u64 = 0x0101_0101_0101_0101;
const LAST_ROW: u64 = 0xff << 56;

impl Game for Breakthrough {
    fn new() -> Breakthrough {
        Breakthrough(0xffff, 0xffff << 48)
    }

    #[inline(always)]
    fn play(
        &mut self,
        generator: &mut Generator,
        select: impl Fn(u64, u32) -> u64,
    ) -> Option<bool> {
        let Breakthrough(own, other) = *self;
        // Where pieces come to by going left, straight and right.
        let left = (own & !LEFT_FILE) << 7 & !own;
        let straight = own << 8 & !(own | other);
        let right = (own & !(LEFT_FILE << 7)) << 9 & !own;
        let counts = [left.count_ones(), straight.count_ones(), right.count_ones()];
        let number = generator.below(counts[0] + counts[1] + counts[2]);
        let (targets, number, shift) = if number < counts[0] {
            (left, number, 7)
        } else if number < counts[0] + counts[1] {
            (straight, number - counts[0], 8)
        } else {
            (right, number - counts[0] - counts[1], 9)
        };
        let to = select(targets, number);
        let own = own ^ to ^ to >> shift;
        let other = other & !to;
        *self = Breakthrough(other.swap_bytes(), own.swap_bytes());
        (to & LAST_ROW != 0 || other == 0).then_some(true)
    }
}
