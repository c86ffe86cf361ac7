//! The record of a match, with the field names of the ecosystem, written as the match goes.
//!
//! What always holds: the file is replaced as a whole, so that whoever reads it, or is left with
//! it after a crash, finds a complete record of the match up to some step.

use std::fs;
use std::io;
use std::path::Path;

use engine::Game;
use engine::trace::{End, Step as TracedStep, Trace, TracedMatch};
use serde::{Deserialize, Serialize, Serializer};

use crate::protocol::items;

/// A match, up to its present step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Record {
    /// Which match.
    pub match_id: String,
    /// When it began, in milliseconds since 1970.
    pub start_time: u64,
    /// The rule sheet: an address or a path.
    #[serde(rename = "gameMetaURL")]
    pub game_meta_url: String,
    /// The roles, in the order of the rule sheet and of all lists below.
    pub game_role_names: Vec<String>,
    /// Who played them.
    pub player_names_from_host: Vec<String>,
    /// Which of them are people.
    pub is_player_human: Vec<bool>,
    /// Seconds to prepare.
    #[serde(serialize_with = "whole_if_possible")]
    pub start_clock: f64,
    /// Seconds for each move.
    #[serde(serialize_with = "whole_if_possible")]
    pub play_clock: f64,
    /// Each state as a list of fluents in KIF; one more than there are joint moves.
    pub states: Vec<String>,
    /// The joint moves, one move a role.
    pub moves: Vec<Vec<String>>,
    /// When each state was reached, in milliseconds since 1970.
    pub state_times: Vec<u64>,
    /// For each joint move and role: nothing, or `TO` (too late), `CE` (no connection), `IL` (no
    /// legal move). The move is then a random one.
    pub errors: Vec<Vec<String>>,
    /// What each role got, once the match is over.
    pub goal_values: Vec<i32>,
    /// The match reached its end.
    pub is_completed: bool,
    /// The match ended before its end.
    pub is_aborted: bool,
    /// The errors in words.
    pub faults: Vec<FaultNote>,
}

/// An error in words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultNote {
    /// The number of the joint move, from 0.
    pub step: usize,
    /// Whose error.
    pub player: String,
    /// As in `errors`.
    pub code: String,
    /// What happened.
    pub detail: String,
}

impl Record {
    /// The record as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// A record from JSON; fields that are missing are empty.
    pub fn from_json(text: &str) -> Result<Record, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Replaces a file by this record, as a whole.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let mut temporary = path.as_os_str().to_owned();
        temporary.push(".part");
        fs::write(&temporary, self.to_json())?;
        fs::rename(&temporary, path)
    }

    /// The match as a trace, to be compared with what a reasoner derives. States are spelled as
    /// the game spells them, whatever the spaces in the record.
    pub fn to_trace(&self, game: &Game) -> Trace {
        let spelled = |text: &str| match game.read_term(text) {
            Ok(term) => game.show(term),
            Err(_) => text.to_owned(),
        };
        let last = self.states.len().saturating_sub(1);
        let step = |(number, state): (usize, &String)| TracedStep {
            state: Some(items(state).unwrap_or_default().into_iter().map(spelled).collect()),
            terminal: self.is_completed && number == last,
            joint_move: self.moves.get(number).cloned(),
            ..TracedStep::default()
        };
        let steps = self.states.iter().enumerate().map(step).collect();
        let end = if self.is_completed { End::Terminal } else { End::Time };
        Trace {
            game: self.game_meta_url.clone(),
            roles: self.game_role_names.clone(),
            matches: vec![TracedMatch { seed: 0, end, steps }],
        }
    }

    /// How many errors each role made.
    pub fn error_counts(&self) -> Vec<usize> {
        let count = |role: usize| {
            let errors = self.errors.iter().filter_map(|step| step.get(role));
            errors.filter(|error| !error.is_empty()).count()
        };
        (0..self.game_role_names.len()).map(count).collect()
    }
}

/// Other programs expect clocks in whole seconds; ours may be shorter.
fn whole_if_possible<S: Serializer>(seconds: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if seconds.fract() == 0.0 && *seconds >= 0.0 {
        serializer.serialize_u64(*seconds as u64)
    } else {
        serializer.serialize_f64(*seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_survive_json_with_the_names_of_the_ecosystem() {
        let record = Record {
            match_id: "m".to_owned(),
            start_clock: 30.0,
            play_clock: 0.5,
            moves: vec![vec!["(mark 1 1)".to_owned(), "noop".to_owned()]],
            errors: vec![vec![String::new(), "TO".to_owned()]],
            game_role_names: vec!["x".to_owned(), "o".to_owned()],
            ..Record::default()
        };
        let json = record.to_json();
        for name in ["matchId", "gameMetaURL", "startClock\": 30,", "isCompleted", "stateTimes"] {
            assert!(json.contains(name), "{name}: {json}");
        }
        assert_eq!(Record::from_json(&json).unwrap(), record);
        assert_eq!(record.error_counts(), [0, 1]);
        assert_eq!(Record::from_json("{\"matchId\": \"a\", \"more\": 1}").unwrap().match_id, "a");
    }
}
