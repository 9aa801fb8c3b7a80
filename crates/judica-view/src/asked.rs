//! What the parameters of a request say, and the addresses of pages.

use crate::refusal::Refusal;

/// The parameters of a request, each to be taken by who knows it.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    pairs: Vec<(String, String)>,
}

impl Asked {
    /// Those of an address.
    pub fn of(query: Option<&str>) -> Self {
        let pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        Asked {
            pairs: pairs.into_owned().collect(),
        }
    }

    /// One that may be given once; an empty one is none, as a form leaves it.
    pub fn take(&mut self, name: &str) -> Result<Option<String>, Refusal> {
        let (mut mine, others): (Vec<_>, Vec<_>) = std::mem::take(&mut self.pairs)
            .into_iter()
            .partition(|(key, _)| key == name);
        self.pairs = others;
        mine.retain(|(_, value)| !value.is_empty());
        match mine.len() {
            0 | 1 => Ok(mine.pop().map(|(_, value)| value)),
            _ => Err(Refusal::bad(format!("`{name}` is given more than once"))),
        }
    }

    /// One that is a number.
    pub fn number(&mut self, name: &str) -> Result<Option<u64>, Refusal> {
        let Some(text) = self.take(name)? else {
            return Ok(None);
        };
        let number = text.parse().map(Some);
        number.map_err(|_| Refusal::bad(format!("`{name}={text}` is no whole number")))
    }

    /// What nobody has taken yet, without what a form leaves empty.
    pub fn rest(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.pairs.iter().filter(|(_, value)| !value.is_empty());
        pairs.map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Refuses what nobody has taken.
    pub fn end(&self) -> Result<(), Refusal> {
        match self.pairs.first() {
            None => Ok(()),
            Some((name, _)) => Err(Refusal::bad(format!(
                "`{name}` is no parameter of this page"
            ))),
        }
    }
}

/// The address of a page with parameters.
pub fn address<N: AsRef<str>, V: AsRef<str>>(
    path: &str,
    pairs: impl IntoIterator<Item = (N, V)>,
) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(pairs);
    match query.finish() {
        none if none.is_empty() => path.to_owned(),
        query => format!("{path}?{query}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_taken_once_and_none_is_left() {
        let mut asked = Asked::of(Some("row=5&verdict=fail&verdict=error&min=&run=b&run=a"));
        assert_eq!(asked.number("row").unwrap(), Some(5));
        assert_eq!(asked.take("min").unwrap(), None);
        assert!(asked.take("run").unwrap_err().why.contains("`run`"));
        let rest: Vec<_> = asked.rest().collect();
        assert_eq!(rest, [("verdict", "fail"), ("verdict", "error")]);
        assert!(asked.end().unwrap_err().why.contains("`verdict`"));
        assert!(Asked::of(Some("row=x")).number("row").is_err());
        assert!(Asked::of(None).end().is_ok());
    }

    #[test]
    fn addresses_hold_any_name() {
        assert_eq!(address("/", Vec::<(&str, &str)>::new()), "/");
        let to = address("/records", [("item", "a&b=\u{202e}\"")]);
        assert_eq!(to, "/records?item=a%26b%3D%E2%80%AE%22");
        let asked = Asked::of(to.split_once('?').map(|(_, query)| query));
        assert_eq!(asked.rest().next(), Some(("item", "a&b=\u{202e}\"")));
    }
}
