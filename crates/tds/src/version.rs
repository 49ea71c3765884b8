//! Protocol versions and what changes between them.

use crate::error::ProtocolError;

/// A version of TDS that is served.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TdsVersion {
    /// 7.1 (SQL Server 2000).
    V7_1,
    /// 7.2 (2005): (max) types, transaction descriptors, 64-bit row counts.
    V7_2,
    /// 7.3.A (2008): date and time types, table-valued parameters.
    V7_3A,
    /// 7.3.B (2008 R2): rows with a null bitmap.
    V7_3B,
    /// 7.4 (2012 and later): session recovery and other feature extensions. Also what is spoken
    /// with clients of 8.0 (2022), where TLS comes before everything else and the rest is the same.
    V7_4,
}

impl TdsVersion {
    /// Every version, oldest first.
    pub const ALL: [TdsVersion; 5] = [
        TdsVersion::V7_1,
        TdsVersion::V7_2,
        TdsVersion::V7_3A,
        TdsVersion::V7_3B,
        TdsVersion::V7_4,
    ];

    /// The version to speak with a client that asks for `asked`, the number in `LOGIN7`: the
    /// newest that both know.
    ///
    /// A client that asks for 8.0 is answered 7.4. All clients take that, and go-mssqldb needs it:
    /// it compares the answer with the number of 7.2, which is larger than that of 8.0, and would
    /// go back to the forms of 7.1.
    ///
    /// # Errors
    /// [`ProtocolError::Version`] for TDS 7.0 and older.
    pub const fn negotiate(asked: u32) -> Result<TdsVersion, ProtocolError> {
        match asked >> 24 {
            0x71 => Ok(TdsVersion::V7_1),
            0x72 => Ok(TdsVersion::V7_2),
            0x73 if (asked >> 16) & 0xFF >= 0x0B => Ok(TdsVersion::V7_3B),
            0x73 => Ok(TdsVersion::V7_3A),
            0x08 | 0x74..=0x7F => Ok(TdsVersion::V7_4),
            _ => Err(ProtocolError::Version(asked)),
        }
    }

    /// The version as `LOGIN7` (little-endian) and `LOGINACK` (big-endian) carry it.
    pub const fn number(self) -> u32 {
        match self {
            TdsVersion::V7_1 => 0x7100_0001,
            TdsVersion::V7_2 => 0x7209_0002,
            TdsVersion::V7_3A => 0x730A_0003,
            TdsVersion::V7_3B => 0x730B_0003,
            TdsVersion::V7_4 => 0x7400_0004,
        }
    }

    /// Whether requests begin with `ALL_HEADERS`.
    pub const fn has_all_headers(self) -> bool {
        self as u8 >= TdsVersion::V7_2 as u8
    }

    /// Whether row counts have 64 bits, and user types and line numbers 32.
    pub const fn has_wide_counts(self) -> bool {
        self as u8 >= TdsVersion::V7_2 as u8
    }

    /// Whether (max) types exist; before that they are text, ntext and image.
    pub const fn has_max_types(self) -> bool {
        self as u8 >= TdsVersion::V7_2 as u8
    }

    /// Whether `ENVCHANGE` tells of transactions.
    pub const fn has_transaction_descriptors(self) -> bool {
        self as u8 >= TdsVersion::V7_2 as u8
    }

    /// Whether date, time, datetime2 and datetimeoffset exist; before that they are nvarchar.
    pub const fn has_date_types(self) -> bool {
        self as u8 >= TdsVersion::V7_3A as u8
    }

    /// Whether table-valued parameters exist.
    pub const fn has_table_parameters(self) -> bool {
        self as u8 >= TdsVersion::V7_3A as u8
    }

    /// Whether rows may have a null bitmap.
    pub const fn has_null_bitmap_rows(self) -> bool {
        self as u8 >= TdsVersion::V7_3B as u8
    }

    /// Whether the login may have feature extensions.
    pub const fn has_feature_extensions(self) -> bool {
        self as u8 >= TdsVersion::V7_4 as u8
    }
}

#[cfg(test)]
mod tests;
