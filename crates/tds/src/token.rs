//! The first bytes of tokens, and what is common to both sides about them.

/// Columns of a result.
pub const COLMETADATA: u8 = 0x81;
/// Sensitivity classifications of the columns of a result.
pub const DATACLASSIFICATION: u8 = 0xA3;
/// Names of the tables after a result, for FOR BROWSE and cursors.
pub const TABNAME: u8 = 0xA4;
/// Where each column of a result comes from, for FOR BROWSE and cursors.
pub const COLINFO: u8 = 0xA5;
/// The columns that a result is ordered by.
pub const ORDER: u8 = 0xA9;
/// An error.
pub const ERROR: u8 = 0xAA;
/// A message that is not an error.
pub const INFO: u8 = 0xAB;
/// The value of an output parameter or a function.
pub const RETURNVALUE: u8 = 0xAC;
/// The login has succeeded.
pub const LOGINACK: u8 = 0xAD;
/// What the server makes of the login's feature extensions.
pub const FEATUREEXTACK: u8 = 0xAE;
/// A row.
pub const ROW: u8 = 0xD1;
/// A row with a null bitmap.
pub const NBCROW: u8 = 0xD2;
/// State from which a broken session can be made again.
pub const SESSIONSTATE: u8 = 0xE4;
/// The environment has changed.
pub const ENVCHANGE: u8 = 0xE3;
/// A message of an SSPI login.
pub const SSPI: u8 = 0xED;
/// Where to get a token of federated authentication.
pub const FEDAUTHINFO: u8 = 0xEE;
/// What a procedure has returned.
pub const RETURNSTATUS: u8 = 0x79;
/// A statement of a batch is done.
pub const DONE: u8 = 0xFD;
/// A procedure is done.
pub const DONEPROC: u8 = 0xFE;
/// A statement of a procedure is done.
pub const DONEINPROC: u8 = 0xFF;

/// What is done.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DoneKind {
    /// A statement of a batch, or the batch.
    Statement,
    /// A procedure.
    Procedure,
    /// A statement of a procedure.
    InProcedure,
}

impl DoneKind {
    /// The token.
    pub const fn token(self) -> u8 {
        match self {
            DoneKind::Statement => DONE,
            DoneKind::Procedure => DONEPROC,
            DoneKind::InProcedure => DONEINPROC,
        }
    }
}

/// Facts about what is done, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct DoneStatus(pub u16);

impl DoneStatus {
    /// None of the others.
    pub const FINAL: DoneStatus = DoneStatus(0x0000);
    /// More is to come in this answer.
    pub const MORE: DoneStatus = DoneStatus(0x0001);
    /// The statement has failed.
    pub const ERROR: DoneStatus = DoneStatus(0x0002);
    /// A transaction is open.
    pub const IN_TRANSACTION: DoneStatus = DoneStatus(0x0004);
    /// The row count is valid.
    pub const COUNT: DoneStatus = DoneStatus(0x0010);
    /// This answers an attention.
    pub const ATTENTION: DoneStatus = DoneStatus(0x0020);
    /// Further calls of the same message follow.
    pub const RPC_IN_BATCH: DoneStatus = DoneStatus(0x0080);
    /// The error was so severe that the answer ends here and results are to be discarded.
    pub const SERVER_ERROR: DoneStatus = DoneStatus(0x0100);

    /// Whether all bits of `other` are set.
    pub const fn contains(self, other: DoneStatus) -> bool {
        self.0 & other.0 == other.0
    }

    /// The bits of both.
    pub const fn with(self, other: DoneStatus) -> DoneStatus {
        DoneStatus(self.0 | other.0)
    }

    /// The bits of both if `condition` holds.
    pub const fn with_if(self, condition: bool, other: DoneStatus) -> DoneStatus {
        if condition { self.with(other) } else { self }
    }
}

/// A `DONE`, `DONEPROC` or `DONEINPROC`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Done {
    /// What is done.
    pub kind: DoneKind,
    /// How it went.
    pub status: DoneStatus,
    /// The kind of statement, see [`command`]; 0 for none.
    pub command: u16,
    /// Rows affected or returned, if [`DoneStatus::COUNT`] says so.
    pub rows: u64,
}

/// Numbers of statement kinds in [`Done::command`], as far as clients look at them.
pub mod command {
    /// `SELECT`
    pub const SELECT: u16 = 0xC1;
    /// `INSERT`
    pub const INSERT: u16 = 0xC3;
    /// `DELETE`
    pub const DELETE: u16 = 0xC4;
    /// `UPDATE`
    pub const UPDATE: u16 = 0xC5;
    /// `BEGIN TRANSACTION`
    pub const BEGIN_TRANSACTION: u16 = 0xD4;
    /// `COMMIT`
    pub const COMMIT: u16 = 0xD5;
    /// `ROLLBACK`
    pub const ROLLBACK: u16 = 0xD2;
    /// `INSERT BULK`
    pub const INSERT_BULK: u16 = 0xF0;
    /// `MERGE`
    pub const MERGE: u16 = 0x117;
    /// `EXECUTE`
    pub const EXECUTE: u16 = 0xE0;
}

/// Numbers of feature extensions.
pub mod feature {
    /// A broken session can be made again.
    pub const SESSION_RECOVERY: u8 = 0x01;
    /// Federated authentication.
    pub const FEDERATED_AUTHENTICATION: u8 = 0x02;
    /// Always Encrypted.
    pub const COLUMN_ENCRYPTION: u8 = 0x04;
    /// Transactions over several databases.
    pub const GLOBAL_TRANSACTIONS: u8 = 0x05;
    /// Something that only Azure does.
    pub const AZURE_SQL: u8 = 0x08;
    /// Labels of columns.
    pub const DATA_CLASSIFICATION: u8 = 0x09;
    /// Collations whose code page is UTF-8.
    pub const UTF8: u8 = 0x0A;
    /// Something that only Azure does.
    pub const AZURE_SQL_DNS_CACHING: u8 = 0x0B;
    /// The json type.
    pub const JSON: u8 = 0x0D;
    /// The vector type.
    pub const VECTOR: u8 = 0x0E;
    /// What program the client is.
    pub const USER_AGENT: u8 = 0x10;
    /// The end of the list.
    pub const TERMINATOR: u8 = 0xFF;
}
