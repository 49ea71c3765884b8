use super::*;

#[test]
fn the_lowest_free_number_fills_gaps() {
    assert_eq!(first_free([1, 2, 3].into_iter(), 5), 5);
    assert_eq!(first_free([1, 2, 5, 6, 8].into_iter(), 5), 7);
}

#[test]
fn schemas_and_users_stay_below_the_fixed_ones() {
    let next = |used: &[i32]| next_below_fixed(used, 5);
    assert_eq!(next(&[1, 2, 3, 4, 16384, 16393]), Some(5));
    assert_eq!(next(&[1, 2, 3, 4, 7, 16384]), Some(8));
    assert_eq!(next(&[1, 2, 3, 4, 16383, 16384]), Some(5));
    let full: Vec<i32> = (5..FIRST_FIXED).collect();
    assert_eq!(next(&full), None);
}
