use super::*;
use std::collections::HashSet;

fn rows(name: &str) -> Vec<Vec<Value>> {
    let table = TABLES.iter().find(|table| table.name == name).expect("a table of the sample");
    let mut rows = Vec::new();
    let mut emit = |row: &[Value]| {
        rows.push(row.to_vec());
        Ok(())
    };
    (table.rows)(&Generator::default(), &mut emit).expect("rows are only collected");
    rows
}

fn number(value: &Value) -> i64 {
    match value {
        Value::Int(number) | Value::Money(number) => *number,
        other => panic!("{other:?} is not a number"),
    }
}

#[test]
fn tables_are_as_large_as_the_original() {
    let sizes = [
        ("Person.Address", 19_614),
        ("Sales.Customer", 19_820),
        ("Production.ProductSubcategory", 37),
        ("Production.Product", 504),
        ("Sales.SpecialOffer", 16),
        ("Sales.SpecialOfferProduct", 538),
        ("Sales.SalesOrderHeader", 31_465),
        ("Sales.SalesOrderDetail", 121_317),
    ];
    for (name, size) in sizes {
        assert_eq!(rows(name).len(), size, "{name}");
    }
}

#[test]
fn data_is_the_same_in_every_run() {
    assert_eq!(rows("Sales.SalesOrderHeader")[..100], rows("Sales.SalesOrderHeader")[..100]);
    assert_eq!(rows("Person.Address")[..100], rows("Person.Address")[..100]);
}

#[test]
fn names_and_numbers_of_products_are_unique() {
    let products = rows("Production.Product");
    for column in [1, 2] {
        let all: HashSet<String> =
            products.iter().map(|row| format!("{:?}", row[column]).to_lowercase()).collect();
        assert_eq!(all.len(), PRODUCTS);
    }
}

#[test]
fn orders_are_worth_what_their_lines_are() {
    let headers = rows("Sales.SalesOrderHeader");
    let mut totals = vec![0; ORDERS];
    let pairs: HashSet<(i64, i64)> =
        made_pairs().iter().map(|pair| (pair.offer, pair.product)).collect();
    for line in rows("Sales.SalesOrderDetail") {
        let order = (number(&line[0]) - FIRST_ORDER) as usize;
        let worth = i128::from(number(&line[6])) * i128::from(10_000 - number(&line[7]));
        totals[order] += (worth * i128::from(number(&line[3])) / 10_000) as i64;
        assert!(pairs.contains(&(number(&line[5]), number(&line[4]))));
    }
    for (header, total) in headers.iter().zip(totals) {
        assert_eq!(number(&header[18]), total);
    }
}
