use proptest::prelude::*;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

/// Starts of `n` calls that all want to start at once.
fn starts(bucket: &mut Bucket, n: usize, tokens: u64) -> Vec<Duration> {
    let mut now = Duration::ZERO;
    (0..n)
        .map(|_| {
            now = now.max(bucket.ready_at());
            bucket.take(now, tokens);
            now
        })
        .collect()
}

#[test]
fn without_limits_nobody_waits() {
    let mut bucket = Bucket::new(None, None);
    assert_eq!(
        starts(&mut bucket, 100, 1_000_000).last(),
        Some(&Duration::ZERO)
    );
}

#[test]
fn thirty_calls_a_minute_start_every_two_seconds() {
    let mut bucket = Bucket::new(Some(30), None);
    assert_eq!(
        starts(&mut bucket, 4, 0),
        [0, 2, 4, 6].map(Duration::from_secs)
    );
}

#[test]
fn sixty_thousand_tokens_a_minute_are_a_thousand_a_second() {
    let mut bucket = Bucket::new(Some(600), Some(60_000));
    assert_eq!(
        starts(&mut bucket, 4, 500),
        [0, 500, 1000, 1500].map(Duration::from_millis)
    );
    // The last used 100 instead of 500: the next may start 400 ms sooner.
    bucket.settle(500, 100);
    assert_eq!(bucket.ready_at(), Duration::from_millis(1600));
    bucket.settle(0, u64::MAX);
    assert!(bucket.ready_at() > 1_000_000_000 * SECOND);
}

#[test]
fn idle_time_is_not_saved_up() {
    let mut bucket = Bucket::new(Some(60), None);
    bucket.take(Duration::ZERO, 0);
    bucket.take(100 * SECOND, 0);
    assert_eq!(bucket.ready_at(), 101 * SECOND - LATENESS);
}

/// Three that are turned away, each for so long.
fn all_turned_away(bucket: &mut Bucket, now: Duration, wait: Option<Duration>) {
    for _ in 0..MEANS_ALL {
        bucket.turned_away(now, wait);
    }
}

#[test]
fn a_pause_holds_and_is_never_shortened() {
    let mut bucket = Bucket::new(None, None);
    all_turned_away(&mut bucket, Duration::ZERO, Some(10 * SECOND));
    all_turned_away(&mut bucket, Duration::ZERO, Some(3 * SECOND));
    assert_eq!(bucket.ready_at(), 10 * SECOND);
    bucket.turned_away(SECOND, Some(Duration::MAX));
    assert_eq!(bucket.ready_at(), 10 * SECOND, "no time at all");
}

#[test]
fn one_that_is_turned_away_waits_alone_and_several_in_a_row_mean_everybody() {
    let mut bucket = Bucket::new(None, None);
    for _ in 0..5 {
        bucket.turned_away(SECOND, Some(10 * SECOND));
        bucket.turned_away(SECOND, Some(10 * SECOND));
        bucket.answered(SECOND);
    }
    assert_eq!(bucket.ready_at(), Duration::ZERO);
    all_turned_away(&mut bucket, SECOND, Some(10 * SECOND));
    assert_eq!(bucket.ready_at(), 11 * SECOND);
}

#[test]
fn those_on_their_way_may_still_be_answered() {
    let mut bucket = Bucket::new(None, None);
    for _ in 0..16 {
        bucket.take(Duration::ZERO, 0);
    }
    for refused in 1..=4 {
        assert_eq!(bucket.ready_at(), Duration::ZERO, "{refused}");
        bucket.settle(0, 0);
        bucket.turned_away(SECOND, Some(10 * SECOND));
    }
    assert_eq!(bucket.ready_at(), 11 * SECOND);
}

#[test]
fn after_everybody_was_turned_away_a_few_go_first() {
    let mut bucket = Bucket::new(None, None);
    bucket.take(SECOND, 0);
    all_turned_away(&mut bucket, SECOND, None);
    assert_eq!(bucket.ready_at(), SECOND + FIRST_GAP);
    bucket.turned_away(3 * SECOND, None);
    assert_eq!(bucket.ready_at(), SECOND + 2 * FIRST_GAP);
    for second in 0..100 {
        bucket.turned_away(second * 2 * SECOND, None);
    }
    assert_eq!(bucket.ready_at(), SECOND + LARGEST_GAP);
    // 2 s, halved ten times, are less than 3 ms.
    for _ in 0..9 {
        bucket.answered(200 * SECOND);
    }
    assert!(bucket.ready_at() > SECOND);
    bucket.answered(200 * SECOND);
    assert!(bucket.ready_at() < SECOND);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Timers that wake up to 4 ms late shift a start, and with it the edge of a minute.
    #[test]
    fn no_minute_sees_more_calls_than_allowed(
        calls in 1u32..200,
        delays in prop::collection::vec((0u64..3_000, 0u64..4), 1..400),
    ) {
        let mut bucket = Bucket::new(Some(calls), None);
        let mut now = Duration::ZERO;
        let mut starts = Vec::new();
        for (idle, late) in delays {
            now = (now + Duration::from_millis(idle)).max(bucket.ready_at()) + Duration::from_millis(late);
            bucket.take(now, 0);
            starts.push(now);
        }
        for window in starts.windows(calls as usize + 1) {
            let slack = Duration::from_millis(10);
            prop_assert!(window[calls as usize] - window[0] + slack >= MINUTE);
        }
    }
}
