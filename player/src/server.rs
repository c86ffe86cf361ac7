//! A player as an HTTP server: one thread a connection, each bounded in size and time, so that a
//! slow or silent client holds up nobody else.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::desk::Desk;
use crate::http::{Bounds, Fault, Timed, receive, reply};

/// A rule sheet of 16 MiB is the largest that is read; the rest of a message is small.
const BOUNDS: Bounds = Bounds { head: 16 << 10, body: 17 << 20 };
/// Connections at one time; more are turned away.
const MOST_CONNECTIONS: usize = 64;
/// How long a client may take to send its message.
const READ_TIME: Duration = Duration::from_secs(20);
/// How long a client may take to read the reply.
const WRITE_TIME: Duration = Duration::from_secs(10);
/// How often silent matches are looked for.
const SWEEP: Duration = Duration::from_millis(500);

/// A player that listens.
pub struct Server {
    listener: TcpListener,
    desk: Arc<Desk>,
    stopped: Arc<AtomicBool>,
}

/// Ends a server from another thread.
#[derive(Clone)]
pub struct Stopper {
    address: SocketAddr,
    stopped: Arc<AtomicBool>,
}

impl Stopper {
    /// Ends it soon.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        // Wakes the listener; if that fails, the listener has ended already.
        drop(TcpStream::connect(self.address));
    }
}

impl Server {
    /// Listens for a player. Port 0 takes any that is free.
    pub fn bind(address: impl ToSocketAddrs, desk: Desk) -> io::Result<Server> {
        let listener = TcpListener::bind(address)?;
        Ok(Server { listener, desk: Arc::new(desk), stopped: Arc::default() })
    }

    /// Where it listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Something that ends it.
    pub fn stopper(&self) -> io::Result<Stopper> {
        Ok(Stopper { address: self.address()?, stopped: self.stopped.clone() })
    }

    /// Answers until stopped.
    pub fn run(self) {
        let connections = Arc::new(AtomicUsize::new(0));
        self.keep_sweeping();
        for stream in self.listener.incoming() {
            if self.stopped.load(Ordering::Acquire) {
                break;
            }
            match stream {
                Ok(stream) => self.accept(stream, &connections),
                Err(error) => {
                    // Out of file descriptors, most likely: it passes.
                    tracing::warn!(%error, "a connection could not be accepted");
                    std::thread::sleep(Duration::from_millis(20));
                }
            }
        }
        self.stopped.store(true, Ordering::Release);
    }

    fn accept(&self, stream: TcpStream, connections: &Arc<AtomicUsize>) {
        let place = Place::take(connections.clone());
        let desk = self.desk.clone();
        let work = move || {
            let Some(_place) = place else {
                tracing::warn!("too many connections: one is turned away");
                send(&stream, "503 Service Unavailable", "busy");
                return;
            };
            converse(&stream, &desk);
        };
        // Turned away in a thread as well: even a refusal must not wait for a slow client.
        let spawned = std::thread::Builder::new().name("connection".to_owned()).spawn(work);
        if let Err(error) = spawned {
            tracing::warn!(%error, "no thread for a connection");
        }
    }

    fn keep_sweeping(&self) {
        let (desk, stopped) = (self.desk.clone(), self.stopped.clone());
        let work = move || {
            while !stopped.load(Ordering::Acquire) {
                std::thread::sleep(SWEEP);
                desk.sweep();
            }
        };
        if let Err(error) = std::thread::Builder::new().name("sweeper".to_owned()).spawn(work) {
            tracing::warn!(%error, "silent matches will not be given up in time");
        }
    }
}

/// One of the connections that may be open at a time; given back when dropped.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(connections: Arc<AtomicUsize>) -> Option<Place> {
        let before = connections.fetch_add(1, Ordering::AcqRel);
        let place = Place(connections);
        (before < MOST_CONNECTIONS).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

fn converse(stream: &TcpStream, desk: &Desk) {
    let received = Instant::now();
    let incoming = match receive(&mut Timed::new(stream, received + READ_TIME), BOUNDS) {
        Ok(incoming) => incoming,
        Err(fault) => {
            tracing::debug!(%fault, "a connection without a message");
            return refuse(stream, &fault);
        }
    };
    // A browser that asks whether it may, or a person who looks whether something is there.
    if incoming.body.trim().is_empty() {
        return send(stream, "200 OK", "");
    }
    let answer = desk.answer(incoming.body.trim(), received).to_string();
    send(stream, "200 OK", &answer);
}

fn refuse(stream: &TcpStream, fault: &Fault) {
    match fault {
        Fault::Late => send(stream, "408 Request Timeout", ""),
        Fault::TooLarge => send(stream, "413 Content Too Large", ""),
        Fault::Garbled => send(stream, "400 Bad Request", ""),
        Fault::Broken(_) => {}
    }
}

fn send(stream: &TcpStream, status: &str, body: &str) {
    let mut timed = Timed::new(stream, Instant::now() + WRITE_TIME);
    if let Err(error) = timed.write_all(reply(status, body).as_bytes()) {
        tracing::debug!(%error, "a reply was not read");
        return;
    }
    // What the client still sends is read for a moment: closing on it could destroy the reply.
    if stream.shutdown(Shutdown::Write).is_ok() {
        let mut rest = Timed::new(stream, Instant::now() + Duration::from_millis(300));
        let mut buffer = [0; 4096];
        while rest.read(&mut buffer).is_ok_and(|count| count > 0) {}
    }
}
