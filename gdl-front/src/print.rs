//! Sheets and their parts back to text, in either syntax.
//!
//! Names are written as they were first written. In infix a name that starts with a capital would
//! read as a variable, so it is written in lower case, which GDL takes for the same name.
//! What is printed parses back to the same tree.

mod format;
mod layout;
mod program;

pub use format::format;
pub use program::{print_fact, print_literal, print_program, print_rule, print_term};

use crate::ast::{Atom, Formula, Rule, Term};
use crate::symbol::{Symbol, Symbols};
use crate::syntax::Syntax;
use crate::vocabulary::{AND, DISTINCT, IMPLIED_BY, NOT, OR};
use layout::Doc;

/// A rule in one line of KIF.
pub fn kif_line(rule: &Rule, symbols: &Symbols) -> String {
    let printer = Printer { syntax: Syntax::Kif, symbols };
    let head = printer.atom(&rule.head);
    if rule.body.is_empty() {
        return head;
    }
    let body: Vec<String> = rule.body.iter().map(|part| printer.formula(part).flat()).collect();
    format!("({IMPLIED_BY} {head} {})", body.join(" "))
}

/// A rule in one line of infix.
pub fn infix_line(rule: &Rule, symbols: &Symbols) -> String {
    let printer = Printer { syntax: Syntax::Infix, symbols };
    let head = printer.atom(&rule.head);
    if rule.body.is_empty() {
        return format!("{head}.");
    }
    let body: Vec<String> = rule.body.iter().map(|part| printer.formula(part).flat()).collect();
    format!("{head} :- {}.", body.join(", "))
}

/// A formula in one line of KIF.
pub(crate) fn formula_line(formula: &Formula, symbols: &Symbols) -> String {
    Printer { syntax: Syntax::Kif, symbols }.formula(formula).flat()
}

/// Prints the parts of a rule in one syntax.
struct Printer<'a> {
    syntax: Syntax,
    symbols: &'a Symbols,
}

impl Printer<'_> {
    fn atom(&self, atom: &Atom) -> String {
        self.application(atom.name, &atom.args)
    }

    fn term(&self, term: &Term) -> String {
        match term {
            Term::Variable(name, _) => self.variable(*name),
            Term::Constant(name, _) => self.name(*name),
            Term::Function(name, args, _) => self.application(*name, args),
        }
    }

    fn application(&self, name: Symbol, args: &[Term]) -> String {
        let args: Vec<String> = args.iter().map(|arg| self.term(arg)).collect();
        apply(self.syntax, &self.name(name), &args)
    }

    fn name(&self, name: Symbol) -> String {
        written_name(self.syntax, name, self.symbols)
    }

    fn variable(&self, name: Symbol) -> String {
        written_variable(self.syntax, self.symbols.spelling(name))
    }

    fn formula(&self, formula: &Formula) -> Doc {
        match formula {
            Formula::Atom(atom) => Doc::Text(self.atom(atom)),
            Formula::Distinct(terms, _) => {
                let terms = [self.term(&terms[0]), self.term(&terms[1])];
                Doc::Text(apply(self.syntax, DISTINCT, &terms))
            }
            Formula::Not(inner, _) => Doc::group(
                self.syntax,
                [&format!("({NOT} "), &format!("{NOT} ")],
                vec![self.formula(inner)],
                ["", ""],
                [")", ""],
            ),
            Formula::And(parts, _) => self.connective(AND, ",", parts),
            Formula::Or(parts, _) => self.connective(OR, &format!(" {OR}"), parts),
        }
    }

    fn connective(&self, word: &str, separator: &str, parts: &[Formula]) -> Doc {
        let items: Vec<Doc> = parts.iter().map(|part| self.formula(part)).collect();
        let kif_open = if items.is_empty() { format!("({word}") } else { format!("({word} ") };
        let (infix_open, separator) =
            if items.len() < 2 { (format!("{word}("), ",") } else { ("(".to_owned(), separator) };
        Doc::group(self.syntax, [&kif_open, &infix_open], items, ["", separator], [")", ")"])
    }
}

fn apply(syntax: Syntax, name: &str, args: &[String]) -> String {
    match (syntax, args) {
        (_, []) => name.to_owned(),
        (Syntax::Kif, _) => format!("({name} {})", args.join(" ")),
        (Syntax::Infix, _) => format!("{name}({})", args.join(", ")),
    }
}

fn written_name(syntax: Syntax, name: Symbol, symbols: &Symbols) -> String {
    let spelling = symbols.spelling(name);
    if syntax == Syntax::Kif {
        return spelling.to_owned();
    }
    let lower_first = !spelling.starts_with(char::is_uppercase);
    let written = if lower_first { spelling } else { symbols.folded(name) };
    let plain = is_word(written)
        && !written.starts_with(|c: char| c.is_uppercase() || c == '_')
        && ![NOT, AND, OR].contains(&written);
    if plain { written.to_owned() } else { quote(written) }
}

/// `spelling` has its `?`.
fn written_variable(syntax: Syntax, spelling: &str) -> String {
    if syntax == Syntax::Kif {
        return spelling.to_owned();
    }
    let name = spelling.strip_prefix('?').unwrap_or(spelling);
    let first = name.chars().next().unwrap_or(' ');
    if !is_word(name) {
        format!("?{}", quote(name))
    } else if name == "_" || !(first.is_ascii_alphabetic() || first == '_' || first.is_uppercase())
    {
        format!("?{name}")
    } else {
        first.to_ascii_uppercase().to_string() + &name[first.len_utf8()..]
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
