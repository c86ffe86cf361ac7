//! `inertia play`: a person against the built-in player, in the terminal.

use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{Failure, Game, TermId};
use player::{Advice, Drawing, Interrupt, Simulator, Strategy, StrategyKind, all_goals, simulator};

use super::Result;
use crate::args::PlayArguments;
use crate::engines::problem;
use crate::human::{choose, list_moves};
use crate::input::load_program;
use crate::outcome::{Outcome, Problem};
use crate::players::{PlayerName, style};

pub fn run(arguments: &PlayArguments, out: &mut dyn Write) -> Result {
    let game = Game::new(load_program(&arguments.game, None)?);
    let mut table = Table::new(&game, arguments)?;
    let told = |failure: Failure| problem(&game, &failure);
    loop {
        let over = table.simulator.is_terminal().map_err(told)?;
        if over {
            table.show(out)?;
            table.show_result(out)?;
            return Ok(Outcome::Fine);
        }
        // The others decide first, so that nobody knows more than the rules allow.
        let others = table.others_moves().map_err(told)?;
        let Some(ours) = table.our_move(out)? else { return Ok(Outcome::Fine) };
        let Choice::Move(ours) = ours else { continue };
        table.go_on(ours, others, out)?;
    }
}

/// What a person decided.
enum Choice {
    Move(TermId),
    /// The match is back at an earlier turn.
    Undone,
}

/// The match, with a strategy for each role.
struct Table {
    game: Arc<Game>,
    simulator: Box<dyn Simulator>,
    drawing: Drawing,
    role: usize,
    strategies: Vec<Box<dyn Strategy>>,
    time: Duration,
    /// The states before each joint move, and whether the person had a choice there. A search may
    /// forget the line of play, so it is kept here.
    past: Vec<(Vec<TermId>, bool)>,
}

impl Table {
    fn new(game: &Arc<Game>, arguments: &PlayArguments) -> Result<Table> {
        let role = find_role(game, arguments.role.as_deref())?;
        let PlayerName::BuiltIn(opponent, budget) = arguments.opponent else {
            return Err(Problem::Usage("the opponent is one of the built-in players".to_owned()));
        };
        let time = Duration::try_from_secs_f64(arguments.seconds)
            .map_err(|_| Problem::Usage("--seconds takes a number".to_owned()))?;
        let told = |failure: Failure| problem(game, &failure);
        let mut simulator = simulator(game).map_err(told)?;
        let drawing = Drawing::learn(simulator.as_mut()).map_err(told)?;
        let roles = game.roles.len();
        let strategies = (0..roles)
            .map(|other| {
                // Hints come from the best player, whoever the opponents are.
                let kind = if other == role { StrategyKind::Mcts } else { opponent };
                let seed = arguments.seed.wrapping_add(other as u64);
                let mut settings = style(kind, budget, &arguments.search, seed).settings;
                settings.role = other;
                kind.build(roles, settings)
            })
            .collect();
        let past = Vec::new();
        // It may have a game of its own, with the same meaning.
        let game = simulator.game().clone();
        Ok(Table { game, simulator, drawing, role, strategies, time, past })
    }

    fn show(&mut self, out: &mut dyn Write) -> Result<()> {
        let state = self.simulator.state().map_err(|failure| problem(&self.game, &failure))?;
        writeln!(out, "\n{}", self.drawing.draw(&self.game, &state))?;
        Ok(())
    }

    fn show_result(&mut self, out: &mut dyn Write) -> Result<()> {
        let goals = all_goals(self.simulator.as_mut());
        let goals = goals.map_err(|failure| problem(&self.game, &failure))?;
        for (role, goal) in goals.iter().enumerate() {
            let you = if role == self.role { " (you)" } else { "" };
            writeln!(out, "{goal:>4}  {}{you}", self.game.show(self.game.roles[role]))?;
        }
        Ok(())
    }

    /// The moves of all roles but ours, whose place holds any move.
    fn others_moves(&mut self) -> std::result::Result<Vec<TermId>, Failure> {
        (0..self.game.roles.len())
            .map(|role| {
                let legal = self.simulator.legal(role)?;
                let none = Failure::NoLegalMove { role: self.game.roles[role] };
                let first = *legal.first().ok_or(none)?;
                if role == self.role || legal.len() == 1 {
                    return Ok(first);
                }
                Ok(self.think(role)?.map_or(first, |advice| advice.action))
            })
            .collect()
    }

    fn think(&mut self, role: usize) -> std::result::Result<Option<Advice>, Failure> {
        let interrupt = Interrupt::at(Instant::now() + self.time);
        let mut last: Option<Advice> = None;
        self.strategies[role].search(self.simulator.as_mut(), &interrupt, &mut |advice| {
            last = Some(advice);
        })?;
        Ok(last)
    }

    /// Our move, asked for until there is one; `None` if the person has enough.
    fn our_move(&mut self, out: &mut dyn Write) -> Result<Option<Choice>> {
        let legal = self.simulator.legal(self.role);
        let legal = legal.map_err(|failure| problem(&self.game, &failure))?;
        if let [only] = legal.as_slice() {
            return Ok(Some(Choice::Move(*only)));
        }
        let moves = self.game.show_all(&legal);
        self.show(out)?;
        writeln!(out, "{}", list_moves(&moves))?;
        loop {
            write!(out, "{}> ", self.game.show(self.game.roles[self.role]))?;
            out.flush()?;
            let mut line = String::new();
            let count = io::stdin().lock().read_line(&mut line);
            if count.map_err(|error| Problem::File("standard input".to_owned(), error))? == 0 {
                return Ok(None);
            }
            // What a person types stands there already; what a file says does not.
            if !io::stdin().is_terminal() {
                writeln!(out, "{}", line.trim())?;
            }
            match line.trim() {
                "quit" | "exit" => return Ok(None),
                "moves" | "help" | "?" => writeln!(out, "{}", list_moves(&moves))?,
                "hint" => self.hint(out)?,
                "undo" => {
                    if self.undo()? {
                        return Ok(Some(Choice::Undone));
                    }
                    writeln!(out, "there is no move of yours to take back")?;
                }
                typed => match choose(&self.game, &moves, typed) {
                    Some(text) => {
                        let action = self.game.read_term(&text).ok();
                        return Ok(action.map(Choice::Move));
                    }
                    None => writeln!(
                        out,
                        "not a legal move: type its number or text, or moves, hint, undo, quit"
                    )?,
                },
            }
        }
    }

    fn hint(&mut self, out: &mut dyn Write) -> Result<()> {
        let advice = self.think(self.role).map_err(|failure| problem(&self.game, &failure))?;
        let Some(advice) = advice else { return Ok(()) };
        let value = advice.value.map_or(String::new(), |value| {
            let surely = if advice.proved { "surely" } else { "about" };
            format!(", {surely} worth {value:.0}")
        });
        writeln!(out, "hint: {}{value}", self.game.show(advice.action))?;
        Ok(())
    }

    /// Goes back to before the last move that the person chose; `false` if there is none.
    fn undo(&mut self) -> Result<bool> {
        let Some(last) = self.past.iter().rposition(|(_, chosen)| *chosen) else {
            return Ok(false);
        };
        let state = &self.past[last].0;
        self.simulator.set_state(state).map_err(|failure| problem(&self.game, &failure))?;
        self.past.truncate(last);
        self.strategies.iter_mut().for_each(|strategy| strategy.forget());
        Ok(true)
    }

    fn go_on(&mut self, ours: TermId, mut joint: Vec<TermId>, out: &mut dyn Write) -> Result<()> {
        let told = |failure: Failure| problem(&self.game, &failure);
        let chosen = self.simulator.legal(self.role).map_err(told)?.len() > 1;
        self.past.push((self.simulator.state().map_err(told)?, chosen));
        joint[self.role] = ours;
        for (role, &action) in joint.iter().enumerate() {
            let free = self.simulator.legal(role).map_err(told)?.len() > 1;
            if role != self.role && free {
                let role = self.game.show(self.game.roles[role]);
                writeln!(out, "{role}: {}", self.game.show(action))?;
            }
        }
        self.simulator.apply(&joint).map_err(told)?;
        self.strategies.iter_mut().for_each(|strategy| strategy.advance(&joint));
        Ok(())
    }
}

fn find_role(game: &Game, name: Option<&str>) -> Result<usize> {
    let Some(name) = name else { return Ok(0) };
    let role = game.read_term(name).ok();
    role.and_then(|role| game.roles.iter().position(|&known| known == role)).ok_or_else(|| {
        let roles: Vec<String> = game.roles.iter().map(|&role| game.show(role)).collect();
        Problem::Usage(format!("`{name}` is no role; there are {}", roles.join(", ")))
    })
}
