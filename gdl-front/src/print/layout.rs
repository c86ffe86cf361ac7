//! A small pretty printer: a group stands in one line if it fits, else its items stand below each
//! other, aligned behind its opening.

use crate::syntax::Syntax;

/// The width that lines are broken to.
pub(super) const WIDTH: usize = 96;

pub(super) enum Doc {
    Text(String),
    Group { open: String, items: Vec<Doc>, separator: String, close: String },
}

impl Doc {
    /// A group; each pair holds what is written in KIF and in infix.
    pub(super) fn group(
        syntax: Syntax,
        open: [&str; 2],
        items: Vec<Doc>,
        separator: [&str; 2],
        close: [&str; 2],
    ) -> Doc {
        let choice = syntax as usize;
        Doc::Group {
            open: open[choice].to_owned(),
            items,
            separator: separator[choice].to_owned(),
            close: close[choice].to_owned(),
        }
    }

    /// The whole in one line.
    pub(super) fn flat(&self) -> String {
        match self {
            Doc::Text(text) => text.clone(),
            Doc::Group { open, items, separator, close } => {
                let items: Vec<String> = items.iter().map(Doc::flat).collect();
                format!("{open}{}{close}", items.join(&format!("{separator} ")))
            }
        }
    }

    /// The whole from a given column on, in as many lines as it needs, with `reserve` columns left
    /// for what is written behind it.
    pub(super) fn render(&self, column: usize, reserve: usize) -> String {
        let flat = self.flat();
        let Doc::Group { open, items, separator, close } = self else {
            return flat;
        };
        if column + flat.chars().count() + reserve <= WIDTH || items.is_empty() {
            return flat;
        }
        let inner = column + open.chars().count();
        let reserve = reserve + close.len() + separator.len();
        let items: Vec<String> = items.iter().map(|item| item.render(inner, reserve)).collect();
        let break_line = format!("{separator}\n{}", " ".repeat(inner));
        format!("{open}{}{close}", items.join(&break_line))
    }
}
