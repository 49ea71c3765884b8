//! Descriptions of columns (`COLMETADATA`), as results and bulk loads carry them.

use std::sync::Arc;

use base::types::{Classification, XmlCollectionName};
use base::{SqlType, TypeKind};

use crate::error::ProtocolError;
use crate::reader::ByteReader;
use crate::token;
use crate::typeinfo::{TypeInfo, UdtForm};
use crate::version::TdsVersion;
use crate::writer::{MessageWriter, PutBytes};

/// The count of columns that means that there is no description.
const NO_METADATA: u16 = 0xFFFF;

/// The user type of a rowversion column, which tells clients that it is more than binary(8).
pub const USER_TYPE_TIMESTAMP: u32 = 0x50;

/// Facts about a column, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct ColumnFlags(pub u16);

impl ColumnFlags {
    /// NULL is possible.
    pub const NULLABLE: ColumnFlags = ColumnFlags(0x0001);
    /// Comparison tells upper from lower case.
    pub const CASE_SENSITIVE: ColumnFlags = ColumnFlags(0x0002);
    /// The column can be updated.
    pub const UPDATABLE: ColumnFlags = ColumnFlags(0x0004);
    /// Whether the column can be updated is not known; what SQL Server says of table columns.
    pub const UPDATABLE_UNKNOWN: ColumnFlags = ColumnFlags(0x0008);
    /// An identity column.
    pub const IDENTITY: ColumnFlags = ColumnFlags(0x0010);
    /// A computed column, or an expression in a SELECT list.
    pub const COMPUTED: ColumnFlags = ColumnFlags(0x0020);
    /// Columns of a table-valued parameter: every row has the default, and no value is sent.
    pub const DEFAULT: ColumnFlags = ColumnFlags(0x0200);
    /// A column set for all sparse columns.
    pub const COLUMN_SET: ColumnFlags = ColumnFlags(0x0400);
    /// The column has been added by FOR BROWSE and is not shown.
    pub const HIDDEN: ColumnFlags = ColumnFlags(0x2000);
    /// Part of the key, under FOR BROWSE.
    pub const KEY: ColumnFlags = ColumnFlags(0x4000);

    /// Whether all bits of `other` are set.
    pub const fn contains(self, other: ColumnFlags) -> bool {
        self.0 & other.0 == other.0
    }

    /// The bits of both.
    pub const fn with(self, other: ColumnFlags) -> ColumnFlags {
        ColumnFlags(self.0 | other.0)
    }
}

/// A column that is announced.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    /// The name; at most 128 UTF-16 units where it is a column's, 255 at all.
    pub name: String,
    /// The type.
    pub ty: SqlType,
    /// Facts; [`ColumnFlags::NULLABLE`] decides how the type is announced.
    pub flags: ColumnFlags,
    /// The number of an alias type; 0 for none. For rowversion see [`USER_TYPE_TIMESTAMP`], which
    /// is sent without being asked for.
    pub user_type: u32,
    /// The parts of the table's name; sent for text, ntext and image alone.
    pub table: Vec<String>,
    /// The schemas that values of a type xml follow.
    pub schemas: Option<Arc<XmlCollectionName>>,
    /// The classifications of what it is made of, if it is made of anything classified.
    pub classified: Option<Arc<[Classification]>>,
}

impl Column {
    /// A column that may be NULL.
    pub fn nullable(name: impl Into<String>, ty: SqlType) -> Column {
        Column {
            name: name.into(),
            ty,
            flags: ColumnFlags::NULLABLE.with(ColumnFlags::UPDATABLE_UNKNOWN),
            user_type: 0,
            table: Vec::new(),
            schemas: None,
            classified: None,
        }
    }

    /// A column that is never NULL.
    pub fn not_null(name: impl Into<String>, ty: SqlType) -> Column {
        Column { flags: ColumnFlags::UPDATABLE_UNKNOWN, ..Column::nullable(name, ty) }
    }

    /// The same column with these flags alone.
    pub fn with_flags(self, flags: ColumnFlags) -> Column {
        Column { flags, ..self }
    }

    /// Whether the column is announced as one that may be NULL.
    pub const fn is_nullable(&self) -> bool {
        self.flags.contains(ColumnFlags::NULLABLE)
    }
}

/// A column as it was announced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReceivedColumn {
    /// The name.
    pub name: String,
    /// The type as it is sent.
    pub info: TypeInfo,
    /// Facts.
    pub flags: ColumnFlags,
    /// The number of an alias type, or [`USER_TYPE_TIMESTAMP`].
    pub user_type: u32,
    /// The parts of the table's name, for text, ntext and image.
    pub table: Vec<String>,
}

impl ReceivedColumn {
    /// The same column for values as long as their form allows.
    pub(crate) fn unlimited(&self) -> ReceivedColumn {
        ReceivedColumn { info: self.info.unlimited(), ..self.clone() }
    }
}

/// How the name of a text column's table is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableNameForm {
    /// As a count and that many parts; in results from 7.2 on.
    Parts,
    /// As one text; in results before, and in every bulk load.
    Whole,
}

impl TableNameForm {
    /// The form in results of a version.
    pub const fn in_results(version: TdsVersion) -> TableNameForm {
        if version.has_max_types() { TableNameForm::Parts } else { TableNameForm::Whole }
    }
}

/// Writes a `COLMETADATA` token. `database` is that in which CLR types are named.
pub fn write_columns(
    out: &mut MessageWriter,
    columns: &[Column],
    version: TdsVersion,
    form: TableNameForm,
    database: &str,
) {
    out.put_u8(token::COLMETADATA);
    out.put_u16(columns.len() as u16);
    for column in columns {
        let user_type = match column.ty.kind {
            TypeKind::RowVersion => USER_TYPE_TIMESTAMP,
            _ => column.user_type,
        };
        let info = TypeInfo::for_sql(&column.ty, column.is_nullable(), version);
        put_user_type(out, user_type, version);
        out.put_u16(column.flags.0);
        info.write_of(out, column.schemas.as_deref(), Some(database));
        if info.ty.is_old_lob() {
            write_table_name(out, &column.table, form);
        }
        out.put_b_varchar(&column.name);
    }
    out.seal();
}

/// Writes a `COLMETADATA` token that says that there is no description.
pub fn write_no_columns(out: &mut MessageWriter) {
    out.put_u8(token::COLMETADATA);
    out.put_u16(NO_METADATA);
    out.seal();
}

/// Writes a user type, whose width depends on the version.
pub(crate) fn put_user_type(out: &mut MessageWriter, user_type: u32, version: TdsVersion) {
    if version.has_wide_counts() {
        out.put_u32(user_type);
    } else {
        out.put_u16(user_type as u16);
    }
}

/// Reads a user type, whose width depends on the version.
pub(crate) fn read_user_type(
    r: &mut ByteReader<'_>,
    version: TdsVersion,
) -> Result<u32, ProtocolError> {
    if version.has_wide_counts() { r.u32() } else { r.u16().map(u32::from) }
}

fn write_table_name(out: &mut MessageWriter, parts: &[String], form: TableNameForm) {
    match form {
        // Clients refuse a name of no parts: what is computed comes from a table without a name.
        TableNameForm::Parts if parts.is_empty() => {
            out.put_u8(1);
            out.put_us_varchar("");
        }
        TableNameForm::Parts => {
            out.put_u8(parts.len() as u8);
            parts.iter().for_each(|part| out.put_us_varchar(part));
        }
        TableNameForm::Whole => out.put_us_varchar(&parts.join(".")),
    }
}

/// Reads a `COLMETADATA` token after its first byte; nothing when it says that there is no
/// description.
///
/// # Errors
/// [`ProtocolError::Truncated`] when it goes on after the end of `r`, and those of
/// [`TypeInfo::read`].
pub fn read_columns(
    r: &mut ByteReader<'_>,
    version: TdsVersion,
    form: TableNameForm,
) -> Result<Option<Vec<ReceivedColumn>>, ProtocolError> {
    let count = r.u16()?;
    if count == NO_METADATA {
        return Ok(None);
    }
    let mut columns = Vec::new();
    for _ in 0..count {
        let user_type = read_user_type(r, version)?;
        let flags = ColumnFlags(r.u16()?);
        let info = TypeInfo::read(r, UdtForm::Described)?;
        let mut table = Vec::new();
        if info.ty.is_old_lob() {
            let parts = if form == TableNameForm::Parts { r.u8()? } else { 1 };
            for _ in 0..parts {
                table.push(r.us_varchar()?.to_text());
            }
        }
        let name = r.b_varchar()?.to_text();
        columns.push(ReceivedColumn { name, info, flags, user_type, table });
    }
    Ok(Some(columns))
}
