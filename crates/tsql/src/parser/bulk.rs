//! `BULK INSERT` and the wire's `INSERT BULK`.

use base::SqlResult;

use super::Parser;
use super::stream::Words;
use crate::ast::{
    BulkInsert, BulkOption, BulkOptionKind, ColumnDefinition, ColumnKind, InsertBulk, StatementKind,
};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

/// Options that are a word alone.
const SWITCHES: Words<BulkOptionKind> = &[
    ("CHECK_CONSTRAINTS", BulkOptionKind::CheckConstraints),
    ("FIRE_TRIGGERS", BulkOptionKind::FireTriggers),
    ("KEEPIDENTITY", BulkOptionKind::KeepIdentity),
    ("KEEPNULLS", BulkOptionKind::KeepNulls),
    ("KEEP_NULLS", BulkOptionKind::KeepNulls),
    ("TABLOCK", BulkOptionKind::TabLock),
];

/// Options with a number.
const NUMBERS: Words<fn(u64) -> BulkOptionKind> = &[
    ("BATCHSIZE", BulkOptionKind::BatchSize),
    ("FIRSTROW", BulkOptionKind::FirstRow),
    ("KILOBYTES_PER_BATCH", BulkOptionKind::KilobytesPerBatch),
    ("LASTROW", BulkOptionKind::LastRow),
    ("MAXERRORS", BulkOptionKind::MaxErrors),
    ("ROWS_PER_BATCH", BulkOptionKind::RowsPerBatch),
];

/// Options with a string.
const STRINGS: Words<fn(Box<str>) -> BulkOptionKind> = &[
    ("CODEPAGE", BulkOptionKind::CodePage),
    ("DATAFILETYPE", BulkOptionKind::DataFileType),
    ("DATA_SOURCE", BulkOptionKind::DataSource),
    ("ERRORFILE", BulkOptionKind::ErrorFile),
    ("ERRORFILE_DATA_SOURCE", BulkOptionKind::ErrorFileDataSource),
    ("ESCAPECHAR", BulkOptionKind::EscapeChar),
    ("FIELDQUOTE", BulkOptionKind::FieldQuote),
    ("FIELDTERMINATOR", BulkOptionKind::FieldTerminator),
    ("FORMAT", BulkOptionKind::Format),
    ("FORMATFILE", BulkOptionKind::FormatFile),
    ("FORMATFILE_DATASOURCE", BulkOptionKind::FormatFileDataSource),
    ("FORMATFILE_DATA_SOURCE", BulkOptionKind::FormatFileDataSource),
    ("ROWTERMINATOR", BulkOptionKind::RowTerminator),
];

/// Options of loads that `OPENROWSET(BULK …)` does not take.
const NOT_OF_ROWSETS: [&str; 11] = [
    "BATCHSIZE",
    "CHECK_CONSTRAINTS",
    "DATAFILETYPE",
    "FIELDTERMINATOR",
    "FIRE_TRIGGERS",
    "KEEPIDENTITY",
    "KEEPNULLS",
    "KEEP_NULLS",
    "KILOBYTES_PER_BATCH",
    "ROWTERMINATOR",
    "TABLOCK",
];

impl Parser<'_> {
    pub(super) fn bulk_insert_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect_words(&[K::Bulk, K::Insert])?;
        let table = self.object_name()?;
        self.expect(K::From)?;
        let file = self.peek();
        let name = self.ident_or_string()?;
        let options = self.bulk_options()?;
        let file_span = file.span;
        let statement = BulkInsert { table, file: name.name.as_ref().into(), file_span, options };
        Ok(StatementKind::BulkInsert(Box::new(statement)))
    }

    pub(super) fn insert_bulk(&mut self) -> SqlResult<StatementKind> {
        self.expect_words(&[K::Insert, K::Bulk])?;
        let table = self.object_name()?;
        let columns = match self.at_token(TokenKind::LeftParen) {
            true => self.parenthesized(Parser::bulk_column)?,
            false => Vec::new(),
        };
        let options = self.bulk_options()?;
        Ok(StatementKind::InsertBulk(Box::new(InsertBulk { table, columns, options })))
    }

    /// A column as clients announce it: name, type, perhaps a collation.
    fn bulk_column(&mut self) -> SqlResult<ColumnDefinition> {
        let start = self.peek();
        let name = self.ident()?;
        let ty = self.column_type(&name)?;
        let mut column = ColumnDefinition::new(name, ColumnKind::Stored(ty));
        if self.eat(K::Collate) {
            column.collation = Some(self.ident()?);
        }
        column.nullable = self.nullability();
        column.span = self.span_from(start);
        Ok(column)
    }

    fn bulk_options(&mut self) -> SqlResult<Vec<BulkOption>> {
        match self.eat(K::With) {
            true => self.parenthesized(Parser::bulk_option),
            false => Ok(Vec::new()),
        }
    }

    /// An option of `OPENROWSET(BULK …)`: one about the file, not about a table.
    pub(super) fn rowset_option(&mut self) -> SqlResult<BulkOption> {
        match NOT_OF_ROWSETS.iter().any(|word| self.at_text(word)) {
            true => Err(self.unexpected()),
            false => self.bulk_option(),
        }
    }

    fn bulk_option(&mut self) -> SqlResult<BulkOption> {
        let start = self.peek();
        let kind = if let Some(kind) = self.find_word(SWITCHES) {
            self.take();
            kind
        } else if let Some(kind) = self.find_word(NUMBERS) {
            self.take();
            self.eat_equal();
            kind(self.integer()?)
        } else if let Some(kind) = self.find_word(STRINGS) {
            self.take();
            self.eat_equal();
            // `CODEPAGE = 65001` and `CODEPAGE = RAW` need no quotes.
            match self.peek().kind {
                TokenKind::Integer => kind(self.signed_number()?),
                _ => kind(self.ident_or_string()?.name.as_ref().into()),
            }
        } else if self.eat(K::Order) {
            let columns = self.parenthesized(|p| {
                let name = p.ident()?;
                Ok((name, p.descending()))
            })?;
            BulkOptionKind::Order { columns, unique: self.eat(K::Unique) }
        } else {
            return Err(self.unexpected());
        };
        Ok(BulkOption { span: self.span_from(start), kind })
    }
}
