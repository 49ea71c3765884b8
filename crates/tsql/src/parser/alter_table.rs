//! `ALTER TABLE`.

use base::SqlResult;

use super::Parser;
use crate::ast::{
    AlterColumn, AlterTable, AlterTableAction, AlterTableDrop, AlterTableDropKind, ColumnChange,
    ColumnProperty, Expr, Ident, IndexOption, StatementKind,
};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

impl Parser<'_> {
    /// `ALTER TABLE`, from `TABLE` on.
    pub(super) fn alter_table(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Table)?;
        let table = self.object_name()?;
        let action = self.alter_table_action()?;
        Ok(StatementKind::AlterTable(Box::new(AlterTable { table, action })))
    }

    fn alter_table_action(&mut self) -> SqlResult<AlterTableAction> {
        let check = match (self.peek().keyword, self.peek_at(1).keyword) {
            (K::With, K::Check) => Some(true),
            (K::With, K::NoCheck) => Some(false),
            _ => None,
        };
        if check.is_some() {
            self.take();
            self.take();
        }
        match self.peek().keyword {
            K::Add => {
                self.take();
                Ok(AlterTableAction::Add { check, elements: self.list(Parser::table_element)? })
            }
            K::Check | K::NoCheck => {
                let enable = self.take().keyword == K::Check;
                self.expect(K::Constraint)?;
                let names = self.names_or_all()?;
                Ok(AlterTableAction::ToggleConstraint { check, enable, names })
            }
            _ if check.is_some() => Err(self.unexpected()),
            K::Alter => self.alter_table_alter(),
            K::Drop => {
                self.take();
                self.alter_table_drop()
            }
            K::Enable | K::Disable => self.alter_table_toggle(),
            K::Rebuild => {
                self.take();
                let partition = self.rebuild_partition()?;
                Ok(AlterTableAction::Rebuild { partition, options: self.index_options()? })
            }
            K::Switch => self.alter_table_switch(),
            K::Set => {
                self.take();
                let options = match self.at_token(TokenKind::LeftParen) {
                    true => self.parenthesized(Parser::table_option)?,
                    false => self.list(Parser::ase_table_option)?,
                };
                Ok(AlterTableAction::Set(options))
            }
            _ if self.at_text("LOCK") => Ok(AlterTableAction::Set(vec![self.lock_scheme()?])),
            _ => Err(self.unexpected()),
        }
    }

    /// `ALL` (empty) or names.
    fn names_or_all(&mut self) -> SqlResult<Vec<Ident>> {
        match self.eat(K::All) {
            true => Ok(Vec::new()),
            false => self.list(Parser::ident),
        }
    }

    /// `ALTER COLUMN …`, `ALTER INDEX name REBUILD …`.
    fn alter_table_alter(&mut self) -> SqlResult<AlterTableAction> {
        let start = self.expect(K::Alter)?;
        if self.eat(K::Index) {
            let index = self.ident()?;
            self.expect(K::Rebuild)?;
            return Ok(AlterTableAction::RebuildIndex { index, options: self.index_options()? });
        }
        self.expect(K::Column)?;
        let name = self.ident()?;
        let change = match self.peek().keyword {
            K::Add | K::Drop => self.column_property_change()?,
            _ => {
                let ty = self.data_type()?;
                let collation = match self.eat(K::Collate) {
                    true => Some(self.ident()?),
                    false => None,
                };
                let sparse = self.eat(K::Sparse);
                let masked = match self.at(K::Masked) {
                    true => Some(self.masked()?),
                    false => None,
                };
                let nullable = self.nullability();
                let sparse = sparse || self.eat(K::Sparse);
                ColumnChange::Type { ty, collation, masked, nullable, sparse }
            }
        };
        let mut online = None;
        if self.at(K::With) && self.peek_at(1).kind == TokenKind::LeftParen {
            self.take();
            self.take();
            self.expect(K::Online)?;
            self.expect_token(TokenKind::Equal)?;
            online = Some(self.on_off()?);
            self.expect_token(TokenKind::RightParen)?;
        }
        let column = AlterColumn { span: self.span_from(start), name, change, online };
        Ok(AlterTableAction::AlterColumn(Box::new(column)))
    }

    fn column_property_change(&mut self) -> SqlResult<ColumnChange> {
        let add = self.take().keyword == K::Add;
        let property = match self.peek().keyword {
            K::Not => {
                self.expect_words(&[K::Not, K::For, K::Replication])?;
                return Ok(ColumnChange::Property(add, ColumnProperty::NotForReplication));
            }
            K::Masked if add => {
                return Ok(ColumnChange::Property(
                    add,
                    ColumnProperty::Masked(Some(self.masked()?)),
                ));
            }
            K::RowGuidCol => ColumnProperty::RowGuidCol,
            K::Persisted => ColumnProperty::Persisted,
            K::Sparse => ColumnProperty::Sparse,
            K::Hidden => ColumnProperty::Hidden,
            K::Masked => ColumnProperty::Masked(None),
            _ => return Err(self.unexpected()),
        };
        self.take();
        Ok(ColumnChange::Property(add, property))
    }

    /// `CONSTRAINT a, b, COLUMN c, d`: a kind holds until the next one.
    fn alter_table_drop(&mut self) -> SqlResult<AlterTableAction> {
        let mut kind = AlterTableDropKind::Constraint;
        let mut if_exists = false;
        let drops = self.list(|p| {
            let given = match p.peek().keyword {
                K::Constraint => Some(AlterTableDropKind::Constraint),
                K::Column => Some(AlterTableDropKind::Column),
                K::Index => Some(AlterTableDropKind::Index),
                K::Period if p.peek_at(1).keyword == K::For => Some(AlterTableDropKind::Period),
                _ => None,
            };
            if let Some(given) = given {
                p.take();
                kind = given;
                if_exists = p.if_exists()?;
            }
            if kind == AlterTableDropKind::Period {
                p.expect(K::For)?;
            }
            let name = p.ident()?;
            let options = p.drop_options()?;
            Ok(AlterTableDrop { kind, if_exists, name, options })
        })?;
        Ok(AlterTableAction::Drop(drops))
    }

    /// `WITH (ONLINE = ON, MOVE TO x)` after a dropped constraint.
    fn drop_options(&mut self) -> SqlResult<Vec<IndexOption>> {
        match self.at(K::With) && self.peek_at(1).kind == TokenKind::LeftParen {
            true => self.index_options(),
            false => Ok(Vec::new()),
        }
    }

    /// `IF EXISTS`, if it is there.
    pub(super) fn if_exists(&mut self) -> SqlResult<bool> {
        let found = self.eat(K::If);
        if found {
            self.expect(K::Exists)?;
        }
        Ok(found)
    }

    /// `ENABLE TRIGGER …`, `DISABLE CHANGE_TRACKING`.
    fn alter_table_toggle(&mut self) -> SqlResult<AlterTableAction> {
        let enable = self.take().keyword == K::Enable;
        if self.eat(K::ChangeTracking) {
            let mut columns = false;
            if enable && self.at(K::With) && self.peek_at(1).kind == TokenKind::LeftParen {
                self.take();
                self.expect_token(TokenKind::LeftParen)?;
                self.expect_word(&[("TRACK_COLUMNS_UPDATED", ())])?;
                self.expect_token(TokenKind::Equal)?;
                columns = self.on_off()?;
                self.expect_token(TokenKind::RightParen)?;
            }
            return Ok(AlterTableAction::ChangeTracking { enable, columns });
        }
        self.expect(K::Trigger)?;
        Ok(AlterTableAction::ToggleTrigger { enable, names: self.names_or_all()? })
    }

    /// `PARTITION = ALL`, `PARTITION = n`, if it is there.
    pub(super) fn rebuild_partition(&mut self) -> SqlResult<Option<Expr>> {
        if !self.eat(K::Partition) {
            return Ok(None);
        }
        self.expect_token(TokenKind::Equal)?;
        match self.eat(K::All) {
            true => Ok(None),
            false => Ok(Some(self.scalar()?)),
        }
    }

    fn alter_table_switch(&mut self) -> SqlResult<AlterTableAction> {
        self.expect(K::Switch)?;
        let partition = match self.eat(K::Partition) {
            true => Some(self.scalar()?),
            false => None,
        };
        self.expect(K::To)?;
        let target = self.object_name()?;
        let target_partition = match self.eat(K::Partition) {
            true => Some(self.scalar()?),
            false => None,
        };
        Ok(AlterTableAction::Switch { partition, target, target_partition })
    }
}
