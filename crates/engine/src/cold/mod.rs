//! The cold store: pages on disk, and the part of them that is in memory.
//!
//! A page's image is immutable once it is published. Its number leads through the page map to a
//! frame in memory or a place in a file; to change it is to make a copy and to publish that by one
//! atomic store. Readers take no latch and write nothing that is shared but a mark that is mostly
//! set already. A checkpoint takes references to the images that have changed and writes them to
//! free places while newer images are made; then one root is written that reaches them all.
//!
//! * [`page`]: a page's size and name. [`pages`]: what trees see. [`batch`]: how pages are changed.
//! * [`store`]: a database's pages, as trees and tables use them. [`store_core`]: which image of
//!   a page is current, and how it is changed and written. [`load`]: how a task gets a page into
//!   memory. [`map`]: where each page is. [`place`]: the word that says it.
//! * [`pool`]: the server's buffer pool. [`memory`]: its frames. [`frame`]: a page in memory.
//!   [`shared`]: what its users share. [`evict`]: which pages leave when memory is short.
//!   `sweep`: making room. [`io`]: reading. [`pace`]: how long that takes. [`extension`]: a
//!   second pool, on a device.
//! * [`tree`]: B+trees over pages. [`table`]: the trees of a table.
//! * [`file`], [`places`], [`image`], [`root`]: what is on disk. [`checkpoint`]: how it gets there.
//!
//! # Life of a page
//!
//! ```text
//! a batch allocates it → private → published: dirty
//!   → written (by a checkpoint or to make room): clean
//!   → evicted → read again … → freed: its number can be had again after the next checkpoint
//! ```
//!
//! # Invariants
//!
//! * C1: an image never changes after it was published, neither in memory nor on disk.
//! * C2: a place that the durable root reaches is never written (K1).
//! * C3: what is read is the image that was written there: checksum, number, place and stamp agree;
//!   or it is an error.
//! * C4: what the extension holds is on disk, too; it may vanish at any time.
//! * F1–F3 in [`frame`], K1–K3 in [`checkpoint`], K4 in [`copy`].
//!
//! # Latch order
//!
//! checkpoint, sweeping, publishing, the reader's own buffer, queues, stores; writer, space, files.
//! The frames' supply, the list of superseded images and the extension's locks come last. None is
//! held across a wait.
//!
//! # Failure
//!
//! A read that gives something else than what was written is [`ColdError::Checksum`]. Writes and
//! syncs that fail lose nothing: see [`checkpoint`]. No room on disk is [`ColdError::Full`], no
//! memory [`ColdError::NoFrames`].

mod batch;
mod buffers;
mod checkpoint;
mod copy;
mod counters;
mod error;
mod evict;
mod extension;
mod file;
mod frame;
mod image;
mod io;
mod load;
mod map;
mod memory;
mod pace;
mod page;
pub mod pages;
mod place;
mod places;
mod pool;
mod root;
mod shared;
mod shrink;
mod store;
mod store_core;
mod sweep;
pub mod table;
pub mod tree;
mod unreadable;

pub use batch::Batch;
pub use buffers::Held;
pub use checkpoint::{Capture, CheckpointStats, Opened};
pub use copy::{CopyWriter, DurablePages, LostImage};
pub use counters::PoolStats;
pub use error::{ColdError, Mismatch};
pub use extension::{ExtensionOptions, ExtensionStats};
pub use file::{FileActivity, FileSpec};
pub(crate) use io::RUN_PAGES;
pub use memory::Image;
pub use page::{BODY_BYTES, Body, PAGE_BYTES, PAGE_HEADER_BYTES, PageNumber};
pub use pages::{Absent, Access, Edit, Pages};
pub use place::Place;
pub use places::{Growth, SpaceStats};
pub use pool::{Pool, PoolOptions};
pub use store::{BufferDescriptor, Store};

#[cfg(test)]
#[cfg(not(feature = "shuttle"))]
mod tests;

#[cfg(test)]
#[cfg(feature = "shuttle")]
mod shuttle_tests;
