//! A value as a response or a gold holds it, of any kind.

/// One value. What a field's kind reads as a number, a boolean or a date is a number.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Value {
    /// Nothing: absent.
    #[default]
    Nothing,
    /// Something that is not of its kind.
    Unusable,
    /// That there is none.
    Null,
    /// A number, 1 or 0 for true and false, seconds since 1970 for dates.
    Number(f64),
    /// Text, the name of an enumerated value, or an object as canonical JSON.
    Text(Box<str>),
    /// A list.
    List(Vec<Value>),
}

/// For slots without a value.
pub static NULL: Value = Value::Null;

impl Value {
    /// The number, NaN for everything else.
    pub fn number(&self) -> f64 {
        match self {
            Value::Number(number) => *number,
            _ => f64::NAN,
        }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The elements, none of what is no list.
    pub fn items(&self) -> &[Value] {
        match self {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// Whether there is no value that can be used.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Nothing | Value::Unusable | Value::Null)
    }

    /// Whether it says something of what is right, be it that there is none.
    pub fn is_known(&self) -> bool {
        !matches!(self, Value::Nothing | Value::Unusable)
    }
}
