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
        S::Break | S::Continue | S::Return(_) | S::Label(_) | S::Goto(_) => Ok(()),
        S::Declare(_) | S::SetVariable(_) => Ok(()),
        S::DeclareCursor(_) | S::SetCursor(_) | S::OpenCursor(_) => Ok(()),
        S::CloseCursor(_) | S::DeallocateCursor(_) => Ok(()),
        S::Fetch(fetch) if fetch.into.is_empty() => side_effect("FETCH"),
        S::Fetch(_) => Ok(()),
        S::Execute(execute) => match &execute.target {
            ast::ExecuteTarget::Text { .. } => side_effect("EXECUTE STRING"),
            // A function may be executed; what is none is error 557 when it is.
            ast::ExecuteTarget::Procedure { .. } => Ok(()),
        },
        S::Select(select) => returns_data(select, statement.span.line),
        S::Insert(insert) if matches!(insert.source, ast::InsertSource::Execute(_)) => {
            side_effect("INSERT EXEC")
        }
        S::Insert(insert) if is_table(&insert.target.kind) => side_effect("INSERT"),
        S::Update(update) if is_table(&update.target.kind) && update.from.is_empty() => {
            side_effect("UPDATE")
        }
        S::Delete(delete) if is_table(&delete.target.kind) && delete.from.is_empty() => {
            side_effect("DELETE")
        }
        // What the name of a target means is seen when the statement is bound.
        S::Insert(_) | S::Update(_) | S::Delete(_) | S::Merge(_) => Ok(()),
        S::Text(text) => match text.action {
            ast::TextAction::Read { .. } => side_effect("READTEXT"),
            ast::TextAction::Write(_) => side_effect("WRITETEXT"),
            ast::TextAction::Update { .. } => side_effect("UPDATETEXT"),
        },
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
        S::CreateIndex(_) | S::CreateXmlIndex(_) | S::CreateSpatialIndex(_) => {
            side_effect("CREATE INDEX")
        }
        S::Drop(_) => side_effect("DROP OBJECT"),
        S::SetOption(_) => side_effect("SET COMMAND"),
        S::DropTrigger(_) | S::DropIndex(_) | S::DropStatistics(_) => side_effect("DROP OBJECT"),
        S::Permission(_) => side_effect("GRANT"),
        S::Use(_) => side_effect("USE DATABASE"),
        S::AtomicBlock(block) => statements(&block.statements),
        S::Kill(_) => side_effect("KILL"),
        S::Dbcc(_) => side_effect("DBCC"),
        S::Backup(_) => side_effect("BACKUP"),
        S::Checkpoint(_) => side_effect("CHECKPOINT"),
        S::Reconfigure { .. } => side_effect("RECONFIGURE"),
        S::Shutdown { .. } => side_effect("SHUTDOWN"),
        S::BulkInsert(_) | S::InsertBulk(_) => side_effect("BULK INSERT"),
        S::UpdateStatistics(_) => side_effect("UPDATE STATISTICS"),
        S::ExecuteAs(_) | S::Revert(_) => side_effect("EXECUTE AS"),
        _ => side_effect("DDL"),
    }
}

/// Whether a statement changes a table that is not a variable. An alias may mean either, so a
/// statement with a `FROM` is checked when it is bound.
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
