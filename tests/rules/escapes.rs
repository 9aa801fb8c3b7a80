//! A protocol file can come from anywhere, and must not command the terminal.

use crate::support::{Place, Ran};

const TANK: &str = include_str!("../eval/tank.toml");

/// What a terminal would obey: colour, title, the C1 form of both, a bell, a direction.
const HOSTILE: &str = "\u{1b}[31m\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}";
/// The same in a TOML string.
const IN_TOML: &str = "\\u001b[31m\\u001b]0;owned\\u0007\\u009b31m\\u202e";

#[track_caller]
fn harmless(ran: &Ran) {
    for text in [&ran.stdout, &ran.stderr] {
        let obeyed = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!text.contains(obeyed), "{text:?}");
    }
}

/// The tank with hostile text in one of its places.
fn hostile(from: &str, to: &str) -> Place {
    assert!(TANK.contains(from), "{from}");
    let place = Place::new();
    let source = TANK.replacen(from, &to.replace("HOSTILE", IN_TOML), 1);
    place.write("tank.toml", source);
    place
}

#[test]
fn names_and_words_of_a_protocol_are_shown_and_not_obeyed() {
    for (from, to) in [
        ("name = \"tank\"", "name = \"tankHOSTILE\""),
        ("version = \"0.1.0\"", "version = \"HOSTILE\""),
        ("It would be wet.", "wetHOSTILE"),
        ("The tank does not overflow.", "HOSTILE"),
        ("name = \"Level (m)\"", "name = \"LevelHOSTILE\""),
        ("unit = \"m\"\nwarning", "unit = \"mHOSTILE\"\nwarning"),
        ("id = \"overflow\"", "id = \"overflowHOSTILE\""),
        (
            "value = \"level\"",
            "value = \"level\"\nexample = \"HOSTILE\"",
        ),
    ] {
        let place = hostile(from, to);
        harmless(&place.judica("rules --protocol tank.toml"));
        harmless(&place.judica("explain overflow --protocol tank.toml"));
        harmless(&place.judica("explain range_sanity.out_of_range --protocol tank.toml"));
        harmless(
            &place
                .judica("explain nothing --protocol tank.toml")
                .exits(2),
        );
    }
}

#[test]
fn the_whole_way_of_a_hostile_protocol() {
    let place = hostile(
        "message = \"level {value} m\"",
        "message = \"HOSTILE{value}\"",
    );
    let field = |name: &str| name.replace("T1", &format!("T1{HOSTILE}"));
    let source = place.text("tank.toml");
    let source = source
        .replace("name = \"T1\"", &format!("name = \"T1{IN_TOML}\""))
        .replace("id = \"overflow\"", &format!("id = \"overflow{IN_TOML}\""));
    place.write("tank.toml", source);
    let task = field("T1");
    let gold = serde_json::json!({"Level (m)": 9.5, "Inflow (l/s)": 1, "Valve (deg)": 1});
    let sample = serde_json::json!({"id": "s", "task": task, "next_second": gold});
    let output = serde_json::json!({"id": "s", "model": "m", "response": gold});
    place.write_lines("s.jsonl", &[sample.to_string()]);
    place.write_lines("o.jsonl", &[output.to_string()]);
    let eval = "eval --protocol tank.toml --samples s.jsonl --outputs o.jsonl --out run";
    harmless(&place.judica(eval).exits(0));
    harmless(&place.judica("show run s --all").exits(0));
    harmless(&place.judica("reproduce run").exits(0));
    harmless(
        &place
            .judica("calibrate --protocol tank.toml --samples s.jsonl")
            .exits(1),
    );
    harmless(&place.judica(&format!("{eval} --task Tx")).exits(2));
}

#[test]
fn a_mistake_is_shown_with_its_place_and_nothing_is_obeyed() {
    for (from, to) in [
        // A mistake in an expression, in a name, in a value; and in the syntax itself.
        ("value = \"level\"", "value = \"levelHOSTILE + 1\""),
        (
            "family = \"safety_constraint\"\nid",
            "family = \"HOSTILE\"\nid",
        ),
        ("message = \"level {value} m\"", "message = \"{HOSTILE}\""),
        ("limit = [0, 10]", "limit = [10, 0] # HOSTILE"),
        ("jump = 1", "jmp = \"HOSTILE\""),
    ] {
        let place = hostile(from, to);
        harmless(&place.judica("rules --protocol tank.toml").exits(2));
        // The characters themselves, where the file has them raw in a comment.
        let raw = place.text("tank.toml") + &format!("\n# {HOSTILE}\nwrong = = \"{HOSTILE}\"\n");
        place.write("tank.toml", raw);
        harmless(&place.judica("rules --protocol tank.toml").exits(2));
    }
    let place = Place::new();
    let source = TANK.replacen("jump = 1", "jmp = 1 \t# \u{202e}\u{200b}", 1);
    place.write("tank.toml", source);
    let ran = place.judica("rules --protocol tank.toml").exits(2);
    ran.complains(&["jmp", "did you mean `jump`?", "^^^", "\\u{202e}"]);
}

#[test]
fn the_source_is_delivered_as_it_is_to_whoever_keeps_it() {
    let place = Place::new();
    let source = format!("# caf\u{e9} \u{202e}\n{TANK}");
    place.write("tank.toml", &source);
    let kept = place.judica("rules --protocol tank.toml --source").exits(0);
    assert_eq!(kept.stdout, source);
}
