//! A real HTTP server on loopback that does what a test tells it to: HTTP/1.1 with
//! keep-alive, one thread for each connection.

#![allow(
    dead_code,
    reason = "several test programs share it, none needs all of it"
)]

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a client sent.
#[derive(Debug, Clone)]
pub struct Received {
    /// Path and query.
    pub target: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Received {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// How the body of an answer is sent.
#[derive(Debug, Clone)]
pub enum Body {
    Whole(Vec<u8>),
    /// Announces all of it, sends the first bytes and hangs up.
    Cut(Vec<u8>, usize),
    /// Ends with the connection, no length announced.
    UntilClose(Vec<u8>),
    /// This many bytes of `x`, in chunks or with an announced length.
    Huge {
        bytes: usize,
        chunked: bool,
    },
    /// Nothing, for ever: not even a status line.
    Silence,
    /// A status line and headers, then nothing for ever.
    Stalled,
    /// Hangs up without a word.
    HangUp,
}

/// What the server answers.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Body,
    pub delay: Duration,
}

impl Answer {
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Answer {
        Answer {
            status,
            headers: Vec::new(),
            body: Body::Whole(body.into()),
            delay: Duration::ZERO,
        }
    }

    /// A chat reply.
    pub fn says(text: &str) -> Answer {
        let body = serde_json::json!({
            "id": "chatcmpl-1",
            "model": "served-model",
            "choices": [{
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": "stop",
            }],
            "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
        });
        Answer::new(200, body.to_string())
    }

    pub fn error(status: u16, error: serde_json::Value) -> Answer {
        Answer::new(status, serde_json::json!({ "error": error }).to_string())
    }

    pub fn body(mut self, body: Body) -> Answer {
        self.body = body;
        self
    }

    pub fn header(mut self, name: &str, value: &str) -> Answer {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub fn after(mut self, delay: Duration) -> Answer {
        self.delay = delay;
        self
    }
}

type Handler = dyn Fn(&Received, usize) -> Answer + Send + Sync;

struct Shared {
    handler: Box<Handler>,
    log: Mutex<Vec<Received>>,
    connections: AtomicUsize,
    bytes_sent: AtomicUsize,
    closed: AtomicBool,
}

/// A running server. Dropping it closes its door; connections end with their clients.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Server {
    /// Answers each request by what `handler` makes of it and of its number, from 0.
    pub fn start(handler: impl Fn(&Received, usize) -> Answer + Send + Sync + 'static) -> Server {
        Server::start_wrapped(handler, |stream| stream)
    }

    /// The same, on whatever `wrap` makes of a connection.
    pub fn start_wrapped<S: Read + Write + 'static>(
        handler: impl Fn(&Received, usize) -> Answer + Send + Sync + 'static,
        wrap: impl Fn(TcpStream) -> S + Send + Sync + 'static,
    ) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            handler: Box::new(handler),
            log: Mutex::default(),
            connections: AtomicUsize::new(0),
            bytes_sent: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
        });
        let (of_thread, wrap) = (shared.clone(), Arc::new(wrap));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if of_thread.closed.load(Ordering::SeqCst) {
                    break;
                }
                let Ok(stream) = stream else { continue };
                of_thread.connections.fetch_add(1, Ordering::SeqCst);
                let (shared, wrap) = (of_thread.clone(), wrap.clone());
                // A client that hangs up ends its thread; that is no failure of a test.
                std::thread::spawn(move || {
                    stream.set_nodelay(true)?;
                    serve(wrap(stream), &shared)
                });
            }
        });
        Server { address, shared }
    }

    /// Gives these answers one after the other, and the last one for ever.
    pub fn scripted(answers: Vec<Answer>) -> Server {
        Server::start(move |_, number| answers[number.min(answers.len() - 1)].clone())
    }

    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// All requests so far.
    pub fn requests(&self) -> Vec<Received> {
        self.shared.log.lock().unwrap().clone()
    }

    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// Bytes of huge bodies that the network took.
    pub fn bytes_sent(&self) -> usize {
        self.shared.bytes_sent.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(stream: impl Read + Write, shared: &Shared) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    while let Some(received) = receive(&mut stream)? {
        let number = {
            let mut log = shared.log.lock().unwrap();
            log.push(received.clone());
            log.len() - 1
        };
        let answer = (shared.handler)(&received, number);
        std::thread::sleep(answer.delay);
        if !send(stream.get_mut(), &answer, shared)? {
            break;
        }
    }
    Ok(())
}

fn receive(reader: &mut impl BufRead) -> io::Result<Option<Received>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let target = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let mut received = Received {
        target,
        headers,
        body: Vec::new(),
    };
    let length = received
        .header("content-length")
        .map_or(0, |n| n.parse().unwrap());
    received.body = vec![0; length];
    reader.read_exact(&mut received.body)?;
    Ok(Some(received))
}

/// Whether the connection goes on.
fn send(writer: &mut impl Write, answer: &Answer, shared: &Shared) -> io::Result<bool> {
    let mut head = format!("HTTP/1.1 {} Scripted\r\n", answer.status);
    for (name, value) in &answer.headers {
        head += &format!("{name}: {value}\r\n");
    }
    let (length, whole, goes_on): (_, &[u8], _) = match &answer.body {
        Body::Whole(body) => (format!("Content-Length: {}", body.len()), body, true),
        Body::Cut(body, n) => (
            format!("Content-Length: {}", body.len()),
            &body[..*n],
            false,
        ),
        Body::UntilClose(body) => ("Connection: close".into(), body, false),
        Body::Huge { chunked: true, .. } => ("Transfer-Encoding: chunked".into(), b"", false),
        Body::Huge { bytes, .. } => (format!("Content-Length: {bytes}"), b"", false),
        Body::Stalled => ("Content-Length: 100".into(), b"", false),
        Body::HangUp => return Ok(false),
        Body::Silence => {
            std::thread::sleep(Duration::from_secs(3600));
            return Ok(false);
        }
    };
    head += &format!("{length}\r\n\r\n");
    // One write: two would meet delayed acknowledgements.
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(whole);
    writer.write_all(&bytes)?;
    writer.flush()?;
    match answer.body {
        Body::Huge { bytes, chunked } => send_huge(writer, bytes, chunked, shared)?,
        Body::Stalled => std::thread::sleep(Duration::from_secs(3600)),
        _ => {}
    }
    Ok(goes_on)
}

fn send_huge(
    writer: &mut impl Write,
    bytes: usize,
    chunked: bool,
    shared: &Shared,
) -> io::Result<()> {
    let piece = [b'x'; 1 << 16];
    let mut left = bytes;
    while left > 0 {
        let n = left.min(piece.len());
        if chunked {
            writer.write_all(format!("{n:x}\r\n").as_bytes())?;
        }
        writer.write_all(&piece[..n])?;
        if chunked {
            writer.write_all(b"\r\n")?;
        }
        shared.bytes_sent.fetch_add(n, Ordering::SeqCst);
        left -= n;
    }
    writer.write_all(if chunked { b"0\r\n\r\n" } else { b"" })
}
