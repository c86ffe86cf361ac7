//! What translations look like, and that RST's example comes out as they print it.

use expect_test::{Expect, expect};

use super::{Covering, FluentOutcome, JointPattern, translate};
use crate::print::print_rule;
use crate::program::Program;

/// RST's Figure 1, as far as moves and the next state go.
const TIC_TAC_TOE: &str = "
    (role x) (role o) (init (control x)) (index 1) (index 2) (index 3)
    (<= (init (cell ?m ?n b)) (index ?m) (index ?n))
    (<= (legal ?p (mark ?m ?n)) (true (control ?p)) (true (cell ?m ?n b)))
    (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
    (<= (next (cell ?m ?n x)) (does x (mark ?m ?n)))
    (<= (next (cell ?m ?n o)) (does o (mark ?m ?n)))
    (<= (next (cell ?m ?n ?o)) (does ?p (mark ?j ?k)) (true (cell ?m ?n ?o))
        (or (distinct ?m ?j) (distinct ?n ?k)))
    (<= (next (control x)) (true (control o)))
    (<= (next (control o)) (true (control x)))
    (goal x 50) (goal o 50) (<= terminal (not open)) (<= open (true (cell ?m ?n b)))";

fn program(text: &str) -> Program {
    let loaded = crate::load(text, None);
    loaded.program.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

/// The rules that say what ends, and those of made-up relations.
fn check(text: &str, covering: Covering<'_>, expected: Expect) {
    let translated = translate(&program(text), covering).unwrap().program;
    let made = |relation| {
        relation == translated.vocabulary.fnext || translated.relation_name(relation).contains('$')
    };
    let rules = translated.rules.iter().filter(|rule| made(rule.head.relation));
    let lines: Vec<String> = rules.map(|rule| print_rule(&translated, rule)).collect();
    expected.assert_eq(&lines.join("\n"));
}

/// A game with one player, one fluent of interest and some rules.
fn small(rules: &str) -> String {
    format!(
        "(role r) (init (p a)) (init (q b)) (<= (legal r (set ?x)) (thing ?x)) (legal r wait)
         (thing a) (thing b) (goal r 0) (<= terminal (true (q a))) {rules}"
    )
}

#[test]
fn the_pruned_covering_gives_the_three_rules_that_the_paper_prints() {
    let noop = |role: &str| (role.to_owned(), "noop".to_owned(), 0);
    let mark = |role: &str| (role.to_owned(), "mark".to_owned(), 2);
    let impossible: [JointPattern; 2] = [vec![noop("x"), noop("o")], vec![mark("x"), mark("o")]];
    check(
        TIC_TAC_TOE,
        Covering::Pruned(&impossible),
        expect![[r#"
            (<= (fnext (control ?x)) (true (control ?x)))
            (<= (fnext (cell ?m ?n ?o)) (does x (mark ?m ?n)) (does o noop) (true (cell ?m ?n ?o)))
            (<= (fnext (cell ?m ?n ?o)) (does x noop) (does o (mark ?m ?n)) (true (cell ?m ?n ?o)))"#]],
    );
}

#[test]
fn the_direct_covering_tells_actions_apart() {
    // Both may mark at once, and both may wait: nothing is known of joint moves.
    let together = TIC_TAC_TOE
        .replace(
            "(<= (legal ?p (mark ?m ?n)) (true (control ?p))",
            "(<= (legal ?p (mark ?m ?n)) (role ?p)",
        )
        .replace("(not (true (control ?p)))", "");
    check(
        &together,
        Covering::Direct,
        expect![[r#"
        (<= (fnext (control ?x)) (true (control ?x)))
        (<= (fnext (cell ?m ?n ?o)) (does x (mark ?m ?n)) (does o (mark ?m ?n)) (true (cell ?m ?n ?o)))
        (<= (fnext (cell ?m ?n ?o)) (does x (mark ?m ?n)) (does o noop) (true (cell ?m ?n ?o)))
        (<= (fnext (cell ?m ?n ?o)) (does x noop) (does o (mark ?m ?n)) (true (cell ?m ?n ?o)))
        (<= (fnext (cell ?m ?n ?o)) (does x noop) (does o noop) (true (cell ?m ?n ?o)))"#]],
    );
}

#[test]
fn joint_moves_that_turns_exclude_need_no_rule() {
    check(
        TIC_TAC_TOE,
        Covering::Direct,
        expect![[r#"
        (<= (fnext (control ?x)) (true (control ?x)))
        (<= (fnext (cell ?m ?n ?o)) (does ?r (mark ?m ?n)) (true (cell ?m ?n ?o)))"#]],
    );
}

#[test]
fn what_a_move_needs_to_be_legal_is_not_asked_for_again() {
    let text = TIC_TAC_TOE
        .replace("(<= (next (cell ?m ?n ?o))", "(<= (next (cell ?m ?n ?o)) (true (control ?p))");
    check(
        &text,
        Covering::Direct,
        expect![[r#"
        (<= (fnext (control ?x)) (true (control ?x)))
        (<= (fnext (cell ?m ?n ?o)) (does x (mark ?m ?n)) (true (cell ?m ?n ?o)))
        (<= (fnext (cell ?m ?n ?o)) (does o (mark ?m ?n)) (true (cell ?m ?n ?o)))"#]],
    );
}

#[test]
fn a_turn_that_two_roles_may_have_excludes_nothing() {
    let text = TIC_TAC_TOE.replace(
        "(<= (next (control o))",
        "(<= (next (control x)) (true (control x)) (true (cell 1 1 b))) (<= (next (control o))",
    );
    check(
        &text,
        Covering::Direct,
        expect![[r#"
        (<= (fnext (control o)) (true (control o)))
        (<= (fnext (control ?x)) (true (control ?x)) (not (true (cell 1 1 b))))
        (<= (fnext (cell ?m ?n ?o)) (does x (mark ?m ?n)) (does o (mark ?m ?n)) (true (cell ?m ?n ?o)))
        (<= (fnext (cell ?m ?n ?o)) (does x (mark ?m ?n)) (does o noop) (true (cell ?m ?n ?o)))
        (<= (fnext (cell ?m ?n ?o)) (does x noop) (does o (mark ?m ?n)) (true (cell ?m ?n ?o)))
        (<= (fnext (cell ?m ?n ?o)) (does x noop) (does o noop) (true (cell ?m ?n ?o)))"#]],
    );
}

#[test]
fn the_generic_covering_needs_auxiliary_relations() {
    check(
        TIC_TAC_TOE,
        Covering::Generic,
        expect![[r#"
        (<= (fnext (control ?x)) (true (control ?x)))
        (<= (fnext (cell ?m ?n ?o)) (true (cell ?m ?n ?o)) (not (keeps$ ?m)) (not (keeps$_2 ?n)))
        (<= (keeps$ ?m) (true (cell ?m ?n ?o)) (does ?p (mark ?j ?k)) (distinct ?m ?j))
        (<= (keeps$_2 ?n) (true (cell ?m ?n ?o)) (does ?p (mark ?j ?k)) (distinct ?n ?k))"#]],
    );
}

#[test]
fn a_rule_for_all_fluents_is_a_frame_rule_for_each() {
    let text =
        small("(<= (next ?f) (true ?f) (not (ends ?f))) (<= (ends (p ?x)) (does r (set ?x)))");
    check(&text, Covering::Direct, expect!["(<= (fnext (p ?f)) (true (p ?f)) (ends (p ?f)))"]);
}

#[test]
fn persistence_hidden_in_auxiliary_relations_is_found() {
    let text = small(
        "(<= (next (p ?x)) (stays ?x)) (<= (stays ?x) (true (p ?x)) (elsewhere ?x))
         (<= (stays ?x) (does r (set ?x)))
         (<= (elsewhere ?x) (thing ?x) (does r (set ?y)) (distinct ?x ?y))
         (<= (elsewhere ?x) (does r wait) (thing ?x))",
    );
    check(
        &text,
        Covering::Direct,
        expect![[r#"
        (<= (fnext (p ?x)) (does r (set ?x)) (true (p ?x)))
        (<= (fnext (q ?x)) (true (q ?x)))"#]],
    );
}

#[test]
fn several_frame_rules_must_all_fail() {
    let text = small(
        "(<= (next (p ?x)) (true (p ?x)) (true (q ?x))) (<= (next (p ?x)) (true (p ?x)) (does r wait))
         (<= (next (q a)) (true (q a))) (<= (next (q ?x)) (true (q ?x)) (not (or (does r wait) (true (p a)))))",
    );
    check(
        &text,
        Covering::Direct,
        expect![[r#"
        (<= (fnext (p ?x_2)) (does r (set ?x)) (true (p ?x_2)) (not (true (q ?x_2))))
        (<= (fnext (q ?x)) (true (q ?x)) (does r wait))
        (<= (fnext (q ?x)) (true (q ?x)) (true (p a)))"#]],
    );
}

#[test]
fn what_has_no_instance_is_named_by_a_relation() {
    let text = small("(<= (next (p ?x)) (true (p ?x)) (true (q ?y)) (distinct ?x ?y))");
    check(
        &text,
        Covering::Direct,
        expect![[r#"
        (<= (fnext (p ?x)) (true (p ?x)) (not (keeps$ ?x)))
        (<= (fnext (q ?x)) (true (q ?x)))
        (<= (keeps$ ?x) (true (p ?x)) (true (q ?y)) (distinct ?x ?y))"#]],
    );
}

#[test]
fn a_fluent_that_is_asked_of_in_any_case_keeps_its_frame_rules() {
    // Who keeps a point depends on both moves, so nothing follows from one of them.
    let text = "(role a) (role b) (init (points a 0)) (init (points b 0)) (beats rock scissors)
        (<= (legal ?r rock) (role ?r)) (<= (legal ?r scissors) (role ?r)) (goal a 0) (goal b 0)
        (<= (next (points ?p ?n)) (true (points ?p ?n)) (does ?p ?m) (does ?q ?l)
            (distinct ?p ?q) (not (beats ?m ?l)))
        (<= terminal (true (points a 1)))";
    let left = |covering| translate(&program(text), covering).unwrap().fluents[0].outcome;
    assert_eq!(left(Covering::Direct), FluentOutcome::AskedOfAll);
    assert!(matches!(left(Covering::Generic), FluentOutcome::Translated { .. }));
}

#[test]
fn fluents_without_frame_rules_end_with_every_move() {
    let text = small("(<= (next (p ?x)) (does r (set ?x)))");
    let translation = translate(&program(&text), Covering::Direct).unwrap();
    assert_eq!(translation.translated(), 0);
    assert!(translation.fluents.iter().all(|it| it.outcome == FluentOutcome::NoFrameRule));
    assert_eq!(translation.program.frame, crate::program::Frame::Original);
}

#[test]
fn frame_rules_that_never_apply_are_let_be() {
    let text = small(
        "(<= (next (p ?x)) (true (p ?x)) (same a b)) (<= (same ?x ?x) (thing ?x))
         (<= (next (q ?x)) (true (q ?x)))",
    );
    check(&text, Covering::Direct, expect!["(<= (fnext (p ?x)) (true (p ?x)))"]);
}

#[test]
fn a_game_with_a_relation_of_that_name_is_refused() {
    let text = small("(<= (next (p ?x)) (true (p ?x)) (not (fnext ?x))) (fnext a)");
    let refused = translate(&program(&text), Covering::Direct).unwrap_err();
    assert_eq!(refused.code.name(), "G405");
}
