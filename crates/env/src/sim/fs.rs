//! The simulated file system's operations: counted, delayed, failed, and then done on the disk.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::disk::{Disk, NodeId, normalized};
use super::faults::{Counters, Fault};
use super::{SimClock, SplitMix};
use crate::fs::{
    DirectoryLock, Entry, File, FileError, FileResult, FileSystem, LOCK_FILE, Metadata, OpKind,
    OpenMode,
};

/// A file system in memory. See the module's description for what can happen to it.
#[derive(Clone)]
pub struct SimFs(Arc<Shared>);

struct Shared {
    machine: Mutex<Machine>,
    /// Signalled when an operation kind is released or the power fails off.
    released: Condvar,
    clock: Arc<SimClock>,
}

struct Machine {
    disk: Disk,
    counters: Counters,
    faults: Vec<Fault>,
    power: Power,
    /// Counts power cuts; handles of an earlier boot are dead.
    boot: u64,
    power_off_at: Option<u64>,
    held: Vec<Hold>,
    /// Operations of each kind that wait because of them.
    waiting: [usize; OpKind::COUNT],
    latency_ns: [u64; OpKind::COUNT],
    locks: BTreeSet<PathBuf>,
    trace: Option<Vec<String>>,
    /// Decides what happens to the operation that the power cut meets; apart from the disk's, so
    /// that looking at it changes nothing there.
    fate: SplitMix,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Power {
    On,
    /// On for the operation that runs now, and off after it.
    Failing,
    Off,
}

impl SimFs {
    pub(super) fn new(seed: u64, clock: Arc<SimClock>) -> SimFs {
        let machine = Machine {
            disk: Disk::new(seed),
            counters: Counters::default(),
            faults: Vec::new(),
            power: Power::On,
            boot: 0,
            power_off_at: None,
            held: Vec::new(),
            waiting: [0; OpKind::COUNT],
            latency_ns: [0; OpKind::COUNT],
            locks: BTreeSet::new(),
            trace: None,
            fate: SplitMix::new(!seed),
        };
        SimFs(Arc::new(Shared { machine: Mutex::new(machine), released: Condvar::new(), clock }))
    }

    fn machine(&self) -> MutexGuard<'_, Machine> {
        self.0.machine.lock()
    }

    /// Operations so far, over all boots, failed ones included.
    pub fn operations(&self) -> u64 {
        self.machine().counters.total
    }

    /// Operations of this kind so far.
    pub fn operations_of(&self, kind: OpKind) -> u64 {
        self.machine().counters.by_kind[kind as usize]
    }

    /// Cuts the power now: all further operations fail.
    pub fn power_off(&self) {
        self.machine().power = Power::Off;
        self.0.released.notify_all();
    }

    /// Cuts the power during operation number `operation`, as [`SimFs::operations`] counts them.
    pub fn power_off_at(&self, operation: u64) {
        self.machine().power_off_at = Some(operation);
    }

    /// Whether the power is off.
    pub fn is_off(&self) -> bool {
        self.machine().power == Power::Off
    }

    /// Decides what survived and lets new handles work; old ones stay dead. Faults, holds and
    /// delays are cleared. Cuts the power first if it is on.
    pub fn power_on(&self) {
        let mut machine = self.machine();
        machine.disk.crash();
        machine.power = Power::On;
        machine.power_off_at = None;
        machine.boot += 1;
        machine.faults.clear();
        machine.held.clear();
        machine.latency_ns = [0; OpKind::COUNT];
        machine.locks.clear();
        drop(machine);
        self.0.released.notify_all();
    }

    /// Adds a fault; several may be waiting for their operations.
    pub fn inject(&self, fault: Fault) {
        self.machine().faults.push(fault);
    }

    /// Takes all faults away.
    pub fn clear_faults(&self) {
        self.machine().faults.clear();
    }

    /// Lets the disk hold this many bytes, or any number.
    pub fn set_capacity(&self, bytes: Option<u64>) {
        self.machine().disk.set_capacity(bytes);
    }

    /// Bytes in files.
    pub fn used(&self) -> u64 {
        self.machine().disk.used()
    }

    /// Every operation of this kind moves the clock by this much.
    pub fn set_latency_ns(&self, kind: OpKind, duration_ns: u64) {
        self.machine().latency_ns[kind as usize] = duration_ns;
    }

    /// Blocks operations of this kind, before they take effect, until [`SimFs::release`].
    pub fn hold(&self, kind: OpKind) {
        self.hold_on(kind, "", 0);
    }

    /// As `hold`, on files whose path has this in it, when `skip` of them have passed.
    pub fn hold_on(&self, kind: OpKind, path_contains: &str, skip: u64) {
        let path_contains = path_contains.to_string();
        self.machine().held.push(Hold { kind, path_contains, skip });
    }

    /// Operations of this kind that are blocked now.
    pub fn operations_held(&self, kind: OpKind) -> usize {
        self.machine().waiting[kind as usize]
    }

    /// Lets held operations of this kind go on.
    pub fn release(&self, kind: OpKind) {
        self.machine().held.retain(|hold| hold.kind != kind);
        self.0.released.notify_all();
    }

    /// Releases operations of this kind at the latest when the result is dropped, so that a test
    /// that fails leaves no thread behind that waits.
    pub fn release_at_end(&self, kind: OpKind) -> Release<'_> {
        Release(self, kind)
    }

    /// Inverts one bit of a file, on the medium and for readers; bit 0 is the lowest of byte 0.
    pub fn flip_bit(&self, path: &Path, bit: u64) -> FileResult<()> {
        let result = self.machine().disk.flip_bit(path, bit);
        result.map_err(|error| FileError::new(OpKind::Write, path, error))
    }

    /// Starts writing down the operations, or starts anew.
    pub fn start_trace(&self) {
        self.machine().trace = Some(Vec::new());
    }

    /// What has been written down since; stops writing. One line an operation, paths as given:
    /// `write log/1 4096+512`, `sync log/1`.
    pub fn take_trace(&self) -> Vec<String> {
        self.machine().trace.take().unwrap_or_default()
    }

    /// Runs one operation: counts it, lets it wait, fails it or does it. `fault_effect` is what an
    /// injected fault does besides failing.
    fn run<T>(
        &self,
        op: &Op<'_>,
        effect: impl FnOnce(&mut Machine) -> io::Result<T>,
        fault_effect: impl FnOnce(&mut Disk),
    ) -> FileResult<T> {
        let mut machine = self.machine();
        let number = machine.counters.count(op.kind);
        machine.note(op);
        self.0.clock.advance_ns(machine.latency_ns[op.kind as usize]);
        if machine.is_held(op) {
            machine.waiting[op.kind as usize] += 1;
            while machine.held.iter().any(|hold| hold.holds(op)) && machine.power == Power::On {
                self.0.released.wait(&mut machine);
            }
            machine.waiting[op.kind as usize] -= 1;
        }
        if op.boot.is_some_and(|boot| boot != machine.boot) || machine.power != Power::On {
            return Err(op.error(power_is_off()));
        }
        if machine.power_off_at.is_some_and(|at| number >= at) {
            // A write may take effect in part, any other operation as a whole or not at all; no
            // caller learns which.
            machine.power = Power::Failing;
            match machine.fate.below(3) {
                0 => drop(effect(&mut machine)),
                1 => fault_effect(&mut machine.disk),
                _ => {}
            }
            machine.power = Power::Off;
            self.0.released.notify_all();
            return Err(op.error(power_is_off()));
        }
        let fault = machine.faults.iter_mut().find_map(|fault| fault.strikes(op.kind, op.path));
        machine.faults.retain(|fault| !fault.is_spent());
        if let Some(fault) = fault {
            fault_effect(&mut machine.disk);
            return Err(op.error(fault.error()));
        }
        effect(&mut machine).map_err(|error| op.error(error))
    }

    fn plain<T>(
        &self,
        kind: OpKind,
        path: &Path,
        effect: impl FnOnce(&mut Machine) -> io::Result<T>,
    ) -> FileResult<T> {
        let op = Op { kind, path, boot: None, detail: None };
        self.run(&op, effect, |_| {})
    }
}

/// Releases held operations of a kind when dropped.
#[derive(Debug)]
pub struct Release<'f>(&'f SimFs, OpKind);

impl Drop for Release<'_> {
    fn drop(&mut self) {
        self.0.release(self.1);
    }
}

/// Operations that are to wait.
struct Hold {
    kind: OpKind,
    path_contains: String,
    /// This many of them succeed first.
    skip: u64,
}

impl Hold {
    fn concerns(&self, op: &Op<'_>) -> bool {
        self.kind == op.kind && op.path.to_string_lossy().contains(&self.path_contains)
    }

    fn holds(&self, op: &Op<'_>) -> bool {
        self.skip == 0 && self.concerns(op)
    }
}

fn power_is_off() -> io::Error {
    io::Error::other("the power is off")
}

/// One operation, for counting, tracing and errors.
struct Op<'a> {
    kind: OpKind,
    path: &'a Path,
    /// The boot in which the handle was opened.
    boot: Option<u64>,
    /// Offset and length.
    detail: Option<(u64, usize)>,
}

impl Op<'_> {
    fn error(&self, source: io::Error) -> FileError {
        FileError::new(self.kind, self.path, source)
    }
}

impl Machine {
    /// Whether an operation that begins has to wait.
    fn is_held(&mut self, op: &Op<'_>) -> bool {
        let held = self.held.iter().any(|hold| hold.holds(op));
        let passes = self.held.iter_mut().filter(|hold| hold.skip > 0 && hold.concerns(op));
        passes.for_each(|hold| hold.skip -= 1);
        held
    }

    fn note(&mut self, op: &Op<'_>) {
        let Some(trace) = &mut self.trace else { return };
        let mut line = format!("{} {}", op.kind.verb(), op.path.display());
        if let Some((offset, len)) = op.detail {
            line.push_str(&format!(" {offset}+{len}"));
        }
        trace.push(line);
    }
}

impl fmt::Debug for SimFs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let machine = self.machine();
        write!(f, "SimFs {{ operations: {}, boot: {} }}", machine.counters.total, machine.boot)
    }
}

impl FileSystem for SimFs {
    fn create_dir_all(&self, path: &Path) -> FileResult<()> {
        self.plain(OpKind::CreateDir, path, |machine| machine.disk.create_dir_all(path))
    }

    fn list(&self, path: &Path) -> FileResult<Vec<Entry>> {
        self.plain(OpKind::List, path, |machine| machine.disk.list(path))
    }

    fn open(&self, path: &Path, mode: OpenMode) -> FileResult<Arc<dyn File>> {
        let new = mode == OpenMode::CreateNew;
        let create = new || mode == OpenMode::Create;
        let (node, boot) = self.plain(OpKind::Open, path, |machine| {
            let node = machine.disk.open(path, create, new)?;
            if machine.power == Power::Failing {
                machine.disk.close(node); // no caller gets this handle
            }
            Ok((node, machine.boot))
        })?;
        let writable = mode != OpenMode::Read;
        Ok(Arc::new(SimFile { fs: self.clone(), node, boot, writable, path: path.to_path_buf() }))
    }

    fn rename(&self, from: &Path, to: &Path) -> FileResult<()> {
        self.plain(OpKind::Rename, from, |machine| machine.disk.rename(from, to))
    }

    fn remove_file(&self, path: &Path) -> FileResult<()> {
        self.plain(OpKind::Remove, path, |machine| machine.disk.remove_file(path))
    }

    fn remove_dir_all(&self, path: &Path) -> FileResult<()> {
        self.plain(OpKind::Remove, path, |machine| machine.disk.remove_dir_all(path))
    }

    fn metadata(&self, path: &Path) -> FileResult<Option<Metadata>> {
        self.plain(OpKind::Metadata, path, |machine| machine.disk.metadata(path))
    }

    fn sync_dir(&self, path: &Path) -> FileResult<()> {
        self.plain(OpKind::SyncDir, path, |machine| machine.disk.sync_dir(path))
    }

    fn free_space(&self, path: &Path) -> FileResult<u64> {
        self.plain(OpKind::Metadata, path, |machine| Ok(machine.disk.free()))
    }

    fn lock_dir(&self, path: &Path) -> FileResult<DirectoryLock> {
        let name = path.join(LOCK_FILE);
        self.plain(OpKind::Lock, &name, |machine| {
            let key = normalized(path)?;
            let node = machine.disk.open(&name, true, false)?;
            machine.disk.close(node);
            if machine.power == Power::Failing || !machine.locks.insert(key.clone()) {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            let held = HeldLock { fs: self.clone(), boot: machine.boot, key };
            Ok(DirectoryLock::new(held))
        })
    }
}

struct HeldLock {
    fs: SimFs,
    boot: u64,
    key: PathBuf,
}

impl Drop for HeldLock {
    fn drop(&mut self) {
        let mut machine = self.fs.machine();
        if machine.boot == self.boot {
            machine.locks.remove(&self.key);
        }
    }
}

struct SimFile {
    fs: SimFs,
    node: NodeId,
    boot: u64,
    writable: bool,
    path: PathBuf,
}

impl SimFile {
    fn run<T>(
        &self,
        kind: OpKind,
        detail: Option<(u64, usize)>,
        effect: impl FnOnce(&mut Disk) -> io::Result<T>,
        fault_effect: impl FnOnce(&mut Disk),
    ) -> FileResult<T> {
        let op = Op { kind, path: &self.path, boot: Some(self.boot), detail };
        let changes = matches!(kind, OpKind::Write | OpKind::SetLen);
        if changes && !self.writable {
            return Err(op.error(io::ErrorKind::PermissionDenied.into()));
        }
        self.fs.run(&op, |machine| effect(&mut machine.disk), fault_effect)
    }

    fn sync(&self) -> FileResult<()> {
        let node = self.node;
        let done = |disk: &mut Disk| {
            disk.sync(node);
            Ok(())
        };
        self.run(OpKind::Sync, None, done, |disk| disk.sync_failed(node))
    }
}

impl fmt::Debug for SimFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SimFile({})", self.path.display())
    }
}

impl Drop for SimFile {
    fn drop(&mut self) {
        let mut machine = self.fs.machine();
        if machine.boot == self.boot {
            machine.disk.close(self.node);
        }
    }
}

impl File for SimFile {
    fn path(&self) -> &Path {
        &self.path
    }

    fn len(&self) -> FileResult<u64> {
        self.run(OpKind::Metadata, None, |disk| Ok(disk.len(self.node)), |_| {})
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> FileResult<usize> {
        let detail = Some((offset, buffer.len()));
        self.run(OpKind::Read, detail, |disk| Ok(disk.read(self.node, buffer, offset)), |_| {})
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> FileResult<()> {
        self.run(
            OpKind::Write,
            Some((offset, bytes.len())),
            |disk| disk.write(self.node, bytes, offset),
            |disk| disk.write_partly(self.node, bytes, offset),
        )
    }

    fn set_len(&self, len: u64) -> FileResult<()> {
        self.run(OpKind::SetLen, Some((len, 0)), |disk| disk.set_len(self.node, len), |_| {})
    }

    fn sync_data(&self) -> FileResult<()> {
        self.sync()
    }

    fn sync_all(&self) -> FileResult<()> {
        self.sync()
    }
}
