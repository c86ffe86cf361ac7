//! The relations that GDL names: their arguments, where they may stand, what they may depend on.

use super::arguments;
use super::dependencies::{Dependencies, Key, key};
use crate::ast::{Atom, Rule, Sheet, Term};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::vocabulary::{Keyword, Keywords};

pub(super) fn check(
    sheet: &Sheet,
    words: &Keywords,
    dependencies: &Dependencies,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for rule in &sheet.rules {
        check_head(sheet, rule, words, diagnostics);
        rule.for_each_body_atom(&mut |atom, _| check_body_atom(atom, words, diagnostics));
    }
    check_dependencies(sheet, words, dependencies, diagnostics);
}

fn check_head(sheet: &Sheet, rule: &Rule, words: &Keywords, diagnostics: &mut Vec<Diagnostic>) {
    let Some(keyword) = words.keyword(rule.head.name) else {
        return;
    };
    check_arity(&rule.head, keyword, diagnostics);
    let (name, span) = (keyword.name(), rule.head.span);
    match keyword {
        Keyword::True | Keyword::Does => diagnostics.push(
            Diagnostic::error(
                Code::KeywordInHead,
                span,
                format!("`{name}` comes from outside; no rule may define it"),
            )
            .note("define the next state with `next`, the initial one with `init`"),
        ),
        Keyword::Role if !rule.body.is_empty() => diagnostics.push(
            Diagnostic::error(Code::RoleNotFact, span, "a role must be a plain fact")
                .note("write one ground fact for each player, in the order of play"),
        ),
        Keyword::Goal => check_goal_value(sheet, &rule.head, diagnostics),
        _ => {}
    }
}

fn check_body_atom(atom: &Atom, words: &Keywords, diagnostics: &mut Vec<Diagnostic>) {
    let Some(keyword) = words.keyword(atom.name) else {
        return;
    };
    check_arity(atom, keyword, diagnostics);
    let head_only = [Keyword::Next, Keyword::Init, Keyword::Base, Keyword::Input];
    if head_only.contains(&keyword) {
        let name = keyword.name();
        // `base` and `input` are hints; a condition on one is odd, but it has a meaning.
        let severe = matches!(keyword, Keyword::Next | Keyword::Init);
        let make = if severe { Diagnostic::error } else { Diagnostic::warning };
        diagnostics.push(
            make(
                Code::KeywordInBody,
                atom.span,
                format!("`{name}` may only be the head of a rule"),
            )
            .note("use a relation of your own for what both rules need"),
        );
    }
}

fn check_arity(atom: &Atom, keyword: Keyword, diagnostics: &mut Vec<Diagnostic>) {
    let (name, wanted, found) = (keyword.name(), keyword.arity(), atom.args.len());
    // Before it is translated to, `fnext` is a name like any other.
    if wanted == found || keyword == Keyword::Fnext {
        return;
    }
    // Old sheets list the values of each argument: `(base cell (x 1 2) (y 1 2))`.
    let hint = matches!(keyword, Keyword::Base | Keyword::Input);
    let make = if hint { Diagnostic::warning } else { Diagnostic::error };
    let message = format!("`{name}` takes {}, not {found}", arguments(wanted));
    diagnostics.push(
        make(Code::KeywordArity, atom.span, message)
            .note("see `inertia explain G201` for the arguments of every keyword"),
    );
}

fn check_goal_value(sheet: &Sheet, head: &Atom, diagnostics: &mut Vec<Diagnostic>) {
    let [_, value] = head.args.as_slice() else {
        return;
    };
    let good = match value {
        Term::Variable(..) => true,
        Term::Constant(name, _) => {
            let text = sheet.symbols.spelling(*name);
            text.bytes().all(|byte| byte.is_ascii_digit())
                && text.parse::<u32>().is_ok_and(|value| value <= 100)
        }
        Term::Function(..) => false,
    };
    if !good {
        diagnostics.push(
            Diagnostic::error(
                Code::GoalValue,
                value.span(),
                "a goal value must be an integer from 0 to 100",
            )
            .note("0 is the worst and 100 the best outcome"),
        );
    }
}

/// What every game must define.
pub(super) fn check_defined(sheet: &Sheet, words: &Keywords, diagnostics: &mut Vec<Diagnostic>) {
    let defined = |keyword| {
        let symbol = words.symbol(keyword);
        sheet.rules.iter().any(|rule| rule.head.name == symbol)
    };
    for keyword in [Keyword::Role, Keyword::Legal, Keyword::Goal, Keyword::Terminal] {
        if !defined(keyword) {
            let name = keyword.name();
            let message = format!("nothing defines `{name}`");
            diagnostics.push(
                Diagnostic::error(Code::MissingKeyword, Span::default(), message)
                    .note(format!("add facts or rules whose head is `{name}`")),
            );
        }
    }
    if !defined(Keyword::Init) {
        let message = "nothing defines `init`: the game starts in the empty state";
        diagnostics.push(
            Diagnostic::warning(Code::NoInit, Span::default(), message)
                .note("add `(init …)` for every fluent that holds at the start"),
        );
    }
}

fn check_dependencies(
    sheet: &Sheet,
    words: &Keywords,
    dependencies: &Dependencies,
    diagnostics: &mut Vec<Diagnostic>,
) {
    use Keyword::{Base, Does, Goal, Init, Input, Legal, Next, Terminal, True};
    let of_state = [True, Does, Next, Legal, Goal, Terminal];
    for keyword in [Init, Base, Input] {
        check_path(
            sheet,
            words,
            dependencies,
            (keyword, &of_state, Code::DependsOnState),
            diagnostics,
        );
    }
    for keyword in [Legal, Goal, Terminal] {
        check_path(
            sheet,
            words,
            dependencies,
            (keyword, &[Does], Code::DependsOnDoes),
            diagnostics,
        );
    }
}

fn check_path(
    sheet: &Sheet,
    words: &Keywords,
    dependencies: &Dependencies,
    (keyword, targets, code): (Keyword, &[Keyword], Code),
    diagnostics: &mut Vec<Diagnostic>,
) {
    let relation = |keyword: Keyword| (words.symbol(keyword), keyword.arity());
    let targets: Vec<Key> = targets.iter().map(|&target| relation(target)).collect();
    let Some(path) = dependencies.path(relation(keyword), &targets) else {
        return;
    };
    let names: Vec<&str> = path.iter().map(|&(name, _)| sheet.symbols.spelling(name)).collect();
    let span = first_step(sheet, path[0], path[1]);
    // A hint that cannot be evaluated is not used; the game runs without it.
    let hint = matches!(keyword, Keyword::Base | Keyword::Input);
    let make = if hint { Diagnostic::warning } else { Diagnostic::error };
    diagnostics.push(
        make(
            code,
            span,
            format!("`{}` must not depend on `{}`", keyword.name(), names[names.len() - 1]),
        )
        .note(format!("it does so through: {}", names.join(" ← ")))
        .note(format!("see `inertia explain {}`", code.name())),
    );
}

/// The first rule that leads from one relation to the next.
fn first_step(sheet: &Sheet, from: Key, to: Key) -> Span {
    let leads = |rule: &&Rule| {
        let mut found = false;
        rule.for_each_body_atom(&mut |atom, _| found |= key(atom) == to);
        found && key(&rule.head) == from
    };
    sheet.rules.iter().find(leads).map_or(Span::default(), |rule| rule.head.span)
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::Code::*;
    use expect_test::expect;

    #[test]
    fn arguments_of_keywords() {
        check(
            &[KeywordArity],
            "(role) (<= (legal x) (true a b)) (<= terminal (does x)) (base cell (x 1 2) (y 1 2))",
            expect![[r#"
                error: `role` takes 1 argument, not 0
                error: `legal` takes 2 arguments, not 1
                error: `true` takes 1 argument, not 2
                error: `does` takes 2 arguments, not 1
                warning: `base` takes 1 argument, not 3"#]],
        );
    }

    #[test]
    fn heads_and_bodies() {
        check(
            &[KeywordInBody, KeywordInHead, RoleNotFact, GoalValue],
            "(true a) (<= (role ?x) (p ?x)) (<= q (next a) (not (init b))) (goal x 101) (goal x a)",
            expect![[r#"
                error: `true` comes from outside; no rule may define it
                error: a role must be a plain fact
                error: `next` may only be the head of a rule
                error: `init` may only be the head of a rule
                error: a goal value must be an integer from 0 to 100
                error: a goal value must be an integer from 0 to 100"#]],
        );
    }

    #[test]
    fn dependencies_are_followed_through_relations() {
        check(
            &[DependsOnDoes, DependsOnState],
            "(<= terminal (p ?x)) (<= (p ?x) (q ?x)) (<= (q ?x) (does r ?x)) (<= (init ?x) (s ?x)) \
             (<= (s ?x) (not (true ?x)))",
            expect![[r#"
                error: `terminal` must not depend on `does`
                error: `init` must not depend on `true`"#]],
        );
    }
}
