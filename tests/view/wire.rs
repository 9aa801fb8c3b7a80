//! HTTP as it goes over the wire, so that a test sends what no browser would.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// What was answered.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    /// The one header of a name.
    #[track_caller]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(own, _)| own == name);
        let first = found.next().map(|(_, value)| value.as_str());
        assert!(found.next().is_none(), "{name} stands twice: {self:?}");
        first
    }

    #[track_caller]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("text")
    }

    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Sends bytes and reads what comes back: to the end, or to where the announced body ends for
/// a server that never hangs up.
#[track_caller]
pub fn exchange(address: SocketAddr, request: &[u8], hangs_up: bool, seconds: u64) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let patience = Duration::from_secs(seconds);
    stream.set_read_timeout(Some(patience)).expect("a timeout");
    stream.write_all(request).expect("sent");
    let (mut bytes, mut piece) = (Vec::new(), vec![0; 1 << 16]);
    while hangs_up || !whole(&bytes) {
        match stream.read(&mut piece).expect("an answer") {
            0 => break,
            read => bytes.extend(&piece[..read]),
        }
    }
    bytes
}

/// Where the head ends.
fn head_end(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|four| four == b"\r\n\r\n")
}

fn whole(bytes: &[u8]) -> bool {
    head_end(bytes).is_some_and(|end| {
        let length = parse(bytes).header("content-length").map(str::parse);
        bytes.len() >= end + 4 + length.expect("a length").unwrap_or(0)
    })
}

/// Asks: a method with its target, headers as they stand, and a body for the browser's driver.
#[track_caller]
pub fn ask(address: SocketAddr, line: &str, headers: &[(&str, &str)], body: &str) -> Reply {
    let mut request = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() {
        request.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    request.push_str(&format!("\r\n{body}"));
    parse(&exchange(address, request.as_bytes(), body.is_empty(), 60))
}

#[track_caller]
fn parse(bytes: &[u8]) -> Reply {
    let end =
        head_end(bytes).unwrap_or_else(|| panic!("no answer: {}", String::from_utf8_lossy(bytes)));
    let head = std::str::from_utf8(&bytes[..end]).expect("text");
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1));
    let headers = lines.map(|line| {
        let (name, value) = line.split_once(':').expect("a header");
        (name.to_lowercase(), value.trim().to_owned())
    });
    Reply {
        status: status.and_then(|text| text.parse().ok()).expect("a status"),
        headers: headers.collect(),
        body: bytes[end + 4..].to_vec(),
    }
}
