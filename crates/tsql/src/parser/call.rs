//! Operands that are more than a token: names, function calls, `CASE`, conversions, escapes.

use base::SqlResult;

use super::Parser;
use crate::ast::{
    Argument, Arguments, Case, CaseBranches, Cast, CastKind, ColumnRef, DataType, Expr, ExprKind,
    Frame, FrameBound, FunctionCall, Ident, IdentityFunction, IdentityValues, NextValue, Niladic,
    ObjectName, OdbcKind, OrderItem, Over, PseudoColumn, Span, StaticMember, TrimSide,
};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::{Token, TokenKind};

mod json;

use json::JsonFunction;

/// The most parts of a column's name: server, database, schema, table, column.
const COLUMN_PARTS: usize = 5;

impl Parser<'_> {
    /// An operand that is not a constant and does not begin with an operator or a parenthesis.
    pub(super) fn primary(&mut self) -> SqlResult<Expr> {
        let start = self.peek();
        let kind = match start.kind {
            TokenKind::Variable => {
                self.take();
                ExprKind::Variable(self.text_of(start).into())
            }
            TokenKind::Word if start.keyword != K::None => return self.word(start),
            TokenKind::Word | TokenKind::Quoted | TokenKind::Dot => return self.name(),
            TokenKind::DoubleColon => {
                self.take();
                return self.name();
            }
            TokenKind::DollarWord => {
                let column = self.pseudo_column()?;
                ExprKind::PseudoColumn { qualifier: None, column }
            }
            TokenKind::LeftBrace => return self.odbc_escape(),
            _ => return Err(self.unexpected()),
        };
        Ok(Expr { span: self.span_from(start), kind })
    }

    /// What begins with an unquoted word.
    #[inline(never)]
    fn word(&mut self, start: Token) -> SqlResult<Expr> {
        let before_parenthesis = self.peek_at(1).kind == TokenKind::LeftParen;
        let kind = match start.keyword {
            K::Case
            | K::Convert
            | K::TryConvert
            | K::Cast
            | K::TryCast
            | K::Parse
            | K::TryParse
            | K::Identity
            | K::Iif
            | K::Trim
                if before_parenthesis || start.keyword == K::Case =>
            {
                self.special_call(start)?
            }
            K::Next if self.at_words(&[K::Next, K::Value, K::For]) => self.next_value()?,
            K::Coalesce | K::NullIf | K::Left | K::Right if before_parenthesis => {
                let call = self.new_bare_call()?;
                return self.named_call(start, call);
            }
            K::CurrentTimestamp => self.niladic(Niladic::CurrentTimestamp),
            K::CurrentDate => self.niladic(Niladic::CurrentDate),
            K::CurrentUser => self.niladic(Niladic::CurrentUser),
            K::SessionUser => self.niladic(Niladic::SessionUser),
            K::SystemUser => self.niladic(Niladic::SystemUser),
            K::User => self.niladic(Niladic::User),
            K::IdentityCol | K::RowGuidCol => {
                let column = self.pseudo_column()?;
                ExprKind::PseudoColumn { qualifier: None, column }
            }
            _ => return self.name(),
        };
        Ok(Expr { span: self.span_from(start), kind })
    }

    /// `CASE`, and the functions whose arguments are not expressions alone.
    #[inline(never)]
    fn special_call(&mut self, start: Token) -> SqlResult<ExprKind> {
        const COST: u32 = 2;
        self.enter(COST)?;
        let kind = match start.keyword {
            K::Case => self.case()?,
            K::Convert => self.convert(false)?,
            K::TryConvert => self.convert(true)?,
            K::Cast => self.cast(CastKind::Cast, false)?,
            K::TryCast => self.cast(CastKind::Cast, true)?,
            K::Parse => self.cast(CastKind::Parse, false)?,
            K::TryParse => self.cast(CastKind::Parse, true)?,
            K::Identity => self.identity_function()?,
            K::Iif => self.iif()?,
            _ => self.trim()?,
        };
        self.leave(COST);
        Ok(kind)
    }

    fn niladic(&mut self, function: Niladic) -> ExprKind {
        self.take();
        ExprKind::Niladic(function)
    }

    /// A column or a call of a function.
    #[inline(never)]
    fn name(&mut self) -> SqlResult<Expr> {
        let start = self.peek();
        if self.peek_at(1).kind == TokenKind::LeftParen && self.at_ident() {
            let call = self.new_bare_call()?;
            return self.named_call(start, call);
        }
        self.long_name()
    }

    /// A name that is more than one word, or no call.
    #[inline(never)]
    fn long_name(&mut self) -> SqlResult<Expr> {
        let start = self.peek();
        let (mut qualifiers, last) = self.name_parts()?;
        let Some(last) = last else {
            let qualifier = qualifier(qualifiers).ok_or_else(|| self.unexpected_last())?;
            let kind = ExprKind::PseudoColumn { qualifier, column: self.pseudo_column()? };
            return Ok(Expr { span: self.span_from(start), kind });
        };
        if self.at_token(TokenKind::DoubleColon) && qualifiers.len() < COLUMN_PARTS - 1 {
            let ty = object_name(&mut qualifiers, last);
            return self.static_member(start, ty);
        }
        if self.at_token(TokenKind::LeftParen) && qualifiers.len() < COLUMN_PARTS - 1 {
            let call = new_call(object_name(&mut qualifiers, last));
            return self.named_call(start, call);
        }
        let qualifier = qualifier(qualifiers).ok_or_else(|| self.unexpected_last())?;
        let kind = ExprKind::Column(ColumnRef { qualifier, column: last });
        Ok(Expr { span: self.span_from(start), kind })
    }

    /// `::name(arguments)` or `::name` after a type.
    #[inline(never)]
    fn static_member(&mut self, start: Token, ty: ObjectName) -> SqlResult<Expr> {
        self.expect_token(TokenKind::DoubleColon)?;
        let name = self.ident()?;
        let arguments = self.member_arguments()?;
        let member = Box::new(StaticMember { ty, name, arguments });
        Ok(Expr { span: self.span_from(start), kind: ExprKind::StaticMember(member) })
    }

    /// `a.b.c`: what stands before dots, and the last part, unless it is a pseudo-column.
    fn name_parts(&mut self) -> SqlResult<(Vec<Option<Ident>>, Option<Ident>)> {
        let start = self.peek();
        let mut qualifiers = Vec::new();
        loop {
            let part = match self.peek() {
                token if token.kind == TokenKind::Dot => None,
                token if is_pseudo_column(token) && !qualifiers.is_empty() => {
                    return Ok((qualifiers, None));
                }
                _ => Some(self.ident()?),
            };
            match (part, self.eat_token(TokenKind::Dot)) {
                (Some(last), false) => return Ok((qualifiers, Some(last))),
                (None, false) => return Err(self.unexpected()),
                (part, true) if qualifiers.len() < COLUMN_PARTS - 1 => qualifiers.push(part),
                _ => return Err(self.too_many_prefixes(start, "column", COLUMN_PARTS - 1)),
            }
        }
    }

    /// A column where nothing else may stand.
    pub(super) fn column_ref(&mut self) -> SqlResult<ColumnRef> {
        if self.at_ident() && self.peek_at(1).kind != TokenKind::Dot {
            return Ok(ColumnRef { qualifier: None, column: self.take_ident()? });
        }
        let (qualifiers, column) = self.name_parts()?;
        let column = column.ok_or_else(|| self.unexpected())?;
        let qualifier = qualifier(qualifiers).ok_or_else(|| self.unexpected_last())?;
        Ok(ColumnRef { qualifier, column })
    }

    #[inline(never)]
    fn pseudo_column(&mut self) -> SqlResult<PseudoColumn> {
        let column = match self.peek().keyword {
            K::IdentityCol => PseudoColumn::Identity,
            K::RowGuidCol => PseudoColumn::RowGuid,
            _ => match self.text_of(self.peek()).to_ascii_lowercase().as_str() {
                "$identity" => PseudoColumn::Identity,
                "$rowguid" => PseudoColumn::RowGuid,
                "$action" => PseudoColumn::Action,
                "$row_number" => PseudoColumn::RowNumber,
                _ => return Err(self.error_near(&base::message::INVALID_PSEUDOCOLUMN)),
            },
        };
        self.take();
        Ok(column)
    }

    /// A call of the function that the next token names, without arguments yet.
    #[inline(never)]
    fn new_bare_call(&mut self) -> SqlResult<Box<FunctionCall>> {
        Ok(new_call(ObjectName::bare(self.take_ident()?)))
    }

    /// The parenthesis after a function's name, and what may follow it.
    #[inline(never)]
    fn named_call(&mut self, start: Token, mut call: Box<FunctionCall>) -> SqlResult<Expr> {
        let json = JsonFunction::by_name(&call.name);
        call.arguments = match json {
            Some(function) => self.json_arguments(function)?,
            None => self.arguments_of(&mut call)?,
        };
        if let Some(function) = json {
            self.json_call_end(function, &call.arguments)?;
        }
        let kind = self.finish_call(call)?;
        Ok(Expr { span: self.span_from(start), kind })
    }

    #[inline(never)]
    fn arguments(&mut self) -> SqlResult<Arguments> {
        let arguments = self.unclosed_arguments()?;
        self.expect_token(TokenKind::RightParen)?;
        Ok(arguments)
    }

    /// The arguments of a call, and the type that JSON_VALUE returns.
    fn arguments_of(&mut self, call: &mut FunctionCall) -> SqlResult<Arguments> {
        let arguments = self.unclosed_arguments()?;
        let is_value = call.name.name.name.eq_ignore_ascii_case("JSON_VALUE");
        if is_value && call.name.schema.is_none() && self.at_text("RETURNING") {
            self.take();
            call.returning = Some(Box::new(self.data_type()?));
        }
        self.expect_token(TokenKind::RightParen)?;
        Ok(arguments)
    }

    /// The arguments of a function up to the parenthesis that ends them.
    fn unclosed_arguments(&mut self) -> SqlResult<Arguments> {
        self.expect_token(TokenKind::LeftParen)?;
        if self.at_token(TokenKind::Star) && self.peek_at(1).kind == TokenKind::RightParen {
            self.take();
            return Ok(Arguments::Star);
        }
        let distinct = match self.peek().keyword {
            K::Distinct => self.eat(K::Distinct),
            K::All => !self.eat(K::All),
            _ => false,
        };
        let mut items = Vec::new();
        self.enter(1)?;
        if !self.at_token(TokenKind::RightParen) {
            items.push(self.argument()?);
            while self.eat_token(TokenKind::Comma) {
                items.push(self.argument()?);
            }
        }
        self.leave(1);
        Ok(Arguments::List { distinct, items })
    }

    /// An argument of a function.
    pub(super) fn argument(&mut self) -> SqlResult<Argument> {
        match self.at(K::Default) {
            true => Ok(Argument::Default(self.take().span)),
            false => Ok(Argument::Expr(self.scalar()?)),
        }
    }

    /// `IGNORE NULLS`, `WITHIN GROUP` and `OVER` after a call.
    #[inline(never)]
    fn finish_call(&mut self, mut call: Box<FunctionCall>) -> SqlResult<ExprKind> {
        let name = &call.name.name.name;
        let by_nulls = call.name.schema.is_none()
            && ["FIRST_VALUE", "LAST_VALUE", "LAG", "LEAD"]
                .iter()
                .any(|function| name.eq_ignore_ascii_case(function));
        if by_nulls {
            call.ignore_nulls = self.nulls_treatment();
        }
        if self.at(K::Within) && self.eat_words(&[K::Within, K::Group]) {
            self.expect_token(TokenKind::LeftParen)?;
            call.within_group = self.order_by()?;
            self.expect_token(TokenKind::RightParen)?;
        }
        if self.at(K::Over) {
            call.over = Some(Box::new(self.over()?));
        }
        Ok(ExprKind::Call(call))
    }

    fn nulls_treatment(&mut self) -> Option<bool> {
        if self.at(K::Ignore) && self.eat_words(&[K::Ignore, K::Nulls]) {
            return Some(true);
        }
        (self.at(K::Respect) && self.eat_words(&[K::Respect, K::Nulls])).then_some(false)
    }

    /// `OVER (…)` or `OVER name`.
    #[inline(never)]
    fn over(&mut self) -> SqlResult<Over> {
        self.enter(2)?;
        let over = self.over_clause();
        self.leave(2);
        over
    }

    fn over_clause(&mut self) -> SqlResult<Over> {
        let start = self.expect(K::Over)?;
        if self.at_ident() {
            let base = Some(self.ident()?);
            let span = self.span_from(start);
            return Ok(Over { span, base, partition_by: vec![], order_by: vec![], frame: None });
        }
        self.window(start)
    }

    /// `(base PARTITION BY … ORDER BY … ROWS …)`.
    pub(super) fn window(&mut self, start: Token) -> SqlResult<Over> {
        self.expect_token(TokenKind::LeftParen)?;
        let at_clause = matches!(self.peek().keyword, K::Partition | K::Rows | K::Range)
            && self.peek_at(1).kind != TokenKind::RightParen;
        let base = match self.at_ident() && !at_clause {
            true => Some(self.ident()?),
            false => None,
        };
        let mut partition_by = Vec::new();
        if self.eat(K::Partition) {
            self.expect(K::By)?;
            partition_by = self.list(Parser::scalar)?;
        }
        let mut order_by = Vec::new();
        if self.at(K::Order) {
            order_by = self.order_by()?;
        }
        let frame = match self.peek().keyword {
            K::Rows | K::Range => Some(self.frame()?),
            _ => None,
        };
        self.expect_token(TokenKind::RightParen)?;
        Ok(Over { span: self.span_from(start), base, partition_by, order_by, frame })
    }

    fn frame(&mut self) -> SqlResult<Frame> {
        let rows = self.take().keyword == K::Rows;
        if self.eat(K::Between) {
            let start = self.frame_bound()?;
            self.expect(K::And)?;
            return Ok(Frame { rows, start, end: self.frame_bound()? });
        }
        Ok(Frame { rows, start: self.frame_bound()?, end: FrameBound::CurrentRow })
    }

    fn frame_bound(&mut self) -> SqlResult<FrameBound> {
        if self.eat(K::Current) {
            self.expect(K::Row)?;
            return Ok(FrameBound::CurrentRow);
        }
        if self.eat(K::Unbounded) {
            return self.expect_word(&[
                ("PRECEDING", FrameBound::UnboundedPreceding),
                ("FOLLOWING", FrameBound::UnboundedFollowing),
            ]);
        }
        let rows = self.integer()?;
        match self.expect_word(&[("PRECEDING", true), ("FOLLOWING", false)])? {
            true => Ok(FrameBound::Preceding(rows)),
            false => Ok(FrameBound::Following(rows)),
        }
    }

    /// `ORDER BY a, b DESC`.
    pub(super) fn order_by(&mut self) -> SqlResult<Vec<OrderItem>> {
        self.enter(2)?;
        self.expect_words(&[K::Order, K::By])?;
        let items = self.list(|p| {
            let expr = p.scalar()?;
            let descending = p.descending();
            Ok(OrderItem { expr, descending })
        })?;
        self.leave(2);
        Ok(items)
    }

    /// `ASC` or `DESC`, if it is there.
    pub(super) fn descending(&mut self) -> bool {
        !self.eat(K::Asc) && self.eat(K::Desc)
    }

    #[inline(never)]
    fn case(&mut self) -> SqlResult<ExprKind> {
        self.expect(K::Case)?;
        let branches = match self.at(K::When) {
            true => {
                let mut branches = Vec::new();
                while self.eat(K::When) {
                    let condition = self.condition()?;
                    self.expect(K::Then)?;
                    branches.push((condition, self.scalar()?));
                }
                CaseBranches::Searched(branches)
            }
            false => {
                let input = self.scalar()?;
                let mut branches = Vec::new();
                while self.eat(K::When) {
                    let value = self.scalar()?;
                    self.expect(K::Then)?;
                    branches.push((value, self.scalar()?));
                }
                if branches.is_empty() {
                    return Err(self.unexpected());
                }
                CaseBranches::Simple { input, branches }
            }
        };
        let otherwise = match self.eat(K::Else) {
            true => Some(self.scalar()?),
            false => None,
        };
        self.expect(K::End)?;
        Ok(ExprKind::Case(Box::new(Case { branches, otherwise })))
    }

    /// `IIF(condition, a, b)`, which is a `CASE`.
    #[inline(never)]
    fn iif(&mut self) -> SqlResult<ExprKind> {
        self.take();
        self.expect_token(TokenKind::LeftParen)?;
        let condition = self.condition()?;
        self.expect_token(TokenKind::Comma)?;
        let value = self.scalar()?;
        self.expect_token(TokenKind::Comma)?;
        let otherwise = Some(self.scalar()?);
        self.expect_token(TokenKind::RightParen)?;
        let branches = CaseBranches::Searched(vec![(condition, value)]);
        Ok(ExprKind::Case(Box::new(Case { branches, otherwise })))
    }

    /// `CAST(a AS t)`, `PARSE(a AS t USING c)`.
    #[inline(never)]
    fn cast(&mut self, kind: CastKind, is_try: bool) -> SqlResult<ExprKind> {
        let word = self.take();
        self.expect_token(TokenKind::LeftParen)?;
        let operand = self.scalar()?;
        if !self.eat(K::As) {
            return match self.peek().kind {
                TokenKind::Comma | TokenKind::RightParen => {
                    Err(self.expected_near(self.text_of(word), "AS"))
                }
                _ => Err(self.unexpected()),
            };
        }
        let ty = self.data_type()?;
        let mut style = None;
        if kind == CastKind::Parse && self.eat(K::Using) {
            style = Some(self.scalar()?);
        }
        self.expect_token(TokenKind::RightParen)?;
        Ok(ExprKind::Cast(Box::new(Cast { kind, is_try, operand, ty, style })))
    }

    /// `CONVERT(t, a, style)`.
    #[inline(never)]
    fn convert(&mut self, is_try: bool) -> SqlResult<ExprKind> {
        self.take();
        self.expect_token(TokenKind::LeftParen)?;
        let ty = self.data_type()?;
        self.expect_token(TokenKind::Comma)?;
        let operand = self.scalar()?;
        let style = match self.eat_token(TokenKind::Comma) {
            true => Some(self.scalar()?),
            false => None,
        };
        self.expect_token(TokenKind::RightParen)?;
        let kind = CastKind::Convert;
        Ok(ExprKind::Cast(Box::new(Cast { kind, is_try, operand, ty, style })))
    }

    /// `TRIM(a)`, `TRIM(a FROM b)`, `TRIM(LEADING a FROM b)`.
    #[inline(never)]
    fn trim(&mut self) -> SqlResult<ExprKind> {
        let mut call = self.new_bare_call()?;
        self.expect_token(TokenKind::LeftParen)?;
        let side = match self.peek().keyword {
            K::Leading => Some(TrimSide::Leading),
            K::Trailing => Some(TrimSide::Trailing),
            K::Both => Some(TrimSide::Both),
            _ => None,
        };
        // The words are names too, when nothing follows that could be trimmed away.
        let follows = self.peek_at(1).kind;
        let side = side.filter(|_| {
            !matches!(follows, TokenKind::RightParen | TokenKind::Dot | TokenKind::Plus)
        });
        if side.is_some() {
            self.take();
        }
        let mut source = Box::new(self.scalar()?);
        let mut characters = None;
        if self.eat(K::From) {
            characters = Some(std::mem::replace(&mut source, Box::new(self.scalar()?)));
        }
        self.expect_token(TokenKind::RightParen)?;
        if side.is_none() && characters.is_none() {
            let items = vec![Argument::Expr(*source)];
            call.arguments = Arguments::List { distinct: false, items };
        } else {
            call.arguments = Arguments::Trim { side, characters, source };
        }
        self.finish_call(call)
    }

    #[inline(never)]
    fn next_value(&mut self) -> SqlResult<ExprKind> {
        self.expect_words(&[K::Next, K::Value, K::For])?;
        let sequence = self.object_name()?;
        let mut over = Vec::new();
        if self.eat(K::Over) {
            self.expect_token(TokenKind::LeftParen)?;
            over = self.order_by()?;
            self.expect_token(TokenKind::RightParen)?;
        }
        Ok(ExprKind::NextValue(Box::new(NextValue { sequence, over })))
    }

    /// `IDENTITY(type, seed, increment)`.
    #[inline(never)]
    fn identity_function(&mut self) -> SqlResult<ExprKind> {
        self.expect(K::Identity)?;
        self.expect_token(TokenKind::LeftParen)?;
        let ty = self.data_type()?;
        let mut values = None;
        if self.eat_token(TokenKind::Comma) {
            let seed = self.scalar()?;
            self.expect_token(TokenKind::Comma)?;
            values = Some(IdentityValues { seed, increment: self.scalar()? });
        }
        self.expect_token(TokenKind::RightParen)?;
        Ok(ExprKind::IdentityFunction(Box::new(IdentityFunction { ty, values })))
    }

    /// `{fn name(…)}`, `{d '…'}` and the like.
    #[inline(never)]
    fn odbc_escape(&mut self) -> SqlResult<Expr> {
        let start = self.take();
        if self.eat(K::Fn) {
            let kind = self.odbc_function()?;
            self.expect_token(TokenKind::RightBrace)?;
            return Ok(Expr { span: self.span_from(start), kind });
        }
        let kind = self.odbc_kind()?;
        let text = self.string()?;
        self.expect_token(TokenKind::RightBrace)?;
        Ok(Expr { span: self.span_from(start), kind: ExprKind::Odbc(kind, text) })
    }

    /// The word of `{d '…'}`.
    pub(super) fn odbc_kind(&mut self) -> SqlResult<OdbcKind> {
        self.expect_word(&[
            ("D", OdbcKind::Date),
            ("T", OdbcKind::Time),
            ("TS", OdbcKind::Timestamp),
            ("GUID", OdbcKind::Guid),
        ])
    }

    /// What stands after `{fn`. Reserved words are names there.
    fn odbc_function(&mut self) -> SqlResult<ExprKind> {
        self.enter(1)?;
        let kind = self.odbc_function_call();
        self.leave(1);
        kind
    }

    fn odbc_function_call(&mut self) -> SqlResult<ExprKind> {
        let word = self.peek();
        if self.at(K::Convert) {
            return self.odbc_convert();
        }
        if word.kind != TokenKind::Word {
            return Err(self.unexpected());
        }
        let mut call = self.new_bare_call()?;
        call.odbc = true;
        // `{fn CURRENT_DATE}` needs no parentheses.
        if self.at_token(TokenKind::RightBrace) {
            call.arguments = Arguments::List { distinct: false, items: Vec::new() };
            return Ok(ExprKind::Call(call));
        }
        call.arguments = match self.text_of(word).eq_ignore_ascii_case("extract") {
            true => self.extract_arguments()?,
            false => self.arguments()?,
        };
        self.finish_call(call)
    }

    /// `(YEAR FROM a)`: two arguments.
    fn extract_arguments(&mut self) -> SqlResult<Arguments> {
        self.expect_token(TokenKind::LeftParen)?;
        let part = self.primary_scalar()?;
        self.expect(K::From)?;
        let source = self.scalar()?;
        self.expect_token(TokenKind::RightParen)?;
        let items = vec![Argument::Expr(part), Argument::Expr(source)];
        Ok(Arguments::List { distinct: false, items })
    }

    /// ODBC's `CONVERT(value, SQL_TYPE)`, which turns T-SQL's around.
    fn odbc_convert(&mut self) -> SqlResult<ExprKind> {
        self.expect(K::Convert)?;
        self.expect_token(TokenKind::LeftParen)?;
        let operand = self.scalar()?;
        self.expect_token(TokenKind::Comma)?;
        let ty = self.odbc_type()?;
        self.expect_token(TokenKind::RightParen)?;
        let cast = Cast { kind: CastKind::Convert, is_try: false, operand, ty, style: None };
        Ok(ExprKind::Cast(Box::new(cast)))
    }

    fn odbc_type(&mut self) -> SqlResult<DataType> {
        const TYPES: &[(&str, &str)] = &[
            ("SQL_BIGINT", "bigint"),
            ("SQL_BINARY", "binary"),
            ("SQL_BIT", "bit"),
            ("SQL_CHAR", "char"),
            ("SQL_DATE", "date"),
            ("SQL_DECIMAL", "decimal"),
            ("SQL_DOUBLE", "float"),
            ("SQL_FLOAT", "float"),
            ("SQL_GUID", "uniqueidentifier"),
            ("SQL_INTEGER", "int"),
            ("SQL_LONGVARBINARY", "image"),
            ("SQL_LONGVARCHAR", "text"),
            ("SQL_NUMERIC", "numeric"),
            ("SQL_REAL", "real"),
            ("SQL_SMALLINT", "smallint"),
            ("SQL_TIMESTAMP", "datetime"),
            ("SQL_TINYINT", "tinyint"),
            ("SQL_TYPE_TIMESTAMP", "datetime"),
            ("SQL_VARBINARY", "varbinary"),
            ("SQL_VARCHAR", "varchar"),
            ("SQL_WCHAR", "nchar"),
            ("SQL_WLONGVARCHAR", "ntext"),
            ("SQL_WVARCHAR", "nvarchar"),
        ];
        let span = self.peek().span;
        let name = Ident { name: self.expect_word(TYPES)?.into(), quoted: false, span };
        let arguments = self.type_arguments()?;
        Ok(DataType { span: self.since(span), name: ObjectName::bare(name), arguments })
    }
}

/// A call without arguments yet. On the heap from the start: calls nest.
#[inline(never)]
pub(super) fn new_call(name: ObjectName) -> Box<FunctionCall> {
    Box::new(FunctionCall {
        name,
        odbc: false,
        arguments: Arguments::Star,
        returning: None,
        ignore_nulls: None,
        within_group: Vec::new(),
        over: None,
    })
}

/// Whether a token is a column by its role.
fn is_pseudo_column(token: Token) -> bool {
    token.kind == TokenKind::DollarWord || matches!(token.keyword, K::IdentityCol | K::RowGuidCol)
}

/// What stands before a column's last dot; `None` when there is nothing between two dots.
fn qualifier(mut parts: Vec<Option<Ident>>) -> Option<Option<Box<ObjectName>>> {
    match parts.pop() {
        None => Some(None),
        Some(None) => None,
        Some(Some(table)) => Some(Some(Box::new(object_name(&mut parts, table)))),
    }
}

/// The name of an object from what stands before its last part: at most three parts.
pub(super) fn object_name(qualifiers: &mut Vec<Option<Ident>>, name: Ident) -> ObjectName {
    let start = qualifiers.iter().flatten().map(|part| part.span).next().unwrap_or(name.span);
    let schema = qualifiers.pop().flatten();
    let database = qualifiers.pop().flatten();
    let server = qualifiers.pop().flatten();
    let span: Span = start.to(name.span);
    ObjectName { server, database, schema, name, span }
}
