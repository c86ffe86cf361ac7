//! The README shows real output: every `$ inertia …` in it is run and compared.

use std::fs;
use std::process::Command;

use crate::common::root;

#[test]
fn the_readme_shows_what_the_commands_print() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let blocks = readme.split("```console\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let mut count = 0;
    for block in blocks {
        let (command, wanted) = block.split_once('\n').unwrap();
        let command = command.strip_prefix("$ inertia ").unwrap_or_else(|| panic!("{command}"));
        let script = format!("{} {command}", env!("CARGO_BIN_EXE_inertia"));
        let output = Command::new("sh").args(["-c", &script]).current_dir(root()).output().unwrap();
        assert_eq!(
            String::from_utf8_lossy(&output.stdout).trim_end(),
            wanted.trim_end(),
            "{command}"
        );
        count += 1;
    }
    assert!(count >= 3, "{count} commands in the README");
    println!("{count} commands of the README were run");
}
