//! The golden queries: what is asked, which evidence must be found, and whether there is
//! any. Whatever is wrong with them ends the evaluation: a gate that holds runs against
//! half of its queries would pass what it should stop.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use judica_data::error::DataError;
use judica_data::source::{InputDigest, read_tree_hashed};
use judica_data::work_error::WorkError;
use serde_json::{Map, Value};

use crate::unique;

/// One query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Query {
    /// Its id, if it has one.
    pub id: Option<String>,
    /// What is asked, without spaces around.
    pub objective: String,
    /// Evidence that must be found, each once, in the order given.
    pub required: Vec<String>,
    /// Whether there is evidence enough to answer.
    pub sufficient: bool,
}

/// Which query a run answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answers {
    /// This one.
    Query(usize),
    /// None of them.
    None,
    /// One of several that ask the same; the run does not say which.
    OneOfSeveral,
}

/// All queries.
#[derive(Debug, Default)]
pub(super) struct Queries {
    /// In the order given.
    pub list: Vec<Query>,
    /// What a reader of the report should know.
    pub notes: Vec<String>,
    /// The file they stand in.
    pub digest: Option<InputDigest>,
    by_id: BTreeMap<String, usize>,
    by_objective: BTreeMap<String, Answers>,
}

impl Queries {
    /// Reads the artifact: a list, or an object with the list under `queries`.
    pub(super) fn load(path: &Path) -> Result<Self, WorkError> {
        let artifact = |reason: String| WorkError::Artifact {
            artifact: path.display().to_string(),
            reason,
        };
        match read_tree_hashed(path) {
            Ok((bytes, digest)) => {
                let queries = Self::parse(&bytes).map_err(artifact)?;
                let digest = Some(digest);
                Ok(Queries { digest, ..queries })
            }
            Err(DataError::Missing { .. }) => Err(artifact("no such file".to_owned())),
            Err(DataError::Malformed { reason, .. }) => Err(artifact(reason)),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads its text.
    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let value: Value = unique::from_slice(bytes).map_err(|error| match error.is_data() {
            true => error.to_string(),
            false => format!("not JSON: {error}"),
        })?;
        let (list, at) = match &value {
            Value::Array(list) => (list, ""),
            Value::Object(object) => match object.get("queries") {
                Some(Value::Array(list)) => (list, "/queries"),
                Some(_) => return Err("/queries must be an array of queries".to_owned()),
                None => return Err("/queries is missing".to_owned()),
            },
            _ => return Err("must be an array of queries, or hold one under `queries`".to_owned()),
        };
        if list.is_empty() {
            return Err("holds no queries".to_owned());
        }
        let mut queries = Queries::default();
        for (position, value) in list.iter().enumerate() {
            queries.add(value, at, position)?;
        }
        Ok(queries)
    }

    fn add(&mut self, value: &Value, list: &str, position: usize) -> Result<(), String> {
        let at = format!("{list}/{position}");
        let object = value
            .as_object()
            .ok_or_else(|| format!("{at} must be an object"))?;
        let query = self.query(object, &at)?;
        if let Some(id) = &query.id
            && let Some(other) = self.by_id.insert(id.clone(), position)
        {
            return Err(format!(
                "{at}/id is the same as {list}/{other}/id: \"{id}\""
            ));
        }
        if let Some(other) = self.clash(&query) {
            return Err(format!(
                "{at}/objective is the same as {list}/{other}/objective, \
                 and they have no ids to tell them apart: \"{}\"",
                query.objective
            ));
        }
        self.by_objective
            .entry(query.objective.clone())
            .and_modify(|answers| *answers = Answers::OneOfSeveral)
            .or_insert(Answers::Query(position));
        self.list.push(query);
        Ok(())
    }

    /// The first query with the same objective that cannot be told from this one.
    fn clash(&self, query: &Query) -> Option<usize> {
        if !self.by_objective.contains_key(&query.objective) {
            return None;
        }
        // Ids differ among themselves; so only a query without one can be mistaken.
        let mut same = self.list.iter().enumerate();
        let found = same.find(|(_, other)| {
            other.objective == query.objective && (query.id.is_none() || other.id.is_none())
        });
        found.map(|(position, _)| position)
    }

    fn query(&mut self, object: &Map<String, Value>, at: &str) -> Result<Query, String> {
        let need = |key: &str| {
            let value = object.get(key);
            value.ok_or_else(|| format!("{at}/{key} is missing"))
        };
        let objective = need("objective")?
            .as_str()
            .ok_or_else(|| format!("{at}/objective must be a string"))?
            .trim();
        if objective.is_empty() {
            return Err(format!("{at}/objective must not be blank"));
        }
        let listed: Option<Vec<&str>> = need("required_evidence_ids")?
            .as_array()
            .and_then(|ids| ids.iter().map(Value::as_str).collect());
        let listed = listed
            .ok_or_else(|| format!("{at}/required_evidence_ids must be an array of strings"))?;
        let sufficient = need("evidence_sufficient")?
            .as_bool()
            .ok_or_else(|| format!("{at}/evidence_sufficient must be true or false"))?;
        let id = match object.get("id") {
            None | Some(Value::Null) => None,
            Some(Value::String(id)) => Some(id.clone()),
            Some(Value::Number(id)) if id.is_u64() || id.is_i64() => Some(id.to_string()),
            Some(_) => return Err(format!("{at}/id must be a string or an integer")),
        };
        let mut seen = BTreeSet::new();
        let mut required = Vec::new();
        for id in listed {
            if seen.insert(id) {
                required.push(id.to_owned());
            } else {
                self.notes.push(format!(
                    "{at} requires \"{id}\" more than once; it counts once"
                ));
            }
        }
        if !sufficient && !required.is_empty() {
            self.notes.push(format!(
                "{at} is labelled as having no sufficient evidence, and yet requires some"
            ));
        }
        Ok(Query {
            id,
            objective: objective.to_owned(),
            required,
            sufficient,
        })
    }

    /// The query that a run answers: by the first of its query ids that is known, else by
    /// its objective.
    pub(super) fn answered(&self, ids: [Option<&str>; 2], objective: Option<&str>) -> Answers {
        let by_id = ids.into_iter().flatten().find_map(|id| self.by_id.get(id));
        if let Some(position) = by_id {
            return Answers::Query(*position);
        }
        let same = objective.and_then(|text| self.by_objective.get(text.trim()));
        same.copied().unwrap_or(Answers::None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> Result<Queries, String> {
        Queries::parse(json.as_bytes())
    }

    #[test]
    fn both_layouts_and_how_runs_find_their_query() {
        let list = r#"[
            {"objective": " a ", "required_evidence_ids": ["e1", "e2", "e1"], "evidence_sufficient": true},
            {"objective": "b", "required_evidence_ids": ["e"], "evidence_sufficient": false, "id": "B1"},
            {"objective": "b", "required_evidence_ids": [], "evidence_sufficient": false, "id": 2, "x": 0}
        ]"#;
        for json in [
            list.to_owned(),
            format!("{{\"queries\": {list}, \"v\": 1}}"),
        ] {
            let queries = parse(&json).unwrap();
            assert_eq!(queries.list[0].objective, "a");
            assert_eq!(queries.list[0].required, ["e1", "e2"]);
            assert_eq!(queries.notes.len(), 2);
            let answered = |id, objective| queries.answered([None, id], Some(objective));
            assert_eq!(answered(None, "a\n"), Answers::Query(0));
            assert_eq!(answered(Some("2"), "a"), Answers::Query(2));
            assert_eq!(answered(Some("?"), "a"), Answers::Query(0));
            assert_eq!(answered(None, "b"), Answers::OneOfSeveral);
            assert_eq!(answered(None, "c"), Answers::None);
            assert_eq!(
                queries.answered([Some("B1"), Some("2")], None),
                Answers::Query(1)
            );
            assert_eq!(queries.answered([None, None], None), Answers::None);
        }
    }

    #[test]
    fn whatever_is_wrong_is_named_by_its_place() {
        let good =
            r#"{"objective": "a", "required_evidence_ids": [], "evidence_sufficient": true}"#;
        let with = |key: &str, value: &str| {
            let mut query: Map<String, Value> = serde_json::from_str(good).unwrap();
            query.insert(key.to_owned(), serde_json::from_str(value).unwrap());
            let other = good.replace("\"a\"", "\"z\"");
            format!("{{\"queries\": [{other}, {}]}}", Value::Object(query))
        };
        for (json, expected) in [
            (
                "".to_owned(),
                "not JSON: EOF while parsing a value at line 1 column 0",
            ),
            (
                "7".to_owned(),
                "must be an array of queries, or hold one under `queries`",
            ),
            ("[]".to_owned(), "holds no queries"),
            (r#"{"queries": []}"#.to_owned(), "holds no queries"),
            ("{}".to_owned(), "/queries is missing"),
            (
                r#"{"queries": {}}"#.to_owned(),
                "/queries must be an array of queries",
            ),
            ("[1]".to_owned(), "/0 must be an object"),
            (
                r#"{"queries": [1], "queries": []}"#.to_owned(),
                "the key `queries` stands twice in one object at line 1 column 26",
            ),
            (
                r#"[{"objective": "a"}]"#.to_owned(),
                "/0/required_evidence_ids is missing",
            ),
            (
                with("objective", "1"),
                "/queries/1/objective must be a string",
            ),
            (
                with("objective", "\" \""),
                "/queries/1/objective must not be blank",
            ),
            (
                with("required_evidence_ids", "[\"e\", 1]"),
                "/queries/1/required_evidence_ids must be an array of strings",
            ),
            (
                with("evidence_sufficient", "\"true\""),
                "/queries/1/evidence_sufficient must be true or false",
            ),
            (
                with("id", "[]"),
                "/queries/1/id must be a string or an integer",
            ),
            (
                format!("[{good}, {good}]"),
                "/1/objective is the same as /0/objective, \
                 and they have no ids to tell them apart: \"a\"",
            ),
            (
                format!(
                    "[{}, {}]",
                    good.replace("{", "{\"id\": 7, "),
                    good.replace("{", "{\"id\": \"7\", ")
                ),
                "/1/id is the same as /0/id: \"7\"",
            ),
        ] {
            assert_eq!(parse(&json).err().as_deref(), Some(expected), "{json}");
        }
    }
}
