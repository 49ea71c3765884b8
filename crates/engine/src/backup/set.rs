//! Backup sets: what one says of itself at its beginning and at its end, and what files it has.

use base::ids::Lsn;

use super::chain::Fork;
use super::fields::{Reader, Writer};

/// What a backup set is a backup of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum SetKind {
    /// All of the database.
    Full = 1,
    /// What has changed since a full backup.
    Differential = 2,
    /// The log since the last backup of it.
    Log = 3,
}

/// After the header of a set that was made of a damaged database; others have nothing there.
const OF_DAMAGED: u8 = 1;
/// After that of a set whose keys are in the order of a version of the collations' data, which
/// follows.
const COLLATIONS: u8 = 3;
/// After that of a set that is to be kept until a time, which follows.
const EXPIRES: u8 = 2;

/// Beginning of a backup set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetHeader {
    /// Its name for ever.
    pub guid: u128,
    /// What it is a backup of.
    pub kind: SetKind,
    /// It takes no part in what other backups build on.
    pub copy_only: bool,
    /// The database's name.
    pub database_name: Box<str>,
    /// The recovery path of the database. The last fork's guid is that of the database.
    pub path: Vec<Fork>,
    /// The server's name.
    pub server_name: Box<str>,
    /// The login that made it.
    pub user_name: Box<str>,
    /// `NAME`.
    pub name: Option<Box<str>>,
    /// `DESCRIPTION`.
    pub description: Option<Box<str>>,
    /// When it was begun, in UTC ticks of 100 ns since 0001-01-01.
    pub started_ticks: u64,
    /// Local time less UTC at the server, in minutes.
    pub offset_minutes: i32,
    /// The set has the log from here on.
    pub first: Lsn,
    /// Everything below is in the set's files; for a backup of the log, where the last full one
    /// was.
    pub through: Lsn,
    /// The full backup that it builds on.
    pub base: Option<BaseSet>,
    /// Whether the log is kept until it is backed up.
    pub keeps_log: bool,
    /// `COMPRESSION`.
    pub packed: bool,
    /// `CHECKSUM`; blocks have checksums in any case.
    pub checksum: bool,
    /// The version of the program: major, minor, patch.
    pub version: [u16; 3],
    /// The database's definition, as the catalog writes it.
    pub definition: Box<[u8]>,
    /// The definitions of its files and filegroups, as the catalog writes them.
    pub files: Vec<Box<[u8]>>,
    /// The database could not be opened, so that nothing is known of its files: only its log was
    /// read.
    pub of_damaged: bool,
    /// The version of the collations' data by which keys are made; 0 before there was any.
    pub collations: u32,
    /// `EXPIREDATE` or `RETAINDAYS`: the file is not to be overwritten before, in UTC ticks of 100
    /// ns since 0001-01-01.
    pub expires_ticks: Option<u64>,
}

/// End of a backup set.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SetEnd {
    /// When it was finished.
    pub finished_ticks: u64,
    /// The set has the log up to here.
    pub last: Lsn,
    /// Bytes of checkpoint files and pages.
    pub data_bytes: u64,
    /// Bytes of log.
    pub log_bytes: u64,
    /// Bytes that the set takes.
    pub stored_bytes: u64,
}

/// A backup set that is whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BackupSet {
    /// Its number within the file, from 1.
    pub number: usize,
    /// Its beginning.
    pub header: SetHeader,
    /// Its end.
    pub end: SetEnd,
}

/// The full backup that a differential one builds on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BaseSet {
    /// The set.
    pub guid: u128,
    /// Everything below was in its files.
    pub through: Lsn,
}

/// Which of the database's files follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum FileKind {
    /// The manifest of the checkpoint.
    Manifest = 1,
    /// A data file.
    Data = 2,
    /// A delta file.
    Delta = 3,
    /// The pages of tables that have sunk: what the root reaches, and the root.
    Pages = 4,
}

/// The description of a file, whose bytes follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FileHead {
    pub kind: FileKind,
    /// Its number.
    pub id: u64,
    pub bytes: u64,
}

impl SetHeader {
    /// The guid of the database.
    pub fn database(&self) -> u128 {
        self.path.last().map_or(0, |fork| fork.guid)
    }

    /// The guid of the database that it descends from by restores.
    pub fn family(&self) -> u128 {
        self.path.first().map_or(0, |fork| fork.guid)
    }

    /// Where the last full backup before it was taken, if it belongs to one.
    pub fn full(&self) -> Option<Lsn> {
        match self.kind {
            SetKind::Log => Some(self.through),
            SetKind::Full | SetKind::Differential => self.base.map(|base| base.through),
        }
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.u128(self.guid);
        out.u8(self.kind as u8);
        out.bool(self.copy_only);
        out.text(&self.database_name);
        Fork::write_path(&self.path, &mut out);
        out.text(&self.server_name);
        out.text(&self.user_name);
        out.option(self.name.as_deref(), Writer::text);
        out.option(self.description.as_deref(), Writer::text);
        out.u64(self.started_ticks);
        out.u32(self.offset_minutes as u32);
        out.u64(self.first.0);
        out.u64(self.through.0);
        out.option(self.base, |out, base| {
            out.u128(base.guid);
            out.u64(base.through.0);
        });
        [self.keeps_log, self.packed, self.checksum].into_iter().for_each(|flag| out.bool(flag));
        self.version.iter().for_each(|part| out.u32((*part).into()));
        out.bytes(&self.definition);
        out.list(self.files.iter(), |out, file| out.bytes(file));
        if self.of_damaged {
            out.u8(OF_DAMAGED);
        }
        if let Some(expires) = self.expires_ticks {
            out.u8(EXPIRES);
            out.u64(expires);
        }
        if self.collations != 0 {
            out.u8(COLLATIONS);
            out.u32(self.collations);
        }
        out.0
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<SetHeader> {
        let mut from = Reader(bytes);
        let mut header = SetHeader {
            guid: from.u128()?,
            kind: SetKind::of(from.u8()?)?,
            copy_only: from.bool()?,
            database_name: from.text()?,
            path: Fork::read_path(&mut from)?,
            server_name: from.text()?,
            user_name: from.text()?,
            name: from.option(Reader::text)?,
            description: from.option(Reader::text)?,
            started_ticks: from.u64()?,
            offset_minutes: from.u32()? as i32,
            first: Lsn(from.u64()?),
            through: Lsn(from.u64()?),
            base: from
                .option(|from| Some(BaseSet { guid: from.u128()?, through: Lsn(from.u64()?) }))?,
            keeps_log: from.bool()?,
            packed: from.bool()?,
            checksum: from.bool()?,
            version: [from.u32()? as u16, from.u32()? as u16, from.u32()? as u16],
            definition: from.bytes()?.into(),
            files: from.list(|from| from.bytes().map(Box::from))?,
            of_damaged: false,
            collations: 0,
            expires_ticks: None,
        };
        while let Some(what) = from.u8() {
            match what {
                OF_DAMAGED => header.of_damaged = true,
                COLLATIONS => header.collations = from.u32()?,
                EXPIRES => header.expires_ticks = Some(from.u64()?),
                _ => return None,
            }
        }
        Some(header)
    }
}

impl SetKind {
    fn of(code: u8) -> Option<SetKind> {
        use SetKind as K;
        [K::Full, K::Differential, K::Log].into_iter().find(|kind| *kind as u8 == code)
    }
}

impl SetEnd {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        let words =
            [self.finished_ticks, self.last.0, self.data_bytes, self.log_bytes, self.stored_bytes];
        words.into_iter().for_each(|word| out.u64(word));
        out.0
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<SetEnd> {
        let mut from = Reader(bytes);
        let end = SetEnd {
            finished_ticks: from.u64()?,
            last: Lsn(from.u64()?),
            data_bytes: from.u64()?,
            log_bytes: from.u64()?,
            stored_bytes: from.u64()?,
        };
        from.end(end)
    }
}

impl FileHead {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.u8(self.kind as u8);
        out.u64(self.id);
        out.u64(self.bytes);
        out.0
    }

    pub fn decode(bytes: &[u8]) -> Option<FileHead> {
        use FileKind as K;
        let mut from = Reader(bytes);
        let code = from.u8()?;
        let kinds = [K::Manifest, K::Data, K::Delta, K::Pages];
        let kind = kinds.into_iter().find(|kind| *kind as u8 == code)?;
        let head = FileHead { kind, id: from.u64()?, bytes: from.u64()? };
        from.end(head)
    }
}
