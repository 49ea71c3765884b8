//! `ADD` and `DROP SENSITIVITY CLASSIFICATION`.

use base::types::Classification;
use base::{SqlError, SqlResult, message};

use super::Parser;
use crate::ast::{ObjectName, SensitivityStatement, StatementKind};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

/// Units that a label, a type of information or an id of them may have.
const UNITS_MAX: usize = 128;

impl Parser<'_> {
    pub(super) fn add_sensitivity(&mut self) -> SqlResult<StatementKind> {
        let words = [K::Add, K::Sensitivity, K::Classification, K::To];
        if !self.at_words(&words[..2]) {
            return Err(self.unexpected());
        }
        self.expect_words(&words)?;
        let columns = self.list(Parser::classified_column)?;
        self.expect(K::With)?;
        let mut classification = Classification::default();
        self.parenthesized(|parser| parser.sensitivity_option(&mut classification))?;
        let classification = Some(classification);
        Ok(StatementKind::Sensitivity(Box::new(SensitivityStatement { columns, classification })))
    }

    /// From `SENSITIVITY` on.
    pub(super) fn drop_sensitivity(&mut self) -> SqlResult<StatementKind> {
        self.expect_words(&[K::Sensitivity, K::Classification, K::From])?;
        let columns = self.list(Parser::classified_column)?;
        let statement = SensitivityStatement { columns, classification: None };
        Ok(StatementKind::Sensitivity(Box::new(statement)))
    }

    /// `table.column` or `schema.table.column`.
    fn classified_column(&mut self) -> SqlResult<ObjectName> {
        let name = self.object_name()?;
        match name.schema.is_some() && name.server.is_none() {
            true => Ok(name),
            false => Err(self.unexpected_last()),
        }
    }

    /// One option, which must not have been given before.
    fn sensitivity_option(&mut self, into: &mut Classification) -> SqlResult<()> {
        let word = self.any_word()?;
        let before = match &*word {
            "LABEL" => into.label.is_some(),
            "LABEL_ID" => into.label_id.is_some(),
            "INFORMATION_TYPE" => into.information_type.is_some(),
            "INFORMATION_TYPE_ID" => into.information_type_id.is_some(),
            "RANK" => into.rank.is_some(),
            _ => true,
        };
        if before {
            return Err(self.unexpected_last());
        }
        self.expect_token(TokenKind::Equal)?;
        if &*word == "RANK" {
            into.rank = Some(self.expect_word(&Classification::RANKS)?);
            return Ok(());
        }
        let text = self.string()?;
        if text.encode_utf16().count() > UNITS_MAX {
            let start: String = text.chars().take(30).collect();
            let args: [&dyn std::fmt::Display; 3] = [&"identifier", &start, &UNITS_MAX];
            return Err(SqlError::new(&message::IDENTIFIER_TOO_LONG, &args));
        }
        let text = Some(text.into());
        match &*word {
            "LABEL" => into.label = text,
            "LABEL_ID" => into.label_id = text,
            "INFORMATION_TYPE" => into.information_type = text,
            _ => into.information_type_id = text,
        }
        Ok(())
    }
}
