//! The connection pool: TLS, proxies, timeouts.

use std::path::Path;
use std::time::Duration;

use judica_data::source::read_by_hand;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderValue};
use reqwest::{Certificate, ClientBuilder, redirect};

use super::attempt::root_cause;
use super::options::{ClientError, ClientOptions};

/// Servers commonly keep an idle connection for 5 s or longer. One that is used just when
/// its server closes it fails, so it is given up before.
const IDLE: Duration = Duration::from_secs(4);

/// A connection pool for the endpoint.
///
/// Proxies are taken from the environment as everywhere, except for servers on this machine.
/// Redirects are not followed: keys would follow them. There is nothing to decompress: the
/// server is asked for plain bytes, so that the limit on a body means what it says.
pub(super) fn pool(options: &ClientOptions) -> Result<reqwest::Client, ClientError> {
    // One provider for the whole process; if another room was first, its choice stands.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let endpoint = &options.endpoint;
    let mut headers = endpoint.headers().clone();
    for (name, value) in [
        (ACCEPT, "application/json"),
        (ACCEPT_ENCODING, "identity"),
        (CONTENT_TYPE, "application/json"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let mut builder = reqwest::Client::builder()
        .default_headers(headers)
        .user_agent(concat!("judica/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .retry(reqwest::retry::never())
        .connect_timeout(options.connect_timeout)
        .pool_idle_timeout(IDLE)
        .tcp_nodelay(true)
        .http1_only();
    if endpoint.is_loopback() {
        builder = builder.no_proxy();
    }
    builder = trust(builder, endpoint.is_tls(), options.ca_file.as_deref())?;
    builder
        .build()
        .map_err(|error| ClientError::Unprepared(root_cause(&error)))
}

/// Whom to trust: the system's certificates and those of `file`. Without TLS nobody, so that
/// a machine without certificates can ask a server of its own.
fn trust(
    builder: ClientBuilder,
    tls: bool,
    file: Option<&Path>,
) -> Result<ClientBuilder, ClientError> {
    let extra = match file {
        Some(path) => certificates(path)?,
        None => Vec::new(),
    };
    Ok(if !tls {
        builder.tls_certs_only([])
    } else {
        builder.tls_certs_merge(extra)
    })
}

fn certificates(path: &Path) -> Result<Vec<Certificate>, ClientError> {
    let bad = |problem: String| ClientError::BadCertificates {
        path: path.to_owned(),
        problem,
    };
    let pem = read_by_hand(path).map_err(|error| bad(error.reason()))?;
    let found = Certificate::from_pem_bundle(&pem).map_err(|error| bad(root_cause(&error)))?;
    if found.is_empty() {
        return Err(bad("there is no certificate in it".to_owned()));
    }
    Ok(found)
}
