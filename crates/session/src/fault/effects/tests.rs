use super::*;

fn ends(number: i32, place: Place) -> Effect {
    effect_of(&SqlError::custom(number, 16, 1, String::new()), place)
}

#[test]
fn errors_of_data_end_their_statement() {
    let numbers = [
        201, 206, 213, 220, 232, 242, 266, 512, 515, 517, 544, 545, 547, 550, 574, 1801, 2601,
        2627, 2628, 3701, 3902, 3903, 3914, 6401, 8115, 8134, 8143, 8144, 8145, 8146, 8152, 8179,
        9809, 15151, 16915, 16950,
    ];
    for number in numbers {
        assert_eq!(ends(number, Place::Elsewhere), Effect::Statement, "{number}");
    }
}

#[test]
fn what_sql_server_rolls_back_is_rolled_back() {
    let numbers = [
        217, 219, 235, 241, 245, 289, 293, 295, 556, 628, 701, 911, 1205, 1505, 1715, 1750, 1765,
        1768, 1778, 2714, 3609, 3616, 3623, 3723, 3726, 3727, 3728, 3729, 3732, 3915, 3916, 3930,
        3960, 4514, 4708, 4712, 4901, 4916, 4920, 8106, 8107, 8114, 8169, 10610, 11700, 11701,
        11702, 11703, 11704, 11705, 11706, 11708, 41302, 41305, 41325,
    ];
    for number in numbers {
        assert_eq!(ends(number, Place::Elsewhere), Effect::Transaction, "{number}");
        assert_eq!(ends(number, Place::Definition), Effect::Transaction, "{number}");
    }
    assert_eq!(ends(547, Place::Definition), Effect::Transaction);
    assert_eq!(ends(1946, Place::Definition), Effect::Transaction);
    assert_eq!(ends(1946, Place::Elsewhere), Effect::Statement);
    assert_eq!(ends(3701, Place::Definition), Effect::Statement);
}

#[test]
fn severity_counts_from_20_on() {
    let severe = SqlError::custom(50000, 20, 1, String::new());
    assert_eq!(effect_of(&severe, Place::Elsewhere), Effect::Session);
    assert_eq!(ends(3617, Place::Elsewhere), Effect::Cancelled);
    assert_eq!(ends(11537, Place::Elsewhere), Effect::Batch);
}

#[test]
fn only_a_few_do_not_heed_xact_abort() {
    let heeds = |number| heeds_xact_abort(&SqlError::custom(number, 16, 1, String::new()));
    assert!([547, 2627, 8134, 208].into_iter().all(heeds));
    assert!(![266, 2787, 3701].into_iter().any(heeds));
}
