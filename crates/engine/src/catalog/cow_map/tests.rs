use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

fn check(map: &CowMap<u16, u32>, model: &BTreeMap<u16, u32>) {
    assert_eq!(map.len(), model.len());
    assert!(map.iter().eq(model.iter()), "{map:?} is not {model:?}");
    assert!(map.chunks.iter().all(|c| !c.is_empty() && c.len() <= CHUNK_MAX));
    assert_eq!(map.last(), model.last_key_value());
}

proptest! {
    #[test]
    fn behaves_as_an_ordered_map(
        changes in prop::collection::vec((any::<bool>(), 0u16..600, any::<u32>()), 0..2000),
        probes in prop::collection::vec(0u16..600, 20),
    ) {
        let mut map = CowMap::default();
        let mut model = BTreeMap::new();
        for (insert, key, value) in changes {
            if insert {
                prop_assert_eq!(map.insert(key, value), model.insert(key, value));
            } else {
                prop_assert_eq!(map.remove(&key), model.remove(&key));
            }
        }
        check(&map, &model);
        for key in probes {
            prop_assert_eq!(map.get(&key), model.get(&key));
            prop_assert!(map.range_from(&key).eq(model.range(key..)));
        }
    }
}

#[test]
fn copies_do_not_see_later_changes() {
    let mut map: CowMap<u16, u32> = CowMap::default();
    for k in 0..1000 {
        map.insert(k * 7 % 1000, u32::from(k));
    }
    let before = map.clone();
    let model: BTreeMap<u16, u32> = before.iter().map(|(k, v)| (*k, *v)).collect();
    for k in 0..900 {
        map.remove(&k);
    }
    map.insert(5000, 1);
    check(&before, &model);
    assert_eq!(map.len(), 101);
    assert!(map.chunks.len() <= 6, "{} chunks for 101 entries", map.chunks.len());
}
