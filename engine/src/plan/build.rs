//! From a program to its plan: what is needed, state rules first, then move rules.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gdl_front::hash::{HashMap, HashSet};
use gdl_front::program::{Atom, Class, Literal, RelationId, Rule, Term};
use gdl_front::{Query, Span};

use super::chain::Site;
use super::order::{Order, Orderer};
use super::{FIRST_VARIABLE, Index, Loop, Plan, RelationPlan, Statics, Uses, Visible};
use crate::game::Game;
use crate::reasoner::Failure;
use crate::reference::{Facts, Reference};

impl Plan {
    /// Plans a game.
    pub fn new(game: Arc<Game>, visible: Visible) -> Result<Plan, Failure> {
        let facts = Reference::new(game.clone())?.into_statics();
        let mut planner = Planner::new(game, Arc::new(facts));
        planner.raise_classes();
        planner.mark_visible(visible);
        planner.mark_needed();
        let rules = planner.dynamic_rules();
        for group in &rules {
            planner.plan_group(group, Phase::State);
        }
        planner.open_moves();
        for group in &rules {
            planner.plan_group(group, Phase::Move);
        }
        planner.mark_counted(&rules);
        Ok(planner.finish())
    }
}

impl Plan {
    /// Plans a rule for the answers to a query over the facts of this plan.
    pub(crate) fn query(&self, query: &Query) -> Plan {
        let mut planner = Planner::new(self.game.clone(), self.statics.facts.clone());
        for (relation, given) in planner.plan.relations.iter_mut().zip(&self.relations) {
            relation.class = given.class;
        }
        let answers = self.answers();
        let args = (0..query.variables.len() as u32).map(Term::Variable).collect();
        let name = self.game.program.relation(self.game.program.vocabulary.true_).name;
        let rule = Rule {
            head: Atom { relation: answers, args },
            body: query.body.clone(),
            // Only their number matters: nothing of a query is printed.
            variables: vec![name; query.variables.len()],
            span: Span::default(),
        };
        planner.plan_rule(&rule, Site::Flat);
        let relation = &mut planner.plan.relations[answers.index()];
        relation.visible = true;
        relation.rank = 1;
        planner.finish()
    }
}

/// A plan in the making.
pub(super) struct Planner {
    pub(super) plan: Plan,
    pub(super) index_numbers: HashMap<Index, usize>,
    needed: HashSet<RelationId>,
}

/// The rules of a component that are not static, facts among them as rules without a body.
struct Group {
    relations: Vec<RelationId>,
    rules: Vec<Rule>,
    recursive: bool,
}

/// Rules that wait for states alone come first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    State,
    Move,
}

impl Planner {
    pub(super) fn new(game: Arc<Game>, facts: Arc<Facts>) -> Planner {
        let relation = |class| RelationPlan {
            class,
            level: 0,
            rank: 0,
            counted: false,
            visible: false,
            shared: false,
            recursion: None,
            uses: Uses::default(),
        };
        let classes = game.program.relations.iter().map(|relation| relation.class);
        let relations =
            classes.chain([Class::State, Class::Move, Class::State]).map(relation).collect();
        let plan = Plan {
            game,
            statics: Statics::new(facts),
            relations,
            continuations: Vec::new(),
            indexes: Vec::new(),
            loops: Vec::new(),
            joins: BTreeSet::new(),
            move_level: 0,
            levels: 0,
            registers: FIRST_VARIABLE,
            outlines: Vec::new(),
        };
        Planner { plan, index_numbers: HashMap::default(), needed: HashSet::default() }
    }

    pub(super) fn class(&self, relation: RelationId) -> Class {
        self.plan.relation(relation).class
    }

    /// What a reasoner reports depends on the world at least, and the next state on the branch.
    fn raise_classes(&mut self) {
        let vocabulary = self.plan.game.program.vocabulary;
        for relation in [vocabulary.legal, vocabulary.goal, vocabulary.terminal] {
            let class = &mut self.plan.relations[relation.index()].class;
            *class = (*class).max(Class::State);
        }
        for relation in [vocabulary.next, vocabulary.fnext] {
            self.plan.relations[relation.index()].class = Class::Move;
        }
        let game = self.plan.game.clone();
        for component in &game.program.components {
            let class = component.relations.iter().map(|&relation| self.class(relation)).max();
            for relation in &component.relations {
                self.plan.relations[relation.index()].class = class.unwrap_or(Class::Static);
            }
        }
    }

    fn mark_visible(&mut self, visible: Visible) {
        let vocabulary = self.plan.game.program.vocabulary;
        let answers = self.plan.answers();
        let inputs = [vocabulary.true_, vocabulary.does, self.plan.worlds(), self.plan.branches()];
        for (number, relation) in self.plan.relations.iter_mut().enumerate() {
            let id = RelationId(number as u32);
            let all = visible == Visible::All && id != answers && relation.class != Class::Static;
            relation.shared = all;
            relation.visible = all && relation.class == Class::State && !inputs.contains(&id);
        }
        let keywords = [vocabulary.legal, vocabulary.goal, vocabulary.terminal];
        for relation in keywords.into_iter().chain([vocabulary.next, vocabulary.fnext]) {
            self.plan.relations[relation.index()].visible = true;
        }
    }

    /// Only what a visible relation depends on is evaluated.
    fn mark_needed(&mut self) {
        let game = self.plan.game.clone();
        let reported = |plan: &RelationPlan| plan.visible || plan.shared;
        let visible = self.plan.relations.iter().enumerate().filter(|(_, plan)| reported(plan));
        let mut queue: Vec<RelationId> = visible.map(|(id, _)| RelationId(id as u32)).collect();
        while let Some(relation) = queue.pop() {
            if !self.needed.insert(relation) {
                continue;
            }
            let rules = game.program.rules.iter().filter(|rule| rule.head.relation == relation);
            let atoms = rules.flat_map(|rule| &rule.body).filter_map(Literal::atom);
            queue.extend(atoms.map(|atom| atom.relation));
        }
    }

    fn dynamic_rules(&self) -> Vec<Group> {
        let program = &self.plan.game.program;
        let mut facts: HashMap<RelationId, Vec<Rule>> = HashMap::default();
        for fact in &program.facts {
            let rule =
                Rule { head: fact.atom.clone(), body: vec![], variables: vec![], span: fact.span };
            facts.entry(fact.atom.relation).or_default().push(rule);
        }
        let dynamic = |relation: &RelationId| {
            self.needed.contains(relation) && self.class(*relation) != Class::Static
        };
        let components = program.components.iter().filter(|c| c.relations.iter().any(dynamic));
        let groups = components.map(|component| {
            let given = component.relations.iter().filter_map(|relation| facts.get(relation));
            let rules = component.rules.iter().map(|&rule| &program.rules[rule]);
            Group {
                relations: component.relations.clone(),
                rules: given.flatten().chain(rules).cloned().collect(),
                recursive: component.recursive,
            }
        });
        groups.collect()
    }

    fn plan_group(&mut self, group: &Group, phase: Phase) {
        let class = self.class(group.relations[0]);
        if group.recursive {
            if (class == Class::Move) == (phase == Phase::Move) {
                self.plan_recursion(group);
            }
            return;
        }
        for rule in &group.rules {
            if self.phase(rule) == phase {
                self.plan_rule(rule, Site::Flat);
            }
        }
    }

    fn phase(&self, rule: &Rule) -> Phase {
        let vocabulary = self.plan.game.program.vocabulary;
        let head = rule.head.relation;
        let waits = rule.body.iter().filter_map(Literal::atom);
        let waits = waits.map(|atom| self.class(atom.relation)).max() == Some(Class::Move);
        let reads_no_branch = self.class(head) != Class::Move
            // Nothing but the caller reads these, so one fact can stand for all branches.
            || head == vocabulary.next
            || head == vocabulary.fnext;
        if reads_no_branch && !waits { Phase::State } else { Phase::Move }
    }

    fn plan_recursion(&mut self, group: &Group) {
        let number = self.plan.loops.len();
        let level =
            if self.class(group.relations[0]) == Class::Move { self.plan.move_level } else { 0 };
        self.plan.loops.push(Loop {
            level,
            relations: group.relations.clone(),
            uses: BTreeMap::new(),
            outer: Vec::new(),
            inner: Vec::new(),
        });
        for relation in &group.relations {
            self.plan.relations[relation.index()].recursion = Some(number);
        }
        let recurs = |rule: &&Rule| {
            rule.body
                .iter()
                .filter_map(Literal::atom)
                .any(|a| group.relations.contains(&a.relation))
        };
        for rule in group.rules.iter().filter(|rule| !recurs(rule)) {
            self.plan_rule(rule, Site::Flat);
        }
        for rule in group.rules.iter().filter(recurs) {
            self.plan_rule(rule, Site::Loop(number));
        }
        for relation in &group.relations {
            self.plan.relations[relation.index()].level = self.plan.loops[number].level + 1;
        }
    }

    pub(super) fn order(&mut self, rule: &Rule, site: Site) -> Order {
        let Planner { plan, .. } = self;
        let Plan { game, statics, relations, loops, .. } = plan;
        let class = |relation: RelationId| relations[relation.index()].class;
        let may_start = |atom: &Atom| match site {
            Site::Flat => true,
            Site::Loop(number) => loops[number].relations.contains(&atom.relation),
        };
        Orderer { game, statics, class: &class }.order(rule, &may_start)
    }

    /// Moves come in above all levels that depend on states alone.
    fn open_moves(&mut self) {
        self.plan.move_level = self.highest_level() + 1;
        let does = self.plan.game.program.vocabulary.does;
        for relation in [does, self.plan.branches()] {
            self.plan.relations[relation.index()].level = self.plan.move_level;
        }
    }

    pub(super) fn highest_level(&self) -> usize {
        let relations = self.plan.relations.iter().map(|relation| relation.level);
        let joins = self.plan.joins.iter().map(|&(left, right)| left.max(right) + 1);
        let loops = self.plan.loops.iter().map(|recursion| recursion.level + 1);
        relations.chain(joins).chain(loops).max().unwrap_or(0)
    }

    /// Ranks the relations. A fact need not be counted if one rule derives it in one way: all variables are in the head.
    fn mark_counted(&mut self, groups: &[Group]) {
        for (rank, group) in groups.iter().enumerate() {
            for relation in &group.relations {
                self.plan.relations[relation.index()].rank = rank + 1;
            }
        }
        // Inputs have no rules: who brings them in counts them.
        let derived = |group: &&Group| !group.recursive && !group.rules.is_empty();
        for group in groups.iter().filter(derived) {
            let relation = &mut self.plan.relations[group.relations[0].index()];
            let uses = &relation.uses;
            let read = relation.visible || !uses.starts.is_empty() || !uses.indexes.is_empty();
            relation.counted = read && !matches!(&group.rules[..], [rule] if is_one_to_one(rule));
        }
    }

    pub(super) fn finish(mut self) -> Plan {
        self.plan.levels = self.highest_level().max(self.plan.move_level) + 1;
        self.plan
    }
}

fn is_one_to_one(rule: &Rule) -> bool {
    let mut shown: HashSet<u32> = HashSet::default();
    for arg in &rule.head.args {
        arg.for_each_variable(&mut |variable| {
            shown.insert(variable);
        });
    }
    shown.len() == rule.variables.len()
}
