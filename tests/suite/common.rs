//! What the tests share: where games are, and how the command line is run.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The project's root.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The rule sheets of a folder, sorted.
pub fn sheets(folder: &Path) -> Vec<PathBuf> {
    let mut sheets: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "kif"))
        .collect();
    sheets.sort();
    sheets
}

/// The corpus of public games, if this machine has it.
pub fn corpus() -> Option<PathBuf> {
    let path = std::env::var_os("INERTIA_CORPUS")
        .map_or_else(|| root().join("../shared/corpus"), PathBuf::from);
    if path.join("games").is_dir() {
        return Some(path);
    }
    println!("no corpus at {}: skipped", path.display());
    None
}

/// The text of a rule sheet; bytes that are not UTF-8 fail the test.
pub fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What a run of the command line gave.
pub struct Run {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// Runs `inertia` in the project's root.
pub fn inertia(arguments: &[&str]) -> Run {
    inertia_with_input(arguments, b"")
}

/// Runs `inertia` with something on standard input.
pub fn inertia_with_input(arguments: &[&str], input: &[u8]) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_inertia"))
        .args(arguments)
        .current_dir(root())
        .env_remove("RUST_LOG")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // The program may end before it has read all: then writing fails, and that is fine.
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join().unwrap();
    Run {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
