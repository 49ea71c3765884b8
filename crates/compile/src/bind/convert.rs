//! Conversions: explicit ones, implicit ones, and folding them where the value is known.

use base::convert::Overlong;
use base::datetime::{DateOrder, DateSettings};
use base::ids::DbId;
use base::types::XmlUse;
use base::types::conversion::{check_explicit, check_implicit_types, may_overflow};
use base::types::declare::{self, Declaration, Subject};
use base::types::literal;
use base::{Collation, ConvertOptions, SqlError, SqlType, TypeKind, Value, message};
use engine::catalog::def::{ModuleDef, TypeDefKind, UserTypeId};
use ir::operator::CastMode;
use tsql::ast::{self, TypeArguments};

use super::binder::Binder;
use super::context::{AtLine, BindError, BindResult, CONTAINED_CATALOG};
use super::scalar::{Label, Origin, Scalar, comparable};
use crate::plan::expr::{Expr, ExprKind};
use crate::plan::fold;

/// The length of strings that declare none in `CAST` and `CONVERT`.
const CAST_LENGTH: u16 = 30;

/// A type as a declaration means it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DeclaredType {
    /// The type, aliases resolved.
    pub ty: SqlType,
    /// The alias, `sysname`, or the built-in type.
    pub user_type: UserTypeId,
    /// What an alias says about NULL.
    pub nullable: Option<bool>,
}

impl Binder<'_> {
    /// A type as written. Errors 243, 2715 and those of `declare`.
    pub fn data_type(
        &mut self,
        ty: &ast::DataType,
        subject: Subject<'_>,
        ordinal: u32,
        default_length: u16,
    ) -> BindResult<DeclaredType> {
        let collation = self.collation();
        let line = ty.span.line;
        let at = Declaration { subject, ordinal, line, default_length, collation };
        let is_system = |s: &ast::Ident| s.name.eq_ignore_ascii_case("sys");
        let built_in = ty.name.schema.as_ref().is_none_or(is_system) && ty.name.database.is_none();
        let name = &ty.name.name.name;
        if let TypeArguments::Collection(of) = &ty.arguments {
            return self.xml_type(of, line);
        }
        let known = declare::kind_by_name(name).is_some() || name.eq_ignore_ascii_case("sysname");
        if built_in && known {
            let arguments = match &ty.arguments {
                TypeArguments::None => declare::TypeArguments::None,
                TypeArguments::Max => declare::TypeArguments::Max,
                TypeArguments::Numbers(numbers) => declare::TypeArguments::Numbers(numbers),
                TypeArguments::Collection(_) => unreachable!("it was looked at before"),
            };
            let declared = declare::declare(name, arguments, &at).at(line)?;
            if declared.kind.is_opaque() && self.options.native && self.env.depth == 0 {
                return Err(super::native::not_supported("type", declared.kind.name(), line));
            }
            let user_type = match name.eq_ignore_ascii_case("sysname") {
                true => UserTypeId::SYSNAME,
                false => UserTypeId(i32::from(declared.kind.user_type_id())),
            };
            return Ok(DeclaredType { ty: declared, user_type, nullable: None });
        }
        self.alias_type(ty, ordinal)
    }

    /// `xml(collection)`. Errors 6314, and 401 where the collection is not one of the statement's
    /// database.
    fn xml_type(&mut self, of: &ast::XmlCollectionName, line: u32) -> BindResult<DeclaredType> {
        if self.options.native && self.env.depth == 0 {
            return Err(super::native::not_supported("type", "xml", line));
        }
        let name = &of.name;
        let schema = self.env.schema.clone();
        let found = match &name.schema {
            _ if name.database.is_some() => None,
            Some(place) => {
                let place = schema.find_schema(&place.name);
                place.and_then(|place| schema.find_xml_collection(place.id, &name.name.name))
            }
            None => schema.resolve_xml_collection(self.env.default_schema, &name.name.name),
        };
        let Some(found) = found else {
            let error = SqlError::new(&message::COLLECTION_UNKNOWN, &[&name.to_string()]);
            return Err(BindError::from(error).at_line(line));
        };
        self.check_home(self.env.database).at(line)?;
        let used = XmlUse { collection: found.id.number(), is_document: of.is_document };
        let user_type = UserTypeId(i32::from(TypeKind::Xml.user_type_id()));
        Ok(DeclaredType { ty: SqlType::xml_of(used), user_type, nullable: None })
    }

    /// Error 401: a statement uses the schema collections of its own database alone.
    pub(super) fn check_home(&self, database: DbId) -> Result<(), SqlError> {
        match database == self.names.database() {
            true => Ok(()),
            false => {
                let what = "XML schema collection of another database";
                Err(SqlError::new(&message::UNIMPLEMENTED, &[&what]))
            }
        }
    }

    /// As [`Binder::check_home`], for a module whose parameters or result have a collection.
    pub(super) fn check_home_of(&self, database: DbId, module: &ModuleDef) -> Result<(), SqlError> {
        let parameters = module.parameters.iter().map(|parameter| parameter.ty);
        let mut all = parameters.chain(module.returns().map(|returns| returns.ty));
        match all.any(|ty| ty.xml_use().is_some()) {
            true => self.check_home(database),
            false => Ok(()),
        }
    }

    /// A column's type as expressions have it: an xml of another database has no collection here.
    pub(super) fn type_here(&self, database: DbId, ty: SqlType) -> SqlType {
        match ty.xml_use().is_some() && database != self.names.database() {
            true => SqlType::xml(),
            false => ty,
        }
    }

    fn alias_type(&mut self, ty: &ast::DataType, ordinal: u32) -> BindResult<DeclaredType> {
        let line = ty.span.line;
        let schema = self.env.schema.clone();
        let name = &ty.name.name.name;
        let found = match &ty.name.schema {
            Some(place) => {
                schema.find_schema(&place.name).and_then(|s| schema.find_type(s.id, name))
            }
            None => schema.resolve_type(self.env.default_schema, name),
        };
        let Some(found) = found else {
            let shown = ty.name.to_string();
            let error = SqlError::new(&message::CANNOT_FIND_DATA_TYPE, &[&ordinal, &shown]);
            return Err(BindError::from(error).at_line(line));
        };
        match &found.kind {
            TypeDefKind::Alias { ty: alias, nullable, .. } => {
                if ty.arguments != TypeArguments::None {
                    let error = SqlError::new(&message::CANNOT_SPECIFY_WIDTH, &[&ordinal, name]);
                    return Err(BindError::from(error).at_line(line));
                }
                Ok(DeclaredType { ty: *alias, user_type: found.id, nullable: Some(*nullable) })
            }
            TypeDefKind::Table { .. } => {
                let error = SqlError::new(&message::COLUMN_OF_TABLE_TYPE, &[name]);
                Err(BindError::from(error).at_line(line))
            }
        }
    }

    /// `CAST`, `CONVERT` and the like.
    pub fn cast_expr(&mut self, cast: &ast::Cast, line: u32) -> BindResult<Scalar> {
        let is_nodes = self.node_operand(&cast.operand)?.is_some();
        let operand = match is_nodes {
            true => Scalar::null(),
            false => self.scalar(&cast.operand)?,
        };
        let ty = match self.data_type(&cast.ty, Subject::Type, 1, CAST_LENGTH) {
            Err(e) if e.error.number() == message::CANNOT_FIND_DATA_TYPE.number => {
                let error =
                    SqlError::new(&message::NOT_A_SYSTEM_TYPE, &[&cast.ty.name.to_string()]);
                return Err(error.at_line(cast.ty.span.line).into());
            }
            Err(e) if e.error.number() == message::CANNOT_SPECIFY_WIDTH.number => {
                let shown = cast.ty.name.to_string();
                let error = SqlError::new(&message::CAST_ATTRIBUTES_INVALID, &[&shown]);
                return Err(error.at_line(cast.ty.span.line).into());
            }
            found => found?.ty,
        };
        if is_nodes {
            return Err(super::method::not_converted(&ty).at_line(line).into());
        }
        if cast.kind == ast::CastKind::Parse {
            return self.parse_call(operand, ty, cast, line);
        }
        let style = match &cast.style {
            Some(style) if cast.kind == ast::CastKind::Convert => {
                let style = self.scalar(style)?;
                Some(self.coerce(style, SqlType::int()).at(line)?)
            }
            _ => None,
        };
        let mode = if cast.is_try { CastMode::Try } else { CastMode::Explicit };
        self.explicit_cast(operand, ty, mode, style).at(line)
    }

    /// `PARSE`, `TRY_PARSE`: a call with a NULL of the type that is wanted.
    fn parse_call(
        &mut self,
        operand: Scalar,
        ty: SqlType,
        cast: &ast::Cast,
        line: u32,
    ) -> BindResult<Scalar> {
        let kind = ExprKind::Constant(Value::Null);
        let mut args = vec![operand, Scalar::computed(Expr { kind, ty, nullable: true })];
        if let Some(culture) = &cast.style {
            args.push(self.scalar(culture)?);
        }
        let name = if cast.is_try { "TRY_PARSE" } else { "PARSE" };
        self.library_call(name, args).at(line)
    }

    /// An explicit conversion. Error 529.
    pub fn explicit_cast(
        &mut self,
        operand: Scalar,
        ty: SqlType,
        mode: CastMode,
        style: Option<Expr>,
    ) -> BindResult<Scalar> {
        let operand = self.typed(operand, &ty);
        if !operand.is_untyped() {
            check_explicit(operand.expr.ty.kind, ty.kind)?;
        }
        // A string keeps its collation; anything else gets the database's.
        let from_text = operand.expr.ty.kind.is_character();
        let (ty, label) = match operand.label.any_collation() {
            Some(collation) if from_text && ty.kind.is_character() => {
                let ty = ty.with_collation(collation);
                unicode_only(&ty)?;
                (ty, operand.label)
            }
            _ => (ty, Label::default_of(&ty)),
        };
        if operand.expr.ty == ty && style.is_none() {
            return Ok(Scalar { label, origin: Origin::Plain, ..operand });
        }
        let nullable = operand.expr.nullable
            || mode == CastMode::Try
            || style.as_ref().is_some_and(|style| style.nullable)
            || may_overflow(&operand.expr.ty, &ty);
        let expr = Expr {
            kind: ExprKind::Cast {
                operand: Box::new(operand.expr),
                mode,
                style: style.map(Box::new),
            },
            ty,
            nullable,
        };
        let expr = self.fold_cast(expr);
        Ok(Scalar { expr, label, origin: Origin::Plain })
    }

    /// An operand of an operator as of the type that the operator works on. Errors 206, 257, 468.
    pub fn coerce(&mut self, operand: Scalar, ty: SqlType) -> BindResult<Expr> {
        self.convert_implicitly(operand, ty, CastMode::Explicit)
    }

    /// A value for a variable or parameter. Errors 206, 257.
    pub fn coerce_to_variable(&mut self, value: Scalar, ty: SqlType) -> BindResult<Expr> {
        self.convert_implicitly(value, ty, CastMode::AssignVariable)
    }

    fn convert_implicitly(
        &mut self,
        operand: Scalar,
        ty: SqlType,
        mode: CastMode,
    ) -> BindResult<Expr> {
        let operand = self.typed(operand, &ty);
        if operand.expr.ty == ty {
            return Ok(operand.expr);
        }
        if operand.origin != Origin::Null {
            check_implicit_types(&operand.expr.ty, &ty)?;
        }
        Ok(self.cast(operand.expr, ty, mode))
    }

    /// A value for a column. Errors 206 and 257.
    pub fn coerce_to_column(&mut self, value: Scalar, ty: SqlType) -> BindResult<Expr> {
        let mode = self.column_mode();
        self.convert_implicitly(value, ty, mode)
    }

    /// How a column takes a value: without ANSI_WARNINGS what is too long is cut.
    pub fn column_mode(&self) -> CastMode {
        if self.options.ansi_warnings { CastMode::Assign } else { CastMode::Explicit }
    }

    /// A conversion that is known to be allowed, folded if possible.
    pub fn cast(&mut self, operand: Expr, ty: SqlType, mode: CastMode) -> Expr {
        if operand.ty == ty {
            return operand;
        }
        let nullable = operand.nullable || mode == CastMode::Try || may_overflow(&operand.ty, &ty);
        let kind = ExprKind::Cast { operand: Box::new(operand), mode, style: None };
        self.fold_cast(Expr { kind, ty, nullable })
    }

    /// Both sides of a comparison as of one type, see [`comparable`].
    pub fn coerce_for_comparison(&mut self, operand: Scalar, ty: SqlType) -> BindResult<Expr> {
        if !operand.is_untyped() && comparable(&operand.expr.ty, &ty) {
            return Ok(operand.expr);
        }
        self.coerce(operand, ty)
    }

    /// Gives a type to a bare NULL, or to a variable whose type is being inferred.
    pub(super) fn typed(&mut self, mut operand: Scalar, ty: &SqlType) -> Scalar {
        match operand.origin {
            Origin::Null => operand.expr.ty = *ty,
            Origin::Undeclared(at) => {
                let undeclared = self.undeclared.as_mut().expect("only made in this mode");
                let variable = &mut undeclared[usize::from(at)];
                operand.expr.ty = *variable.ty.get_or_insert(*ty);
                operand.origin = Origin::Plain;
                operand.label = Label::default_of(&operand.expr.ty);
            }
            _ => {}
        }
        operand
    }

    /// The origin of a column in which no value has a type: all are NULL, or variables whose types
    /// are being inferred, which get one type. `None` if a value has a type.
    pub(super) fn untyped_together(
        &mut self,
        origins: impl Iterator<Item = Origin>,
    ) -> Option<Origin> {
        let mut first = None;
        for origin in origins {
            match (origin, first) {
                (Origin::Null, _) => {}
                (Origin::Undeclared(at), None) => first = Some(at),
                (Origin::Undeclared(at), Some(first)) => {
                    let undeclared = self.undeclared.as_mut().expect("only made in this mode");
                    if at != first {
                        undeclared[usize::from(at)].like = Some(first);
                    }
                }
                _ => return None,
            }
        }
        Some(first.map_or(Origin::Null, Origin::Undeclared))
    }

    /// A conversion of a constant as a constant, if its result is certain.
    fn fold_cast(&mut self, expr: Expr) -> Expr {
        let ExprKind::Cast { operand, mode, style } = &expr.kind else { return expr };
        // A style that is NULL makes the result NULL.
        let no_style = style.as_deref().is_some_and(
            |style| matches!(&style.kind, ExprKind::Constant(value) if value.is_null()),
        );
        let value = match &operand.kind {
            _ if no_style => &Value::Null,
            ExprKind::Constant(value) => value,
            _ => return expr,
        };
        if value.is_null() {
            let kind = ExprKind::Constant(Value::Null);
            return Expr { kind, ty: expr.ty, nullable: true };
        }
        let style = match style.as_deref() {
            None => None,
            Some(Expr { kind: ExprKind::Constant(Value::Int(style)), .. }) => {
                Some(i32::try_from(*style).unwrap_or(i32::MAX))
            }
            Some(_) => return expr,
        };
        match self.converted(value, &operand.ty, &expr.ty, style, *mode) {
            Some(value) => {
                let nullable = value.is_null();
                Expr { kind: ExprKind::Constant(value), ty: expr.ty, nullable }
            }
            None => expr,
        }
    }

    /// A constant as of another type; `None` where that fails or depends on the session.
    pub fn converted(
        &mut self,
        value: &Value,
        from: &SqlType,
        to: &SqlType,
        style: Option<i32>,
        mode: CastMode,
    ) -> Option<Value> {
        let overlong =
            if mode == CastMode::Assign { Overlong::Refuse } else { Overlong::default() };
        let convert = |arena: &mut base::Arena, dates| {
            let spatial = ir::function::clr::spatial::forms_of_constant(value);
            let options = ConvertOptions { style, overlong, dates, spatial, ..Default::default() };
            fold::cast(value, from, to, &options, arena).ok()
        };
        let has_fraction = from.kind.is_decimal() || from.kind.is_money();
        if self.options.numeric_roundabort && has_fraction && to.scale < from.scale {
            return None;
        }
        let settings = DateSettings::default();
        let text_and_date = (from.kind.is_character() && to.kind.is_temporal())
            || (from.kind.is_temporal() && to.kind.is_character());
        if !text_and_date {
            // Whatever a variant holds may be a date.
            let variant = from.kind == TypeKind::SqlVariant || to.kind == TypeKind::SqlVariant;
            return if variant { None } else { convert(&mut self.arena, settings) };
        }
        if names_a_month(value, from) {
            return None;
        }
        let first = convert(&mut self.arena, settings)?;
        let orders =
            [DateOrder::Dmy, DateOrder::Ymd, DateOrder::Ydm, DateOrder::Myd, DateOrder::Dym];
        let same = |order| {
            let dates = DateSettings { order, ..settings };
            convert(&mut self.arena, dates).is_some_and(|value| value == first)
        };
        // `all` calls the closure by mutable reference.
        let mut same = same;
        orders.into_iter().all(&mut same).then_some(first)
    }

    /// The collation of a name. Errors 448, 12842.
    pub fn collation_named(&self, name: &ast::Ident) -> BindResult<Collation> {
        match &*name.name.to_ascii_lowercase() {
            "database_default" => Ok(self.collation()),
            "catalog_default" if self.scalar_only => {
                let error = SqlError::new(&message::CATALOG_DEFAULT_IN_DEFINITION, &[]);
                Err(BindError::from(error).at_line(name.span.line))
            }
            "catalog_default" if self.names.is_contained(self.env.database) => {
                Ok(Collation::by_name(CONTAINED_CATALOG).at(name.span.line)?)
            }
            "catalog_default" => Ok(self.collation()),
            _ => Ok(Collation::by_name(&name.name).at(name.span.line)?),
        }
    }

    /// `a COLLATE name`. Errors 447, 448, 459.
    pub fn collate(&mut self, operand: Scalar, name: &ast::Ident) -> BindResult<Scalar> {
        let collation = self.collation_named(name)?;
        let mut operand = operand;
        if operand.is_untyped() {
            let ty = SqlType::varchar(1, collation);
            operand = self.typed(operand, &ty);
        }
        let ty = operand.expr.ty;
        if !ty.kind.is_character() {
            let error = SqlError::new(&message::COLLATE_TYPE_INVALID, &[&ty.kind]);
            return Err(BindError::from(error).at_line(name.span.line));
        }
        unicode_only(&ty.with_collation(collation)).at(name.span.line)?;
        let mut expr = self.cast(operand.expr, ty.recollated(collation), CastMode::Explicit);
        if let (ExprKind::Constant(Value::Chars(bytes)), false) = (&expr.kind, expr.ty.is_max()) {
            // A literal is as long as its characters are in the new code page.
            if expr.ty.kind == TypeKind::VarChar {
                expr.ty = literal::chars(bytes.len(), collation);
            }
        }
        Ok(Scalar { expr, label: Label::explicit(collation), origin: Origin::Plain })
    }
}

/// Error 459 for char and varchar with a collation that has no code page.
pub(super) fn unicode_only(ty: &SqlType) -> Result<(), SqlError> {
    let info = ty.collation.info();
    match ty.kind.is_chars() && info.is_unicode_only() {
        true => Err(SqlError::new(&message::COLLATION_UNICODE_ONLY, &[&info.name]).with_state(1)),
        false => Ok(()),
    }
}

/// Whether a text might contain a month's name, which means something in some languages only.
fn names_a_month(value: &Value, ty: &SqlType) -> bool {
    if !ty.kind.is_character() {
        // How a date is written does depend on names for some styles.
        return true;
    }
    let bytes: &[u8] = match value {
        Value::Chars(bytes) | Value::Unicode(bytes) => bytes,
        _ => return true,
    };
    let plain = |b: &u8| {
        matches!(b, 0 | b' ' | b'0'..=b'9' | b'-' | b'/' | b'.' | b':' | b'T' | b'Z' | b'+')
    };
    !bytes.iter().all(plain)
}
