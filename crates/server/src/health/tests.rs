use super::*;

#[test]
fn a_failure_has_its_number_and_its_reason() {
    assert_eq!(
        checkpoint_failed("d", &CheckpointError::OutOfMemory),
        "Error: 41315, Severity: 16, State: 0. Checkpoint operation failed in database 'd'. \
         there is not enough memory. Commits go on until the log is full."
    );
}
