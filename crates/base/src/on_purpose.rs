//! Panics on purpose, by which tests show what a panic ends. Builds without debug assertions have
//! none.
//!
//! A test arms a place on its own thread; the next time that thread reaches the place, it panics. A
//! test of a server, whose statements run on any thread, marks the texts at which the parser shall
//! panic.

/// A place at which a test can have a panic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each is the layer that it names")]
pub enum Place {
    Parser,
    Binder,
    Planner,
    Lowering,
    Interpreter,
    Function,
    /// What machine code calls.
    Helper,
    SystemView,
    SystemProcedure,
    Definition,
    /// A change of a schema's working copy.
    SchemaEdit,
    /// Work on a thread for files.
    OffLoad,
    /// Wherever a critical section of the engine begins.
    Critical,
}

#[cfg(debug_assertions)]
thread_local! {
    static ARMED: std::cell::Cell<Option<Place>> = const { std::cell::Cell::new(None) };
}

/// The calling thread panics when it reaches the place next.
#[cfg(debug_assertions)]
pub fn arm(place: Place) {
    ARMED.set(Some(place));
}

/// The calling thread does not panic on purpose. Returns whether it would have.
#[cfg(debug_assertions)]
pub fn disarm() -> bool {
    ARMED.take().is_some()
}

#[cfg(debug_assertions)]
static MARKS: std::sync::Mutex<Vec<&'static str>> = std::sync::Mutex::new(Vec::new());

/// The parser panics at texts that have this mark, on any thread.
#[cfg(debug_assertions)]
pub fn mark(mark: &'static str) {
    MARKS.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(mark);
}

/// Panics if a test has armed the parser, or marked this text.
#[inline(always)]
pub fn parsed(text: &str) {
    reached(Place::Parser);
    #[cfg(debug_assertions)]
    {
        let marks = MARKS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let is_marked = marks.iter().any(|mark| text.contains(mark));
        drop(marks);
        assert!(!is_marked, "on purpose: the text is marked");
    }
    #[cfg(not(debug_assertions))]
    let _ = text;
}

/// Panics if a test has armed this place.
#[inline(always)]
pub fn reached(place: Place) {
    #[cfg(debug_assertions)]
    if ARMED.get() == Some(place) {
        ARMED.set(None);
        panic!("on purpose: {place:?}");
    }
    #[cfg(not(debug_assertions))]
    let _ = place;
}
