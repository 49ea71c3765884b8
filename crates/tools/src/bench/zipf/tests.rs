use super::*;

/// The part of all draws that the first `head` ranks have.
fn exact_share(ranks: u32, theta: f64, head: u32) -> f64 {
    let sum = |to: u32| (1..=to).map(|rank| f64::from(rank).powf(-theta)).sum::<f64>();
    sum(head) / sum(ranks)
}

#[test]
fn heads_have_their_exact_shares() {
    const DRAWS: u32 = 400_000;
    for (ranks, theta) in [(1000, 0.99), (2_000_000, 0.99), (2_000_000, 1.0), (50_000, 0.5)] {
        let (zipf, mut random) = (Zipf::new(ranks, theta), Random::new(5));
        let drawn: Vec<u32> = (0..DRAWS).map(|_| zipf.draw(&mut random)).collect();
        assert!(drawn.iter().all(|&rank| rank < ranks));
        for head in [1, 2, 10, 100, ranks / 10, ranks / 2] {
            let count = drawn.iter().filter(|&&rank| rank < head).count();
            let (found, exact) = (count as f64 / f64::from(DRAWS), exact_share(ranks, theta, head));
            // Five standard deviations.
            let tolerance = 5.0 * (exact * (1.0 - exact) / f64::from(DRAWS)).sqrt();
            assert!(
                (found - exact).abs() < tolerance,
                "{ranks} {theta} {head}: {found} for {exact}"
            );
        }
    }
}

#[test]
fn without_skew_all_ranks_are_equally_likely() {
    let (zipf, mut random) = (Zipf::new(10, 0.0), Random::new(1));
    let mut counts = [0; 10];
    for _ in 0..100_000 {
        counts[zipf.draw(&mut random) as usize] += 1;
    }
    assert!(counts.iter().all(|count| (9_500..10_500).contains(count)), "{counts:?}");
}

#[test]
fn a_shuffle_has_every_number_once_and_depends_on_its_seed() {
    for count in [2, 1000, 1024, 100_003] {
        let shuffle = Shuffle::new(count, 3);
        let mut seen = vec![false; count as usize];
        for place in 0..count {
            let number = shuffle.at(place) as usize;
            assert!(!std::mem::replace(&mut seen[number], true), "{number} comes again");
        }
    }
    let [one, other] = [1, 2].map(|seed| Shuffle::new(1 << 20, seed));
    let same = (0..1000).filter(|&place| one.at(place) == other.at(place)).count();
    assert!(same < 10, "{same}");
}

#[test]
fn neighbours_of_a_shuffle_lie_anywhere() {
    let shuffle = Shuffle::new(20_000_000, 1);
    let mut tenths = [0; 10];
    for place in 0..10_000 {
        tenths[(u64::from(shuffle.at(place)) * 10 / 20_000_000) as usize] += 1;
    }
    assert!(tenths.iter().all(|share| (850..1150).contains(share)), "{tenths:?}");
    // As many of ten thousand are in the same page of 44 as chance would have it.
    let mut pages: Vec<u32> = (0..10_000).map(|place| shuffle.at(place) / 44).collect();
    pages.sort_unstable();
    let shared = pages.windows(2).filter(|pair| pair[0] == pair[1]).count();
    assert!((80..150).contains(&shared), "{shared}");
}
