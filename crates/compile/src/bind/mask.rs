//! Dynamic data masking: what a user that may not see a column gets instead of its values.
//!
//! A plan is masked when it is bound and before it is improved. A walk over its operators
//! ([`super::flow`]) finds, for each column that they make, whether masked columns went into it,
//! and which mask it has: the column's own where it shows that unchanged, `default()` where it is
//! computed. Masks are put onto what leaves the plan: the columns that go to the client, values
//! that are stored or assigned, `OUTPUT`, and rows for the triggers of another owner's view.
//! Everything below (conditions, joins, orders, groups) sees the true values.
//!
//! Which columns are masked depends on the user: what was found is among the plan's dependencies.

use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlType, TypeKind, Value};
use engine::catalog::def::{ColumnDef, MaskDef, MaskingFunction, TableDef};
use ir::operator::CastMode;

use super::binder::Binder;
use super::context::BindResult;
use super::flow::{self, Marks, Rule, is_document};
use super::scalar::Scalar;
use super::select::computed;
use crate::plan::expr::{ColId, Expr, ExprKind, Pred};
use crate::plan::tree::{
    Destination, InsertPlan, MergeAction, NewValue, Node, Plan, RowEffects, SelectPlan, Source,
    Target,
};
use crate::plan::walk::{self, Part};

/// 1900-01-01, in units of 100 ns since the first day of the calendar.
const YEAR_1900: i64 = 693_595 * 864_000_000_000;

/// The mask of a column or value.
#[derive(Clone, PartialEq, Debug)]
enum Mask {
    /// That of the column that it shows.
    Own(MaskDef),
    /// `default()`: it is made of masked columns.
    Default,
}

/// What is known of a plan's columns.
type Masks = Marks<Mask>;

/// How masks go through a plan.
struct Masking<'r, 'b> {
    binder: &'r mut Binder<'b>,
    /// The view whose triggers get the rows, if they are what is shown.
    view: Option<(DbId, ObjectId)>,
}

impl Rule for Masking<'_, '_> {
    type Mark = Mask;

    fn column(&mut self, database: DbId, table: &TableDef, at: usize) -> Option<Mask> {
        let own = (database, table.id());
        let is_own = self.view.is_some_and(|view| self.binder.names.is_chained(view, own));
        self.binder.borne(database, table, at).filter(|_| !is_own)
    }

    fn either(&self, one: Mask, other: Mask) -> Mask {
        if one == other { one } else { Mask::Default }
    }

    fn computed(&self, _: Mask) -> Mask {
        Mask::Default
    }

    /// The values in a statement's document are masked one by one.
    fn passes_over_documents(&self) -> bool {
        true
    }
}

impl Binder<'_> {
    /// Masks what leaves a plan.
    pub(super) fn mask_plan(&mut self, plan: &mut Plan) -> BindResult<()> {
        if !self.reads_masked || self.options.sees_all_rows {
            return Ok(());
        }
        let mut masks = Masks::default();
        match plan {
            Plan::Select(select) => self.mask_select(&mut masks, select),
            Plan::Insert(insert) => self.mask_insert(&mut masks, insert),
            Plan::Update(update) => {
                self.find(&mut masks, &update.input);
                self.target_columns(&mut masks, &update.target, &update.old_columns);
                let target = update.target.clone();
                self.mask_set(&masks, &target, &mut update.set)?;
                for (_, value) in &mut update.assign {
                    self.mask_expr(&masks, value)?;
                }
                self.mask_effects(&mut masks, &target, &mut update.effects)?;
                let old = update.old_columns.iter_mut().enumerate();
                let old = old.chain(update.effects.old_columns.iter_mut().enumerate());
                self.mask_transitions(&target, &mut update.input, old)
            }
            Plan::Delete(delete) => {
                self.find(&mut masks, &delete.input);
                let target = delete.target.clone();
                self.mask_effects(&mut masks, &target, &mut delete.effects)?;
                let old = delete.old_columns.iter_mut().map(|(at, column)| (*at, column));
                let old = old.chain(delete.effects.old_columns.iter_mut().enumerate());
                self.mask_transitions(&target, &mut delete.input, old)
            }
            Plan::Merge(merge) => {
                self.find(&mut masks, &merge.input);
                self.target_columns(&mut masks, &merge.target, &merge.old_columns);
                let target = merge.target.clone();
                for clause in &mut merge.clauses {
                    match &mut clause.action {
                        MergeAction::Update(set) => self.mask_set(&masks, &target, set)?,
                        MergeAction::Delete => {}
                        MergeAction::Insert(values) => {
                            self.mask_values(&masks, &target, values)?;
                        }
                    }
                }
                self.mask_effects(&mut masks, &target, &mut merge.effects)?;
                let old = merge.old_columns.iter_mut().enumerate();
                let old = old.chain(merge.effects.old_columns.iter_mut().enumerate());
                self.mask_transitions(&target, &mut merge.input, old)
            }
        }
    }

    /// Masks an expression that stands for itself.
    pub(super) fn mask_value(&mut self, expr: &mut Expr) -> BindResult<()> {
        if !self.reads_masked || self.options.sees_all_rows {
            return Ok(());
        }
        self.mask_expr(&Masks::default(), expr)
    }

    fn mask_select(&mut self, masks: &mut Masks, select: &mut SelectPlan) -> BindResult<()> {
        self.find(masks, &select.root);
        self.mask_document(masks, &mut select.root)?;
        let mut shown = Vec::new();
        match &mut select.destination {
            Destination::Client => {
                for output in &mut select.output {
                    let (ty, nullable) = (output.shown.ty, output.shown.nullable);
                    if let Some(mask) = masks.columns.get(&output.column).cloned() {
                        let kind = ExprKind::Column(output.column);
                        let value = self.masked(Expr { kind, ty, nullable }, &mask)?;
                        output.column = self.free_column();
                        shown.push((output.column, value));
                    }
                }
            }
            Destination::Variables(variables) => {
                for (_, column) in variables {
                    let Some(mask) = masks.columns.get(column).cloned() else { continue };
                    let Some(ty) = type_of(&select.root, *column) else {
                        return Err(ir::internal("what is assigned has a type").into());
                    };
                    let kind = ExprKind::Column(*column);
                    let value = self.masked(Expr { kind, ty, nullable: true }, &mask)?;
                    *column = self.free_column();
                    shown.push((*column, value));
                }
            }
        }
        let root = std::mem::replace(&mut select.root, Node::OneRow);
        select.root = computed(root, shown);
        Ok(())
    }

    /// Masks the values in a statement's own document.
    fn mask_document(&mut self, masks: &Masks, node: &mut Node) -> BindResult<()> {
        match node {
            Node::Aggregate { input, aggregates, .. } if is_document(input) => {
                for (_, aggregate) in aggregates {
                    for arg in &mut aggregate.args {
                        match &mut arg.kind {
                            ExprKind::Call { args, .. } => {
                                for value in args {
                                    self.mask_expr(masks, value)?;
                                }
                            }
                            _ => self.mask_expr(masks, arg)?,
                        }
                    }
                }
                Ok(())
            }
            Node::Compute { input, .. } | Node::Filter { input, .. } => {
                self.mask_document(masks, input)
            }
            Node::NestedLoop { outer, .. } => self.mask_document(masks, outer),
            _ => Ok(()),
        }
    }

    fn mask_insert(&mut self, masks: &mut Masks, insert: &mut InsertPlan) -> BindResult<()> {
        self.find(masks, &insert.source);
        let target = insert.target.clone();
        self.mask_values(masks, &target, &mut insert.values)?;
        self.mask_effects(masks, &target, &mut insert.effects)
    }

    /// Masks new values, in the order of the layout. What computed columns are made of is the row
    /// as it is.
    fn mask_values(
        &mut self,
        masks: &Masks,
        target: &Target,
        values: &mut [NewValue],
    ) -> BindResult<()> {
        for (column, value) in target.table().stored_columns().zip(values) {
            if let (None, NewValue::Expr(expr)) = (&column.computed, value) {
                self.mask_expr(masks, expr)?;
            }
        }
        Ok(())
    }

    fn mask_set(
        &mut self,
        masks: &Masks,
        target: &Target,
        set: &mut [(usize, NewValue)],
    ) -> BindResult<()> {
        for (at, value) in set {
            let column = target.table().stored_columns().nth(*at);
            let is_computed = column.is_some_and(|column| column.computed.is_some());
            if let (false, NewValue::Expr(expr)) = (is_computed, value) {
                self.mask_expr(masks, expr)?;
            }
        }
        Ok(())
    }

    /// `OUTPUT` to the client or into a table.
    fn mask_effects(
        &mut self,
        masks: &mut Masks,
        target: &Target,
        effects: &mut RowEffects,
    ) -> BindResult<()> {
        self.target_columns(masks, target, &effects.new_columns);
        self.target_columns(masks, target, &effects.old_columns);
        for (value, _) in effects.output.iter_mut().flatten() {
            self.mask_expr(masks, value)?;
        }
        match &mut effects.output_into {
            Some(insert) => self.mask_insert(masks, insert),
            None => Ok(()),
        }
    }

    /// Masks the old rows that the `INSTEAD OF` triggers of a view get, unless the view's owner
    /// owns the masked table, too: its triggers would get the true values.
    fn mask_transitions<'c>(
        &mut self,
        target: &Target,
        input: &mut Node,
        old: impl Iterator<Item = (usize, &'c mut ColId)>,
    ) -> BindResult<()> {
        let Target::Instead { database, table } = target else { return Ok(()) };
        let mut masks = Masks::default();
        let view = Some((*database, table.id()));
        flow::find(&mut Masking { binder: self, view }, &mut masks, input);
        let mut shown: Vec<(ColId, ColId, Expr)> = Vec::new();
        for (at, column) in old {
            let Some(mask) = masks.columns.get(column).cloned() else { continue };
            if let Some((_, masked, _)) = shown.iter().find(|(of, ..)| of == column) {
                *column = *masked;
                continue;
            }
            let Some(def) = table.stored_columns().nth(at) else { continue };
            let ty = type_of(input, *column).unwrap_or(def.ty);
            let value = Expr { kind: ExprKind::Column(*column), ty, nullable: true };
            let value = self.masked(value, &mask)?;
            let masked = self.free_column();
            shown.push((*column, masked, value));
            *column = masked;
        }
        let rows = std::mem::replace(input, Node::OneRow);
        let shown = shown.into_iter().map(|(_, masked, value)| (masked, value));
        *input = computed(rows, shown.collect());
        Ok(())
    }

    fn mask_expr(&mut self, masks: &Masks, expr: &mut Expr) -> BindResult<()> {
        if let Some(mask) = self.mask_of(masks, expr) {
            let kind = ExprKind::Constant(Value::Null);
            let empty = Expr { kind, ty: expr.ty, nullable: true };
            let value = std::mem::replace(expr, empty);
            *expr = self.masked(value, &mask)?;
        }
        Ok(())
    }
}

/// Finding masks.
impl Binder<'_> {
    /// Notes that a table has classified columns, and which masked columns of it the user does not
    /// see: errors of a statement that reads the table must not quote them, even if it shows none.
    pub(super) fn note_marks(&mut self, database: DbId, table: &TableDef) {
        if let Some(tracked) = self.tracked_by(database, table) {
            return self.note_marks(database, &tracked);
        }
        self.reads_classified |= table.columns.iter().any(|c| c.classification.is_some());
        for column in table.columns.iter().filter(|column| column.mask.is_some()) {
            self.reads_masked = true;
            self.bears(database, table, column);
        }
    }

    /// Whether columns that an operator reads of tables are masked to the user.
    pub(super) fn hides_columns(&mut self, database: DbId, node: &Node) -> bool {
        let mut tables: Vec<Arc<TableDef>> = Vec::new();
        let mut note = |part: Part<'_>| {
            if let Part::Node(Node::Scan(scan)) = part
                && let Source::Table { table, .. } = &scan.source
            {
                tables.push(table.clone());
            }
        };
        note(Part::Node(node));
        walk::visit(node, &mut note);
        let mut hides = false;
        for table in &tables {
            for column in table.columns.iter().filter(|column| column.mask.is_some()) {
                hides |= self.bears(database, table, column);
            }
        }
        hides
    }

    /// The mask under which the user gets a column of a table.
    fn borne(&mut self, database: DbId, table: &TableDef, at: usize) -> Option<Mask> {
        if let Some(tracked) = self.tracked_by(database, table) {
            // Its last columns are those of the tracked table's key.
            let key = &tracked.primary_key()?.key;
            let place = (at + key.len()).checked_sub(table.columns.len())?;
            let column = tracked.column(key.get(place)?.column)?;
            let mask = column.mask.as_ref()?;
            return self.bears(database, &tracked, column).then(|| Mask::Own(mask.clone()));
        }
        let column = table.stored_columns().nth(at)?;
        if let Some(computed) = &column.computed {
            let mut made = false;
            for source in computed.columns.iter().filter_map(|id| table.column(*id)) {
                made |= self.bears(database, table, source);
            }
            return made.then_some(Mask::Default);
        }
        let mask = column.mask.as_ref()?;
        self.bears(database, table, column).then(|| Mask::Own(mask.clone()))
    }

    /// The table whose changes a table has.
    fn tracked_by(&mut self, database: DbId, table: &TableDef) -> Option<Arc<TableDef>> {
        let of = table.changes_of?;
        self.schema_of(database).ok()?.table(of).cloned()
    }

    /// Whether a column of a table is masked to the user.
    fn bears(&mut self, database: DbId, table: &TableDef, column: &ColumnDef) -> bool {
        // A session that can name a temporary table owns it.
        if column.mask.is_none() || table.is_temporary() {
            return false;
        }
        let may = self.names.may_unmask(database, table.id(), column.id);
        let noted = (database, table.id(), column.id, may);
        if !self.dependencies.unmasked.contains(&noted) {
            self.dependencies.unmasked.push(noted);
        }
        self.facts.hides_values |= !may;
        self.facts.hides_keys |= !may;
        !may
    }

    /// The columns of a target's rows, by layout position.
    fn target_columns(&mut self, masks: &mut Masks, target: &Target, columns: &[ColId]) {
        let Target::Table { database, table } = target else { return };
        for (at, column) in columns.iter().enumerate() {
            if let Some(mask) = self.borne(*database, table, at) {
                masks.columns.insert(*column, mask);
            }
        }
    }

    /// Finds the masks of what an operator yields.
    fn find(&mut self, masks: &mut Masks, node: &Node) {
        flow::find(&mut Masking { binder: self, view: None }, masks, node);
    }

    /// The mask of a value.
    fn mask_of(&mut self, masks: &Masks, expr: &Expr) -> Option<Mask> {
        flow::mark_of(&mut Masking { binder: self, view: None }, masks, expr)
    }
}

/// Masking.
impl Binder<'_> {
    /// A value under a mask: of the same type, and NULL where it is.
    fn masked(&mut self, value: Expr, mask: &Mask) -> BindResult<Expr> {
        let (ty, nullable) = (value.ty, value.nullable);
        let Mask::Own(mask) = mask else { return self.hidden(value) };
        let argument = |at: usize| mask.arguments.get(at).map_or("", |argument| &**argument);
        let text = |text: &str, binder: &Self| {
            let ty = SqlType::nvarchar_max(binder.collation());
            Scalar::constant(ty, Value::unicode(text))
        };
        let whole = |value: i64| Scalar::constant(SqlType::int(), Value::Int(value));
        let length = |at: usize| whole(argument(at).parse().unwrap_or(0));
        let call = match mask.function {
            MaskingFunction::Default => return self.hidden(value),
            MaskingFunction::Email => {
                self.library_call("MASK EMAIL", vec![Scalar::computed(value)])?
            }
            MaskingFunction::Partial => {
                let args =
                    vec![Scalar::computed(value), length(0), text(argument(1), self), length(2)];
                self.library_call("MASK PARTIAL", args)?
            }
            MaskingFunction::Random => {
                let bound = |at: usize| {
                    let value = argument(at).parse().unwrap_or(0.0);
                    Scalar::constant(SqlType::float(), Value::Float(value))
                };
                let integer = whole(i64::from(ty.kind.is_integer()));
                let random = self.library_call("MASK RANDOM", vec![bound(0), bound(1), integer])?;
                let random = self.cast(random.expr, ty, CastMode::Explicit);
                return Ok(null_as(value, random));
            }
            MaskingFunction::DateTime => {
                const PARTS: [&str; 6] = ["Y", "M", "D", "h", "m", "s"];
                let part = PARTS.iter().position(|part| *part == argument(0)).unwrap_or(0);
                let time = self.cast(value, SqlType::datetime2(7), CastMode::Explicit);
                let args = vec![Scalar::computed(time), whole(part as i64)];
                self.library_call("MASK DATETIME", args)?
            }
        };
        let shown = self.cast(call.expr, ty, CastMode::Explicit);
        Ok(Expr { nullable, ..shown })
    }

    /// `default()`: the same for all values.
    fn hidden(&mut self, value: Expr) -> BindResult<Expr> {
        use TypeKind as K;
        let ty = value.ty;
        let unicode = |text: &str, binder: &Self| {
            let length = text.len() as u16;
            let ty = SqlType::nvarchar(length, binder.collation());
            Scalar::constant(ty, Value::unicode(text))
        };
        let bytes = |bytes: &[u8]| {
            let ty = SqlType::varbinary(bytes.len() as u16);
            Scalar::constant(ty, Value::Bytes(bytes.into()))
        };
        let shown = match ty.kind {
            K::Xml => unicode("<masked />", self),
            K::Json => unicode("{}", self),
            K::HierarchyId => bytes(&[]),
            kind if kind.is_spatial() => unicode("POINT EMPTY", self),
            K::UniqueIdentifier => bytes(&[0; 16]),
            K::RowVersion => bytes(&[0; 8]),
            kind if kind.is_temporal() => {
                Scalar::constant(SqlType::datetime2(7), Value::DateTime2(YEAR_1900))
            }
            kind if kind.is_numeric() => Scalar::constant(SqlType::int(), Value::Int(0)),
            kind if kind.is_binary() || kind == K::Image => bytes(b"0"),
            _ => unicode("xxxx", self),
        };
        let shown = self.cast(shown.expr, ty, CastMode::Explicit);
        Ok(null_as(value, shown))
    }
}

/// A value, or NULL where another one is.
fn null_as(of: Expr, value: Expr) -> Expr {
    let (ty, nullable) = (value.ty, of.nullable);
    if !nullable {
        return Expr { nullable, ..value };
    }
    let null = Expr { kind: ExprKind::Constant(Value::Null), ty, nullable };
    let branches = vec![(Pred::IsNull(of), null)];
    let kind = ExprKind::Case { branches, otherwise: Some(Box::new(value)) };
    Expr { kind, ty, nullable }
}

/// The type of a column that is computed at the top of a plan.
fn type_of(node: &Node, column: ColId) -> Option<SqlType> {
    match node {
        Node::Compute { input, columns } => {
            let found = columns.iter().find(|(own, _)| *own == column);
            found.map(|(_, value)| value.ty).or_else(|| type_of(input, column))
        }
        Node::Scan(scan) => {
            let table = match &scan.source {
                Source::Table { table, .. } => table,
                _ => return None,
            };
            let at = scan.columns.iter().find(|(_, own)| *own == column)?.0;
            table.stored_columns().nth(at).map(|column| column.ty)
        }
        Node::Aggregate { input, groups, aggregates, .. } => {
            let group = groups.iter().find(|(own, _)| *own == column).map(|(_, e)| e.ty);
            let made = aggregates.iter().find(|(own, _)| *own == column).map(|(_, a)| a.ty);
            group.or(made).or_else(|| type_of(input, column))
        }
        Node::Window { input, functions, .. } => {
            let found = functions.iter().find(|(own, _)| *own == column);
            found.map(|(_, function)| function.ty).or_else(|| type_of(input, column))
        }
        Node::Union { inputs, columns } => {
            let at = columns.iter().position(|own| *own == column)?;
            inputs.first().and_then(|(input, own)| type_of(input, *own.get(at)?))
        }
        Node::NestedLoop { outer, inner, .. } => {
            type_of(outer, column).or_else(|| type_of(inner, column))
        }
        Node::HashJoin { probe, build, .. } => {
            type_of(probe, column).or_else(|| type_of(build, column))
        }
        Node::Filter { input, .. }
        | Node::Distinct { input, .. }
        | Node::Sort { input, .. }
        | Node::Top { input, .. }
        | Node::Offset { input, .. }
        | Node::Counted { input } => type_of(input, column),
        Node::Spool { body, .. } => type_of(body, column),
        _ => None,
    }
}
