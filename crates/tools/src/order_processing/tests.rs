use super::data::{self, CHEAPEST, CLOSEST, Data};
use super::*;

#[test]
fn orders_have_customers_and_totals() {
    let data = Data::new(2);
    assert_eq!((data.orders(), data.lines()), (100_000, 500_000));
    let mut customers = vec![0; data.customers() as usize + 1];
    for order in 1..=data.orders() {
        customers[data.customer_of(order) as usize] += 1;
    }
    assert!(customers[1..].iter().all(|orders| *orders == 5));
    for customer in [1, 2, 777, data.customers()] {
        let own: Vec<i64> = data.orders_of(customer).collect();
        assert_eq!(own.len(), 5, "{own:?}");
        assert!(own.iter().all(|order| data.customer_of(*order) == customer), "{own:?}");
    }
    let lines: Vec<_> = data.lines_of(100_000).collect();
    assert_eq!(lines.last().map(|line| (line.order, line.number)), Some((100_000, 5)));
    assert_eq!(data.line(500_000), lines[4]);
    assert_eq!(
        data.total(100_000),
        lines.iter().map(|l| data::price(l.product) * l.quantity).sum::<i64>()
    );
}

#[test]
fn products_of_a_type_have_different_prices() {
    let data = Data::new(1);
    for of_type in [0, 1, 999] {
        let cheapest = data.cheapest(of_type);
        assert_eq!(cheapest.len(), CHEAPEST);
        assert!(cheapest.iter().all(|product| data.type_of(*product) == of_type));
        assert!(cheapest.is_sorted_by(|a, b| data::price(*a) < data::price(*b)));
    }
}

#[test]
fn the_closest_products_come_first() {
    let data = Data::new(1);
    let closest = data.closest(5, 100, 199);
    assert_eq!(closest.len(), CLOSEST);
    assert!(closest.is_sorted_by(|a, b| a.1 > b.1), "{closest:?}");
    let least = closest[CLOSEST - 1].1;
    let closer = (100..200).filter(|product| data::closeness(*product, 5) >= least).count();
    assert_eq!(closer, CLOSEST);
}

#[test]
fn kinds_have_the_published_shares() {
    let weights: u32 = Kind::ALL.iter().map(|kind| kind.weight()).sum();
    let share = |kind: Kind| (1000.0 * f64::from(kind.weight()) / f64::from(weights)).round();
    assert_eq!(Kind::ALL.map(share), [258.0, 194.0, 129.0, 65.0, 323.0, 32.0]);
}
