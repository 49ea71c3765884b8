use std::collections::BTreeMap;

use super::*;
use crate::catalog::definition::{Definition, DefinitionKey};
use crate::catalog::error::CatalogError;
use crate::catalog::rng::{Change, Rng};

const DATABASE: DbId = DbId(5);
const COLLATION: Collation = Collation(1);
const NOW: DateTime = DateTime { days: 45_000, ticks: 0 };

fn header(id: i32, name: &str) -> ObjectHeader {
    ObjectHeader {
        id: ObjectId(id),
        schema: SchemaId::DBO,
        name: name.into(),
        owner: None,
        created: NOW,
        modified: NOW,
        ms_shipped: false,
    }
}

fn constraint(id: i32, name: &str) -> ConstraintHeader {
    ConstraintHeader {
        id: ObjectId(id),
        name: name.into(),
        system_named: false,
        created: NOW,
        modified: NOW,
    }
}

fn table(id: i32, name: &str) -> TableDef {
    let mut table = TableDef::new(header(id, name), TableKind::Disk, TableRole::Table);
    let ty = base::SqlType::int();
    table.columns.push(ColumnDef::new(ColumnId(1), "id".into(), ty, UserTypeId(56)));
    table
}

fn foreign_key(id: i32, name: &str, referenced: i32) -> ForeignKeyDef {
    ForeignKeyDef {
        header: constraint(id, name),
        columns: vec![ForeignKeyColumn { own: ColumnId(1), referenced: ColumnId(1) }],
        referenced: ObjectId(referenced),
        referenced_index: IndexId(1),
        on_delete: ReferentialAction::NoAction,
        on_update: ReferentialAction::NoAction,
        disabled: false,
        not_for_replication: false,
        not_trusted: false,
    }
}

fn trigger(id: i32, name: &str, parent: i32) -> ModuleDef {
    let kind = ModuleKind::Trigger(TriggerDef {
        parent: ObjectId(parent),
        events: Vec::new(),
        instead_of: false,
        disabled: false,
        not_for_replication: false,
    });
    ModuleDef::new(header(id, name), kind, "create trigger".into())
}

fn reference(id: i32, schema_bound: bool) -> Reference {
    Reference {
        class: ReferenceClass::Object,
        server: None,
        database: None,
        schema: None,
        name: "x".into(),
        id: Some(id),
        column: None,
        schema_bound,
        caller_dependent: false,
        ambiguous: false,
    }
}

fn put_table(schema: &mut Schema, table: TableDef) -> Result<(), CatalogError> {
    schema.put(Definition::Object(ObjectDef::Table(Arc::new(table))))
}

fn put_module(schema: &mut Schema, module: ModuleDef) {
    let definition = Definition::Object(ObjectDef::Module(Arc::new(module)));
    schema.put(definition).expect("the name is free");
}

#[test]
fn names_are_found_whatever_their_case_first_in_the_default_schema_then_in_dbo() {
    let mut schema = Schema::new(DATABASE, COLLATION);
    put_table(&mut schema, table(10, "Orders")).unwrap();
    let mut other = table(11, "orders");
    other.header.schema = SchemaId(5);
    put_table(&mut schema, other).unwrap();
    let id = |found: Option<Object<'_>>| found.map(|o| o.id().0);
    assert_eq!(id(schema.find_object(SchemaId::DBO, "ORDERS")), Some(10));
    assert_eq!(id(schema.find_object(SchemaId::DBO, "orders  ")), Some(10));
    assert_eq!(id(schema.resolve_object(SchemaId(5), "Orders")), Some(11));
    assert_eq!(id(schema.resolve_object(SchemaId(6), "Orders")), Some(10));
    assert_eq!(id(schema.resolve_object(SchemaId::DBO, "Order")), None);
}

#[test]
fn constraints_share_the_names_of_objects() {
    let mut schema = Schema::new(DATABASE, COLLATION);
    let mut orders = table(10, "Orders");
    orders.foreign_keys.push(foreign_key(12, "FK_Orders", 10));
    put_table(&mut schema, orders.clone()).unwrap();
    let Some(Object::Constraint { table, kind, header }) =
        schema.find_object(SchemaId::DBO, "fk_orders")
    else {
        panic!("the constraint has a name");
    };
    assert_eq!((table.id().0, kind, header.id.0), (10, ObjectKind::ForeignKey, 12));
    let before = schema.clone();
    let clash = put_table(&mut schema, self::table(13, "FK_ORDERS"));
    assert!(matches!(clash, Err(CatalogError::NameInUse { .. })));
    assert_eq!(schema, before);
    // The table itself may keep its names, and gives them up when they are dropped.
    put_table(&mut schema, orders.clone()).unwrap();
    orders.foreign_keys.clear();
    put_table(&mut schema, orders).unwrap();
    put_table(&mut schema, self::table(13, "FK_ORDERS")).unwrap();
}

#[test]
fn one_table_cannot_use_a_name_twice() {
    let mut schema = Schema::new(DATABASE, COLLATION);
    let mut orders = table(10, "Orders");
    orders.foreign_keys.push(foreign_key(12, "orders", 10));
    assert!(put_table(&mut schema, orders).is_err());
    assert_eq!(schema, Schema::new(DATABASE, COLLATION));
}

#[test]
fn a_foreign_key_or_trigger_changes_the_table_it_points_to() {
    let mut schema = Schema::new(DATABASE, COLLATION);
    schema.set_version(1);
    put_table(&mut schema, table(10, "Parent")).unwrap();
    put_table(&mut schema, table(20, "Bystander")).unwrap();
    schema.set_version(2);
    let mut child = table(11, "Child");
    child.foreign_keys.push(foreign_key(12, "FK", 10));
    put_table(&mut schema, child.clone()).unwrap();
    let expected = IncomingKey { constraint: ObjectId(12), table: ObjectId(11) };
    assert_eq!(schema.table(ObjectId(10)).unwrap().referenced_by, [expected]);
    assert_eq!(schema.object_version(ObjectId(10)), Some(2));
    schema.set_version(3);
    put_module(&mut schema, trigger(13, "TR", 10));
    assert_eq!(schema.table(ObjectId(10)).unwrap().triggers, [ObjectId(13)]);
    // A change of the child that leaves its key alone does not concern the parent.
    schema.set_version(4);
    child.row_cached = true;
    put_table(&mut schema, child).unwrap();
    assert_eq!(schema.object_version(ObjectId(11)), Some(4));
    assert_eq!(schema.object_version(ObjectId(10)), Some(3));
    schema.remove(DefinitionKey::Object(ObjectId(11)));
    schema.remove(DefinitionKey::Object(ObjectId(13)));
    assert!(schema.table(ObjectId(10)).unwrap().referenced_by.is_empty());
    assert!(schema.table(ObjectId(10)).unwrap().triggers.is_empty());
    assert_eq!(schema.object_version(ObjectId(20)), Some(1));
}

#[test]
fn an_indexed_view_is_known_to_its_tables_and_takes_one_name() {
    let mut schema = Schema::new(DATABASE, COLLATION);
    let (base, view, id) = (ObjectId(10), ObjectId(20), ObjectId(30));
    put_table(&mut schema, table(base.0, "t")).unwrap();
    let kind = ModuleKind::View { columns: Vec::new(), with_check_option: false };
    put_module(&mut schema, ModuleDef::new(header(view.0, "v"), kind, "".into()));
    let rows_of = Some(ViewRowsDef { view, tables: vec![base] });
    let rows = TableDef { role: TableRole::Internal, rows_of, ..table(id.0, "v") };
    put_table(&mut schema, rows).unwrap();
    let known = |schema: &Schema| {
        let views = schema.table(base).unwrap().indexed_views.clone();
        (views, schema.module(view).unwrap().rows)
    };
    assert_eq!(known(&schema), (vec![id], Some(id)));
    assert_eq!(schema.find_object(SchemaId::DBO, "v").unwrap().id(), view);
    schema.remove(DefinitionKey::Object(id));
    assert_eq!(known(&schema), (Vec::new(), None));
    assert_eq!(schema.find_object(SchemaId::DBO, "v").unwrap().id(), view);
}

#[test]
fn users_of_an_object_are_found_with_their_binding() {
    let mut schema = Schema::new(DATABASE, COLLATION);
    put_table(&mut schema, table(10, "T")).unwrap();
    let mut view = trigger(20, "V", 10);
    view.kind = ModuleKind::View { columns: Vec::new(), with_check_option: false };
    view.references = vec![reference(10, false)];
    put_module(&mut schema, view.clone());
    assert!(schema.first_bound_user(ObjectId(10)).is_none());
    assert_eq!(schema.users_of(ObjectId(10)).count(), 1);
    view.references.push(Reference { column: Some(ColumnId(1)), ..reference(10, true) });
    put_module(&mut schema, view);
    let bound = schema.first_bound_user(ObjectId(10)).map(|o| o.name().to_string());
    assert_eq!(bound.as_deref(), Some("V"));
    assert_eq!(schema.modules_using_column(ObjectId(10), ColumnId(1)).count(), 1);
    assert_eq!(schema.modules_using_column(ObjectId(10), ColumnId(2)).count(), 0);
}

#[test]
fn columns_and_parameters_use_their_types() {
    let mut schema = Schema::new(DATABASE, COLLATION);
    let mut t = table(10, "T");
    t.columns[0].user_type = UserTypeId(300);
    put_table(&mut schema, t).unwrap();
    let users: Vec<User> = schema.users_of_type(UserTypeId(300)).collect();
    let expected = User { object: ObjectId(10), column: Some(ColumnId(1)), bound: true };
    assert_eq!(users, [expected]);
    assert_eq!(schema.users_of_type(UserTypeId(56)).count(), 0, "built-in types are not counted");
}

#[test]
fn objects_are_listed_by_id_and_by_schema() {
    let mut schema = Schema::new(DATABASE, COLLATION);
    for (id, owner) in [(30, 1), (-5, 5), (10, 1), (20, 5)] {
        let mut t = table(id, &format!("t{id}"));
        t.header.schema = SchemaId(owner);
        put_table(&mut schema, t).unwrap();
    }
    let all: Vec<i32> = schema.objects().map(|o| o.header().id.0).collect();
    assert_eq!(all, [-5, 10, 20, 30]);
    let mut of_five: Vec<i32> = schema.objects_in(SchemaId(5)).map(|o| o.id().0).collect();
    of_five.sort_unstable();
    assert_eq!(of_five, [-5, 20]);
    assert_eq!(schema.objects_in(SchemaId(2)).count(), 0);
}

/// Invariant S2 over random changes: the schema built from the stored definitions alone, in any
/// order, equals the one that was changed step by step.
#[test]
fn a_schema_equals_the_one_built_from_its_definitions() {
    for seed in 0..30 {
        let mut rng = Rng::new(seed);
        let mut schema = Schema::new(DATABASE, COLLATION);
        let mut model: BTreeMap<DefinitionKey, Definition> = BTreeMap::new();
        let mut last = 100;
        for step in 0..150 {
            let mut next = || {
                last += 1;
                ObjectId(last)
            };
            let change = rng.change(&schema, &mut next);
            schema.set_version(step);
            match change {
                Change::Put(definition) => {
                    schema.put(definition.clone()).expect("the names are new");
                    model.insert(definition.key(), definition);
                }
                Change::Remove(key) => {
                    schema.remove(key);
                    model.remove(&key);
                }
            }
            if step % 10 == 0 {
                let built = |definitions: Vec<Definition>| {
                    Schema::from_definitions(DATABASE, COLLATION, definitions).expect("distinct")
                };
                assert_eq!(built(model.values().cloned().collect()), schema, "seed {seed}");
                assert_eq!(built(model.values().rev().cloned().collect()), schema, "seed {seed}");
            }
        }
        assert_eq!(schema.definitions().count(), model.len(), "seed {seed}");
    }
}
