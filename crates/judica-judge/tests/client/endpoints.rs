//! Who is asked, and over what connection.

use judica_judge::client::Client;
use judica_judge::client::options::ClientOptions;
use judica_judge::endpoint::{Endpoint, Secret};
use judica_judge::stop::Stop;

use crate::server::{Answer, Server};
use crate::setup::{KEY, ask_with, block_on, impatient, question};

#[test]
fn azure_style_calls_have_their_own_address_and_header() {
    let server = Server::scripted(vec![Answer::says("fine")]);
    let base = format!("http://{}", server.address());
    let key = Some(Secret::new(KEY));
    let endpoint = Endpoint::azure(&base, "my gpt", Some("2024-10-21"), key).unwrap();
    ask_with(ClientOptions::new(
        endpoint.with_header("X-Team", "evals").unwrap(),
    ))
    .unwrap();
    let sent = server.requests().pop().unwrap();
    assert_eq!(
        sent.target,
        "/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21"
    );
    assert_eq!(sent.header("api-key"), Some(KEY));
    assert_eq!(sent.header("x-team"), Some("evals"));
    assert_eq!(sent.header("authorization"), None);
}

#[test]
fn a_server_without_keys_gets_none() {
    let server = Server::scripted(vec![Answer::says("fine")]);
    let endpoint = Endpoint::openai(&server.base_url(), "m", None).unwrap();
    ask_with(ClientOptions::new(endpoint)).unwrap();
    assert_eq!(server.requests()[0].header("authorization"), None);
}

#[test]
fn a_client_never_shows_its_key() {
    let server = Server::scripted(vec![Answer::says("fine")]);
    let client = Client::new(impatient(&server.base_url()).0).unwrap();
    let shown = format!("{client:?} {:#?} {}", client.endpoint(), client.identity());
    assert!(
        shown.contains("judge-model") && !shown.contains("hunter2"),
        "{shown}"
    );
}

#[test]
fn connections_are_used_again() {
    let server = Server::scripted(vec![Answer::says("fine")]);
    let client = Client::new(impatient(&server.base_url()).0).unwrap();
    block_on(async {
        let (request, stop) = (question(), Stop::new());
        for _ in 0..20 {
            let both = [client.ask(&request, &stop), client.ask(&request, &stop)];
            futures_util::future::join_all(both).await;
        }
    });
    assert_eq!(server.requests().len(), 40);
    assert_eq!(server.connections(), 2);
}
