//! Sessions: incremental equals from scratch, whatever the order of moves, undos, what-ifs, queries
//! and watches.

use std::collections::{BTreeMap, BTreeSet};

use engine::{Answer, Changes, Facts, Game, Random, Reasoner, Reference, Session, TermId, WatchId};
use expect_test::expect_file;
use gdl_front::Query;
use gdl_front::program::{Atom, Class, Literal, RelationId, Term};

use crate::common::{inertia_with_input, root, sheets};
use crate::dataflow::{program, random_move};

type FactSet = BTreeSet<(RelationId, Vec<TermId>)>;

/// Evaluates a query by trying all facts: slow and obviously right.
struct Naive<'a> {
    game: &'a Game,
    facts: &'a Facts,
    query: &'a Query,
    answers: BTreeSet<Answer>,
}

impl Naive<'_> {
    fn answers(game: &Game, facts: &Facts, query: &Query) -> BTreeSet<Answer> {
        let mut naive = Naive { game, facts, query, answers: BTreeSet::new() };
        naive.extend(0, &mut vec![None; query.variables.len()]);
        naive.answers
    }

    fn extend(&mut self, index: usize, bound: &mut Vec<Option<TermId>>) {
        let Some(literal) = self.query.body.get(index) else {
            self.answers.insert(bound.iter().flatten().copied().collect());
            return;
        };
        match literal {
            Literal::Positive(atom) => {
                for row in self.facts.rows(atom.relation) {
                    let before = bound.clone();
                    if atom.args.iter().zip(row).all(|(arg, &term)| self.matches(arg, term, bound))
                    {
                        self.extend(index + 1, bound);
                    }
                    *bound = before;
                }
            }
            Literal::Negative(atom) => {
                if !self.facts.contains(atom.relation, &self.row(atom, bound)) {
                    self.extend(index + 1, bound);
                }
            }
            Literal::Distinct(a, b) => {
                if self.value(a, bound) != self.value(b, bound) {
                    self.extend(index + 1, bound);
                }
            }
        }
    }

    fn matches(&self, pattern: &Term, term: TermId, bound: &mut [Option<TermId>]) -> bool {
        match pattern {
            Term::Variable(number) => *bound[*number as usize].get_or_insert(term) == term,
            Term::Constant(_) => self.value(pattern, bound) == term,
            Term::Function(name, args) => {
                let (symbol, parts) = {
                    let arena = self.game.terms.read();
                    (arena.symbol(term), arena.args(term).to_vec())
                };
                symbol == *name
                    && parts.len() == args.len()
                    && args.iter().zip(parts).all(|(arg, part)| self.matches(arg, part, bound))
            }
        }
    }

    fn value(&self, term: &Term, bound: &[Option<TermId>]) -> TermId {
        match term {
            Term::Variable(number) => bound[*number as usize].unwrap(),
            Term::Constant(name) => self.game.terms.write().intern(*name, &[]),
            Term::Function(name, args) => {
                let args: Vec<TermId> = args.iter().map(|arg| self.value(arg, bound)).collect();
                self.game.terms.write().intern(*name, &args)
            }
        }
    }

    fn row(&self, atom: &Atom, bound: &[Option<TermId>]) -> Vec<TermId> {
        atom.args.iter().map(|arg| self.value(arg, bound)).collect()
    }
}

/// The facts of all relations that depend on the state.
fn state_facts(reference: &mut Reference) -> FactSet {
    let game = reference.game().clone();
    let facts = reference.facts().unwrap();
    let mut all = FactSet::new();
    for relation in state_relations(&game) {
        all.extend(facts.rows(relation).iter().map(|row| (relation, row.clone())));
    }
    all
}

fn state_relations(game: &Game) -> Vec<RelationId> {
    let relations = (0..game.program.relations.len() as u32).map(RelationId);
    relations.filter(|&id| game.program.relation(id).class == Class::State).collect()
}

/// What changes say, as facts that came and went.
fn sides(changes: &Changes) -> [FactSet; 2] {
    let mut sides = [FactSet::new(), FactSet::new()];
    for (&relation, change) in changes {
        sides[0].extend(change.came.iter().map(|args| (relation, args.clone())));
        sides[1].extend(change.went.iter().map(|args| (relation, args.clone())));
    }
    sides
}

fn between(before: &FactSet, after: &FactSet) -> [FactSet; 2] {
    [after - before, before - after]
}

/// A session beside the reference.
struct Pair {
    session: Session,
    reference: Reference,
    random: Random,
    watches: BTreeMap<WatchId, (Query, BTreeSet<Answer>)>,
    queries: Vec<Query>,
}

impl Pair {
    fn new(game: std::sync::Arc<Game>, seed: u64) -> Pair {
        // The bodies of a game's rules are queries that it is made for.
        let query = |rule: &gdl_front::program::Rule| Query {
            body: rule.body.clone(),
            variables: vec![String::new(); rule.variables.len()],
        };
        let short = |rule: &&gdl_front::program::Rule| rule.body.len() <= 4;
        Pair {
            queries: game.program.rules.iter().filter(short).map(query).collect(),
            session: Session::new(game.clone(), 1 + (seed % 2) as usize).unwrap(),
            reference: Reference::new(game).unwrap(),
            random: Random::new(seed),
            watches: BTreeMap::new(),
        }
    }

    fn step(&mut self) {
        match self.random.below(10) {
            0 => self.undo(),
            1 | 2 => self.what_if(),
            3 => self.watch(),
            4 => self.unwatch(),
            5 => self.query(),
            _ => self.make_move(),
        }
    }

    fn make_move(&mut self) {
        let before = state_facts(&mut self.reference);
        let changes = match random_move(&mut self.reference, &mut self.random) {
            Some(moves) => {
                self.reference.apply(&moves).unwrap();
                self.session.apply(&moves).unwrap()
            }
            None => {
                self.reference.reset().unwrap();
                let initial = self.reference.state().unwrap();
                self.session.set_state(&initial).unwrap()
            }
        };
        self.compare(&before, &changes);
    }

    fn undo(&mut self) {
        let before = state_facts(&mut self.reference);
        match self.reference.undo() {
            Ok(()) => {
                let changes = self.session.undo().unwrap();
                self.compare(&before, &changes);
            }
            Err(failure) => assert_eq!(self.session.undo(), Err(failure)),
        }
    }

    fn what_if(&mut self) {
        let before = state_facts(&mut self.reference);
        let moves: Vec<Vec<TermId>> =
            (0..3).filter_map(|_| random_move(&mut self.reference, &mut self.random)).collect();
        let answers = self.session.what_if(&moves).unwrap();
        assert_eq!(answers.len(), moves.len());
        for (moves, changes) in moves.iter().zip(&answers) {
            self.reference.apply(moves).unwrap();
            let after = state_facts(&mut self.reference);
            self.reference.undo().unwrap();
            assert_eq!(sides(changes), between(&before, &after));
        }
    }

    fn random_query(&mut self) -> Query {
        let choice = self.random.below(self.queries.len());
        self.queries[choice].clone()
    }

    fn naive(&mut self, query: &Query) -> BTreeSet<Answer> {
        let game = self.reference.game().clone();
        Naive::answers(&game, self.reference.facts().unwrap(), query)
    }

    fn watch(&mut self) {
        let query = self.random_query();
        if self.session.depends_on_moves(&query) || self.watches.len() > 4 {
            return;
        }
        let (watch, answers) = self.session.watch(&query).unwrap();
        let answers: BTreeSet<Answer> = answers.into_iter().collect();
        assert_eq!(answers, self.naive(&query));
        self.watches.insert(watch, (query, answers));
    }

    fn unwatch(&mut self) {
        let watches: Vec<WatchId> = self.watches.keys().copied().collect();
        if let Some(watch) = self.random.choose(&watches) {
            self.watches.remove(&watch);
            assert!(self.session.unwatch(watch).unwrap());
            assert!(!self.session.unwatch(watch).unwrap());
        }
    }

    fn query(&mut self) {
        let query = self.random_query();
        let moves = random_move(&mut self.reference, &mut self.random);
        let answers = self.session.query(&query, moves.as_deref()).unwrap();
        let answers: BTreeSet<Answer> = answers.into_iter().collect();
        let wanted = match moves.filter(|_| self.session.depends_on_moves(&query)) {
            Some(moves) => {
                let facts = self.reference.facts_with(&moves).unwrap();
                Naive::answers(self.reference.game(), &facts, &query)
            }
            None if self.session.depends_on_moves(&query) => return,
            None => self.naive(&query),
        };
        assert_eq!(answers, wanted, "{:?}", query.body);
    }

    /// Compares facts, the change and the watches with what is evaluated anew.
    fn compare(&mut self, before: &FactSet, changes: &Changes) {
        let after = state_facts(&mut self.reference);
        assert_eq!(sides(changes), between(before, &after));
        let mut kept = FactSet::new();
        for relation in state_relations(&self.session.game().clone()) {
            let facts = self.session.facts(relation).unwrap();
            kept.extend(facts.into_iter().map(|row| (relation, row)));
        }
        assert_eq!(kept, after);
        for (watch, changes) in self.session.watched().clone() {
            let (query, mut answers) = self.watches.remove(&watch).unwrap();
            for answer in &changes.went {
                assert!(answers.remove(answer), "an answer went that was not there");
            }
            for answer in &changes.came {
                assert!(answers.insert(answer.clone()), "an answer came twice");
            }
            assert_eq!(answers, self.naive(&query), "{:?}", query.body);
            self.watches.insert(watch, (query, answers));
        }
    }
}

#[test]
fn incremental_equals_from_scratch() {
    for (number, path) in sheets(&root().join("games")).iter().enumerate() {
        println!("{}", path.display());
        let mut pair = Pair::new(Game::new(program(path)), number as u64);
        (0..40).for_each(|_| pair.step());
    }
}

/// Runs a script at the console of a game.
fn script(name: &str, lines: &str, arguments: &[&str]) -> crate::common::Run {
    let game = format!("games/{name}.kif");
    inertia_with_input(&[&["session", &game], arguments].concat(), lines.as_bytes())
}

#[test]
fn a_script_is_obeyed_line_by_line() {
    let lines = "# tic-tac-toe\nwatch (wins ?p)\nwatch (free a1)\nmove (mark a1)\nmove (mark b1)\n\
        move (mark a2) wait\nundo\nline\ndiff turn\ndiff legal\nquery (true (owns ?who ?where)) \
        (distinct ?who x)\nquery (next (owns x ?where)) given (mark c3) wait\nmove (mark a2)\n\
        move (mark b2)\nunwatch 2\nwatches\nmove (mark a3)\ngoals\nlegal o\ngoto 1\nstate\nquit\n";
    let one = script("tic-tac-toe", lines, &[]);
    expect_file!["../golden/session.txt"].assert_eq(&one.out);
    assert_eq!(one.code, 1, "`diff turn` names no relation");
    assert_eq!(script("tic-tac-toe", lines, &["--workers", "2"]).out, one.out);
}

#[test]
fn what_if_leaves_the_line_of_play_alone() {
    let before = script("connect-four", "state\nlegal\ngoals\n", &[]).out;
    let after = script("connect-four", "what-if\nwhat-if (drop 1)\nstate\nlegal\ngoals\n", &[]).out;
    assert!(after.ends_with(&before) && after.len() > before.len(), "{after}");
}

#[test]
fn errors_leave_the_session_as_it_was() {
    for line in [
        "fly",
        "move",
        "move (mark z9)",
        "move (mark a1) (mark a1)",
        "move (mark a1",
        "undo",
        "goto 3",
        "query",
        "query (wins",
        "query (nobody ?x)",
        "query (not (wins ?x))",
        "query (next ?f)",
        "query (next ?f) given (mark a1) wait wait",
        "watch (does ?r ?m)",
        "unwatch 7",
        "what-if (mark a1) | (mark a1) wait wait",
        "legal nobody",
        "diff nobody",
    ] {
        let wanted = script("tic-tac-toe", "state\nlegal\nwatches\n", &[]).out;
        let run = script("tic-tac-toe", &format!("{line}\nstate\nlegal\nwatches\n"), &[]);
        let (error, rest) = run.out.split_once('\n').unwrap();
        assert!(error.starts_with("error: ") && error.len() > 15, "{line}: {error}");
        assert_eq!((run.code, rest), (1, &wanted[..]), "{line}");
    }
}

#[test]
fn replies_can_be_json() {
    let run = script("tic-tac-toe", "legal\nmove (mark a1)\nquery (wins ?p)\nfly\n", &["--json"]);
    let replies: Vec<serde_json::Value> =
        run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<_> = replies.iter().map(|reply| reply["reply"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["legal", "moved", "answers", "error"]);
}
