//! What `judica view` begins with, and what it does not.

use serde_json::json;

use crate::guard::guarded;
use crate::pages::sound;
use crate::runs::{demo, replace, weather};
use crate::served::View;
use crate::support::Place;

/// Insists that the viewer does not begin, and says why.
#[track_caller]
fn does_not_begin(place: &Place, arguments: &str, code: i32, words: &[&str]) {
    place
        .judica(&format!("view {arguments} --port 0 --no-open"))
        .exits(code)
        .complains(words);
}

#[test]
fn what_is_no_run_is_not_served() {
    let place = weather().place;
    does_not_begin(&place, "nowhere", 3, &["nowhere"]);
    does_not_begin(&place, "weather", 3, &["no finished run"]);
    does_not_begin(&place, "run nowhere", 3, &["nowhere"]);
    let old = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/run-v1");
    place.write(
        "old/manifest.json",
        std::fs::read(old.join("manifest.json")).expect("a fixture"),
    );
    does_not_begin(&place, "old", 3, &["judica.run/1", "run the command again"]);
    for at in [
        "records",
        "http://evil.example/",
        "//evil.example/",
        "/nowhere",
        "/..%2f",
        "",
        "/records?item=a\nb",
        &format!("/records?item={}", "a".repeat(2_000)),
    ] {
        let mut command = place.command("view run --port 0 --no-open");
        command.args(["--at", at]);
        crate::support::ran(command).exits(2).complains(&["--at"]);
    }
}

#[test]
fn a_manifest_that_means_harm_is_refused() {
    for name in [
        "../outside.json",
        "/etc/passwd",
        "..",
        "a/b",
        "records/../../x",
        "c:\\x",
        "",
    ] {
        let place = weather().place;
        place.write("outside.json", "{}");
        let mut manifest = place.json("run/manifest.json");
        manifest["files"][name] = json!({"kind": "report", "bytes": 2, "reproducible": true});
        place.write("run/manifest.json", manifest.to_string());
        does_not_begin(&place, "run", 3, &["manifest.json", "plain names"]);
    }
}

#[test]
fn what_is_damaged_is_said_and_ends_nothing() {
    // Not even a table.
    let place = weather().place;
    replace(&place, "tables.json", b"{\"x\"");
    does_not_begin(&place, "run", 3, &["tables.json"]);
    // Records that are none: every page says so.
    let place = weather().place;
    replace(&place, "records.parquet", b"PAR1 and no more PAR1");
    let view = View::open(&place, "run");
    for (target, status) in [
        // The report is there all the same.
        ("/", 200),
        ("/records", 500),
        ("/record?row=0", 500),
        ("/rules", 500),
        ("/metrics", 500),
    ] {
        let reply = view.get(target);
        guarded(&reply);
        assert_eq!(reply.status, status, "{target}");
        let told = reply.text();
        assert!(told.contains("records.parquet"), "{target}: {told}");
        assert!(!told.contains("SYSTEM_ERROR: SYSTEM_ERROR"), "{told}");
    }
    // Numbers that cannot be.
    let place = weather().place;
    let mut tables = place.json("run/tables.json");
    for table in tables.as_array_mut().expect("tables") {
        for row in table["rows"].as_array_mut().expect("rows") {
            for cell in row.as_array_mut().expect("cells") {
                for (_, inner) in cell.as_object_mut().into_iter().flatten() {
                    if let Some(value) = inner.get_mut("value") {
                        *value = json!(1e308);
                    }
                    if let Some(lo) = inner.get_mut("lo") {
                        *lo = json!(-1e308);
                    }
                }
            }
        }
    }
    replace(&place, "tables.json", tables.to_string().as_bytes());
    let view = View::open(&place, "run").indexed();
    sound("/", &view.get("/"));
}

#[test]
fn a_run_that_is_made_anew_is_not_mixed_with_what_it_was() {
    let place = weather().place;
    let view = View::open(&place, "run").indexed();
    assert_eq!(view.get("/records").status, 200);
    let again = "eval --protocol weather/weather.toml --samples weather/samples.jsonl \
         --outputs weather/outputs.jsonl --out run";
    let outputs = place.text("weather/outputs.jsonl");
    let fewer: Vec<&str> = outputs.lines().skip(2).collect();
    place.write_lines("weather/outputs.jsonl", &fewer);
    place.judica(again).exits(0);
    for target in ["/", "/records", "/metrics", "/record?row=0", "/about"] {
        let reply = view.get(target);
        guarded(&reply);
        assert_eq!(reply.status, 409, "{target}");
        assert!(reply.text().contains("run has changed since it was opened"));
    }
    // Of one file as of all of them.
    let view = View::open(&place, "run").indexed();
    std::fs::remove_file(place.path("run/rejects.jsonl")).expect("removed");
    let reply = view.get("/rejects");
    assert_eq!(reply.status, 409);
    assert!(
        reply.text().contains("run/rejects.jsonl"),
        "{}",
        reply.text()
    );
    std::fs::remove_dir_all(place.path("run")).expect("removed");
    assert_eq!(view.get("/records").status, 409);
    assert_eq!(view.get("/view.css").status, 200);
}

#[test]
fn a_port_that_is_taken_is_said() {
    let kind = weather();
    let view = View::open(&kind.place, "run");
    let ran = kind
        .place
        .judica(&format!("view run --no-open --port {}", view.port));
    ran.exits(3).complains(&[&view.port.to_string()]);
}

#[test]
fn the_command_on_a_page_opens_it_elsewhere() {
    let kind = demo();
    let first = View::open(&kind.place, kind.view).indexed();
    let at = "/records?verdict=fail&item=M1_&sort=-score";
    let page = first.get(at);
    let command = page
        .text()
        .split_once("<code id=\"command\">")
        .expect("a command")
        .1;
    let command = command
        .split_once("</code>")
        .expect("an end")
        .0
        .replace("&amp;", "&")
        .replace("&#39;", "'");
    let words = command.strip_prefix("judica view ").expect("the command");
    // A shell is who reads it.
    let script = format!("printf '%s\\n' {words}");
    let split = std::process::Command::new("sh")
        .args(["-c", &script])
        .output()
        .expect("a shell");
    let split = String::from_utf8(split.stdout).expect("text");
    assert_eq!(split.lines().collect::<Vec<_>>(), ["demo/run", "--at", at]);
    let second = View::open(&kind.place, &split.replace('\n', " ")).indexed();
    let target = second.url.strip_prefix(&second.origin()).expect("its own");
    let reply = second.ask(&format!("GET {target}"), &[]);
    assert_eq!(reply.header("location"), Some(at));
    assert_eq!(second.get(at).body, page.body);
}
