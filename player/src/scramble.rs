//! Other names for everything in a rule sheet, so that players cannot lean on what names mean.
//!
//! What always holds: it is a bijection on the names of the sheet; words of GDL, integers and
//! variables keep theirs; rules may be shuffled, but roles keep their order.

use engine::Random;
use gdl_front::hash::{HashMap, HashSet};
use gdl_front::vocabulary::{AND, DISTINCT, IMPLIED_BY, Keyword, NOT, OR};
use gdl_front::{kif_line, parse};

use crate::protocol::tokens;

/// The names and their replacements, in lower case.
#[derive(Clone, Debug, Default)]
pub struct Scramble {
    forth: HashMap<String, String>,
    back: HashMap<String, String>,
}

impl Scramble {
    /// Other names for those of a rule sheet in KIF.
    pub fn new(rules: &str, random: &mut Random) -> Scramble {
        let mut scramble = Scramble::default();
        let names: Vec<String> =
            tokens(rules).map(|(_, token)| token.to_ascii_lowercase()).collect();
        let taken: HashSet<&str> = names.iter().map(String::as_str).collect();
        for name in &names {
            if !is_fixed(name) && !scramble.forth.contains_key(name) {
                let other = loop {
                    let other = invent(random);
                    let free = !is_fixed(&other)
                        && !taken.contains(other.as_str())
                        && !scramble.back.contains_key(&other);
                    if free {
                        break other;
                    }
                };
                scramble.forth.insert(name.clone(), other.clone());
                scramble.back.insert(other, name.clone());
            }
        }
        scramble
    }

    /// A text with the other names.
    pub fn apply(&self, text: &str) -> String {
        rename(text, &self.forth)
    }

    /// A text with the names of the rule sheet; other words stay.
    pub fn undo(&self, text: &str) -> String {
        rename(text, &self.back)
    }
}

/// The rules of a sheet, one each, in KIF on one line and without comments.
pub fn rule_lines(source: &str) -> Vec<String> {
    let (sheet, _) = parse(source, None);
    sheet.rules.iter().map(|rule| kif_line(rule, &sheet.symbols)).collect()
}

/// Rules in another order, which means the same: only roles stay in order, and first.
pub fn shuffle(rules: &mut Vec<String>, random: &mut Random) {
    let is_role = |rule: &String| {
        tokens(rule).nth(1).is_some_and(|(_, word)| word.eq_ignore_ascii_case(Keyword::Role.name()))
    };
    let (roles, mut others): (Vec<String>, Vec<String>) = rules.drain(..).partition(is_role);
    for index in (1..others.len()).rev() {
        others.swap(index, random.below(index + 1));
    }
    rules.extend(roles);
    rules.extend(others);
}

fn is_fixed(word: &str) -> bool {
    ["(", ")", IMPLIED_BY, AND, OR, NOT, DISTINCT].contains(&word)
        || word.starts_with('?')
        || word.parse::<i64>().is_ok()
        || Keyword::ALL.iter().any(|keyword| keyword.name() == word)
}

/// A word that can be pronounced and means nothing.
fn invent(random: &mut Random) -> String {
    const HEADS: &[u8] = b"bdfgklmnprstvz";
    const HEARTS: &[u8] = b"aeiou";
    let syllables = 2 + random.below(2);
    let mut word = String::new();
    for _ in 0..syllables {
        word.push(char::from(HEADS[random.below(HEADS.len())]));
        word.push(char::from(HEARTS[random.below(HEARTS.len())]));
    }
    word.push(char::from(HEADS[random.below(HEADS.len())]));
    word
}

fn rename(text: &str, names: &HashMap<String, String>) -> String {
    let mut renamed = String::with_capacity(text.len());
    let mut end = 0;
    for (at, token) in tokens(text) {
        renamed += &text[end..at];
        renamed += names.get(&token.to_ascii_lowercase()).map_or(token, String::as_str);
        end = at + token.len();
    }
    renamed + &text[end..]
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = "(role White) (role black) (init (cell 1 -2 b))\n\
        (<= (legal white (mark ?x)) (or (true (cell ?x 1 b)) (not (distinct ?x 1))))";

    #[test]
    fn names_change_and_come_back() {
        let scramble = Scramble::new(RULES, &mut Random::new(1));
        let scrambled = scramble.apply(RULES);
        for kept in ["(role ", "(init (", " 1 -2 ", "(<= (legal ", "?x", "(or (true (", "distinct"]
        {
            assert!(scrambled.contains(kept), "{kept}: {scrambled}");
        }
        for gone in ["white", "White", "cell", "mark", " b)"] {
            assert!(!scrambled.contains(gone), "{gone}: {scrambled}");
        }
        assert_eq!(scramble.undo(&scrambled), RULES.to_ascii_lowercase());
        assert_eq!(scramble.undo("(unheard of)"), "(unheard of)");
    }

    #[test]
    fn two_names_never_become_one() {
        let names: Vec<String> = (0..3000).map(|number| format!("name{number}")).collect();
        let scramble = Scramble::new(&names.join(" "), &mut Random::new(5));
        let others: HashSet<String> = names.iter().map(|name| scramble.apply(name)).collect();
        assert_eq!(others.len(), names.len());
    }

    #[test]
    fn shuffled_rules_keep_their_roles_in_order() {
        let mut rules = rule_lines(RULES);
        assert_eq!(rules.len(), 4);
        shuffle(&mut rules, &mut Random::new(2));
        assert_eq!(&rules[..2], ["(role White)", "(role black)"]);
        rules.sort();
        let mut sorted = rule_lines(RULES);
        sorted.sort();
        assert_eq!(rules, sorted);
    }
}
