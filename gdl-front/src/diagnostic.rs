//! Findings about a rule sheet: data with a place, rendered only at the rim.

mod code;
mod render;

pub use code::Code;
pub use render::render;

use crate::source::Span;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The game cannot be run, or its rules have no agreed meaning.
    Error,
    /// The game runs, but other systems may refuse it, or its author may have meant another thing.
    Warning,
}

impl Severity {
    /// How it is written.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// One finding.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Which condition is broken; stable across versions.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, with the names it is about.
    pub message: String,
    /// Where.
    pub span: Span,
    /// How to mend it, and what else there is to know.
    pub notes: Vec<String>,
}

impl Diagnostic {
    /// A finding that stops the game from running.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            span,
            notes: Vec::new(),
        }
    }

    /// A finding that does not.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, span, message) }
    }

    /// The same with one more note.
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }
}

/// Whether one of the findings is an error.
pub fn any_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// Keeps the first findings of very many, and says so behind the last.
pub(crate) fn limit(diagnostics: &mut Vec<Diagnostic>, most: usize) {
    let Some(first) = diagnostics.get(most) else { return };
    let message = format!("more than {most} findings; only the first are told");
    let make = if any_error(diagnostics) { Diagnostic::error } else { Diagnostic::warning };
    let last = make(Code::TooManyFindings, first.span, message)
        .note("mend those above first; `inertia check` tells the others then");
    diagnostics.truncate(most);
    diagnostics.push(last);
}
