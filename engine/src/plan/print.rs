//! The plan as text: relations by level, then each rule with the order of its evaluation.

use std::fmt;

use gdl_front::program::{Class, RelationId};

use super::Plan;

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "levels: {}, moves come in at level {}", self.levels, self.move_level)?;
        let joins: Vec<String> = self.joins.iter().map(|(a, b)| format!("{a}x{b}")).collect();
        writeln!(f, "joins of levels: {}", joins.join(" "))?;
        for level in 0..self.levels {
            writeln!(f, "\nlevel {level}")?;
            for recursion in self.loops.iter().filter(|recursion| recursion.level == level) {
                let names: Vec<&str> = recursion
                    .relations
                    .iter()
                    .map(|&id| self.game.program.relation_name(id))
                    .collect();
                writeln!(f, "  recursion above: {}", names.join(" "))?;
            }
            let ids = (0..self.game.program.relations.len() as u32).map(RelationId);
            for id in ids.filter(|&id| self.relation(id).level == level) {
                self.write_relation(f, id)?;
            }
        }
        for outline in &self.outlines {
            writeln!(f, "\n{}", outline.rule)?;
            for step in &outline.steps {
                writeln!(f, "  {step}")?;
            }
        }
        Ok(())
    }
}

impl Plan {
    fn write_relation(&self, f: &mut fmt::Formatter<'_>, id: RelationId) -> fmt::Result {
        let plan = self.relation(id);
        let used = !plan.uses.starts.is_empty() || !plan.uses.indexes.is_empty();
        if plan.class == Class::Static || !(used || plan.visible) {
            return Ok(());
        }
        let columns = if plan.class == Class::Move { "world, branch" } else { "world" };
        let counted = if plan.counted { ", counted" } else { "" };
        let visible = if plan.visible { ", reported" } else { "" };
        let indexes = match plan.uses.indexes.len() {
            0 => String::new(),
            1 => ", 1 index".to_owned(),
            many => format!(", {many} indexes"),
        };
        let arity = self.game.program.relation(id).arity;
        let name = self.game.program.relation_name(id);
        writeln!(f, "  {name}/{arity}: by {columns}{counted}{visible}{indexes}")
    }
}
