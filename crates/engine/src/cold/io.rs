//! Reading: a few threads that read pages for tasks, which wait without blocking theirs.
//!
//! Handing a read over takes two wake-ups, which is longer than a quick device needs for it. So if nothing
//! else is being read and the device has been quick lately, whoever needs a page reads it himself, on his own
//! thread. One does at a time, so that other workers go on with other tasks; those who come meanwhile hand
//! over.
//!
//! Whoever needs a page that is on disk makes a **request**, or joins the one that there is for the same
//! image. It brings its frame along, so that the threads never wait for memory. Requests that lie next to
//! each other are read by one call. What was read is verified and linked into the map; if the page has got
//! a newer image meanwhile it is thrown away, and those who wait look again.

use std::collections::hash_map::Entry as MapEntry;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use env::FileError;
use env::memory::AlignedBytes;

use super::counters::add;
use super::error::{ColdError, Mismatch};
use super::extension::{Extension, Slot};
use super::frame::{FrameNumber, MARK_MAIN, MARK_SCAN};
use super::image::{Kind, verify};
use super::pages::{Access, Body, PAGE_BYTES, PageNumber};
use super::place::{DiskWord, MapWord};
use super::pool::{Image, Shared};
use super::store::Core;
use super::sweep::identity_of;
use crate::sync::parking::{Condvar, Mutex};
use crate::wait::{Event, Task};

/// The longest run of pages that is read by one call.
pub const RUN_PAGES: usize = 64;
/// Pages that are waiting to be read ahead, at most; more are forgotten.
const AHEAD_MAX: usize = 8192;

/// A read that somebody waits for, or will.
pub struct Request {
    core: Arc<Core>,
    page: PageNumber,
    word: DiskWord,
    hint: Access,
    ahead: bool,
    /// Whether a thread has it in hand. Under the queue's lock; a request can be in both queues.
    is_taken: AtomicBool,
    /// Private until it is linked.
    image: Image,
    done: Event,
    outcome: OnceLock<Outcome>,
}

/// How a read ended.
#[derive(Clone)]
enum Outcome {
    /// The image is in memory.
    Linked,
    /// The page has a newer image: look again.
    Overtaken,
    Failed(ColdError),
}

impl Request {
    /// A read of this image into a private frame.
    pub fn new(
        core: &Arc<Core>,
        page: PageNumber,
        word: DiskWord,
        hint: Access,
        ahead: bool,
        image: Image,
    ) -> Request {
        Request {
            core: core.clone(),
            page,
            word,
            hint,
            ahead,
            is_taken: AtomicBool::new(false),
            image,
            done: Event::new(),
            outcome: OnceLock::new(),
        }
    }

    /// Waits until it is done: the image, or nothing if the page has got a newer one.
    pub fn wait(&self, task: &Task) -> Result<Option<Image>, ColdError> {
        self.done.wait_interruptible(task)?;
        match self.outcome.get().expect("it is set before the event") {
            Outcome::Linked => Ok(Some(self.image.clone())),
            Outcome::Overtaken => Ok(None),
            Outcome::Failed(error) => Err(error.clone()),
        }
    }

    /// Takes it in hand, unless somebody has.
    fn take(&self) -> bool {
        !self.is_taken.swap(true, Relaxed)
    }

    fn key(&self) -> Key {
        (Arc::as_ptr(&self.core) as usize, self.word)
    }

    fn verify<'p>(&self, page: &'p [u8]) -> Result<&'p Body, Mismatch> {
        verify(page, self.core.seed, Kind::Data, self.page.0, self.word)
    }

    /// Puts what was read into the frame and the frame into the map, unless the page has got a newer image.
    fn link(&self, shared: &Arc<Shared>, body: &Body, linked: &mut Vec<FrameNumber>) -> Outcome {
        let (core, image) = (&self.core, &self.image);
        // SAFETY: nobody but this request has the frame, it is not linked yet, and only the thread that
        // carries the request out gets here.
        unsafe { *shared.frames.body_mut(image.frame()) = *body };
        let state = image.state();
        state.adopt(core.slot, self.page);
        state.set_clean(self.word);
        let came_back = || shared.queues.lock().was_here(identity_of(core, self.page));
        state.set_marks(match self.hint {
            Access::Scan => MARK_SCAN,
            Access::Point if came_back() => MARK_MAIN,
            Access::Point => 0,
        });
        let frame = image.clone().into_frame();
        let (from, to) = (MapWord::Disk(self.word), MapWord::Frame(frame));
        match core.map.exchange(self.page, from, to) {
            Ok(()) => {
                linked.push(frame);
                Outcome::Linked
            }
            Err(_) => {
                // SAFETY: the map's reference was made above and nobody has seen it.
                drop(unsafe { Image::from_frame(shared, frame) });
                Outcome::Overtaken
            }
        }
    }

    /// How it ends when it has failed: that does not matter if the page has got a newer image, since then
    /// its old place may hold anything.
    fn failed(&self, error: ColdError) -> Outcome {
        match self.core.map.get(self.page) == MapWord::Disk(self.word) {
            true => Outcome::Failed(error),
            false => Outcome::Overtaken,
        }
    }

    /// Whether this lies right behind the other in the same file.
    fn follows(&self, other: &Request) -> bool {
        let (this, that) = (self.word.place(), other.word.place());
        Arc::ptr_eq(&self.core, &other.core)
            && this.file == that.file
            && this.index == that.index + 1
    }
}

/// A store (which the request keeps alive) and an image.
type Key = (usize, DiskWord);

/// Requests, and who carries them out.
pub struct Reader {
    has_threads: bool,
    /// Held by who reads himself though there are threads; never across a wait.
    own: Mutex<AlignedBytes>,
    /// Requests that are not done yet.
    known: Mutex<HashMap<Key, Arc<Request>>>,
    queue: Mutex<Queue>,
    called: Condvar,
}

#[derive(Default)]
struct Queue {
    /// Somebody waits for these.
    urgent: VecDeque<Arc<Request>>,
    ahead: VecDeque<Arc<Request>>,
    closed: bool,
}

impl Reader {
    /// Without requests. Without threads it reads on the thread of whoever asks.
    pub fn new(has_threads: bool) -> Reader {
        let (known, queue) = (Mutex::default(), Mutex::default());
        let own = Mutex::new(AlignedBytes::new(PAGE_BYTES));
        Reader { has_threads, own, known, queue, called: Condvar::new() }
    }

    /// The request for this image, if it is being read.
    pub fn known(&self, core: &Arc<Core>, word: DiskWord) -> Option<Arc<Request>> {
        self.known.lock().get(&(Arc::as_ptr(core) as usize, word)).cloned()
    }

    /// Whether anybody reads while others go on.
    pub fn reads_ahead(&self) -> bool {
        self.has_threads
    }

    /// Has an image read that somebody waits for; if somebody else was faster, it is his request that is
    /// to be waited for.
    pub fn submit(&self, shared: &Arc<Shared>, request: Request) -> Arc<Request> {
        let request = Arc::new(request);
        let mut known = self.known.lock();
        let is_alone = known.is_empty();
        match known.entry(request.key()) {
            MapEntry::Occupied(other) => return other.get().clone(),
            MapEntry::Vacant(place) => place.insert(request.clone()),
        };
        drop(known);
        let own = (self.has_threads && is_alone).then(|| self.own.try_lock()).flatten();
        if let Some(mut buffer) = own {
            let extension = shared.extension.read().clone();
            let source = Source::of(extension.as_deref(), &request);
            if source.is_quick(&request) {
                add(&shared.counters.reads_in_place, 1);
                if !self.read_from_extension(shared, source, &request, &mut buffer) {
                    self.read_from_file(shared, &[&request], &mut buffer);
                }
                return request;
            }
        }
        if self.has_threads {
            let mut queue = self.queue.lock();
            if queue.closed {
                drop(queue);
                self.finish(&[&request], &[Outcome::Failed(ColdError::Closed)]);
                return request;
            }
            queue.urgent.push_back(request.clone());
            drop(queue);
            self.called.notify_one();
        } else {
            let mut buffer = AlignedBytes::new(PAGE_BYTES);
            self.read(shared, std::slice::from_ref(&request), &mut buffer);
        }
        request
    }

    /// Somebody waits for a page that is only to be read ahead, and who is not the scan that asked for it
    /// (which is served best by long runs): it goes before the others.
    pub fn hurry(&self, request: &Arc<Request>) {
        if request.ahead {
            let mut queue = self.queue.lock();
            if !queue.closed && !request.is_taken.load(Relaxed) {
                queue.urgent.push_back(request.clone());
                drop(queue);
                self.called.notify_one();
            }
        }
    }

    /// Those images that nobody reads yet.
    pub fn unknown(
        &self,
        core: &Arc<Core>,
        mut images: Vec<(PageNumber, DiskWord)>,
    ) -> Vec<(PageNumber, DiskWord)> {
        let known = self.known.lock();
        images.retain(|(_, word)| !known.contains_key(&(Arc::as_ptr(core) as usize, *word)));
        images
    }

    /// Has images read that somebody will want; all at once, so that neighbours stay together. What is
    /// too much is forgotten.
    pub fn submit_ahead(&self, requests: Vec<Request>) {
        let mut known = self.known.lock();
        let mut queue = self.queue.lock();
        let mut runs = 0;
        for request in requests {
            if queue.closed || queue.ahead.len() >= AHEAD_MAX {
                break;
            }
            if let MapEntry::Vacant(place) = known.entry(request.key()) {
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

    /// The threads end when they have done what they are at.
    pub fn close(&self) {
        let mut queue = self.queue.lock();
        queue.closed = true;
        let left: Vec<_> = std::mem::take(&mut queue.urgent).into();
        let ahead: Vec<_> = std::mem::take(&mut queue.ahead).into();
        drop(queue);
        self.called.notify_all();
        for request in left.iter().chain(&ahead).filter(|request| request.take()) {
            self.finish(&[request], &[Outcome::Failed(ColdError::Closed)]);
        }
    }

    /// A reading thread, with a buffer for the longest run.
    pub fn run(&self, shared: &Arc<Shared>, mut buffer: AlignedBytes) {
        while let Some(run) = self.next_run() {
            self.read(shared, &run, &mut buffer);
        }
    }

    /// Waits for requests: one, and those behind it that lie next to it.
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

    /// Reads a run of neighbours: from the extension what it has, the rest from the file.
    fn read(&self, shared: &Arc<Shared>, run: &[Arc<Request>], buffer: &mut [u8]) {
        let extension = shared.extension.read().clone();
        let is_elsewhere = |request: &&Arc<Request>| {
            let source = Source::of(extension.as_deref(), request);
            !self.read_from_extension(shared, source, request, buffer)
        };
        let from_file: Vec<_> = run.iter().filter(is_elsewhere).collect();
        for neighbours in from_file.chunk_by(|a, b| b.follows(a)) {
            self.read_from_file(shared, neighbours, buffer);
        }
    }

    /// Reads what the extension has; whether it had it.
    fn read_from_extension(
        &self,
        shared: &Arc<Shared>,
        source: Source<'_>,
        request: &Arc<Request>,
        buffer: &mut [u8],
    ) -> bool {
        let Source::Extension(extension, slot) = source else { return false };
        let page = &mut buffer[..PAGE_BYTES];
        let body = extension.read(&request.core, request.page, request.word, slot, page);
        if let Some(body) = body {
            self.take_in(shared, &[request], [Ok(body)]);
        }
        body.is_some()
    }

    fn read_from_file(&self, shared: &Arc<Shared>, run: &[&Arc<Request>], buffer: &mut [u8]) {
        let buffer = &mut buffer[..run.len() * PAGE_BYTES];
        let first = run[0];
        add(&shared.counters.read_calls, 1);
        let began_ns = shared.env.clock().now_ns();
        match first.core.read_places(first.word.place(), buffer) {
            Ok(()) => {
                if run.len() == 1 {
                    first.core.pace.note(shared.env.clock().now_ns() - began_ns);
                }
                add(&shared.counters.reads, run.len());
                let pages = run.iter().zip(buffer.chunks_exact(PAGE_BYTES));
                self.take_in(shared, run, pages.map(|(request, page)| request.verify(page)));
            }
            Err(error) if run.len() == 1 => self.fail(first, error),
            // One bad page must not fail its neighbours.
            Err(_) => run.iter().for_each(|request| {
                self.read_from_file(shared, std::slice::from_ref(request), buffer);
            }),
        }
    }

    fn fail(&self, request: &Arc<Request>, error: FileError) {
        let error = ColdError::Read(Arc::new(error));
        request.core.note_unreadable(request.page, request.word, &error);
        self.finish(&[request], &[request.failed(error)]);
    }

    /// Links what was read for a run. All are told at its end: who scans wakes up once for it.
    fn take_in<'p>(
        &self,
        shared: &Arc<Shared>,
        run: &[&Arc<Request>],
        verified: impl IntoIterator<Item = Result<&'p Body, Mismatch>>,
    ) {
        let mut linked = Vec::with_capacity(run.len());
        let outcomes: Vec<_> = run
            .iter()
            .zip(verified)
            .map(|(request, verified)| match verified {
                Ok(body) => request.link(shared, body, &mut linked),
                Err(what) => {
                    request.failed(request.core.mismatch(request.page, request.word, what))
                }
            })
            .collect();
        shared.enqueue(&linked);
        let ahead = run.iter().filter(|request| request.ahead).count();
        add(&shared.counters.read_ahead, ahead);
        self.finish(run, &outcomes);
    }

    fn finish(&self, run: &[&Arc<Request>], outcomes: &[Outcome]) {
        for (request, outcome) in run.iter().zip(outcomes) {
            let first = request.outcome.set(outcome.clone()).is_ok();
            debug_assert!(first, "a request is finished once");
        }
        let mut known = self.known.lock();
        run.iter().for_each(|request| {
            known.remove(&request.key());
        });
        drop(known);
        run.iter().for_each(|request| request.done.set());
    }
}

/// Where an image is to be had.
enum Source<'e> {
    Extension(&'e Extension, Slot),
    File,
}

impl<'e> Source<'e> {
    fn of(extension: Option<&'e Extension>, request: &Request) -> Source<'e> {
        let find = |extension: &'e Extension| {
            Some(Source::Extension(extension, extension.find(&request.core, request.word)?))
        };
        extension.and_then(find).unwrap_or(Source::File)
    }

    /// Whether it can be had in hardly any time.
    fn is_quick(&self, request: &Request) -> bool {
        match self {
            Source::Extension(extension, _) => extension.is_quick(),
            Source::File => request.core.pace.is_quick(),
        }
    }
}
