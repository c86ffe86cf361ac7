//! Tournaments: who meets whom, and what the results say.

use serde::Serialize;

use crate::goals::BEST_GOAL;
use crate::record::Record;

/// 95 % of a normal distribution lie within so many standard deviations.
const CONFIDENCE: f64 = 1.959_964;

/// Who plays which role in the matches of one round: every ordered pair in games for two, everyone
/// alone in games for one, and otherwise as many line-ups as there are players, each shifted by one.
pub fn line_ups(roles: usize, players: usize) -> Vec<Vec<usize>> {
    match roles {
        1 => (0..players).map(|player| vec![player]).collect(),
        2 if players > 1 => {
            let pairs = (0..players).flat_map(|a| (0..players).map(move |b| vec![a, b]));
            pairs.filter(|pair| pair[0] != pair[1]).collect()
        }
        _ => {
            let shifted = |offset| (0..roles).map(|role| (offset + role) % players).collect();
            (0..players).map(shifted).collect()
        }
    }
}

/// What a player has reached in a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Tally {
    /// How many times it played a role to the end of a match.
    pub played: u64,
    /// Alone with the best goal value of all; in games for one, with the best that GDL has.
    pub won: u64,
    /// The best goal value, together with others.
    pub drawn: u64,
    /// Less than the best.
    pub lost: u64,
    /// Moves that were replaced because the player failed to make them.
    pub faults: u64,
    #[serde(skip)]
    sum: f64,
    #[serde(skip)]
    squares: f64,
}

/// A value with the interval in which the true one lies with 95 % confidence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The value that was seen.
    pub value: f64,
    /// The least that is likely.
    pub low: f64,
    /// The most that is likely.
    pub high: f64,
}

impl Tally {
    /// Adds the result of a role in a match that reached its end.
    pub fn add(&mut self, record: &Record, role: usize) {
        self.faults += record.error_counts().get(role).map_or(0, |&count| count as u64);
        let Some(&goal) = record.goal_values.get(role) else { return };
        let others = record.goal_values.iter().enumerate().filter(|(other, _)| *other != role);
        let best_other = others.map(|(_, &goal)| goal).max();
        // Alone, only the best that GDL has is a win.
        let best_other = best_other.unwrap_or(if goal < BEST_GOAL { BEST_GOAL } else { 0 });
        match goal.cmp(&best_other) {
            std::cmp::Ordering::Greater => self.won += 1,
            std::cmp::Ordering::Equal => self.drawn += 1,
            std::cmp::Ordering::Less => self.lost += 1,
        }
        self.played += 1;
        self.sum += f64::from(goal);
        self.squares += f64::from(goal * goal);
    }

    /// The mean goal value.
    pub fn mean_goal(&self) -> Interval {
        let count = self.played.max(1) as f64;
        let mean = self.sum / count;
        let variance = (self.squares / count - mean * mean).max(0.0);
        let error = match self.played {
            0 | 1 => 100.0,
            played => CONFIDENCE * (variance / (played - 1) as f64).sqrt(),
        };
        let (low, high) = ((mean - error).max(0.0), (mean + error).min(100.0));
        Interval { value: mean, low, high }
    }

    /// The part of the matches that it won, a draw counting half, with the interval of Wilson.
    pub fn win_rate(&self) -> Interval {
        if self.played == 0 {
            return Interval { value: 0.0, low: 0.0, high: 1.0 };
        }
        let count = self.played as f64;
        let rate = (self.won as f64 + self.drawn as f64 / 2.0) / count;
        let z2 = CONFIDENCE * CONFIDENCE;
        let centre = (rate + z2 / (2.0 * count)) / (1.0 + z2 / count);
        let spread = (rate * (1.0 - rate) / count + z2 / (4.0 * count * count)).sqrt();
        let error = CONFIDENCE * spread / (1.0 + z2 / count);
        let (low, high) = ((centre - error).max(0.0), (centre + error).min(1.0));
        Interval { value: rate, low, high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(goals: &[i32]) -> Record {
        let game_role_names = goals.iter().map(|_| String::new()).collect();
        Record { goal_values: goals.to_vec(), game_role_names, ..Record::default() }
    }

    #[test]
    fn everyone_meets_everyone_in_every_role() {
        assert_eq!(line_ups(2, 3).len(), 6);
        assert_eq!(line_ups(1, 2), [[0], [1]]);
        assert_eq!(line_ups(3, 2), [[0, 1, 0], [1, 0, 1]]);
        assert_eq!(line_ups(2, 1), [[0, 0]]);
    }

    #[test]
    fn results_are_counted() {
        let mut tally = Tally::default();
        for goals in [[100, 0], [50, 50], [0, 100], [100, 0]] {
            tally.add(&record(&goals), 0);
        }
        assert_eq!((tally.played, tally.won, tally.drawn, tally.lost), (4, 2, 1, 1));
        assert_eq!(tally.mean_goal().value, 62.5);
        assert_eq!(tally.win_rate().value, 0.625);
        tally.add(&record(&[]), 0);
        assert_eq!(tally.played, 4, "a match without an end has no result");
        let mut alone = Tally::default();
        [100, 40, 0].iter().for_each(|&goal| alone.add(&record(&[goal]), 0));
        assert_eq!((alone.won, alone.drawn, alone.lost), (1, 0, 2));
    }

    #[test]
    fn intervals_are_those_of_the_textbook() {
        let mut tally = Tally::default();
        (0..97).for_each(|_| tally.add(&record(&[100, 0]), 0));
        (0..3).for_each(|_| tally.add(&record(&[0, 100]), 0));
        // Wilson's interval for 97 of 100, from tables.
        let rate = tally.win_rate();
        assert!((rate.low - 0.9155).abs() < 1e-3 && (rate.high - 0.9897).abs() < 1e-3, "{rate:?}");
        assert_eq!(Tally::default().win_rate().high, 1.0, "nothing is known");
    }
}
