//! The arguments of the commands that play.

use std::path::PathBuf;

use clap::Args;
use player::StrategyKind;

use crate::players::PlayerName;

/// What a search may use.
#[derive(Args, Clone, Debug)]
pub struct SearchArguments {
    /// Threads of each built-in player
    #[arg(long, default_value_t = 1)]
    pub threads: usize,
    /// What each built-in player may remember, in MiB
    #[arg(long, default_value_t = 1024)]
    pub memory: usize,
}

/// The clocks of a match.
#[derive(Args, Clone, Debug)]
pub struct ClockArguments {
    /// Seconds to prepare
    #[arg(long, default_value_t = 5.0)]
    pub start_clock: f64,
    /// Seconds for each move
    #[arg(long, default_value_t = 2.0)]
    pub play_clock: f64,
}

/// Play a match. Players are given in the order of the roles: `mcts`, `minimax`, `random` or `legal`
/// are our own (`mcts:1000` makes 1000 simulations a move, whatever the clock), `human` is you, and
/// `http://host:port` is any player that speaks the GGP protocol. Answers that are late or illegal
/// are noted (TO late, CE no connection, IL illegal) and replaced by a random legal move.
#[derive(Args)]
#[command(after_help = "\
Examples:
  inertia match games/tic-tac-toe.kif mcts random
  inertia match games/connect-four.kif human mcts --play-clock 5
  inertia match GAME.kif http://localhost:9147 mcts --scramble --record MATCH.json
  inertia replay GAME.kif MATCH.json")]
pub struct MatchArguments {
    /// A rule sheet
    pub game: String,
    /// The players, one a role
    #[arg(required = true, value_name = "PLAYER")]
    pub players: Vec<PlayerName>,
    #[command(flatten)]
    pub clocks: ClockArguments,
    #[command(flatten)]
    pub search: SearchArguments,
    /// Write the record of the match to this file, as it goes
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Give everything in the rules other names
    #[arg(long)]
    pub scramble: bool,
    /// Send the rules in another order
    #[arg(long)]
    pub shuffle: bool,
    /// The seed of built-in players, replaced moves and scrambling
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Print the record as JSON
    #[arg(long)]
    pub json: bool,
}

/// Serve a player for game managers that speak the GGP protocol: INFO, START, PLAY, STOP, ABORT and
/// PREVIEW over HTTP. It plays one match at a time and listens on this machine alone, unless --host
/// says otherwise.
#[derive(Args)]
#[command(after_help = "\
Examples:
  inertia player
  inertia player --port 9148 --strategy minimax
  inertia player --host 0.0.0.0 --threads 4 --memory 4096")]
pub struct PlayerArguments {
    /// The port; 0 takes any that is free
    #[arg(long, default_value_t = 9147)]
    pub port: u16,
    /// The address to listen on
    #[arg(long, default_value = "127.0.0.1")]
    pub host: String,
    /// The way to choose moves: mcts, minimax, random or legal
    #[arg(long, default_value = "mcts")]
    pub strategy: StrategyKind,
    #[command(flatten)]
    pub search: SearchArguments,
    /// The name in answers to INFO
    #[arg(long, default_value = "Inertia")]
    pub name: String,
    /// The seed of random choices
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Play a round robin on each game: in games for two every pair of players in both orders, as many
/// times as there are rounds. Prints a row for each game and player, with 95 % intervals; a draw
/// counts half in the rate of wins. Ctrl-C ends it after the present match.
#[derive(Args)]
#[command(after_help = "\
Examples:
  inertia tournament games/connect-four.kif --players mcts,random --rounds 50 --play-clock 0.5
  inertia tournament games/*.kif --players mcts:500,minimax:500 --rounds 2 --json")]
pub struct TournamentArguments {
    /// Rule sheets
    #[arg(required = true, value_name = "GAME")]
    pub games: Vec<String>,
    /// The players, as in `inertia match`, with commas between them
    #[arg(long, required = true, value_delimiter = ',')]
    pub players: Vec<PlayerName>,
    /// How often each line-up is played
    #[arg(long, default_value_t = 1)]
    pub rounds: u64,
    #[command(flatten)]
    pub clocks: ClockArguments,
    #[command(flatten)]
    pub search: SearchArguments,
    /// Write the record of every match to this folder
    #[arg(long, value_name = "FOLDER")]
    pub records: Option<PathBuf>,
    /// The seed of the first match; the next match has the next one
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Play a game in this terminal. States are drawn as boards where their fluents form a grid. Type a
/// move by its number or its text; `undo` takes your last move back, `hint` shows what the built-in
/// player would do, `moves` lists the moves again, `quit` ends.
#[derive(Args)]
#[command(after_help = "\
Examples:
  inertia play games/connect-four.kif
  inertia play games/othello.kif --role white --seconds 3")]
pub struct PlayArguments {
    /// A rule sheet
    pub game: String,
    /// The role that you play; the first one of the sheet if not given
    #[arg(long)]
    pub role: Option<String>,
    /// How the others play: mcts, minimax, random or legal, perhaps with a number of simulations
    #[arg(long, default_value = "mcts")]
    pub opponent: PlayerName,
    /// How long the built-in player thinks about a move or a hint
    #[arg(long, default_value_t = 1.0)]
    pub seconds: f64,
    #[command(flatten)]
    pub search: SearchArguments,
    /// The seed of the built-in player
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}
