//! Operators, from `or` down to the unary minus, and casts.

use base::error::SqlResult;
use base::message;

use super::scan::Written;
use super::schema::TypeName;
use super::{DATATYPES, Parser, SCHEMA, Typed};
use crate::atomic::Atomic;
use crate::expr::*;
use crate::types::{AtomicType, Class, ItemKind, NodeType, Occurs, Type};

impl Parser<'_> {
    pub(super) fn disjunction(&mut self) -> SqlResult<Typed> {
        let first = self.conjunction()?;
        if !self.sees_word("or")? {
            return Ok(first);
        }
        self.check_condition(&first.ty);
        let mut all = vec![first.expr];
        while self.takes_word("or")? {
            let next = self.conjunction()?;
            self.check_condition(&next.ty);
            all.push(next.expr);
        }
        Ok(Typed { expr: Expr::Or(all), ty: Type::one(AtomicType::Boolean) })
    }

    fn conjunction(&mut self) -> SqlResult<Typed> {
        let first = self.comparison()?;
        if !self.sees_word("and")? {
            return Ok(first);
        }
        self.check_condition(&first.ty);
        let mut all = vec![first.expr];
        while self.takes_word("and")? {
            let next = self.comparison()?;
            self.check_condition(&next.ty);
            all.push(next.expr);
        }
        Ok(Typed { expr: Expr::And(all), ty: Type::one(AtomicType::Boolean) })
    }

    fn comparison(&mut self) -> SqlResult<Typed> {
        const GENERAL: [(&str, Order); 6] = [
            ("!=", Order::NotEqual),
            ("<=", Order::LessOrEqual),
            (">=", Order::GreaterOrEqual),
            ("=", Order::Equal),
            ("<", Order::Less),
            (">", Order::Greater),
        ];
        const WORDS: [(&str, Order); 6] = [
            ("eq", Order::Equal),
            ("ne", Order::NotEqual),
            ("lt", Order::Less),
            ("le", Order::LessOrEqual),
            ("gt", Order::Greater),
            ("ge", Order::GreaterOrEqual),
        ];
        let left = self.sum()?;
        if self.takes("<<")? {
            return self.node_comparison("<<", NodeOrder::Before, left);
        } else if self.takes(">>")? {
            return self.node_comparison(">>", NodeOrder::After, left);
        } else if self.takes_word("is")? {
            return self.node_comparison("is", NodeOrder::Is, left);
        } else if self.sees_word("to")? {
            return Err(self.unsupported("to"));
        }
        for (symbol, order) in GENERAL {
            if self.takes(symbol)? {
                let right = self.sum()?;
                return self.compared(symbol, order, true, left, right);
            }
        }
        for (word, order) in WORDS {
            if self.takes_word(word)? {
                let right = self.sum()?;
                return self.compared(word, order, false, left, right);
            }
        }
        Ok(left)
    }

    fn compared(
        &mut self,
        name: &str,
        order: Order,
        is_general: bool,
        left: Typed,
        right: Typed,
    ) -> SqlResult<Typed> {
        let (left, right) = (self.values(left), self.values(right));
        let (a, b) = (self.atomized(&left.ty), self.atomized(&right.ty));
        if !is_general {
            self.check_single(name, &a);
            self.check_single(name, &b);
        }
        let class = match (a.atomic_type().class(), b.atomic_type().class()) {
            _ if a.is_empty() || b.is_empty() => Class::Untyped,
            (Class::Any, _) | (_, Class::Any) => Class::Any,
            (Class::Untyped, class) | (class, Class::Untyped) => class,
            (x, y) if x == y => x,
            _ => {
                self.keep(&message::XQUERY_OPERANDS, &[&name, &a, &b]);
                Class::Any
            }
        };
        let is_ordering = !matches!(order, Order::Equal | Order::NotEqual);
        let is_unordered = matches!(class, Class::Other(AtomicType::QName | AtomicType::Duration));
        if is_unordered && is_ordering {
            self.keep(&message::XQUERY_OPERANDS, &[&name, &a, &b]);
        }
        let can_be_empty = a.occurs != Occurs::One || b.occurs != Occurs::One;
        let occurs = if !is_general && can_be_empty { Occurs::Optional } else { Occurs::One };
        let has_parts = left.ty.has_parts || right.ty.has_parts;
        let (left, right) = (left.expr, right.expr);
        let compare = Compare { is_general, order, class, has_parts, left, right };
        let ty = Type::atomic(AtomicType::Boolean, occurs);
        Ok(Typed { expr: Expr::Compare(Box::new(compare)), ty })
    }

    fn node_comparison(&mut self, name: &str, order: NodeOrder, left: Typed) -> SqlResult<Typed> {
        let right = self.sum()?;
        for ty in [&left.ty, &right.ty] {
            if ty.is_constructed {
                self.keep(&message::XQUERY_CONSTRUCTED, &[&format!("'{name}'")]);
            }
            self.check_single(name, ty);
        }
        if left.ty.node_type().is_none() || right.ty.node_type().is_none() {
            self.keep(&message::XQUERY_OPERANDS, &[&name, &left.ty, &right.ty]);
        }
        let expr = Expr::NodeCompare(order, Box::new([left.expr, right.expr]));
        Ok(Typed { expr, ty: Type::atomic(AtomicType::Boolean, Occurs::Optional) })
    }

    /// The type of an operand of arithmetic. Errors 2389, 9308, 2332.
    fn numeric(&mut self, name: &str, ty: &Type) -> AtomicType {
        let data = self.atomized(ty);
        if data.is_empty() {
            self.keep(&message::XQUERY_EMPTY_OPERAND, &[&name]);
            return AtomicType::Untyped;
        }
        self.check_single(name, &data);
        let ty = data.atomic_type();
        if !ty.is_numeric() && ty != AtomicType::Untyped {
            self.keep(&message::XQUERY_NUMERIC, &[&name, &data]);
        }
        ty
    }

    fn arithmetic(
        &mut self,
        symbols: &[(&str, Operator)],
        next: fn(&mut Self) -> SqlResult<Typed>,
    ) -> SqlResult<Typed> {
        let mut first = next(self)?;
        let mut rest = Vec::new();
        let mut ty = first.ty.clone();
        'more: loop {
            for (symbol, operator) in symbols {
                let is_word = symbol.len() > 1;
                let is_here = if is_word { self.takes_word(symbol)? } else { self.takes(symbol)? };
                if !is_here {
                    continue;
                }
                let operand = next(self)?;
                let operand = self.values(operand);
                if rest.is_empty() {
                    first = self.values(first);
                    ty = first.ty.clone();
                }
                let left = self.numeric(symbol, &ty);
                let right = self.numeric(symbol, &operand.ty);
                let mut result = left.promoted(right);
                if result == AtomicType::Integer && *operator == Operator::Divide {
                    result = AtomicType::Decimal;
                }
                let is_one = ty.occurs == Occurs::One && operand.ty.occurs == Occurs::One;
                ty = Type::atomic(result, if is_one { Occurs::One } else { Occurs::Optional });
                rest.push((*operator, result, operand.expr));
                continue 'more;
            }
            break;
        }
        if symbols.len() == 3 && self.sees_word("idiv")? {
            return Err(self.unsupported("idiv"));
        }
        match rest.is_empty() {
            true => Ok(first),
            false => Ok(Typed { expr: Expr::Arithmetic(Box::new(first.expr), rest), ty }),
        }
    }

    fn sum(&mut self) -> SqlResult<Typed> {
        self.arithmetic(&[("+", Operator::Add), ("-", Operator::Subtract)], Self::product)
    }

    fn product(&mut self) -> SqlResult<Typed> {
        let symbols =
            [("*", Operator::Multiply), ("div", Operator::Divide), ("mod", Operator::Modulo)];
        self.arithmetic(&symbols, Self::typed)
    }

    /// `instance of`, `cast as` and what is not supported beside them.
    fn typed(&mut self) -> SqlResult<Typed> {
        let mut value = self.unary()?;
        for word in ["union", "|", "intersect", "except"] {
            let is_here = if word == "|" { self.sees(word)? } else { self.sees_word(word)? };
            if is_here {
                return Err(self.unsupported(word));
            }
        }
        if self.takes_words(&["cast", "as"])? {
            value = self.cast(value)?;
        } else if self.takes_words(&["castable", "as"])? {
            return Err(self.unsupported("castable as"));
        } else if self.takes_words(&["treat", "as"])? {
            return Err(self.unsupported("treat as"));
        }
        match self.takes_words(&["instance", "of"])? {
            true => self.instance(value),
            false => Ok(value),
        }
    }

    fn unary(&mut self) -> SqlResult<Typed> {
        let mut is_negative = false;
        let mut is_signed = false;
        loop {
            if self.takes("-")? {
                is_negative = !is_negative;
            } else if !self.takes("+")? {
                break;
            }
            is_signed = true;
        }
        let value = self.path()?;
        if !is_signed {
            return Ok(value);
        }
        let value = self.values(value);
        let ty = self.numeric(if is_negative { "-" } else { "+" }, &value.ty);
        if let (Expr::Constant(Atomic::Exact(ty, value)), true) = (&value.expr, is_negative) {
            let expr = Expr::Constant(Atomic::Exact(*ty, -*value));
            return Ok(Typed { expr, ty: Type::one(*ty) });
        }
        let ty = if ty.is_integer() { AtomicType::Integer } else { ty.promoted(ty) };
        let occurs = if value.ty.occurs == Occurs::One { Occurs::One } else { Occurs::Optional };
        let expr = match is_negative {
            true => Expr::Negate(ty, Box::new(value.expr)),
            false => Expr::Arithmetic(Box::new(value.expr), Vec::new()),
        };
        Ok(Typed { expr, ty: Type::atomic(ty, occurs) })
    }

    /// The atomic type of a name.
    pub(super) fn type_of(&mut self, name: &Written) -> Option<AtomicType> {
        let uri = self.namespace(&name.prefix);
        match uri.as_str() {
            SCHEMA => AtomicType::by_name(&name.local),
            DATATYPES if name.local == "untypedAtomic" => Some(AtomicType::Untyped),
            _ => None,
        }
    }

    /// The type of a name among those of the schemas as well. Errors 2231, 2232.
    pub(super) fn type_name(&mut self) -> SqlResult<TypeName> {
        self.space()?;
        let Some(name) = self.name() else {
            return Err(self.syntax()?);
        };
        if let Some(ty) = self.type_of(&name) {
            return Ok(TypeName::Atomic(ty));
        }
        let uri = self.namespace(&name.prefix);
        let known = self.schema().and_then(|collection| collection.find_type(&uri, &name.local));
        match known {
            Some(ty) => Ok(TypeName::OfSchema(ty)),
            None if name.prefix.is_empty() => {
                Err(self.error(&message::XQUERY_NO_TYPE, &[&name.local]))
            }
            None => {
                Err(self.error(&message::XQUERY_NO_TYPE_PREFIXED, &[&name.prefix, &name.local]))
            }
        }
    }

    fn cast(&mut self, value: Typed) -> SqlResult<Typed> {
        let ty = self.type_name()?;
        if !self.takes("?")? {
            return Err(self.error(&message::XQUERY_CAST_OPTIONAL, &[]));
        }
        match ty {
            TypeName::Atomic(ty) => self.cast_to(ty, value),
            TypeName::OfSchema(ty) => self.cast_to_schema(ty, value),
        }
    }

    /// A cast. Errors 2365 and 9319.
    pub(super) fn cast_to(&mut self, to: AtomicType, value: Typed) -> SqlResult<Typed> {
        let value = self.values(value);
        let data = self.atomized(&value.ty);
        let from = data.atomic_type().class();
        let is_text = |class| matches!(class, Class::Untyped | Class::Text);
        let can = match (from, to.class()) {
            _ if data.is_empty() || data.occurs.is_many() || to == AtomicType::QName => false,
            (Class::Any, _) => true,
            (Class::Other(AtomicType::QName), to) => is_text(to),
            (from, to) if is_text(from) || is_text(to) || from == to => true,
            (Class::Number, Class::Boolean) | (Class::Boolean, Class::Number) => true,
            (Class::Other(AtomicType::DateTime), Class::Other(AtomicType::Date)) => true,
            (Class::Other(AtomicType::DateTime), Class::Other(AtomicType::Time)) => true,
            (Class::Other(AtomicType::Date), Class::Other(AtomicType::DateTime)) => true,
            _ => false,
        };
        if !can {
            self.keep(&message::XQUERY_EXPLICIT, &[&data, &to.name()]);
        }
        let is_constant = matches!(value.expr, Expr::Constant(_));
        let expr = match value.expr {
            Expr::Constant(constant) => {
                let text = constant.text().into_owned();
                match constant.cast(to) {
                    Some(constant) => Expr::Constant(constant),
                    None => {
                        self.keep(&message::XQUERY_SIMPLE_VALUE, &[&text]);
                        Expr::Sequence(Vec::new())
                    }
                }
            }
            expr => Expr::Cast(to, Box::new(expr)),
        };
        let occurs = if is_constant { Occurs::One } else { Occurs::Optional };
        Ok(Typed { expr, ty: Type::atomic(to, occurs) })
    }

    fn instance(&mut self, value: Typed) -> SqlResult<Typed> {
        if value.ty.is_constructed {
            self.keep(&message::XQUERY_CONSTRUCTED, &[&"'instance of'"]);
        }
        self.check_single("instance of", &value.ty);
        self.space()?;
        let start = self.at;
        let Some(name) = self.name() else {
            return Err(self.syntax()?);
        };
        let mut test = if self.takes("(")? {
            let argument = self.kind_argument(&name)?;
            let has_type = self.kind_type(&name, &value.ty)?;
            self.expect(")")?;
            match (name.local.as_str(), argument) {
                _ if !has_type => ItemTest::Atomic { matches: false, empty: false },
                ("empty", _) => ItemTest::Empty,
                ("item", _) => ItemTest::Item { empty: false },
                ("document-node", _) => return Err(self.unsupported("document-node()")),
                (kind, argument) => {
                    let text = argument.as_ref().map_or("*".into(), Written::to_string);
                    let ty = match kind {
                        "node" => None,
                        "text" => Some(NodeType::Text),
                        "comment" => Some(NodeType::Comment),
                        "processing-instruction" => Some(NodeType::Instruction),
                        "element" => Some(NodeType::Element(text)),
                        "attribute" => Some(NodeType::Attribute(text)),
                        _ => return Err(self.syntax()?),
                    };
                    let name = argument.map(|name| self.name_test(&name, kind == "attribute"));
                    ItemTest::Node { ty, name, empty: false }
                }
            }
        } else {
            self.at = start;
            let ty = self.type_name()?;
            let matches = match (&value.ty.item, ty) {
                (ItemKind::Atomic(own), TypeName::Atomic(ty)) => own.is_derived_from(ty),
                (ItemKind::Atomic(_), TypeName::OfSchema(ty)) => self.are_derived(&value.ty, ty),
                _ => false,
            };
            ItemTest::Atomic { matches, empty: false }
        };
        let takes_empty =
            !matches!(test, ItemTest::Empty) && (self.takes("?")? || self.takes("*")?);
        if !takes_empty && !matches!(test, ItemTest::Empty) {
            self.takes("+")?;
        }
        match &mut test {
            ItemTest::Atomic { empty, .. }
            | ItemTest::Node { empty, .. }
            | ItemTest::Item { empty } => *empty = takes_empty,
            ItemTest::Empty => {}
        }
        let expr = Expr::InstanceOf(Box::new(value.expr), test);
        Ok(Typed { expr, ty: Type::one(AtomicType::Boolean) })
    }
}
