//! Queries.

use crate::ast::{
    AssignOp, BinaryOp, BulkOptionKind, ChangeTable, ChangeTableKind, Expr, ExprKind, FileContent,
    FileReading, ForJson, ForKind, ForXml, GroupBy, GroupingKind, GroupingSet, Ident, Join,
    JoinHint, JoinKind, JsonRoot, Literal, NamedWindow, NullElements, OpenJsonColumn, OpenXml,
    OpenXmlSchema, Query, QueryBody, Select, SelectItem, SelectItemKind, SetOperator,
    SystemTimeKind, TableAlias, TableSource, TableSourceKind, XmlMode, XmlSchema,
};
use crate::print::Printer;

impl Printer {
    pub(super) fn query(&mut self, query: &Query) {
        self.query_body(&query.body);
        if !query.order_by.is_empty() {
            self.put(" ");
            self.order_by(&query.order_by);
        }
        if let Some(offset) = &query.offset {
            self.put(" OFFSET ");
            self.expr(&offset.offset);
            self.put(" ROWS");
            if let Some(fetch) = &offset.fetch {
                self.put(" FETCH NEXT ");
                self.expr(fetch);
                self.put(" ROWS ONLY");
            }
        }
        match query.for_clause.as_ref().map(|f| &f.kind) {
            Some(ForKind::Json(clause)) => self.for_json(clause),
            Some(ForKind::Xml(clause)) => self.for_xml(clause),
            Some(ForKind::Browse) | None => {}
        }
    }

    fn for_xml(&mut self, clause: &ForXml) {
        self.put(match clause.mode {
            XmlMode::Raw => " FOR XML RAW",
            XmlMode::Auto => " FOR XML AUTO",
            XmlMode::Path => " FOR XML PATH",
            XmlMode::Explicit => " FOR XML EXPLICIT",
        });
        self.in_parentheses(clause.row.as_deref());
        if clause.base64 {
            self.put(", BINARY BASE64");
        }
        if clause.typed {
            self.put(", TYPE");
        }
        if let Some(root) = &clause.root {
            self.put(", ROOT");
            self.in_parentheses(root.as_deref());
        }
        match &clause.schema {
            None => {}
            Some(XmlSchema::Data) => self.put(", XMLDATA"),
            Some(XmlSchema::Schema(uri)) => {
                self.put(", XMLSCHEMA");
                self.in_parentheses(uri.as_deref());
            }
        }
        match clause.elements {
            None => {}
            Some(NullElements::Absent) => self.put(", ELEMENTS"),
            Some(NullElements::Nil) => self.put(", ELEMENTS XSINIL"),
        }
    }

    fn in_parentheses(&mut self, text: Option<&str>) {
        if let Some(text) = text {
            self.put("(");
            self.string(text);
            self.put(")");
        }
    }

    fn for_json(&mut self, clause: &ForJson) {
        self.put(if clause.auto { " FOR JSON AUTO" } else { " FOR JSON PATH" });
        match &clause.root {
            None => {}
            Some(JsonRoot::Unnamed) => self.put(", ROOT"),
            Some(JsonRoot::Named(name)) => {
                self.put(", ROOT(");
                self.string(name);
                self.put(")");
            }
        }
        if clause.include_null_values {
            self.put(", INCLUDE_NULL_VALUES");
        }
        if clause.without_array_wrapper {
            self.put(", WITHOUT_ARRAY_WRAPPER");
        }
    }

    fn query_body(&mut self, body: &QueryBody) {
        match body {
            QueryBody::Select(select) => self.select(select),
            QueryBody::Nested(query) => {
                self.put("(");
                self.query(query);
                self.put(")");
            }
            QueryBody::Set(chain) => {
                self.query_body(&chain.first);
                for (operator, operand) in &chain.rest {
                    self.put(match operator {
                        SetOperator::Union => " UNION ",
                        SetOperator::UnionAll => " UNION ALL ",
                        SetOperator::Except => " EXCEPT ",
                        SetOperator::Intersect => " INTERSECT ",
                    });
                    self.query_body(operand);
                }
            }
        }
    }

    fn select(&mut self, select: &Select) {
        self.put("SELECT ");
        if select.distinct {
            self.put("DISTINCT ");
        }
        if let Some(top) = &select.top {
            self.put("TOP (");
            self.expr(&top.count);
            self.put(")");
            self.put(if top.percent { " PERCENT" } else { "" });
            self.put(if top.with_ties { " WITH TIES " } else { " " });
        }
        self.list(&select.items, ", ", |p, item| p.select_item(item));
        if let Some(into) = &select.into {
            self.put(" INTO ");
            self.name(&into.table);
            if let Some(filegroup) = &into.filegroup {
                self.put(" ON ");
                self.ident(filegroup);
            }
        }
        if !select.from.is_empty() {
            self.put(" FROM ");
            self.list(&select.from, ", ", |p, source| p.table_source(source));
        }
        if let Some(filter) = &select.filter {
            self.put(" WHERE ");
            self.condition(filter);
        }
        if let Some(group_by) = &select.group_by {
            self.group_by(group_by);
        }
        if let Some(having) = &select.having {
            self.put(" HAVING ");
            self.condition(having);
        }
        if !select.windows.is_empty() {
            self.put(" WINDOW ");
            self.list(&select.windows, ", ", |p, NamedWindow { name, over }| {
                p.ident(name);
                p.put(" AS ");
                let only_base = over.partition_by.is_empty()
                    && over.order_by.is_empty()
                    && over.frame.is_none();
                if only_base && over.base.is_some() {
                    p.put("(");
                    p.over(over);
                    p.put(")");
                } else {
                    p.over(over);
                }
            });
        }
    }

    fn select_item(&mut self, item: &SelectItem) {
        match &item.kind {
            SelectItemKind::Star(None) => self.put("*"),
            SelectItemKind::Star(Some(table)) => {
                self.name(table);
                self.put(".*");
            }
            SelectItemKind::Expr { expr, alias } => {
                self.expr(expr);
                self.alias(alias.as_ref());
            }
            SelectItemKind::Assign { variable, op, value } => {
                self.put(&variable.name);
                self.put(assign(*op));
                self.expr(value);
            }
        }
    }

    fn alias(&mut self, alias: Option<&Ident>) {
        if let Some(alias) = alias {
            self.put(" AS ");
            self.ident(alias);
        }
    }

    fn group_by(&mut self, group_by: &GroupBy) {
        self.put(" GROUP BY ");
        if group_by.all {
            self.put("ALL ");
        }
        self.list(&group_by.items, ", ", |p, set| p.grouping_set(set));
        match group_by.with {
            Some(GroupingKind::Rollup) => self.put(" WITH ROLLUP"),
            Some(GroupingKind::Cube) => self.put(" WITH CUBE"),
            None => {}
        }
    }

    fn grouping_set(&mut self, set: &GroupingSet) {
        match set {
            GroupingSet::Composite(items) => self.composite(items),
            GroupingSet::Rollup(items) => {
                self.put("ROLLUP (");
                self.list(items, ", ", |p, item| p.composite(item));
                self.put(")");
            }
            GroupingSet::Cube(items) => {
                self.put("CUBE (");
                self.list(items, ", ", |p, item| p.composite(item));
                self.put(")");
            }
            GroupingSet::Sets(sets) => {
                self.put("GROUPING SETS (");
                self.list(sets, ", ", |p, set| p.grouping_set(set));
                self.put(")");
            }
        }
    }

    fn composite(&mut self, items: &[Expr]) {
        match items {
            [item] => self.expr(item),
            items => {
                self.put("(");
                self.list(items, ", ", |p, item| p.expr(item));
                self.put(")");
            }
        }
    }

    fn open_json_column(&mut self, column: &OpenJsonColumn) {
        self.ident(&column.name);
        self.put(" ");
        self.data_type(&column.ty);
        if let Some(collation) = &column.collation {
            self.put(" COLLATE ");
            self.ident(collation);
        }
        if let Some(path) = &column.path {
            self.put(" ");
            self.string(path);
        }
        if column.as_json {
            self.put(" AS JSON");
        }
    }

    fn system_time(&mut self, time: &SystemTimeKind) {
        self.put(" FOR SYSTEM_TIME ");
        let (before, first, between, last, after) = match time {
            SystemTimeKind::All => return self.put("ALL"),
            SystemTimeKind::AsOf(time) => {
                self.put("AS OF ");
                return self.expr(time);
            }
            SystemTimeKind::FromTo(first, last) => ("FROM ", first, " TO ", last, ""),
            SystemTimeKind::Between(first, last) => ("BETWEEN ", first, " AND ", last, ""),
            SystemTimeKind::ContainedIn(first, last) => ("CONTAINED IN (", first, ", ", last, ")"),
        };
        self.put(before);
        self.expr(first);
        self.put(between);
        self.expr(last);
        self.put(after);
    }

    fn open_xml(&mut self, open: &OpenXml) {
        self.put("OPENXML (");
        self.put(&open.document.name);
        self.put(", ");
        self.expr(&open.rows);
        if let Some(flags) = &open.flags {
            self.put(", ");
            match &flags.kind {
                ExprKind::Literal(Literal::Integer(value)) => self.put(&value.to_string()),
                _ => self.expr(flags),
            }
        }
        self.put(")");
        match &open.schema {
            OpenXmlSchema::Edges => {}
            OpenXmlSchema::Columns(columns) => {
                self.put(" WITH (");
                self.list(columns, ", ", |p, column| {
                    p.ident(&column.name);
                    p.put(" ");
                    p.data_type(&column.ty);
                    if let Some(pattern) = &column.pattern {
                        p.put(" ");
                        p.string(pattern);
                    }
                });
                self.put(")");
            }
            OpenXmlSchema::Table(name) => {
                self.put(" WITH ");
                self.name(name);
            }
        }
        if let Some(alias) = &open.alias {
            self.table_alias(alias);
        }
    }

    fn change_table(&mut self, changes: &ChangeTable) {
        match &changes.kind {
            ChangeTableKind::Changes(version) => {
                self.put("CHANGETABLE(CHANGES ");
                self.name(&changes.table);
                self.put(", ");
                self.expr(version);
            }
            ChangeTableKind::Version(columns, values) => {
                self.put("CHANGETABLE(VERSION ");
                self.name(&changes.table);
                self.put(", (");
                self.list(columns, ", ", |p, column| p.ident(column));
                self.put("), (");
                self.list(values, ", ", |p, value| p.expr(value));
                self.put(")");
            }
        }
        self.put(if changes.force_seek { ", FORCESEEK)" } else { ")" });
        if let Some(alias) = &changes.alias {
            self.table_alias(alias);
        }
    }

    fn table_source(&mut self, source: &TableSource) {
        match &source.kind {
            TableSourceKind::Table(table) => {
                self.name(&table.name);
                if let Some(time) = &table.system_time {
                    self.system_time(&time.kind);
                }
                self.alias(table.alias.as_ref());
            }
            TableSourceKind::Function(function) => {
                self.name(&function.name);
                self.put("(");
                self.list(&function.arguments, ", ", |p, argument| p.argument(argument));
                self.put(")");
                if !function.schema.is_empty() {
                    self.put(" WITH (");
                    self.list(&function.schema, ", ", Printer::open_json_column);
                    self.put(")");
                }
                if let Some(alias) = &function.alias {
                    self.table_alias(alias);
                }
            }
            TableSourceKind::Method(method) => {
                self.expr(&method.call.operand);
                self.method(&method.call);
                if let Some(alias) = &method.alias {
                    self.table_alias(alias);
                }
            }
            TableSourceKind::File(file) => {
                self.put("OPENROWSET(BULK ");
                self.string(&file.path);
                match &file.reading {
                    FileReading::Whole(FileContent::Bytes) => self.put(", SINGLE_BLOB"),
                    FileReading::Whole(FileContent::Narrow) => self.put(", SINGLE_CLOB"),
                    FileReading::Whole(FileContent::Wide) => self.put(", SINGLE_NCLOB"),
                    FileReading::Rows(options) => {
                        options.iter().for_each(|option| self.rowset_option(&option.kind));
                    }
                }
                self.put(")");
                self.table_alias(&file.alias);
            }
            TableSourceKind::Changes(changes) => self.change_table(changes),
            TableSourceKind::OpenXml(open) => self.open_xml(open),
            TableSourceKind::Variable { variable, alias, .. } => {
                self.put(&variable.name);
                self.alias(alias.as_ref());
            }
            TableSourceKind::Derived { query, alias } => {
                self.put("(");
                self.query(query);
                self.put(")");
                self.table_alias(alias);
            }
            TableSourceKind::Values { rows, alias } => {
                self.put("(VALUES ");
                self.list(rows, ", ", |p, row| {
                    p.put("(");
                    p.list(row, ", ", |p, value| p.expr(value));
                    p.put(")");
                });
                self.put(")");
                self.table_alias(alias);
            }
            TableSourceKind::Join(join) => self.join(join),
            TableSourceKind::Pivot(pivot) => {
                self.table_source(&pivot.source);
                self.put(" PIVOT (");
                self.expr(&pivot.aggregate);
                self.put(" FOR ");
                self.column(&pivot.column);
                self.put(" IN (");
                self.list(&pivot.values, ", ", |p, value| p.ident(value));
                self.put("))");
                self.table_alias(&pivot.alias);
            }
            TableSourceKind::Unpivot(unpivot) => {
                self.table_source(&unpivot.source);
                self.put(" UNPIVOT (");
                self.ident(&unpivot.value);
                self.put(" FOR ");
                self.ident(&unpivot.column);
                self.put(" IN (");
                self.list(&unpivot.columns, ", ", |p, column| p.column(column));
                self.put("))");
                self.table_alias(&unpivot.alias);
            }
        }
    }

    fn table_alias(&mut self, alias: &TableAlias) {
        self.alias(Some(&alias.name));
        if !alias.columns.is_empty() {
            self.put("(");
            self.list(&alias.columns, ", ", |p, column| p.ident(column));
            self.put(")");
        }
    }

    fn join(&mut self, join: &Join) {
        self.table_source(&join.left);
        self.put(match join.kind {
            JoinKind::Inner => " INNER",
            JoinKind::LeftOuter => " LEFT",
            JoinKind::RightOuter => " RIGHT",
            JoinKind::FullOuter => " FULL",
            JoinKind::Cross => " CROSS",
            JoinKind::CrossApply => " CROSS APPLY ",
            JoinKind::OuterApply => " OUTER APPLY ",
        });
        self.put(match join.hint {
            Some(JoinHint::Loop) => " LOOP",
            Some(JoinHint::Hash) => " HASH",
            Some(JoinHint::Merge) => " MERGE",
            Some(JoinHint::Remote) => " REMOTE",
            None => "",
        });
        if !matches!(join.kind, JoinKind::CrossApply | JoinKind::OuterApply) {
            self.put(" JOIN ");
        }
        let nested = matches!(
            join.right.kind,
            TableSourceKind::Join(_) | TableSourceKind::Pivot(_) | TableSourceKind::Unpivot(_)
        );
        if nested {
            self.put("(");
        }
        self.table_source(&join.right);
        if nested {
            self.put(")");
        }
        if let Some(on) = &join.on {
            self.put(" ON ");
            self.condition(on);
        }
    }
}

fn assign(op: AssignOp) -> &'static str {
    match op {
        AssignOp::Set => "=",
        AssignOp::Compound(BinaryOp::Add) => "+=",
        AssignOp::Compound(BinaryOp::Subtract) => "-=",
        AssignOp::Compound(BinaryOp::Multiply) => "*=",
        AssignOp::Compound(BinaryOp::Divide) => "/=",
        AssignOp::Compound(BinaryOp::Modulo) => "%=",
        AssignOp::Compound(BinaryOp::BitAnd) => "&=",
        AssignOp::Compound(BinaryOp::BitOr) => "|=",
        AssignOp::Compound(BinaryOp::BitXor) => "^=",
    }
}

impl Printer {
    /// An option of `OPENROWSET(BULK …)`, with the comma before it.
    fn rowset_option(&mut self, option: &BulkOptionKind) {
        use BulkOptionKind as Kind;
        let (word, value) = match option {
            Kind::CodePage(text) => ("CODEPAGE", Ok(text)),
            Kind::DataSource(text) => ("DATA_SOURCE", Ok(text)),
            Kind::ErrorFile(text) => ("ERRORFILE", Ok(text)),
            Kind::ErrorFileDataSource(text) => ("ERRORFILE_DATA_SOURCE", Ok(text)),
            Kind::EscapeChar(text) => ("ESCAPECHAR", Ok(text)),
            Kind::FieldQuote(text) => ("FIELDQUOTE", Ok(text)),
            Kind::Format(text) => ("FORMAT", Ok(text)),
            Kind::FormatFile(text) => ("FORMATFILE", Ok(text)),
            Kind::FormatFileDataSource(text) => ("FORMATFILE_DATA_SOURCE", Ok(text)),
            Kind::FirstRow(number) => ("FIRSTROW", Err(*number)),
            Kind::LastRow(number) => ("LASTROW", Err(*number)),
            Kind::MaxErrors(number) => ("MAXERRORS", Err(*number)),
            Kind::RowsPerBatch(number) => ("ROWS_PER_BATCH", Err(*number)),
            Kind::Order { columns, unique } => {
                self.put(", ORDER (");
                self.list(columns, ", ", |p, (name, descending)| {
                    p.ident(name);
                    p.put(if *descending { " DESC" } else { "" });
                });
                return self.put(if *unique { ") UNIQUE" } else { ")" });
            }
            // The parser refuses these.
            Kind::BatchSize(_)
            | Kind::CheckConstraints
            | Kind::DataFileType(_)
            | Kind::FieldTerminator(_)
            | Kind::FireTriggers
            | Kind::KeepIdentity
            | Kind::KeepNulls
            | Kind::KilobytesPerBatch(_)
            | Kind::RowTerminator(_)
            | Kind::TabLock => return,
        };
        self.put(&format!(", {word} = "));
        match value {
            Ok(text) => self.string(text),
            Err(number) => self.put(&number.to_string()),
        }
    }
}
