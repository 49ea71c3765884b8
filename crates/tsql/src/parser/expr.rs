//! Expressions and conditions: operators, by precedence climbing.
//!
//! Scalars and conditions are read by one function, since only what follows a parenthesis shows
//! `(a) > 1` from `(a > 1)`. [`Parsed`] says what was read, and each operator demands its kind.
//!
//! Precedence, from loose to tight: `OR`; `AND`; `NOT`; comparisons, `BETWEEN`, `IN`, `LIKE`, `IS`
//! (which do not chain); `+ - & | ^ << >>`; `* / %`; `~`, `COLLATE`, `AT TIME ZONE`. A sign reaches
//! over the products after it: `-a / -b * c` is `-(a / -(b * c))`.
//!
//! `Parser::height` is the height of the highest expression read since it was last reset. `a * b +
//! c * d` and `a COLLATE b COLLATE c` grow to the left without recursion, so `depth` alone does not
//! bound trees.

use base::{SqlError, SqlResult, message};

use super::Parser;
use super::call::new_call;
use super::stream::is_ident;
use crate::ast::{
    Argument, Arguments, BinaryOp, ColumnRef, CompareOp, Condition, ConditionKind, Expr, ExprKind,
    FullText, Ident, Literal, MAX_DEPTH, MemberUse, MethodCall, ObjectName, Query, QueryBody, Span,
    UnaryOp,
};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::string_value;
use crate::lexer::token::{Token, TokenKind};

/// How tightly an operator binds. An operand is read by naming the loosest operator it may contain.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Power {
    Or,
    And,
    Not,
    Comparison,
    Sum,
    Product,
    Primary,
    /// What `COLLATE` and `AT TIME ZONE` may stand after.
    Operand,
}

/// What was read: a value or a condition.
pub(super) enum Parsed {
    Scalar(Expr),
    Condition(Condition),
}

impl Parser<'_> {
    /// A scalar expression.
    pub(super) fn scalar(&mut self) -> SqlResult<Expr> {
        self.scalar_above(Power::Sum)
    }

    /// A scalar without operators: a constant, a variable, something in parentheses.
    pub(super) fn primary_scalar(&mut self) -> SqlResult<Expr> {
        self.scalar_above(Power::Primary)
    }

    fn scalar_above(&mut self, power: Power) -> SqlResult<Expr> {
        match self.expression(power)? {
            Parsed::Scalar(expr) => Ok(expr),
            // No condition begins at this power but one in parentheses, and those know it too.
            Parsed::Condition(_) => Err(self.unexpected()),
        }
    }

    /// A condition; error 4145 when a value stands there alone.
    pub(super) fn condition(&mut self) -> SqlResult<Condition> {
        self.condition_above(Power::Or)
    }

    fn condition_above(&mut self, power: Power) -> SqlResult<Condition> {
        let parsed = self.expression(power)?;
        self.as_condition(parsed)
    }

    fn as_condition(&self, parsed: Parsed) -> SqlResult<Condition> {
        match parsed {
            Parsed::Condition(condition) => Ok(condition),
            Parsed::Scalar(_) => Err(self.error_near(&message::NON_BOOLEAN_EXPRESSION)),
        }
    }

    /// An expression with operators that bind at least as tightly as `power`.
    pub(super) fn expression(&mut self, power: Power) -> SqlResult<Parsed> {
        self.enter(1)?;
        let siblings = std::mem::take(&mut self.height);
        let mut left = self.prefix(power)?;
        let mut height = self.height + 1;
        while let Some(operator) = self.infix(power, &left) {
            self.height = 0;
            // What was read so far goes to the heap before more is read: expressions nest.
            left = match left {
                Parsed::Scalar(left) => self.apply(operator, Box::new(left))?,
                Parsed::Condition(first) => self.junction(operator, vec![first])?,
            };
            height = height.max(self.height) + 1;
            if self.depth + height > MAX_DEPTH {
                return Err(self.too_deep());
            }
        }
        self.height = siblings.max(height);
        self.leave(1);
        Ok(left)
    }

    /// The power of the operator at the next token, if an operand of `power` may contain it and
    /// `left` may stand on its left. What may not is left to the caller, which fails near it.
    fn infix(&self, power: Power, left: &Parsed) -> Option<Power> {
        let token = self.peek();
        let found = match token.kind {
            TokenKind::Less | TokenKind::Greater if self.at_shift() => Power::Sum,
            TokenKind::Plus
            | TokenKind::Minus
            | TokenKind::Ampersand
            | TokenKind::Pipe
            | TokenKind::Caret => Power::Sum,
            TokenKind::Star | TokenKind::Slash | TokenKind::Percent => Power::Product,
            TokenKind::Equal | TokenKind::Less | TokenKind::Greater | TokenKind::Bang => {
                Power::Comparison
            }
            TokenKind::Word => match token.keyword {
                K::And => Power::And,
                K::Or => Power::Or,
                K::Between | K::In | K::Like | K::Is | K::Not => Power::Comparison,
                _ => return None,
            },
            _ => return None,
        };
        let fits = match left {
            Parsed::Scalar(_) => true,
            Parsed::Condition(_) => found < Power::Comparison,
        };
        (found >= power && fits).then_some(found)
    }

    /// Whether `<<` or `>>` comes next.
    fn at_shift(&self) -> bool {
        let (first, second) = (self.peek(), self.peek_at(1));
        first.kind == second.kind && first.span.end == second.span.start
    }

    /// `left << right`: a call of the function that the operator stands for.
    #[inline(never)]
    fn shift(&mut self, left: Expr) -> SqlResult<Parsed> {
        let operator = self.take();
        self.take();
        let name = if operator.kind == TokenKind::Less { "left_shift" } else { "right_shift" };
        let name = Ident { name: name.into(), quoted: false, span: operator.span };
        let start = left.span;
        let right = self.scalar_above(Power::Product)?;
        let mut call = new_call(ObjectName::bare(name));
        let items = vec![Argument::Expr(left), Argument::Expr(right)];
        call.arguments = Arguments::List { distinct: false, items };
        Ok(Parsed::Scalar(Expr { span: self.since(start), kind: ExprKind::Call(call) }))
    }

    /// Reads the operator at the next token, which stands after a value, and its right side.
    fn apply(&mut self, power: Power, left: Box<Expr>) -> SqlResult<Parsed> {
        match power {
            Power::Or | Power::And | Power::Not => {
                Err(self.error_near(&message::NON_BOOLEAN_EXPRESSION))
            }
            Power::Comparison => self.comparison(left),
            Power::Sum if matches!(self.peek().kind, TokenKind::Less | TokenKind::Greater) => {
                self.shift(*left)
            }
            Power::Sum | Power::Product | Power::Primary | Power::Operand => {
                self.arithmetic(power, left)
            }
        }
    }

    /// `a AND b AND c`, from its first operator on.
    #[inline(never)]
    fn junction(&mut self, power: Power, mut operands: Vec<Condition>) -> SqlResult<Parsed> {
        self.enter(1)?;
        let start = operands[0].span;
        let (word, operand) = match power {
            Power::Or => (K::Or, Power::And),
            _ => (K::And, Power::Not),
        };
        while self.eat(word) {
            operands.push(self.condition_above(operand)?);
        }
        self.leave(1);
        let kind = match power {
            Power::Or => ConditionKind::Or(operands),
            _ => ConditionKind::And(operands),
        };
        Ok(Parsed::Condition(Condition { span: self.since(start), kind }))
    }

    /// `first + a - b`, from its first operator on: all operators of one power. `(a + b) + c` is
    /// the same as without parentheses.
    #[inline(never)]
    fn arithmetic(&mut self, power: Power, mut first: Box<Expr>) -> SqlResult<Parsed> {
        let start = first.span;
        let mut rest = Vec::new();
        if let ExprKind::Chain { first: inner, rest: before } = &mut first.kind
            && power_of(before) == power
        {
            rest = std::mem::take(before);
            let null = Expr { span: start, kind: ExprKind::Literal(Literal::Null) };
            *first = std::mem::replace(&mut **inner, null);
        }
        let tighter = if power == Power::Sum { Power::Product } else { Power::Primary };
        while let Some(op) = self.operator_of(power) {
            self.take();
            rest.push((op, self.scalar_above(tighter)?));
        }
        let span = self.since(start);
        Ok(Parsed::Scalar(Expr { span, kind: ExprKind::Chain { first, rest } }))
    }

    /// The next token, if it is an operator of this power.
    fn operator_of(&self, power: Power) -> Option<BinaryOp> {
        let op = match self.peek().kind {
            TokenKind::Plus => BinaryOp::Add,
            TokenKind::Minus => BinaryOp::Subtract,
            TokenKind::Star => BinaryOp::Multiply,
            TokenKind::Slash => BinaryOp::Divide,
            TokenKind::Percent => BinaryOp::Modulo,
            TokenKind::Ampersand => BinaryOp::BitAnd,
            TokenKind::Pipe => BinaryOp::BitOr,
            TokenKind::Caret => BinaryOp::BitXor,
            _ => return None,
        };
        (power_of_operator(op) == power).then_some(op)
    }

    /// What follows the left side of a comparison or a predicate.
    #[inline(never)]
    fn comparison(&mut self, operand: Box<Expr>) -> SqlResult<Parsed> {
        let start = operand.span;
        let kind = match self.peek().keyword {
            K::Is => self.is_predicate(operand)?,
            K::Not => {
                self.take();
                self.negatable(operand, true)?
            }
            K::Between | K::In | K::Like => self.negatable(operand, false)?,
            _ => self.compare(operand)?,
        };
        Ok(Parsed::Condition(Condition { span: self.since(start), kind }))
    }

    fn compare(&mut self, left: Box<Expr>) -> SqlResult<ConditionKind> {
        let op = self.compare_op()?;
        let all = match self.peek().keyword {
            K::All => true,
            K::Any | K::Some => false,
            _ => {
                let right = Box::new(self.scalar()?);
                return Ok(ConditionKind::Compare { op, left, right });
            }
        };
        self.take();
        let query = Box::new(self.parenthesized_query()?);
        Ok(ConditionKind::Quantified { op, left, all, query })
    }

    /// A comparison operator; blanks may stand between its characters.
    fn compare_op(&mut self) -> SqlResult<CompareOp> {
        let first = self.take().kind;
        let op = match (first, self.peek().kind) {
            (TokenKind::Less, TokenKind::Equal) => CompareOp::LessOrEqual,
            (TokenKind::Less, TokenKind::Greater) => CompareOp::NotEqual,
            (TokenKind::Greater, TokenKind::Equal) => CompareOp::GreaterOrEqual,
            (TokenKind::Bang, TokenKind::Equal) => CompareOp::NotEqual,
            (TokenKind::Bang, TokenKind::Less) => CompareOp::GreaterOrEqual,
            (TokenKind::Bang, TokenKind::Greater) => CompareOp::LessOrEqual,
            (TokenKind::Equal, _) => return Ok(CompareOp::Equal),
            (TokenKind::Less, _) => return Ok(CompareOp::Less),
            (TokenKind::Greater, _) => return Ok(CompareOp::Greater),
            _ => return Err(self.unexpected_last()),
        };
        self.take();
        Ok(op)
    }

    /// `IS [NOT] NULL`, `IS [NOT] DISTINCT FROM`.
    fn is_predicate(&mut self, operand: Box<Expr>) -> SqlResult<ConditionKind> {
        self.expect(K::Is)?;
        let negated = self.eat(K::Not);
        if self.eat(K::Distinct) {
            self.expect(K::From)?;
            let right = Box::new(self.scalar()?);
            return Ok(ConditionKind::IsDistinct { left: operand, right, negated });
        }
        self.expect(K::Null)?;
        Ok(ConditionKind::IsNull { operand, negated })
    }

    /// The predicates before which `NOT` may stand.
    fn negatable(&mut self, operand: Box<Expr>, negated: bool) -> SqlResult<ConditionKind> {
        match self.take().keyword {
            K::Between => {
                let low = Box::new(self.scalar()?);
                self.expect(K::And)?;
                let high = Box::new(self.scalar()?);
                Ok(ConditionKind::Between { operand, low, high, negated })
            }
            K::Like => {
                let pattern = Box::new(self.scalar()?);
                let escape = self.like_escape()?;
                Ok(ConditionKind::Like { operand, pattern, escape, negated })
            }
            K::In => {
                if self.peek_at(1).keyword == K::Select {
                    let query = Box::new(self.parenthesized_query()?);
                    return Ok(ConditionKind::InQuery { operand, query, negated });
                }
                let mut is_first = true;
                let mut list = self.parenthesized(|p| {
                    let value = p.scalar()?;
                    match std::mem::take(&mut is_first) {
                        true => p.query_in_parentheses(value),
                        false => Ok(value),
                    }
                })?;
                // `IN ((SELECT …))` is the same as `IN (SELECT …)`.
                match list.pop() {
                    Some(Expr { kind: ExprKind::Subquery(query), .. }) if list.is_empty() => {
                        Ok(ConditionKind::InQuery { operand, query, negated })
                    }
                    last => {
                        list.extend(last);
                        Ok(ConditionKind::InList { operand, list, negated })
                    }
                }
            }
            _ => Err(self.unexpected_last()),
        }
    }

    /// `ESCAPE 'c'`, also as `{escape 'c'}`.
    fn like_escape(&mut self) -> SqlResult<Option<Box<Expr>>> {
        if self.at_token(TokenKind::LeftBrace) && self.peek_at(1).keyword == K::Escape {
            self.take();
            self.take();
            let escape = self.scalar()?;
            self.expect_token(TokenKind::RightBrace)?;
            return Ok(Some(Box::new(escape)));
        }
        match self.eat(K::Escape) {
            true => Ok(Some(Box::new(self.scalar()?))),
            false => Ok(None),
        }
    }

    /// An operand with the prefix operators before it.
    #[inline(never)]
    fn prefix(&mut self, power: Power) -> SqlResult<Parsed> {
        let token = self.peek();
        match token.kind {
            TokenKind::Plus => self.unary(UnaryOp::Plus, Power::Product),
            TokenKind::Minus => self.unary(UnaryOp::Minus, Power::Product),
            TokenKind::Tilde => self.unary(UnaryOp::BitNot, Power::Primary),
            TokenKind::LeftParen => self.in_parentheses(power),
            TokenKind::Word if power <= Power::Comparison => {
                match self.condition_word(token, power)? {
                    Some(condition) => Ok(Parsed::Condition(condition)),
                    None => self.operand(token, power),
                }
            }
            _ => self.operand(token, power),
        }
    }

    /// A constant, variable, name or call, with what may follow it.
    fn operand(&mut self, token: Token, power: Power) -> SqlResult<Parsed> {
        let expr = match self.constant(token)? {
            Some(literal) => Expr { span: self.span_from(token), kind: ExprKind::Literal(literal) },
            None => self.primary()?,
        };
        Ok(Parsed::Scalar(self.postfix(expr, power)?))
    }

    #[inline(never)]
    fn unary(&mut self, op: UnaryOp, power: Power) -> SqlResult<Parsed> {
        let start = self.take();
        let before_number = self.at_token(TokenKind::Integer);
        let operand = Box::new(self.scalar_above(power)?);
        let kind = match &operand.kind {
            // With its sign it fits an `int`, without it does not.
            ExprKind::Literal(Literal::Numeric(digits))
                if op == UnaryOp::Minus && before_number && **digits == *"2147483648" =>
            {
                ExprKind::Literal(Literal::Integer(i32::MIN))
            }
            _ => ExprKind::Unary { op, operand },
        };
        Ok(Parsed::Scalar(Expr { span: self.span_from(start), kind }))
    }

    /// The conditions that begin with a word: `NOT`, `EXISTS`, `UPDATE(c)`, `CONTAINS`.
    #[inline(never)]
    fn condition_word(&mut self, start: Token, power: Power) -> SqlResult<Option<Condition>> {
        let kind = match start.keyword {
            K::Not if power <= Power::Not => {
                self.take();
                ConditionKind::Not(Box::new(self.condition_above(Power::Not)?))
            }
            K::Exists => {
                self.take();
                ConditionKind::Exists(Box::new(self.parenthesized_query()?))
            }
            K::Update => {
                self.take();
                self.expect_token(TokenKind::LeftParen)?;
                let column = self.ident()?;
                self.expect_token(TokenKind::RightParen)?;
                ConditionKind::UpdatedColumn(column)
            }
            K::Contains | K::FreeText => self.full_text()?,
            _ => return Ok(None),
        };
        Ok(Some(Condition { span: self.span_from(start), kind }))
    }

    /// `CONTAINS (columns, search)`, `FREETEXT (columns, search)`.
    #[inline(never)]
    fn full_text(&mut self) -> SqlResult<ConditionKind> {
        let free_text = self.take().keyword == K::FreeText;
        self.expect_token(TokenKind::LeftParen)?;
        let columns = match self.peek().kind {
            TokenKind::Star => self.all_columns()?,
            TokenKind::LeftParen if self.peek_at(1).kind == TokenKind::Star => {
                self.take();
                let columns = self.all_columns()?;
                self.expect_token(TokenKind::RightParen)?;
                columns
            }
            TokenKind::LeftParen => self.parenthesized(Parser::column_ref)?,
            _ => vec![self.column_ref()?],
        };
        self.expect_token(TokenKind::Comma)?;
        let search = self.scalar()?;
        let mut language = None;
        if self.eat_token(TokenKind::Comma) {
            self.expect(K::Language)?;
            language = Some(self.scalar()?);
        }
        self.expect_token(TokenKind::RightParen)?;
        Ok(ConditionKind::FullText(Box::new(FullText { free_text, columns, search, language })))
    }

    /// `*`, which names no column.
    fn all_columns(&mut self) -> SqlResult<Vec<ColumnRef>> {
        self.expect_token(TokenKind::Star)?;
        Ok(Vec::new())
    }

    /// What stands in parentheses: a query, a value or, where one may stand, a condition.
    #[inline(never)]
    fn in_parentheses(&mut self, power: Power) -> SqlResult<Parsed> {
        if self.peek_at(1).keyword == K::Select {
            return self.subquery(power);
        }
        self.take();
        let inner = if power <= Power::Comparison { Power::Or } else { Power::Sum };
        match self.expression(inner)? {
            Parsed::Scalar(expr) => self.finish_parentheses(expr, power),
            condition => {
                self.expect_token(TokenKind::RightParen)?;
                Ok(condition)
            }
        }
    }

    #[inline(never)]
    fn subquery(&mut self, power: Power) -> SqlResult<Parsed> {
        let start = self.peek();
        let query = Box::new(self.parenthesized_query()?);
        let expr = Expr { span: self.span_from(start), kind: ExprKind::Subquery(query) };
        Ok(Parsed::Scalar(self.postfix(expr, power)?))
    }

    /// What follows a value in parentheses.
    #[inline(never)]
    fn finish_parentheses(&mut self, expr: Expr, power: Power) -> SqlResult<Parsed> {
        let expr = self.query_in_parentheses(expr)?;
        self.expect_token(TokenKind::RightParen)?;
        Ok(Parsed::Scalar(self.postfix(expr, power)?))
    }

    /// `((SELECT 1) UNION SELECT 2)`: the inner parentheses turn out to be an operand of a set
    /// operator. Anything else stays as it is.
    #[inline(never)]
    fn query_in_parentheses(&mut self, expr: Expr) -> SqlResult<Expr> {
        let goes_on =
            matches!(self.peek().keyword, K::Union | K::Except | K::Intersect | K::Order | K::For);
        match expr.kind {
            ExprKind::Subquery(query) if goes_on => {
                let query = self.query_after(expr.span, QueryBody::Nested(query))?;
                Ok(Expr { span: query.span, kind: ExprKind::Subquery(Box::new(query)) })
            }
            _ => Ok(expr),
        }
    }

    /// `(SELECT …)`.
    pub(super) fn parenthesized_query(&mut self) -> SqlResult<Query> {
        self.expect_token(TokenKind::LeftParen)?;
        let query = self.query()?;
        self.expect_token(TokenKind::RightParen)?;
        Ok(query)
    }

    /// `.name(arguments)` or `.name` after an operand, any number of times. A constant has no
    /// methods.
    #[inline(never)]
    fn methods(&mut self, mut expr: Expr) -> SqlResult<Expr> {
        while self.at_token(TokenKind::Dot)
            && is_ident(self.peek_at(1))
            && !matches!(expr.kind, ExprKind::Literal(_))
        {
            self.grow()?;
            let start = expr.span;
            let call = self.method(expr, MemberUse::Read)?;
            expr = Expr { span: self.since(start), kind: ExprKind::Method(Box::new(call)) };
        }
        Ok(expr)
    }

    /// Whether `.name(` comes next.
    pub(super) fn method_ahead(&self) -> bool {
        self.at_token(TokenKind::Dot)
            && is_ident(self.peek_at(1))
            && self.peek_at(2).kind == TokenKind::LeftParen
    }

    /// Whether `.name =` comes next.
    pub(super) fn property_ahead(&self) -> bool {
        self.at_token(TokenKind::Dot)
            && is_ident(self.peek_at(1))
            && self.peek_at(2).kind == TokenKind::Equal
    }

    /// `.name(arguments)` or `.name`, which is there.
    pub(super) fn method(&mut self, operand: Expr, usage: MemberUse) -> SqlResult<MethodCall> {
        self.expect_token(TokenKind::Dot)?;
        let name = self.ident()?;
        let arguments = self.member_arguments()?;
        Ok(MethodCall { operand, name, arguments, usage })
    }

    /// `(a, b)`, unless it is a property.
    pub(super) fn member_arguments(&mut self) -> SqlResult<Option<Vec<Expr>>> {
        match self.at_token(TokenKind::LeftParen) {
            true => self.method_arguments().map(Some),
            false => Ok(None),
        }
    }

    /// `(a, b)` or `()`.
    pub(super) fn method_arguments(&mut self) -> SqlResult<Vec<Expr>> {
        self.expect_token(TokenKind::LeftParen)?;
        let mut arguments = Vec::new();
        self.enter(1)?;
        if !self.at_token(TokenKind::RightParen) {
            arguments = self.list(Parser::scalar)?;
        }
        self.leave(1);
        self.expect_token(TokenKind::RightParen)?;
        Ok(arguments)
    }

    /// Counts a level that what was read so far gets above it (P2).
    fn grow(&mut self) -> SqlResult<()> {
        self.height += 1;
        match self.depth + self.height > MAX_DEPTH {
            true => Err(self.too_deep()),
            false => Ok(()),
        }
    }

    /// Methods, `COLLATE` and `AT TIME ZONE` after an operand.
    fn postfix(&mut self, mut expr: Expr, power: Power) -> SqlResult<Expr> {
        if self.at_token(TokenKind::Dot) {
            expr = self.methods(expr)?;
        }
        if power == Power::Operand {
            return Ok(expr);
        }
        loop {
            let start = expr.span;
            let kind = if self.eat(K::Collate) {
                ExprKind::Collate { operand: Box::new(expr), collation: self.ident()? }
            } else if self.at(K::At) && self.eat_words(&[K::At, K::Time, K::Zone]) {
                let zone = Box::new(self.scalar_above(Power::Operand)?);
                ExprKind::AtTimeZone { operand: Box::new(expr), zone }
            } else {
                return Ok(expr);
            };
            self.grow()?;
            expr = Expr { span: self.since(start), kind };
        }
    }

    /// Takes the next token if it is a constant.
    pub(super) fn constant(&mut self, token: Token) -> SqlResult<Option<Literal>> {
        let text = self.text_of(token);
        let literal = match token.kind {
            TokenKind::Integer => match text.parse() {
                Ok(value) => Literal::Integer(value),
                Err(_) => Literal::Numeric(text.into()),
            },
            TokenKind::Numeric => Literal::Numeric(text.into()),
            TokenKind::Float => Literal::Float(text.into()),
            TokenKind::Money => {
                let digits = text.trim_start_matches(|c: char| !"+-.0123456789".contains(c));
                Literal::Money(digits.into())
            }
            TokenKind::String => Literal::String(string_value(self.text, token).into()),
            TokenKind::National => Literal::National(string_value(self.text, token).into()),
            TokenKind::Binary => Literal::Binary(binary_value(&text[2..]).into()),
            TokenKind::Word if token.keyword == K::Null => Literal::Null,
            _ => return Ok(None),
        };
        self.take();
        Ok(Some(literal))
    }

    /// A constant on its own, without a sign.
    pub(super) fn literal(&mut self) -> SqlResult<(Literal, Span)> {
        let token = self.peek();
        match self.constant(token)? {
            Some(literal) => Ok((literal, token.span)),
            None => Err(self.unexpected()),
        }
    }

    /// Whether a scalar expression can begin here, where a statement could begin as well.
    pub(super) fn at_scalar_start(&self) -> bool {
        let token = self.peek();
        match token.kind {
            TokenKind::Word => match token.keyword {
                K::Case
                | K::Coalesce
                | K::Convert
                | K::CurrentDate
                | K::CurrentTimestamp
                | K::CurrentUser
                | K::Left
                | K::Null
                | K::NullIf
                | K::Right
                | K::SessionUser
                | K::SystemUser
                | K::TryConvert
                | K::User => true,
                _ => is_ident(token) && self.peek_at(1).kind != TokenKind::Colon,
            },
            TokenKind::Quoted
            | TokenKind::Variable
            | TokenKind::DollarWord
            | TokenKind::String
            | TokenKind::National
            | TokenKind::Integer
            | TokenKind::Numeric
            | TokenKind::Float
            | TokenKind::Money
            | TokenKind::Binary
            | TokenKind::LeftParen
            | TokenKind::Plus
            | TokenKind::Minus
            | TokenKind::Tilde => true,
            TokenKind::LeftBrace => self.peek_at(1).keyword != K::Call,
            _ => false,
        }
    }
}

/// The power of a chain's operators.
fn power_of(rest: &[(BinaryOp, Expr)]) -> Power {
    rest.first().map_or(Power::Operand, |(op, _)| power_of_operator(*op))
}

fn power_of_operator(op: BinaryOp) -> Power {
    match op {
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo => Power::Product,
        _ => Power::Sum,
    }
}

/// The bytes of hexadecimal digits, which a line may have been broken between.
fn binary_value(digits: &str) -> Vec<u8> {
    let mut nibbles = digits.bytes().filter_map(|b| (b as char).to_digit(16)).peekable();
    let count = digits.bytes().filter(u8::is_ascii_hexdigit).count();
    let mut bytes = Vec::with_capacity(count.div_ceil(2));
    if count % 2 == 1 {
        bytes.extend(nibbles.next().map(|nibble| nibble as u8));
    }
    while let (Some(high), Some(low)) = (nibbles.next(), nibbles.next()) {
        bytes.push((high << 4 | low) as u8);
    }
    bytes
}

impl Parser<'_> {
    /// Error 1035: `found` is there where `expected` belongs.
    pub(super) fn expected_near(&self, near: &str, expected: &str) -> SqlError {
        SqlError::new(&message::SYNTAX_NEAR_EXPECTED, &[&near, &expected])
            .with_state(10)
            .at_line(self.peek().span.line)
    }
}
