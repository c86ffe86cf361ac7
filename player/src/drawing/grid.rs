//! The grid of a game: which fluents stand on squares, which squares there are, and signs for what
//! stands on them.

use gdl_front::hash::{HashMap, HashSet};

use super::Parts;

/// Boards larger than this are no boards.
const LARGEST: usize = 40;
/// Fluents of fewer squares than this, in the fullest state, are not worth a board.
const FEWEST: usize = 3;

/// A coordinate as it is ordered: numbers by value, letters by the alphabet.
type Coordinate = (i64, String);
/// A square: column, row.
type Square = (Coordinate, Coordinate);

/// Which leaves of a fluent are its coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Column and row in two leaves.
    Two(usize, usize),
    /// Both in one, a letter and a number.
    One(usize),
}

/// How a game is drawn.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    /// For the names whose fluents stand on squares, with how many leaves, where the coordinates
    /// are.
    places: HashMap<(String, usize), Place>,
    columns: Vec<Coordinate>,
    rows: Vec<Coordinate>,
    signs: HashMap<String, char>,
}

/// A state as drawn.
pub(super) struct Board {
    pub(super) text: String,
    /// Which of the fluents are on it.
    pub(super) drawn: Vec<bool>,
}

impl Grid {
    /// The grid that the fluents of some states form, if they do.
    pub(super) fn recognise(states: &[Vec<Parts>]) -> Option<Grid> {
        let mut places = HashMap::default();
        let mut names: Vec<(String, usize)> = Vec::new();
        for fluent in states.iter().flatten() {
            let name = (fluent.name.clone(), fluent.leaves.len());
            if !names.contains(&name) {
                names.push(name);
            }
        }
        for name in names {
            let of_name = |state: &Vec<Parts>| -> Vec<Vec<String>> {
                let same = state.iter().filter(|f| f.name == name.0 && f.leaves.len() == name.1);
                same.map(|fluent| fluent.leaves.clone()).collect()
            };
            let groups: Vec<Vec<Vec<String>>> = states.iter().map(of_name).collect();
            if let Some(place) = place_in(&groups, name.1) {
                places.insert(name, place);
            }
        }
        let mut grid =
            Grid { places, columns: Vec::new(), rows: Vec::new(), signs: HashMap::default() };
        let mut labels = Vec::new();
        for fluent in states.iter().flatten() {
            if let Some(((column, row), label)) = grid.square(fluent) {
                insert(&mut grid.columns, column);
                insert(&mut grid.rows, row);
                insert(&mut labels, label);
            }
        }
        let sizes = [grid.columns.len(), grid.rows.len()];
        grid.signs = choose_signs(&labels);
        sizes.iter().all(|size| (2..=LARGEST).contains(size)).then_some(grid)
    }

    /// Where a fluent stands and what it says stands there.
    fn square(&self, fluent: &Parts) -> Option<(Square, String)> {
        let key = (fluent.name.clone(), fluent.leaves.len());
        let place = *self.places.get(&key)?;
        let square = square_at(place, &fluent.leaves)?;
        let is_label = |index: usize| match place {
            Place::Two(a, b) => index != a && index != b,
            Place::One(a) => index != a,
        };
        let rest = fluent.leaves.iter().enumerate().filter(|(index, _)| is_label(*index));
        let rest: Vec<&str> = rest.map(|(_, leaf)| leaf.as_str()).collect();
        Some((square, if rest.is_empty() { fluent.name.clone() } else { rest.join(" ") }))
    }

    /// Draws a state; `None` if something stands outside the grid.
    pub(super) fn draw(&self, fluents: &[Parts]) -> Option<Board> {
        let mut drawn = vec![false; fluents.len()];
        let mut on: HashMap<(usize, usize), (usize, char)> = HashMap::default();
        for (index, fluent) in fluents.iter().enumerate() {
            let Some(((column, row), label)) = self.square(fluent) else { continue };
            let column = self.columns.binary_search(&column).ok()?;
            let row = self.rows.binary_search(&row).ok()?;
            let sign = self.signs.get(&label).copied().unwrap_or('?');
            // Where two things stand on a square, the rarer one is worth seeing.
            let count = fluents.iter().filter(|other| other.name == fluent.name).count();
            let seen = on.entry((column, row)).or_insert((count, sign));
            if count < seen.0 {
                *seen = (count, sign);
            }
            drawn[index] = true;
        }
        let sign = |column, row| on.get(&(column, row)).map_or('.', |&(_, sign)| sign);
        let width = self.rows.iter().map(|row| row.1.len()).max().unwrap_or(0);
        let wide = self.columns.iter().map(|column| column.1.len()).max().unwrap_or(0);
        let mut lines: Vec<String> = (0..self.rows.len())
            .rev()
            .map(|row| {
                let cells: String = (0..self.columns.len())
                    .map(|column| format!(" {:>wide$}", sign(column, row)))
                    .collect();
                format!("{:>width$} {cells}", self.rows[row].1)
            })
            .collect();
        let names: String =
            self.columns.iter().map(|column| format!(" {:>wide$}", column.1)).collect();
        lines.push(format!("{:>width$} {names}", ""));
        lines.extend(self.legend());
        Some(Board { text: lines.join("\n"), drawn })
    }

    /// What the signs mean, where that is not plain.
    fn legend(&self) -> Option<String> {
        let mut signs: Vec<(&String, &char)> = self.signs.iter().collect();
        signs.sort();
        let unclear = signs.iter().filter(|(label, sign)| **label != sign.to_string());
        let named: Vec<String> = unclear.map(|(label, sign)| format!("{sign} {label}")).collect();
        (!named.is_empty()).then(|| named.join(", "))
    }
}

/// Where the coordinates of fluents with one name are, given all of them in each state.
fn place_in(groups: &[Vec<Vec<String>>], leaves: usize) -> Option<Place> {
    if groups.iter().map(Vec::len).max().unwrap_or(0) < FEWEST {
        return None;
    }
    let pairs = (0..leaves).flat_map(|a| (a + 1..leaves).map(move |b| Place::Two(a, b)));
    let candidates: Vec<Place> = pairs
        .chain((0..leaves).map(Place::One))
        .filter(|&place| forms_grid(place, groups))
        .collect();
    // Two arguments that take the same values are more likely the coordinates.
    let square = |place: &&Place| match **place {
        Place::Two(a, b) => values(groups, a) == values(groups, b),
        Place::One(_) => true,
    };
    candidates.iter().find(square).or(candidates.first()).copied()
}

fn values(groups: &[Vec<Vec<String>>], leaf: usize) -> HashSet<&str> {
    groups.iter().flatten().map(|leaves| leaves[leaf].as_str()).collect()
}

/// Whether no two fluents ever share a square, and the squares are not just one for each column:
/// that would be a table of values.
fn forms_grid(place: Place, groups: &[Vec<Vec<String>>]) -> bool {
    let mut is_table = [true, true];
    for group in groups {
        let mut squares = HashSet::default();
        let mut lines = [HashSet::default(), HashSet::default()];
        for leaves in group {
            let Some(square) = square_at(place, leaves) else { return false };
            lines[0].insert(square.0.clone());
            lines[1].insert(square.1.clone());
            if !squares.insert(square) {
                return false;
            }
        }
        let first = &groups[0];
        for (table, line) in is_table.iter_mut().zip(&lines) {
            *table &= line.len() == group.len() && group.len() == first.len();
        }
    }
    let mut distinct = [HashSet::default(), HashSet::default()];
    for square in groups.iter().flatten().filter_map(|leaves| square_at(place, leaves)) {
        distinct[0].insert(square.0);
        distinct[1].insert(square.1);
    }
    !is_table.contains(&true) && distinct.iter().all(|values| values.len() >= 2)
}

fn square_at(place: Place, leaves: &[String]) -> Option<Square> {
    match place {
        Place::Two(a, b) => Some((coordinate(&leaves[a])?, coordinate(&leaves[b])?)),
        Place::One(a) => {
            let letter = leaves[a].chars().next().filter(char::is_ascii_alphabetic)?;
            let (letter, number) = leaves[a].split_at(letter.len_utf8());
            number.parse::<u32>().ok()?;
            Some((coordinate(letter)?, coordinate(number)?))
        }
    }
}

/// A number, or a single letter.
fn coordinate(leaf: &str) -> Option<Coordinate> {
    let mut chars = leaf.chars();
    let order = match (leaf.parse(), chars.next(), chars.next()) {
        (Ok(number), ..) => number,
        (_, Some(letter), None) if letter.is_ascii_alphabetic() => {
            i64::from(u32::from(letter.to_ascii_lowercase()))
        }
        _ => return None,
    };
    Some((order, leaf.to_ascii_lowercase()))
}

fn insert<T: Ord>(sorted: &mut Vec<T>, item: T) {
    if let Err(at) = sorted.binary_search(&item) {
        sorted.insert(at, item);
    }
}

/// A sign for each label: its first letter that is free, in small or in capitals.
fn choose_signs(labels: &[String]) -> HashMap<String, char> {
    let mut signs: HashMap<String, char> = HashMap::default();
    let mut taken: HashSet<char> = ['.', '?'].into_iter().collect();
    // Labels of one sign keep it, whatever comes first.
    let mut ordered: Vec<&String> = labels.iter().collect();
    ordered.sort_by_key(|label| (label.chars().count() != 1, *label));
    for label in ordered {
        if ["blank", "empty"].contains(&label.as_str()) {
            signs.insert(label.clone(), '.');
            continue;
        }
        let own = label.chars().filter(|c| c.is_alphanumeric());
        let wanted = own.flat_map(|c| [c, c.to_ascii_uppercase()]);
        let sign = wanted.chain('A'..='Z').chain('0'..='9').find(|sign| !taken.contains(sign));
        let sign = sign.unwrap_or('?');
        taken.insert(sign);
        signs.insert(label.clone(), sign);
    }
    signs
}
