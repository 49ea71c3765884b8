//! The intermediate representation: one statement, expression or native module as a linear program
//! over typed registers.
//!
//! A [`Unit`] says everything a back end needs: the type of every register and whether it can be
//! NULL, the width that an overflow check is for, the place of every column in a row. Interpreter
//! (`run::interp`) and machine code run the same units and must agree.
//!
//! # The life of a unit
//!
//! `compile::lower` writes it through a [`builder::Builder`]; [`builder::Builder::finish`] resolves
//! labels and has its parts verified ([`UnitParts::verified`]), without which there is no unit; a
//! plan cache shares it between sessions; it never changes. [`print`] shows it to people.
//!
//! # Shape
//!
//! Code is an array of [`Inst`]; a jump names the index of its target. There are no operators at
//! run time: a join is a loop, a filter a jump. What cannot be a few instructions is an **object**
//! (cursor, sorter, hash table, …) that belongs to the unit's activation and is
//! described by an [`ObjectDesc`]; instructions open it, feed it and take rows from it. What is too
//! wide for an instruction is a **site** in one of the unit's tables.
//!
//! # NULL
//!
//! Every register has a null flag. An instruction that computes a value demands operands that are
//! not NULL and gives a result that is not NULL, so NULL is a matter of control flow: a guard
//! ([`Inst::Guard`] and the like) tests operands, and where one is NULL makes the result NULL and
//! skips the computation. Where nullability is known statically there is no guard. The few
//! instructions that accept or make NULL (moves, column loads, calls) say so.
//!
//! # Invariants
//!
//! * U1: registers have one type throughout; every use has the type that the instruction demands.
//! * U2: on every path, a register is defined before it is used, and is not NULL where the
//!   instruction demands that.
//! * U3: every jump, switch and handler lands inside the unit.
//! * U4: a [`RegType::Bytes`] register points into a row that its snapshot protects, a constant of
//!   the unit, a variable that the statement does not assign, an object's memory, or the
//!   arena at a place that no [`Inst::Reset`] between definition and use gives back.
//!
//! [`verify`] checks them; of U4 it takes for granted that the engine keeps the rows of a snapshot,
//! and objects their rows until they are asked for the next. What functions of the library and the
//! session return is checked against U1 when it is put into a register.

pub mod builder;
pub mod error;
pub mod function;
pub mod inst;
pub mod key;
pub mod machine_code;
pub mod object;
pub mod operand;
pub mod operator;
pub mod place;
pub mod print;
pub mod read;
pub mod rowset;
pub mod runs;
pub mod site;
#[cfg(any(test, feature = "testing"))]
#[allow(missing_docs, clippy::unwrap_used)]
pub mod testing;
pub mod unit;
pub mod verify;

pub use error::internal;
pub use inst::{Inst, Pc, Reg, RegList, RegType};
pub use object::{ObjId, ObjectDesc};
pub use unit::{Unit, UnitParts};
