//! The frame rules of one kind of fluent to `fnext` rules.

use super::absence::Absences;
use super::auxiliary::Auxiliaries;
use super::clause::Setting;
use super::covering::{Action, Covering, Element, JointMove, coverings};
use super::draft::{Draft, join_cases, remove_subsumed};
use super::frame::{FrameRule, general_term};
use super::invariant::Invariants;
use super::solve::{Facts, Known, TooMany, Way, ways};
use super::turns::Turns;
use crate::hash::HashMap;
use crate::program::{Atom, Class, Literal, Program, Term};
use crate::shapes::{Position, Shape, Shapes, shape};
use crate::symbol::Symbol;

/// More rules than this for a kind of fluent are not simplified further, but given up.
const MAX_DRAFTS: usize = 300;

/// What a fluent is translated with.
pub(super) struct Translator<'a> {
    pub(super) program: &'a Program,
    pub(super) shapes: &'a Shapes<'a>,
    pub(super) facts: &'a Facts<'a>,
    pub(super) invariants: &'a Invariants<'a>,
    pub(super) turns: &'a Turns<'a>,
    pub(super) covering: Covering<'a>,
    /// The names of variables that no rule gives one.
    pub(super) stems: Stems,
}

/// Names for variables.
#[derive(Clone, Copy)]
pub(super) struct Stems {
    pub(super) argument: Symbol,
    pub(super) role: Symbol,
}

/// The `fnext` rules of a kind of fluent.
pub(super) struct Translated {
    pub(super) drafts: Vec<Draft>,
    /// How many joint moves there were: rules before simplification.
    pub(super) joint_moves: usize,
}

impl Translator<'_> {
    /// Translates the frame rules of fluents of one shape.
    pub(super) fn translate(
        &self,
        fluent: Shape,
        rules: &[FrameRule],
        auxiliaries: &mut Auxiliaries,
    ) -> Result<Translated, TooMany> {
        let mut best: Result<Translated, TooMany> = Err(TooMany);
        for mut moves in coverings(self.covering, rules, self.program, self.shapes) {
            // A covering that was handed in is kept as it is.
            if self.covering == Covering::Direct {
                moves.retain(|joint| !self.turns.rule_out(joint));
            }
            let cost =
                |made: &Translated| made.drafts.len() + auxiliaries.cost_behind(&made.drafts);
            let enough = best.as_ref().is_ok_and(|made| cost(made) <= moves.len());
            if enough {
                break;
            }
            let made = self.with_covering(fluent, &moves, rules, auxiliaries);
            let cost =
                |made: &Translated| made.drafts.len() + auxiliaries.cost_behind(&made.drafts);
            best = match (best, made) {
                (Ok(best), Ok(made)) => Ok(if cost(&made) < cost(&best) { made } else { best }),
                (best, made) => best.or(made),
            };
        }
        best
    }

    /// Whether no rule starts from a move, and each asks that no move lets the fluent persist.
    pub(super) fn asks_of_all(&self, made: &Translated, auxiliaries: &Auxiliaries) -> bool {
        let starts_from_move = |literal: &Literal| match literal {
            Literal::Positive(atom) => {
                let relation = self.program.relations.get(atom.relation.index());
                relation.is_some_and(|relation| relation.class == Class::Move)
            }
            _ => false,
        };
        let asks = |draft: &Draft| {
            !draft.body.iter().any(starts_from_move) && auxiliaries.joins_moves_behind(draft)
        };
        self.covering == Covering::Direct && !made.drafts.is_empty() && made.drafts.iter().all(asks)
    }

    fn with_covering(
        &self,
        fluent: Shape,
        moves: &[JointMove],
        rules: &[FrameRule],
        auxiliaries: &mut Auxiliaries,
    ) -> Result<Translated, TooMany> {
        let mut drafts = Vec::new();
        let mut absences = Absences::default();
        for joint in moves {
            drafts.extend(self.for_joint_move(fluent, joint, rules, &mut absences, auxiliaries)?);
            if drafts.len() > MAX_DRAFTS {
                return Err(TooMany);
            }
        }
        remove_subsumed(&mut drafts);
        join_cases(&mut drafts);
        self.join_moves(moves, &mut drafts, auxiliaries);
        drafts.iter_mut().for_each(|draft| auxiliaries.settle(draft, &absences, rules));
        Ok(Translated { drafts, joint_moves: moves.len() })
    }

    fn for_joint_move(
        &self,
        fluent: Shape,
        joint: &JointMove,
        rules: &[FrameRule],
        absences: &mut Absences,
        auxiliaries: &mut Auxiliaries,
    ) -> Result<Vec<Draft>, TooMany> {
        let mut names = Vec::new();
        let fluent = general_term(fluent, &mut names, self.stems.argument);
        name_after(&fluent, rules.iter().map(FrameRule::fluent), rules, &mut names);
        let elements = joint.elements.iter();
        let does = elements.map(|it| self.element_terms(it, rules, &mut names)).collect();
        let free = names.len() as u32;
        let (program, shapes, turns) = (self.program, self.shapes, self.turns);
        let setting = Setting { program, shapes, turns, fluent, joint, does, free };
        let given = self.given(&setting, auxiliaries);
        let (facts, invariants) = (self.facts, self.invariants);
        let known = Known { domains: self.domains(&setting), facts, invariants, turns, free };
        let conditions = rules.iter().enumerate();
        let conditions =
            conditions.flat_map(|(number, rule)| setting.conditions(number, rule)).collect();
        let ends = Atom { relation: program.vocabulary.fnext, args: vec![setting.fluent.clone()] };
        let ways = ways(&known, absences, &ends, given, conditions)?;
        let draft = |way: Way| Draft {
            head: way.bindings.resolve_atom(&ends),
            body: way.literals,
            names: names.clone(),
            span: rules[0].rule.span,
        };
        Ok(ways.into_iter().map(draft).collect())
    }

    /// The role and action of an element of a joint move, over new variables.
    fn element_terms(
        &self,
        element: &Element,
        rules: &[FrameRule],
        names: &mut Vec<Symbol>,
    ) -> (Term, Option<Term>) {
        let role = match element.role {
            Some(role) => self.program.roles[role].clone(),
            None => {
                names.push(self.stems.role);
                Term::Variable(names.len() as u32 - 1)
            }
        };
        let Action::Named(name) = element.action else { return (role, None) };
        let action = general_term(name, names, self.stems.argument);
        let does = self.program.vocabulary.does;
        let asked = rules.iter().flat_map(|rule| &rule.rule.body).filter_map(|it| match it {
            Literal::Positive(atom) if atom.relation == does => Some(&atom.args[1]),
            _ => None,
        });
        name_after(&action, asked, rules, names);
        (role, Some(action))
    }

    /// What holds for a fluent that is true when a joint move is made.
    fn given(&self, setting: &Setting<'_>, auxiliaries: &mut Auxiliaries) -> Vec<Literal> {
        let words = &self.program.vocabulary;
        let mut given = Vec::new();
        for ((role, action), element) in setting.does.iter().zip(&setting.joint.elements) {
            let literal = match (action, &element.action) {
                (Some(action), _) => Literal::Positive(Atom {
                    relation: words.does,
                    args: vec![role.clone(), action.clone()],
                }),
                (None, Action::Other(names)) => {
                    Literal::Negative(auxiliaries.did(names, Some(role.clone())))
                }
                (None, Action::Named(_)) => continue,
            };
            given.push(literal);
        }
        let fluent = Atom { relation: words.true_, args: vec![setting.fluent.clone()] };
        given.push(Literal::Positive(fluent));
        if !setting.joint.nobody.is_empty() {
            given.push(Literal::Negative(auxiliaries.did(&setting.joint.nobody, None)));
        }
        given
    }

    /// The constants that the variables of a fluent and a joint move can be.
    fn domains(&self, setting: &Setting<'_>) -> HashMap<u32, std::collections::BTreeSet<Symbol>> {
        let mut domains = HashMap::default();
        let actions = setting.does.iter().filter_map(|(_, action)| action.as_ref());
        for term in actions.chain([&setting.fluent]) {
            let (Term::Function(_, args), Some(outer)) = (term, shape(term)) else { continue };
            for (index, arg) in args.iter().enumerate() {
                if let Term::Variable(variable) = arg
                    && let Some(set) = self.shapes.constants(Position::Inside(outer, index))
                {
                    domains.insert(*variable, set);
                }
            }
        }
        for (role, _) in &setting.does {
            if let Term::Variable(variable) = role {
                let roles = self.program.roles.iter().filter_map(shape);
                domains.insert(*variable, roles.map(|(name, _)| name).collect());
            }
        }
        domains
    }

    /// Drops what a role does from rules that are the same for all that it can do.
    fn join_moves(
        &self,
        moves: &[JointMove],
        drafts: &mut Vec<Draft>,
        auxiliaries: &mut Auxiliaries,
    ) {
        let mut classes: Vec<(usize, Vec<Action>)> = Vec::new();
        for element in moves.iter().flat_map(|joint| &joint.elements) {
            let Some(role) = element.role else { return };
            let index = classes.iter().position(|(other, _)| *other == role);
            let index = index.unwrap_or_else(|| {
                classes.push((role, Vec::new()));
                classes.len() - 1
            });
            if !classes[index].1.contains(&element.action) {
                classes[index].1.push(element.action.clone());
            }
        }
        for (role, actions) in classes.iter().filter(|(_, actions)| actions.len() > 1) {
            let literals: Vec<(Literal, &Action)> = actions
                .iter()
                .map(|action| (self.action_literal(*role, action, auxiliaries), action))
                .collect();
            while let Some((at, wider)) = (0..drafts.len())
                .find_map(|at| Some((at, self.without_role(drafts, at, *role, &literals)?)))
            {
                drafts[at] = wider;
                remove_subsumed(drafts);
            }
        }
    }

    /// A rule without what a role does, if all that it can do then gives the same.
    fn without_role(
        &self,
        drafts: &[Draft],
        at: usize,
        role: usize,
        literals: &[(Literal, &Action)],
    ) -> Option<Draft> {
        let draft = &drafts[at];
        let index = draft.body.iter().position(|literal| same_action(literal, literals))?;
        if !draft.is_isolated(index) {
            return None;
        }
        let wider = draft.without(index);
        let covered = |(literal, action): &(Literal, &Action)| {
            let case = wider.with(literal.clone());
            self.is_ruled_out(role, action, &wider)
                || drafts.iter().any(|other| other.subsumes(&case))
        };
        literals.iter().all(covered).then_some(wider)
    }

    /// Whether a role cannot do an action together with the moves of a rule.
    fn is_ruled_out(&self, role: usize, action: &Action, draft: &Draft) -> bool {
        let mut elements = vec![Element { role: Some(role), action: action.clone() }];
        elements.extend(draft.body.iter().filter_map(|literal| {
            let Literal::Positive(atom) = literal else { return None };
            let is_move = atom.relation == self.program.vocabulary.does;
            let other = self.program.roles.iter().position(|it| is_move && *it == atom.args[0])?;
            Some(Element { role: Some(other), action: Action::Named(shape(&atom.args[1])?) })
        }));
        let joint = JointMove { elements, nobody: Vec::new() };
        self.covering == Covering::Direct && self.turns.rule_out(&joint)
    }

    /// What a role does, over variables that occur nowhere else; only to be compared with.
    fn action_literal(
        &self,
        role: usize,
        action: &Action,
        auxiliaries: &mut Auxiliaries,
    ) -> Literal {
        let role = self.program.roles[role].clone();
        match action {
            Action::Named(name) => {
                let term = general_term(*name, &mut Vec::new(), self.stems.argument);
                let term = term.replaced(&mut |number| Term::Variable(u32::MAX - number));
                let does = self.program.vocabulary.does;
                Literal::Positive(Atom { relation: does, args: vec![role, term] })
            }
            Action::Other(names) => Literal::Negative(auxiliaries.did(names, Some(role))),
        }
    }
}

/// Whether a literal is one of those of a role: with the same role, and the same name of action.
fn same_action(literal: &Literal, literals: &[(Literal, &Action)]) -> bool {
    literals.iter().any(|(other, _)| match (literal, other) {
        (Literal::Positive(a), Literal::Positive(b)) => {
            a.relation == b.relation
                && a.args[0] == b.args[0]
                && a.args.get(1).and_then(shape) == b.args.get(1).and_then(shape)
        }
        _ => literal == other,
    })
}

/// Names the variables of a general term after those that stand in their place in one of the terms
/// of the rules.
fn name_after<'t>(
    term: &Term,
    terms: impl Iterator<Item = &'t Term>,
    rules: &[FrameRule],
    names: &mut [Symbol],
) {
    let Term::Function(_, args) = term else { return };
    let owner = |wanted: &Term| {
        rules.iter().find(|rule| {
            rule.fluent() == wanted
                || rule
                    .rule
                    .body
                    .iter()
                    .filter_map(Literal::atom)
                    .any(|atom| atom.args.contains(wanted))
        })
    };
    for other in terms.filter(|other| shape(other) == shape(term)) {
        let (Term::Function(_, others), Some(rule)) = (other, owner(other)) else { continue };
        for (arg, other) in args.iter().zip(others) {
            if let (Term::Variable(arg), Term::Variable(other)) = (arg, other) {
                names[*arg as usize] = rule.rule.variables[*other as usize];
            }
        }
        return;
    }
}
