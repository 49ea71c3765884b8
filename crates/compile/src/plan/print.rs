//! Plans as text, in the manner of `SHOWPLAN_TEXT`: one operator per line, inputs below it.

use std::collections::HashMap;
use std::fmt::{self, Write};
use std::sync::Arc;

use base::Value;
use base::collation::codepage::unicode_to_string;
use base::ids::DbId;
use engine::catalog::def::{HashCaching, IndexDef, IndexKind, TableDef};
use ir::unit::NodeKey;

use crate::plan::expr::*;
use crate::plan::tree::*;
use crate::plan::walk::{Part, Parts, visit};

/// The key of an operator, which names it for as long as the plan stays where it is.
pub fn key_of(node: &Node) -> NodeKey {
    NodeKey(std::ptr::from_ref(node).addr())
}

/// A line of a plan.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its level in the tree; 0 for the topmost line.
    pub depth: usize,
    /// What it says.
    pub text: String,
    /// The operator; `None` for the change that a statement makes, and for a label.
    pub node: Option<NodeKey>,
    /// What it reads or changes.
    pub object: Option<LineObject>,
    /// Whether it is a label, which only names the query below it: one within an expression.
    pub is_label: bool,
}

/// What a line's operator reads or changes.
#[derive(Clone, Debug)]
pub struct LineObject {
    /// The database, for what lives in one.
    pub database: Option<DbId>,
    /// The table.
    pub table: Arc<TableDef>,
    /// The index by which it is read, by its place in the table.
    pub index: Option<usize>,
}

/// A statement's operators as text.
pub fn statement(plan: &Plan) -> String {
    text_of(&lines(plan))
}

/// A query's operators as text.
pub fn rows(node: &Node) -> String {
    let mut printer = Printer::new(node);
    printer.node(0, node);
    text_of(&printer.lines)
}

/// A statement's operators, line by line.
pub fn lines(plan: &Plan) -> Vec<Line> {
    let (word, input, target) = match plan {
        Plan::Select(select) => {
            let mut printer = Printer::new(&select.root);
            printer.node(0, &select.root);
            return printer.lines;
        }
        Plan::Insert(insert) => ("Insert", &insert.source, &insert.target),
        Plan::Update(update) => ("Update", &update.input, &update.target),
        Plan::Delete(delete) => ("Delete", &delete.input, &delete.target),
        Plan::Merge(merge) => ("Merge", &merge.input, &merge.target),
    };
    let table = target.table();
    let database = match target {
        Target::Table { database, .. } | Target::Instead { database, .. } => Some(*database),
        Target::TableVar(..) => None,
    };
    let mut printer = Printer::new(input);
    printer.lines.push(Line {
        depth: 0,
        text: format!("Table {word}(OBJECT:([{}]))", table_name(table)),
        node: None,
        object: Some(LineObject { database, table: table.clone(), index: None }),
        is_label: false,
    });
    printer.node(1, input);
    printer.lines
}

fn text_of(lines: &[Line]) -> String {
    let mut text = String::new();
    for line in lines {
        let indent = "     ".repeat(line.depth.saturating_sub(1));
        let mark = if line.depth == 0 { "" } else { "  |--" };
        let _ = writeln!(text, "{indent}{mark}{}", line.text);
    }
    text
}

/// Writes operators.
struct Printer<'p> {
    lines: Vec<Line>,
    names: HashMap<ColId, String>,
    /// Queries inside the expressions of the current line.
    queries: Vec<(String, &'p Node)>,
}

impl<'p> Printer<'p> {
    fn new(node: &Node) -> Printer<'p> {
        let mut printer = Printer { lines: vec![], names: HashMap::new(), queries: vec![] };
        printer.name(node);
        visit(node, &mut |part| {
            if let Part::Node(node) = part {
                printer.name(node);
            }
        });
        printer
    }

    /// Names the columns of a source as their table does; a name that another column has already
    /// gets a number.
    fn name(&mut self, node: &Node) {
        let Node::Scan(scan) = node else { return };
        let Some(table) = table_of(&scan.source) else { return };
        for (at, col) in &scan.columns {
            let Some(def) = table.stored_columns().nth(*at) else { continue };
            let mut name = format!("[{}].[{}]", table_name(table), def.name);
            if self.names.values().any(|n| *n == name) {
                let _ = write!(name, ":{}", col.0);
            }
            self.names.insert(*col, name);
        }
    }

    /// An operator's line, and below it the queries in its expressions and its inputs.
    fn node(&mut self, depth: usize, node: &'p Node) {
        let text = self.describe(node);
        let (key, object) = (Some(key_of(node)), object_of(node));
        self.lines.push(Line { depth, text, node: key, object, is_label: false });
        for (text, query) in std::mem::take(&mut self.queries) {
            let label = Line { depth: depth + 1, text, node: None, object: None, is_label: true };
            self.lines.push(label);
            self.node(depth + 2, query);
        }
        node.parts(&mut |part| {
            if let Part::Node(input) = part {
                self.node(depth + 1, input);
            }
        });
    }

    fn describe(&mut self, node: &'p Node) -> String {
        match node {
            Node::OneRow => "Constant Scan".into(),
            Node::Values { rows, .. } => {
                let rows: Vec<String> =
                    rows.iter().map(|r| format!("({})", self.exprs(r))).collect();
                format!("Constant Scan(VALUES:({}))", rows.join(", "))
            }
            Node::Scan(scan) => self.scan(scan),
            Node::Filter { predicate, .. } => format!("Filter(WHERE:({}))", self.pred(predicate)),
            Node::Compute { columns, .. } => {
                let columns: Vec<String> = columns
                    .iter()
                    .map(|(c, e)| format!("{}={}", self.col(*c), self.expr(e)))
                    .collect();
                format!("Compute Scalar(DEFINE:({}))", columns.join(", "))
            }
            Node::NestedLoop { kind, predicate, .. } => {
                let mut text = format!("Nested Loops({}", join_name(*kind));
                if let Some(predicate) = predicate {
                    let _ = write!(text, ", WHERE:({})", self.pred(predicate));
                }
                text + ")"
            }
            Node::HashJoin { kind, keys, residual, .. } => {
                let keys: Vec<String> = keys
                    .iter()
                    .map(|(a, b)| format!("{}={}", self.expr(a), self.expr(b)))
                    .collect();
                let mut text =
                    format!("Hash Match({}, HASH:({})", join_name(*kind), keys.join(", "));
                if let Some(residual) = residual {
                    let _ = write!(text, ", RESIDUAL:({})", self.pred(residual));
                }
                text + ")"
            }
            Node::Aggregate { groups, aggregates, ordered, grouping_sets, .. } => {
                let how = match *ordered || (groups.is_empty() && grouping_sets.is_empty()) {
                    true => "Stream Aggregate(",
                    false => "Hash Match(Aggregate, ",
                };
                let mut parts = Vec::new();
                if !groups.is_empty() {
                    let groups: Vec<String> = groups.iter().map(|g| self.expr(&g.1)).collect();
                    parts.push(format!("GROUP BY:({})", groups.join(", ")));
                }
                let list: Vec<String> = aggregates
                    .iter()
                    .map(|(c, a)| format!("{}={}", self.col(*c), self.aggregate(a)))
                    .collect();
                parts.push(format!("DEFINE:({})", list.join(", ")));
                format!("{how}{})", parts.join(" "))
            }
            Node::Distinct { columns, .. } => format!("Distinct({})", self.cols(columns)),
            Node::Sort { keys, limit, .. } => {
                let keys = self.keys(keys);
                match limit {
                    Some(limit) => format!("Sort(TOP {}, ORDER BY:({keys}))", self.expr(limit)),
                    None => format!("Sort(ORDER BY:({keys}))"),
                }
            }
            Node::Top { count, percent, ties, .. } => {
                let mut text = format!("Top(TOP EXPRESSION:({})", self.expr(count));
                text += if *percent { " PERCENT" } else { "" };
                if let Some(ties) = ties {
                    let _ = write!(text, " TIES:({})", self.cols(ties));
                }
                text + ")"
            }
            Node::Offset { offset, fetch, .. } => {
                let fetch =
                    fetch.as_ref().map_or("".into(), |e| format!(", FETCH:({})", self.expr(e)));
                format!("Top(OFFSET EXPRESSION:({}){fetch})", self.expr(offset))
            }
            Node::Counted { .. } => "Row Count".into(),
            Node::Union { .. } => "Concatenation".into(),
            Node::Window { functions, .. } if node.numbers_rows() => {
                let numbers: Vec<String> =
                    functions.iter().map(|f| format!("{}=row_number", self.col(f.0))).collect();
                format!("Sequence Project(DEFINE:({}))", numbers.join(", "))
            }
            Node::Window { partition, order, .. } => {
                format!(
                    "Window(PARTITION BY:({}) ORDER BY:({}))",
                    self.exprs(partition),
                    self.keys(order)
                )
            }
            Node::Recursive { worktable, .. } => format!("Recursion(WORKTABLE:{})", worktable.0),
            Node::Worktable { worktable, .. } => format!("Table Spool(WORKTABLE:{})", worktable.0),
            Node::Spool { worktable, .. } => format!("Eager Spool(WORKTABLE:{})", worktable.0),
        }
    }

    fn scan(&mut self, scan: &'p Scan) -> String {
        let mut text = match &scan.access {
            Access::Full => {
                let (name, object) = source_name(&scan.source);
                format!("{name}(OBJECT:({object})")
            }
            Access::RowNumber(number) => {
                let (_, object) = source_name(&scan.source);
                format!("RID Lookup(OBJECT:({object}), SEEK:([$row_number]={})", self.expr(number))
            }
            Access::Seek { index, key } | Access::Key { index, key } => {
                let (index, object) = index_name(&scan.source, *index);
                let key: Vec<String> = (key.iter().zip(index_columns(&scan.source, index)))
                    .map(|(e, c)| format!("[{c}]={}", self.expr(e)))
                    .collect();
                format!("Index Seek(OBJECT:({object}), SEEK:({})", key.join(" AND "))
            }
            Access::Like { index, prefix, pattern } => {
                let (index, object) = index_name(&scan.source, *index);
                let columns = index_columns(&scan.source, index);
                let mut seek: Vec<String> = (prefix.iter().zip(&columns))
                    .map(|(e, c)| format!("[{c}]={}", self.expr(e)))
                    .collect();
                let next = columns.get(prefix.len()).map_or("", |c| &**c);
                seek.push(format!("[{next}] LIKE {}", self.expr(pattern)));
                format!(
                    "Index Seek(OBJECT:({object}), SEEK:({}) ORDERED FORWARD",
                    seek.join(" AND ")
                )
            }
            Access::Range { index, prefix, lower, upper, backward } => {
                let (index, object) = index_name(&scan.source, *index);
                let columns = index_columns(&scan.source, index);
                let mut seek: Vec<String> = (prefix.iter().zip(&columns))
                    .map(|(e, c)| format!("[{c}]={}", self.expr(e)))
                    .collect();
                let next = columns.get(prefix.len()).map_or("", |c| &**c);
                for (bound, op) in [(lower, ">"), (upper, "<")] {
                    if let Some(Bound { value, inclusive }) = bound {
                        let equal = if *inclusive { "=" } else { "" };
                        seek.push(format!("[{next}]{op}{equal}{}", self.expr(value)));
                    }
                }
                let kind = match index.kind {
                    IndexKind::Clustered => "Clustered Index",
                    _ => "Index",
                };
                let order = if *backward { " ORDERED BACKWARD" } else { " ORDERED FORWARD" };
                match seek.is_empty() {
                    true => format!("{kind} Scan(OBJECT:({object}){order}"),
                    false => {
                        let cache = row_cache(&scan.source, index, prefix.len());
                        let seek = seek.join(" AND ");
                        format!("{kind} Seek(OBJECT:({object}), SEEK:({seek}){order}{cache}")
                    }
                }
            }
        };
        if let Some(residual) = &scan.residual {
            let _ = write!(text, ", WHERE:({})", self.pred(residual));
        }
        text + ")"
    }

    fn col(&self, col: ColId) -> String {
        self.names.get(&col).cloned().unwrap_or_else(|| format!("[Expr{:04}]", 1000 + col.0))
    }

    fn cols(&self, cols: &[ColId]) -> String {
        cols.iter().map(|c| self.col(*c)).collect::<Vec<_>>().join(", ")
    }

    fn exprs(&mut self, exprs: &'p [Expr]) -> String {
        exprs.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    fn keys(&mut self, keys: &'p [SortKey]) -> String {
        let key = |k: &'p SortKey| {
            format!("{} {}", self.expr(&k.expr), if k.descending { "DESC" } else { "ASC" })
        };
        keys.iter().map(key).collect::<Vec<_>>().join(", ")
    }

    fn aggregate(&mut self, aggregate: &'p Aggregate) -> String {
        let args = match aggregate.args.is_empty() {
            true => "*".to_owned(),
            false => self.exprs(&aggregate.args),
        };
        let distinct = if aggregate.distinct { "DISTINCT " } else { "" };
        format!("{}({distinct}{args})", aggregate.function.name)
    }

    fn query(&mut self, what: &str, node: &'p Node) -> String {
        let name = format!("{what}{}", self.queries.len() + 1);
        self.queries.push((name.clone(), node));
        name
    }

    fn expr(&mut self, expr: &'p Expr) -> String {
        match &expr.kind {
            ExprKind::Constant(value) => constant(value),
            ExprKind::Column(col) => self.col(*col),
            ExprKind::Variable(var) => format!("@{}", var.0),
            ExprKind::Cast { operand, mode, .. } => {
                let word = if *mode == CastMode::Try { "TRY_CONVERT" } else { "CONVERT" };
                format!("{word}({},{})", expr.ty, self.expr(operand))
            }
            ExprKind::Arith { op, left, right } => {
                format!("({}{}{})", self.expr(left), arith(*op), self.expr(right))
            }
            ExprKind::Concat(a, b) => format!("({}+{})", self.expr(a), self.expr(b)),
            ExprKind::Negate(e) => format!("-{}", self.expr(e)),
            ExprKind::BitNot(e) => format!("~{}", self.expr(e)),
            ExprKind::Case { branches, otherwise } => {
                let mut text = "CASE".to_owned();
                for (when, then) in branches {
                    let (when, then) = (self.pred(when), self.expr(then));
                    let _ = write!(text, " WHEN {when} THEN {then}");
                }
                if let Some(otherwise) = otherwise {
                    let _ = write!(text, " ELSE {}", self.expr(otherwise));
                }
                text + " END"
            }
            ExprKind::Call { function, args } => format!("{}({})", function.name, self.exprs(args)),
            ExprKind::UserFunction { function, args } => {
                let args: Vec<String> = args
                    .iter()
                    .map(|a| a.as_ref().map_or("DEFAULT".into(), |a| self.expr(a)))
                    .collect();
                format!("function {}({})", function.0, args.join(", "))
            }
            ExprKind::Subquery(subquery) => self.query("Subquery", &subquery.plan),
            ExprKind::NextValue(sequence) => format!("NEXT VALUE FOR {}", sequence.0),
        }
    }

    fn preds(&mut self, list: &'p [Pred], word: &str) -> String {
        let list: Vec<String> = list
            .iter()
            .map(|p| match p {
                Pred::And(_) | Pred::Or(_) => format!("({})", self.pred(p)),
                _ => self.pred(p),
            })
            .collect();
        list.join(word)
    }

    fn pred(&mut self, pred: &'p Pred) -> String {
        match pred {
            Pred::Const(Some(true)) => "TRUE".into(),
            Pred::Const(Some(false)) => "FALSE".into(),
            Pred::Const(None) => "UNKNOWN".into(),
            Pred::Compare(op, a, b) => {
                format!("{}{}{}", self.expr(a), compare(*op), self.expr(b))
            }
            Pred::IsNull(e) => format!("{} IS NULL", self.expr(e)),
            Pred::NotDistinct(a, b) => format!("{} IS {}", self.expr(a), self.expr(b)),
            Pred::Like { subject, pattern, .. } => {
                format!("{} LIKE {}", self.expr(subject), self.expr(pattern))
            }
            Pred::In(e, list) => format!("{} IN ({})", self.expr(e), self.exprs(list)),
            Pred::Exists(subquery) => self.query("EXISTS ", &subquery.plan),
            Pred::Quantified { op, all, left, subquery } => {
                let word = if *all { "ALL" } else { "ANY" };
                let query = self.query("Subquery", &subquery.plan);
                format!("{}{}{word} {query}", self.expr(left), compare(*op))
            }
            Pred::And(list) => self.preds(list, " AND "),
            Pred::Or(list) => self.preds(list, " OR "),
            Pred::Not(inner) => format!("NOT {}", self.preds(std::slice::from_ref(inner), "")),
            Pred::Bit(e) => self.expr(e),
        }
    }
}

fn constant(value: &Value) -> String {
    match value {
        Value::Null => "NULL".into(),
        Value::Int(v) => v.to_string(),
        Value::Chars(bytes) => format!("'{}'", String::from_utf8_lossy(bytes)),
        Value::Unicode(bytes) => format!("N'{}'", unicode_to_string(bytes)),
        other => format!("{other:?}"),
    }
}

fn join_name(kind: JoinKind) -> &'static str {
    match kind {
        JoinKind::Inner => "Inner Join",
        JoinKind::LeftOuter => "Left Outer Join",
        JoinKind::RightOuter => "Right Outer Join",
        JoinKind::FullOuter => "Full Outer Join",
        JoinKind::Semi => "Left Semi Join",
        JoinKind::Anti => "Left Anti Semi Join",
        JoinKind::AntiNullAware => "Left Anti Semi Join, NULLS",
    }
}

fn compare(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "=",
        CompareOp::Ne => "<>",
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
    }
}

fn arith(op: ArithOp) -> &'static str {
    match op {
        ArithOp::Add => "+",
        ArithOp::Subtract => "-",
        ArithOp::Multiply => "*",
        ArithOp::Divide => "/",
        ArithOp::Modulo => "%",
        ArithOp::BitAnd => "&",
        ArithOp::BitOr => "|",
        ArithOp::BitXor => "^",
    }
}

fn table_of(source: &Source) -> Option<&Arc<TableDef>> {
    match source {
        Source::Table { table, .. }
        | Source::TableVar(_, table)
        | Source::Transition(_, table)
        | Source::Stream(_, table)
        | Source::UserFunction(_, _, table) => Some(table),
        Source::System(..) | Source::Function(..) => None,
    }
}

/// The table that an operator reads, if it scans one.
fn object_of(node: &Node) -> Option<LineObject> {
    let Node::Scan(scan) = node else { return None };
    let table = table_of(&scan.source)?.clone();
    let database = match &scan.source {
        Source::Table { database, .. } => Some(*database),
        _ => None,
    };
    let index = match &scan.access {
        Access::Full | Access::RowNumber(_) => None,
        Access::Seek { index, .. }
        | Access::Key { index, .. }
        | Access::Range { index, .. }
        | Access::Like { index, .. } => Some(*index),
    };
    Some(LineObject { database, table, index })
}

/// The name of the operator that scans all rows of a source, and the name of the source.
fn source_name(source: &Source) -> (&'static str, String) {
    match source {
        Source::Table { table, .. } => ("Table Scan", format!("[{}]", table_name(table))),
        Source::TableVar(_, table) => ("Table Scan", format!("[{}]", table_name(table))),
        Source::Transition(true, _) => ("Inserted Scan", "[inserted]".into()),
        Source::Transition(false, _) => ("Deleted Scan", "[deleted]".into()),
        Source::System(_, view) => ("Table-valued function", format!("[{}]", view.name)),
        Source::Function(function, _) => ("Table-valued function", format!("[{}]", function.name)),
        Source::Stream(source, _) => ("Remote Scan", format!("[{}]", source.name())),
        Source::UserFunction(_, _, table) => {
            ("Table-valued function", format!("[{}]", table_name(table)))
        }
    }
}

/// The name of a table; that of a temporary one as the user wrote it.
pub fn table_name(table: &TableDef) -> &str {
    /// Digits at the end of a temporary table's name in tempdb, which is unique to the session.
    const DIGITS: usize = 12;
    let name = &*table.header.name;
    let is_local = name.starts_with('#') && !name.starts_with("##");
    match name.len().checked_sub(DIGITS).and_then(|at| name.split_at_checked(at)) {
        Some((written, digits)) if is_local && digits.bytes().all(|b| b.is_ascii_hexdigit()) => {
            written.trim_end_matches('_')
        }
        _ => name,
    }
}

fn index_name(source: &Source, index: usize) -> (&IndexDef, String) {
    let table = table_of(source).expect("only tables have indexes");
    let index = &table.indexes[index];
    (index, format!("[{}].[{}]", table_name(table), index.name))
}

/// What a plan says of a search that asks the row cache; nothing of others. The search is for
/// values of so many of the index's first columns.
fn row_cache(source: &Source, index: &IndexDef, columns: usize) -> &'static str {
    let asks = matches!(source, Source::Table { table, .. } if table.row_cached)
        && index.unique
        && columns == index.key.len()
        && (index.kind == IndexKind::Clustered || index.hash_caching != HashCaching::Off);
    if asks { " ROW CACHE" } else { "" }
}

fn index_columns(source: &Source, index: &IndexDef) -> Vec<String> {
    let table = table_of(source).expect("only tables have indexes");
    let name = |c| table.column(c).map_or(String::new(), |c| c.name.to_string());
    index.key.iter().map(|k| name(k.column)).collect()
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&statement(self))
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&rows(self))
    }
}
