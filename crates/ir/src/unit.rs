//! A unit: code and all that it refers to.

use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use base::SqlError;
use base::ids::DbId;
use engine::catalog::def::TableDef;
use engine::hot::row::RowLayout;
use engine::hot::table::Table;

use crate::inst::{Inst, Pc, Reg, RegList, RegType};
use crate::key::ConstantSet;
use crate::machine_code::MachineCode;
use crate::object::ObjectDesc;
use crate::site::*;
use crate::verify::{Problem, verify};

/// One statement, expression or native module, ready to run: verified, shared and immutable. What
/// runs it relies on that, so it is made by [`UnitParts::verified`] alone.
#[derive(Debug)]
pub struct Unit {
    parts: UnitParts,
    /// Its machine code, once it is made.
    pub machine_code: OnceLock<Box<dyn MachineCode>>,
    /// How much it has run, until it is compiled; the highest bit is [`CLAIMED`].
    heat: AtomicU32,
}

impl Deref for Unit {
    type Target = UnitParts;

    #[inline(always)]
    fn deref(&self) -> &UnitParts {
        &self.parts
    }
}

/// What a unit consists of.
#[derive(Debug, Default)]
pub struct UnitParts {
    /// The instructions; the unit starts at the first.
    pub code: Vec<Inst>,
    /// The type of each register.
    pub registers: Vec<RegType>,
    /// Lists of registers, which [`RegList`]s are runs of.
    pub lists: Vec<Reg>,
    /// How many arena marks it uses.
    pub marks: u16,
    /// Where a one-expression unit leaves its value.
    pub result: Option<(Reg, base::SqlType)>,
    /// What a native function returns.
    pub returns: Option<base::SqlType>,
    /// What its statement does.
    pub kind: Option<StatementKind>,
    /// The targets whose old and new rows it keeps for triggers.
    pub transitions: Vec<TransitionSite>,
    /// With `ARITHABORT` and `ANSI_WARNINGS` off, arithmetic errors give NULL.
    pub arithmetic_errors_are_null: bool,

    /// The engine tables that it reads or changes.
    pub tables: Vec<TableUse>,
    /// What it changes.
    pub targets: Vec<TargetSite>,
    /// The objects that it works with.
    pub objects: Vec<ObjectDesc>,
    /// Layouts of rows.
    pub layouts: Vec<Arc<RowLayout>>,
    /// Result sets.
    pub results: Vec<ResultSite>,

    /// Constants that are not NULL.
    pub constants: Vec<Constant>,
    /// Errors and messages.
    pub errors: Vec<SqlError>,
    /// See [`Inst::Violate`].
    pub violations: Vec<Violation>,
    /// The targets of each [`Inst::Switch`].
    pub switches: Vec<Box<[Pc]>>,
    /// See [`Inst::Arith`].
    pub ariths: Vec<ArithSite>,
    /// See [`Inst::Unary`].
    pub unaries: Vec<UnarySite>,
    /// See [`Inst::JumpCompare`].
    pub compares: Vec<CompareSite>,
    /// See [`Inst::JumpLike`].
    pub likes: Vec<LikeSite>,
    /// See [`Inst::JumpIn`].
    pub sets: Vec<ConstantSet>,
    /// See [`Inst::Cast`].
    pub casts: Vec<CastSite>,
    /// See [`Inst::Concat`].
    pub concats: Vec<ConcatSite>,
    /// See [`Inst::Call`].
    pub calls: Vec<CallSite>,
    /// See [`Inst::CallUser`].
    pub user_calls: Vec<UserCallSite>,
    /// See [`Inst::NextValue`].
    pub sequences: Vec<SequenceSite>,
    /// See [`Inst::LoadVariable`].
    pub places: Vec<VariablePlace>,
    /// See [`Inst::BuildRow`].
    pub rows: Vec<RowSite>,
    /// See [`Inst::FillRowset`].
    pub rowsets: Vec<RowsetSite>,
    /// See [`Inst::CallModule`].
    pub module_calls: Vec<ModuleCallSite>,
    /// See [`Inst::BeginStatement`].
    pub statements: Vec<StatementSite>,
    /// Where errors are caught, innermost first.
    pub handlers: Vec<Handler>,
    /// The lines of a native module: each entry holds from its instruction to the next entry's.
    pub lines: Vec<(Pc, u32)>,

    /// Where operators are counted, if they are.
    pub counters: Vec<OperatorCounter>,
}

/// The bit of [`Unit::heat`] that says that the unit is being compiled, or cannot be.
const CLAIMED: u32 = 1 << 31;

/// Names an operator of a plan for as long as the plan stays where it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NodeKey(pub usize);

/// The registers in which an operator is counted.
#[derive(Clone, Copy, Debug)]
pub struct OperatorCounter {
    /// The operator. It may have several counters, whose sums count.
    pub node: NodeKey,
    /// How often it has begun.
    pub executions: Reg,
    /// How many rows it has made.
    pub rows: Reg,
}

/// An engine table that a unit reads or changes.
pub struct TableUse {
    /// The database it lives in.
    pub database: DbId,
    /// Its definition.
    pub table: Arc<TableDef>,
    /// Whether the unit changes it.
    pub changed: bool,
    /// The engine's table, once the unit has run. What the definition says it is it stays: other
    /// rows or columns are another definition.
    pub handle: OnceLock<Arc<Table>>,
}

impl fmt::Debug for TableUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let change = if self.changed { " (changed)" } else { "" };
        write!(f, "{}.{}{change}", self.database, self.table.header.name)
    }
}

impl Unit {
    /// The runs and turns of loops that were counted while the unit is interpreted.
    #[inline]
    pub fn heat(&self) -> u32 {
        self.heat.load(Relaxed) & !CLAIMED
    }

    /// Adds runs or turns of loops to the count.
    #[inline]
    pub fn warm(&self, heat: u32) {
        if self.heat.load(Relaxed) < CLAIMED / 2 {
            self.heat.fetch_add(heat, Relaxed);
        }
    }

    /// Whether the caller is to have it compiled. Units that count are not: machine code keeps
    /// counters where they could not be read.
    pub fn claim_compilation(&self) -> bool {
        self.counters.is_empty() && self.heat.fetch_or(CLAIMED, Relaxed) & CLAIMED == 0
    }
}

impl UnitParts {
    /// The unit of these parts, if they are what all that runs units takes for granted. A debug
    /// build panics with a listing if they are not.
    pub fn verified(self) -> Result<Unit, Problem> {
        if let Err(problem) = verify(&self) {
            debug_assert!(false, "a bad unit: {problem}\n{}", crate::print::unit(&self));
            return Err(problem);
        }
        Ok(Unit { parts: self, machine_code: OnceLock::new(), heat: AtomicU32::new(0) })
    }

    /// Whether all its tables are in this database, and none is read at a level of its own.
    pub fn reads_only_in(&self, database: DbId) -> bool {
        let has_level = |object: &ObjectDesc| match object {
            ObjectDesc::Cursor(desc) => desc.options.isolation.is_some(),
            _ => false,
        };
        self.tables.iter().all(|used| used.database == database)
            && !self.objects.iter().any(has_level)
    }

    /// The registers of a list.
    #[inline]
    pub fn list(&self, list: RegList) -> &[Reg] {
        &self.lists[list.start as usize..list.start as usize + usize::from(list.len)]
    }

    /// The type of a register.
    pub fn reg_type(&self, reg: Reg) -> RegType {
        self.registers[usize::from(reg.0)]
    }

    /// The line of an instruction in the module's text, if known.
    pub fn line_at(&self, pc: Pc) -> Option<u32> {
        let after = self.lines.partition_point(|(start, _)| *start <= pc);
        after.checked_sub(1).map(|i| self.lines[i].1)
    }

    /// The innermost handler of errors at an instruction.
    pub fn handler_at(&self, pc: Pc) -> Option<&Handler> {
        self.handlers.iter().find(|h| (h.from..h.to).contains(&pc.0))
    }
}
