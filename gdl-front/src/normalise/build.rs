//! Solved clauses to facts and rules of a program: relations numbered, variables numbered, and
//! each negation and inequality moved behind the conditions that bind it.

use super::expand::Clause;
use super::nnf::Goal;
use crate::ast;
use crate::hash::HashMap;
use crate::program::{
    Atom, Class, Fact, Frame, Literal, Program, Relation, RelationId, Rule, Term, Vocabulary,
};
use crate::symbol::{Symbol, Symbols};
use crate::vocabulary::{Keyword, Keywords};

pub(super) struct Builder {
    program: Program,
    ids: HashMap<(Symbol, usize), RelationId>,
    words: Keywords,
    auxiliaries: usize,
}

impl Builder {
    pub(super) fn new(mut symbols: Symbols) -> Builder {
        let words = Keywords::of(&mut symbols);
        let relations = Keyword::ALL.map(|keyword| Relation {
            name: words.symbol(keyword),
            arity: keyword.arity(),
            class: Class::Static,
            keyword: Some(keyword),
            auxiliary: false,
        });
        let ids = relations.iter().zip(0..);
        let ids = ids.map(|(relation, id)| ((relation.name, relation.arity), RelationId(id)));
        let id = |keyword: Keyword| RelationId(keyword as u32);
        let vocabulary = Vocabulary {
            role: id(Keyword::Role),
            init: id(Keyword::Init),
            true_: id(Keyword::True),
            does: id(Keyword::Does),
            next: id(Keyword::Next),
            fnext: id(Keyword::Fnext),
            legal: id(Keyword::Legal),
            goal: id(Keyword::Goal),
            terminal: id(Keyword::Terminal),
            base: id(Keyword::Base),
            input: id(Keyword::Input),
        };
        Builder {
            ids: ids.collect(),
            words,
            auxiliaries: 0,
            program: Program {
                symbols,
                roles: Vec::new(),
                relations: relations.into(),
                facts: Vec::new(),
                rules: Vec::new(),
                components: Vec::new(),
                vocabulary,
                frame: Frame::Original,
            },
        }
    }

    /// The name of a new auxiliary relation.
    pub(super) fn auxiliary(&mut self) -> Symbol {
        self.auxiliaries += 1;
        let stem = match self.auxiliaries {
            1 => AUXILIARY.to_owned(),
            number => format!("{AUXILIARY}{number}"),
        };
        self.program.symbols.fresh(&stem)
    }

    /// Adds a clause as a fact or a rule.
    pub(super) fn add(&mut self, clause: Clause) {
        let mut numbering = Numbering::default();
        let mut body = Vec::with_capacity(clause.goals.len());
        for goal in ordered(clause.goals) {
            let literal = self.literal(goal, &mut numbering);
            if !body.contains(&literal) {
                body.push(literal);
            }
        }
        let head = self.atom(&clause.head, &mut numbering);
        if !body.is_empty() {
            let rule = Rule { head, body, variables: numbering.names, span: clause.span };
            self.program.rules.push(rule);
        } else if numbering.names.is_empty() {
            self.add_fact(Fact { atom: head, span: clause.span });
        }
    }

    fn add_fact(&mut self, fact: Fact) {
        let is_role = fact.atom.relation == self.program.vocabulary.role;
        let role = fact.atom.args.first().filter(|_| is_role);
        if let Some(role) = role
            && !self.program.roles.contains(role)
        {
            self.program.roles.push(role.clone());
        }
        self.program.facts.push(fact);
    }

    pub(super) fn finish(self) -> Program {
        self.program
    }

    fn literal(&mut self, goal: Goal, numbering: &mut Numbering) -> Literal {
        match goal {
            Goal::Positive(atom) => Literal::Positive(self.atom(&atom, numbering)),
            Goal::Negative(atom) => Literal::Negative(self.atom(&atom, numbering)),
            Goal::Distinct(a, b) | Goal::Equal(a, b) => {
                Literal::Distinct(numbering.term(&a), numbering.term(&b))
            }
            Goal::Choice(_) => unreachable!("choices are expanded before"),
        }
    }

    fn atom(&mut self, atom: &ast::Atom, numbering: &mut Numbering) -> Atom {
        let args: Vec<Term> = atom.args.iter().map(|arg| numbering.term(arg)).collect();
        Atom { relation: self.relation(atom.name, args.len()), args }
    }

    fn relation(&mut self, name: Symbol, arity: usize) -> RelationId {
        let relations = &mut self.program.relations;
        *self.ids.entry((name, arity)).or_insert_with(|| {
            relations.push(Relation {
                name,
                arity,
                class: Class::Static,
                keyword: self.words.keyword(name).filter(|word| word.arity() == arity),
                auxiliary: self.program.symbols.spelling(name).contains('$'),
            });
            RelationId(relations.len() as u32 - 1)
        })
    }
}

/// The stem of made-up names: GDL authors do not use `$`, but nothing breaks if one does.
const AUXILIARY: &str = "or$";

/// Gives the variables of a clause their numbers, in the order they come.
#[derive(Default)]
struct Numbering {
    names: Vec<Symbol>,
}

impl Numbering {
    fn term(&mut self, term: &ast::Term) -> Term {
        match term {
            ast::Term::Variable(name, _) => {
                let known = self.names.iter().position(|other| other == name);
                let number = known.unwrap_or_else(|| {
                    self.names.push(*name);
                    self.names.len() - 1
                });
                Term::Variable(number as u32)
            }
            ast::Term::Constant(name, _) => Term::Constant(*name),
            ast::Term::Function(name, args, _) => {
                Term::Function(*name, args.iter().map(|arg| self.term(arg)).collect())
            }
        }
    }
}

/// The goals in their order, except that what only tests waits until its variables are bound.
fn ordered(goals: Vec<Goal>) -> Vec<Goal> {
    let mut done = Vec::with_capacity(goals.len());
    let mut waiting: Vec<Goal> = Vec::new();
    let mut bound: Vec<Symbol> = Vec::new();
    for goal in goals {
        if !matches!(goal, Goal::Positive(_)) {
            if is_bound(&goal, &bound) {
                done.push(goal)
            } else {
                waiting.push(goal)
            }
            continue;
        }
        goal.for_each_variable(&mut |name| bound.push(name));
        done.push(goal);
        let (ready, still): (Vec<Goal>, Vec<Goal>) =
            waiting.into_iter().partition(|goal| is_bound(goal, &bound));
        done.extend(ready);
        waiting = still;
    }
    // Only an unsafe rule leaves some here; it has been reported.
    done.extend(waiting);
    done
}

fn is_bound(goal: &Goal, bound: &[Symbol]) -> bool {
    let mut all = true;
    goal.for_each_variable(&mut |name| all &= bound.contains(&name));
    all
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use expect_test::expect;

    #[test]
    fn tests_wait_for_their_bindings() {
        check(
            "(<= (p ?x) (distinct ?x ?y) (not (r ?x)) (q ?x) (s ?y) (q ?x))",
            expect!["(<= (p ?x) (q ?x) (not (r ?x)) (s ?y) (distinct ?x ?y))"],
        );
    }

    #[test]
    fn a_rule_without_conditions_left_is_a_fact() {
        check("(<= (p a) (distinct a b))", expect!["(p a)"]);
    }
}
