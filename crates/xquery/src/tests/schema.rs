//! Static types by a schema collection.

use base::xml::schema::Collection;

use super::*;

const SCHEMA: &str = "<x:schema xmlns:x=\"http://www.w3.org/2001/XMLSchema\">
  <x:element name=\"a\"><x:complexType><x:sequence>
    <x:element name=\"one\" type=\"x:int\"/>
    <x:element name=\"maybe\" type=\"x:int\" minOccurs=\"0\"/>
    <x:element name=\"more\" minOccurs=\"0\" maxOccurs=\"unbounded\"><x:complexType><x:sequence>
      <x:element name=\"in\" type=\"x:string\"/></x:sequence>
      <x:attribute name=\"must\" type=\"x:int\" use=\"required\"/>
      <x:attribute name=\"may\" type=\"x:int\"/></x:complexType></x:element>
    <x:element ref=\"head\"/>
    <x:element name=\"strict\" minOccurs=\"0\"><x:complexType><x:sequence>
      <x:any namespace=\"##local\" processContents=\"strict\"/></x:sequence></x:complexType></x:element>
    <x:element name=\"open\" minOccurs=\"0\"><x:complexType><x:sequence>
      <x:any processContents=\"skip\" minOccurs=\"0\" maxOccurs=\"unbounded\"/></x:sequence>
      <x:anyAttribute processContents=\"skip\"/></x:complexType></x:element>
  </x:sequence></x:complexType></x:element>
  <x:element name=\"b\"><x:complexType><x:sequence>
    <x:element name=\"in\" type=\"x:string\"/></x:sequence></x:complexType></x:element>
  <x:element name=\"head\" type=\"x:int\"/>
  <x:element name=\"member\" type=\"x:int\" substitutionGroup=\"head\"/>
</x:schema>";

/// The error's number of a `value()` query, 0 if there is none.
fn value(text: &str, is_document: bool) -> i32 {
    let collection = Arc::new(Collection::compile(&[SCHEMA], None, &Unpaced).unwrap());
    let shape = NodeShape::of_collection(collection, is_document);
    let (receiver, external, shape) = ("value()", &NoExternal, &shape);
    let context = Context { receiver, namespaces: &[], external, shape, is_checked: false };
    Query::compile(text, Purpose::Value, &context).map_or_else(|error| error.number(), |_| 0)
}

#[test]
fn what_comes_once_is_a_singleton() {
    for (text, expected) in [
        ("(/a)[1]/one", 0),
        ("(/a)[1]/maybe", 0),
        ("(/a)[1]/more", 9314),
        ("(/a)[1]/more/in", 2389),
        ("(/a)[1]/more[1]/in", 0),
        ("(/a)[1]/more[1]/@must", 0),
        ("(/a)[1]/more[1]/@may", 0),
        ("(/a)[1]/head", 0),
        ("(/a)[1]/member", 0),
        ("(/a)[1]/strict[1]/member", 0),
        ("(/a)[1]/strict[1]/none", 2261),
        ("(/a)[1]/strict[1]/b/in", 0),
        ("(/a)[1]/open[1]/x", 2389),
        ("(/a)[1]/open[1]/@x", 0),
        ("/a/one", 0),
        ("(//one)[1]", 0),
        ("//one", 2389),
        ("for $a in (/a)[1] return $a/one", 0),
    ] {
        assert_eq!(value(text, true), expected, "{text}");
    }
    assert_eq!(value("/a/one", false), 2389);
}

#[test]
fn names_that_the_schemas_do_not_have_are_refused() {
    for (text, expected) in [
        ("(/c)[1]", 2260),
        ("(/one)[1]", 2260),
        ("(/a/b)[1]", 2261),
        ("(/a/one/two)[1]", 2261),
        ("(/a/more/@other)[1]", 2219),
        ("(/a/one/@any)[1]", 2219),
        ("(/a/open/b/c/@d)[1]", 0),
        ("(/a/one/text())[1]", 9312),
        ("(/a)[1]", 9314),
        ("(/a/*/b)[1]", 0),
        ("(/a/..//b)[1]", 0),
    ] {
        assert_eq!(value(text, true), expected, "{text}");
    }
}

/// A text that was compiled before is compiled without the collection.
#[test]
fn checked_queries_are_not_refused() {
    let shape = NodeShape::document(true);
    let (receiver, external, shape) = ("value()", &NoExternal, &shape);
    let context = Context { receiver, namespaces: &[], external, shape, is_checked: true };
    assert!(Query::compile("/a/one", Purpose::Value, &context).is_ok());
    let context = Context { is_checked: false, ..context };
    assert!(Query::compile("/a/one", Purpose::Value, &context).is_err());
}

/// Nothing but declared elements is in documents of these.
const CLOSED: &str = "<x:schema xmlns:x=\"http://www.w3.org/2001/XMLSchema\">
  <x:simpleType name=\"sizes\"><x:list itemType=\"x:int\"/></x:simpleType>
  <x:element name=\"a\"><x:complexType><x:sequence>
    <x:element name=\"n\" type=\"x:int\"/><x:element name=\"l\" type=\"sizes\"/>
    <x:element name=\"s\"><x:complexType><x:sequence>
      <x:element name=\"t\" type=\"x:string\"/></x:sequence></x:complexType></x:element>
  </x:sequence></x:complexType></x:element>
</x:schema>";

fn closed() -> NodeShape {
    let collection = Arc::new(Collection::compile(&[CLOSED], None, &Unpaced).unwrap());
    NodeShape::of_collection(collection, true)
}

#[test]
fn values_of_nodes_have_the_types_of_schemas() {
    let document = read("<a><n>10</n><l>1 2 <!--c--> 3</l><s><t>9</t></s></a>");
    let account = base::account::Account::new(64 << 20, "default");
    let (shape, external) = (closed(), &NoExternal);
    let (receiver, shape) = ("query()", &shape);
    for (text, expected) in [
        ("/a/n > 9", "true"),
        ("/a/n + 1", "11"),
        ("(//n)[1] + 1", "11"),
        ("(//s)[1]/t > \"10\"", "true"),
        ("count(data(/a/l))", "3"),
        ("/a/l = 3", "true"),
        ("/a/l = 4", "false"),
        ("sum(/a/l)", "6"),
        ("for $v in data(/a/l) order by $v descending return $v", "3 2 1"),
        ("data(/a/n) instance of xs:int", "true"),
        ("data(/a/n) instance of xs:short", "false"),
        ("/a/n instance of element(n, xs:integer)", "true"),
        ("/a/n instance of element(*, xs:string)", "false"),
    ] {
        let context = Context { receiver, namespaces: &[], external, shape, is_checked: false };
        let query = Query::compile(text, Purpose::Query, &context);
        let query = query.unwrap_or_else(|error| panic!("{text}: {error}"));
        let input = Input {
            document: &document,
            node: base::xml::Document::ROOT,
            externals: &[],
            account: &account,
            pace: &Unpaced,
        };
        let found = query.query(input).unwrap();
        let texts: String = found.texts(base::xml::Document::ROOT).collect();
        assert_eq!(texts, expected, "{text}");
    }
}

/// A value of a list is in no entry: an index does not know of it.
#[test]
fn indexes_know_the_path_alone_of_lists() {
    let (shape, external) = (closed(), &NoExternal);
    let (receiver, shape) = ("exist()", &shape);
    let context = Context { receiver, namespaces: &[], external, shape, is_checked: false };
    let condition = |text: &str| {
        let query = Query::compile(text, Purpose::Exist, &context).unwrap();
        query.condition().unwrap().value
    };
    assert!(condition("/a[n = 5]").is_some());
    assert!(condition("/a[l = 5]").is_none());
}
