//! The cold store: pages on disk, and the images of them in memory.
//!
//! A page's image is immutable once it is published. The page map leads from a page's number to a
//! frame in memory or a place in a file. A writer changes a page by making a copy and publishing it
//! with one atomic store. Readers take no latch; the only shared memory that they write is a
//! counter and the frame's reference mark, which is mostly set already. A checkpoint takes
//! references to the changed images and writes them to free places, while writers publish newer
//! images; then it writes one root that reaches all of them.
//!
//! * [`page`]: a page's size and number. [`pages`]: the traits through which trees use pages.
//!   [`batch`]: private copies that one writer changes and publishes.
//! * [`store`]: a database's pages, as trees and tables use them. [`store_core`]: which image of a
//!   page is current, and how it is changed and written. [`load`]: how a task gets a page into
//!   memory. [`map`]: where each page is. [`place`]: places in files, and the map's words.
//! * [`pool`]: the server's buffer pool. [`memory`]: its frames. [`frame`]: one frame's state.
//!   [`shared`]: what the pool, its threads and its stores share. [`evict`]: the replacement
//!   policy. `sweep`: evicting pages, and writing dirty ones first. [`io`]: reading pages.
//!   [`division`]: what row caches get of the pool's memory. [`rowcache`]: copies of single rows.
//!   [`pace`]: how long a device has recently taken for a read. [`extension`]: a second pool, in a
//!   file on a fast device.
//! * [`tree`]: B+trees over pages. [`table`]: the trees of a table.
//! * [`file`], [`image`], [`root`]: what is on disk. [`places`]: free space in files.
//!   [`checkpoint`]: how changed pages become durable.
//!
//! # Life of a page
//!
//! ```text
//! a batch allocates it → private → published: dirty
//!   → written (by a checkpoint or to make room): clean
//!   → evicted → read again … → freed: its number can be used again after the next checkpoint
//! ```
//!
//! # Invariants
//!
//! * C1: an image never changes after it was published, neither in memory nor on disk.
//! * C2: a place that the durable root reaches is never written (K1).
//! * C3: a read returns the image that was written to the place, as checksum, number, place and
//!   stamp show, or an error.
//! * C4: every image in the extension is in a data file, too; the extension may vanish at any time.
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
//! A read that returns other bytes than were written fails with [`ColdError::Checksum`]. Writes and
//! syncs that fail lose nothing: see [`checkpoint`]. A full disk gives [`ColdError::Full`], a full
//! pool [`ColdError::NoFrames`].

mod batch;
mod buffers;
mod checkpoint;
mod copy;
mod counters;
mod division;
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
pub mod rowcache;
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
pub use division::{Decision, PARTS as DIVISION_PARTS};
pub use error::{ColdError, Mismatch};
pub use extension::{ExtensionOptions, ExtensionStats};
pub use file::{FileActivity, FileSpec};
pub(crate) use io::RUN_PAGES;
pub use memory::Image;
pub use page::{BODY_BYTES, Body, PAGE_BYTES, PAGE_HEADER_BYTES, PageNumber};
pub use pages::{Absent, Access, Edit, Once, Pages};
pub use place::Place;
pub use places::{Growth, SpaceStats};
pub use pool::{Pool, PoolOptions};
pub use store::{BufferDescriptor, Store};
pub use unreadable::UnreadableImage;

#[cfg(test)]
#[cfg(not(feature = "shuttle"))]
mod tests;

#[cfg(test)]
#[cfg(feature = "shuttle")]
mod interleavings;
