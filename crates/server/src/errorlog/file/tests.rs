use env::sim::SimEnv;

use super::*;

const DIR: &str = "/data/log";

fn texts(env: &Env) -> Vec<String> {
    let read = |number| env.fs().read(&path_of(Path::new(DIR), number)).ok();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (0..10).map_while(read).map(text).collect()
}

#[test]
fn seven_files_are_kept() {
    let env = SimEnv::new(1).env();
    for start in 0..4 {
        let mut log = LogFile::open(&env, Path::new(DIR)).unwrap();
        assert!(log.write(&format!("start {start}\n")));
        log.cycle().unwrap();
        assert!(log.write(&format!("cycle {start}, ")) && log.write("again\n"));
    }
    let expected: Vec<String> = (0..4)
        .flat_map(|start| [format!("start {start}\n"), format!("cycle {start}, again\n")])
        .rev()
        .take(7)
        .collect();
    assert_eq!(texts(&env), expected);
}

#[test]
fn a_second_server_does_not_get_the_log_of_the_first() {
    let env = SimEnv::new(1).env();
    let mut first = LogFile::open(&env, Path::new(DIR)).unwrap();
    assert!(first.write("one\n"));
    assert!(LogFile::open(&env, Path::new(DIR)).is_err());
    assert_eq!(texts(&env), ["one\n"]);
}
