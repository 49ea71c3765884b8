use super::*;

#[test]
fn sequential_guids_rise_in_the_order_of_sql_server() {
    let env = Env::real();
    let mut guids = SequentialGuids::new(&env);
    let key = |g: &[u8; 16]| {
        let mut key = Vec::new();
        for range in [10..16, 8..10, 6..8, 4..6, 0..4] {
            key.extend_from_slice(&g[range]);
        }
        key
    };
    let made: Vec<Vec<u8>> = (0..1000).map(|_| key(&guids.next(&env))).collect();
    assert!(made.windows(2).all(|pair| pair[0] < pair[1]));
}
