//! Registers and instructions.

use std::fmt;

use base::types::Repr;
use base::{SqlType, TypeKind, ValueRef};

use crate::object::ObjId;
use crate::operator::CompareOp;

/// A virtual register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reg(pub u16);

/// The index of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pc(pub u32);

/// A run of registers in [`crate::Unit::lists`].
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct RegList {
    /// Where it starts.
    pub start: u32,
    /// How many there are.
    pub len: u16,
}

/// A place in the arena that [`Inst::Mark`] remembers and [`Inst::Reset`] returns to. The
/// instructions that take the next row of something return to it as well: what one turn of a loop
/// took is given back before the next.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct MarkId(pub u16);

impl fmt::Debug for Reg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}

impl fmt::Debug for Pc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}", self.0)
    }
}

impl fmt::Debug for RegList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "L{}+{}", self.start, self.len)
    }
}

impl fmt::Debug for MarkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "m{}", self.0)
    }
}

/// The type of a register: what its bits mean to a machine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RegType {
    /// A signed 64-bit integer: bit to bigint, money, dates and times (a `datetime` as
    /// days in the upper and ticks in the lower half).
    I64,
    /// A signed 128-bit integer: decimal.
    I128,
    /// A 64-bit float.
    F64,
    /// A pointer and a length: strings, binaries, and variants in their encoded form.
    Bytes,
    /// 16 bytes in wire order.
    Guid,
    /// UTC ticks and an offset in minutes.
    Offset,
    /// A row: a pointer to its bytes and what names it to its table. NULL where an outer join
    /// found none.
    Row,
}

impl RegType {
    /// The register type that holds values of a SQL type.
    pub const fn of(ty: &SqlType) -> RegType {
        match ty.kind.repr() {
            Repr::Int
            | Repr::Money
            | Repr::Date
            | Repr::Time
            | Repr::DateTime
            | Repr::SmallDateTime
            | Repr::DateTime2 => RegType::I64,
            Repr::Decimal => RegType::I128,
            Repr::Float => RegType::F64,
            Repr::Chars | Repr::Unicode | Repr::Bytes | Repr::Variant => RegType::Bytes,
            Repr::DateTimeOffset => RegType::Offset,
            Repr::Guid => RegType::Guid,
        }
    }

    /// Whether a value is one that registers of this type hold.
    #[inline]
    pub fn holds(self, value: &ValueRef<'_>) -> bool {
        let ty = match value {
            ValueRef::Null => return true,
            ValueRef::Int(_)
            | ValueRef::Money(_)
            | ValueRef::Date(_)
            | ValueRef::Time(_)
            | ValueRef::DateTime(_)
            | ValueRef::SmallDateTime(_)
            | ValueRef::DateTime2(_) => RegType::I64,
            ValueRef::Decimal(_) => RegType::I128,
            ValueRef::Float(_) => RegType::F64,
            ValueRef::Chars(_)
            | ValueRef::Unicode(_)
            | ValueRef::Bytes(_)
            | ValueRef::Variant(_) => RegType::Bytes,
            ValueRef::DateTimeOffset(_) => RegType::Offset,
            ValueRef::Guid(_) => RegType::Guid,
        };
        ty == self
    }
}

/// The width that integer arithmetic is checked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IntKind {
    /// 0 or 1. Only bit operators work on it.
    Bit,
    /// 0 to 255.
    TinyInt,
    /// 16 bits.
    SmallInt,
    /// 32 bits.
    Int,
    /// 64 bits.
    BigInt,
}

impl IntKind {
    /// The width of a type; `None` if it is not an integer.
    pub const fn of(ty: TypeKind) -> Option<IntKind> {
        Some(match ty {
            TypeKind::Bit => IntKind::Bit,
            TypeKind::TinyInt => IntKind::TinyInt,
            TypeKind::SmallInt => IntKind::SmallInt,
            TypeKind::Int => IntKind::Int,
            TypeKind::BigInt => IntKind::BigInt,
            _ => return None,
        })
    }

    /// The smallest and the largest value.
    pub const fn range(self) -> (i64, i64) {
        match self {
            IntKind::Bit => (0, 1),
            IntKind::TinyInt => (0, u8::MAX as i64),
            IntKind::SmallInt => (i16::MIN as i64, i16::MAX as i64),
            IntKind::Int => (i32::MIN as i64, i32::MAX as i64),
            IntKind::BigInt => (i64::MIN, i64::MAX),
        }
    }
}

/// The smallest and the largest value of a type that is an integer.
pub fn int_range(ty: &SqlType) -> Option<(i64, i64)> {
    IntKind::of(ty.kind).map(IntKind::range)
}

/// Integer operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum IntOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    And,
    Or,
    Xor,
}

/// Float operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
}

/// How a fixed-width column lies in a row.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LoadKind {
    /// One unsigned byte into an `i64`.
    U8,
    /// Two signed bytes into an `i64`.
    I16,
    /// Four signed bytes into an `i64`.
    I32,
    /// Four unsigned bytes into an `i64`.
    U32,
    /// Eight signed bytes into an `i64`.
    I64,
    /// Days and ticks of four bytes each into a packed `i64`.
    DateTime,
    /// A 32-bit float.
    F32,
    /// A 64-bit float.
    F64,
    /// Eight signed bytes into an `i128`.
    I64Wide,
    /// Sixteen signed bytes into an `i128`.
    I128,
    /// Sixteen bytes.
    Guid,
    /// Eight bytes of ticks and two of offset.
    Offset,
    /// A reference to a row of a table, in worktables and the like.
    Row,
}

impl LoadKind {
    /// The type of the register that receives it.
    pub const fn reg_type(self) -> RegType {
        match self {
            LoadKind::U8
            | LoadKind::I16
            | LoadKind::I32
            | LoadKind::U32
            | LoadKind::I64
            | LoadKind::DateTime => RegType::I64,
            LoadKind::F32 | LoadKind::F64 => RegType::F64,
            LoadKind::I64Wide | LoadKind::I128 => RegType::I128,
            LoadKind::Guid => RegType::Guid,
            LoadKind::Offset => RegType::Offset,
            LoadKind::Row => RegType::Row,
        }
    }
}

/// What became of an update or delete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i64)]
pub enum WriteStatus {
    /// The row was changed.
    Done = 0,
    /// Another transaction has changed the row; its version is to be looked at.
    Newer = 1,
    /// The row is gone, or is to be left alone.
    Gone = 2,
    /// The statement has already changed the row.
    Repeated = 3,
}

/// Instead of a column's number in a load: the column cannot be NULL.
pub const NOT_NULL: u16 = u16::MAX;

/// One instruction.
///
/// Operands are not NULL and results are not NULL unless the instruction says otherwise.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs, reason = "each instruction tells what its operands are")]
pub enum Inst {
    // ---- control
    /// Goes on elsewhere.
    Jump { to: Pc },
    /// Goes on at `switches[table][on]`.
    Switch { on: Reg, table: u32 },
    /// Jumps, after it has noted in `link` that [`Inst::Return`] goes on after this instruction.
    /// Code that several places need, such as what follows an outer join, is written once and
    /// called from each.
    Gosub { link: Reg, to: Pc },
    /// Goes on after the [`Inst::Gosub`] that `link` was set by.
    Return { link: Reg },
    /// Lets other sessions run when the time slice is used up, and sees attention.
    Checkpoint,
    /// Ends the unit.
    Halt,
    /// Ends the statement with `errors[error]`.
    Raise { error: u32 },

    // ---- NULL
    /// Jumps if NULL.
    JumpNull { a: Reg, to: Pc },
    /// Jumps if not NULL.
    JumpNotNull { a: Reg, to: Pc },
    /// If `a` is NULL, makes `dst` NULL and jumps.
    Guard { dst: Reg, a: Reg, to: Pc },
    /// If `a` or `b` is NULL, makes `dst` NULL and jumps.
    Guard2 { dst: Reg, a: Reg, b: Reg, to: Pc },
    /// If one of the list is NULL, makes `dst` NULL and jumps.
    GuardList { dst: Reg, list: RegList, to: Pc },
    /// Makes a register NULL.
    SetNull { dst: Reg },

    // ---- moves and constants
    /// Copies a register, NULL or not.
    Move { dst: Reg, src: Reg },
    /// An integer.
    Int { dst: Reg, value: i64 },
    /// `constants[index]`, which is not NULL.
    Const { dst: Reg, index: u32 },

    // ---- arithmetic
    /// Integer arithmetic, checked for overflow (8115) and division by zero (8134).
    IntArith { op: IntOp, kind: IntKind, dst: Reg, a: Reg, b: Reg },
    /// Float arithmetic, checked likewise; `real` rounds to 32 bits.
    FloatArith { op: FloatOp, real: bool, dst: Reg, a: Reg, b: Reg },
    /// Any other arithmetic, by `ariths[site]`.
    Arith { dst: Reg, a: Reg, b: Reg, site: u32 },
    /// Adds a small number to a counter, unchecked.
    Step { dst: Reg, a: Reg, by: i32 },
    /// `percent` percent of a number of rows, rounded up.
    Percent { dst: Reg, rows: Reg, percent: Reg },
    /// Negation or complement, by `unaries[site]`.
    Unary { dst: Reg, a: Reg, site: u32 },

    // ---- comparisons
    /// Jumps if `a op b`, as integers.
    JumpInt { op: CompareOp, a: Reg, b: Reg, to: Pc },
    /// Jumps if `a op value`.
    JumpImm { op: CompareOp, a: Reg, value: i32, to: Pc },
    /// Jumps if `a op b`, as decimals of one scale.
    JumpDecimal { op: CompareOp, a: Reg, b: Reg, to: Pc },
    /// Jumps if `a op b`, as floats.
    JumpFloat { op: CompareOp, a: Reg, b: Reg, to: Pc },
    /// Jumps if `a op b` by `compares[site]`: strings, binaries, guids, offsets, variants.
    JumpCompare { op: CompareOp, a: Reg, b: Reg, site: u32, to: Pc },
    /// Jumps if `subject` matches the pattern of `likes[site]`.
    JumpLike { subject: Reg, site: u32, to: Pc },
    /// Jumps if `a` is one of `sets[set]`.
    JumpIn { a: Reg, set: u32, to: Pc },

    // ---- conversions
    /// To another integer type, by `casts[site]`; errors are those of [`Inst::Cast`].
    CastInt { dst: Reg, src: Reg, site: u32 },
    /// From an integer to a decimal, by `casts[site]`.
    CastIntDecimal { dst: Reg, src: Reg, site: u32 },
    /// From an integer to a float; never fails.
    CastIntFloat { dst: Reg, src: Reg },
    /// Any conversion, by `casts[site]`. NULL where a `TRY_` conversion fails.
    Cast { dst: Reg, src: Reg, site: u32 },

    // ---- strings, functions
    /// Joins two strings or binaries of `concats[site]`.
    Concat { dst: Reg, a: Reg, b: Reg, site: u32 },
    /// A function of the library: `calls[site]`. May give NULL, and accepts it unless strict.
    Call { dst: Reg, site: u32 },
    /// A user's function: `user_calls[site]`. May give NULL and accepts it.
    CallUser { dst: Reg, site: u32 },
    /// `NEXT VALUE FOR` `sequences[site]`.
    NextValue { dst: Reg, site: u32 },

    // ---- rows
    /// A fixed-width column. NULL if `column` is one and its bit in the row's bitmap is set.
    Load { kind: LoadKind, dst: Reg, row: Reg, column: u16, offset: u32 },
    /// A fixed number of bytes; NULL as for [`Inst::Load`].
    LoadFixed { dst: Reg, row: Reg, column: u16, width: u16, offset: u32 },
    /// A variable-length column, by `places[place]`; NULL as for [`Inst::Load`].
    LoadVariable { dst: Reg, row: Reg, column: u16, place: u32 },
    /// Makes a row's bytes from the registers of `rows[site]`, which may be NULL.
    BuildRow { dst: Reg, site: u32 },
    /// The row that these bytes are, without a name.
    BytesRow { dst: Reg, bytes: Reg },
    /// All bytes of a row of `layouts[layout]`.
    RowBytes { dst: Reg, row: Reg, layout: u16 },

    // ---- memory
    /// Remembers how far the arena is filled.
    Mark { mark: MarkId },
    /// Gives back what was taken from the arena since [`Inst::Mark`].
    Reset { mark: MarkId },
    /// Copies bytes to where they live as long as the unit runs; NULL stays NULL.
    Keep { dst: Reg, src: Reg },
    /// Makes a reference to a row good for as long as the unit runs: a row that is not in memory is
    /// copied, any other stays where it is; NULL stays NULL.
    KeepRow { dst: Reg, src: Reg },

    // ---- the module's frame
    /// Reads a variable; NULL if it is. Bytes stay where the variable has them.
    LoadVar { dst: Reg, var: u32 },
    /// Reads a variable that may be assigned while `dst` is in use: bytes are copied to the arena.
    CopyVar { dst: Reg, var: u32 },
    /// Assigns a variable, NULL or not.
    StoreVar { var: u32, src: Reg },

    // ---- cursors over tables and local tables
    /// Positions a cursor before its first row.
    Open { cursor: ObjId },
    /// Remembers the arena and finds the one row that a cursor by a whole key of a unique index can
    /// yield, or jumps when there is none. The cursor needs no [`Inst::Open`].
    Find { cursor: ObjId, row: Reg, mark: MarkId, done: Pc },
    /// The next row, or a jump when there is none.
    Next { cursor: ObjId, row: Reg, mark: MarkId, done: Pc },
    /// [`Inst::Open`] for a local table.
    LocalOpen { cursor: ObjId },
    /// [`Inst::Next`] for a local table.
    LocalNext { cursor: ObjId, row: Reg, mark: MarkId, done: Pc },
    /// The next number of a series (integers or decimals of one scale), or a jump when it would be
    /// beyond `stop` or is none of the register's.
    SeriesNext { value: Reg, step: Reg, stop: Reg, mark: MarkId, done: Pc },
    /// Opens a stream before its first row.
    StreamOpen { stream: ObjId },
    /// The next row of a stream, in the arena, or a jump when there is none.
    StreamNext { stream: ObjId, row: Reg, mark: MarkId, done: Pc },
    /// Fills a worktable by `rowsets[site]`: system views, functions that return tables.
    FillRowset { work: ObjId, site: u32 },

    // ---- worktables
    /// Empties a worktable.
    WorkClear { work: ObjId },
    /// Adds a row of the listed registers, NULL or not.
    WorkPush { work: ObjId, list: RegList },
    /// Exchanges the contents of two worktables.
    WorkSwap { a: ObjId, b: ObjId },
    /// How many rows a worktable has.
    WorkCount { dst: Reg, work: ObjId },

    // ---- sorters
    /// Empties a sorter. `limit` says how many rows of the result are wanted, if not all.
    SortClear { sort: ObjId, limit: Option<Reg> },
    /// Adds a row of the descriptor's registers.
    SortPush { sort: ObjId },
    /// Sorts, and positions before the first row.
    SortFinish { sort: ObjId },
    /// The next row in order.
    SortNext { sort: ObjId, row: Reg, mark: MarkId, done: Pc },

    // ---- hash tables of joins
    /// Empties a hash table.
    HashClear { hash: ObjId },
    /// Adds a row under the build keys; NULL keys are equal to each other.
    HashPush { hash: ObjId },
    /// Adds a row that no probe can find.
    HashPushUnkeyed { hash: ObjId },
    /// Looks for the probe keys. Jumps where the rows that may have them are not in memory: the
    /// probe row is to be put off.
    HashProbe { hash: ObjId, away: Pc },
    /// Puts off the row of the listed registers (NULL or not).
    HashPutOff { hash: ObjId, list: RegList },
    /// Forgets the rows in memory and reads those that rows that were put off may match; jumps when
    /// there are none left.
    HashPartition { hash: ObjId, done: Pc },
    /// The next row that was put off, with what is known of it in `matched`: 0 if this is all and
    /// it has no match. Its keys are probed for. `matched` also says what became of the row before:
    /// 1 if it has a match.
    HashReplay { hash: ObjId, row: Reg, matched: Reg, mark: MarkId, done: Pc },
    /// The next row with the keys of the last probe.
    HashNext { hash: ObjId, row: Reg, mark: MarkId, done: Pc },
    /// Notes that the row that [`Inst::HashNext`] gave last has a match.
    HashMark { hash: ObjId },
    /// Positions before the first row without a match.
    HashRewind { hash: ObjId },
    /// The next row without a match.
    HashUnmatched { hash: ObjId, row: Reg, mark: MarkId, done: Pc },
    /// Jumps if the table has no row.
    HashEmpty { hash: ObjId, to: Pc },

    // ---- groups
    /// Forgets all groups.
    GroupClear { groups: ObjId },
    /// Makes the group of the listed keys (NULL or not) current, and makes it if need be.
    GroupFind { groups: ObjId, keys: RegList },
    /// Jumps if the current group has these keys.
    GroupSame { groups: ObjId, keys: RegList, to: Pc },
    /// Jumps if there is no group.
    GroupEmpty { groups: ObjId, to: Pc },
    /// Adds a row's arguments to an aggregate of the current group.
    GroupAdd { groups: ObjId, aggregate: u16 },
    /// Adds all rows that a cursor yields to the aggregates of the current group, none of which has
    /// arguments.
    GroupCount { groups: ObjId, cursor: ObjId },
    /// Positions before the first group.
    GroupRewind { groups: ObjId },
    /// Makes the next group current; its keys are a row.
    GroupNext { groups: ObjId, row: Reg, mark: MarkId, done: Pc },
    /// The result of an aggregate of the current group, NULL or not.
    GroupResult { groups: ObjId, aggregate: u16, dst: Reg },

    // ---- sets of rows
    /// Empties a set.
    SetClear { set: ObjId },
    /// Adds the listed values (NULL or not); jumps if they were there, or if they are put off.
    SetAdd { set: ObjId, list: RegList, seen: Pc },
    /// The next row of values that were put off, and are new.
    SetNext { set: ObjId, row: Reg, mark: MarkId, done: Pc },

    // ---- window functions
    /// Empties a window.
    WindowClear { window: ObjId },
    /// Adds a row of the descriptor's registers.
    WindowPush { window: ObjId },
    /// Sorts, computes all functions, and positions before the first row.
    WindowFinish { window: ObjId },
    /// The next row in order.
    WindowNext { window: ObjId, row: Reg, mark: MarkId, done: Pc },
    /// The result of a function for the current row, NULL or not.
    WindowResult { window: ObjId, function: u16, dst: Reg },

    // ---- changes
    /// Inserts a row of these bytes into `targets[target]`; jumps where a duplicate is ignored.
    Insert { target: u16, bytes: Reg, row: Reg, ignored: Pc },
    /// Replaces a row by these bytes. `status` says what became of it ([`WriteStatus`]); `row`
    /// changes if another transaction was faster: then it is that one's version.
    Update { target: u16, row: Reg, bytes: Reg, status: Reg },
    /// Deletes a row; otherwise like [`Inst::Update`].
    Delete { target: u16, row: Reg, status: Reg },
    /// Deletes a row that [`Inst::PutBack`] will insert with other keys; otherwise like
    /// [`Inst::Update`]. `trace` tells `PutBack` where the row was.
    TakeAway { target: u16, row: Reg, status: Reg, trace: Reg },
    /// Inserts a row that was taken away.
    PutBack { target: u16, bytes: Reg, row: Reg, trace: Reg },
    /// The statement loses against another transaction, which has changed a row of the target
    /// meanwhile.
    Lose { target: u16 },
    /// The next identity value of a target, of the column's register type.
    Identity { dst: Reg, target: u16 },
    /// The next row version of the target's database.
    RowVersion { dst: Reg, target: u16 },
    /// The number of the transaction in change tracking; `table` is the commit table, by its place
    /// among the unit's tables.
    ChangeNumber { dst: Reg, table: u16 },
    /// The place of what the statement does to a target among the changes of its transaction.
    ChangeStep { dst: Reg, target: u16 },
    /// Lets what follows see what the unit has changed so far.
    Advance,
    /// Ends what the last [`Inst::Advance`] has begun: what follows sees again what was seen before
    /// that.
    Retreat,
    /// Adds a row of the listed registers to the `inserted` or `deleted` rows of
    /// `transitions[transition]`.
    KeepTransition { transition: u16, inserted: bool, list: RegList },
    /// Ends the statement with an error that says how a row violates `violations[violation]`.
    Violate { violation: u32 },
    /// Sends `errors[message]` as an informational message.
    Inform { message: u32 },

    // ---- results
    /// Announces `results[result]`.
    Announce { result: u16 },
    /// Sends a row of it; the registers may be NULL.
    Emit { result: u16, list: RegList },
    /// Counts a row of the statement; jumps when the session needs no more.
    Count { full: Pc },

    // ---- native modules
    /// A data statement starts: errors from here on undo to this place.
    BeginStatement { statement: u32 },
    /// The statement has succeeded.
    EndStatement { statement: u32 },
    /// A nested atomic block starts; it ends with [`Inst::EndAtomic`].
    BeginAtomic { depth: u16 },
    /// The innermost atomic block has succeeded.
    EndAtomic { depth: u16 },
    /// Calls the module of `module_calls[site]`.
    CallModule { site: u32 },
    /// Raises number, message and state of these registers.
    Throw { number: Reg, message: Reg, state: Reg },
    /// Raises the error that the enclosing handler handles.
    Rethrow,
    /// The handler of an error is done with.
    EndCatch,
    /// Sets what the module returns.
    SetReturn { src: Reg },
}

// Four instructions share a cache line.
const _: () = assert!(std::mem::size_of::<Inst>() == 16);
