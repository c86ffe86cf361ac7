//! An instantiated game as KIF, which reads back as the same game.

use std::fmt::Write;

use gdl_front::vocabulary::{IMPLIED_BY, Keyword, NOT};

use super::Ground;
use crate::terms::TermId;

/// The roles and the initial state, then one ground rule a line. Static relations are gone.
pub fn print_ground(ground: &Ground) -> String {
    let game = &ground.game;
    let mut out = String::new();
    for &role in &game.roles {
        let _ = writeln!(out, "{}", fact(Keyword::Role.name(), &[game.show(role)]));
    }
    for fluent in game.show_all(&ground.initial) {
        let _ = writeln!(out, "{}", fact(Keyword::Init.name(), &[fluent]));
    }
    let mut rules: Vec<String> =
        (0..ground.rules.len()).map(|rule| print_rule(ground, rule)).collect();
    // In the order of the heads' relations and then of the text, whatever order they were found in.
    let relation = |rule: usize| ground.relation(ground.rules.heads[rule]).index();
    let mut order: Vec<usize> = (0..rules.len()).collect();
    order.sort_by(|&a, &b| (relation(a), &rules[a]).cmp(&(relation(b), &rules[b])));
    for rule in order {
        out.push_str(&std::mem::take(&mut rules[rule]));
        out.push('\n');
    }
    out
}

fn fact(name: &str, args: &[String]) -> String {
    if args.is_empty() { name.to_owned() } else { format!("({name} {})", args.join(" ")) }
}

fn print_rule(ground: &Ground, rule: usize) -> String {
    let head = print_atom(ground, ground.rules.heads[rule]);
    let body: Vec<String> = ground
        .rules
        .body(rule)
        .iter()
        .map(|&literal| {
            let atom = print_atom(ground, literal / 2);
            if literal % 2 == 1 { format!("({NOT} {atom})") } else { atom }
        })
        .collect();
    if body.is_empty() { head } else { format!("({IMPLIED_BY} {head} {})", body.join(" ")) }
}

fn print_atom(ground: &Ground, atom: u32) -> String {
    let game = &ground.game;
    let args: Vec<String> = ground.args(atom).iter().map(|&id| game.show(TermId(id))).collect();
    let relation = ground.relation(atom);
    match game.program.relations.get(relation.index()) {
        Some(_) => fact(game.program.relation_name(relation), &args),
        // A projection; a sheet has no such name, for `$` marks those that are made up.
        None => fact(&format!("some${}", relation.index()), &args),
    }
}
