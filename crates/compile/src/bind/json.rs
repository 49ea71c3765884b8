//! What writes JSON: `FOR JSON`, JSON_OBJECT, JSON_ARRAY and their aggregates.
//!
//! `FOR JSON` becomes an aggregate over the query's rows, which must come in order. For each row
//! the library makes the text of its object, or one for each level of `AUTO`; the aggregate puts
//! them together. Without rows there is no document, and no row. A statement's own document is
//! returned in pieces, and the statement counts the rows that went into it.

mod shape;

use base::{SqlError, SqlType, Value, message};
use ir::function::json::{DOCUMENT_COLUMN, Frame, Marks, RowShape, names};
use ir::function::{AggregateFunction, Typing};
use ir::read::ReadOptions;
use tsql::ast::{self, ForJson, JsonArguments, JsonRoot, QueryBody, SelectItemKind};

pub(super) use self::shape::auto_levels;

use self::shape::Level;
use super::binder::Binder;
use super::context::{AtLine, BindResult, Document};
use super::query::scalar_of;
use super::scalar::{Label, Origin, Scalar};
use super::scope::OutCol;
use super::select::{Output, Usage, computed, filtered};
use crate::plan::expr::{Aggregate, ColId, Expr, ExprKind, Pred, SortKey};
use crate::plan::hints::AccessHint;
use crate::plan::tree::{Access, JoinKind, Node, Scan, Source};

/// The name that `ROOT` means if it gives none.
const ROOT: &str = "root";

/// `FOR JSON`.
impl Binder<'_> {
    /// A query with `FOR JSON`. Errors 6819, 10794, 13600 to 13603, 13605, 13620.
    pub fn for_json(
        &mut self,
        query: &ast::Query,
        clause: &ForJson,
        usage: Usage,
        line: u32,
    ) -> BindResult<Output> {
        self.check_for_json_place(query, usage).at(line)?;
        if clause.root.is_some() && clause.without_array_wrapper {
            let error = SqlError::new(&message::FOR_JSON_ROOT_WITHOUT_WRAPPER, &[]);
            return Err(error.at_line(line).into());
        }
        let rows = self.rows_of(query, Usage::Serialized)?;
        self.document(rows, clause, usage).at(line)
    }

    /// Errors 6819, 10794 and 13602: the query is one whose rows do not go to the client.
    fn check_for_json_place(&self, query: &ast::Query, usage: Usage) -> Result<(), SqlError> {
        if self.options.native && self.env.depth == 0 {
            let args: [&dyn std::fmt::Display; 3] =
                [&"operator", &"FOR JSON", &super::native::NATIVE];
            return Err(SqlError::new(&message::NOT_SUPPORTED_WITH, &args));
        }
        let first = first_select(&query.body);
        let assigns = |item: &ast::SelectItem| matches!(item.kind, SelectItemKind::Assign { .. });
        match usage {
            Usage::Insert => Err(SqlError::new(&message::FOR_JSON_NOT_ALLOWED, &[&"INSERT"])),
            Usage::Statement if first.into.is_some() => {
                Err(SqlError::new(&message::FOR_JSON_NOT_ALLOWED, &[&"SELECT INTO"]))
            }
            // SQL Server speaks of XML here.
            Usage::Statement if first.items.iter().any(assigns) => {
                let error = SqlError::new(&message::FOR_XML_NOT_ALLOWED, &[&"ASSIGNMENT"]);
                Err(error.with_state(3))
            }
            _ => Ok(()),
        }
    }

    /// The document of some rows as a query of one column: of one row, or in pieces.
    fn document(&mut self, rows: Output, clause: &ForJson, usage: Usage) -> BindResult<Output> {
        let levels = shape::levels(&rows.columns, &rows.tables, clause.auto)?;
        let root = clause.root.as_ref().map(|root| match root {
            JsonRoot::Named(name) => &**name,
            JsonRoot::Unnamed if clause.auto => levels[0].name.as_deref().unwrap_or(ROOT),
            JsonRoot::Unnamed => ROOT,
        });
        let frame = Frame { array: !clause.without_array_wrapper, root: root.is_some() };
        let mut args = vec![self.opening(frame, root)?, frame_constant(frame, levels.len())];
        for (at, level) in levels.iter().enumerate() {
            let next = levels.get(at + 1).and_then(|next| next.name.as_deref());
            args.push(self.row_text(level, &rows.columns, clause.include_null_values, next)?);
        }
        let input = match usage {
            Usage::Statement => Node::Counted { input: Box::new(rows.node) },
            _ => rows.node,
        };
        let (node, document) = self.aggregated(names::DOCUMENT, input, args)?;
        match usage {
            Usage::Statement => self.in_pieces(node, document, DOCUMENT_COLUMN, Document::Json),
            _ => Ok(one_document(node, document, !clause.without_array_wrapper)),
        }
    }

    /// What stands before the first object.
    fn opening(&mut self, frame: Frame, root: Option<&str>) -> BindResult<Scalar> {
        let Some(root) = root else {
            let text = SqlType::nvarchar_max(self.collation());
            return Ok(Scalar::constant(text, Value::unicode(if frame.array { "[" } else { "" })));
        };
        let mut shape = RowShape::new(false);
        shape.array(root);
        self.row_of(Vec::new(), shape)
    }

    /// The text of a row's object at a level; with the beginning of the array that holds the
    /// objects of the next one.
    fn row_text(
        &mut self,
        level: &Level,
        columns: &[OutCol],
        keeps_nulls: bool,
        next: Option<&str>,
    ) -> BindResult<Scalar> {
        let mut shape = level.shape(columns, keeps_nulls);
        if let Some(next) = next {
            shape.array(next);
        }
        let values = level.columns.iter().map(|at| scalar_of(&columns[*at])).collect();
        self.row_of(values, shape)
    }

    fn row_of(&mut self, mut values: Vec<Scalar>, shape: RowShape) -> BindResult<Scalar> {
        values.push(binary(shape.into_bytes()));
        self.json_part(names::ROW, values)
    }

    /// A call of one of the library's functions for JSON. Its collation is the database's, whatever
    /// those of its arguments are.
    pub fn json_part(&mut self, name: &str, args: Vec<Scalar>) -> BindResult<Scalar> {
        let function = self.names.functions().scalar(name).expect("the library has it");
        let collation = self.collation();
        self.apply_in(function, args, Label::NONE, collation)
    }

    /// The aggregate that is the document, and its column.
    pub fn aggregated(
        &mut self,
        name: &str,
        input: Node,
        args: Vec<Scalar>,
    ) -> BindResult<(Node, OutCol)> {
        let function = self.names.functions().aggregate(name);
        let function = function.expect("the library has it");
        let aggregate = self.json_aggregate(function, args, Vec::new())?;
        let column = self.document_column(aggregate.ty);
        let node = Node::Aggregate {
            input: Box::new(input),
            groups: Vec::new(),
            aggregates: vec![(column.id, aggregate)],
            grouping_sets: Vec::new(),
            grouping_id: None,
            ordered: false,
        };
        Ok((node, column))
    }

    pub fn document_column(&mut self, ty: SqlType) -> OutCol {
        OutCol {
            id: self.free_column(),
            name: None,
            ty,
            nullable: true,
            label: Label::default_of(&ty),
            origin: Origin::Plain,
            base: None,
            views: Vec::new(),
            hidden: false,
        }
    }

    /// The document in pieces, under the name that SQL Server gives them.
    pub fn in_pieces(
        &mut self,
        node: Node,
        document: OutCol,
        name: &str,
        kind: Document,
    ) -> BindResult<Output> {
        self.facts.returns_document = Some(kind);
        let series = self.names.functions().rowset("GENERATE_SERIES").expect("the library has it");
        let first = Scalar::constant(SqlType::bigint(), Value::Int(1)).expr;
        let last = self.json_part(names::PIECES, vec![scalar_of(&document)])?.expr;
        let number = self.free_column();
        let numbers = Node::Scan(Box::new(Scan {
            source: Source::Function(series, vec![first, last]),
            columns: vec![(0, number)],
            access: Access::Full,
            residual: None,
            row: None,
            options: ReadOptions::default(),
            hint: AccessHint::default(),
        }));
        let node = Node::NestedLoop {
            kind: JoinKind::Inner,
            outer: Box::new(node),
            inner: Box::new(numbers),
            predicate: None,
        };
        let number = column(number, SqlType::bigint());
        let piece =
            self.json_part(names::PIECE, vec![scalar_of(&document), Scalar::computed(number)])?;
        let mut piece_column = self.document_column(piece.expr.ty);
        piece_column.name = Some(name.into());
        let node = computed(node, vec![(piece_column.id, piece.expr)]);
        Ok(Output::of(node, vec![piece_column]))
    }
}

/// Functions.
impl Binder<'_> {
    /// `JSON_OBJECT` or `JSON_ARRAY`, in capitals.
    pub fn json_builder(&mut self, name: &str, arguments: &JsonArguments) -> BindResult<Scalar> {
        let args = self.json_values(arguments)?;
        self.json_part(name, args)
    }

    /// `JSON_ARRAYAGG` or `JSON_OBJECTAGG`: the aggregate, its label, and whether it may be NULL.
    pub fn bind_json_aggregate(
        &mut self,
        function: &'static AggregateFunction,
        arguments: &JsonArguments,
        call: &ast::FunctionCall,
        line: u32,
    ) -> BindResult<(Aggregate, Label, bool)> {
        let values = self.json_values(arguments)?;
        if values.iter().any(|value| crate::plan::walk::has_subquery(&value.expr)) {
            return Err(SqlError::new(&message::AGGREGATE_OF_AGGREGATE, &[]).at_line(line).into());
        }
        let has_key = arguments.members.iter().any(|member| member.key.is_some());
        let part = if has_key { names::MEMBER } else { names::ELEMENT };
        let text = self.json_part(part, values).at(line)?;
        let order = self.window_order(&arguments.order_by)?;
        // SQL Server accepts `WITHIN GROUP` here, and orders nothing by it.
        self.window_order(&call.within_group)?;
        let aggregate = self.json_aggregate(function, vec![text], order).at(line)?;
        let label = Label::default_of(&aggregate.ty);
        Ok((aggregate, label, true))
    }

    /// Keys and values, and at last what the function must know of them.
    fn json_values(&mut self, arguments: &JsonArguments) -> BindResult<Vec<Scalar>> {
        let mut values = Vec::with_capacity(2 * arguments.members.len() + 1);
        for member in &arguments.members {
            if let Some(key) = &member.key {
                values.push(self.scalar(key)?);
            }
            values.push(self.scalar(&member.value)?);
        }
        // An object keeps its NULLs and an array leaves them out, if nothing is said.
        let has_keys = arguments.members.iter().any(|member| member.key.is_some());
        values.push(marks_of(&values, arguments.keeps_nulls.unwrap_or(has_keys)));
        Ok(values)
    }

    fn json_aggregate(
        &mut self,
        function: &'static AggregateFunction,
        args: Vec<Scalar>,
        order: Vec<SortKey>,
    ) -> BindResult<Aggregate> {
        let infos: Vec<_> = args.iter().map(Scalar::argument).collect();
        let types = function.bind(&infos, Typing { collation: self.collation() })?;
        let args = args.into_iter().map(|arg| arg.expr).collect();
        Ok(Aggregate { function, args, distinct: false, order, ty: types.ty })
    }
}

/// The argument that says which of some others are JSON text.
pub(super) fn marks_of(args: &[Scalar], keeps_nulls: bool) -> Scalar {
    binary(Marks::encode(keeps_nulls, args.iter().map(|arg| arg.origin == Origin::Json)))
}

fn frame_constant(frame: Frame, levels: usize) -> Scalar {
    binary(frame.encode(levels))
}

/// A binary constant.
pub(super) fn binary(bytes: Vec<u8>) -> Scalar {
    Scalar::constant(SqlType::varbinary_max(), Value::Bytes(bytes.into()))
}

/// The document as a query of one row, or of none without rows.
pub(super) fn one_document(node: Node, mut document: OutCol, is_json: bool) -> Output {
    let missing = Pred::IsNull(column(document.id, document.ty));
    let node = filtered(node, Some(Pred::Not(Box::new(missing))));
    if is_json {
        document.origin = Origin::Json;
    }
    Output::of(node, vec![document])
}

fn column(id: ColId, ty: SqlType) -> Expr {
    Expr { kind: ExprKind::Column(id), ty, nullable: true }
}

/// The `SELECT` whose list gives a query its columns.
pub(super) fn first_select(body: &QueryBody) -> &ast::Select {
    match body {
        QueryBody::Select(select) => select,
        QueryBody::Nested(query) => first_select(&query.body),
        QueryBody::Set(chain) => first_select(&chain.first),
    }
}
