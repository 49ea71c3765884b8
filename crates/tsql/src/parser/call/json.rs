//! What `JSON_OBJECT`, `JSON_ARRAY` and their aggregates take: `key : value`, and clauses.

use base::{SqlError, SqlResult, message};

use super::Parser;
use crate::ast::{Arguments, JsonArguments, JsonMember, ObjectName};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

/// The functions that make JSON of values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum JsonFunction {
    Object,
    Array,
    ObjectAgg,
    ArrayAgg,
}

impl JsonFunction {
    pub(super) fn by_name(name: &ObjectName) -> Option<JsonFunction> {
        const NAMES: [(&str, JsonFunction); 4] = [
            ("JSON_OBJECT", JsonFunction::Object),
            ("JSON_ARRAY", JsonFunction::Array),
            ("JSON_OBJECTAGG", JsonFunction::ObjectAgg),
            ("JSON_ARRAYAGG", JsonFunction::ArrayAgg),
        ];
        if !name.is_bare() || name.name.quoted {
            return None;
        }
        let own = &name.name.name;
        NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(own)).map(|(_, f)| *f)
    }

    fn has_keys(self) -> bool {
        matches!(self, JsonFunction::Object | JsonFunction::ObjectAgg)
    }

    /// Error 174: an aggregate takes one value, or one pair. SQL Server words it in two ways.
    fn takes_one(self, given: usize, line: u32) -> SqlError {
        let (name, state) = match self {
            JsonFunction::ObjectAgg => ("JSON_OBJECTAGG", 1),
            _ if given == 0 => ("JSON_ARRAYAGG", 1),
            _ => ("json_arrayagg", 3),
        };
        let error = SqlError::new(&message::FUNCTION_ARGUMENT_COUNT, &[&name, &1]);
        error.with_state(state).at_line(line)
    }
}

impl Parser<'_> {
    /// The parenthesis after the name of such a function.
    #[inline(never)]
    pub(super) fn json_arguments(&mut self, function: JsonFunction) -> SqlResult<Arguments> {
        self.expect_token(TokenKind::LeftParen)?;
        self.enter(2)?;
        let members = match function {
            JsonFunction::Object | JsonFunction::Array => self.json_members(function)?,
            _ => vec![self.json_aggregated(function)?],
        };
        let mut order_by = Vec::new();
        if function == JsonFunction::ArrayAgg && self.at(K::Order) {
            order_by = self.order_by()?;
        }
        let keeps_nulls = self.json_nulls()?;
        self.leave(2);
        self.expect_token(TokenKind::RightParen)?;
        Ok(Arguments::Json(Box::new(JsonArguments { members, order_by, keeps_nulls })))
    }

    /// The pairs of an object or the elements of an array; there may be none.
    fn json_members(&mut self, function: JsonFunction) -> SqlResult<Vec<JsonMember>> {
        let mut members = Vec::new();
        if self.at_token(TokenKind::RightParen) || self.json_nulls_ahead().is_some() {
            return Ok(members);
        }
        loop {
            members.push(self.json_member(function)?);
            if !self.eat_token(TokenKind::Comma) {
                return Ok(members);
            }
        }
    }

    /// The only argument of an aggregate. Error 174 if there are more, or none, and 313 for
    /// `DISTINCT`.
    fn json_aggregated(&mut self, function: JsonFunction) -> SqlResult<JsonMember> {
        let line = self.peek().span.line;
        if self.at_token(TokenKind::RightParen) {
            return Err(function.takes_one(0, line));
        }
        if function == JsonFunction::ArrayAgg && self.at(K::Distinct) {
            let error = SqlError::new(&message::TOO_FEW_ARGUMENTS, &[&"json_arrayagg"]);
            return Err(error.with_state(2).at_line(line));
        }
        let member = self.json_member(function)?;
        match self.at_token(TokenKind::Comma) {
            true => Err(function.takes_one(2, line)),
            false => Ok(member),
        }
    }

    fn json_member(&mut self, function: JsonFunction) -> SqlResult<JsonMember> {
        if !function.has_keys() {
            return Ok(JsonMember { key: None, value: self.scalar()? });
        }
        let line = self.peek().span.line;
        let key = self.scalar()?;
        if function == JsonFunction::ObjectAgg && self.at_token(TokenKind::Comma) {
            return Err(function.takes_one(2, line));
        }
        if self.eat_token(TokenKind::Equal) {
            // A comparison could stand there, so what is wrong is seen behind it.
            self.scalar()?;
            return Err(self.unexpected());
        }
        self.expect_token(TokenKind::Colon)?;
        Ok(JsonMember { key: Some(key), value: self.scalar()? })
    }

    /// `NULL ON NULL` or `ABSENT ON NULL`, if it is there.
    fn json_nulls(&mut self) -> SqlResult<Option<bool>> {
        let keeps_nulls = match self.peek().kind {
            TokenKind::Word if self.at(K::Null) => true,
            TokenKind::Word if self.find_word(&[("ABSENT", ())]).is_some() => false,
            _ => return Ok(None),
        };
        self.take();
        self.expect_words(&[K::On, K::Null])?;
        Ok(Some(keeps_nulls))
    }

    /// Whether such a clause stands here instead of a value.
    fn json_nulls_ahead(&self) -> Option<bool> {
        let is_clause = self.peek_at(1).keyword == K::On && self.peek_at(2).keyword == K::Null;
        let first = self.find_word(&[("NULL", true), ("ABSENT", false)]);
        first.filter(|_| is_clause)
    }

    /// Refuses clauses after the parenthesis that only calls without an order take.
    pub(super) fn json_call_end(
        &self,
        function: JsonFunction,
        arguments: &Arguments,
    ) -> SqlResult<()> {
        let Arguments::Json(arguments) = arguments else { return Ok(()) };
        let ordered = !arguments.order_by.is_empty();
        let refused = match function {
            JsonFunction::ArrayAgg => ordered && (self.at(K::Over) || self.at(K::Within)),
            JsonFunction::ObjectAgg => self.at(K::Within),
            _ => false,
        };
        match refused {
            true => Err(self.unexpected()),
            false => Ok(()),
        }
    }
}
