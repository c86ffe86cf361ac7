//! What a line of the console asks for.

use gdl_front::vocabulary::Keyword;

/// The command for legal moves is named after their relation.
const LEGAL: &str = Keyword::Legal.name();

/// The commands, with their arguments and what they do; completion and `help` read this table.
pub const COMMANDS: [(&str, &str, &str); 16] = [
    ("state", "", "the fluents that hold"),
    (LEGAL, "[ROLE]", "the legal moves"),
    ("goals", "", "every goal value that holds, and whether the match is over"),
    ("move", "MOVE…", "make a joint move; roles with one choice may be left out"),
    ("undo", "", "take the last move back"),
    ("goto", "N", "go back to the position after N moves; 0 is the start"),
    ("line", "", "the moves made so far"),
    ("what-if", "[MOVE… | MOVE…]", "what moves would change; all legal ones if none is given"),
    ("query", "LITERAL… [given MOVE…]", "all answers, here or with a joint move supposed"),
    ("watch", "LITERAL…", "keep a query up to date; moves report how its answers change"),
    ("unwatch", "N", "end a watch"),
    ("watches", "", "the watches there are"),
    ("diff", "[NAME]", "facts that the last change made true or false, of all relations or one"),
    ("relations", "", "the relations that can be asked for"),
    ("help", "", "this list"),
    ("quit", "", "end the session"),
];

/// The word that separates a query from the moves that are supposed.
const GIVEN: &str = "given";

/// A line of the console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// The fluents that hold.
    State,
    /// The legal moves, of one role or all.
    Legal(Option<String>),
    /// Goal values, and whether the match is over.
    Goals,
    /// A joint move.
    Move(Vec<String>),
    /// Take the last move back.
    Undo,
    /// Back to the position after so many moves.
    Goto(usize),
    /// The moves made.
    Line,
    /// What moves would change.
    WhatIf(Vec<Vec<String>>),
    /// A query, with the moves that are supposed.
    Query(String, Option<Vec<String>>),
    /// A query to be kept up to date.
    Watch(String),
    /// The end of a watch.
    Unwatch(u32),
    /// The watches.
    Watches,
    /// The last change, of one relation or all.
    Diff(Option<String>),
    /// The relations.
    Relations,
    /// The commands.
    Help,
    /// The end.
    Quit,
}

impl Request {
    /// Reads a line; `None` if there is nothing on it but a comment.
    pub fn read(line: &str) -> Result<Option<Request>, String> {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            return Ok(None);
        }
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let word = || (!rest.is_empty()).then(|| rest.to_owned());
        let needed = |what: &str| word().ok_or_else(|| format!("`{command}` needs {what}"));
        let request = match command {
            "state" => Request::State,
            LEGAL => Request::Legal(word()),
            "goals" => Request::Goals,
            "move" => Request::Move(terms(&needed("a move")?)?),
            "undo" => Request::Undo,
            "goto" => Request::Goto(number(command, rest)?),
            "line" => Request::Line,
            "what-if" if rest.is_empty() => Request::WhatIf(Vec::new()),
            "what-if" => Request::WhatIf(rest.split('|').map(terms).collect::<Result<_, _>>()?),
            "query" => query(&needed("a literal")?)?,
            "watch" => Request::Watch(needed("a literal")?),
            "unwatch" => Request::Unwatch(number(command, rest)?),
            "watches" => Request::Watches,
            "diff" => Request::Diff(word()),
            "relations" => Request::Relations,
            "help" => Request::Help,
            "quit" | "exit" => Request::Quit,
            _ => return Err(format!("there is no command `{command}`; `help` lists them")),
        };
        let takes_nothing =
            COMMANDS.iter().any(|(name, takes, _)| *name == command && takes.is_empty());
        if takes_nothing && !rest.is_empty() {
            return Err(format!("`{command}` takes no arguments"));
        }
        Ok(Some(request))
    }
}

fn number<T: std::str::FromStr>(command: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{command}` needs a number, not `{text}`"))
}

fn query(text: &str) -> Result<Request, String> {
    let parts = terms(text)?;
    let Some(place) = parts.iter().position(|part| part == GIVEN) else {
        return Ok(Request::Query(text.to_owned(), None));
    };
    Ok(Request::Query(parts[..place].join(" "), Some(parts[place + 1..].to_vec())))
}

/// The terms of a text, each as it was written.
fn terms(text: &str) -> Result<Vec<String>, String> {
    let mut terms: Vec<String> = Vec::new();
    let (mut depth, mut open) = (0_usize, false);
    for letter in text.chars() {
        let starts = depth == 0 && (letter == '(' || !open) && !letter.is_whitespace();
        if starts && letter != ')' {
            terms.push(String::new());
        }
        match letter {
            '(' => depth += 1,
            ')' => {
                depth = depth.checked_sub(1).ok_or_else(|| unbalanced(text))?;
            }
            _ => {}
        }
        if let Some(last) = terms.last_mut().filter(|_| depth > 0 || !letter.is_whitespace()) {
            last.push(letter);
        }
        open = depth > 0 || !(letter.is_whitespace() || letter == ')');
    }
    if depth > 0 { Err(unbalanced(text)) } else { Ok(terms) }
}

fn unbalanced(text: &str) -> String {
    format!("the parentheses of `{}` do not match", text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let read = |line| Request::read(line).unwrap();
        assert_eq!(read("  # a comment"), None);
        let strings =
            |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        assert_eq!(
            read("move (mark 1 1)noop"),
            Some(Request::Move(strings(&["(mark 1 1)", "noop"])))
        );
        let alternatives = vec![strings(&["a", "b"]), strings(&["(c (d 1))", "b"])];
        assert_eq!(read("what-if a b | (c (d 1)) b"), Some(Request::WhatIf(alternatives)));
        let moves = Some(strings(&["a", "b"]));
        assert_eq!(
            read("query (next ?f) given a b"),
            Some(Request::Query("(next ?f)".into(), moves))
        );
    }

    #[test]
    fn faulty_lines_are_refused() {
        for line in ["fly", "move", "move (a", "move a)", "goto x", "undo 2", "unwatch"] {
            assert!(Request::read(line).is_err(), "{line}");
        }
    }
}
