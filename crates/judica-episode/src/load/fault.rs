//! What is wrong with a row, and where in it.

use judica_data::json::ScanError;
use judica_data::json::scan::ValueKind;
use judica_data::rejects::Refusal;

/// What is wrong with a row. It is made at the innermost place and gets its JSON pointer
/// on the way out, so that rows that are right pay nothing for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault(Box<Inner>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Inner {
    reason: &'static str,
    detail: String,
    pointer: String,
}

impl Fault {
    /// A fault right here.
    #[cold]
    pub fn new(reason: &'static str, detail: impl Into<String>) -> Self {
        Fault(Box::new(Inner {
            reason,
            detail: detail.into(),
            pointer: String::new(),
        }))
    }

    /// A value of a kind that cannot stand here.
    #[cold]
    pub fn wrong_type(wanted: &str, found: ValueKind) -> Self {
        let found = match found {
            ValueKind::Object => "an object",
            ValueKind::Array => "a list",
            ValueKind::String => "text",
            ValueKind::Number => "a number",
            ValueKind::Boolean => "true or false",
            ValueKind::Null => "null",
            ValueKind::BareWord => "NaN or Infinity",
        };
        Fault::new("wrong_type", format!("expected {wanted}, found {found}"))
    }

    /// The same fault, seen from the object around it.
    #[must_use]
    #[cold]
    pub fn under(mut self, key: &[u8]) -> Self {
        let key = String::from_utf8_lossy(key);
        let key = judica_data::json::pointer_key(&key);
        self.0.pointer.insert_str(0, &format!("/{key}"));
        self
    }

    /// The same fault, seen from the list around it.
    #[must_use]
    #[cold]
    pub fn within(self, index: usize) -> Self {
        self.under(index.to_string().as_bytes())
    }

    /// Why the row is refused.
    pub fn refusal(self) -> Refusal {
        Refusal::new(self.0.reason, self.to_string())
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Inner {
            detail, pointer, ..
        } = &*self.0;
        if pointer.is_empty() {
            f.write_str(detail)
        } else {
            write!(f, "{pointer}: {detail}")
        }
    }
}

impl From<ScanError> for Fault {
    #[cold]
    fn from(error: ScanError) -> Self {
        let detail = match error {
            ScanError::Syntax(at) => format!("not JSON from byte {at} of the row"),
            ScanError::TooDeep(_) => "nested too deeply".to_owned(),
        };
        Fault::new("malformed_json", detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_gets_its_pointer_on_the_way_out() {
        let fault = Fault::new("out_of_range", "1.5 is outside 0–1");
        let fault = fault.under(b"a/b~c").within(3).under(b"steps");
        let refusal = fault.refusal();
        assert_eq!(refusal.reason, "out_of_range");
        assert_eq!(refusal.detail, "/steps/3/a~1b~0c: 1.5 is outside 0–1");
        assert_eq!(
            Fault::from(ScanError::TooDeep(3)).to_string(),
            "nested too deeply"
        );
    }
}
