use super::*;

#[test]
fn negotiation_takes_the_newest_common_version() {
    for version in TdsVersion::ALL {
        assert_eq!(TdsVersion::negotiate(version.number()), Ok(version));
    }
    assert_eq!(TdsVersion::negotiate(0x0800_0000), Ok(TdsVersion::V7_4));
    assert_eq!(TdsVersion::negotiate(0x7500_0000), Ok(TdsVersion::V7_4));
    assert_eq!(TdsVersion::negotiate(0x7100_0000), Ok(TdsVersion::V7_1));
    for refused in [0x7000_0000, 0x0700_0000, 0x0500_0000, 0, u32::MAX] {
        assert_eq!(TdsVersion::negotiate(refused), Err(ProtocolError::Version(refused)));
    }
}
