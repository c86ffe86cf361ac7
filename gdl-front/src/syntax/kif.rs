//! KIF text to a sheet: first to nested lists, without recursion, then lists to rules.
//!
//! Everything that is not white space, a parenthesis or a comment is part of a name, as in the
//! field's other systems. Errors do not stop the parser; what is broken is left out of the sheet.

use super::{BYTE_ORDER_MARK, MAX_DEPTH, Parser};
use crate::ast::{Atom, Formula, Rule, Sheet, Term};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::{Lines, Span};
use crate::vocabulary::{AND, DISTINCT, IMPLIED_BY, NOT, OR};

/// Parses KIF.
pub(super) fn parse(source: &str) -> (Sheet, Vec<Diagnostic>) {
    let mut parser = Parser::new(source);
    let forms = read_forms(&mut parser);
    for form in unwrapped(&forms) {
        if let Some(rule) = parser.kif_rule(form) {
            parser.sheet.rules.push(rule);
        }
    }
    parser.finish()
}

/// A nested list of names.
enum Form {
    Name(Span),
    List(Vec<Form>, Span),
}

impl Form {
    fn span(&self) -> Span {
        match self {
            Form::Name(span) | Form::List(_, span) => *span,
        }
    }
}

/// A sheet may come in one more pair of parentheses, as it does in a START message.
fn unwrapped(forms: &[Form]) -> &[Form] {
    match forms {
        [Form::List(inner, _)] if matches!(inner.first(), Some(Form::List(..))) => inner,
        _ => forms,
    }
}

/// Reads the text into lists; open lists wait on a stack, so that depth costs no stack frames.
fn read_forms(parser: &mut Parser<'_>) -> Vec<Form> {
    let bytes = parser.source.as_bytes();
    let mut open: Vec<(usize, Vec<Form>)> = Vec::new();
    let mut done = Vec::new();
    let mut at =
        if parser.source.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
    while at < bytes.len() {
        match bytes[at] {
            b';' => at = comment(parser, at),
            b'(' if open.len() == MAX_DEPTH => {
                parser.too_deep(Span::new(at, at + 1));
                return done;
            }
            b'(' => {
                open.push((at, Vec::new()));
                at += 1;
            }
            b')' => {
                match open.pop() {
                    Some((start, forms)) => {
                        let list = Form::List(forms, Span::new(start, at + 1));
                        open.last_mut().map_or(&mut done, |(_, up)| up).push(list);
                    }
                    None => parser.report(
                        Diagnostic::error(
                            Code::UnexpectedClosing,
                            Span::new(at, at + 1),
                            "this `)` closes nothing",
                        )
                        .note("remove it, or look for the `(` that is missing before it"),
                    ),
                }
                at += 1;
            }
            byte if byte.is_ascii_whitespace() || byte == 0x0b => at += 1,
            _ => {
                let end = name_end(bytes, at);
                let name = Form::Name(Span::new(at, end));
                open.last_mut().map_or(&mut done, |(_, up)| up).push(name);
                at = end;
            }
        }
    }
    if let Some((start, _)) = open.first() {
        unclosed(parser, *start);
    }
    done
}

/// Whether a text reads as one name.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && name_end(text.as_bytes(), 0) == text.len()
}

fn name_end(bytes: &[u8], start: usize) -> usize {
    let ends = |&byte: &u8| {
        byte.is_ascii_whitespace() || byte == 0x0b || matches!(byte, b'(' | b')' | b';')
    };
    bytes[start..].iter().position(ends).map_or(bytes.len(), |length| start + length)
}

fn comment(parser: &mut Parser<'_>, start: usize) -> usize {
    let rest = &parser.source[start..];
    let end = start + rest.find(['\n', '\r']).unwrap_or(rest.len());
    parser.line_comment(';', Span::new(start, end));
    end
}

/// A list that never closes swallows all that follows: the next `(` at the start of a line is most
/// likely where it should have ended.
fn unclosed(parser: &mut Parser<'_>, start: usize) {
    let rest = &parser.source[start + 1..];
    let next = ["\n(", "\r("]
        .iter()
        .filter_map(|mark| rest.find(mark))
        .min()
        .map(|offset| start + 1 + offset + 1);
    let mut diagnostic = Diagnostic::error(
        Code::UnclosedParenthesis,
        Span::new(start, start + 1),
        "this `(` is never closed",
    );
    if let Some(next) = next {
        let line = Lines::of(parser.source).place(next as u32).line;
        diagnostic = diagnostic.note(format!(
            "a `)` is probably missing before line {line}, where the next rule seems to start"
        ));
    }
    parser.report(diagnostic.note("add the `)` where the list ends"));
}

impl Parser<'_> {
    fn kif_rule(&mut self, form: &Form) -> Option<Rule> {
        let span = form.span();
        let parts = match form {
            Form::List(parts, _) => parts.as_slice(),
            Form::Name(_) => &[],
        };
        match parts {
            [Form::Name(first), rest @ ..] if self.text(*first) == IMPLIED_BY => {
                let [head, body @ ..] = rest else {
                    self.report(
                        Diagnostic::error(Code::MalformedRule, span, "a rule without a head")
                            .note("write `(<= head condition…)`"),
                    );
                    return None;
                };
                let head = self.kif_head(head);
                let body: Vec<_> = body.iter().map(|part| self.kif_formula(part)).collect();
                Some(Rule { head: head?, body: body.into_iter().collect::<Option<_>>()?, span })
            }
            _ => {
                let head = self.kif_head(form)?;
                Some(Rule { head, body: Vec::new(), span })
            }
        }
    }

    fn kif_head(&mut self, form: &Form) -> Option<Atom> {
        match self.kif_formula(form)? {
            Formula::Atom(atom) => Some(atom),
            other => {
                self.head_is_no_atom(other.span());
                None
            }
        }
    }

    fn kif_formula(&mut self, form: &Form) -> Option<Formula> {
        let span = form.span();
        let (first, rest) = self.kif_application(form, "a formula")?;
        let word = self.text(first).to_ascii_lowercase();
        match (word.as_str(), rest) {
            (AND, _) => Some(Formula::And(self.kif_formulas(rest)?, span)),
            (OR, _) => Some(Formula::Or(self.kif_formulas(rest)?, span)),
            (NOT, [inner]) => Some(Formula::Not(Box::new(self.kif_formula(inner)?), span)),
            (NOT, _) => {
                self.wrong_operand_count(NOT, 1, rest.len(), span);
                None
            }
            (DISTINCT, [a, b]) => {
                let terms = [self.kif_term(a)?, self.kif_term(b)?];
                Some(Formula::Distinct(Box::new(terms), span))
            }
            (DISTINCT, _) => {
                self.wrong_operand_count(DISTINCT, 2, rest.len(), span);
                None
            }
            (IMPLIED_BY, _) => {
                self.report(
                    Diagnostic::error(Code::MalformedFormula, span, "a rule inside a rule")
                        .note("close the outer rule before this one"),
                );
                None
            }
            _ if word.starts_with('?') => {
                self.variable_as_formula(first);
                None
            }
            _ => {
                let name = self.symbol(first);
                Some(Formula::Atom(Atom { name, args: self.kif_terms(rest)?, span }))
            }
        }
    }

    fn kif_formulas(&mut self, forms: &[Form]) -> Option<Vec<Formula>> {
        let parts: Vec<_> = forms.iter().map(|form| self.kif_formula(form)).collect();
        parts.into_iter().collect()
    }

    fn kif_term(&mut self, form: &Form) -> Option<Term> {
        let (first, rest) = self.kif_application(form, "a term")?;
        let is_variable = self.text(first).starts_with('?');
        if is_variable && (!rest.is_empty() || matches!(form, Form::List(..))) {
            self.variable_as_function(first);
            return None;
        }
        if is_variable && self.text(first) == "?" {
            self.nameless_variable(first);
            return None;
        }
        let name = self.symbol(first);
        if is_variable {
            return Some(Term::Variable(name, first));
        }
        if rest.is_empty() {
            return Some(Term::Constant(name, form.span()));
        }
        Some(Term::Function(name, self.kif_terms(rest)?, form.span()))
    }

    fn kif_terms(&mut self, forms: &[Form]) -> Option<Vec<Term>> {
        let terms: Vec<_> = forms.iter().map(|form| self.kif_term(form)).collect();
        terms.into_iter().collect()
    }

    /// The name and the operands of `name` or `(name operand…)`.
    fn kif_application<'f>(&mut self, form: &'f Form, what: &str) -> Option<(Span, &'f [Form])> {
        match form {
            Form::Name(name) => Some((*name, &[])),
            Form::List(parts, span) => match parts.as_slice() {
                [Form::Name(name), rest @ ..] => Some((*name, rest)),
                [] => {
                    self.report(
                        Diagnostic::error(
                            Code::EmptyList,
                            *span,
                            format!("`()` where {what} is expected"),
                        )
                        .note("write a name after the `(`, or remove the parentheses"),
                    );
                    None
                }
                [first, ..] => {
                    self.report(
                        Diagnostic::error(
                            Code::MalformedFormula,
                            first.span(),
                            format!("{what} must start with a name, not with a list"),
                        )
                        .note("there may be one `(` too many here"),
                    );
                    None
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::syntax::Syntax::Kif;
    use crate::syntax::tests::{check, check_errors};
    use expect_test::expect;

    #[test]
    fn parentheses_around_a_lone_name_mean_nothing() {
        check(Kif, "(p) p (<= (p)) (<= q (p))", expect!["p. p. p. q :- p."]);
        check(Kif, "(p (a))", expect!["p(a)."]);
    }

    #[test]
    fn connectives_nest_and_may_be_empty() {
        check(
            Kif,
            "(<= p (or) (or a (and b (or c d))) (not (or e f)) (and))",
            expect!["p :- or(), (a or (b, (c or d))), not (e or f), and()."],
        );
    }

    #[test]
    fn any_line_ending_and_any_case() {
        check(Kif, "(<= (P ?X)\r; c\r(q ?x)\n(NOT (r ?X)))", expect!["p(X) :- q(X), not r(X)."]);
    }

    #[test]
    fn a_sheet_in_one_more_pair_of_parentheses() {
        check(Kif, "((p a) (<= q (p a)))", expect!["p(a). q :- p(a)."]);
    }

    #[test]
    fn errors_do_not_hide_each_other() {
        check_errors(
            Kif,
            "(p (?x a))\n(<= )\n(q ())\n)\n(<= ?x p)\n(<= p (not a b))\n(r",
            expect![[r#"
                1:5 G109 a variable in the place of a function: `?x`
                2:1 G106 a rule without a head
                3:4 G105 `()` where a term is expected
                4:1 G104 this `)` closes nothing
                5:5 G108 a variable in the place of a formula: `?x`
                6:7 G107 `not` takes 1 operand, not 2
                7:1 G103 this `(` is never closed"#]],
        );
    }
}
