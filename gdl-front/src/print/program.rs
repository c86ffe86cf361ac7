//! Programs and their parts as KIF.

use super::apply;
use crate::program::{Atom, Class, Literal, Program, Rule, Term};
use crate::symbol::Symbol;
use crate::syntax::Syntax;
use crate::vocabulary::{DISTINCT, IMPLIED_BY, NOT};

/// A whole program, component by component in evaluation order, with what is known of each.
pub fn print_program(program: &Program) -> String {
    let mut out = String::new();
    let mut facts = vec![String::new(); program.relations.len()];
    for fact in &program.facts {
        let text = &mut facts[fact.atom.relation.index()];
        text.push_str(&print_fact(program, &fact.atom));
        text.push('\n');
    }
    for component in &program.components {
        let names: Vec<String> = component
            .relations
            .iter()
            .map(|&id| format!("{}/{}", program.relation_name(id), program.relation(id).arity))
            .collect();
        let class = component.relations.iter().map(|&id| program.relation(id).class).max();
        let class = match class {
            Some(Class::Move) => "move",
            Some(Class::State) => "state",
            Some(Class::Static) | None => "static",
        };
        let recursive = if component.recursive { ", recursive" } else { "" };
        let stratum = component.stratum;
        out += &format!("; {}: {class}, stratum {stratum}{recursive}\n", names.join(" "));
        for relation in &component.relations {
            out += &facts[relation.index()];
        }
        for &rule in &component.rules {
            out += &format!("{}\n", print_rule(program, &program.rules[rule]));
        }
        out.push('\n');
    }
    out
}

/// A ground atom.
pub fn print_fact(program: &Program, atom: &Atom) -> String {
    atom_text(program, atom, &[])
}

/// A rule in one line.
pub fn print_rule(program: &Program, rule: &Rule) -> String {
    let names = &rule.variables;
    let head = atom_text(program, &rule.head, names);
    let body: Vec<String> =
        (0..rule.body.len()).map(|number| print_literal(program, rule, number)).collect();
    format!("({IMPLIED_BY} {head} {})", body.join(" "))
}

/// One literal of a rule, by its number.
pub fn print_literal(program: &Program, rule: &Rule, number: usize) -> String {
    let names = &rule.variables;
    match &rule.body[number] {
        Literal::Positive(atom) => atom_text(program, atom, names),
        Literal::Negative(atom) => format!("({NOT} {})", atom_text(program, atom, names)),
        Literal::Distinct(a, b) => {
            let terms = [print_term(program, a, names), print_term(program, b, names)];
            apply(Syntax::Kif, DISTINCT, &terms)
        }
    }
}

/// A term, with the names of the rule's variables.
pub fn print_term(program: &Program, term: &Term, names: &[Symbol]) -> String {
    match term {
        Term::Variable(number) => match names.get(*number as usize) {
            Some(&name) => program.symbols.spelling(name).to_owned(),
            None => format!("?{number}"),
        },
        Term::Constant(name) => program.symbols.spelling(*name).to_owned(),
        Term::Function(name, args) => {
            let args: Vec<String> =
                args.iter().map(|arg| print_term(program, arg, names)).collect();
            apply(Syntax::Kif, program.symbols.spelling(*name), &args)
        }
    }
}

fn atom_text(program: &Program, atom: &Atom, names: &[Symbol]) -> String {
    let args: Vec<String> = atom.args.iter().map(|arg| print_term(program, arg, names)).collect();
    apply(Syntax::Kif, program.relation_name(atom.relation), &args)
}
