//! Power cuts while orders are inserted.

use crate::testing::{TestServer, power};

#[test]
fn acknowledged_orders_survive_power_cuts() {
    power::acknowledged_orders_survive(8, &TestServer::on);
}
