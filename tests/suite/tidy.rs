//! The invariants of ARCHITECTURE.md that can be read off the files.

use std::fs;
use std::path::{Path, PathBuf};

use gdl_front::vocabulary::Keyword;

use crate::common::root;

/// All Rust files below a folder of the project.
fn rust_files(folder: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The code of a file without its unit tests and comments.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or("");
    let code = code.split("#[cfg(test)]\npub(crate) mod tests").next().unwrap_or("");
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn assert_absent(folders: &[&str], words: &[&str], allowed: impl Fn(&Path) -> bool) {
    for path in folders.iter().flat_map(|folder| rust_files(folder)) {
        let code = code(&path);
        for word in words {
            assert!(allowed(&path) || !code.contains(word), "{} names `{word}`", path.display());
        }
    }
}

fn file_name(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).to_string_lossy().into_owned()
}

#[test]
fn only_the_dataflow_names_timely_or_differential() {
    assert_absent(
        &["src", "gdl-front/src", "engine/src", "player/src"],
        &["timely", "differential"],
        |path| file_name(path).starts_with("engine/src/dataflow"),
    );
}

#[test]
fn only_the_vocabulary_spells_keywords() {
    let keywords: Vec<String> =
        Keyword::ALL.iter().map(|keyword| format!("\"{}\"", keyword.name())).collect();
    let words: Vec<&str> = keywords.iter().map(String::as_str).collect();
    assert_absent(&["src", "gdl-front/src", "engine/src", "player/src"], &words, |path| {
        path.ends_with("vocabulary.rs")
    });
}

#[test]
fn the_libraries_do_no_input_or_output() {
    assert_absent(
        &["gdl-front/src", "engine/src"],
        &["println!", "eprintln!", "print!(", "dbg!", "std::fs", "std::io", "std::net", "std::env"],
        |_| false,
    );
}

#[test]
fn no_library_keeps_global_state() {
    assert_absent(
        &["gdl-front/src", "engine/src", "player/src"],
        &["static mut", "lazy_static", "OnceLock", "LazyLock", "thread_local!"],
        |_| false,
    );
}

#[test]
fn fxhash_is_named_in_one_place() {
    assert_absent(&["src", "gdl-front/src", "engine/src", "player/src"], &["fxhash"], |path| {
        path.ends_with("gdl-front/src/hash.rs")
    });
}

#[test]
fn unsafe_code_is_where_the_processor_is_asked() {
    // The lint that forbids it elsewhere can be lifted by any file: this says which may.
    assert_absent(
        &["src", "gdl-front/src", "engine/src", "player/src", "benches"],
        &["unsafe_code", "unsafe {", "unsafe fn"],
        |path| {
            let may = [
                "engine/src/lanes/vector.rs",
                "engine/src/processor.rs",
                "benches/playouts/yardsticks.rs",
            ];
            may.contains(&file_name(path).as_str())
        },
    );
}

#[test]
fn nothing_is_left_open() {
    assert_absent(
        &["src", "gdl-front/src", "engine/src", "player/src", "benches"],
        &["todo!(", "unimplemented!(", "FIXME", "XXX", "#[ignore"],
        |_| false,
    );
}

#[test]
fn every_module_says_what_it_is_for() {
    for folder in ["src", "gdl-front/src", "engine/src", "player/src", "tests/suite", "benches"] {
        for path in rust_files(folder) {
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.starts_with("//!"), "{} opens without a word", path.display());
        }
    }
}

#[test]
fn the_documents_name_every_crate_and_dependency() {
    let architecture = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let section = manifest.split("[workspace.dependencies]").nth(1).unwrap();
    let names = section
        .lines()
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once(" = ").map(|(name, _)| name));
    for name in names {
        assert!(architecture.contains(&format!("`{name}`")), "ARCHITECTURE.md omits {name}");
    }
}
