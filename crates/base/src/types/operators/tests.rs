use super::BinaryOperator::*;
use super::*;
use crate::Collation;

const C: Collation = Collation(1);

fn result(op: BinaryOperator, l: SqlType, r: SqlType) -> String {
    match arithmetic(op, &l.into(), &r.into()) {
        Ok(signature) => signature.result.to_string(),
        Err(e) => format!("{} {}", e.number(), e.text()),
    }
}

#[test]
fn numbers_take_the_higher_type() {
    for (l, r, expected) in [
        (SqlType::tinyint(), SqlType::tinyint(), "tinyint"),
        (SqlType::smallint(), SqlType::int(), "int"),
        (SqlType::int(), SqlType::bigint(), "bigint"),
        (SqlType::bit(), SqlType::int(), "int"),
        (SqlType::int(), SqlType::money(), "money"),
        (SqlType::smallmoney(), SqlType::bigint(), "smallmoney"),
        (SqlType::real(), SqlType::decimal(10, 2), "real"),
        (SqlType::float(), SqlType::real(), "float"),
        (SqlType::varchar(5, C), SqlType::int(), "int"),
    ] {
        assert_eq!(result(Add, l, r), expected, "{l} + {r}");
    }
}

#[test]
fn decimal_precision_and_scale_follow_the_documented_rules() {
    let d = SqlType::decimal;
    for (op, l, r, expected) in [
        (Add, d(10, 2), d(8, 4), "decimal(13,4)"),
        (Multiply, d(10, 2), d(8, 4), "decimal(19,6)"),
        (Divide, d(10, 2), d(8, 4), "decimal(23,11)"),
        (Modulo, d(10, 2), d(8, 4), "decimal(8,4)"),
        // Reduced to 38 digits.
        (Multiply, d(30, 20), d(30, 20), "decimal(38,17)"),
        (Multiply, d(38, 20), d(38, 20), "decimal(38,6)"),
        (Add, d(38, 10), d(38, 10), "decimal(38,10)"),
        (Add, d(38, 0), d(38, 38), "decimal(38,0)"),
        (Divide, d(38, 10), d(38, 10), "decimal(38,6)"),
        (Divide, d(18, 2), SqlType::int(), "decimal(29,13)"),
        (Multiply, d(18, 2), SqlType::money(), "decimal(38,6)"),
    ] {
        assert_eq!(result(op, l, r), expected, "{l} {} {r}", op.name());
    }
    // An integer constant counts its digits: SELECT 1.0 / 3 is numeric(7,6).
    let third =
        arithmetic(Divide, &SqlType::numeric(2, 1).into(), &Operand::integer(3)).unwrap().result;
    assert_eq!(third, SqlType::numeric(7, 6));
}

#[test]
fn strings_and_binaries_concatenate() {
    for (l, r, expected) in [
        (SqlType::varchar(10, C), SqlType::varchar(20, C), "varchar(30)"),
        (SqlType::varchar(5000, C), SqlType::varchar(5000, C), "varchar(8000)"),
        (SqlType::varchar(10, C), SqlType::nvarchar(20, C), "nvarchar(30)"),
        (SqlType::varchar(10, C), SqlType::nchar(20, C), "nvarchar(30)"),
        (SqlType::char(3, C), SqlType::char(4, C), "char(7)"),
        (SqlType::varchar_max(C), SqlType::char(4, C), "varchar(max)"),
        (SqlType::nvarchar(3000, C), SqlType::nvarchar(3000, C), "nvarchar(4000)"),
        (SqlType::varbinary(3), SqlType::binary(4), "varbinary(7)"),
    ] {
        assert_eq!(result(Add, l, r), expected, "{l} + {r}");
    }
}

#[test]
fn datetimes_take_numbers_and_the_new_types_do_not() {
    for (op, l, r, expected) in [
        (Add, SqlType::datetime(), SqlType::int(), "datetime"),
        (Add, SqlType::int(), SqlType::datetime(), "datetime"),
        (Subtract, SqlType::datetime(), SqlType::datetime(), "datetime"),
        (Add, SqlType::smalldatetime(), SqlType::float(), "smalldatetime"),
        (Add, SqlType::smalldatetime(), SqlType::datetime(), "datetime"),
        (
            Add,
            SqlType::date(),
            SqlType::int(),
            "206 Operand type clash: date is incompatible with int",
        ),
        (
            Subtract,
            SqlType::date(),
            SqlType::date(),
            "8117 Operand data type date is invalid for subtract operator.",
        ),
        (
            Add,
            SqlType::datetime(),
            SqlType::time(7),
            "402 The data types datetime and time are incompatible in the add operator.",
        ),
        (
            Add,
            SqlType::date(),
            SqlType::varchar(5, C),
            "402 The data types date and varchar are incompatible in the add operator.",
        ),
        (
            Multiply,
            SqlType::datetime(),
            SqlType::int(),
            "402 The data types datetime and int are incompatible in the multiply operator.",
        ),
    ] {
        assert_eq!(result(op, l, r), expected);
    }
}

#[test]
fn impossible_operators_raise_sql_servers_errors() {
    for (op, l, r, expected) in [
        (
            Add,
            SqlType::bit(),
            SqlType::bit(),
            "402 The data types bit and bit are incompatible in the add operator.",
        ),
        (
            Subtract,
            SqlType::varchar(1, C),
            SqlType::varchar(1, C),
            "8117 Operand data type varchar is invalid for subtract operator.",
        ),
        (
            BitAnd,
            SqlType::numeric(2, 1),
            SqlType::int(),
            "402 The data types numeric and int are incompatible in the '&' operator.",
        ),
        (
            Modulo,
            SqlType::float(),
            SqlType::int(),
            "402 The data types float and int are incompatible in the modulo operator.",
        ),
        (
            Add,
            SqlType::nvarchar(5, C),
            SqlType::uniqueidentifier(),
            "402 The data types nvarchar and uniqueidentifier are incompatible in the add operator.",
        ),
        (
            Add,
            SqlType::varchar(5, C),
            SqlType::bit(),
            "402 The data types varchar and bit are incompatible in the add operator.",
        ),
        (
            Add,
            SqlType::text(C),
            SqlType::varchar(5, C),
            "402 The data types text and varchar are incompatible in the add operator.",
        ),
    ] {
        assert_eq!(result(op, l, r), expected);
    }
    assert_eq!(result(BitOr, SqlType::bit(), SqlType::bit()), "bit");
    assert_eq!(result(BitAnd, SqlType::int(), SqlType::varbinary(4)), "int");
}

#[test]
fn unification_takes_what_holds_both() {
    for (l, r, expected) in [
        (SqlType::varchar(5, C), SqlType::varchar(9, C), "varchar(9)"),
        (SqlType::char(5, C), SqlType::char(9, C), "char(9)"),
        (SqlType::char(5, C), SqlType::varchar(3, C), "varchar(5)"),
        (SqlType::varchar(5, C), SqlType::nvarchar(3, C), "nvarchar(5)"),
        (SqlType::int(), SqlType::decimal(5, 2), "decimal(12,2)"),
        (SqlType::decimal(5, 2), SqlType::decimal(8, 6), "decimal(9,6)"),
        (SqlType::money(), SqlType::decimal(5, 2), "decimal(19,4)"),
        (SqlType::int(), SqlType::varchar(5, C), "int"),
        (SqlType::date(), SqlType::datetime(), "datetime"),
        (SqlType::datetime(), SqlType::datetime2(0), "datetime2(3)"),
        (SqlType::datetime2(3), SqlType::datetimeoffset(1), "datetimeoffset(3)"),
        (SqlType::varbinary_max(), SqlType::binary(3), "varbinary(max)"),
    ] {
        assert_eq!(unify(&l, &r).unwrap().to_string(), expected, "{l} with {r}");
        assert_eq!(unify(&r, &l).unwrap().to_string(), expected, "{r} with {l}");
    }
    assert_eq!(unify(&SqlType::int(), &SqlType::date()).unwrap_err().number(), 206);
}

#[test]
fn comparisons_refuse_old_large_types_and_clashes() {
    let text = |l: SqlType, r: SqlType| {
        comparison(Equal, &l.into(), &r.into()).unwrap_err().text().to_string()
    };
    assert_eq!(
        text(SqlType::text(C), SqlType::varchar(1, C)),
        "The data types text and varchar are incompatible in the equal to operator."
    );
    assert_eq!(
        text(SqlType::uniqueidentifier(), SqlType::int()),
        "Operand type clash: uniqueidentifier is incompatible with int"
    );
    assert_eq!(
        text(SqlType::date(), SqlType::time(7)),
        "The data types date and time are incompatible in the equal to operator."
    );
}

#[test]
fn json_is_neither_compared_nor_computed_with() {
    let json = SqlType::json();
    let number = |l: Operand, r: Operand| comparison(Equal, &l, &r).unwrap_err().number();
    assert_eq!(number(json.into(), json.into()), 13636);
    assert_eq!(number(json.into(), Operand::NULL), 13636);
    assert_eq!(number(Operand::NULL, json.into()), 13636);
    assert_eq!(number(json.into(), SqlType::nvarchar(4, C).into()), 402);
    assert_eq!(number(SqlType::text(C).into(), json.into()), 402);
    assert_eq!(number(json.into(), SqlType::int().into()), 206);
    assert_eq!(number(SqlType::sql_variant().into(), json.into()), 206);
    assert_eq!(
        result(Add, json, SqlType::varchar(1, C)),
        "402 The data types json and varchar are incompatible in the add operator."
    );
    assert_eq!(unary(UnaryOperator::Plus, &json).unwrap_err().number(), 8117);
    assert_eq!(unify(&SqlType::varchar(9, C), &json).unwrap(), json);
    assert_eq!(unify(&json, &SqlType::int()).unwrap_err().number(), 206);
}

#[test]
fn a_bare_null_takes_the_other_type() {
    let signature = arithmetic(Add, &Operand::NULL, &SqlType::varchar(3, C).into()).unwrap();
    assert_eq!(signature.result, SqlType::varchar(6, C));
    assert_eq!(arithmetic(Add, &Operand::NULL, &Operand::NULL).unwrap().result, SqlType::int());
}

#[test]
fn unary_operators_and_aggregates_have_their_types() {
    assert_eq!(unary(UnaryOperator::Minus, &SqlType::tinyint()).unwrap(), SqlType::smallint());
    assert_eq!(
        unary(UnaryOperator::Minus, &SqlType::varchar(1, C)).unwrap_err().text(),
        "Operand data type varchar is invalid for minus operator."
    );
    assert_eq!(
        unary(UnaryOperator::BitNot, &SqlType::numeric(2, 1)).unwrap_err().text(),
        "Operand data type numeric is invalid for '~' operator."
    );
    assert_eq!(sum(&SqlType::decimal(5, 2)).unwrap(), SqlType::decimal(38, 2));
    assert_eq!(avg(&SqlType::decimal(5, 2)).unwrap(), SqlType::decimal(38, 6));
    assert_eq!(sum(&SqlType::smallint()).unwrap(), SqlType::int());
    assert_eq!(
        sum(&SqlType::bit()).unwrap_err().text(),
        "Operand data type bit is invalid for sum operator."
    );
}
