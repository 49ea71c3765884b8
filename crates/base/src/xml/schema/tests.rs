use super::*;
use crate::Unpaced;
use crate::error::SqlError;
use crate::xml::{Document, parse_value, write};

fn collection(body: &str) -> Result<Collection, SqlError> {
    let text = format!(
        "<x:schema xmlns:x=\"http://www.w3.org/2001/XMLSchema\" xmlns:t=\"urn:t\" \
         targetNamespace=\"urn:t\" elementFormDefault=\"qualified\">{body}</x:schema>"
    );
    Collection::compile(&[&text], None, &Unpaced)
}

/// The errors' numbers of definitions.
fn refused(body: &str) -> i32 {
    collection(body).map_or_else(|error| error.number(), |_| 0)
}

fn made(body: &str) -> Collection {
    collection(body).unwrap_or_else(|error| panic!("{}: {body}", error.text()))
}

/// The canonical text of a value, or what is wrong with it.
fn checked(collection: &Collection, text: &str) -> String {
    let text = text
        .replace("<r", "<r xmlns=\"urn:t\" xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\"");
    let document = parse_value(text.as_bytes(), None, &Unpaced).unwrap();
    let changed = match collection.validate(&document, false, None, &Unpaced) {
        Err(error) => return format!("{} {}", error.number(), error.text()),
        Ok(changed) => changed,
    };
    let mut out = Vec::new();
    let shown = changed.as_ref().unwrap_or(&document);
    write(shown, Document::ROOT, &mut out, &Unpaced).unwrap();
    let text = String::from_utf8(out).unwrap();
    text.replace(" xmlns=\"urn:t\" xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\"", "")
}

/// Of an element `r` whose content model is this one: which of the contents are valid.
fn valid(model: &str, contents: &[&str]) -> Vec<bool> {
    let body = format!("<x:element name='r'><x:complexType>{model}</x:complexType></x:element>");
    let body = body.replace("<e ", "<x:element type='x:anySimpleType' ");
    let made = made(&body);
    contents
        .iter()
        .map(|content| {
            let elements: String = content.chars().map(|c| format!("<{c}/>")).collect();
            checked(&made, &format!("<r>{elements}</r>")).starts_with("<r")
        })
        .collect()
}

#[test]
fn sequences_choices_and_counts_are_matched() {
    let model = "<x:sequence><e name='a'/><e name='b' minOccurs='0' maxOccurs='2'/>\
                 <x:choice minOccurs='0' maxOccurs='unbounded'><e name='c'/><e name='d'/></x:choice>\
                 </x:sequence>";
    let all = ["a", "abb", "abbb", "acdc", "abcd", "b", "", "cab", "aa"];
    let want = [true, true, false, true, true, false, false, false, false];
    assert_eq!(valid(model, &all), want);
    let model = "<x:sequence minOccurs='2' maxOccurs='3'><e name='a'/><e name='b' minOccurs='0'/>\
                 </x:sequence>";
    let all = ["aa", "abab", "ab", "aabaab", "aaa", "aaaa", "ba"];
    assert_eq!(valid(model, &all), [true, true, false, false, true, false, false]);
    let model = "<x:sequence><e name='a' minOccurs='3' maxOccurs='1000000000'/></x:sequence>";
    assert_eq!(valid(model, &["aa", "aaa", &"a".repeat(5000)]), [false, true, true]);
    let model = "<x:sequence minOccurs='0' maxOccurs='unbounded'><e name='a' minOccurs='0'/>\
                 <e name='b' minOccurs='0'/><e name='c'/></x:sequence>";
    assert_eq!(
        valid(model, &["", "c", "acbc", "abc", "ab", "cca"]),
        [true, true, true, true, false, false]
    );
    let model = "<x:choice><x:sequence><e name='a'/><e name='b'/></x:sequence><e name='c' \
                 maxOccurs='2'/></x:choice>";
    assert_eq!(valid(model, &["ab", "c", "cc", "abc", "a"]), [true, true, true, false, false]);
}

#[test]
fn all_comes_in_any_order() {
    let model = "<x:all><e name='a'/><e name='b' minOccurs='0'/><e name='c'/></x:all>";
    let all = ["abc", "ca", "cba", "a", "aac", ""];
    assert_eq!(valid(model, &all), [true, true, true, false, false, false]);
    let model = "<x:all minOccurs='0'><e name='a'/><e name='b'/></x:all>";
    assert_eq!(valid(model, &["", "ba", "b"]), [true, true, false]);
}

#[test]
fn ambiguous_models_are_refused() {
    let model = |content: &str| {
        let body = format!(
            "<x:element name='r'><x:complexType><x:sequence>{content}</x:sequence>\
             </x:complexType></x:element>"
        );
        refused(&body.replace("<e ", "<x:element type='x:string' "))
    };
    assert_eq!(model("<e name='a' minOccurs='0'/><e name='a'/>"), 6916);
    assert_eq!(model("<e name='a' maxOccurs='2'/><e name='a'/>"), 6916);
    assert_eq!(model("<e name='a' minOccurs='2' maxOccurs='2'/><e name='a'/>"), 0);
    assert_eq!(model("<x:choice><e name='a'/><e name='a'/></x:choice>"), 6916);
    assert_eq!(model("<x:any minOccurs='0'/><e name='a'/>"), 6916);
    assert_eq!(model("<x:any namespace='##other' minOccurs='0'/><e name='a'/>"), 0);
    assert_eq!(model("<e name='a'/><x:element name='a' type='x:int'/>"), 6992);
    let wide: String = (0..5000).map(|at| format!("<e name='n{at}' minOccurs='0'/>")).collect();
    assert_eq!(model(&wide), 0);
}

#[test]
fn restrictions_let_in_no_more_than_their_bases() {
    let restricted = |base: &str, own: &str| {
        let of = |content: &str| content.replace("<e ", "<x:element type='x:decimal' ");
        refused(&format!(
            "<x:complexType name='B'>{}</x:complexType><x:complexType name='R'><x:complexContent>\
             <x:restriction base='t:B'>{}</x:restriction></x:complexContent></x:complexType>\
             <x:element name='head' type='x:decimal'/><x:element name='member' type='x:int' \
             substitutionGroup='t:head'/>",
            of(base),
            of(own)
        ))
    };
    let seq = |content: &str| format!("<x:sequence>{content}</x:sequence>");
    let choice = |content: &str| format!("<x:choice>{content}</x:choice>");
    let all = |content: &str| format!("<x:all>{content}</x:all>");
    let (a, b, c) = ("<e name='a'/>", "<e name='b'/>", "<e name='c'/>");
    let maybe = "<e name='a' minOccurs='0' maxOccurs='3'/>";
    let int = "<x:element name='a' type='x:int'/>";
    let text = "<x:element name='a' type='x:string'/>";
    let abc = format!("{a}{b}{c}");
    for (base, own, expected) in [
        (seq(&abc), seq(&abc), 0),
        (seq(a), seq(int), 0),
        (seq(int), seq(a), 6979),
        (seq(a), seq(text), 6979),
        (seq(maybe), seq(a), 0),
        (seq(a), seq(maybe), 6980),
        (seq(maybe), seq("<e name='a' maxOccurs='unbounded'/>"), 6980),
        (seq(&format!("{maybe}{b}")), seq(b), 0),
        (seq(&format!("{a}{b}")), seq(b), 6990),
        (seq(&format!("{a}{b}")), seq(&format!("{b}{a}")), 6990),
        (seq(a), seq(&format!("{a}{b}")), 6979),
        (seq(&abc), seq(&format!("{abc}{maybe}").replace("'a' ", "'d' ")), 6990),
        (seq(a), seq("<e name='a' nillable='true'/>"), 6981),
        (seq("<e name='a' fixed='1'/>"), seq(a), 6982),
        (seq("<e name='a' fixed='1'/>"), seq("<e name='a' fixed='1.0'/>"), 0),
        (seq("<e name='a' block='extension'/>"), seq(a), 6983),
        (seq("<x:element ref='t:head'/>"), seq("<x:element ref='t:member'/>"), 0),
        (seq("<x:any namespace='##other'/>"), seq(a), 6984),
        (seq("<x:any/>"), seq(a), 0),
        (seq("<x:any/>"), seq("<x:any namespace='##other'/>"), 0),
        (seq("<x:any namespace='##other'/>"), seq("<x:any/>"), 6985),
        (seq("<x:any/>"), seq("<x:any processContents='lax'/>"), 6985),
        (seq("<x:any maxOccurs='2'/>"), seq(&abc), 6986),
        (seq("<x:any maxOccurs='3'/>"), seq(&abc), 0),
        (all(&abc), seq(&format!("{c}{a}{b}")), 0),
        (all(&abc), all(&format!("{a}{c}")), 6990),
        (all(&format!("{maybe}{c}").replace(" maxOccurs='3'", "")), all(c), 0),
        (all(&abc), choice(&abc), 6987),
        (choice(&abc), choice(&format!("{a}{c}")), 0),
        (choice(&abc), choice(&format!("{c}{a}")), 6990),
        (choice(&abc), seq(b), 0),
        (choice(&abc), seq(&format!("{a}{b}")), 6980),
        (choice(&abc), all(&format!("{a}{b}")), 6988),
        (seq(&abc), choice(&abc), 6989),
        (seq(&format!("{a}{}", choice(&format!("{b}{c}")))), seq(&format!("{a}{c}")), 0),
        (seq(&format!("{a}{}", seq(&format!("{b}{c}")))), seq(&abc), 0),
        (String::new(), seq(a), 6991),
        (seq(a), String::new(), 6991),
        (seq(maybe), String::new(), 0),
    ] {
        assert_eq!(restricted(&base, &own), expected, "{base} by {own}");
    }
}

/// Groups of thousands of particles are compared in a moment.
#[test]
fn long_restrictions_are_checked_in_time() {
    let names = |count: usize| -> String {
        (0..count).map(|at| format!("<x:element name='n{at}' minOccurs='0'/>")).collect()
    };
    let body = format!(
        "<x:complexType name='B'><x:sequence>{0}</x:sequence></x:complexType><x:complexType \
         name='R'><x:complexContent><x:restriction base='t:B'><x:sequence>{0}</x:sequence>\
         </x:restriction></x:complexContent></x:complexType>",
        names(4000)
    );
    assert_eq!(refused(&body), 0);
}

#[test]
fn values_are_made_canonical() {
    let body = "<x:element name='r'><x:complexType><x:choice maxOccurs='unbounded'>\
                <x:element name='d' type='x:decimal'/><x:element name='i' type='x:int'/>\
                <x:element name='b' type='x:boolean'/><x:element name='f' type='x:double'/>\
                <x:element name='s' type='x:string'/><x:element name='k' type='x:token'/>\
                <x:element name='t' type='x:dateTime'/><x:element name='h' type='x:hexBinary'/>\
                <x:element name='l'><x:simpleType><x:list itemType='x:decimal'/></x:simpleType>\
                </x:element><x:element name='u'><x:simpleType><x:union memberTypes='x:decimal \
                x:boolean'/></x:simpleType></x:element></x:choice>\
                <x:attribute name='a' type='x:decimal'/></x:complexType></x:element>";
    let made = made(body);
    for (given, wanted) in [
        ("<d>1.50</d>", "<d>1.5</d>"),
        ("<d> +5. </d>", "<d>5</d>"),
        ("<d>-0.0</d>", "<d>0</d>"),
        ("<d>1.1234567890123456789</d>", "<d>1.123456789</d>"),
        ("<i>+007</i>", "<i>7</i>"),
        ("<b>1</b>", "<b>true</b>"),
        ("<f>1.0E2</f>", "<f>100</f>"),
        ("<f>1000000</f>", "<f>1.0E6</f>"),
        ("<s>  a  b </s>", "<s>  a  b </s>"),
        ("<k>  a  b </k>", "<k>a b</k>"),
        ("<t>2020-01-02T24:00:00</t>", "<t>2020-01-03T00:00:00</t>"),
        ("<h>ABcd</h>", "<h>ABCD</h>"),
        ("<l>  1.50   2.00  </l>", "<l>1.5 2</l>"),
        ("<u>1</u>", "<u>1</u>"),
        ("<u>true</u>", "<u>true</u>"),
        ("<d>1<!--x-->.50</d>", "<d>1.5<!--x--></d>"),
    ] {
        assert_eq!(checked(&made, &format!("<r>{given}</r>")), format!("<r>{wanted}</r>"));
    }
    assert_eq!(checked(&made, "<r a=\"2.50\"><b>0</b></r>"), "<r a=\"2.5\"><b>false</b></r>");
    for wrong in ["<i>2147483648</i>", "<i>1.0</i>", "<d>x</d>", "<d/>", "<b>yes</b>", "<f>1,0</f>"]
    {
        let number = &checked(&made, &format!("<r>{wrong}</r>"))[..4];
        assert_eq!(number, "6926", "{wrong}");
    }
    assert_eq!(
        checked(&made, "<r><i>1</i><i>zz</i></r>"),
        "6926 XML Validation: Invalid simple type value: 'zz'. Location: /*:r[1]/*:i[2]"
    );
}

#[test]
fn content_that_does_not_fit_is_named() {
    let body = "<x:element name='r'><x:complexType><x:sequence><x:element name='a' type='x:int'/>\
                <x:element name='b' type='x:string' minOccurs='0' maxOccurs='2'/></x:sequence>\
                <x:attribute name='k' type='x:int' use='required'/></x:complexType></x:element>";
    let made = made(body);
    for (given, wanted) in [
        (
            "<r k='1'><a>1</a><z>1</z></r>",
            "6965 XML Validation: Invalid content. Expected element(s): '{urn:t}b'. Found: element \
             '{urn:t}z' instead. Location: /*:r[1]/*:z[1].",
        ),
        (
            "<r k='1'/>",
            "6908 XML Validation: Invalid content. Expected element(s): '{urn:t}a'. Location: /*:r[1]",
        ),
        (
            "<r k='1'><a>1</a><b/><b/><b/></r>",
            "6923 XML Validation: Unexpected element(s): {urn:t}b. Location: /*:r[1]/*:b[3]",
        ),
        (
            "<r k='1' q='2'><a>1</a></r>",
            "6905 XML Validation: Attribute 'q' is not permitted in this context. Location: \
             /*:r[1]/@*:q",
        ),
        (
            "<r><a>1</a></r>",
            "6906 XML Validation: Required attribute 'k' is missing. Location: /*:r[1]",
        ),
        (
            "<r k='1'>text<a>1</a></r>",
            "6909 XML Validation: Text node is not allowed at this location, the type was defined \
             with element only content or with simple content. Location: /*:r[1]",
        ),
        (
            "<r k='1'><a>1<b/></a></r>",
            "6912 XML Validation: Element '{urn:t}b' found in text only content model. Location: \
             /*:r[1]/*:a[1]/*:b[1]",
        ),
        ("<z/>", "6913 XML Validation: Declaration not found for element 'z'. Location: /*:z[1]"),
    ] {
        assert_eq!(checked(&made, given), wanted);
    }
}

#[test]
fn instance_attributes_choose_type_and_nil() {
    let body = "<x:complexType name='B' abstract='true'><x:sequence><x:element name='a' \
                type='x:int' nillable='true'/></x:sequence></x:complexType>\
                <x:complexType name='E'><x:complexContent><x:extension base='t:B'><x:sequence>\
                <x:element name='b' type='x:int'/></x:sequence></x:extension></x:complexContent>\
                </x:complexType><x:complexType name='O'/><x:element name='r' type='t:B'/>";
    let made = made(body);
    let of = |ty: &str, body: &str| {
        checked(&made, &format!("<r i:type='{ty}'>{body}</r>")).chars().take(4).collect::<String>()
    };
    assert_eq!(&checked(&made, "<r><a>1</a></r>")[..4], "6919");
    assert_eq!(of("E", "<a>1</a><b>2</b>"), "<r i");
    assert_eq!(of("E", "<a i:nil='true'/><b>2</b>"), "<r i");
    assert_eq!(of("E", "<a i:nil='true'>1</a><b>2</b>"), "6918");
    assert_eq!(of("E", "<a>1</a><b i:nil='1'/>"), "6917");
    assert_eq!(of("O", ""), "6936");
    assert_eq!(of("N", ""), "6914");
    assert_eq!(of("n:N", ""), "6922");
}

#[test]
fn defaults_are_added_and_fixed_values_compared() {
    let body = "<x:element name='r'><x:complexType><x:sequence><x:element name='a' type='x:int' \
                default='07' minOccurs='0'/><x:element name='b' type='x:decimal' fixed='1.0' \
                minOccurs='0'/></x:sequence><x:attribute name='k' type='x:int' default='5'/>\
                <x:attribute name='f' type='x:decimal' fixed='2.50'/></x:complexType></x:element>";
    let made = made(body);
    assert_eq!(checked(&made, "<r/>"), "<r k=\"5\" f=\"2.5\"/>");
    assert_eq!(checked(&made, "<r k='1'><a/></r>"), "<r k=\"1\" f=\"2.5\"><a>7</a></r>");
    assert_eq!(
        checked(&made, "<r f='2.500' k='1'><b>1.00</b></r>"),
        "<r f=\"2.5\" k=\"1\"><b>1</b></r>"
    );
    assert_eq!(&checked(&made, "<r f='3'/>")[..4], "6921");
    assert_eq!(&checked(&made, "<r><b>2</b></r>")[..4], "6921");
}

#[test]
fn facets_narrow_values() {
    let of = |restriction: &str| {
        let body = format!(
            "<x:element name='r'><x:simpleType><x:restriction base='x:{restriction}</x:restriction>\
             </x:simpleType></x:element>"
        );
        made(&body)
    };
    let takes =
        |made: &Collection, text: &str| checked(made, &format!("<r>{text}</r>")).starts_with('<');
    let word = of("string'><x:minLength value='2'/><x:maxLength value='3'/>");
    assert!(
        takes(&word, "ab") && takes(&word, "äöü") && !takes(&word, "a") && !takes(&word, "abcd")
    );
    let code = of("string'><x:pattern value='[A-Z]{2}'/><x:pattern value='\\d+'/>");
    assert!(takes(&code, "AB") && takes(&code, "12") && !takes(&code, "A1"));
    let money = of("decimal'><x:totalDigits value='4'/><x:fractionDigits value='2'/>");
    assert!(takes(&money, "12.34") && takes(&money, "0.10") && !takes(&money, "123.45"));
    assert!(!takes(&money, "0.001") && takes(&money, "1.2300"));
    let range = of("int'><x:minExclusive value='0'/><x:maxInclusive value='10'/>");
    assert!(
        takes(&range, "1") && takes(&range, "10") && !takes(&range, "0") && !takes(&range, "11")
    );
    let size = of("token'><x:enumeration value='small'/><x:enumeration value='large'/>");
    assert!(takes(&size, " small ") && !takes(&size, "tiny"));
    let day = of("date'><x:minInclusive value='2020-01-01'/>");
    assert!(takes(&day, "2020-06-01Z") && !takes(&day, "2019-12-31"));
    assert_eq!(
        &checked(&of("decimal'><x:pattern value='\\d\\.\\d0'/>"), "<r>1.50</r>")[..4],
        "6937"
    );
}

#[test]
fn wildcards_and_substitution_let_others_in() {
    let body = "<x:element name='r'><x:complexType mixed='true'><x:sequence><x:element ref='t:h' \
                minOccurs='0' maxOccurs='unbounded'/><x:any namespace='urn:o' minOccurs='0' \
                processContents='lax'/></x:sequence><x:anyAttribute namespace='##other' \
                processContents='skip'/></x:complexType></x:element>\
                <x:element name='h' type='x:decimal' abstract='true'/>\
                <x:element name='s' type='x:int' substitutionGroup='t:h'/>\
                <x:element name='u' substitutionGroup='t:h'/>";
    let made = made(body);
    let number = |text: &str| checked(&made, text).chars().take(4).collect::<String>();
    assert_eq!(checked(&made, "<r>a<s>01</s>b<u>1.50</u></r>"), "<r>a<s>1</s>b<u>1.5</u></r>");
    assert_eq!(number("<r><h>1</h></r>"), "6934");
    assert_eq!(number("<r><s>1.5</s></r>"), "6926");
    assert_eq!(number("<r xmlns:o='urn:o' o:any='1'><o:x><o:y/></o:x></r>"), "<r x");
    assert_eq!(number("<r xmlns:z='urn:z'><z:x/></r>"), "6965");
}

#[test]
fn ids_are_unique_and_referred_to() {
    let body = "<x:element name='r'><x:complexType><x:sequence><x:element name='e' \
                maxOccurs='unbounded'><x:complexType><x:attribute name='id' type='x:ID'/>\
                <x:attribute name='of' type='x:IDREF'/></x:complexType></x:element></x:sequence>\
                </x:complexType></x:element>";
    let made = made(body);
    let number = |text: &str| checked(&made, text).chars().take(4).collect::<String>();
    assert_eq!(number("<r><e of='b' id='a'/><e id='b'/></r>"), "<r><");
    assert_eq!(number("<r><e id='a'/><e id='a'/></r>"), "6930");
    assert_eq!(number("<r><e of='a'/></r>"), "6931");
}

#[test]
fn definitions_that_are_wrong_are_refused() {
    let simple = |body: &str| refused(&format!("<x:simpleType name='s'>{body}</x:simpleType>"));
    let complex = |body: &str| refused(&format!("<x:complexType name='c'>{body}</x:complexType>"));
    assert_eq!(refused("<x:element name='r' type='t:none'/>"), 2308);
    assert_eq!(refused("<x:element name='r' type='none'/>"), 2307);
    assert_eq!(refused("<x:element name='r' type='q:none'/>"), 2284);
    assert_eq!(refused("<x:element name='r'/><x:element name='r'/>"), 2302);
    assert_eq!(refused("<x:element name='1r'/>"), 2379);
    assert_eq!(refused("<x:element type='x:int'/>"), 2299);
    assert_eq!(refused("<x:element name='r' colour='red'/>"), 2298);
    assert_eq!(refused("<x:sequence/>"), 6940);
    assert_eq!(refused("<x:element name='r'><x:restriction/></x:element>"), 2297);
    assert_eq!(refused("<x:element name='r'><x:unique name='u'/></x:element>"), 9336);
    assert_eq!(refused("<x:element name='r' type='x:ID'/>"), 6995);
    assert_eq!(refused("<x:element name='r' type='x:int' default='x'/>"), 6927);
    assert_eq!(refused("<x:element name='r' type='x:int' fixed='1' nillable='true'/>"), 6997);
    assert_eq!(simple("<x:restriction base='t:s'/>"), 6953);
    assert_eq!(simple("<x:restriction/>"), 2316);
    assert_eq!(simple("<x:restriction base='x:anyType'/>"), 2361);
    assert_eq!(simple("<x:restriction base='x:int'><x:length value='1'/></x:restriction>"), 2319);
    let facets =
        |facets: &str| simple(&format!("<x:restriction base='x:decimal'>{facets}</x:restriction>"));
    assert_eq!(facets("<x:totalDigits value='1'/><x:totalDigits value='1'/>"), 2320);
    assert_eq!(facets("<x:fractionDigits value='11'/>"), 6960);
    assert_eq!(facets("<x:minInclusive value='2'/><x:maxInclusive value='1'/>"), 6951);
    assert_eq!(facets("<x:minInclusive value='a'/>"), 6945);
    assert_eq!(facets("<x:pattern value='('/>"), 6945);
    assert_eq!(
        simple("<x:restriction base='x:byte'><x:maxInclusive value='200'/></x:restriction>"),
        6944
    );
    assert_eq!(simple("<x:list/>"), 2393);
    assert_eq!(simple("<x:list itemType='x:NMTOKENS'/>"), 6978);
    assert_eq!(simple("<x:union/>"), 2339);
    assert_eq!(complex("<x:choice/>"), 2293);
    assert_eq!(complex("<x:sequence minOccurs='2'/>"), 2382);
    assert_eq!(complex("<x:sequence maxOccurs='x'/>"), 2309);
    assert_eq!(complex("<x:sequence maxOccurs='-1'/>"), 2383);
    assert_eq!(complex("<x:sequence><x:all/></x:sequence>"), 2297);
    assert_eq!(complex("<x:attribute name='a'/><x:attribute name='a'/>"), 2310);
    assert_eq!(complex("<x:group ref='t:g'/>"), 2308);
    assert_eq!(
        refused("<x:group name='g'><x:sequence><x:group ref='t:g'/></x:sequence></x:group>"),
        6954
    );
    assert_eq!(
        refused("<x:attributeGroup name='g'><x:attributeGroup ref='t:g'/></x:attributeGroup>"),
        2366
    );
    let of = |derived: &str| complex(&format!("<x:complexContent>{derived}</x:complexContent>"));
    assert_eq!(of("<x:extension base='x:anyType'/>"), 2237);
    assert_eq!(of("<x:extension base='x:int'/>"), 6941);
    assert_eq!(of("<x:restriction base='t:c'/>"), 6953);
}

#[test]
fn later_texts_add_and_do_not_change() {
    let schema = |body: &str| {
        let body = body.replace("<element", "<x:element").replace("type=\"", "type=\"x:");
        format!("<x:schema xmlns:x=\"http://www.w3.org/2001/XMLSchema\">{body}</x:schema>")
    };
    let compiled = |texts: &[String]| {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        Collection::compile(&texts, None, &Unpaced).map_err(|error| error.number())
    };
    let first = schema("<element name=\"a\" type=\"int\"/>");
    let same = schema("<element name=\"a\" type=\"int\"/><element name=\"b\" type=\"int\"/>");
    let other = schema("<element name=\"a\" type=\"string\"/>");
    assert!(compiled(&[first.clone(), same]).unwrap().find_element("", "b").is_some());
    assert_eq!(compiled(&[first.clone(), other]).err(), Some(6310));
    let member = schema("<element name=\"b\" substitutionGroup=\"a\"/>");
    assert_eq!(compiled(&[first.clone(), member]).err(), Some(6925));
    assert_eq!(compiled(&["<a/>".into()]).err(), Some(2378));
    assert_eq!(compiled(&["text".into()]).err(), Some(2378));
    assert_eq!(compiled(&[schema(""), String::new()]).unwrap().namespaces().len(), 1);
    let two = compiled(&[format!(
        "{first}{}",
        first.replace("<x:schema", "<x:schema targetNamespace=\"u\"")
    )]);
    assert_eq!(two.unwrap().namespaces().len(), 2);
}

#[test]
fn deep_and_wide_definitions_end_in_errors() {
    let chain: String = (0..2_000)
        .map(|at| {
            format!(
                "<x:simpleType name='s{at}'><x:restriction base='t:s{}'/></x:simpleType>",
                at + 1
            )
        })
        .collect();
    let last = "<x:simpleType name='s2000'><x:restriction base='x:int'/></x:simpleType>";
    assert_eq!(refused(&format!("{chain}{last}")), 2362);
    let groups: String = (0..40)
        .map(|at| {
            let own = format!("<x:group ref='t:g{}'/>", at + 1);
            format!("<x:group name='g{at}'><x:sequence>{own}{own}</x:sequence></x:group>")
        })
        .collect();
    let last = "<x:group name='g40'><x:sequence><x:element name='e'/></x:sequence></x:group>\
                <x:complexType name='c'><x:group ref='t:g0'/></x:complexType>";
    assert_eq!(refused(&format!("{groups}{last}")), 2362);
}

/// What is used many times is copied many times: a text of some kilobytes defined gigabytes.
#[test]
fn what_components_copy_is_bounded() {
    let users = |content: &str| -> String {
        (0..2_000)
            .map(|n| format!("<x:complexType name='u{n}'>{content}</x:complexType>"))
            .collect()
    };
    let attributes: String = (0..2_000).map(|n| format!("<x:attribute name='a{n}'/>")).collect();
    let base = format!("<x:complexType name='b'>{attributes}</x:complexType>");
    let derived = users("<x:complexContent><x:extension base='t:b'/></x:complexContent>");
    assert_eq!(refused(&base), 0);
    assert_eq!(refused(&format!("{base}{derived}")), 2362);
    let elements: String =
        (0..1_000).map(|n| format!("<x:element name='e{n}' type='x:int'/>")).collect();
    let group = format!("<x:group name='g'><x:choice>{elements}</x:choice></x:group>");
    let models = users("<x:group ref='t:g'/>");
    assert_eq!(refused(&group), 0);
    assert_eq!(refused(&format!("{group}{models}")), 2362);
    let pattern = |n: usize| {
        format!(
            "<x:simpleType name='p{n}'><x:restriction base='x:string'>\
             <x:pattern value='\\c{{200}}'/></x:restriction></x:simpleType>"
        )
    };
    assert_eq!(refused(&pattern(0)), 0);
    assert_eq!(refused(&(0..1_000).map(pattern).collect::<String>()), 2362);
    let twice = "<x:pattern value='a'/>".repeat(1_001);
    let many = format!(
        "<x:simpleType name='p'><x:restriction base='x:string'>{twice}</x:restriction>\
         </x:simpleType>"
    );
    assert_eq!(refused(&many), 6998);
}

/// The values of a list took fifty times the bytes of its text, which were not charged.
#[test]
fn values_of_long_lists_are_charged() {
    let body = "<x:element name='r'><x:simpleType><x:list itemType='x:int'/></x:simpleType>\
                </x:element>";
    let collection = made(body);
    let text = format!("<r xmlns=\"urn:t\">{}</r>", "1 ".repeat(100_000));
    let document = parse_value(text.as_bytes(), None, &Unpaced).expect("it is a document");
    let validate = |bytes| {
        let account = crate::account::Account::new(bytes, "default");
        let found = collection.validate(&document, true, Some(&account), &Unpaced);
        (found.map_or_else(|error| error.number(), |_| 0), account.used())
    };
    assert_eq!(validate(4 << 20), (701, 0));
    assert_eq!(validate(32 << 20).0, 0);
}
