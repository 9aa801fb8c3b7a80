//! Who is asked: address, model, key, headers.
//!
//! Two kinds of server are spoken to. OpenAI-compatible ones take the model in the body and
//! the key as a bearer token; Azure-style ones have one address for each deployment and take
//! the key in a header of its own. A key may be absent, as with servers on one's own machine.
//!
//! Nothing here lets a key reach a file: it is a [`Secret`], its header is marked sensitive,
//! and an address that carries one is refused.

mod address;
mod secret;

use judica_data::hex::hex;
use judica_model::exit_code::ExitCode;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, CONTENT_LENGTH, HOST, HeaderMap, HeaderName, HeaderValue};
use sha2::{Digest, Sha256};

pub use secret::Secret;

/// Why an endpoint cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// No address that can be called.
    #[error(
        "{given:?} is no address of a server: {problem} (expected like http://localhost:8000/v1)"
    )]
    BadAddress {
        /// As the user wrote it, without what follows a question mark.
        given: String,
        /// What is wrong with it.
        problem: String,
    },
    /// `http://user:password@…`
    #[error(
        "the address of the server holds a user name or password, and addresses are written to \
         files: give it without, and the key by itself"
    )]
    CredentialsInAddress,
    /// `…?key=…`
    #[error(
        "the address of the server holds a key in its parameter {parameter:?}, and addresses are \
         written to files: give it without, and the key by itself"
    )]
    KeyInAddress {
        /// The parameter's name.
        parameter: String,
    },
    /// An Azure-style address without a version.
    #[error("an Azure-style server needs an API version (like 2024-10-21)")]
    NoApiVersion,
    /// No model or deployment was named.
    #[error("no model is named")]
    NoModel,
    /// A key that cannot stand in a header.
    #[error("the key holds a character that no HTTP header can carry (a line break inside?)")]
    BadKey,
    /// A header that cannot be sent.
    #[error("{name:?} is no header that can be added: {problem}")]
    BadHeader {
        /// Its name as given.
        name: String,
        /// What is wrong with it.
        problem: &'static str,
    },
}

impl EndpointError {
    /// The exit code it means.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::BadInput
    }
}

/// How a server wants to be spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndpointKind {
    /// `{base}/chat/completions`, bearer token.
    OpenAi,
    /// `{base}/openai/deployments/{deployment}/chat/completions?api-version=…`, `api-key`.
    Azure,
}

impl EndpointKind {
    fn name(self) -> &'static str {
        match self {
            EndpointKind::OpenAi => "openai",
            EndpointKind::Azure => "azure",
        }
    }
}

/// Who is asked.
#[derive(Debug, Clone)]
pub struct Endpoint {
    kind: EndpointKind,
    url: Url,
    model: String,
    headers: HeaderMap,
    /// All that may not be repeated: the key, and headers that look like one.
    secrets: Vec<Secret>,
    /// Names and digests of the extra headers that may change an answer.
    telling_headers: Vec<(String, String)>,
    identity: String,
}

impl Endpoint {
    /// An OpenAI-compatible server. `base_url` is used as it is, with or without `/v1`.
    pub fn openai(
        base_url: &str,
        model: &str,
        key: Option<Secret>,
    ) -> Result<Endpoint, EndpointError> {
        let url = address::openai(base_url)?;
        let endpoint = Self::new(EndpointKind::OpenAi, url, model)?;
        match key.filter(|key| !key.is_empty()) {
            Some(key) => {
                let bearer = format!("Bearer {}", key.reveal());
                endpoint.with_key(AUTHORIZATION, &bearer, key)
            }
            None => Ok(endpoint),
        }
    }

    /// An Azure-style deployment. A `base_url` that already names a deployment keeps it, and
    /// one with an `api-version` serves where `api_version` is `None`.
    pub fn azure(
        base_url: &str,
        deployment: &str,
        api_version: Option<&str>,
        key: Option<Secret>,
    ) -> Result<Endpoint, EndpointError> {
        let url = address::azure(base_url, deployment, api_version)?;
        let endpoint = Self::new(EndpointKind::Azure, url, deployment)?;
        match key.filter(|key| !key.is_empty()) {
            Some(key) => {
                let value = key.reveal().to_owned();
                endpoint.with_key(HeaderName::from_static("api-key"), &value, key)
            }
            None => Ok(endpoint),
        }
    }

    fn new(kind: EndpointKind, url: Url, model: &str) -> Result<Endpoint, EndpointError> {
        if model.is_empty() {
            return Err(EndpointError::NoModel);
        }
        let mut endpoint = Endpoint {
            kind,
            url,
            model: model.to_owned(),
            headers: HeaderMap::new(),
            secrets: Vec::new(),
            telling_headers: Vec::new(),
            identity: String::new(),
        };
        endpoint.identity = endpoint.compose_identity();
        Ok(endpoint)
    }

    fn with_key(
        mut self,
        name: HeaderName,
        value: &str,
        key: Secret,
    ) -> Result<Endpoint, EndpointError> {
        let mut value = HeaderValue::from_str(value).map_err(|_| EndpointError::BadKey)?;
        value.set_sensitive(true);
        self.headers.insert(name, value);
        self.secrets.push(key);
        Ok(self)
    }

    /// Adds a header to every call; one of the same name is replaced. Its value is treated
    /// as if it were a key: never printed. Unless its name says that it is one, a digest of
    /// it is part of the identity, because a header may change an answer.
    pub fn with_header(mut self, name: &str, value: &str) -> Result<Endpoint, EndpointError> {
        let bad = |problem| EndpointError::BadHeader {
            name: name.to_owned(),
            problem,
        };
        let header = HeaderName::from_bytes(name.trim().as_bytes())
            .map_err(|_| bad("its name has characters that no header name may have"))?;
        if header == HOST || header == CONTENT_LENGTH || header == "transfer-encoding" {
            return Err(bad("it is set by the connection itself"));
        }
        let mut sent = HeaderValue::from_str(value.trim())
            .map_err(|_| bad("its value has a line break or another control character"))?;
        sent.set_sensitive(true);
        self.telling_headers
            .retain(|(other, _)| other != header.as_str());
        if carries_a_key(header.as_str()) {
            // `Bearer abc`: the server may repeat either.
            self.secrets
                .extend(value.split_whitespace().rev().map(Secret::new).take(1));
            self.secrets.push(Secret::new(value));
        } else {
            let digest = Sha256::digest(value.trim().as_bytes());
            self.telling_headers
                .push((header.as_str().to_owned(), hex(&digest[..8])));
            self.telling_headers.sort();
        }
        self.headers.insert(header, sent);
        self.identity = self.compose_identity();
        Ok(self)
    }

    /// How the server wants to be spoken to.
    pub fn kind(&self) -> EndpointKind {
        self.kind
    }

    /// The model (for Azure the deployment).
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Everything about the endpoint that can change an answer, as one line of JSON, without
    /// any key: kind, address, model, and digests of extra headers.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// The address without its query: what messages name.
    pub fn address(&self) -> String {
        let mut url = self.url.clone();
        url.set_query(None);
        url.into()
    }

    /// Whether a key would travel readable for everybody on the way.
    pub fn sends_key_in_clear(&self) -> bool {
        self.url.scheme() == "http" && !self.is_loopback() && !self.secrets.is_empty()
    }

    /// Whether the server is on this machine, where no proxy has a place.
    pub(crate) fn is_loopback(&self) -> bool {
        // The brackets of an IPv6 address are part of what a URL calls its host.
        let host = self.url.host_str().unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        match host.parse::<std::net::IpAddr>() {
            Ok(address) => address.to_canonical().is_loopback(),
            Err(_) => {
                let name = host.trim_end_matches('.');
                name == "localhost" || name.ends_with(".localhost")
            }
        }
    }

    pub(crate) fn is_tls(&self) -> bool {
        self.url.scheme() == "https"
    }

    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// `text` without any key, where a server repeated one.
    pub(crate) fn without_secrets(&self, text: &str) -> String {
        self.secrets
            .iter()
            .fold(text.to_owned(), |text, secret| secret.remove_from(&text))
    }

    fn compose_identity(&self) -> String {
        serde_json::json!({
            "kind": self.kind.name(),
            "url": self.url.as_str(),
            "model": self.model,
            "headers": self.telling_headers,
        })
        .to_string()
    }
}

/// Whether a header of this name carries a key rather than a setting.
fn carries_a_key(name: &str) -> bool {
    ["auth", "cookie", "key", "password", "secret", "token"]
        .iter()
        .any(|word| name.contains(word))
}

#[cfg(test)]
mod tests;
