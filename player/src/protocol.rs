//! The messages of the GGP protocol, as text and as data. Input: the body of a request; output: a
//! [`Message`], or why it is none. Nothing here does I/O.
//!
//! A message is one list. Its words are read in any case; arguments beyond those that are needed
//! are let pass, since managers add their own.

use std::fmt;
use std::time::Duration;

/// What a manager tells or asks a player.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Who are you, and are you free?
    Info,
    /// A match begins.
    Start(Start),
    /// These moves were made (none at first); what is yours?
    Play(Step),
    /// These moves were made, and the match is over.
    Stop(Step),
    /// The match ends early.
    Abort {
        /// Which match.
        id: String,
    },
    /// A game that may be played soon.
    Preview {
        /// The rule sheet.
        rules: String,
    },
}

/// The beginning of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// Which match.
    pub id: String,
    /// The role to play.
    pub role: String,
    /// The rule sheet.
    pub rules: String,
    /// Time to prepare.
    pub start_clock: Duration,
    /// Time for each move.
    pub play_clock: Duration,
}

/// A step of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Which match.
    pub id: String,
    /// The last joint move, one text a role; empty before the first.
    pub moves: Vec<String>,
}

/// A text that is no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// Not one list: parentheses do not match, or there is more.
    NotOneList,
    /// The first word names no message.
    UnknownWord,
    /// An argument is missing, or a clock is no number.
    BadArgument(&'static str),
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Malformed::NotOneList => write!(f, "not one list in parentheses"),
            Malformed::UnknownWord => write!(f, "the first word names no message"),
            Malformed::BadArgument(what) => write!(f, "{what} is missing or makes no sense"),
        }
    }
}

impl std::error::Error for Malformed {}

/// No clock is longer: a day.
const LONGEST_CLOCK: f64 = 86_400.0;

impl Message {
    /// Reads a message.
    pub fn parse(text: &str) -> Result<Message, Malformed> {
        let parts = items(text).ok_or(Malformed::NotOneList)?;
        let mut rest = parts.iter().copied();
        let word = rest.next().ok_or(Malformed::UnknownWord)?;
        let mut next = |what: &'static str| rest.next().ok_or(Malformed::BadArgument(what));
        match word.to_ascii_lowercase().as_str() {
            "info" | "ping" => Ok(Message::Info),
            "start" => Ok(Message::Start(Start {
                id: next("the match")?.to_owned(),
                role: next("the player")?.to_owned(),
                rules: list_body(next("the rule sheet")?).to_owned(),
                start_clock: clock(next("the start clock")?)?,
                play_clock: clock(next("the play clock")?)?,
            })),
            "play" => Ok(Message::Play(step(next)?)),
            "stop" => Ok(Message::Stop(step(next)?)),
            "abort" => Ok(Message::Abort { id: next("the match")?.to_owned() }),
            "preview" => {
                Ok(Message::Preview { rules: list_body(next("the rule sheet")?).to_owned() })
            }
            _ => Err(Malformed::UnknownWord),
        }
    }
}

fn step<'t>(
    mut next: impl FnMut(&'static str) -> Result<&'t str, Malformed>,
) -> Result<Step, Malformed> {
    let id = next("the match")?.to_owned();
    // Some managers leave the moves out at first instead of saying `nil`.
    let moves = next("the moves").unwrap_or("nil");
    let moves = if moves.starts_with('(') {
        items(moves).ok_or(Malformed::BadArgument("the moves"))?
    } else {
        Vec::new()
    };
    Ok(Step { id, moves: moves.into_iter().map(str::to_owned).collect() })
}

fn clock(text: &str) -> Result<Duration, Malformed> {
    let seconds: f64 = text.parse().map_err(|_| Malformed::BadArgument("a clock"))?;
    if !seconds.is_finite() || seconds < 0.0 {
        return Err(Malformed::BadArgument("a clock"));
    }
    Ok(Duration::from_secs_f64(seconds.min(LONGEST_CLOCK)))
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Message::Info => write!(f, "(INFO)"),
            Message::Start(start) => write!(
                f,
                "(START {} {} ({}) {} {})",
                start.id,
                start.role,
                start.rules,
                start.start_clock.as_secs_f64(),
                start.play_clock.as_secs_f64(),
            ),
            Message::Play(step) => write!(f, "(PLAY {step})"),
            Message::Stop(step) => write!(f, "(STOP {step})"),
            Message::Abort { id } => write!(f, "(ABORT {id})"),
            Message::Preview { rules } => write!(f, "(PREVIEW ({rules}) 0)"),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.moves.is_empty() {
            write!(f, "{} nil", self.id)
        } else {
            write!(f, "{} ({})", self.id, self.moves.join(" "))
        }
    }
}

/// What a player answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// To START.
    Ready,
    /// To anything about another match, or about a match that was declined.
    Busy,
    /// To STOP and PREVIEW.
    Done,
    /// To ABORT.
    Aborted,
    /// To PLAY.
    Move(String),
    /// To INFO.
    Status {
        /// The player's name.
        name: String,
        /// Whether it can take a match.
        available: bool,
    },
    /// To what is no message.
    Unclear,
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Ready => write!(f, "ready"),
            Reply::Busy => write!(f, "busy"),
            Reply::Done => write!(f, "done"),
            Reply::Aborted => write!(f, "aborted"),
            Reply::Move(action) => write!(f, "{action}"),
            Reply::Status { name, available } => {
                let status = if *available { "available" } else { "busy" };
                write!(f, "((name {name}) (status {status}) (species alien))")
            }
            Reply::Unclear => write!(f, "unclear"),
        }
    }
}

/// The items of a text that is one list: atoms and lists as they are written, comments left out.
/// `None` if it is not one list.
pub fn items(text: &str) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    let mut depth = 0usize;
    // Where the item that is being read begins.
    let mut start = 0;
    let mut ended = false;
    for (at, token) in tokens(text) {
        if ended {
            return None;
        }
        match token {
            "(" => {
                depth += 1;
                if depth == 2 {
                    start = at;
                }
            }
            ")" => {
                depth = depth.checked_sub(1)?;
                match depth {
                    0 => ended = true,
                    1 => found.push(&text[start..at + 1]),
                    _ => {}
                }
            }
            atom => match depth {
                0 => return None,
                1 => found.push(atom),
                _ => {}
            },
        }
    }
    ended.then_some(found)
}

/// Parentheses and atoms with their places; comments run from `;` to the end of a line.
pub fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = &text[at..];
            let first = rest.chars().next()?;
            let ends = |c: char| c.is_whitespace() || "();".contains(c);
            let length = match first {
                '(' | ')' => 1,
                ';' => rest.find(['\n', '\r']).unwrap_or(rest.len()),
                space if space.is_whitespace() => space.len_utf8(),
                _ => rest.find(ends).unwrap_or(rest.len()),
            };
            let place = at;
            at += length;
            if first != ';' && !first.is_whitespace() {
                return Some((place, &rest[..length]));
            }
        }
    })
}

/// What stands within the parentheses of a list.
fn list_body(list: &str) -> &str {
    list.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(id: &str, moves: &[&str]) -> Step {
        Step { id: id.to_owned(), moves: moves.iter().map(|&text| text.to_owned()).collect() }
    }

    #[test]
    fn every_message_survives_printing() {
        let start = Start {
            id: "Match.1".to_owned(),
            role: "white".to_owned(),
            rules: "(role white) ; one\n (init (cell 1 b))".to_owned(),
            start_clock: Duration::from_secs(30),
            play_clock: Duration::from_millis(500),
        };
        for message in [
            Message::Info,
            Message::Start(start),
            Message::Play(step("m", &[])),
            Message::Play(step("m", &["(mark 1 (f 2))", "noop"])),
            Message::Stop(step("m", &["noop"])),
            Message::Abort { id: "m".to_owned() },
            Message::Preview { rules: "(role x)".to_owned() },
        ] {
            assert_eq!(Message::parse(&message.to_string()), Ok(message));
        }
    }

    #[test]
    fn managers_write_in_many_ways() {
        for text in
            ["(play M nil)", "( PLAY M NIL )", "(Play M ())", "(PLAY M)", "(PLAY M nil 3)\n"]
        {
            assert_eq!(Message::parse(text), Ok(Message::Play(step("M", &[]))), "{text}");
        }
        let text = "(START m x ((role x)(legal x a)) 10 5 extra (1 2))";
        let Ok(Message::Start(start)) = Message::parse(text) else { panic!("{text}") };
        assert_eq!(start.rules, "(role x)(legal x a)");
        assert_eq!(start.play_clock, Duration::from_secs(5));
    }

    #[test]
    fn what_is_no_message_is_refused() {
        for text in ["", "info", "(", ")", "()", "(info", "(info))", "(info) (info)", "(dance)"] {
            assert!(Message::parse(text).is_err(), "{text:?}");
        }
        for text in ["(start m x)", "(start m x () nan 1)", "(start m x () 1 -1)", "(play)"] {
            assert!(matches!(Message::parse(text), Err(Malformed::BadArgument(_))), "{text:?}");
        }
        let deep = "(".repeat(1_000_000);
        assert_eq!(Message::parse(&deep), Err(Malformed::NotOneList));
    }
}
