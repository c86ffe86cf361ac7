//! What the console answers: data, which prints as text or as one line of JSON.

use std::fmt;

use serde::Serialize;

use super::request::COMMANDS;

/// An answer of the console.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "reply", rename_all = "kebab-case")]
pub enum Reply {
    /// The fluents that hold after so many moves.
    State { ply: usize, fluents: Vec<String> },
    /// The legal moves by role.
    Legal { roles: Vec<OfRole> },
    /// The goal values by role.
    Goals { terminal: bool, roles: Vec<OfRole> },
    /// What a move or an undo changed, in short.
    Moved { ply: usize, came: usize, went: usize, terminal: bool, watches: Vec<Watched> },
    /// The moves made so far.
    Line { moves: Vec<String> },
    /// What moves would change.
    WhatIf { alternatives: Vec<Alternative> },
    /// The answers to a query.
    Answers { variables: Vec<String>, answers: Vec<Vec<String>> },
    /// A watch begins, with the answers there are.
    Watching { watch: u32, variables: Vec<String>, answers: Vec<Vec<String>> },
    /// A watch has ended.
    Unwatched { watch: u32 },
    /// The watches.
    Watches { watches: Vec<(u32, String)> },
    /// The last change.
    Diff { came: Vec<String>, went: Vec<String> },
    /// The relations that can be asked for.
    Relations { relations: Vec<(String, &'static str)> },
    /// The commands.
    Help,
    /// The line could not be obeyed; the session is as it was.
    Error { message: String },
}

/// Terms that belong to a role.
#[derive(Clone, Debug, Serialize)]
pub struct OfRole {
    /// The role.
    pub role: String,
    /// Its moves or goal values.
    pub values: Vec<String>,
}

/// How the answers of a watch changed.
#[derive(Clone, Debug, Serialize)]
pub struct Watched {
    /// Which watch.
    pub watch: u32,
    /// Answers that are new.
    pub came: Vec<Vec<String>>,
    /// Answers that are gone.
    pub went: Vec<Vec<String>>,
}

/// What a joint move would change.
#[derive(Clone, Debug, Serialize)]
pub struct Alternative {
    /// The joint move.
    pub moves: Vec<String>,
    /// Facts that would become true.
    pub came: Vec<String>,
    /// Facts that would become false.
    pub went: Vec<String>,
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::State { ply, fluents } => {
                writeln!(f, "after {}:", counted(*ply, "move"))?;
                write_lines(f, fluents)
            }
            Reply::Legal { roles } => write_roles(f, roles),
            Reply::Goals { terminal, roles } => {
                write_roles(f, roles)?;
                writeln!(f, "{}", if *terminal { "the match is over" } else { "the match goes on" })
            }
            Reply::Moved { ply, came, went, terminal, watches } => {
                let over = if *terminal { "; the match is over" } else { "" };
                let came = counted(*came, "fact");
                writeln!(f, "after {}: {came} came, {went} went{over}", counted(*ply, "move"))?;
                watches.iter().try_for_each(|watch| write_watched(f, watch))
            }
            Reply::Line { moves } => write_numbered(f, moves),
            Reply::WhatIf { alternatives } => {
                for alternative in alternatives {
                    writeln!(f, "{}:", alternative.moves.join(" "))?;
                    write_change(f, &alternative.came, &alternative.went)?;
                }
                Ok(())
            }
            Reply::Answers { variables, answers } => write_answers(f, variables, answers),
            Reply::Watching { watch, variables, answers } => {
                writeln!(f, "watch {watch}:")?;
                write_answers(f, variables, answers)
            }
            Reply::Unwatched { watch } => writeln!(f, "watch {watch} has ended"),
            Reply::Watches { watches } => {
                watches.iter().try_for_each(|(watch, text)| writeln!(f, "  {watch}: {text}"))
            }
            Reply::Diff { came, went } => write_change(f, came, went),
            Reply::Relations { relations } => {
                relations.iter().try_for_each(|(name, class)| writeln!(f, "  {name}: {class}"))
            }
            Reply::Help => write_help(f),
            Reply::Error { message } => writeln!(f, "error: {message}"),
        }
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn write_lines(f: &mut fmt::Formatter<'_>, lines: &[String]) -> fmt::Result {
    lines.iter().try_for_each(|line| writeln!(f, "  {line}"))
}

fn write_numbered(f: &mut fmt::Formatter<'_>, lines: &[String]) -> fmt::Result {
    lines.iter().zip(1..).try_for_each(|(line, number)| writeln!(f, "  {number}. {line}"))
}

fn write_roles(f: &mut fmt::Formatter<'_>, roles: &[OfRole]) -> fmt::Result {
    roles.iter().try_for_each(|OfRole { role, values }| {
        writeln!(f, "{role}: {}", if values.is_empty() { "none".into() } else { values.join(" ") })
    })
}

fn write_change(f: &mut fmt::Formatter<'_>, came: &[String], went: &[String]) -> fmt::Result {
    went.iter().try_for_each(|fact| writeln!(f, "  - {fact}"))?;
    came.iter().try_for_each(|fact| writeln!(f, "  + {fact}"))
}

fn write_answers(
    f: &mut fmt::Formatter<'_>,
    variables: &[String],
    answers: &[Vec<String>],
) -> fmt::Result {
    if variables.is_empty() {
        return writeln!(f, "  {}", if answers.is_empty() { "no" } else { "yes" });
    }
    if answers.is_empty() {
        return writeln!(f, "  no answers");
    }
    for answer in answers {
        let parts: Vec<String> = variables
            .iter()
            .zip(answer)
            .map(|(variable, value)| format!("{variable} = {value}"))
            .collect();
        writeln!(f, "  {}", parts.join(", "))?;
    }
    Ok(())
}

fn write_watched(f: &mut fmt::Formatter<'_>, watched: &Watched) -> fmt::Result {
    let show = |answer: &Vec<String>| match answer.is_empty() {
        true => "yes".to_owned(),
        false => answer.join(" "),
    };
    writeln!(f, "watch {}:", watched.watch)?;
    let [came, went] = [&watched.came, &watched.went].map(|side| side.iter().map(show).collect());
    write_change(f, &came as &Vec<String>, &went as &Vec<String>)
}

fn write_help(f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (name, arguments, what) in COMMANDS {
        writeln!(f, "  {:<32} {what}", format!("{name} {arguments}"))?;
    }
    Ok(())
}
