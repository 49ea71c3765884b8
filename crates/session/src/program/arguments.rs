//! The expressions that arguments of `EXEC` are.

use tsql::ast::{self, ArgumentValue};

/// The expression that an argument is; none for `DEFAULT`.
pub(crate) fn argument_expr(value: &ArgumentValue) -> Option<ast::Expr> {
    use ast::{ExprKind, Literal, UnaryOp};
    let (kind, span) = match value {
        ArgumentValue::Constant { value, negative, span } => {
            let literal = ExprKind::Literal(value.clone());
            let kind = match negative {
                false => literal,
                true => {
                    let operand = Box::new(ast::Expr { span: *span, kind: literal });
                    ExprKind::Unary { op: UnaryOp::Minus, operand }
                }
            };
            (kind, *span)
        }
        ArgumentValue::Variable(variable) => {
            (ExprKind::Variable(variable.name.clone()), variable.span)
        }
        ArgumentValue::Word(word) => {
            (ExprKind::Literal(Literal::National(word.name.clone())), word.span)
        }
        ArgumentValue::Odbc(kind, text, span) => (ExprKind::Odbc(*kind, text.clone()), *span),
        ArgumentValue::Default(_) => return None,
    };
    Some(ast::Expr { span, kind })
}
