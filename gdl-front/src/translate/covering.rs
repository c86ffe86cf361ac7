//! Move coverings: sets of general joint moves such that every joint move is an instance of one.
//!
//! The *generic* covering is one joint move that says nothing. The *direct* covering is the product
//! over the roles of the names of their actions (RST's C_D), split only by the names that the frame
//! rules of a fluent mention: all other actions of a role are one class. Where the product gives many
//! rules, as with six players, the joint moves overlap instead: some role does a mentioned action,
//! whatever the others do; or no role does any of them. The *pruned* covering is the direct one without joint
//! moves that are known to be impossible.

use super::frame::FrameRule;
use crate::program::{Literal, Program, Term};
use crate::shapes::{Shape, Shapes, shape};

/// A product over the roles has at most this many joint moves.
const MAX_PRODUCT: usize = 24;

/// Which covering frame rules are translated with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covering<'a> {
    /// One joint move for all.
    Generic,
    /// The names of the actions of each role.
    Direct,
    /// The direct covering without joint moves that are known to be impossible.
    Pruned(&'a [JointPattern]),
}

/// A joint move that is known to be impossible: for each role, by its name, the name of an action
/// with its number of arguments. It stands for all its instances.
pub type JointPattern = Vec<(String, String, usize)>;

/// A general joint move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JointMove {
    /// What single roles do; of roles that are not named here nothing is said.
    pub(super) elements: Vec<Element>,
    /// No role does an action of these names.
    pub(super) nobody: Vec<Shape>,
}

/// What one role does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Element {
    /// The role; `None` for some role.
    pub(super) role: Option<usize>,
    /// The action.
    pub(super) action: Action,
}

/// A class of actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// All of one name.
    Named(Shape),
    /// All but those of these names.
    Other(Vec<Shape>),
}

/// The joint moves that the frame rules of a fluent can be translated for: one or two coverings, of
/// which the one that gives fewer rules is to be taken.
pub(super) fn coverings(
    covering: Covering<'_>,
    rules: &[FrameRule],
    program: &Program,
    shapes: &Shapes<'_>,
) -> Vec<Vec<JointMove>> {
    if covering == Covering::Generic {
        return vec![vec![JointMove { elements: Vec::new(), nobody: Vec::new() }]];
    }
    let roles = 0..program.roles.len();
    let classes: Vec<(usize, Vec<Action>)> = roles
        .clone()
        .filter_map(|role| Some((role, classes(role, rules, program, shapes)?)))
        .collect();
    let size = classes.iter().fold(1usize, |size, (_, set)| size.saturating_mul(set.len()));
    let split = classes.iter().filter(|(_, set)| set.len() > 1).count();
    let mut coverings = Vec::new();
    if split <= 1 || size <= MAX_PRODUCT {
        let mut moves = product(&classes);
        if let Covering::Pruned(impossible) = covering {
            moves.retain(|joint| !impossible.iter().any(|it| is_instance(joint, it, program)));
        }
        coverings.push(moves);
    }
    if split > 1 {
        let mut names: Vec<Shape> = roles
            .flat_map(|role| {
                let mentioned = mentioned(&program.roles[role], rules, program);
                shapes.actions(role).into_iter().filter(move |it| mentioned.contains(it))
            })
            .collect();
        names.sort_unstable();
        names.dedup();
        coverings.push(overlapping(names));
    }
    coverings
}

/// The classes of a role's actions: each name that the rules mention, and the rest. `None` if they
/// mention none.
fn classes(
    role: usize,
    rules: &[FrameRule],
    program: &Program,
    shapes: &Shapes<'_>,
) -> Option<Vec<Action>> {
    let actions = shapes.actions(role);
    let mentioned = mentioned(&program.roles[role], rules, program);
    let (named, other): (Vec<Shape>, Vec<Shape>) =
        actions.into_iter().partition(|action| mentioned.contains(action));
    if named.is_empty() {
        return None;
    }
    let mut classes: Vec<Action> = named.iter().copied().map(Action::Named).collect();
    match other.as_slice() {
        [] => {}
        [only] => classes.push(Action::Named(*only)),
        _ => classes.push(Action::Other(named)),
    }
    Some(classes)
}

/// The names of actions that the rules mention for a role.
fn mentioned(role: &Term, rules: &[FrameRule], program: &Program) -> Vec<Shape> {
    let literals = rules.iter().flat_map(|rule| &rule.rule.body);
    literals
        .filter_map(|literal| match literal {
            Literal::Positive(atom) if atom.relation == program.vocabulary.does => Some(atom),
            _ => None,
        })
        .filter(|atom| matches!(atom.args[0], Term::Variable(_)) || atom.args[0] == *role)
        .filter_map(|atom| shape(&atom.args[1]))
        .collect()
}

fn product(classes: &[(usize, Vec<Action>)]) -> Vec<JointMove> {
    let mut elements = vec![Vec::new()];
    for (role, actions) in classes {
        elements = elements
            .iter()
            .flat_map(|begun: &Vec<Element>| {
                actions.iter().map(move |action| {
                    let element = Element { role: Some(*role), action: action.clone() };
                    begun.iter().cloned().chain([element]).collect()
                })
            })
            .collect();
    }
    elements.into_iter().map(|elements| JointMove { elements, nobody: Vec::new() }).collect()
}

fn overlapping(names: Vec<Shape>) -> Vec<JointMove> {
    let some = names.iter().map(|&name| JointMove {
        elements: vec![Element { role: None, action: Action::Named(name) }],
        nobody: Vec::new(),
    });
    let some: Vec<JointMove> = some.collect();
    let none = JointMove { elements: Vec::new(), nobody: names };
    some.into_iter().chain([none]).collect()
}

/// Whether all instances of a joint move are instances of a pattern.
fn is_instance(joint: &JointMove, pattern: &JointPattern, program: &Program) -> bool {
    let symbols = &program.symbols;
    pattern.iter().all(|(role, name, arity)| {
        let wanted = (symbols.get(role).map(Term::Constant), symbols.get(name));
        joint.elements.iter().any(|element| {
            let role = element.role.map(|role| program.roles[role].clone());
            match (element.action.clone(), wanted.1) {
                (Action::Named(found), Some(name)) => role == wanted.0 && found == (name, *arity),
                _ => false,
            }
        })
    })
}
