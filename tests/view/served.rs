//! `judica view` as a process of its own.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Stdio};
use std::time::Duration;

use crate::support::Place;
use crate::wire::{Reply, ask};

/// A running viewer. Dropping it ends it.
pub struct View {
    child: Child,
    /// The program may say more.
    _stdout: BufReader<ChildStdout>,
    /// The first line: where it is, with the token.
    pub url: String,
    pub port: u16,
    /// `name=value`, as a browser sends it.
    pub cookie: String,
}

impl View {
    /// Opens a run of the place, or two, with more arguments.
    #[track_caller]
    pub fn open(place: &Place, arguments: &str) -> View {
        let mut command = place.process(&format!("view {arguments} --port 0 --no-open"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut url = String::new();
        stdout.read_line(&mut url).expect("a line");
        let url = url.trim_end().to_owned();
        let port = url.strip_prefix("http://127.0.0.1:");
        let port = port.and_then(|rest| rest.split(['/', '?']).next()?.parse().ok());
        let Some(port) = port else {
            let _ = child.kill();
            let mut told = String::new();
            let _ = child
                .stderr
                .take()
                .map(|mut pipe| pipe.read_to_string(&mut told));
            let _ = child.wait();
            panic!("view {arguments}: `{url}` is no address; {told}");
        };
        let mut view = View {
            child,
            _stdout: stdout,
            url,
            port,
            cookie: String::new(),
        };
        let target = view.token_target().to_owned();
        let reply = view.ask(&format!("GET {target}"), &[]);
        let cookie = reply.header("set-cookie").expect("a cookie");
        view.cookie = cookie.split(';').next().expect("a value").to_owned();
        view
    }

    pub fn address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.port))
    }

    /// The address without the token: `http://127.0.0.1:PORT`.
    pub fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Path and query of the first line.
    pub fn token_target(&self) -> &str {
        &self.url[self.origin().len()..]
    }

    /// Asks with the right Host and whatever else is given.
    #[track_caller]
    pub fn ask(&self, line: &str, headers: &[(&str, &str)]) -> Reply {
        let host = format!("127.0.0.1:{}", self.port);
        let mut all = vec![("Host", host.as_str())];
        all.extend(headers);
        ask(self.address(), line, &all, "")
    }

    /// Gets a page as one who may.
    #[track_caller]
    pub fn get(&self, target: &str) -> Reply {
        self.ask(&format!("GET {target}"), &[("Cookie", &self.cookie)])
    }

    /// The same, once the records are known.
    #[track_caller]
    pub fn indexed(self) -> View {
        for _ in 0..600 {
            let reply = self.get("/records");
            if !reply.text().contains("indexing") {
                return self;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("no index after half a minute");
    }
}

impl Drop for View {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
