use proptest::prelude::*;

use super::*;

/// MS-TDS 4.2.
const EXAMPLE: [u8; 136] = [
    0x88, 0x00, 0x00, 0x00, 0x02, 0x00, 0x09, 0x72, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x07,
    0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xE0, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x09, 0x04, 0x00, 0x00, 0x5E, 0x00, 0x08, 0x00, 0x6E, 0x00, 0x02, 0x00, 0x72, 0x00, 0x00, 0x00,
    0x72, 0x00, 0x07, 0x00, 0x80, 0x00, 0x00, 0x00, 0x80, 0x00, 0x00, 0x00, 0x80, 0x00, 0x04, 0x00,
    0x88, 0x00, 0x00, 0x00, 0x88, 0x00, 0x00, 0x00, 0x00, 0x50, 0x8B, 0xE2, 0xB7, 0x8F, 0x88, 0x00,
    0x00, 0x00, 0x88, 0x00, 0x00, 0x00, 0x88, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x73, 0x00,
    0x6B, 0x00, 0x6F, 0x00, 0x73, 0x00, 0x74, 0x00, 0x6F, 0x00, 0x76, 0x00, 0x31, 0x00, 0x73, 0x00,
    0x61, 0x00, 0x4F, 0x00, 0x53, 0x00, 0x51, 0x00, 0x4C, 0x00, 0x2D, 0x00, 0x33, 0x00, 0x32, 0x00,
    0x4F, 0x00, 0x44, 0x00, 0x42, 0x00, 0x43, 0x00,
];

fn full() -> Login {
    Login {
        tds_version: TdsVersion::V7_4.number(),
        packet_size: 8000,
        client_version: 7,
        client_pid: 4711,
        connection_id: 5,
        option_flags1: 0xE0,
        option_flags2: 0x03,
        type_flags: 0x20,
        option_flags3: 0x08,
        time_zone: -60,
        lcid: 0x0409,
        host_name: "host".into(),
        user_name: "sa".into(),
        password: "pässwörd😀".into(),
        app_name: "app".into(),
        server_name: "server,1433".into(),
        library_name: "lib".into(),
        language: "us_english".into(),
        database: "master".into(),
        client_id: [1, 2, 3, 4, 5, 6],
        sspi: vec![9; 300],
        attach_file: r"c:\a.mdf".into(),
        new_password: Some("next".into()),
        features: vec![
            Feature { id: feature::UTF8, data: vec![1] },
            Feature { id: 0x77, data: vec![] },
        ],
    }
}

fn without_new(login: &Login) -> Login {
    Login { option_flags3: login.option_flags3 & !0x11, ..login.clone() }
}

#[test]
fn the_example_of_the_specification_is_read_and_written() {
    let login = Login::parse(&EXAMPLE).unwrap();
    assert_eq!(TdsVersion::negotiate(login.tds_version), Ok(TdsVersion::V7_2));
    assert_eq!((login.packet_size, login.client_pid, login.lcid), (4096, 256, 0x409));
    assert_eq!((login.host_name.as_str(), login.user_name.as_str()), ("skostov1", "sa"));
    assert_eq!((login.app_name.as_str(), login.library_name.as_str()), ("OSQL-32", "ODBC"));
    assert_eq!(login.client_id, [0x00, 0x50, 0x8B, 0xE2, 0xB7, 0x8F]);
    assert!(login.has_ansi_defaults() && !login.wants_integrated_security());
    assert_eq!(login.to_bytes(), EXAMPLE);
}

#[test]
fn every_field_survives() {
    let login = full();
    let read = Login::parse(&login.to_bytes()).unwrap();
    assert_eq!(without_new(&read), without_new(&login));
    assert_eq!(read.feature(0x77), Some(&[][..]));
}

#[test]
fn passwords_are_hidden_as_every_client_hides_them() {
    let login = Login { password: "a".into(), ..full() };
    let bytes = login.to_bytes();
    let at = usize::from(u16::from_le_bytes([bytes[44], bytes[45]]));
    // 'a' is 0x61: nibbles swapped 0x16, xor 0xA5 0xB3; the zero byte gives 0xA5.
    assert_eq!(bytes[at..at + 2], [0xB3, 0xA5]);
    assert!(!format!("{login:?}").contains("next"));
}

#[test]
fn version_7_1_has_a_shorter_head() {
    let login = Login {
        tds_version: TdsVersion::V7_1.number(),
        new_password: None,
        features: vec![],
        ..full()
    };
    let bytes = login.to_bytes();
    assert_eq!(bytes[36], 86);
    assert_eq!(Login::parse(&bytes).unwrap(), login);
}

#[test]
fn long_sspi_messages_have_a_length_of_their_own() {
    let login = Login { sspi: vec![7; 70_000], features: vec![], new_password: None, ..full() };
    assert_eq!(Login::parse(&login.to_bytes()).unwrap().sspi.len(), 70_000);
}

#[test]
fn version_7_0_is_refused() {
    let mut bytes = EXAMPLE;
    bytes[4..8].copy_from_slice(&0x7000_0000u32.to_le_bytes());
    assert_eq!(Login::parse(&bytes), Err(ProtocolError::Version(0x7000_0000)));
}

#[test]
fn places_outside_the_message_are_refused() {
    for at in [36, 40, 44, 48, 52, 60, 64, 68] {
        let mut bytes = EXAMPLE;
        bytes[at..at + 4].copy_from_slice(&[0x80, 0, 20, 0]);
        assert_eq!(Login::parse(&bytes), Err(ProtocolError::Truncated), "at {at}");
        bytes[at..at + 4].copy_from_slice(&[0x60, 0, 129, 0]);
        assert!(Login::parse(&bytes).is_err(), "at {at}");
    }
    for cut in 0..EXAMPLE.len() {
        assert!(Login::parse(&EXAMPLE[..cut]).is_err());
    }
}

#[test]
fn only_what_was_asked_is_acknowledged_and_no_newer_version() {
    let asked = |features: &[(u8, &[u8])]| {
        let features =
            features.iter().map(|(id, data)| Feature { id: *id, data: data.to_vec() }).collect();
        acknowledged_features(&Login { features, ..Login::default() })
            .into_iter()
            .map(|f| (f.id, f.data))
            .collect::<Vec<_>>()
    };
    assert_eq!(asked(&[(0x01, &[]), (0x0E, &[1]), (0x0B, &[])]), []);
    assert_eq!(asked(&[(0x0D, &[1])]), [(0x0D, vec![1])]);
    assert_eq!(asked(&[(0x0D, &[2])]), [(0x0D, vec![1])]);
    assert_eq!(asked(&[(0x0D, &[0])]), []);
    assert_eq!(asked(&[(0x09, &[1]), (0x0A, &[1])]), [(0x09, vec![1, 1]), (0x0A, vec![1])]);
    assert_eq!(asked(&[(0x09, &[9])]), [(0x09, vec![2, 1])]);
    assert_eq!(asked(&[(0x09, &[0]), (0x09, &[])]), []);
}

proptest! {
    #[test]
    fn mutated_logins_do_no_harm(changes in prop::collection::vec((any::<u16>(), any::<u8>()), 1..8)) {
        let mut bytes = full().to_bytes();
        for (at, byte) in changes {
            let at = usize::from(at) % bytes.len();
            bytes[at] = byte;
        }
        let _ = Login::parse(&bytes);
    }
}
