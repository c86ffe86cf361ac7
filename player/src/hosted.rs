//! A reasoner that cannot leave its thread, asked from others: each question travels to the thread
//! and the answer back. That costs some microseconds, so it is for reasoners whose answers take
//! longer.

use std::sync::Arc;
use std::sync::mpsc::{self, Sender};

use engine::{Dataflow, Failure, Game, Reasoner, TermId};

use crate::simulator::Simulator;

type Question = Box<dyn FnOnce(&mut dyn Reasoner) + Send>;

/// The dataflow engine in a thread of its own.
pub struct Hosted {
    game: Arc<Game>,
    questions: Sender<Question>,
}

impl Hosted {
    /// Starts a dataflow at the initial state of a game.
    pub fn new(game: &Arc<Game>) -> Result<Hosted, Failure> {
        let (questions, asked) = mpsc::channel::<Question>();
        let (started, start) = mpsc::channel();
        let own = game.clone();
        let host = move || match Dataflow::new(own, 1) {
            Ok(mut reasoner) => {
                let _ = started.send(Ok(()));
                asked.into_iter().for_each(|question| question(&mut reasoner));
            }
            Err(failure) => {
                let _ = started.send(Err(failure));
            }
        };
        let spawned = std::thread::Builder::new().name("dataflow".to_owned()).spawn(host);
        spawned.map_err(|error| Failure::Limit(error.to_string()))?;
        start.recv().map_err(|_| gone())??;
        Ok(Hosted { game: game.clone(), questions })
    }

    fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut dyn Reasoner) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let (answers, answer) = mpsc::channel();
        let question: Question = Box::new(move |reasoner| {
            // Nobody waits any more if the asking thread has gone.
            let _ = answers.send(question(reasoner));
        });
        self.questions.send(question).map_err(|_| gone())?;
        answer.recv().map_err(|_| gone())?
    }
}

fn gone() -> Failure {
    Failure::Limit("the thread of the dataflow has ended".to_owned())
}

impl Reasoner for Hosted {
    fn game(&self) -> &Arc<Game> {
        &self.game
    }

    fn name(&self) -> &'static str {
        "dataflow"
    }

    fn set_state(&mut self, state: &[TermId]) -> Result<(), Failure> {
        let state = state.to_vec();
        self.ask(move |reasoner| reasoner.set_state(&state))
    }

    fn state(&mut self) -> Result<Vec<TermId>, Failure> {
        self.ask(|reasoner| reasoner.state())
    }

    fn legal(&mut self, role: usize) -> Result<Vec<TermId>, Failure> {
        self.ask(move |reasoner| reasoner.legal(role))
    }

    fn is_terminal(&mut self) -> Result<bool, Failure> {
        self.ask(|reasoner| reasoner.is_terminal())
    }

    fn goals(&mut self, role: usize) -> Result<Vec<TermId>, Failure> {
        self.ask(move |reasoner| reasoner.goals(role))
    }

    fn apply(&mut self, moves: &[TermId]) -> Result<(), Failure> {
        let moves = moves.to_vec();
        self.ask(move |reasoner| reasoner.apply(&moves))
    }

    fn undo(&mut self) -> Result<(), Failure> {
        self.ask(|reasoner| reasoner.undo())
    }

    fn reset(&mut self) -> Result<(), Failure> {
        self.ask(|reasoner| reasoner.reset())
    }
}

impl Simulator for Hosted {
    fn fork(&self) -> Result<Box<dyn Simulator>, Failure> {
        Ok(Box::new(Hosted::new(&self.game)?))
    }

    fn undo_many(&mut self, count: usize) -> Result<(), Failure> {
        self.ask(move |reasoner| (0..count).try_for_each(|_| reasoner.undo()))
    }
}

#[cfg(test)]
mod tests {
    use engine::{Random, Reference};

    use super::*;

    #[test]
    fn a_hosted_dataflow_answers_as_the_reference_does() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../games/tic-tac-toe.kif");
        let text = std::fs::read_to_string(path).unwrap();
        let game = Game::new(gdl_front::load(&text, None).program.unwrap());
        let mut hosted = Hosted::new(&game).unwrap();
        let mut reference = Reference::new(game.clone()).unwrap();
        let mut random = Random::new(1);
        let initial = hosted.state();
        let mut made = 0;
        while !reference.is_terminal().unwrap() {
            assert_eq!(hosted.legal(0), reference.legal(0));
            let joint = [0, 1].map(|role| random.choose(&hosted.legal(role).unwrap()).unwrap());
            hosted.apply(&joint).unwrap();
            reference.apply(&joint).unwrap();
            assert_eq!(hosted.state(), reference.state());
            made += 1;
        }
        assert_eq!(hosted.is_terminal(), Ok(true));
        assert_eq!(hosted.goals(1), reference.goals(1));
        hosted.undo_many(made).unwrap();
        assert_eq!(hosted.state(), initial);
        assert!(hosted.undo().is_err());
    }
}
