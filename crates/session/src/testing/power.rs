//! Cuts the power while sales orders are inserted: whatever was acknowledged is there afterwards,
//! whole, and nothing is there in part.
//!
//! `THERMOCLINE_POWER_CUTS` says how often, `THERMOCLINE_SEED` when.

use std::collections::HashMap;

use env::sim::SimEnv;

use super::TestServer;

/// The scripts of the sample that the workload needs.
const SCRIPTS: [&str; 2] = [
    include_str!("../../../../samples/adventureworks/3-twins.sql"),
    include_str!("../../../../samples/adventureworks/4-orders.sql"),
];

/// Something to order.
const DATA: &str = "
    INSERT INTO Production.Product_inmem (Name, ProductNumber, SafetyStockLevel, ReorderPoint, StandardCost,
        ListPrice, DaysToManufacture, SellStartDate)
    SELECT CONCAT('p', value), CONCAT('n', value), 1, 1, 1, value * 1.5, 1, '2020-01-01'
    FROM GENERATE_SERIES(1, 40);
    INSERT INTO Production.Product_ondisk (Name, ProductNumber, SafetyStockLevel, ReorderPoint, StandardCost,
        ListPrice, DaysToManufacture, SellStartDate)
    SELECT Name, ProductNumber, 1, 1, 1, ListPrice, 1, '2020-01-01' FROM Production.Product_inmem;";

fn number_from(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Inserts an order of this many lines and returns its number.
fn order(twin: &str, lines: u64) -> String {
    format!(
        "SET NOCOUNT ON; DECLARE @od Sales.SalesOrderDetailType{twin}, @id int; \
         DECLARE @due datetime2 = sysdatetime(); \
         INSERT INTO @od SELECT value, value, 1 FROM GENERATE_SERIES(1, {lines}); \
         EXEC Sales.usp_InsertSalesOrder{twin} @id OUTPUT, @due, 1, 1, 1, 1, @od; SELECT @id"
    )
}

fn next(dice: &mut u64) -> u64 {
    *dice ^= *dice << 13;
    *dice ^= *dice >> 7;
    *dice ^= *dice << 17;
    *dice
}

/// The numbers of lines of all orders of a twin.
fn orders(server: &TestServer, twin: &str) -> HashMap<u64, u64> {
    let mut session = server.session();
    let text = session.run(&format!(
        "USE Shop; SELECT h.SalesOrderID, COUNT(d.SalesOrderID) FROM Sales.SalesOrderHeader{twin} AS h \
         FULL JOIN Sales.SalesOrderDetail{twin} AS d ON d.SalesOrderID = h.SalesOrderID \
         GROUP BY h.SalesOrderID"
    ));
    let pair = |line: &str| {
        let (id, lines) = line.split_once('|')?;
        assert_ne!(id, "NULL", "lines without an order: {text}");
        Some((id.parse().ok()?, lines.parse().ok()?))
    };
    text.lines().filter_map(pair).collect()
}

/// Cuts the power of servers that are started by this function, this often unless the environment
/// says otherwise.
pub fn acknowledged_orders_survive(cuts: u64, start: &dyn Fn(&SimEnv) -> TestServer) {
    let cuts = number_from("THERMOCLINE_POWER_CUTS", cuts);
    let seed = number_from("THERMOCLINE_SEED", 20_260_115);
    let sim = SimEnv::new(seed);
    let mut dice = seed | 1;
    let mut server = start(&sim);
    {
        let mut session = server.session();
        let mut setup = "CREATE DATABASE Shop\nGO\nALTER DATABASE Shop ADD FILEGROUP m CONTAINS \
                         MEMORY_OPTIMIZED_DATA\nGO\nALTER DATABASE Shop ADD FILE (NAME = 'm', FILENAME = 'm') TO \
                         FILEGROUP m\nGO\nUSE Shop\nGO\nCREATE SCHEMA Sales\nGO\n\
                         CREATE SCHEMA Production\nGO\n"
            .to_owned();
        for script in SCRIPTS {
            setup.push_str(&script.replace("$(database_name)", "Shop"));
        }
        setup.push_str(DATA);
        let answer = session.script(&setup);
        assert!(!answer.contains("Msg "), "{answer}");
    }
    let mut acknowledged: Vec<(&str, u64, u64)> = Vec::new();
    for cut in 1..=cuts {
        let soon = sim.fs().operations() + next(&mut dice) % 40;
        sim.fs().power_off_at(soon);
        {
            let mut sessions = [server.session(), server.session()];
            for session in &mut sessions {
                let _ = session.durable("USE Shop");
            }
            let mut at = 0;
            while !sim.fs().is_off() {
                at += 1;
                let twin = if next(&mut dice) % 3 == 0 { "_ondisk" } else { "_inmem" };
                let lines = 1 + next(&mut dice) % 9;
                let Some(answer) = sessions[at % 2].durable(&order(twin, lines)) else { break };
                let last = answer.lines().nth(1).and_then(|line| line.parse().ok());
                match last {
                    Some(id) => acknowledged.push((twin, id, lines)),
                    None => break,
                }
            }
        }
        sim.fs().power_off();
        drop(server);
        sim.fs().power_on();
        server = start(&sim);
        for twin in ["_inmem", "_ondisk"] {
            let found = orders(&server, twin);
            for (_, id, lines) in acknowledged.iter().filter(|(own, ..)| *own == twin) {
                let is = found.get(id);
                assert_eq!(
                    is,
                    Some(lines),
                    "order {id} of {twin}, cut {cut}, THERMOCLINE_SEED={seed}"
                );
            }
            assert!(found.values().all(|lines| *lines > 0), "cut {cut}: {found:?}");
        }
    }
    assert!(acknowledged.len() as u64 > cuts, "{} orders were inserted", acknowledged.len());
}
