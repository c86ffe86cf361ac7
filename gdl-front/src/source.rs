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
    /// How many characters begin before each block of the text, so that a column in a line of
    /// megabytes is found at once.
    characters: Vec<usize>,
}

/// The length of a block, in bytes.
const BLOCK: usize = 1024;

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
        let mut characters = vec![0];
        for block in bytes.chunks(BLOCK) {
            characters.push(characters[characters.len() - 1] + characters_in(block));
        }
        Lines { source, starts, characters }
    }

    /// The place of a byte offset.
    pub fn place(&self, offset: u32) -> Place {
        let line = self.starts.partition_point(|&start| start <= offset);
        let start = self.starts[line - 1] as usize;
        let column = self.characters_before(offset as usize) - self.characters_before(start) + 1;
        Place { line, column }
    }

    /// The line of a byte offset, cut in two there, without its ending.
    pub fn around(&self, offset: u32) -> (&'a str, &'a str) {
        let line = self.starts.partition_point(|&start| start <= offset);
        let start = self.starts[line - 1] as usize;
        let end = self.starts.get(line).map_or(self.source.len(), |&next| next as usize);
        let text = self.source[start..end].trim_end_matches(['\r', '\n']);
        text.split_at_checked(offset as usize - start).unwrap_or((text, ""))
    }

    fn characters_before(&self, offset: usize) -> usize {
        let offset = offset.min(self.source.len());
        let block = offset / BLOCK;
        self.characters[block] + characters_in(&self.source.as_bytes()[block * BLOCK..offset])
    }
}

/// How many characters begin in a piece of UTF-8.
fn characters_in(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count()
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
        assert_eq!(lines.around(3), ("b", ""));
        assert_eq!(lines.around(7), ("", "d"));
    }

    #[test]
    fn columns_count_characters() {
        assert_eq!(Lines::of("äö(x)").place(4).column, 3);
        let long = "ä".repeat(3 * BLOCK);
        for column in [1, BLOCK / 2, BLOCK, 2 * BLOCK + 7, 3 * BLOCK] {
            let offset = 2 * (column - 1) as u32;
            assert_eq!(Lines::of(&long).place(offset), Place { line: 1, column });
        }
    }
}
