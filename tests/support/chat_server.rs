//! A chat server on loopback that says what a test tells it to: HTTP/1.1 with keep-alive,
//! one thread for each connection, no dependency.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// What a client sent.
#[derive(Debug, Clone)]
pub struct Received {
    /// Names in lower case.
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Received {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a body of JSON")
    }
}

/// What the server answers.
#[derive(Debug, Clone)]
pub struct Answer {
    status: u16,
    body: String,
}

impl Answer {
    /// A model's words.
    pub fn says(text: &str) -> Answer {
        let body = json!({
            "model": "served-model",
            "choices": [{
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": "stop",
            }],
            "usage": {"prompt_tokens": 11, "completion_tokens": 7},
        });
        Answer {
            status: 200,
            body: body.to_string(),
        }
    }

    /// A refusal of the server.
    pub fn error(status: u16, error: Value) -> Answer {
        Answer {
            status,
            body: json!({ "error": error }).to_string(),
        }
    }
}

type Handler = dyn Fn(&Received, usize) -> Answer + Send + Sync;

struct Shared {
    handler: Box<Handler>,
    log: Mutex<Vec<Received>>,
    closed: AtomicBool,
}

/// A running server. Dropping it closes its door.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Server {
    /// Answers each request by what `handler` makes of it and of its number, from 0.
    pub fn start(handler: impl Fn(&Received, usize) -> Answer + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared {
            handler: Box::new(handler),
            log: Mutex::default(),
            closed: AtomicBool::new(false),
        });
        let of_thread = shared.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if of_thread.closed.load(Ordering::SeqCst) {
                    break;
                }
                let Ok(stream) = stream else { continue };
                let shared = of_thread.clone();
                // A client that hangs up ends its thread; that is no failure of a test.
                std::thread::spawn(move || serve(&stream, &shared));
            }
        });
        Server { address, shared }
    }

    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// All requests so far.
    pub fn requests(&self) -> Vec<Received> {
        self.shared.log.lock().expect("the log").clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::SeqCst);
        // Wakes the thread that waits at the door.
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(mut stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    while let Some(received) = receive(&mut reader)? {
        let number = {
            let mut log = shared.log.lock().expect("the log");
            log.push(received.clone());
            log.len() - 1
        };
        let Answer { status, body } = (shared.handler)(&received, number);
        let length = body.len();
        let head = format!("HTTP/1.1 {status} Scripted\r\nContent-Length: {length}\r\n\r\n");
        // One write: two would meet delayed acknowledgements.
        stream.write_all(format!("{head}{body}").as_bytes())?;
    }
    Ok(())
}

fn receive(reader: &mut impl BufRead) -> io::Result<Option<Received>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
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
        headers,
        body: Vec::new(),
    };
    let length = received.header("content-length");
    let length = length.map_or(0, |text| text.parse().expect("a length"));
    received.body = vec![0; length];
    reader.read_exact(&mut received.body)?;
    Ok(Some(received))
}
