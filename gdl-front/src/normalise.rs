//! A validated sheet to a [`Program`]: one pass a file, in the order of the `mod` list.
//!
//! Entry point: [`normalise`]. What always holds of the result is listed at [`Program`]. A sheet
//! with errors is still taken through, so that all findings of a file come at once; its program is
//! not to be used.

mod build;
mod classify;
mod expand;
mod nnf;
mod solve;
mod split;
mod strata;

use crate::ast::Sheet;
use crate::diagnostic::Diagnostic;
use crate::program::Program;

/// Normalises a sheet; adds what is found on the way to the findings.
pub fn normalise(sheet: &Sheet, diagnostics: &mut Vec<Diagnostic>) -> Program {
    let mut builder = build::Builder::new(sheet.symbols.clone());
    for rule in &sheet.rules {
        let goals = nnf::conjunction(&rule.body);
        for clause in expand::expand(rule, goals, &mut builder, diagnostics) {
            if let Some(solved) = solve::solve(clause) {
                builder.add(solved);
            }
        }
    }
    let mut program = builder.finish();
    analyse(&mut program, diagnostics);
    program
}

/// Finds the components, strata and classes of a program's relations.
pub(crate) fn analyse(program: &mut Program, diagnostics: &mut Vec<Diagnostic>) {
    strata::stratify(program, diagnostics);
    classify::classify(program);
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::print::{print_fact, print_rule};
    use crate::syntax::{Syntax, parse};
    use expect_test::Expect;

    /// Normalises rules and prints facts and rules, one a line.
    pub(crate) fn check(text: &str, expected: Expect) {
        let (program, diagnostics) = normalised(text);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let facts = program.facts.iter().map(|fact| print_fact(&program, &fact.atom));
        let rules = program.rules.iter().map(|rule| print_rule(&program, rule));
        let lines: Vec<String> = facts.chain(rules).collect();
        expected.assert_eq(&lines.join("\n"));
    }

    pub(crate) fn normalised(text: &str) -> (Program, Vec<Diagnostic>) {
        let (sheet, mut diagnostics) = parse(text, Some(Syntax::Kif));
        let program = normalise(&sheet, &mut diagnostics);
        (program, diagnostics)
    }
}
