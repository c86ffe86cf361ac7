//! A finding as a person reads it in a terminal: the line, a caret below it, the notes.

use super::{Diagnostic, Severity};
use crate::source::Lines;

/// Long lines are shown in part, so that generated one-line files stay readable.
const SHOWN: usize = 100;

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
    let end = lines.place(diagnostic.span.end.max(diagnostic.span.start));
    let severity = format!("{}[{}]", diagnostic.severity.name(), diagnostic.code.name());
    let margin = " ".repeat(start.line.to_string().len());
    let bar = paint("1;34", "|");
    let text: Vec<char> = lines.text(start.line).chars().collect();
    let last = if end.line == start.line { end.column } else { text.len() + 1 };
    let from = window_start(text.len(), start.column);
    let shown: String =
        text[from..].iter().take(SHOWN).map(|&c| if c == '\t' { ' ' } else { c }).collect();
    let caret_count = last.saturating_sub(start.column).clamp(1, SHOWN);
    let carets =
        "^".repeat(caret_count.min((SHOWN + from + 1).saturating_sub(start.column).max(1)));
    let mut out = format!(
        "{}: {}\n{margin}{} {file}:{}:{}\n{margin} {bar}\n{} {bar} {shown}\n{margin} {bar} {}{}\n",
        paint(tint, &severity),
        paint("1", &diagnostic.message),
        paint("1;34", "-->"),
        start.line,
        start.column,
        paint("1;34", &start.line.to_string()),
        " ".repeat(start.column - 1 - from),
        paint(tint, &carets),
    );
    for note in &diagnostic.notes {
        out += &format!("{margin} {} {note}\n", paint("1;34", "="));
    }
    out
}

fn window_start(length: usize, column: usize) -> usize {
    if length <= SHOWN || column <= SHOWN / 2 { 0 } else { column - SHOWN / 2 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Code;
    use crate::source::Span;
    use expect_test::expect;

    #[test]
    fn the_caret_stands_below_the_place() {
        let text = "(p a)\n(<= (p ?x) (q b))\n";
        let diagnostic =
            Diagnostic::error(Code::UnsafeHead, Span::new(13, 15), "no `?x`").note("bind it");
        let rendered = render(&diagnostic, "g.kif", &Lines::of(text), false);
        expect![[r#"
            error[G301]: no `?x`
             --> g.kif:2:8
              |
            2 | (<= (p ?x) (q b))
              |        ^^
              = bind it
        "#]]
        .assert_eq(&rendered);
    }
}
