//! Where a user says that fields stand: `gold=label`, `input=/question/text`.

use super::{Door, Field};

/// A field and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnChoice {
    /// The field.
    pub field: String,
    /// The column, or the JSON pointer.
    pub column: String,
}

/// Takes apart what was said.
pub fn chosen_columns(said: &[String]) -> Result<Vec<ColumnChoice>, String> {
    let mut found: Vec<ColumnChoice> = Vec::new();
    for said in said {
        let parts = said.split_once('=').map(|(a, b)| (a.trim(), b.trim()));
        let Some((field, column)) = parts.filter(|(a, b)| !a.is_empty() && !b.is_empty()) else {
            let message = "expected FIELD=COLUMN, for example gold=label";
            return Err(format!("--column {said}: {message}"));
        };
        if let Some(other) = found.iter().find(|other| other.column == column) {
            let fields = format!("`{}` and `{field}`", other.field);
            return Err(format!(
                "--column {said}: {fields} cannot both stand in `{column}`"
            ));
        }
        found.push(ColumnChoice {
            field: field.to_owned(),
            column: column.to_owned(),
        });
    }
    Ok(found)
}

impl<const N: usize> Door<N> {
    /// The place of the field that a user names, by its own name or one of its usual ones.
    pub fn slot(&self, field: &str) -> Result<usize, String> {
        slot(self.fields, field)
    }
}

/// The field that a user names.
pub(super) fn find(fields: &'static [Field], field: &str) -> Result<&'static Field, String> {
    Ok(&fields[slot(fields, field)?])
}

fn slot(fields: &[Field], field: &str) -> Result<usize, String> {
    let own = fields.iter().position(|known| known.name == field);
    let usual = || {
        let mut fields = fields.iter();
        fields.position(|known| known.aliases.contains(&field))
    };
    own.or_else(usual).ok_or_else(|| {
        let mut shown: Vec<&str> = fields.iter().map(|field| field.name).collect();
        shown.dedup();
        format!(
            "--column {field}=…: there is no field `{field}`; there are {}",
            shown.join(", ")
        )
    })
}
