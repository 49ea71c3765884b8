//! `SET` of session options, `USE`.

use base::{SqlError, SqlResult, message};

use super::Parser;
use super::stream::Words;
use crate::ast::{
    Expr, ExprKind, IsolationLevel, Literal, SetOption, StatementKind, StatisticsKind,
    SwitchOption, ValueOption,
};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

const SWITCHES: Words<SwitchOption> = &[
    ("ANSI_DEFAULTS", SwitchOption::AnsiDefaults),
    ("ANSI_NULLS", SwitchOption::AnsiNulls),
    ("ANSI_NULL_DFLT_OFF", SwitchOption::AnsiNullDfltOff),
    ("ANSI_NULL_DFLT_ON", SwitchOption::AnsiNullDfltOn),
    ("ANSI_PADDING", SwitchOption::AnsiPadding),
    ("ANSI_WARNINGS", SwitchOption::AnsiWarnings),
    ("ARITHABORT", SwitchOption::ArithAbort),
    ("ARITHIGNORE", SwitchOption::ArithIgnore),
    ("CONCAT_NULL_YIELDS_NULL", SwitchOption::ConcatNullYieldsNull),
    ("CURSOR_CLOSE_ON_COMMIT", SwitchOption::CursorCloseOnCommit),
    ("DISABLE_DEF_CNST_CHK", SwitchOption::DisableDefCnstChk),
    ("FMTONLY", SwitchOption::FmtOnly),
    ("FORCEPLAN", SwitchOption::ForcePlan),
    ("IMPLICIT_TRANSACTIONS", SwitchOption::ImplicitTransactions),
    ("NOCOUNT", SwitchOption::NoCount),
    ("NOEXEC", SwitchOption::NoExec),
    ("NO_BROWSETABLE", SwitchOption::NoBrowseTable),
    ("NUMERIC_ROUNDABORT", SwitchOption::NumericRoundAbort),
    ("PARSEONLY", SwitchOption::ParseOnly),
    ("QUOTED_IDENTIFIER", SwitchOption::QuotedIdentifier),
    ("REMOTE_PROC_TRANSACTIONS", SwitchOption::RemoteProcTransactions),
    ("RESULT_SET_CACHING", SwitchOption::ResultSetCaching),
    ("SHOWPLAN_ALL", SwitchOption::ShowPlanAll),
    ("SHOWPLAN_TEXT", SwitchOption::ShowPlanText),
    ("SHOWPLAN_XML", SwitchOption::ShowPlanXml),
    ("XACT_ABORT", SwitchOption::XactAbort),
];

const VALUES: Words<ValueOption> = &[
    ("CONTEXT_INFO", ValueOption::ContextInfo),
    ("DATEFIRST", ValueOption::DateFirst),
    ("DATEFORMAT", ValueOption::DateFormat),
    ("DEADLOCK_PRIORITY", ValueOption::DeadlockPriority),
    ("FIPS_FLAGGER", ValueOption::FipsFlagger),
    ("LANGUAGE", ValueOption::Language),
    ("LOCK_TIMEOUT", ValueOption::LockTimeout),
    ("QUERY_GOVERNOR_COST_LIMIT", ValueOption::QueryGovernorCostLimit),
    ("ROWCOUNT", ValueOption::RowCount),
    ("TEXTSIZE", ValueOption::TextSize),
];

const STATISTICS: Words<StatisticsKind> = &[
    ("IO", StatisticsKind::Io),
    ("PROFILE", StatisticsKind::Profile),
    ("TIME", StatisticsKind::Time),
    ("XML", StatisticsKind::Xml),
];

impl Parser<'_> {
    /// What follows `SET`, when it is not a variable.
    pub(super) fn set_option(&mut self) -> SqlResult<StatementKind> {
        let option = match self.peek().keyword {
            K::Transaction | K::Tran => {
                self.take();
                self.expect_words(&[K::Isolation, K::Level])?;
                SetOption::Isolation(self.session_isolation_level()?)
            }
            K::IdentityInsert => {
                self.take();
                let table = self.object_name()?;
                SetOption::IdentityInsert { table, on: self.on_off()? }
            }
            K::Statistics => {
                self.take();
                let kinds = self.list(|p| p.expect_word(STATISTICS))?;
                SetOption::Statistics { kinds, on: self.on_off()? }
            }
            K::Offsets => {
                self.take();
                self.list(|p| p.any_word())?;
                SetOption::Offsets { on: self.on_off()? }
            }
            _ => match self.find_word(VALUES) {
                Some(option) => {
                    self.take();
                    SetOption::Value { option, value: self.option_value()? }
                }
                None => self.set_switches()?,
            },
        };
        Ok(StatementKind::SetOption(Box::new(option)))
    }

    /// `a, b ON`. Error 195 for a name that is not an option.
    fn set_switches(&mut self) -> SqlResult<SetOption> {
        let options = self.list(|p| match p.find_word(SWITCHES) {
            Some(option) => {
                p.take();
                Ok(option)
            }
            None => Err(p.unknown_set_option()),
        })?;
        let on = self.on_off()?;
        if options.contains(&SwitchOption::QuotedIdentifier)
            || options.contains(&SwitchOption::AnsiDefaults)
        {
            self.set_quoted_identifier(on);
        }
        Ok(SetOption::Switch { options, on })
    }

    fn unknown_set_option(&self) -> SqlError {
        let token = self.peek();
        if token.kind != TokenKind::Word || token.keyword.is_reserved() {
            return self.unexpected();
        }
        SqlError::new(&message::NOT_RECOGNIZED, &[&self.text_of(token), &"SET option"])
            .with_state(5)
            .at_line(token.span.line)
    }

    /// A constant, a word (as a string, which no code page cuts short) or a variable.
    fn option_value(&mut self) -> SqlResult<Expr> {
        let token = self.peek();
        if self.at(K::Off) || self.at_ident() {
            let name = self.take_ident()?.name;
            let literal = if name.is_ascii() { Literal::String } else { Literal::National };
            return Ok(Expr { span: token.span, kind: ExprKind::Literal(literal(name)) });
        }
        self.constant_or_variable()
    }

    /// The words of a session's isolation level, SAP ASE's among them.
    fn session_isolation_level(&mut self) -> SqlResult<IsolationLevel> {
        const LEVELS: Words<IsolationLevel> = &[
            ("STATEMENT", IsolationLevel::StatementSnapshot),
            ("TRANSACTION", IsolationLevel::Snapshot),
        ];
        let Some(level) = self.find_word(LEVELS) else { return self.isolation_level() };
        self.take();
        self.expect_word(&[("SNAPSHOT", level)])
    }

    /// The words of an isolation level.
    pub(super) fn isolation_level(&mut self) -> SqlResult<IsolationLevel> {
        if self.eat(K::Read) {
            return self.expect_word(&[
                ("COMMITTED", IsolationLevel::ReadCommitted),
                ("UNCOMMITTED", IsolationLevel::ReadUncommitted),
            ]);
        }
        if self.eat(K::Repeatable) {
            self.expect(K::Read)?;
            return Ok(IsolationLevel::RepeatableRead);
        }
        self.expect_word(&[
            ("SNAPSHOT", IsolationLevel::Snapshot),
            ("SERIALIZABLE", IsolationLevel::Serializable),
        ])
    }

    pub(super) fn use_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Use)?;
        Ok(StatementKind::Use(self.ident()?))
    }
}
