//! Long runs of bytes, past the system's cache: written behind the thread that makes them, and read
//! ahead of the thread that needs them, on a thread of its own where the file system makes that pay
//! ([`FileSystem::overlaps`]). In a simulated environment everything happens in the order of the
//! calls.
//!
//! [`FileSystem::overlaps`]: crate::FileSystem::overlaps

use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use crate::memory::{AlignedBytes, DIRECT_ALIGN};
use crate::{Env, File, FileError, FileResult, OpKind};

/// Bytes of a buffer: of one write or read, at most.
pub const BUFFER_BYTES: usize = 2 << 20;
/// Buffers that are under way besides the one that is being filled or used.
const UNDER_WAY: usize = 3;

/// A thread that does jobs one after the other: reads or writes buffers.
pub struct Worker<J, D> {
    /// Taken to end the thread.
    jobs: Option<Sender<J>>,
    done: Receiver<D>,
    thread: Option<JoinHandle<()>>,
}

impl<J: Send + 'static, D: Send + 'static> Worker<J, D> {
    /// `None` if the system has no thread to give.
    pub fn start(name: &str, work: impl Fn(J) -> D + Send + 'static) -> Option<Worker<J, D>> {
        let (jobs, todo) = channel();
        let (finished, done) = channel();
        let run = move || {
            for job in todo {
                if finished.send(work(job)).is_err() {
                    break; // the receiver is gone
                }
            }
        };
        let thread = std::thread::Builder::new().name(name.into()).spawn(run).ok()?;
        Some(Worker { jobs: Some(jobs), done, thread: Some(thread) })
    }

    /// Hands a job to the thread, after those before.
    pub fn give(&self, job: J) {
        let jobs = self.jobs.as_ref().expect("the worker has not been ended");
        jobs.send(job).expect("the thread lives as long as its jobs come");
    }

    /// Waits for the result of the oldest job whose result has not been taken. There must be one.
    pub fn take(&self) -> D {
        self.done.recv().expect("the thread answers every job")
    }
}

impl<J, D> Drop for Worker<J, D> {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // a panic of it has been reported
        }
    }
}

/// Part of a buffer, and where it goes. All three numbers are multiples of [`DIRECT_ALIGN`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The part of the buffer.
    pub part: Range<usize>,
    /// The offset in the file.
    pub offset: u64,
}

struct Write {
    buffer: AlignedBytes,
    pieces: Vec<Piece>,
}

/// What has become of a [`Write`].
struct Written {
    buffer: AlignedBytes,
    result: FileResult<()>,
}

/// Writes buffers to a file that was opened past the cache, while the next is being filled.
pub struct WriteBehind {
    file: Arc<dyn File>,
    overlaps: bool,
    worker: Option<Worker<Write, Written>>,
    under_way: usize,
    free: Vec<AlignedBytes>,
    failed: bool,
}

impl WriteBehind {
    /// To this file.
    pub fn new(env: &Env, file: Arc<dyn File>) -> WriteBehind {
        let overlaps = env.fs().overlaps();
        WriteBehind { file, overlaps, worker: None, under_way: 0, free: Vec::new(), failed: false }
    }

    /// The file.
    pub fn file(&self) -> &Arc<dyn File> {
        &self.file
    }

    /// A buffer of [`BUFFER_BYTES`], holding anything. Waits for a write if all are under way.
    pub fn buffer(&mut self) -> FileResult<AlignedBytes> {
        if self.under_way == UNDER_WAY {
            self.wait()?;
        }
        Ok(self.free.pop().unwrap_or_else(|| AlignedBytes::new(BUFFER_BYTES)))
    }

    /// Writes parts of a buffer, some time until [`WriteBehind::finish`]. An error may be that of
    /// an earlier write; then nothing is known of what was written.
    pub fn write(&mut self, buffer: AlignedBytes, pieces: Vec<Piece>) -> FileResult<()> {
        debug_assert!(pieces.iter().all(|Piece { part, offset }| {
            [part.start as u64, part.end as u64, *offset]
                .iter()
                .all(|at| at % DIRECT_ALIGN as u64 == 0)
        }));
        if self.worker.is_none() && self.overlaps {
            let file = self.file.clone();
            self.worker = Worker::start("write-behind", move |write: Write| {
                let result = write_pieces(&*file, &write.buffer, &write.pieces);
                Written { buffer: write.buffer, result }
            });
            self.overlaps = self.worker.is_some();
        }
        match &self.worker {
            Some(worker) => {
                worker.give(Write { buffer, pieces });
                self.under_way += 1;
                Ok(())
            }
            None => {
                let result = write_pieces(&*self.file, &buffer, &pieces);
                self.free.push(buffer);
                self.note(result)
            }
        }
    }

    /// Waits until everything has been written; it is not durable yet.
    pub fn finish(&mut self) -> FileResult<()> {
        while self.under_way > 0 {
            self.wait()?;
        }
        match self.failed {
            false => Ok(()),
            true => {
                let error = io::Error::other("an earlier write has failed");
                Err(FileError::new(OpKind::Write, self.file.path(), error))
            }
        }
    }

    fn wait(&mut self) -> FileResult<()> {
        let worker = self.worker.as_ref().expect("a worker writes");
        let Written { buffer, result } = worker.take();
        self.under_way -= 1;
        self.free.push(buffer);
        self.note(result)
    }

    fn note(&mut self, result: FileResult<()>) -> FileResult<()> {
        self.failed |= result.is_err();
        result
    }
}

fn write_pieces(file: &dyn File, buffer: &[u8], pieces: &[Piece]) -> FileResult<()> {
    pieces.iter().try_for_each(|piece| file.write_all_at(&buffer[piece.part.clone()], piece.offset))
}

/// Adds bytes to a file that was opened past the cache.
pub struct Appender {
    behind: WriteBehind,
    /// What has not been handed over, and where it goes.
    buffer: Option<AlignedBytes>,
    used: usize,
    offset: u64,
}

impl Appender {
    /// From this offset on, which is a multiple of [`DIRECT_ALIGN`].
    pub fn new(env: &Env, file: Arc<dyn File>, offset: u64) -> Appender {
        assert!(offset % DIRECT_ALIGN as u64 == 0, "writes begin at whole blocks");
        Appender { behind: WriteBehind::new(env, file), buffer: None, used: 0, offset }
    }

    /// The file.
    pub fn file(&self) -> &Arc<dyn File> {
        self.behind.file()
    }

    /// Where the next byte goes.
    pub fn position(&self) -> u64 {
        self.offset + self.used as u64
    }

    /// Adds bytes. An error may be that of an earlier write.
    pub fn append(&mut self, mut bytes: &[u8]) -> FileResult<()> {
        while !bytes.is_empty() {
            let buffer = match &mut self.buffer {
                Some(buffer) => buffer,
                none => none.insert(self.behind.buffer()?),
            };
            let fits = bytes.len().min(BUFFER_BYTES - self.used);
            buffer[self.used..self.used + fits].copy_from_slice(&bytes[..fits]);
            self.used += fits;
            bytes = &bytes[fits..];
            if self.used == BUFFER_BYTES {
                self.hand_over()?;
            }
        }
        Ok(())
    }

    /// Writes what is left, with zeros up to a whole block, and waits: where the bytes end. None of
    /// it is durable yet.
    pub fn finish(mut self) -> FileResult<u64> {
        let end = self.position();
        if self.used > 0 {
            let whole = self.used.next_multiple_of(DIRECT_ALIGN);
            let buffer = self.buffer.as_mut().expect("there is a buffer if it is used");
            buffer[self.used..whole].fill(0);
            self.used = whole;
            self.hand_over()?;
        }
        self.behind.finish()?;
        Ok(end)
    }

    fn hand_over(&mut self) -> FileResult<()> {
        let buffer = self.buffer.take().expect("there is a buffer if it is used");
        let (used, offset) = (self.used, self.offset);
        self.offset += used as u64;
        self.used = 0;
        self.behind.write(buffer, vec![Piece { part: 0..used, offset }])
    }
}

struct Read {
    buffer: AlignedBytes,
    offset: u64,
}

/// What has become of a [`Read`]: how many bytes there were.
struct ReadResult {
    buffer: AlignedBytes,
    result: FileResult<usize>,
}

/// Reads a part of a file that was opened past the cache, from its beginning to its end.
pub struct ReadAhead {
    file: Arc<dyn File>,
    worker: Option<Worker<Read, ReadResult>>,
    overlaps: bool,
    /// Offsets of reads that are under way.
    under_way: VecDeque<u64>,
    free: Vec<AlignedBytes>,
    /// Where the next read begins; and the end.
    next: u64,
    end: u64,
    /// What was read last and is not used up: where in the buffer.
    current: Option<AlignedBytes>,
    left: Range<usize>,
    position: u64,
}

impl ReadAhead {
    /// This part of the file.
    pub fn new(env: &Env, file: Arc<dyn File>, part: Range<u64>) -> ReadAhead {
        let next = part.start - part.start % DIRECT_ALIGN as u64;
        ReadAhead {
            file,
            worker: None,
            overlaps: env.fs().overlaps(),
            under_way: VecDeque::new(),
            free: Vec::new(),
            next,
            end: part.end,
            current: None,
            left: 0..0,
            position: part.start,
        }
    }

    /// Fills the buffer; fewer bytes only if the part or the file ends.
    pub fn read(&mut self, into: &mut [u8]) -> FileResult<usize> {
        let mut got = 0;
        while got < into.len() {
            if self.left.is_empty() && !self.next_buffer()? {
                break;
            }
            let buffer = self.current.as_ref().expect("something of it is left");
            let fits = self.left.len().min(into.len() - got);
            let taken = self.left.start..self.left.start + fits;
            into[got..got + fits].copy_from_slice(&buffer[taken]);
            self.left.start += fits;
            self.position += fits as u64;
            got += fits;
        }
        Ok(got)
    }

    /// Goes on with what follows; `false` if nothing does.
    fn next_buffer(&mut self) -> FileResult<bool> {
        self.free.extend(self.current.take());
        if self.position >= self.end {
            return Ok(false);
        }
        self.ask();
        let (buffer, offset, got) = match self.under_way.pop_front() {
            Some(offset) => {
                let worker = self.worker.as_ref().expect("a worker reads");
                let ReadResult { buffer, result } = worker.take();
                (buffer, offset, result?)
            }
            None => {
                let mut buffer = self.buffer();
                let offset = self.next;
                self.next += BUFFER_BYTES as u64;
                let got = self.file.read_at(&mut buffer, offset)?;
                (buffer, offset, got)
            }
        };
        if got < BUFFER_BYTES {
            self.end = self.end.min(offset + got as u64); // the file ends here
        }
        let end = (self.end - offset).min(BUFFER_BYTES as u64);
        self.left = (self.position - offset) as usize..end as usize;
        self.current = Some(buffer);
        Ok(!self.left.is_empty())
    }

    /// A buffer of [`BUFFER_BYTES`], holding anything.
    fn buffer(&mut self) -> AlignedBytes {
        let is_long = self.next + (BUFFER_BYTES as u64) < self.end;
        let new = || match is_long {
            true => AlignedBytes::for_long_reads(1, BUFFER_BYTES).remove(0),
            false => AlignedBytes::new(BUFFER_BYTES),
        };
        self.free.pop().unwrap_or_else(new)
    }

    /// Starts reads as far as there is more to read.
    fn ask(&mut self) {
        if self.worker.is_none() && self.overlaps && self.next + (BUFFER_BYTES as u64) < self.end {
            let file = self.file.clone();
            self.worker = Worker::start("read-ahead", move |mut read: Read| {
                let result = file.read_at(&mut read.buffer, read.offset);
                ReadResult { buffer: read.buffer, result }
            });
            self.overlaps = self.worker.is_some();
        }
        while self.worker.is_some() && self.under_way.len() < UNDER_WAY && self.next < self.end {
            let buffer = self.buffer();
            let worker = self.worker.as_ref().expect("it was started");
            worker.give(Read { buffer, offset: self.next });
            self.under_way.push_back(self.next);
            self.next += BUFFER_BYTES as u64;
        }
    }
}

#[cfg(test)]
mod tests;
