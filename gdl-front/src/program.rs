//! The program: a rule sheet reduced to what a reasoner needs.
//!
//! Input: a validated [`Sheet`](crate::ast::Sheet), through [`normalise`](crate::normalise::normalise).
//! What always holds:
//! - a body is a conjunction of literals; `or`, `and` and `not` over a formula are gone;
//! - every variable of a rule occurs in a positive literal of its body, and each negative literal
//!   and each `distinct` stands behind the positive literals that bind its variables;
//! - facts are ground, and no rule has an empty body;
//! - variables of a rule are numbered `0..variables.len()`;
//! - negation is stratified over `components`, which are in evaluation order.

use crate::source::Span;
use crate::symbol::{Symbol, Symbols};
use crate::vocabulary::Keyword;

/// Index of a [`Relation`] in [`Program::relations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelationId(pub u32);

impl RelationId {
    /// As an index into tables with one entry a relation.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A game, ready to be planned and evaluated.
#[derive(Clone, Debug)]
pub struct Program {
    /// The names.
    pub symbols: Symbols,
    /// The players in the order of the text, which is the order of the protocol.
    pub roles: Vec<Term>,
    /// All relations; `RelationId` indexes them.
    pub relations: Vec<Relation>,
    /// Ground facts, in the order of the text.
    pub facts: Vec<Fact>,
    /// Rules with a body, in the order of the text; rules made from others come right behind them.
    pub rules: Vec<Rule>,
    /// Strongly connected components of relations, each after all that it depends on.
    pub components: Vec<Component>,
    /// The relations that GDL knows by name.
    pub vocabulary: Vocabulary,
    /// How the next state follows.
    pub frame: Frame,
}

/// How the next state follows from the state and a joint move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Frame {
    /// It is what `next` names, as in GDL.
    Original,
    /// It is the state without what `fnext` names, together with what `next` names (RST's (8)).
    /// For fluents whose frame rules are not translated there are rules `fnext(f) :- true(f)`.
    Translated,
}

/// The relations of the keywords. All exist, whether or not the sheet mentions them.
#[derive(Clone, Copy, Debug)]
pub struct Vocabulary {
    /// `role/1`
    pub role: RelationId,
    /// `init/1`
    pub init: RelationId,
    /// `true/1`: an input; no rule defines it.
    pub true_: RelationId,
    /// `does/2`: an input; no rule defines it.
    pub does: RelationId,
    /// `next/1`
    pub next: RelationId,
    /// `fnext/1`: empty until the frame rules are translated.
    pub fnext: RelationId,
    /// `legal/2`
    pub legal: RelationId,
    /// `goal/2`
    pub goal: RelationId,
    /// `terminal/0`
    pub terminal: RelationId,
    /// `base/1`
    pub base: RelationId,
    /// `input/2`
    pub input: RelationId,
}

/// A relation: a name with an arity.
#[derive(Clone, Debug)]
pub struct Relation {
    /// Its name; made-up names hold a `$`.
    pub name: Symbol,
    /// How many arguments it takes. One name with two arities is two relations.
    pub arity: usize,
    /// What its facts depend on.
    pub class: Class,
    /// The keyword it is.
    pub keyword: Option<Keyword>,
    /// Whether normalisation made it up.
    pub auxiliary: bool,
}

/// What a relation's facts depend on, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// On neither: computed once.
    Static,
    /// On `true`.
    State,
    /// On `does`, and perhaps on `true`.
    Move,
}

/// A ground fact.
#[derive(Clone, Debug)]
pub struct Fact {
    /// The atom, without variables.
    pub atom: Atom,
    /// Where it was written.
    pub span: Span,
}

/// A rule: if all literals of the body hold, so does the head.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What follows.
    pub head: Atom,
    /// From what, never empty.
    pub body: Vec<Literal>,
    /// The names of its variables, by number.
    pub variables: Vec<Symbol>,
    /// Where the rule that it comes from was written.
    pub span: Span,
}

/// A relation applied to terms.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Atom {
    /// The relation.
    pub relation: RelationId,
    /// As many terms as its arity says.
    pub args: Vec<Term>,
}

/// One condition of a body.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Literal {
    /// The atom holds.
    Positive(Atom),
    /// The atom does not hold; its variables are bound before.
    Negative(Atom),
    /// The terms differ; their variables are bound before.
    Distinct(Term, Term),
}

/// A term of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// A variable, by its number in the rule.
    Variable(u32),
    /// A constant.
    Constant(Symbol),
    /// A function applied to at least one term.
    Function(Symbol, Vec<Term>),
}

/// Relations that depend on each other, evaluated together.
#[derive(Clone, Debug)]
pub struct Component {
    /// The relations; one, unless they are mutually recursive.
    pub relations: Vec<RelationId>,
    /// The rules that define them, by index into [`Program::rules`].
    pub rules: Vec<usize>,
    /// Whether a relation depends on itself.
    pub recursive: bool,
    /// How many negations lie below, at least.
    pub stratum: usize,
}

impl Program {
    /// The relation behind an id.
    pub fn relation(&self, id: RelationId) -> &Relation {
        &self.relations[id.index()]
    }

    /// The relation of that name and arity, whatever its capitals.
    pub fn find_relation(&self, name: &str, arity: usize) -> Option<RelationId> {
        let symbol = self.symbols.get(name)?;
        let index = self
            .relations
            .iter()
            .position(|relation| relation.name == symbol && relation.arity == arity)?;
        Some(RelationId(index as u32))
    }

    /// The name of a relation as it was first written.
    pub fn relation_name(&self, id: RelationId) -> &str {
        self.symbols.spelling(self.relation(id).name)
    }
}

impl Rule {
    /// Puts what `replace` gives in the place of every variable.
    pub fn replace_variables(&mut self, replace: &mut dyn FnMut(u32) -> Term) {
        for literal in &mut self.body {
            literal.replace_variables(replace);
        }
        self.head.replace_variables(replace);
    }
}

impl Atom {
    /// Puts what `replace` gives in the place of every variable.
    pub fn replace_variables(&mut self, replace: &mut dyn FnMut(u32) -> Term) {
        for arg in &mut self.args {
            *arg = arg.replaced(replace);
        }
    }
}

impl Term {
    /// A name applied to new variables, which are all called the same; a constant if it takes none.
    pub(crate) fn general(
        name: Symbol,
        arity: usize,
        variables: &mut Vec<Symbol>,
        called: Symbol,
    ) -> Term {
        if arity == 0 {
            return Term::Constant(name);
        }
        let args = (0..arity).map(|_| {
            variables.push(called);
            Term::Variable(variables.len() as u32 - 1)
        });
        Term::Function(name, args.collect())
    }

    /// The term with what `replace` gives in the place of every variable.
    pub fn replaced(&self, replace: &mut dyn FnMut(u32) -> Term) -> Term {
        match self {
            Term::Variable(number) => replace(*number),
            Term::Constant(_) => self.clone(),
            Term::Function(name, args) => {
                Term::Function(*name, args.iter().map(|arg| arg.replaced(replace)).collect())
            }
        }
    }

    /// Calls `visit` on every variable in it, from the left.
    pub fn for_each_variable(&self, visit: &mut dyn FnMut(u32)) {
        match self {
            Term::Variable(variable) => visit(*variable),
            Term::Constant(_) => {}
            Term::Function(_, args) => args.iter().for_each(|arg| arg.for_each_variable(visit)),
        }
    }

    /// Whether it holds no variable.
    pub fn is_ground(&self) -> bool {
        match self {
            Term::Variable(_) => false,
            Term::Constant(_) => true,
            Term::Function(_, args) => args.iter().all(Term::is_ground),
        }
    }
}

impl Literal {
    /// The atom of a positive or negative literal.
    pub fn atom(&self) -> Option<&Atom> {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => Some(atom),
            Literal::Distinct(..) => None,
        }
    }

    /// Puts what `replace` gives in the place of every variable.
    pub fn replace_variables(&mut self, replace: &mut dyn FnMut(u32) -> Term) {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => atom.replace_variables(replace),
            Literal::Distinct(a, b) => {
                *a = a.replaced(replace);
                *b = b.replaced(replace);
            }
        }
    }

    /// Calls `visit` on every variable in it, from the left.
    pub fn for_each_variable(&self, visit: &mut dyn FnMut(u32)) {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => {
                atom.args.iter().for_each(|arg| arg.for_each_variable(visit));
            }
            Literal::Distinct(a, b) => {
                a.for_each_variable(visit);
                b.for_each_variable(visit);
            }
        }
    }
}
