//! A file that is one JSON object: what it says about the run, and where its rows stand.

use judica_data::chunks::RawRecord;
use judica_data::json::{ScanError, Scanner, ValueKind};
use judica_data::row_keys::{DATASET, INPUT, PREDICTION, ROWS, SUBJECT};
use judica_data::rows::{DEPTH, Span, Spelt, kept, numbered, spelt};
use serde_json::{Map, Value as Json};

use super::row::GOLD_KEYS;

/// So many of [`ROWS`] say that a file is a document; under the others rows may hold lists of
/// their own.
const SURE: usize = 2;
/// Metadata may be nested as deep as rows, and they stand in an object.
const DOCUMENT_DEPTH: usize = DEPTH + 2;

/// A document, whole in memory.
#[derive(Debug)]
pub(crate) struct Document {
    data: Vec<u8>,
    /// Where the first byte stands in the file.
    base_offset: u64,
    rows: Vec<Span>,
    /// Where each key with its value stands.
    metadata: Vec<Member>,
    /// The key that holds the rows.
    rows_key: Option<&'static str>,
    /// Whose answers it says they are.
    pub subject: Option<String>,
    /// The data set it says they belong to.
    pub dataset: Option<String>,
}

#[derive(Debug, Clone, Copy)]
struct Member {
    key: (usize, usize),
    value: (usize, usize),
}

/// What an object at the start of a file turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum DocumentShape {
    /// It has a list of rows.
    Document,
    /// The same, if there is nothing else in the file.
    Alone,
    /// It has none, but something that rows have.
    Row,
    /// It has neither.
    Neither,
    /// It is not JSON from here on.
    Broken(usize),
}

/// Tells what the object at the start of `bytes` is.
pub(crate) fn shape(bytes: &[u8]) -> DocumentShape {
    let mut scanner = Scanner::new(bytes, 0);
    match walk(&mut scanner) {
        Ok(found) if found.rows_key().is_some_and(|at| at < SURE) => DocumentShape::Document,
        Ok(found) if found.rows_key().is_some() => DocumentShape::Alone,
        Ok(found) if found.own.contains(&true) => DocumentShape::Row,
        Ok(_) => DocumentShape::Neither,
        Err(error) => DocumentShape::Broken(error.position()),
    }
}

impl Document {
    /// Takes a document apart. `first_line` is the line that the first byte stands on. The
    /// error gives the data back, and says where it is not JSON.
    pub fn read(
        data: Vec<u8>,
        base_offset: u64,
        first_line: u64,
    ) -> Result<Document, (Vec<u8>, usize)> {
        let mut scanner = Scanner::new(&data, 0);
        let read = walk(&mut scanner).and_then(|found| scanner.end().map(|()| found));
        let found = match read {
            Ok(found) => found,
            Err(error) => return Err((data, error.position())),
        };
        let rows_key = found.rows_key();
        let rows = rows_key.and_then(|at| found.lists.into_iter().nth(at)?);
        let mut document = Document {
            rows: numbered(&data, rows.unwrap_or_default(), first_line),
            metadata: found.members,
            rows_key: rows_key.map(|at| ROWS[at]),
            subject: None,
            dataset: None,
            data,
            base_offset,
        };
        let metadata = document.metadata();
        document.subject = text(&metadata, &SUBJECT).map(str::to_owned);
        document.dataset = text(&metadata, &[DATASET]).map(str::to_owned);
        Ok(document)
    }

    /// What it says besides its rows, in its order.
    pub fn metadata(&self) -> Map<String, Json> {
        let mut found = Map::new();
        for member in &self.metadata {
            let at = |(start, end): (usize, usize)| kept(&self.data[start..end]);
            if let Json::String(key) = at(member.key)
                && self.rows_key != Some(key.as_str())
            {
                found.insert(key, at(member.value));
            }
        }
        found
    }

    /// Numbers of that as they are written.
    pub fn spelt(&self) -> Spelt {
        let mut found = Spelt::new();
        for member in &self.metadata {
            let at = |(start, end): (usize, usize)| &self.data[start..end];
            if let (Json::String(key), Some(text)) = (kept(at(member.key)), spelt(at(member.value)))
            {
                found.insert(key, text);
            }
        }
        found
    }

    /// Cuts the rows into runs of about `target` bytes.
    pub fn parts(&self, target: usize) -> Vec<std::ops::Range<usize>> {
        let mut parts = Vec::new();
        let mut start = 0;
        for (at, row) in self.rows.iter().enumerate() {
            let full = row.end - self.rows[start].start >= target;
            if full || at + 1 == self.rows.len() {
                parts.push(start..at + 1);
                start = at + 1;
            }
        }
        parts
    }

    /// Some of its rows.
    pub fn records(&self, part: std::ops::Range<usize>) -> impl Iterator<Item = RawRecord<'_>> {
        let first = part.start as u64 + 1;
        let number = |(position, row): (u64, &Span)| {
            let offset = self.base_offset + row.start as u64;
            RawRecord::new(row.line, position, offset, &self.data[row.start..row.end])
        };
        (first..).zip(&self.rows[part]).map(number)
    }
}

/// The first of these texts that a file has about itself.
pub(crate) fn text<'a>(about: &'a Map<String, Json>, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| {
        let text = member(about, key)?.as_str()?.trim();
        (!text.is_empty()).then_some(text)
    })
}

/// What a file says about itself, beside its rows or in an object called `metadata`.
pub(crate) fn member<'a>(about: &'a Map<String, Json>, key: &str) -> Option<&'a Json> {
    let own = about.get(key);
    own.or_else(|| about.get("metadata")?.get(key))
        .filter(|value| !value.is_null())
}

/// An object's members, and the lists among them that may be rows.
#[derive(Default)]
struct Found {
    members: Vec<Member>,
    /// Elements of lists, by preference.
    lists: [Option<Vec<(usize, usize)>>; ROWS.len()],
    /// Whether it has input, gold and prediction of its own.
    own: [bool; 3],
}

impl Found {
    /// Which key holds the rows, if the object is not a row itself.
    fn rows_key(&self) -> Option<usize> {
        let found = self.lists.iter().position(Option::is_some);
        let most_own = |at: usize| if at < SURE { 2 } else { 0 };
        let own = self.own.iter().filter(|own| **own).count();
        found.filter(|at| own <= most_own(*at))
    }
}

fn walk(scanner: &mut Scanner) -> Result<Found, ScanError> {
    let mut found = Found::default();
    let mut buffer = Vec::new();
    scanner.expect(b'{')?;
    while !scanner.take(b'}') {
        if !found.members.is_empty() {
            scanner.expect(b',')?;
        }
        scanner.peek();
        let key_start = scanner.pos;
        let key = scanner.string()?;
        let key_end = scanner.pos;
        scanner.expect(b':')?;
        let key = key.decode(&mut buffer);
        let kind = scanner.kind()?;
        let value_start = scanner.pos;
        let list = ROWS.iter().position(|name| name.as_bytes() == key);
        for (own, names) in found
            .own
            .iter_mut()
            .zip([&INPUT[..], &GOLD_KEYS, &PREDICTION])
        {
            *own |= names.iter().any(|name| name.as_bytes() == key);
        }
        match list {
            Some(at) if kind == ValueKind::Array => {
                let (list, of_objects) = elements(scanner)?;
                found.lists[at] = Some(list).filter(|_| at < SURE || of_objects);
            }
            _ => scanner.skip_value(1, DOCUMENT_DEPTH)?,
        }
        found.members.push(Member {
            key: (key_start, key_end),
            value: (value_start, scanner.pos),
        });
    }
    Ok(found)
}

/// Finds the elements of an array, and whether the first of them is an object.
fn elements(scanner: &mut Scanner) -> Result<(Vec<(usize, usize)>, bool), ScanError> {
    let (mut found, mut of_objects) = (Vec::new(), false);
    scanner.elements(|at, scanner| {
        of_objects |= at == 0 && scanner.peek() == Some(b'{');
        scanner.peek();
        let start = scanner.pos;
        // A row that is nested too deeply is refused alone, not with all others.
        scanner.skip_value(2, usize::MAX)?;
        found.push((start, scanner.pos));
        Ok::<_, ScanError>(())
    })?;
    Ok((found, of_objects))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Document, (Vec<u8>, usize)> {
        Document::read(text.as_bytes().to_vec(), 0, 1)
    }

    #[test]
    fn metadata_keeps_its_order_and_rows_their_lines() {
        let text =
            "{\"z\": 1,\n \"predictions\": [\n  {\"a\": [1]},\n\n  2],\n \"a\": {\"y\": 1e2}}";
        let document = read(text).unwrap();
        let metadata = serde_json::to_string(&document.metadata()).unwrap();
        assert_eq!(metadata, r#"{"z":1,"a":{"y":100.0}}"#);
        let rows: Vec<_> = document.records(0..2).collect();
        assert_eq!((rows[0].line, rows[0].bytes), (3, &b"{\"a\": [1]}"[..]));
        assert_eq!(
            (rows[1].line, rows[1].position, rows[1].bytes),
            (5, 2, &b"2"[..])
        );
        assert_eq!(&text[rows[1].offset as usize..][..1], "2");
    }

    #[test]
    fn which_list_holds_the_rows() {
        let both = r#"{"detailed_results": [1, 2], "predictions": [3]}"#;
        let document = read(both).unwrap();
        assert_eq!(
            document.records(0..1).next().map(|row| row.bytes),
            Some(&b"3"[..])
        );
        assert!(document.metadata().contains_key("detailed_results"));
        let twice = read(r#"{"predictions": [1], "predictions": [2, 3]}"#).unwrap();
        assert_eq!(twice.parts(1), [0..1, 1..2]);
        assert!(twice.metadata().is_empty());
        let other = read(r#"{"predictions": "x.json", "detailed_results": []}"#).unwrap();
        assert!(other.parts(1).is_empty());
        assert_eq!(other.metadata().len(), 1);
    }

    #[test]
    fn rows_documents_and_ruins() {
        assert_eq!(shape(br#"{"predictions": []} x"#), DocumentShape::Document);
        let row = br#"{"input": 1, "gold": 2, "generated": 3, "predictions": []}"#;
        assert_eq!(shape(row), DocumentShape::Row);
        // A date under a name that rows use, too.
        assert_eq!(
            shape(br#"{"generated": "x", "predictions": []}"#),
            DocumentShape::Document
        );
        assert_eq!(shape(br#"{"gold": 1}"#), DocumentShape::Row);
        let others = br#"{"model": "m", "results": [{"gold": 1}]}"#;
        assert_eq!(shape(others), DocumentShape::Alone);
        for lists in [
            &br#"{"results": []}"#[..],
            br#"{"data": [1, 2]}"#,
            br#"{"id": 1}"#,
        ] {
            assert_eq!(shape(lists), DocumentShape::Neither);
        }
        let row = br#"{"gold": 1, "items": [{"a": 1}]}"#;
        assert_eq!(shape(row), DocumentShape::Row);
        assert_eq!(shape(b"{}"), DocumentShape::Neither);
        assert_eq!(shape(b"{\"a\": 1,"), DocumentShape::Broken(8));
        assert!(read("{} 1").is_err());
    }

    #[test]
    fn parts_hold_all_rows_once() {
        let rows: Vec<String> = (0..100).map(|n| format!("{{\"n\": {n}}}")).collect();
        let document = read(&format!("{{\"predictions\": [{}]}}", rows.join(", "))).unwrap();
        for target in [1, 10, 100, 10_000] {
            let parts = document.parts(target);
            let all: Vec<usize> = parts.into_iter().flatten().collect();
            assert_eq!(all, (0..100).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_deep_row_is_found_and_deep_metadata_is_not_json() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(
            read(&format!("{{\"predictions\": [{deep}, 1]}}"))
                .unwrap()
                .parts(1)
                .len(),
            2
        );
        assert!(read(&format!("{{\"a\": {deep}, \"predictions\": [1]}}")).is_err());
    }
}
