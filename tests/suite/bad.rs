//! Faulty rule sheets, named by their fault, each with what is said about it in a file beside it.
//!
//! After a change of wording: `UPDATE_EXPECT=1 cargo test --test suite bad`, then read the diff.

use expect_test::expect_file;
use gdl_front::{Code, Lines, load, render};

use crate::common::{root, sheets, text};

#[test]
fn faults_are_named_with_their_place() {
    let paths = sheets(&root().join("tests/bad"));
    assert!(paths.len() >= 40, "{} faulty sheets", paths.len());
    for path in paths {
        let source = text(&path);
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let loaded = load(&source, None);
        assert!(!loaded.diagnostics.is_empty(), "{name} has no finding");
        let lines = Lines::of(&source);
        let rendered: Vec<String> = loaded
            .diagnostics
            .iter()
            .map(|diagnostic| render(diagnostic, &name, &lines, false))
            .collect();
        expect_file![path.with_extension("expected")].assert_eq(&rendered.join("\n"));
    }
}

#[test]
fn every_code_has_a_faulty_sheet() {
    // These need input that is no text file of sensible size; the command-line tests have them.
    let elsewhere = [
        Code::TooLarge,
        Code::NulByte,
        Code::TooDeep,
        Code::InvalidUtf8,
        Code::TooManyFindings,
        Code::TooManyDisjuncts,
        Code::FnextDefined,
    ];
    let found: Vec<Code> = sheets(&root().join("tests/bad"))
        .iter()
        .flat_map(|path| load(&text(path), None).diagnostics)
        .map(|diagnostic| diagnostic.code)
        .collect();
    for code in Code::ALL.iter().filter(|code| !elsewhere.contains(code)) {
        assert!(found.contains(code), "no faulty sheet shows {}", code.name());
    }
}

#[test]
fn every_finding_says_how_to_mend_it() {
    for path in sheets(&root().join("tests/bad")) {
        for finding in load(&text(&path), None).diagnostics {
            assert!(!finding.notes.is_empty(), "{}: {}", path.display(), finding.message);
        }
    }
}
