//! The IR to machine code, by Cranelift.
//!
//! # Where things are
//!
//! * [`Generator`] is what `ir` knows: it turns a unit into code.
//! * `analysis` finds out which registers have to be in memory, and when.
//! * `emit` writes Cranelift's IR: control flow and the frame in `emit`, arithmetic and conversions
//!   in `scalar`, rows in `row`.
//! * `code` owns executable memory.
//!
//! # Where values are
//!
//! A register of the unit is one to three variables of Cranelift's (a lower word, an upper word and
//! a null flag, as far as its type and use demand), so that it can stay in the processor's
//! registers. Its **home** in the activation's memory holds it as well whenever a helper is about
//! to look: instructions that are compiled inline store their result there if some helper reads it,
//! and what a helper has written is loaded again where inline code reads it.
//!
//! # Unsafe
//!
//! None of the generated code is checked by a compiler. What it relies on is what the interpreter
//! relies on, the invariants of units (`ir`); where both execute an instruction, tests run both and
//! compare.

mod ahead;
mod analysis;
mod code;
mod emit;
mod row;
mod scalar;

use cranelift_codegen::Context;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use ir::Unit;
use ir::machine_code::{CodeGenerator, MachineCode, NotCompiled};

/// Makes machine code for this machine.
pub struct Generator {
    isa: cranelift_codegen::isa::OwnedTargetIsa,
}

impl std::fmt::Debug for Generator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Generator for {}", self.isa.triple())
    }
}

/// Units of more instructions stay interpreted: to compile one would take seconds.
const INSTRUCTIONS_MAX: usize = 100_000;

impl Generator {
    /// A generator, or why this machine has none.
    pub fn new() -> Result<Generator, NotCompiled> {
        let refused = |what: &dyn std::fmt::Display| NotCompiled(what.to_string());
        let mut flags = settings::builder();
        for (name, value) in [
            ("opt_level", "speed"),
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
            ("preserve_frame_pointers", "true"),
        ] {
            flags.set(name, value).map_err(|e| refused(&e))?;
        }
        let isa = cranelift_native::builder().map_err(|e| refused(&e))?;
        let isa = isa.finish(settings::Flags::new(flags)).map_err(|e| refused(&e))?;
        Ok(Generator { isa })
    }
}

impl CodeGenerator for Generator {
    fn generate(&self, unit: &Unit) -> Result<Box<dyn MachineCode>, NotCompiled> {
        if unit.arithmetic_errors_are_null {
            return Err(NotCompiled("arithmetic errors give NULL".into()));
        }
        if unit.code.len() > INSTRUCTIONS_MAX {
            return Err(NotCompiled(format!("{} instructions are too many", unit.code.len())));
        }
        let mut context = Context::new();
        context.func.signature = emit::signature(&*self.isa);
        let mut builder_context = FunctionBuilderContext::new();
        let builder = FunctionBuilder::new(&mut context.func, &mut builder_context);
        emit::Emitter::new(unit, builder, &*self.isa).emit();
        Ok(Box::new(code::Code::define(self.isa.clone(), context)?))
    }
}

#[cfg(test)]
mod tests;
