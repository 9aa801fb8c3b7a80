//! How long it takes where a server turns calls away.

use std::time::Duration;

use crate::judge::data::{YES, judge, judged, place_with};
use crate::server::{Answer, Server};

/// About 4 s without any pacing; 218 s when every refusal held up everybody and doubled the
/// gap between calls.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "how long it takes is told by the clock"
)]
fn one_refusal_in_ten_does_not_make_minutes_of_seconds() {
    let server = Server::start(|_, number| match number % 10 {
        9 => Answer::error(429, "slow down".into()).header("Retry-After", "1"),
        _ => Answer::says(YES).after(Duration::from_millis(50)),
    });
    let place = place_with(200);
    let began = std::time::Instant::now();
    judge(&place, &server, "--concurrency 16").exits(0);
    let took = began.elapsed();
    assert!(took < Duration::from_secs(14), "{took:?}");
    assert_eq!(server.requests().len(), 222);
    assert_eq!(judged(&place)["judge_metrics"]["accuracy"], 1.0);
}
