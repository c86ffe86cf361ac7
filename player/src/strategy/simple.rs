//! Strategies that do not search.

use engine::{Failure, Random, TermId};

use super::{Advice, Settings, Strategy, StrategyKind, shown_order};
use crate::interrupt::Interrupt;
use crate::simulator::Simulator;

/// Chooses among the legal moves, all equally likely; the same move however often it is asked in a
/// turn.
pub(super) struct RandomMove {
    role: usize,
    random: Random,
}

impl RandomMove {
    pub(super) fn new(settings: Settings) -> RandomMove {
        RandomMove { role: settings.role, random: Random::new(settings.seed) }
    }
}

impl Strategy for RandomMove {
    fn name(&self) -> &'static str {
        "random"
    }

    fn search(
        &mut self,
        simulator: &mut dyn Simulator,
        _interrupt: &Interrupt,
        report: &mut dyn FnMut(Advice),
    ) -> Result<(), Failure> {
        let moves = shown_order(simulator, self.role)?;
        report(settled(moves[self.random.clone().below(moves.len())]));
        Ok(())
    }

    fn advance(&mut self, _moves: &[TermId]) {
        self.random.bits();
    }
}

/// Makes the first legal move.
pub(super) struct FirstMove {
    role: usize,
}

impl FirstMove {
    pub(super) fn new(settings: Settings) -> FirstMove {
        FirstMove { role: settings.role }
    }
}

impl Strategy for FirstMove {
    fn name(&self) -> &'static str {
        StrategyKind::Legal.name()
    }

    fn search(
        &mut self,
        simulator: &mut dyn Simulator,
        _interrupt: &Interrupt,
        report: &mut dyn FnMut(Advice),
    ) -> Result<(), Failure> {
        report(settled(shown_order(simulator, self.role)?[0]));
        Ok(())
    }
}

fn settled(action: TermId) -> Advice {
    Advice { action, value: None, settled: true, proved: false, effort: 0 }
}
