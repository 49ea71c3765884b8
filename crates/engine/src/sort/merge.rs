//! Merging runs.

use env::FileResult;

use super::Entries;
use super::run::{RunFile, RunRange, RunReader};

/// Entries in order of their keys, equal ones in the order in which they were pushed.
pub(crate) struct Sorted {
    /// Each has what was pushed before that of the next.
    sources: Vec<Source>,
    /// Sources that have an entry at hand: a heap, the least key first.
    heap: Vec<usize>,
    /// Whether the first has been given to the caller.
    is_given: bool,
}

enum Source {
    Memory { entries: Entries, at: usize },
    Run(RunReader),
}

impl Source {
    fn key(&self) -> &[u8] {
        match self {
            Source::Memory { entries, at } => entries.key(entries.places[*at]),
            Source::Run(run) => run.key(),
        }
    }

    fn value(&self) -> &[u8] {
        match self {
            Source::Memory { entries, at } => entries.value(entries.places[*at]),
            Source::Run(run) => run.value(),
        }
    }

    /// Goes on to the next entry; `false` if there is none.
    fn advance(&mut self) -> FileResult<bool> {
        match self {
            Source::Memory { entries, at } => {
                *at += 1;
                Ok(*at < entries.places.len())
            }
            Source::Run(run) => run.advance(),
        }
    }
}

impl Sorted {
    /// Merges runs of a file, and entries that are sorted and came after them.
    pub(super) fn new(
        runs: Vec<RunRange>,
        entries: Entries,
        file: Option<RunFile>,
    ) -> FileResult<Sorted> {
        let mut sources = Vec::new();
        for run in runs {
            let file = file.clone().expect("runs are in a file");
            let mut run = RunReader::new(file, run);
            if run.advance()? {
                sources.push(Source::Run(run));
            }
        }
        if !entries.places.is_empty() {
            sources.push(Source::Memory { entries, at: 0 });
        }
        let heap = (0..sources.len()).collect();
        let mut sorted = Sorted { sources, heap, is_given: false };
        for place in (0..sorted.heap.len() / 2).rev() {
            sorted.sift_down(place);
        }
        Ok(sorted)
    }

    /// The next entry.
    #[allow(clippy::should_implement_trait, reason = "it lends what it gives, and fails")]
    pub fn next(&mut self) -> FileResult<Option<(&[u8], &[u8])>> {
        if self.is_given {
            let first = self.heap[0];
            if !self.sources[first].advance()? {
                self.heap.swap_remove(0);
            }
            self.sift_down(0);
        }
        self.is_given = !self.heap.is_empty();
        Ok(self.heap.first().map(|first| {
            let source = &self.sources[*first];
            (source.key(), source.value())
        }))
    }

    fn sift_down(&mut self, mut place: usize) {
        let key = |heap: &[usize], place: usize| (self.sources[heap[place]].key(), heap[place]);
        loop {
            let mut least = place;
            for child in [2 * place + 1, 2 * place + 2] {
                let is_less =
                    child < self.heap.len() && key(&self.heap, child) < key(&self.heap, least);
                if is_less {
                    least = child;
                }
            }
            if least == place {
                return;
            }
            self.heap.swap(place, least);
            place = least;
        }
    }
}
