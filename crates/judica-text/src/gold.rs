//! What a prediction is held against.

/// The gold answer of a row: one text, several formulas that are all required, or several
/// texts of which one will do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gold {
    /// One text, as a row with a plain string has it.
    One(String),
    /// Several formulas, all of them required.
    List(Vec<String>),
    /// Several texts, any of which will do, as a run has them of a log.
    Any(Vec<String>),
}

impl Gold {
    /// One text, as a row with a plain string has it.
    pub fn one(text: &str) -> Gold {
        Gold::One(text.to_owned())
    }

    /// Several formulas, all of them required.
    pub fn list(formulas: Vec<String>) -> Gold {
        Gold::List(formulas)
    }

    /// The texts in the order of the row.
    pub fn formulas(&self) -> &[String] {
        match self {
            Gold::One(text) => std::slice::from_ref(text),
            Gold::List(formulas) | Gold::Any(formulas) => formulas,
        }
    }

    /// Whether the row held a list; it decides how the gold is written again.
    pub fn is_list(&self) -> bool {
        !matches!(self, Gold::One(_))
    }

    /// Whether there is nothing to compare with: no text, or only white space.
    pub fn is_blank(&self) -> bool {
        self.formulas().iter().all(|text| text.trim().is_empty())
    }

    /// As people and prompts see it: one formula per line.
    pub fn shown(&self) -> String {
        self.formulas().join(match self {
            Gold::Any(_) => "\nor\n",
            Gold::One(_) | Gold::List(_) => "\n",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Gold;

    #[test]
    fn a_list_is_shown_one_per_line() {
        assert_eq!(Gold::one("p").shown(), "p");
        let list = Gold::list(vec!["p".into(), "q".into()]);
        assert_eq!(list.shown(), "p\nq");
        assert!(list.is_list() && !Gold::one("p").is_list());
    }

    #[test]
    fn several_of_which_one_will_do_are_shown_with_or_between() {
        let any = Gold::Any(vec!["Paris".into(), "Lutetia".into()]);
        assert_eq!(any.shown(), "Paris\nor\nLutetia");
    }

    #[test]
    fn blank_is_no_text_at_all() {
        assert!(Gold::list(vec![]).is_blank());
        assert!(Gold::one(" \n").is_blank());
        assert!(!Gold::list(vec![String::new(), "p".into()]).is_blank());
    }
}
