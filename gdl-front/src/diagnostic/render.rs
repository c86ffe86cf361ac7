//! A finding as a person reads it in a terminal: the line, a caret below it, the notes.

use std::borrow::Cow;

use unicode_width::UnicodeWidthStr;

use super::{Diagnostic, Severity};
use crate::source::Lines;

/// So many characters of a line are shown before a place, and as many from there on: generated
/// one-line files stay readable.
const SHOWN: usize = 60;

/// Renders one finding; `colour` adds terminal colours.
pub fn render(diagnostic: &Diagnostic, file: &str, lines: &Lines<'_>, colour: bool) -> String {
    let paint = |code: &str, text: &str| {
        if colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    };
    let tint = match diagnostic.severity {
        Severity::Error => "1;31",
        Severity::Warning => "1;33",
    };
    let start = lines.place(diagnostic.span.start);
    let severity = format!("{}[{}]", diagnostic.severity.name(), diagnostic.code.name());
    let margin = " ".repeat(start.line.to_string().len());
    let bar = paint("1;34", "|");
    let (before, behind) = lines.around(diagnostic.span.start);
    let (before, behind) = (last_part(before), first_part(behind));
    let length = diagnostic.span.end.saturating_sub(diagnostic.span.start) as usize;
    let marked = visible(behind.get(..length).unwrap_or(&behind));
    let (before, behind) = (visible(&before), visible(&behind));
    let mut out = format!(
        "{}: {}\n{margin}{} {file}:{}:{}\n{margin} {bar}\n{} {bar} {before}{behind}\n\
         {margin} {bar} {}{}\n",
        paint(tint, &severity),
        paint("1", &diagnostic.message),
        paint("1;34", "-->"),
        start.line,
        start.column,
        paint("1;34", &start.line.to_string()),
        " ".repeat(before.width()),
        paint(tint, &"^".repeat(marked.width().max(1))),
    );
    for note in &diagnostic.notes {
        out += &format!("{margin} {} {note}\n", paint("1;34", "="));
    }
    out
}

/// What is shown of a line before a place.
fn last_part(text: &str) -> Cow<'_, str> {
    match text.char_indices().rev().nth(SHOWN - 1) {
        Some((start, _)) if start > 0 => format!("…{}", &text[start..]).into(),
        _ => text.into(),
    }
}

/// What is shown of a line from a place on.
fn first_part(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// A text without what would move the cursor of a terminal, or worse.
fn visible(text: &str) -> String {
    let show = |character: char| match character {
        '\t' => ' ',
        _ if character.is_control() => char::REPLACEMENT_CHARACTER,
        _ => character,
    };
    text.chars().map(show).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Code;
    use crate::source::Span;
    use expect_test::{Expect, expect};

    /// Renders a finding about the first `?x` of a text.
    fn check(text: &str, expected: Expect) {
        let at = text.find("?x").expect("a place");
        let span = Span::new(at, at + 2);
        let diagnostic = Diagnostic::error(Code::UnsafeHead, span, "no `?x`").note("bind it");
        expected.assert_eq(&render(&diagnostic, "g.kif", &Lines::of(text), false));
    }

    #[test]
    fn the_caret_stands_below_the_place() {
        check(
            "(p a)\n(<= (p ?x) (q b))\n",
            expect![[r#"
            error[G301]: no `?x`
             --> g.kif:2:8
              |
            2 | (<= (p ?x) (q b))
              |        ^^
              = bind it
        "#]],
        );
    }

    #[test]
    fn wide_characters_and_tabs_move_the_caret() {
        check(
            "\t(<=\t(盤面 ?x) (q\u{1b} b))",
            expect![[r#"
            error[G301]: no `?x`
             --> g.kif:1:10
              |
            1 |  (<= (盤面 ?x) (q� b))
              |            ^^
              = bind it
        "#]],
        );
    }

    #[test]
    fn a_long_line_is_cut_on_both_sides() {
        let text = format!("{}(<= (p ?x) (q b)){}", "(q a) ".repeat(100), " (q a)".repeat(100));
        check(
            &text,
            expect![[r#"
            error[G301]: no `?x`
             --> g.kif:1:608
              |
            1 | …q a) (q a) (q a) (q a) (q a) (q a) (q a) (q a) (q a) (<= (p ?x) (q b)) (q a) (q a) (q a) (q a) (q a) (q a) (q a) (q a) (…
              |                                                              ^^
              = bind it
        "#]],
        );
    }
}
