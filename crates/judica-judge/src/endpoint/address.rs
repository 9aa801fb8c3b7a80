//! From the address that a user gave to the one that is called.

use reqwest::Url;

use super::EndpointError;

const COMPLETIONS: &str = "/chat/completions";
const DEPLOYMENTS: &str = "/openai/deployments/";

/// Names of query parameters that carry a key.
const SECRET_PARAMETERS: [&str; 9] = [
    "access_token",
    "api-key",
    "api_key",
    "apikey",
    "code",
    "key",
    "sig",
    "subscription-key",
    "token",
];

/// Reads a base address: `http` or `https`, with a host, without a key.
fn base(given: &str) -> Result<Url, EndpointError> {
    let given = given.trim();
    // Before anything that may go wrong and name the address.
    if has_credentials(given) {
        return Err(EndpointError::CredentialsInAddress);
    }
    let bad = |problem: &str| EndpointError::BadAddress {
        given: given.split('?').next().unwrap_or_default().to_owned(),
        problem: problem.to_owned(),
    };
    let mut url = Url::parse(given).map_err(|e| bad(&e.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad("it must begin with http:// or https://"));
    }
    if let Some((name, _)) = url
        .query_pairs()
        .find(|(name, _)| SECRET_PARAMETERS.contains(&name.to_ascii_lowercase().as_str()))
    {
        return Err(EndpointError::KeyInAddress {
            parameter: name.into_owned(),
        });
    }
    url.set_fragment(None);
    Ok(url)
}

/// Whether an `@` stands between the scheme and the path, told from the text alone because
/// an address that cannot be parsed is quoted in the message.
fn has_credentials(given: &str) -> bool {
    let after = given.split_once("//").map_or(given, |(_, rest)| rest);
    let authority = after
        .split(['/', '?', '#', '\\'])
        .next()
        .unwrap_or_default();
    authority.contains('@')
}

/// Adds `tail` to the path unless it ends so.
fn with_tail(url: &mut Url, tail: &str) {
    let path = url.path().trim_end_matches('/').to_owned();
    if path.ends_with(tail) {
        url.set_path(&path);
    } else {
        url.set_path(&format!("{path}{tail}"));
    }
}

/// `{base}/chat/completions`.
pub(super) fn openai(given: &str) -> Result<Url, EndpointError> {
    let mut url = base(given)?;
    with_tail(&mut url, COMPLETIONS);
    Ok(url)
}

/// `{base}/openai/deployments/{deployment}/chat/completions?api-version={version}`. A base
/// that names a deployment keeps it; a version in the base serves where none is given.
pub(super) fn azure(
    given: &str,
    deployment: &str,
    version: Option<&str>,
) -> Result<Url, EndpointError> {
    let mut url = base(given)?;
    if !url.path().contains(DEPLOYMENTS) {
        // However it is written, a URL takes these for "here" and "up".
        if matches!(deployment, "" | "." | "..") {
            return Err(EndpointError::NoModel);
        }
        let path = url.path().trim_end_matches('/');
        let path = path.strip_suffix("/openai").unwrap_or(path).to_owned();
        url.set_path(&format!(
            "{path}{DEPLOYMENTS}{}",
            percent_encoded(deployment)
        ));
    }
    with_tail(&mut url, COMPLETIONS);
    let mut others: Vec<(String, String)> = Vec::new();
    let mut named = None;
    for (name, value) in url.query_pairs() {
        if name == "api-version" {
            named = Some(value.into_owned());
        } else {
            others.push((name.into_owned(), value.into_owned()));
        }
    }
    let version = version
        .map(str::to_owned)
        .or(named)
        .filter(|version| !version.is_empty())
        .ok_or(EndpointError::NoApiVersion)?;
    url.query_pairs_mut()
        .clear()
        .extend_pairs(others)
        .append_pair("api-version", &version);
    Ok(url)
}

/// Everything but letters, digits and `-._~` as `%XX`, so that a name stays one segment.
fn percent_encoded(segment: &str) -> String {
    use std::fmt::Write;
    let mut out = String::with_capacity(segment.len());
    for byte in segment.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_is_used_as_it_is() {
        for (given, called) in [
            (
                "http://localhost:8000/v1",
                "http://localhost:8000/v1/chat/completions",
            ),
            (
                "http://localhost:8000/v1/",
                "http://localhost:8000/v1/chat/completions",
            ),
            (
                " http://localhost:8000 ",
                "http://localhost:8000/chat/completions",
            ),
            (
                "https://h/v1/chat/completions",
                "https://h/v1/chat/completions",
            ),
            (
                "https://h/v1/chat/completions/#x",
                "https://h/v1/chat/completions",
            ),
            (
                "https://h/a b/v1?route=eu",
                "https://h/a%20b/v1/chat/completions?route=eu",
            ),
            ("http://[::1]:9/v1", "http://[::1]:9/v1/chat/completions"),
            ("http://h/@me/v1", "http://h/@me/v1/chat/completions"),
        ] {
            assert_eq!(openai(given).unwrap().as_str(), called, "{given}");
        }
    }

    #[test]
    fn an_azure_base_gets_deployment_and_version() {
        let tail = "/openai/deployments/g%2F4%20o/chat/completions?api-version=2024-10-21";
        for given in [
            "https://h",
            "https://h/",
            "https://h/openai",
            "https://h/openai/",
        ] {
            let url = azure(given, "g/4 o", Some("2024-10-21")).unwrap();
            assert_eq!(url.as_str(), format!("https://h{tail}"), "{given}");
        }
        let kept = "https://h/openai/deployments/mine";
        let full = "https://h/openai/deployments/mine/chat/completions?api-version=1";
        for given in [
            kept.to_owned(),
            format!("{kept}/"),
            format!("{kept}/chat/completions"),
            format!("{kept}/chat/completions?api-version=0"),
        ] {
            let url = azure(&given, "ignored", Some("1")).unwrap();
            assert_eq!(url.as_str(), full, "{given}");
        }
        assert_eq!(azure(full, "ignored", None).unwrap().as_str(), full);
        assert_eq!(azure(kept, "x", None), Err(EndpointError::NoApiVersion));
        assert_eq!(
            azure("https://h", "..", Some("1")),
            Err(EndpointError::NoModel)
        );
    }

    #[test]
    fn what_would_put_a_key_into_files_is_refused_without_repeating_it() {
        for given in [
            "http://user:hunter2@h/v1",
            "http://hunter2@h",
            "user:hunter2@h:80/v1",
            "http://u:hunter2@h:port/v1",
        ] {
            let error = openai(given).unwrap_err();
            assert_eq!(error, EndpointError::CredentialsInAddress, "{given}");
            assert!(!error.to_string().contains("hunter2"));
        }
        let error = openai("http://h/v1?API-key=hunter2").unwrap_err();
        assert!(error.to_string().contains("API-key") && !error.to_string().contains("hunter2"));
        let error = openai("ftp://h/v1?a=hunter2").unwrap_err();
        assert!(error.to_string().contains("ftp://h/v1") && !error.to_string().contains("hunter2"));
    }

    #[test]
    fn what_is_no_address_is_named() {
        for given in [
            "",
            "localhost:8000/v1",
            "/v1",
            "http://",
            "h",
            "http://h:99999/",
        ] {
            let error = openai(given).unwrap_err();
            assert!(matches!(error, EndpointError::BadAddress { .. }), "{given}");
        }
    }
}
