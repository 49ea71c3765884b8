//! Shows units to people: one line per instruction, with what its sites say.
//!
//! ```text
//!    0  r0:i64 = int 5
//!    1  open cursor o0               ; [dbo].[Orders] full
//!    2  r1:row = next o0 else @7
//! ```

use std::fmt::Write;

use crate::inst::{Inst, Reg, RegType};
use crate::object::{AccessDesc, KeyPart, LocalSource, ObjId, ObjectDesc};
use crate::site::RowsetSite;
use crate::{RegList, UnitParts};

/// A unit as text.
pub fn unit(unit: &UnitParts) -> String {
    let mut out = String::new();
    for (at, inst) in unit.code.iter().enumerate() {
        let mut line = format!("{at:4}  ");
        instruction(unit, inst, &mut line);
        if let Some(note) = note(unit, inst) {
            while line.len() < 48 {
                line.push(' ');
            }
            let _ = write!(line, " ; {note}");
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    for handler in &unit.handlers {
        let _ =
            writeln!(out, "      catch {}..{} at @{}", handler.from, handler.to, handler.handler);
    }
    out
}

/// The name of a register type.
fn type_name(ty: RegType) -> &'static str {
    match ty {
        RegType::I64 => "i64",
        RegType::I128 => "i128",
        RegType::F64 => "f64",
        RegType::Bytes => "bytes",
        RegType::Guid => "guid",
        RegType::Offset => "offset",
        RegType::Row => "row",
    }
}

/// `dst = mnemonic operands else @target`, from the instruction's own description of itself.
fn instruction(unit: &UnitParts, inst: &Inst, out: &mut String) {
    let text = format!("{inst:?}");
    let (name, fields) = text.split_once(' ').unwrap_or((&text, ""));
    let fields = fields.trim_start_matches('{').trim_end_matches('}').trim();
    let mut result = None;
    let mut operands = Vec::new();
    let mut targets = Vec::new();
    for field in fields.split(", ").filter(|f| !f.is_empty()) {
        let (key, value) = field.split_once(": ").unwrap_or(("", field));
        match key {
            "dst" => result = Some(value),
            "row" if makes_row(inst) => result = Some(value),
            "to" | "done" | "seen" | "away" | "ignored" | "full" => targets.push(value),
            "column" if value == "65535" => {}
            "site" | "place" | "error" | "table" | "index" | "set" if !value.starts_with('o') => {}
            "column" | "offset" | "width" | "mark" | "var" => {
                operands.push(format!("{key} {value}"))
            }
            _ => operands.push(value.to_string()),
        }
    }
    if let Some(result) = result {
        let ty = result[1..].parse().map(|n| type_name(unit.reg_type(Reg(n)))).unwrap_or("?");
        let _ = write!(out, "{result}:{ty} = ");
    }
    out.push_str(&mnemonic(name));
    for operand in operands {
        let _ = write!(out, " {}", expand(unit, &operand));
    }
    for target in targets {
        let _ = write!(out, " {target}");
    }
}

fn makes_row(inst: &Inst) -> bool {
    use Inst::*;
    matches!(
        inst,
        Find { .. }
            | Next { .. }
            | LocalNext { .. }
            | StreamNext { .. }
            | SortNext { .. }
            | SetNext { .. }
            | HashNext { .. }
            | HashUnmatched { .. }
            | HashReplay { .. }
            | GroupNext { .. }
            | WindowNext { .. }
            | Insert { .. }
            | PutBack { .. }
    )
}

/// `JumpInt` as `jump_int`.
fn mnemonic(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for (i, c) in name.chars().enumerate() {
        if c.is_uppercase() && i > 0 {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// Shows a list of registers as what it holds.
fn expand(unit: &UnitParts, operand: &str) -> String {
    let list = operand.strip_prefix('L').and_then(|l| l.split_once('+'));
    let Some((start, len)) = list else { return operand.to_string() };
    match (start.parse(), len.parse()) {
        (Ok(start), Ok(len)) => registers(unit, RegList { start, len }),
        _ => operand.to_string(),
    }
}

fn registers(unit: &UnitParts, list: RegList) -> String {
    let names: Vec<String> = unit.list(list).iter().map(|r| format!("{r:?}")).collect();
    format!("({})", names.join(" "))
}

/// What the sites of an instruction say.
fn note(unit: &UnitParts, inst: &Inst) -> Option<String> {
    use Inst::*;
    Some(match *inst {
        Const { index, .. } => {
            let c = &unit.constants[index as usize];
            format!("{:?} {:?}", c.ty, c.value)
        }
        Raise { error } | Inform { message: error } => format!("{:?}", unit.errors[error as usize]),
        Switch { table, .. } => {
            let targets: Vec<String> =
                unit.switches[table as usize].iter().map(|t| format!("{t:?}")).collect();
            targets.join(" ")
        }
        Arith { site, .. } => {
            let s = &unit.ariths[site as usize];
            format!("{:?} {:?} {:?} -> {:?}", s.op, s.left, s.right, s.result)
        }
        Unary { site, .. } => {
            let s = &unit.unaries[site as usize];
            format!("{:?} {:?}", s.op, s.ty)
        }
        JumpCompare { site, .. } => format!("{:?}", unit.compares[site as usize].ty),
        JumpLike { site, .. } => format!("{:?}", unit.likes[site as usize]),
        Violate { violation } => {
            let violation = &unit.violations[violation as usize];
            format!("{} {:?}", violation.statement, violation.rule)
        }
        JumpIn { set, .. } => format!("{} values", unit.sets[set as usize].len()),
        CastInt { site, .. } | CastIntDecimal { site, .. } | Cast { site, .. } => {
            let s = &unit.casts[site as usize];
            format!("{:?} -> {:?} {:?}", s.from, s.to, s.mode)
        }
        Concat { site, .. } => format!("{:?}", unit.concats[site as usize].result),
        Call { site, .. } => {
            let s = &unit.calls[site as usize];
            format!("{:?}{}", s.function, registers(unit, s.args))
        }
        CallUser { site, .. } => {
            let s = &unit.user_calls[site as usize];
            format!("{:?} {:?}", s.function, s.args)
        }
        NextValue { site, .. } => format!("{:?}", unit.sequences[site as usize].sequence),
        BuildRow { site, .. } => registers(unit, unit.rows[site as usize].columns),
        LoadVariable { place, .. } => format!("end at {}", unit.places[place as usize].end_at),
        Open { cursor } | LocalOpen { cursor } | Find { cursor, .. } => object(unit, cursor),
        SortPush { sort } => object(unit, sort),
        StreamOpen { stream } => object(unit, stream),
        HashPush { hash } | HashPushUnkeyed { hash } | HashProbe { hash, .. } => object(unit, hash),
        WindowPush { window } => object(unit, window),
        GroupAdd { groups, .. } => object_aggregate(unit, groups, inst)?,
        GroupCount { cursor, .. } => object(unit, cursor),
        FillRowset { site, .. } => match &unit.rowsets[site as usize] {
            RowsetSite::System(_, view) => format!("{}.{}", view.schema, view.name),
            RowsetSite::Function { name, .. } => (*name).to_string(),
            RowsetSite::User { function, .. } => format!("{function:?}"),
        },
        _ => return None,
    })
}

fn object_aggregate(unit: &UnitParts, groups: ObjId, inst: &Inst) -> Option<String> {
    let ObjectDesc::Groups(desc) = &unit.objects[usize::from(groups.0)] else { return None };
    let Inst::GroupAdd { aggregate, .. } = *inst else { return None };
    let aggregate = &desc.aggregates[usize::from(aggregate)];
    let distinct = if aggregate.distinct.is_some() { " distinct" } else { "" };
    Some(format!("{:?}{distinct} {}", aggregate.function, registers(unit, aggregate.args)))
}

/// What is fixed about an object.
fn object(unit: &UnitParts, id: ObjId) -> String {
    match &unit.objects[usize::from(id.0)] {
        ObjectDesc::Cursor(c) => {
            let name = &unit.tables[usize::from(c.table)].table.header.name;
            let unread = if c.unread { " unread" } else { "" };
            format!("{name} {} {:?}{unread}", access(&c.access), c.purpose)
        }
        ObjectDesc::LocalCursor(c) => {
            let source = match c.source {
                LocalSource::Variable(v) => format!("table variable {}", v.0),
                LocalSource::Transition(true) => "inserted".into(),
                LocalSource::Transition(false) => "deleted".into(),
                LocalSource::Work(work) => format!("worktable {work:?}"),
            };
            format!("{source} {}", access(&c.access))
        }
        ObjectDesc::Work(_) => "worktable".into(),
        ObjectDesc::Sort(s) => {
            let keys: Vec<String> = s.order.keys.iter().map(order).collect();
            format!("by {} row {}", keys.join(" "), registers(unit, s.row))
        }
        ObjectDesc::Hash(h) => {
            let keys = |parts: &[KeyPart]| {
                parts.iter().map(|k| format!("{:?}", k.reg)).collect::<Vec<_>>().join(" ")
            };
            format!(
                "build {} probe {} row {}",
                keys(&h.build),
                keys(&h.probe),
                registers(unit, h.row)
            )
        }
        ObjectDesc::Groups(g) => format!("{} keys {} aggregates", g.keys.len(), g.aggregates.len()),
        ObjectDesc::Set(_) => "set".into(),
        ObjectDesc::Stream(stream) => stream.source.name().into(),
        ObjectDesc::Window(w) => {
            let keys: Vec<String> =
                w.partition.keys.iter().chain(&w.order.keys).map(order).collect();
            format!("by {} row {}", keys.join(" "), registers(unit, w.row))
        }
    }
}

fn order(key: &crate::object::OrderKey) -> String {
    format!("{:?}{}", key.reg, if key.descending { " desc" } else { "" })
}

fn access(access: &AccessDesc) -> String {
    let names = |parts: &[KeyPart]| {
        let names: Vec<String> = parts.iter().map(|k| format!("{:?}", k.reg)).collect();
        format!("({})", names.join(" "))
    };
    match access {
        AccessDesc::Full { .. } => "full".into(),
        AccessDesc::Key { index, key } => format!("key of index {index} {}", names(key)),
        AccessDesc::Seek { index, key } => format!("seek index {index} {}", names(key)),
        AccessDesc::Like { index, prefix, pattern } => {
            format!("range index {index} {} like {:?}", names(prefix), pattern.reg)
        }
        AccessDesc::Range { index, prefix, lower, upper, backward, .. } => {
            let mut text = format!("range index {index} {}", names(prefix));
            if let Some((part, inclusive)) = lower {
                let _ = write!(text, " {} {:?}", if *inclusive { ">=" } else { ">" }, part.reg);
            }
            if let Some((part, inclusive)) = upper {
                let _ = write!(text, " {} {:?}", if *inclusive { "<=" } else { "<" }, part.reg);
            }
            if *backward {
                text.push_str(" backward");
            }
            text
        }
    }
}
