use super::*;
use base::Collation;
use ir::function::Functions;
use ir::function::{ArgType, Typing};
use run::func::Library;

#[test]
fn constants_are_evaluated_as_rows_are() {
    let mut arena = Arena::new();
    let function = Library.scalar("POWER").unwrap();
    let values = [Value::Int(2), Value::Float(10.0)];
    let args = [
        ArgType::constant(SqlType::int(), &values[0]),
        ArgType::constant(SqlType::float(), &values[1]),
    ];
    let typing = Typing { collation: Collation::DEFAULT };
    let types = CallTypes::from(&function.bind(&args, typing).unwrap());
    assert_eq!(call(function, &values, &types, &mut arena), Ok(Value::Int(1024)));
    let null = [Value::Null, Value::Float(1.0)];
    assert_eq!(call(function, &null, &types, &mut arena), Ok(Value::Null));
    let large = [Value::Int(2), Value::Float(31.0)];
    assert_eq!(call(function, &large, &types, &mut arena).unwrap_err().number(), 8115);

    let options = ConvertOptions::default();
    let text = Value::Chars((*b"42").into());
    let from = SqlType::varchar(2, Collation::DEFAULT);
    let number = cast(&text, &from, &SqlType::int(), &options, &mut arena);
    assert_eq!(number, Ok(Value::Int(42)));
    let int = SqlType::int();
    let signature = Signature { left: int, right: int, result: int };
    let sum =
        arithmetic(BinaryOperator::Add, &Value::Int(1), &Value::Int(2), &signature, &mut arena);
    assert_eq!(sum, Ok(Value::Int(3)));
}
