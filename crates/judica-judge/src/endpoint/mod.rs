//! Who is asked: address, model, key.
//!
//! Two kinds of server are spoken to. OpenAI-compatible ones take the model in the body and
//! the key as a bearer token; Azure-style ones have one address for each deployment and take
//! the key in a header of its own. A key may be absent, as with servers on one's own machine.
//!
//! Nothing here lets a key reach a file: it is a [`Secret`], its header is marked sensitive,
//! and an address that carries one is refused.

mod address;
mod secret;

use judica_model::exit_code::ExitCode;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

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
}

impl EndpointError {
    /// The exit code it means.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::BadInput
    }
}

/// Who is asked.
#[derive(Debug, Clone)]
pub struct Endpoint {
    url: Url,
    model: String,
    headers: HeaderMap,
    key: Option<Secret>,
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
        let endpoint = Self::new("openai", url, model)?;
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
        let endpoint = Self::new("azure", url, deployment)?;
        match key.filter(|key| !key.is_empty()) {
            Some(key) => {
                let value = key.reveal().to_owned();
                endpoint.with_key(HeaderName::from_static("api-key"), &value, key)
            }
            None => Ok(endpoint),
        }
    }

    fn new(kind: &str, url: Url, model: &str) -> Result<Endpoint, EndpointError> {
        if model.is_empty() {
            return Err(EndpointError::NoModel);
        }
        let identity = serde_json::json!({
            "kind": kind,
            "url": url.as_str(),
            "model": model,
            // None are added; replies that are already kept lie under keys with this list.
            "headers": [],
        })
        .to_string();
        Ok(Endpoint {
            url,
            model: model.to_owned(),
            headers: HeaderMap::new(),
            key: None,
            identity,
        })
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
        self.key = Some(key);
        Ok(self)
    }

    /// The model (for Azure the deployment).
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Everything about the endpoint that can change an answer, as one line of JSON, without
    /// any key: kind, address and model.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// The address without its query: what messages name.
    pub fn address(&self) -> String {
        let mut url = self.url.clone();
        url.set_query(None);
        url.into()
    }

    /// Whether a key is sent.
    pub(crate) fn has_key(&self) -> bool {
        self.key.is_some()
    }

    /// Whether a key would travel readable for everybody on the way.
    pub fn sends_key_in_clear(&self) -> bool {
        self.url.scheme() == "http" && !self.is_loopback() && self.key.is_some()
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
        match &self.key {
            Some(key) => key.remove_from(text),
            None => text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
