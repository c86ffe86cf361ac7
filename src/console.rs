//! The console of a session: lines of text in, replies out.
//!
//! A line becomes a [`Request`](request::Request), a request a [`Reply`], and a reply
//! text or JSON. A line that fails gives the reason and leaves the session as it was.

mod answer;
mod editor;
mod reply;
mod request;

pub use answer::Console;
pub use editor::Editor;
pub use reply::Reply;
