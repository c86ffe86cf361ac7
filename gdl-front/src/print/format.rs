//! The formatter: a whole sheet to text, comments and blank lines kept.
//!
//! A comment stays with what it stands before, or behind if it shares its line; comments inside a
//! literal move before it. Formatting twice gives the same text as formatting once.

use super::Printer;
use super::layout::WIDTH;
use crate::ast::{Comment, Rule, Sheet};
use crate::source::Span;
use crate::syntax::Syntax;
use crate::vocabulary::IMPLIED_BY;

const INDENT: usize = 4;

/// Writes a sheet in the given syntax; `source` is the text that it was parsed from.
pub fn format(sheet: &Sheet, source: &str, syntax: Syntax) -> String {
    let mut formatter = Formatter {
        printer: Printer { syntax, symbols: &sheet.symbols },
        source,
        comments: &sheet.comments,
        next_comment: 0,
        out: String::new(),
        in_facts: false,
    };
    let mut at = 0;
    for rule in &sheet.rules {
        at = formatter.comments_before(at, rule.span.start);
        formatter.blank_line_between(at, rule.span.start);
        at = formatter.rule(rule, at);
    }
    formatter.comments_before(at, u32::MAX);
    formatter.out
}

struct Formatter<'a> {
    printer: Printer<'a>,
    source: &'a str,
    comments: &'a [Comment],
    next_comment: usize,
    out: String,
    /// Whether the last line holds nothing but facts.
    in_facts: bool,
}

impl Formatter<'_> {
    /// Takes the comments that start before `limit`.
    fn take_comments(&mut self, limit: u32) -> &[Comment] {
        let rest = &self.comments[self.next_comment..];
        let count = rest.partition_point(|comment| comment.span.start < limit);
        self.next_comment += count;
        &rest[..count]
    }

    /// Writes the comments between two top-level items, and gives the end of the last.
    fn comments_before(&mut self, mut at: u32, limit: u32) -> u32 {
        for comment in self.take_comments(limit).to_vec() {
            if self.on_one_line(at, comment.span.start) && !self.out.is_empty() {
                self.trailing(&comment);
            } else {
                self.blank_line_between(at, comment.span.start);
                self.own_line(&comment, 0);
            }
            at = comment.span.end;
        }
        at
    }

    fn between(&self, from: u32, to: u32) -> &str {
        Span { start: from, end: to }.text(self.source)
    }

    fn on_one_line(&self, from: u32, to: u32) -> bool {
        !self.between(from, to).contains(['\n', '\r'])
    }

    /// Keeps one blank line where the source has some.
    fn blank_line_between(&mut self, from: u32, to: u32) {
        let gap = self.between(from, to).replace("\r\n", "\n");
        if gap.matches(['\n', '\r']).count() > 1 && !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    fn mark(&self) -> &'static str {
        match self.printer.syntax {
            Syntax::Kif => ";",
            Syntax::Infix => "%",
        }
    }

    fn own_line(&mut self, comment: &Comment, indent: usize) {
        self.in_facts = false;
        for line in comment.text.split('\n') {
            let line = format!("{}{}", self.mark().repeat(comment.marks), line.trim_end());
            self.out += &" ".repeat(indent);
            self.out += line.trim_end();
            self.out.push('\n');
        }
    }

    /// Writes a comment behind the line that is already there.
    fn trailing(&mut self, comment: &Comment) {
        self.in_facts = false;
        let text: Vec<&str> = comment.text.split('\n').map(str::trim).collect();
        let lead = if comment.text.starts_with(' ') { " " } else { "" };
        let text = format!(
            "{} {}{lead}{}",
            self.out.trim_end_matches('\n'),
            self.mark().repeat(comment.marks),
            text.join(" ")
        );
        self.out = text.trim_end().to_owned();
        self.out.push('\n');
    }

    /// Lets the next `width` columns stand in the last line if they fit there.
    fn join_line(&mut self, width: usize) {
        let line = self.out.trim_end_matches('\n');
        let last = line.rsplit('\n').next().unwrap_or("").chars().count();
        if last + 1 + width <= WIDTH {
            self.out.pop();
            self.out.push(' ');
        }
    }

    /// Writes a rule and gives its end; facts that stood in one line stay in one line.
    fn rule(&mut self, rule: &Rule, before: u32) -> u32 {
        for comment in self.take_comments(rule.head.span.end).to_vec() {
            self.own_line(&comment, 0);
        }
        let has_comments = self
            .comments
            .get(self.next_comment)
            .is_some_and(|comment| comment.span.start < rule.span.end);
        let flat = match self.printer.syntax {
            Syntax::Kif => super::kif_line(rule, self.printer.symbols),
            Syntax::Infix => super::infix_line(rule, self.printer.symbols),
        };
        let short = rule.body.len() <= 1 && flat.chars().count() <= WIDTH;
        if !has_comments && (rule.body.is_empty() || short) {
            let together = self.in_facts && self.on_one_line(before, rule.span.start);
            if rule.body.is_empty() && together {
                self.join_line(flat.chars().count());
            }
            self.in_facts = rule.body.is_empty();
            self.out += &flat;
            self.out.push('\n');
        } else {
            self.in_facts = false;
            self.broken_rule(rule);
        }
        rule.span.end
    }

    fn broken_rule(&mut self, rule: &Rule) {
        let head = self.printer.atom(&rule.head);
        self.out += &match self.printer.syntax {
            Syntax::Kif => format!("({IMPLIED_BY} {head}\n"),
            Syntax::Infix if rule.body.is_empty() => format!("{head}\n"),
            Syntax::Infix => format!("{head} :-\n"),
        };
        let mut at = rule.head.span.end;
        for (index, part) in rule.body.iter().enumerate() {
            at = self.inner_comments(at, part.span().start);
            for comment in self.take_comments(part.span().end).to_vec() {
                self.own_line(&comment, INDENT);
            }
            let end = match self.printer.syntax {
                Syntax::Infix if index + 1 < rule.body.len() => ",",
                _ => "",
            };
            self.out += &" ".repeat(INDENT);
            self.out += &self.printer.formula(part).render(INDENT, 1);
            self.out += end;
            self.out.push('\n');
            at = at.max(part.span().end);
        }
        let lines_before = self.out.len();
        self.inner_comments(at, rule.span.end);
        self.close(self.out.len() > lines_before);
    }

    /// Ends a rule: behind its last line, or in a line of its own below a comment.
    fn close(&mut self, behind_comment: bool) {
        let end = match self.printer.syntax {
            Syntax::Kif => ")",
            Syntax::Infix => ".",
        };
        if behind_comment {
            self.out += &" ".repeat(INDENT);
        } else {
            self.out.pop();
        }
        self.out += end;
        self.out.push('\n');
    }

    fn inner_comments(&mut self, mut at: u32, limit: u32) -> u32 {
        for comment in self.take_comments(limit).to_vec() {
            if self.on_one_line(at, comment.span.start) {
                self.trailing(&comment);
            } else {
                self.own_line(&comment, INDENT);
            }
            at = comment.span.end;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parse;
    use expect_test::{Expect, expect};

    fn check(text: &str, syntax: Syntax, expected: Expect) {
        let once = formatted(text, syntax);
        expected.assert_eq(&once);
        assert_eq!(formatted(&once, syntax), once, "formatting twice");
    }

    fn formatted(text: &str, syntax: Syntax) -> String {
        let (sheet, diagnostics) = parse(text, None);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        format(&sheet, text, syntax)
    }

    #[test]
    fn comments_stay_where_they_belong() {
        let text = "; head\n\n\n(p a) ;; behind\n(<= (q ?x) ; first\n (p ?x) ; second\n; own\n\
                    (not ; inside\n (r ?x))\n; last\n)\n;;; end";
        check(
            text,
            Syntax::Kif,
            expect![[r#"
                ; head

                (p a) ;; behind
                (<= (q ?x) ; first
                    (p ?x) ; second
                    ; own
                    ; inside
                    (not (r ?x))
                    ; last
                    )
                ;;; end
            "#]],
        );
        check(
            text,
            Syntax::Infix,
            expect![[r#"
                % head

                p(a). %% behind
                q(X) :- % first
                    p(X), % second
                    % own
                    % inside
                    not r(X)
                    % last
                    .
                %%% end
            "#]],
        );
    }

    #[test]
    fn long_formulas_break_at_their_connective() {
        let text = "(<= (next (cell ?m ?n ?w)) (true (cell ?m ?n ?w)) (or (distinct-in-a-long-way ?m ?j) \
                    (distinct-in-a-long-way ?n ?k) (p ?a)))";
        check(
            text,
            Syntax::Kif,
            expect![[r#"
                (<= (next (cell ?m ?n ?w))
                    (true (cell ?m ?n ?w))
                    (or (distinct-in-a-long-way ?m ?j) (distinct-in-a-long-way ?n ?k) (p ?a)))
            "#]],
        );
    }

    #[test]
    fn facts_of_one_line_stay_together_as_far_as_they_fit() {
        check(
            "(p 1) (p 2)\n(p 3) (<= q r) (s 1)",
            Syntax::Kif,
            expect![[r#"
            (p 1) (p 2)
            (p 3)
            (<= q r)
            (s 1)
        "#]],
        );
    }

    #[test]
    fn block_comments_become_line_comments() {
        check(
            "/* one\n two */ p.",
            Syntax::Infix,
            expect![[r#"
            % one
            % two
            p.
        "#]],
        );
    }
}
