//! What every test of the client needs.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use judica_judge::chat::{ChatReply, ChatRequest, Message, ReplySchema, Role};
use judica_judge::client::Client;
use judica_judge::client::events::{Events, Retry};
use judica_judge::client::options::ClientOptions;
use judica_judge::endpoint::{Endpoint, Secret};
use judica_judge::error::{AskError, Blame};
use judica_judge::stop::Stop;
use judica_judge::wire::dialect::Dialect;

use crate::server::Server;

pub const KEY: &str = "sk-hunter2-hunter2";

/// Writes down what it is told.
#[derive(Default)]
pub struct Watcher {
    pub retries: Mutex<Vec<Retry>>,
    pub downgrades: Mutex<Vec<(Dialect, String)>>,
    pub finished: Mutex<usize>,
}

impl Events for Watcher {
    fn retrying(&self, retry: &Retry) {
        self.retries.lock().unwrap().push(retry.clone());
    }

    fn downgraded(&self, _: Dialect, dialect: Dialect, words: &str) {
        self.downgrades
            .lock()
            .unwrap()
            .push((dialect, words.to_owned()));
    }

    fn finished(&self, _: &ChatReply) {
        *self.finished.lock().unwrap() += 1;
    }
}

/// A client that waits milliseconds where others wait seconds.
pub fn impatient(base_url: &str) -> (ClientOptions, Arc<Watcher>) {
    let endpoint = Endpoint::openai(base_url, "judge-model", Some(Secret::new(KEY))).unwrap();
    let watcher = Arc::new(Watcher::default());
    let options = ClientOptions {
        first_wait: Duration::from_millis(4),
        longest_wait: Duration::from_millis(400),
        timeout: Duration::from_secs(5),
        events: watcher.clone(),
        ..ClientOptions::new(endpoint)
    };
    (options, watcher)
}

pub fn question() -> ChatRequest {
    ChatRequest {
        messages: vec![Message {
            role: Role::User,
            content: "Is 2 + 2 = 4?".into(),
        }],
        temperature: 0.0,
        max_output_tokens: Some(200),
        seed: Some(7),
        schema: Some(ReplySchema {
            name: "verdict".into(),
            schema: serde_json::json!({"type": "object"}),
        }),
    }
}

/// Runs a future as the batch runner does.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}

pub fn ask_with(options: ClientOptions) -> Result<ChatReply, AskError> {
    let client = Client::new(options).unwrap();
    block_on(client.ask(&question(), &Stop::new()))
}

/// Asks one question of an impatient client.
pub fn ask(server: &Server) -> Result<ChatReply, AskError> {
    ask_with(impatient(&server.base_url()).0)
}

/// The message of a fatal error, after checking that it names the address and hides the key.
pub fn fatal(result: Result<ChatReply, AskError>) -> String {
    match result {
        Err(AskError::Fatal(message)) => harmless(message),
        other => panic!("not fatal: {other:?}"),
    }
}

/// Message, attempts, unreachable.
pub fn gave_up(result: Result<ChatReply, AskError>) -> (String, u32, bool) {
    match result {
        Err(AskError::GaveUp {
            message,
            attempts,
            blame,
        }) => (harmless(message), attempts, blame == Blame::Unreachable),
        other => panic!("not given up: {other:?}"),
    }
}

fn harmless(message: String) -> String {
    assert!(message.starts_with("http"), "{message}");
    assert!(!message.contains("hunter2"), "{message}");
    assert!(!message.contains('\u{1b}'), "{message}");
    message
}
