//! Rule sheets from files or standard input.

use std::fs::File;
use std::io::{self, Read};

use gdl_front::program::Program;
use gdl_front::{Code, Diagnostic, Lines, Loaded, Severity, Span, Syntax};
use gdl_front::{load, recognise, render};
use tracing::{debug, info};

use crate::outcome::Problem;

/// The name that stands for standard input.
const STANDARD_INPUT: &str = "-";
/// No more than this is read; the front end refuses far less, with a proper finding.
const MAX_READ: u64 = 64 << 20;

/// A text with the name it is reported under.
pub struct Input {
    /// The path as it was given.
    pub name: String,
    /// The text; bytes that are not UTF-8 are replaced.
    pub text: String,
    /// Where the first byte stands that is not UTF-8.
    invalid_at: Option<usize>,
}

/// Reads a file, or standard input for `-`.
pub fn read(name: &str) -> Result<Input, Problem> {
    let bytes = read_bytes(name).map_err(|error| Problem::File(name.to_owned(), error))?;
    let (text, invalid_at) = match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            (String::from_utf8_lossy(error.as_bytes()).into_owned(), Some(at))
        }
    };
    Ok(Input { name: name.to_owned(), text, invalid_at })
}

fn read_bytes(name: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if name == STANDARD_INPUT {
        io::stdin().lock().take(MAX_READ).read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    let file = File::open(name)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::new(
            io::ErrorKind::IsADirectory,
            "is a directory, not a rule sheet",
        ));
    }
    file.take(MAX_READ).read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl Input {
    /// Reads, checks and normalises the text.
    pub fn load(&self, syntax: Option<Syntax>) -> Loaded {
        match self.not_utf8() {
            None => {
                let loaded = load(&self.text, syntax);
                self.log(syntax, &loaded);
                loaded
            }
            Some(finding) => {
                Loaded { diagnostics: vec![finding], program: None, ..load("", syntax) }
            }
        }
    }

    fn log(&self, syntax: Option<Syntax>, loaded: &Loaded) {
        let syntax = syntax.unwrap_or_else(|| recognise(&self.text));
        let (bytes, rules) = (self.text.len(), loaded.sheet.rules.len());
        info!("{}: {bytes} bytes of {} with {rules} rules and facts", self.name, syntax.name());
        if let Some(program) = &loaded.program {
            let (rules, facts) = (program.rules.len(), program.facts.len());
            let (relations, components) = (program.relations.len(), program.components.len());
            debug!(rules, facts, relations, components, "normalised");
        }
    }

    /// The finding that the text is not UTF-8, if it is not.
    pub fn not_utf8(&self) -> Option<Diagnostic> {
        let at = self.invalid_at?;
        let span = Span::new(at, at + 1);
        let finding = Diagnostic::error(Code::InvalidUtf8, span, "the text is not UTF-8");
        Some(finding.note("convert it first, for example with `iconv -f latin1 -t utf8`"))
    }

    /// Whether it came from standard input.
    pub fn is_standard_input(&self) -> bool {
        self.name == STANDARD_INPUT
    }

    /// The findings as a person reads them.
    pub fn rendered(&self, diagnostics: &[Diagnostic], colour: bool) -> String {
        let lines = Lines::of(&self.text);
        let rendered: Vec<String> = diagnostics
            .iter()
            .map(|diagnostic| render(diagnostic, &self.name, &lines, colour))
            .collect();
        rendered.join("\n")
    }
}

/// The program of a valid rule sheet; its errors go to standard error and end the command.
pub fn load_program(name: &str, syntax: Option<Syntax>) -> Result<Program, Problem> {
    program_of(&read(name)?, syntax)
}

/// The program of a valid rule sheet that has been read.
pub fn program_of(input: &Input, syntax: Option<Syntax>) -> Result<Program, Problem> {
    let loaded = input.load(syntax);
    loaded.program.ok_or_else(|| {
        let mut errors = loaded.diagnostics;
        errors.retain(|diagnostic| diagnostic.severity == Severity::Error);
        eprint!("{}", input.rendered(&errors, colour(&io::stderr())));
        Problem::Refused(format!("{}: not a valid game", input.name))
    })
}

/// Whether to colour what goes to a stream.
pub fn colour(stream: &impl io::IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none()
}
