use proptest::prelude::*;

use super::*;

fn numbers() -> impl Strategy<Value = u128> {
    prop_oneof![
        any::<u128>(),
        any::<u64>().prop_map(u128::from),
        (0u32..128).prop_map(|s| 1 << s),
        Just(u128::MAX)
    ]
}

proptest! {
    #[test]
    fn division_undoes_multiplication(a in numbers(), b in numbers(), c in numbers()) {
        let b = b.max(1);
        let c = c % b;
        let value = U256::product(a, b).plus(c);
        prop_assert_eq!(value.div_rem(b), (U256 { hi: 0, lo: a }, c));
    }

    #[test]
    fn quotient_and_remainder_give_the_value(hi in numbers(), lo in numbers(), d in numbers()) {
        let d = d.max(1);
        let value = U256 { hi, lo };
        let (q, r) = value.div_rem(d);
        prop_assert!(r < d);
        let back = U256::product(q.lo, d).plus(r);
        let hi_part = q.hi.wrapping_mul(d);
        prop_assert_eq!(back.lo, value.lo);
        prop_assert_eq!(back.hi.wrapping_add(hi_part), value.hi);
    }

    #[test]
    fn shifts_are_divisions(a in any::<u128>(), b in any::<u64>(), s in 0u32..127) {
        let value = U256::product(a, u128::from(b));
        prop_assert_eq!(value.shifted_right(s), value.div_rem(1 << s).0);
    }
}
