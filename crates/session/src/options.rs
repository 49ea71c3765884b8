//! What `SET` sets: the options of a session, and which of them a compiled statement depends on.

use base::datetime::{DateSettings, Language, US_ENGLISH};
use compile::lower;
use engine::catalog::def::DatabaseOptions;
use ir::function::facts::Settings;
use tsql::ast::{IsolationLevel, SwitchOption};

/// The options of a session. A module that changes them changes them for itself: the caller's come
/// back when it returns.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of its own in T-SQL")]
pub struct Options {
    /// Those that functions show.
    pub settings: Settings,
    /// `LANGUAGE`, `DATEFORMAT`, `DATEFIRST`.
    pub dates: DateSettings,
    /// `TRANSACTION ISOLATION LEVEL`.
    pub isolation: IsolationLevel,
    /// `ROWCOUNT`; 0 for no limit.
    pub row_limit: u64,
    /// `FMTONLY`: columns are announced and nothing is done.
    pub format_only: bool,
    /// `NOEXEC`: statements are compiled and not run.
    pub no_exec: bool,
    /// `PARSEONLY`: batches are parsed and nothing else.
    pub parse_only: bool,
    /// `DEADLOCK_PRIORITY`, -10 to 10.
    pub deadlock_priority: i8,
    /// `STATISTICS IO`
    pub statistics_io: bool,
    /// `STATISTICS TIME`
    pub statistics_time: bool,
    /// `STATISTICS PROFILE`: plans follow what statements return.
    pub statistics_profile: bool,
    /// `STATISTICS XML`: the same as XML.
    pub statistics_xml: bool,
    /// `SHOWPLAN_TEXT`, `SHOWPLAN_ALL`, `SHOWPLAN_XML`: statements are planned and their plans are
    /// shown.
    pub show_plan: Option<ShowPlan>,
    /// `FORCEPLAN`
    pub force_plan: bool,
    /// Security policies hide no rows: the server reads for itself, as for `DBCC`.
    pub sees_all_rows: bool,
    /// Those that are the database's, as neither the login nor `SET` has set them.
    inherited: Inherited,
}

/// The options that a database has too: what it says holds for sessions that have not set them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Inherited(u8);

impl Inherited {
    const ALL: [SwitchOption; 8] = [
        SwitchOption::AnsiNulls,
        SwitchOption::AnsiPadding,
        SwitchOption::AnsiWarnings,
        SwitchOption::QuotedIdentifier,
        SwitchOption::ConcatNullYieldsNull,
        SwitchOption::CursorCloseOnCommit,
        SwitchOption::ArithAbort,
        SwitchOption::NumericRoundAbort,
    ];

    /// Those that a login of this kind leaves to the database.
    fn at_login(client: ClientKind) -> Inherited {
        match client {
            ClientKind::DbLibrary => Inherited(u8::MAX),
            // What stands for the ANSI options sets all others.
            ClientKind::Odbc => Inherited(0b1100_0000),
        }
    }

    /// The options that are left to the database.
    fn options(self) -> impl Iterator<Item = SwitchOption> {
        let at_places = Self::ALL.into_iter().enumerate();
        at_places.filter(move |(at, _)| self.0 & (1 << at) != 0).map(|(_, option)| option)
    }

    /// `SET` has set an option.
    fn forget(&mut self, option: SwitchOption) {
        if let Some(at) = Self::ALL.iter().position(|own| *own == option) {
            self.0 &= !(1 << at);
        }
    }
}

/// What a database says of an option.
fn in_database(database: &DatabaseOptions, option: SwitchOption) -> bool {
    match option {
        SwitchOption::AnsiNulls => database.ansi_nulls,
        SwitchOption::AnsiPadding => database.ansi_padding,
        SwitchOption::AnsiWarnings => database.ansi_warnings,
        SwitchOption::QuotedIdentifier => database.quoted_identifier,
        SwitchOption::ConcatNullYieldsNull => database.concat_null_yields_null,
        SwitchOption::CursorCloseOnCommit => database.cursor_close_on_commit,
        SwitchOption::ArithAbort => database.arithabort,
        SwitchOption::NumericRoundAbort => database.numeric_roundabort,
        _ => false,
    }
}

/// How plans are shown in the place of what statements do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShowPlan {
    /// `SHOWPLAN_TEXT`: operators as text.
    Text,
    /// `SHOWPLAN_ALL`: operators with estimates, a row for each.
    All,
    /// `SHOWPLAN_XML`: a document for a batch.
    Xml,
}

/// By what kind of client library the options of a login are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClientKind {
    /// ODBC and all that says it is: the ANSI options are on.
    Odbc,
    /// DB-Library: everything is off.
    DbLibrary,
}

impl Options {
    /// What a session starts with.
    pub fn at_login(client: ClientKind, language: &'static Language) -> Options {
        let ansi = client == ClientKind::Odbc;
        Options {
            settings: Settings {
                ansi_warnings: ansi,
                ansi_padding: ansi,
                ansi_nulls: ansi,
                quoted_identifier: ansi,
                ansi_null_default_on: ansi,
                concat_null_yields_null: ansi,
                textsize: if ansi { i32::MAX } else { 4096 },
                lock_timeout: -1,
                ..Settings::default()
            },
            dates: DateSettings::of(language),
            isolation: IsolationLevel::ReadCommitted,
            row_limit: 0,
            format_only: false,
            no_exec: false,
            parse_only: false,
            deadlock_priority: 0,
            statistics_io: false,
            statistics_time: false,
            statistics_profile: false,
            statistics_xml: false,
            show_plan: None,
            force_plan: false,
            sees_all_rows: false,
            inherited: Inherited::at_login(client),
        }
    }

    /// Whether overflow and division by zero give NULL instead of an error.
    pub fn arithmetic_errors_are_null(&self) -> bool {
        !self.settings.arithabort && !self.settings.ansi_warnings
    }

    /// What compiling a statement depends on.
    pub fn compile(&self) -> CompileOptions {
        let s = &self.settings;
        let mut bits = 0;
        let switches = [
            (s.quoted_identifier, CompileOptions::QUOTED_IDENTIFIER),
            (s.ansi_nulls, CompileOptions::ANSI_NULLS),
            (s.ansi_warnings, CompileOptions::ANSI_WARNINGS),
            (s.ansi_padding, CompileOptions::ANSI_PADDING),
            (s.arithabort, CompileOptions::ARITHABORT),
            (s.numeric_roundabort, CompileOptions::NUMERIC_ROUNDABORT),
            (s.concat_null_yields_null, CompileOptions::CONCAT_NULL_YIELDS_NULL),
            (self.force_plan, CompileOptions::FORCE_PLAN),
            (self.sees_all_rows, CompileOptions::SEES_ALL_ROWS),
        ];
        for (_, bit) in switches.into_iter().filter(|(is_on, _)| *is_on) {
            bits |= bit;
        }
        CompileOptions { bits, dates: self.dates }
    }

    /// Takes what the session has not set from its database.
    pub fn inherit(&mut self, database: &DatabaseOptions) {
        for option in self.inherited.options() {
            self.put(option, in_database(database, option));
        }
    }

    /// `SET option ON` or `OFF`, for the options that are nothing but a switch.
    pub fn switch(&mut self, option: SwitchOption, on: bool) {
        use SwitchOption as S;
        match option {
            S::AnsiDefaults => [
                S::AnsiNulls,
                S::AnsiPadding,
                S::AnsiWarnings,
                S::CursorCloseOnCommit,
                S::QuotedIdentifier,
            ]
            .into_iter()
            .for_each(|own| self.inherited.forget(own)),
            own => self.inherited.forget(own),
        }
        self.put(option, on);
    }

    fn put(&mut self, option: SwitchOption, on: bool) {
        use SwitchOption as S;
        let s = &mut self.settings;
        match option {
            S::AnsiDefaults => {
                s.ansi_nulls = on;
                s.ansi_null_default_on = on;
                s.ansi_null_default_off &= !on;
                s.ansi_padding = on;
                s.ansi_warnings = on;
                s.cursor_close_on_commit = on;
                s.implicit_transactions = on;
                s.quoted_identifier = on;
            }
            S::AnsiNullDfltOff => {
                s.ansi_null_default_off = on;
                s.ansi_null_default_on &= !on;
            }
            S::AnsiNullDfltOn => {
                s.ansi_null_default_on = on;
                s.ansi_null_default_off &= !on;
            }
            S::AnsiNulls => s.ansi_nulls = on,
            S::AnsiPadding => s.ansi_padding = on,
            S::AnsiWarnings => s.ansi_warnings = on,
            S::ArithAbort => s.arithabort = on,
            S::ArithIgnore => s.arithignore = on,
            S::ConcatNullYieldsNull => s.concat_null_yields_null = on,
            S::CursorCloseOnCommit => s.cursor_close_on_commit = on,
            S::FmtOnly => self.format_only = on,
            S::ForcePlan => self.force_plan = on,
            S::ImplicitTransactions => s.implicit_transactions = on,
            S::NoCount => s.nocount = on,
            S::NoExec => self.no_exec = on,
            S::NumericRoundAbort => s.numeric_roundabort = on,
            S::ParseOnly => self.parse_only = on,
            S::QuotedIdentifier => s.quoted_identifier = on,
            S::ShowPlanAll => self.show_plan = on.then_some(ShowPlan::All),
            S::ShowPlanText => self.show_plan = on.then_some(ShowPlan::Text),
            S::ShowPlanXml => self.show_plan = on.then_some(ShowPlan::Xml),
            S::XactAbort => s.xact_abort = on,
            // Obsolete, and without any effect in SQL Server too.
            S::DisableDefCnstChk
            | S::NoBrowseTable
            | S::RemoteProcTransactions
            | S::ResultSetCaching => {}
        }
    }

    /// `SET LANGUAGE`, which sets the others' defaults too, unless the language is in force.
    pub fn set_language(&mut self, language: &'static Language) {
        if self.dates.language.id == language.id {
            return;
        }
        let two_digit_year_cutoff = self.dates.two_digit_year_cutoff;
        self.dates = DateSettings { two_digit_year_cutoff, ..DateSettings::of(language) };
    }
}

impl Default for Options {
    fn default() -> Options {
        Options::at_login(ClientKind::Odbc, &US_ENGLISH)
    }
}

/// What compiling a statement depends on: part of the keys of plan caches.
#[derive(Clone, Copy, Debug)]
pub struct CompileOptions {
    bits: u16,
    /// By which constants are read as dates.
    pub dates: DateSettings,
}

impl CompileOptions {
    const QUOTED_IDENTIFIER: u16 = 1;
    const ANSI_NULLS: u16 = 1 << 1;
    const ANSI_WARNINGS: u16 = 1 << 2;
    const ANSI_PADDING: u16 = 1 << 3;
    const ARITHABORT: u16 = 1 << 4;
    const NUMERIC_ROUNDABORT: u16 = 1 << 5;
    const CONCAT_NULL_YIELDS_NULL: u16 = 1 << 6;
    const FORCE_PLAN: u16 = 1 << 7;
    const SEES_ALL_ROWS: u16 = 1 << 8;

    /// `QUOTED_IDENTIFIER`
    pub fn quoted_identifier(self) -> bool {
        self.bits & Self::QUOTED_IDENTIFIER != 0
    }

    /// `ANSI_NULLS`
    pub fn ansi_nulls(self) -> bool {
        self.bits & Self::ANSI_NULLS != 0
    }

    /// `ANSI_WARNINGS`
    pub fn ansi_warnings(self) -> bool {
        self.bits & Self::ANSI_WARNINGS != 0
    }

    /// `CONCAT_NULL_YIELDS_NULL`
    pub fn concat_null_yields_null(self) -> bool {
        self.bits & Self::CONCAT_NULL_YIELDS_NULL != 0
    }

    /// `ANSI_PADDING`
    pub fn ansi_padding(self) -> bool {
        self.bits & Self::ANSI_PADDING != 0
    }

    /// `ARITHABORT`, which `ANSI_WARNINGS` includes.
    pub fn arithabort(self) -> bool {
        self.bits & (Self::ARITHABORT | Self::ANSI_WARNINGS) != 0
    }

    /// `NUMERIC_ROUNDABORT`
    pub fn numeric_roundabort(self) -> bool {
        self.bits & Self::NUMERIC_ROUNDABORT != 0
    }

    /// `FORCEPLAN`
    pub fn force_plan(self) -> bool {
        self.bits & Self::FORCE_PLAN != 0
    }

    /// Whether the server reads for itself, whatever security policies hide.
    pub fn sees_all_rows(self) -> bool {
        self.bits & Self::SEES_ALL_ROWS != 0
    }

    /// Whether overflow and division by zero give NULL instead of an error.
    pub fn arithmetic_errors_are_null(self) -> bool {
        self.bits & (Self::ARITHABORT | Self::ANSI_WARNINGS) == 0
    }

    /// How plans become units.
    pub fn lowering(self) -> lower::Options {
        let arithmetic_errors_are_null = self.arithmetic_errors_are_null();
        let numeric_roundabort = self.numeric_roundabort();
        lower::Options { arithmetic_errors_are_null, numeric_roundabort, counts_operators: false }
    }

    /// A module's own `ANSI_NULLS` and `QUOTED_IDENTIFIER` in place of the session's.
    #[must_use]
    pub fn of_module(self, ansi_nulls: bool, quoted_identifier: bool) -> CompileOptions {
        let mut bits = self.bits & !(Self::ANSI_NULLS | Self::QUOTED_IDENTIFIER);
        bits |= if ansi_nulls { Self::ANSI_NULLS } else { 0 };
        bits |= if quoted_identifier { Self::QUOTED_IDENTIFIER } else { 0 };
        CompileOptions { bits, ..self }
    }

    /// All of it in one number: equal for options that compile alike.
    pub fn key(self) -> u64 {
        u64::from(self.bits)
            | u64::from(self.dates.first_day) << 16
            | (self.dates.order as u64) << 24
            | (self.dates.language.id as u16 as u64) << 32
            | (self.dates.two_digit_year_cutoff as u16 as u64) << 48
    }
}

impl PartialEq for CompileOptions {
    fn eq(&self, other: &CompileOptions) -> bool {
        self.key() == other.key()
    }
}

impl Eq for CompileOptions {}

impl std::hash::Hash for CompileOptions {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

#[cfg(test)]
mod tests;
