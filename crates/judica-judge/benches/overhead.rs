//! What the client costs: calls against a server that answers after a fixed time.
//!
//! `cargo bench -p judica-judge --bench overhead [-- CALLS IN_FLIGHT MILLISECONDS]`
//!
//! The server runs in a process of its own, this same program started again, so that its
//! processor time is not counted. Printed are the wall time, its ratio to the ideal time
//! (calls / in flight × milliseconds), and the processor time of the client alone, as a share
//! of one core over the wall time. The goal: a ratio of at most 1.15, less than 20 % of a core.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "its table is what it is for"
)]

#[path = "../tests/server/mod.rs"]
mod server;

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use judica_judge::chat::{ChatRequest, Message, Role};
use judica_judge::client::Client;
use judica_judge::client::options::ClientOptions;
use judica_judge::endpoint::Endpoint;
use judica_judge::stop::Stop;
use tokio::time::Instant;

use server::{Answer, Server};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--serve") {
        return serve(arguments[at + 1].parse().unwrap());
    }
    let numbers: Vec<usize> = arguments
        .iter()
        .filter_map(|text| text.parse().ok())
        .collect();
    let &[calls, in_flight, milliseconds] = numbers.as_slice() else {
        return measure(1000, 64, 100);
    };
    measure(calls, in_flight, milliseconds);
}

/// Serves until its standard input ends: until whoever started it is gone.
fn serve(milliseconds: u64) {
    let server = Server::start(move |_, _| {
        Answer::says("{\"correct\": \"yes\", \"reasoning\": \"The same formula.\"}")
            .after(Duration::from_millis(milliseconds))
    });
    println!("{}", server.base_url());
    std::io::stdout().flush().unwrap();
    let mut line = String::new();
    let _ = std::io::stdin().read_line(&mut line);
}

fn measure(calls: usize, in_flight: usize, milliseconds: usize) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--serve", &milliseconds.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut url = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut url).unwrap();

    let endpoint = Endpoint::openai(url.trim(), "m", None).unwrap();
    let client = Client::new(ClientOptions::new(endpoint)).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    for round in 0..3 {
        let cpu_before = cpu_seconds();
        let began = Instant::now();
        let answered = runtime.block_on(ask_all(&client, calls, in_flight));
        let wall = began.elapsed().as_secs_f64();
        let cpu = cpu_seconds() - cpu_before;
        let ideal = calls as f64 / in_flight as f64 * milliseconds as f64 / 1000.0;
        println!(
            "round {round}: {answered} of {calls} answered, {in_flight} in flight, wall {wall:.3} s, \
             ratio {:.3}, client CPU {cpu:.3} s = {:.1} % of a core",
            wall / ideal,
            100.0 * cpu / wall
        );
    }
    // The end of its input ends the server.
    drop(child.stdin.take());
    child.wait().unwrap();
}

async fn ask_all(client: &Client, calls: usize, in_flight: usize) -> usize {
    let stop = Stop::new();
    let requests: Vec<ChatRequest> = (0..calls).map(question).collect();
    stream::iter(&requests)
        .map(|request| client.ask(request, &stop))
        .buffer_unordered(in_flight)
        .filter(|reply| std::future::ready(reply.is_ok()))
        .count()
        .await
}

fn question(number: usize) -> ChatRequest {
    let message = |role, content| Message { role, content };
    ChatRequest {
        messages: vec![
            message(Role::System, "You compare two formulas. ".repeat(40)),
            message(
                Role::User,
                format!("Question {number}: <<User>>F p or <<User>>G p?"),
            ),
        ],
        temperature: 0.0,
        max_output_tokens: Some(500),
        seed: Some(0),
        schema: None,
    }
}

/// Processor time of this process, user and system, as Linux tells it in hundredths.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program comes second and may hold anything; after it, fields are plain.
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let field = |n: usize| -> f64 {
        let text = after_name.split_whitespace().nth(n).unwrap_or_default();
        text.parse().unwrap_or(f64::NAN)
    };
    (field(11) + field(12)) / 100.0
}
