//! Procedures, functions, views and triggers.

use base::SqlResult;

use super::Parser;
use crate::ast::{
    CreateAction, Function, FunctionBody, Module, ModuleOption, ModuleOptionKind, ModulePrincipal,
    ModuleStatement, Procedure, Query, Span, Statement, StatementKind, ToggleTrigger, Trigger,
    TriggerEventName, TriggerTarget, View, With,
};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

impl Parser<'_> {
    /// `CREATE`, `ALTER` or `CREATE OR ALTER` of a module; the position is at what kind it is.
    pub(super) fn module(
        &mut self,
        action: CreateAction,
        action_span: Span,
    ) -> SqlResult<StatementKind> {
        let verb = match action {
            CreateAction::Alter => "ALTER",
            _ => "CREATE",
        };
        let kind = self.peek().keyword;
        match kind {
            K::Proc | K::Procedure => self.must_be_first("CREATE/ALTER PROCEDURE")?,
            K::Function => self.must_be_first(&format!("{verb} FUNCTION"))?,
            K::View => self.must_be_first(&format!("{verb} VIEW"))?,
            K::Trigger => self.must_be_first(&format!("{verb} TRIGGER"))?,
            _ => return Err(self.unexpected()),
        }
        self.take();
        let outer = std::mem::replace(&mut self.in_module, true);
        let module = match kind {
            K::Function => Module::Function(self.function()?),
            K::View => Module::View(self.view()?),
            K::Trigger => Module::Trigger(self.trigger()?),
            _ => Module::Procedure(self.procedure()?),
        };
        self.in_module = outer;
        if !self.in_schema {
            self.expect_end()?;
        }
        let statement = ModuleStatement { action, action_span, module };
        Ok(StatementKind::Module(Box::new(statement)))
    }

    /// Nothing but semicolons up to the end of the text: a module is its whole batch.
    pub(super) fn expect_end(&mut self) -> SqlResult<()> {
        if self.body_ends() {
            return Ok(());
        }
        while self.eat_token(TokenKind::Semicolon) {}
        Err(self.unexpected())
    }

    fn procedure(&mut self) -> SqlResult<Procedure> {
        let name = self.object_name()?;
        let number = self.procedure_number();
        let number = number.map_err(|error| error.in_procedure(&name.name.name))?;
        let mut parameters = Vec::new();
        if self.at_token(TokenKind::LeftParen) {
            parameters = self.parenthesized(Parser::parameter)?;
            self.check_parameters(parameters.len(), "CREATE PROCEDURE")?;
        } else if self.at_token(TokenKind::Variable) {
            parameters = self.list(Parser::parameter)?;
            self.check_parameters(parameters.len(), "CREATE PROCEDURE")?;
        }
        let options = self.module_options()?;
        let for_replication = self.eat_words(&[K::For, K::Replication]);
        self.expect(K::As)?;
        // A procedure may have no statements at all.
        let body = match self.body_ends() {
            true => Vec::new(),
            false => self.module_body()?,
        };
        Ok(Procedure { name, number, parameters, options, for_replication, body })
    }

    /// Whether nothing but semicolons follows.
    fn body_ends(&self) -> bool {
        let semicolon = |ahead: &usize| self.peek_at(*ahead).kind == TokenKind::Semicolon;
        let ahead = (0..).take_while(semicolon).count();
        self.peek_at(ahead).kind == TokenKind::End
    }

    /// Everything up to the end of the text; at least one statement.
    fn module_body(&mut self) -> SqlResult<Vec<Statement>> {
        self.at_batch_start = false;
        let body = self.statements()?;
        match body.is_empty() || !self.at_token(TokenKind::End) {
            true => Err(self.unexpected()),
            false => Ok(body),
        }
    }

    fn function(&mut self) -> SqlResult<Function> {
        let name = self.object_name()?;
        self.expect_token(TokenKind::LeftParen)?;
        let mut parameters = Vec::new();
        if !self.at_token(TokenKind::RightParen) {
            parameters = self.list(Parser::parameter)?;
            self.check_parameters(parameters.len(), "CREATE FUNCTION")?;
        }
        self.expect_token(TokenKind::RightParen)?;
        self.expect(K::Returns)?;
        if self.eat(K::Table) {
            let options = self.module_options()?;
            self.eat(K::As);
            self.expect(K::Return)?;
            let (with, query) = self.inline_query()?;
            let body = FunctionBody::Inline { with, query: Box::new(query) };
            return Ok(Function { name, parameters, options, body });
        }
        if self.at_token(TokenKind::Variable) {
            let variable = self.variable()?;
            self.expect(K::Table)?;
            let definition = Box::new(self.table_definition()?);
            let options = self.module_options()?;
            let body = self.function_block()?;
            let body = FunctionBody::Table { variable, definition, body };
            return Ok(Function { name, parameters, options, body });
        }
        let ty = self.data_type()?;
        let nullable = self.nullability();
        let options = self.module_options()?;
        let body = self.function_block()?;
        let body = FunctionBody::Scalar { ty, nullable, body };
        Ok(Function { name, parameters, options, body })
    }

    /// What an inline function returns: a query, with or without parentheses.
    fn inline_query(&mut self) -> SqlResult<(Option<With>, Query)> {
        if self.at_token(TokenKind::LeftParen) && self.peek_at(1).keyword == K::With {
            self.take();
            let with = self.optional_with()?;
            let query = self.query()?;
            self.expect_token(TokenKind::RightParen)?;
            return Ok((with, query));
        }
        let with = self.optional_with()?;
        Ok((with, self.query()?))
    }

    /// `AS BEGIN … END`, or an atomic block, which is the only statement then.
    fn function_block(&mut self) -> SqlResult<Vec<Statement>> {
        self.eat(K::As);
        if !self.at(K::Begin) {
            return Err(self.unexpected());
        }
        let block = self.nested_statement()?;
        match block.kind {
            StatementKind::Block(statements) => Ok(statements),
            StatementKind::AtomicBlock(_) => Ok(vec![block]),
            _ => Err(self.unexpected_last()),
        }
    }

    fn view(&mut self) -> SqlResult<View> {
        let name = self.object_name()?;
        let columns = match self.at_token(TokenKind::LeftParen) {
            true => self.ident_list()?,
            false => Vec::new(),
        };
        let options = self.module_options()?;
        self.expect(K::As)?;
        let query = self.full_select()?;
        let check_option = self.eat_words(&[K::With, K::Check, K::Option]);
        Ok(View { name, columns, options, query, check_option })
    }

    fn trigger(&mut self) -> SqlResult<Trigger> {
        let name = self.object_name()?;
        self.expect(K::On)?;
        let target = self.trigger_target()?;
        let options = self.module_options()?;
        let is_on_object = matches!(target, TriggerTarget::Object(_));
        let instead_of = match self.peek().keyword {
            K::For | K::After => {
                self.take();
                false
            }
            _ => {
                self.expect_words(&[K::Instead, K::Of])?;
                if !is_on_object {
                    return Err(self.unexpected());
                }
                true
            }
        };
        let events = self.list(Parser::trigger_event)?;
        let not_for_replication = is_on_object && self.not_for_replication()?;
        self.expect(K::As)?;
        let body = self.module_body()?;
        Ok(Trigger { name, target, options, instead_of, events, not_for_replication, body })
    }

    fn trigger_event(&mut self) -> SqlResult<TriggerEventName> {
        let start = self.peek();
        let name = self.any_word()?;
        Ok(TriggerEventName { span: self.span_from(start), name })
    }

    /// `DATABASE`, `ALL SERVER`, or a table or view.
    pub(super) fn trigger_target(&mut self) -> SqlResult<TriggerTarget> {
        if self.eat(K::Database) {
            return Ok(TriggerTarget::Database);
        }
        if self.eat(K::All) {
            self.expect(K::Server)?;
            return Ok(TriggerTarget::Server);
        }
        Ok(TriggerTarget::Object(self.object_name()?))
    }

    /// `WITH option, …`, if it is there.
    fn module_options(&mut self) -> SqlResult<Vec<ModuleOption>> {
        match self.eat(K::With) {
            true => self.list(Parser::module_option),
            false => Ok(Vec::new()),
        }
    }

    fn module_option(&mut self) -> SqlResult<ModuleOption> {
        let start = self.peek();
        self.take();
        let kind = match start.keyword {
            K::Encryption => ModuleOptionKind::Encryption,
            K::Native => ModuleOptionKind::NativeCompilation,
            K::Recompile => ModuleOptionKind::Recompile,
            K::SchemaBinding => ModuleOptionKind::SchemaBinding,
            K::ViewMetadata => ModuleOptionKind::ViewMetadata,
            K::Inline => {
                self.expect_token(TokenKind::Equal)?;
                ModuleOptionKind::Inline(self.on_off()?)
            }
            K::Returns => {
                self.expect_words(&[K::Null, K::On, K::Null, K::Input])?;
                ModuleOptionKind::NullOnNullInput(true)
            }
            K::Called => {
                self.expect_words(&[K::On, K::Null, K::Input])?;
                ModuleOptionKind::NullOnNullInput(false)
            }
            K::Exec | K::Execute => {
                self.expect(K::As)?;
                ModuleOptionKind::ExecuteAs(self.module_principal()?)
            }
            _ => return Err(self.unexpected_last()),
        };
        Ok(ModuleOption { span: self.span_from(start), kind })
    }

    fn module_principal(&mut self) -> SqlResult<ModulePrincipal> {
        match self.peek().keyword {
            K::Caller => {
                self.take();
                Ok(ModulePrincipal::Caller)
            }
            K::SelfWord => {
                self.take();
                Ok(ModulePrincipal::SelfUser)
            }
            K::Owner => {
                self.take();
                Ok(ModulePrincipal::Owner)
            }
            _ => Ok(ModulePrincipal::Named(self.string()?)),
        }
    }

    /// `ENABLE TRIGGER` and `DISABLE TRIGGER`. The words alone may be a procedure's name.
    pub(super) fn toggle_trigger_statement(&mut self) -> SqlResult<StatementKind> {
        if self.peek_at(1).keyword != K::Trigger {
            return match self.at_batch_start {
                true => self.bare_call(),
                false => Err(self.unexpected()),
            };
        }
        let enable = self.take().keyword == K::Enable;
        self.expect(K::Trigger)?;
        let names = match self.eat(K::All) {
            true => Vec::new(),
            false => self.list(Parser::object_name)?,
        };
        self.expect(K::On)?;
        let target = self.trigger_target()?;
        Ok(StatementKind::ToggleTrigger(Box::new(ToggleTrigger { enable, names, target })))
    }
}
