//! Random playouts as one writes them by hand for one game, on bitboards: *simple* ones, which list
//! the legal moves and take one of the list, and *tuned* ones, which never list them: they count
//! bits and take the n-th by one instruction where the processor has it.
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

/// Hand-written playouts: so many.
pub type ByHand = fn(u64) -> Played;

/// Each game with its simple and its tuned playouts.
pub const GAMES: [(&str, ByHand, ByHand); 3] = [
    ("tic-tac-toe", simple::<SimpleTicTacToe>, tuned::<TicTacToe>),
    ("connect-four", simple::<SimpleConnectFour>, tuned::<ConnectFour>),
    ("breakthrough", simple::<SimpleBreakthrough>, tuned::<Breakthrough>),
];

fn simple<G: Game>(matches: u64) -> Played {
    run::<G>(matches, clear_lowest)
}

fn tuned<G: Game>(matches: u64) -> Played {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor has just been asked.
        return unsafe { with_bit_instructions::<G>(matches) };
    }
    simple::<G>(matches)
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

/// The numbers of the bits that are set, in a list.
fn list(mut bits: u64, moves: &mut Vec<u32>) {
    moves.clear();
    while bits != 0 {
        moves.push(bits.trailing_zeros());
        bits &= bits - 1;
    }
}

/// One of a list.
fn pick(moves: &[u32], generator: &mut Generator) -> u32 {
    moves[generator.below(moves.len() as u32) as usize]
}

/// The marks of the player to move and of the other, and the legal moves.
struct SimpleTicTacToe([u32; 2], Vec<u32>);

impl Game for SimpleTicTacToe {
    fn new() -> SimpleTicTacToe {
        SimpleTicTacToe([0, 0], Vec::with_capacity(9))
    }

    fn play(&mut self, generator: &mut Generator, _: impl Fn(u64, u32) -> u64) -> Option<bool> {
        let SimpleTicTacToe([own, other], moves) = self;
        list(u64::from(!(*own | *other) & 0o777), moves);
        let own = *own | 1 << pick(moves, generator);
        let lines = [0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];
        if lines.iter().any(|line| own & line == *line) {
            return Some(true);
        }
        let full = moves.len() == 1;
        self.0 = [self.0[1], own];
        full.then_some(false)
    }
}

/// The discs of the player to move and of the other, the height of each column, and the legal moves.
struct SimpleConnectFour([u64; 2], [u32; 7], Vec<u32>);

impl Game for SimpleConnectFour {
    fn new() -> SimpleConnectFour {
        SimpleConnectFour([0, 0], [0; 7], Vec::with_capacity(7))
    }

    fn play(&mut self, generator: &mut Generator, _: impl Fn(u64, u32) -> u64) -> Option<bool> {
        let SimpleConnectFour([own, _], heights, moves) = self;
        moves.clear();
        moves.extend((0..7).filter(|&column| heights[column as usize] < 6));
        let column = pick(moves, generator);
        let own = *own | 1 << (7 * column + heights[column as usize]);
        heights[column as usize] += 1;
        let four = |step: u32| {
            let pairs = own & own >> step;
            pairs & pairs >> (2 * step) != 0
        };
        if [1, 6, 7, 8].into_iter().any(four) {
            return Some(true);
        }
        let full = heights.iter().all(|&height| height == 6);
        self.0 = [self.0[1], own];
        full.then_some(false)
    }
}

/// The pieces of the player to move, who goes up, and of the other; the legal moves, 64 times where
/// from and where to.
struct SimpleBreakthrough([u64; 2], Vec<u32>);

impl Game for SimpleBreakthrough {
    fn new() -> SimpleBreakthrough {
        SimpleBreakthrough([0xffff, 0xffff << 48], Vec::with_capacity(48))
    }

    fn play(&mut self, generator: &mut Generator, _: impl Fn(u64, u32) -> u64) -> Option<bool> {
        let SimpleBreakthrough([own, other], moves) = self;
        moves.clear();
        let mut left = *own;
        while left != 0 {
            let from = left.trailing_zeros();
            left &= left - 1;
            if from % 8 > 0 && *own >> (from + 7) & 1 == 0 {
                moves.push(64 * from + from + 7);
            }
            if (*own | *other) >> (from + 8) & 1 == 0 {
                moves.push(64 * from + from + 8);
            }
            if from % 8 < 7 && *own >> (from + 9) & 1 == 0 {
                moves.push(64 * from + from + 9);
            }
        }
        let chosen = pick(moves, generator);
        let (from, to) = (chosen / 64, chosen % 64);
        let own = *own & !(1 << from) | 1 << to;
        let other = *other & !(1 << to);
        self.0 = [other.swap_bytes(), own.swap_bytes()];
        (to >= 56 || other == 0).then_some(true)
    }
}
