//! Relations that the translation makes up: GDL has no quantifier, so what must have no instance is
//! named by a relation, and negated.

use super::absence::Absences;
use super::clause::Condition;
use super::draft::{Draft, remove_subsumed};
use super::frame::{FrameRule, general_term};
use super::unify::Bindings;
use crate::program::{Atom, Class, Literal, Program, Relation, RelationId, Rule, Term};
use crate::shapes::Shape;
use crate::source::Span;
use crate::symbol::{Symbol, Symbols};

/// Stems of made-up names: a move that is made, and a condition that lets a fluent persist.
const DID: &str = "did$";
const KEEPS: &str = "keeps$";

/// How many rules are as costly as one that joins moves with something else, about.
const COST_OF_JOINED_MOVES: usize = 8;

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

    /// Puts relations of their own in the place of provisional ones: in each rule, the conditions
    /// over the same variables that must have no instance become one.
    pub(super) fn settle(&mut self, draft: &mut Draft, absences: &Absences, rules: &[FrameRule]) {
        let free = draft.names.len() as u32;
        let mut conditions: Vec<(Vec<u32>, Condition)> = Vec::new();
        draft.body.retain(|literal| {
            let condition = literal.atom().and_then(|atom| absences.condition(atom, free));
            let Some(condition) = condition else { return true };
            let mut variables = condition.variables();
            variables.retain(|&variable| variable < free);
            variables.sort_unstable();
            conditions.push((variables, condition));
            false
        });
        while let Some((variables, _)) = conditions.first() {
            let variables = variables.clone();
            let (same, others): (Vec<_>, Vec<_>) =
                conditions.into_iter().partition(|(other, _)| *other == variables);
            conditions = others;
            let mut instances: Vec<Draft> = same
                .iter()
                .map(|(_, it)| self.instance(draft, it, &variables, &rules[it.rule].rule))
                .collect();
            remove_subsumed(&mut instances);
            let relation = self.relation(KEEPS, instances);
            let args = variables.into_iter().map(Term::Variable).collect();
            draft.body.push(Literal::Negative(Atom { relation, args }));
        }
    }

    /// The rule for the instances of a condition. Only those that a rule asks about are derived: the
    /// moves and, where it must be, the fluent are asked for as well.
    fn instance(
        &self,
        draft: &Draft,
        condition: &Condition,
        variables: &[u32],
        rule: &Rule,
    ) -> Draft {
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
        let args = variables.iter().map(|&variable| Term::Variable(variable)).collect();
        let head = Atom { relation: self.does, args };
        let mut solution = Bindings::default();
        condition.equations.iter().for_each(|(a, b)| {
            solution.unify(a, b);
        });
        Draft { head, body, names, span: rule.span }.resolved(&solution)
    }

    /// What the relations of this kind that rules mention cost, in rules: one that must be evaluated
    /// for every move, only to be negated, counts for several.
    pub(super) fn cost_behind(&self, drafts: &[Draft]) -> usize {
        let made = self.relations.iter().zip(self.first..);
        let mentioned = made
            .filter(|(_, id)| drafts.iter().any(|draft| mentions(&draft.body, RelationId(*id))));
        let cost = |draft: &Draft| if self.joins_moves(draft) { COST_OF_JOINED_MOVES } else { 1 };
        mentioned.flat_map(|(made, _)| &made.drafts).map(cost).sum()
    }

    /// Whether a rule asks for a relation of this kind that joins moves with something else.
    pub(super) fn joins_moves_behind(&self, draft: &Draft) -> bool {
        let mut made = self.relations.iter().zip(self.first..);
        made.any(|(made, id)| {
            mentions(&draft.body, RelationId(id))
                && made.drafts.iter().any(|it| self.joins_moves(it))
        })
    }

    fn joins_moves(&self, draft: &Draft) -> bool {
        draft.body.len() > 1 && mentions(&draft.body, self.does)
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
            let used = program.rules.iter().any(|rule| mentions(&rule.body, RelationId(id)));
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

fn mentions(body: &[Literal], relation: RelationId) -> bool {
    body.iter().filter_map(Literal::atom).any(|atom| atom.relation == relation)
}
