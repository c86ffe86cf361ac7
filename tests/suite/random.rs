//! Random small games: every reasoner agrees with the reference on them, in every encoding. They say
//! things that no sensible game says, such as rules that never apply or conditions given twice.

use engine::trace::record;
use engine::{Dataflow, Game, Limits, Network, Random, Reasoner, Reference, replay};
use gdl_front::program::Program;
use gdl_front::{Covering, load, translate};

const GAMES: u64 = 200;

const ROLES: [&str; 2] = ["white", "black"];
const CONSTANTS: [&str; 2] = ["a", "b"];
const VARIABLES: [&str; 3] = ["?x", "?y", "?z"];
/// Names with their numbers of arguments.
const FLUENTS: [(&str, usize); 3] = [("f", 1), ("g", 2), ("h", 0)];
const ACTIONS: [(&str, usize); 3] = [("m", 1), ("n", 0), ("w", 2)];
/// Each is defined by those before it.
const RELATIONS: [(&str, usize); 3] = [("p", 1), ("q", 2), ("s", 1)];

/// What is in every game: it ends, nobody is ever without a move, and every goal has a value.
const FRAME: &str = "(role white) (role black) (d a) (d b) (e a b) (init (f a)) (init (g a b)) (init h)
    (legal white (m a)) (legal black (m a)) (init (clock 0)) (tick 0 1) (tick 1 2) (tick 2 3) (tick 3 4)
    (<= (next (clock ?n)) (true (clock ?c)) (tick ?c ?n)) (<= terminal (true (clock 4)))
    (<= (goal ?r 0) (role ?r) (not (goal ?r 100)))";

/// Writes the rules of one game.
struct Author {
    random: Random,
    rules: String,
}

impl Author {
    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.random.below(choices.len())]
    }

    fn happens(&mut self, percent: usize) -> bool {
        self.random.below(100) < percent
    }

    /// A name applied to arguments that are mostly variables.
    fn applied(&mut self, (name, arity): (&str, usize)) -> String {
        let mut text = format!("({name}");
        for _ in 0..arity {
            let constant = self.happens(35);
            text += " ";
            text += if constant { self.pick(&CONSTANTS) } else { self.pick(&VARIABLES) };
        }
        text + ")"
    }

    fn done(&mut self) -> String {
        let role = self.pick(&ROLES);
        let action = self.pick(&ACTIONS);
        format!("(does {role} {})", self.applied(action))
    }

    /// A condition over relations below a level, and over moves if `moves` are done.
    fn condition(&mut self, level: usize, moves: bool) -> String {
        match self.random.below(10) {
            0..4 => {
                let fluent = self.pick(&FLUENTS);
                format!("(true {})", self.applied(fluent))
            }
            4..6 => self.applied(("e", 2)),
            6..9 if moves => self.done(),
            _ if level > 0 => {
                let relation = self.pick(&RELATIONS[..level]);
                self.applied(relation)
            }
            _ => self.applied(("d", 1)),
        }
    }

    /// A few conditions, some negated, compared or in disjunctions.
    fn body(&mut self, level: usize, moves: bool) -> String {
        let mut body = String::new();
        for _ in 0..1 + self.random.below(4) {
            let [one, two, three] = [(); 3].map(|()| self.condition(level, moves));
            body += &match self.random.below(9) {
                0..4 => one,
                4..6 => format!("(not {one})"),
                6 => self.applied(("distinct", 2)),
                7 => format!("(or {one} (not {two}) (and {two} {three}))"),
                _ => format!("(not (and {one} (not {two})))"),
            };
        }
        body
    }

    /// A rule in which every variable has values.
    fn rule(&mut self, head: &str, body: &str) {
        let used = |variable: &&str| head.contains(*variable) || body.contains(*variable);
        let bound = VARIABLES.into_iter().filter(used).map(|variable| format!("(d {variable})"));
        let bound: String = bound.collect();
        self.rules += &format!("(<= {head} {body} {bound} (d a))\n");
    }

    fn game(mut self) -> String {
        for (level, relation) in RELATIONS.into_iter().enumerate() {
            for _ in 0..1 + self.random.below(2) {
                let (head, mut body) = (self.applied(relation), self.body(level, false));
                if self.happens(30) {
                    body += &self.applied(relation);
                }
                self.rule(&head, &body);
            }
        }
        for role in ROLES {
            let action = self.pick(&ACTIONS);
            let (action, body) = (self.applied(action), self.body(3, false));
            self.rule(&format!("(legal {role} {action})"), &body);
            let body = self.body(3, false);
            self.rule(&format!("(goal {role} 100)"), &body);
        }
        let body = self.body(3, true);
        self.rule("(touched ?x)", &body);
        for fluent in FLUENTS {
            let (fluent, general) = (self.applied(fluent), self.happens(10));
            let fluent = if general { "?any" } else { &fluent };
            let mut stays = format!("(true {fluent})");
            stays += &if self.happens(50) { self.body(3, true) } else { String::new() };
            stays += &format!("(not {})", self.done());
            stays += if self.happens(50) { "(not (touched ?x))" } else { "" };
            self.rule(&format!("(next {fluent})"), &stays);
        }
        let fluent = self.pick(&FLUENTS);
        let (fluent, body) = (self.applied(fluent), self.body(3, true));
        self.rule(&format!("(next {fluent})"), &body);
        format!("{FRAME}\n{}", self.rules)
    }
}

fn encodings(program: &Program) -> [Program; 3] {
    let translated = |covering| translate(program, covering).unwrap().program;
    [program.clone(), translated(Covering::Generic), translated(Covering::Direct)]
}

#[test]
fn reasoners_agree_on_random_games() {
    for seed in 0..GAMES {
        let text = Author { random: Random::new(seed), rules: String::new() }.game();
        let loaded = load(&text, None);
        let program = loaded.program.unwrap_or_else(|| panic!("{text}\n{:?}", loaded.diagnostics));
        let mut reference = Reference::new(Game::new(program.clone())).unwrap();
        let trace = record(&mut reference, "random", seed, 2, 10).unwrap();
        for program in encodings(&program) {
            let game = Game::new(program);
            let reasoners: [Box<dyn Reasoner>; 3] = [
                Box::new(Reference::new(game.clone()).unwrap()),
                Box::new(Network::new(&game, &Limits::default()).unwrap()),
                Box::new(Dataflow::new(game.clone(), 1).unwrap()),
            ];
            for mut reasoner in reasoners {
                let replayed = replay(reasoner.as_mut(), &trace).unwrap();
                let (name, frame) = (reasoner.name(), game.program.frame);
                assert_eq!(replayed.differences, [], "{seed}, {name}, {frame:?}:\n{text}");
            }
        }
    }
}
