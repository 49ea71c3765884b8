//! Rules of types that many functions share.

use base::{Collation, SqlError, SqlResult, SqlType, TypeKind, Value, message};

use super::descriptor::{ArgType, Inferred, Volatility};

/// A call whose types are to be decided. Arguments are counted from 0 here and from 1 in messages.
pub struct Call<'c> {
    /// The function's name in upper case.
    pub name: &'static str,
    /// The arguments, as many as the function takes.
    pub args: &'c [ArgType<'c>],
    /// The collation of whatever strings are involved.
    pub collation: Collation,
    /// The function's own volatility.
    pub volatility: Volatility,
}

/// Bytes that a varchar or varbinary may have at most unless it is a `(max)` one.
pub const BYTES_MAX: u16 = 8000;

impl Call<'_> {
    /// A result of this type from arguments of these.
    pub fn types(&self, ty: SqlType, args: &[SqlType]) -> Inferred {
        debug_assert_eq!(args.len(), self.args.len(), "{} needs a type per argument", self.name);
        Inferred { ty, nullable: true, args: args.to_vec(), volatility: self.volatility }
    }

    /// The kind of an argument.
    pub fn kind(&self, at: usize) -> TypeKind {
        self.args[at].ty.kind
    }

    /// Error 8116 about an argument.
    pub fn refuse(&self, at: usize) -> SqlError {
        let arg = &self.args[at];
        let kind = if arg.bare_null { "NULL" } else { arg.ty.kind.name() };
        let name = self.name.to_ascii_lowercase();
        SqlError::new(&message::ARGUMENT_TYPE_INVALID, &[&kind, &(at + 1), &name])
    }

    /// The value of an argument that is an integer constant.
    pub fn constant_int(&self, at: usize) -> Option<i64> {
        match self.args.get(at)?.constant? {
            Value::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// An argument that becomes an integer of this type. Error 8116 for what never is one.
    pub fn number(&self, at: usize, ty: SqlType) -> SqlResult<SqlType> {
        let kind = self.kind(at);
        if kind.is_legacy_lob()
            || kind == TypeKind::UniqueIdentifier
            || kind == TypeKind::SqlVariant
        {
            return Err(self.refuse(at));
        }
        Ok(ty)
    }

    /// An argument that becomes an `int`.
    pub fn int(&self, at: usize) -> SqlResult<SqlType> {
        self.number(at, SqlType::int())
    }

    /// An argument that becomes a `bigint`.
    pub fn bigint(&self, at: usize) -> SqlResult<SqlType> {
        self.number(at, SqlType::bigint())
    }

    /// An argument that becomes a `float`.
    pub fn float(&self, at: usize) -> SqlResult<SqlType> {
        if self.kind(at).is_temporal() || self.kind(at).is_binary() {
            return Err(self.refuse(at));
        }
        self.number(at, SqlType::float())
    }

    /// The varchar or nvarchar that an argument becomes, whatever it is. Error 8116 for text,
    /// ntext, image and sql_variant.
    pub fn text(&self, at: usize) -> SqlResult<SqlType> {
        let arg = &self.args[at];
        if arg.bare_null {
            return Ok(SqlType::varchar(1, self.collation));
        }
        if arg.ty.kind.is_legacy_lob() || arg.ty.kind == TypeKind::SqlVariant {
            return Err(self.refuse(at));
        }
        Ok(as_text(&arg.ty, self.collation))
    }

    /// Like [`Call::text`], for an argument that must be a string in the first place.
    pub fn string(&self, at: usize) -> SqlResult<SqlType> {
        let arg = &self.args[at];
        if !arg.bare_null && !arg.ty.kind.is_character() {
            return Err(self.refuse(at));
        }
        self.text(at)
    }

    /// The nvarchar that an argument becomes, with room for at most this many characters.
    pub fn unicode(&self, at: usize, units: u16) -> SqlResult<SqlType> {
        self.text(at)?;
        Ok(SqlType::nvarchar(units, self.collation))
    }

    /// A name: `nvarchar(128)`.
    pub fn name_argument(&self, at: usize) -> SqlResult<SqlType> {
        self.unicode(at, 128)
    }

    /// A varchar or nvarchar as wide as `like` is, of the family of `like`.
    pub fn varying(&self, like: &SqlType, bytes: u16) -> SqlType {
        match like.kind.is_unicode() {
            true => SqlType::nvarchar((bytes / 2).max(1), self.collation),
            false => SqlType::varchar(bytes.max(1), self.collation),
        }
    }

    /// A type of the family of `like`: as large as strings get, `(max)` if `like` is.
    pub fn largest(&self, like: &SqlType) -> SqlType {
        match like.is_max() {
            true => *like,
            false => self.varying(like, BYTES_MAX),
        }
    }
}

/// The variable-length string that a value of any type becomes when a function requires a string.
pub fn as_text(ty: &SqlType, collation: Collation) -> SqlType {
    match ty.kind {
        TypeKind::NChar | TypeKind::NVarChar | TypeKind::NText => match ty.is_max() {
            true => SqlType::nvarchar_max(collation),
            false => SqlType::nvarchar(ty.length / 2, collation),
        },
        _ if ty.is_max() => SqlType::varchar_max(collation),
        TypeKind::Char | TypeKind::VarChar => {
            SqlType::varchar(ty.recollated(collation).length, collation)
        }
        TypeKind::Binary | TypeKind::VarBinary => SqlType::varchar(ty.length, collation),
        _ => SqlType::varchar(printed_width(ty), collation),
    }
}

/// Characters that a value of a type of fixed size takes at most when it is converted to a string.
fn printed_width(ty: &SqlType) -> u16 {
    use TypeKind::*;
    match ty.kind {
        Bit => 1,
        TinyInt => 3,
        SmallInt => 6,
        Int => 12,
        BigInt => 24,
        Decimal | Numeric => 41,
        Real | Float => 24,
        SmallMoney | Money => 30,
        UniqueIdentifier => 36,
        RowVersion => 8,
        _ => 40,
    }
}

/// Both as Unicode if one is, for functions that compare their arguments.
pub fn unify_text(types: &mut [SqlType]) {
    if types.iter().any(|t| t.kind.is_unicode()) {
        for ty in types.iter_mut().filter(|t| t.kind.is_chars()) {
            *ty = as_unicode(ty);
        }
    }
}

/// The nvarchar that holds what a varchar does.
pub fn as_unicode(ty: &SqlType) -> SqlType {
    match ty.kind {
        TypeKind::NVarChar | TypeKind::NChar => *ty,
        _ if ty.is_max() => SqlType::nvarchar_max(ty.collation),
        _ => SqlType::nvarchar(ty.length.clamp(1, 4000), ty.collation),
    }
}
