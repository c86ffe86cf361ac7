//! Our own rule sheets: valid without a warning, formatted, and the same after printing.

use gdl_front::{Syntax, any_error, format, kif_line, load, parse};

use crate::common::{root, sheets, text};

/// The rules of a text, one a line, in KIF and lower case: equal for equal trees.
pub fn tree(text: &str, syntax: Option<Syntax>) -> Vec<String> {
    let (sheet, diagnostics) = parse(text, syntax);
    assert!(!any_error(&diagnostics), "{diagnostics:?}\n{text}");
    sheet.rules.iter().map(|rule| kif_line(rule, &sheet.symbols).to_ascii_lowercase()).collect()
}

/// Checks that a text survives formatting in both syntaxes, and that formatting is stable.
pub fn check_printing(name: &str, source: &str) {
    let wanted = tree(source, None);
    for syntax in [Syntax::Kif, Syntax::Infix] {
        let (sheet, _) = parse(source, None);
        let once = format(&sheet, source, syntax);
        assert_eq!(gdl_front::recognise(&once), syntax, "{name}: recognised as another syntax");
        assert_eq!(tree(&once, None), wanted, "{name}: {syntax:?} reads back as another tree");
        let (again, _) = parse(&once, None);
        assert_eq!(format(&again, &once, syntax), once, "{name}: {syntax:?} is not stable");
        assert_eq!(again.comments.is_empty(), sheet.comments.is_empty(), "{name}: comments lost");
    }
}

#[test]
fn our_games_are_valid_and_complete() {
    let games = sheets(&root().join("games"));
    assert!(games.len() >= 24, "{} games", games.len());
    for path in &games {
        let source = text(path);
        let loaded = load(&source, None);
        assert!(loaded.diagnostics.is_empty(), "{}: {:?}", path.display(), loaded.diagnostics);
        assert!(source.starts_with(';'), "{}: opens without a comment", path.display());
    }
    println!("{} games of our own are valid", games.len());
}

#[test]
fn our_games_are_formatted_and_survive_printing() {
    for path in sheets(&root().join("games")) {
        let source = text(&path);
        check_printing(&path.display().to_string(), &source);
        let (sheet, _) = parse(&source, None);
        let formatted = format(&sheet, &source, Syntax::Kif);
        assert!(formatted == source, "run `inertia fmt --write {}`", path.display());
    }
}
