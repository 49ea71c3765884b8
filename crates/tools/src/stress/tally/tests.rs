use super::*;

#[test]
fn a_course_runs_every_step_as_often_as_it_says() {
    let step = |count| Step { text: String::new(), count };
    let steps = [step(2), step(1)];
    let mut course = Course::new(&steps, 2);
    let mut seen = Vec::new();
    while let Some(at) = course.current() {
        seen.push((at, course.advance()));
    }
    let once = [(0, false), (0, false), (1, true)];
    assert_eq!(seen, [once, once].concat());
    assert_eq!(Course::new(&[], 5).current(), None);
    let mut course = Course::new(&steps, 2);
    course.end();
    assert_eq!(course.current(), None);
}
