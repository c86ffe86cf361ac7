//! Text to [`Sheet`], in either of the two syntaxes.
//!
//! Entry point: [`parse`]. It never fails as a whole: it gives the sheet of what could be read,
//! and a finding for each place that could not.

mod infix;
mod kif;

use crate::MAX_FINDINGS;
use crate::ast::{Comment, Rule, Sheet};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::{Symbol, Symbols};

/// Nesting beyond this is refused, so that later passes may recurse.
const MAX_DEPTH: usize = 256;
/// Text beyond this is refused: 200 times the largest public rule sheet.
const MAX_BYTES: usize = 16 << 20;

/// Some editors put it before the first character; it means nothing.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The two ways to write GDL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// Prefix notation in parentheses, as game managers send it.
    Kif,
    /// Prolog notation, as in the papers.
    Infix,
}

impl Syntax {
    /// How it is called on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Syntax::Kif => "kif",
            Syntax::Infix => "infix",
        }
    }
}

/// Parses a text in the given syntax, or in the one that it looks like.
pub fn parse(source: &str, syntax: Option<Syntax>) -> (Sheet, Vec<Diagnostic>) {
    if source.len() > MAX_BYTES {
        let message = format!("the text has {} bytes; at most {MAX_BYTES} are read", source.len());
        let parser = Parser::new("");
        let (sheet, _) = parser.finish();
        let note = "no game needs that much; split the file if it holds several";
        return (
            sheet,
            vec![Diagnostic::error(Code::TooLarge, Span::default(), message).note(note)],
        );
    }
    match syntax.unwrap_or_else(|| recognise(source)) {
        Syntax::Kif => kif::parse(source),
        Syntax::Infix => infix::parse(source),
    }
}

/// The syntax that a text looks like, from its first mark or name.
pub fn recognise(source: &str) -> Syntax {
    let text = source.trim_start_matches(|c: char| c.is_whitespace() || c == BYTE_ORDER_MARK);
    let name_length = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    let behind = &text[name_length..];
    let infix = match text.chars().next() {
        Some('%' | '\'') => true,
        Some('/') => text.starts_with("/*"),
        Some('(' | ';') | None => false,
        Some(_) if name_length > 0 => {
            behind.starts_with('(') || behind.trim_start().starts_with(['.', ':'])
        }
        Some(_) => false,
    };
    if infix { Syntax::Infix } else { Syntax::Kif }
}

/// What both parsers share: the text, the sheet so far, and the findings.
struct Parser<'a> {
    source: &'a str,
    sheet: Sheet,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Parser<'a> {
    fn new(source: &'a str) -> Parser<'a> {
        let sheet = Sheet {
            rules: Vec::<Rule>::new(),
            symbols: Symbols::default(),
            comments: Vec::new(),
            respelled: Vec::new(),
        };
        let mut parser = Parser { source, sheet, diagnostics: Vec::new() };
        parser.check_characters();
        parser
    }

    fn finish(mut self) -> (Sheet, Vec<Diagnostic>) {
        self.diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
        (self.sheet, self.diagnostics)
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        // One too many tells that there were more.
        if self.diagnostics.len() <= MAX_FINDINGS {
            self.diagnostics.push(diagnostic);
        }
    }

    fn text(&self, span: Span) -> &'a str {
        &self.source[span.start as usize..span.end as usize]
    }

    fn symbol(&mut self, span: Span) -> Symbol {
        self.named(self.text(span), span)
    }

    fn named(&mut self, name: &str, span: Span) -> Symbol {
        let symbol = self.sheet.symbols.intern(name);
        if self.sheet.symbols.spelling(symbol) != name {
            self.sheet.respelled.push((symbol, span));
        }
        symbol
    }

    fn line_comment(&mut self, mark: char, span: Span) {
        let whole = self.text(span);
        let text = whole.trim_start_matches(mark);
        self.sheet.comments.push(Comment {
            marks: whole.len() - text.len(),
            text: text.trim_end().to_owned(),
            span,
        });
    }

    fn check_characters(&mut self) {
        if let Some(at) = self.source.find('\0') {
            self.report(
                Diagnostic::error(Code::NulByte, Span::new(at, at + 1), "a NUL byte in the text")
                    .note("the file is probably not text, or is UTF-16: save it as UTF-8"),
            );
        }
    }

    fn too_deep(&mut self, span: Span) {
        self.report(
            Diagnostic::error(
                Code::TooDeep,
                span,
                format!("more than {MAX_DEPTH} levels of nesting"),
            )
            .note("the text is not read beyond this point; look for `(` that are never closed"),
        );
    }

    fn head_is_no_atom(&mut self, span: Span) {
        self.report(
            Diagnostic::error(
                Code::MalformedRule,
                span,
                format!("a head must be a relation, not `{}`", self.text(span)),
            )
            .note("only one atom can follow from a rule; write one rule for each atom"),
        );
    }

    fn wrong_operand_count(&mut self, word: &str, wanted: usize, found: usize, span: Span) {
        let plural = if wanted == 1 { "" } else { "s" };
        self.report(
            Diagnostic::error(
                Code::WrongOperandCount,
                span,
                format!("`{word}` takes {wanted} operand{plural}, not {found}"),
            )
            .note("check where its parentheses open and close"),
        );
    }

    fn variable_as_formula(&mut self, span: Span) {
        self.report(
            Diagnostic::error(
                Code::VariableAsFormula,
                span,
                format!("a variable in the place of a formula: `{}`", self.text(span)),
            )
            .note("variables stand for terms; write a relation that has it as an argument"),
        );
    }

    fn variable_as_function(&mut self, span: Span) {
        self.report(
            Diagnostic::error(
                Code::VariableAsFunction,
                span,
                format!("a variable in the place of a function: `{}`", self.text(span)),
            )
            .note("functions have fixed names; write the name of one"),
        );
    }

    fn nameless_variable(&mut self, span: Span) {
        self.report(
            Diagnostic::error(Code::NamelessVariable, span, "a variable without a name")
                .note("write a name behind the `?`"),
        );
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::print::infix_line;
    use crate::source::Lines;
    use expect_test::Expect;

    /// Parses and prints all rules in one line of infix, with names in lower case.
    pub(crate) fn check(syntax: Syntax, text: &str, expected: Expect) {
        let (sheet, diagnostics) = parse(text, Some(syntax));
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let lines: Vec<String> =
            sheet.rules.iter().map(|rule| infix_line(rule, &sheet.symbols)).collect();
        expected.assert_eq(&lines.join(" "));
    }

    /// Parses and lists the findings, one a line.
    pub(crate) fn check_errors(syntax: Syntax, text: &str, expected: Expect) {
        let (_, diagnostics) = parse(text, Some(syntax));
        let lines = Lines::of(text);
        let list: Vec<String> = diagnostics
            .iter()
            .map(|diagnostic| {
                let place = lines.place(diagnostic.span.start);
                let code = diagnostic.code.name();
                format!("{}:{} {code} {}", place.line, place.column, diagnostic.message)
            })
            .collect();
        expected.assert_eq(&list.join("\n"));
    }

    #[test]
    fn the_syntax_is_recognised() {
        for (text, syntax) in [
            ("(role x)", Syntax::Kif),
            ("\u{feff} ; c\n(role x)", Syntax::Kif),
            ("", Syntax::Kif),
            ("terminal (role x)", Syntax::Kif),
            ("role(x).", Syntax::Infix),
            ("% c\nrole(x).", Syntax::Infix),
            ("/* c */ role(x).", Syntax::Infix),
            ("terminal :- p.", Syntax::Infix),
            ("'Role'(x).", Syntax::Infix),
            ("p q (r a)", Syntax::Kif),
        ] {
            assert_eq!(recognise(text), syntax, "{text:?}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        for (syntax, open) in [(Syntax::Kif, "("), (Syntax::Infix, "f(")] {
            let (_, diagnostics) = parse(&open.repeat(1_000_000), Some(syntax));
            assert_eq!(diagnostics[0].code, Code::TooDeep);
        }
    }
}
