//! Orders for a thread that is busy: each one interrupts what the thread is doing.
//!
//! What always holds: the interrupt is raised exactly while orders are waiting, so that none is
//! overlooked and nothing is interrupted twice by one order.

use std::sync::{Condvar, Mutex, MutexGuard};

use crate::interrupt::Interrupt;

/// Orders that wait.
#[derive(Debug)]
pub(crate) struct Mailbox<T> {
    orders: Mutex<Vec<T>>,
    arrived: Condvar,
    interrupt: Interrupt,
}

impl<T> Default for Mailbox<T> {
    fn default() -> Mailbox<T> {
        Mailbox {
            orders: Mutex::default(),
            arrived: Condvar::new(),
            interrupt: Interrupt::default(),
        }
    }
}

impl<T> Mailbox<T> {
    /// Adds an order, and interrupts the thread that it is for.
    pub(crate) fn post(&self, order: T) {
        let mut orders = self.lock();
        orders.push(order);
        self.interrupt.raise();
        self.arrived.notify_all();
    }

    /// All orders that wait; waits for one if `block` is set.
    pub(crate) fn take(&self, block: bool) -> Vec<T> {
        let mut orders = self.lock();
        while block && orders.is_empty() {
            orders = self.arrived.wait(orders).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        self.interrupt.clear();
        std::mem::take(&mut *orders)
    }

    /// What is raised while orders are waiting.
    pub(crate) fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    fn lock(&self) -> MutexGuard<'_, Vec<T>> {
        self.orders.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interrupt_is_up_while_orders_wait() {
        let mailbox = Mailbox::default();
        assert!(!mailbox.interrupt().is_raised());
        mailbox.post(1);
        mailbox.post(2);
        assert!(mailbox.interrupt().is_raised());
        assert_eq!(mailbox.take(true), [1, 2]);
        assert!(!mailbox.interrupt().is_raised());
        assert!(mailbox.take(false).is_empty());
    }
}
