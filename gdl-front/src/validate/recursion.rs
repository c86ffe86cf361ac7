//! The recursion restriction: in a rule whose condition depends on its head, each argument of that
//! condition is ground, or an argument of the head, or of a condition outside the cycle.

use super::dependencies::{Dependencies, key};
use crate::ast::{Atom, Rule, Sheet, Term};
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn check(sheet: &Sheet, dependencies: &Dependencies, diagnostics: &mut Vec<Diagnostic>) {
    for rule in &sheet.rules {
        if let Some((atom, arg)) = offence(rule, dependencies) {
            diagnostics.push(finding(sheet, rule, atom, arg));
        }
    }
}

fn offence<'a>(rule: &'a Rule, dependencies: &Dependencies) -> Option<(&'a Atom, &'a Term)> {
    let mut inside = Vec::new();
    let mut outside: Vec<&Term> = rule.head.args.iter().collect();
    rule.for_each_body_atom(&mut |atom, positive| {
        if dependencies.in_one_cycle(key(&rule.head), key(atom)) {
            inside.push(atom);
        } else if positive {
            outside.extend(&atom.args);
        }
    });
    inside.into_iter().find_map(|atom| {
        let free = |arg: &&Term| !arg.is_ground() && !outside.iter().any(|known| known.same(arg));
        atom.args.iter().find(free).map(|arg| (atom, arg))
    })
}

fn finding(sheet: &Sheet, rule: &Rule, atom: &Atom, arg: &Term) -> Diagnostic {
    let grows =
        rule.head.args.iter().any(|arg| matches!(arg, Term::Function(..)) && !arg.is_ground());
    let make = if grows { Diagnostic::error } else { Diagnostic::warning };
    let relation = sheet.symbols.spelling(atom.name);
    make(
        Code::RecursionRestriction,
        arg.span(),
        format!("this argument of the recursive condition on `{relation}` is not restricted"),
    )
    .note("use it in the head too, or in a condition that does not depend on the head")
    .note(if grows {
        "the head wraps it in a function, so infinitely many facts may follow"
    } else {
        "no function grows here, so the facts stay finite and the rule is used as it is"
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::Code::*;
    use expect_test::expect;

    #[test]
    fn restricted_recursion_is_fine() {
        check(
            &[RecursionRestriction],
            "(<= (path ?x ?y) (edge ?x ?z) (path ?z ?y)) (<= (path ?x ?y) (edge ?x ?y)) (edge a b)",
            expect![""],
        );
    }

    #[test]
    fn unrestricted_recursion_is_an_error_where_terms_grow() {
        check(
            &[RecursionRestriction],
            "(<= (n (s ?x)) (n ?x)) (n z) (<= (path ?x ?y) (path ?x ?z) (path ?z ?y))",
            expect![[r#"
                error: this argument of the recursive condition on `n` is not restricted
                warning: this argument of the recursive condition on `path` is not restricted"#]],
        );
    }
}
