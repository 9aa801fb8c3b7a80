//! Fields put where a reader looks for them, for readers that know keys and have no [`Door`]:
//! a row is written anew, with what the user named under the keys that are known.
//!
//! [`Door`]: super::Door

use judica_model::comma_list;

use super::{ColumnChoice, DEPTH, Field, Value, called, chosen_columns};
use crate::json::text::write_string;
use crate::json::{ScanError, Scanner};
use crate::table::Cells;

/// Where fields stand, as the user says.
#[derive(Debug, Clone, Default)]
pub struct Placed {
    moves: Vec<Move>,
    /// Keys that mean nothing any more.
    hidden: Vec<&'static str>,
    /// A name that is made of several columns, and those.
    joined: Option<(String, Vec<String>)>,
    /// Whether there was any row.
    any: bool,
}

#[derive(Debug, Clone)]
struct Move {
    /// What the user said.
    said: String,
    /// The key that is known.
    key: &'static str,
    /// The key in the object that stands there, where several columns make one.
    member: Option<String>,
    /// What text is written as that stands in such a member.
    cells: Cells,
    /// The key, and what follows in a JSON pointer.
    from: Vec<String>,
    /// Whether any row has it.
    found: bool,
    /// How it is said of the other input alone, where it was said of both.
    other: Option<String>,
}

impl Placed {
    /// What the user says of some fields: `gold=label`, `id=/meta/id`. What a row has under
    /// the usual names of such a field does not count.
    pub fn new(fields: &'static [Field], said: &[String]) -> Result<Placed, String> {
        let mut placed = Placed::default();
        for ColumnChoice { field, column } in chosen_columns(said)? {
            let known = super::columns::find(fields, &field)?;
            let said = format!("--column {field}={column}");
            if placed.hidden.contains(&known.aliases[0]) {
                return Err(format!("{said}: `{field}` is said twice"));
            }
            placed.hide(known);
            placed.add(said, known.aliases[0], None, Cells::Text, &column);
        }
        Ok(placed)
    }

    /// The same of two inputs, each with its name and its fields: what is said of a field that
    /// both have is said of both, `outputs.id=sample` of one.
    pub fn both(
        sides: [(&str, &'static [Field]); 2],
        said: &[String],
    ) -> Result<[Placed; 2], String> {
        let mut of = [Vec::new(), Vec::new()];
        for said in said {
            let own = |(side, _): &(&str, _)| said.strip_prefix(side)?.strip_prefix('.');
            let named = sides
                .iter()
                .zip(&mut of)
                .find_map(|(side, of)| Some((own(side)?, of)));
            if let Some((rest, of)) = named {
                of.push(rest.to_owned());
                continue;
            }
            let field = said.split('=').next().unwrap_or_default().trim();
            let known = |fields: &'static [Field]| super::columns::find(fields, field).is_ok();
            let mut any = false;
            for ((_, fields), of) in sides.iter().zip(&mut of) {
                if known(fields) {
                    any = true;
                    of.push(said.clone());
                }
            }
            if !any && said.contains('=') {
                let names = |(side, fields): &(&str, &[Field])| {
                    let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
                    format!("{side} have {}", names.join(", "))
                };
                let names: Vec<String> = sides.iter().map(names).collect();
                let names = names.join("; ");
                return Err(format!(
                    "--column {said}: there is no field `{field}`; {names}"
                ));
            }
            if !any {
                // What is wrong with it is told where it is taken apart.
                chosen_columns(std::slice::from_ref(said))?;
            }
        }
        let [first, second] = of;
        let mut placed = [
            Placed::new(sides[0].1, &first)?,
            Placed::new(sides[1].1, &second)?,
        ];
        for (at, (other, _)) in sides.iter().rev().enumerate() {
            for of in &mut placed[at].moves {
                let said = of.said.strip_prefix("--column ").unwrap_or_default();
                if first.iter().any(|of| of == said) && second.iter().any(|of| of == said) {
                    of.other = Some(format!("--column {other}.{said}"));
                }
            }
        }
        Ok(placed)
    }

    /// A field that is an object of several columns: each `column`, or `member=column`. What
    /// text in it is written as depends on the member.
    pub fn gather(
        &mut self,
        option: &str,
        field: &Field,
        columns: &[String],
        cells: impl Fn(&str) -> Cells,
    ) -> Result<(), String> {
        if columns.is_empty() {
            return Ok(());
        }
        if self.hidden.contains(&field.aliases[0]) {
            return Err(format!(
                "{option}: --column says where `{}` stands",
                field.name
            ));
        }
        self.hide(field);
        for column in columns {
            let (member, from) = match column.split_once('=') {
                Some((member, from)) => (member.trim().to_owned(), from.trim()),
                None => (called(column.trim()), column.trim()),
            };
            if member.is_empty() || from.is_empty() {
                return Err(format!("{option}: expected columns with commas between"));
            }
            let twice =
                |of: &Move| of.key == field.aliases[0] && of.member.as_ref() == Some(&member);
            if self.moves.iter().any(twice) {
                return Err(format!("{option}: `{member}` is listed twice"));
            }
            let said = format!("{option} {column}");
            let cells = cells(&member);
            self.add(said, field.aliases[0], Some(member), cells, from);
        }
        Ok(())
    }

    /// The key `name` holds what several columns hold, with slashes between: `question,turn`. A
    /// row that lacks one has none.
    pub fn joined(name: &str) -> Result<Placed, String> {
        Ok(Placed {
            joined: Some((name.to_owned(), comma_list::split(name)?)),
            ..Placed::default()
        })
    }

    fn hide(&mut self, field: &Field) {
        self.hidden.extend(field.aliases);
    }

    fn add(
        &mut self,
        said: String,
        key: &'static str,
        member: Option<String>,
        cells: Cells,
        column: &str,
    ) {
        self.moves.push(Move {
            said,
            key,
            member,
            cells,
            from: super::pointer(column),
            found: false,
            other: None,
        });
    }

    /// Whether nothing was said.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty() && self.joined.is_none()
    }

    /// The columns that were named.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &String> {
        let joined = self.joined.iter().flat_map(|(_, columns)| columns);
        self.moves.iter().map(|of| &of.from[0]).chain(joined)
    }

    /// What was said of columns that no row had, and how it is said of the other input alone.
    pub(crate) fn missing(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        let missing = self.moves.iter().filter(|of| self.any && !of.found);
        missing.map(|of| (of.said.as_str(), of.other.as_deref()))
    }

    /// Appends a row with everything in its place.
    pub(crate) fn write(&mut self, row: &[u8], out: &mut Vec<u8>) -> Result<(), ScanError> {
        // What the row has at each place, which may be null.
        let mut values: Vec<Option<Option<Value>>> = vec![None; self.moves.len()];
        let parts = self.joined.as_ref().map_or(0, |(_, columns)| columns.len());
        let mut parts: Vec<Option<Value>> = vec![None; parts];
        let mut scanner = Scanner::new(row, 0);
        out.push(b'{');
        let begins = out.len();
        let between = |out: &mut Vec<u8>, begins| {
            if out.len() > begins {
                out.push(b',');
            }
        };
        scanner.members(|key, scanner| {
            scanner.peek();
            let start = scanner.pos;
            let value = Value::scan(scanner, 1, DEPTH)?;
            if let Some((_, columns)) = &self.joined {
                let found = columns.iter().position(|column| column.as_bytes() == key);
                if let Some(at) = found {
                    parts[at] = value;
                }
            }
            let mut moved = false;
            for (of, place) in self.moves.iter_mut().zip(&mut values) {
                if of.from[0].as_bytes() == key {
                    moved = true;
                    of.found = true;
                    *place = Value::standing(value, &of.from[1..]);
                }
            }
            if !moved && !self.hidden.iter().any(|known| known.as_bytes() == key) {
                between(out, begins);
                write_string(&String::from_utf8_lossy(key), out);
                out.push(b':');
                out.extend_from_slice(scanner.slice(start, scanner.pos));
            }
            Ok::<_, ScanError>(())
        })?;
        scanner.end()?;
        self.any = true;
        if let Some((name, _)) = &self.joined
            && parts.iter().all(Option::is_some)
        {
            let texts: Vec<_> = parts.into_iter().flatten().map(Value::text).collect();
            let called = super::joined(&texts);
            between(out, begins);
            write_string(name, out);
            out.push(b':');
            write_string(&called, out);
        }
        let (mut open, mut list) = (None, Vec::new());
        for (of, value) in self.moves.iter().zip(values) {
            if open.is_some_and(|key| key != of.key || of.member.is_none()) {
                out.push(b'}');
                open = None;
            }
            // A member may be null; of a field that is as good as nothing.
            let Some(value) = value.filter(|value| value.is_some() || of.member.is_some()) else {
                continue;
            };
            if open.is_none() {
                between(out, begins);
                write_string(of.key, out);
                out.push(b':');
            }
            if let Some(member) = &of.member {
                out.push(if open.is_none() { b'{' } else { b',' });
                open = Some(of.key);
                write_string(member, out);
                out.push(b':');
            }
            // A list in a cell of a table, say, where an object is made of cells.
            let meant = match (value, &of.member) {
                (Some(Value::Text(text)), Some(_)) => of.cells.meant(text.decode(&mut list)),
                _ => None,
            };
            match (meant, value) {
                (Some(json), _) => out.extend_from_slice(json),
                (None, Some(Value::Text(text))) => {
                    out.push(b'"');
                    out.extend_from_slice(text.raw);
                    out.push(b'"');
                }
                (None, Some(Value::Other(_, bytes))) => out.extend_from_slice(bytes),
                (None, None) => out.extend_from_slice(b"null"),
            }
        }
        if open.is_some() {
            out.push(b'}');
        }
        out.push(b'}');
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::field;
    use super::*;

    static FIELDS: [Field; 3] = [
        field("id", &["sample_id", "id"]),
        field("gold", &["gold", "next"]),
        field("task", &["task"]),
    ];

    fn placed(said: &[&str], gold: &[&str], row: &str) -> Result<String, String> {
        let all = |said: &[&str]| said.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        let mut placed = Placed::new(&FIELDS, &all(said))?;
        let cells = |member: &str| match member {
            "text" => Cells::Text,
            "truth" => Cells::Truth,
            _ => Cells::Json,
        };
        placed.gather("--gold-columns", &FIELDS[1], &all(gold), cells)?;
        let mut out = Vec::new();
        let written = placed.write(row.as_bytes(), &mut out);
        written.map_err(|error| format!("{error:?}"))?;
        Ok(String::from_utf8(out).expect("text"))
    }

    #[test]
    fn fields_stand_where_the_user_says_and_nowhere_else() {
        let row = r#"{"q": {"id": 7}, "id": "x", "a": "1\n", "task": null, "b": 2, "gold": 3}"#;
        let at = |said: &[&str], gold: &[&str]| placed(said, gold, row).expect("a row");
        assert_eq!(
            at(&["id=/q/id"], &[]),
            r#"{"a":"1\n","task":null,"b":2,"gold":3,"sample_id":7}"#
        );
        assert_eq!(
            at(&["task=id"], &["a", "B=b"]),
            r#"{"q":{"id": 7},"task":"x","gold":{"a":"1\n","B":2}}"#
        );
        // A field that is null is not there.
        assert_eq!(
            at(&["gold=task"], &[]),
            r#"{"q":{"id": 7},"id":"x","a":"1\n","b":2}"#
        );
    }

    #[test]
    fn a_column_of_gold_is_called_by_its_name_and_a_pointer_by_its_last_part() {
        let row = r#"{"km/h": 3, "at": {"a/b": 4}, "v": 5}"#;
        let made = placed(&[], &["km/h", "/at/a~1b", "m/s=v"], row).expect("a row");
        assert_eq!(made, r#"{"gold":{"km/h":3,"a/b":4,"m/s":5}}"#);
    }

    #[test]
    fn a_member_of_gold_is_null_where_its_column_is_and_missing_where_there_is_none() {
        for (row, gold) in [
            (r#"{"a":1,"n":null}"#, r#"{"gold":{"a":1,"n":null}}"#),
            (r#"{"n":null}"#, r#"{"gold":{"n":null}}"#),
            (r#"{"a":1}"#, r#"{"gold":{"a":1}}"#),
            (r#"{"at":{"m":null}}"#, r#"{"gold":{"m":null}}"#),
            (r#"{"at":{}}"#, "{}"),
            (r#"{"at":null}"#, "{}"),
        ] {
            let made = placed(&[], &["a", "n", "/at/m"], row).expect("a row");
            assert_eq!(made, gold, "{row}");
        }
    }

    #[test]
    fn what_text_of_gold_means_depends_on_its_field() {
        for (text, as_text, as_truth, as_json) in [
            ("[1, 2]", r#""[1, 2]""#, "[1, 2]", "[1, 2]"),
            ("True", r#""True""#, "true", r#""True""#),
            ("1", r#""1""#, r#""1""#, r#""1""#),
        ] {
            let row = format!(r#"{{"c":"{text}"}}"#);
            let made = placed(&[], &["text=c", "truth=c", "other=c"], &row).expect("a row");
            let gold =
                format!(r#"{{"gold":{{"text":{as_text},"truth":{as_truth},"other":{as_json}}}}}"#);
            assert_eq!(made, gold);
        }
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for (said, gold, why) in [
            (&["colour=x"][..], &[][..], "there is no field `colour`"),
            (&["id=a", "sample_id=b"], &[], "said twice"),
            (&["gold=a"], &["b"], "--column says where `gold` stands"),
            (&[], &["a", ""], "expected columns"),
            (&[], &["a", "a=b"], "`a` is listed twice"),
        ] {
            let error = placed(said, gold, "{}").expect_err("refused");
            assert!(error.contains(why), "{error}");
        }
        assert!(placed(&["id=a"], &[], "[1]").is_err());
    }
}
