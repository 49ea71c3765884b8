//! The official data files, where they are to be had: the server reads them itself, by `BULK
//! INSERT`.

use std::path::Path;

use base::Value;

use super::generate::{Generator, Pair};
use super::{Progress, execute};
use crate::client::{ClientError, Connection};

/// The files and the tables they are for, those referred to first.
const FILES: [(&str, &str); 13] = [
    ("CountryRegion.csv", "Person.CountryRegion"),
    ("SalesTerritory.csv", "Sales.SalesTerritory"),
    ("StateProvince.csv", "Person.StateProvince"),
    ("Address.csv", "Person.Address"),
    ("Customer.csv", "Sales.Customer"),
    ("ShipMethod.csv", "Purchasing.ShipMethod"),
    ("CurrencyRate.csv", "Sales.CurrencyRate"),
    ("UnitMeasure.csv", "Production.UnitMeasure"),
    ("ProductCategory.csv", "Production.ProductCategory"),
    ("ProductSubcategory.csv", "Production.ProductSubcategory"),
    ("Product.csv", "Production.Product"),
    ("SpecialOffer.csv", "Sales.SpecialOffer"),
    ("SpecialOfferProduct.csv", "Sales.SpecialOfferProduct"),
];

/// Loads the files that there are; returns the tables that have been filled.
pub fn load(
    connection: &mut Connection,
    directory: &Path,
    progress: Progress<'_>,
) -> Result<Vec<&'static str>, ClientError> {
    let mut filled = Vec::new();
    for (file, table) in FILES {
        let path = directory.join(file);
        if !path.exists() {
            continue;
        }
        progress(&format!("loading {table} from {file}"));
        let path = path.to_string_lossy().replace('\'', "''");
        let statement = format!(
            "BULK INSERT {table} FROM N'{path}' WITH (CHECK_CONSTRAINTS, CODEPAGE = '65001', \
             DATAFILETYPE = 'char', FIELDTERMINATOR = '\\t', ROWTERMINATOR = '0x0a', KEEPIDENTITY, KEEPNULLS, TABLOCK)"
        );
        execute(connection, &statement)?;
        filled.push(table);
    }
    Ok(filled)
}

/// What orders may refer to, as the tables have it.
pub fn generator(connection: &mut Connection) -> Result<Generator, ClientError> {
    let numbers =
        |connection: &mut Connection, query: &str| -> Result<Vec<Vec<i64>>, ClientError> {
            let rows = connection.query(query)?;
            Ok(rows.rows.iter().map(|row| row.iter().map(number).collect()).collect())
        };
    let pairs = numbers(
        connection,
        "SELECT sop.SpecialOfferID, sop.ProductID, p.ListPrice, so.DiscountPct \
         FROM Sales.SpecialOfferProduct AS sop \
         INNER JOIN Production.Product AS p ON p.ProductID = sop.ProductID \
         INNER JOIN Sales.SpecialOffer AS so ON so.SpecialOfferID = sop.SpecialOfferID \
         ORDER BY sop.SpecialOfferID, sop.ProductID",
    )?;
    let pair =
        |row: &Vec<i64>| Pair { offer: row[0], product: row[1], price: row[2], discount: row[3] };
    let first = |rows: Vec<Vec<i64>>| rows.into_iter().map(|row| row[0]).collect();
    let customers =
        numbers(connection, "SELECT CustomerID FROM Sales.Customer ORDER BY CustomerID")?;
    let addresses = numbers(connection, "SELECT AddressID FROM Person.Address ORDER BY AddressID")?;
    Ok(Generator {
        pairs: pairs.iter().map(pair).collect(),
        customers: first(customers),
        addresses: first(addresses),
    })
}

fn number(value: &Value) -> i64 {
    match value {
        Value::Int(number) | Value::Money(number) => *number,
        _ => 0, // none of these columns is of another kind or NULL
    }
}
