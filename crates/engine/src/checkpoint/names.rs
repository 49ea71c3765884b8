//! The names of checkpoint files. Numbers are never used again, so neither are names.

/// The number of a data or delta file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(pub u64);

impl FileId {
    /// The name of the data file of this number.
    pub fn data(self) -> String {
        format!("{:08}.data", self.0)
    }

    /// The name of the delta file of this number.
    pub fn delta(self) -> String {
        format!("{:08}.delta", self.0)
    }
}

/// What a name says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Named {
    Data(FileId),
    Delta(FileId),
    Manifest(u64),
}

/// The name of a manifest.
pub(crate) fn manifest(number: u64) -> String {
    format!("{number:08}.manifest")
}

/// What a name says; `None` if it is not a name of a checkpoint file.
pub(super) fn parse(name: &str) -> Option<Named> {
    let (number, kind) = name.split_once('.')?;
    let number: u64 = number.parse().ok().filter(|_| number.len() >= 8)?;
    match kind {
        "data" => Some(Named::Data(FileId(number))),
        "delta" => Some(Named::Delta(FileId(number))),
        "manifest" => Some(Named::Manifest(number)),
        _ => None,
    }
}
