//! Plans as documents of the Showplan schema
//! (`http://schemas.microsoft.com/sqlserver/2004/07/showplan`).
//!
//! There is as much as clients look for: statements, the tree of operators with estimates and
//! counts, what they read or change, and conditions as text. What only this server has is in a name
//! space of its own.

use std::fmt::Write;

use super::{ShownOperator, ShownPlan};
use crate::plan::print::{LineObject, table_name};

/// A statement with its plan.
#[derive(Clone, Debug)]
pub struct ShownStatement {
    /// Its text.
    pub text: String,
    /// `SELECT`, `INSERT`, `COND`.
    pub kind: String,
    /// Its plan, if it has one.
    pub plan: Option<ShownPlan>,
    /// Bytes of machine code that the statement has; 0 if it is interpreted.
    pub machine_code_bytes: usize,
    /// How long a run has taken, if it has run.
    pub elapsed_ns: Option<u64>,
}

/// What a document says beside the statements.
pub trait Surroundings {
    /// The database and the schema of something that a plan reads or changes, if it has them.
    fn place(&self, object: &LineObject) -> (Option<String>, Option<String>);

    /// The options under which the statements are planned, by the names of their attributes.
    fn options(&self) -> Vec<(&'static str, bool)>;
}

const NAMESPACE: &str = "http://schemas.microsoft.com/sqlserver/2004/07/showplan";
const OWN_NAMESPACE: &str = "urn:thermocline:showplan";

/// The document about a batch.
pub fn document(statements: &[ShownStatement], surroundings: &dyn Surroundings) -> String {
    let mut writer = Writer { out: String::new(), surroundings };
    let version = [
        ("xmlns", NAMESPACE),
        ("xmlns:thermocline", OWN_NAMESPACE),
        ("Version", "1.564"),
        ("Build", "16.0.1000.6"),
    ];
    writer.open("ShowPlanXML", &version);
    for name in ["BatchSequence", "Batch", "Statements"] {
        writer.open(name, &[]);
    }
    for (at, statement) in statements.iter().enumerate() {
        writer.statement(at + 1, statement);
    }
    for name in ["Statements", "Batch", "BatchSequence", "ShowPlanXML"] {
        writer.close(name);
    }
    writer.out
}

struct Writer<'s> {
    out: String,
    surroundings: &'s dyn Surroundings,
}

impl Writer<'_> {
    fn start(&mut self, name: &str, attributes: &[(&str, &str)]) {
        let _ = write!(self.out, "<{name}");
        for (attribute, value) in attributes {
            let _ = write!(self.out, " {attribute}=\"");
            escape(value, &mut self.out);
            self.out.push('"');
        }
    }

    fn open(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.start(name, attributes);
        self.out.push('>');
    }

    fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.start(name, attributes);
        self.out.push_str("/>");
    }

    fn close(&mut self, name: &str) {
        let _ = write!(self.out, "</{name}>");
    }

    fn statement(&mut self, id: usize, statement: &ShownStatement) {
        let id = id.to_string();
        let mut attributes = vec![
            ("StatementText", statement.text.as_str()),
            ("StatementId", &id),
            ("StatementCompId", &id),
            ("StatementType", &statement.kind),
            ("RetrievedFromCache", "false"),
        ];
        let Some(plan) = &statement.plan else {
            return self.empty("StmtSimple", &attributes);
        };
        let (cost, rows) = (number(plan.cost()), number(plan.rows()));
        let code = statement.machine_code_bytes.to_string();
        attributes.extend([
            ("StatementSubTreeCost", cost.as_str()),
            ("StatementEstRows", &rows),
            ("StatementOptmLevel", "FULL"),
            ("thermocline:MachineCodeBytes", &code),
        ]);
        self.open("StmtSimple", &attributes);
        let options = self.surroundings.options();
        let word = |on: &bool| if *on { "true" } else { "false" };
        let options: Vec<_> = options.iter().map(|(name, on)| (*name, word(on))).collect();
        self.empty("StatementSetOptions", &options);
        self.open("QueryPlan", &[("DegreeOfParallelism", "1")]);
        if let Some(elapsed_ns) = statement.elapsed_ns {
            let ms = (elapsed_ns / 1_000_000).to_string();
            self.empty("QueryTimeStats", &[("CpuTime", &ms), ("ElapsedTime", &ms)]);
        }
        if !plan.operators.is_empty() {
            self.operator(plan, 0);
        }
        self.close("QueryPlan");
        self.close("StmtSimple");
    }

    fn operator(&mut self, plan: &ShownPlan, at: usize) {
        let operator = &plan.operators[at];
        if operator.is_label {
            return self.inputs(plan, at);
        }
        let estimate = &operator.estimate;
        let id = at.to_string();
        let cost = number(estimate.cost);
        let (rows, subtree) = (number(estimate.rows), number(operator.subtree_cost));
        let rebinds = number((estimate.executions - 1.0).max(0.0));
        self.open(
            "RelOp",
            &[
                ("NodeId", &id),
                ("PhysicalOp", &operator.physical),
                ("LogicalOp", &operator.logical),
                ("EstimateRows", &rows),
                ("EstimateIO", "0"),
                ("EstimateCPU", &cost),
                ("AvgRowSize", "0"),
                ("EstimatedTotalSubtreeCost", &subtree),
                ("Parallel", "0"),
                ("EstimateRebinds", &rebinds),
                ("EstimateRewinds", "0"),
                ("EstimatedExecutionMode", "Row"),
            ],
        );
        self.empty("OutputList", &[]);
        if let Some(actual) = &operator.actual {
            let (rows, executions) = (actual.rows.to_string(), actual.executions.to_string());
            self.open("RunTimeInformation", &[]);
            let counters = [
                ("Thread", "0"),
                ("ActualRows", rows.as_str()),
                ("ActualEndOfScans", &executions),
                ("ActualExecutions", &executions),
                ("ActualExecutionMode", "Row"),
            ];
            self.empty("RunTimeCountersPerThread", &counters);
            self.close("RunTimeInformation");
        }
        self.detail(plan, at, operator);
        self.close("RelOp");
    }

    /// The element that is different for each kind of operator, with the operators below.
    fn detail(&mut self, plan: &ShownPlan, at: usize, operator: &ShownOperator) {
        let backward = operator.text.contains(" ORDERED BACKWARD");
        let ordered = if operator.text.contains(" ORDERED ") { "1" } else { "0" };
        let direction = if backward { "BACKWARD" } else { "FORWARD" };
        let scan = [
            ("Ordered", ordered),
            ("ScanDirection", direction),
            ("ForcedIndex", "0"),
            ("NoExpandHint", "0"),
        ];
        let (name, attributes): (&str, &[(&str, &str)]) = match &*operator.physical {
            "Index Seek" | "Clustered Index Seek" | "Index Scan" | "Clustered Index Scan" => {
                ("IndexScan", &scan)
            }
            "Table Scan" | "Inserted Scan" | "Deleted Scan" => ("TableScan", &scan[..1]),
            "Table-valued function" => ("TableValuedFunction", &[]),
            "Constant Scan" => ("ConstantScan", &[]),
            "Filter" => ("Filter", &[("StartupExpression", "0")]),
            "Compute Scalar" => ("ComputeScalar", &[]),
            "Nested Loops" => ("NestedLoops", &[("Optimized", "0")]),
            "Hash Match" => ("Hash", &[]),
            "Stream Aggregate" => ("StreamAggregate", &[]),
            "Sort" if operator.logical == "TopN Sort" => {
                ("TopSort", &[("Distinct", "0"), ("Rows", "0")])
            }
            "Sort" => ("Sort", &[("Distinct", "0")]),
            "Top" => ("Top", &[("RowCount", "0"), ("IsPercent", "0"), ("WithTies", "0")]),
            "Concatenation" => ("Concat", &[]),
            "Table Spool" => ("Spool", &[]),
            "Window Aggregate" => ("WindowAggregate", &[]),
            "Sequence Project" => ("SequenceProject", &[]),
            _ => ("Update", &[("DMLRequestSort", "0")]),
        };
        self.open(name, attributes);
        if !matches!(name, "Filter" | "Update") {
            self.empty("DefinedValues", &[]);
        }
        if let Some(object) = &operator.object {
            self.object(object);
        }
        // The schema has a filter's condition after what it filters.
        if name == "Filter" {
            self.inputs(plan, at);
        }
        if let Some(condition) = condition(&operator.argument) {
            self.open("Predicate", &[]);
            self.open("ScalarOperator", &[("ScalarString", condition)]);
            self.empty("Identifier", &[]);
            self.close("ScalarOperator");
            self.close("Predicate");
        }
        if name != "Filter" {
            self.inputs(plan, at);
        }
        self.close(name);
    }

    fn inputs(&mut self, plan: &ShownPlan, above: usize) {
        for at in above + 1..plan.operators.len() {
            if plan.operators[at].parent == Some(above) {
                self.operator(plan, at);
            }
        }
    }

    fn object(&mut self, object: &LineObject) {
        use engine::catalog::def::IndexKind;
        let quoted = |name: &str| format!("[{}]", name.replace(']', "]]"));
        let (database, schema) = self.surroundings.place(object);
        let mut attributes = Vec::new();
        for (attribute, name) in [("Database", database), ("Schema", schema)] {
            attributes.extend(name.map(|name| (attribute, quoted(&name))));
        }
        attributes.push(("Table", quoted(table_name(&object.table))));
        if let Some(index) = object.index.and_then(|at| object.table.indexes.get(at)) {
            attributes.push(("Index", quoted(&index.name)));
            let kind = match index.kind {
                IndexKind::Clustered => "Clustered",
                IndexKind::Hash => "NonClusteredHash",
                _ => "NonClustered",
            };
            attributes.push(("IndexKind", kind.to_owned()));
        }
        let storage =
            if object.table.kind.is_memory_optimized() { "MemoryOptimized" } else { "RowStore" };
        attributes.push(("Storage", storage.to_owned()));
        let attributes: Vec<_> = attributes.iter().map(|(name, v)| (*name, v.as_str())).collect();
        self.empty("Object", &attributes);
    }
}

/// The condition in an operator's argument.
fn condition(argument: &str) -> Option<&str> {
    let (_, rest) = argument.split_once("WHERE:(")?;
    Some(rest.strip_suffix(')').unwrap_or(rest))
}

fn number(value: f64) -> String {
    format!("{}", (value * 1e7).round() / 1e7)
}

/// Text as the value of an attribute; what XML cannot say at all is left out.
fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#xa;"),
            '\r' => out.push_str("&#xd;"),
            '\t' => out.push_str("&#x9;"),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {}
            c => out.push(c),
        }
    }
}
