//! Queries: `SELECT` and its clauses, set operators, common table expressions, `OPTION`.

use base::{SqlResult, message};

use super::Parser;
use super::stream::is_ident;
use crate::ast::{
    AssignOp, BinaryOp, CommonTable, Expr, ExprKind, ForClause, ForJson, ForKind, ForOption,
    GroupBy, GroupingKind, GroupingSet, Ident, JsonRoot, NamedWindow, Offset, OrderItem, Query,
    QueryBody, Select, SelectInto, SelectItem, SelectItemKind, SelectStatement, SetChain,
    SetOperator, Span, StatementKind, Top, With, XmlNamespace,
};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

/// What a query costs of the depth: the frames from one query to one inside it.
const QUERY_COST: u32 = 3;

impl Parser<'_> {
    /// A statement that begins with `WITH`.
    pub(super) fn with_statement(&mut self) -> SqlResult<StatementKind> {
        let with = self.with_clause()?;
        match self.peek().keyword {
            K::Insert => self.insert_after(Some(with)),
            K::Update => self.update_after(Some(with)),
            K::Delete => self.delete_after(Some(with)),
            K::Merge => self.merge_after(Some(with)),
            _ => Ok(StatementKind::Select(Box::new(self.select_after(Some(with))?))),
        }
    }

    /// A statement that begins with `SELECT` or a parenthesis.
    pub(super) fn select_statement(&mut self) -> SqlResult<StatementKind> {
        Ok(StatementKind::Select(Box::new(self.select_after(None)?)))
    }

    /// A query as a statement, with what may stand before it: a view's, a cursor's.
    pub(super) fn full_select(&mut self) -> SqlResult<SelectStatement> {
        let with = self.optional_with()?;
        self.select_after(with)
    }

    /// `WITH name AS (…)`, if it is there.
    pub(super) fn optional_with(&mut self) -> SqlResult<Option<With>> {
        match self.at(K::With) {
            true => Ok(Some(self.with_clause()?)),
            false => Ok(None),
        }
    }

    fn select_after(&mut self, with: Option<With>) -> SqlResult<SelectStatement> {
        let query = self.top_query()?;
        let options = self.query_options()?;
        Ok(SelectStatement { with, query, options })
    }

    fn with_clause(&mut self) -> SqlResult<With> {
        let start = self.expect(K::With)?;
        let context = self.change_context()?;
        if context.is_some() && !self.eat_token(TokenKind::Comma) {
            let (namespaces, tables) = (Vec::new(), Vec::new());
            return Ok(With { span: self.span_from(start), context, namespaces, tables });
        }
        let namespaces = match self.at_namespaces() {
            true => self.namespaces()?,
            false => Vec::new(),
        };
        if !namespaces.is_empty() && !self.eat_token(TokenKind::Comma) {
            let tables = Vec::new();
            return Ok(With { span: self.span_from(start), context, namespaces, tables });
        }
        let tables = self.list(|p| {
            if p.at_namespaces() {
                return Err(p.unexpected());
            }
            let name = p.ident()?;
            let columns = match p.at_token(TokenKind::LeftParen) {
                true => p.ident_list()?,
                false => Vec::new(),
            };
            p.expect(K::As)?;
            Ok(CommonTable { name, columns, query: p.parenthesized_query()? })
        })?;
        Ok(With { span: self.span_from(start), context, namespaces, tables })
    }

    /// `CHANGE_TRACKING_CONTEXT (@context)`, if it is there.
    fn change_context(&mut self) -> SqlResult<Option<Box<Expr>>> {
        let ahead = self.peek_at(1).kind == TokenKind::LeftParen;
        if !ahead || !self.at_text("CHANGE_TRACKING_CONTEXT") {
            return Ok(None);
        }
        self.take();
        self.expect_token(TokenKind::LeftParen)?;
        if !matches!(self.peek().kind, TokenKind::Binary | TokenKind::Variable) {
            return Err(self.unexpected());
        }
        let context = self.primary_scalar()?;
        self.expect_token(TokenKind::RightParen)?;
        Ok(Some(Box::new(context)))
    }

    pub(super) fn at_namespaces(&self) -> bool {
        self.at_text("XMLNAMESPACES") && self.peek_at(1).kind == TokenKind::LeftParen
    }

    /// `XMLNAMESPACES ('uri' AS prefix, DEFAULT 'uri')`.
    pub(super) fn namespaces(&mut self) -> SqlResult<Vec<XmlNamespace>> {
        self.take();
        self.parenthesized(|p| {
            if p.eat(K::Default) {
                return Ok(XmlNamespace { prefix: None, uri: p.string()? });
            }
            let uri = p.string()?;
            p.expect(K::As)?;
            Ok(XmlNamespace { prefix: Some(p.ident()?.name.as_ref().into()), uri })
        })
    }

    /// A query with its order.
    pub(super) fn query(&mut self) -> SqlResult<Query> {
        let start = self.peek().span;
        self.enter(QUERY_COST)?;
        let body = self.set_operators(None)?;
        let query = self.query_tail(start, body)?;
        self.leave(QUERY_COST);
        Ok(query)
    }

    /// The query of a statement or a module: the order stands after the whole, never in
    /// parentheses. Subqueries and derived tables are free to have one for each operand.
    pub(super) fn top_query(&mut self) -> SqlResult<Query> {
        let query = self.query()?;
        match operand_order(&query.body) {
            Some(first) => Err(self.unexpected_before(first.expr.span, K::Order)),
            None => Ok(query),
        }
    }

    /// A query whose first operand was already read.
    pub(super) fn query_after(&mut self, start: Span, first: QueryBody) -> SqlResult<Query> {
        self.enter(QUERY_COST)?;
        let body = self.set_operators(Some(first))?;
        let query = self.query_tail(start, body)?;
        self.leave(QUERY_COST);
        Ok(query)
    }

    /// `ORDER BY`, `OFFSET` and `FOR` after a query's rows.
    #[inline(never)]
    fn query_tail(&mut self, start: Span, body: QueryBody) -> SqlResult<Query> {
        let mut order_by = Vec::new();
        let mut offset = None;
        if self.at(K::Order) {
            order_by = self.order_by()?;
            offset = self.offset()?;
        }
        let for_clause = self.for_clause()?;
        Ok(Query { span: self.since(start), body, order_by, offset, for_clause })
    }

    /// `a UNION b EXCEPT c`; `first` is `a` when it was already read.
    fn set_operators(&mut self, first: Option<QueryBody>) -> SqlResult<QueryBody> {
        let first = self.intersections(first)?;
        let mut rest = Vec::new();
        loop {
            let operator = match self.peek().keyword {
                K::Union => {
                    self.take();
                    match self.eat(K::All) {
                        true => SetOperator::UnionAll,
                        false => SetOperator::Union,
                    }
                }
                K::Except => {
                    self.take();
                    SetOperator::Except
                }
                _ => return Ok(chain(first, rest)),
            };
            rest.push((operator, self.intersections(None)?));
        }
    }

    fn intersections(&mut self, first: Option<QueryBody>) -> SqlResult<QueryBody> {
        let first = match first {
            Some(first) => first,
            None => self.query_operand()?,
        };
        let mut rest = Vec::new();
        while self.eat(K::Intersect) {
            rest.push((SetOperator::Intersect, self.query_operand()?));
        }
        Ok(chain(first, rest))
    }

    /// `SELECT …` or `(query)`.
    fn query_operand(&mut self) -> SqlResult<QueryBody> {
        match self.at_token(TokenKind::LeftParen) {
            true => Ok(QueryBody::Nested(Box::new(self.parenthesized_query()?))),
            false => Ok(QueryBody::Select(self.select()?)),
        }
    }

    #[inline(never)]
    fn select(&mut self) -> SqlResult<Box<Select>> {
        let start = self.expect(K::Select)?;
        // On the heap from the start: queries nest.
        let mut select = new_select(start.span);
        select.distinct = match self.peek().keyword {
            K::Distinct => self.eat(K::Distinct),
            K::All => !self.eat(K::All),
            _ => false,
        };
        if self.at(K::Top) {
            select.top = Some(self.top(true)?);
        }
        select.items = self.select_items()?;
        select.into = self.select_into()?;
        select.from = self.optional_from()?;
        if self.eat(K::Where) {
            select.filter = Some(self.condition()?);
        }
        select.group_by = self.group_by()?;
        if self.eat(K::Having) {
            select.having = Some(self.condition()?);
        }
        select.windows = self.window_clause()?;
        select.span = self.span_from(start);
        Ok(select)
    }

    /// `TOP (n)`; in a query also `TOP n`, `PERCENT` and `WITH TIES`.
    #[inline(never)]
    pub(super) fn top(&mut self, in_query: bool) -> SqlResult<Top> {
        let start = self.expect(K::Top)?;
        let count = match self.peek().kind {
            TokenKind::LeftParen if self.peek_at(1).keyword == K::Select => {
                let query = Box::new(self.parenthesized_query()?);
                Expr { span: self.span_from(start), kind: ExprKind::Subquery(query) }
            }
            TokenKind::LeftParen => {
                self.take();
                let count = self.scalar()?;
                self.expect_token(TokenKind::RightParen)?;
                count
            }
            TokenKind::Integer | TokenKind::Numeric | TokenKind::Float if in_query => {
                let (literal, span) = self.literal()?;
                Expr { span, kind: ExprKind::Literal(literal) }
            }
            _ => return Err(self.unexpected()),
        };
        let percent = self.eat(K::Percent);
        let with_ties = in_query && self.eat_words(&[K::With, K::Ties]);
        Ok(Top { span: self.span_from(start), count, percent, with_ties })
    }

    /// A select list, or what `OUTPUT` lists.
    pub(super) fn select_items(&mut self) -> SqlResult<Vec<SelectItem>> {
        self.list(Parser::select_item)
    }

    #[inline(never)]
    fn select_item(&mut self) -> SqlResult<SelectItem> {
        let start = self.peek();
        let kind = match start.kind {
            TokenKind::Star => {
                self.take();
                SelectItemKind::Star(None)
            }
            TokenKind::Variable if self.assign_op_ahead().is_some() => {
                let variable = self.variable()?;
                let op = self.assign_op()?;
                SelectItemKind::Assign { variable, op, value: self.scalar()? }
            }
            // `name = value`. A word that cannot be a name is left to fail in the expression.
            TokenKind::String | TokenKind::National | TokenKind::Word | TokenKind::Quoted
                if self.peek_at(1).kind == TokenKind::Equal
                    && (self.at_string() || self.at_ident()) =>
            {
                let alias = Some(self.take_ident()?);
                self.take();
                SelectItemKind::Expr { expr: self.scalar()?, alias }
            }
            _ if self.star_ahead() => self.qualified_star()?,
            _ => {
                let expr = self.scalar()?;
                let alias = self.column_alias()?;
                SelectItemKind::Expr { expr, alias }
            }
        };
        Ok(SelectItem { span: self.span_from(start), kind })
    }

    /// `t.*`.
    #[inline(never)]
    fn qualified_star(&mut self) -> SqlResult<SelectItemKind> {
        let mut qualifiers = Vec::new();
        while !self.eat_token(TokenKind::Star) {
            let part = match self.at_token(TokenKind::Dot) {
                true => None,
                false => Some(self.ident()?),
            };
            self.expect_token(TokenKind::Dot)?;
            qualifiers.push(part);
        }
        // The part before the star may be empty; there are few enough: `star_ahead`.
        let table = qualifiers.pop().flatten().ok_or_else(|| self.unexpected_last())?;
        let name = super::call::object_name(&mut qualifiers, table);
        Ok(SelectItemKind::Star(Some(Box::new(name))))
    }

    /// Whether `t.*` stands here, with at most four parts before the star.
    fn star_ahead(&self) -> bool {
        let mut ahead = 0;
        for _ in 0..4 {
            if is_ident(self.peek_at(ahead)) {
                ahead += 1;
            }
            if self.peek_at(ahead).kind != TokenKind::Dot {
                return false;
            }
            ahead += 1;
            if self.peek_at(ahead).kind == TokenKind::Star {
                return true;
            }
        }
        false
    }

    /// `AS name`, `name`, or nothing.
    fn column_alias(&mut self) -> SqlResult<Option<Ident>> {
        let is_name = self.at_alias() || self.at_string();
        match self.eat(K::As) || is_name {
            true => Ok(Some(self.ident_or_string()?)),
            false => Ok(None),
        }
    }

    /// Whether a name stands here that is not a label: an alias without `AS` (P3).
    pub(super) fn at_alias(&self) -> bool {
        self.at_ident() && self.peek_at(1).kind != TokenKind::Colon
    }

    /// The assignment operator after the next token.
    pub(super) fn assign_op_ahead(&self) -> Option<AssignOp> {
        assign_op(self.peek_at(1).kind)
    }

    /// `=` or a compound assignment.
    pub(super) fn assign_op(&mut self) -> SqlResult<AssignOp> {
        let op = assign_op(self.peek().kind).ok_or_else(|| self.unexpected())?;
        self.take();
        Ok(op)
    }

    #[inline(never)]
    fn select_into(&mut self) -> SqlResult<Option<Box<SelectInto>>> {
        if !self.eat(K::Into) {
            return Ok(None);
        }
        let table = self.object_name()?;
        let filegroup = match self.eat(K::On) {
            true => Some(self.ident()?),
            false => None,
        };
        Ok(Some(Box::new(SelectInto { table, filegroup })))
    }

    #[inline(never)]
    fn group_by(&mut self) -> SqlResult<Option<Box<GroupBy>>> {
        if !self.at(K::Group) {
            return Ok(None);
        }
        self.expect_words(&[K::Group, K::By])?;
        let all = self.eat(K::All);
        let items = self.list(Parser::grouping_set)?;
        let with = match (self.peek().keyword, self.peek_at(1).keyword) {
            (K::With, K::Rollup) => Some(GroupingKind::Rollup),
            (K::With, K::Cube) => Some(GroupingKind::Cube),
            _ => None,
        };
        if with.is_some() {
            self.take();
            self.take();
        }
        Ok(Some(Box::new(GroupBy { all, items, with })))
    }

    fn grouping_set(&mut self) -> SqlResult<GroupingSet> {
        let before_parenthesis = self.peek_at(1).kind == TokenKind::LeftParen;
        match self.peek().keyword {
            K::Rollup if before_parenthesis => {
                self.take();
                Ok(GroupingSet::Rollup(self.parenthesized(Parser::composite)?))
            }
            K::Cube if before_parenthesis => {
                self.take();
                Ok(GroupingSet::Cube(self.parenthesized(Parser::composite)?))
            }
            K::Grouping if self.eat_words(&[K::Grouping, K::Sets]) => {
                self.enter(1)?;
                let sets = self.parenthesized(Parser::grouping_set)?;
                self.leave(1);
                Ok(GroupingSet::Sets(sets))
            }
            _ => Ok(GroupingSet::Composite(self.composite()?)),
        }
    }

    /// A column, or a list of columns in parentheses, or `()`.
    fn composite(&mut self) -> SqlResult<Vec<Expr>> {
        if !self.at_token(TokenKind::LeftParen) {
            return Ok(vec![self.scalar()?]);
        }
        if self.peek_at(1).kind == TokenKind::RightParen {
            self.take();
            self.take();
            return Ok(Vec::new());
        }
        if !self.list_ahead() {
            return Ok(vec![self.scalar()?]);
        }
        self.parenthesized(Parser::scalar)
    }

    /// Whether the parenthesis here encloses a list with a comma: `(a, b)` rather than `(a) + b`.
    fn list_ahead(&self) -> bool {
        let mut depth = 0;
        for ahead in 0.. {
            match self.peek_at(ahead).kind {
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen if depth == 1 => return false,
                TokenKind::RightParen => depth -= 1,
                TokenKind::Comma if depth == 1 => return true,
                TokenKind::End | TokenKind::Error => return false,
                _ => {}
            }
        }
        false
    }

    #[inline(never)]
    fn window_clause(&mut self) -> SqlResult<Vec<NamedWindow>> {
        if !self.window_clause_ahead() {
            return Ok(Vec::new());
        }
        self.take();
        self.list(|p| {
            let name = p.ident()?;
            let start = p.expect(K::As)?;
            Ok(NamedWindow { name, over: p.window(start)? })
        })
    }

    /// Whether `WINDOW name AS (` stands here, which no alias can be followed by.
    pub(super) fn window_clause_ahead(&self) -> bool {
        self.at(K::Window)
            && is_ident(self.peek_at(1))
            && self.peek_at(2).keyword == K::As
            && self.peek_at(3).kind == TokenKind::LeftParen
    }

    /// `OFFSET n ROWS FETCH NEXT m ROWS ONLY`.
    #[inline(never)]
    fn offset(&mut self) -> SqlResult<Option<Box<Offset>>> {
        if !self.eat(K::Offset) {
            return Ok(None);
        }
        let offset = self.scalar()?;
        self.row_or_rows()?;
        let mut fetch = None;
        // A statement may begin with `FETCH NEXT FROM` as well.
        let is_clause = matches!(self.peek_at(1).keyword, K::Next | K::First)
            && self.peek_at(2).keyword != K::From;
        if self.at(K::Fetch) && is_clause {
            self.take();
            self.take();
            fetch = Some(self.scalar()?);
            self.row_or_rows()?;
            self.expect(K::Only)?;
        }
        Ok(Some(Box::new(Offset { offset, fetch })))
    }

    fn row_or_rows(&mut self) -> SqlResult<()> {
        match self.eat(K::Rows) || self.eat(K::Row) {
            true => Ok(()),
            false => Err(self.unexpected()),
        }
    }

    /// `FOR BROWSE`, `FOR XML`, `FOR JSON`. A cursor's `FOR UPDATE` is left to the cursor.
    #[inline(never)]
    fn for_clause(&mut self) -> SqlResult<Option<Box<ForClause>>> {
        let start = self.peek();
        let kind = match (start.keyword, self.peek_at(1).keyword) {
            (K::For, K::Browse) => {
                self.take();
                self.take();
                ForKind::Browse
            }
            (K::For, K::Xml) => {
                self.take();
                ForKind::Xml(Box::new(self.for_xml()?))
            }
            (K::For, K::Json) => {
                self.take();
                ForKind::Json(self.for_json()?)
            }
            _ => return Ok(None),
        };
        Ok(Some(Box::new(ForClause { span: self.span_from(start), kind })))
    }

    /// `JSON PATH` or `JSON AUTO` with options. A mode or an option that does not exist, or that
    /// stands there twice, is an error near `JSON`.
    #[inline(never)]
    fn for_json(&mut self) -> SqlResult<ForJson> {
        let near_json = self.unexpected();
        self.expect(K::Json)?;
        let words = self.list(Parser::for_option)?;
        json_clause(words).ok_or(near_json)
    }

    /// `PATH ('row')`, `ELEMENTS XSINIL`, `BINARY BASE64`.
    pub(super) fn for_option(&mut self) -> SqlResult<ForOption> {
        let mut name = String::from(self.any_word()?);
        let takes_second = matches!(name.as_str(), "ELEMENTS" | "BINARY");
        if takes_second && self.peek().kind == TokenKind::Word && self.at_ident() {
            name.push(' ');
            name.push_str(&self.any_word()?);
        }
        let mut value = None;
        if self.eat_token(TokenKind::LeftParen) {
            value = Some(self.string()?);
            self.expect_token(TokenKind::RightParen)?;
        }
        Ok(ForOption { name: name.into(), value })
    }

    /// `FROM`, if it is there.
    pub(super) fn optional_from(&mut self) -> SqlResult<Vec<crate::ast::TableSource>> {
        match self.eat(K::From) {
            true => self.list(Parser::table_source),
            false => Ok(Vec::new()),
        }
    }

    /// One more join; error 106 beyond the 256 tables that a statement may name.
    pub(super) fn count_join(&mut self) -> SqlResult<()> {
        const TABLES_MAX: u32 = 256;
        self.joins += 1;
        match self.joins < TABLES_MAX {
            true => Ok(()),
            false => Err(base::SqlError::new(&message::TOO_MANY_TABLES, &[&TABLES_MAX])
                .at_line(self.peek().span.line)),
        }
    }
}

#[inline(never)]
fn new_select(span: Span) -> Box<Select> {
    Box::new(Select {
        span,
        distinct: false,
        top: None,
        items: Vec::new(),
        into: None,
        from: Vec::new(),
        filter: None,
        group_by: None,
        having: None,
        windows: Vec::new(),
    })
}

/// The mode and the options of `FOR JSON`; `None` for words that it does not have.
fn json_clause(words: Vec<ForOption>) -> Option<ForJson> {
    let mut words = words.into_iter();
    let auto = match words.next()? {
        ForOption { name, value: None } if &*name == "AUTO" => true,
        ForOption { name, value: None } if &*name == "PATH" => false,
        _ => return None,
    };
    let mut clause =
        ForJson { auto, root: None, include_null_values: false, without_array_wrapper: false };
    for ForOption { name, value } in words {
        let repeated = match (&*name, value) {
            ("ROOT", None) => clause.root.replace(JsonRoot::Unnamed).is_some(),
            ("ROOT", Some(name)) => clause.root.replace(JsonRoot::Named(name)).is_some(),
            ("INCLUDE_NULL_VALUES", None) => {
                std::mem::replace(&mut clause.include_null_values, true)
            }
            ("WITHOUT_ARRAY_WRAPPER", None) => {
                std::mem::replace(&mut clause.without_array_wrapper, true)
            }
            _ => return None,
        };
        if repeated {
            return None;
        }
    }
    Some(clause)
}

/// A chain of set operators, or its only operand.
fn chain(first: QueryBody, rest: Vec<(SetOperator, QueryBody)>) -> QueryBody {
    match rest.is_empty() {
        true => first,
        false => QueryBody::Set(Box::new(SetChain { first, rest })),
    }
}

/// What an operand in parentheses is ordered by, the first one that is.
fn operand_order(body: &QueryBody) -> Option<&OrderItem> {
    match body {
        QueryBody::Select(_) => None,
        QueryBody::Nested(query) => query.order_by.first().or_else(|| operand_order(&query.body)),
        QueryBody::Set(chain) => operand_order(&chain.first)
            .or_else(|| chain.rest.iter().find_map(|(_, operand)| operand_order(operand))),
    }
}

/// The assignment operator that a token is.
fn assign_op(kind: TokenKind) -> Option<AssignOp> {
    let op = match kind {
        TokenKind::Equal => return Some(AssignOp::Set),
        TokenKind::PlusEqual => BinaryOp::Add,
        TokenKind::MinusEqual => BinaryOp::Subtract,
        TokenKind::StarEqual => BinaryOp::Multiply,
        TokenKind::SlashEqual => BinaryOp::Divide,
        TokenKind::PercentEqual => BinaryOp::Modulo,
        TokenKind::AmpersandEqual => BinaryOp::BitAnd,
        TokenKind::PipeEqual => BinaryOp::BitOr,
        TokenKind::CaretEqual => BinaryOp::BitXor,
        _ => return None,
    };
    Some(AssignOp::Compound(op))
}
