use super::*;

#[tokio::test]
async fn a_panic_of_a_client_s_task_is_caught() {
    assert_eq!(caught(async { 7 }).await.ok(), Some(7));
    let ended = caught(async {
        tokio::task::yield_now().await;
        panic!("on purpose")
    });
    let ended: Result<(), Panicked> = ended.await;
    assert_eq!(ended.unwrap_err().text(), "on purpose");
}
