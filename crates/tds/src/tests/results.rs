//! Answers: written by the server's side, read by the client's.

use base::{Collation, SqlError, SqlType, Value, ValueRef};
use proptest::prelude::*;

use super::contents;
use super::samples::{any_column, as_sent, extremes, unicode};
use crate::client::{Token, TokenReader};
use crate::columns::{Column, ColumnFlags, USER_TYPE_TIMESTAMP};
use crate::env::EnvChange;
use crate::error::EncodeError;
use crate::login::Feature;
use crate::packet::Side;
use crate::server::response::{ColumnOrigin, LoginAck, session_state_set};
use crate::server::{ResponseWriter, RowEncoder};
use crate::token::{self, Done, DoneKind, DoneStatus, command};
use crate::typeinfo::TypeInfo;
use crate::version::TdsVersion;

/// Writes an answer and reads it in pieces of `step` bytes.
fn answer(
    version: TdsVersion,
    step: usize,
    write: impl FnOnce(&mut ResponseWriter),
    mut read: impl FnMut(Token<'_>),
) -> TokenReader {
    let mut writer = ResponseWriter::new(version);
    writer.message().set_packet_size(512);
    writer.begin();
    write(&mut writer);
    writer.end();
    let messages = contents(Side::Client, writer.message());
    let mut reader = TokenReader::new(version, Collation::DEFAULT);
    for piece in messages[0].chunks(step) {
        reader.feed(piece);
        while let Some(token) = reader.next().unwrap() {
            read(token);
        }
    }
    assert!(reader.is_empty());
    reader
}

fn texts(token: Token<'_>) -> String {
    match token {
        Token::Row(row) => format!("{:?}", (0..row.len()).map(|c| row.raw(c)).collect::<Vec<_>>()),
        other => format!("{other:?}"),
    }
}

#[test]
fn rows_of_every_type_survive_in_every_version() {
    for version in TdsVersion::ALL {
        for (ty, values) in extremes() {
            for (nullable, step) in [(true, 1), (false, 4096), (true, 100_000)] {
                let make = if nullable { Column::nullable } else { Column::not_null };
                let columns = [make("c".to_string(), ty)];
                let encoder = RowEncoder::new(&columns, version);
                let mut sent = values.clone();
                if nullable {
                    sent.push(Value::Null);
                }
                let mut received = Vec::new();
                let reader = answer(
                    version,
                    step,
                    |w| {
                        w.columns(&columns, false);
                        for value in &sent {
                            w.row(&encoder, std::slice::from_ref(value)).unwrap();
                        }
                    },
                    |token| {
                        if let Token::Row(row) = token {
                            received.push(row.get(0).unwrap().into_value());
                        }
                    },
                );
                let expected: Vec<_> = sent.iter().map(|v| as_sent(&ty, v, version)).collect();
                assert!(received == expected, "{ty:?} in {version:?}");
                assert_eq!(reader.columns()[0].info, TypeInfo::for_sql(&ty, nullable, version));
            }
        }
    }
}

#[test]
fn null_bitmaps_are_used_where_they_pay() {
    let columns: Vec<_> =
        (0..20).map(|i| Column::nullable(format!("c{i}"), SqlType::int())).collect();
    let token_of = |version, nulls: usize| {
        let encoder = RowEncoder::new(&columns, version);
        let mut row = [ValueRef::Int(1); 20];
        row[..nulls].fill(ValueRef::Null);
        let mut writer = ResponseWriter::new(version);
        writer.begin();
        writer.row(&encoder, &row[..]).unwrap();
        writer.end();
        let content = contents(Side::Client, writer.message()).remove(0);
        (content[0], content.len())
    };
    // The bitmap takes three bytes, each NULL one.
    assert_eq!(token_of(TdsVersion::V7_4, 3), (token::ROW, 1 + 17 * 5 + 3));
    assert_eq!(token_of(TdsVersion::V7_4, 4), (token::NBCROW, 1 + 3 + 16 * 5));
    assert_eq!(token_of(TdsVersion::V7_3A, 20).0, token::ROW);
}

#[test]
fn columns_carry_their_facts() {
    let mut text = Column::nullable("t", SqlType::text(Collation::DEFAULT));
    text.table = vec!["dbo".into(), "täble".into()];
    let columns = [
        Column::not_null("id", SqlType::int())
            .with_flags(ColumnFlags::IDENTITY.with(ColumnFlags::KEY)),
        Column::nullable("", SqlType::rowversion()),
        text,
    ];
    for version in TdsVersion::ALL {
        let reader = answer(version, 3, |w| w.columns(&columns, false), |_| {});
        let read = reader.columns();
        assert_eq!((read[0].name.as_str(), read[0].flags), ("id", columns[0].flags));
        assert_eq!((read[1].user_type, read[1].info.length), (USER_TYPE_TIMESTAMP, 8));
        let table = match version {
            TdsVersion::V7_1 => vec!["dbo.täble".to_string()],
            _ => columns[2].table.clone(),
        };
        assert_eq!(read[2].table, table);
    }
}

#[test]
fn columns_that_are_known_are_not_described_again() {
    let columns = [Column::not_null("a", SqlType::int())];
    let encoder = RowEncoder::new(&columns, TdsVersion::V7_4);
    let mut rows = 0;
    answer(
        TdsVersion::V7_4,
        1,
        |w| {
            for known in [false, true] {
                w.columns(&columns, known);
                w.row(&encoder, &[ValueRef::Int(7)][..]).unwrap();
            }
        },
        |token| {
            if let Token::Row(row) = token {
                assert_eq!(row.get(0).unwrap().as_ref(), ValueRef::Int(7));
                rows += 1;
            }
        },
    );
    assert_eq!(rows, 2);
}

#[test]
fn every_token_survives_in_every_version() {
    for version in TdsVersion::ALL {
        let error = SqlError::custom(8134, 16, 1, "Divide by zero error encountered.")
            .at_line(70_000)
            .in_procedure("dbo.p");
        let done = Done {
            kind: DoneKind::InProcedure,
            status: DoneStatus::MORE.with(DoneStatus::COUNT),
            command: command::SELECT,
            rows: 5 << 32,
        };
        let mut seen = Vec::new();
        answer(
            version,
            2,
            |w| {
                w.login_ack(&LoginAck { program: "P", program_version: [16, 0, 4, 1] });
                w.env_change(&EnvChange::BeginTransaction { descriptor: 3 });
                w.error(&error, "srv");
                w.feature_ack(&[Feature { id: 10, data: vec![1] }]);
                w.return_status(-6);
                w.order(&[2, 1]);
                w.done(&done);
            },
            |token| seen.push(texts(token)),
        );
        let all = seen.join("\n");
        assert!(all.contains("program: \"P\", program_version: [16, 0, 4, 1]"), "{all}");
        assert!(all.contains("Procedure dbo.p") && all.contains("Msg 8134, Level 16, State 1"));
        assert!(all.contains("ReturnStatus(-6)") && all.contains("Order([2, 1])"));
        let is_old = version == TdsVersion::V7_1;
        assert_eq!(all.contains("Line 70000"), !is_old);
        assert_eq!(all.contains("rows: 21474836480"), !is_old);
        assert_eq!(all.contains("rows: 4294967295"), is_old);
        assert_eq!(all.contains("BeginTransaction"), !is_old);
        assert_eq!(all.contains("FeatureAck"), version >= TdsVersion::V7_4);
    }
}

#[test]
fn severity_tells_errors_from_messages() {
    for (severity, first) in [(0, token::INFO), (10, token::INFO), (11, token::ERROR)] {
        let mut writer = ResponseWriter::new(TdsVersion::V7_4);
        writer.begin();
        writer.error(&SqlError::custom(50000, severity, 1, "x".repeat(100_000)), "s");
        writer.end();
        assert_eq!(contents(Side::Client, writer.message())[0][0], first);
    }
}

#[test]
fn output_parameters_of_every_type_survive() {
    for version in TdsVersion::ALL {
        for (ty, values) in extremes() {
            if ty.is_max() && !version.has_max_types() {
                continue;
            }
            let value = values.last().unwrap();
            let mut found = None;
            answer(
                version,
                1000,
                |w| w.output_parameter(3, "@p", &ty, None, value.as_ref()).unwrap(),
                |token| match token {
                    Token::ReturnValue(value) => found = Some(value),
                    other => panic!("{other:?}"),
                },
            );
            let found = found.unwrap();
            assert_eq!((found.ordinal, found.name.as_str()), (3, "@p"));
            assert!(found.value == as_sent(&ty, value, version), "{ty:?} in {version:?}");
        }
    }
}

#[test]
fn max_output_parameters_are_cut_for_clients_without_max_types() {
    let ty = SqlType::nvarchar_max(Collation::DEFAULT);
    let long = unicode(&"x".repeat(5000));
    answer(
        TdsVersion::V7_1,
        1000,
        |w| w.output_parameter(0, "@p", &ty, None, long.as_ref()).unwrap(),
        |token| {
            let Token::ReturnValue(found) = token else { panic!("{token:?}") };
            assert_eq!(found.ty, SqlType::nvarchar(4000, Collation::DEFAULT));
            assert_eq!(found.value, unicode(&"x".repeat(4000)));
        },
    );
}

#[test]
fn origins_and_session_state_have_their_forms() {
    let mut writer = ResponseWriter::new(TdsVersion::V7_4);
    writer.begin();
    writer.table_names(&[&["dbo", "t"]]);
    writer.column_origins(&[
        ColumnOrigin { column: 1, table: 1, is_key: true, is_hidden: false, base_name: None },
        ColumnOrigin { column: 2, table: 0, is_key: false, is_hidden: true, base_name: Some("b") },
    ]);
    writer.session_state(1, true, &[(3, b"ab")]);
    writer.end();
    let content = contents(Side::Client, writer.message()).remove(0);
    let names = [0xA4, 13, 0, 2, 3, 0, b'd', 0, b'b', 0, b'o', 0, 1, 0, b't', 0];
    let origins = [0xA5, 9, 0, 1, 1, 0x08, 2, 0, 0x34, 1, b'b', 0];
    let state = [0xE4, 9, 0, 0, 0, 1, 0, 0, 0, 1, 3, 2, b'a', b'b'];
    assert_eq!(content, [&names[..], &origins, &state].concat());
    assert_eq!(session_state_set(&[(1, &[7; 255])])[..6], [1, 0xFF, 255, 0, 0, 0]);
}

#[test]
fn values_that_do_not_fit_are_refused() {
    let c = Collation::DEFAULT;
    let refused = |ty: SqlType, value: ValueRef<'_>| {
        let columns = [Column::not_null("c", ty)];
        let mut writer = ResponseWriter::new(TdsVersion::V7_4);
        writer.begin();
        writer.row(&RowEncoder::new(&columns, TdsVersion::V7_4), &[value][..]).unwrap_err()
    };
    assert_eq!(refused(SqlType::int(), ValueRef::Null), EncodeError::Null);
    assert_eq!(refused(SqlType::int(), ValueRef::Int(1 << 31)), EncodeError::Range);
    assert_eq!(refused(SqlType::tinyint(), ValueRef::Int(-1)), EncodeError::Range);
    assert_eq!(refused(SqlType::decimal(9, 0), ValueRef::Decimal(1 << 32)), EncodeError::Range);
    assert_eq!(refused(SqlType::date(), ValueRef::Date(-1)), EncodeError::Range);
    assert_eq!(refused(SqlType::time(0), ValueRef::Time(-1)), EncodeError::Range);
    assert_eq!(refused(SqlType::smalldatetime(), ValueRef::SmallDateTime(-1)), EncodeError::Range);
    assert_eq!(refused(SqlType::int(), ValueRef::Float(1.0)), EncodeError::Representation);
    assert_eq!(
        refused(SqlType::varchar(2, c), ValueRef::Chars(b"abc")),
        EncodeError::Length { length: 3, limit: 2 }
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_result_survives(
        columns in prop::collection::vec(any_column(), 1..12),
        version in prop::sample::select(TdsVersion::ALL.to_vec()),
        step in 1usize..5000,
    ) {
        let row_count = columns.iter().map(|(_, values)| values.len()).min().unwrap_or(0);
        let announced: Vec<_> =
            columns.iter().map(|(ty, _)| Column::nullable("c", *ty)).collect();
        let rows: Vec<Vec<Value>> = (0..row_count)
            .map(|row| columns.iter().map(|(_, values)| values[row].clone()).collect())
            .collect();
        let encoder = RowEncoder::new(&announced, version);
        let mut received = Vec::new();
        answer(
            version,
            step,
            |w| {
                w.columns(&announced, false);
                rows.iter().for_each(|row| w.row(&encoder, &row[..]).unwrap());
            },
            |token| if let Token::Row(row) = token {
                received.push(
                    (0..row.len())
                        .map(|c| row.get(c).unwrap().into_value())
                        .collect::<Vec<_>>(),
                );
            },
        );
        let expected: Vec<Vec<Value>> = rows
            .iter()
            .map(|row| {
                row.iter().zip(&columns).map(|(v, (ty, _))| as_sent(ty, v, version)).collect()
            })
            .collect();
        prop_assert_eq!(received, expected);
    }
}
