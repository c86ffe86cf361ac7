//! In which order the conditions of a rule are asked, and through which indexes.
//!
//! Input: a rule, perhaps with one condition that comes first because its facts are new. Output: a
//! [`Plan`]. Tests come as soon as their variables are bound; among the conditions that bind, the
//! one that is expected to find the fewest facts comes first.

use gdl_front::Symbol;
use gdl_front::hash::HashMap;
use gdl_front::program::{Atom, Literal, Rule, Term};

use super::pattern::{Access, Path, Pattern, subterm};
use super::store::Store;
use crate::terms::{Arena, TermId};

/// A rule ready to be run.
pub(super) struct Plan {
    pub(super) variables: usize,
    /// The condition whose new facts come first, if there is one.
    pub(super) seed: Option<Probe>,
    pub(super) steps: Vec<Step>,
    /// After so many steps all variables that matter to the result are bound: one way to satisfy
    /// the rest is as good as another.
    pub(super) cut: usize,
    /// Whether variables that do not matter are bound before the cut, so that results repeat.
    pub(super) repeats: bool,
}

/// One step of a rule.
pub(super) enum Step {
    /// Look up the facts that agree with what is bound.
    Probe(Probe),
    /// There must be no such fact.
    Absent(Probe),
    /// The terms must differ.
    Distinct(Template, Template),
}

/// A condition on the facts of a relation.
pub(super) struct Probe {
    pub(super) literal: usize,
    pub(super) index: usize,
    pub(super) key: Vec<u32>,
    pub(super) found: Vec<u32>,
}

/// A term to be built from variables.
#[derive(Clone, Debug)]
pub(super) enum Template {
    Variable(u32),
    Term(TermId),
    Function(Symbol, Vec<Template>),
}

/// What the order of conditions is decided by.
pub(super) struct Planner<'a> {
    pub(super) store: &'a mut Store,
    pub(super) arena: &'a mut Arena,
    pub(super) dynamic: &'a [bool],
    /// Whether all facts are known, so that sizes can be trusted.
    pub(super) complete: bool,
    sizes: HashMap<Pattern, (usize, Vec<usize>)>,
}

impl Template {
    pub(super) fn new(term: &Term, arena: &mut Arena) -> Template {
        match term {
            Term::Variable(variable) => Template::Variable(*variable),
            Term::Constant(name) => Template::Term(arena.intern(*name, &[])),
            Term::Function(name, args) => {
                let args: Vec<Template> =
                    args.iter().map(|arg| Template::new(arg, arena)).collect();
                let ground: Option<Vec<TermId>> = args
                    .iter()
                    .map(|arg| if let Template::Term(term) = arg { Some(*term) } else { None })
                    .collect();
                match ground {
                    Some(ground) => Template::Term(arena.intern(*name, &ground)),
                    None => Template::Function(*name, args),
                }
            }
        }
    }

    /// The term under a binding of all its variables.
    pub(super) fn build(&self, bindings: &[u32], arena: &mut Arena) -> u32 {
        match self {
            Template::Variable(variable) => bindings[*variable as usize],
            Template::Term(term) => term.0,
            Template::Function(name, args) if args.len() <= 8 => {
                let mut built = [TermId(0); 8];
                for (slot, arg) in built.iter_mut().zip(args) {
                    *slot = TermId(arg.build(bindings, arena));
                }
                arena.intern(*name, &built[..args.len()]).0
            }
            Template::Function(name, args) => {
                let built: Vec<TermId> =
                    args.iter().map(|arg| TermId(arg.build(bindings, arena))).collect();
                arena.intern(*name, &built).0
            }
        }
    }
}

impl<'a> Planner<'a> {
    pub(super) fn new(
        store: &'a mut Store,
        arena: &'a mut Arena,
        dynamic: &'a [bool],
        complete: bool,
    ) -> Planner<'a> {
        Planner { store, arena, dynamic, complete, sizes: HashMap::default() }
    }

    /// Plans a rule. `matters` says which variables the result depends on besides the head's.
    pub(super) fn plan(&mut self, rule: &Rule, seed: Option<usize>, matters: &[bool]) -> Plan {
        let mut bound = vec![false; rule.variables.len()];
        let mut left: Vec<usize> = (0..rule.body.len()).filter(|&at| Some(at) != seed).collect();
        // Negations of what changes decide nothing here: any of them may hold in some state.
        left.retain(|&at| match &rule.body[at] {
            Literal::Negative(atom) => !self.dynamic[atom.relation.index()],
            _ => true,
        });
        let seed = seed.and_then(|at| Some(self.probe(at, rule.body[at].atom()?, &mut bound)));
        let mut plan =
            Plan { variables: bound.len(), seed, steps: Vec::new(), cut: 0, repeats: false };
        let mut cut = self.is_cut(&bound, matters).then_some(0);
        while let Some(place) = self.cheapest(rule, &left, &bound) {
            let at = left.remove(place);
            let step = match &rule.body[at] {
                Literal::Positive(atom) => Step::Probe(self.probe(at, atom, &mut bound)),
                Literal::Negative(atom) => Step::Absent(self.probe(at, atom, &mut bound)),
                Literal::Distinct(a, b) => {
                    Step::Distinct(Template::new(a, self.arena), Template::new(b, self.arena))
                }
            };
            plan.steps.push(step);
            if cut.is_none() && self.is_cut(&bound, matters) {
                cut = Some(plan.steps.len());
                plan.repeats =
                    bound.iter().zip(matters).any(|(&bound, &matters)| bound && !matters);
            }
        }
        plan.cut = cut.unwrap_or(plan.steps.len());
        plan
    }

    fn is_cut(&self, bound: &[bool], matters: &[bool]) -> bool {
        bound.iter().zip(matters).all(|(&bound, &matters)| bound || !matters)
    }

    fn probe(&mut self, literal: usize, atom: &Atom, bound: &mut [bool]) -> Probe {
        let Access { pattern, key, found } = Access::new(atom, bound);
        found.iter().for_each(|&variable| bound[variable as usize] = true);
        let index = self.store.index(pattern, self.arena);
        Probe { literal, index, key, found }
    }

    /// The place in `left` of the condition to ask next.
    fn cheapest(&mut self, rule: &Rule, left: &[usize], bound: &[bool]) -> Option<usize> {
        let costs = left.iter().map(|&at| self.cost(&rule.body[at], bound));
        let costs: Vec<f64> = costs.collect();
        (0..left.len()).min_by(|&a, &b| costs[a].total_cmp(&costs[b]))
    }

    /// How many facts a condition is expected to find; tests that are not ready cost infinitely.
    fn cost(&mut self, literal: &Literal, bound: &[bool]) -> f64 {
        let mut free = 0;
        literal.for_each_variable(&mut |variable| free += usize::from(!bound[variable as usize]));
        match literal {
            Literal::Distinct(..) if free == 0 => 0.0,
            Literal::Negative(_) if free == 0 => 0.1,
            Literal::Positive(_) if free == 0 => 0.2,
            Literal::Positive(atom) => self.expected(atom, bound, free),
            _ => f64::INFINITY,
        }
    }

    fn expected(&mut self, atom: &Atom, bound: &[bool], free: usize) -> f64 {
        let relation = atom.relation.index();
        if self.dynamic[relation] && !self.complete {
            // Nothing is known yet: as if a variable had six values.
            return 6.0_f64.powi(free as i32);
        }
        let unbound = Access::new(atom, &vec![false; bound.len()]);
        let (rows, distinct) = self.size(unbound.pattern);
        let mut expected = rows as f64;
        for (variable, values) in unbound.found.iter().zip(distinct) {
            if bound[*variable as usize] {
                expected /= values.max(1) as f64;
            }
        }
        expected.max(0.3)
    }

    /// How many facts fit a pattern, and how many values each of its finds has among them.
    fn size(&mut self, pattern: Pattern) -> (usize, Vec<usize>) {
        if let Some(known) = self.sizes.get(&pattern) {
            return known.clone();
        }
        let table = &self.store.tables[pattern.relation];
        let mut rows = 0;
        let mut values: Vec<gdl_front::hash::HashSet<u32>> =
            vec![Default::default(); pattern.found.len()];
        for row in (0..table.len() as u32).map(|row| table.row(row)) {
            if pattern.fits(row, self.arena) {
                rows += 1;
                let add = |(set, path): (&mut gdl_front::hash::HashSet<u32>, &Path)| {
                    set.insert(subterm(row, path, self.arena));
                };
                values.iter_mut().zip(&pattern.found).for_each(add);
            }
        }
        let size = (rows, values.iter().map(|set| set.len()).collect());
        self.sizes.insert(pattern, size.clone());
        size
    }
}
