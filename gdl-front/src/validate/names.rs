//! Names that look like slips: other capitals, other arities, defined or used only.

use super::arguments;
use super::dependencies::{Key, key};
use crate::ast::{Sheet, Term};
use crate::diagnostic::{Code, Diagnostic};
use crate::hash::{HashMap, HashSet};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::vocabulary::Keywords;

/// In sheets with more relations than this, names are not compared with each other.
const MAX_COMPARED: usize = 2_000;

const NO_IDEA: &str = "add a fact or a rule for it, or check its spelling";

pub(super) fn check(sheet: &Sheet, words: &Keywords, diagnostics: &mut Vec<Diagnostic>) {
    check_capitals(sheet, diagnostics);
    check_arities(sheet, words, diagnostics);
}

fn check_capitals(sheet: &Sheet, diagnostics: &mut Vec<Diagnostic>) {
    let mut seen = HashSet::default();
    for &(symbol, span) in &sheet.respelled {
        if seen.insert(symbol) {
            let first = sheet.symbols.spelling(symbol);
            diagnostics.push(
                Diagnostic::warning(
                    Code::InconsistentCapitals,
                    span,
                    format!("`{first}` is written with other capitals here"),
                )
                .note(format!("write `{first}` everywhere; `inertia fmt` does so")),
            );
        }
    }
}

/// What is used but not defined, or defined but not used.
pub(super) fn check_use(sheet: &Sheet, words: &Keywords, diagnostics: &mut Vec<Diagnostic>) {
    let mut defined: HashMap<Key, Span> = HashMap::default();
    let mut used: HashMap<Key, Span> = HashMap::default();
    for rule in &sheet.rules {
        defined.entry(key(&rule.head)).or_insert(rule.head.span);
        rule.for_each_body_atom(&mut |atom, _| {
            used.entry(key(atom)).or_insert(atom.span);
        });
    }
    let name = |(name, arity): Key| {
        format!("`{}` with {}", sheet.symbols.spelling(name), arguments(arity))
    };
    for (&relation, &span) in &used {
        if !defined.contains_key(&relation) && words.keyword(relation.0).is_none() {
            diagnostics.push(
                Diagnostic::warning(
                    Code::UndefinedRelation,
                    span,
                    format!("nothing defines {}, so it never holds", name(relation)),
                )
                .note(if used.len() + defined.len() > MAX_COMPARED {
                    NO_IDEA.to_owned()
                } else {
                    nearest(sheet, relation, &defined)
                }),
            );
        }
    }
    for (&relation, &span) in &defined {
        if !used.contains_key(&relation) && words.keyword(relation.0).is_none() {
            diagnostics.push(
                Diagnostic::warning(
                    Code::UnusedRelation,
                    span,
                    format!("nothing uses {}", name(relation)),
                )
                .note("remove it, or look for the rule that should use it"),
            );
        }
    }
}

/// A hint at what may have been meant: the same name with another arity, or a similar name.
fn nearest(sheet: &Sheet, (symbol, _): Key, defined: &HashMap<Key, Span>) -> String {
    let wanted = sheet.symbols.folded(symbol);
    let length = wanted.chars().count();
    let best = defined
        .keys()
        .map(|&(other, arity)| (edits(wanted, sheet.symbols.folded(other)), other, arity))
        .filter(|&(distance, ..)| distance < 2.max(1 + length / 4).min(length))
        .min();
    match best {
        Some((_, other, arity)) => {
            let name = sheet.symbols.spelling(other);
            format!("did you mean `{name}` with {}?", arguments(arity))
        }
        None => NO_IDEA.to_owned(),
    }
}

/// How many characters to change to get from one word to the other; long words are not compared.
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > 3 || a.len() > 40 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// The numbers of arguments that a name was seen with, for relations and for functions.
#[derive(Default)]
struct Arities {
    first: HashMap<Symbol, usize>,
    reported: HashSet<Symbol>,
}

impl Arities {
    fn see(&mut self, name: Symbol, arity: usize, span: Span) -> Option<(usize, Span)> {
        let first = *self.first.entry(name).or_insert(arity);
        (first != arity && self.reported.insert(name)).then_some((first, span))
    }
}

fn check_arities(sheet: &Sheet, words: &Keywords, diagnostics: &mut Vec<Diagnostic>) {
    let mut relations = Arities::default();
    let mut functions = Arities::default();
    let mut report = |kind: &str, name: Symbol, arity: usize, (first, span): (usize, Span)| {
        let name = sheet.symbols.spelling(name);
        diagnostics.push(
            Diagnostic::warning(
                Code::InconsistentArity,
                span,
                format!("the {kind} `{name}` has {} here, {first} before", arguments(arity)),
            )
            .note("with another number of arguments it is another one; was one forgotten?"),
        );
    };
    for rule in &sheet.rules {
        rule.for_each_atom(&mut |atom| {
            let arity = atom.args.len();
            if words.keyword(atom.name).is_none()
                && let Some(other) = relations.see(atom.name, arity, atom.span)
            {
                report("relation", atom.name, arity, other);
            }
        });
        rule.for_each_term(&mut |term| {
            if let Term::Function(name, args, span) = term
                && let Some(other) = functions.see(*name, args.len(), *span)
            {
                report("function", *name, args.len(), other);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::Code::*;
    use expect_test::expect;

    #[test]
    fn slips_are_found() {
        check(
            &[InconsistentCapitals, InconsistentArity, UndefinedRelation, UnusedRelation],
            "(cell a) (Cell b) (<= terminal (cel a)) (<= terminal (p (f a)) (p (f a b))) (p a b)",
            expect![[r#"
                warning: nothing uses `cell` with 1 argument
                warning: `cell` is written with other capitals here
                warning: nothing defines `cel` with 1 argument, so it never holds
                warning: nothing defines `p` with 1 argument, so it never holds
                warning: the function `f` has 2 arguments here, 1 before
                warning: the relation `p` has 2 arguments here, 1 before
                warning: nothing uses `p` with 2 arguments"#]],
        );
    }
}
