//! A circuit as text, one node a line.

use std::fmt::Write;

use gdl_front::vocabulary::Keyword;

use super::{Circuit, Wire};

/// The inputs and gates, then what is asked of them.
pub fn print_circuit(circuit: &Circuit) -> String {
    let mut out = String::new();
    for pass in &circuit.passes {
        let _ = writeln!(out, "; {} gates, {} wires: {}", pass.gates, pass.wires, pass.name);
    }
    let game = &circuit.game;
    for (number, &fluent) in circuit.fluents.iter().enumerate() {
        let node = circuit.fluent_node(number as u32);
        let _ = writeln!(out, "{node} = ({} {})", Keyword::True.name(), game.show(fluent));
    }
    for (role, moves) in circuit.moves.iter().enumerate() {
        for (number, &action) in moves.iter().enumerate() {
            let node = circuit.move_node(role, number as u32);
            let (role, action) = (game.show(game.roles[role]), game.show(action));
            let _ = writeln!(out, "{node} = ({} {role} {action})", Keyword::Does.name());
        }
    }
    for node in circuit.first_gate()..circuit.nodes() as u32 {
        if let Some(cycle) = circuit.cycles.iter().find(|cycle| cycle.nodes.start == node) {
            let _ = writeln!(out, "; {} to {} read each other", node, cycle.nodes.end - 1);
        }
        let wires: Vec<String> = circuit.gate(node).map(|wire| format!("{wire:?}")).collect();
        let _ = writeln!(out, "{node} = {}", wires.join(" & "));
    }
    print_outputs(circuit, &mut out);
    out
}

fn print_outputs(circuit: &Circuit, out: &mut String) {
    let game = &circuit.game;
    let mut line = |name: &str, args: String, wire: Wire| {
        let _ = match wire {
            Wire::TRUE => writeln!(out, "({name}{args}) = true"),
            Wire::FALSE => Ok(()),
            _ => writeln!(out, "({name}{args}) = {wire:?}"),
        };
    };
    for (keyword, wires) in [(Keyword::Next, &circuit.next), (Keyword::Fnext, &circuit.ends)] {
        for (&fluent, &wire) in circuit.fluents.iter().zip(wires) {
            line(keyword.name(), format!(" {}", game.show(fluent)), wire);
        }
    }
    for (role, moves) in circuit.moves.iter().enumerate() {
        let role_name = game.show(game.roles[role]);
        for (&action, &wire) in moves.iter().zip(&circuit.legal[role]) {
            line(Keyword::Legal.name(), format!(" {role_name} {}", game.show(action)), wire);
        }
        for &(value, wire) in &circuit.goals[role] {
            line(Keyword::Goal.name(), format!(" {role_name} {}", game.show(value)), wire);
        }
    }
    line(Keyword::Terminal.name(), String::new(), circuit.terminal);
}
