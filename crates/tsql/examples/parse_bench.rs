//! How long parsing takes: `cargo run --release -p thermocline-tsql --example parse_bench [FILE]`.
//!
//! Without a file, an order-entry script of about a kilobyte and a point query.

use std::hint::black_box;
use std::time::Instant;

use tsql::{ParseOptions, parse_batch};

const POINT_QUERY: &str =
    "SELECT ProductID, Name, ListPrice FROM Production.Product WHERE ProductID = @p1";

const ORDER: &str = "DECLARE @i int = 0, @od Sales.SalesOrderDetailType_inmem, @SalesOrderID int, \
    @DueDate datetime2 = sysdatetime(), @CustomerID int = rand() * 8000, \
    @BillToAddressID int = rand() * 10000, @ShipToAddressID int = rand() * 10000, \
    @ShipMethodID int = (rand() * 5) + 1; \
    INSERT INTO @od SELECT OrderQty, ProductID, SpecialOfferID FROM Demo.DemoSalesOrderDetailSeed \
    WHERE OrderID = cast((rand()*106) + 1 as int); \
    INSERT INTO Sales.SalesOrderDetail (SalesOrderID, OrderQty, ProductID, SpecialOfferID, UnitPrice) \
    SELECT @SalesOrderID, od.OrderQty, od.ProductID, od.SpecialOfferID, p.ListPrice * (1 - ISNULL(so.DiscountPct, 0)) \
    FROM @od od JOIN Production.Product p ON od.ProductID = p.ProductID \
    LEFT JOIN Sales.SpecialOffer so ON od.SpecialOfferID = so.SpecialOfferID; \
    WHILE (@i < 20) BEGIN; EXEC Sales.usp_InsertSalesOrder_inmem @SalesOrderID OUTPUT, @DueDate, \
    @CustomerID, @BillToAddressID, @ShipToAddressID, @ShipMethodID, @od; SET @i += 1 END";

fn measure(name: &str, text: &str, statements: usize) {
    let rounds = (20_000_000 / text.len()).max(1);
    let start = Instant::now();
    for _ in 0..rounds {
        let batch = parse_batch(black_box(text), ParseOptions::default()).expect("is T-SQL");
        assert_eq!(black_box(batch).statements.len(), statements);
    }
    let each = start.elapsed() / rounds as u32;
    println!("{name}: {} bytes in {:.1} µs", text.len(), each.as_nanos() as f64 / 1000.0);
}

fn main() {
    match std::env::args().nth(1) {
        Some(path) => {
            let text = std::fs::read_to_string(&path).expect("a readable file");
            let batch = parse_batch(&text, ParseOptions::default()).expect("is T-SQL");
            measure(&path, &text, batch.statements.len());
        }
        None => {
            measure("point query", POINT_QUERY, 1);
            measure("order entry", ORDER, 4);
        }
    }
}
