//! `inertia player`: a player that game managers reach over HTTP.

use std::io::Write;

use player::{Desk, Server, Setup};

use super::Result;
use crate::args::PlayerArguments;
use crate::outcome::{Outcome, Problem};
use crate::players::style;

pub fn run(arguments: &PlayerArguments, out: &mut dyn Write) -> Result {
    let style = style(arguments.strategy, None, &arguments.search, arguments.seed);
    let setup = Setup { name: arguments.name.clone(), ..Setup::new(style) };
    let address = format!("{}:{}", arguments.host, arguments.port);
    let file = |error| Problem::File(address.clone(), error);
    let server = Server::bind(&address, Desk::new(setup)).map_err(file)?;
    let bound = server.address().map_err(file)?;
    writeln!(out, "{} listens at http://{bound}", arguments.name)?;
    out.flush()?;
    server.run();
    Ok(Outcome::Fine)
}
