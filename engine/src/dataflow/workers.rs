//! The workers of a dataflow: one on this thread, or several timely threads that are told what to do.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use timely::WorkerConfig;
use timely::communication::Allocator;
use timely::communication::allocator::thread::Thread;
use timely::worker::Worker;

use super::Change;
use super::flow::{Flow, Reports};
use crate::plan::Plan;
use crate::reasoner::Failure;

/// A dataflow and who works on it.
pub(super) enum Workers {
    /// The caller's thread.
    Here(Box<(Worker, Flow)>),
    /// Threads of timely.
    Threads(Threads),
}

/// What a thread is told.
#[derive(Clone)]
enum Command {
    Epoch(Vec<Change>),
    Watch { number: u32, plan: Arc<Plan>, world: u32 },
    Unwatch(u32),
}

/// Threads, and the channels to and from them.
pub(super) struct Threads {
    commands: Vec<Sender<Command>>,
    reports: Receiver<Reports>,
    // Dropped last: waits for the threads, which end when their commands do.
    _guards: timely::communication::WorkerGuards<()>,
}

impl Workers {
    /// Builds the dataflow of a plan on so many workers.
    pub(super) fn new(plan: &Arc<Plan>, count: usize) -> Result<Workers, Failure> {
        if count > 1 {
            return Threads::new(plan, count).map(Workers::Threads);
        }
        let allocator = Allocator::Thread(Thread::default());
        let mut worker = Worker::new(WorkerConfig::default(), allocator, None);
        let flow = Flow::new(&mut worker, plan);
        Ok(Workers::Here(Box::new((worker, flow))))
    }

    /// Brings changes in, and waits for all that follows.
    pub(super) fn epoch(&mut self, changes: Vec<Change>) -> Result<Reports, Failure> {
        match self {
            Workers::Here(here) => Ok(here.1.epoch(&mut here.0, changes)),
            Workers::Threads(threads) => {
                let count = threads.commands.len();
                let mut parts = vec![Vec::new(); count];
                for change in changes {
                    // The world decides: column 0 is the code, column 1 the world.
                    parts[change.0[1] as usize % count].push(change);
                }
                threads.tell(parts.into_iter().map(Command::Epoch))?;
                threads.gather()
            }
        }
    }

    /// Keeps a query about a world up to date from now on, and answers it.
    pub(super) fn watch(
        &mut self,
        number: u32,
        plan: &Arc<Plan>,
        world: u32,
    ) -> Result<Reports, Failure> {
        match self {
            Workers::Here(here) => Ok(here.1.watch(&mut here.0, number, plan, world)),
            Workers::Threads(threads) => {
                let command = Command::Watch { number, plan: plan.clone(), world };
                threads.tell(vec![command; threads.commands.len()])?;
                threads.gather()
            }
        }
    }

    /// Ends a watch.
    pub(super) fn unwatch(&mut self, number: u32) -> Result<(), Failure> {
        match self {
            Workers::Here(here) => here.1.unwatch(number),
            Workers::Threads(threads) => {
                threads.tell(vec![Command::Unwatch(number); threads.commands.len()])?;
            }
        }
        Ok(())
    }
}

impl Threads {
    fn new(plan: &Arc<Plan>, count: usize) -> Result<Threads, Failure> {
        let (commands, inboxes): (Vec<_>, Vec<_>) = (0..count).map(|_| channel()).unzip();
        let inboxes: Mutex<Vec<_>> = Mutex::new(inboxes.into_iter().map(Some).collect());
        let (sender, reports) = channel();
        let sender = Mutex::new(sender);
        let plan = plan.clone();
        let run = move |worker: &mut Worker| {
            let inbox = inboxes.lock().ok().and_then(|mut inboxes| inboxes[worker.index()].take());
            let sender = sender.lock().map(|sender| sender.clone());
            if let (Some(inbox), Ok(sender)) = (inbox, sender) {
                serve(worker, &plan, &inbox, &sender);
            }
        };
        let guards =
            timely::execute(timely::Config::process(count), run).map_err(Failure::Limit)?;
        Ok(Threads { commands, reports, _guards: guards })
    }

    fn tell(&self, commands: impl IntoIterator<Item = Command>) -> Result<(), Failure> {
        for (sender, command) in self.commands.iter().zip(commands) {
            sender.send(command).map_err(|_| stopped())?;
        }
        Ok(())
    }

    fn gather(&self) -> Result<Reports, Failure> {
        let mut all = Reports::default();
        for _ in &self.commands {
            all.add(self.reports.recv().map_err(|_| stopped())?);
        }
        Ok(all)
    }
}

fn stopped() -> Failure {
    Failure::Limit("a worker of the dataflow has stopped".to_owned())
}

/// The life of a thread.
fn serve(
    worker: &mut Worker,
    plan: &Arc<Plan>,
    inbox: &Receiver<Command>,
    reports: &Sender<Reports>,
) {
    let mut flow = Flow::new(worker, plan);
    while let Ok(command) = inbox.recv() {
        let report = match command {
            Command::Epoch(changes) => flow.epoch(worker, changes),
            Command::Watch { number, plan, world } => flow.watch(worker, number, &plan, world),
            Command::Unwatch(number) => {
                flow.unwatch(number);
                continue;
            }
        };
        if reports.send(report).is_err() {
            break;
        }
    }
}
