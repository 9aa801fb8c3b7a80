//! Two processes at once on one cache: the second waits for the first and finds its replies.

use std::collections::BTreeSet;
use std::io::Read;
use std::process::{Child, Stdio};
use std::time::Duration;

use crate::judge::data::{
    YES, all_asked, interrupt, judge, judged, lasting, place_with, verdicts, yes,
};
use crate::server::{Answer, Server};
use crate::support::{Place, TEMPORARY};

const PAIRS: usize = 40;
const ROWS: usize = 6;

fn line(server: &Server, more: &str) -> String {
    let url = server.base_url();
    format!("judge --predictions preds --model m --base-url {url} --concurrency 3 {more}")
}

fn start(place: &Place, line: &str) -> Child {
    place
        .process(line)
        .env_remove("OPENAI_API_KEY")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

#[track_caller]
fn ends_with(child: Child, code: i32) -> String {
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{said}");
    said
}

/// Neither what is temporary nor a lock.
#[track_caller]
fn nothing_left(place: &Place, folders: &[String]) {
    for folder in folders {
        let names = place.names(folder);
        let left = |name: &String| name.contains(TEMPORARY) || name.ends_with(".lock");
        assert!(!names.iter().any(left), "{folder}: {names:?}");
    }
}

#[test]
fn of_two_judges_no_question_is_asked_twice() {
    let (place, server) = (place_with(ROWS), yes());
    place.judica(&line(&server, "--out alone")).exits(0);
    let alone = lasting(place.json("alone/m/set.json"));
    for pair in 0..PAIRS {
        let before = server.requests().len();
        let (same, one, two) = (
            pair % 2 == 0,
            format!("p{pair}/one"),
            format!("p{pair}/two"),
        );
        let (outs, cache) = match same {
            true => ([&one, &one], String::new()),
            false => ([&one, &two], format!("--cache p{pair}/replies")),
        };
        let both = outs.map(|out| start(&place, &line(&server, &format!("--out {out} {cache}"))));
        for child in both {
            ends_with(child, 0);
        }
        let asked = all_asked(&server).split_off(before);
        let different: BTreeSet<&String> = asked.iter().collect();
        assert_eq!((asked.len(), different.len()), (ROWS, ROWS), "pair {pair}");
        for out in outs {
            let document = place.json(&format!("{out}/m/set.json"));
            assert_eq!(lasting(document), alone, "pair {pair}");
            nothing_left(&place, &[out.clone(), format!("{out}/m")]);
        }
        let cache = if same {
            format!("{one}/.judica")
        } else {
            format!("p{pair}")
        };
        nothing_left(&place, &[cache]);
    }
}

fn slow() -> Server {
    Server::start(|_, _| Answer::says(YES).after(Duration::from_secs(30)))
}

fn until_asked(server: &Server) {
    while server.requests().is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Reads until the words come.
fn until_said(child: &mut Child, words: &str) -> String {
    let stderr = child.stderr.as_mut().expect("a pipe");
    let mut said = Vec::new();
    let mut byte = [0];
    while !String::from_utf8_lossy(&said).contains(words) {
        assert_eq!(
            stderr.read(&mut byte).expect("words"),
            1,
            "it ended: {said:?}"
        );
        said.push(byte[0]);
    }
    String::from_utf8_lossy(&said).into_owned()
}

#[test]
fn who_waits_says_for_whom_and_can_be_interrupted() {
    let (place, server) = (place_with(2), slow());
    let mut first = start(&place, &line(&server, "--out one --cache replies"));
    until_asked(&server);
    let mut second = start(&place, &line(&server, "--out two --cache ./replies"));
    let said = until_said(&mut second, "waiting for it");
    assert!(said.contains("replies"), "{said}");
    assert!(said.contains(&format!("process {}", first.id())), "{said}");
    assert!(place.path("replies.lock").exists());
    interrupt(&second);
    ends_with(second, 130);
    assert!(
        place.path("replies.lock").exists(),
        "the first still holds it"
    );
    interrupt(&first);
    assert_eq!(first.wait().expect("an end").code(), Some(130));
    nothing_left(&place, &[".".to_owned()]);
    assert_eq!(server.requests().len(), 2, "the second asked nobody");
}

#[test]
fn a_killed_holder_blocks_nobody() {
    let (place, server) = (place_with(2), slow());
    let mut first = start(&place, &line(&server, "--out judged"));
    until_asked(&server);
    first.kill().expect("killed");
    first.wait().expect("an end");
    assert!(place.path("judged/.judica/replies.sqlite3.lock").exists());
    judge(&place, &yes(), "").exits(0);
    assert_eq!(verdicts(&judged(&place)), ["yes ok"; 2]);
    nothing_left(&place, &["judged/.judica".to_owned()]);
}

#[cfg(unix)]
#[test]
fn a_cache_has_one_lock_under_all_its_names() {
    let (place, server) = (place_with(2), slow());
    std::os::unix::fs::symlink(place.path("replies"), place.path("link")).expect("a link");
    let mut first = start(&place, &line(&server, "--out one --cache link"));
    until_asked(&server);
    let mut second = start(&place, &line(&server, "--out two --cache replies"));
    until_said(&mut second, "waiting for it");
    for child in [&mut first, &mut second] {
        interrupt(child);
        child.wait().expect("an end");
    }
    nothing_left(&place, &[".".to_owned()]);
}

/// What stands where the lock should be is somebody's.
#[test]
fn a_file_in_the_place_of_the_lock_is_left_alone() {
    let (place, server) = (place_with(1), yes());
    place.write("replies.lock", "thoughts on locks");
    place
        .judica(&line(&server, "--out judged --cache replies"))
        .exits(3)
        .complains(&["replies.lock", "move it away"]);
    assert_eq!(place.text("replies.lock"), "thoughts on locks");
    assert!(server.requests().is_empty());
}
