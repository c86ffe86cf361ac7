//! Relations that the translation makes up: GDL has no quantifier, so what must have no instance is
//! named by a relation, and negated.

use super::clause::Condition;
use super::draft::Draft;
use super::frame::general_term;
use super::shapes::Shape;
use super::unify::Bindings;
use crate::program::{Atom, Class, Literal, Program, Relation, RelationId, Rule, Term};
use crate::source::Span;
use crate::symbol::{Symbol, Symbols};

/// Stems of made-up names: a move that is made, and a condition that lets a fluent persist.
const DID: &str = "did$";
const KEEPS: &str = "keeps$";

/// Made-up relations with their rules.
pub(super) struct Auxiliaries {
    pub(super) symbols: Symbols,
    does: RelationId,
    first: u32,
    relations: Vec<Made>,
    variable: Symbol,
}

struct Made {
    name: Symbol,
    arity: usize,
    drafts: Vec<Draft>,
}

impl Auxiliaries {
    pub(super) fn new(program: &Program, variable: Symbol, symbols: Symbols) -> Auxiliaries {
        let (does, first) = (program.vocabulary.does, program.relations.len() as u32);
        Auxiliaries { symbols, does, first, relations: Vec::new(), variable }
    }

    /// The atom that says that a role, or any, does an action of one of these names.
    pub(super) fn did(&mut self, actions: &[Shape], role: Option<Term>) -> Atom {
        let drafts = actions.iter().map(|&action| {
            let mut names = vec![self.variable];
            let someone = Term::Variable(0);
            let action = general_term(action, &mut names, self.variable);
            let args = role.iter().map(|_| someone.clone()).collect();
            let does = Atom { relation: self.does, args: vec![someone, action] };
            let head = Atom { relation: self.does, args };
            Draft { head, body: vec![Literal::Positive(does)], names, span: Span::default() }
        });
        let drafts = drafts.collect();
        Atom { relation: self.relation(DID, drafts), args: role.into_iter().collect() }
    }

    /// Adds to a rule that a condition has no instance. Only instances that the rule asks about are
    /// derived: the moves and, where it must be, the fluent are asked for as well.
    pub(super) fn add_absence(&mut self, draft: &mut Draft, condition: &Condition, rule: &Rule) {
        let free = draft.names.len() as u32;
        let mut variables = condition.variables();
        variables.retain(|&variable| variable < free);
        let args: Vec<Term> = variables.iter().map(|&it| Term::Variable(it)).collect();
        let mut body = condition.literals.clone();
        let shares = |literal: &Literal, wanted: &dyn Fn(u32) -> bool| {
            let mut found = false;
            literal.for_each_variable(&mut |variable| found |= wanted(variable));
            found
        };
        let positive = |literal: &&Literal| matches!(literal, Literal::Positive(_));
        for literal in draft.body.iter().filter(positive) {
            let is_move = literal.atom().is_some_and(|atom| atom.relation == self.does);
            let bound = |variable: u32| {
                body.iter().filter(positive).any(|other| shares(other, &|it| it == variable))
            };
            let needed =
                |variable: u32| variables.contains(&variable) && (is_move || !bound(variable));
            if shares(literal, &needed) && !body.contains(literal) {
                body.insert(0, literal.clone());
            }
        }
        let mut names = draft.names.clone();
        names.extend(&rule.variables);
        let head = Atom { relation: self.does, args: args.clone() };
        let mut solution = Bindings::default();
        condition.equations.iter().for_each(|(a, b)| {
            solution.unify(a, b);
        });
        let made = Draft { head, body, names, span: rule.span }.resolved(&solution);
        let literal = Literal::Negative(Atom { relation: self.relation(KEEPS, vec![made]), args });
        if !draft.body.contains(&literal) {
            draft.body.push(literal);
        }
    }

    /// The relation that these rules define; their heads name it only from here on.
    fn relation(&mut self, stem: &str, mut drafts: Vec<Draft>) -> RelationId {
        let arity = drafts.first().map_or(0, |draft| draft.head.args.len());
        for index in 0..self.relations.len() {
            let id = self.id(index);
            drafts.iter_mut().for_each(|draft| draft.head.relation = id);
            let known = &self.relations[index];
            let same = |a: &Draft, b: &Draft| a.subsumes(b) && b.subsumes(a);
            if known.arity == arity
                && known.drafts.len() == drafts.len()
                && known.drafts.iter().zip(&drafts).all(|(a, b)| same(a, b))
            {
                return id;
            }
        }
        let id = self.id(self.relations.len());
        drafts.iter_mut().for_each(|draft| draft.head.relation = id);
        let name = self.symbols.fresh(stem);
        self.relations.push(Made { name, arity, drafts });
        id
    }

    fn id(&self, index: usize) -> RelationId {
        RelationId(self.first + index as u32)
    }

    /// Adds these relations to a program, with the rules of those that its rules mention. No rule of
    /// theirs mentions another of them.
    pub(super) fn finish(self, program: &mut Program) {
        program.symbols = self.symbols;
        for (made, id) in self.relations.into_iter().zip(self.first..) {
            let used = program.rules.iter().any(|rule| mentions(rule, RelationId(id)));
            program.relations.push(Relation {
                name: made.name,
                arity: made.arity,
                class: Class::Static,
                keyword: None,
                auxiliary: true,
            });
            let drafts = made.drafts.into_iter().filter(|_| used);
            for draft in drafts {
                let rule = draft.finish(&mut program.symbols);
                program.rules.push(rule);
            }
        }
    }
}

fn mentions(rule: &Rule, relation: RelationId) -> bool {
    rule.body.iter().filter_map(Literal::atom).any(|atom| atom.relation == relation)
}
