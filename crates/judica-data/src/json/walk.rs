//! Walking over objects and lists without building them.

use super::scan::{ScanError, Scanner};

impl<'a> Scanner<'a> {
    /// Hands every member of the object here to `each`: its key, unescaped, and the scanner
    /// before its value, which `each` must take.
    #[inline]
    pub fn members<E: From<ScanError>>(
        &mut self,
        mut each: impl FnMut(&[u8], &mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        self.expect(b'{')?;
        if self.take(b'}') {
            return Ok(());
        }
        let mut unescaped = Vec::new();
        loop {
            let key = self.key()?;
            each(key.decode(&mut unescaped), self)?;
            if !self.take(b',') {
                return Ok(self.expect(b'}')?);
            }
        }
    }

    /// Hands every element of the list here to `each`: its place, and the scanner before it,
    /// which `each` must take.
    #[inline]
    pub fn elements<E: From<ScanError>>(
        &mut self,
        mut each: impl FnMut(usize, &mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        self.expect(b'[')?;
        if self.take(b']') {
            return Ok(());
        }
        let mut index = 0;
        loop {
            each(index, self)?;
            if !self.take(b',') {
                return Ok(self.expect(b']')?);
            }
            index += 1;
        }
    }

    /// Requires that nothing follows.
    pub fn end(&mut self) -> Result<(), ScanError> {
        if self.at_end() { Ok(()) } else { self.fail() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Result<Vec<String>, ScanError> {
        let mut scanner = Scanner::new(text.as_bytes(), 0);
        let mut keys = Vec::new();
        scanner.members(|key, scanner| {
            keys.push(String::from_utf8_lossy(key).into_owned());
            scanner.skip_value(1, 8)
        })?;
        scanner.end().map(|()| keys)
    }

    #[test]
    fn members_come_in_order_with_their_keys_unescaped() {
        assert_eq!(keys(" { } ").unwrap(), [""; 0]);
        assert_eq!(keys(r#"{"a": [1], "\u0062" : {}}"#).unwrap(), ["a", "b"]);
    }

    #[test]
    fn elements_know_their_places() {
        let mut scanner = Scanner::new(b"[7, [8], 9]", 0);
        let mut places = Vec::new();
        let whole: Result<(), ScanError> = scanner.elements(|place, scanner| {
            places.push((place, scanner.pos));
            scanner.skip_value(1, 8)
        });
        whole.unwrap();
        assert_eq!(
            places.iter().map(|(place, _)| *place).collect::<Vec<_>>(),
            [0, 1, 2]
        );
    }

    #[test]
    fn what_is_no_json_fails_where_it_stops_being_some() {
        for (text, at) in [
            ("{,}", 1),
            (r#"{"a":1,}"#, 7),
            (r#"{"a":1 "b":2}"#, 7),
            (r#"{"a":1"#, 6),
            ("{} x", 3),
        ] {
            assert_eq!(keys(text).unwrap_err().position(), at, "{text}");
        }
    }
}
