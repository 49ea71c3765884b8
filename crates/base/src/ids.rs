//! The integers by which things are named. Each is a type of its own, so that a database id can
//! never be passed where an object id is meant.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[repr(transparent)]
        pub struct $name(pub $inner);

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }
    };
}

id! {
    /// A database, as `DB_ID()` shows it: 1 is master, 2 tempdb, 3 model, 4 msdb.
    DbId(i32)
}
id! {
    /// An object within a database, as `OBJECT_ID()` shows it.
    ObjectId(i32)
}
id! {
    /// The stored form of a table: it changes when the table is truncated or rebuilt, while the
    /// object id stays. Log records name storages, never objects.
    StorageId(u64)
}
id! {
    /// A position in a database's log, in bytes since the log began. Also every timestamp: a
    /// transaction's commit stamp is the position of its commit record.
    Lsn(u64)
}
id! {
    /// A session (connection), as `@@SPID` shows it; user sessions start at 51.
    SessionId(i16)
}

impl Lsn {
    /// Before everything: no record has this position.
    pub const ZERO: Lsn = Lsn(0);
    /// After everything: visible to no snapshot.
    pub const MAX: Lsn = Lsn(u64::MAX);
}

impl DbId {
    /// The database that knows the others.
    pub const MASTER: DbId = DbId(1);
    /// Temporary tables; never logged, made anew at every start.
    pub const TEMPDB: DbId = DbId(2);
    /// The template of new databases.
    pub const MODEL: DbId = DbId(3);
    /// Jobs and the history of backups.
    pub const MSDB: DbId = DbId(4);
}
