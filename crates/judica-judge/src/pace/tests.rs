use std::sync::Arc;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

/// Starts `n` calls at once; says when each began, in the order they were made.
async fn begin(pace: &Arc<Pace>, n: usize) -> Vec<Duration> {
    let began = Instant::now();
    let calls: Vec<_> = (0..n)
        .map(|_| {
            let pace = pace.clone();
            tokio::spawn(async move {
                pace.turn(10).await;
                began.elapsed()
            })
        })
        .collect();
    let mut starts = Vec::new();
    for call in calls {
        starts.push(call.await.unwrap());
    }
    starts
}

fn limited(calls: u32) -> Arc<Pace> {
    Arc::new(Pace::new(PaceLimits {
        calls_per_minute: Some(calls),
        tokens_per_minute: None,
    }))
}

#[tokio::test(start_paused = true)]
async fn calls_start_in_the_order_they_came_and_evenly() {
    let starts = begin(&limited(60), 5).await;
    assert_eq!(starts, [0, 1, 2, 3, 4].map(Duration::from_secs));
}

#[tokio::test(start_paused = true)]
async fn without_limits_all_start_at_once() {
    let starts = begin(&Arc::new(Pace::new(PaceLimits::default())), 100).await;
    assert_eq!(starts, [Duration::ZERO; 100]);
}

#[tokio::test(start_paused = true)]
async fn a_pause_reaches_those_who_wait_already() {
    let pace = limited(60);
    let waiting = tokio::spawn({
        let pace = pace.clone();
        async move { begin(&pace, 4).await }
    });
    tokio::time::sleep(Duration::from_millis(1500)).await;
    for _ in 0..3 {
        pace.turned_away(Some(10 * SECOND));
    }
    let starts: Vec<_> = waiting
        .await
        .unwrap()
        .iter()
        .map(Duration::as_millis)
        .collect();
    // The timer of tokio counts whole milliseconds; the fourth is due a second after the
    // third began, less the lateness that is forgiven.
    assert_eq!(starts[..3], [0, 1000, 11_500]);
    assert!((12_490..=12_500).contains(&starts[3]), "{starts:?}");
}

#[tokio::test(start_paused = true)]
async fn who_goes_away_takes_no_turn() {
    let pace = limited(60);
    pace.turn(0).await;
    let gone = tokio::spawn({
        let pace = pace.clone();
        async move { pace.turn(0).await }
    });
    tokio::time::sleep(SECOND / 2).await;
    gone.abort();
    assert!(gone.await.is_err());
    assert_eq!(begin(&pace, 2).await, [SECOND / 2, SECOND * 3 / 2]);
}

#[tokio::test(start_paused = true)]
async fn tokens_are_settled_by_what_was_used() {
    let pace = Pace::new(PaceLimits {
        calls_per_minute: None,
        tokens_per_minute: Some(600),
    });
    let began = Instant::now();
    pace.turn(100).await;
    pace.settle(100, 20);
    pace.turn(100).await;
    assert_eq!(began.elapsed(), 2 * SECOND);
}
