//! Texts are read, and names found.

use tsql::ast::{Module, StatementKind};

use super::*;

#[test]
fn every_text_is_one_create_procedure_of_its_name() {
    for procedure in all() {
        let text = &procedure.definition;
        let parts = ["$name$", "$types$", "$shape$", "$legacy$", "$extra$", "$scope$"];
        assert!(!parts.iter().any(|part| text.contains(part)), "{}: a part is missing", text);
        let batch = match tsql::parse_batch(text, tsql::ParseOptions { quoted_identifier: true }) {
            Ok(batch) => batch,
            Err(error) => panic!("{}: {error:?}\n{text}", procedure.name),
        };
        assert_eq!(batch.statements.len(), 1, "{}", procedure.name);
        let StatementKind::Module(module) = &batch.statements[0].kind else {
            panic!("{}: {:?}", procedure.name, batch.statements[0].kind);
        };
        let Module::Procedure(create) = &module.module else { panic!("{}", procedure.name) };
        assert_eq!(&*create.name.name.name, procedure.name);
    }
}

#[test]
fn procedures_are_found_by_name_in_any_case_and_by_id() {
    let tables = find("SP_Tables").unwrap();
    assert_eq!(tables.name, "sp_tables");
    assert_eq!(find_by_id(tables.id).unwrap().name, "sp_tables");
    assert!(find("sp_nothing").is_none());
    assert!(find_by_id(ObjectId(0)).is_none());
    assert!(find_by_id(ObjectId(i32::MIN)).is_none());
}
