//! The label space: what a validator may say about an answer.

/// One of the labels of a policy, by its place among them: that of its row and column in a
/// confusion matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(pub(super) u8);

impl Label {
    /// Its row or column.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// What a policy says about a label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSpec {
    /// The name in files.
    pub name: String,
    /// Other spellings of it.
    pub aliases: Vec<String>,
    /// Whether a pair that ends so passes.
    pub ships: bool,
    /// Whether it is an abstention.
    pub abstains: bool,
    /// Whether it calls the answer a refusal.
    pub refuses: bool,
}
