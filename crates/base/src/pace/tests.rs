use std::cell::Cell;

use super::*;

#[test]
fn a_stride_is_asked_about_once() {
    struct Count(Cell<usize>);
    impl Pace for Count {
        fn pace(&self) -> SqlResult<()> {
            self.0.set(self.0.get() + 1);
            Ok(())
        }
    }
    let count = Count(Cell::new(0));
    let mut stride = Stride::new(&count);
    (0..10 * STRIDE).for_each(|_| stride.step(1).unwrap());
    assert_eq!(count.0.get(), 9);
    stride.step(usize::MAX).unwrap();
    assert_eq!(count.0.get(), 10);
}
