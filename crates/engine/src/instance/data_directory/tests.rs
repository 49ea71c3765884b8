use env::sim::SimEnv;

use super::*;

#[test]
fn what_was_written_is_read_back() {
    let sim = SimEnv::new(1);
    let env = sim.env();
    let data = DataDirectory::new(Path::new("/data"));
    env.fs().create_dir_all(data.root()).expect("an empty disk");
    assert!(matches!(data.read(&env), Err(InstanceError::NotInitialized(_))));
    let record = MasterRecord { uuid: 0xABC, collation: Collation::LATIN1_BIN2 };
    data.write(&env, &record).expect("an empty disk");
    assert_eq!(data.read(&env).expect("just written"), record);
}

#[test]
fn nonsense_is_refused() {
    let good = "thermocline instance 1\nmaster 0f\ncollation Latin1_General_BIN2\nend\n";
    assert!(parse(good.as_bytes()).is_ok());
    for (from, to) in [("1\n", "2\n"), ("0f", "xx"), ("BIN2", "BIN9"), ("end\n", "")] {
        assert!(parse(good.replacen(from, to, 1).as_bytes()).is_err(), "{from}");
    }
    assert!(parse(&[0xFF]).is_err());
}

#[test]
fn directory_names_are_harmless() {
    assert_eq!(directory_name("My ../DB!", DbId(7), 0x1234), "mydb-7-00001234");
}
