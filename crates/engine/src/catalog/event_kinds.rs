//! The events that triggers on databases and on the server wait for, and the groups that they are
//! in, with SQL Server's names and numbers.

/// An event, or a group of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventKind {
    /// `type` in `sys.trigger_event_types`.
    pub id: i32,
    /// The name by which `CREATE TRIGGER` calls it.
    pub name: &'static str,
    /// The group that it is in; 0 for none.
    pub parent: i32,
}

/// The first number of a group.
const FIRST_GROUP: i32 = 10_001;
/// The group of everything that happens in a database.
const DATABASE_LEVEL: i32 = 10_016;

/// `LOGON`, which is no event of the catalog and in no group.
pub static LOGON: EventKind = kind(147, "LOGON", 0);

const fn kind(id: i32, name: &'static str, parent: i32) -> EventKind {
    EventKind { id, name, parent }
}

/// All of them but `LOGON`, by ascending number.
pub static EVENT_KINDS: &[EventKind] = &[
    kind(21, "CREATE_TABLE", 10018),
    kind(22, "ALTER_TABLE", 10018),
    kind(23, "DROP_TABLE", 10018),
    kind(24, "CREATE_INDEX", 10020),
    kind(25, "ALTER_INDEX", 10020),
    kind(26, "DROP_INDEX", 10020),
    kind(27, "CREATE_STATISTICS", 10021),
    kind(28, "UPDATE_STATISTICS", 10021),
    kind(29, "DROP_STATISTICS", 10021),
    kind(34, "CREATE_SYNONYM", 10022),
    kind(36, "DROP_SYNONYM", 10022),
    kind(41, "CREATE_VIEW", 10019),
    kind(42, "ALTER_VIEW", 10019),
    kind(43, "DROP_VIEW", 10019),
    kind(51, "CREATE_PROCEDURE", 10024),
    kind(52, "ALTER_PROCEDURE", 10024),
    kind(53, "DROP_PROCEDURE", 10024),
    kind(61, "CREATE_FUNCTION", 10023),
    kind(62, "ALTER_FUNCTION", 10023),
    kind(63, "DROP_FUNCTION", 10023),
    kind(71, "CREATE_TRIGGER", 10025),
    kind(72, "ALTER_TRIGGER", 10025),
    kind(73, "DROP_TRIGGER", 10025),
    kind(74, "CREATE_EVENT_NOTIFICATION", 10026),
    kind(76, "DROP_EVENT_NOTIFICATION", 10026),
    kind(91, "CREATE_TYPE", 10028),
    kind(93, "DROP_TYPE", 10028),
    kind(101, "CREATE_ASSEMBLY", 10027),
    kind(102, "ALTER_ASSEMBLY", 10027),
    kind(103, "DROP_ASSEMBLY", 10027),
    kind(131, "CREATE_USER", 10031),
    kind(132, "ALTER_USER", 10031),
    kind(133, "DROP_USER", 10031),
    kind(134, "CREATE_ROLE", 10032),
    kind(135, "ALTER_ROLE", 10032),
    kind(136, "DROP_ROLE", 10032),
    kind(137, "CREATE_APPLICATION_ROLE", 10033),
    kind(138, "ALTER_APPLICATION_ROLE", 10033),
    kind(139, "DROP_APPLICATION_ROLE", 10033),
    kind(141, "CREATE_SCHEMA", 10034),
    kind(142, "ALTER_SCHEMA", 10034),
    kind(143, "DROP_SCHEMA", 10034),
    kind(144, "CREATE_LOGIN", 10006),
    kind(145, "ALTER_LOGIN", 10006),
    kind(146, "DROP_LOGIN", 10006),
    kind(151, "CREATE_MESSAGE_TYPE", 10042),
    kind(152, "ALTER_MESSAGE_TYPE", 10042),
    kind(153, "DROP_MESSAGE_TYPE", 10042),
    kind(154, "CREATE_CONTRACT", 10043),
    kind(156, "DROP_CONTRACT", 10043),
    kind(157, "CREATE_QUEUE", 10044),
    kind(158, "ALTER_QUEUE", 10044),
    kind(159, "DROP_QUEUE", 10044),
    kind(161, "CREATE_SERVICE", 10045),
    kind(162, "ALTER_SERVICE", 10045),
    kind(163, "DROP_SERVICE", 10045),
    kind(164, "CREATE_ROUTE", 10046),
    kind(165, "ALTER_ROUTE", 10046),
    kind(166, "DROP_ROUTE", 10046),
    kind(167, "GRANT_SERVER", 10007),
    kind(168, "DENY_SERVER", 10007),
    kind(169, "REVOKE_SERVER", 10007),
    kind(170, "GRANT_DATABASE", 10035),
    kind(171, "DENY_DATABASE", 10035),
    kind(172, "REVOKE_DATABASE", 10035),
    kind(174, "CREATE_REMOTE_SERVICE_BINDING", 10047),
    kind(175, "ALTER_REMOTE_SERVICE_BINDING", 10047),
    kind(176, "DROP_REMOTE_SERVICE_BINDING", 10047),
    kind(177, "CREATE_XML_SCHEMA_COLLECTION", 10048),
    kind(178, "ALTER_XML_SCHEMA_COLLECTION", 10048),
    kind(179, "DROP_XML_SCHEMA_COLLECTION", 10048),
    kind(181, "CREATE_ENDPOINT", 10003),
    kind(182, "ALTER_ENDPOINT", 10003),
    kind(183, "DROP_ENDPOINT", 10003),
    kind(191, "CREATE_PARTITION_FUNCTION", 10050),
    kind(192, "ALTER_PARTITION_FUNCTION", 10050),
    kind(193, "DROP_PARTITION_FUNCTION", 10050),
    kind(194, "CREATE_PARTITION_SCHEME", 10051),
    kind(195, "ALTER_PARTITION_SCHEME", 10051),
    kind(196, "DROP_PARTITION_SCHEME", 10051),
    kind(197, "CREATE_CERTIFICATE", 10030),
    kind(198, "ALTER_CERTIFICATE", 10030),
    kind(199, "DROP_CERTIFICATE", 10030),
    kind(201, "CREATE_DATABASE", 10004),
    kind(202, "ALTER_DATABASE", 10004),
    kind(203, "DROP_DATABASE", 10004),
    kind(204, "ALTER_AUTHORIZATION_SERVER", 10008),
    kind(205, "ALTER_AUTHORIZATION_DATABASE", 10036),
    kind(206, "CREATE_XML_INDEX", 10020),
    kind(207, "ADD_ROLE_MEMBER", 10032),
    kind(208, "DROP_ROLE_MEMBER", 10032),
    kind(209, "ADD_SERVER_ROLE_MEMBER", 10005),
    kind(210, "DROP_SERVER_ROLE_MEMBER", 10005),
    kind(211, "ALTER_EXTENDED_PROPERTY", 10053),
    kind(212, "ALTER_FULLTEXT_CATALOG", 10054),
    kind(213, "ALTER_FULLTEXT_INDEX", 10020),
    kind(214, "ALTER_INSTANCE", 10002),
    kind(215, "ALTER_MESSAGE", 10014),
    kind(216, "ALTER_PLAN_GUIDE", 10055),
    kind(217, "ALTER_REMOTE_SERVER", 10015),
    kind(218, "BIND_DEFAULT", 10052),
    kind(219, "BIND_RULE", 10056),
    kind(220, "CREATE_DEFAULT", 10052),
    kind(221, "CREATE_EXTENDED_PROCEDURE", 10011),
    kind(222, "CREATE_EXTENDED_PROPERTY", 10053),
    kind(223, "CREATE_FULLTEXT_CATALOG", 10054),
    kind(224, "CREATE_FULLTEXT_INDEX", 10020),
    kind(225, "CREATE_LINKED_SERVER", 10012),
    kind(226, "CREATE_LINKED_SERVER_LOGIN", 10013),
    kind(227, "CREATE_MESSAGE", 10014),
    kind(228, "CREATE_PLAN_GUIDE", 10055),
    kind(229, "CREATE_RULE", 10056),
    kind(230, "CREATE_REMOTE_SERVER", 10015),
    kind(231, "DROP_DEFAULT", 10052),
    kind(232, "DROP_EXTENDED_PROCEDURE", 10011),
    kind(233, "DROP_EXTENDED_PROPERTY", 10053),
    kind(234, "DROP_FULLTEXT_CATALOG", 10054),
    kind(235, "DROP_FULLTEXT_INDEX", 10020),
    kind(236, "DROP_LINKED_SERVER_LOGIN", 10013),
    kind(237, "DROP_MESSAGE", 10014),
    kind(238, "DROP_PLAN_GUIDE", 10055),
    kind(239, "DROP_RULE", 10056),
    kind(240, "DROP_REMOTE_SERVER", 10015),
    kind(241, "RENAME", 10016),
    kind(242, "UNBIND_DEFAULT", 10052),
    kind(243, "UNBIND_RULE", 10056),
    kind(244, "CREATE_SYMMETRIC_KEY", 10037),
    kind(245, "ALTER_SYMMETRIC_KEY", 10037),
    kind(246, "DROP_SYMMETRIC_KEY", 10037),
    kind(247, "CREATE_ASYMMETRIC_KEY", 10038),
    kind(248, "ALTER_ASYMMETRIC_KEY", 10038),
    kind(249, "DROP_ASYMMETRIC_KEY", 10038),
    kind(251, "ALTER_SERVICE_MASTER_KEY", 10010),
    kind(252, "CREATE_MASTER_KEY", 10040),
    kind(253, "ALTER_MASTER_KEY", 10040),
    kind(254, "DROP_MASTER_KEY", 10040),
    kind(255, "ADD_SIGNATURE_SCHEMA_OBJECT", 10039),
    kind(256, "DROP_SIGNATURE_SCHEMA_OBJECT", 10039),
    kind(257, "ADD_SIGNATURE", 10039),
    kind(258, "DROP_SIGNATURE", 10039),
    kind(259, "CREATE_CREDENTIAL", 10009),
    kind(260, "ALTER_CREDENTIAL", 10009),
    kind(261, "DROP_CREDENTIAL", 10009),
    kind(262, "DROP_LINKED_SERVER", 10012),
    kind(263, "ALTER_LINKED_SERVER", 10012),
    kind(264, "CREATE_EVENT_SESSION", 10057),
    kind(265, "ALTER_EVENT_SESSION", 10057),
    kind(266, "DROP_EVENT_SESSION", 10057),
    kind(267, "CREATE_RESOURCE_POOL", 10059),
    kind(268, "ALTER_RESOURCE_POOL", 10059),
    kind(269, "DROP_RESOURCE_POOL", 10059),
    kind(270, "CREATE_WORKLOAD_GROUP", 10060),
    kind(271, "ALTER_WORKLOAD_GROUP", 10060),
    kind(272, "DROP_WORKLOAD_GROUP", 10060),
    kind(273, "ALTER_RESOURCE_GOVERNOR_CONFIG", 10058),
    kind(274, "CREATE_SPATIAL_INDEX", 10020),
    kind(275, "CREATE_CRYPTOGRAPHIC_PROVIDER", 10061),
    kind(276, "ALTER_CRYPTOGRAPHIC_PROVIDER", 10061),
    kind(277, "DROP_CRYPTOGRAPHIC_PROVIDER", 10061),
    kind(278, "CREATE_DATABASE_ENCRYPTION_KEY", 10062),
    kind(279, "ALTER_DATABASE_ENCRYPTION_KEY", 10062),
    kind(280, "DROP_DATABASE_ENCRYPTION_KEY", 10062),
    kind(281, "CREATE_BROKER_PRIORITY", 10063),
    kind(282, "ALTER_BROKER_PRIORITY", 10063),
    kind(283, "DROP_BROKER_PRIORITY", 10063),
    kind(284, "CREATE_SERVER_AUDIT", 10064),
    kind(285, "ALTER_SERVER_AUDIT", 10064),
    kind(286, "DROP_SERVER_AUDIT", 10064),
    kind(287, "CREATE_SERVER_AUDIT_SPECIFICATION", 10065),
    kind(288, "ALTER_SERVER_AUDIT_SPECIFICATION", 10065),
    kind(289, "DROP_SERVER_AUDIT_SPECIFICATION", 10065),
    kind(290, "CREATE_DATABASE_AUDIT_SPECIFICATION", 10066),
    kind(291, "ALTER_DATABASE_AUDIT_SPECIFICATION", 10066),
    kind(292, "DROP_DATABASE_AUDIT_SPECIFICATION", 10066),
    kind(293, "CREATE_FULLTEXT_STOPLIST", 10067),
    kind(294, "ALTER_FULLTEXT_STOPLIST", 10067),
    kind(295, "DROP_FULLTEXT_STOPLIST", 10067),
    kind(296, "ALTER_SERVER_CONFIGURATION", 0),
    kind(297, "CREATE_SEARCH_PROPERTY_LIST", 10069),
    kind(298, "ALTER_SEARCH_PROPERTY_LIST", 10069),
    kind(299, "DROP_SEARCH_PROPERTY_LIST", 10069),
    kind(300, "CREATE_SERVER_ROLE", 10005),
    kind(301, "ALTER_SERVER_ROLE", 10005),
    kind(302, "DROP_SERVER_ROLE", 10005),
    kind(303, "CREATE_SEQUENCE", 10070),
    kind(304, "ALTER_SEQUENCE", 10070),
    kind(305, "DROP_SEQUENCE", 10070),
    kind(306, "CREATE_AVAILABILITY_GROUP", 10071),
    kind(307, "ALTER_AVAILABILITY_GROUP", 10071),
    kind(308, "DROP_AVAILABILITY_GROUP", 10071),
    kind(327, "ADD_SENSITIVITY_CLASSIFICATION", 10078),
    kind(328, "DROP_SENSITIVITY_CLASSIFICATION", 10078),
    kind(10001, "DDL_EVENTS", 0),
    kind(10002, "DDL_SERVER_LEVEL_EVENTS", 10001),
    kind(10003, "DDL_ENDPOINT_EVENTS", 10002),
    kind(10004, "DDL_DATABASE_EVENTS", 10002),
    kind(10005, "DDL_SERVER_SECURITY_EVENTS", 10002),
    kind(10006, "DDL_LOGIN_EVENTS", 10005),
    kind(10007, "DDL_GDR_SERVER_EVENTS", 10005),
    kind(10008, "DDL_AUTHORIZATION_SERVER_EVENTS", 10005),
    kind(10009, "DDL_CREDENTIAL_EVENTS", 10005),
    kind(10010, "DDL_SERVICE_MASTER_KEY_EVENTS", 10005),
    kind(10011, "DDL_EXTENDED_PROCEDURE_EVENTS", 10002),
    kind(10012, "DDL_LINKED_SERVER_EVENTS", 10002),
    kind(10013, "DDL_LINKED_SERVER_LOGIN_EVENTS", 10012),
    kind(10014, "DDL_MESSAGE_EVENTS", 10002),
    kind(10015, "DDL_REMOTE_SERVER_EVENTS", 10002),
    kind(10016, "DDL_DATABASE_LEVEL_EVENTS", 10001),
    kind(10017, "DDL_TABLE_VIEW_EVENTS", 10016),
    kind(10018, "DDL_TABLE_EVENTS", 10017),
    kind(10019, "DDL_VIEW_EVENTS", 10017),
    kind(10020, "DDL_INDEX_EVENTS", 10017),
    kind(10021, "DDL_STATISTICS_EVENTS", 10017),
    kind(10022, "DDL_SYNONYM_EVENTS", 10016),
    kind(10023, "DDL_FUNCTION_EVENTS", 10016),
    kind(10024, "DDL_PROCEDURE_EVENTS", 10016),
    kind(10025, "DDL_TRIGGER_EVENTS", 10016),
    kind(10026, "DDL_EVENT_NOTIFICATION_EVENTS", 10016),
    kind(10027, "DDL_ASSEMBLY_EVENTS", 10016),
    kind(10028, "DDL_TYPE_EVENTS", 10016),
    kind(10029, "DDL_DATABASE_SECURITY_EVENTS", 10016),
    kind(10030, "DDL_CERTIFICATE_EVENTS", 10029),
    kind(10031, "DDL_USER_EVENTS", 10029),
    kind(10032, "DDL_ROLE_EVENTS", 10029),
    kind(10033, "DDL_APPLICATION_ROLE_EVENTS", 10029),
    kind(10034, "DDL_SCHEMA_EVENTS", 10029),
    kind(10035, "DDL_GDR_DATABASE_EVENTS", 10029),
    kind(10036, "DDL_AUTHORIZATION_DATABASE_EVENTS", 10029),
    kind(10037, "DDL_SYMMETRIC_KEY_EVENTS", 10029),
    kind(10038, "DDL_ASYMMETRIC_KEY_EVENTS", 10029),
    kind(10039, "DDL_CRYPTO_SIGNATURE_EVENTS", 10029),
    kind(10040, "DDL_MASTER_KEY_EVENTS", 10029),
    kind(10041, "DDL_SSB_EVENTS", 10016),
    kind(10042, "DDL_MESSAGE_TYPE_EVENTS", 10041),
    kind(10043, "DDL_CONTRACT_EVENTS", 10041),
    kind(10044, "DDL_QUEUE_EVENTS", 10041),
    kind(10045, "DDL_SERVICE_EVENTS", 10041),
    kind(10046, "DDL_ROUTE_EVENTS", 10041),
    kind(10047, "DDL_REMOTE_SERVICE_BINDING_EVENTS", 10041),
    kind(10048, "DDL_XML_SCHEMA_COLLECTION_EVENTS", 10016),
    kind(10049, "DDL_PARTITION_EVENTS", 10016),
    kind(10050, "DDL_PARTITION_FUNCTION_EVENTS", 10049),
    kind(10051, "DDL_PARTITION_SCHEME_EVENTS", 10049),
    kind(10052, "DDL_DEFAULT_EVENTS", 10016),
    kind(10053, "DDL_EXTENDED_PROPERTY_EVENTS", 10016),
    kind(10054, "DDL_FULLTEXT_CATALOG_EVENTS", 10016),
    kind(10055, "DDL_PLAN_GUIDE_EVENTS", 10016),
    kind(10056, "DDL_RULE_EVENTS", 10016),
    kind(10057, "DDL_EVENT_SESSION_EVENTS", 10002),
    kind(10058, "DDL_RESOURCE_GOVERNOR_EVENTS", 10002),
    kind(10059, "DDL_RESOURCE_POOL", 10058),
    kind(10060, "DDL_WORKLOAD_GROUP", 10058),
    kind(10061, "DDL_CRYPTOGRAPHIC_PROVIDER_EVENTS", 10005),
    kind(10062, "DDL_DATABASE_ENCRYPTION_KEY_EVENTS", 10029),
    kind(10063, "DDL_BROKER_PRIORITY_EVENTS", 10041),
    kind(10064, "DDL_SERVER_AUDIT_EVENTS", 10005),
    kind(10065, "DDL_SERVER_AUDIT_SPECIFICATION_EVENTS", 10005),
    kind(10066, "DDL_DATABASE_AUDIT_SPECIFICATION_EVENTS", 10029),
    kind(10067, "DDL_FULLTEXT_STOPLIST_EVENTS", 10016),
    kind(10069, "DDL_SEARCH_PROPERTY_LIST_EVENTS", 10016),
    kind(10070, "DDL_SEQUENCE_EVENTS", 10016),
    kind(10071, "DDL_AVAILABILITY_GROUP_EVENTS", 10002),
    kind(10078, "DDL_SENSITIVITY_EVENTS", 10016),
];

/// An event or group by its name in upper case, `LOGON` included.
pub fn event_kind(name: &str) -> Option<&'static EventKind> {
    if name == LOGON.name {
        return Some(&LOGON);
    }
    EVENT_KINDS.iter().find(|kind| kind.name == name)
}

/// An event or group by its number, `LOGON` included.
pub fn event_kind_by_id(id: i32) -> Option<&'static EventKind> {
    if id == LOGON.id {
        return Some(&LOGON);
    }
    let at = EVENT_KINDS.binary_search_by_key(&id, |kind| kind.id).ok()?;
    Some(&EVENT_KINDS[at])
}

impl EventKind {
    /// Whether it is a group.
    pub fn is_group(&self) -> bool {
        self.id >= FIRST_GROUP
    }

    /// Whether it is this group or in it, directly or not.
    pub fn is_in(&self, group: i32) -> bool {
        let mut at = Some(self);
        while let Some(kind) = at {
            if kind.id == group {
                return true;
            }
            at = event_kind_by_id(kind.parent);
        }
        false
    }

    /// Whether it happens in a database, so that triggers on a database may wait for it.
    pub fn is_of_database(&self) -> bool {
        self.is_in(DATABASE_LEVEL)
    }

    /// The events that it stands for: itself, or those in the group.
    pub fn events(&'static self) -> impl Iterator<Item = &'static EventKind> {
        let itself = (!self.is_group()).then_some(self);
        let own = EVENT_KINDS.iter().filter(|kind| !kind.is_group() && kind.is_in(self.id));
        let own = own.filter(|_| self.is_group());
        itself.into_iter().chain(own)
    }
}

#[cfg(test)]
mod tests;
