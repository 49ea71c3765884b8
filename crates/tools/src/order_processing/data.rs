//! The data: every value follows from the number of its row, so that a client knows what an answer
//! must be. `samples/order-processing/3-data.sql` fills tables with the same.

/// Lines of an order that was there from the start.
pub const LINES_PER_ORDER: i64 = 5;
/// Figures of a product, and of a criterion.
pub const FIGURES: i64 = 100;
/// Products of a type that a query shows.
pub const CHEAPEST: usize = 10;
/// Products that are closest to a criterion.
pub const CLOSEST: usize = 20;

/// How many rows there are, and what is in them. Rows are counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Data {
    scale: u32,
}

/// A line of an order that was there from the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    /// Its order.
    pub order: i64,
    /// Its number in the order.
    pub number: i64,
    /// The product.
    pub product: i64,
    /// How many of it.
    pub quantity: i64,
}

impl Line {
    /// What it costs, in ten-thousandths.
    pub fn total(&self) -> i64 {
        price(self.product) * self.quantity
    }
}

/// The price of a product, in ten-thousandths.
pub fn price(product: i64) -> i64 {
    product * 37 % 9973 * 1000
}

/// A figure of a product, counted from 0.
pub fn product_figure(product: i64, n: i64) -> f64 {
    (product * (3 + 2 * n) % (998 + n)) as f64 / 997.0
}

/// A figure of a criterion, counted from 0.
pub fn criterion_figure(criterion: i64, n: i64) -> f64 {
    (criterion * (5 + 2 * n) % (992 + n)) as f64 / 991.0
}

/// How close a product is to a criterion: as the procedure computes it, in the same order.
pub fn closeness(product: i64, criterion: i64) -> f64 {
    (0..FIGURES).map(|n| product_figure(product, n) * criterion_figure(criterion, n)).sum()
}

impl Data {
    /// So many times the smallest.
    pub fn new(scale: u32) -> Data {
        Data { scale }
    }

    /// How many times the smallest.
    pub fn scale(&self) -> u64 {
        u64::from(self.scale)
    }

    fn rows(&self, weight: i64) -> i64 {
        i64::from(self.scale) * weight * 10_000
    }

    /// Customers.
    pub fn customers(&self) -> i64 {
        self.rows(1)
    }

    /// Orders at the start.
    pub fn orders(&self) -> i64 {
        self.rows(5)
    }

    /// Lines of these orders.
    pub fn lines(&self) -> i64 {
        self.rows(25)
    }

    /// Products.
    pub fn products(&self) -> i64 {
        self.rows(10)
    }

    /// Criteria.
    pub fn criteria(&self) -> i64 {
        self.rows(1)
    }

    /// Types of products, counted from 0.
    pub fn types(&self) -> i64 {
        i64::from(self.scale) * 1000
    }

    /// The type of a product.
    pub fn type_of(&self, product: i64) -> i64 {
        product % self.types()
    }

    /// A line of all, counted from 1.
    pub fn line(&self, n: i64) -> Line {
        Line {
            order: (n - 1) / LINES_PER_ORDER + 1,
            number: (n - 1) % LINES_PER_ORDER + 1,
            product: n * 7 % self.products() + 1,
            quantity: n % 9 + 1,
        }
    }

    /// The lines of an order.
    pub fn lines_of(&self, order: i64) -> impl Iterator<Item = Line> {
        let first = (order - 1) * LINES_PER_ORDER + 1;
        (first..first + LINES_PER_ORDER).map(|n| self.line(n))
    }

    /// What an order costs, in ten-thousandths.
    pub fn total(&self, order: i64) -> i64 {
        self.lines_of(order).map(|line| line.total()).sum()
    }

    /// The customer of an order.
    pub fn customer_of(&self, order: i64) -> i64 {
        order % self.customers() + 1
    }

    /// The orders of a customer at the start.
    pub fn orders_of(&self, customer: i64) -> impl Iterator<Item = i64> {
        let all = (customer - 1..=self.orders()).step_by(self.customers() as usize);
        all.filter(|order| *order > 0)
    }

    /// The products of a type with the lowest prices, in the order of prices; no two of a type have
    /// the same.
    pub fn cheapest(&self, of_type: i64) -> Vec<i64> {
        let all = (of_type..=self.products()).step_by(self.types() as usize);
        let mut all: Vec<i64> = all.filter(|product| *product > 0).collect();
        all.sort_unstable_by_key(|product| price(*product));
        all.truncate(CHEAPEST);
        all
    }

    /// The products of a range that are closest to a criterion, the closest first.
    pub fn closest(&self, criterion: i64, from: i64, to: i64) -> Vec<(i64, f64)> {
        let mut all: Vec<_> = (from..=to).map(|p| (p, closeness(p, criterion))).collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        all.truncate(CLOSEST);
        all
    }
}
