//! A rule sheet as it was written: every node with its place, nothing rewritten.
//!
//! What the syntax lets one write in two ways (`(p)` and `p`, `(<= p)` and `p`) is one tree here;
//! all else is kept: `or` and `and` nest, `not` stands before any formula.

use crate::source::Span;
use crate::symbol::{Symbol, Symbols};

/// A whole rule sheet.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// Facts and rules in the order of the text.
    pub rules: Vec<Rule>,
    /// The names in it.
    pub symbols: Symbols,
    /// The comments in it, for the formatter.
    pub comments: Vec<Comment>,
    /// Names that were written with other capitals than the first time.
    pub respelled: Vec<(Symbol, Span)>,
}

/// A comment, without its marks.
#[derive(Clone, Debug)]
pub struct Comment {
    /// How many `;` or `%` open it.
    pub marks: usize,
    /// The text behind them, or between `/*` and `*/`.
    pub text: String,
    /// Where it stands, marks included.
    pub span: Span,
}

/// A rule; a fact is a rule without a body.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What follows.
    pub head: Atom,
    /// From what: all of these together.
    pub body: Vec<Formula>,
    /// The whole rule.
    pub span: Span,
}

/// A relation applied to terms.
#[derive(Clone, Debug)]
pub struct Atom {
    /// The relation's name.
    pub name: Symbol,
    /// Its arguments.
    pub args: Vec<Term>,
    /// The whole atom.
    pub span: Span,
}

/// Part of a body.
#[derive(Clone, Debug)]
pub enum Formula {
    /// A relation applied to terms.
    Atom(Atom),
    /// Two terms are not the same.
    Distinct(Box<[Term; 2]>, Span),
    /// The formula does not hold.
    Not(Box<Formula>, Span),
    /// All hold; true if there are none.
    And(Vec<Formula>, Span),
    /// One of them holds; false if there are none.
    Or(Vec<Formula>, Span),
}

/// A term.
#[derive(Clone, Debug)]
pub enum Term {
    /// A variable; its name keeps the `?` of KIF, so that no constant has the same symbol.
    Variable(Symbol, Span),
    /// A constant or a number.
    Constant(Symbol, Span),
    /// A function applied to at least one term.
    Function(Symbol, Vec<Term>, Span),
}

impl Formula {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Formula::Atom(atom) => atom.span,
            Formula::Distinct(_, span)
            | Formula::Not(_, span)
            | Formula::And(_, span)
            | Formula::Or(_, span) => *span,
        }
    }

    /// Calls `visit` on every atom, with `true` where an even number of negations is around it.
    pub fn for_each_atom<'a>(&'a self, positive: bool, visit: &mut dyn FnMut(&'a Atom, bool)) {
        match self {
            Formula::Atom(atom) => visit(atom, positive),
            Formula::Distinct(..) => {}
            Formula::Not(inner, _) => inner.for_each_atom(!positive, visit),
            Formula::And(parts, _) | Formula::Or(parts, _) => {
                for part in parts {
                    part.for_each_atom(positive, visit);
                }
            }
        }
    }

    /// Calls `visit` on every term, the arguments of each behind it.
    fn for_each_term<'a>(&'a self, visit: &mut dyn FnMut(&'a Term)) {
        match self {
            Formula::Atom(atom) => atom.args.iter().for_each(|arg| arg.for_each_part(visit)),
            Formula::Distinct(terms, _) => terms.iter().for_each(|term| term.for_each_part(visit)),
            Formula::Not(inner, _) => inner.for_each_term(visit),
            Formula::And(parts, _) | Formula::Or(parts, _) => {
                parts.iter().for_each(|part| part.for_each_term(visit));
            }
        }
    }
}

impl Rule {
    /// Calls `visit` on the head and on every atom of the body.
    pub fn for_each_atom<'a>(&'a self, visit: &mut dyn FnMut(&'a Atom)) {
        visit(&self.head);
        self.for_each_body_atom(&mut |atom, _| visit(atom));
    }

    /// Calls `visit` on every term of the rule, the arguments of each behind it.
    pub fn for_each_term<'a>(&'a self, visit: &mut dyn FnMut(&'a Term)) {
        self.head.args.iter().for_each(|arg| arg.for_each_part(visit));
        self.body.iter().for_each(|part| part.for_each_term(visit));
    }

    /// Calls `visit` on every atom of the body, with whether it stands positively.
    pub fn for_each_body_atom<'a>(&'a self, visit: &mut dyn FnMut(&'a Atom, bool)) {
        for formula in &self.body {
            formula.for_each_atom(true, visit);
        }
    }
}

impl Term {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Term::Variable(_, span) | Term::Constant(_, span) | Term::Function(_, _, span) => *span,
        }
    }

    /// Calls `visit` on every variable in it, from the left.
    pub fn for_each_variable(&self, visit: &mut dyn FnMut(Symbol, Span)) {
        match self {
            Term::Variable(name, span) => visit(*name, *span),
            Term::Constant(..) => {}
            Term::Function(_, args, _) => {
                for arg in args {
                    arg.for_each_variable(visit);
                }
            }
        }
    }

    /// Calls `visit` on the term and on all terms inside it.
    fn for_each_part<'a>(&'a self, visit: &mut dyn FnMut(&'a Term)) {
        visit(self);
        if let Term::Function(_, args, _) = self {
            args.iter().for_each(|arg| arg.for_each_part(visit));
        }
    }

    /// Whether it holds no variable.
    pub fn is_ground(&self) -> bool {
        match self {
            Term::Variable(..) => false,
            Term::Constant(..) => true,
            Term::Function(_, args, _) => args.iter().all(Term::is_ground),
        }
    }

    /// Whether it is the same term, wherever it stands.
    pub fn same(&self, other: &Term) -> bool {
        match (self, other) {
            (Term::Variable(a, _), Term::Variable(b, _))
            | (Term::Constant(a, _), Term::Constant(b, _)) => a == b,
            (Term::Function(f, a, _), Term::Function(g, b, _)) => {
                f == g && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
            }
            _ => false,
        }
    }
}
