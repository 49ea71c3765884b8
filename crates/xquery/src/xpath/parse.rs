//! Text into expressions.

use base::error::{SqlError, SqlResult};
use base::{message, stack};

use super::{Axis, DEPTH_MAX, Expr, Function, Path, Start, Step, Test, Yields, too_deep};
use crate::expr::{Operator, Order};
use crate::parse::scan::{is_name_char, is_name_start};

/// The expression of a pattern. Error 6603.
pub(super) fn compile(text: &str, resolve: &dyn Fn(&str) -> Option<String>) -> SqlResult<Expr> {
    let mut parser = Parser { text, at: 0, depth: 0, resolve };
    let expr = parser.expr()?;
    parser.blank();
    if parser.at < text.len() {
        return Err(parser.expected("eof"));
    }
    match expr.yields() {
        Yields::Nodes => Ok(expr),
        _ => Err(parser.not_nodes(0)),
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    resolve: &'t dyn Fn(&str) -> Option<String>,
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn blank(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
    }

    fn sees(&mut self, symbol: &str) -> bool {
        self.blank();
        self.rest().starts_with(symbol)
    }

    fn takes(&mut self, symbol: &str) -> bool {
        let sees = self.sees(symbol);
        self.at += if sees { symbol.len() } else { 0 };
        sees
    }

    fn takes_word(&mut self, word: &str) -> bool {
        self.blank();
        let after = self.rest().strip_prefix(word);
        let takes = after.is_some_and(|after| !after.starts_with(is_name_char));
        self.at += if takes { word.len() } else { 0 };
        takes
    }

    fn expect(&mut self, symbol: &str) -> SqlResult<()> {
        match self.takes(symbol) {
            true => Ok(()),
            false => Err(self.expected(symbol)),
        }
    }

    /// What comes next: the kind of it as errors name it, and its length.
    fn token(&mut self) -> (&'t str, usize) {
        self.blank();
        let rest = self.rest();
        let length =
            |is_part: fn(char) -> bool| rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        match rest.chars().next() {
            None => ("eof", 0),
            Some(c) if is_name_start(c) => ("NAME", length(is_name_char)),
            Some('0'..='9') => ("NUMBER", length(|c| c.is_ascii_digit() || c == '.')),
            Some(quote @ ('"' | '\'')) => {
                let end = rest[1..].find(quote).map_or(rest.len(), |at| at + 2);
                ("STRING", end)
            }
            Some(c) => {
                let double =
                    ["//", "..", "::", "!=", "<=", ">="].iter().any(|d| rest.starts_with(d));
                let end = if double { 2 } else { c.len_utf8() };
                (&rest[..end], end)
            }
        }
    }

    /// Error 6603 at a part of the pattern, which the message shows.
    #[cold]
    fn fault(&self, reason: &str, at: usize, length: usize) -> SqlError {
        let (before, rest) = self.text.split_at(at);
        let (token, after) = rest.split_at(length);
        let shown = format!("{reason}\r\n\n{}-->{}<--{}", tail(before), head(token), head(after));
        SqlError::new(&message::XML_PATTERN_INVALID, &[&shown])
    }

    #[cold]
    fn expected(&mut self, what: &str) -> SqlError {
        let (found, length) = self.token();
        self.fault(&format!("Expected token '{what}' found '{found}'."), self.at, length)
    }

    #[cold]
    fn no_expression(&mut self) -> SqlError {
        let (_, length) = self.token();
        self.fault("Expression expected.", self.at, length)
    }

    #[cold]
    fn not_nodes(&self, start: usize) -> SqlError {
        let reason = "Expression must evaluate to a node-set.";
        self.fault(reason, start, self.at.max(start) - start)
    }

    fn expr(&mut self) -> SqlResult<Expr> {
        if self.depth == DEPTH_MAX || !stack::deeper() {
            return Err(too_deep());
        }
        self.depth += 1;
        let first = self.conjunction()?;
        let mut all = vec![first];
        while self.takes_word("or") {
            all.push(self.conjunction()?);
        }
        self.depth -= 1;
        Ok(several(all, Expr::Or))
    }

    fn conjunction(&mut self) -> SqlResult<Expr> {
        let mut all = vec![self.equality()?];
        while self.takes_word("and") {
            all.push(self.equality()?);
        }
        Ok(several(all, Expr::And))
    }

    fn equality(&mut self) -> SqlResult<Expr> {
        let orders = [("!=", Order::NotEqual), ("=", Order::Equal)];
        let (first, rest) = self.chain(&orders, Self::relation)?;
        Ok(if rest.is_empty() { first } else { Expr::Compare(Box::new(first), rest) })
    }

    fn relation(&mut self) -> SqlResult<Expr> {
        let orders = [
            ("<=", Order::LessOrEqual),
            (">=", Order::GreaterOrEqual),
            ("<", Order::Less),
            (">", Order::Greater),
        ];
        let (first, rest) = self.chain(&orders, Self::sum)?;
        Ok(if rest.is_empty() { first } else { Expr::Compare(Box::new(first), rest) })
    }

    fn sum(&mut self) -> SqlResult<Expr> {
        let operators = [("+", Operator::Add), ("-", Operator::Subtract)];
        let (first, rest) = self.chain(&operators, Self::product)?;
        Ok(if rest.is_empty() { first } else { Expr::Arithmetic(Box::new(first), rest) })
    }

    fn product(&mut self) -> SqlResult<Expr> {
        let operators =
            [("*", Operator::Multiply), ("div", Operator::Divide), ("mod", Operator::Modulo)];
        let (first, rest) = self.chain(&operators, Self::unary)?;
        Ok(if rest.is_empty() { first } else { Expr::Arithmetic(Box::new(first), rest) })
    }

    /// Operands with operators of one level between them.
    fn chain<T: Copy>(
        &mut self,
        operators: &[(&str, T)],
        operand: fn(&mut Self) -> SqlResult<Expr>,
    ) -> SqlResult<(Expr, Vec<(T, Expr)>)> {
        let first = operand(self)?;
        let mut rest = Vec::new();
        'more: loop {
            for (symbol, operator) in operators {
                let is_word = symbol.starts_with(is_name_start);
                let is_here = if is_word { self.takes_word(symbol) } else { self.takes(symbol) };
                if is_here {
                    rest.push((*operator, operand(self)?));
                    continue 'more;
                }
            }
            return Ok((first, rest));
        }
    }

    fn unary(&mut self) -> SqlResult<Expr> {
        let (mut is_signed, mut is_negative) = (false, false);
        while self.takes("-") {
            is_signed = true;
            is_negative = !is_negative;
        }
        let value = self.union()?;
        Ok(match (is_signed, is_negative) {
            (false, _) => value,
            (true, true) => Expr::Negate(Box::new(value)),
            (true, false) => Expr::Call(Function::Number, vec![value]),
        })
    }

    fn union(&mut self) -> SqlResult<Expr> {
        self.blank();
        let start = self.at;
        let first = self.path()?;
        if !self.sees("|") {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.takes("|") {
            all.push(self.path()?);
        }
        match all.iter().all(|one| one.yields() == Yields::Nodes) {
            true => Ok(Expr::Union(all)),
            false => Err(self.not_nodes(start)),
        }
    }

    fn path(&mut self) -> SqlResult<Expr> {
        self.blank();
        let start = self.at;
        let mut steps = Vec::new();
        let from = if self.takes("//") {
            steps.push(anywhere());
            self.step(&mut steps)?;
            Start::Root
        } else if self.takes("/") {
            if self.begins_step() {
                self.step(&mut steps)?;
            }
            Start::Root
        } else if self.begins_primary()? {
            let primary = self.primary()?;
            let predicates = self.predicates()?;
            let is_more = !predicates.is_empty() || self.sees("/");
            if is_more && primary.yields() != Yields::Nodes {
                return Err(self.not_nodes(start));
            }
            if !is_more {
                return Ok(primary);
            }
            Start::Expr(primary, predicates)
        } else {
            self.step(&mut steps)?;
            Start::Context
        };
        if !matches!(from, Start::Root) || !steps.is_empty() {
            self.more_steps(&mut steps)?;
        }
        Ok(Expr::Path(Box::new(Path { start: from, steps })))
    }

    fn more_steps(&mut self, steps: &mut Vec<Step>) -> SqlResult<()> {
        loop {
            if self.takes("//") {
                steps.push(anywhere());
            } else if !self.takes("/") {
                return Ok(());
            }
            self.step(steps)?;
        }
    }

    /// Whether a step comes next.
    fn begins_step(&mut self) -> bool {
        self.blank();
        self.rest().starts_with(|c| is_name_start(c) || matches!(c, '*' | '.' | '@'))
    }

    /// Whether what comes next is no step of a path. Error 6603 for a variable.
    fn begins_primary(&mut self) -> SqlResult<bool> {
        self.blank();
        let rest = self.rest();
        let mut chars = rest.chars();
        Ok(match chars.next() {
            Some('$') => return Err(self.no_expression()),
            Some('(' | '"' | '\'' | '0'..='9') => true,
            Some('.') => chars.next().is_some_and(|c| c.is_ascii_digit()),
            Some(c) if is_name_start(c) => {
                let end = rest.find(|c| !is_name_char(c) && c != ':').unwrap_or(rest.len());
                let name = &rest[..end];
                let is_kind =
                    matches!(name, "node" | "text" | "comment" | "processing-instruction");
                !is_kind && !name.contains("::") && rest[end..].trim_start().starts_with('(')
            }
            _ => false,
        })
    }

    fn primary(&mut self) -> SqlResult<Expr> {
        if self.takes("(") {
            let inner = self.expr()?;
            self.expect(")")?;
            return Ok(match inner.yields() {
                // Predicates after it count the whole.
                Yields::Nodes => {
                    let start = Start::Expr(inner, Vec::new());
                    Expr::Path(Box::new(Path { start, steps: Vec::new() }))
                }
                _ => inner,
            });
        }
        let rest = self.rest();
        match rest.chars().next() {
            Some('"' | '\'') => Ok(Expr::Literal(self.literal()?.into())),
            Some(c) if c.is_ascii_digit() || c == '.' => {
                let is_part = |c: char| c.is_ascii_digit() || c == '.';
                let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                let number = rest[..end].parse();
                let number = number.map_err(|_| self.fault("Invalid number.", self.at, end))?;
                self.at += end;
                Ok(Expr::Number(number))
            }
            _ => self.call(),
        }
    }

    fn literal(&mut self) -> SqlResult<&'t str> {
        let rest = self.rest();
        let quote = if rest.starts_with('"') { '"' } else { '\'' };
        match rest[1..].find(quote) {
            Some(length) => {
                self.at += length + 2;
                Ok(&rest[1..1 + length])
            }
            None => Err(self.fault("A string literal was not closed.", self.at, rest.len())),
        }
    }

    fn call(&mut self) -> SqlResult<Expr> {
        let start = self.at;
        let rest = self.rest();
        let end = rest.find(|c| !is_name_char(c) && c != ':').unwrap_or(rest.len());
        let name = &rest[..end];
        self.at += end;
        self.expect("(")?;
        let mut arguments = Vec::new();
        while !self.takes(")") {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            arguments.push(self.expr()?);
        }
        let length = self.at - start;
        let Some(function) = Function::find(name) else {
            return Err(self.fault("Unknown method.", start, length));
        };
        if !function.arguments().contains(&arguments.len()) {
            return Err(self.fault("Wrong number of arguments.", start, length));
        }
        if function.takes_nodes() && arguments.iter().any(|a| a.yields() != Yields::Nodes) {
            return Err(self.not_nodes(start));
        }
        Ok(Expr::Call(function, arguments))
    }

    fn predicates(&mut self) -> SqlResult<Vec<Expr>> {
        let mut predicates = Vec::new();
        while self.takes("[") {
            predicates.push(self.expr()?);
            self.expect("]")?;
        }
        Ok(predicates)
    }

    fn step(&mut self, steps: &mut Vec<Step>) -> SqlResult<()> {
        let (axis, test) = if self.takes("..") {
            (Axis::Parent, Test::Any)
        } else if self.takes(".") {
            (Axis::Itself, Test::Any)
        } else {
            let axis = self.axis()?;
            (axis, self.test()?)
        };
        let predicates = self.predicates()?;
        // `//a` looks at the children of all; without predicates these are all descendants.
        if axis == Axis::Child && predicates.is_empty() {
            let is_anywhere = |step: &mut Step| {
                step.axis == Axis::DescendantOrSelf
                    && matches!(step.test, Test::Any)
                    && step.predicates.is_empty()
            };
            if steps.pop_if(is_anywhere).is_some() {
                steps.push(Step { axis: Axis::Descendant, test, predicates });
                return Ok(());
            }
        }
        steps.push(Step { axis, test, predicates });
        Ok(())
    }

    fn axis(&mut self) -> SqlResult<Axis> {
        if self.takes("@") {
            return Ok(Axis::Attribute);
        }
        self.blank();
        let rest = self.rest();
        let end = rest.find(|c| !is_name_char(c)).unwrap_or(rest.len());
        let after = rest[end..].trim_start();
        if end == 0 || !after.starts_with("::") {
            return Ok(Axis::Child);
        }
        let Some((_, axis)) = Axis::ALL.into_iter().find(|(name, _)| *name == &rest[..end]) else {
            let reason = format!("Unknown axis '{}'.", head(&rest[..end]));
            return Err(self.fault(&reason, self.at, end));
        };
        self.at += rest.len() - after.len() + "::".len();
        Ok(axis)
    }

    fn test(&mut self) -> SqlResult<Test> {
        if self.takes("*") {
            return Ok(Test::Name { uri: None, local: None });
        }
        let start = self.at;
        let Some(first) = self.name() else { return Err(self.no_expression()) };
        if let Some(second) = self.rest().strip_prefix(':') {
            let Some(uri) = (self.resolve)(first) else {
                let reason =
                    format!("Reference to undeclared namespace prefix: '{}'.", head(first));
                return Err(self.fault(&reason, start, first.len()));
            };
            self.at += 1;
            let local = match second.starts_with('*') {
                true => {
                    self.at += 1;
                    None
                }
                false => match self.name() {
                    Some(local) => Some(local.into()),
                    None => return Err(self.expected("NAME")),
                },
            };
            return Ok(Test::Name { uri: Some(uri.into()), local });
        }
        if matches!(first, "node" | "text" | "comment" | "processing-instruction")
            && self.takes("(")
        {
            return self.kind(first);
        }
        Ok(Test::Name { uri: Some("".into()), local: Some(first.into()) })
    }

    /// The rest of a test of kinds.
    fn kind(&mut self, kind: &str) -> SqlResult<Test> {
        let test = match kind {
            "node" => Test::Any,
            "text" => Test::Text,
            "comment" => Test::Comment,
            _ => {
                let is_named = self.sees("\"") || self.sees("'");
                Test::Instruction(if is_named { Some(self.literal()?.into()) } else { None })
            }
        };
        self.expect(")")?;
        Ok(test)
    }

    fn name(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        if !rest.starts_with(is_name_start) {
            return None;
        }
        let end = rest.find(|c| !is_name_char(c)).unwrap_or(rest.len());
        self.at += end;
        Some(&rest[..end])
    }
}

/// How much of a pattern a message shows on each side of what is wrong with it.
const SHOWN: usize = 400;

fn head(text: &str) -> &str {
    let end = text.char_indices().nth(SHOWN).map_or(text.len(), |(at, _)| at);
    &text[..end]
}

fn tail(text: &str) -> &str {
    let start = text.char_indices().rev().nth(SHOWN - 1).map_or(0, |(at, _)| at);
    &text[start..]
}

/// The step that `//` stands for.
fn anywhere() -> Step {
    Step { axis: Axis::DescendantOrSelf, test: Test::Any, predicates: Vec::new() }
}

fn several(mut all: Vec<Expr>, make: fn(Vec<Expr>) -> Expr) -> Expr {
    match all.len() {
        1 => all.remove(0),
        _ => make(all),
    }
}
