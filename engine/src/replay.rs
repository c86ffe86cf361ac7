//! A trace walked by a reasoner: does it derive the same at every step?

use crate::game::Game;
use crate::reasoner::{Failure, Reasoner};
use crate::terms::TermId;
use crate::trace::{Legal, Step, Trace, TracedMatch, observe};

/// Where a reasoner and a trace part, and in what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The match, counted from 0.
    pub in_match: usize,
    /// The step, counted from 0; 0 is the initial state.
    pub step: usize,
    /// What differs, one line each.
    pub lines: Vec<String>,
}

/// How a trace was walked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// How many states were compared.
    pub states: usize,
    /// The first difference of each match that has one.
    pub differences: Vec<Difference>,
}

/// Walks every match of a trace, each up to its first difference.
pub fn replay(reasoner: &mut dyn Reasoner, trace: &Trace) -> Result<Replay, Failure> {
    let game = reasoner.game().clone();
    let mut result = Replay::default();
    let mut lines = Vec::new();
    let roles: Vec<String> = game.roles.iter().map(|&role| game.show(role)).collect();
    compare_lists("the roles", &roles, &trace.roles, &mut lines);
    if !lines.is_empty() {
        result.differences.push(Difference { in_match: 0, step: 0, lines });
        return Ok(result);
    }
    for (in_match, traced) in trace.matches.iter().enumerate() {
        reasoner.reset()?;
        let difference = replay_match(reasoner, traced, &mut result.states)?;
        result.differences.extend(difference.map(|(step, lines)| Difference {
            in_match,
            step,
            lines,
        }));
    }
    Ok(result)
}

/// Walks a match from where the reasoner stands; gives the first step that differs, and how.
fn replay_match(
    reasoner: &mut dyn Reasoner,
    traced: &TracedMatch,
    states: &mut usize,
) -> Result<Option<(usize, Vec<String>)>, Failure> {
    for (number, step) in traced.steps.iter().enumerate() {
        let mut lines = compare(&observe(reasoner)?, step);
        *states += 1;
        if let (true, Some(joint)) = (lines.is_empty(), &step.joint_move) {
            match read_joint_move(reasoner.game(), joint) {
                Ok(moves) => reasoner.apply(&moves)?,
                Err(line) => lines.push(line),
            }
        }
        if !lines.is_empty() {
            return Ok(Some((number, lines)));
        }
    }
    Ok(None)
}

fn read_joint_move(game: &Game, texts: &[String]) -> Result<Vec<TermId>, String> {
    let moves: Result<Vec<TermId>, _> = texts.iter().map(|text| game.read_term(text)).collect();
    let moves = moves.map_err(|unknown| format!("the move made: {unknown}"))?;
    crate::reasoner::check_count(game, &moves).map_err(|failure| failure.to_string())?;
    Ok(moves)
}

/// How a step that was derived differs from the one in a trace, one line a difference.
fn compare(derived: &Step, traced: &Step) -> Vec<String> {
    let mut lines = Vec::new();
    let state = derived.state.as_deref().unwrap_or_default();
    if let Some(expected) = &traced.state {
        compare_lists("the state", state, expected, &mut lines);
    } else if let Some(size) = traced.state_size.filter(|&size| size != state.len()) {
        lines.push(format!("the state: {} fluents hold, the trace has {size}", state.len()));
    }
    if derived.terminal != traced.terminal {
        let [found, expected] = [derived.terminal, traced.terminal].map(end_name);
        lines.push(format!("the state is {found}, the trace says {expected}"));
    }
    for (role, expected) in traced.goals.iter().enumerate() {
        let mut expected = expected.clone();
        expected.sort_unstable();
        let found = derived.goals.get(role).cloned().unwrap_or_default();
        if found != expected {
            lines.push(format!("goals of role {role}: {found:?}, the trace has {expected:?}"));
        }
    }
    for (role, expected) in traced.legal.iter().flatten().enumerate() {
        compare_legal(role, derived.legal.as_ref().and_then(|legal| legal.get(role)), expected)
            .into_iter()
            .for_each(|line| lines.push(line));
    }
    lines
}

fn compare_legal(role: usize, derived: Option<&Legal>, traced: &Legal) -> Vec<String> {
    let mut lines = Vec::new();
    let what = format!("the legal moves of role {role}");
    let found = match derived {
        Some(Legal::Moves(moves)) => moves.as_slice(),
        _ => &[],
    };
    match traced {
        Legal::Moves(expected) => compare_lists(&what, found, expected, &mut lines),
        Legal::Many { count } if *count == found.len() => {}
        Legal::Many { count } => {
            lines.push(format!("{what}: {} of them, the trace has {count}", found.len()));
        }
    }
    lines
}

fn end_name(terminal: bool) -> &'static str {
    if terminal { "an end" } else { "not an end" }
}

/// Names what is in one list and not in the other, whatever the order and the capitals.
fn compare_lists(what: &str, derived: &[String], traced: &[String], lines: &mut Vec<String>) {
    let fold = |list: &[String]| -> Vec<String> {
        let mut folded: Vec<String> = list.iter().map(|text| text.to_ascii_lowercase()).collect();
        folded.sort_unstable();
        folded
    };
    let (derived, traced) = (fold(derived), fold(traced));
    let mut name = |from: &[String], other: &[String], verb: &str| {
        let extra: Vec<&String> =
            from.iter().filter(|text| other.binary_search(text).is_err()).collect();
        if !extra.is_empty() {
            let shown: Vec<&str> = extra.iter().take(SHOWN).map(|text| text.as_str()).collect();
            let more = extra.len().saturating_sub(SHOWN);
            let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
            lines.push(format!("{what}: {verb} {}{rest}", shown.join(" ")));
        }
    };
    name(&traced, &derived, "missing");
    name(&derived, &traced, "unexpected");
}

/// How many terms of a difference are spelled out.
const SHOWN: usize = 8;
