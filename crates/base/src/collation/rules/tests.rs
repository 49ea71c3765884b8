use super::*;

/// R1: a change of the files needs another version.
#[test]
fn the_version_is_that_of_the_files() {
    let sum = |bytes: &[u8]| {
        bytes.iter().fold(0xCBF2_9CE4_8422_2325u64, |sum, byte| {
            (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3)
        })
    };
    assert_eq!(
        (DATA_VERSION, sum(ROOT), sum(TAILORED)),
        (1, 0x4C945F7EF70830A8, 0x4847BE94F49F2851)
    );
}
