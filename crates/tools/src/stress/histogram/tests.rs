use super::*;

#[test]
fn every_value_is_near_its_buckets_edge() {
    for us in (0..100_000).chain((17..40).map(|bits| (1 << bits) + 12_345)) {
        let edge = upper_edge(bucket(us));
        assert!(edge >= us && (edge - us) as f64 <= us as f64 / 64.0, "{us} {edge}");
    }
    assert_eq!(bucket(u64::MAX), BUCKETS - 1);
}

#[test]
fn quantiles_are_those_of_what_was_counted() {
    let (mut a, mut b) = (Histogram::default(), Histogram::default());
    for ms in 1..=1000 {
        let half = if ms % 2 == 0 { &mut a } else { &mut b };
        half.record(Duration::from_millis(ms));
    }
    a.add(&b);
    for (share, ms) in [(0.5, 500.0), (0.9, 900.0), (0.99, 990.0), (1.0, 1000.0)] {
        let found = a.quantile(share).as_secs_f64() * 1000.0;
        assert!((found - ms).abs() / ms < 0.017, "{share}: {found}");
    }
    assert_eq!((a.count(), a.max()), (1000, Duration::from_secs(1)));
    assert_eq!(Histogram::default().quantile(0.5), Duration::ZERO);
}
