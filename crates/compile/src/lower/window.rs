//! Window functions: the input is collected with what the functions need, sorted, and passed on
//! with their results. Where rows are only numbered as they come, a register counts and none is
//! kept.

use base::{SqlResult, SqlType};
use ir::function::CallTypes;
use ir::inst::{Inst, Reg, RegType};
use ir::object::{ObjId, ObjectDesc, Order, OrderKey, WindowDesc, WindowFunctionDesc, WindowOp};

use crate::lower::scope::Val;
use crate::lower::{Consume, Lowering};
use crate::plan::expr::{ColId, Expr};
use crate::plan::tree::{Node, WindowFunction, WindowKind};

impl Lowering {
    /// Window functions over partitions.
    pub fn window(&mut self, node: &Node, consume: Consume<'_>) -> SqlResult<()> {
        let Node::Window { input, partition, order, functions, columns } = node else {
            unreachable!("only called for windows");
        };
        if node.numbers_rows() {
            return self.row_numbers(input, functions, consume);
        }
        let args: Vec<&Expr> = functions.iter().flat_map(|(_, f)| arguments(f)).collect();
        let mut types: Vec<SqlType> = columns.iter().map(|&c| self.stored_type(c)).collect();
        types.extend(args.iter().map(|a| a.ty));
        let layout = self.b.layout_of(&types);
        let row = self.b.list(&[]);
        let desc = WindowDesc {
            partition: Order::none(),
            order: Order::none(),
            row,
            layout,
            functions: descriptors(functions, columns.len()),
        };
        let window = self.b.object(ObjectDesc::Window(desc));
        self.b.emit(Inst::WindowClear { window });
        self.produce(input, &mut |l| {
            let mut regs: Vec<Reg> = l.stored_regs(columns)?.iter().map(|v| v.reg).collect();
            for arg in &args {
                regs.push(l.expr(arg)?.reg);
            }
            let by: SqlResult<Vec<OrderKey>> = (partition.iter())
                .map(|e| Ok(OrderKey { reg: l.expr(e)?.reg, ty: e.ty, descending: false }))
                .collect();
            let order = l.order_keys(order)?;
            l.set_window(window, Order::new(by?), Order::new(order), &regs);
            l.b.emit(Inst::WindowPush { window });
            Ok(())
        })?;
        self.b.emit(Inst::WindowFinish { window });
        let next = |row, mark, done| Inst::WindowNext { window, row, mark, done };
        self.loop_rows(next, &mut |l, row| {
            l.bind_row(row, layout, columns);
            l.bind_results(window, functions);
            consume(l)
        })
    }

    /// Rows with their numbers.
    fn row_numbers(
        &mut self,
        input: &Node,
        functions: &[(ColId, WindowFunction)],
        consume: Consume<'_>,
    ) -> SqlResult<()> {
        let number = self.b.reg(RegType::I64);
        self.b.emit(Inst::Int { dst: number, value: 0 });
        self.produce(input, &mut |l| {
            l.b.emit(Inst::Step { dst: number, a: number, by: 1 });
            for (col, _) in functions {
                l.bind(*col, Val::new(number));
            }
            consume(l)
        })
    }

    fn set_window(&mut self, window: ObjId, partition: Order, order: Order, regs: &[Reg]) {
        let row = self.b.list(regs);
        if let ObjectDesc::Window(desc) = &mut self.b.unit.objects[usize::from(window.0)] {
            (desc.partition, desc.order, desc.row) = (partition, order, row);
        }
    }

    fn bind_results(&mut self, window: ObjId, functions: &[(ColId, WindowFunction)]) {
        for (at, (col, function)) in functions.iter().enumerate() {
            let dst = self.b.reg_for(&function.ty);
            self.b.emit(Inst::WindowResult { window, function: at as u16, dst });
            self.bind(*col, Val::nullable(dst));
        }
    }
}

/// The expressions that a function needs for each row, in the order of its columns.
fn arguments(function: &WindowFunction) -> Vec<&Expr> {
    match &function.kind {
        WindowKind::RowNumber
        | WindowKind::Rank
        | WindowKind::DenseRank
        | WindowKind::Distribution(_) => Vec::new(),
        WindowKind::Ntile(n) => vec![n],
        WindowKind::Shift { value, offset, default, .. } => {
            [value, offset].into_iter().chain(default).collect()
        }
        WindowKind::Edge { value, .. } => vec![value],
        WindowKind::Percentile { value, fraction, .. } => vec![value, fraction],
        WindowKind::Aggregate(aggregate, _) => aggregate.args.iter().collect(),
    }
}

/// The functions, with their arguments in the columns from `first` on.
fn descriptors(functions: &[(ColId, WindowFunction)], first: usize) -> Box<[WindowFunctionDesc]> {
    let mut at = first as u16;
    let mut descs = Vec::with_capacity(functions.len());
    for (_, function) in functions {
        let count = arguments(function).len() as u16;
        let kind = match &function.kind {
            WindowKind::RowNumber => WindowOp::RowNumber,
            WindowKind::Rank => WindowOp::Rank,
            WindowKind::DenseRank => WindowOp::DenseRank,
            WindowKind::Distribution(false) => WindowOp::PercentRank,
            WindowKind::Distribution(true) => WindowOp::CumeDist,
            WindowKind::Ntile(_) => WindowOp::Ntile(at),
            WindowKind::Shift { back, default, ignore_nulls, .. } => WindowOp::Shift {
                value: at,
                offset: at + 1,
                back: *back,
                ignore_nulls: *ignore_nulls,
                default: default.as_ref().map(|_| at + 2),
            },
            WindowKind::Edge { last, ignore_nulls, frame, .. } => WindowOp::Edge {
                value: at,
                last: *last,
                ignore_nulls: *ignore_nulls,
                frame: frame.clone(),
            },
            WindowKind::Percentile { interpolates, .. } => {
                WindowOp::Percentile { value: at, fraction: at + 1, interpolates: *interpolates }
            }
            WindowKind::Aggregate(aggregate, frame) => WindowOp::Aggregate {
                function: aggregate.function,
                types: CallTypes {
                    args: aggregate.args.iter().map(|e| e.ty).collect(),
                    result: aggregate.ty,
                },
                args: (at..at + count).collect(),
                frame: frame.clone(),
            },
        };
        at += count;
        descs.push(WindowFunctionDesc { kind, ty: function.ty });
    }
    descs.into()
}
