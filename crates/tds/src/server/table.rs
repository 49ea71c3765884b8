//! Table-valued parameters. Reading one finds its end and checks where its values lie; the values
//! themselves are decoded row by row when they are asked for.

use base::{Collation, SqlType};

use crate::columns::{ColumnFlags, read_user_type};
use crate::error::ProtocolError;
use crate::reader::{ByteReader, Utf16};
use crate::typeinfo::{Layout, Place, TypeInfo, UdtForm};
use crate::value::Datum;
use crate::value::decode::{pad, read_value};
use crate::value::frame::read_frame;
use crate::version::TdsVersion;

const NO_METADATA: u16 = 0xFFFF;
const END: u8 = 0x00;
const ROW: u8 = 0x01;
const ORDER_UNIQUE: u8 = 0x10;
const COLUMN_ORDERING: u8 = 0x11;
/// Columns that a table may have.
const COLUMNS_MAX: u16 = 1024;

/// A column of a table-valued parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableColumn {
    /// The type, as the client sends it.
    pub ty: SqlType,
    /// Whether no value is sent, and every row has the column's default.
    pub is_default: bool,
    info: TypeInfo,
    layout: Layout,
}

/// What the client says about the order of rows, a hint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableOrder {
    /// The column, from 1.
    pub column: u16,
    /// Descending.
    pub descending: bool,
    /// The rows are ordered by this column (else it is only unique).
    pub ordered: bool,
    /// The column is part of a unique key.
    pub unique: bool,
}

/// A table-valued parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct TableParameter<'a> {
    /// The database of the table type; must be empty.
    pub database: Utf16<'a>,
    /// The schema of the table type; may be empty.
    pub schema: Utf16<'a>,
    /// The table type; may be empty where the procedure's declaration names it.
    pub type_name: Utf16<'a>,
    /// The columns, in the order of the table type; empty for a table without rows that is sent
    /// without a description.
    pub columns: Vec<TableColumn>,
    /// Hints.
    pub order: Vec<TableOrder>,
    /// For each column that is sent, which column of the type it is (from 1); empty where the two
    /// agree.
    pub column_ordering: Vec<u16>,
    /// How many rows there are.
    pub row_count: usize,
    rows: &'a [u8],
    unknown: Collation,
}

impl<'a> TableParameter<'a> {
    /// Reads the parameter after its type byte.
    ///
    /// # Errors
    /// Types that cannot be, lengths that contradict each other, a message that ends too early.
    pub fn read(
        r: &mut ByteReader<'a>,
        version: TdsVersion,
        unknown: Collation,
    ) -> Result<TableParameter<'a>, ProtocolError> {
        let mut table = TableParameter {
            database: r.b_varchar()?,
            schema: r.b_varchar()?,
            type_name: r.b_varchar()?,
            columns: Vec::new(),
            order: Vec::new(),
            column_ordering: Vec::new(),
            row_count: 0,
            rows: &[],
            unknown,
        };
        let count = r.u16()?;
        if count != NO_METADATA {
            if count > COLUMNS_MAX {
                return Err(ProtocolError::Malformed("a table has more than 1024 columns"));
            }
            for _ in 0..count {
                table.columns.push(TableColumn::read(r, version, unknown)?);
            }
        }
        table.read_options(r)?;
        table.find_rows(r)?;
        Ok(table)
    }

    fn read_options(&mut self, r: &mut ByteReader<'_>) -> Result<(), ProtocolError> {
        loop {
            match r.u8()? {
                END => return Ok(()),
                ORDER_UNIQUE => {
                    for _ in 0..r.u16()? {
                        let (column, flags) = (r.u16()?, r.u8()?);
                        self.order.push(TableOrder {
                            column,
                            descending: flags & 0x02 != 0,
                            ordered: flags & 0x03 != 0,
                            unique: flags & 0x04 != 0,
                        });
                    }
                }
                COLUMN_ORDERING => {
                    for _ in 0..r.u16()? {
                        self.column_ordering.push(r.u16()?);
                    }
                }
                token => return Err(ProtocolError::Token(token)),
            }
        }
    }

    fn find_rows(&mut self, r: &mut ByteReader<'a>) -> Result<(), ProtocolError> {
        let start = r.position();
        loop {
            match r.u8()? {
                END => break,
                ROW => self.row_count += 1,
                token => return Err(ProtocolError::Token(token)),
            }
            for column in self.columns.iter().filter(|c| !c.is_default) {
                read_frame(r, column.layout)?;
            }
        }
        self.rows = r.since(start);
        Ok(())
    }

    /// The rows.
    pub fn rows(&self) -> TableRows<'a, '_> {
        TableRows { table: self, r: ByteReader::new(self.rows) }
    }
}

impl TableColumn {
    fn read(
        r: &mut ByteReader<'_>,
        version: TdsVersion,
        unknown: Collation,
    ) -> Result<TableColumn, ProtocolError> {
        read_user_type(r, version)?;
        let flags = ColumnFlags(r.u16()?);
        let info = TypeInfo::read(r, UdtForm::Named)?;
        // Always empty; the table type knows the names.
        r.b_varchar()?;
        Ok(TableColumn {
            ty: info.to_sql(unknown),
            is_default: flags.contains(ColumnFlags::DEFAULT),
            info,
            layout: info.layout(Place::Row),
        })
    }
}

/// Walks over the rows of a table-valued parameter.
#[derive(Clone, Debug)]
pub struct TableRows<'a, 't> {
    table: &'t TableParameter<'a>,
    r: ByteReader<'a>,
}

impl<'a> TableRows<'a, '_> {
    /// Puts the values of the next row into `values`, which is emptied first; NULL for columns that
    /// have their default. Returns whether there was another row.
    ///
    /// # Errors
    /// A value that is none of its type.
    pub fn next_into(&mut self, values: &mut Vec<Datum<'a>>) -> Result<bool, ProtocolError> {
        values.clear();
        // The rows were found to be complete when the parameter was read.
        if self.r.u8() != Ok(ROW) {
            return Ok(false);
        }
        for column in &self.table.columns {
            values.push(if column.is_default {
                Datum::NULL
            } else {
                let value = read_value(&mut self.r, &column.info, Place::Row, self.table.unknown)?;
                pad(&column.info, value)
            });
        }
        Ok(true)
    }
}
