//! GDL text to a checked, normalised program; programs and sheets back to text.
//!
//! ```
//! let loaded = gdl_front::load("(role x) (<= (legal x a) (role x)) (goal x 100) terminal", None);
//! assert!(loaded.diagnostics.iter().all(|finding| finding.severity != gdl_front::Severity::Error));
//! let program = loaded.program.expect("a game without errors");
//! assert_eq!(program.roles.len(), 1);
//! ```
//!
//! The passes, in order: [`parse`] gives a [`ast::Sheet`], [`validate`] finds what is wrong with
//! it, [`normalise`] reduces it to a [`program::Program`]. No pass does I/O or panics on any text.

pub mod ast;
pub mod hash;
pub mod program;
pub mod vocabulary;

mod diagnostic;
mod domains;
mod normalise;
mod print;
mod query;
mod shapes;
mod source;
mod symbol;
mod syntax;
mod translate;
mod validate;

pub use diagnostic::{Code, Diagnostic, Severity, any_error, render};
pub use domains::{SizeBound, bound_size};
pub use normalise::normalise;
pub use print::{
    format, infix_line, kif_line, print_fact, print_literal, print_program, print_rule, print_term,
};
pub use query::{Query, QueryError, read_query};
pub use source::{Lines, Place, Span};
pub use symbol::{Symbol, Symbols};
pub use syntax::{Syntax, parse, recognise};
pub use translate::{Covering, FluentOutcome, FluentReport, JointPattern, Translation, translate};
pub use validate::validate;

/// No more findings than this are kept of a text: nobody reads on, and memory stays bounded.
const MAX_FINDINGS: usize = 10_000;

/// What became of a text.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The sheet: all that could be read.
    pub sheet: ast::Sheet,
    /// All findings, in the order of the text; of a hopeless text the first ten thousand.
    pub diagnostics: Vec<Diagnostic>,
    /// The program, unless a finding is an error.
    pub program: Option<program::Program>,
}

/// Reads, checks and normalises a rule sheet.
pub fn load(source: &str, syntax: Option<Syntax>) -> Loaded {
    let (mut sheet, mut diagnostics) = parse(source, syntax);
    let whole = !any_error(&diagnostics);
    diagnostics.extend(validate(&mut sheet, whole));
    let program = normalise(&sheet, &mut diagnostics);
    let program = (!any_error(&diagnostics)).then_some(program);
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.code));
    diagnostic::limit(&mut diagnostics, MAX_FINDINGS);
    Loaded { sheet, diagnostics, program }
}
