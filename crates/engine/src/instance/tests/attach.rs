//! Databases that are detached and attached while the power fails.

use super::super::{DetachedDatabase, Found};
use super::*;

impl Server {
    fn detach(&self, name: &str) -> Result<(), InstanceError> {
        let def = self.instance.find(name).expect("the test made it");
        self.instance.detach_database(&self.task, &self.owner, &def)
    }

    fn detached(&self, path: &str) -> Result<Option<DetachedDatabase>, InstanceError> {
        Ok(match self.instance.find_detached(path)? {
            Found::Detached(detached) => Some(*detached),
            _ => None,
        })
    }

    fn attach(&self, name: &str, path: &str) -> Result<Arc<Catalog>, InstanceError> {
        let detached = self.detached(path)?.expect("it is detached");
        let old = DatabaseDef::clone(&detached.described.def);
        self.instance.attach_database(&self.task, &self.owner, &detached, |id, directory| {
            DatabaseDef { id, directory, name: name.into(), ..old }
        })
    }

    /// The rows of table `T` of a database.
    fn rows(&self, name: &str) -> Vec<(i64, i64)> {
        let def = self.instance.find(name).expect("master knows it");
        let catalog = self.instance.catalog(def.id).expect("it is open");
        let schema = catalog.current();
        let table = schema.find_object(SchemaId::DBO, "T").expect("it was made");
        self.select(&catalog, table.id())
    }
}

const ROWS: [(i64, i64); 3] = [(1, 1), (2, 2), (3, 3)];

/// The power fails at every operation of a script that detaches a database and attaches it under
/// another name. Afterwards it is there under one name, or detached, and then it can be attached.
#[test]
fn a_crash_leaves_a_database_attached_or_detached() {
    let started = || {
        let (test_env, server) = TestEnv::started(21);
        let a = server.create_database("A").expect("the disk works");
        server.create_table(&a, "T", &[1, 2, 3]).expect("the disk works");
        (test_env, server)
    };
    let script = |server: &Server, done: &mut Vec<&'static str>| -> Result<(), InstanceError> {
        server.detach("A")?;
        done.push("detach");
        server.create_database("C")?;
        done.push("create C");
        server.attach("B", "A.mdf")?;
        done.push("attach");
        Ok(())
    };
    let (first, last) = {
        let (test_env, server) = started();
        let first = test_env.sim.fs().operations();
        script(&server, &mut Vec::new()).expect("the disk works");
        assert_eq!(server.rows("B"), ROWS);
        (first, test_env.sim.fs().operations())
    };
    let step = if std::env::var_os("CATALOG_SEEDS").is_some() { 1 } else { 3 };
    for at in (first..last).step_by(step) {
        let (test_env, server) = started();
        test_env.sim.fs().power_off_at(at);
        let mut done = Vec::new();
        let _ = script(&server, &mut done);
        let server = test_env.crash(server);
        let name = ["A", "B"].into_iter().find(|name| server.instance.find(name).is_some());
        assert!(name != Some("A") || !done.contains(&"detach"), "off at {at} after {done:?}");
        assert!(name == Some("B") || !done.contains(&"attach"), "off at {at} after {done:?}");
        let name = name.unwrap_or_else(|| {
            server.attach("D", "a.mdf").unwrap_or_else(|error| panic!("off at {at}: {error}"));
            "D"
        });
        let again = server.detached("A.mdf").expect("the disk works");
        assert!(again.is_none(), "off at {at}: it is there twice");
        assert_eq!(server.rows(name), ROWS, "off at {at} after {done:?}");
        let server = test_env.crash(server);
        assert_eq!(server.rows(name), ROWS, "off at {at} after {done:?}");
    }
}

#[test]
fn what_cannot_be_attached_stays_detached() {
    let (test_env, server) = TestEnv::started(22);
    let a = server.create_database("A").expect("the disk works");
    server.create_table(&a, "T", &[1, 2, 3]).expect("the disk works");
    drop(a);
    server.create_database("B").expect("the disk works");
    server.detach("A").expect("the disk works");
    let refused = server.attach("B", "A.mdf");
    assert!(matches!(refused, Err(InstanceError::Catalog(CatalogError::NameInUse { .. }))));
    test_env.sim.fs().inject(Fault::next(OpKind::Open, FaultKind::Io).on("/a-5-").after(2));
    assert!(server.attach("C", "A.mdf").is_err());
    test_env.sim.fs().clear_faults();
    assert!(server.instance.find("C").is_none());
    let server = test_env.crash(server);
    server.attach("C", "A.mdf").expect("the disk works");
    assert_eq!(server.rows("C"), ROWS);
}
