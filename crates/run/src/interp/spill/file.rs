//! A spill file: blocks that are written once, read, and written over.

use std::sync::Arc;

use base::{Account, SqlResult};
use engine::wait::{Job, Task};
use env::{File, FileResult, OpenMode};

use super::space::{SpillSpace, damaged, failed};

/// Bytes of a block's header: the checksum of what follows, the bytes in use, the block's number,
/// four zeros.
pub(super) const HEADER: usize = 16;

/// A read or write under way; it gives the block's buffer back.
type Transfer = Job<(FileResult<()>, Vec<u8>)>;

/// See the module's header. Its block buffers move between the statement and the threads that read
/// and write.
#[derive(Debug)]
pub struct SpillFile {
    space: Arc<SpillSpace>,
    /// What long records are charged to while they are read.
    account: Arc<Account>,
    file: Arc<dyn File>,
    /// Length of the file in blocks.
    blocks: u32,
    /// Blocks that have been read for the last time.
    free: Vec<u32>,
    /// The write that is under way, and its offset.
    writing: Option<(Transfer, u64)>,
    /// Buffers to be used again.
    spare: Vec<Vec<u8>>,
}

/// Buffers that are kept to be used again.
const SPARE_MAX: usize = 4;

/// A read that is under way.
#[derive(Debug)]
pub(super) struct Reading {
    job: Transfer,
    block: u32,
}

impl SpillFile {
    /// A new file.
    pub fn create(
        task: &Task<'_>,
        space: &Arc<SpillSpace>,
        account: &Arc<Account>,
    ) -> SqlResult<SpillFile> {
        let (env, path) = (space.env().clone(), space.new_path());
        let opened = space.disk().begin(task, move || env.fs().open(&path, OpenMode::CreateNew));
        let file = opened.wait(task).map_err(|error| failed(&error, 0))?;
        space.note_file();
        let (free, spare) = (Vec::new(), Vec::new());
        let (space, account) = (space.clone(), account.clone());
        Ok(SpillFile { space, account, file, blocks: 0, free, writing: None, spare })
    }

    /// What long records are charged to.
    pub(super) fn account(&self) -> &Arc<Account> {
        &self.account
    }

    /// Bytes of a block, header included.
    pub fn block_bytes(&self) -> usize {
        self.space.block_bytes()
    }

    /// An empty block to be filled.
    pub(super) fn buffer(&mut self) -> Vec<u8> {
        let mut buffer = self.spare.pop().unwrap_or_default();
        buffer.clear();
        buffer.reserve_exact(self.block_bytes());
        buffer.resize(HEADER, 0);
        buffer
    }

    pub(super) fn keep_buffer(&mut self, buffer: Vec<u8>) {
        if self.spare.len() < SPARE_MAX {
            self.spare.push(buffer);
        }
    }

    /// Writes a block that has records after its header. Returns its number.
    pub(super) fn write(&mut self, task: &Task<'_>, mut block: Vec<u8>) -> SqlResult<u32> {
        self.flush(task)?;
        let number = match self.free.pop() {
            Some(number) => number,
            None => {
                self.space.take_block()?;
                self.blocks += 1;
                self.blocks - 1
            }
        };
        let used = block.len() as u32;
        block.resize(self.block_bytes(), 0);
        block[4..8].copy_from_slice(&used.to_le_bytes());
        block[8..12].copy_from_slice(&number.to_le_bytes());
        let checksum = crc32c::crc32c(&block[4..]);
        block[..4].copy_from_slice(&checksum.to_le_bytes());
        let (file, offset) = (self.file.clone(), self.offset(number));
        let job = self.space.disk().begin(task, move || {
            let result = file.write_all_at(&block, offset);
            (result, block)
        });
        self.writing = Some((job, offset));
        self.space.note_written();
        Ok(number)
    }

    /// Waits until what was written can be read.
    pub(super) fn flush(&mut self, task: &Task<'_>) -> SqlResult<()> {
        let Some((job, offset)) = self.writing.take() else { return Ok(()) };
        let (result, buffer) = job.wait(task);
        result.map_err(|error| failed(&error, offset))?;
        self.keep_buffer(buffer);
        Ok(())
    }

    /// Begins to read a block. What was written must have been [flushed](SpillFile::flush).
    pub(super) fn begin_read(&mut self, task: &Task<'_>, block: u32) -> Reading {
        let mut buffer = self.spare.pop().unwrap_or_default();
        buffer.resize(self.block_bytes(), 0);
        let (file, offset) = (self.file.clone(), self.offset(block));
        let job = self.space.disk().begin(task, move || {
            let result = file.read_exact_at(&mut buffer, offset);
            (result, buffer)
        });
        Reading { job, block }
    }

    /// The block that is being read, cut to what is in use. With `free`, it will not be read again,
    /// and its place is given back.
    pub(super) fn end_read(
        &mut self,
        task: &Task<'_>,
        reading: Reading,
        free: bool,
    ) -> SqlResult<Vec<u8>> {
        let Reading { job, block: number } = reading;
        let offset = self.offset(number);
        let (result, mut block) = job.wait(task);
        result.map_err(|error| failed(&error, offset))?;
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| block[at + byte]));
        let used = word(4) as usize;
        let whole = word(0) == crc32c::crc32c(&block[4..]) && word(8) == number;
        if !whole || !(HEADER..=block.len()).contains(&used) {
            return Err(damaged(self.file.path(), number, offset));
        }
        block.truncate(used);
        if free {
            self.free.push(number);
        }
        Ok(block)
    }

    /// Gives back blocks that will not be read.
    pub(super) fn free(&mut self, blocks: impl IntoIterator<Item = u32>) {
        self.free.extend(blocks);
    }

    fn offset(&self, block: u32) -> u64 {
        u64::from(block) * self.block_bytes() as u64
    }
}

impl Drop for SpillFile {
    /// A thread that may block removes the name. A job under way keeps the file open until it ends.
    fn drop(&mut self) {
        let (env, file) = (self.space.env().clone(), self.file.clone());
        self.space.give_back(self.blocks);
        // What cannot be removed now is removed at the next start.
        self.space.disk().hand_over(move || drop(env.fs().remove_file(file.path())));
    }
}
