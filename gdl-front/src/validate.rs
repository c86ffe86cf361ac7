//! The conditions that a rule sheet must meet, checked on the tree, all of them, with places.
//!
//! Input: a [`Sheet`]; output: findings in the order of the text. What needs normalised rules,
//! stratification, is checked by [`normalise`](crate::normalise::normalise).

mod dependencies;
mod keywords;
mod names;
mod recursion;
mod safety;

use crate::ast::Sheet;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::vocabulary::Keywords;
use dependencies::Dependencies;

/// All findings about a sheet, in the order of the text. If it is not the whole text, because some
/// of it could not be read, nothing is said about what the rest may define or use.
pub fn validate(sheet: &mut Sheet, whole: bool) -> Vec<Diagnostic> {
    if sheet.rules.is_empty() && whole {
        let note = "a game needs at least `role`, `legal`, `goal` and `terminal`";
        let message = "the text holds no rule";
        return vec![Diagnostic::error(Code::EmptySheet, Span::default(), message).note(note)];
    }
    let words = Keywords::of(&mut sheet.symbols);
    let mut diagnostics = Vec::new();
    let dependencies = Dependencies::of(sheet);
    keywords::check(sheet, &words, &dependencies, &mut diagnostics);
    safety::check(sheet, &mut diagnostics);
    recursion::check(sheet, &dependencies, &mut diagnostics);
    names::check(sheet, &words, &mut diagnostics);
    if whole {
        keywords::check_defined(sheet, &words, &mut diagnostics);
        names::check_use(sheet, &words, &mut diagnostics);
    }
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.code));
    diagnostics
}

/// `1 argument`, `2 arguments`.
fn arguments(count: usize) -> String {
    format!("{count} argument{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::syntax::{Syntax, parse};
    use expect_test::Expect;

    /// Validates rules and lists the findings with one of the codes, without places.
    pub(crate) fn check(codes: &[Code], text: &str, expected: Expect) {
        let (mut sheet, diagnostics) = parse(text, Some(Syntax::Kif));
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let list: Vec<String> = validate(&mut sheet, true)
            .iter()
            .filter(|diagnostic| codes.contains(&diagnostic.code))
            .map(|diagnostic| format!("{}: {}", diagnostic.severity.name(), diagnostic.message))
            .collect();
        expected.assert_eq(&list.join("\n"));
    }
}
