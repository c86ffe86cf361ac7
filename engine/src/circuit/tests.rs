//! Small games and the circuits they become.

use expect_test::{Expect, expect};

use super::*;
use crate::ground::{Limits, ground};

fn circuit(rules: &str) -> Circuit {
    let text = format!("(role x) {rules}");
    let program = gdl_front::load(&text, None).program.expect("a valid game");
    Circuit::new(&ground(&Game::new(program), &Limits::default()).unwrap()).smallest()
}

fn check(rules: &str, expected: Expect) {
    let text = print_circuit(&circuit(rules));
    let lines = text.lines().filter(|line| !line.starts_with("; ") || line.contains("each other"));
    expected.assert_eq(&lines.map(|line| format!("{line}\n")).collect::<String>());
}

#[test]
fn facts_are_constants_and_equal_gates_are_one() {
    check(
        "(init p) (init q) (legal x a) (<= (legal x b) (true p) (true q)) (<= (next q) (true p) (true q))
         (<= (next p) (not both)) (<= both (true q) (true p)) (goal x 0) (<= terminal (does_not))
         (<= (does_not) (true p) (not (true p)))",
        expect![[r#"
            1 = (true p)
            2 = (true q)
            3 = (does x a)
            4 = (does x b)
            5 = 1 & 2
            (next p) = !5
            (next q) = 5
            (fnext p) = true
            (fnext q) = true
            (legal x a) = true
            (legal x b) = 5
            (goal x 0) = true
        "#]],
    );
}

#[test]
fn common_conditions_are_shared() {
    check(
        "(init a) (init b) (init c) (init d) (init e) (init f) (legal x go) (goal x 0)
         (<= (next a) (true a) (true b) (true c) (true d))
         (<= (next b) (true a) (true b) (true c) (true e))
         (<= (next c) (true a) (true b) (true c) (true f))
         (<= terminal (true d))",
        expect![[r#"
            1 = (true a)
            2 = (true b)
            3 = (true c)
            4 = (true d)
            5 = (true e)
            6 = (true f)
            7 = (does x go)
            8 = 1 & 2 & 3
            9 = 4 & 8
            10 = 5 & 8
            11 = 6 & 8
            (next a) = 9
            (next b) = 10
            (next c) = 11
            (fnext a) = true
            (fnext b) = true
            (fnext c) = true
            (fnext d) = true
            (fnext e) = true
            (fnext f) = true
            (legal x go) = true
            (goal x 0) = true
            (terminal) = 4
        "#]],
    );
}

#[test]
fn no_gate_reads_a_wire_twice() {
    // The second rule holds a condition of its own and, through the first, once more.
    check(
        "(init a) (init b) (legal x go) (goal x 0) (<= both (true a) (true b))
         (<= (next a) (not both)) (<= (next b) (true a) (true b) both) (<= terminal (true b))",
        expect![[r#"
            1 = (true a)
            2 = (true b)
            3 = (does x go)
            4 = 1 & 2
            5 = 4
            (next a) = !4
            (next b) = 5
            (fnext a) = true
            (fnext b) = true
            (legal x go) = true
            (goal x 0) = true
            (terminal) = 2
        "#]],
    );
}

const RING: &str = "(init (on 1)) (init (on 2)) (node 1) (node 2) (node 3)
     (edge 1 2) (edge 2 1) (edge 2 3) (edge 3 1)
     (<= (legal x (cut ?n)) (node ?n)) (<= (next (on ?n)) (true (on ?n)) (not (does x (cut ?n))))
     (<= (live ?n) (true (root ?n))) (init (root 1)) (<= (next (root 3)) (true (on 3)))
     (<= (live ?n) (live ?m) (edge ?m ?n) (true (on ?n)))
     (<= (next (root ?n)) (true (root ?n)) (live ?n)) (goal x 0) (<= terminal (not (live 1)))";

#[test]
fn facts_that_hold_each_other_up_do_not_hold() {
    let circuit = circuit(RING);
    assert_eq!(circuit.cycles.len(), 1, "{circuit:?}");
    for state in 0..1 << circuit.fluents.len() {
        let mut values = vec![false; circuit.nodes()];
        values[0] = true;
        for fluent in 0..circuit.fluents.len() {
            values[1 + fluent] = state >> fluent & 1 == 1;
        }
        circuit.evaluate(circuit.first_gate()..circuit.nodes() as u32, &mut values);
        let any_root = circuit.fluents.iter().enumerate().any(|(number, &fluent)| {
            circuit.game.show(fluent).starts_with("(root") && state >> number & 1 == 1
        });
        assert!(any_root || circuit.terminal.value(&values), "live without a root in {state:b}");
    }
}
