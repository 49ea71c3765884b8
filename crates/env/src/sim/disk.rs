//! The simulated disk: what programs see now, what the medium holds, and what lies between.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};

use super::{SECTOR, SplitMix};
use crate::fs::{Entry, Metadata};

/// Names a file or directory for as long as the environment exists.
pub(super) type NodeId = u64;

const ROOT: NodeId = 0;

/// Files and directories, with their unsynced changes.
#[derive(Debug)]
pub(super) struct Disk {
    files: BTreeMap<NodeId, FileNode>,
    dirs: BTreeMap<NodeId, DirNode>,
    next_node: NodeId,
    /// Changes of names that no `sync_dir` has made durable, oldest first.
    unsynced_names: Vec<NameChange>,
    capacity: Option<u64>,
    pub(super) rng: SplitMix,
}

#[derive(Default, Debug)]
struct FileNode {
    /// What programs see.
    now: Vec<u8>,
    /// What the medium holds.
    durable: Vec<u8>,
    /// How `durable` becomes `now`, oldest first.
    unsynced: Vec<Change>,
    handles: usize,
}

#[derive(Default, Debug)]
struct DirNode {
    now: BTreeMap<OsString, NodeId>,
    durable: BTreeMap<OsString, NodeId>,
}

#[derive(Debug)]
enum Change {
    Write { offset: usize, bytes: Vec<u8> },
    SetLen(usize),
}

/// Assignments to names that happen together or not at all.
#[derive(Debug)]
struct NameChange(Vec<(NodeId, OsString, Option<NodeId>)>);

fn fail<T>(kind: io::ErrorKind) -> io::Result<T> {
    Err(kind.into())
}

fn disk_full<T>() -> io::Result<T> {
    Err(io::Error::from_raw_os_error(libc::ENOSPC))
}

impl Change {
    /// The file's length after this change of a file of this length.
    fn len_after(&self, len: usize) -> usize {
        match self {
            Change::Write { offset, bytes } => len.max(offset + bytes.len()),
            Change::SetLen(new) => *new,
        }
    }

    /// The sectors whose bytes this changes, in a file that was never longer than `longest`.
    fn sectors(&self, longest: usize) -> std::ops::Range<usize> {
        let (start, end) = match self {
            Change::Write { offset, bytes } => (*offset, offset + bytes.len()),
            Change::SetLen(new) => (*new, longest.max(*new)),
        };
        start / SECTOR..end.div_ceil(SECTOR)
    }

    /// Applies this change to the bytes of the sector that starts at `at`.
    fn apply(&self, at: usize, sector: &mut [u8]) {
        match self {
            Change::Write { offset, bytes } => {
                let start = at.max(*offset);
                let end = (at + sector.len()).min(offset + bytes.len());
                if start < end {
                    let from = &bytes[start - offset..end - offset];
                    sector[start - at..end - at].copy_from_slice(from);
                }
            }
            Change::SetLen(new) if *new < at + sector.len() => {
                sector[new.saturating_sub(at)..].fill(0);
            }
            Change::SetLen(_) => {}
        }
    }
}

/// Cuts a file, or extends it by zeros. `Vec::resize` would do, but goes byte by byte in builds
/// without optimisation, and log segments are megabytes.
fn set_len(file: &mut Vec<u8>, len: usize) {
    static ZEROS: [u8; 64 << 10] = [0; 64 << 10];
    if file.is_empty() {
        *file = vec![0; len];
    }
    file.truncate(len);
    while file.len() < len {
        file.extend_from_slice(&ZEROS[..ZEROS.len().min(len - file.len())]);
    }
}

impl FileNode {
    fn change(&mut self, change: Change) {
        let len = change.len_after(self.now.len());
        set_len(&mut self.now, len);
        if let Change::Write { offset, bytes } = &change {
            self.now[*offset..offset + bytes.len()].copy_from_slice(bytes);
        }
        self.unsynced.push(change);
    }

    /// Brings the unsynced changes to the medium. What an earlier failed sync lost stays lost (S3).
    fn sync(&mut self) {
        for change in std::mem::take(&mut self.unsynced) {
            let len = change.len_after(self.durable.len());
            set_len(&mut self.durable, len);
            if let Change::Write { offset, bytes } = change {
                self.durable[offset..offset + bytes.len()].copy_from_slice(&bytes);
            }
        }
    }

    /// Decides what the medium holds of the unsynced changes (S1). Leaves `now` alone.
    fn settle(&mut self, rng: &mut SplitMix) {
        if self.unsynced.is_empty() {
            return;
        }
        match rng.below(3) {
            0 => self.sync(),
            1 => self.unsynced.clear(),
            _ => self.settle_by_sector(rng),
        }
    }

    fn settle_by_sector(&mut self, rng: &mut SplitMix) {
        let changes = std::mem::take(&mut self.unsynced);
        let mut lens = vec![self.durable.len()];
        for change in &changes {
            lens.push(change.len_after(lens[lens.len() - 1]));
        }
        let longest = lens.iter().copied().max().unwrap_or(0);
        let mut history: BTreeMap<usize, Vec<&Change>> = BTreeMap::new();
        for change in &changes {
            for sector in change.sectors(longest) {
                history.entry(sector).or_default().push(change);
            }
        }
        set_len(&mut self.durable, longest);
        for (sector, changes) in history {
            let at = sector * SECTOR;
            let end = (at + SECTOR).min(longest);
            let kept = rng.below(changes.len() as u64 + 1) as usize;
            for change in &changes[..kept] {
                change.apply(at, &mut self.durable[at..end]);
            }
        }
        self.durable.truncate(lens[rng.below(lens.len() as u64) as usize]);
    }
}

impl Disk {
    pub fn new(seed: u64) -> Disk {
        Disk {
            files: BTreeMap::new(),
            dirs: BTreeMap::from([(ROOT, DirNode::default())]),
            next_node: ROOT + 1,
            unsynced_names: Vec::new(),
            capacity: None,
            rng: SplitMix::new(seed),
        }
    }

    pub fn set_capacity(&mut self, bytes: Option<u64>) {
        self.capacity = bytes;
    }

    /// Bytes in all files that can still be reached.
    pub fn used(&self) -> u64 {
        self.files.values().map(|file| file.now.len() as u64).sum()
    }

    /// Bytes that can still be written.
    pub fn free(&self) -> u64 {
        self.capacity.map_or(u64::MAX / 2, |capacity| capacity.saturating_sub(self.used()))
    }

    // ---- names ----

    fn dir(&self, id: NodeId) -> io::Result<&DirNode> {
        match self.dirs.get(&id) {
            Some(dir) => Ok(dir),
            None => fail(io::ErrorKind::NotADirectory),
        }
    }

    fn lookup(&self, path: &Path) -> io::Result<Option<NodeId>> {
        let mut node = ROOT;
        for name in components(path)? {
            match self.dir(node)?.now.get(name) {
                Some(&child) => node = child,
                None => return Ok(None),
            }
        }
        Ok(Some(node))
    }

    /// The directory that holds the path's last component, and that component.
    fn parent<'p>(&self, path: &'p Path) -> io::Result<(NodeId, &'p OsStr)> {
        let mut names = components(path)?;
        let Some(last) = names.pop() else {
            return fail(io::ErrorKind::InvalidInput);
        };
        let mut node = ROOT;
        for name in names {
            match self.dir(node)?.now.get(name) {
                Some(&child) => node = child,
                None => return fail(io::ErrorKind::NotFound),
            }
        }
        self.dir(node)?;
        Ok((node, last))
    }

    fn assign(&mut self, assignments: Vec<(NodeId, OsString, Option<NodeId>)>) {
        for (dir, name, node) in &assignments {
            let names = &mut self.dirs.get_mut(dir).expect("the caller found it").now;
            match node {
                Some(node) => names.insert(name.clone(), *node),
                None => names.remove(name),
            };
        }
        self.unsynced_names.push(NameChange(assignments));
    }

    fn add_node(&mut self) -> NodeId {
        self.next_node += 1;
        self.next_node - 1
    }

    pub fn create_dir_all(&mut self, path: &Path) -> io::Result<()> {
        let mut node = ROOT;
        for name in components(path)? {
            node = match self.dir(node)?.now.get(name) {
                Some(&child) => child,
                None => {
                    let child = self.add_node();
                    self.dirs.insert(child, DirNode::default());
                    self.assign(vec![(node, name.to_owned(), Some(child))]);
                    child
                }
            };
        }
        self.dir(node).map(|_| ())
    }

    pub fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        let Some(node) = self.lookup(path)? else {
            return fail(io::ErrorKind::NotFound);
        };
        let names = &self.dir(node)?.now;
        Ok(names
            .iter()
            .map(|(name, &node)| Entry { name: name.clone(), metadata: self.metadata_of(node) })
            .collect())
    }

    fn metadata_of(&self, node: NodeId) -> Metadata {
        match self.files.get(&node) {
            Some(file) => Metadata { len: file.now.len() as u64, is_dir: false },
            None => Metadata { len: 0, is_dir: true },
        }
    }

    pub fn metadata(&self, path: &Path) -> io::Result<Option<Metadata>> {
        Ok(self.lookup(path)?.map(|node| self.metadata_of(node)))
    }

    /// The file of this name, made if `create`, refused if it is there and `new`. Adds a handle.
    pub fn open(&mut self, path: &Path, create: bool, new: bool) -> io::Result<NodeId> {
        let (dir, name) = self.parent(path)?;
        let node = match self.dir(dir)?.now.get(name) {
            Some(_) if new => return fail(io::ErrorKind::AlreadyExists),
            Some(&node) => node,
            None if !create => return fail(io::ErrorKind::NotFound),
            None => {
                let node = self.add_node();
                self.files.insert(node, FileNode::default());
                self.assign(vec![(dir, name.to_owned(), Some(node))]);
                node
            }
        };
        match self.files.get_mut(&node) {
            Some(file) => file.handles += 1,
            None => return fail(io::ErrorKind::IsADirectory),
        }
        Ok(node)
    }

    /// Takes a handle back.
    pub fn close(&mut self, node: NodeId) {
        if let Some(file) = self.files.get_mut(&node) {
            file.handles = file.handles.saturating_sub(1);
            self.sweep();
        }
    }

    pub fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let (from_dir, from_name) = self.parent(from)?;
        let (to_dir, to_name) = self.parent(to)?;
        let Some(&node) = self.dir(from_dir)?.now.get(from_name) else {
            return fail(io::ErrorKind::NotFound);
        };
        if let Some(taken) = self.dir(to_dir)?.now.get(to_name) {
            if self.dirs.get(taken).is_some_and(|dir| !dir.now.is_empty()) {
                return fail(io::ErrorKind::DirectoryNotEmpty);
            }
        }
        let assignments =
            vec![(from_dir, from_name.to_owned(), None), (to_dir, to_name.to_owned(), Some(node))];
        self.assign(assignments);
        self.sweep();
        Ok(())
    }

    pub fn remove_file(&mut self, path: &Path) -> io::Result<()> {
        let (dir, name) = self.parent(path)?;
        match self.dir(dir)?.now.get(name) {
            None => return fail(io::ErrorKind::NotFound),
            Some(node) if self.dirs.contains_key(node) => return fail(io::ErrorKind::IsADirectory),
            Some(_) => {}
        }
        self.assign(vec![(dir, name.to_owned(), None)]);
        self.sweep();
        Ok(())
    }

    pub fn remove_dir_all(&mut self, path: &Path) -> io::Result<()> {
        let (dir, name) = self.parent(path)?;
        let Some(&node) = self.dir(dir)?.now.get(name) else {
            return fail(io::ErrorKind::NotFound);
        };
        let children: Vec<OsString> = self.dir(node)?.now.keys().cloned().collect();
        for child in children {
            let child = path.join(child);
            match self.metadata(&child)?.is_some_and(|metadata| metadata.is_dir) {
                true => self.remove_dir_all(&child)?,
                false => self.remove_file(&child)?,
            }
        }
        self.assign(vec![(dir, name.to_owned(), None)]);
        self.sweep();
        Ok(())
    }

    pub fn sync_dir(&mut self, path: &Path) -> io::Result<()> {
        let Some(synced) = self.lookup(path)? else {
            return fail(io::ErrorKind::NotFound);
        };
        self.dir(synced)?;
        for change in std::mem::take(&mut self.unsynced_names) {
            match change.0.iter().any(|(dir, _, _)| *dir == synced) {
                true => self.settle_name(change),
                false => self.unsynced_names.push(change),
            }
        }
        self.sweep();
        Ok(())
    }

    fn settle_name(&mut self, change: NameChange) {
        for (dir, name, node) in change.0 {
            // A directory that was removed since has nothing to remember.
            let Some(dir) = self.dirs.get_mut(&dir) else { continue };
            match node {
                Some(node) => dir.durable.insert(name, node),
                None => dir.durable.remove(&name),
            };
        }
    }

    // ---- bytes ----

    fn file(&mut self, node: NodeId) -> &mut FileNode {
        self.files.get_mut(&node).expect("a handle keeps the file")
    }

    pub fn len(&mut self, node: NodeId) -> u64 {
        self.file(node).now.len() as u64
    }

    pub fn read(&mut self, node: NodeId, buffer: &mut [u8], offset: u64) -> usize {
        let bytes = &self.file(node).now;
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
        let got = buffer.len().min(bytes.len() - start);
        buffer[..got].copy_from_slice(&bytes[start..start + got]);
        got
    }

    pub fn write(&mut self, node: NodeId, bytes: &[u8], offset: u64) -> io::Result<()> {
        let offset = offset as usize;
        let growth = (offset + bytes.len()).saturating_sub(self.file(node).now.len());
        if growth as u64 > self.free() {
            return disk_full();
        }
        self.file(node).change(Change::Write { offset, bytes: bytes.to_vec() });
        Ok(())
    }

    /// What a failing write leaves: a prefix of whole sectors, or nothing.
    pub fn write_partly(&mut self, node: NodeId, bytes: &[u8], offset: u64) {
        let sectors = (bytes.len() / SECTOR) as u64;
        let written = self.rng.below(sectors + 1) as usize * SECTOR;
        if written > 0 {
            // A full disk leaves nothing at all.
            let _ = self.write(node, &bytes[..written], offset);
        }
    }

    pub fn set_len(&mut self, node: NodeId, len: u64) -> io::Result<()> {
        let growth = len.saturating_sub(self.file(node).now.len() as u64);
        if growth > self.free() {
            return disk_full();
        }
        self.file(node).change(Change::SetLen(len as usize));
        Ok(())
    }

    pub fn sync(&mut self, node: NodeId) {
        self.file(node).sync();
    }

    /// What a failing sync leaves: some of the sectors, and no memory of the others (S3).
    pub fn sync_failed(&mut self, node: NodeId) {
        let mut rng = self.rng.clone();
        self.file(node).settle(&mut rng);
        self.rng = rng;
    }

    pub fn flip_bit(&mut self, path: &Path, bit: u64) -> io::Result<()> {
        let Some(node) = self.lookup(path)? else {
            return fail(io::ErrorKind::NotFound);
        };
        let Some(file) = self.files.get_mut(&node) else {
            return fail(io::ErrorKind::IsADirectory);
        };
        let (byte, mask) = ((bit / 8) as usize, 1 << (bit % 8));
        if byte >= file.now.len() {
            return fail(io::ErrorKind::InvalidInput);
        }
        file.now[byte] ^= mask;
        if let Some(byte) = file.durable.get_mut(byte) {
            *byte ^= mask;
        }
        Ok(())
    }

    // ---- power ----

    /// Decides what the medium holds and forgets everything else.
    pub fn crash(&mut self) {
        let mut rng = self.rng.clone();
        for change in std::mem::take(&mut self.unsynced_names) {
            if rng.coin() {
                self.settle_name(change);
            }
        }
        for dir in self.dirs.values_mut() {
            dir.now.clone_from(&dir.durable);
        }
        for file in self.files.values_mut() {
            file.settle(&mut rng);
            file.unsynced.clear();
            file.now.clone_from(&file.durable);
            file.handles = 0;
        }
        self.rng = rng;
        self.sweep();
    }

    /// Frees what no name and no handle leads to, now or after a crash.
    fn sweep(&mut self) {
        let mut reached = BTreeSet::from([ROOT]);
        let mut open = vec![ROOT];
        let unsynced = self.unsynced_names.iter().flat_map(|change| &change.0);
        open.extend(unsynced.filter_map(|(_, _, node)| *node));
        while let Some(node) = open.pop() {
            reached.insert(node);
            if let Some(dir) = self.dirs.get(&node) {
                let children = dir.now.values().chain(dir.durable.values());
                open.extend(children.filter(|child| !reached.contains(child)));
            }
        }
        self.dirs.retain(|node, _| reached.contains(node));
        self.files.retain(|node, file| file.handles > 0 || reached.contains(node));
    }
}

/// The names on the way from the root; `.` is left out, `..` refused.
fn components(path: &Path) -> io::Result<Vec<&OsStr>> {
    let mut names = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => names.push(name),
            Component::RootDir | Component::CurDir => {}
            Component::ParentDir | Component::Prefix(_) => {
                return fail(io::ErrorKind::InvalidInput);
            }
        }
    }
    Ok(names)
}

/// The path in one spelling, so that locks on one directory are found to be the same.
pub(super) fn normalized(path: &Path) -> io::Result<PathBuf> {
    Ok(components(path)?.iter().collect())
}
