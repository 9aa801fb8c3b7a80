//! The part of a shown record that is a model's words, marked as such.

use judica_report::visible;
use judica_verify::review::{Review, ReviewStatus};

/// A review as it is shown below its record. A review that does not hold is named, and its
/// words are not shown.
pub fn text(review: &Review) -> String {
    let by = visible(&review.reviewer);
    if review.status != ReviewStatus::Accepted {
        let problem = review.problem.as_deref().unwrap_or_default();
        return format!(
            "\nreview by {by}: {}, because {}\n  the decision above is the rules' and stands\n",
            review.status.name(),
            visible(problem)
        );
    }
    let mut text = format!(
        "\nreview by {by}: a model's words; each id it cites is an atom of this record, no score \
         depends on it\n"
    );
    let narrative = review.narrative.as_deref().unwrap_or_default();
    for line in narrative.lines() {
        text.push_str(&format!("  {}\n", visible(line)));
    }
    for reason in &review.attribution {
        text.push_str(&format!(
            "  {}. [{}] {}\n     cites {}\n",
            reason.rank,
            reason.severity.name(),
            visible(&reason.reason),
            reason.evidence_ids.join(", ")
        ));
    }
    for item in &review.checklist {
        text.push_str(&format!(
            "  - [{}] {}\n     cites {}\n",
            item.status.name(),
            visible(&item.item),
            item.evidence_ids.join(", ")
        ));
    }
    text
}
