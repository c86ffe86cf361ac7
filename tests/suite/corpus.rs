//! The public games, where the corpus is found: every one is accepted and survives printing.

use gdl_front::{Severity, load};

use crate::common::{corpus, sheets, text};
use crate::games::check_printing;

#[test]
fn every_public_game_is_accepted() {
    let Some(corpus) = corpus() else { return };
    let games = sheets(&corpus.join("games"));
    for path in &games {
        let loaded = load(&text(path), None);
        let errors: Vec<_> = loaded
            .diagnostics
            .iter()
            .filter(|finding| finding.severity == Severity::Error)
            .collect();
        assert!(errors.is_empty() && loaded.program.is_some(), "{}: {errors:?}", path.display());
    }
    println!("{} games of the corpus are accepted", games.len());
}

#[test]
fn every_public_game_survives_printing() {
    let Some(corpus) = corpus() else { return };
    let games = sheets(&corpus.join("games"));
    for path in &games {
        check_printing(&path.display().to_string(), &text(path));
    }
    println!("{} games of the corpus print to the same tree in both syntaxes", games.len());
}
