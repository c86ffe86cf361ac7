//! How a command ends: the exit codes, and the complaints that go with them.

use std::fmt;
use std::io;
use std::process::ExitCode;

/// How a command that ran to its end found things. Usage errors exit with 2, by clap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// All is well: exit code 0.
    Fine,
    /// A negative finding, such as an invalid game or a failed check: exit code 1.
    Negative,
    /// A limit was reached before there was an answer: exit code 3.
    Undecided,
    /// A file could not be read or written: exit code 4.
    Unreadable,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        ExitCode::from(match outcome {
            Outcome::Fine => 0,
            Outcome::Negative => 1,
            Outcome::Undecided => 3,
            Outcome::Unreadable => 4,
        })
    }
}

/// Why a command stopped early.
#[derive(Debug)]
pub enum Problem {
    /// The arguments make no sense together: exit code 2.
    Usage(String),
    /// A file could not be read or written: exit code 4.
    File(String, io::Error),
    /// Standard output could not be written: exit code 4, or 0 if its reader has seen enough.
    Output(io::Error),
    /// A negative finding that ends the command: exit code 1.
    Refused(String),
    /// A limit that ends the command before there is an answer: exit code 3.
    Limit(String),
}

impl Problem {
    /// Complains on standard error and gives the exit code.
    pub fn report(&self) -> ExitCode {
        match self {
            Problem::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                ExitCode::SUCCESS
            }
            _ => {
                eprintln!("inertia: {self}");
                ExitCode::from(match self {
                    Problem::Usage(_) => 2,
                    Problem::Refused(_) => 1,
                    Problem::Limit(_) => 3,
                    Problem::File(..) | Problem::Output(_) => 4,
                })
            }
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Usage(what) | Problem::Refused(what) | Problem::Limit(what) => {
                f.write_str(what)
            }
            Problem::File(name, error) => write!(f, "{name}: {error}"),
            Problem::Output(error) => write!(f, "standard output: {error}"),
        }
    }
}

impl From<io::Error> for Problem {
    /// Errors of `write!` to the output.
    fn from(error: io::Error) -> Problem {
        Problem::Output(error)
    }
}
