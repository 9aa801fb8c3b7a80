//! The server over TLS, as `localhost`, certified by `tls/ca.pem`.

use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::server::{Answer, Received, Server};

const CERTIFICATE: &[u8] = include_bytes!("../server/tls/server.pem");
const KEY: &[u8] = include_bytes!("../server/tls/server.key");

/// Answers each request over TLS by what `handler` makes of it and of its number, from 0.
pub fn start(handler: impl Fn(&Received, usize) -> Answer + Send + Sync + 'static) -> Server {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from_pem_slice(CERTIFICATE).unwrap()],
            PrivateKeyDer::from_pem_slice(KEY).unwrap(),
        )
        .unwrap();
    let config = Arc::new(config);
    Server::start_wrapped(handler, move |stream| {
        StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), stream)
    })
}
