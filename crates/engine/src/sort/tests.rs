use std::io;

use env::sim::{SimEnv, SplitMix};

use super::*;

fn test_env() -> (SimEnv, Env) {
    let sim = SimEnv::new(3);
    let env = sim.env();
    env.fs().create_dir_all(Path::new("/data")).expect("the disk works");
    (sim, env)
}

fn all(mut sorted: Sorted) -> FileResult<Vec<(Vec<u8>, Vec<u8>)>> {
    let mut found = Vec::new();
    while let Some((key, value)) = sorted.next()? {
        found.push((key.to_vec(), value.to_vec()));
    }
    Ok(found)
}

#[test]
fn entries_come_out_in_order_however_many_runs_there_were() {
    // In memory; some runs; more runs than are merged at a time.
    for (count, bytes_max, ascending) in [
        (0, 1000, false),
        (50, 100_000, false),
        (2000, 3000, false),
        (4000, 1000, false),
        (900, 4000, true),
    ] {
        let (_sim, env) = test_env();
        let mut random = SplitMix::new(count);
        let mut sorter = Sorter::new(&env, Path::new("/data"), "some", bytes_max);
        let mut expected = Vec::new();
        for n in 0..count {
            let key = match ascending {
                true => n.to_be_bytes().to_vec(),
                false => random.next_u64().to_be_bytes()[..1 + n as usize % 8].to_vec(),
            };
            // Some values are longer than a block.
            let len = if n % 500 == 7 { 200_000 } else { n as usize % 30 };
            let value = vec![n as u8; len];
            sorter.push(&key, &value);
            expected.push((key, value));
            if sorter.is_full() {
                sorter.write_run().unwrap();
            }
        }
        let found = all(sorter.finish().unwrap()).unwrap();
        // Equal keys in the order in which they came.
        expected.sort_by(|a, b| a.0.cmp(&b.0));
        assert!(found == expected, "{count} entries, {bytes_max} bytes");
        assert_eq!(env.fs().list(Path::new("/data")).unwrap().len(), 0, "the file is gone");
    }
}

#[test]
fn a_file_that_changes_is_noticed_and_one_left_behind_removed() {
    let (_sim, env) = test_env();
    let dir = Path::new("/data");
    let mut sorter = Sorter::new(&env, dir, "some", 1000);
    for n in 0..100_u32 {
        sorter.push(&n.to_be_bytes(), &[n as u8; 100]);
        if sorter.is_full() {
            sorter.write_run().unwrap();
        }
    }
    let path = dir.join("some.sort");
    let file = env.fs().open(&path, env::OpenMode::Write).unwrap();
    file.write_all_at(&[1], 40).unwrap();
    let error = sorter.finish().and_then(all).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    env.fs().write_new(&path, b"left behind").unwrap();
    env.fs().write_new(&dir.join("rows.tpg"), b"kept").unwrap();
    remove_strays(&env, dir).unwrap();
    let names: Vec<_> = env.fs().list(dir).unwrap().into_iter().map(|e| e.name).collect();
    assert_eq!(names, ["rows.tpg"]);
}
