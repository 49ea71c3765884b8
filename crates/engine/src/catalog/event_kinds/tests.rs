use super::*;

#[test]
fn every_event_but_that_of_the_servers_configuration_is_in_a_group_that_is_there() {
    for kind in EVENT_KINDS {
        let is_root = ["ALTER_SERVER_CONFIGURATION", "DDL_EVENTS"].contains(&kind.name);
        let parent = event_kind_by_id(kind.parent).filter(|parent| parent.is_group());
        assert_eq!(parent.is_none(), is_root, "{}", kind.name);
    }
}

#[test]
fn numbers_and_names_find_their_kinds() {
    assert!(EVENT_KINDS.is_sorted_by_key(|kind| kind.id));
    for kind in EVENT_KINDS.iter().chain([&LOGON]) {
        assert_eq!(event_kind(kind.name), Some(kind));
        assert_eq!(event_kind_by_id(kind.id), Some(kind));
    }
    assert_eq!(event_kind("CREATE_SPACESHIP"), None);
}

#[test]
fn groups_stand_for_the_events_in_them() {
    let events = |name| {
        let all = event_kind(name).unwrap().events().map(|kind| kind.name);
        all.collect::<Vec<&str>>()
    };
    assert_eq!(events("CREATE_TABLE"), ["CREATE_TABLE"]);
    assert_eq!(events("DDL_TABLE_EVENTS"), ["CREATE_TABLE", "ALTER_TABLE", "DROP_TABLE"]);
    assert_eq!(events("DDL_TABLE_VIEW_EVENTS").len(), 3 + 3 + 3 + 8);
    assert!(event_kind("RENAME").unwrap().is_of_database());
    assert!(!event_kind("CREATE_LOGIN").unwrap().is_of_database());
}
