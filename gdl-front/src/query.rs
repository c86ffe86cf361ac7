//! A query: a conjunction of literals over the relations of a program, with variables.
//!
//! Input: KIF such as `(true (cell ?x ?y b)) (not (marked ?x)) (distinct ?x ?y)`; entry point:
//! [`read_query`]. What always holds of a query: its relations and names are the program's, and
//! every variable of a negative literal or a `distinct` stands in a positive literal.

use std::fmt;

use crate::ast;
use crate::program::{Atom, Literal, Program, Term};
use crate::symbol::{Symbol, Symbols};
use crate::syntax::{Syntax, parse};
use crate::vocabulary::IMPLIED_BY;

/// A conjunction of literals.
#[derive(Clone, Debug)]
pub struct Query {
    /// The literals, in the order of the text.
    pub body: Vec<Literal>,
    /// The names of the variables, by number, in the order of the text.
    pub variables: Vec<String>,
}

/// Why a text is no query of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryError {
    /// It cannot be read.
    Syntax(String),
    /// There is nothing in it.
    Empty,
    /// A part is neither an atom, nor a negated atom, nor a comparison.
    NotALiteral,
    /// The game has no such relation.
    UnknownRelation {
        /// Its name.
        name: String,
        /// With so many arguments.
        arity: usize,
    },
    /// The game does not use this name, so nothing with it can hold.
    UnknownName(String),
    /// A variable that no positive literal binds.
    Unbound(String),
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueryError::Syntax(message) => write!(f, "{message}"),
            QueryError::Empty => write!(f, "a query needs at least one literal"),
            QueryError::NotALiteral => {
                write!(f, "a query holds atoms, negated atoms and comparisons only")
            }
            QueryError::UnknownRelation { name, arity } => {
                write!(f, "the game has no relation `{name}` with {arity} arguments")
            }
            QueryError::UnknownName(name) => write!(f, "the game does not use the name `{name}`"),
            QueryError::Unbound(name) => {
                write!(f, "no positive literal binds the variable `{name}`")
            }
        }
    }
}

impl std::error::Error for QueryError {}

/// Reads a query in KIF.
pub fn read_query(program: &Program, text: &str) -> Result<Query, QueryError> {
    let (sheet, diagnostics) = parse(&format!("({IMPLIED_BY} answer {text}\n)"), Some(Syntax::Kif));
    if let Some(finding) = diagnostics.first() {
        return Err(QueryError::Syntax(finding.message.clone()));
    }
    let [rule] = &sheet.rules[..] else {
        return Err(QueryError::Syntax("unbalanced parentheses".to_owned()));
    };
    let mut reader = Reader { program, symbols: &sheet.symbols, variables: Vec::new() };
    let mut body = Vec::new();
    rule.body.iter().try_for_each(|part| reader.literals(part, &mut body))?;
    if body.is_empty() {
        return Err(QueryError::Empty);
    }
    let names = reader.variables.iter().map(|&name| sheet.symbols.spelling(name).to_owned());
    let query = Query { body, variables: names.collect() };
    query.check_bound()?;
    Ok(query)
}

struct Reader<'a> {
    program: &'a Program,
    /// Those of the text.
    symbols: &'a Symbols,
    variables: Vec<Symbol>,
}

impl Reader<'_> {
    fn literals(&mut self, part: &ast::Formula, out: &mut Vec<Literal>) -> Result<(), QueryError> {
        match part {
            ast::Formula::And(parts, _) => {
                return parts.iter().try_for_each(|part| self.literals(part, out));
            }
            ast::Formula::Atom(atom) => out.push(Literal::Positive(self.atom(atom)?)),
            ast::Formula::Distinct(terms, _) => {
                let [a, b] = &**terms;
                out.push(Literal::Distinct(self.term(a)?, self.term(b)?));
            }
            ast::Formula::Not(inner, _) => match &**inner {
                ast::Formula::Atom(atom) => out.push(Literal::Negative(self.atom(atom)?)),
                _ => return Err(QueryError::NotALiteral),
            },
            ast::Formula::Or(..) => return Err(QueryError::NotALiteral),
        }
        Ok(())
    }

    fn atom(&mut self, atom: &ast::Atom) -> Result<Atom, QueryError> {
        let (name, arity) = (self.symbols.spelling(atom.name), atom.args.len());
        let relation = self.program.find_relation(name, arity);
        let unknown = || QueryError::UnknownRelation { name: name.to_owned(), arity };
        let relation = relation.ok_or_else(unknown)?;
        let args: Result<Vec<Term>, QueryError> =
            atom.args.iter().map(|arg| self.term(arg)).collect();
        Ok(Atom { relation, args: args? })
    }

    fn term(&mut self, term: &ast::Term) -> Result<Term, QueryError> {
        match term {
            ast::Term::Variable(name, _) => {
                let known = self.variables.iter().position(|other| other == name);
                let number = known.unwrap_or_else(|| {
                    self.variables.push(*name);
                    self.variables.len() - 1
                });
                Ok(Term::Variable(number as u32))
            }
            ast::Term::Constant(name, _) => Ok(Term::Constant(self.name(*name)?)),
            ast::Term::Function(name, args, _) => {
                let args: Result<Vec<Term>, QueryError> =
                    args.iter().map(|arg| self.term(arg)).collect();
                Ok(Term::Function(self.name(*name)?, args?))
            }
        }
    }

    fn name(&self, name: Symbol) -> Result<Symbol, QueryError> {
        let spelling = self.symbols.spelling(name);
        let known = self.program.symbols.get(spelling);
        known.ok_or_else(|| QueryError::UnknownName(spelling.to_owned()))
    }
}

impl Query {
    fn check_bound(&self) -> Result<(), QueryError> {
        let mut bound = vec![false; self.variables.len()];
        for literal in &self.body {
            if let Literal::Positive(_) = literal {
                literal.for_each_variable(&mut |variable| bound[variable as usize] = true);
            }
        }
        match bound.iter().position(|&bound| !bound) {
            Some(free) => Err(QueryError::Unbound(self.variables[free].clone())),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> Result<Query, QueryError> {
        let game = "(role x) (init (cell 1 b)) (legal x a) (goal x 0) terminal (p 1 2)";
        read_query(&crate::load(game, None).program.unwrap(), text)
    }

    #[test]
    fn literals_of_all_kinds() {
        let read = query("(true (cell ?x ?y)) (not (p ?x ?y)) (distinct ?x ?y)").unwrap();
        assert_eq!(read.body.len(), 3);
        assert_eq!(read.variables, ["?x", "?y"]);
    }

    #[test]
    fn what_is_no_query_is_refused() {
        let relation = QueryError::UnknownRelation { name: "p".to_owned(), arity: 1 };
        for (text, error) in [
            ("", QueryError::Empty),
            ("(p 1)", relation),
            ("(p 1 nine)", QueryError::UnknownName("nine".to_owned())),
            ("(not (p 1 ?y))", QueryError::Unbound("?y".to_owned())),
            ("(or (p 1 2) (p 2 1))", QueryError::NotALiteral),
            ("(p 1 2)) (p 1 2", QueryError::Syntax("unbalanced parentheses".to_owned())),
        ] {
            assert_eq!(query(text).map(|query| query.body).unwrap_err(), error, "{text}");
        }
    }
}
