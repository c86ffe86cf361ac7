//! Text to `Program`: the whole corpus, or our games where there is no corpus, and growing input.
//!
//! Run with `cargo bench --bench front`. Ratios are of one run; times are of this machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gdl_front::load;
use gdl_front::vocabulary::{AND, DISTINCT, IMPLIED_BY, Keyword, NOT, OR};

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = std::env::var_os("INERTIA_CORPUS")
        .map_or_else(|| root.join("../shared/corpus"), PathBuf::from)
        .join("games");
    for folder in [root.join("games"), corpus] {
        if folder.is_dir() {
            whole_folder(&folder);
        }
    }
    growth(&fs::read_to_string(root.join("games/draughts.kif")).expect("our own game"));
}

fn whole_folder(folder: &Path) {
    let texts: Vec<String> = fs::read_dir(folder)
        .expect("a folder")
        .filter_map(|entry| fs::read_to_string(entry.ok()?.path()).ok())
        .collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    let time = fastest(|| texts.iter().for_each(|text| drop(load(text, None))));
    println!(
        "{}: {} games, {} kB in {:.1} ms ({:.1} MB/s)",
        folder.display(),
        texts.len(),
        bytes / 1000,
        time.as_secs_f64() * 1e3,
        bytes as f64 / 1e6 / time.as_secs_f64()
    );
}

/// The same rules under other names, 1, 10 and 100 times: linear means that the ratio stays near 1.
fn growth(text: &str) {
    println!("\n| copies | kB | ms | ns a byte | ratio to 1 copy |\n|---|---|---|---|---|");
    let mut first = None;
    for copies in [1, 10, 100] {
        let text: String = (0..copies).map(|copy| renamed(text, copy)).collect();
        let time = fastest(|| drop(load(&text, None)));
        let cost = time.as_nanos() as f64 / text.len() as f64;
        let ratio = cost / *first.get_or_insert(cost);
        println!(
            "| {copies} | {} | {:.2} | {cost:.0} | {ratio:.2} |",
            text.len() / 1000,
            time.as_secs_f64() * 1e3
        );
    }
}

/// The text with a suffix behind every name that is its own.
fn renamed(text: &str, copy: usize) -> String {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let lines = spaced.lines().filter(|line| !line.trim_start().starts_with(';'));
    let words = lines.flat_map(|line| line.split_whitespace().chain(["\n"]));
    let connectives = [IMPLIED_BY, AND, OR, NOT, DISTINCT, "(", ")", "\n"];
    words
        .map(|word| {
            let kept = connectives.contains(&word)
                || Keyword::ALL.iter().any(|keyword| keyword.name() == word)
                || word.starts_with('?')
                || word.parse::<u64>().is_ok();
            if kept { format!("{word} ") } else { format!("{word}-{copy} ") }
        })
        .collect()
}

/// The fastest of seven runs: the others were disturbed.
fn fastest(mut work: impl FnMut()) -> Duration {
    let run = |()| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    std::iter::repeat_n((), 7).map(run).min().unwrap_or_default()
}
