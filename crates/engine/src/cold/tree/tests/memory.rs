//! Pages in memory, for the trees' tests and their benchmark.

use std::collections::HashMap;
use std::mem;
use std::ops::Deref;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::{Arc, Mutex};

use crossbeam_epoch::{Atomic, Collector, Guard, Owned};

use super::{
    Absent, Access, BODY_BYTES, Body, ColdError, Edit, PAGE_HEADER_BYTES, PageNumber, Pages,
    Runtime, Task,
};

/// An image of a page, laid out as the store lays it out.
#[repr(C, align(64))]
#[derive(Clone)]
pub struct Image {
    header: [u8; PAGE_HEADER_BYTES],
    body: Body,
}

impl Image {
    fn zeroed() -> Box<Image> {
        Box::new(Image { header: [0; PAGE_HEADER_BYTES], body: [0; BODY_BYTES] })
    }
}

/// A page table, and images that are freed by epochs.
pub struct MemoryPages {
    slots: Box<[Atomic<Image>]>,
    next: AtomicU64,
    /// Freed numbers that no thread can hold under a guard any more.
    free: Arc<Mutex<Vec<u64>>>,
    collector: Collector,
    /// Of 1,024 pages, how many count as evicted.
    pub evicted_per_1024: AtomicU64,
    rng: AtomicU64,
    /// Pages that may still be allocated.
    pub quota: AtomicU64,
    /// Pages that were requested ahead of their use.
    pub asked: Mutex<Vec<PageNumber>>,
    /// After how many loads another thread acts while a load waits, and what it does.
    pub while_loading: Mutex<Option<(u32, Interlude)>>,
}

/// An action of other threads.
type Interlude = Box<dyn FnOnce(&MemoryPages) + Send>;

/// A pinned image: a copy, which stays.
pub struct Pinned(Box<Image>);

impl Deref for Pinned {
    type Target = Body;
    fn deref(&self) -> &Body {
        &self.0.body
    }
}

impl MemoryPages {
    pub fn new(runtime: &Runtime, capacity: usize) -> MemoryPages {
        MemoryPages {
            slots: (0..capacity).map(|_| Atomic::null()).collect(),
            next: AtomicU64::new(1),
            free: Arc::default(),
            collector: runtime.collector().clone(),
            evicted_per_1024: AtomicU64::new(0),
            rng: AtomicU64::new(1),
            quota: AtomicU64::new(u64::MAX),
            asked: Mutex::default(),
            while_loading: Mutex::new(None),
        }
    }

    pub fn edit(&self) -> MemoryEdit<'_> {
        MemoryEdit {
            pages: self,
            private: HashMap::new(),
            retired: Vec::new(),
            freed: Vec::new(),
            on_publish: None,
            published: 0,
        }
    }

    /// Takes the pages that were requested ahead of their use since the last call.
    pub fn take_asked(&self) -> Vec<PageNumber> {
        std::mem::take(&mut self.asked.lock().expect("no panic under this lock"))
    }

    /// Pages that are in use.
    pub fn in_use(&self) -> usize {
        let handle = self.collector.register();
        let guard = handle.pin();
        self.slots.iter().filter(|slot| !slot.load(Acquire, &guard).is_null()).count()
    }

    fn interlude(&self) -> Option<Interlude> {
        let mut waiting = self.while_loading.lock().expect("no panic under this lock");
        match &mut *waiting {
            Some((0, _)) => waiting.take().map(|(_, interlude)| interlude),
            Some((loads, _)) => {
                *loads -= 1;
                None
            }
            None => None,
        }
    }

    /// Advances the epoch until freed numbers can be used again.
    pub fn reclaim(&self) {
        for _ in 0..10 {
            self.collector.register().pin().flush();
        }
    }

    fn slot(&self, page: PageNumber) -> &Atomic<Image> {
        static NOTHING: Atomic<Image> = Atomic::null();
        self.slots.get(page.0 as usize).unwrap_or(&NOTHING)
    }

    fn current<'g>(&self, page: PageNumber, guard: &'g Guard) -> Option<&'g Image> {
        // SAFETY: an image is replaced in its slot before it is retired, and is destroyed only when
        // the guards of that time have ended.
        unsafe { self.slot(page).load(Acquire, guard).as_ref() }
    }
}

impl Drop for MemoryPages {
    fn drop(&mut self) {
        for slot in self.slots.iter_mut() {
            // SAFETY: no other thread has the table.
            drop(unsafe { mem::replace(slot, Atomic::null()).try_into_owned() });
        }
    }
}

impl Pages for MemoryPages {
    type Pinned = Pinned;

    fn resident<'g>(&self, page: PageNumber, guard: &'g Guard) -> Result<&'g Body, Absent> {
        let rate = self.evicted_per_1024.load(Relaxed);
        if rate > 0 {
            let rng = self.rng.fetch_add(0x9E37_79B9_7F4A_7C15, Relaxed);
            if (rng.wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 54) < rate {
                return Err(Absent::Evicted);
            }
        }
        self.current(page, guard).map(|image| &image.body).ok_or(Absent::Freed)
    }

    fn load(&self, task: &Task<'_>, page: PageNumber, _: Access) -> Result<Pinned, ColdError> {
        std::thread::yield_now();
        if let Some(interlude) = self.interlude() {
            interlude(self);
        }
        let guard = task.pin();
        let image = self.current(page, &guard).ok_or(ColdError::Freed(page))?;
        Ok(Pinned(Box::new(image.clone())))
    }

    fn read_ahead(&self, pages: &[PageNumber]) {
        assert!(!pages.is_empty() && pages.iter().all(|page| page.0 > 0));
        self.asked.lock().expect("no panic under this lock").extend(pages);
    }

    fn read_ahead_max(&self) -> usize {
        usize::MAX
    }
}

type Hook<'p> = Box<dyn FnMut(&MemoryPages) + Send + 'p>;

/// A batch of private images.
pub struct MemoryEdit<'p> {
    pages: &'p MemoryPages,
    private: HashMap<PageNumber, Box<Image>>,
    retired: Vec<Atomic<Image>>,
    freed: Vec<PageNumber>,
    on_publish: Option<Mutex<Hook<'p>>>,
    pub published: u64,
}

impl<'p> MemoryEdit<'p> {
    /// Sets what is called after every publication.
    #[allow(dead_code, reason = "the benchmark does not")]
    pub fn on_publish(mut self, hook: impl FnMut(&MemoryPages) + Send + 'p) -> Self {
        self.on_publish = Some(Mutex::new(Box::new(hook)));
        self
    }

    fn copy(&self, page: PageNumber) -> Result<Box<Image>, ColdError> {
        let handle = self.pages.collector.register();
        let guard = handle.pin();
        let image = self.pages.current(page, &guard).ok_or(ColdError::Freed(page))?;
        Ok(Box::new(image.clone()))
    }

    fn retire(&mut self) {
        let handle = self.pages.collector.register();
        let guard = handle.pin();
        for old in self.retired.drain(..) {
            // SAFETY: the image has been replaced in its slot, and is retired once.
            unsafe { guard.defer_destroy(old.load(Relaxed, &guard)) }
        }
        guard.flush();
    }
}

impl Drop for MemoryEdit<'_> {
    fn drop(&mut self) {
        self.retire();
    }
}

impl Pages for MemoryEdit<'_> {
    type Pinned = Pinned;

    fn resident<'g>(&self, page: PageNumber, guard: &'g Guard) -> Result<&'g Body, Absent> {
        self.pages.resident(page, guard)
    }

    fn load(&self, task: &Task<'_>, page: PageNumber, hint: Access) -> Result<Pinned, ColdError> {
        self.pages.load(task, page, hint)
    }

    fn read_ahead(&self, pages: &[PageNumber]) {
        self.pages.read_ahead(pages);
    }

    fn read_ahead_max(&self) -> usize {
        usize::MAX
    }
}

impl Edit for MemoryEdit<'_> {
    fn edit(&mut self, _: &Task<'_>, page: PageNumber) -> Result<&mut Body, ColdError> {
        assert!(!self.freed.contains(&page), "a freed page is not changed");
        if !self.private.contains_key(&page) {
            let copy = self.copy(page)?;
            self.private.insert(page, copy);
        }
        Ok(&mut self.private.get_mut(&page).expect("just inserted").body)
    }

    fn view(&mut self, task: &Task<'_>, page: PageNumber) -> Result<&Body, ColdError> {
        if let Some(image) = self.private.get(&page) {
            return Ok(&image.body);
        }
        let guard = task.pin();
        let image: *const Image = match self.pages.current(page, &guard) {
            Some(image) => image,
            None => return Err(ColdError::Freed(page)),
        };
        // SAFETY: only this batch replaces images, and it keeps those that it has replaced until it
        // is finished or dropped; both need the batch exclusively, which the result borrows.
        Ok(unsafe { &(*image).body })
    }

    fn allocate(&mut self, _: &Task<'_>) -> Result<(PageNumber, &mut Body), ColdError> {
        if self.pages.quota.load(Relaxed) == 0 {
            return Err(ColdError::Full(std::path::Path::new("memory").into()));
        }
        self.pages.quota.fetch_sub(1, Relaxed);
        let again = self.pages.free.lock().expect("no panic under this lock").pop();
        let number = again.unwrap_or_else(|| self.pages.next.fetch_add(1, Relaxed));
        assert!((number as usize) < self.pages.slots.len(), "the table is large enough");
        let page = PageNumber(number);
        let image = self.private.entry(page).or_insert_with(Image::zeroed);
        Ok((page, &mut image.body))
    }

    fn free(&mut self, page: PageNumber) {
        assert!(!self.freed.contains(&page), "a page is freed once");
        self.private.remove(&page);
        self.freed.push(page);
    }

    fn publish(&mut self, page: PageNumber) {
        let image = self.private.remove(&page).expect("a page is published after a change");
        let handle = self.pages.collector.register();
        let guard = handle.pin();
        let old = self.pages.slot(page).swap(Owned::from(image), AcqRel, &guard);
        if !old.is_null() {
            self.retired.push(Atomic::from(old));
        }
        drop(guard);
        self.published += 1;
        if let Some(hook) = &mut self.on_publish {
            hook.get_mut().expect("no panic under this lock")(self.pages);
        }
    }

    fn finish(&mut self) {
        let left: Vec<PageNumber> = self.private.keys().copied().collect();
        left.into_iter().for_each(|page| self.publish(page));
        let handle = self.pages.collector.register();
        let guard = handle.pin();
        for page in mem::take(&mut self.freed) {
            let old = self.pages.slot(page).swap(crossbeam_epoch::Shared::null(), AcqRel, &guard);
            if !old.is_null() {
                self.retired.push(Atomic::from(old));
            }
            let free = self.pages.free.clone();
            guard.defer(move || free.lock().expect("no panic under this lock").push(page.0));
        }
        drop(guard);
        self.retire();
    }
}
