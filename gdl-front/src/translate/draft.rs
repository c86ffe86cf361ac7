//! Rules while they are made: compared with each other, and made part of a program in the end.

use super::unify::Bindings;
use crate::hash::HashMap;
use crate::program::{Atom, Literal, Rule, Term};
use crate::source::Span;
use crate::symbol::{Symbol, Symbols};

/// A comparison of two rules gives up after this many steps.
const MAX_STEPS: usize = 1_000;

/// A rule whose variables need not be numbered from 0 without gaps.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) head: Atom,
    pub(super) body: Vec<Literal>,
    /// The names of its variables.
    pub(super) names: Vec<Symbol>,
    /// Where the rule that it comes from was written.
    pub(super) span: Span,
}

impl Draft {
    /// Whether everything that another rule derives, this one derives too: some instance of it has
    /// the same head and asks for nothing else.
    pub(super) fn subsumes(&self, other: &Draft) -> bool {
        self.subsumes_within(other, &mut { MAX_STEPS })
    }

    /// The same, with a limit on the steps that it takes to find out, which counts down.
    pub(super) fn subsumes_within(&self, other: &Draft, steps: &mut usize) -> bool {
        let mut matching = Matching::default();
        matching.atoms(&self.head, &other.head) && matching.body(&self.body, &other.body, steps)
    }

    /// Without one of its literals.
    pub(super) fn without(&self, index: usize) -> Draft {
        let mut shorter = self.clone();
        shorter.body.remove(index);
        shorter
    }

    /// With one more literal.
    pub(super) fn with(&self, literal: Literal) -> Draft {
        let mut longer = self.clone();
        longer.body.push(literal);
        longer
    }

    /// With a term in the place of a variable.
    pub(super) fn replaced(&self, variable: u32, term: &Term) -> Draft {
        let mut bindings = Bindings::default();
        bindings.unify(&Term::Variable(variable), term);
        self.resolved(&bindings)
    }

    /// With everything put in that is known.
    pub(super) fn resolved(&self, bindings: &Bindings) -> Draft {
        Draft {
            head: bindings.resolve_atom(&self.head),
            body: self.body.iter().map(|literal| bindings.resolve_literal(literal)).collect(),
            ..self.clone()
        }
    }

    /// Whether a literal of the body shares no variable with the rest of the rule.
    pub(super) fn is_isolated(&self, index: usize) -> bool {
        let mut own = Vec::new();
        self.body[index].for_each_variable(&mut |variable| own.push(variable));
        let mut isolated = true;
        let mut look = |variable: u32| isolated &= !own.contains(&variable);
        self.head.args.iter().for_each(|arg| arg.for_each_variable(&mut look));
        let others = self.body.iter().enumerate().filter(|(other, _)| *other != index);
        others.for_each(|(_, literal)| literal.for_each_variable(&mut look));
        isolated
    }

    /// The rule of a program: positive literals first, variables numbered from 0, with names of
    /// their own.
    pub(super) fn finish(self, symbols: &mut Symbols) -> Rule {
        let (mut body, tests): (Vec<Literal>, Vec<Literal>) =
            self.body.into_iter().partition(|it| matches!(it, Literal::Positive(_)));
        body.extend(tests);
        let mut rule = Rule { head: self.head, body, variables: Vec::new(), span: self.span };
        let mut numbers: HashMap<u32, u32> = HashMap::default();
        let mut variables: Vec<Symbol> = Vec::new();
        rule.replace_variables(&mut |old| {
            let number = *numbers.entry(old).or_insert_with(|| {
                variables.push(own_name(self.names[old as usize], &variables, symbols));
                variables.len() as u32 - 1
            });
            Term::Variable(number)
        });
        rule.variables = variables;
        rule
    }
}

/// A name for a variable that no other has, as close to the wanted one as can be.
fn own_name(wanted: Symbol, taken: &[Symbol], symbols: &mut Symbols) -> Symbol {
    if !taken.contains(&wanted) {
        return wanted;
    }
    let stem = symbols.spelling(wanted).to_owned();
    (2..)
        .map(|number| symbols.intern(&format!("{stem}_{number}")))
        .find(|name| !taken.contains(name))
        .unwrap_or(wanted)
}

/// Removes rules that derive nothing that others do not.
pub(super) fn remove_subsumed(drafts: &mut Vec<Draft>) {
    let mut index = 0;
    while index < drafts.len() {
        let redundant = drafts.iter().enumerate().any(|(other, draft)| {
            // Of two that subsume each other, the first stays.
            other != index
                && draft.subsumes(&drafts[index])
                && (other < index || !drafts[index].subsumes(draft))
        });
        if redundant {
            drafts.remove(index);
        } else {
            index += 1;
        }
    }
}

/// Joins rules that differ only in whether a variable has a certain value.
pub(super) fn join_cases(drafts: &mut Vec<Draft>) {
    loop {
        let joined = (0..drafts.len()).find_map(|at| Some((at, joined_case(drafts, at)?)));
        let Some((at, draft)) = joined else { return };
        drafts[at] = draft;
        remove_subsumed(drafts);
    }
}

fn joined_case(drafts: &[Draft], at: usize) -> Option<Draft> {
    let draft = &drafts[at];
    draft.body.iter().enumerate().find_map(|(index, literal)| {
        let Literal::Distinct(Term::Variable(variable), value) = literal else { return None };
        let wider = draft.without(index);
        let case = wider.replaced(*variable, value);
        drafts.iter().any(|other| other.subsumes(&case)).then_some(wider)
    })
}

/// A one-way match: the variables of the left side stand for terms of the right side. The latest
/// binding comes last, so that a match is taken back by cutting it short.
#[derive(Default)]
struct Matching<'t>(Vec<(u32, &'t Term)>);

impl<'t> Matching<'t> {
    fn terms(&mut self, a: &Term, b: &'t Term) -> bool {
        match (a, b) {
            (Term::Variable(variable), _) => {
                let bound = self.0.iter().find(|(bound, _)| bound == variable);
                if let Some((_, term)) = bound {
                    return *term == b;
                }
                self.0.push((*variable, b));
                true
            }
            (Term::Function(f, a), Term::Function(g, b)) if f == g && a.len() == b.len() => {
                a.iter().zip(b).all(|(a, b)| self.terms(a, b))
            }
            _ => a == b,
        }
    }

    fn atoms(&mut self, a: &Atom, b: &'t Atom) -> bool {
        a.relation == b.relation && a.args.iter().zip(&b.args).all(|(a, b)| self.terms(a, b))
    }

    fn literals(&mut self, a: &Literal, b: &'t Literal, turned: bool) -> bool {
        match (a, b) {
            (Literal::Positive(a), Literal::Positive(b))
            | (Literal::Negative(a), Literal::Negative(b)) => !turned && self.atoms(a, b),
            (Literal::Distinct(a, b), Literal::Distinct(c, d)) => {
                let (c, d) = if turned { (d, c) } else { (c, d) };
                self.terms(a, c) && self.terms(b, d)
            }
            _ => false,
        }
    }

    /// Whether each literal of one body has its match in another; `false` if that takes too long to
    /// find out.
    fn body(&mut self, a: &[Literal], b: &'t [Literal], steps: &mut usize) -> bool {
        let Some((first, rest)) = a.split_first() else { return true };
        let before = self.0.len();
        for (literal, turned) in b.iter().flat_map(|literal| [(literal, false), (literal, true)]) {
            if *steps == 0 {
                return false;
            }
            *steps -= 1;
            if self.literals(first, literal, turned) && self.body(rest, b, steps) {
                return true;
            }
            self.0.truncate(before);
        }
        false
    }
}
