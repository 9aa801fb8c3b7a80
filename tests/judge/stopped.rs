//! Runs that are stopped half way, politely and not.

use std::collections::BTreeSet;
use std::process::{Child, Stdio};
use std::time::Duration;

use crate::judge::data::{
    YES, all_asked, arguments, interrupt, judge, judged, place_with, verdicts,
};
use crate::server::{Answer, Server};
use crate::support::{Place, TEMPORARY};

const CONCURRENCY: usize = 4;

fn slow() -> Server {
    // Different for each request, so that an end meets every state of a call.
    Server::start(|_, number| {
        Answer::says(YES).after(Duration::from_millis(3 + number as u64 * 13 % 20))
    })
}

fn start(place: &Place, server: &Server) -> Child {
    place
        .process(&arguments(server, &format!("--concurrency {CONCURRENCY}")))
        .env_remove("OPENAI_API_KEY")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// Waits until the server has so many requests more, or the run is over.
fn until_asked(server: &Server, child: &mut Child, more: usize) {
    let enough = server.requests().len() + more;
    while server.requests().len() < enough && child.try_wait().expect("a child").is_none() {
        std::thread::sleep(Duration::from_micros(300));
    }
}

#[track_caller]
fn no_temporary_file(place: &Place) {
    for folder in ["judged", "judged/m", "judged/.judica"] {
        let left = place.names(folder);
        assert!(
            !left.iter().any(|name| name.ends_with(TEMPORARY)),
            "{folder}: {left:?}"
        );
    }
}

#[test]
fn ctrl_c_keeps_what_came_and_a_rerun_goes_on() {
    let (place, server) = (place_with(120), slow());
    let mut child = start(&place, &server);
    until_asked(&server, &mut child, 20);
    interrupt(&child);
    let output = child.wait_with_output().expect("the end");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(
        said.contains("interrupted") && said.contains("judged/.judica"),
        "{said}"
    );
    let before = server.requests().len();
    assert!(before < 120, "the run was over before it was stopped");
    assert!(!place.path("judged/m/set.json").exists());
    no_temporary_file(&place);

    judge(&place, &server, "").exits(0);
    let document = judged(&place);
    assert_eq!(verdicts(&document), ["yes ok"; 120]);
    let repeated = server.requests().len() - 120;
    assert!(repeated <= CONCURRENCY, "{repeated}");
    let kept = document["judge"]["n_from_cache"].as_u64().unwrap() as usize;
    assert_eq!(kept + repeated, before);
}

#[test]
fn ctrl_c_does_not_wait_for_a_silent_server() {
    let place = place_with(3);
    let server = Server::start(|_, _| Answer::says(YES).after(Duration::from_secs(30)));
    let mut child = start(&place, &server);
    until_asked(&server, &mut child, 3);
    interrupt(&child);
    let patience = (0..250).find_map(|_| {
        std::thread::sleep(Duration::from_millis(20));
        child.try_wait().expect("a child")
    });
    let Some(status) = patience else {
        child.kill().expect("killed");
        panic!("it waits for the server");
    };
    assert_eq!(status.code(), Some(130));
}

#[test]
fn after_kills_every_row_is_there_and_only_what_was_in_flight_is_asked_twice() {
    let (place, server) = (place_with(120), slow());
    let kills = [0, 1, 9, 25, 4, 14];
    for (round, more) in kills.into_iter().enumerate() {
        let mut child = start(&place, &server);
        until_asked(&server, &mut child, more);
        std::thread::sleep(Duration::from_micros(round as u64 * 1700 % 5000));
        child.kill().expect("killed");
        child.wait().expect("the end");
        assert!(
            !place.path("judged/m/set.json").exists(),
            "not before it is whole"
        );
    }
    judge(&place, &server, "").exits(0);
    assert_eq!(verdicts(&judged(&place)), ["yes ok"; 120]);
    no_temporary_file(&place);
    let asked = all_asked(&server);
    let different: BTreeSet<&String> = asked.iter().collect();
    assert_eq!(different.len(), 120);
    let repeated = asked.len() - 120;
    assert!(repeated <= CONCURRENCY * kills.len(), "{repeated}");
    assert!(repeated > 0, "no kill met a call, so nothing was shown");
    judge(&place, &server, "--overwrite").exits(0);
    assert_eq!(server.requests().len(), asked.len());
}
