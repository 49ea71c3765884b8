use std::net::Ipv4Addr;

use super::*;

const A: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
const B: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));

fn fail(throttle: &Throttle, from: IpAddr, login: &str, times: u32) {
    (0..times).for_each(|_| throttle.begin(from, login).failed(0));
}

fn delay(throttle: &Throttle, from: IpAddr, login: &str, now_ns: u64) -> Duration {
    throttle.begin(from, login).delay(now_ns)
}

#[test]
fn guessing_slows_down_that_login_from_that_address_alone() {
    let throttle = Throttle::default();
    fail(&throttle, A, "sa", FREE);
    assert_eq!(delay(&throttle, A, "sa", 0), Duration::ZERO);
    fail(&throttle, A, "SA", 1);
    assert_eq!(delay(&throttle, A, "sa", 0), Duration::from_millis(200));
    fail(&throttle, A, "sa", 100);
    assert_eq!(delay(&throttle, A, "Sa", 0), Duration::from_secs(1));
    assert_eq!(delay(&throttle, A, "app", 0), Duration::ZERO);
    assert_eq!(delay(&throttle, B, "sa", 0), Duration::ZERO);
    throttle.begin(A, "sa").succeeded();
    assert_eq!(delay(&throttle, A, "sa", 0), Duration::ZERO);
}

#[test]
fn wrong_passwords_are_forgotten() {
    let throttle = Throttle::default();
    fail(&throttle, A, "sa", 100);
    assert_eq!(delay(&throttle, A, "sa", FORGET_AFTER_NS), Duration::ZERO);
    throttle.begin(A, "sa").failed(FORGET_AFTER_NS);
    assert_eq!(delay(&throttle, A, "sa", FORGET_AFTER_NS), Duration::ZERO);
}

#[test]
fn many_attempts_under_way_are_suspect_and_others_are_not() {
    let throttle = Throttle::default();
    let attempts: Vec<_> = (0..=FREE).map(|_| throttle.begin(A, "sa")).collect();
    assert!(throttle.begin(A, "sa").is_suspect(0));
    assert!(!throttle.begin(A, "app").is_suspect(0));
    assert!(!throttle.begin(B, "sa").is_suspect(0));
    drop(attempts);
    assert!(!throttle.begin(A, "sa").is_suspect(0));
    assert!(throttle.lock().is_empty(), "attempts without failures are not remembered");
}

#[test]
fn memory_is_bounded() {
    let throttle = Throttle::default();
    for n in 0..2 * PAIRS_MAX as u32 {
        fail(&throttle, IpAddr::V4(Ipv4Addr::from_bits(n)), "sa", 1);
    }
    assert!(throttle.lock().len() <= PAIRS_MAX);
}
