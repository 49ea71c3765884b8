//! What the bodies of users' functions may contain: they must not change anything.

use base::{SqlError, message};
use tsql::ast::{self, Statement, StatementKind};

use crate::ddl::failure::DdlResult;

/// Checks a body. Errors 443, 444, 455.
pub fn check(body: &[Statement]) -> DdlResult<()> {
    statements(body)?;
    let last = match body {
        [Statement { kind: StatementKind::Block(inner), .. }] => inner.last(),
        other => other.last(),
    };
    match last {
        Some(Statement { kind: StatementKind::Return(_), .. }) => Ok(()),
        other => {
            let line = other.map_or(0, |s| s.span.line);
            Err(SqlError::new(&message::FUNCTION_LAST_MUST_RETURN, &[]).at_line(line).into())
        }
    }
}

fn statements(body: &[Statement]) -> DdlResult<()> {
    body.iter().try_for_each(statement)
}

fn statement(statement: &Statement) -> DdlResult<()> {
    use StatementKind as S;
    let side_effect = |what: &str| {
        let error = SqlError::new(&message::SIDE_EFFECT_IN_FUNCTION, &[&what]);
        Err(error.at_line(statement.span.line).into())
    };
    match &statement.kind {
        S::Block(inner) => statements(inner),
        S::If(branches) => {
            for branch in &branches.branches {
                self::statement(&branch.body)?;
            }
            branches.otherwise.as_ref().map_or(Ok(()), self::statement)
        }
        S::While(inner) => self::statement(&inner.body),
        S::Select(select) => returns_data(select, statement.span.line),
        S::Insert(insert) if is_table(&insert.target.kind) => side_effect("INSERT"),
        S::Update(update) if is_table(&update.target.kind) && update.from.is_empty() => {
            side_effect("UPDATE")
        }
        S::Delete(delete) if is_table(&delete.target.kind) && delete.from.is_empty() => {
            side_effect("DELETE")
        }
        S::TryCatch(_) => side_effect("BEGIN TRY"),
        S::Print(_) => side_effect("PRINT"),
        S::RaiseError(_) => side_effect("RAISERROR"),
        S::Throw(_) => side_effect("THROW"),
        S::BeginTransaction(_) => side_effect("BEGIN TRANSACTION"),
        S::Commit(_) => side_effect("COMMIT TRANSACTION"),
        S::Rollback(_) => side_effect("ROLLBACK TRANSACTION"),
        S::SaveTransaction(_) => side_effect("SAVE TRANSACTION"),
        S::WaitFor(_) => side_effect("WAITFOR"),
        S::TruncateTable(_) => side_effect("TRUNCATE TABLE"),
        S::CreateTable(_) => side_effect("CREATE TABLE"),
        S::AlterTable(_) => side_effect("ALTER TABLE"),
        S::CreateIndex(_) => side_effect("CREATE INDEX"),
        S::Drop(_) => side_effect("DROP OBJECT"),
        S::SetOption(_) => side_effect("SET COMMAND"),
        _ => Ok(()),
    }
}

/// Whether a statement changes a table that is no variable. An alias may mean either, so whoever
/// has a `FROM` is asked when it is bound.
fn is_table(target: &ast::TargetKind) -> bool {
    matches!(target, ast::TargetKind::Name(_))
}

/// Error 444: a `SELECT` that assigns no variable.
fn returns_data(select: &ast::SelectStatement, line: u32) -> DdlResult<()> {
    let assigns = |body: &ast::QueryBody| match body {
        ast::QueryBody::Select(select) => {
            select.items.iter().any(|item| matches!(item.kind, ast::SelectItemKind::Assign { .. }))
        }
        _ => false,
    };
    match assigns(&select.query.body) {
        true => Ok(()),
        false => Err(SqlError::new(&message::SELECT_IN_FUNCTION, &[]).at_line(line).into()),
    }
}
