//! Function calls, and values from outside.

use base::error::{SqlError, SqlResult};
use base::message;
use base::types::{SqlType, TypeKind};

use super::scan::Written;
use super::{DATATYPES, FUNCTIONS, Parser, SCHEMA, SQL, Typed};
use crate::expr::*;
use crate::types::{AtomicType, Class, ItemKind, Occurs, Type};
use crate::{Origin, Outer};

/// A name, the function, and how many arguments it takes.
const TABLE: &[(&str, Function, usize, usize)] = &[
    ("avg", Function::Avg, 1, 1),
    ("ceiling", Function::Ceiling, 1, 1),
    ("concat", Function::Concat, 2, usize::MAX),
    ("contains", Function::Contains, 2, 2),
    ("count", Function::Count, 1, 1),
    ("data", Function::Data, 1, 1),
    ("distinct-values", Function::DistinctValues, 1, 1),
    ("empty", Function::Empty, 1, 1),
    ("expanded-QName", Function::ExpandedQName, 2, 2),
    ("false", Function::False, 0, 0),
    ("floor", Function::Floor, 1, 1),
    ("last", Function::Last, 0, 0),
    ("local-name", Function::LocalName, 0, 1),
    ("local-name-from-QName", Function::LocalNameFromQName, 1, 1),
    ("lower-case", Function::LowerCase, 1, 1),
    ("max", Function::Max, 1, 1),
    ("min", Function::Min, 1, 1),
    ("namespace-uri", Function::NamespaceUri, 0, 1),
    ("namespace-uri-from-QName", Function::NamespaceUriFromQName, 1, 1),
    ("not", Function::Not, 1, 1),
    ("number", Function::Number, 0, 1),
    ("position", Function::Position, 0, 0),
    ("round", Function::Round, 1, 1),
    ("string", Function::String, 0, 1),
    ("string-length", Function::StringLength, 0, 1),
    ("substring", Function::Substring, 2, 3),
    ("sum", Function::Sum, 1, 1),
    ("true", Function::True, 0, 0),
    ("upper-case", Function::UpperCase, 1, 1),
];

impl Parser<'_> {
    /// A call, whose opening parenthesis comes next.
    pub(super) fn call(&mut self, name: &Written) -> SqlResult<Typed> {
        let uri = match name.prefix.is_empty() {
            true => FUNCTIONS.to_string(),
            false => self.namespace(&name.prefix),
        };
        self.expect("(")?;
        if uri == SQL && matches!(name.local.as_str(), "column" | "variable") {
            return self.external(&name.local);
        }
        let mut arguments = Vec::new();
        if !self.sees(")")? {
            loop {
                arguments.push(self.single()?);
                if !self.takes(",")? {
                    break;
                }
            }
        }
        self.expect(")")?;
        if uri == SCHEMA || uri == DATATYPES {
            if let Some(ty) = self.type_of(name) {
                self.check_arity(&name.local, &arguments, 1, 1);
                return match arguments.pop() {
                    Some(value) if self.kept.is_none() => self.cast_to(ty, value),
                    _ => Ok(nothing()),
                };
            }
        }
        if uri != FUNCTIONS
            && let Some(ty) = self.schema().and_then(|known| known.find_type(&uri, &name.local))
        {
            self.check_arity(&name.local, &arguments, 1, 1);
            return match arguments.pop() {
                Some(value) if self.kept.is_none() => self.cast_to_schema(ty, value),
                _ => Ok(nothing()),
            };
        }
        let known = TABLE.iter().find(|(known, ..)| *known == name.local && uri == FUNCTIONS);
        let shown = format!("{}()", name.local);
        let Some((_, function, least, most)) = known else {
            if uri == FUNCTIONS && name.local == "id" {
                self.keep(&message::XQUERY_ID, &[]);
            }
            self.keep(&message::XQUERY_NO_FUNCTION, &[&uri, &name.local]);
            return Ok(nothing());
        };
        self.check_arity(&shown, &arguments, *least, *most);
        if arguments.len() < *least || arguments.len() > *most {
            return Ok(nothing());
        }
        for argument in &arguments {
            if argument.ty.item == ItemKind::Xml {
                self.keep(&message::XQUERY_XML_SOURCE, &[]);
            }
            if argument.ty.is_constructed && *function != Function::Not {
                self.keep(&message::XQUERY_CONSTRUCTED, &[&shown]);
            }
        }
        Ok(self.typed_call(*function, &shown, arguments))
    }

    fn check_arity(&mut self, shown: &str, arguments: &[Typed], least: usize, most: usize) {
        if arguments.len() < least {
            self.keep(&message::XQUERY_TOO_FEW_ARGUMENTS, &[&shown]);
        } else if arguments.len() > most {
            self.keep(&message::XQUERY_TOO_MANY_ARGUMENTS, &[&shown]);
        }
    }

    fn typed_call(&mut self, function: Function, shown: &str, mut arguments: Vec<Typed>) -> Typed {
        use AtomicType as T;
        use Function as F;
        if arguments.is_empty() {
            match function {
                F::String | F::LocalName | F::NamespaceUri | F::Number | F::StringLength => {
                    arguments.push(Typed { expr: Expr::Context, ty: self.focus.clone() });
                }
                F::Position | F::Last => {
                    if !self.is_in_predicate {
                        self.keep(&message::XQUERY_ONLY_IN_PREDICATE, &[&shown]);
                    }
                    self.saw_last |= function == F::Last;
                }
                _ => {}
            }
        }
        if takes_values(function) {
            arguments = arguments.into_iter().map(|argument| self.values(argument)).collect();
        }
        let first = arguments.first().map_or(Type::empty(), |first| first.ty.clone());
        let data = first.data();
        let own = data.atomic_type();
        let opt = Occurs::Optional;
        let ty = match function {
            F::True | F::False | F::Empty => Type::one(T::Boolean),
            F::Not => {
                self.check_condition(&first);
                Type::one(T::Boolean)
            }
            F::Count | F::Position | F::Last => Type::one(T::Integer),
            F::Data => data,
            F::DistinctValues => {
                let occurs = if first.occurs.is_many() { Occurs::Many } else { first.occurs };
                data.with_occurs(occurs)
            }
            F::String | F::LocalName | F::NamespaceUri => {
                self.check_single(shown, &first);
                if function != F::String && first.node_type().is_none() && !first.is_empty() {
                    self.keep(&message::XQUERY_NODES_REQUIRED, &[&shown]);
                }
                Type::one(T::String)
            }
            F::Number => {
                if first.node_type().is_none() && !first.is_empty() {
                    self.keep(&message::XQUERY_NODES_REQUIRED, &[&shown]);
                }
                self.check_single(shown, &first);
                Type::atomic(T::Double, opt)
            }
            F::Concat | F::Contains | F::LowerCase | F::UpperCase | F::StringLength => {
                for argument in &arguments {
                    self.check_argument(shown, &argument.ty, T::String);
                }
                Type::one(match function {
                    F::Contains => T::Boolean,
                    F::StringLength => T::Integer,
                    _ => T::String,
                })
            }
            F::Substring => {
                self.check_argument(shown, &first, T::String);
                for argument in &arguments[1..] {
                    self.check_argument(shown, &argument.ty, T::Decimal);
                }
                Type::one(T::String)
            }
            F::ExpandedQName => {
                for argument in &arguments {
                    self.check_argument(shown, &argument.ty, T::String);
                }
                Type::atomic(T::QName, opt)
            }
            F::LocalNameFromQName | F::NamespaceUriFromQName => {
                self.check_single(shown, &data);
                if own != T::QName && !data.is_empty() {
                    self.keep(&message::XQUERY_IMPLICIT, &[&data, &T::QName.name()]);
                }
                Type::atomic(T::String, opt)
            }
            F::Ceiling | F::Floor | F::Round => {
                self.check_single(shown, &data);
                self.check_numeric(shown, &data);
                Type::atomic(if own == T::Untyped { T::Double } else { own }, opt)
            }
            F::Sum | F::Avg => {
                self.check_numeric(shown, &data);
                let ty = match own {
                    T::Untyped | T::Any => T::Double,
                    ty if ty.is_integer() && function == F::Avg => T::Decimal,
                    ty if ty.is_integer() => T::Integer,
                    ty => ty,
                };
                let is_sum = function == F::Sum;
                Type::atomic(ty, if is_sum { Occurs::One } else { opt })
            }
            F::Max | F::Min => {
                if own == T::QName {
                    self.keep(&message::XQUERY_COMPARABLE, &[&shown, &data]);
                }
                Type::atomic(if own == T::Untyped { T::Double } else { own }, opt)
            }
        };
        let arguments = arguments.into_iter().map(|argument| argument.expr).collect();
        let result = ty.atomic_type();
        Typed { expr: Expr::Call(function, result, arguments), ty }
    }

    fn check_numeric(&mut self, shown: &str, data: &Type) {
        let ty = data.atomic_type();
        if !ty.is_numeric() && ty != AtomicType::Untyped && !data.is_empty() {
            self.keep(&message::XQUERY_NUMERIC, &[&shown, data]);
        }
    }

    /// Errors 2389 and 2364 for an argument that has to be one value of this type.
    fn check_argument(&mut self, shown: &str, ty: &Type, wanted: AtomicType) {
        let data = ty.data();
        self.check_single(shown, &data);
        let class = data.atomic_type().class();
        let converts = matches!(class, Class::Untyped | Class::Any) || class == wanted.class();
        if !converts && !data.is_empty() {
            self.keep(&message::XQUERY_IMPLICIT, &[&data, &wanted.name()]);
        }
    }

    /// `sql:column` or `sql:variable`, from behind its parenthesis.
    fn external(&mut self, kind: &str) -> SqlResult<Typed> {
        let Some(name) = self.string()? else {
            return Err(self.error(&message::XQUERY_STRING_LITERAL, &[]));
        };
        self.expect(")")?;
        let found = match kind {
            "column" => self.context.external.column(&name).map(|found| (Origin::Column, found)),
            _ if !name.starts_with('@') || name.len() < 2 => {
                Err(SqlError::new(&message::XQUERY_VARIABLE_NAME, &[&name]))
            }
            _ => match self.context.external.variable(&name)? {
                Some(found) => Ok((Origin::Variable, found)),
                None => Err(SqlError::new(&message::XQUERY_VARIABLE_UNKNOWN, &[&name])),
            },
        };
        let (origin, (index, ty)) = match found {
            Ok(found) => found,
            Err(error) => {
                self.kept.get_or_insert(error);
                return Ok(nothing());
            }
        };
        let item = if ty.kind.name().eq_ignore_ascii_case("xml") {
            Some(ItemKind::Xml)
        } else {
            atomic_type(&ty).map(ItemKind::Atomic)
        };
        let Some(item) = item else {
            self.keep(&message::XQUERY_SQL_TYPE, &[&ty.kind.name()]);
            return Ok(nothing());
        };
        let known = self.externals.iter();
        let known = known.enumerate().find(|(_, o)| o.origin == origin && o.index == index);
        let number = known.map_or(self.externals.len(), |(number, _)| number);
        if number == self.externals.len() {
            self.externals.push(Outer { origin, name, index });
            self.types.push(match item {
                ItemKind::Atomic(ty) => Some(ty),
                _ => None,
            });
        }
        let ty = Type { item, ..Type::empty() };
        Ok(Typed { expr: Expr::External(number), ty })
    }
}

/// Whether a function takes the values of nodes, not nodes.
fn takes_values(function: Function) -> bool {
    use Function as F;
    !matches!(
        function,
        F::Count | F::Empty | F::Not | F::String | F::LocalName | F::NamespaceUri | F::Number
    )
}

fn nothing() -> Typed {
    Typed { expr: Expr::Sequence(Vec::new()), ty: Type::empty() }
}

/// The type that values of a SQL type have here.
fn atomic_type(ty: &SqlType) -> Option<AtomicType> {
    use TypeKind as K;
    Some(match ty.kind {
        K::Char | K::VarChar | K::NChar | K::NVarChar | K::UniqueIdentifier => AtomicType::String,
        K::Bit => AtomicType::Boolean,
        K::TinyInt => AtomicType::UnsignedByte,
        K::SmallInt => AtomicType::Short,
        K::Int => AtomicType::Int,
        K::BigInt => AtomicType::Long,
        K::Decimal | K::Numeric | K::Money | K::SmallMoney => AtomicType::Decimal,
        K::Float => AtomicType::Double,
        K::Real => AtomicType::Float,
        K::Binary | K::VarBinary => AtomicType::Base64Binary,
        K::Date => AtomicType::Date,
        K::Time => AtomicType::Time,
        K::DateTime | K::SmallDateTime | K::DateTime2 | K::DateTimeOffset => AtomicType::DateTime,
        _ => return None,
    })
}
