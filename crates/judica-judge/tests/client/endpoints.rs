//! Who is asked, and over what connection.

use std::path::PathBuf;

use judica_judge::client::Client;
use judica_judge::client::options::{ClientError, ClientOptions};
use judica_judge::endpoint::{Endpoint, Secret};
use judica_judge::stop::Stop;
use judica_model::exit_code::ExitCode;

use crate::server::{Answer, Server};
use crate::setup::{KEY, ask_with, block_on, fatal, impatient, question};
use crate::tls;

#[test]
fn azure_style_calls_have_their_own_address_and_header() {
    let server = Server::scripted(vec![Answer::says("fine")]);
    let base = format!("http://{}", server.address());
    let key = Some(Secret::new(KEY));
    let endpoint = Endpoint::azure(&base, "my gpt", Some("2024-10-21"), key).unwrap();
    ask_with(ClientOptions::new(endpoint)).unwrap();
    let sent = server.requests().pop().unwrap();
    assert_eq!(
        sent.target,
        "/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21"
    );
    assert_eq!(sent.header("api-key"), Some(KEY));
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

#[test]
fn a_client_outlives_the_runtime_it_was_used_in() {
    let server = Server::scripted(vec![Answer::says("fine")]);
    let client = Client::new(impatient(&server.base_url()).0).unwrap();
    for _ in 0..3 {
        let reply = block_on(client.ask(&question(), &Stop::new())).unwrap();
        assert_eq!((reply.text.as_str(), reply.attempts), ("fine", 1));
    }
}

fn authority() -> PathBuf {
    PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/server/tls/ca.pem"
    ))
}

#[test]
fn tls_trusts_the_authority_that_it_is_given_and_nobody_else() {
    let server = tls::start(|_, _| Answer::says("fine"));
    let ask = |host: &str, ca_file| {
        let base = format!("https://{host}:{}/v1", server.address().port());
        let (mut options, _) = impatient(&base);
        options.ca_file = ca_file;
        ask_with(options)
    };
    let unknown = fatal(ask("localhost", None));
    assert!(
        unknown.contains("not safe") && unknown.contains("UnknownIssuer"),
        "{unknown}"
    );
    let misnamed = fatal(ask("127.0.0.1", Some(authority())));
    assert!(misnamed.contains("not safe"), "{misnamed}");
    assert!(
        server.requests().is_empty(),
        "no key was sent to a stranger"
    );
    assert_eq!(ask("localhost", Some(authority())).unwrap().text, "fine");
}

#[test]
fn certificates_that_are_none_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.pem");
    std::fs::write(&empty, "hello").unwrap();
    let broken = folder.path().join("broken.pem");
    std::fs::write(
        &broken,
        "-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n",
    )
    .unwrap();
    for path in [empty, broken, folder.path().join("missing.pem")] {
        let (mut options, _) = impatient("https://localhost:1/v1");
        options.ca_file = Some(path.clone());
        let error = Client::new(options).unwrap_err();
        assert!(
            matches!(error, ClientError::BadCertificates { .. }),
            "{error}"
        );
        assert_eq!(error.exit_code(), ExitCode::BadInput);
        assert!(
            error.to_string().starts_with(path.to_str().unwrap()),
            "{error}"
        );
    }
}
