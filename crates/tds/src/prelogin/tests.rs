use proptest::prelude::*;

use super::*;

/// MS-TDS 4.1.
const EXAMPLE: [u8; 39] = [
    0x00, 0x00, 0x1A, 0x00, 0x06, 0x01, 0x00, 0x20, 0x00, 0x01, 0x02, 0x00, 0x21, 0x00, 0x01, 0x03,
    0x00, 0x22, 0x00, 0x04, 0x04, 0x00, 0x26, 0x00, 0x01, 0xFF, 0x09, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x01, 0x00, 0xB8, 0x0D, 0x00, 0x00, 0x01,
];

#[test]
fn the_example_of_the_specification_is_read_and_written() {
    let prelogin = Prelogin::parse(&EXAMPLE).unwrap();
    assert_eq!(
        prelogin,
        Prelogin {
            version: [9, 0, 0, 0, 0, 0],
            encryption: Some(Encryption::On),
            instance: Some(vec![]),
            thread_id: Some(0xB80D_0000),
            mars: Some(true),
            ..Prelogin::default()
        }
    );
    assert_eq!(prelogin.to_bytes(), EXAMPLE);
}

#[test]
fn answers_take_up_what_the_client_asked() {
    let client = Prelogin {
        mars: Some(true),
        federated_authentication: Some(true),
        trace_id: Some([1; 36]),
        ..Prelogin::default()
    };
    let answer = client.answer([16, 0, 0x10, 0x6A, 0, 0], Encryption::On);
    assert_eq!(answer.mars, Some(false));
    assert_eq!(answer.federated_authentication, Some(false));
    assert_eq!(answer.instance, Some(vec![]));
    assert_eq!(Prelogin::parse(&answer.to_bytes()), Ok(answer));
    let plain = Prelogin::default().answer([0; 6], Encryption::Off);
    assert_eq!(plain.federated_authentication, None);
}

#[test]
fn bad_tables_are_refused() {
    for bad in [
        &[][..],
        &[0xFF],
        &[1, 0, 6, 0, 1, 0xFF, 0],
        &[0, 0, 6, 0, 6],
        &[0, 0, 6, 0, 6, 0xFF, 1, 2, 3],
        &[0, 0, 6, 0, 2, 0xFF, 1, 2, 3],
    ] {
        assert!(Prelogin::parse(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn encryption_is_negotiated_as_the_specification_says() {
    use Encryption::*;
    use ServerEncryption as S;
    let table = [
        (Off, S::Optional, Off, Some(EncryptionScope::Login)),
        (On, S::Optional, On, Some(EncryptionScope::Everything)),
        (Required, S::Optional, On, Some(EncryptionScope::Everything)),
        (NotSupported, S::Optional, NotSupported, Some(EncryptionScope::Nothing)),
        (Off, S::Required, Required, Some(EncryptionScope::Everything)),
        (On, S::Required, On, Some(EncryptionScope::Everything)),
        (NotSupported, S::Required, Required, None),
        (Off, S::NotSupported, NotSupported, Some(EncryptionScope::Nothing)),
        (On, S::NotSupported, NotSupported, None),
        (NotSupported, S::NotSupported, NotSupported, Some(EncryptionScope::Nothing)),
    ];
    for (client, server, answer, scope) in table {
        assert_eq!(negotiate_encryption(Some(client), server, false), (answer, scope));
        // Both sides draw the same conclusion.
        assert_eq!(encryption_after_answer(client, Some(answer)), scope);
    }
    let strict = (NotSupported, Some(EncryptionScope::Nothing));
    assert_eq!(negotiate_encryption(Some(On), S::Required, true), strict);
}

proptest! {
    #[test]
    fn garbage_does_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        let _ = Prelogin::parse(&bytes);
    }
}
