//! As much of HTTP as the protocol needs, bounded in size and time: one message in, one out, then
//! the connection is closed. Works on anything that reads and writes; sockets are given deadlines.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// How much a peer may send.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Bytes of the first line and the headers.
    pub head: usize,
    /// Bytes of the body.
    pub body: usize,
}

/// What came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incoming {
    /// The first line: of a request its method and path, of a reply its status.
    pub first_line: String,
    /// The body; bytes that are not UTF-8 are replaced.
    pub body: String,
}

/// Why nothing came in.
#[derive(Debug)]
pub enum Fault {
    /// The deadline passed.
    Late,
    /// More than the bounds allow.
    TooLarge,
    /// Not HTTP.
    Garbled,
    /// The connection broke, or ended too early.
    Broken(io::Error),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fault::Late => write!(f, "too slow"),
            Fault::TooLarge => write!(f, "too large"),
            Fault::Garbled => write!(f, "not HTTP"),
            Fault::Broken(error) => write!(f, "{error}"),
        }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Fault::Late,
            _ => Fault::Broken(error),
        }
    }
}

/// A socket that reads and writes until a deadline, however slowly its peer does.
pub struct Timed<'s> {
    stream: &'s TcpStream,
    deadline: Instant,
}

impl<'s> Timed<'s> {
    /// A socket with a deadline.
    pub fn new(stream: &'s TcpStream, deadline: Instant) -> Timed<'s> {
        Timed { stream, deadline }
    }

    fn left(&self) -> io::Result<Option<Duration>> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(Some(left))
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(buffer)
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Reads a request or a reply. A body without a length ends with the connection or, in a request,
/// when its parentheses are closed, since a client that waits for a reply keeps the connection.
pub fn receive(peer: &mut (impl Read + Write), bounds: Bounds) -> Result<Incoming, Fault> {
    let (head, mut body) = receive_head(peer, bounds.head)?;
    let mut lines = head.lines();
    let first_line = lines.next().unwrap_or("").trim().to_owned();
    if !first_line.contains("HTTP/") {
        return Err(Fault::Garbled);
    }
    let headers: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(':')).collect();
    let header = |name: &str| {
        let mut found = headers.iter().filter(|(key, _)| key.trim().eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.trim())
    };
    if header("Expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
        peer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let is_reply = first_line.starts_with("HTTP/");
    match header("Content-Length") {
        Some(length) => {
            let length: usize = length.parse().map_err(|_| Fault::Garbled)?;
            if length > bounds.body {
                return Err(Fault::TooLarge);
            }
            fill(peer, &mut body, bounds.body, |body| body.len() >= length)?;
            if body.len() < length {
                return Err(Fault::Broken(io::ErrorKind::UnexpectedEof.into()));
            }
            body.truncate(length);
        }
        None if is_reply => fill(peer, &mut body, bounds.body, |_| false)?,
        None if first_line.starts_with("POST") => fill(peer, &mut body, bounds.body, is_whole)?,
        None => body.clear(),
    }
    Ok(Incoming { first_line, body: String::from_utf8_lossy(&body).into_owned() })
}

/// The head, and what of the body came with it.
fn receive_head(peer: &mut impl Read, most: usize) -> Result<(String, Vec<u8>), Fault> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let count = peer.read(&mut buffer)?;
        if count == 0 {
            return Err(Fault::Broken(io::ErrorKind::UnexpectedEof.into()));
        }
        // The blank line may have begun in what came before.
        let from = bytes.len().saturating_sub(3);
        bytes.extend_from_slice(&buffer[..count]);
        if let Some((end, length)) = blank_line(&bytes[from..]) {
            let body = bytes.split_off(from + end + length);
            return Ok((String::from_utf8_lossy(&bytes).into_owned(), body));
        }
        if bytes.len() > most {
            return Err(Fault::TooLarge);
        }
    }
}

/// Where the first blank line is, and its length.
fn blank_line(bytes: &[u8]) -> Option<(usize, usize)> {
    let marks = [&b"\r\n\r\n"[..], b"\n\n"];
    (0..bytes.len()).find_map(|at| {
        let mark = marks.iter().find(|mark| bytes[at..].starts_with(mark))?;
        Some((at, mark.len()))
    })
}

/// Reads on until the body is done, the peer ends, or the bound is passed.
fn fill(
    peer: &mut impl Read,
    body: &mut Vec<u8>,
    most: usize,
    done: impl Fn(&[u8]) -> bool,
) -> Result<(), Fault> {
    let mut buffer = [0; 65536];
    while !done(body) {
        let count = peer.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        body.extend_from_slice(&buffer[..count]);
        if body.len() > most {
            return Err(Fault::TooLarge);
        }
    }
    Ok(())
}

/// Whether a body is one list whose parentheses are closed.
fn is_whole(body: &[u8]) -> bool {
    let body = body.trim_ascii_end();
    let count = |mark: u8| body.iter().filter(|&&byte| byte == mark).count();
    body.ends_with(b")") && count(b'(') <= count(b')')
}

/// A reply as old and new managers read it: with its length, and closed behind it.
pub fn reply(status: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/acl\r\nContent-Length: {}\r\n\
         Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Methods: POST, GET, OPTIONS\r\n\
         Access-Control-Allow-Headers: Content-Type, Sender, Receiver\r\n\
         Access-Control-Max-Age: 86400\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// A request as managers send it.
pub fn request(host: &str, path: &str, receiver: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.0\r\nHost: {host}\r\nAccept: text/delim\r\nSender: GAMESERVER\r\n\
         Receiver: {receiver}\r\nContent-Type: text/acl\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A peer that sends its bytes a few at a time and remembers what it was sent.
    struct Peer(Vec<u8>, Vec<u8>);

    impl Read for Peer {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(3).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0.drain(..count);
            Ok(count)
        }
    }

    impl Write for Peer {
        fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
            self.1.extend_from_slice(buffer);
            Ok(buffer.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn read(text: &str) -> Result<Incoming, Fault> {
        receive(&mut Peer(text.into(), Vec::new()), Bounds { head: 400, body: 20 })
    }

    #[test]
    fn our_own_messages_are_read() {
        let sent = read(&request("h", "/", "p", "(INFO)")).unwrap();
        assert_eq!((sent.first_line.as_str(), sent.body.as_str()), ("POST / HTTP/1.0", "(INFO)"));
        assert_eq!(read(&reply("200 OK", "ready")).unwrap().body, "ready");
    }

    #[test]
    fn lengths_may_be_missing() {
        assert_eq!(read("HTTP/1.0 200 OK\n\n(mark 1)").unwrap().body, "(mark 1)");
        assert_eq!(read("POST / HTTP/1.0\r\n\r\n(INFO (a))").unwrap().body, "(INFO (a))");
        assert_eq!(read("GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap().body, "");
        assert_eq!(read("OPTIONS / HTTP/1.1\r\n\r\nrest").unwrap().body, "");
    }

    #[test]
    fn a_client_that_asks_first_is_told_to_go_on() {
        let text = "POST / HTTP/1.1\r\nExpect: 100-Continue\r\nCONTENT-LENGTH: 6\r\n\r\n(INFO)";
        let mut peer = Peer(text.into(), Vec::new());
        let sent = receive(&mut peer, Bounds { head: 400, body: 20 }).unwrap();
        assert_eq!(sent.body, "(INFO)");
        assert!(peer.1.starts_with(b"HTTP/1.1 100 "));
    }

    #[test]
    fn what_is_too_large_or_broken_is_refused() {
        let long = "x".repeat(500);
        assert!(matches!(read(&long), Err(Fault::TooLarge)));
        let large = "POST / HTTP/1.0\r\nContent-Length: 99999999999\r\n\r\n";
        assert!(matches!(read(large), Err(Fault::TooLarge)));
        assert!(matches!(read(&format!("HTTP/1.0 200 OK\r\n\r\n{long}")), Err(Fault::TooLarge)));
        let odd = "POST / HTTP/1.0\r\nContent-Length: -3\r\n\r\n";
        assert!(matches!(read(odd), Err(Fault::Garbled)));
        assert!(matches!(read("hello\r\n\r\n"), Err(Fault::Garbled)));
        let short = "POST / HTTP/1.0\r\nContent-Length: 9\r\n\r\n(INFO)";
        assert!(matches!(read(short), Err(Fault::Broken(_))));
        assert!(matches!(read(""), Err(Fault::Broken(_))));
    }
}
