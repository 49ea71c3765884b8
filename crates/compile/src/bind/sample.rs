//! `TABLESAMPLE`: some of a table's rows, which their keys and a seed decide.

use base::{SqlError, SqlType, Value, message};
use engine::catalog::def::TableDef;
use engine::catalog::naming_index;
use ir::function::sample::KEEP;
use ir::operator::CompareOp;
use tsql::ast;

use super::binder::Binder;
use super::context::{AtLine, BindResult};
use super::scalar::Scalar;
use super::scope::{Rows, ScanSource, Source};
use crate::plan::expr::{ColId, Expr, ExprKind, Pred};
use crate::plan::tree;

impl Binder<'_> {
    /// Has a source keep a sample of its rows. Without `REPEATABLE` each statement has a seed of
    /// its own. Errors 476, 477, 494, 497.
    pub fn sampled(
        &mut self,
        source: &mut Source,
        sample: &ast::TableSample,
        name: &ast::ObjectName,
    ) -> BindResult<()> {
        let line = name.span.line;
        let fail = |error: SqlError| Err(error.at_line(line).into());
        let Rows::Scan(scan) = &mut source.rows else {
            return fail(SqlError::new(&message::TABLESAMPLE_NOT_LOCAL, &[]));
        };
        let tree::Source::Table { database, table } = scan.source.clone() else {
            return fail(SqlError::new(&message::TABLESAMPLE_NOT_LOCAL, &[]));
        };
        let shown = &name.name.name;
        let amount = self.sample_number(&sample.amount)?;
        let percentage = match sample.rows {
            false if (0.0..=100.0).contains(&amount) => amount,
            false => {
                let size = format!("{amount:.6}");
                return fail(SqlError::new(&message::TABLESAMPLE_PERCENT, &[&size, shown]));
            }
            true if amount >= 1.0 => {
                let rows = self.statistics.rows(database, &table).unwrap_or(0).max(1);
                (amount.floor() / rows as f64 * 100.0).min(100.0)
            }
            true => return fail(not_positive(amount, shown)),
        };
        let seed = match &sample.seed {
            None => self.library_call("RAND", Vec::new()).at(line)?,
            Some(seed) => match self.sample_number(seed)? {
                seed if seed >= 1.0 => float(seed.floor()),
                seed => return fail(not_positive(seed, shown)),
            },
        };
        let mut args = vec![float(percentage), seed];
        args.extend(self.key_of(scan, &table));
        let kept = self.library_call(KEEP, args).at(line)?;
        let one = Scalar::constant(SqlType::bit(), Value::Int(1));
        scan.sample = Some(Pred::Compare(CompareOp::Eq, kept.expr, one.expr));
        Ok(())
    }

    /// What tells a table's rows from each other.
    fn key_of(&mut self, scan: &mut ScanSource, table: &TableDef) -> Vec<Scalar> {
        let Some(index) = naming_index(table) else {
            let id = *scan.row_number.get_or_insert_with(|| self.ids.column());
            return vec![column_of(id, SqlType::bigint(), false)];
        };
        let ordinals =
            table.indexes[index].key.iter().filter_map(|k| table.column_ordinal(k.column));
        let column = |ordinal: usize| {
            let id = *scan.ids[ordinal].get_or_insert_with(|| self.ids.column());
            let column = &table.columns[ordinal];
            column_of(id, column.ty, column.nullable)
        };
        ordinals.map(column).collect()
    }

    /// A number that is known now. Error 497.
    fn sample_number(&mut self, expr: &ast::Expr) -> BindResult<f64> {
        let (scalar, line) = (self.scalar(expr)?, expr.span.line);
        match self.coerce(scalar, SqlType::float()).at(line)?.kind {
            ExprKind::Constant(Value::Float(number)) => Ok(number),
            _ => {
                let error = SqlError::new(&message::TABLESAMPLE_VARIABLE, &[]);
                Err(error.at_line(line).into())
            }
        }
    }
}

fn column_of(id: ColId, ty: SqlType, nullable: bool) -> Scalar {
    Scalar::computed(Expr { kind: ExprKind::Column(id), ty, nullable })
}

fn float(number: f64) -> Scalar {
    Scalar::constant(SqlType::float(), Value::Float(number))
}

/// Error 477.
fn not_positive(number: f64, table: &str) -> SqlError {
    let shown = number.trunc() as i64;
    SqlError::new(&message::TABLESAMPLE_NOT_POSITIVE, &[&shown, &table])
}
