//! What the command line looks like; its help is a short course.

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use gdl_front::Syntax;

const EXAMPLES: &str = "\
Examples:
  inertia check games/*.kif              find all that is wrong with rule sheets
  inertia explain G301                   the longer story behind a finding
  inertia fmt --syntax infix GAME.kif    the same game as the papers write it
  inertia print --stage program GAME.kif the rules as the reasoners see them

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
  inertia print --stage ast GAME.kif     what was read, with places")]
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
}

/// Write a completion script to standard output.
#[derive(Args)]
#[command(after_help = "Example:\n  inertia completions bash > /etc/bash_completion.d/inertia")]
pub struct CompletionsArguments {
    /// The shell
    pub shell: Shell,
}
