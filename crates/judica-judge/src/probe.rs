//! Does the wording of a question change the verdict?
//!
//! A judge that finds the same prediction correct or not depending on which text comes
//! first is not judging the prediction. A probe asks a sample of the questions again, each
//! in one of several other ways: the texts in another order, under other names, the
//! question put in other words. The instructions, the fences and the form of the reply stay
//! the same. How often the verdict flips is reported beside it.
//!
//! The built-in template's question is put in other words altogether. Of somebody else's
//! template only its author knows which words matter, so its text is kept whole: the texts
//! are taken out of it, a reference stands where each was, and they follow below in another
//! order and under other names.
//!
//! * `wording`: the other ways to ask
//! * [`flips`]: what came of it

use std::collections::BTreeSet;

use judica_stats::resample::Draws;

use crate::chat::Message;
use crate::prompt::fence::{Fence, digest};
use crate::prompt::pieces::Piece;
use crate::prompt::{Question, Template};

pub mod flips;
mod wording;

pub use flips::FlipReport;

use wording::{WORDINGS, Wording};

/// How many other ways there are to ask.
pub const VARIANTS: usize = WORDINGS.len();

/// Which rows to ask again: `wanted` of `rows`, each equally likely, in ascending order;
/// all of them if there are not more. The same for the same seed.
pub fn choose_sample(rows: usize, wanted: usize, seed: u64) -> Vec<usize> {
    if wanted >= rows {
        return (0..rows).collect();
    }
    // Floyd's algorithm: each step draws among one more row than the last, and takes the
    // new row itself if what it drew is taken. (Bentley and Floyd, "A sample of
    // brilliance", CACM 30(9), 1987.)
    let mut draws = Draws::new(seed, 0);
    let mut chosen = BTreeSet::new();
    for last in rows - wanted..rows {
        // More rows than 2^32 would take more memory than there is.
        let count = u32::try_from(last + 1).unwrap_or(u32::MAX);
        let drawn = draws.below(count) as usize;
        if !chosen.insert(drawn) {
            chosen.insert(last);
        }
    }
    chosen.into_iter().collect()
}

/// Which of the other ways is used for a question; it depends on the question alone.
pub fn choose_variant(question: &Question) -> usize {
    let texts = [question.input, question.gold, question.prediction];
    // The last bytes; the first are shown as the key of the fences.
    let hash = digest(&texts, 0);
    usize::from(hash[31]) % VARIANTS
}

/// The question asked in one of the other ways; any number means one of them.
pub fn variant(template: &Template, question: &Question, which: usize) -> Vec<Message> {
    let wording = &WORDINGS[which % VARIANTS];
    let fence = Fence::around(question);
    let mut user = fence.opening();
    if template.is_builtin() {
        user.push_str(wording.question);
    } else {
        user.push_str(&without_data(template, wording));
    }
    user.push_str("\n\n");
    user.push_str(&wording.names());
    for field in wording.order {
        // A template that does not show the input has its reasons.
        if template.user().contains(&Piece::Hole(field)) {
            user.push('\n');
            fence.push_block(&mut user, wording.label(field), question.text(field));
            user.push('\n');
        }
    }
    user.push('\n');
    user.push_str(wording.closing);
    template.with_user(user)
}

/// The text of a template with a reference in place of each text of the question.
fn without_data(template: &Template, wording: &Wording) -> String {
    let pieces = template.user().iter().map(|piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Hole(field) => format!("(see {} below)", wording.label(*field)),
    });
    pieces.collect()
}

#[cfg(test)]
#[path = "probe/tests.rs"]
mod tests;
