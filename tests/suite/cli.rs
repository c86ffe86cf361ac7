//! The command line as a user meets it: results, messages and exit codes.

use std::fs;

use serde_json::Value;

use crate::common::{inertia, inertia_with_input, root};

const GOOD: &str = "games/tic-tac-toe.kif";

fn scratch(name: &str) -> std::path::PathBuf {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn check_says_valid_or_invalid_and_exits_accordingly() {
    let good = inertia(&["check", GOOD]);
    assert_eq!(
        (good.code, good.out.as_str()),
        (0, "games/tic-tac-toe.kif: valid\n"),
        "{}",
        good.err
    );
    let bad = inertia(&["check", "tests/bad/unsafe_head_variable.kif", GOOD]);
    assert_eq!(bad.code, 1);
    assert!(bad.out.contains("error[G301]"), "{}", bad.out);
    assert!(bad.out.contains("invalid, 1 error"), "{}", bad.out);
}

#[test]
fn check_gives_one_json_object_a_line() {
    let run = inertia(&["check", "--json", GOOD, "tests/bad/several_faults_at_once.kif"]);
    assert_eq!(run.code, 1);
    let reports: Vec<Value> =
        run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(reports[0]["valid"], true);
    assert_eq!(reports[1]["valid"], false);
    assert_eq!(reports[1]["file"], "tests/bad/several_faults_at_once.kif");
    let first = &reports[1]["diagnostics"][2];
    assert_eq!((&first["code"], &first["severity"]), (&"G208".into(), &"error".into()));
    let place = ["line", "column", "end_line", "end_column"].map(|key| first[key].as_u64());
    assert_eq!(place, [Some(1), Some(20), Some(1), Some(22)]);
    assert!(first["notes"][0].is_string());
}

#[test]
fn files_that_cannot_be_read_are_named_and_the_others_checked() {
    let run = inertia(&["check", "no-such.kif", "games", GOOD]);
    assert_eq!(run.code, 4);
    assert!(run.err.contains("no-such.kif: No such file"), "{}", run.err);
    assert!(run.err.contains("games: is a directory"), "{}", run.err);
    assert!(run.out.contains("tic-tac-toe.kif: valid"), "{}", run.out);
}

#[test]
fn odd_bytes_get_a_finding() {
    for (bytes, code) in [
        (&b"(role \xff)"[..], "G115"),
        (b"(role a\0b)", "G102"),
        (b"", "G116"),
        (&"(".repeat(1_000_000).into_bytes(), "G113"),
        (&")".repeat(1_000).into_bytes(), "G104"),
    ] {
        let run = inertia_with_input(&["check", "--json", "-"], bytes);
        assert_eq!(run.code, 1, "{code}: {}", run.err);
        let report: Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(report["diagnostics"][0]["code"], code);
    }
}

#[test]
fn thousands_of_findings_in_one_line_are_told_at_once_and_the_limit_is_named() {
    let good = "(role x) (legal x a) (goal x 0) (<= terminal (q 1)) (q 1)";
    let report = |faults: usize| {
        let text = format!("{good}{}", " (<= (q ?x) (q ?y))".repeat(faults));
        let run = inertia_with_input(&["check", "--json", "-"], text.as_bytes());
        assert_eq!(run.code, 1, "{}", run.err);
        let report: Value = serde_json::from_str(&run.out).unwrap();
        report["diagnostics"].as_array().unwrap().clone()
    };
    let unsafe_heads = report(2_000).iter().filter(|finding| finding["code"] == "G301").count();
    assert_eq!(unsafe_heads, 2_000);
    assert_eq!(report(20_000).last().unwrap()["code"], "G117");
}

#[test]
fn logs_go_to_standard_error_without_colours() {
    let quiet = inertia(&["check", GOOD]);
    assert_eq!(quiet.err, "");
    let told = inertia(&["-vv", "check", GOOD]);
    assert_eq!(told.out, quiet.out);
    assert!(told.err.contains("games/tic-tac-toe.kif: "), "{}", told.err);
    assert!(told.err.contains("normalised"), "{}", told.err);
    assert!(!told.err.contains('\x1b'), "{}", told.err);
}

#[test]
fn fifty_megabytes_are_refused_at_once() {
    let folder = scratch("fifty");
    let path = folder.join("large.kif");
    fs::write(&path, "(p a)\n".repeat(50_000_000 / 6)).unwrap();
    let run = inertia(&["check", path.to_str().unwrap()]);
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.out.contains("error[G101]"), "{}", run.out);
}

#[test]
fn fmt_prints_checks_writes_and_converts() {
    let folder = scratch("fmt");
    let path = folder.join("game.kif");
    let name = path.to_str().unwrap();
    fs::write(&path, "(role   white) ; one\n(<= p (q ?x)   (r ?x))").unwrap();
    let printed = inertia(&["fmt", name]);
    assert_eq!(printed.code, 0);
    assert_eq!(printed.out, "(role white) ; one\n(<= p\n    (q ?x)\n    (r ?x))\n");
    let check = inertia(&["fmt", "--check", name]);
    assert_eq!((check.code, check.out.trim()), (1, name));
    let infix = inertia(&["fmt", "--syntax", "infix", name]);
    assert_eq!(infix.out, "role(white). % one\np :-\n    q(X),\n    r(X).\n");
    let again = inertia_with_input(&["fmt", "--check", "-"], infix.out.as_bytes());
    assert_eq!(again.code, 0, "{}", again.out);
    assert_eq!(inertia(&["fmt", "--write", name]).code, 0);
    assert_eq!(fs::read_to_string(&path).unwrap(), printed.out);
    assert_eq!(inertia(&["fmt", "--check", name]).code, 0);
    let broken = inertia_with_input(&["fmt", "-"], b"(role");
    assert_eq!((broken.code, broken.out.as_str()), (1, ""));
    assert!(broken.err.contains("G103"), "{}", broken.err);
}

#[cfg(unix)]
#[test]
fn fmt_writes_through_links_and_not_to_what_is_read_only() {
    use std::os::unix::fs::symlink;
    let folder = scratch("fmt-links");
    let [locked, file, link] = ["locked.kif", "file.kif", "link.kif"].map(|name| folder.join(name));
    fs::write(&locked, "(role   x)").unwrap();
    fs::write(&file, "(role   x)").unwrap();
    symlink(&file, &link).unwrap();
    let mut permissions = fs::metadata(&locked).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&locked, permissions).unwrap();
    let paths = [&locked, &link].map(|path| path.to_str().unwrap());
    let run = inertia(&["fmt", "--write", paths[0], paths[1]]);
    assert_eq!(run.code, 4);
    assert!(run.err.contains("locked.kif: is read-only"), "{}", run.err);
    assert_eq!(fs::read_to_string(&locked).unwrap(), "(role   x)");
    assert_eq!(fs::read_to_string(&file).unwrap(), "(role x)\n");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
}

#[test]
fn the_syntax_can_be_named() {
    let kif = inertia_with_input(&["print", "--stage", "ast", "--syntax", "kif", "-"], b"p q");
    assert_eq!(kif.out, "1:1 p\n1:3 q\n");
    let infix =
        inertia_with_input(&["print", "--stage", "ast", "--syntax", "infix", "-"], b"p. q :- p.");
    assert_eq!(infix.out, "1:1 p\n1:4 (<= q p)\n");
}

#[test]
fn explain_tells_the_story_of_every_code() {
    let list = inertia(&["explain"]);
    assert_eq!(list.code, 0);
    for line in list.out.lines() {
        let code = line.split(' ').next().unwrap();
        let story = inertia(&["explain", code]);
        assert!(story.code == 0 && story.out.lines().count() >= 3, "{code}: {}", story.out);
    }
    let unknown = inertia(&["explain", "G999"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("`G999` is no code"), "{}", unknown.err);
}

#[test]
fn print_shows_the_stages() {
    let ast = inertia(&["print", "--stage", "ast", GOOD]);
    assert!(ast.out.contains("(role x)"), "{}", ast.out);
    let program = inertia(&["print", GOOD]);
    assert!(program.out.contains("; legal/2: state, stratum"), "{}", program.out);
    let invalid = inertia(&["print", "tests/bad/no_role.kif"]);
    assert_eq!(invalid.code, 1);
    assert!(invalid.err.contains("nothing defines `role`"), "{}", invalid.err);
}

#[test]
fn help_teaches_and_wrong_usage_exits_with_2() {
    let help = inertia(&["--help"]);
    assert!(help.code == 0 && help.out.contains("Examples:"), "{}", help.out);
    assert_eq!(inertia(&["check"]).code, 2);
    assert_eq!(inertia(&["no-such-command"]).code, 2);
}

#[test]
fn completions_know_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let run = inertia(&["completions", shell]);
        assert!(run.code == 0 && run.out.contains("explain"), "{shell}");
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let script =
        format!("{} print --stage ast games/*.kif | head -1", env!("CARGO_BIN_EXE_inertia"));
    let script = script.replace("games/*.kif", "games/draughts.kif");
    let output = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn lanes_play_in_threads_and_answer_no_questions() {
    let game = "games/tic-tac-toe.kif";
    let two = ["simulate", game, "--engine", "lanes", "--threads", "2", "--seconds", "0.01"];
    let run = inertia(&two);
    assert_eq!((run.code, run.out.contains("with lanes")), (0, true), "{}{}", run.out, run.err);
    let run =
        inertia(&["simulate", game, "--engine", "network", "--threads", "2", "--seconds", "0"]);
    assert_eq!((run.code, run.out.contains("with network")), (0, true), "{}{}", run.out, run.err);
    let run = inertia(&["perft", game, "--depth", "1", "--engine", "lanes"]);
    assert_eq!(run.code, 2, "{}", run.err);
    let run = inertia(&["simulate", game, "--engine", "reference", "--threads", "2"]);
    assert_eq!(run.code, 2, "{}", run.err);
}
