//! Prolog-style text to a sheet.
//!
//! ```text
//! clause     = atom [(":-" | "<=") body] "."
//! body       = both { ("or" | ";" | "|") both }
//! both       = one { ("," | "&") one }
//! one        = ("not" | "~" | "\+") one | "(" body ")" | ("or" | "and") "(" [body…] ")"
//!            | "distinct" "(" term "," term ")" | atom
//! atom, term = name ["(" term { "," term } ")"] | Variable
//! ```
//! Names that are not plain lower-case words stand in quotes (`'a-b'`), variables that are not
//! plain upper-case words behind a question mark (`?1`, `?'a-b'`); `_` is a new variable each time.
//! After an error the parser goes on behind the next full stop.

use super::{BYTE_ORDER_MARK, MAX_DEPTH, Parser, kif};
use crate::ast::{Atom, Comment, Formula, Rule, Sheet, Term};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::vocabulary::{AND, DISTINCT, IMPLIED_BY, NOT, OR};

/// Parses infix.
pub(super) fn parse(source: &str) -> (Sheet, Vec<Diagnostic>) {
    let mut parser = Parser::new(source);
    let tokens = tokenise(&mut parser);
    let mut infix = Infix { parser, tokens, at: 0, depth: 0, anonymous: 0 };
    while infix.peek() != &Token::End {
        match infix.clause() {
            Some(rule) => infix.parser.sheet.rules.push(rule),
            None => infix.skip_clause(),
        }
    }
    infix.parser.finish()
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A name, without its quotes.
    Name(String),
    /// A variable, with a `?` before its name.
    Variable(String),
    /// `_`
    Anonymous,
    If,
    And,
    Or,
    Not,
    Open,
    Close,
    Stop,
    End,
}

fn tokenise(parser: &mut Parser<'_>) -> Vec<(Token, Span)> {
    let source = parser.source;
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = source[at..].chars().next() {
        let rest = &source[at..];
        let start = at;
        at += c.len_utf8();
        let token = match c {
            _ if c.is_whitespace() || c == BYTE_ORDER_MARK => continue,
            '%' => {
                at = line_comment(parser, start);
                continue;
            }
            '/' if rest.starts_with("/*") => {
                at = block_comment(parser, start);
                continue;
            }
            '(' => Token::Open,
            ')' => Token::Close,
            ',' | '&' => Token::And,
            ';' | '|' => Token::Or,
            '~' => Token::Not,
            '.' => Token::Stop,
            _ if rest.starts_with("\\+") => {
                at = start + 2;
                Token::Not
            }
            _ if rest.starts_with(":-") || rest.starts_with(IMPLIED_BY) => {
                at = start + 2;
                Token::If
            }
            '\'' => {
                let (name, end) = quoted(parser, start, false);
                at = end;
                Token::Name(name)
            }
            '?' if rest.starts_with("?'") => {
                let (name, end) = quoted(parser, start + 1, true);
                at = end;
                Token::Variable(format!("?{name}"))
            }
            '?' => {
                at = word_end(source, at);
                if at == start + 1 {
                    parser.nameless_variable(Span::new(start, at));
                    continue;
                }
                Token::Variable(source[start..at].to_owned())
            }
            _ if is_word(c) => {
                at = word_end(source, at);
                word(&source[start..at])
            }
            _ => {
                parser.report(
                    Diagnostic::error(
                        Code::UnexpectedToken,
                        Span::new(start, at),
                        format!("`{c}` has no meaning here"),
                    )
                    .note("put names with unusual characters in single quotes: 'a-b'"),
                );
                continue;
            }
        };
        tokens.push((token, Span::new(start, at)));
    }
    tokens.push((Token::End, Span::new(source.len(), source.len())));
    tokens
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn word_end(source: &str, start: usize) -> usize {
    let rest = &source[start..];
    start + rest.find(|c| !is_word(c)).unwrap_or(rest.len())
}

fn word(text: &str) -> Token {
    match text {
        "_" => Token::Anonymous,
        NOT => Token::Not,
        OR => Token::Or,
        AND => Token::And,
        _ if text.starts_with(|c: char| c.is_uppercase() || c == '_') => {
            Token::Variable(format!("?{text}"))
        }
        _ => Token::Name(text.to_owned()),
    }
}

/// A name in quotes from `start`, perhaps that of a variable; `''` stands for one quote in it.
fn quoted(parser: &mut Parser<'_>, start: usize, variable: bool) -> (String, usize) {
    let mut name = String::new();
    let mut at = start + 1;
    while let Some(c) = parser.source[at..].chars().next() {
        at += c.len_utf8();
        if c != '\'' {
            name.push(c);
        } else if parser.source[at..].starts_with('\'') {
            name.push('\'');
            at += 1;
        } else {
            check_quoted(parser, &name, variable, Span::new(start, at));
            return (name, at);
        }
    }
    parser.report(
        Diagnostic::error(
            Code::Unterminated,
            Span::new(start, start + 1),
            "a quoted name that never ends",
        )
        .note("add the closing `'`"),
    );
    (name, at)
}

/// GDL's own syntax has no quotes: a name that it cannot write is no name of GDL.
fn check_quoted(parser: &mut Parser<'_>, name: &str, variable: bool, span: Span) {
    if !kif::is_name(name) || (name.starts_with('?') && !variable) {
        let message = format!("`{name}` is no name that KIF can write");
        parser.report(
            Diagnostic::error(Code::QuotedName, span, message)
                .note("leave out blanks, parentheses, `;` and a `?` at the start"),
        );
    }
}

fn line_comment(parser: &mut Parser<'_>, start: usize) -> usize {
    let rest = &parser.source[start..];
    let end = start + rest.find(['\n', '\r']).unwrap_or(rest.len());
    parser.line_comment('%', Span::new(start, end));
    end
}

fn block_comment(parser: &mut Parser<'_>, start: usize) -> usize {
    let rest = &parser.source[start + 2..];
    let length = rest.find("*/").unwrap_or_else(|| {
        parser.report(
            Diagnostic::error(
                Code::Unterminated,
                Span::new(start, start + 2),
                "a comment that never ends",
            )
            .note("add the closing `*/`"),
        );
        rest.len()
    });
    let end = (start + 2 + length + 2).min(parser.source.len());
    let text = rest[..length].trim_end().to_owned();
    parser.sheet.comments.push(Comment { marks: 1, text, span: Span::new(start, end) });
    end
}

struct Infix<'a> {
    parser: Parser<'a>,
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: usize,
    anonymous: usize,
}

impl Infix<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    fn span_before(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        if token != Token::End {
            self.at += 1;
        }
        token
    }

    fn eat(&mut self, token: &Token) -> bool {
        let found = self.peek() == token;
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, token: &Token, what: &str) -> Option<()> {
        if self.eat(token) {
            return Some(());
        }
        self.unexpected(what);
        None
    }

    fn unexpected(&mut self, wanted: &str) {
        let span = self.span();
        let found = match self.peek() {
            Token::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.parser.text(span)),
        };
        self.parser.report(
            Diagnostic::error(
                Code::UnexpectedToken,
                span,
                format!("expected {wanted}, found {found}"),
            )
            .note("a clause is `head :- condition, condition.` and ends with a full stop"),
        );
    }

    /// One level deeper; `None`, and the rest of the text skipped, if that is too deep.
    fn descend(&mut self) -> Option<()> {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            return Some(());
        }
        let span = self.span();
        self.parser.too_deep(span);
        self.at = self.tokens.len() - 1;
        None
    }

    fn skip_clause(&mut self) {
        self.depth = 0;
        while !matches!(self.advance(), Token::Stop | Token::End) {}
    }

    fn clause(&mut self) -> Option<Rule> {
        let start = self.span();
        let head = match self.one()? {
            Formula::Atom(atom) => atom,
            other => {
                self.parser.head_is_no_atom(other.span());
                return None;
            }
        };
        let mut body = Vec::new();
        if self.eat(&Token::If) {
            body = self.body()?;
        }
        self.expect(&Token::Stop, "`.`, `,` or `:-`")?;
        Some(Rule { head, body, span: start.to(self.span_before()) })
    }

    /// The conjuncts of a body that is not inside parentheses.
    fn body(&mut self) -> Option<Vec<Formula>> {
        let mut disjuncts = vec![self.both()?];
        while self.eat(&Token::Or) {
            disjuncts.push(self.both()?);
        }
        if disjuncts.len() == 1 {
            return disjuncts.pop();
        }
        let disjuncts: Vec<Formula> = disjuncts.into_iter().map(conjunction).collect();
        let span = disjuncts[0].span().to(self.span_before());
        Some(vec![Formula::Or(disjuncts, span)])
    }

    fn both(&mut self) -> Option<Vec<Formula>> {
        let mut conjuncts = vec![self.one()?];
        while self.eat(&Token::And) {
            conjuncts.push(self.one()?);
        }
        Some(conjuncts)
    }

    fn one(&mut self) -> Option<Formula> {
        self.descend()?;
        let start = self.span();
        let formula = match self.peek() {
            Token::Not => {
                self.advance();
                let inner = self.one()?;
                let span = start.to(inner.span());
                Formula::Not(Box::new(inner), span)
            }
            Token::Open => {
                self.advance();
                let inner = self.body()?;
                self.expect(&Token::Close, "`)`")?;
                conjunction(inner)
            }
            Token::Or | Token::And => {
                let is_or = self.advance() == Token::Or;
                self.expect(&Token::Open, "`(`")?;
                let parts = self.operands()?;
                let span = start.to(self.span_before());
                if is_or { Formula::Or(parts, span) } else { Formula::And(parts, span) }
            }
            _ => self.atom(start)?,
        };
        self.depth -= 1;
        Some(formula)
    }

    /// `part, part…)`, perhaps none.
    fn operands(&mut self) -> Option<Vec<Formula>> {
        let mut parts = Vec::new();
        if self.eat(&Token::Close) {
            return Some(parts);
        }
        loop {
            parts.push(self.one()?);
            if self.eat(&Token::Close) {
                return Some(parts);
            }
            self.expect(&Token::And, "`,` or `)`")?;
        }
    }

    fn atom(&mut self, start: Span) -> Option<Formula> {
        let name = match self.peek().clone() {
            Token::Name(name) => name,
            Token::Variable(_) | Token::Anonymous => {
                self.parser.variable_as_formula(start);
                return None;
            }
            _ => {
                self.unexpected("a relation");
                return None;
            }
        };
        self.advance();
        let args = self.arguments()?;
        let span = start.to(self.span_before());
        if name.eq_ignore_ascii_case(DISTINCT) {
            let count = args.len();
            let Ok(terms) = <[Term; 2]>::try_from(args) else {
                self.parser.wrong_operand_count(DISTINCT, 2, count, span);
                return None;
            };
            return Some(Formula::Distinct(Box::new(terms), span));
        }
        let name = self.parser.named(&name, start);
        Some(Formula::Atom(Atom { name, args, span }))
    }

    fn arguments(&mut self) -> Option<Vec<Term>> {
        let mut args = Vec::new();
        if !self.eat(&Token::Open) || self.eat(&Token::Close) {
            return Some(args);
        }
        loop {
            args.push(self.term()?);
            if self.eat(&Token::Close) {
                return Some(args);
            }
            self.expect(&Token::And, "`,` or `)`")?;
        }
    }

    fn term(&mut self) -> Option<Term> {
        self.descend()?;
        let (start, at) = (self.span(), self.at);
        let term = match self.advance() {
            Token::Anonymous => {
                self.anonymous += 1;
                let name = self.parser.named(&format!("?_{}", self.anonymous), start);
                Term::Variable(name, start)
            }
            Token::Variable(name) => {
                if self.peek() == &Token::Open {
                    self.parser.variable_as_function(start);
                    return None;
                }
                Term::Variable(self.parser.named(&name, start), start)
            }
            Token::Name(name) => self.application(&name, start)?,
            // Words that join formulas are ordinary names among terms.
            Token::And | Token::Or | Token::Not if self.parser.text(start).len() > 1 => {
                let name = self.parser.text(start);
                self.application(name, start)?
            }
            _ => {
                self.at = at;
                self.unexpected("a term");
                return None;
            }
        };
        self.depth -= 1;
        Some(term)
    }

    fn application(&mut self, name: &str, start: Span) -> Option<Term> {
        let name = self.parser.named(name, start);
        let args = self.arguments()?;
        let span = start.to(self.span_before());
        Some(if args.is_empty() {
            Term::Constant(name, span)
        } else {
            Term::Function(name, args, span)
        })
    }
}

/// One formula as itself, several as their conjunction.
fn conjunction(mut parts: Vec<Formula>) -> Formula {
    if parts.len() == 1 {
        return parts.remove(0);
    }
    let span = parts.iter().map(Formula::span).reduce(Span::to).unwrap_or_default();
    Formula::And(parts, span)
}

#[cfg(test)]
mod tests {
    use crate::syntax::Syntax::Infix;
    use crate::syntax::tests::{check, check_errors};
    use expect_test::expect;

    #[test]
    fn clauses_as_in_the_papers() {
        check(
            Infix,
            "legal(P,mark(M,N)) :- true(control(P)), true(cell(M,N,b)).\nrole(x). terminal.",
            expect![
                "legal(P, mark(M, N)) :- true(control(P)), true(cell(M, N, b)). role(x). terminal."
            ],
        );
    }

    #[test]
    fn operators_have_several_spellings() {
        check(
            Infix,
            "p :- ~a, \\+ b & not c, (d ; e | f or g). q <= a, b or c.",
            expect!["p :- not a, not b, not c, (d or e or f or g). q :- ((a, b) or c)."],
        );
    }

    #[test]
    fn comments_quotes_and_odd_variables() {
        check(
            Infix,
            "% c\np('a-b', ?1x, ?'a-c', _, _) /* d */ :- q('It''s').",
            expect!["p('a-b', ?1x, ?'a-c', _1, _2) :- q('it''s')."],
        );
    }

    #[test]
    fn errors_end_at_the_full_stop() {
        check_errors(
            Infix,
            "p(a. q(b).\nr :- X. s :- .\nnot a. t(X(b)). u",
            expect![[r#"
                1:4 G110 expected `,` or `)`, found `.`
                2:6 G108 a variable in the place of a formula: `X`
                2:14 G110 expected a relation, found `.`
                3:1 G106 a head must be a relation, not `not a`
                3:10 G109 a variable in the place of a function: `X`
                3:18 G110 expected `.`, `,` or `:-`, found the end of the text"#]],
        );
    }
}
