//! Expressions and conditions.

use std::fmt::Write;

use crate::ast::{
    Argument, Arguments, BinaryOp, Case, CaseBranches, Cast, CastKind, ColumnRef, CompareOp,
    Condition, ConditionKind, DataType, Expr, ExprKind, Frame, FrameBound, FunctionCall, Ident,
    IdentityValues, JsonArguments, Literal, MethodCall, Niladic, ObjectName, OdbcKind, OrderItem,
    Over, PseudoColumn, TrimSide, TypeArguments, UnaryOp,
};
use crate::print::Printer;
use crate::quote_identifier;

/// Operands up to this length are printed more than once, for `BETWEEN` and `IN`. Without a bound,
/// nested ones would double the text at every level.
const REPEATED_MAX: usize = 256;

/// Functions whose first argument is a part of a date, which is not a column.
const DATE_PART_FUNCTIONS: &[&str] =
    &["dateadd", "datediff", "datediff_big", "datename", "datepart", "datetrunc", "date_bucket"];

/// How tightly an expression binds, for parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tightness {
    Sum,
    /// Also a sign before something that is not a number.
    Product,
    Primary,
}

fn tightness(expr: &Expr) -> Tightness {
    match &expr.kind {
        ExprKind::Chain { rest, .. } => {
            rest.first().map_or(Tightness::Primary, |(op, _)| operator_tightness(*op))
        }
        ExprKind::Unary { op: UnaryOp::Plus | UnaryOp::Minus, operand } => match &operand.kind {
            ExprKind::Literal(literal) if is_number(literal) => Tightness::Primary,
            _ => Tightness::Product,
        },
        _ => Tightness::Primary,
    }
}

fn operator_tightness(op: BinaryOp) -> Tightness {
    match op {
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo => Tightness::Product,
        _ => Tightness::Sum,
    }
}

fn is_number(literal: &Literal) -> bool {
    matches!(
        literal,
        Literal::Integer(_) | Literal::Numeric(_) | Literal::Float(_) | Literal::Money(_)
    )
}

impl Printer {
    pub(super) fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Literal(literal) => self.literal(literal, ""),
            ExprKind::Variable(name) => self.put(name),
            ExprKind::Column(column) => self.column(column),
            ExprKind::PseudoColumn { qualifier, column } => {
                if let Some(table) = qualifier {
                    self.name(table);
                    self.put(".");
                }
                self.put(match column {
                    PseudoColumn::Identity => "$identity",
                    PseudoColumn::RowGuid => "$rowguid",
                    PseudoColumn::Action => "$action",
                    PseudoColumn::RowNumber => "$row_number",
                });
            }
            ExprKind::Unary { op, operand } => self.unary(*op, operand),
            ExprKind::Chain { first, rest } => self.chain(first, rest),
            ExprKind::Collate { operand, collation } => {
                self.put("(");
                self.expr(operand);
                self.put(") collate ");
                self.word(collation);
            }
            ExprKind::AtTimeZone { operand, zone } => {
                self.operand(operand, Tightness::Product);
                self.put(" AT TIME ZONE ");
                // A second one after it would belong to the first.
                let nested =
                    matches!(zone.kind, ExprKind::AtTimeZone { .. } | ExprKind::Collate { .. });
                self.wrapped(nested || tightness(zone) < Tightness::Primary, |p| p.expr(zone));
            }
            ExprKind::Case(case) => self.case(case),
            ExprKind::Cast(cast) => self.cast(cast),
            ExprKind::Call(call) => self.call(call),
            ExprKind::Method(method) => {
                let is_bare = matches!(
                    method.operand.kind,
                    ExprKind::Variable(_)
                        | ExprKind::Column(_)
                        | ExprKind::Call(_)
                        | ExprKind::Cast(_)
                        | ExprKind::Subquery(_)
                        | ExprKind::Method(_)
                        | ExprKind::StaticMember(_)
                );
                self.wrapped(!is_bare, |p| p.expr(&method.operand));
                self.method(method);
            }
            ExprKind::StaticMember(member) => {
                self.name(&member.ty);
                self.put("::");
                self.member(&member.name, member.arguments.as_deref());
            }
            ExprKind::Subquery(query) => {
                self.put("(");
                self.query(query);
                self.put(")");
            }
            ExprKind::Niladic(_)
            | ExprKind::NextValue(_)
            | ExprKind::Odbc(..)
            | ExprKind::IdentityFunction(_) => self.special(&expr.kind),
        }
    }

    /// What stands behind the operand of a method.
    pub(super) fn method(&mut self, method: &MethodCall) {
        self.put(".");
        self.member(&method.name, method.arguments.as_deref());
    }

    fn member(&mut self, name: &Ident, arguments: Option<&[Expr]>) {
        self.ident(name);
        if let Some(arguments) = arguments {
            self.put("(");
            self.list(arguments, ",", |p, argument| p.expr(argument));
            self.put(")");
        }
    }

    /// Operands that are written in ways of their own.
    fn special(&mut self, kind: &ExprKind) {
        match kind {
            ExprKind::Niladic(function) => self.put(match function {
                Niladic::CurrentTimestamp => "getdate()",
                Niladic::CurrentDate => "CURRENT_DATE",
                Niladic::CurrentUser | Niladic::SessionUser | Niladic::User => "user_name()",
                Niladic::SystemUser => "suser_sname()",
            }),
            ExprKind::NextValue(next) => {
                self.put("NEXT VALUE FOR ");
                self.name(&next.sequence);
                if !next.over.is_empty() {
                    self.put(" OVER (");
                    self.order_by(&next.over);
                    self.put(")");
                }
            }
            ExprKind::Odbc(kind, text) => {
                self.put(match kind {
                    OdbcKind::Date => "{d ",
                    OdbcKind::Time => "{t ",
                    OdbcKind::Timestamp => "{ts ",
                    OdbcKind::Guid => "{guid ",
                });
                self.string(text);
                self.put("}");
            }
            ExprKind::IdentityFunction(identity) => {
                self.put("IDENTITY(");
                self.data_type(&identity.ty);
                if let Some(IdentityValues { seed, increment }) = &identity.values {
                    self.put(",");
                    self.expr(seed);
                    self.put(",");
                    self.expr(increment);
                }
                self.put(")");
            }
            _ => {}
        }
    }

    /// A part in parentheses, or without.
    fn wrapped(&mut self, parentheses: bool, part: impl FnOnce(&mut Printer)) {
        if parentheses {
            self.put("(");
        }
        part(self);
        if parentheses {
            self.put(")");
        }
    }

    /// An operand of an operator this tight.
    fn operand(&mut self, expr: &Expr, of: Tightness) {
        self.wrapped(tightness(expr) <= of, |p| p.expr(expr));
    }

    /// `((first+a)-b)`, without the outermost parentheses.
    fn chain(&mut self, first: &Expr, rest: &[(BinaryOp, Expr)]) {
        (1..rest.len()).for_each(|_| self.put("("));
        let mut left = Some(first);
        for (op, right) in rest {
            let of = operator_tightness(*op);
            match left.take() {
                Some(first) => self.operand(first, of),
                None => self.put(")"),
            }
            self.put(match op {
                BinaryOp::Add => "+",
                BinaryOp::Subtract => "-",
                BinaryOp::Multiply => "*",
                BinaryOp::Divide => "/",
                BinaryOp::Modulo => "%",
                BinaryOp::BitAnd => "&",
                BinaryOp::BitOr => "|",
                BinaryOp::BitXor => "^",
            });
            self.operand(right, of);
        }
    }

    /// A sign belongs to the number after it; before anything else it has a blank, so that two of
    /// them make no comment.
    fn unary(&mut self, op: UnaryOp, operand: &Expr) {
        match (op, &operand.kind) {
            (UnaryOp::Minus, ExprKind::Literal(literal)) if is_number(literal) => {
                return self.literal(literal, "-");
            }
            (UnaryOp::Plus, ExprKind::Literal(literal)) if is_number(literal) => {
                return self.literal(literal, "");
            }
            (UnaryOp::Minus, _) => self.put(" -"),
            (UnaryOp::Plus, _) => self.put(" +"),
            (UnaryOp::BitNot, _) => self.put("~"),
        }
        self.operand(operand, Tightness::Product);
    }

    /// A constant; numbers are in parentheses.
    fn literal(&mut self, literal: &Literal, sign: &str) {
        let number = match literal {
            Literal::Null => return self.put("NULL"),
            Literal::String(text) => return self.string(text),
            Literal::National(text) => {
                self.put("N");
                return self.string(text);
            }
            Literal::Binary(bytes) => {
                self.put("0x");
                for byte in bytes.iter() {
                    // Writing to a string does not fail.
                    let _ = write!(self.out, "{byte:02X}");
                }
                return;
            }
            Literal::Integer(value) if *value < 0 => format!("({value})"),
            Literal::Integer(value) => format!("({sign}{value})"),
            Literal::Numeric(text) => format!("({sign}{})", numeric(text)),
            Literal::Float(text) => format!("({sign}{})", float(text)),
            Literal::Money(text) => format!("({sign}${text})"),
        };
        self.put(&number);
    }

    /// A string in quotes.
    pub(super) fn string(&mut self, text: &str) {
        self.put("'");
        // What would join lines is written so that joining them gives it back.
        let text = text.replace('\'', "''").replace("\\\r\n", "\\\\\r\n\r\n");
        let text = text.replace("\\\n", "\\\\\n\n");
        self.put(&text);
        self.put("'");
    }

    pub(super) fn ident(&mut self, ident: &Ident) {
        self.put(&quote_identifier(&ident.name));
    }

    /// A word that usually needs no brackets: a collation, a part of a date.
    fn word(&mut self, ident: &Ident) {
        let plain = !ident.quoted && !crate::is_reserved(&ident.name);
        match plain {
            true => self.put(&ident.name),
            false => self.ident(ident),
        }
    }

    pub(super) fn name(&mut self, name: &ObjectName) {
        let parts = [&name.server, &name.database, &name.schema];
        for part in parts.into_iter().skip_while(|part| part.is_none()) {
            if let Some(part) = part {
                self.ident(part);
            }
            self.put(".");
        }
        self.ident(&name.name);
    }

    pub(super) fn column(&mut self, column: &ColumnRef) {
        if let Some(table) = &column.qualifier {
            self.name(table);
            self.put(".");
        }
        self.ident(&column.column);
    }

    /// A type; built-in ones by their own names.
    pub(super) fn data_type(&mut self, ty: &DataType) {
        let builtin = match ty.name.is_bare() {
            true => base::types::declare::kind_by_name(&ty.name.name.name),
            false => None,
        };
        match builtin {
            Some(kind) => self.put(&quote_identifier(kind.name())),
            None => self.name(&ty.name),
        }
        match &ty.arguments {
            TypeArguments::None => {}
            TypeArguments::Max => self.put("(max)"),
            TypeArguments::Numbers(numbers) => {
                self.put("(");
                self.list(numbers, ",", |p, number| p.put(&number.to_string()));
                self.put(")");
            }
            TypeArguments::Collection(of) => {
                self.put(if of.is_document { "(document " } else { "(content " });
                self.name(&of.name);
                self.put(")");
            }
        }
    }

    fn case(&mut self, case: &Case) {
        self.put("case");
        let simple = match &case.branches {
            CaseBranches::Simple { input, branches } => {
                self.put(" ");
                self.expr(input);
                for (value, result) in branches {
                    self.put(" when ");
                    self.expr(value);
                    self.put(" then ");
                    self.expr(result);
                }
                true
            }
            CaseBranches::Searched(branches) => {
                for (condition, result) in branches {
                    self.put(" when ");
                    self.condition(condition);
                    self.put(" then ");
                    self.expr(result);
                }
                false
            }
        };
        match &case.otherwise {
            Some(otherwise) => {
                self.put(" else ");
                self.expr(otherwise);
            }
            // SQL Server leaves two blanks here.
            None if !simple => self.put(" "),
            None => {}
        }
        self.put(" end");
    }

    fn cast(&mut self, cast: &Cast) {
        if cast.is_try {
            self.put("TRY_");
        }
        match cast.kind {
            CastKind::Cast if cast.is_try => {
                self.put("CAST(");
                self.expr(&cast.operand);
                self.put(" AS ");
                self.data_type(&cast.ty);
            }
            CastKind::Cast | CastKind::Convert => {
                self.put("CONVERT(");
                self.data_type(&cast.ty);
                self.put(",");
                self.expr(&cast.operand);
                if let Some(style) = &cast.style {
                    self.put(",");
                    self.expr(style);
                }
            }
            CastKind::Parse => {
                self.put("PARSE(");
                self.expr(&cast.operand);
                self.put(" AS ");
                self.data_type(&cast.ty);
                if let Some(culture) = &cast.style {
                    self.put(" USING ");
                    self.expr(culture);
                }
            }
        }
        self.put(")");
    }

    fn call(&mut self, call: &FunctionCall) {
        if call.odbc {
            self.put("{fn ");
        }
        let plain = call.name.is_bare() && !call.name.name.quoted;
        let name = call.name.name.name.to_lowercase();
        match (plain, name.as_str(), &call.arguments) {
            // `YEAR(d)` is a way to write `DATEPART(year, d)`.
            (true, "year" | "month" | "day", Arguments::List { items, .. })
                if !call.odbc && items.len() == 1 =>
            {
                self.put("datepart(");
                self.put(&name);
                self.put(",");
                self.argument(&items[0]);
                self.put(")");
            }
            // `{fn EXTRACT(YEAR FROM d)}` has no comma.
            (true, "extract", Arguments::List { items, .. }) if call.odbc && items.len() == 2 => {
                self.put("extract(");
                self.argument(&items[0]);
                self.put(" FROM ");
                self.argument(&items[1]);
                self.put(")");
            }
            (true, ..) => {
                self.put(&name);
                self.arguments(call, DATE_PART_FUNCTIONS.contains(&name.as_str()));
            }
            _ => {
                self.name(&call.name);
                self.arguments(call, false);
            }
        }
        if let Some(ignore) = call.ignore_nulls {
            self.put(if ignore { " IGNORE NULLS" } else { " RESPECT NULLS" });
        }
        if !call.within_group.is_empty() {
            self.put(" WITHIN GROUP (");
            self.order_by(&call.within_group);
            self.put(")");
        }
        if let Some(over) = &call.over {
            self.put(" OVER ");
            self.over(over);
        }
        if call.odbc {
            self.put("}");
        }
    }

    fn arguments(&mut self, call: &FunctionCall, date_part: bool) {
        self.put("(");
        match &call.arguments {
            Arguments::Star => self.put("*"),
            Arguments::List { distinct, items } => {
                if *distinct {
                    self.put("DISTINCT ");
                }
                let mut first = date_part;
                self.list(items, ",", |p, item| match (item, std::mem::take(&mut first)) {
                    (Argument::Expr(part), true) => p.date_part(part),
                    _ => p.argument(item),
                });
            }
            Arguments::Trim { side, characters, source } => {
                self.put(match side {
                    Some(TrimSide::Leading) => "LEADING ",
                    Some(TrimSide::Trailing) => "TRAILING ",
                    Some(TrimSide::Both) => "BOTH ",
                    None => "",
                });
                if let Some(characters) = characters {
                    self.expr(characters);
                    self.put(" FROM ");
                }
                self.expr(source);
            }
            Arguments::Json(arguments) => self.json_arguments(arguments),
        }
        if let Some(ty) = &call.returning {
            self.put(" RETURNING ");
            self.data_type(ty);
        }
        self.put(")");
    }

    fn json_arguments(&mut self, arguments: &JsonArguments) {
        self.list(&arguments.members, ",", |p, member| {
            if let Some(key) = &member.key {
                p.expr(key);
                p.put(":");
            }
            p.expr(&member.value);
        });
        let mut blank = if arguments.members.is_empty() { "" } else { " " };
        if !arguments.order_by.is_empty() {
            self.put(blank);
            self.order_by(&arguments.order_by);
            blank = " ";
        }
        if let Some(keeps_nulls) = arguments.keeps_nulls {
            self.put(blank);
            self.put(if keeps_nulls { "NULL ON NULL" } else { "ABSENT ON NULL" });
        }
    }

    pub(super) fn argument(&mut self, argument: &Argument) {
        match argument {
            Argument::Expr(expr) => self.expr(expr),
            Argument::Default(_) => self.put("DEFAULT"),
        }
    }

    /// A bare word as the part of a date that it names.
    fn date_part(&mut self, part: &Expr) {
        match &part.kind {
            ExprKind::Column(ColumnRef { qualifier: None, column }) if !column.quoted => {
                self.put(&column.name.to_lowercase());
            }
            _ => self.expr(part),
        }
    }

    pub(super) fn order_by(&mut self, items: &[OrderItem]) {
        self.put("ORDER BY ");
        self.list(items, ", ", |p, item| {
            p.expr(&item.expr);
            if item.descending {
                p.put(" DESC");
            }
        });
    }

    /// `(…)`, or the name of a window.
    pub(super) fn over(&mut self, over: &Over) {
        let named =
            over.partition_by.is_empty() && over.order_by.is_empty() && over.frame.is_none();
        if let (Some(base), true) = (&over.base, named) {
            return self.ident(base);
        }
        let mut parts = Vec::new();
        if let Some(base) = &over.base {
            parts.push(quote_identifier(&base.name));
        }
        if !over.partition_by.is_empty() {
            parts.push(self.apart(|p| {
                p.put("PARTITION BY ");
                p.list(&over.partition_by, ", ", |p, expr| p.expr(expr));
            }));
        }
        if !over.order_by.is_empty() {
            parts.push(self.apart(|p| p.order_by(&over.order_by)));
        }
        if let Some(frame) = &over.frame {
            parts.push(frame_text(frame));
        }
        self.put("(");
        self.put(&parts.join(" "));
        self.put(")");
    }

    pub(super) fn condition(&mut self, condition: &Condition) {
        match &condition.kind {
            ConditionKind::And(items) => self.junction(items, " AND "),
            ConditionKind::Or(items) => self.junction(items, " OR "),
            ConditionKind::Not(inner) => {
                self.negation(|p| p.condition(inner), is_junction(inner, self))
            }
            ConditionKind::Compare { op, left, right } => {
                self.expr(left);
                self.put(compare(*op));
                self.expr(right);
            }
            ConditionKind::IsNull { operand, negated } => {
                self.expr(operand);
                self.put(if *negated { " IS NOT NULL" } else { " IS NULL" });
            }
            ConditionKind::IsDistinct { left, right, negated } => {
                self.expr(left);
                self.put(if *negated { " IS NOT DISTINCT FROM " } else { " IS DISTINCT FROM " });
                self.expr(right);
            }
            ConditionKind::Between { operand, low, high, negated } => {
                self.between(operand, low, high, *negated);
            }
            ConditionKind::Like { operand, pattern, escape, negated } => {
                if *negated {
                    self.put("NOT ");
                }
                self.expr(operand);
                self.put(" like ");
                self.expr(pattern);
                if let Some(escape) = escape {
                    self.put(" escape ");
                    self.expr(escape);
                }
            }
            ConditionKind::InList { operand, list, negated } => {
                self.in_list(operand, list, *negated)
            }
            ConditionKind::Quantified { .. }
            | ConditionKind::InQuery { .. }
            | ConditionKind::Exists(_)
            | ConditionKind::UpdatedColumn(_)
            | ConditionKind::FullText(_) => self.special_condition(&condition.kind),
        }
    }

    /// Conditions that no definition can contain.
    fn special_condition(&mut self, kind: &ConditionKind) {
        match kind {
            ConditionKind::Quantified { op, left, all, query } => {
                self.expr(left);
                self.put(compare(*op));
                self.put(if *all { "ALL (" } else { "ANY (" });
                self.query(query);
                self.put(")");
            }
            ConditionKind::InQuery { operand, query, negated } => {
                if *negated {
                    self.put("NOT ");
                }
                self.expr(operand);
                self.put(" IN (");
                self.query(query);
                self.put(")");
            }
            ConditionKind::Exists(query) => {
                self.put("EXISTS (");
                self.query(query);
                self.put(")");
            }
            ConditionKind::UpdatedColumn(column) => {
                self.put("UPDATE(");
                self.ident(column);
                self.put(")");
            }
            ConditionKind::FullText(full_text) => {
                self.put(if full_text.free_text { "FREETEXT(" } else { "CONTAINS(" });
                match full_text.columns.is_empty() {
                    true => self.put("*"),
                    false => {
                        self.put("(");
                        self.list(&full_text.columns, ",", |p, column| p.column(column));
                        self.put(")");
                    }
                }
                self.put(",");
                self.expr(&full_text.search);
                if let Some(language) = &full_text.language {
                    self.put(", LANGUAGE ");
                    self.expr(language);
                }
                self.put(")");
            }
            _ => {}
        }
    }

    fn negation(&mut self, part: impl FnOnce(&mut Printer), parentheses: bool) {
        self.put("NOT ");
        self.wrapped(parentheses, part);
    }

    /// Conditions with `AND` or `OR` between them. The first may be one of the same kind without
    /// parentheses.
    fn junction(&mut self, items: &[Condition], between: &str) {
        let mut first = true;
        self.list(items, between, |p, item| {
            let is_first = std::mem::take(&mut first);
            let same = match shape(item, p) {
                Shape::Single => false,
                Shape::And => between == " AND " && !is_first,
                Shape::Or => between == " AND " || !is_first,
            };
            p.wrapped(same, |p| p.condition(item));
        });
    }

    /// `a>=b AND a<=c`.
    fn between(&mut self, operand: &Expr, low: &Expr, high: &Expr, negated: bool) {
        let text = self.apart(|p| p.expr(operand));
        if text.len() > REPEATED_MAX {
            self.put(&text);
            self.put(if negated { " NOT BETWEEN " } else { " BETWEEN " });
            self.expr(low);
            self.put(" AND ");
            return self.expr(high);
        }
        let both = |p: &mut Printer| {
            p.put(&text);
            p.put(">=");
            p.expr(low);
            p.put(" AND ");
            p.put(&text);
            p.put("<=");
            p.expr(high);
        };
        match negated {
            true => self.negation(both, true),
            false => both(self),
        }
    }

    /// `a=c OR a=b` for `a IN (b, c)`.
    fn in_list(&mut self, operand: &Expr, list: &[Expr], negated: bool) {
        let text = self.apart(|p| p.expr(operand));
        if self.keep_in || text.len() > REPEATED_MAX {
            self.put(&text);
            self.put(if negated { " NOT IN (" } else { " IN (" });
            self.list(list, ", ", |p, value| p.expr(value));
            return self.put(")");
        }
        let any = |p: &mut Printer| {
            for (i, value) in list.iter().rev().enumerate() {
                if i > 0 {
                    p.put(" OR ");
                }
                p.put(&text);
                p.put("=");
                p.expr(value);
            }
        };
        match negated {
            true => self.negation(any, list.len() > 1),
            false => any(self),
        }
    }
}

/// What a condition looks like when printed, for parentheses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Single,
    And,
    Or,
}

fn shape(condition: &Condition, printer: &Printer) -> Shape {
    let repeats = |operand: &Expr| printer.apart(|p| p.expr(operand)).len() <= REPEATED_MAX;
    match &condition.kind {
        ConditionKind::And(_) => Shape::And,
        ConditionKind::Or(_) => Shape::Or,
        ConditionKind::Between { operand, negated: false, .. } if repeats(operand) => Shape::And,
        ConditionKind::InList { operand, list, negated: false }
            if list.len() > 1 && !printer.keep_in && repeats(operand) =>
        {
            Shape::Or
        }
        _ => Shape::Single,
    }
}

fn is_junction(condition: &Condition, printer: &Printer) -> bool {
    shape(condition, printer) != Shape::Single
}

fn compare(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Equal => "=",
        CompareOp::NotEqual => "<>",
        CompareOp::Less => "<",
        CompareOp::LessOrEqual => "<=",
        CompareOp::Greater => ">",
        CompareOp::GreaterOrEqual => ">=",
    }
}

fn frame_text(frame: &Frame) -> String {
    let unit = if frame.rows { "ROWS" } else { "RANGE" };
    format!("{unit} BETWEEN {} AND {}", bound_text(&frame.start), bound_text(&frame.end))
}

fn bound_text(bound: &FrameBound) -> String {
    match bound {
        FrameBound::UnboundedPreceding => "UNBOUNDED PRECEDING".into(),
        FrameBound::Preceding(rows) => format!("{rows} PRECEDING"),
        FrameBound::CurrentRow => "CURRENT ROW".into(),
        FrameBound::Following(rows) => format!("{rows} FOLLOWING"),
        FrameBound::UnboundedFollowing => "UNBOUNDED FOLLOWING".into(),
    }
}

/// A decimal constant without needless zeros in front; one too large for an `int` ends in a point.
fn numeric(text: &str) -> String {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let whole = whole.trim_start_matches('0');
    format!("{}.{fraction}", if whole.is_empty() { "0" } else { whole })
}

/// A float constant with 17 digits and an exponent of at least three.
fn float(text: &str) -> String {
    let complete = match text.ends_with(|c: char| c.is_ascii_digit()) {
        true => text.to_owned(),
        false => format!("{text}0"),
    };
    let Some(value) = complete.parse::<f64>().ok().filter(|value| value.is_finite()) else {
        return complete;
    };
    let scientific = format!("{value:.16e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:03}", exponent.abs())
}
