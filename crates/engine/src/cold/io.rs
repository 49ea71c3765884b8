//! Reading pages: a few threads read for tasks, which wait without blocking their workers.
//!
//! Handing a read over takes two wake-ups, which is longer than a quick device needs for the read.
//! So if no request is pending and the device has been quick lately, a task reads its page in
//! place: on its own thread, bypassing the request queue. One task at a time does, so that other
//! workers go on with other tasks; tasks that come meanwhile hand their reads over.
//!
//! Otherwise a task makes a **request**, or waits for one that another task has made for the same
//! image. A request has its frame already, so that the threads never wait for memory. Requests for
//! consecutive places are read by one call. The thread verifies each image and links it into the
//! map. If the page has a newer image by then, or another thread has linked this one, the thread
//! discards what it has read, and the tasks that wait look again.

use std::collections::hash_map::Entry as MapEntry;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use env::memory::AlignedBytes;
use smallvec::SmallVec;

use super::counters::add;
use super::error::{ColdError, Mismatch};
use super::extension::{Extension, Slot};
use super::frame::{MARK_MAIN, MARK_SCAN};
use super::image::{Kind, verify};
use super::memory::{Image, Memory};
use super::page::{Body, PAGE_BYTES, PageNumber};
use super::pages::Access;
use super::place::{DiskWord, FrameNumber, MapWord};
use super::store_core::{StoreCore, StoredImage};
use crate::sync::parking::{Condvar, Mutex, RwLock};
use crate::wait::{Event, Task};

/// The longest run of pages that is read by one call.
pub const RUN_PAGES: usize = 64;
/// At most this many pages wait to be read ahead; requests for more are dropped.
const AHEAD_MAX: usize = 8192;

/// An image that is to be read, and a private frame for it.
pub struct Wanted {
    core: Arc<StoreCore>,
    page: PageNumber,
    word: DiskWord,
    hint: Access,
    /// Private until it is linked.
    image: Image,
}

/// A read that is handed over to the pool's threads.
pub struct Request {
    wanted: Wanted,
    ahead: bool,
    /// Whether a thread has taken the request, which can be in both queues. Written by the thread
    /// that takes it: under the queue's lock, or when the closed queues have been emptied.
    is_taken: AtomicBool,
    done: Event,
    outcome: OnceLock<Outcome>,
}

/// How a read ended.
#[derive(Clone)]
enum Outcome {
    /// The image is in memory.
    Linked,
    /// The page has a newer image, or this one in another frame: look again.
    Overtaken,
    Failed(ColdError),
}

/// How the reads of a run ended. Most runs are of one page, which needs no allocation.
type Outcomes = SmallVec<[Outcome; 1]>;

impl Outcome {
    /// The image; `None` if the task has to look again.
    fn image(&self, wanted: &Wanted) -> Result<Option<Image>, ColdError> {
        match self {
            Outcome::Linked => Ok(Some(wanted.image.clone())),
            Outcome::Overtaken => Ok(None),
            Outcome::Failed(error) => Err(error.clone()),
        }
    }
}

impl Wanted {
    /// A read of this image into this frame.
    pub fn new(
        core: &Arc<StoreCore>,
        page: PageNumber,
        word: DiskWord,
        hint: Access,
        image: Image,
    ) -> Wanted {
        Wanted { core: core.clone(), page, word, hint, image }
    }

    fn key(&self) -> Key {
        key_of(&self.core, self.word)
    }

    fn verify<'p>(&self, page: &'p [u8]) -> Result<&'p Body, Mismatch> {
        verify(page, self.core.seed, Kind::Data, self.page.0, self.word)
    }

    /// Copies the body into the frame and links the frame into the map, unless the page has another
    /// image by now.
    fn link(&self, memory: &Arc<Memory>, body: &Body, linked: &mut Linked) -> Outcome {
        let (core, image) = (&self.core, &self.image);
        // SAFETY: the frame is private: it is not linked yet, and only the thread that reads uses
        // it (F1).
        unsafe { *memory.frames.body_mut(image.frame()) = *body };
        let state = image.state();
        state.set_identity(core.slot, self.page);
        state.set_clean(self.word);
        let came_back = || memory.queues.lock().take_ghost(core.identity_of(self.page));
        state.set_marks(match self.hint {
            Access::Scan => MARK_SCAN,
            Access::Point if came_back() => {
                add(&memory.counters.came_back, 1);
                MARK_MAIN
            }
            Access::Point | Access::Once => 0,
        });
        let frame = image.clone().into_frame();
        let (from, to) = (MapWord::Disk(self.word), MapWord::Frame(frame));
        match core.map.exchange(self.page, from, to) {
            Ok(()) => {
                linked.push(frame);
                Outcome::Linked
            }
            Err(_) => {
                // SAFETY: `frame` is what `into_frame` gave above, and it was not put into the map.
                drop(unsafe { Image::from_frame(memory, frame) });
                Outcome::Overtaken
            }
        }
    }

    /// The outcome of a failed read: the failure does not count if the page has a newer image,
    /// since its old place may hold anything then.
    fn failed(&self, error: ColdError) -> Outcome {
        match self.core.map.get(self.page) == MapWord::Disk(self.word) {
            true => Outcome::Failed(error),
            false => Outcome::Overtaken,
        }
    }

    /// Whether this image directly follows the other in the same file.
    fn follows(&self, other: &Wanted) -> bool {
        let (this, that) = (self.word.place(), other.word.place());
        Arc::ptr_eq(&self.core, &other.core)
            && this.file == that.file
            && this.index == that.index + 1
    }
}

impl Request {
    /// A request for this read, urgent or `ahead` of its use.
    pub fn new(wanted: Wanted, ahead: bool) -> Request {
        Request {
            wanted,
            ahead,
            is_taken: AtomicBool::new(false),
            done: Event::new(),
            outcome: OnceLock::new(),
        }
    }

    /// Waits until the read is done. Returns the image; `None` if the task has to look again.
    pub fn wait(&self, task: &Task) -> Result<Option<Image>, ColdError> {
        self.done.wait_interruptible(task)?;
        self.outcome.get().expect("it is set before the event").image(&self.wanted)
    }

    /// Takes the request. Returns `false` if another thread has taken it.
    fn take(&self) -> bool {
        !self.is_taken.swap(true, Relaxed)
    }

    /// Whether this request's image directly follows the other's in the same file.
    fn follows(&self, other: &Request) -> bool {
        self.wanted.follows(&other.wanted)
    }
}

/// Identifies an image that is requested.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    /// The address of the store, which the request keeps alive.
    store: usize,
    word: DiskWord,
}

fn key_of(core: &Arc<StoreCore>, word: DiskWord) -> Key {
    Key { store: Arc::as_ptr(core) as usize, word }
}

/// Frames that have been linked by one read.
type Linked = SmallVec<[FrameNumber; 1]>;

/// The requests, and the buffer for reads in place.
pub struct Reader {
    has_threads: bool,
    /// The buffer for reads in place. The thread that reads in place holds the lock, never across a
    /// wait.
    own: Mutex<AlignedBytes>,
    /// Requests that are not done yet.
    known: Mutex<HashMap<Key, Arc<Request>>>,
    queue: Mutex<Queue>,
    called: Condvar,
    /// The extension, if there is one. A read looks here before it goes to a file.
    pub extension: RwLock<Option<Arc<Extension>>>,
}

#[derive(Default)]
struct Queue {
    /// Tasks wait for these.
    urgent: VecDeque<Arc<Request>>,
    ahead: VecDeque<Arc<Request>>,
    closed: bool,
}

impl Reader {
    /// A reader without requests. Without threads it reads on the caller's thread.
    pub fn new(has_threads: bool) -> Reader {
        let (known, queue) = (Mutex::default(), Mutex::default());
        let own = Mutex::new(AlignedBytes::new(PAGE_BYTES));
        let (called, extension) = (Condvar::new(), RwLock::default());
        Reader { has_threads, own, known, queue, called, extension }
    }

    /// Whether threads read while tasks go on.
    pub fn reads_ahead(&self) -> bool {
        self.has_threads
    }

    /// The request for this image, if there is one.
    pub fn known(&self, core: &Arc<StoreCore>, word: DiskWord) -> Option<Arc<Request>> {
        self.known.lock().get(&key_of(core, word)).cloned()
    }

    /// How many requests are not done yet, and how many tasks wait for them.
    #[cfg(all(test, not(feature = "shuttle")))]
    pub fn unfinished(&self) -> (usize, usize) {
        let known = self.known.lock();
        (known.len(), known.values().map(|request| request.done.waiting()).sum())
    }

    /// Reads an image in place, or hands the read over and waits. Returns `None` if the task has to
    /// look again.
    pub fn read(&self, task: &Task, wanted: Wanted) -> Result<Option<Image>, ColdError> {
        match self.read_in_place(&wanted) {
            Some(outcome) => outcome.image(&wanted),
            None => self.submit(wanted).wait(task),
        }
    }

    /// Reads an image on the caller's thread, if no request is pending and the device is quick, or
    /// if the pool has no threads. Returns `None` if it has not read.
    fn read_in_place(&self, wanted: &Wanted) -> Option<Outcome> {
        let memory = &wanted.core.memory;
        let mut buffer = match self.has_threads {
            true => self.own.try_lock()?,
            false => self.own.lock(),
        };
        if !self.known.lock().is_empty() {
            debug_assert!(self.has_threads, "a thread reads what is asked for");
            return None;
        }
        let extension = self.extension.read().clone();
        let source = Source::of(extension.as_deref(), wanted);
        if self.has_threads {
            if !source.is_quick(wanted) {
                return None;
            }
            add(&memory.counters.reads_in_place, 1);
        }
        let mut outcomes = Outcomes::new();
        if !read_from_extension(memory, source, wanted, &mut buffer, &mut outcomes) {
            read_from_file(memory, &[wanted], &mut buffer, &mut outcomes);
        }
        outcomes.pop()
    }

    /// Queues a read that the caller waits for. If another task has already requested the image,
    /// returns that request.
    fn submit(&self, wanted: Wanted) -> Arc<Request> {
        let request = Arc::new(Request::new(wanted, false));
        match self.known.lock().entry(request.wanted.key()) {
            MapEntry::Occupied(other) => return other.get().clone(),
            MapEntry::Vacant(place) => place.insert(request.clone()),
        };
        let mut queue = self.queue.lock();
        if queue.closed {
            drop(queue);
            self.finish(&[&request], [Outcome::Failed(ColdError::Closed)]);
            return request;
        }
        queue.urgent.push_back(request.clone());
        drop(queue);
        self.called.notify_one();
        request
    }

    /// Puts a read-ahead request into the urgent queue, for a task that waits for its page. Scans
    /// do not call this: long runs serve them best.
    pub fn make_urgent(&self, request: &Arc<Request>) {
        if request.ahead {
            let mut queue = self.queue.lock();
            if !queue.closed && !request.is_taken.load(Relaxed) {
                queue.urgent.push_back(request.clone());
                drop(queue);
                self.called.notify_one();
            }
        }
    }

    /// Returns the images that have no request yet.
    pub fn unknown(&self, core: &Arc<StoreCore>, mut images: Vec<StoredImage>) -> Vec<StoredImage> {
        let known = self.known.lock();
        images.retain(|image| !known.contains_key(&key_of(core, image.word)));
        images
    }

    /// Queues reads ahead, all at once, so that neighbours stay together. Drops those that are too
    /// many.
    pub fn submit_ahead(&self, requests: Vec<Request>) {
        let mut known = self.known.lock();
        let mut queue = self.queue.lock();
        let mut runs = 0;
        for request in requests {
            if queue.closed || queue.ahead.len() >= AHEAD_MAX {
                break;
            }
            if let MapEntry::Vacant(place) = known.entry(request.wanted.key()) {
                let request = place.insert(Arc::new(request)).clone();
                let is_next = queue.ahead.back().is_some_and(|last| request.follows(last));
                runs += usize::from(!is_next);
                queue.ahead.push_back(request);
            }
        }
        runs = runs.max(queue.ahead.len().div_ceil(RUN_PAGES));
        drop((known, queue));
        for _ in 0..runs {
            self.called.notify_one();
        }
    }

    /// Ends the threads when they have finished their current runs, and fails the requests in the
    /// queues.
    pub fn close(&self) {
        let mut queue = self.queue.lock();
        queue.closed = true;
        let left: Vec<_> = std::mem::take(&mut queue.urgent).into();
        let ahead: Vec<_> = std::mem::take(&mut queue.ahead).into();
        drop(queue);
        self.called.notify_all();
        for request in left.iter().chain(&ahead).filter(|request| request.take()) {
            self.finish(&[request], [Outcome::Failed(ColdError::Closed)]);
        }
    }

    /// The work of a reading thread, with a buffer for the longest run.
    pub fn run(&self, memory: &Arc<Memory>, mut buffer: AlignedBytes) {
        while let Some(run) = self.next_run() {
            self.read_run(memory, &run, &mut buffer);
        }
    }

    /// Waits for a request. Returns it with the requests after it in the queue whose images follow
    /// on disk; `None` when the pool is closed.
    fn next_run(&self) -> Option<Vec<Arc<Request>>> {
        let mut queue = self.queue.lock();
        loop {
            if queue.closed {
                return None;
            }
            let Queue { urgent, ahead, .. } = &mut *queue;
            let requests = if urgent.is_empty() { ahead } else { urgent };
            let Some(first) = requests.pop_front() else {
                self.called.wait(&mut queue);
                continue;
            };
            if !first.take() {
                continue;
            }
            let mut run = vec![first];
            while run.len() < RUN_PAGES
                && requests.front().is_some_and(|next| next.follows(&run[run.len() - 1]))
            {
                match requests.pop_front().filter(|next| next.take()) {
                    Some(next) => run.push(next),
                    None => break,
                }
            }
            return Some(run);
        }
    }

    /// Reads a run of neighbours: from the extension the images that it has, the others from the
    /// file. Requests that one call reads are finished together, so that a scan wakes up once for
    /// them.
    fn read_run(&self, memory: &Arc<Memory>, run: &[Arc<Request>], buffer: &mut [u8]) {
        let extension = self.extension.read().clone();
        let mut outcomes = Outcomes::new();
        let mut is_elsewhere = |request: &&Arc<Request>| {
            let wanted = &request.wanted;
            let source = Source::of(extension.as_deref(), wanted);
            let was_there = read_from_extension(memory, source, wanted, buffer, &mut outcomes);
            if was_there {
                self.have_read(memory, &[request], &mut outcomes);
            }
            !was_there
        };
        let from_file: Vec<_> = run.iter().filter(|request| is_elsewhere(request)).collect();
        for neighbours in from_file.chunk_by(|a, b| b.follows(a)) {
            let wanted: Vec<_> = neighbours.iter().map(|request| &request.wanted).collect();
            read_from_file(memory, &wanted, buffer, &mut outcomes);
            self.have_read(memory, neighbours, &mut outcomes);
        }
    }

    fn have_read(&self, memory: &Memory, run: &[&Arc<Request>], outcomes: &mut Outcomes) {
        let is_ahead = |(request, outcome): &(&&Arc<Request>, &Outcome)| {
            request.ahead && !matches!(outcome, Outcome::Failed(_))
        };
        let ahead = run.iter().zip(&*outcomes).filter(is_ahead).count();
        add(&memory.counters.read_ahead, ahead);
        self.finish(run, outcomes.drain(..));
    }

    fn finish(&self, run: &[&Arc<Request>], outcomes: impl IntoIterator<Item = Outcome>) {
        for (request, outcome) in run.iter().zip(outcomes) {
            let first = request.outcome.set(outcome).is_ok();
            debug_assert!(first, "a request is finished once");
        }
        let mut known = self.known.lock();
        run.iter().for_each(|request| {
            known.remove(&request.wanted.key());
        });
        drop(known);
        run.iter().for_each(|request| request.done.set());
    }
}

/// Reads an image from the extension. Returns whether the extension had it.
fn read_from_extension(
    memory: &Arc<Memory>,
    source: Source<'_>,
    wanted: &Wanted,
    buffer: &mut [u8],
    outcomes: &mut Outcomes,
) -> bool {
    let Source::Extension(extension, slot) = source else { return false };
    let page = &mut buffer[..PAGE_BYTES];
    let body = extension.read(&wanted.core, wanted.page, wanted.word, slot, page);
    link_run(memory, &[wanted], body.map(Ok), outcomes);
    body.is_some()
}

/// Reads a run of neighbours by one call.
fn read_from_file(
    memory: &Arc<Memory>,
    run: &[&Wanted],
    buffer: &mut [u8],
    outcomes: &mut Outcomes,
) {
    let buffer = &mut buffer[..run.len() * PAGE_BYTES];
    let first = run[0];
    add(&memory.counters.read_calls, 1);
    let began_ns = memory.env.clock().now_ns();
    match first.core.read_places(first.word.place(), buffer) {
        Ok(()) => {
            if run.len() == 1 {
                first.core.pace.note(memory.env.clock().now_ns() - began_ns);
            }
            add(&memory.counters.reads, run.len());
            let pages = run.iter().zip(buffer.chunks_exact(PAGE_BYTES));
            link_run(memory, run, pages.map(|(wanted, page)| wanted.verify(page)), outcomes);
        }
        Err(error) if run.len() == 1 => {
            let error = ColdError::Read(Arc::new(error));
            first.core.note_unreadable(first.page, first.word, &error);
            outcomes.push(first.failed(error));
        }
        // One bad page must not fail its neighbours.
        Err(_) => run.iter().for_each(|wanted| {
            read_from_file(memory, std::slice::from_ref(wanted), buffer, outcomes);
        }),
    }
}

/// Links the images that were read for a run, and adds the outcomes.
fn link_run<'p>(
    memory: &Arc<Memory>,
    run: &[&Wanted],
    verified: impl IntoIterator<Item = Result<&'p Body, Mismatch>>,
    outcomes: &mut Outcomes,
) {
    let mut linked = Linked::new();
    outcomes.extend(run.iter().zip(verified).map(|(wanted, verified)| match verified {
        Ok(body) => wanted.link(memory, body, &mut linked),
        Err(what) => wanted.failed(wanted.core.mismatch(wanted.page, wanted.word, what)),
    }));
    memory.enqueue(&linked);
}

/// Where an image is read from.
enum Source<'e> {
    Extension(&'e Extension, Slot),
    File,
}

impl<'e> Source<'e> {
    fn of(extension: Option<&'e Extension>, wanted: &Wanted) -> Source<'e> {
        let find = |extension: &'e Extension| {
            Some(Source::Extension(extension, extension.find(&wanted.core, wanted.word)?))
        };
        extension.and_then(find).unwrap_or(Source::File)
    }

    /// Whether the device has been quick lately.
    fn is_quick(&self, wanted: &Wanted) -> bool {
        match self {
            Source::Extension(extension, _) => extension.is_quick(),
            Source::File => wanted.core.pace.is_quick(),
        }
    }
}
