//! Safety: every variable of a head, a negation or a `distinct` occurs in a positive condition of
//! the same disjunct.
//!
//! Which variables a formula binds is computed without expanding `or`: a conjunction binds what one
//! of its parts binds, a disjunction what all of its parts bind; under `not` the two change places.
//! Since the disjuncts of different `or` combine freely, this is exact.

use crate::ast::{Atom, Formula, Rule, Sheet, Term};
use crate::diagnostic::{Code, Diagnostic};
use crate::hash::HashSet;
use crate::print::formula_line;
use crate::source::Span;
use crate::symbol::Symbol;

pub(super) fn check(sheet: &Sheet, diagnostics: &mut Vec<Diagnostic>) {
    for rule in &sheet.rules {
        let mut checker = Checker { sheet, rule, reported: HashSet::default(), diagnostics };
        checker.check_rule();
    }
}

/// The variables that a formula binds; an empty `or` never holds, so it binds all there are.
enum Bound {
    All,
    Only(HashSet<Symbol>),
}

struct Checker<'a> {
    sheet: &'a Sheet,
    rule: &'a Rule,
    reported: HashSet<(Symbol, Code)>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Checker<'_> {
    fn check_rule(&mut self) {
        if self.rule.body.is_empty() {
            return self.check_fact();
        }
        let parts: Vec<(&Formula, bool)> = self.rule.body.iter().map(|part| (part, true)).collect();
        let Bound::Only(bound) = union(&parts) else {
            return;
        };
        let head = &self.rule.head;
        for_each_variable(head, &mut |name, span| {
            if !bound.contains(&name) {
                self.unbound(Code::UnsafeHead, name, span, "of the head ");
            }
        });
        for (part, positive) in parts {
            self.check_formula(part, positive, &bound);
        }
    }

    fn check_fact(&mut self) {
        for_each_variable(&self.rule.head, &mut |name, span| {
            if self.reported.insert((name, Code::FactNotGround)) {
                let name = self.sheet.symbols.spelling(name);
                self.diagnostics.push(
                    Diagnostic::error(
                        Code::FactNotGround,
                        span,
                        format!("a fact must not hold a variable: `{name}`"),
                    )
                    .note("add conditions that say which values the variable may take"),
                );
            }
        });
    }

    /// Checks the negations and `distinct` of a formula, given what its surroundings bind.
    fn check_formula(&mut self, formula: &Formula, positive: bool, bound: &HashSet<Symbol>) {
        match (formula, positive) {
            (Formula::Atom(_), true) => {}
            (Formula::Atom(atom), false) => for_each_variable(atom, &mut |name, span| {
                if !bound.contains(&name) {
                    self.unbound(Code::UnsafeNegation, name, span, "inside `not` ");
                }
            }),
            (Formula::Distinct(terms, _), _) => {
                for term in terms.iter() {
                    term.for_each_variable(&mut |name, span| {
                        if !bound.contains(&name) {
                            self.unbound(Code::UnsafeDistinct, name, span, "of `distinct` ");
                        }
                    });
                }
            }
            (Formula::Not(inner, _), _) => self.check_formula(inner, !positive, bound),
            (Formula::And(parts, _), true) | (Formula::Or(parts, _), false) => {
                for part in parts {
                    self.check_formula(part, positive, bound);
                }
            }
            (Formula::Or(parts, _), true) | (Formula::And(parts, _), false) => {
                for part in parts {
                    if let Bound::Only(mut inner) = binds(part, positive) {
                        inner.extend(bound);
                        self.check_formula(part, positive, &inner);
                    }
                }
            }
        }
    }

    fn unbound(&mut self, code: Code, name: Symbol, span: Span, whose: &str) {
        if !self.reported.insert((name, code)) {
            return;
        }
        let variable = self.sheet.symbols.spelling(name);
        let mut diagnostic = Diagnostic::error(
            code,
            span,
            format!("the variable `{variable}` {whose}is not bound by a positive condition"),
        );
        if let Some((number, disjunct)) = self.unbinding_disjunct(name) {
            diagnostic = diagnostic.note(format!(
                "disjunct {number} of an `or` binds no `{variable}`: {}",
                formula_line(disjunct, &self.sheet.symbols)
            ));
        }
        self.diagnostics.push(
            diagnostic
                .note(format!("add a condition that says which values `{variable}` may take")),
        );
    }

    /// A disjunct that fails to bind a variable which another disjunct of the same `or` binds.
    fn unbinding_disjunct(&self, name: Symbol) -> Option<(usize, &Formula)> {
        let mut found = None;
        for part in &self.rule.body {
            find_unbinding(part, name, &mut found);
        }
        found
    }
}

fn find_unbinding<'a>(
    formula: &'a Formula,
    name: Symbol,
    found: &mut Option<(usize, &'a Formula)>,
) {
    match formula {
        Formula::Atom(_) | Formula::Distinct(..) => {}
        Formula::Not(inner, _) => find_unbinding(inner, name, found),
        Formula::And(parts, _) => parts.iter().for_each(|part| find_unbinding(part, name, found)),
        Formula::Or(parts, _) => {
            let binds_it = |part: &Formula| match binds(part, true) {
                Bound::All => true,
                Bound::Only(bound) => bound.contains(&name),
            };
            let missing = parts.iter().position(|part| !binds_it(part));
            if let (Some(index), true, true) =
                (missing, parts.iter().any(binds_it), found.is_none())
            {
                *found = Some((index + 1, &parts[index]));
            }
            parts.iter().for_each(|part| find_unbinding(part, name, found));
        }
    }
}

fn binds(formula: &Formula, positive: bool) -> Bound {
    match (formula, positive) {
        (Formula::Atom(atom), true) => {
            let mut bound = HashSet::default();
            for_each_variable(atom, &mut |name, _| {
                bound.insert(name);
            });
            Bound::Only(bound)
        }
        (Formula::Atom(_), false) | (Formula::Distinct(..), _) => Bound::Only(HashSet::default()),
        (Formula::Not(inner, _), _) => binds(inner, !positive),
        (Formula::And(parts, _), true) | (Formula::Or(parts, _), false) => {
            let parts: Vec<(&Formula, bool)> = parts.iter().map(|part| (part, positive)).collect();
            union(&parts)
        }
        (Formula::Or(parts, _), true) | (Formula::And(parts, _), false) => {
            parts.iter().fold(Bound::All, |bound, part| match (bound, binds(part, positive)) {
                (Bound::All, other) | (other, Bound::All) => other,
                (Bound::Only(a), Bound::Only(b)) => {
                    Bound::Only(a.intersection(&b).copied().collect())
                }
            })
        }
    }
}

fn union(parts: &[(&Formula, bool)]) -> Bound {
    let mut bound = HashSet::default();
    for (part, positive) in parts {
        match binds(part, *positive) {
            Bound::All => return Bound::All,
            Bound::Only(more) => bound.extend(more),
        }
    }
    Bound::Only(bound)
}

fn for_each_variable(atom: &Atom, visit: &mut dyn FnMut(Symbol, Span)) {
    atom.args.iter().for_each(|arg: &Term| arg.for_each_variable(visit));
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::Code::*;
    use expect_test::{Expect, expect};

    fn safety(text: &str, expected: Expect) {
        check(&[UnsafeHead, UnsafeNegation, UnsafeDistinct, FactNotGround], text, expected);
    }

    #[test]
    fn bound_variables_are_fine() {
        safety(
            "(<= (p ?x) (q ?x) (not (r ?x)) (distinct ?x a)) (<= (p ?x) (or (q ?x) (and (r ?x) s))) \
             (<= (p ?x) (not (not (q ?x)))) (<= (p ?x) (not (or (r a) (not (q ?x))))) (<= (p ?x) (or))",
            expect![""],
        );
    }

    #[test]
    fn unbound_variables_are_named() {
        safety(
            "(p ?x) (<= (p ?x) q) (<= p (not (q ?y))) (<= p (distinct ?a ?b))",
            expect![[r#"
                error: a fact must not hold a variable: `?x`
                error: the variable `?x` of the head is not bound by a positive condition
                error: the variable `?y` inside `not` is not bound by a positive condition
                error: the variable `?a` of `distinct` is not bound by a positive condition
                error: the variable `?b` of `distinct` is not bound by a positive condition"#]],
        );
    }

    #[test]
    fn every_disjunct_must_bind() {
        safety(
            "(<= (p ?x) (or (q ?x) (r a))) (<= p (or (q ?x) (and (r ?y) (not (q ?x)))))",
            expect![[r#"
                error: the variable `?x` of the head is not bound by a positive condition
                error: the variable `?x` inside `not` is not bound by a positive condition"#]],
        );
    }
}
