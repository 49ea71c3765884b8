use super::*;

#[test]
fn plans_are_read_as_they_were_written() {
    let outer = OuterValue { is_variable: true, name: "@v".into(), kind: TypeKind::NVarChar };
    let level = MethodQuery {
        receiver: "dbo.t.c.value()".into(),
        text: "/a[. = sql:variable(\"@v\")]".into(),
        outer: vec![outer],
    };
    let plan = MethodPlan {
        is_binary: true,
        of: Some(base::types::XmlUse { collection: 7, is_document: true }),
        target: "@x".into(),
        namespaces: vec![("".into(), "urn:a".into()), ("p".into(), "urn:é".into())],
        levels: vec![MethodQuery::default(), level],
    };
    let bytes = plan.encode();
    assert!(MethodPlan::is_binary(&bytes));
    assert_eq!(MethodPlan::decode(&bytes), Some(plan));
    for len in 0..bytes.len() {
        assert_eq!(MethodPlan::decode(&bytes[..len]), None, "{len}");
    }
}

#[test]
fn nodes_are_told_from_documents() {
    for (document, node) in [(0, 0), (1, 2), (u32::MAX, 5), (7, u32::MAX)] {
        assert_eq!(referred(node_reference(document, node)), (document, node));
    }
}
