use super::*;

#[test]
fn sizes_are_counted_in_pages() {
    assert_eq!(pages(FileSize::Kilobytes(512)), 64);
    assert_eq!(pages(FileSize::Kilobytes(513)), 65);
    assert_eq!(pages(FileSize::Megabytes(8)), 1024);
    assert_eq!(pages(FileSize::Unlimited), -1);
    assert_eq!(pages(FileSize::Terabytes(u64::MAX)), i32::MAX);
}
