//! Other pages that the browser has open, and what they get to see: nothing.

use std::time::Duration;

use serde_json::json;

use crate::browser::Browser;
use crate::runs::demo;
use crate::served::View;
use crate::server::{Answer, Server};

/// A page that tries to look into the viewer, and says how far it came.
const PAGE: &str = r#"<!doctype html><title>waiting</title><body><script>
const there = "THERE", found = {};
const tried = (name, promise) => promise.then(() => found[name] = "came through", () => found[name] = "refused");
const loaded = (name, kind, address) => new Promise(done => {
  const it = document.createElement(kind);
  it.onload = () => done(found[name] = "came through");
  it.onerror = () => done(found[name] = "refused");
  if (kind === "link") { it.rel = "stylesheet"; it.href = address; } else it.src = address;
  document.body.append(it);
});
const frame = document.createElement("iframe");
frame.src = there + "/records";
document.body.append(frame);
Promise.all([
  tried("cors", fetch(there + "/records.json", {credentials: "include"})),
  tried("no-cors", fetch(there + "/records.json", {mode: "no-cors", credentials: "include"})),
  tried("post", fetch(there + "/records", {method: "POST", mode: "no-cors", credentials: "include", body: "x"})),
  loaded("script", "script", there + "/view.js"),
  loaded("style", "link", there + "/view.css"),
  loaded("image", "img", there + "/icon.svg"),
]).then(() => document.title = JSON.stringify(found));
</script>"#;

#[test]
fn other_sites_see_nothing() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let kind = demo();
    let view = View::open(&kind.place, kind.view).indexed();
    let page = PAGE.replace("THERE", &view.origin());
    let other = Server::start(move |_, _| {
        Answer::new(200, page.clone()).header("Content-Type", "text/html")
    });
    // One who is let in, so that there is a cookie to be sent.
    browser.go(&view.url);
    let port = other.address().port();
    // Another site, and another port of the same one.
    for host in ["localhost", "127.0.0.1"] {
        browser.go(&format!("http://{host}:{port}/"));
        for _ in 0..600 {
            if browser.title() != "waiting" {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let found: serde_json::Value =
            serde_json::from_str(&browser.title()).expect("what it found");
        let names = ["cors", "no-cors", "post", "script", "style", "image"];
        let refused = names.map(|name| (name.to_owned(), json!("refused")));
        assert_eq!(
            found,
            serde_json::Value::Object(refused.into_iter().collect()),
            "from {host}"
        );
        // Nothing of the run is in the frame; the browser may say why.
        let inside = browser.within_frame(|| browser.texts("body")).concat();
        assert!(
            !inside.contains("Records") && !inside.contains("unsafe-1"),
            "{inside:?}"
        );
        browser.console();
    }
    // A link is how a colleague's mail leads here.
    browser.go(&format!(
        "data:text/html,<a href='{}/records?verdict=fail'>look</a>",
        view.origin()
    ));
    browser.follow(&browser.link("look"));
    assert_eq!(browser.texts("h1"), ["Records"]);
}
