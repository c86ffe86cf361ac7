//! Obeys the requests of a console.

use std::collections::BTreeMap;
use std::sync::Arc;

use engine::{Changes, Failure, Game, Session, TermId, WatchId};
use gdl_front::program::{Class, RelationId};
use gdl_front::{Query, read_query};

use super::reply::{Alternative, OfRole, Reply, Watched};
use super::request::Request;

/// No more what-ifs than this are made from the legal moves.
const MAX_ALTERNATIVES: usize = 10_000;

/// A session with what its console remembers.
pub struct Console {
    session: Session,
    game: Arc<Game>,
    last: Changes,
    watches: BTreeMap<WatchId, String>,
}

/// An answer, or why there is none.
type Answered = Result<Reply, String>;

impl Console {
    /// The console of a session.
    pub fn new(session: Session) -> Console {
        let game = session.game().clone();
        Console { session, game, last: Changes::new(), watches: BTreeMap::new() }
    }

    /// Obeys a line: `None` if it asks for nothing, or for the end, which comes second.
    pub fn obey(&mut self, line: &str) -> (Option<Reply>, bool) {
        let reply = match Request::read(line) {
            Ok(None) => return (None, false),
            Ok(Some(Request::Quit)) => return (None, true),
            Ok(Some(request)) => self.answer(request),
            Err(message) => Err(message),
        };
        (Some(reply.unwrap_or_else(|message| Reply::Error { message })), false)
    }

    /// The legal moves as text, for completion.
    pub fn legal_moves(&mut self) -> Vec<String> {
        let roles = 0..self.game.roles.len();
        let moves = roles.filter_map(|role| self.session.legal(role).ok()).flatten();
        let mut moves: Vec<TermId> = moves.collect();
        moves.sort_unstable();
        moves.dedup();
        self.game.show_all(&moves)
    }

    /// The names of the relations, for completion.
    pub fn relation_names(&self) -> Vec<String> {
        self.relations().into_iter().map(|(name, _)| name).collect()
    }

    fn answer(&mut self, request: Request) -> Answered {
        match request {
            Request::State => Ok(Reply::State {
                ply: self.session.line().len(),
                fluents: self.game.show_all(self.session.state()),
            }),
            Request::Legal(role) => self.legal(role),
            Request::Goals => self.goals(),
            Request::Move(moves) => self.make_move(&moves),
            Request::Undo => self.change(|session| session.undo()),
            Request::Goto(ply) => self.go_to(ply),
            Request::Line => Ok(Reply::Line { moves: self.line() }),
            Request::WhatIf(alternatives) => self.what_if(&alternatives),
            Request::Query(text, given) => self.query(&text, given.as_deref()),
            Request::Watch(text) => self.watch(text),
            Request::Unwatch(number) => self.unwatch(number),
            Request::Watches => Ok(Reply::Watches {
                watches: self.watches.iter().map(|(watch, text)| (watch.0, text.clone())).collect(),
            }),
            Request::Diff(name) => self.diff(name.as_deref()),
            Request::Relations => Ok(Reply::Relations { relations: self.relations() }),
            Request::Help | Request::Quit => Ok(Reply::Help),
        }
    }

    fn legal(&mut self, role: Option<String>) -> Answered {
        let wanted = role.map(|role| self.role(&role)).transpose()?;
        let roles = (0..self.game.roles.len()).filter(|&role| wanted.is_none_or(|it| it == role));
        let roles = roles.map(|role| {
            let moves = self.session.legal(role).map_err(|failure| self.describe(&failure))?;
            Ok(self.of_role(role, &moves))
        });
        Ok(Reply::Legal { roles: roles.collect::<Result<_, String>>()? })
    }

    fn goals(&mut self) -> Answered {
        let mut roles = Vec::new();
        for role in 0..self.game.roles.len() {
            let goals = self.session.goals(role).map_err(|failure| self.describe(&failure))?;
            roles.push(self.of_role(role, &goals));
        }
        Ok(Reply::Goals { terminal: self.is_terminal()?, roles })
    }

    fn make_move(&mut self, moves: &[String]) -> Answered {
        let moves = self.joint_move(moves)?;
        self.session.check_legal(&moves).map_err(|failure| self.describe(&failure))?;
        self.change(|session| session.apply(&moves))
    }

    fn go_to(&mut self, ply: usize) -> Answered {
        let made = self.session.line().len();
        if ply > made {
            return Err(format!("the line of play has only {made} moves"));
        }
        self.change(|session| session.back_to(ply))
    }

    fn change(&mut self, act: impl FnOnce(&mut Session) -> Result<Changes, Failure>) -> Answered {
        self.last = act(&mut self.session).map_err(|failure| self.describe(&failure))?;
        let watched = self.session.watched().iter().filter(|(_, change)| !change.is_empty());
        let watches = watched.map(|(watch, change)| Watched {
            watch: watch.0,
            came: self.answers(&change.came),
            went: self.answers(&change.went),
        });
        let watches = watches.collect();
        let ply = self.session.line().len();
        Ok(Reply::Moved {
            ply,
            came: self.last.values().map(|change| change.came.len()).sum(),
            went: self.last.values().map(|change| change.went.len()).sum(),
            terminal: self.is_terminal()?,
            watches,
        })
    }

    fn what_if(&mut self, alternatives: &[Vec<String>]) -> Answered {
        let moves: Vec<Vec<TermId>> = match alternatives {
            [] => self.legal_joint_moves()?,
            _ => {
                alternatives.iter().map(|moves| self.joint_move(moves)).collect::<Result<_, _>>()?
            }
        };
        let answers = self.session.what_if(&moves).map_err(|failure| self.describe(&failure))?;
        let alternatives = moves.iter().zip(&answers).map(|(moves, changes)| {
            let [came, went] = self.facts(changes, None);
            Alternative {
                moves: moves.iter().map(|&term| self.game.show(term)).collect(),
                came,
                went,
            }
        });
        let mut alternatives: Vec<Alternative> = alternatives.collect();
        alternatives.sort_by(|a, b| a.moves.cmp(&b.moves));
        Ok(Reply::WhatIf { alternatives })
    }

    fn query(&mut self, text: &str, given: Option<&[String]>) -> Answered {
        let query = self.read(text)?;
        let given = given.map(|moves| self.joint_move(moves)).transpose()?;
        if given.is_none() && self.session.depends_on_moves(&query) {
            return Err("the query depends on moves: add `given` and a joint move".to_owned());
        }
        let answers = self.session.query(&query, given.as_deref());
        let answers = answers.map_err(|failure| self.describe(&failure))?;
        Ok(Reply::Answers { answers: self.answers(&answers), variables: query.variables })
    }

    fn watch(&mut self, text: String) -> Answered {
        let query = self.read(&text)?;
        if self.session.depends_on_moves(&query) {
            return Err("a query that depends on moves cannot be watched".to_owned());
        }
        let (watch, answers) =
            self.session.watch(&query).map_err(|failure| self.describe(&failure))?;
        self.watches.insert(watch, text);
        let answers = self.answers(&answers);
        Ok(Reply::Watching { watch: watch.0, variables: query.variables, answers })
    }

    fn unwatch(&mut self, number: u32) -> Answered {
        let watch = WatchId(number);
        let known = self.session.unwatch(watch).map_err(|failure| self.describe(&failure))?;
        self.watches.remove(&watch);
        match known {
            true => Ok(Reply::Unwatched { watch: number }),
            false => Err(format!("there is no watch {number}")),
        }
    }

    fn diff(&self, name: Option<&str>) -> Answered {
        if let Some(name) = name {
            let known = self.game.program.symbols.get(name);
            let relations = &self.game.program.relations;
            if !known.is_some_and(|name| relations.iter().any(|relation| relation.name == name)) {
                return Err(format!("the game has no relation `{name}`"));
            }
        }
        let [came, went] = self.facts(&self.last, name);
        Ok(Reply::Diff { came, went })
    }

    fn relations(&self) -> Vec<(String, &'static str)> {
        let program = &self.game.program;
        let shown = program.relations.iter().filter(|relation| !relation.auxiliary);
        let mut relations: Vec<(String, &'static str)> = shown
            .map(|relation| {
                let class = match relation.class {
                    Class::Static => "always the same",
                    Class::State => "depends on the state",
                    Class::Move => "depends on the moves",
                };
                (format!("{}/{}", program.symbols.spelling(relation.name), relation.arity), class)
            })
            .collect();
        relations.sort_unstable();
        relations
    }

    fn read(&self, text: &str) -> Result<Query, String> {
        read_query(&self.game.program, text).map_err(|error| error.to_string())
    }

    fn role(&self, name: &str) -> Result<usize, String> {
        let term = self.game.read_term(name).map_err(|error| error.to_string())?;
        let role = self.game.roles.iter().position(|&role| role == term);
        role.ok_or_else(|| format!("`{name}` is no role of this game"))
    }

    /// A joint move from text. Roles with only one legal move may be left out.
    fn joint_move(&mut self, moves: &[String]) -> Result<Vec<TermId>, String> {
        let given: Result<Vec<TermId>, String> = moves
            .iter()
            .map(|text| self.game.read_term(text).map_err(|error| error.to_string()))
            .collect();
        let given = given?;
        let roles = self.game.roles.len();
        if given.len() == roles {
            return Ok(given);
        }
        let mut legal = Vec::new();
        for role in 0..roles {
            legal.push(self.session.legal(role).map_err(|failure| self.describe(&failure))?);
        }
        let choices = legal.iter().filter(|moves| moves.len() != 1).count();
        if given.len() != choices {
            let hint = if choices < roles { format!(", or {choices}") } else { String::new() };
            return Err(format!("a joint move has {roles} moves here{hint}, not {}", given.len()));
        }
        let mut given = given.into_iter();
        let choose = |moves: &Vec<TermId>| match moves[..] {
            [only] => Some(only),
            _ => given.next(),
        };
        Ok(legal.iter().filter_map(choose).collect())
    }

    fn legal_joint_moves(&mut self) -> Result<Vec<Vec<TermId>>, String> {
        let mut joint = vec![Vec::new()];
        for role in 0..self.game.roles.len() {
            let legal = self.session.legal(role).map_err(|failure| self.describe(&failure))?;
            if joint.len() * legal.len() > MAX_ALTERNATIVES {
                return Err(format!("more than {MAX_ALTERNATIVES} joint moves: name some"));
            }
            let extend = |begun: &Vec<TermId>| -> Vec<Vec<TermId>> {
                legal.iter().map(|&action| [&begun[..], &[action]].concat()).collect()
            };
            joint = joint.iter().flat_map(extend).collect();
        }
        Ok(joint)
    }

    fn is_terminal(&mut self) -> Result<bool, String> {
        self.session.is_terminal().map_err(|failure| self.describe(&failure))
    }

    fn line(&self) -> Vec<String> {
        let show = |moves: &[TermId]| {
            moves.iter().map(|&term| self.game.show(term)).collect::<Vec<_>>().join(" ")
        };
        self.session.line().map(show).collect()
    }

    fn of_role(&self, role: usize, terms: &[TermId]) -> OfRole {
        OfRole { role: self.game.show(self.game.roles[role]), values: self.game.show_all(terms) }
    }

    fn answers(&self, answers: &[Vec<TermId>]) -> Vec<Vec<String>> {
        let show = |answer: &Vec<TermId>| answer.iter().map(|&term| self.game.show(term)).collect();
        let mut shown: Vec<Vec<String>> = answers.iter().map(show).collect();
        shown.sort_unstable();
        shown
    }

    /// The facts of a change that came and that went, of one relation or all that are not made up.
    fn facts(&self, changes: &Changes, name: Option<&str>) -> [Vec<String>; 2] {
        let program = &self.game.program;
        let name = name.and_then(|name| program.symbols.get(name));
        let mut sides = [Vec::new(), Vec::new()];
        for (&relation, change) in changes {
            let found = program.relation(relation);
            if found.auxiliary || name.is_some_and(|name| name != found.name) {
                continue;
            }
            sides[0].extend(change.came.iter().map(|args| self.fact(relation, args)));
            sides[1].extend(change.went.iter().map(|args| self.fact(relation, args)));
        }
        sides.iter_mut().for_each(|side| side.sort_unstable());
        sides
    }

    fn fact(&self, relation: RelationId, args: &[TermId]) -> String {
        let name = self.game.program.relation_name(relation);
        if args.is_empty() {
            return name.to_owned();
        }
        let args: Vec<String> = args.iter().map(|&arg| self.game.show(arg)).collect();
        format!("({name} {})", args.join(" "))
    }

    fn describe(&self, failure: &Failure) -> String {
        failure.describe(&self.game)
    }
}
