//! What the command line looks like; its help is a short course.

mod matches;

use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use gdl_front::Syntax;

pub use matches::{
    ClockArguments, MatchArguments, PlayArguments, PlayerArguments, SearchArguments,
    TournamentArguments,
};

const EXAMPLES: &str = "\
Examples:
  inertia check games/*.kif              find all that is wrong with rule sheets
  inertia explain G301                   the longer story behind a finding
  inertia fmt --syntax infix GAME.kif    the same game as the papers write it
  inertia print --stage program GAME.kif the rules as the reasoners see them
  inertia simulate GAME.kif --seconds 5  random playouts: how fast, how long, who wins
  inertia perft GAME.kif --depth 4       nodes of the game tree
  inertia session GAME.kif               moves, what-ifs, queries and watches
  inertia match GAME.kif mcts random     a match between two players
  inertia play GAME.kif                  you against the built-in player
  inertia player --port 9147             a player for game managers

Exit codes: 0 fine, 1 a negative finding (an invalid game, a failed check), 2 wrong usage,
3 undecided because a limit was reached, 4 a file could not be read or written.";

/// An incremental reasoner for games in the Game Description Language (GDL).
#[derive(Parser)]
#[command(version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Arguments {
    /// Say more on standard error: -v what is done, -vv how, -vvv everything
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Find all that is wrong with rule sheets
    Check(CheckArguments),
    /// Lay rule sheets out, or convert them between the two syntaxes
    Fmt(FmtArguments),
    /// Tell the longer story behind the code of a finding
    Explain(ExplainArguments),
    /// Show a game as one of the stages that it passes through
    Print(PrintArguments),
    /// Translate frame rules: what persists becomes what ends
    Translate(TranslateArguments),
    /// Instantiate a game: every rule with every value that its variables can have
    Ground(GroundArguments),
    /// Walk traces of matches and compare what is derived at every step
    Replay(ReplayArguments),
    /// Play random matches and write down everything that holds in their states
    Trace(TraceArguments),
    /// Count the nodes of the game tree
    Perft(PerftArguments),
    /// Play random matches for a while: speed, length, results
    Simulate(SimulateArguments),
    /// Explore a game: make moves, take them back, ask what if, query and watch
    Session(SessionArguments),
    /// Play a match between players, with clocks and a record
    Match(MatchArguments),
    /// Play matches between all players in all roles, and tell who is better
    Tournament(TournamentArguments),
    /// Play a game yourself against the built-in player
    Play(PlayArguments),
    /// Serve a player that game managers reach over HTTP
    Player(PlayerArguments),
    /// Write a completion script for a shell
    Completions(CompletionsArguments),
}

/// The syntax of a text.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum SyntaxName {
    /// Prefix notation: (<= (legal ?p noop) (role ?p))
    Kif,
    /// Prolog notation: legal(P, noop) :- role(P).
    Infix,
}

impl From<SyntaxName> for Syntax {
    fn from(name: SyntaxName) -> Syntax {
        match name {
            SyntaxName::Kif => Syntax::Kif,
            SyntaxName::Infix => Syntax::Infix,
        }
    }
}

/// Check rule sheets: syntax, safety, stratification, keywords, names. All findings of a file come
/// at once, each with a code, its place and how to mend it. Warnings do not make a game invalid.
#[derive(Args)]
#[command(after_help = "\
Examples:
  inertia check games/*.kif
  inertia check --json GAME.kif | jq '.diagnostics[].code'
  echo '(role white)' | inertia check -")]
pub struct CheckArguments {
    /// Rule sheets; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// Read the text as this syntax instead of recognising it
    #[arg(long)]
    pub syntax: Option<SyntaxName>,
    /// Print one JSON object a file, one a line
    #[arg(long)]
    pub json: bool,
}

/// Lay rule sheets out in the one way, comments kept, and print them.
#[derive(Args)]
#[command(after_help = "\
Examples:
  inertia fmt GAME.kif                       print the formatted sheet
  inertia fmt --write games/*.kif            format files in place
  inertia fmt --check games/*.kif            exit 1 if one is not formatted
  inertia fmt --syntax infix GAME.kif        convert from KIF to infix")]
pub struct FmtArguments {
    /// Rule sheets; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// Print nothing but the names of files that are not formatted, and exit 1 if there are any
    #[arg(long)]
    pub check: bool,
    /// Write the result back to the file instead of printing it
    #[arg(long, conflicts_with = "check")]
    pub write: bool,
    /// Write this syntax instead of that of the file
    #[arg(long)]
    pub syntax: Option<SyntaxName>,
    /// Read the text as this syntax instead of recognising it
    #[arg(long)]
    pub from: Option<SyntaxName>,
}

/// Tell what a finding means, why the condition is there, and how to mend it.
#[derive(Args)]
#[command(after_help = "Example:\n  inertia explain G301")]
pub struct ExplainArguments {
    /// The code of a finding; without one, all codes are listed
    pub code: Option<String>,
}

/// Show a game as one of the stages that it passes through.
#[derive(Args)]
#[command(after_help = "\
Examples:
  inertia print GAME.kif                 the normalised program, in evaluation order
  inertia print --stage ast GAME.kif     what was read, with places
  inertia print --stage plan GAME.kif    how the dataflow evaluates it
  inertia print --stage network GAME.kif the gates of the network")]
pub struct PrintArguments {
    /// A rule sheet; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub file: String,
    /// Which stage
    #[arg(long, default_value = "program")]
    pub stage: Stage,
    /// Read the text as this syntax instead of recognising it
    #[arg(long)]
    pub syntax: Option<SyntaxName>,
}

/// The stages of a game on its way from text to answers.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Stage {
    /// What was read: every rule with its place
    Ast,
    /// The normalised rules by component, with class and stratum
    Program,
    /// How the dataflow evaluates the rules: levels, joins and their order
    Plan,
    /// The rules with every value that their variables can have
    Ground,
    /// The gates that the ground rules become
    Network,
}

/// Instantiate a game once and for all (Kissmann and Edelkamp 2010), and print it as KIF that any
/// GDL system can load. Exits with 3 if a limit is reached.
#[derive(Args)]
#[command(after_help = "\
Examples:
  inertia ground GAME.kif > GROUND.kif          the rules with all variables replaced
  inertia ground --stats GAME.kif               sizes, pass by pass, time and memory
  inertia ground --mutex GAME.kif               fluents that never hold together
  inertia ground --limit seconds=10 --limit mib=512 --limit rules=1000000 GAME.kif")]
pub struct GroundArguments {
    /// A rule sheet; `-` reads standard input
    pub game: String,
    /// Stop at so many seconds, mebibytes or ground rules, as in seconds=10, mib=512, rules=100000
    #[arg(long, value_name = "WHAT=NUMBER")]
    pub limit: Vec<Limit>,
    /// Print how large the game becomes and what that takes
    #[arg(long, conflicts_with = "mutex")]
    pub stats: bool,
    /// Print groups of fluents of which random play never saw two together
    #[arg(long)]
    pub mutex: bool,
    /// Print one JSON object: the sizes, or with --mutex the groups
    #[arg(long)]
    pub json: bool,
    /// How the next state is derived
    #[arg(long, default_value = "original")]
    pub frame: FrameName,
}

/// One bound on an instantiation.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    Seconds(f64),
    Mebibytes(usize),
    Rules(usize),
}

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Limit, String> {
        let (what, number) = text.split_once('=').ok_or("write it as seconds=10")?;
        let whole = || number.parse::<usize>().map_err(|error| error.to_string());
        match what {
            "seconds" => match number.parse::<f64>() {
                Ok(seconds) if (0.0..1e9).contains(&seconds) => Ok(Limit::Seconds(seconds)),
                _ => Err("no number of seconds".to_owned()),
            },
            "mib" => whole().map(Limit::Mebibytes),
            "rules" => whole().map(Limit::Rules),
            _ => Err("the limits are seconds, mib and rules".to_owned()),
        }
    }
}

/// Explore a game from a console: a line of play that is kept up to date by differences. At a
/// terminal there is history and completion; otherwise commands are read from standard input. A
/// command that fails says why and leaves the session as it was.
#[derive(Args)]
#[command(after_help = "\
Examples:
  inertia session GAME.kif
  inertia session GAME.kif --script ANALYSIS.txt
  inertia session GAME.kif -c legal -c 'query (true ?fluent)'
  printf 'legal\\nwhat-if\\n' | inertia session GAME.kif --json")]
pub struct SessionArguments {
    /// A rule sheet
    pub game: String,
    /// Read commands from this file, one a line, instead of standard input
    #[arg(long, value_name = "FILE")]
    pub script: Option<String>,
    /// Obey this command instead of reading any; may be given several times
    #[arg(short, long = "command", value_name = "COMMAND", conflicts_with = "script")]
    pub commands: Vec<String>,
    /// Keep the lines typed at the terminal in this file
    #[arg(long, value_name = "FILE")]
    pub history: Option<String>,
    /// Print each reply as one line of JSON
    #[arg(long)]
    pub json: bool,
    /// Threads of the dataflow; the answers are the same for any number
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub workers: u16,
    /// How the next state is derived
    #[arg(long, default_value = "original")]
    pub frame: FrameName,
}

/// Write a completion script to standard output.
#[derive(Args)]
#[command(after_help = "Example:\n  inertia completions bash > /etc/bash_completion.d/inertia")]
pub struct CompletionsArguments {
    /// The shell
    pub shell: Shell,
}

/// Which reasoner answers, where a command leaves the choice.
#[derive(Args, Clone, Debug)]
pub struct EngineArguments {
    /// The way to reason
    #[arg(long, default_value = "auto")]
    pub engine: EngineName,
    /// Threads of the dataflow; the answers are the same for any number
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub workers: u16,
    /// How the next state is derived
    #[arg(long, default_value = "auto")]
    pub frame: FrameName,
}

/// The encodings of what persists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FrameName {
    /// As written or translated directly, whichever a short trial finds faster
    Auto,
    /// As the rule sheet says: frame rules derive all that persists
    Original,
    /// Frame rules translated to what ends, one rule for all joint moves
    Generic,
    /// Frame rules translated to what ends, by the names of the actions of each role
    Direct,
}

/// The ways to reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    /// Whichever of the others is fastest here; -v says which, and why
    Auto,
    /// Naive bottom-up evaluation: slow and obviously right
    Reference,
    /// The game instantiated once as a network of counters, in which only differences move
    Network,
    /// The network evaluated for hundreds of random matches at once; for `simulate` only
    Lanes,
    /// The rules as a differential dataflow: only differences are evaluated
    Dataflow,
}

/// Walk traces or records of matches and compare states, legal moves, terminal and goals at every
/// step. Exits with 1 and shows what differs if anything does.
#[derive(Args)]
#[command(after_help = "\
Examples:
  inertia trace GAME.kif --matches 3 > TRACE.json
  inertia replay GAME.kif TRACE.json
  inertia match GAME.kif mcts random --record MATCH.json
  inertia replay GAME.kif MATCH.json")]
pub struct ReplayArguments {
    /// A rule sheet; `-` reads standard input
    pub game: String,
    /// Traces or records of its matches, as JSON
    #[arg(required = true, value_name = "TRACE")]
    pub traces: Vec<String>,
    #[command(flatten)]
    pub engine: EngineArguments,
}

/// Play random matches and write a trace as JSON: every state with its fluents, legal moves and
/// goals, and the move made there.
#[derive(Args)]
#[command(after_help = "Example:\n  inertia trace GAME.kif --seed 7 --matches 2 > TRACE.json")]
pub struct TraceArguments {
    /// A rule sheet; `-` reads standard input
    pub game: String,
    /// The seed of the first match; the next match has the next seed
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How many matches
    #[arg(long, default_value_t = 1)]
    pub matches: u64,
    /// The longest match, in moves
    #[arg(long, default_value_t = 1000)]
    pub cap: usize,
    #[command(flatten)]
    pub engine: EngineArguments,
}

/// Count the nodes of the game tree and how many of them are terminal, depth by depth. Equal
/// states are not merged; terminal states are not expanded.
#[derive(Args)]
#[command(after_help = "Example:\n  inertia perft GAME.kif --depth 5 --json")]
pub struct PerftArguments {
    /// A rule sheet; `-` reads standard input
    pub game: String,
    /// The last depth to count
    #[arg(long)]
    pub depth: usize,
    /// Stop after this many seconds, with the depths that were finished (exit code 3)
    #[arg(long)]
    pub seconds: Option<f64>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub engine: EngineArguments,
}

/// Play random matches from the initial state for a while. States are the moves made; the length
/// of a playout is its number of moves.
#[derive(Args)]
#[command(after_help = "Example:\n  inertia simulate GAME.kif --seconds 5 --json")]
pub struct SimulateArguments {
    /// A rule sheet; `-` reads standard input
    pub game: String,
    /// How long
    #[arg(long, default_value_t = 5.0)]
    pub seconds: f64,
    /// The seed of the random moves
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Threads that play, with lanes or the network
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: u16,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub engine: EngineArguments,
}

/// Translate the frame rules of a game, which say what persists, to rules for `fnext`, which say
/// what ends; the next state is then the state without what `fnext` names, with what `next` names.
#[derive(Args)]
#[command(after_help = "\
Examples:
  inertia translate GAME.kif                      the whole game, translated
  inertia translate --syntax infix GAME.kif       as the papers write it
  inertia translate --report games/*.kif          what became of each fluent's frame rules")]
pub struct TranslateArguments {
    /// Rule sheets; `-` reads standard input
    #[arg(required = true, value_name = "GAME")]
    pub games: Vec<String>,
    /// The joint moves that are told apart
    #[arg(long, default_value = "direct")]
    pub covering: CoveringName,
    /// Write this syntax
    #[arg(long, default_value = "kif")]
    pub syntax: SyntaxName,
    /// Print what became of the frame rules of each fluent instead of the rules
    #[arg(long)]
    pub report: bool,
    /// With --report: one JSON object a game, one a line
    #[arg(long, requires = "report")]
    pub json: bool,
}

/// The coverings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CoveringName {
    /// One joint move for all
    Generic,
    /// The names of the actions of each role
    Direct,
}
