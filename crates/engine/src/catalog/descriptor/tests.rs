use super::*;
use crate::catalog::def::*;
use crate::catalog::rng::Rng;
use crate::catalog::system_tables::SystemRow;

#[test]
fn every_definition_comes_back_from_its_row() {
    for seed in 0..3000 {
        let definition = Rng::new(seed).definition();
        let row = SystemRow::of(&definition);
        let again = SystemRow::from_bytes(row.table, &row.bytes());
        assert_eq!(again, row, "seed {seed}");
        assert_eq!(again.definition().expect("a good row"), definition, "seed {seed}");
    }
}

#[test]
fn damaged_descriptors_are_refused_or_read_but_never_panic() {
    for seed in 0..3000 {
        let mut rng = Rng::new(seed);
        let mut row = SystemRow::of(&rng.definition());
        for _ in 0..20 {
            let at = rng.below(row.descriptor.len());
            match rng.below(3) {
                0 => row.descriptor[at] ^= 1 << rng.below(8),
                1 => row.descriptor.truncate(at.max(1)),
                _ => row.descriptor.insert(at, rng.next() as u8),
            }
            let _ = row.definition();
        }
    }
}

#[test]
fn a_field_of_a_newer_server_is_refused() {
    let schema = SchemaDef { id: SchemaId(7), name: "s".into(), owner: PrincipalId::DBO };
    let mut bytes = encode(&schema);
    assert_eq!(decode::<SchemaDef>(&bytes), Ok(schema.clone()));
    put_field(&mut bytes, 99, &7u32);
    assert_eq!(decode::<SchemaDef>(&bytes), Err(Malformed::Newer(99)));
    bytes[0] = VERSION + 1;
    assert_eq!(decode::<SchemaDef>(&bytes), Err(Malformed::Newer(2)));
}

#[test]
fn a_row_that_describes_something_else_is_damaged() {
    let definition = Rng::new(1).definition();
    let mut row = SystemRow::of(&definition);
    row.key[0] ^= 1;
    let error = row.definition().expect_err("the key is another one").to_string();
    assert!(error.contains("it describes"), "{error}");
}

/// A change of these bytes is a change of the format on disk: rows that are out there must still
/// be readable.
#[test]
fn descriptors_keep_their_format() {
    let schema = SchemaDef { id: SchemaId(7), name: "sales".into(), owner: PrincipalId::DBO };
    assert_eq!(encode(&schema), b"\x01\x01\x01\x0E\x02\x05sales\x03\x01\x02");
    let column =
        ColumnDef::new(ColumnId(2), "price".into(), base::SqlType::decimal(10, 2), UserTypeId(106));
    assert_eq!(
        encode(&column),
        b"\x01\x01\x01\x04\x02\x05price\x03\x05\x6A\x0A\x02\x09\x00\x04\x02\xD4\x01\x05\x01\x01\x0C\x01\x01"
    );
}

/// Rows of servers that did not have an option lack its tag.
#[test]
fn options_that_old_rows_lack_have_their_defaults() {
    let mut index = IndexDef::new(IndexId(2), "ix".into(), IndexKind::NonClustered, true);
    let old = encode(&index);
    assert_eq!(decode::<IndexDef>(&old).map(|read| read.hash_caching), Ok(HashCaching::Default));
    index.hash_caching = HashCaching::Off;
    let mut new = old.clone();
    new.extend(b"\x13\x01\x02");
    assert_eq!(encode(&index), new);
    let mut options = DatabaseOptions::default();
    let old = encode(&options);
    assert_eq!(decode::<DatabaseOptions>(&old).map(|read| read.row_caching), Ok(false));
    let cache = decode::<DatabaseOptions>(&old).map(|o| (o.row_cache, o.row_cache_tuning_off));
    assert_eq!(cache, Ok((None, false)));
    options.row_caching = true;
    let mut new = old.clone();
    new.extend(b"\x26\x01\x01");
    assert_eq!(encode(&options), new);
}
