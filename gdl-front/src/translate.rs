//! The `fnext` translation: frame rules, which say what persists, become rules that say what ends.
//!
//! After A. Romero, A. Saffidine and M. Thielscher, "Solving the Inferential Frame Problem in the
//! General Game Description Language" (2014), cited as RST. For each kind of fluent that has frame
//! rules and each joint move of a covering there is a rule of first-order logic by which the fluent
//! ends; it is simplified until it is a few GDL rules. Fluents without frame rules end with every
//! move and are derived anew. The next state is the state without what `fnext` names, together with
//! what `next` names.
//!
//! The encodings agree on joint moves of moves that are legal somewhere for their role, in states
//! that can be reached.
//!
//! Entry point: [`translate`]. One pass a file, in the order of the `mod` list.

mod absence;
mod auxiliary;
mod clause;
mod covering;
mod draft;
mod frame;
mod group;
mod invariant;
mod solve;
mod statics;
mod turns;
mod unify;

use crate::diagnostic::{Code, Diagnostic};
use crate::normalise::analyse;
use crate::program::{Atom, Frame, Literal, Program, Rule};
use crate::source::Span;

use crate::shapes::{Shape, Shapes};
use auxiliary::Auxiliaries;
pub use covering::{Covering, JointPattern};
use draft::Draft;
use frame::{FrameRule, NextRules, exposed, general_term, next_rules, specialised};
use group::{Stems, Translator};
use invariant::Invariants;
use solve::Facts;
use turns::Turns;

/// More rules than this for each frame rule of a fluent cost more than they save.
const MAX_GROWTH: usize = 240;

/// A program whose frame rules are translated.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The program; as it was if nothing could be translated.
    pub program: Program,
    /// What became of each kind of fluent.
    pub fluents: Vec<FluentReport>,
}

/// What became of the frame rules of one kind of fluent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FluentReport {
    /// The name of the fluent.
    pub name: String,
    /// The number of its arguments.
    pub arity: usize,
    /// Where its frame rules were written.
    pub frame_rules: Vec<Span>,
    /// What became of them.
    pub outcome: FluentOutcome,
}

/// What became of frame rules, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FluentOutcome {
    /// There are none: the fluent is derived anew with every move.
    NoFrameRule,
    /// They became `fnext` rules.
    Translated {
        /// How many rules of first-order logic there were, one a joint move.
        before: usize,
        /// How many rules are left after simplification.
        after: usize,
    },
    /// They stay: there are too many cases to write out.
    TooManyCases,
    /// They stay: what they become would have to be asked of every true instance with every move, as
    /// they are.
    AskedOfAll,
    /// They stay: the rules that they become would cost more than they save.
    TooManyRules {
        /// How many there would be.
        rules: usize,
    },
}

impl Translation {
    /// How many kinds of fluents are translated.
    pub fn translated(&self) -> usize {
        let is_translated =
            |report: &&FluentReport| matches!(report.outcome, FluentOutcome::Translated { .. });
        self.fluents.iter().filter(is_translated).count()
    }
}

/// Translates the frame rules of a program. Fails for a program that uses `fnext` already.
pub fn translate(program: &Program, covering: Covering<'_>) -> Result<Translation, Diagnostic> {
    refuse_fnext(program)?;
    let shapes = Shapes::of(program);
    let facts = Facts::of(program);
    let sorted = next_rules(program);
    let mut symbols = program.symbols.clone();
    let stems = Stems { argument: symbols.intern("?x"), role: symbols.intern("?r") };
    let mut auxiliaries = Auxiliaries::new(program, stems.role, symbols);
    let invariants = Invariants::of(program, &facts.statics, &exposed(program, &sorted.frame));
    let turns = Turns::of(program, &shapes, &facts.statics);
    let translator = Translator {
        program,
        turns: &turns,
        shapes: &shapes,
        facts: &facts,
        invariants: &invariants,
        covering,
        stems,
    };
    let mut result = Assembly::new(program, sorted);
    for fluent in shapes.fluents() {
        result.add_fluent(&translator, fluent, &mut auxiliaries);
    }
    Ok(result.finish(auxiliaries))
}

fn refuse_fnext(program: &Program) -> Result<(), Diagnostic> {
    let fnext = program.vocabulary.fnext;
    let facts = program.facts.iter().map(|fact| (&fact.atom, fact.span));
    let heads = program.rules.iter().map(|rule| (&rule.head, rule.span));
    let bodies = program
        .rules
        .iter()
        .flat_map(|rule| rule.body.iter().filter_map(Literal::atom).map(|it| (it, rule.span)));
    match facts.chain(heads).chain(bodies).find(|(atom, _)| atom.relation == fnext) {
        None => Ok(()),
        Some((_, span)) => {
            let name = program.relation_name(fnext);
            let message = format!("the game uses `{name}` already");
            let finding = Diagnostic::error(Code::FnextDefined, span, message);
            Err(finding.note("the translation needs this name for itself: rename the relation"))
        }
    }
}

/// A translated program while it is put together.
struct Assembly<'p> {
    program: &'p Program,
    next: NextRules,
    /// `fnext` rules.
    drafts: Vec<Draft>,
    /// Frame rules that stay.
    left: Vec<FrameRule>,
    fluents: Vec<FluentReport>,
}

impl<'p> Assembly<'p> {
    fn new(program: &'p Program, next: NextRules) -> Assembly<'p> {
        Assembly { program, next, drafts: Vec::new(), left: Vec::new(), fluents: Vec::new() }
    }

    fn add_fluent(
        &mut self,
        translator: &Translator<'_>,
        fluent: Shape,
        auxiliaries: &mut Auxiliaries,
    ) {
        let rules: Vec<FrameRule> =
            self.next.frame.iter().filter_map(|rule| specialised(rule, fluent)).collect();
        // None are left where no definition fits a condition: such rules never apply.
        let open = exposed(self.program, &rules);
        if open.is_empty() {
            self.leave(fluent, rules, FluentOutcome::NoFrameRule, translator.stems);
            return;
        }
        // Auxiliary relations are looked into where that helps, and let be where it does not.
        let made = translator
            .translate(fluent, &open, auxiliaries)
            .or_else(|_| translator.translate(fluent, &rules, auxiliaries));
        match made {
            Err(_) => self.leave(fluent, rules, FluentOutcome::TooManyCases, translator.stems),
            Ok(made) if made.drafts.len() > MAX_GROWTH * rules.len() => {
                let outcome = FluentOutcome::TooManyRules { rules: made.drafts.len() };
                self.leave(fluent, rules, outcome, translator.stems);
            }
            Ok(made) if translator.asks_of_all(&made, auxiliaries) => {
                self.leave(fluent, rules, FluentOutcome::AskedOfAll, translator.stems);
            }
            Ok(made) => {
                let outcome = FluentOutcome::Translated {
                    before: made.joint_moves,
                    after: made.drafts.len(),
                };
                self.drafts.extend(made.drafts);
                self.report(fluent, &rules, outcome);
            }
        }
    }

    /// Lets a kind of fluent end with every move, and its frame rules be.
    fn leave(
        &mut self,
        fluent: Shape,
        rules: Vec<FrameRule>,
        outcome: FluentOutcome,
        stems: Stems,
    ) {
        self.report(fluent, &rules, outcome);
        self.left.extend(rules);
        let words = &self.program.vocabulary;
        let mut names = Vec::new();
        let term = general_term(fluent, &mut names, stems.argument);
        let atom = |relation| Atom { relation, args: vec![term.clone()] };
        self.drafts.push(Draft {
            head: atom(words.fnext),
            body: vec![Literal::Positive(atom(words.true_))],
            names,
            span: Span::default(),
        });
    }

    fn report(&mut self, (name, arity): Shape, rules: &[FrameRule], outcome: FluentOutcome) {
        let name = self.program.symbols.spelling(name).to_owned();
        let mut origins: Vec<usize> = rules.iter().map(|rule| rule.origin).collect();
        origins.sort_unstable();
        origins.dedup();
        let frame_rules: Vec<Span> =
            origins.into_iter().map(|origin| self.program.rules[origin].span).collect();
        self.fluents.push(FluentReport { name, arity, frame_rules, outcome });
    }

    fn finish(self, mut auxiliaries: Auxiliaries) -> Translation {
        let program = self.program;
        let is_translated =
            |report: &FluentReport| matches!(report.outcome, FluentOutcome::Translated { .. });
        if !self.fluents.iter().any(is_translated) {
            return Translation { program: program.clone(), fluents: self.fluents };
        }
        let next = program.vocabulary.next;
        let mut translated = program.clone();
        translated.rules.retain(|rule| rule.head.relation != next);
        let ordinary = self.next.ordinary.into_iter();
        let kept = ordinary.chain(self.left.into_iter().map(|rule| rule.rule));
        let kept = kept.filter_map(as_draft);
        let rules = kept.chain(self.drafts).map(|draft| draft.finish(&mut auxiliaries.symbols));
        translated.rules.extend(rules.collect::<Vec<Rule>>());
        auxiliaries.finish(&mut translated);
        translated.frame = Frame::Translated;
        analyse(&mut translated, &mut Vec::new());
        Translation { program: translated, fluents: self.fluents }
    }
}

/// A rule of the program as a draft, without inequalities that its terms decide; `None` if one of
/// them never holds.
fn as_draft(rule: Rule) -> Option<Draft> {
    let mut body = Vec::with_capacity(rule.body.len());
    for literal in rule.body {
        match &literal {
            Literal::Distinct(a, b) if a == b => return None,
            Literal::Distinct(a, b) if !unify::unifiable(a, b) => {}
            _ if body.contains(&literal) => {}
            _ => body.push(literal),
        }
    }
    Some(Draft { head: rule.head, body, names: rule.variables, span: rule.span })
}

#[cfg(test)]
mod tests;
