use super::*;

#[test]
fn long_keys_come_back_whole() {
    for len in [1, KEY_BYTES_MAX - 1, KEY_BYTES_MAX, 5000] {
        let key = vec![7; len];
        let (tree_key, value) = (in_tree(&key), value_in_tree(&key, b"value"));
        assert!(tree_key.len() <= KEY_BYTES_MAX);
        assert_eq!(whole(&tree_key, &value), Some((&*key, &b"value"[..])));
    }
    assert_eq!(whole(&[7; KEY_BYTES_MAX], b"short"), None);
}

#[test]
fn the_hash_is_that_of_files_that_exist() {
    assert_eq!(fnv1a(b""), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
    assert_eq!(fnv1a(b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
}
