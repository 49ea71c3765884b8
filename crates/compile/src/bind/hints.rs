//! Hints: how tables are read, and how a statement is planned.

use base::{SqlError, message};
use engine::catalog::def::TableDef;
use ir::read::{Isolation, ReadOptions};
use tsql::ast::{QueryHint, QueryHintKind, TableHint, TableHintKind};

use super::binder::Binder;
use super::context::{BindError, BindResult};
use crate::plan::hints::JoinMethod;

/// The names that `USE HINT` knows.
const USE_HINTS: &[&str] = &[
    "ABORT_QUERY_EXECUTION",
    "ALLOW_BATCH_MODE",
    "ASSUME_FULL_INDEPENDENCE_FOR_FILTER_ESTIMATES",
    "ASSUME_JOIN_PREDICATE_DEPENDS_ON_FILTERS",
    "ASSUME_MIN_SELECTIVITY_FOR_FILTER_ESTIMATES",
    "ASSUME_PARTIAL_CORRELATION_FOR_FILTER_ESTIMATES",
    "DISABLE_BATCH_MODE_ADAPTIVE_JOINS",
    "DISABLE_BATCH_MODE_MEMORY_GRANT_FEEDBACK",
    "DISABLE_CE_FEEDBACK",
    "DISABLE_DEFERRED_COMPILATION_TV",
    "DISABLE_DOP_FEEDBACK",
    "DISABLE_INTERLEAVED_EXECUTION_TVF",
    "DISABLE_MEMORY_GRANT_FEEDBACK_PERSISTENCE",
    "DISABLE_OPTIMIZED_NESTED_LOOP",
    "DISABLE_OPTIMIZED_PLAN_FORCING",
    "DISABLE_OPTIMIZER_ROWGOAL",
    "DISABLE_PARAMETER_SENSITIVE_PLAN_OPTIMIZATION",
    "DISABLE_PARAMETER_SNIFFING",
    "DISABLE_ROW_MODE_MEMORY_GRANT_FEEDBACK",
    "DISABLE_TSQL_SCALAR_UDF_INLINING",
    "DISALLOW_BATCH_MODE",
    "ENABLE_HIST_AMENDMENT_FOR_ASC_KEYS",
    "ENABLE_PARALLEL_PLAN_PREFERENCE",
    "ENABLE_QUERY_OPTIMIZER_HOTFIXES",
    "FORCE_DEFAULT_CARDINALITY_ESTIMATION",
    "FORCE_LEGACY_CARDINALITY_ESTIMATION",
    "QUERY_PLAN_PROFILE",
];

/// A percentage of a hint; error 1031.
fn percent(text: &str) -> Result<f64, SqlError> {
    match text.parse::<f64>() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(percent),
        _ => Err(SqlError::new(&message::PERCENT_OUT_OF_RANGE, &[])),
    }
}

impl Binder<'_> {
    /// `OPTION (…)`, before the statement is bound. Errors 1042, 10715.
    pub fn query_hints(&mut self, hints: &[QueryHint]) -> BindResult<()> {
        for hint in hints {
            let line = hint.span.line;
            match &hint.kind {
                QueryHintKind::LoopJoin => self.allow_method(JoinMethod::Loop),
                QueryHintKind::HashJoin | QueryHintKind::MergeJoin => {
                    self.allow_method(JoinMethod::Hash);
                }
                QueryHintKind::HashGroup | QueryHintKind::OrderGroup => {
                    let hash = matches!(hint.kind, QueryHintKind::HashGroup);
                    if self.hints.hash_group.is_some_and(|before| before != hash) {
                        let error = SqlError::new(&message::OPTION_CONFLICT, &[&"GROUP BY"]);
                        return Err(error.at_line(line).into());
                    }
                    self.hints.hash_group = Some(hash);
                }
                QueryHintKind::Fast(rows) => self.hints.first_rows = *rows > 0,
                QueryHintKind::ExpandViews => self.expands_views = true,
                QueryHintKind::ForceOrder => self.hints.force_order = true,
                QueryHintKind::MaxRecursion(rounds) => self.max_recursion = *rounds,
                QueryHintKind::MinGrantPercent(text) => {
                    self.hints.min_grant = Some(percent(text).map_err(|e| e.at_line(line))?);
                }
                QueryHintKind::MaxGrantPercent(text) => {
                    self.hints.max_grant = Some(percent(text).map_err(|e| e.at_line(line))?);
                }
                QueryHintKind::Recompile => self.facts.recompile = true,
                QueryHintKind::UseHint(names) => {
                    let known = |n: &str| {
                        USE_HINTS.iter().any(|h| h.eq_ignore_ascii_case(n))
                            || n.to_ascii_uppercase()
                                .starts_with("QUERY_OPTIMIZER_COMPATIBILITY_LEVEL_")
                    };
                    if let Some(unknown) = names.iter().find(|n| !known(n)) {
                        let error = SqlError::new(&message::INVALID_HINT, &[unknown]);
                        return Err(error.at_line(line).into());
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn allow_method(&mut self, method: JoinMethod) {
        if !self.hints.methods.contains(&method) {
            self.hints.methods.push(method);
        }
    }

    /// How a source is read. `table` is known for tables; hints of a view or common table
    /// expression go on to what it reads. Errors 1047, 10794.
    pub fn read_options(
        &self,
        hints: &[TableHint],
        table: Option<&TableDef>,
    ) -> BindResult<ReadOptions> {
        let mut options = self.env.inherited.reads;
        let mut level = None;
        let mut grain = None;
        for hint in hints {
            let line = hint.span.line;
            if let Some(asked) = grain_of(&hint.kind)
                && grain.replace(asked).is_some_and(|before| before != asked)
            {
                return Err(conflict(line));
            }
            let asked = isolation_of(&hint.kind);
            if let Some(asked) = asked {
                if level.is_some_and(|before| before != asked) {
                    return Err(conflict(line));
                }
                level = Some(asked);
                options.isolation = level;
            }
            if let Some(name) = load_hint(&hint.kind)
                && self.load.is_none()
            {
                let table = table.map_or("", |table| &table.header.name);
                let args: [&dyn std::fmt::Display; 2] = [&name, &table];
                return Err(SqlError::new(&message::HINT_INVALID, &args).at_line(line).into());
            }
            match &hint.kind {
                TableHintKind::UpdLock => options.update_lock = true,
                TableHintKind::XLock => options.exclusive_lock = true,
                TableHintKind::TabLock => options.table_lock = true,
                TableHintKind::TabLockX => {
                    options.table_lock = true;
                    options.exclusive_lock = true;
                }
                TableHintKind::ReadPast => options.read_past = true,
                TableHintKind::NoWait => options.no_wait = true,
                TableHintKind::ReadCommittedLock => options.committed_lock = true,
                _ => {}
            }
            if table.is_some_and(|t| t.kind.is_memory_optimized())
                && let Some(name) = lock_hint(&hint.kind)
            {
                return Err(not_supported(name, "memory optimized tables", line));
            }
            if matches!(hint.kind, TableHintKind::Snapshot)
                && table.is_some_and(|t| !t.kind.is_memory_optimized())
            {
                return Err(not_supported("SNAPSHOT", "disk-based tables", line));
            }
        }
        let locks = options.update_lock || options.exclusive_lock;
        let locks = locks || grain == Some(Grain::Table);
        if level == Some(Isolation::ReadUncommitted) && (locks || options.read_past) {
            return Err(conflict(hints.first().map_or(0, |h| h.span.line)));
        }
        Ok(options)
    }
}

/// Error 10794: the hint is not supported here.
fn not_supported(hint: &str, with: &str, line: u32) -> BindError {
    let error = SqlError::new(&message::NOT_SUPPORTED_WITH, &[&"table hint", &hint, &with]);
    error.at_line(line).into()
}

/// Error 1047: hints contradict each other.
fn conflict(line: u32) -> BindError {
    SqlError::new(&message::CONFLICTING_LOCKING_HINTS, &[]).at_line(line).into()
}

fn isolation_of(hint: &TableHintKind) -> Option<Isolation> {
    Some(match hint {
        TableHintKind::NoLock | TableHintKind::ReadUncommitted => Isolation::ReadUncommitted,
        TableHintKind::ReadCommitted | TableHintKind::ReadCommittedLock => Isolation::ReadCommitted,
        TableHintKind::RepeatableRead => Isolation::RepeatableRead,
        TableHintKind::Serializable | TableHintKind::HoldLock => Isolation::Serializable,
        TableHintKind::Snapshot => Isolation::Snapshot,
        _ => return None,
    })
}

/// What a hint has locked, all at once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Grain {
    Row,
    Page,
    Table,
}

fn grain_of(hint: &TableHintKind) -> Option<Grain> {
    Some(match hint {
        TableHintKind::RowLock => Grain::Row,
        TableHintKind::PagLock => Grain::Page,
        TableHintKind::TabLock | TableHintKind::TabLockX => Grain::Table,
        _ => return None,
    })
}

/// The hints about how the rows of a file are loaded.
fn load_hint(hint: &TableHintKind) -> Option<&'static str> {
    Some(match hint {
        TableHintKind::KeepIdentity => "KEEPIDENTITY",
        TableHintKind::KeepDefaults => "KEEPDEFAULTS",
        TableHintKind::IgnoreConstraints => "IGNORE_CONSTRAINTS",
        TableHintKind::IgnoreTriggers => "IGNORE_TRIGGERS",
        _ => return None,
    })
}

/// The hints about locks, which memory-optimized tables do not have.
fn lock_hint(hint: &TableHintKind) -> Option<&'static str> {
    Some(match hint {
        TableHintKind::UpdLock => "UPDLOCK",
        TableHintKind::XLock => "XLOCK",
        TableHintKind::TabLock => "TABLOCK",
        TableHintKind::TabLockX => "TABLOCKX",
        TableHintKind::RowLock => "ROWLOCK",
        TableHintKind::PagLock => "PAGLOCK",
        TableHintKind::ReadPast => "READPAST",
        TableHintKind::ReadCommittedLock => "READCOMMITTEDLOCK",
        TableHintKind::NoWait => "NOWAIT",
        _ => return None,
    })
}

/// The table hint that a bare word was in old times, `FROM t (NOLOCK)`.
pub(super) fn old_hint(word: &str) -> Option<TableHintKind> {
    use TableHintKind::*;
    let names: &[(&str, TableHintKind)] = &[
        ("NOLOCK", NoLock),
        ("READUNCOMMITTED", ReadUncommitted),
        ("READCOMMITTED", ReadCommitted),
        ("READCOMMITTEDLOCK", ReadCommittedLock),
        ("REPEATABLEREAD", RepeatableRead),
        ("SERIALIZABLE", Serializable),
        ("HOLDLOCK", HoldLock),
        ("SNAPSHOT", Snapshot),
        ("UPDLOCK", UpdLock),
        ("XLOCK", XLock),
        ("TABLOCK", TabLock),
        ("TABLOCKX", TabLockX),
        ("ROWLOCK", RowLock),
        ("PAGLOCK", PagLock),
        ("READPAST", ReadPast),
        ("NOWAIT", NoWait),
        ("NOEXPAND", NoExpand),
        ("FASTFIRSTROW", FastFirstRow),
    ];
    names.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)).map(|(_, hint)| hint.clone())
}
