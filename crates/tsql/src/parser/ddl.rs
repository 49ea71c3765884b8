//! `CREATE`, `ALTER` and `DROP`: the tables of what they take, and the small kinds of objects.

use base::{SqlError, SqlResult, message};

use super::Parser;
use super::statement::StatementParser;
use crate::ast::{
    AlterSchema, BindableKind, CreateAction, CreateBindable, CreateSchema, CreateSynonym,
    CreateType, CreateTypeKind, DropKind, DropStatement, DropTrigger, SequenceOption,
    SequenceOptionKind, SequenceStatement, Statement, StatementKind, TriggerTarget,
    XmlCollectionStatement,
};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

/// What is named alone in a `DROP`.
const DROP_NAMED: &[(&[K], DropKind)] = &[
    (&[K::Application, K::Role], DropKind::ApplicationRole),
    (&[K::Database], DropKind::Database),
    (&[K::Default], DropKind::Default),
    (&[K::Function], DropKind::Function),
    (&[K::Login], DropKind::Login),
    (&[K::Proc], DropKind::Procedure),
    (&[K::Procedure], DropKind::Procedure),
    (&[K::Role], DropKind::Role),
    (&[K::Rule], DropKind::Rule),
    (&[K::Schema], DropKind::Schema),
    (&[K::Security, K::Policy], DropKind::SecurityPolicy),
    (&[K::Sequence], DropKind::Sequence),
    (&[K::Server, K::Role], DropKind::ServerRole),
    (&[K::Synonym], DropKind::Synonym),
    (&[K::Table], DropKind::Table),
    (&[K::Type], DropKind::Type),
    (&[K::User], DropKind::User),
    (&[K::View], DropKind::View),
    (&[K::Xml, K::Schema, K::Collection], DropKind::XmlSchemaCollection),
];

impl<'a> Parser<'a> {
    /// What `CREATE` takes beside modules, by the next word, which it finds untaken.
    fn create_parser(word: K) -> Option<StatementParser<'a>> {
        let parse: StatementParser<'a> = match word {
            K::Application => Self::create_application_role,
            K::Clustered | K::Columnstore | K::Index | K::NonClustered | K::Unique => {
                Self::create_index
            }
            K::Database => Self::create_database,
            K::Default | K::Rule => Self::create_bindable,
            K::External | K::Resource | K::Workload => Self::create_resource,
            K::Login => Self::create_login,
            K::Role | K::Server => Self::create_role,
            K::Schema => Self::create_schema,
            K::Security => Self::create_security_policy,
            K::Sequence => Self::create_sequence,
            K::Statistics => Self::create_statistics,
            K::Synonym => Self::create_synonym,
            K::Table => Self::create_table,
            K::Type => Self::create_type,
            K::User => Self::create_user,
            K::Primary => Self::create_xml_index,
            K::Spatial => Self::create_spatial_index,
            K::Xml => Self::create_xml,
            _ => return None,
        };
        Some(parse)
    }

    /// What `ALTER` takes beside modules, likewise.
    fn alter_parser(word: K) -> Option<StatementParser<'a>> {
        let parse: StatementParser<'a> = match word {
            K::Application => Self::alter_application_role,
            K::Authorization => Self::alter_authorization,
            K::Database => Self::alter_database,
            K::External | K::Resource | K::Workload => Self::alter_resource,
            K::Index => Self::alter_index,
            K::Login => Self::alter_login,
            K::Role => Self::alter_role,
            K::Schema => Self::alter_schema,
            K::Security => Self::alter_security_policy,
            K::Sequence => Self::alter_sequence,
            K::Server => Self::alter_server,
            K::Table => Self::alter_table,
            K::User => Self::alter_user,
            K::Xml => Self::alter_xml_collection,
            _ => return None,
        };
        Some(parse)
    }

    /// What `DROP` takes beside what is named alone, likewise.
    fn drop_parser(word: K) -> Option<StatementParser<'a>> {
        let parse: StatementParser<'a> = match word {
            K::External | K::Resource | K::Workload => Self::drop_resource,
            K::Index => Self::drop_index,
            K::Sensitivity => Self::drop_sensitivity,
            K::Statistics => Self::drop_statistics,
            K::Trigger => Self::drop_trigger,
            _ => return None,
        };
        Some(parse)
    }

    pub(super) fn create_statement(&mut self) -> SqlResult<StatementKind> {
        let start = self.expect(K::Create)?;
        let or_alter = self.eat_words(&[K::Or, K::Alter]);
        let span = self.span_from(start);
        match self.peek().keyword {
            K::Proc | K::Procedure | K::Function | K::View | K::Trigger => {
                let create_or_alter = CreateAction::CreateOrAlter;
                self.module(if or_alter { create_or_alter } else { CreateAction::Create }, span)
            }
            _ if or_alter => Err(self.unexpected()),
            _ if self.at_text("SELECTIVE") => self.create_xml_index(),
            _ => self.by_word(Self::create_parser),
        }
    }

    pub(super) fn alter_statement(&mut self) -> SqlResult<StatementKind> {
        let start = self.expect(K::Alter)?;
        match self.peek().keyword {
            K::Proc | K::Procedure | K::Function | K::View | K::Trigger => {
                self.module(CreateAction::Alter, start.span)
            }
            _ => self.by_word(Self::alter_parser),
        }
    }

    pub(super) fn drop_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Drop)?;
        let Some((words, kind)) = DROP_NAMED.iter().find(|(words, _)| self.at_words(words)) else {
            return self.by_word(Self::drop_parser);
        };
        self.eat_words(words);
        // Collections are dropped one by one, and only if they are there.
        let is_collection = *kind == DropKind::XmlSchemaCollection;
        let if_exists = !is_collection && self.if_exists()?;
        let names = match is_collection {
            true => vec![self.object_name()?],
            false => self.list(Parser::object_name)?,
        };
        let statement = DropStatement { kind: *kind, if_exists, names };
        Ok(StatementKind::Drop(Box::new(statement)))
    }

    /// What the next word stands for; error 343 for an unknown word.
    fn by_word(&mut self, find: fn(K) -> Option<StatementParser<'a>>) -> SqlResult<StatementKind> {
        let token = self.peek();
        match find(token.keyword) {
            Some(parse) => parse(self),
            None if token.kind == TokenKind::Word && !token.keyword.is_reserved() => {
                Err(self.error_near(&message::UNKNOWN_OBJECT_TYPE))
            }
            None => Err(self.unexpected()),
        }
    }

    fn create_schema(&mut self) -> SqlResult<StatementKind> {
        self.must_be_first("CREATE SCHEMA")?;
        self.expect(K::Schema)?;
        let name = match self.at_ident() {
            true => Some(self.ident()?),
            false => None,
        };
        let owner = match self.eat(K::Authorization) {
            true => Some(self.ident()?),
            false => None,
        };
        if name.is_none() && owner.is_none() {
            return Err(self.unexpected());
        }
        let mut elements = Vec::new();
        self.in_schema = true;
        while let Some(element) = self.schema_element()? {
            elements.push(element);
        }
        self.in_schema = false;
        Ok(StatementKind::CreateSchema(Box::new(CreateSchema { name, owner, elements })))
    }

    /// What may be created with a schema.
    fn schema_element(&mut self) -> SqlResult<Option<Statement>> {
        let found = match self.peek().keyword {
            K::Create => matches!(self.peek_at(1).keyword, K::Table | K::View),
            K::Grant | K::Revoke | K::Deny => true,
            _ => false,
        };
        // For a view, which must come first elsewhere.
        self.at_batch_start = true;
        match found {
            true => Ok(Some(self.statement()?)),
            false => Ok(None),
        }
    }

    /// `ALTER SCHEMA name TRANSFER class::object`, from `SCHEMA` on.
    fn alter_schema(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Schema)?;
        let name = self.ident()?;
        self.expect(K::Transfer)?;
        let class = self.securable_class()?;
        let object = self.object_name()?;
        Ok(StatementKind::AlterSchema(Box::new(AlterSchema { name, class, object })))
    }

    fn create_type(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Type)?;
        let name = self.object_name()?;
        let kind = match self.eat(K::From) {
            true => {
                let ty = self.data_type()?;
                CreateTypeKind::Alias { ty, nullable: self.nullability() }
            }
            false => {
                self.expect_words(&[K::As, K::Table])?;
                CreateTypeKind::Table(Box::new(self.table_definition()?))
            }
        };
        Ok(StatementKind::CreateType(Box::new(CreateType { name, kind })))
    }

    fn create_sequence(&mut self) -> SqlResult<StatementKind> {
        self.sequence(CreateAction::Create)
    }

    fn alter_sequence(&mut self) -> SqlResult<StatementKind> {
        self.sequence(CreateAction::Alter)
    }

    fn sequence(&mut self, action: CreateAction) -> SqlResult<StatementKind> {
        self.expect(K::Sequence)?;
        let name = self.object_name()?;
        let mut options = Vec::new();
        while let Some(option) = self.sequence_option()? {
            options.push(option);
        }
        let statement = SequenceStatement { action, name, options };
        Ok(StatementKind::Sequence(Box::new(statement)))
    }

    fn sequence_option(&mut self) -> SqlResult<Option<SequenceOption>> {
        let start = self.peek();
        let kind = match start.keyword {
            K::As => {
                self.take();
                SequenceOptionKind::Type(self.data_type()?)
            }
            K::Start => {
                self.take();
                self.expect(K::With)?;
                SequenceOptionKind::Start(self.signed_number()?)
            }
            K::Restart => {
                self.take();
                SequenceOptionKind::Restart(match self.eat(K::With) {
                    true => Some(self.signed_number()?),
                    false => None,
                })
            }
            K::Increment => {
                self.take();
                self.expect(K::By)?;
                SequenceOptionKind::Increment(self.signed_number()?)
            }
            K::MinValue => {
                self.take();
                SequenceOptionKind::Min(Some(self.signed_number()?))
            }
            K::MaxValue => {
                self.take();
                SequenceOptionKind::Max(Some(self.signed_number()?))
            }
            K::Cycle => {
                self.take();
                SequenceOptionKind::Cycle(true)
            }
            K::Cache => {
                self.take();
                SequenceOptionKind::Cache(match self.at_token(TokenKind::Integer) {
                    true => Some(self.signed_number()?),
                    false => None,
                })
            }
            K::No => {
                self.take();
                self.expect_word(&[
                    ("MINVALUE", SequenceOptionKind::Min(None)),
                    ("MAXVALUE", SequenceOptionKind::Max(None)),
                    ("CYCLE", SequenceOptionKind::Cycle(false)),
                    ("CACHE", SequenceOptionKind::NoCache),
                ])?
            }
            _ => return Ok(None),
        };
        Ok(Some(SequenceOption { span: self.span_from(start), kind }))
    }

    fn create_synonym(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Synonym)?;
        let name = self.object_name()?;
        self.expect(K::For)?;
        let target = self.object_name()?;
        Ok(StatementKind::CreateSynonym(Box::new(CreateSynonym { name, target })))
    }

    /// `CREATE RULE` and `CREATE DEFAULT`, which are their whole batch. Errors 111, 161.
    fn create_bindable(&mut self) -> SqlResult<StatementKind> {
        let is_rule = self.at(K::Rule);
        let first = match is_rule {
            true => self.must_be_first("CREATE RULE").map_err(|error| error.with_state(12)),
            false => self.must_be_first("CREATE DEFAULT").map_err(|error| error.with_state(13)),
        };
        first?;
        self.take();
        let name = self.object_name()?;
        let within = |error: SqlError| error.in_procedure(&name.name.name);
        self.expect(K::As).map_err(within)?;
        let kind = match is_rule {
            true => self.rule_condition().map_err(within)?,
            false => BindableKind::Default(self.scalar().map_err(within)?),
        };
        self.expect_end().map_err(within)?;
        Ok(StatementKind::CreateBindable(Box::new(CreateBindable { name, kind })))
    }

    /// A condition with at most one variable.
    fn rule_condition(&mut self) -> SqlResult<BindableKind> {
        let start = self.peek().span;
        let condition = self.condition()?;
        let variables = self.variables_since(start);
        if variables.len() > 1 {
            let error = SqlError::new(&message::RULE_WITH_VARIABLES, &[]);
            return Err(error.at_line(start.line));
        }
        Ok(BindableKind::Rule { variable: variables.first().cloned(), condition })
    }

    fn create_xml_collection(&mut self) -> SqlResult<StatementKind> {
        self.xml_collection(CreateAction::Create, K::As)
    }

    /// `CREATE XML …`.
    fn create_xml(&mut self) -> SqlResult<StatementKind> {
        match self.peek_at(1).keyword {
            K::Index => self.create_xml_index(),
            _ => self.create_xml_collection(),
        }
    }

    fn alter_xml_collection(&mut self) -> SqlResult<StatementKind> {
        self.xml_collection(CreateAction::Alter, K::Add)
    }

    fn xml_collection(&mut self, action: CreateAction, before: K) -> SqlResult<StatementKind> {
        self.expect_words(&[K::Xml, K::Schema, K::Collection])?;
        let name = self.object_name()?;
        self.expect(before)?;
        let schemas = self.constant_or_variable()?;
        let statement = XmlCollectionStatement { action, name, schemas };
        Ok(StatementKind::XmlCollection(Box::new(statement)))
    }

    fn drop_trigger(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Trigger)?;
        let if_exists = self.if_exists()?;
        let names = self.list(Parser::object_name)?;
        let mut target = None;
        if self.at(K::On) {
            let line = self.take().span.line;
            target = match self.trigger_target()? {
                TriggerTarget::Object(name) => {
                    let near = name.name.name;
                    let error = SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&near]);
                    return Err(error.at_line(line));
                }
                target => Some(target),
            };
        }
        Ok(StatementKind::DropTrigger(Box::new(DropTrigger { if_exists, names, target })))
    }
}
