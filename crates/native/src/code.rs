//! Executable memory.

use cranelift_codegen::Context;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Module, ModuleError, default_libcall_names};
use ir::machine_code::{Entry, MachineCode, NotCompiled};

/// The largest frame that a unit's function may have: no function looks at the stack that is left,
/// and modules call each other 32 deep.
const FRAME_BYTES_MAX: u32 = 64 << 10;

/// The code of one unit, in memory of its own.
pub struct Code {
    /// Taken when the memory is given back.
    module: Option<JITModule>,
    entry: Entry,
    size: usize,
}

// SAFETY: the module is not used any more but to free its memory, which any thread may do.
unsafe impl Send for Code {}
// SAFETY: the code does not change, and nothing else can be reached through a reference.
unsafe impl Sync for Code {}

impl Code {
    /// Compiles a function of the signature of [`Entry`] and makes it executable.
    pub fn define(isa: OwnedTargetIsa, mut context: Context) -> Result<Code, NotCompiled> {
        let failed = |error: ModuleError| NotCompiled(error.to_string());
        let mut module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let id = module.declare_anonymous_function(&context.func.signature).map_err(failed)?;
        module.define_function(id, &mut context).map_err(failed)?;
        let code = context.compiled_code();
        let (size, frame) = code.map_or((0, 0), |c| (c.code_buffer().len(), c.frame_size));
        if frame > FRAME_BYTES_MAX {
            // SAFETY: no code of the module has been given away.
            unsafe { module.free_memory() };
            return Err(NotCompiled(format!("a frame of {frame} bytes is too large")));
        }
        module.finalize_definitions().map_err(failed)?;
        let address = module.get_finalized_function(id);
        // SAFETY: the function was compiled with `emit::signature`, which is that of `Entry`, for
        // this machine's calling convention.
        let entry = unsafe { std::mem::transmute::<*const u8, Entry>(address) };
        Ok(Code { module: Some(module), entry, size })
    }
}

// SAFETY: the entry is in the module's memory, which lives as long as this; `emit` translates units
// instruction by instruction, calling helpers where `run::interp` has them.
unsafe impl MachineCode for Code {
    fn entry(&self) -> Entry {
        self.entry
    }

    fn size(&self) -> usize {
        self.size
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: a run of the code borrows the unit that owns it; so none is under way.
            unsafe { module.free_memory() };
        }
    }
}
