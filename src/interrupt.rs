//! Ctrl-C: the first asks the command to end with what it has, the second ends the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// When a command has to end.
#[derive(Clone)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl Stop {
    /// Stops on Ctrl-C, and after `seconds` if that is given. To be made once a process.
    pub fn on_interrupt(seconds: Option<f64>) -> Stop {
        let asked = Arc::new(AtomicBool::new(false));
        let flag = asked.clone();
        let handler = move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        };
        if let Err(error) = ctrlc::set_handler(handler) {
            tracing::warn!("Ctrl-C will end the process at once: {error}");
        }
        let deadline = seconds
            .and_then(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).ok())
            .and_then(|span| Instant::now().checked_add(span));
        Stop { asked, deadline }
    }

    /// Whether there is still time and nobody asked to stop.
    pub fn go_on(&self) -> bool {
        !self.asked.load(Ordering::Relaxed)
            && self.deadline.is_none_or(|deadline| Instant::now() < deadline)
    }
}
