//! Who may ask, and what every answer says to the browser.
//!
//! The server listens on this machine alone, and still any page that a browser has open could
//! send requests to it, or make the browser believe that its own name means this machine. So a
//! request must name this server as its host, must not come from another site, and must carry
//! the token that was printed when the server began.

use axum::http::header::{COOKIE, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use axum::http::{Method, StatusCode, Uri};

/// What may be on a page: what this server sends, and nothing inline.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

/// The headers of every answer.
const HEADERS: [(&str, &str); 6] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cache-control", "no-store"),
];

/// Adds them.
pub fn headers(of: &mut HeaderMap) {
    for (name, value) in HEADERS {
        let name = HeaderName::from_static(name);
        of.insert(name, HeaderValue::from_static(value));
    }
}

/// The server's port and the secret that who asks must know.
#[derive(Debug, Clone)]
pub struct Guard {
    port: u16,
    token: String,
}

/// What becomes of a request.
#[derive(Debug, PartialEq, Eq)]
pub enum Admission {
    /// It is answered.
    Welcome,
    /// It brings the token: it is sent to the same place without it, with this cookie.
    Enter {
        /// The parameters that remain.
        query: String,
        /// What the browser is to keep.
        cookie: String,
    },
    /// It is refused.
    Refused(StatusCode, &'static str),
}

impl Guard {
    /// For a server on this port.
    pub fn new(port: u16, token: String) -> Self {
        Guard { port, token }
    }

    /// The name of the cookie. Cookies do not know ports, and several viewers may be open.
    fn cookie_name(&self) -> String {
        format!("judica_{}", self.port)
    }

    /// Looks at a request.
    pub fn admit(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Admission {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let hosts = [
            format!("127.0.0.1:{}", self.port),
            format!("localhost:{}", self.port),
        ];
        let known = |host: &str| hosts.iter().any(|own| own.eq_ignore_ascii_case(host));
        let named = headers.get_all(HOST).iter().count() == 1 && text("host").is_some_and(known);
        if !named || uri.authority().is_some_and(|host| !known(host.as_str())) {
            return Admission::Refused(
                StatusCode::MISDIRECTED_REQUEST,
                "this server answers to 127.0.0.1 and localhost with its own port",
            );
        }
        if method != Method::GET && method != Method::HEAD {
            let why = "nothing can be changed here: GET and HEAD are answered";
            return Admission::Refused(StatusCode::METHOD_NOT_ALLOWED, why);
        }
        // Another port of this machine is another program, so "same-site" is not enough.
        let of_elsewhere =
            text("sec-fetch-site").is_some_and(|site| !matches!(site, "same-origin" | "none"));
        let own = |origin: &str| origin.strip_prefix("http://").is_some_and(known);
        let mut origins = headers.get_all(ORIGIN).iter();
        let elsewhere = of_elsewhere || origins.any(|origin| !origin.to_str().is_ok_and(own));
        let is_visit = text("sec-fetch-mode") == Some("navigate")
            && text("sec-fetch-dest") == Some("document");
        if elsewhere && !is_visit {
            let why = "requests from other sites are refused";
            return Admission::Refused(StatusCode::FORBIDDEN, why);
        }
        let (mine, others): (Vec<&str>, Vec<&str>) = uri
            .query()
            .unwrap_or_default()
            .split('&')
            .filter(|part| !part.is_empty())
            .partition(|part| is_token(part));
        let unknown = Admission::Refused(
            StatusCode::UNAUTHORIZED,
            "open the address that `judica view` printed: it holds the token",
        );
        if !mine.is_empty() {
            let right = |part: &&str| {
                let given = part.strip_prefix("token=").unwrap_or_default();
                same(given, &self.token)
            };
            if !mine.iter().all(right) {
                return unknown;
            }
            return Admission::Enter {
                query: others.join("&"),
                cookie: format!(
                    "{}={}; Path=/; HttpOnly; SameSite=Lax",
                    self.cookie_name(),
                    self.token
                ),
            };
        }
        match self.has_cookie(headers) {
            true => Admission::Welcome,
            false => unknown,
        }
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let name = self.cookie_name();
        let given = headers.get_all(COOKIE).iter();
        let given = given.filter_map(|value| value.to_str().ok());
        let mut pairs = given
            .flat_map(|text| text.split(';'))
            .filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(key, value)| key == name && same(value, &self.token))
    }
}

/// Whether a part of the parameters is the token.
pub(crate) fn is_token(part: &str) -> bool {
    part == "token" || part.starts_with("token=")
}

/// Whether two secrets are the same, in a time that does not depend on where they differ.
fn same(a: &str, b: &str) -> bool {
    let differ = |(a, b): (u8, u8)| a ^ b;
    a.len() == b.len() && a.bytes().zip(b.bytes()).map(differ).fold(0, |x, y| x | y) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef";

    fn admit(method: &str, uri: &str, headers: &[(&str, &str)]) -> Admission {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: HeaderName = name.parse().unwrap();
            map.append(name, value.parse().unwrap());
        }
        let method: Method = method.parse().unwrap();
        Guard::new(7, TOKEN.to_owned()).admit(&method, &uri.parse().unwrap(), &map)
    }

    fn status(admission: Admission) -> u16 {
        match admission {
            Admission::Welcome => 200,
            Admission::Enter { .. } => 303,
            Admission::Refused(status, _) => status.as_u16(),
        }
    }

    #[test]
    fn only_who_knows_the_token_comes_in_and_only_from_here() {
        let host = ("host", "127.0.0.1:7");
        let cookie = ("cookie", "a=b; judica_7=0123456789abcdef");
        let site = |site| ("sec-fetch-site", site);
        let origin = |origin| ("origin", origin);
        let visit = [
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-dest", "document"),
        ];
        let frame = [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "iframe")];
        for (method, uri, headers, expected) in [
            ("GET", "/", vec![host, cookie], 200),
            ("HEAD", "/", vec![("host", "LOCALHOST:7"), cookie], 200),
            ("GET", "/", vec![cookie], 421),
            ("GET", "/", vec![host, host, cookie], 421),
            ("GET", "/", vec![("host", "127.0.0.1"), cookie], 421),
            ("GET", "/", vec![("host", "127.0.0.1:8"), cookie], 421),
            ("GET", "/", vec![("host", "evil.example:7"), cookie], 421),
            ("GET", "http://evil.example:7/", vec![host, cookie], 421),
            ("POST", "/", vec![host, cookie], 405),
            ("OPTIONS", "/", vec![host, cookie], 405),
            ("GET", "/", vec![host, cookie, site("same-origin")], 200),
            ("GET", "/", vec![host, cookie, site("none")], 200),
            ("GET", "/", vec![host, cookie, site("cross-site")], 403),
            ("GET", "/", vec![host, cookie, site("same-site")], 403),
            (
                "GET",
                "/",
                vec![host, cookie, origin("http://localhost:7")],
                200,
            ),
            (
                "GET",
                "/",
                vec![host, cookie, origin("http://127.0.0.1:8")],
                403,
            ),
            (
                "GET",
                "/",
                vec![host, cookie, origin("https://evil.example")],
                403,
            ),
            ("GET", "/", vec![host, cookie, origin("null")], 403),
            (
                "GET",
                "/",
                vec![host, cookie, origin("null"), visit[0], visit[1]],
                200,
            ),
            (
                "GET",
                "/",
                vec![host, cookie, site("cross-site"), visit[0], visit[1]],
                200,
            ),
            (
                "GET",
                "/",
                vec![host, cookie, site("cross-site"), frame[0], frame[1]],
                403,
            ),
            ("GET", "/", vec![host], 401),
            ("GET", "/", vec![host, ("cookie", "judica_7=wrong")], 401),
            (
                "GET",
                "/",
                vec![host, ("cookie", "judica_8=0123456789abcdef")],
                401,
            ),
            ("GET", "/?token=wrong", vec![host, cookie], 401),
            ("GET", "/?token", vec![host, cookie], 401),
            ("GET", "/?token=0123456789abcdef", vec![host], 303),
            ("GET", "/?token=0123456789abcdef&token=x", vec![host], 401),
        ] {
            let got = status(admit(method, uri, &headers));
            assert_eq!(got, expected, "{method} {uri} {headers:?}");
        }
    }

    #[test]
    fn the_token_leaves_the_address_and_the_rest_stays() {
        let host = ("host", "127.0.0.1:7");
        let uri = "/records?verdict=fail&token=0123456789abcdef&item=a%26b";
        let Admission::Enter { query, cookie } = admit("GET", uri, &[host]) else {
            panic!("not let in");
        };
        assert_eq!(query, "verdict=fail&item=a%26b");
        assert_eq!(
            cookie,
            "judica_7=0123456789abcdef; Path=/; HttpOnly; SameSite=Lax"
        );
    }
}
