//! The stable codes of findings, each with its longer story.
//!
//! Codes never change their meaning and are never used again for another one.

macro_rules! codes {
    ($($variant:ident = $name:literal, $title:literal, $story:literal;)*) => {
        /// Which condition a finding is about.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $title] $variant,)*
        }

        impl Code {
            /// All codes, in order.
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];

            /// How it is written, `G` and three digits.
            pub fn name(self) -> &'static str {
                match self { $(Code::$variant => $name,)* }
            }

            /// The condition in a few words.
            pub fn title(self) -> &'static str {
                match self { $(Code::$variant => $title,)* }
            }

            /// Why the condition is there, with an example of breaking and mending it.
            pub fn story(self) -> &'static str {
                match self { $(Code::$variant => $story,)* }
            }
        }
    };
}

impl Code {
    /// The code that is written so, in any case.
    pub fn find(name: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.name().eq_ignore_ascii_case(name))
    }
}

codes! {
TooLarge = "G101", "the text is too large",
"A rule sheet of more than 16 MiB is not read. The largest public rule sheet has 70 kB; a file of
this size is almost always something else, or a generated file that should use variables:

    (succ 1 2) (succ 2 3) …            a table is fine
    (<= (next (cell 1 1 x)) …) × 10^6  write one rule with variables instead";

NulByte = "G102", "a NUL byte in the text",
"GDL is text. A NUL byte shows that the file is a binary file, or text in UTF-16. Save it as UTF-8.";

UnclosedParenthesis = "G103", "a parenthesis is never closed",
"Every `(` needs its `)`. As long as one is missing, all that follows belongs to the open list, so
the place that is shown is where the list opens, and the note guesses where it should have ended.

    (<= (legal ?r noop) (role ?r)      one `)` is missing here
    (<= terminal (true over))";

UnexpectedClosing = "G104", "a closing parenthesis without an opening one",
"There is one `)` too many, or a `(` is missing before it.

    (init (cell 1 1 b)))               the last `)` closes nothing";

EmptyList = "G105", "an empty list",
"`()` names nothing. A relation without arguments is written `terminal` or `(terminal)`; an empty
disjunction is `(or)`, an empty conjunction `(and)`.";

MalformedRule = "G106", "a malformed rule",
"A rule is `(<= head condition…)`, in infix `head :- condition, ….` Its head is one relation applied
to terms: never `not`, `or`, `and` or `distinct`.

    (<= (and (next p) (next q)) (true r))     wrong
    (<= (next p) (true r))                    right: one rule for each head
    (<= (next q) (true r))";

WrongOperandCount = "G107", "the wrong number of operands",
"`not` takes one formula, `distinct` takes two terms.

    (not (true a) (true b))            wrong
    (not (or (true a) (true b)))       right, if neither may hold";

VariableAsFormula = "G108", "a variable in the place of a formula",
"Variables stand for terms, never for formulas.

    (<= terminal ?condition)           wrong
    (<= terminal (true ?condition))    allowed: here the variable is a term";

VariableAsFunction = "G109", "a variable in the place of a function",
"The name of a function or relation is fixed; only its arguments vary.

    (true (?f 1 2))                    wrong
    (true ?f)                          right: any fluent";

UnexpectedToken = "G110", "an unexpected token",
"In infix syntax a clause is `head.` or `head :- condition, condition.` Names are plain words in
lower case or stand in single quotes, variables start with a capital or `_`.

    cell(a-b).                         wrong
    cell('a-b').                       right";

Unterminated = "G111", "a quote or comment that never ends",
"A quoted name needs its second `'`, a comment that starts with `/*` needs its `*/`.";

NamelessVariable = "G112", "a variable without a name",
"A `?` alone names no variable; write for example `?x`.";

TooDeep = "G113", "nesting is too deep",
"More than 256 levels of parentheses are refused, so that no text can exhaust the stack. Public games
need fewer than 20. Usually the cause is a `(` in a loop of a generator that is never closed.";

MalformedFormula = "G114", "a malformed formula",
"A formula or term starts with a name: `(cell 1 2)`, not `((cell) 1 2)`. A rule inside a rule usually
means that the outer one lacks a `)`.";

InvalidUtf8 = "G115", "the text is not UTF-8",
"Rule sheets are UTF-8. Files in Latin-1 or UTF-16 must be converted first, for example with
`iconv -f latin1 -t utf8`.";

EmptySheet = "G116", "a sheet without rules",
"The text holds no fact and no rule, only white space or comments.";

TooManyFindings = "G117", "more findings than are told",
"After 10,000 findings the rest is left out: nobody reads on, and most follow from the first few.
Mend those and check again.";

QuotedName = "G118", "a quoted name that KIF cannot write",
"Quotes are for names such as `a-b` or `++`, which infix would not read as one name. A name with
blanks, parentheses or `;`, without any character, or with a `?` at its start cannot be written in
KIF at all, so that no game manager would understand it.

    role('white player').              wrong
    role('white-player').              right";

KeywordArity = "G201", "a keyword with the wrong number of arguments",
"GDL fixes the arguments of its own relations: `(role r)`, `(init f)`, `(true f)`, `(next f)`,
`(legal r m)`, `(does r m)`, `(goal r v)`, `terminal`, `(base f)`, `(input r m)`. For `base` and
`input`, which are only hints, it is a warning: old sheets write them in another way.

    (legal noop)                       wrong: whose move?
    (legal white noop)                 right";

KeywordInBody = "G202", "a keyword that may only be a head",
"`next`, `init`, `base` and `input` define the game; no rule may be conditioned on them, because the
next state and the initial state must not depend on themselves.

    (<= terminal (next over))          wrong
    (<= terminal (true over))          right: ends one state later";

KeywordInHead = "G203", "a keyword that may only be a condition",
"`true` and `does` come from outside: the current state and the moves made. No rule defines them.

    (<= (true over) (true (step 9)))   wrong
    (<= (next over) (true (step 8)))   right";

RoleNotFact = "G204", "a role that is not a plain fact",
"The players are fixed before the game starts, in the order of the text. Each is a ground fact.

    (<= (role ?r) (player ?r))         wrong
    (role white) (role black)          right";

DependsOnState = "G205", "an initial value that depends on the state",
"`init`, `base` and `input` are evaluated before there is a state, so they must not depend, even
through other relations, on `true`, `does`, `next`, `legal`, `goal` or `terminal`.";

DependsOnDoes = "G206", "a property of a state that depends on moves",
"`legal`, `goal` and `terminal` describe a state, before anybody moves. They must not depend, even
through other relations, on `does`. Remember the move in a fluent instead:

    (<= (next (last ?m)) (does white ?m))
    (<= terminal (true (last resign)))";

MissingKeyword = "G207", "a keyword that nothing defines",
"A game needs at least one role, legal moves, an end and goals: `role`, `legal`, `terminal` and `goal`
must each be the head of some fact or rule.";

FactNotGround = "G208", "a fact with a variable",
"A fact holds no variable: it would be true of infinitely many terms.

    (legal ?r noop)                    wrong
    (<= (legal ?r noop) (role ?r))     right";

GoalValue = "G209", "a goal value that is no integer from 0 to 100",
"Goal values are integers from 0, the worst, to 100, the best.";

NoInit = "G210", "no initial state",
"Nothing defines `init`, so the game starts in the empty state. That is allowed, but rarely meant.";

UnsafeHead = "G301", "a head variable that the body does not bind",
"Every variable of the head must occur in a positive condition of the body: else the rule would
derive infinitely many facts. With `or`, every disjunct must bind it.

    (<= (legal ?r (mark ?x)) (role ?r))                        wrong: any ?x?
    (<= (legal ?r (mark ?x)) (role ?r) (true (cell ?x b)))     right
    (<= (p ?x) (or (q ?x) (r a)))                              wrong in the second disjunct";

UnsafeNegation = "G302", "a negated variable that nothing binds",
"A variable inside `not` must also occur in a positive condition of the same rule and disjunct.

    (<= terminal (not (true (cell ?x b))))     wrong: it reads 'for some ?x'
    (<= open (true (cell ?x b)))               right: 'there is no blank cell'
    (<= terminal (not open))";

UnsafeDistinct = "G303", "a distinct variable that nothing binds",
"`distinct` only compares; it binds nothing. Its variables must also occur in a positive condition of
the same rule and disjunct.";

Unstratified = "G304", "a relation that depends on its own negation",
"Negation must be stratified: no relation may depend, even through others, on its own negation, or
its rules would have no agreed meaning.

    (<= (win ?x) (edge ?x ?y) (not (win ?y)))

Relations whose arguments keep the cases apart are accepted with a warning (see G305). To mend a true
cycle, split the relation in two, or compute it over states: `next` may depend on the negation of
`true` freely.";

StratifiedBySplitting = "G305", "stratified only after splitting a relation",
"Relation by relation, this sheet is not stratified; but when a relation is split by the constants in
its arguments, it is, and so it has a meaning and is answered:

    (<= (goal white 100) line)
    (<= (goal white 0) (not (goal white 100)))

Strict systems may refuse the sheet. To mend it, give the condition a name of its own:

    (<= (goal white 0) (not line))";

RecursionRestriction = "G306", "the recursion restriction is broken",
"In a recursive rule, each argument of the recursive condition must be ground, or be an argument of
the head, or of a condition outside the recursion. This keeps the number of derived facts finite.

    (<= (number (s ?n)) (number ?n))                   wrong: infinitely many
    (<= (number ?m) (number ?n) (succ ?n ?m))          right

Where no function can grow, the sheet is accepted with a warning.";

TooManyDisjuncts = "G307", "too many disjuncts",
"Disjunctions are turned into one rule for each way to satisfy them, with helper relations where the
number would explode. This rule still needs too many: its disjuncts bind each other's variables in a
way that cannot be told apart. Name the parts as relations of their own.";

InconsistentArity = "G401", "a name with different numbers of arguments",
"The same name with another number of arguments is another relation or function. That is allowed, but
usually an argument was forgotten.";

UndefinedRelation = "G402", "a relation that nothing defines",
"No fact and no rule has this relation as its head, so it never holds: a positive condition on it
makes its rule useless. Usually a name is misspelled.";

UnusedRelation = "G403", "a relation that nothing uses",
"No rule has this relation as a condition, and GDL gives it no meaning, so it has no effect on the
game.";

InconsistentCapitals = "G404", "a name with other capitals",
"Names are the same whatever their capitals. Two spellings of one name are probably a slip, and
systems that tell them apart will misread the game.";

FnextDefined = "G405", "the game uses the name that the translation needs",
"The translation of frame rules (`inertia translate`) defines the relation `fnext`, so a game that
already has a relation or rule of that name cannot be translated. Rename it in the rule sheet. All
else works without the translation.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_in_order() {
        let names: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
        assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "{names:?}");
        assert_eq!(Code::find("g103"), Some(Code::UnclosedParenthesis));
    }
}
