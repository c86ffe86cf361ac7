//! Players as they are named on the command line.

use std::str::FromStr;
use std::sync::Arc;

use player::{
    Contestant, Desk, Local, Margin, Remote, Settings, Setup, StrategyKind, Style, UnknownStrategy,
};

use crate::args::SearchArguments;
use crate::human::Human;
use crate::outcome::Problem;

/// A player: `http://host:port`, `human`, or a strategy, perhaps with a number of simulations a
/// move behind a colon (`mcts:1000`), which makes its moves the same in every run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayerName {
    /// A player behind an address.
    Remote(String),
    /// A person at this terminal.
    Human,
    /// A player of our own.
    BuiltIn(StrategyKind, Option<u64>),
}

impl FromStr for PlayerName {
    type Err = String;

    fn from_str(text: &str) -> Result<PlayerName, String> {
        if text.starts_with("http://") {
            return Ok(PlayerName::Remote(text.to_owned()));
        }
        if text == "human" {
            return Ok(PlayerName::Human);
        }
        let (name, budget) = match text.split_once(':') {
            None => (text, None),
            Some((name, count)) => {
                let count = count.parse().map_err(|_| format!("`{count}` is no number"))?;
                (name, Some(count))
            }
        };
        let strategy = name.parse().map_err(|unknown: UnknownStrategy| {
            format!("{unknown}; or a person, `human`, or an address, `http://host:port`")
        })?;
        Ok(PlayerName::BuiltIn(strategy, budget))
    }
}

impl std::fmt::Display for PlayerName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PlayerName::Remote(url) => write!(f, "{url}"),
            PlayerName::Human => write!(f, "human"),
            PlayerName::BuiltIn(strategy, None) => write!(f, "{}", strategy.name()),
            PlayerName::BuiltIn(strategy, Some(count)) => write!(f, "{}:{count}", strategy.name()),
        }
    }
}

impl PlayerName {
    /// Someone who can take part in a match.
    pub fn contestant(
        &self,
        search: &SearchArguments,
        seed: u64,
    ) -> Result<Arc<dyn Contestant>, Problem> {
        Ok(match self {
            PlayerName::Remote(url) => Arc::new(Remote::new(url).ok_or_else(|| {
                Problem::Usage(format!("{url}: no such address; it is http://host:port"))
            })?),
            PlayerName::Human => Arc::new(Human::default()),
            PlayerName::BuiltIn(strategy, budget) => {
                let setup = Setup::new(style(*strategy, *budget, search, seed));
                Arc::new(Local::new(self.to_string(), Desk::new(setup)))
            }
        })
    }
}

/// How a player of our own plays.
pub fn style(
    strategy: StrategyKind,
    simulations: Option<u64>,
    search: &SearchArguments,
    seed: u64,
) -> Style {
    let settings = Settings {
        seed,
        threads: search.threads.max(1),
        memory: search.memory.max(1) << 20,
        simulations,
        ..Settings::default()
    };
    Style { strategy, settings, margin: Margin::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_read_as_they_are_written() {
        for text in ["mcts", "mcts:500", "minimax", "random", "legal", "human", "http://h:1"] {
            assert_eq!(
                text.parse::<PlayerName>().map(|name| name.to_string()).as_deref(),
                Ok(text)
            );
        }
        for text in ["", "mtcs", "mcts:", "mcts:x", "https://h"] {
            assert!(text.parse::<PlayerName>().is_err(), "{text}");
        }
    }
}
