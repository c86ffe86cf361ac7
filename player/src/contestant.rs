//! Those who play in a match, as the manager sees them: a message goes out, a reply comes back.

use std::io::Write;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use crate::desk::Desk;
use crate::http::{Bounds, Fault as HttpFault, Timed, receive, request};

/// A move is never longer; a reply that is has another purpose.
const BOUNDS: Bounds = Bounds { head: 64 << 10, body: 64 << 10 };

/// Why a contestant's move is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No reply before the clock ended.
    Late,
    /// No connection, or it broke.
    Connection(String),
    /// A reply that is no legal move.
    Illegal(String),
}

impl Fault {
    /// As it is written in records.
    pub fn code(&self) -> &'static str {
        match self {
            Fault::Late => "TO",
            Fault::Connection(_) => "CE",
            Fault::Illegal(_) => "IL",
        }
    }

    /// What happened, in words.
    pub fn detail(&self) -> String {
        match self {
            Fault::Late => "no answer in time".to_owned(),
            Fault::Connection(what) => what.clone(),
            Fault::Illegal(what) => format!("not a legal move: {what}"),
        }
    }
}

/// One who plays.
pub trait Contestant: Send + Sync {
    /// The name in records.
    fn name(&self) -> String;

    /// A person takes the time that a person takes.
    fn is_human(&self) -> bool {
        false
    }

    /// Sends a message and waits for the reply, not much longer than until the deadline.
    fn ask(&self, message: &str, deadline: Instant) -> Result<String, Fault>;
}

/// A player of our own in this process.
pub struct Local {
    name: String,
    desk: Desk,
}

impl Local {
    /// A player with a name of its own.
    pub fn new(name: impl Into<String>, desk: Desk) -> Local {
        Local { name: name.into(), desk }
    }
}

impl Contestant for Local {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn ask(&self, message: &str, _deadline: Instant) -> Result<String, Fault> {
        Ok(self.desk.answer(message, Instant::now()).to_string())
    }
}

/// A player behind an address.
#[derive(Clone, Debug)]
pub struct Remote {
    url: String,
    host: String,
    path: String,
    addresses: Vec<SocketAddr>,
}

impl Remote {
    /// The player at `http://host:port/path`; `None` if that is no such address, or if there is no
    /// such host.
    pub fn new(url: &str) -> Option<Remote> {
        let rest = url.strip_prefix("http://")?;
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let with_port = if host.contains(':') { host.to_owned() } else { format!("{host}:80") };
        let addresses: Vec<SocketAddr> = with_port.to_socket_addrs().ok()?.collect();
        if addresses.is_empty() {
            return None;
        }
        let (host, path) = (host.to_owned(), format!("/{path}"));
        Some(Remote { url: url.to_owned(), host, path, addresses })
    }

    fn connect(&self, deadline: Instant) -> Result<TcpStream, Fault> {
        let mut problem = Fault::Late;
        for address in &self.addresses {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Fault::Late);
            }
            match TcpStream::connect_timeout(address, left.min(Duration::from_secs(10))) {
                Ok(stream) => return Ok(stream),
                Err(error) => problem = Fault::Connection(error.to_string()),
            }
        }
        Err(problem)
    }
}

impl Contestant for Remote {
    fn name(&self) -> String {
        self.url.clone()
    }

    fn ask(&self, message: &str, deadline: Instant) -> Result<String, Fault> {
        let stream = self.connect(deadline)?;
        let mut timed = Timed::new(&stream, deadline);
        let sent = request(&self.host, &self.path, "player", message);
        timed.write_all(sent.as_bytes()).map_err(|error| fault(error.into()))?;
        receive(&mut timed, BOUNDS).map(|incoming| incoming.body).map_err(fault)
    }
}

fn fault(fault: HttpFault) -> Fault {
    match fault {
        HttpFault::Late => Fault::Late,
        HttpFault::TooLarge => Fault::Illegal("a reply that is too large".to_owned()),
        HttpFault::Garbled => Fault::Illegal("a reply that is not HTTP".to_owned()),
        HttpFault::Broken(error) => Fault::Connection(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let remote = Remote::new("http://127.0.0.1:9147/a/b").unwrap();
        assert_eq!((remote.host.as_str(), remote.path.as_str()), ("127.0.0.1:9147", "/a/b"));
        assert_eq!(Remote::new("http://127.0.0.1").unwrap().addresses[0].port(), 80);
        for bad in ["mcts", "https://127.0.0.1", "http://", "http://no host:1"] {
            assert!(Remote::new(bad).is_none(), "{bad}");
        }
    }
}
