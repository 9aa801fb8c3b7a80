//! Screenshots of episodes: those of the folder that the user allows, and nothing else.

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::guard::guarded;
use crate::served::View;
use crate::support::Place;

/// An image of one pixel.
const PIXEL: &[u8] = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\x0dIDATx\xdacd\xf8\xcfP\x0f\x00\x03\x86\x01\x80Z4}k\x00\x00\x00\x00IEND\xaeB`\x82";

/// An episode whose steps name screenshots of all sorts, of which the first can be shown.
fn filmed() -> Place {
    let place = Place::new();
    place.write("shots/a.png", PIXEL);
    place.write("secret.png", PIXEL);
    place.write("shots/page.png", "<script>document.title='x'</script>");
    place.write(
        "shots/drawn.svg",
        "<svg xmlns='http://www.w3.org/2000/svg' onload='x'/>",
    );
    std::os::unix::fs::symlink(place.path("secret.png"), place.path("shots/link.png"))
        .expect("a link");
    let secret = place.path("secret.png").display().to_string();
    let named = [
        "a.png",
        "../secret.png",
        &secret,
        "link.png",
        "page.png",
        "drawn.svg",
        ".",
        "none.png",
    ];
    let steps: Vec<Value> = named
        .iter()
        .map(|path| json!({"action": {"type": "done"}, "observation": {"screenshot_path": path}}))
        .collect();
    let row = json!({"episode_id": "e", "goal": "log in", "steps": steps}).to_string();
    place.write_lines("e.jsonl", &[row]);
    let steps: Vec<Value> = named
        .iter()
        .map(|_| json!({"action": {"type": "done"}}))
        .collect();
    let row = json!({"episode_id": "e", "goal": "log in", "steps": steps}).to_string();
    place.write_lines("p.jsonl", &[row]);
    place
        .judica("episodes --episodes e.jsonl --predictions p.jsonl --mode coord --config-path c --backend b --run run")
        .exits(0);
    place
}

#[test]
fn only_what_lies_in_the_folder_is_shown() {
    let place = filmed();
    let view = View::open(&place, "run --screenshots shots").indexed();
    let shot = view.get("/screenshot?row=0&step=0");
    guarded(&shot);
    assert_eq!(
        (shot.status, shot.header("content-type")),
        (200, Some("image/png"))
    );
    assert_eq!(shot.body, PIXEL);
    for step in 1..9 {
        let refused = view.get(&format!("/screenshot?row=0&step={step}"));
        guarded(&refused);
        assert_eq!(refused.status, 404, "step {step}");
    }
    for target in [
        "/screenshot?row=1&step=0",
        "/screenshot?path=shots/a.png",
        "/screenshot?row=0&step=-1",
    ] {
        assert!(matches!(view.get(target).status, 400 | 404), "{target}");
    }
    assert_eq!(view.ask("GET /screenshot?row=0&step=0", &[]).status, 401);
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.go(&view.url);
    browser.go(&format!("{}/episode?row=0", view.origin()));
    let widths = browser.run(
        "const images = [...document.images].filter(image => image.src.includes('/screenshot'));
         images.forEach(image => image.loading = 'eager');
         return images.length && images[0].decode().then(() => [images.length, images[0].naturalWidth])",
        vec![],
    );
    // What cannot be sent is not asked for.
    assert_eq!(widths, json!([1, 1]));
}

#[test]
fn without_leave_none_is_shown() {
    let place = filmed();
    let view = View::open(&place, "run").indexed();
    let page = view.get("/episode?row=0");
    assert!(page.text().contains("--screenshots DIR") && !page.text().contains("/screenshot?"));
    assert_eq!(view.get("/screenshot?row=0&step=0").status, 404);
    place
        .judica("view run --port 0 --no-open --screenshots nowhere")
        .exits(2)
        .complains(&["--screenshots nowhere"]);
    for command in ["view run --port 0 --no-open", "show run x"] {
        place
            .judica(&format!("{command} --inputs nowhere"))
            .exits(2)
            .complains(&["--inputs nowhere: not a folder"]);
    }
}
