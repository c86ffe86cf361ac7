//! What can stand where: a superset of the names at every argument, by a fixpoint over the rules.
//!
//! This is the reachability analysis of RST: it gives the names of fluents, the names of actions
//! that each role has, and for every argument of a fluent or action the constants that it can be.

use std::collections::BTreeSet;

use crate::hash::HashMap;
use crate::program::{Atom, Literal, Program, RelationId, Rule, Term};
use crate::symbol::Symbol;

/// The outermost name of a term, with its number of arguments.
pub(crate) type Shape = (Symbol, usize);

/// The shape of a term; variables have none.
pub(crate) fn shape(term: &Term) -> Option<Shape> {
    match term {
        Term::Variable(_) => None,
        Term::Constant(name) => Some((*name, 0)),
        Term::Function(name, args) => Some((*name, args.len())),
    }
}

/// A place where terms stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Position {
    /// An argument of a relation.
    Argument(RelationId, usize),
    /// An argument of a function, wherever that stands.
    Inside(Shape, usize),
    /// A move of a role, by the role's number.
    Action(usize),
}

/// The shapes at every position.
#[derive(Debug)]
pub(crate) struct Shapes<'p> {
    program: &'p Program,
    sets: HashMap<Position, BTreeSet<Shape>>,
}

impl<'p> Shapes<'p> {
    pub(crate) fn of(program: &'p Program) -> Shapes<'p> {
        let mut shapes = Shapes { program, sets: HashMap::default() };
        for fact in &program.facts {
            shapes.add_head(&fact.atom, &HashMap::default());
        }
        let mut grew = true;
        while grew {
            grew = false;
            for rule in &program.rules {
                grew |= shapes.fire(rule);
            }
        }
        shapes
    }

    /// The names of fluents.
    pub(crate) fn fluents(&self) -> Vec<Shape> {
        self.at(Position::Argument(self.program.vocabulary.true_, 0)).iter().copied().collect()
    }

    /// The names of the moves of a role.
    pub(crate) fn actions(&self, role: usize) -> Vec<Shape> {
        self.at(Position::Action(role)).iter().copied().collect()
    }

    /// The constants at a position; `None` if a function may stand there.
    pub(crate) fn constants(&self, position: Position) -> Option<BTreeSet<Symbol>> {
        let set = self.at(position);
        set.iter().map(|&(name, arity)| (arity == 0).then_some(name)).collect()
    }

    pub(crate) fn at(&self, position: Position) -> &BTreeSet<Shape> {
        const EMPTY: &BTreeSet<Shape> = &BTreeSet::new();
        self.sets.get(&position).unwrap_or(EMPTY)
    }

    /// Adds what a rule derives; whether anything is new.
    fn fire(&mut self, rule: &Rule) -> bool {
        let mut known = HashMap::default();
        for literal in &rule.body {
            if let Literal::Positive(atom) = literal
                && !self.read_atom(atom, &mut known)
            {
                return false;
            }
        }
        self.add_head(&rule.head, &known)
    }

    /// Where the arguments of an atom stand: what was initial or becomes true can be true, what is
    /// legal can be done, and moves are told apart by their role.
    fn positions(
        &self,
        atom: &Atom,
        known: &HashMap<u32, BTreeSet<Shape>>,
    ) -> Vec<(Vec<Position>, Term)> {
        let words = &self.program.vocabulary;
        let mut relation = atom.relation;
        if relation == words.init || relation == words.next {
            relation = words.true_;
        } else if relation == words.legal {
            relation = words.does;
        }
        let place = |index| vec![Position::Argument(relation, index)];
        let mut places: Vec<_> =
            (0..atom.args.len()).map(|index| (place(index), atom.args[index].clone())).collect();
        if relation == words.does {
            places[1].0 = self.roles(&atom.args[0], known).map(Position::Action).collect();
        }
        places
    }

    fn roles<'a>(
        &'a self,
        role: &'a Term,
        known: &'a HashMap<u32, BTreeSet<Shape>>,
    ) -> impl Iterator<Item = usize> + 'a {
        let possible = move |candidate: &Term| match role {
            Term::Variable(variable) => known
                .get(variable)
                .is_none_or(|set| shape(candidate).is_some_and(|shape| set.contains(&shape))),
            _ => role == candidate,
        };
        let roles = self.program.roles.iter().enumerate();
        roles.filter(move |(_, candidate)| possible(candidate)).map(|(index, _)| index)
    }

    /// Narrows what variables can be; `false` if the atom can never hold.
    pub(crate) fn read_atom(&self, atom: &Atom, known: &mut HashMap<u32, BTreeSet<Shape>>) -> bool {
        let positions = self.positions(atom, known);
        positions.iter().all(|(places, term)| {
            let union: BTreeSet<Shape>;
            let set = if let [place] = places.as_slice() {
                self.at(*place)
            } else {
                union = places.iter().flat_map(|place| self.at(*place)).copied().collect();
                &union
            };
            self.read_term(term, set, known)
        })
    }

    fn read_term(
        &self,
        term: &Term,
        set: &BTreeSet<Shape>,
        known: &mut HashMap<u32, BTreeSet<Shape>>,
    ) -> bool {
        match term {
            Term::Variable(variable) => {
                let narrowed: BTreeSet<Shape> = match known.get(variable) {
                    Some(before) => before.intersection(set).copied().collect(),
                    None => set.clone(),
                };
                let possible = !narrowed.is_empty();
                known.insert(*variable, narrowed);
                possible
            }
            Term::Constant(name) => set.contains(&(*name, 0)),
            Term::Function(name, args) => {
                let outer = (*name, args.len());
                set.contains(&outer)
                    && args.iter().enumerate().all(|(index, arg)| {
                        self.read_term(arg, self.at(Position::Inside(outer, index)), known)
                    })
            }
        }
    }

    fn add_head(&mut self, head: &Atom, known: &HashMap<u32, BTreeSet<Shape>>) -> bool {
        let mut grew = false;
        for (places, term) in self.positions(head, known) {
            for place in places {
                grew |= self.add_term(&term, place, known);
            }
        }
        grew
    }

    fn add_term(
        &mut self,
        term: &Term,
        place: Position,
        known: &HashMap<u32, BTreeSet<Shape>>,
    ) -> bool {
        let set = self.sets.entry(place).or_default();
        let before = set.len();
        let Some(outer) = shape(term) else {
            if let Term::Variable(variable) = term {
                set.extend(known.get(variable).into_iter().flatten());
            }
            return set.len() > before;
        };
        set.insert(outer);
        let mut grew = set.len() > before;
        if let Term::Function(_, args) = term {
            for (index, arg) in args.iter().enumerate() {
                grew |= self.add_term(arg, Position::Inside(outer, index), known);
            }
        }
        grew
    }
}
