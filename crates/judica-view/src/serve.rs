//! The server: one address on this machine, until somebody ends it.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{ALLOW, CONTENT_TYPE, HeaderValue, LOCATION, SET_COOKIE};
use axum::http::{Response, StatusCode};

use crate::guard::{Admission, Guard, headers, is_token};
use crate::route::{self, Answer};
use crate::viewer::Viewer;

/// How often it is looked whether the server is to end.
const LOOK: Duration = Duration::from_millis(50);

/// A server that has its address already.
pub struct Server {
    listener: TcpListener,
    port: u16,
    token: String,
}

struct Served {
    viewer: Arc<Viewer>,
    guard: Guard,
}

impl Server {
    /// Takes a port of this machine; any free one for 0.
    pub fn bind(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let mut secret = [0; 16];
        getrandom::fill(&mut secret).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Server {
            port: listener.local_addr()?.port(),
            listener,
            token: secret.iter().map(|byte| format!("{byte:02x}")).collect(),
        })
    }

    /// The address of a page, with the token that lets its reader in.
    pub fn url(&self, at: &str) -> String {
        let (place, fragment) = at.split_at(at.find('#').unwrap_or(at.len()));
        let (path, query) = place.split_once('?').unwrap_or((place, ""));
        let token = format!("token={}", self.token);
        // A token of somewhere else would keep the reader out.
        let others = query
            .split('&')
            .filter(|part| !part.is_empty() && !is_token(part));
        let query: Vec<&str> = others.chain([token.as_str()]).collect();
        let (port, query) = (self.port, query.join("&"));
        format!("http://127.0.0.1:{port}{path}?{query}{fragment}")
    }

    /// Answers until told to stop.
    pub fn run(self, viewer: Arc<Viewer>, stop: &AtomicBool) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_io()
            .enable_time()
            .build()?;
        let served = Arc::new(Served {
            viewer,
            guard: Guard::new(self.port, self.token),
        });
        let ended = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let router = Router::new().fallback(answer).with_state(served);
            tokio::select! {
                ended = async { axum::serve(listener, router).await } => ended,
                () = stopped(stop) => Ok(()),
            }
        });
        // A page that is being made is not waited for.
        runtime.shutdown_background();
        ended
    }
}

async fn stopped(stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        tokio::time::sleep(LOOK).await;
    }
}

async fn answer(State(served): State<Arc<Served>>, request: Request) -> Response<Body> {
    let uri = request.uri();
    let admission = served.guard.admit(request.method(), uri, request.headers());
    let path = uri.path().to_owned();
    let query = uri.query().map(str::to_owned);
    let viewer = Arc::clone(&served.viewer);
    let answer = match admission {
        Admission::Welcome => {
            let made = move || route::answer(&viewer, &path, query.as_deref());
            let made = tokio::task::spawn_blocking(made).await;
            made.unwrap_or_else(|_| {
                let defect = "a defect of judica kept this page from being made";
                Answer::plain(StatusCode::INTERNAL_SERVER_ERROR, defect)
            })
        }
        // Only to pages that there are: an address is never made of what a request says.
        Admission::Enter { query, cookie } => match route::known(&path) {
            None => Answer::plain(StatusCode::NOT_FOUND, "there is no such page"),
            Some(path) => {
                let to = match query.is_empty() {
                    true => path.to_owned(),
                    false => format!("{path}?{query}"),
                };
                let mut answer = Answer::plain(StatusCode::SEE_OTHER, "");
                answer.headers = vec![(LOCATION, to), (SET_COOKIE, cookie)];
                answer
            }
        },
        Admission::Refused(status, why) => {
            let mut answer = Answer::refused(&path, status, why);
            if status == StatusCode::METHOD_NOT_ALLOWED {
                answer.headers = vec![(ALLOW, "GET, HEAD".to_owned())];
            }
            answer
        }
    };
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() = answer.status;
    let own = response.headers_mut();
    headers(own);
    own.insert(CONTENT_TYPE, HeaderValue::from_static(answer.kind));
    for (name, value) in answer.headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            own.insert(name, value);
        }
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_stands_among_the_parameters_and_before_the_place_on_the_page() {
        let server = Server::bind(0).unwrap();
        let address = |rest: &str| format!("http://127.0.0.1:{}{rest}", server.port);
        let token = &server.token;
        for (at, expected) in [
            ("/", format!("/?token={token}")),
            ("/records?", format!("/records?token={token}")),
            (
                "/record?row=3#atom-1",
                format!("/record?row=3&token={token}#atom-1"),
            ),
            ("/about#keys", format!("/about?token={token}#keys")),
            (
                "/record?token=x&row=0&token",
                format!("/record?row=0&token={token}"),
            ),
        ] {
            assert_eq!(server.url(at), address(&expected));
        }
    }
}
