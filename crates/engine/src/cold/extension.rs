//! The buffer pool extension: clean pages that were evicted from memory, in a file on a fast
//! device.
//!
//! ```text
//! page 0: header, complete from a clean shutdown to the next start; else only its magic is there
//! slots:  a page each, as in the data file
//! after:  the directory: 16 bytes a slot: its image (database: u32, 0: u32, word: u64)
//! ```
//!
//! Slots are written in turn, [`BATCH_PAGES`] at a time; new images overwrite the oldest ones.
//! Until all slots have been written once, every page that is evicted from memory is admitted. Then
//! only pages are admitted that were used again after they came into memory (those of the main
//! queue). An image that the extension has is not written again. So neither scans nor pages that
//! come and go wear the device out. An image is found by database, place and stamp, and verified
//! like one from the data file.
//!
//! # Failure
//!
//! No failure here is an error for a reader of pages. Operations that fail or are slow, and reads
//! that return other bytes than were written, count as **strikes**; at [`STRIKES_MAX`] the
//! extension is disabled until it is turned on again. Writes that the device cannot keep up with
//! are dropped.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use env::memory::AlignedBytes;
use env::{Env, File, FileError, OpKind, OpenMode};
use hashbrown::HashMap;

use super::counters::add;
use super::error::ColdError;
use super::image::{Kind, seal, verify};
use super::pace::Pace;
use super::page::{Body, PAGE_BYTES, PAGE_HEADER_BYTES, PageNumber};
use super::place::{DiskWord, Place};
use super::store_core::StoreCore;
use crate::critical;
use crate::sync::parking::Mutex;

/// How an extension is made.
#[derive(Clone, Debug)]
pub struct ExtensionOptions {
    /// The file.
    pub path: PathBuf,
    /// The size of all slots; the directory comes on top.
    pub bytes: u64,
    /// An operation that takes longer than this counts as slow.
    pub slow_ns: u64,
}

/// The extension's counters and its current state.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct ExtensionStats {
    /// Pages that it can hold.
    pub slots: u64,
    /// Pages that it holds.
    pub pages: u64,
    /// Pages that were found and read.
    pub reads: u64,
    /// Pages that were written.
    pub writes: u64,
    /// Pages that others have overwritten.
    pub evictions: u64,
    /// Pages that were not written because the device was busy.
    pub skipped: u64,
    /// Reads that returned other bytes than were written.
    pub mismatches: u64,
    /// Operations that failed.
    pub errors: u64,
    /// Operations that took too long.
    pub slow: u64,
    /// Operations that are under way.
    pub outstanding: u64,
    /// How long a page stays: the age of the oldest one.
    pub page_stay_s: u64,
    /// Whether it is in use.
    pub is_enabled: bool,
}

/// Pages that are written at once.
pub const BATCH_PAGES: usize = 32;
/// Strikes that disable the extension.
pub const STRIKES_MAX: u32 = 8;
/// Strikes for a failed operation or a wrong page; a slow operation counts one.
const STRIKES_OF_FAILURE: u32 = 4;
/// At most this many batches wait for the device.
const BATCHES_WAITING: usize = 16;

const MAGIC: u64 = u64::from_le_bytes(*b"TCEXTND\x01");
const OWNER_BYTES: usize = 16;
/// The most databases whose pages are found again after a restart.
const DATABASES_MAX: usize = 300;
const DATABASE_BYTES: usize = 24;
const TABLE_OFFSET: usize = 32;

/// An extension in use.
pub struct Extension {
    file: Arc<dyn File>,
    env: Env,
    options: ExtensionOptions,
    slots: u32,
    index: Mutex<Index>,
    staging: Mutex<Staged>,
    writer: Mutex<Option<Writer>>,
    is_enabled: AtomicBool,
    strikes: AtomicU32,
    pace: Pace,
    counters: ExtensionCounters,
}

#[derive(Default)]
struct ExtensionCounters {
    reads: AtomicU64,
    writes: AtomicU64,
    evictions: AtomicU64,
    skipped: AtomicU64,
    mismatches: AtomicU64,
    errors: AtomicU64,
    slow: AtomicU64,
    outstanding: AtomicU64,
}

/// The thread that writes to the device.
struct Writer {
    sender: SyncSender<Staged>,
    thread: JoinHandle<()>,
}

/// The databases that are open, and the sequence numbers of their roots.
pub(super) type OpenRoots = HashMap<u128, u64>;

/// The slot where an image was found. It may hold another image by the time it is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot(u32);

/// Identifies the image in a slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Owner {
    /// The database's index in the list.
    database: u32,
    word: DiskWord,
}

/// Which image is in which slot.
#[derive(Default)]
struct Index {
    databases: Vec<u128>,
    slots: HashMap<Owner, u32>,
    owners: Vec<Option<Owner>>,
    /// When each batch of slots was written; for slots that an earlier run wrote, when the
    /// extension was opened.
    written_ns: Vec<u64>,
    /// The slot that is written next.
    hand: u32,
    /// Whether the hand has wrapped around.
    is_full: bool,
}

impl Index {
    /// An index of this many empty slots.
    fn new(slots: u32, now_ns: u64) -> Index {
        let owners = vec![None; slots as usize];
        let written_ns = vec![now_ns; owners.len() / BATCH_PAGES];
        Index { owners, written_ns, ..Index::default() }
    }

    /// When the oldest image was written; `None` if there is none.
    fn oldest_ns(&self) -> Option<u64> {
        let first = if self.is_full { self.hand as usize } else { 0 };
        let batch = first / BATCH_PAGES % self.written_ns.len();
        (!self.slots.is_empty()).then(|| self.written_ns[batch])
    }

    fn database(&mut self, database: u128) -> u32 {
        let known = self.databases.iter().position(|&other| other == database);
        known.unwrap_or_else(|| {
            self.databases.push(database);
            self.databases.len() - 1
        }) as u32
    }

    fn find(&self, database: u128, word: DiskWord) -> Option<u32> {
        let known = self.databases.iter().position(|&other| other == database)?;
        self.slots.get(&Owner { database: known as u32, word }).copied()
    }

    fn put(&mut self, slot: u32, owner: Owner) {
        if self.slots.insert(owner, slot).is_none() {
            self.owners[slot as usize] = Some(owner);
        }
    }

    /// Forgets the slot's image. Returns whether there was one.
    fn vacate(&mut self, slot: u32) -> bool {
        let owner = self.owners[slot as usize].take();
        owner.is_some_and(|owner| self.slots.remove(&owner).is_some())
    }
}

/// Pages on their way to the device.
#[derive(Default)]
struct Staged {
    owners: Vec<StagedImage>,
    bytes: Option<AlignedBytes>,
}

/// An image on its way to the device.
struct StagedImage {
    database: u128,
    word: DiskWord,
}

impl Extension {
    /// Opens or creates the file. Images that a clean shutdown left are used for stores that are
    /// open and whose last root is the same as then. A file that is no extension is left unchanged:
    /// [`ColdError::Foreign`].
    pub(super) fn open(
        env: &Env,
        options: ExtensionOptions,
        open: &OpenRoots,
        has_threads: bool,
    ) -> Result<Arc<Extension>, ColdError> {
        let slots = u32::try_from(options.bytes / PAGE_BYTES as u64).unwrap_or(u32::MAX);
        let slots = slots.max(BATCH_PAGES as u32);
        let file = env.fs().open_named_direct(&options.path, OpenMode::Create)?;
        if file.len()? > 0 && !is_extension(&*file)? {
            return Err(ColdError::Foreign { path: options.path.as_path().into() });
        }
        let now_ns = env.clock().now_ns();
        let index = read_index(&*file, slots, open, now_ns);
        let index = index.unwrap_or_else(|| Index::new(slots, now_ns));
        // Invalidates the directory, since slots change from here on.
        let mut header = AlignedBytes::new(PAGE_BYTES);
        header[..8].copy_from_slice(&MAGIC.to_le_bytes());
        file.write_all_at(&header, 0)?;
        file.sync_data()?;
        let directory = (slots as usize * OWNER_BYTES).next_multiple_of(PAGE_BYTES) as u64;
        file.set_len(offset_of(slots) + directory)?;
        let extension = Arc::new(Extension {
            file,
            env: env.clone(),
            options,
            slots,
            index: Mutex::new(index),
            staging: Mutex::default(),
            writer: Mutex::default(),
            is_enabled: AtomicBool::new(true),
            strikes: AtomicU32::new(0),
            pace: Pace::new(),
            counters: ExtensionCounters::default(),
        });
        if has_threads {
            extension.start_writer()?;
        }
        Ok(extension)
    }

    fn start_writer(self: &Arc<Self>) -> Result<(), FileError> {
        let (sender, receiver) = sync_channel(BATCHES_WAITING);
        let own = self.clone();
        let run = move |receiver: Receiver<Staged>| {
            receiver.into_iter().for_each(|batch| own.write_batch(batch));
        };
        let builder = std::thread::Builder::new().name("cold extension".into());
        let thread = builder.spawn(critical::thread("cold extension", move || run(receiver)));
        let thread =
            thread.map_err(|error| FileError::new(OpKind::Open, &self.options.path, error))?;
        *self.writer.lock() = Some(Writer { sender, thread });
        Ok(())
    }

    /// Disables the extension. Its thread writes the batches that it has, and ends.
    pub(super) fn close(&self) {
        self.is_enabled.store(false, Relaxed);
        if let Some(Writer { sender, thread }) = self.writer.lock().take() {
            drop(sender);
            // The thread panics only on a broken invariant, and then the panic has been reported.
            let _ = thread.join();
        }
    }

    /// Closes the extension and writes its directory.
    pub(super) fn close_warm(&self, open: &OpenRoots) -> Result<(), ColdError> {
        let was_enabled = self.is_enabled.load(Relaxed);
        self.close();
        if was_enabled {
            self.write_index(open)?;
        }
        Ok(())
    }

    /// Forgets all images.
    pub(super) fn clear(&self) {
        *self.index.lock() = Index::new(self.slots, self.env.clock().now_ns());
    }

    /// Whether a clean page that is evicted from memory is to be written; `from_main` if the page
    /// was used again after it came in.
    pub(super) fn wants(&self, core: &StoreCore, word: DiskWord, from_main: bool) -> bool {
        if !self.is_enabled.load(Relaxed) {
            return false;
        }
        let index = self.index.lock();
        (from_main || !index.is_full) && index.find(core.database, word).is_none()
    }

    /// Takes a copy of a clean page that is evicted and that the extension [`wants`](Self::wants).
    pub(super) fn admit(&self, core: &StoreCore, page: PageNumber, word: DiskWord, body: &Body) {
        let mut staging = self.staging.lock();
        let at = staging.owners.len() * PAGE_BYTES;
        let bytes =
            staging.bytes.get_or_insert_with(|| AlignedBytes::new(BATCH_PAGES * PAGE_BYTES));
        let slot = &mut bytes[at..at + PAGE_BYTES];
        slot[PAGE_HEADER_BYTES..].copy_from_slice(body);
        seal(slot, core.seed, Kind::Data, page.0, word.stamp_bits(), word.place());
        staging.owners.push(StagedImage { database: core.database, word });
        if staging.owners.len() < BATCH_PAGES {
            return;
        }
        let batch = std::mem::take(&mut *staging);
        drop(staging);
        match &*self.writer.lock() {
            None => self.write_batch(batch),
            Some(writer) => {
                if writer.sender.try_send(batch).is_err() {
                    add(&self.counters.skipped, BATCH_PAGES);
                }
            }
        }
    }

    fn write_batch(&self, batch: Staged) {
        let Some(bytes) = batch.bytes else { return };
        let count = batch.owners.len() as u32;
        let mut index = self.index.lock();
        if index.hand + count > self.slots {
            index.hand = 0;
            index.is_full = true;
        }
        let first = index.hand;
        index.hand += count;
        let evicted = (first..first + count).filter(|&slot| index.vacate(slot)).count();
        drop(index);
        add(&self.counters.evictions, evicted);
        let written = self.timed(|| self.file.write_all_at(&bytes, offset_of(first)));
        if written.is_none() {
            return;
        }
        add(&self.counters.writes, count as usize);
        let mut index = self.index.lock();
        index.written_ns[first as usize / BATCH_PAGES] = self.env.clock().now_ns();
        for (slot, StagedImage { database, word }) in (first..).zip(batch.owners) {
            let database = index.database(database);
            index.put(slot, Owner { database, word });
        }
    }

    /// Where the image is, if the extension has it.
    pub(super) fn find(&self, core: &StoreCore, word: DiskWord) -> Option<Slot> {
        if !self.is_enabled.load(Relaxed) {
            return None;
        }
        self.index.lock().find(core.database, word).map(Slot)
    }

    /// Whether the device has been quick lately; see [`Pace`].
    pub(super) fn is_quick(&self) -> bool {
        self.pace.is_quick()
    }

    /// Reads an image from the slot where it was found. Returns its body if it is still there and
    /// whole.
    pub(super) fn read<'b>(
        &self,
        core: &StoreCore,
        page: PageNumber,
        word: DiskWord,
        Slot(slot): Slot,
        buffer: &'b mut [u8],
    ) -> Option<&'b Body> {
        let took_ns = self.timed(|| self.file.read_exact_at(buffer, offset_of(slot)))?;
        self.pace.note(took_ns);
        if let Ok(body) = verify(buffer, core.seed, Kind::Data, page.0, word) {
            add(&self.counters.reads, 1);
            return Some(body);
        }
        // The slot may have been overwritten meanwhile; if not, the device is faulty.
        let mut index = self.index.lock();
        if index.find(core.database, word) == Some(slot) {
            index.vacate(slot);
            drop(index);
            add(&self.counters.mismatches, 1);
            self.strike(STRIKES_OF_FAILURE);
        }
        None
    }

    /// Runs an operation on the device, and counts strikes if it fails or is slow. Returns how long
    /// it took, if it did not fail.
    fn timed(&self, work: impl FnOnce() -> Result<(), FileError>) -> Option<u64> {
        let began_ns = self.env.clock().now_ns();
        self.counters.outstanding.fetch_add(1, Relaxed);
        let result = work();
        self.counters.outstanding.fetch_sub(1, Relaxed);
        let took_ns = self.env.clock().now_ns() - began_ns;
        if took_ns > self.options.slow_ns {
            add(&self.counters.slow, 1);
            self.strike(1);
        }
        if result.is_err() {
            add(&self.counters.errors, 1);
            self.strike(STRIKES_OF_FAILURE);
        }
        result.ok().map(|()| took_ns)
    }

    fn strike(&self, count: u32) {
        if self.strikes.fetch_add(count, Relaxed) + count >= STRIKES_MAX {
            self.is_enabled.store(false, Relaxed);
        }
    }

    /// Lists the images in the extension: the database of each, and its place in the database's
    /// files.
    pub(super) fn held(&self) -> Vec<(u128, Place)> {
        let index = self.index.lock();
        let owners = index.owners.iter().flatten();
        owners.map(|own| (index.databases[own.database as usize], own.word.place())).collect()
    }

    /// The extension's counters and its current state.
    pub(super) fn stats(&self) -> ExtensionStats {
        let (c, get) = (&self.counters, |counter: &AtomicU64| counter.load(Relaxed));
        let index = self.index.lock();
        let now_ns = self.env.clock().now_ns();
        let stay_ns = index.oldest_ns().map_or(0, |oldest_ns| now_ns.saturating_sub(oldest_ns));
        ExtensionStats {
            slots: u64::from(self.slots),
            pages: index.slots.len() as u64,
            reads: get(&c.reads),
            writes: get(&c.writes),
            evictions: get(&c.evictions),
            skipped: get(&c.skipped),
            mismatches: get(&c.mismatches),
            errors: get(&c.errors),
            slow: get(&c.slow),
            outstanding: get(&c.outstanding),
            page_stay_s: stay_ns / 1_000_000_000,
            is_enabled: self.is_enabled.load(Relaxed),
        }
    }

    // ---- the directory ----

    fn write_index(&self, open: &OpenRoots) -> Result<(), ColdError> {
        let index = self.index.lock();
        let length = (self.slots as usize * OWNER_BYTES).next_multiple_of(PAGE_BYTES);
        let mut directory = AlignedBytes::new(length);
        for (place, owner) in directory.chunks_exact_mut(OWNER_BYTES).zip(&index.owners) {
            if let Some(Owner { database, word }) = owner {
                place[..4].copy_from_slice(&database.to_le_bytes());
                place[8..].copy_from_slice(&word.to_bits().to_le_bytes());
            }
        }
        self.file.write_all_at(&directory, offset_of(self.slots))?;
        self.file.sync_data()?;
        let mut header = AlignedBytes::new(PAGE_BYTES);
        header[..8].copy_from_slice(&MAGIC.to_le_bytes());
        header[12..16].copy_from_slice(&crc32c::crc32c(&directory).to_le_bytes());
        header[16..20].copy_from_slice(&self.slots.to_le_bytes());
        header[20..24].copy_from_slice(&index.hand.to_le_bytes());
        let databases = index.databases.iter().take(DATABASES_MAX);
        for (n, database) in databases.enumerate() {
            let place = &mut header[TABLE_OFFSET + n * DATABASE_BYTES..][..DATABASE_BYTES];
            place[..16].copy_from_slice(&database.to_le_bytes());
            let sequence = open.get(database).copied().unwrap_or(0);
            place[16..].copy_from_slice(&sequence.to_le_bytes());
        }
        let checksum = crc32c::crc32c(&header);
        header[8..12].copy_from_slice(&checksum.to_le_bytes());
        self.file.write_all_at(&header, 0)?;
        Ok(self.file.sync_data()?)
    }
}

const _: () = assert!(TABLE_OFFSET + DATABASES_MAX * DATABASE_BYTES <= PAGE_BYTES);

/// The offset of a slot; the directory follows the last one.
fn offset_of(slot: u32) -> u64 {
    (1 + u64::from(slot)) * PAGE_BYTES as u64
}

/// Whether a file that is not empty was made as an extension.
fn is_extension(file: &dyn File) -> Result<bool, FileError> {
    let mut header = AlignedBytes::new(PAGE_BYTES);
    let is_long = file.len()? >= PAGE_BYTES as u64;
    if is_long {
        file.read_exact_at(&mut header, 0)?;
    }
    Ok(is_long && header[..8] == MAGIC.to_le_bytes())
}

/// Reads the directory that a clean shutdown wrote, as far as it is still valid; `None` if there is
/// none.
fn read_index(file: &dyn File, slots: u32, open: &OpenRoots, now_ns: u64) -> Option<Index> {
    let mut header = AlignedBytes::new(PAGE_BYTES);
    file.read_exact_at(&mut header, 0).ok()?;
    let u32_at = |page: &[u8], at: usize| {
        u32::from_le_bytes(page[at..at + 4].try_into().expect("four bytes"))
    };
    let checksum = u32_at(&header, 8);
    header[8..12].fill(0);
    let is_whole = header[..8] == MAGIC.to_le_bytes() && crc32c::crc32c(&header) == checksum;
    if !is_whole || u32_at(&header, 16) != slots {
        return None;
    }
    let mut directory =
        AlignedBytes::new((slots as usize * OWNER_BYTES).next_multiple_of(PAGE_BYTES));
    file.read_exact_at(&mut directory, offset_of(slots)).ok()?;
    if crc32c::crc32c(&directory) != u32_at(&header, 12) {
        return None;
    }
    let hand = u32_at(&header, 20).min(slots);
    let mut index = Index { hand, ..Index::new(slots, now_ns) };
    let mut is_true = Vec::new();
    for entry in header[TABLE_OFFSET..].chunks_exact(DATABASE_BYTES).take(DATABASES_MAX) {
        let (database, sequence) = entry.split_first_chunk::<16>().expect("it is longer");
        let database = u128::from_le_bytes(*database);
        let sequence = u64::from_le_bytes(sequence.try_into().expect("eight bytes"));
        index.databases.push(database);
        is_true.push(open.get(&database) == Some(&sequence));
    }
    for (slot, owner) in (0..slots).zip(directory.chunks_exact(OWNER_BYTES)) {
        let database = u32_at(owner, 0);
        let word = u64::from_le_bytes(owner[8..].try_into().expect("eight bytes"));
        if let Some(word) = DiskWord::from_bits(word) {
            if is_true.get(database as usize) == Some(&true) {
                index.put(slot, Owner { database, word });
            }
        }
    }
    index.is_full = index.owners[hand as usize..].iter().any(Option::is_some);
    Some(index)
}
