use super::*;
use env::sim::SimEnv;

fn spec(id: u8) -> FileSpec {
    FileSpec { id, path: "/a.tpg".into(), growth: Growth::default() }
}

#[test]
fn a_file_says_what_is_wrong_with_it() {
    let sim = SimEnv::new(1);
    let open = |id, database| DataFile::open(&sim.env(), &spec(id), database);
    assert!(matches!(open(1, 5), Err(ColdError::Missing { .. })));
    DataFile::create(&sim.env(), &spec(1), 5, 64).unwrap();
    assert_eq!(open(1, 5).unwrap().pages().unwrap(), 64);
    assert!(matches!(open(1, 6), Err(ColdError::Foreign { .. })));
    assert!(matches!(open(2, 5), Err(ColdError::Foreign { .. })));
    let path = Path::new("/a.tpg");
    sim.fs().flip_bit(path, 99).unwrap();
    open(1, 5).unwrap(); // the copy is whole
    sim.fs().flip_bit(path, COPY_OFFSET * 8 + 200).unwrap();
    assert!(matches!(open(1, 5), Err(ColdError::Damaged { .. })));
}

#[test]
fn a_later_version_is_refused_by_name() {
    let sim = SimEnv::new(1);
    let file = DataFile::create(&sim.env(), &spec(1), 5, 64).unwrap();
    let mut header = file.header(5);
    header[8..12].copy_from_slice(&9u32.to_le_bytes());
    header[12..16].fill(0);
    let checksum = crc32c::crc32c(&header);
    header[12..16].copy_from_slice(&checksum.to_le_bytes());
    file.file.write_all_at(&header, 0).unwrap();
    let opened = DataFile::open(&sim.env(), &spec(1), 5);
    assert!(matches!(opened, Err(ColdError::UnknownVersion { version: 9, .. })));
}

#[test]
fn what_is_read_and_written_is_counted_with_the_time_it_takes() {
    let sim = SimEnv::new(1);
    let file = DataFile::create(&sim.env(), &spec(1), 5, 64).unwrap();
    assert_eq!(file.activity(), FileActivity::default());
    let mut pages = AlignedBytes::new(3 * PAGE_BYTES);
    file.write(30, &pages).unwrap();
    file.sync().unwrap();
    let written = file.activity();
    assert_eq!((written.writes, written.written_bytes), (1, 3 * PAGE_BYTES as u64));
    assert!(written.write_ns > 0 && written.read_ns == 0, "{written:?}");
    file.read(30, &mut pages[..PAGE_BYTES]).unwrap();
    let read = file.activity();
    assert_eq!((read.reads, read.read_bytes), (1, PAGE_BYTES as u64));
    assert!(read.read_ns > 0 && read.write_ns == written.write_ns, "{read:?}");
}
