use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicUsize;
use std::thread::sleep;
use std::time::Duration;

use super::*;

#[derive(Debug, PartialEq)]
enum Broken {
    At(&'static str, u64),
    Stopped,
}

impl From<Interrupted> for Broken {
    fn from(_: Interrupted) -> Self {
        Broken::Stopped
    }
}

const THREADS: [usize; 5] = [0, 1, 2, 4, 13];

/// Where one number fails or panics.
#[derive(Clone, Copy, PartialEq)]
struct Fault(&'static str, u64, How);

#[derive(Clone, Copy, PartialEq)]
enum How {
    AtOnce,
    Late,
    Panics,
}

/// Sends `count` numbers through both gates; gives what each gate saw. Of those that `leave`
/// says, somebody else may do what is to be done at the last one.
fn walk(
    threads: usize,
    count: u64,
    faults: &[Fault],
    interrupted: &AtomicBool,
    leave: fn(u64) -> bool,
) -> (Result<(), Broken>, Vec<u64>, Vec<u64>) {
    let meet = &|place: &'static str, number: u64| {
        let at = |fault: &&Fault| fault.0 == place && fault.1 == number;
        match faults.iter().find(at) {
            None => return Ok(()),
            Some(Fault(_, _, How::AtOnce)) => (),
            Some(Fault(_, _, How::Late)) => sleep(Duration::from_millis(20)),
            Some(Fault(_, _, How::Panics)) => panic!("panic in {place} at {number}"),
        }
        Err(Broken::At(place, number))
    };
    let workers = Workers {
        threads,
        interrupted,
    };
    let (mut first, mut last) = (Vec::new(), Vec::new());
    let mut numbers = 0..count;
    let outcome = run_both(
        workers,
        |_| {
            let number = numbers.next();
            number.map_or(Ok(()), |number| meet("next", number))?;
            Ok(number)
        },
        &mut first,
        &mut last,
        || Ok(()),
        |(), number, way| {
            meet("read", *number)?;
            let (seen, way) = way.pass(|first| {
                meet("first", *number)?;
                first.push(*number);
                Ok(first.len() as u64)
            })?;
            assert_eq!(seen, number + 1);
            meet("work", *number)?;
            let number = *number;
            let at_last = move |last: &mut &mut Vec<u64>| {
                meet("last", number)?;
                last.push(number);
                Ok(())
            };
            match leave(number) {
                true => way.leave(at_last),
                false => way.pass(at_last),
            }
        },
    );
    (outcome.map(drop), first, last)
}

/// Who leaves: nobody, all, every second one.
const LEAVE: [fn(u64) -> bool; 3] = [|_| false, |_| true, |number| number % 2 == 1];

static NEVER: AtomicBool = AtomicBool::new(false);

#[test]
fn numbers_pass_both_gates_in_order_on_any_number_of_threads() {
    for threads in THREADS {
        for (count, leave) in [0, 1, 2, 500]
            .into_iter()
            .flat_map(|n| LEAVE.map(|leave| (n, leave)))
        {
            let (outcome, first, last) = walk(threads, count, &[], &NEVER, leave);
            assert_eq!(outcome, Ok(()));
            assert_eq!(first, (0..count).collect::<Vec<_>>());
            assert_eq!(last, first);
        }
    }
}

#[test]
fn the_earliest_failure_is_told_whatever_the_timing() {
    let places = ["next", "read", "first", "work", "last"];
    for early in places {
        for late in places {
            for (threads, leave) in THREADS
                .into_iter()
                .flat_map(|n| LEAVE.map(|leave| (n, leave)))
            {
                // The later one happens at once, the earlier one takes its time.
                let faults = [
                    Fault(late, 7, How::AtOnce),
                    Fault(late, 5, How::AtOnce),
                    Fault(early, 3, How::Late),
                ];
                let (outcome, _, last) = walk(threads, 50, &faults, &NEVER, leave);
                assert_eq!(outcome, Err(Broken::At(early, 3)));
                assert_eq!(
                    last,
                    [0, 1, 2],
                    "all before it came through, nothing behind"
                );
            }
        }
    }
}

#[test]
fn a_panic_is_passed_on_wherever_it_happens() {
    for place in ["next", "read", "first", "work", "last"] {
        for (threads, leave) in THREADS
            .into_iter()
            .flat_map(|n| LEAVE.map(|leave| (n, leave)))
        {
            let faults = [Fault(place, 3, How::Panics)];
            let walked = || walk(threads, 50, &faults, &NEVER, leave);
            let Err(panic) = catch_unwind(AssertUnwindSafe(walked)) else {
                panic!("{place}: went through");
            };
            let said = panic.downcast_ref::<String>();
            assert_eq!(said, Some(&format!("panic in {place} at 3")));
        }
    }
}

#[test]
fn an_interruption_comes_after_what_was_handed_out() {
    for threads in THREADS {
        let (outcome, first, _) = walk(threads, 5, &[], &AtomicBool::new(true), |_| true);
        assert_eq!((outcome, first), (Err(Broken::Stopped), Vec::new()));
        // A failure before it is told instead.
        for broken in [None, Some(18)] {
            let stop = AtomicBool::new(false);
            let workers = Workers {
                threads,
                interrupted: &stop,
            };
            let (mut given, mut seen) = (0..100, Vec::new());
            let outcome = run(
                workers,
                |_| {
                    let number = given.next();
                    stop.store(number == Some(20), Ordering::Relaxed);
                    Ok(number)
                },
                &mut seen,
                || Ok(()),
                |(), number, way| {
                    way.pass(|seen| {
                        seen.push(*number);
                        match broken {
                            Some(broken) if broken == *number => Err(Broken::At("last", broken)),
                            _ => Ok(()),
                        }
                    })
                },
            );
            let expected = broken.map_or(Broken::Stopped, |at| Broken::At("last", at));
            assert_eq!(outcome.map(drop), Err(expected));
            assert_eq!(seen, (0..=broken.unwrap_or(20)).collect::<Vec<u64>>());
        }
    }
}

#[test]
fn a_thread_holds_one_piece_and_one_state_and_gives_memory_back() {
    for threads in [1, 2, 4] {
        let workers = Workers {
            threads,
            interrupted: &NEVER,
        };
        let (made, states) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let mut count = 0;
        let outcome: Result<usize, Broken> = run(
            workers,
            |done: Option<Vec<u8>>| {
                count += 1;
                let new = || {
                    made.fetch_add(1, Ordering::Relaxed);
                    vec![1]
                };
                Ok((count <= 300).then(|| done.unwrap_or_else(new)))
            },
            0,
            || {
                states.fetch_add(1, Ordering::Relaxed);
                Ok(0)
            },
            |own: &mut u64, piece, way| {
                *own += 1;
                way.pass(|sum| {
                    *sum += piece.len();
                    Ok(())
                })
            },
        );
        assert_eq!(outcome, Ok(300));
        assert!((1..=threads).contains(&made.into_inner()));
        assert!((1..=threads).contains(&states.into_inner()));
    }
}

#[test]
fn nobody_waits_for_the_slow_until_too_many_have_left() {
    let (passed, ahead) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let workers = Workers {
        threads: 2,
        interrupted: &NEVER,
    };
    let mut numbers = 0..40;
    let outcome: Result<u64, Broken> = run(
        workers,
        |_| Ok(numbers.next()),
        0,
        || Ok(()),
        |(), number, way| {
            if *number == 0 {
                // The other thread does what it can meanwhile, which is not all.
                let full = LEFT_PER_THREAD * 2 + 1;
                while ahead.load(Ordering::Acquire) < full {
                    sleep(Duration::from_millis(1));
                }
                sleep(Duration::from_millis(20));
                assert_eq!(ahead.load(Ordering::Acquire), full);
                assert_eq!(passed.load(Ordering::Acquire), 0);
            } else {
                ahead.fetch_add(1, Ordering::AcqRel);
            }
            let (number, passed) = (*number, &passed);
            way.leave(move |sum| {
                assert_eq!(passed.fetch_add(1, Ordering::AcqRel) as u64, number);
                *sum += number;
                Ok(())
            })
        },
    );
    assert_eq!(outcome, Ok((0..40).sum()));
}

#[test]
fn a_state_that_cannot_be_made_is_a_failure_and_nobody_waits_for_it() {
    for threads in THREADS {
        let workers = Workers {
            threads,
            interrupted: &NEVER,
        };
        let mut numbers = 0..9;
        let outcome = run(
            workers,
            |_| Ok(numbers.next()),
            (),
            || Err::<(), _>(Broken::At("state", 0)),
            |(), _: &u64, way| way.pass(|()| Ok(())),
        );
        assert_eq!(outcome, Err(Broken::At("state", 0)));
    }
}
