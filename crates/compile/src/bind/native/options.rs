//! The options of natively compiled modules and of their atomic blocks.

use base::datetime::{DateOrder, DateSettings, Language};
use base::{SqlError, message};
use ir::read::Isolation;
use tsql::ast::{self, AtomicOptionKind, ModuleOptionKind};

use super::{misplaced_with, not_supported};
use crate::bind::context::BindResult;

/// The options and the body of a module.
pub(super) fn parts_of(tree: &ast::Module) -> (&[ast::ModuleOption], &[ast::Statement]) {
    match tree {
        ast::Module::Procedure(p) => (&p.options, &p.body),
        ast::Module::Function(f) => match &f.body {
            ast::FunctionBody::Scalar { body, .. } => (&f.options, body),
            _ => (&f.options, &[]),
        },
        ast::Module::Trigger(t) => (&t.options, &t.body),
        ast::Module::View(v) => (&v.options, &[]),
    }
}

/// Checks the options of a native module: it needs `SCHEMABINDING`. Errors 10794, 10796.
pub(super) fn check_options(options: &[ast::ModuleOption]) -> BindResult<()> {
    let line = options.first().map_or(0, |o| o.span.line);
    if !options.iter().any(|o| matches!(o.kind, ModuleOptionKind::SchemaBinding)) {
        let error = SqlError::new(&message::NATIVE_NEEDS_SCHEMABINDING, &[]);
        return Err(error.at_line(line).into());
    }
    for option in options {
        let name = match option.kind {
            ModuleOptionKind::Recompile => "RECOMPILE",
            ModuleOptionKind::Encryption => "ENCRYPTION",
            _ => continue,
        };
        return Err(not_supported("option", name, option.span.line));
    }
    Ok(())
}

/// What an atomic block asks for.
pub(super) struct AtomicOptions {
    pub isolation: Isolation,
    pub delayed_durability: bool,
    pub dates: DateSettings,
}

/// The options of an atomic block. Errors 2741, 2742, 2743, 10784, 10794.
pub(super) fn atomic_options(
    options: &[ast::AtomicOption],
    line: u32,
) -> BindResult<AtomicOptions> {
    let (mut isolation, mut language, mut delayed_durability) = (None, None, false);
    let (mut first_day, mut order) = (None, None);
    for option in options {
        let line = option.span.line;
        let fail = |message, text: &str| misplaced_with(message, text, line);
        match &option.kind {
            AtomicOptionKind::Isolation(level) => isolation = Some(native_level(*level, line)?),
            AtomicOptionKind::Language(name) => {
                let found = Language::by_name(name);
                language = Some(found.ok_or_else(|| fail(&message::LANGUAGE_NOT_OFFICIAL, name))?);
            }
            AtomicOptionKind::DelayedDurability(on) => delayed_durability = *on,
            AtomicOptionKind::DateFirst(text) => {
                let day = text.parse().ok().filter(|day| (1..=7).contains(day));
                first_day = Some(day.ok_or_else(|| fail(&message::DATEFIRST_INVALID, text))?);
            }
            AtomicOptionKind::DateFormat(text) => {
                let found = DateOrder::parse(text);
                order = Some(found.ok_or_else(|| fail(&message::DATEFORMAT_INVALID, text))?);
            }
        }
    }
    let missing = |name: &str| misplaced_with(&message::ATOMIC_OPTION_MISSING, name, line);
    let isolation = isolation.ok_or_else(|| missing("TRANSACTION ISOLATION LEVEL"))?;
    let mut dates = DateSettings::of(language.ok_or_else(|| missing("LANGUAGE"))?);
    dates.first_day = first_day.unwrap_or(dates.first_day);
    dates.order = order.unwrap_or(dates.order);
    Ok(AtomicOptions { isolation, delayed_durability, dates })
}

/// A level at which natively compiled modules may run. Error 10794 for others.
fn native_level(level: ast::IsolationLevel, line: u32) -> BindResult<Isolation> {
    let name = match level {
        ast::IsolationLevel::Snapshot => return Ok(Isolation::Snapshot),
        ast::IsolationLevel::RepeatableRead => return Ok(Isolation::RepeatableRead),
        ast::IsolationLevel::Serializable => return Ok(Isolation::Serializable),
        ast::IsolationLevel::ReadCommitted => "READ COMMITTED",
        ast::IsolationLevel::ReadUncommitted => "READ UNCOMMITTED",
        ast::IsolationLevel::StatementSnapshot => "STATEMENT SNAPSHOT",
    };
    Err(not_supported("transaction isolation level", name, line))
}
