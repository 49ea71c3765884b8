//! `PIVOT` and `UNPIVOT`, by writing them as what they stand for: an aggregate of a `CASE` per
//! value, and a `CROSS APPLY` of literal rows.

use base::{SqlError, message};
use tsql::ast::{
    self, Argument, Arguments, CompareOp, ConditionKind, ExprKind, GroupBy, GroupingSet, Ident,
    Literal, SelectItem, SelectItemKind, Span, TableSourceKind,
};

use super::binder::Binder;
use super::context::{AtLine, BindResult};
use super::scope::{Clause, Exposed, Rows, Source};
use super::select::Usage;

/// The length of the names that `UNPIVOT` makes values of.
const NAME_LENGTH: u32 = 128;

impl Binder<'_> {
    /// `source PIVOT (aggregate(x) FOR y IN ([a], [b])) AS p`. Errors 265 and those of its parts.
    pub fn pivot(&mut self, pivot: &ast::Pivot) -> BindResult<Source> {
        let span = pivot.alias.name.span;
        let names = self.columns_of_source(&pivot.source)?;
        let mut used: Vec<&str> = vec![&pivot.column.column.name];
        let ExprKind::Call(call) = &pivot.aggregate.kind else {
            let error = SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&"PIVOT"]);
            return Err(error.at_line(span.line).into());
        };
        let Arguments::List { items: arguments, .. } = &call.arguments else {
            let error = SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&"*"]);
            return Err(error.at_line(span.line).into());
        };
        for argument in arguments {
            if let Argument::Expr(ast::Expr { kind: ExprKind::Column(column), .. }) = argument {
                used.push(&column.column.name);
            }
        }
        let groups: Vec<Ident> = (names.into_iter())
            .filter(|n| !used.iter().any(|u| self.same_name(u, &n.name)))
            .collect();
        for value in &pivot.values {
            if groups.iter().any(|g| self.same_name(&g.name, &value.name)) {
                let args: [&dyn std::fmt::Display; 3] = [&value.name, &"PIVOT", &"PIVOT"];
                let error = SqlError::new(&message::PIVOT_COLUMN_CONFLICT, &args);
                return Err(error.at_line(value.span.line).into());
            }
        }
        let mut items: Vec<SelectItem> = groups.iter().map(|g| item(column(g), None)).collect();
        for value in &pivot.values {
            let mut call = call.clone();
            let Arguments::List { items: arguments, .. } = &mut call.arguments else { continue };
            for argument in arguments {
                if let Argument::Expr(argument) = argument {
                    *argument = when_equal(&pivot.column, value, argument.clone());
                }
            }
            let expr = ast::Expr { span, kind: ExprKind::Call(call) };
            items.push(item(expr, Some(value.clone())));
        }
        let group_by = (!groups.is_empty()).then(|| {
            let items = groups.iter().map(|g| GroupingSet::Composite(vec![column(g)])).collect();
            Box::new(GroupBy { all: false, items, with: None })
        });
        let select = select_of(span, items, pivot.source.clone(), None, group_by);
        self.rewritten(&select, &pivot.alias)
    }

    /// `source UNPIVOT (x FOR y IN (a, b)) AS u`. Errors 207, 265, 8167.
    pub fn unpivot(&mut self, unpivot: &ast::Unpivot) -> BindResult<Source> {
        let span = unpivot.alias.name.span;
        let names = self.columns_of_source(&unpivot.source)?;
        let is_old =
            |n: &Ident| unpivot.columns.iter().any(|c| self.same_name(&c.column.name, &n.name));
        let kept: Vec<Ident> = names.into_iter().filter(|n| !is_old(n)).collect();
        for new in [&unpivot.value, &unpivot.column] {
            if kept.iter().any(|k| self.same_name(&k.name, &new.name)) {
                let args: [&dyn std::fmt::Display; 3] = [&new.name, &"UNPIVOT", &"UNPIVOT"];
                let error = SqlError::new(&message::PIVOT_COLUMN_CONFLICT, &args);
                return Err(error.at_line(new.span.line).into());
            }
        }
        self.check_unpivoted_types(unpivot)?;
        let rows = unpivot.columns.iter().map(|c| {
            let value = ast::Expr { span, kind: ExprKind::Column(c.clone()) };
            vec![value, name_as_value(&c.column)]
        });
        let alias = ast::TableAlias {
            name: ident("unpivoted", span),
            columns: vec![unpivot.value.clone(), unpivot.column.clone()],
        };
        let values = ast::TableSource {
            span,
            kind: TableSourceKind::Values { rows: rows.collect(), alias },
        };
        let join = ast::Join {
            kind: ast::JoinKind::CrossApply,
            hint: None,
            left: unpivot.source.clone(),
            right: values,
            on: None,
        };
        let source = ast::TableSource { span, kind: TableSourceKind::Join(Box::new(join)) };
        let mut items: Vec<SelectItem> = kept.iter().map(|k| item(column(k), None)).collect();
        items.push(item(column(&unpivot.value), None));
        items.push(item(column(&unpivot.column), None));
        let present = ast::Condition {
            span,
            kind: ConditionKind::IsNull {
                operand: Box::new(column(&unpivot.value)),
                negated: true,
            },
        };
        let select = select_of(span, items, source, Some(present), None);
        self.rewritten(&select, &unpivot.alias)
    }

    /// The names of a source's columns.
    fn columns_of_source(&mut self, source: &ast::TableSource) -> BindResult<Vec<Ident>> {
        let span = source.span;
        self.in_scratch_block(source, |b| {
            let mut names = Vec::new();
            for at in b.star(None, span.line)? {
                let of = &b.blocks[at.block].sources[at.source];
                names.push(ident(of.column_name(at.ordinal).unwrap_or_default(), span));
            }
            Ok(names)
        })
    }

    /// Error 8167: columns that become one must have one type.
    fn check_unpivoted_types(&mut self, unpivot: &ast::Unpivot) -> BindResult<()> {
        self.in_scratch_block(&unpivot.source, |b| {
            let mut first = None;
            for column in &unpivot.columns {
                let at = b.find_column(column)?;
                let ty = b.column_at(at)?.expr.ty;
                if *first.get_or_insert(ty) != ty {
                    let error =
                        SqlError::new(&message::UNPIVOT_TYPES_CONFLICT, &[&column.column.name]);
                    return Err(error.at_line(column.column.span.line).into());
                }
            }
            Ok(())
        })
    }

    /// Binds a source in a block of its own to look at it, and forgets it again.
    fn in_scratch_block<T>(
        &mut self,
        source: &ast::TableSource,
        f: impl FnOnce(&mut Self) -> BindResult<T>,
    ) -> BindResult<T> {
        self.open_block(Clause::From);
        let list = std::slice::from_ref(source);
        let result = self.sources_of(list, Usage::Derived).and_then(|_| {
            self.block().show_all();
            f(self)
        });
        self.close_block();
        result
    }

    fn rewritten(&mut self, select: &ast::Select, alias: &ast::TableAlias) -> BindResult<Source> {
        let output = self.select(select, &Default::default(), Usage::Derived)?;
        let columns = self.named_columns(output.columns, alias, alias.name.span.line)?;
        Ok(Source {
            exposed: Exposed { name: alias.name.name.clone(), table: None },
            rows: Rows::Derived(Some(output.node), columns),
            optional: false,
            view: None,
            written: None,
        })
        .at(alias.name.span.line)
    }
}

fn ident(name: &str, span: Span) -> Ident {
    Ident { name: name.into(), quoted: true, span }
}

/// A column by its bare name.
fn column(name: &Ident) -> ast::Expr {
    let column = ast::ColumnRef { qualifier: None, column: name.clone() };
    ast::Expr { span: name.span, kind: ExprKind::Column(column) }
}

fn item(expr: ast::Expr, alias: Option<Ident>) -> SelectItem {
    SelectItem { span: expr.span, kind: SelectItemKind::Expr { expr, alias } }
}

/// `CASE WHEN column = 'value' THEN result END`.
fn when_equal(column: &ast::ColumnRef, value: &Ident, result: ast::Expr) -> ast::Expr {
    let span = value.span;
    let literal = match value.name.is_ascii() {
        true => Literal::String(value.name.clone()),
        false => Literal::National(value.name.clone()),
    };
    let left = ast::Expr { span, kind: ExprKind::Column(column.clone()) };
    let right = ast::Expr { span, kind: ExprKind::Literal(literal) };
    let kind = ConditionKind::Compare {
        op: CompareOp::Equal,
        left: Box::new(left),
        right: Box::new(right),
    };
    let branches = vec![(ast::Condition { span, kind }, result)];
    let case = ast::Case { branches: ast::CaseBranches::Searched(branches), otherwise: None };
    ast::Expr { span, kind: ExprKind::Case(Box::new(case)) }
}

/// `CAST(N'name' AS nvarchar(128))`.
fn name_as_value(name: &Ident) -> ast::Expr {
    let span = name.span;
    let operand = ast::Expr { span, kind: ExprKind::Literal(Literal::National(name.name.clone())) };
    let ty = ast::DataType {
        span,
        name: ast::ObjectName::bare(ident("nvarchar", span)),
        arguments: ast::TypeArguments::Numbers(vec![NAME_LENGTH]),
    };
    let kind = ast::CastKind::Cast;
    let cast = ast::Cast { kind, is_try: false, operand, ty, style: None };
    ast::Expr { span, kind: ExprKind::Cast(Box::new(cast)) }
}

fn select_of(
    span: Span,
    items: Vec<SelectItem>,
    source: ast::TableSource,
    filter: Option<ast::Condition>,
    group_by: Option<Box<GroupBy>>,
) -> ast::Select {
    ast::Select {
        span,
        distinct: false,
        top: None,
        items,
        into: None,
        from: vec![source],
        filter,
        group_by,
        having: None,
        windows: Vec::new(),
    }
}
