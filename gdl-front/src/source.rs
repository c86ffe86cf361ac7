//! Places in a text: byte spans, and the lines and columns that a person counts in.

/// A half-open range of bytes in the source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` up to, not including, `end`.
    pub fn new(start: usize, end: usize) -> Span {
        Span { start: start as u32, end: end as u32 }
    }

    /// The smallest span that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The text that the span covers.
    pub fn text(self, source: &str) -> &str {
        source.get(self.start as usize..self.end as usize).unwrap_or("")
    }
}

/// A line and a column, both counted from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// Where the lines of a text begin, whatever its line endings: LF, CRLF or a lone CR.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    source: &'a str,
    starts: Vec<u32>,
}

impl<'a> Lines<'a> {
    /// Finds the lines of a text.
    pub fn of(source: &'a str) -> Lines<'a> {
        let bytes = source.as_bytes();
        let mut starts = vec![0];
        for (index, &byte) in bytes.iter().enumerate() {
            let ends = byte == b'\n'
                || (byte == b'\r' && bytes.get(index + 1).is_none_or(|&b| b != b'\n'));
            if ends {
                starts.push(index as u32 + 1);
            }
        }
        Lines { source, starts }
    }

    /// The place of a byte offset.
    pub fn place(&self, offset: u32) -> Place {
        let line = self.starts.partition_point(|&start| start <= offset);
        let start = self.starts[line - 1] as usize;
        let before = self.source.get(start..offset as usize).unwrap_or("");
        Place { line, column: before.chars().count() + 1 }
    }

    /// The text of a line, counted from 1, without its ending.
    pub fn text(&self, line: usize) -> &'a str {
        let start = self.starts[line - 1] as usize;
        let end = self.starts.get(line).map_or(self.source.len(), |&next| next as usize);
        self.source[start..end].trim_end_matches(['\r', '\n'])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_lf_crlf_or_cr() {
        let lines = Lines::of("a\nb\r\nc\rd");
        for (offset, line) in [(0, 1), (2, 2), (5, 3), (7, 4)] {
            assert_eq!(lines.place(offset), Place { line, column: 1 });
        }
        assert_eq!(lines.text(2), "b");
        assert_eq!(lines.text(4), "d");
    }

    #[test]
    fn columns_count_characters() {
        assert_eq!(Lines::of("äö(x)").place(4).column, 3);
    }
}
