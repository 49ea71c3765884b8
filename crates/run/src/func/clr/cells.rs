//! What spatial indexes hold, and where searches look in them.
//!
//! Cells are numbers of 64 bits without a sign; as bigint they keep their order. An empty shape is
//! in no cell: it is entered under a number of its own, since it equals other empty shapes.

use base::{SqlResult, SqlType, TypeKind, ValueRef};
use ir::function::clr::spatial::{COVER, decode_grid, thrown, with_work};
use ir::function::facts::FnContext;
use ir::function::rowset::{Emit, RowsetFunction, RowsetRows, RowsetTypes, column};
use spatial::{CellId, Grid, Result, Shape, Space, Work};

use crate::func::values::{bytes, float};

/// The number under which empty shapes are entered.
const EMPTY: CellId = CellId(u64::MAX);

const BYTES: SqlType = SqlType::varbinary_max();

/// The cells of a shape.
pub(in crate::func) static CELLS: RowsetFunction = RowsetFunction {
    name: "SPATIAL CELLS",
    arguments: (2, 2),
    columns: |_| vec![column("cell", SqlType::bigint(), false)],
    rows: RowsetRows::Filled(cells),
    infer: |_| Ok(RowsetTypes { args: vec![BYTES, BYTES], visible: 1 }),
};

/// The ranges in which a search looks.
pub(in crate::func) static COVER_RANGES: RowsetFunction = RowsetFunction {
    name: COVER,
    arguments: (2, 3),
    columns: |_| {
        vec![column("first", SqlType::bigint(), false), column("last", SqlType::bigint(), false)]
    },
    rows: RowsetRows::Filled(cover),
    infer: |call| {
        let mut args = vec![BYTES, BYTES];
        args.extend(call.args.get(2).map(|_| SqlType::float()));
        Ok(RowsetTypes { args, visible: 2 })
    },
};

fn number(cell: CellId) -> ValueRef<'static> {
    ValueRef::Int((cell.0 ^ (1 << 63)) as i64)
}

fn kind_of(space: Space) -> TypeKind {
    match space {
        Space::Planar => TypeKind::Geometry,
        Space::Geographic => TypeKind::Geography,
    }
}

/// What a computation with a shape and a grid yields. Error 6522.
fn computed<T>(
    ctx: &FnContext<'_>,
    args: &[ValueRef<'_>],
    signature: &str,
    compute: impl FnOnce(&Grid, &Shape, &Work<'_>) -> Result<T>,
) -> SqlResult<T> {
    let found = decode_grid(bytes(args[1]));
    let (space, grid) = found.ok_or_else(|| ir::internal("the bytes of a grid"))?;
    let computed = with_work(ctx, ctx.arena, |work| {
        let shape = Shape::from_bytes(space, bytes(args[0]), work)?;
        compute(&grid, &shape, work)
    });
    let kind = kind_of(space);
    computed.map_err(|error| thrown(error, kind, kind.name(), signature))
}

fn cells<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &[SqlType],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    if args[0].is_null() {
        return Ok(());
    }
    let all = computed(ctx, args, "Tessellate()", |grid, shape, work| match shape.is_empty() {
        true => Ok(vec![EMPTY]),
        false => grid.cells(shape, work),
    })?;
    all.into_iter().try_for_each(|cell| emit(&[number(cell)]))
}

fn cover<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &[SqlType],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    if args.iter().any(ValueRef::is_null) {
        return Ok(());
    }
    let distance = args.get(2).map(|distance| float(*distance));
    let found = computed(ctx, args, "Tessellate()", |grid, shape, work| {
        if shape.is_empty() {
            return Ok(None);
        }
        match distance {
            Some(distance) => grid.cover_within(shape, distance, work).map(Some),
            None => grid.cover(shape, work).map(Some),
        }
    })?;
    let Some(cover) = found else { return emit(&[number(EMPTY), number(EMPTY)]) };
    for (first, last) in cover.ranges {
        emit(&[number(first), number(last)])?;
    }
    cover.ancestors.into_iter().try_for_each(|cell| emit(&[number(cell), number(cell)]))
}
