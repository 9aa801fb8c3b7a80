//! Who is let in, over a bare socket: no browser is needed to be refused.

use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::time::Duration;

use crate::runs::{Kind, demo};
use crate::served::View;
use crate::wire::{Reply, ask, exchange};

/// What every answer says, whatever it is.
const HEADERS: [(&str, &str); 6] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
         form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cache-control", "no-store"),
];

/// Insists on what every answer says.
#[track_caller]
pub fn guarded(reply: &Reply) {
    for (name, value) in HEADERS {
        assert_eq!(
            reply.header(name),
            Some(value),
            "{name} of {}",
            reply.status
        );
    }
    let shared = reply
        .headers
        .iter()
        .find(|(name, _)| name.starts_with("access-control-"));
    assert_eq!(shared, None, "nothing is shared with other origins");
}

fn opened() -> (Kind, View) {
    let kind = demo();
    let view = View::open(&kind.place, kind.view);
    (kind, view)
}

/// Insists on a status, and that the answer is guarded.
#[track_caller]
fn is(status: u16, reply: Reply) -> Reply {
    guarded(&reply);
    assert_eq!(
        reply.status,
        status,
        "{}",
        String::from_utf8_lossy(&reply.body)
    );
    reply
}

#[test]
fn a_host_of_another_name_is_misdirected() {
    let (_kind, view) = opened();
    let port = view.port;
    let with = |headers: &[(&str, &str)]| {
        let mut all = headers.to_vec();
        all.push(("Cookie", &view.cookie));
        ask(view.address(), "GET /", &all, "")
    };
    for host in [format!("127.0.0.1:{port}"), format!("localhost:{port}")] {
        is(200, with(&[("Host", &host)]));
    }
    for host in [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        // DNS rebinding: the name is another's, the address is ours.
        format!("127.0.0.1.evil.example:{port}"),
        "127.0.0.1".to_owned(),
        "localhost".to_owned(),
        format!("127.0.0.1:{}", port ^ 1),
        format!("localhost.:{port}"),
        format!("127.0.0.2:{port}"),
        format!("[::1]:{port}"),
        format!("0.0.0.0:{port}"),
        format!("user@127.0.0.1:{port}"),
        format!("127.0.0.1:{port}, evil.example"),
        String::new(),
    ] {
        is(421, with(&[("Host", &host)]));
    }
    is(421, with(&[]));
    // Of two it is not known which is meant.
    let own = format!("127.0.0.1:{port}");
    let both = with(&[("Host", &own), ("Host", "evil.example")]);
    assert!(matches!(both.status, 400 | 421), "{both:?}");
}

#[test]
fn nobody_enters_without_the_token() {
    let (kind, view) = opened();
    let token = view.url.split_once("token=").expect("a token").1;
    assert!(
        token.len() >= 32 && token.bytes().all(|b| b.is_ascii_alphanumeric()),
        "{token}"
    );
    let other = View::open(&kind.place, kind.view);
    assert_ne!(
        other.cookie.split('=').nth(1),
        view.cookie.split('=').nth(1)
    );

    for target in [
        "/",
        "/records",
        "/record",
        "/about",
        "/index.json",
        "/nowhere",
        "/view.css",
    ] {
        let reply = is(401, view.ask(&format!("GET {target}"), &[]));
        assert_eq!(reply.header("set-cookie"), None);
        assert!(!reply.text().contains(token));
    }
    let (name, value) = view.cookie.split_once('=').expect("a cookie");
    assert_eq!(name, format!("judica_{}", view.port));
    let cut = &value[..value.len() - 1];
    for cookie in [
        format!("{name}="),
        format!("{name}={cut}"),
        format!("{name}={value}0"),
        format!("{name}={}", value.to_uppercase()).replace(value, "0"),
        format!("judica_1={value}"),
        format!("{name}x={value}"),
        other.cookie.clone(),
    ] {
        is(401, view.ask("GET /", &[("Cookie", &cookie)]));
    }
    for wrong in ["", cut, "0000000000000000000000000000000000000000", "%00"] {
        let reply = is(401, view.ask(&format!("GET /?token={wrong}"), &[]));
        assert_eq!(reply.header("set-cookie"), None);
    }
    // Among others, as browsers send them.
    for cookie in [
        format!("a=b; {}", view.cookie),
        format!("{}; judica_1=x", view.cookie),
    ] {
        is(200, view.ask("GET /", &[("Cookie", &cookie)]));
    }
}

#[test]
fn the_token_is_left_at_the_door() {
    let (_kind, view) = opened();
    let token = view.url.split_once("token=").expect("a token").1;
    for (target, place) in [
        (format!("/?token={token}"), "/"),
        (format!("/records?token={token}"), "/records"),
        (
            format!("/records?verdict=fail&token={token}&subject=unsafe-1"),
            "/records?verdict=fail&subject=unsafe-1",
        ),
        (
            format!("/records?item=a%26b%3D%25&token={token}"),
            "/records?item=a%26b%3D%25",
        ),
    ] {
        let reply = is(303, view.ask(&format!("GET {target}"), &[]));
        let location = reply.header("location").expect("a place");
        let location = location.strip_prefix(&view.origin()).unwrap_or(location);
        assert_eq!(location, place);
        let cookie = reply.header("set-cookie").expect("a cookie");
        let mut parts = cookie.split("; ");
        assert_eq!(parts.next(), Some(view.cookie.as_str()));
        let mut rest: Vec<String> = parts.map(str::to_lowercase).collect();
        rest.sort();
        assert_eq!(rest, ["httponly", "path=/", "samesite=lax"]);
    }
    // Nobody is sent elsewhere, whatever the path looks like.
    for path in [
        "//evil.example/",
        "/\\evil.example/",
        "//evil.example/..",
        "/%2f/evil.example",
    ] {
        let reply = view.ask(&format!("GET {path}?token={token}"), &[]);
        guarded(&reply);
        let location = reply.header("location").unwrap_or("/");
        let own = location.strip_prefix(&view.origin()).unwrap_or(location);
        assert!(
            own.starts_with('/') && !own.starts_with("//") && !own.starts_with("/\\"),
            "{path} leads to {location}"
        );
    }
    // No page and no twin repeats it.
    for target in ["/", "/about", "/records", "/about.json"] {
        assert!(!view.get(target).text().contains(token), "{target}");
    }
}

#[test]
fn other_sites_may_only_link_here() {
    let (_kind, view) = opened();
    let with = |headers: &[(&str, &str)]| {
        let mut all = headers.to_vec();
        all.push(("Cookie", &view.cookie));
        view.ask("GET /records", &all)
    };
    let fetched = |site, mode, dest| {
        with(&[
            ("Sec-Fetch-Site", site),
            ("Sec-Fetch-Mode", mode),
            ("Sec-Fetch-Dest", dest),
        ])
    };
    is(200, with(&[]));
    is(200, fetched("none", "navigate", "document"));
    is(200, fetched("same-origin", "navigate", "document"));
    is(200, fetched("same-origin", "cors", "empty"));
    is(200, fetched("cross-site", "navigate", "document"));
    // Another port of this machine is the same site, and no friend for that.
    for site in ["cross-site", "same-site"] {
        for (mode, dest) in [
            ("navigate", "iframe"),
            ("navigate", "frame"),
            ("navigate", "object"),
            ("navigate", "embed"),
            ("no-cors", "image"),
            ("no-cors", "script"),
            ("no-cors", "style"),
            ("cors", "empty"),
            ("websocket", "websocket"),
            ("no-cors", "document"),
        ] {
            let reply = is(403, fetched(site, mode, dest));
            assert!(!reply.text().contains("unsafe-1"), "{site} {mode} {dest}");
        }
    }
    is(403, with(&[("Sec-Fetch-Site", "cross-site")]));
    is(
        403,
        with(&[
            ("Sec-Fetch-Site", "cross-site"),
            ("Sec-Fetch-Mode", "navigate"),
        ]),
    );
    is(403, fetched("something new", "cors", "empty"));
}

#[test]
fn a_program_is_refused_in_its_language() {
    let (_kind, view) = opened();
    let cookie = ("Cookie", view.cookie.as_str());
    let long = format!("/records.json?item={}", "a".repeat(2_000));
    let elsewhere = ("Origin", "http://evil.example");
    for (status, target, headers) in [
        (401, "/records.json", vec![]),
        (401, "/.json", vec![]),
        (403, "/records.json", vec![cookie, elsewhere]),
        (414, &long, vec![cookie]),
    ] {
        let reply = is(status, view.ask(&format!("GET {target}"), &headers));
        let twin = reply.json();
        assert_eq!(twin["schema_version"], "judica.view/1", "{target}");
        assert_eq!(twin["error"]["status"], status, "{target}");
        assert!(twin["error"]["message"].is_string(), "{target}");
        assert!(twin["page"] == "/" || twin["page"] == "/records", "{twin}");
    }
}

#[test]
fn nothing_is_written_and_no_path_is_taken() {
    let (_kind, view) = opened();
    let cookie = [("Cookie", view.cookie.as_str())];
    for method in [
        "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND",
    ] {
        for target in ["/", "/records", "/nowhere"] {
            is(405, view.ask(&format!("{method} {target}"), &cookie));
        }
    }
    for target in [
        "/nowhere",
        "/records/",
        "/record/1",
        "//",
        "/..%2f..%2f..%2f..%2f..%2fetc/passwd",
        "/../../../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/assets/..%2f..%2fCargo.toml",
        "/assets/../lib.rs",
        "/assets/",
        "/assets/view.css/..",
        "/assets/%00view.css",
        "/manifest.json",
        "/records.parquet",
        "/run/manifest.json",
        "/%ff",
        "/records%00",
        "/records.json.json",
    ] {
        let reply = is(404, view.get(target));
        assert!(!reply.text().contains("root:") && !reply.text().contains("judica.run/2"));
    }
}

#[test]
fn a_head_is_a_page_without_its_body() {
    let (_kind, view) = opened();
    let view = view.indexed();
    let cookie = [("Cookie", view.cookie.as_str())];
    for target in ["/", "/records", "/records.json", "/nowhere", "/view.css"] {
        let (head, page) = (
            view.ask(&format!("HEAD {target}"), &cookie),
            view.get(target),
        );
        guarded(&head);
        assert_eq!(head.status, page.status, "{target}");
        assert!(head.body.is_empty(), "{target}");
        assert_eq!(
            head.header("content-type"),
            page.header("content-type"),
            "{target}"
        );
        assert_eq!(
            page.header("content-length"),
            Some(&*page.body.len().to_string())
        );
    }
}

#[test]
fn no_other_address_answers() {
    let (_kind, view) = opened();
    let mut others = vec![
        SocketAddr::from(([127, 0, 0, 2], view.port)),
        SocketAddr::from(([0, 0, 0, 0, 0, 0, 0, 1], view.port)),
    ];
    // The address this machine would be reached at; nothing is sent.
    let socket = UdpSocket::bind("0.0.0.0:0").expect("a socket");
    if socket.connect("192.0.2.1:9").is_ok() {
        let own = socket.local_addr().expect("an address").ip();
        others.push(SocketAddr::from((own, view.port)));
    }
    for address in others.into_iter().filter(|other| *other != view.address()) {
        let reached = TcpStream::connect_timeout(&address, Duration::from_secs(2));
        assert!(reached.is_err(), "{address} answers");
    }
}

#[test]
fn what_is_no_request_ends_nothing() {
    let (_kind, view) = opened();
    let port = view.port;
    for request in [
        "\r\n\r\n".to_owned(),
        "GET\r\n\r\n".to_owned(),
        "\0\0\0\0\r\n\r\n".to_owned(),
        format!(
            "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\nCookie: \u{e9}\u{202e}\r\n\r\n"
        ),
        format!(
            "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{}\r\n\r\n",
            "X: y\r\n".repeat(1000)
        ),
        format!(
            "GET /{} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
            "a".repeat(1 << 20)
        ),
        format!(
            "GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
        ),
        "CONNECT evil.example:80 HTTP/1.1\r\nHost: evil.example:80\r\nConnection: close\r\n\r\n"
            .to_owned(),
    ] {
        let address = view.address();
        // It may hang up on such a one before all is said, or wait for more.
        let answer = std::panic::catch_unwind(|| exchange(address, request.as_bytes(), false, 1));
        if let Ok(answer) = answer {
            assert!(
                !answer.starts_with(b"HTTP/1.1 2"),
                "{}",
                String::from_utf8_lossy(&answer)
            );
        }
    }
    is(200, view.get("/"));
}
