use base::SqlType;

use super::*;
use crate::packet::PacketType;

fn columns() -> Vec<Column> {
    let mail = Classification {
        label: Some("Confidential".into()),
        label_id: Some("1".into()),
        information_type: Some("Contact".into()),
        rank: Some(20),
        ..Classification::default()
    };
    let name = Classification { information_type: None, rank: None, ..mail.clone() };
    let mut columns = vec![Column::nullable("plain", SqlType::int())];
    let both = Column::nullable("both", SqlType::int());
    columns.push(Column { classified: Some([mail.clone(), name].into()), ..both.clone() });
    columns.push(Column { classified: Some([mail].into()), ..both });
    columns
}

fn written(whole: &ResultClassification) -> Vec<u8> {
    let mut out = MessageWriter::new();
    out.begin(PacketType::TabularResult);
    whole.write(&mut out);
    out.end();
    out.ready()[8..].to_vec()
}

#[test]
fn what_is_written_is_read() {
    for version in [1, 2] {
        let whole = ResultClassification::of(&columns(), version).unwrap();
        let bytes = written(&whole);
        assert_eq!(bytes[0], token::DATACLASSIFICATION);
        let mut r = ByteReader::new(&bytes[1..]);
        assert_eq!(ResultClassification::read(&mut r, version).unwrap(), whole);
        assert!(r.rest().is_empty());
        let cut = &bytes[1..bytes.len() - 1];
        assert!(ResultClassification::read(&mut ByteReader::new(cut), version).is_err());
        assert_eq!(whole.labels, [("Confidential".to_owned(), "1".to_owned())]);
        assert_eq!(whole.columns.iter().map(Vec::len).collect::<Vec<_>>(), [0, 2, 1]);
        assert_eq!(whole.columns[1][1].information_type, None);
        assert_eq!(whole.rank, (version == 2).then_some(20));
    }
}

#[test]
fn nothing_is_said_where_nothing_is_classified_or_asked() {
    assert_eq!(ResultClassification::of(&columns(), 0), None);
    assert_eq!(ResultClassification::of(&columns()[..1], 2), None);
}
