//! Logins, users and roles.

use base::SqlResult;

use super::Parser;
use crate::ast::{
    CreateAction, DefaultLanguage, Literal, LoginKind, LoginOption, LoginOptionKind,
    LoginStatement, PrincipalSource, RoleAction, RoleStatement, StatementKind, UserLogin,
    UserOption, UserStatement,
};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

impl Parser<'_> {
    pub(super) fn create_login(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Login)?;
        let name = self.ident()?;
        let kind = match self.eat(K::From) {
            true => match self.eat(K::Windows) {
                true => LoginKind::Windows(self.login_options()?),
                false => LoginKind::From(self.principal_source()?),
            },
            false => {
                if !self.at(K::With) {
                    return Err(self.unexpected());
                }
                LoginKind::Options(self.login_options()?)
            }
        };
        let action = CreateAction::Create;
        Ok(StatementKind::Login(Box::new(LoginStatement { action, name, kind })))
    }

    pub(super) fn alter_login(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Login)?;
        let name = self.ident()?;
        let kind = match self.peek().keyword {
            K::Enable | K::Disable => LoginKind::Enable(self.take().keyword == K::Enable),
            K::With => LoginKind::Options(self.login_options()?),
            _ => return Err(self.unexpected()),
        };
        let action = CreateAction::Alter;
        Ok(StatementKind::Login(Box::new(LoginStatement { action, name, kind })))
    }

    /// `EXTERNAL PROVIDER`, `CERTIFICATE name`, `ASYMMETRIC KEY name`.
    fn principal_source(&mut self) -> SqlResult<PrincipalSource> {
        if self.eat_words(&[K::External, K::Provider]) {
            return Ok(PrincipalSource::ExternalProvider);
        }
        if self.eat(K::Certificate) {
            return Ok(PrincipalSource::Certificate(self.ident()?));
        }
        self.expect_words(&[K::AsymmetricKey, K::Key])?;
        Ok(PrincipalSource::AsymmetricKey(self.ident()?))
    }

    fn login_options(&mut self) -> SqlResult<Vec<LoginOption>> {
        match self.eat(K::With) {
            true => self.list(Parser::login_option),
            false => Ok(Vec::new()),
        }
    }

    fn login_option(&mut self) -> SqlResult<LoginOption> {
        let start = self.peek();
        let kind = self.login_option_kind()?;
        Ok(LoginOption { span: self.span_from(start), kind })
    }

    fn login_option_kind(&mut self) -> SqlResult<LoginOptionKind> {
        if self.eat_words(&[K::No, K::Credential]) {
            return Ok(LoginOptionKind::NoCredential);
        }
        let word = self.any_word()?;
        let known = matches!(
            &*word,
            "PASSWORD"
                | "DEFAULT_DATABASE"
                | "DEFAULT_LANGUAGE"
                | "NAME"
                | "SID"
                | "CHECK_POLICY"
                | "CHECK_EXPIRATION"
                | "CREDENTIAL"
        );
        if !known {
            return Err(self.unexpected_last());
        }
        self.expect_token(TokenKind::Equal)?;
        match &*word {
            "PASSWORD" => self.login_password(),
            "DEFAULT_DATABASE" => Ok(LoginOptionKind::DefaultDatabase(self.ident()?)),
            "DEFAULT_LANGUAGE" => Ok(LoginOptionKind::DefaultLanguage(self.ident()?)),
            "NAME" => Ok(LoginOptionKind::Name(self.ident()?)),
            "SID" => Ok(LoginOptionKind::Sid(self.literal()?.0)),
            "CHECK_POLICY" => Ok(LoginOptionKind::CheckPolicy(self.on_off()?)),
            "CHECK_EXPIRATION" => Ok(LoginOptionKind::CheckExpiration(self.on_off()?)),
            _ => Ok(LoginOptionKind::Credential(self.ident()?)),
        }
    }

    /// A password or its hash, and the words after it.
    fn login_password(&mut self) -> SqlResult<LoginOptionKind> {
        let (value, _) = self.literal()?;
        if !matches!(value, Literal::String(_) | Literal::National(_) | Literal::Binary(_)) {
            return Err(self.unexpected_last());
        }
        let (mut hashed, mut must_change, mut unlock, mut old) = (false, false, false, None);
        loop {
            match self.peek().keyword {
                K::Hashed => hashed = true,
                K::MustChange => must_change = true,
                K::Unlock => unlock = true,
                _ if self.at_text("OLD_PASSWORD") => {
                    self.take();
                    self.expect_token(TokenKind::Equal)?;
                    old = Some(self.string()?);
                    continue;
                }
                _ => break,
            }
            self.take();
        }
        Ok(LoginOptionKind::Password { value, hashed, must_change, unlock, old })
    }

    pub(super) fn create_user(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::User)?;
        let name = self.ident()?;
        let login = match self.peek().keyword {
            K::For | K::From => {
                self.take();
                match self.eat(K::Login) {
                    true => UserLogin::Login(self.ident()?),
                    false => UserLogin::From(self.principal_source()?),
                }
            }
            K::Without => {
                self.expect_words(&[K::Without, K::Login])?;
                UserLogin::Without
            }
            _ => UserLogin::Default,
        };
        const ALLOWED: [&str; 5] = [
            "PASSWORD",
            "DEFAULT_SCHEMA",
            "DEFAULT_LANGUAGE",
            "SID",
            "ALLOW_ENCRYPTED_VALUE_MODIFICATIONS",
        ];
        let options = match self.eat(K::With) {
            true => self.user_options(&ALLOWED, false)?,
            false => Vec::new(),
        };
        let action = CreateAction::Create;
        Ok(StatementKind::User(Box::new(UserStatement { action, name, login, options })))
    }

    pub(super) fn alter_user(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::User)?;
        let name = self.ident()?;
        self.expect(K::With)?;
        const ALLOWED: [&str; 6] = [
            "NAME",
            "DEFAULT_SCHEMA",
            "LOGIN",
            "PASSWORD",
            "DEFAULT_LANGUAGE",
            "ALLOW_ENCRYPTED_VALUE_MODIFICATIONS",
        ];
        let options = self.user_options(&ALLOWED, true)?;
        let (action, login) = (CreateAction::Alter, UserLogin::Default);
        Ok(StatementKind::User(Box::new(UserStatement { action, name, login, options })))
    }

    /// Options of these names; a password may have the old one beside it, if `old` says so.
    fn user_options(&mut self, allowed: &[&str], old: bool) -> SqlResult<Vec<UserOption>> {
        self.list(|parser| {
            if !allowed.iter().any(|word| parser.at_text(word)) {
                return Err(parser.unexpected());
            }
            match parser.user_option()? {
                UserOption::Password(_, Some(_)) if !old => Err(parser.unexpected_last()),
                option => Ok(option),
            }
        })
    }

    fn user_option(&mut self) -> SqlResult<UserOption> {
        let word = self.any_word()?;
        let known = matches!(
            &*word,
            "DEFAULT_SCHEMA"
                | "NAME"
                | "LOGIN"
                | "PASSWORD"
                | "DEFAULT_LANGUAGE"
                | "SID"
                | "ALLOW_ENCRYPTED_VALUE_MODIFICATIONS"
        );
        if !known {
            return Err(self.unexpected_last());
        }
        self.expect_token(TokenKind::Equal)?;
        match &*word {
            "DEFAULT_SCHEMA" => Ok(UserOption::DefaultSchema(match self.eat(K::Null) {
                true => None,
                false => Some(self.ident()?),
            })),
            "NAME" => Ok(UserOption::Name(self.ident()?)),
            "LOGIN" => Ok(UserOption::Login(self.ident()?)),
            "PASSWORD" => {
                let password = self.string()?;
                let mut old = None;
                if self.at_text("OLD_PASSWORD") {
                    self.take();
                    self.expect_token(TokenKind::Equal)?;
                    old = Some(self.string()?);
                }
                Ok(UserOption::Password(password, old))
            }
            "DEFAULT_LANGUAGE" => self.default_language(),
            "SID" => Ok(UserOption::Sid(self.literal()?.0)),
            _ => Ok(UserOption::AllowEncryptedValueModifications(self.on_off()?)),
        }
    }

    /// `NONE`, a language's name, or the id of its locale.
    fn default_language(&mut self) -> SqlResult<UserOption> {
        if self.at_text("NONE") {
            self.take();
            return Ok(UserOption::DefaultLanguage(DefaultLanguage::None));
        }
        let language = match self.constant(self.peek())? {
            Some(Literal::Integer(id)) => DefaultLanguage::Locale(id),
            Some(_) => return Err(self.unexpected_last()),
            None => DefaultLanguage::Name(self.ident()?),
        };
        Ok(UserOption::DefaultLanguage(language))
    }

    /// `SERVER ROLE` (true) or `ROLE` (false).
    fn role_words(&mut self) -> SqlResult<bool> {
        let server = self.eat(K::Server);
        self.expect(K::Role)?;
        Ok(server)
    }

    pub(super) fn create_application_role(&mut self) -> SqlResult<StatementKind> {
        self.application_role(CreateAction::Create, &["PASSWORD", "DEFAULT_SCHEMA"])
    }

    pub(super) fn alter_application_role(&mut self) -> SqlResult<StatementKind> {
        self.application_role(CreateAction::Alter, &["NAME", "PASSWORD", "DEFAULT_SCHEMA"])
    }

    fn application_role(
        &mut self,
        action: CreateAction,
        allowed: &[&str],
    ) -> SqlResult<StatementKind> {
        self.expect_words(&[K::Application, K::Role])?;
        let name = self.ident()?;
        self.expect(K::With)?;
        let options = self.user_options(allowed, false)?;
        let has_password = options.iter().any(|o| matches!(o, UserOption::Password(..)));
        if action == CreateAction::Create && !has_password {
            return Err(self.unexpected());
        }
        let action = RoleAction::Application(action, options);
        Ok(StatementKind::Role(Box::new(RoleStatement { server: false, name, action })))
    }

    pub(super) fn create_role(&mut self) -> SqlResult<StatementKind> {
        let server = self.role_words()?;
        let name = self.ident()?;
        let owner = match self.eat(K::Authorization) {
            true => Some(self.ident()?),
            false => None,
        };
        let action = RoleAction::Create(owner);
        Ok(StatementKind::Role(Box::new(RoleStatement { server, name, action })))
    }

    pub(super) fn alter_role(&mut self) -> SqlResult<StatementKind> {
        let server = self.role_words()?;
        let name = self.principal()?;
        let action = match self.peek().keyword {
            K::Add => {
                self.expect_words(&[K::Add, K::Member])?;
                RoleAction::AddMember(self.ident()?)
            }
            K::Drop => {
                self.expect_words(&[K::Drop, K::Member])?;
                RoleAction::DropMember(self.ident()?)
            }
            _ => {
                self.expect_words(&[K::With, K::Name])?;
                self.expect_token(TokenKind::Equal)?;
                RoleAction::Rename(self.ident()?)
            }
        };
        Ok(StatementKind::Role(Box::new(RoleStatement { server, name, action })))
    }

    /// `ALTER SERVER ROLE`, `ALTER SERVER CONFIGURATION`.
    pub(super) fn alter_server(&mut self) -> SqlResult<StatementKind> {
        match self.peek_at(1).keyword {
            K::Configuration => self.server_configuration(),
            _ => self.alter_role(),
        }
    }
}
