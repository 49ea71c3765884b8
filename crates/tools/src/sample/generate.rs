//! The sample's data: always the same, as large as the original, whole in its references.
//!
//! Every table has a stream of random numbers of its own, so that none depends on which others are
//! made. Orders refer to what the [`Generator`] says there is: generated rows, or official ones.

use base::Value;
use base::value::DateTime;

use super::names;
use crate::client::ClientError;

/// Takes one row, its values in the order of the table's columns without computed ones.
pub type Emit<'e> = &'e mut dyn FnMut(&[Value]) -> Result<(), ClientError>;

/// A table that rows are made for.
pub struct TableRows {
    /// Its name with its schema.
    pub name: &'static str,
    /// Makes its rows.
    pub rows: fn(&Generator, Emit<'_>) -> Result<(), ClientError>,
}

/// All tables, those referred to before those that refer to them.
pub const TABLES: &[TableRows] = &[
    TableRows { name: "Person.CountryRegion", rows: countries },
    TableRows { name: "Sales.SalesTerritory", rows: territories },
    TableRows { name: "Person.StateProvince", rows: states },
    TableRows { name: "Person.Address", rows: addresses },
    TableRows { name: "Sales.Customer", rows: customers },
    TableRows { name: "Purchasing.ShipMethod", rows: ship_methods },
    TableRows { name: "Sales.CurrencyRate", rows: currency_rates },
    TableRows { name: "Sales.SalesPerson", rows: sales_people },
    TableRows { name: "Production.UnitMeasure", rows: units },
    TableRows { name: "Production.ProductCategory", rows: categories },
    TableRows { name: "Production.ProductSubcategory", rows: subcategories },
    TableRows { name: "Production.Product", rows: products },
    TableRows { name: "Sales.SpecialOffer", rows: offers },
    TableRows { name: "Sales.SpecialOfferProduct", rows: pairs },
    TableRows { name: "Sales.SalesOrderHeader", rows: order_headers },
    TableRows { name: "Sales.SalesOrderDetail", rows: order_lines },
];

/// Orders.
pub const ORDERS: usize = 31_465;
/// Lines of all orders.
pub const LINES: usize = 121_317;
/// Products.
pub const PRODUCTS: usize = 504;
/// Pairs of an offer and a product.
pub const PAIRS: usize = 538;
/// Customers.
pub const CUSTOMERS: i64 = 19_820;
/// Addresses.
pub const ADDRESSES: i64 = 19_614;

const FIRST_ORDER: i64 = 43_659;
const FIRST_SALES_PERSON: i64 = 274;
const SALES_PEOPLE: i64 = 17;
const CURRENCY_RATES: i64 = 1_000;
/// Products that are parts and not sold.
const PART_COUNT: usize = 209;
/// 2011-05-31, in days since 1900-01-01: the day of the first order.
const FIRST_DAY: i32 = 40_692;
/// Days on which there are orders.
const DAYS: usize = 1_126;
/// One order in this many is one of a reseller, with many lines.
const RESELLER_EVERY: usize = 8;

/// What orders may refer to.
#[derive(Clone, Debug)]
pub struct Generator {
    /// List prices in ten-thousandths and numbers of offers with their discounts, for each product
    /// that may be sold: (offer, product, list price, discount).
    pub pairs: Vec<Pair>,
    /// Numbers of customers.
    pub customers: Vec<i64>,
    /// Numbers of addresses.
    pub addresses: Vec<i64>,
}

/// A product under an offer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The offer's number.
    pub offer: i64,
    /// The product's number.
    pub product: i64,
    /// The list price in ten-thousandths.
    pub price: i64,
    /// The discount in ten-thousandths.
    pub discount: i64,
}

impl Default for Generator {
    fn default() -> Generator {
        Generator {
            pairs: made_pairs(),
            customers: (1..=CUSTOMERS).collect(),
            addresses: (1..=ADDRESSES).collect(),
        }
    }
}

/// Random numbers (splitmix64), the same in every run.
struct Dice(u64);

impl Dice {
    /// The stream of this number.
    fn stream(number: u64) -> Dice {
        Dice(number.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// From `low` to `high`, both included.
    fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }

    fn guid(&mut self) -> Value {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.next().to_le_bytes());
        bytes[8..].copy_from_slice(&self.next().to_le_bytes());
        bytes[7] = bytes[7] & 0x0F | 0x40; // a random GUID says so
        bytes[8] = bytes[8] & 0x3F | 0x80;
        Value::Guid(bytes)
    }
}

fn text(text: &str) -> Value {
    Value::Unicode(text.encode_utf16().flat_map(u16::to_le_bytes).collect())
}

fn int(value: impl Into<i64>) -> Value {
    Value::Int(value.into())
}

/// Midnight, this many days after that of the first order.
fn day(offset: i64) -> Value {
    Value::DateTime(DateTime { days: FIRST_DAY + offset as i32, ticks: 0 })
}

fn or_null(condition: bool, value: Value) -> Value {
    if condition { value } else { Value::Null }
}

fn countries(_: &Generator, emit: Emit<'_>) -> Result<(), ClientError> {
    names::COUNTRIES.iter().try_for_each(|(code, name)| emit(&[text(code), text(name), day(-30)]))
}

fn territories(_: &Generator, emit: Emit<'_>) -> Result<(), ClientError> {
    let mut dice = Dice::stream(1);
    for (at, (name, country, group)) in names::TERRITORIES.iter().enumerate() {
        let year = dice.between(15_000_000_000, 105_000_000_000);
        let last = dice.between(15_000_000_000, 75_000_000_000);
        emit(&[
            int(at as i64 + 1),
            text(name),
            text(country),
            text(group),
            Value::Money(year),
            Value::Money(last),
            Value::Money(0),
            Value::Money(0),
            dice.guid(),
            day(-30),
        ])?;
    }
    Ok(())
}

fn states(_: &Generator, emit: Emit<'_>) -> Result<(), ClientError> {
    let mut dice = Dice::stream(2);
    for (at, (code, country, name, territory)) in names::STATES.iter().enumerate() {
        let code = format!("{code:<3}");
        emit(&[
            int(at as i64 + 1),
            text(&code),
            text(country),
            int(0),
            text(name),
            int(*territory),
            dice.guid(),
            day(-30),
        ])?;
    }
    Ok(())
}

fn addresses(_: &Generator, emit: Emit<'_>) -> Result<(), ClientError> {
    let mut dice = Dice::stream(3);
    for number in 1..=ADDRESSES {
        let house = dice.between(1, 9_999);
        let street = dice.pick(&names::STREETS);
        let line = format!("{house} {street} {}", dice.pick(&names::STREET_KINDS));
        let flat = dice.between(1, 400);
        let second = or_null(dice.one_in(40), text(&format!("# {flat}")));
        let town = format!("{}{}", dice.pick(&names::TOWN_HEADS), dice.pick(&names::TOWN_TAILS));
        let state = dice.below(names::STATES.len()) as i64 + 1;
        let code = format!("{:05}", dice.between(1_000, 99_999));
        let modified = day(dice.between(0, 1_000));
        emit(&[
            int(number),
            text(&line),
            second,
            text(&town),
            int(state),
            text(&code),
            Value::Null,
            dice.guid(),
            modified,
        ])?;
    }
    Ok(())
}

fn customers(_: &Generator, emit: Emit<'_>) -> Result<(), ClientError> {
    let mut dice = Dice::stream(4);
    for number in 1..=CUSTOMERS {
        let is_store = number <= 701;
        emit(&[
            int(number),
            or_null(!is_store, int(number + 1_000)),
            or_null(is_store, int(number + 291)),
            int(dice.between(1, 10)),
            dice.guid(),
            day(0),
        ])?;
    }
    Ok(())
}

fn ship_methods(_: &Generator, emit: Emit<'_>) -> Result<(), ClientError> {
    let mut dice = Dice::stream(5);
    for (at, (name, base, rate)) in names::SHIP_METHODS.iter().enumerate() {
        let number = int(at as i64 + 1);
        emit(&[
            number,
            text(name),
            Value::Money(*base),
            Value::Money(*rate),
            dice.guid(),
            day(-30),
        ])?;
    }
    Ok(())
}

fn currency_rates(_: &Generator, emit: Emit<'_>) -> Result<(), ClientError> {
    let mut dice = Dice::stream(6);
    for number in 1..=CURRENCY_RATES {
        let rate = dice.between(6_000, 18_000);
        let close = rate + dice.between(-50, 50);
        let date = day(number - 1);
        emit(&[
            int(number),
            date.clone(),
            text("USD"),
            text("EUR"),
            Value::Money(rate),
            Value::Money(close),
            date,
        ])?;
    }
    Ok(())
}

fn sales_people(_: &Generator, emit: Emit<'_>) -> Result<(), ClientError> {
    let mut dice = Dice::stream(7);
    for number in FIRST_SALES_PERSON..FIRST_SALES_PERSON + SALES_PEOPLE {
        let bonus = dice.between(0, 6_500) * 10_000;
        emit(&[
            int(number),
            int((number - FIRST_SALES_PERSON) % 10 + 1),
            Value::Money(2_500_000_000),
            Value::Money(bonus),
            Value::Money(dice.between(100, 200)),
            day(0),
        ])?;
    }
    Ok(())
}

fn units(_: &Generator, emit: Emit<'_>) -> Result<(), ClientError> {
    names::UNITS
        .iter()
        .try_for_each(|(code, name)| emit(&[text(&format!("{code:<3}")), text(name), day(-30)]))
}

fn categories(_: &Generator, emit: Emit<'_>) -> Result<(), ClientError> {
    let mut dice = Dice::stream(8);
    for (at, name) in names::CATEGORIES.iter().enumerate() {
        emit(&[int(at as i64 + 1), text(name), dice.guid(), day(-30)])?;
    }
    Ok(())
}

fn subcategories(_: &Generator, emit: Emit<'_>) -> Result<(), ClientError> {
    let mut dice = Dice::stream(9);
    for (at, (category, name, ..)) in names::SUBCATEGORIES.iter().enumerate() {
        emit(&[int(at as i64 + 1), int(*category), text(name), dice.guid(), day(-30)])?;
    }
    Ok(())
}

/// Where the list price of a product comes from: both the products and their pairs need it.
fn list_price(product: usize) -> i64 {
    let Some(sold) = product.checked_sub(PART_COUNT) else { return 0 };
    let (_, _, low, high) = names::SUBCATEGORIES[sold % names::SUBCATEGORIES.len()];
    let mut dice = Dice::stream(1_000 + product as u64);
    dice.between(low, high - 1) * 10_000 + 9_900
}

fn products(_: &Generator, emit: Emit<'_>) -> Result<(), ClientError> {
    let mut dice = Dice::stream(10);
    for product in 0..PRODUCTS {
        let price = list_price(product);
        let sold = product.checked_sub(PART_COUNT);
        let (name, number) = match sold {
            None => {
                let part = names::PARTS[product % names::PARTS.len()];
                let series = product / names::PARTS.len() + 1;
                (format!("{part} {series}"), format!("PA-{:04}", 1_000 + product))
            }
            Some(sold) => {
                let kind = names::SUBCATEGORIES[sold % names::SUBCATEGORIES.len()].1;
                let round = sold / names::SUBCATEGORIES.len();
                let series = names::SERIES[round % names::SERIES.len()];
                let initials: String = kind.split(' ').filter_map(|w| w.chars().next()).collect();
                (format!("{series} {kind}"), format!("{initials}-{:04}", 1_000 + product))
            }
        };
        let is_sold = sold.is_some();
        let is_bike = sold.is_some_and(|sold| names::SUBCATEGORIES[sold % 37].0 == 1);
        let stock = *dice.pick(&[100, 500, 800, 1_000]);
        let cost = price * dice.between(45, 70) / 100;
        let size = dice.between(38, 62).to_string();
        let weight = i128::from(dice.between(200, 3_000));
        emit(&[
            int(product as i64 + 1),
            text(&name),
            text(&number),
            int(i64::from(dice.one_in(2))),
            int(i64::from(is_sold)),
            or_null(is_sold, text(dice.pick::<&str>(&names::COLORS))),
            int(stock),
            int(stock * 3 / 4),
            Value::Money(cost),
            Value::Money(price),
            or_null(is_bike, text(&size)),
            or_null(is_bike, text("CM ")),
            or_null(is_bike, text("LB ")),
            or_null(is_bike, Value::Decimal(weight)),
            int(dice.between(0, 4)),
            or_null(is_bike, text(dice.pick::<&str>(&["M ", "R ", "T "]))),
            or_null(is_sold, text(dice.pick::<&str>(&["L ", "M ", "H "]))),
            or_null(is_sold, text(dice.pick::<&str>(&["U ", "M ", "W "]))),
            sold.map_or(Value::Null, |sold| int((sold % names::SUBCATEGORIES.len()) as i64 + 1)),
            or_null(is_sold, int(dice.between(1, 128))),
            day(-30),
            Value::Null,
            Value::Null,
            dice.guid(),
            day(0),
        ])?;
    }
    Ok(())
}

fn offers(_: &Generator, emit: Emit<'_>) -> Result<(), ClientError> {
    let mut dice = Dice::stream(11);
    for (at, (name, discount, kind, category, least, most)) in names::OFFERS.iter().enumerate() {
        emit(&[
            int(at as i64 + 1),
            text(name),
            Value::Money(*discount),
            text(kind),
            text(category),
            day(-30),
            day(1_500),
            int(*least),
            or_null(*most > 0, int(*most)),
            dice.guid(),
            day(-60),
        ])?;
    }
    Ok(())
}

/// Every product that is sold without a discount, then others under offers until there are enough.
fn made_pairs() -> Vec<Pair> {
    let pair = |offer: usize, product: usize| Pair {
        offer: offer as i64 + 1,
        product: product as i64 + 1,
        price: list_price(product),
        discount: names::OFFERS[offer].1,
    };
    let mut pairs: Vec<Pair> = (PART_COUNT..PRODUCTS).map(|product| pair(0, product)).collect();
    let mut dice = Dice::stream(12);
    while pairs.len() < PAIRS {
        let offer = dice.between(1, names::OFFERS.len() as i64 - 1) as usize;
        let product = dice.between(PART_COUNT as i64, PRODUCTS as i64 - 1) as usize;
        let new = pair(offer, product);
        if !pairs.contains(&new) {
            pairs.push(new);
        }
    }
    pairs.sort_by_key(|pair| (pair.offer, pair.product));
    pairs
}

fn pairs(generator: &Generator, emit: Emit<'_>) -> Result<(), ClientError> {
    let mut dice = Dice::stream(13);
    for pair in &generator.pairs {
        emit(&[int(pair.offer), int(pair.product), dice.guid(), day(-60)])?;
    }
    Ok(())
}

/// A line of an order.
struct Line {
    quantity: i64,
    pair: Pair,
}

impl Line {
    /// The total of the line, in ten-thousandths.
    fn total(&self) -> i64 {
        let price = i128::from(self.pair.price) * i128::from(10_000 - self.pair.discount);
        (price * i128::from(self.quantity) / 10_000) as i64
    }
}

/// How many lines each order has: all together [`LINES`], most of them those of resellers.
fn line_counts() -> Vec<usize> {
    let mut dice = Dice::stream(14);
    let mut counts = vec![1; ORDERS];
    for _ in 0..LINES - ORDERS {
        let at = match dice.below(5) {
            0 => dice.below(ORDERS),
            _ => dice.below(ORDERS / RESELLER_EVERY) * RESELLER_EVERY,
        };
        counts[at] += 1;
    }
    counts
}

/// The lines of an order.
fn lines_of(generator: &Generator, order: usize, count: usize) -> Vec<Line> {
    let mut dice = Dice::stream(100_000 + order as u64);
    let most = if is_of_reseller(order) { 12 } else { 3 };
    let line = |dice: &mut Dice| Line {
        quantity: dice.between(1, most),
        pair: *dice.pick(&generator.pairs),
    };
    (0..count).map(|_| line(&mut dice)).collect()
}

fn is_of_reseller(order: usize) -> bool {
    order % RESELLER_EVERY == 0
}

/// The day of an order, counted from the first.
fn day_of(order: usize) -> i64 {
    (order * DAYS / ORDERS) as i64
}

fn order_headers(generator: &Generator, emit: Emit<'_>) -> Result<(), ClientError> {
    let mut dice = Dice::stream(15);
    for (order, count) in line_counts().into_iter().enumerate() {
        let total: i64 = lines_of(generator, order, count).iter().map(Line::total).sum();
        let (number, date) = (FIRST_ORDER + order as i64, day_of(order));
        let reseller = is_of_reseller(order);
        let customer = *dice.pick(&generator.customers);
        let address = *dice.pick(&generator.addresses);
        let card = dice.between(1, 19_000);
        emit(&[
            int(number),
            int(8),
            day(date),
            day(date + 12),
            day(date + 7),
            int(5),
            int(i64::from(!reseller)),
            or_null(reseller, text(&format!("PO{}", 100_000 + number * 29))),
            text(&format!("10-4020-{customer:06}")),
            int(customer),
            or_null(
                reseller,
                int(dice.between(FIRST_SALES_PERSON, FIRST_SALES_PERSON + SALES_PEOPLE - 1)),
            ),
            int(dice.between(1, 10)),
            int(address),
            int(address),
            int(dice.between(1, 5)),
            int(card),
            Value::Chars(format!("{}Vi{}", 100_000 + card, 84_000 + card).into_bytes().into()),
            or_null(dice.one_in(3), int(dice.between(1, CURRENCY_RATES))),
            Value::Money(total),
            Value::Money(total * 8 / 100),
            Value::Money(total * 25 / 1_000),
            Value::Null,
            dice.guid(),
            day(date + 7),
        ])?;
    }
    Ok(())
}

fn order_lines(generator: &Generator, emit: Emit<'_>) -> Result<(), ClientError> {
    let mut dice = Dice::stream(16);
    let mut number = 0;
    for (order, count) in line_counts().into_iter().enumerate() {
        let tracking =
            format!("{:04X}-{:04X}-{:02X}", dice.below(65_536), dice.below(65_536), order % 256);
        for line in lines_of(generator, order, count) {
            number += 1;
            emit(&[
                int(FIRST_ORDER + order as i64),
                int(number),
                or_null(is_of_reseller(order), text(&tracking)),
                int(line.quantity),
                int(line.pair.product),
                int(line.pair.offer),
                Value::Money(line.pair.price),
                Value::Money(line.pair.discount),
                dice.guid(),
                day(day_of(order)),
            ])?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
