//! Window functions: what they are over, and their frames.

use base::types::operators;
use base::{SqlError, SqlResult, SqlType, TypeKind, Value, message};
use ir::function::AggregateFunction;
use ir::object::{Frame, FrameBound};
use tsql::ast::{self, Argument, Arguments, Over};

use super::binder::Binder;
use super::context::{AtLine, BindError, BindResult};
use super::expr::check_sortable;
use super::scalar::{Label, Origin, Scalar};
use super::scope::{Clause, WindowCall};
use crate::plan::expr::{Expr, ExprKind, SortKey};
use crate::plan::tree::{WindowFunction, WindowKind};

/// The functions that exist only with `OVER`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ranking {
    RowNumber,
    Rank,
    DenseRank,
    Ntile,
    Lag,
    Lead,
    FirstValue,
    LastValue,
    PercentRank,
    CumeDist,
}

impl Ranking {
    /// The least and the most arguments that it takes.
    fn arguments(self) -> (usize, usize) {
        match self {
            Ranking::Ntile | Ranking::FirstValue | Ranking::LastValue => (1, 1),
            Ranking::Lag | Ranking::Lead => (1, 3),
            _ => (0, 0),
        }
    }
}

/// The window function of this name, in any case.
pub(super) fn ranking(name: &str) -> Option<Ranking> {
    const NAMES: &[(&str, Ranking)] = &[
        ("ROW_NUMBER", Ranking::RowNumber),
        ("RANK", Ranking::Rank),
        ("DENSE_RANK", Ranking::DenseRank),
        ("NTILE", Ranking::Ntile),
        ("LAG", Ranking::Lag),
        ("LEAD", Ranking::Lead),
        ("FIRST_VALUE", Ranking::FirstValue),
        ("LAST_VALUE", Ranking::LastValue),
        ("PERCENT_RANK", Ranking::PercentRank),
        ("CUME_DIST", Ranking::CumeDist),
    ];
    NAMES.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, ranking)| *ranking)
}

/// Whether the percentile function of this name, in any case, interpolates between two values.
pub(super) fn percentile(name: &str) -> Option<bool> {
    const NAMES: &[(&str, bool)] = &[("PERCENTILE_CONT", true), ("PERCENTILE_DISC", false)];
    NAMES.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, interpolates)| *interpolates)
}

/// The parts of `OVER`.
struct Window {
    partition: Vec<Expr>,
    order: Vec<SortKey>,
    frame: Option<Frame>,
}

impl Window {
    /// Over which rows an aggregate goes: up to the current one and its equals if there is an
    /// order, else over all.
    fn frame(&self) -> Frame {
        let end = match self.order.is_empty() {
            true => FrameBound::UnboundedFollowing,
            false => FrameBound::CurrentRow,
        };
        let default = Frame { rows: false, start: FrameBound::UnboundedPreceding, end };
        self.frame.clone().unwrap_or(default)
    }
}

impl Binder<'_> {
    /// A call of one of the functions that need `OVER`. Errors 4108, 4109, 4112, 10752, 10753.
    pub fn window_call(
        &mut self,
        ranking: Ranking,
        call: &ast::FunctionCall,
        line: u32,
    ) -> BindResult<Scalar> {
        let name = call.name.name.name.to_ascii_lowercase();
        let fail = |message| BindError::from(SqlError::new(message, &[&name]).at_line(line));
        let Some(over) = &call.over else { return Err(fail(&message::FUNCTION_NEEDS_OVER)) };
        let args = self.window_arguments(call, &name, ranking.arguments(), line)?;
        if !call.within_group.is_empty() {
            return Err(fail(&message::FUNCTION_WITHOUT_WITHIN_GROUP));
        }
        let window = self.over(over, line)?;
        if window.order.is_empty() {
            return Err(fail(&message::RANKING_NEEDS_ORDER_BY));
        }
        let takes_frame = matches!(ranking, Ranking::FirstValue | Ranking::LastValue);
        if window.frame.is_some() && !takes_frame {
            return Err(fail(&message::FUNCTION_WITHOUT_WINDOW_FRAME));
        }
        let ignore_nulls = call.ignore_nulls == Some(true);
        let (kind, ty, label, nullable) =
            self.window_kind(ranking, args, &window, ignore_nulls).at(line)?;
        Ok(self.register_window(window, WindowFunction { kind, ty }, label, nullable))
    }

    fn window_kind(
        &mut self,
        ranking: Ranking,
        mut args: Vec<Scalar>,
        window: &Window,
        ignore_nulls: bool,
    ) -> BindResult<(WindowKind, SqlType, Label, bool)> {
        let counts = |kind| Ok((kind, SqlType::bigint(), Label::NONE, false));
        match ranking {
            Ranking::RowNumber => counts(WindowKind::RowNumber),
            Ranking::Rank => counts(WindowKind::Rank),
            Ranking::DenseRank => counts(WindowKind::DenseRank),
            Ranking::Ntile => {
                let n = self.coerce(args.remove(0), SqlType::bigint())?;
                counts(WindowKind::Ntile(n))
            }
            Ranking::PercentRank | Ranking::CumeDist => {
                let kind = WindowKind::Distribution(ranking == Ranking::CumeDist);
                Ok((kind, SqlType::float(), Label::NONE, false))
            }
            Ranking::FirstValue | Ranking::LastValue => {
                let value = args.remove(0);
                let (ty, label) = (value.expr.ty, value.label);
                let last = ranking == Ranking::LastValue;
                let frame = window.frame();
                let kind = WindowKind::Edge { value: value.expr, last, ignore_nulls, frame };
                Ok((kind, ty, label, true))
            }
            Ranking::Lag | Ranking::Lead => self.shift(ranking == Ranking::Lag, ignore_nulls, args),
        }
    }

    /// `PERCENTILE_CONT` and `PERCENTILE_DISC`. Errors 4108, 8117, 10751 to 10754, 10758.
    pub fn percentile_call(
        &mut self,
        interpolates: bool,
        call: &ast::FunctionCall,
        line: u32,
    ) -> BindResult<Scalar> {
        let name = call.name.name.name.to_ascii_lowercase();
        let fail = |message| BindError::from(SqlError::new(message, &[&name]).at_line(line));
        let Some(over) = &call.over else { return Err(fail(&message::FUNCTION_NEEDS_OVER)) };
        let mut args = self.window_arguments(call, &name, (1, 1), line)?;
        match call.within_group.len() {
            0 => return Err(fail(&message::FUNCTION_NEEDS_WITHIN_GROUP)),
            1 => {}
            _ => return Err(fail(&message::WITHIN_GROUP_ONE_EXPRESSION)),
        }
        let mut window = self.over(over, line)?;
        if !window.order.is_empty() {
            return Err(fail(&message::FUNCTION_WITHOUT_OVER_ORDER_BY));
        }
        if window.frame.is_some() {
            return Err(fail(&message::FUNCTION_WITHOUT_WINDOW_FRAME));
        }
        let (value, order) = self.inside_window(line, |b| {
            let value = b.scalar(&call.within_group[0].expr)?;
            Ok((value, b.window_order(&call.within_group)?))
        })?;
        window.order = order;
        let label = if interpolates { Label::NONE } else { value.label };
        let value = match interpolates {
            false => value.expr,
            true => {
                let kind = value.expr.ty.kind;
                if !kind.is_numeric() {
                    let error =
                        SqlError::new(&message::OPERAND_INVALID_FOR_OPERATOR, &[&kind, &name]);
                    return Err(error.at_line(line).into());
                }
                self.coerce(value, SqlType::float()).at(line)?
            }
        };
        let fraction = self.coerce(args.remove(0), SqlType::float()).at(line)?;
        let ty = value.ty;
        let kind = WindowKind::Percentile { value, fraction, interpolates };
        Ok(self.register_window(window, WindowFunction { kind, ty }, label, true))
    }

    /// `LAG` and `LEAD`.
    fn shift(
        &mut self,
        back: bool,
        ignore_nulls: bool,
        args: Vec<Scalar>,
    ) -> BindResult<(WindowKind, SqlType, Label, bool)> {
        let mut args = args.into_iter();
        let value = args.next().expect("counted");
        let offset = match args.next() {
            Some(offset) => self.coerce(offset, SqlType::bigint())?,
            None => Scalar::constant(SqlType::bigint(), Value::Int(1)).expr,
        };
        let (ty, label) = (value.expr.ty, value.label);
        let default = match args.next() {
            Some(default) if default.origin != Origin::Null => {
                // The default becomes a value like the others.
                operators::unify(&ty, &default.expr.ty)?;
                Some(self.coerce(default, ty)?)
            }
            _ => None,
        };
        let kind = WindowKind::Shift { value: value.expr, offset, back, ignore_nulls, default };
        Ok((kind, ty, label, true))
    }

    fn window_arguments(
        &mut self,
        call: &ast::FunctionCall,
        name: &str,
        (least, most): (usize, usize),
        line: u32,
    ) -> BindResult<Vec<Scalar>> {
        let Arguments::List { distinct: false, items } = &call.arguments else {
            let error = SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&"*"]);
            return Err(error.at_line(line).into());
        };
        if !(least..=most).contains(&items.len()) {
            let error = match least == most {
                true => SqlError::new(&message::FUNCTION_ARGUMENT_COUNT, &[&name, &least]),
                false => {
                    let message = &message::FUNCTION_TAKES_BETWEEN_ARGUMENTS;
                    SqlError::new(message, &[&name, &least, &most])
                }
            };
            return Err(error.at_line(line).into());
        }
        self.inside_window(line, |binder| {
            let mut args = Vec::with_capacity(items.len());
            for item in items {
                match item {
                    Argument::Expr(expr) => args.push(binder.scalar(expr)?),
                    Argument::Default(span) => {
                        let error = SqlError::new(&message::SYNTAX_NEAR_KEYWORD, &[&"default"]);
                        return Err(error.at_line(span.line).into());
                    }
                }
            }
            Ok(args)
        })
    }

    /// An aggregate with `OVER`. Errors 4108, 4109, 4113.
    pub fn window_aggregate(
        &mut self,
        function: &'static AggregateFunction,
        call: &ast::FunctionCall,
        over: &Over,
        line: u32,
    ) -> BindResult<Scalar> {
        if !function.windowed {
            let name = call.name.name.name.to_ascii_lowercase();
            let error = SqlError::new(&message::FUNCTION_NOT_WINDOWED, &[&name]);
            return Err(error.at_line(line).into());
        }
        let (aggregate, label, nullable) =
            self.inside_window(line, |b| b.bind_aggregate(function, call, line))?;
        if matches!(call.arguments, Arguments::List { distinct: true, .. }) {
            return Err(SqlError::new(&message::DISTINCT_WITH_OVER, &[]).at_line(line).into());
        }
        let window = self.over(over, line)?;
        let ty = aggregate.ty;
        let kind = WindowKind::Aggregate(aggregate, window.frame());
        let windowed = self.register_window(window, WindowFunction { kind, ty }, label, nullable);
        Ok(windowed.marked(function.json))
    }

    /// Binds the parts of a window function. Errors 4108, 4109.
    pub(super) fn inside_window<T>(
        &mut self,
        line: u32,
        f: impl FnOnce(&mut Self) -> BindResult<T>,
    ) -> BindResult<T> {
        let misplaced = |message| BindError::from(SqlError::new(message, &[]).at_line(line));
        if self.blocks.len() == self.env.base {
            return Err(misplaced(&message::WINDOWED_FUNCTION_MISPLACED));
        }
        let block = self.block();
        if block.in_window || block.in_aggregate {
            return Err(misplaced(&message::WINDOWED_FUNCTION_NESTED));
        }
        if !matches!(block.clause, Clause::Select | Clause::OrderBy) {
            return Err(misplaced(&message::WINDOWED_FUNCTION_MISPLACED));
        }
        block.in_window = true;
        let result = f(self);
        self.block().in_window = false;
        result
    }

    /// `OVER (…)`, or `OVER name`.
    fn over(&mut self, over: &Over, line: u32) -> BindResult<Window> {
        let mut window = match &over.base {
            Some(name) => {
                let names = &self.blocks[self.blocks.len() - 1].window_names;
                let named = names.iter().find(|own| self.same_name(&own.name.name, &name.name));
                let Some(named) = named.cloned() else {
                    let error = SqlError::new(&message::WINDOW_UNKNOWN, &[&name.name]);
                    return Err(error.at_line(name.span.line).into());
                };
                self.over(&named.over, line)?
            }
            None => Window { partition: Vec::new(), order: Vec::new(), frame: None },
        };
        let (partition, order) = self.inside_window(line, |b| {
            let mut partition = Vec::with_capacity(over.partition_by.len());
            for expr in &over.partition_by {
                let bound = b.scalar(expr)?;
                check_partition(bound.expr.ty.kind).at(expr.span.line)?;
                bound.label.resolve("PARTITION BY").at(expr.span.line)?;
                partition.push(bound.expr);
            }
            Ok((partition, b.window_order(&over.order_by)?))
        })?;
        window.partition.extend(partition);
        if !order.is_empty() {
            window.order = order;
        }
        if let Some(frame) = &over.frame {
            window.frame = Some(frame_of(frame, !window.order.is_empty(), line)?);
        }
        Ok(window)
    }

    /// `ORDER BY` in `OVER`. Errors 5308, 5309.
    pub(super) fn window_order(&mut self, items: &[ast::OrderItem]) -> BindResult<Vec<SortKey>> {
        let mut keys = Vec::with_capacity(items.len());
        for item in items {
            let line = item.expr.span.line;
            let bound = self.scalar(&item.expr)?;
            check_sortable(bound.expr.ty.kind, "ORDER BY").at(line)?;
            bound.label.resolve("ORDER BY").at(line)?;
            if let ExprKind::Constant(_) = bound.expr.kind {
                let message = match bound.origin {
                    Origin::Integer => &message::WINDOW_ORDER_BY_INTEGER,
                    _ => &message::WINDOW_ORDER_BY_CONSTANT,
                };
                return Err(SqlError::new(message, &[]).at_line(line).into());
            }
            keys.push(SortKey { expr: bound.expr, descending: item.descending });
        }
        Ok(keys)
    }

    /// The column that stands for a window function's result.
    fn register_window(
        &mut self,
        window: Window,
        function: WindowFunction,
        label: Label,
        nullable: bool,
    ) -> Scalar {
        let column = self.free_column();
        let ty = function.ty;
        let Window { partition, order, .. } = window;
        self.block().windows.push(WindowCall { column, partition, order, function });
        let expr = Expr { kind: ExprKind::Column(column), ty, nullable };
        Scalar { expr, label, origin: Origin::Plain }
    }
}

/// A frame. Errors 4193, 4194, 10756.
fn frame_of(frame: &ast::Frame, ordered: bool, line: u32) -> BindResult<Frame> {
    let bound = |bound: &ast::FrameBound| match bound {
        ast::FrameBound::UnboundedPreceding => FrameBound::UnboundedPreceding,
        ast::FrameBound::Preceding(n) => FrameBound::Preceding(*n),
        ast::FrameBound::CurrentRow => FrameBound::CurrentRow,
        ast::FrameBound::Following(n) => FrameBound::Following(*n),
        ast::FrameBound::UnboundedFollowing => FrameBound::UnboundedFollowing,
    };
    let fail = |message| BindError::from(SqlError::new(message, &[]).at_line(line));
    let frame = Frame { rows: frame.rows, start: bound(&frame.start), end: bound(&frame.end) };
    let counted = |b| matches!(b, FrameBound::Preceding(_) | FrameBound::Following(_));
    if !ordered {
        return Err(fail(&message::WINDOW_FRAME_NEEDS_ORDER_BY));
    }
    if !frame.rows && (counted(frame.start) || counted(frame.end)) {
        return Err(fail(&message::RANGE_FRAME_BOUNDS));
    }
    let backwards = matches!(
        (frame.start, frame.end),
        (FrameBound::UnboundedFollowing, _)
            | (_, FrameBound::UnboundedPreceding)
            | (FrameBound::Following(_), FrameBound::Preceding(_) | FrameBound::CurrentRow)
            | (FrameBound::CurrentRow, FrameBound::Preceding(_))
    );
    if backwards {
        let shown = format!("BETWEEN {} AND {}", shown_bound(frame.start), shown_bound(frame.end));
        return Err(SqlError::new(&message::WINDOW_FRAME_BACKWARDS, &[&shown])
            .at_line(line)
            .into());
    }
    Ok(frame)
}

/// An end of a frame as messages show it.
fn shown_bound(bound: FrameBound) -> &'static str {
    match bound {
        FrameBound::UnboundedPreceding => "UNBOUNDED PRECEDING",
        FrameBound::Preceding(_) => "PRECEDING",
        FrameBound::CurrentRow => "CURRENT ROW",
        FrameBound::Following(_) => "FOLLOWING",
        FrameBound::UnboundedFollowing => "UNBOUNDED FOLLOWING",
    }
}

/// Whether rows can be partitioned by a kind of type. Errors 249, 306, 13636.
fn check_partition(kind: TypeKind) -> SqlResult<()> {
    const CLAUSE: &str = "PARTITION BY";
    match kind {
        TypeKind::Xml => Err(SqlError::new(&message::TYPE_NOT_COMPARABLE, &[&kind, &CLAUSE])),
        _ => check_sortable(kind, CLAUSE),
    }
}
