//! Backups, `DBCC`, `KILL`, the resource governor, the server's configuration.

use base::SqlResult;

use super::Parser;
use crate::ast::{
    Backup, BackupAction, BackupDevice, BackupOption, BackupPart, CreateAction, DatabaseOption,
    Dbcc, Expr, ExprKind, Kill, Literal, NameOrVariable, OptionValue, ResourceGovernor,
    ServerConfiguration, StatementKind,
};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

impl Parser<'_> {
    pub(super) fn backup_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Backup)?;
        let action = self.expect_word(&[
            ("DATABASE", BackupAction::BackupDatabase),
            ("LOG", BackupAction::BackupLog),
            ("TRAN", BackupAction::BackupLog),
            ("TRANSACTION", BackupAction::BackupLog),
        ])?;
        let database = Some(self.name_or_variable()?);
        let parts = self.backup_parts()?;
        self.expect(K::To)?;
        let devices = self.list(Parser::backup_device)?;
        let options = self.backup_options()?;
        let backup = Backup { action, database, parts, devices, options };
        Ok(StatementKind::Backup(Box::new(backup)))
    }

    pub(super) fn restore_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Restore)?;
        let action = self.expect_word(&[
            ("DATABASE", BackupAction::RestoreDatabase),
            ("LOG", BackupAction::RestoreLog),
            ("TRAN", BackupAction::RestoreLog),
            ("TRANSACTION", BackupAction::RestoreLog),
            ("FILELISTONLY", BackupAction::RestoreFileListOnly),
            ("HEADERONLY", BackupAction::RestoreHeaderOnly),
            ("LABELONLY", BackupAction::RestoreLabelOnly),
            ("REWINDONLY", BackupAction::RestoreRewindOnly),
            ("VERIFYONLY", BackupAction::RestoreVerifyOnly),
        ])?;
        let named = matches!(action, BackupAction::RestoreDatabase | BackupAction::RestoreLog);
        let database = if named { Some(self.name_or_variable()?) } else { None };
        let parts = self.backup_parts()?;
        // A database that was left restoring is recovered without a device.
        let devices = match self.eat(K::From) {
            true => self.list(Parser::backup_device)?,
            false if named => Vec::new(),
            false => return Err(self.unexpected()),
        };
        let options = self.backup_options()?;
        let backup = Backup { action, database, parts, devices, options };
        Ok(StatementKind::Backup(Box::new(backup)))
    }

    fn name_or_variable(&mut self) -> SqlResult<NameOrVariable> {
        match self.at_token(TokenKind::Variable) {
            true => Ok(NameOrVariable::Variable(self.variable()?)),
            false => Ok(NameOrVariable::Name(self.ident()?)),
        }
    }

    /// `FILE = 'a', FILEGROUP = 'b'`, `READ_WRITE_FILEGROUPS`.
    fn backup_parts(&mut self) -> SqlResult<Vec<BackupPart>> {
        let has_parts = matches!(self.peek().keyword, K::File | K::FileGroup)
            || self.at_text("PAGE")
            || self.at_text("READ_WRITE_FILEGROUPS");
        if !has_parts {
            return Ok(Vec::new());
        }
        self.list(|p| {
            let kind = p.any_word()?;
            let value = match p.eat_token(TokenKind::Equal) {
                true => Some(p.string()?),
                false => None,
            };
            Ok(BackupPart { kind, value })
        })
    }

    /// `DISK = 'path'`, or a logical device.
    fn backup_device(&mut self) -> SqlResult<BackupDevice> {
        let mut kind = None;
        if self.peek_at(1).kind == TokenKind::Equal {
            kind = Some(self.any_word()?);
            self.take();
        }
        Ok(BackupDevice { kind, name: self.primary_scalar()? })
    }

    fn backup_options(&mut self) -> SqlResult<Vec<BackupOption>> {
        match self.eat(K::With) {
            true => self.list(Parser::backup_option),
            false => Ok(Vec::new()),
        }
    }

    fn backup_option(&mut self) -> SqlResult<BackupOption> {
        let start = self.peek();
        let name = self.any_word()?;
        let mut value = None;
        let mut second = None;
        if &*name == "MOVE" {
            value = Some(self.primary_scalar()?);
            self.expect(K::To)?;
            second = Some(self.primary_scalar()?);
        } else if self.eat_token(TokenKind::Equal) {
            value = Some(self.primary_scalar()?);
            if self.eat(K::After) {
                second = Some(self.primary_scalar()?);
            }
        }
        Ok(BackupOption { span: self.span_from(start), name, value, second })
    }

    pub(super) fn dbcc_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Dbcc)?;
        let word = self.peek();
        let command = self.any_word()?;
        let mut arguments = Vec::new();
        if self.eat_token(TokenKind::LeftParen) && !self.eat_token(TokenKind::RightParen) {
            arguments = self.list(Parser::dbcc_argument)?;
            self.expect_token(TokenKind::RightParen)?;
        }
        let mut options = Vec::new();
        if self.eat(K::With) {
            options = self.list(|p| {
                let option = p.any_word()?;
                if p.eat_token(TokenKind::Equal) {
                    p.signed_number()?;
                }
                Ok(option)
            })?;
        }
        let command_span = word.span;
        Ok(StatementKind::Dbcc(Box::new(Dbcc { command, command_span, arguments, options })))
    }

    /// A value, or a bare word, which may be reserved.
    fn dbcc_argument(&mut self) -> SqlResult<Expr> {
        let token = self.peek();
        let ends = matches!(self.peek_at(1).kind, TokenKind::Comma | TokenKind::RightParen);
        if token.keyword.is_reserved() && token.keyword != K::Null && ends {
            let column = self.take_ident()?;
            let kind = ExprKind::Column(crate::ast::ColumnRef { qualifier: None, column });
            return Ok(Expr { span: token.span, kind });
        }
        self.scalar()
    }

    pub(super) fn kill_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Kill)?;
        let negative = self.eat_token(TokenKind::Minus);
        let target = match (self.literal()?.0, negative) {
            (Literal::Integer(id), true) => Literal::Integer(-id),
            (target @ (Literal::Integer(_) | Literal::String(_) | Literal::National(_)), false) => {
                target
            }
            _ => return Err(self.unexpected_last()),
        };
        let status_only = self.eat_words(&[K::With, K::StatusOnly]);
        Ok(StatementKind::Kill(Box::new(Kill { target, status_only })))
    }

    pub(super) fn checkpoint_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Checkpoint)?;
        let duration = match self.peek().kind {
            TokenKind::Integer | TokenKind::Variable => Some(Box::new(self.primary_scalar()?)),
            _ => None,
        };
        Ok(StatementKind::Checkpoint(duration))
    }

    pub(super) fn reconfigure_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Reconfigure)?;
        let with_override = self.eat_words(&[K::With, K::Override]);
        Ok(StatementKind::Reconfigure { with_override })
    }

    pub(super) fn shutdown_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Shutdown)?;
        let no_wait = self.eat_words(&[K::With, K::NoWait]);
        Ok(StatementKind::Shutdown { no_wait })
    }

    pub(super) fn create_resource(&mut self) -> SqlResult<StatementKind> {
        self.resource(CreateAction::Create)
    }

    pub(super) fn alter_resource(&mut self) -> SqlResult<StatementKind> {
        match self.at_words(&[K::Resource, K::Governor]) {
            true => self.resource_governor(),
            false => self.resource(CreateAction::Alter),
        }
    }

    /// `RESOURCE POOL name WITH (…)`, `WORKLOAD GROUP name WITH (…) USING pool`.
    fn resource(&mut self, action: CreateAction) -> SqlResult<StatementKind> {
        let statement = match self.eat(K::Workload) {
            true => {
                self.expect(K::Group)?;
                let name = self.ident()?;
                let options = self.pool_options()?;
                let mut pools = Vec::new();
                if self.eat(K::Using) {
                    pools = self.list(|p| {
                        p.eat(K::External);
                        p.ident()
                    })?;
                }
                ResourceGovernor::Group { action, name, options, pools }
            }
            false => {
                let external = self.eat(K::External);
                self.expect_words(&[K::Resource, K::Pool])?;
                let name = self.ident()?;
                let options = self.pool_options()?;
                ResourceGovernor::Pool { action, external, name, options }
            }
        };
        Ok(StatementKind::ResourceGovernor(Box::new(statement)))
    }

    fn pool_options(&mut self) -> SqlResult<Vec<DatabaseOption>> {
        match self.eat(K::With) {
            true => self.parenthesized(Parser::spaced_option),
            false => Ok(Vec::new()),
        }
    }

    /// An option whose name may have several words: `AFFINITY SCHEDULER = AUTO`.
    fn spaced_option(&mut self) -> SqlResult<DatabaseOption> {
        let start = self.peek();
        let mut name = String::from(self.any_word()?);
        while self.at_token(TokenKind::Word) {
            name.push(' ');
            name.push_str(&self.any_word()?);
        }
        let value = self.option_setting()?;
        Ok(DatabaseOption { span: self.span_from(start), name: name.into(), value })
    }

    pub(super) fn drop_resource(&mut self) -> SqlResult<StatementKind> {
        let statement = match self.eat(K::Workload) {
            true => {
                self.expect(K::Group)?;
                ResourceGovernor::DropGroup(self.ident()?)
            }
            false => {
                let external = self.eat(K::External);
                self.expect_words(&[K::Resource, K::Pool])?;
                ResourceGovernor::DropPool { external, name: self.ident()? }
            }
        };
        Ok(StatementKind::ResourceGovernor(Box::new(statement)))
    }

    fn resource_governor(&mut self) -> SqlResult<StatementKind> {
        self.expect_words(&[K::Resource, K::Governor])?;
        let statement = match self.peek().keyword {
            K::Reconfigure => {
                self.take();
                ResourceGovernor::Reconfigure
            }
            K::Disable => {
                self.take();
                ResourceGovernor::Disable
            }
            K::Reset => {
                self.expect_words(&[K::Reset, K::Statistics])?;
                ResourceGovernor::ResetStatistics
            }
            K::With => {
                self.take();
                ResourceGovernor::Set(self.parenthesized(Parser::governor_option)?)
            }
            _ => return Err(self.unexpected()),
        };
        Ok(StatementKind::ResourceGovernor(Box::new(statement)))
    }

    /// `CLASSIFIER_FUNCTION = dbo.f`, `CLASSIFIER_FUNCTION = NULL`, `MAX_OUTSTANDING_IO… = n`.
    fn governor_option(&mut self) -> SqlResult<DatabaseOption> {
        let start = self.peek();
        let name = self.any_word()?;
        if &*name != "CLASSIFIER_FUNCTION" {
            let value = self.option_setting()?;
            return Ok(DatabaseOption { span: self.span_from(start), name, value });
        }
        self.expect_token(TokenKind::Equal)?;
        let value = match self.eat(K::Null) {
            true => OptionValue::None,
            false => OptionValue::String(self.object_name()?.to_string().into()),
        };
        Ok(DatabaseOption { span: self.span_from(start), name, value })
    }

    /// `ALTER SERVER CONFIGURATION SET name value`, from `SERVER` on.
    pub(super) fn server_configuration(&mut self) -> SqlResult<StatementKind> {
        self.expect_words(&[K::Server, K::Configuration, K::Set])?;
        let mut name = String::from(self.any_word()?);
        while self.at_token(TokenKind::Word) && !matches!(self.peek().keyword, K::On | K::Off) {
            name.push(' ');
            name.push_str(&self.any_word()?);
        }
        let value = match name.starts_with("PROCESS AFFINITY") {
            true => self.processors()?,
            false => self.option_setting()?,
        };
        let statement = ServerConfiguration { name: name.into(), value };
        Ok(StatementKind::ServerConfiguration(Box::new(statement)))
    }

    /// `= AUTO`, `= 0 TO 3, 8`.
    fn processors(&mut self) -> SqlResult<OptionValue> {
        self.expect_token(TokenKind::Equal)?;
        if self.eat(K::Auto) {
            return Ok(OptionValue::Word("AUTO".into()));
        }
        let start = self.peek();
        self.list(|p| {
            p.integer::<u32>()?;
            match p.eat(K::To) {
                true => p.integer::<u32>().map(drop),
                false => Ok(()),
            }
        })?;
        Ok(OptionValue::Word(self.span_from(start).text(self.text).into()))
    }
}
