use super::*;

fn node(text: &str) -> Vec<u8> {
    parse(text).unwrap()
}

fn shown(node: SqlResult<Vec<u8>>) -> String {
    text(&node.unwrap()).unwrap()
}

#[test]
fn bytes_are_those_of_the_specification() {
    let known: [(&str, &[u8]); 9] = [
        ("/", &[]),
        ("/1/", &[0x58]),
        ("/2/", &[0x68]),
        ("/1/1/", &[0x5A, 0xC0]),
        ("/1.1/", &[0x62, 0xC0]),
        ("/-1/", &[0x3F, 0x80]),
        ("/4/", &[0x84]),
        ("/8/", &[0xA2]),
        ("/16/", &[0xC1, 0x10]),
    ];
    for (path, bytes) in known {
        assert_eq!(node(path), bytes, "{path}");
        assert_eq!(text(bytes).unwrap(), path);
    }
}

#[test]
fn patterns_keep_their_labels() {
    for pattern in &PATTERNS {
        let bits = pattern.bits.iter().filter(|bit| **bit == b'x').count();
        assert_eq!(pattern.most - pattern.least + 1, 1 << bits);
        for value in [pattern.least, pattern.least + 1, pattern.most - 1, pattern.most] {
            for path in [format!("/{value}/"), format!("/{}.{value}/", value - 1)] {
                // One less than the least label is none, before a point.
                if path.contains("-281479271682121.") {
                    continue;
                }
                assert_eq!(shown(parse(&path)), path);
            }
        }
    }
}

#[test]
fn order_of_bytes_is_that_of_the_tree() {
    let rising = [
        "/",
        "/-5000/",
        "/-100/",
        "/-50/",
        "/-9/",
        "/-8/",
        "/-1/",
        "/-1.5/",
        "/0/",
        "/0/1/",
        "/0.1/",
        "/1/",
        "/1/-1/",
        "/1/0/",
        "/1/1/",
        "/1/1/7/",
        "/1/2/",
        "/1/2.-3/",
        "/1/2.1/",
        "/1/2.1/3/",
        "/1/3/",
        "/1.1/",
        "/2/",
        "/3/",
        "/4/",
        "/7/",
        "/8/",
        "/15/",
        "/16/",
        "/79/",
        "/80/",
        "/1103/",
        "/1104/",
        "/5199/",
        "/5200/",
        "/4294972495/",
        "/4294972496/",
    ];
    for pair in rising.windows(2) {
        assert!(node(pair[0]) < node(pair[1]), "{pair:?}");
    }
}

#[test]
fn descendants_lie_between_their_ancestor_and_its_limit() {
    let mut paths = vec!["/".to_owned()];
    for value in
        ["-281479271682120", "-72", "-1", "0", "1", "1.1", "3", "7", "79", "281479271683151"]
    {
        paths.push(format!("/{value}/"));
        paths.push(format!("/1/{value}/"));
        paths.push(format!("/{value}/281479271683151/"));
    }
    for of in &paths {
        for own in &paths {
            let (own_bytes, of_bytes) = (node(own), node(of));
            let wanted = own.starts_with(&**of);
            assert_eq!(is_descendant(&own_bytes, &of_bytes), wanted, "{own} of {of}");
            let range = of_bytes.clone()..=descendant_limit(&of_bytes);
            assert_eq!(range.contains(&own_bytes), wanted, "{own} in the range of {of}");
        }
    }
}

#[test]
fn texts_that_are_no_paths_fail() {
    for text in [
        "",
        "1",
        "/1",
        "1/",
        "//",
        "/1//2/",
        "/01/",
        "/-0/",
        "/+1/",
        "/1./",
        "/.1/",
        "/a/",
        "/ 1/",
        "/1/ ",
        "/281479271683152/",
        "/-281479271682121/",
        "/99999999999999999999/",
    ] {
        let error = parse(text).unwrap_err();
        assert_eq!(error.number(), 6522);
        assert!(error.text().contains("24001: SqlHierarchyId.Parse failed"), "{text}");
    }
}

#[test]
fn bytes_that_are_no_paths_fail() {
    for bytes in [&[0u8] as &[u8], &[0x50], &[0x58, 0], &[0x60], &[0xFF], &[0x08], &[0xC0, 0]] {
        assert!(check(bytes).unwrap_err().text().contains("24000"), "{bytes:?}");
    }
    assert!(check(&[0x58; BYTES_MAX + 1]).is_err());
}

#[test]
fn paths_have_at_most_892_bytes() {
    // Five bits a level.
    let path = |levels: usize| "/1".repeat(levels) + "/";
    assert_eq!(parse(&path(1427)).unwrap().len(), BYTES_MAX);
    assert!(parse(&path(1428)).unwrap_err().text().contains("buffer is insufficient"));
}

#[test]
fn levels_and_ancestors() {
    assert_eq!(level(&node("/")).unwrap(), 0);
    assert_eq!(level(&node("/1/2.5/-3/")).unwrap(), 3);
    let up = |path: &str, up| ancestor(&node(path), up).unwrap().map(|n| text(&n).unwrap());
    assert_eq!(up("/1/2.5/3/", 0).as_deref(), Some("/1/2.5/3/"));
    assert_eq!(up("/1/2.5/3/", 1).as_deref(), Some("/1/2.5/"));
    assert_eq!(up("/1/2.5/3/", 3).as_deref(), Some("/"));
    assert_eq!(up("/1/2.5/3/", 4), None);
    assert!(ancestor(&node("/1/"), -1).unwrap_err().text().contains("24011"));
}

#[test]
fn descendants_fit_between_children() {
    let made = |parent: &str, first: &str, last: &str| {
        let child = |text: &str| (!text.is_empty()).then(|| node(text));
        let (first, last) = (child(first), child(last));
        let made = descendant(&node(parent), first.as_deref(), last.as_deref()).unwrap();
        assert!(first.is_none_or(|first| first < made) && last.is_none_or(|last| made < last));
        text(&made).unwrap()
    };
    assert_eq!(made("/", "", ""), "/1/");
    assert_eq!(made("/9/", "/9/1/", ""), "/9/2/");
    assert_eq!(made("/9/", "", "/9/1/"), "/9/0/");
    assert_eq!(made("/9/", "/9/1/", "/9/3/"), "/9/2/");
    assert_eq!(made("/9/", "/9/1/", "/9/2/"), "/9/1.1/");
    assert_eq!(made("/9/", "/9/1.1/", "/9/2/"), "/9/1.2/");
    assert_eq!(made("/9/", "/9/1/", "/9/1.1/"), "/9/1.0/");
    assert_eq!(made("/9/", "/9/1.0/", "/9/1.1/"), "/9/1.0.1/");
    assert_eq!(made("/", "/9/", "/20/"), "/10/");
    assert_eq!(made("/42/", "/42/1.5/", "/42/1.6/"), "/42/1.5.1/");
    assert_eq!(made("/", "/-1/", "/0/"), "/-1.1/");
}

#[test]
fn descendants_of_others_are_refused() {
    let fails = |parent: &str, first: Option<&str>, last: Option<&str>| {
        let (first, last) = (first.map(node), last.map(node));
        let made = descendant(&node(parent), first.as_deref(), last.as_deref());
        made.unwrap_err().text().to_owned()
    };
    assert!(fails("/1/", Some("/2/1/"), None).contains("24008"));
    assert!(fails("/1/", None, Some("/1/1/1/")).contains("'child2' must be a child of 'this'"));
    assert!(fails("/1/", Some("/1/2/"), Some("/1/2/")).contains("24009"));
}

#[test]
fn reparented_nodes_keep_their_tails() {
    let moved = |own: &str, old: &str, new: &str| reparented(&node(own), &node(old), &node(new));
    assert_eq!(shown(moved("/1/2/3/", "/1/", "/5/6/")), "/5/6/2/3/");
    assert_eq!(shown(moved("/1/", "/1/", "/")), "/");
    assert!(moved("/1/2/", "/2/", "/").unwrap_err().text().contains("24010"));
}
