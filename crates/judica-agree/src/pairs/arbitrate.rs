//! The conflict policy: who wins where two validators differ. Four rules in order, no
//! discretion; shipping needs policy and provenance green, so the auditor can veto.

use serde::Serialize;

use super::label::Label;

/// Why a pair was decided as it was: the first rule that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// A hard red flag is raised.
    HardFlag,
    /// The answer cites what was not retrieved.
    CitationOutOfScope,
    /// The auditor did not say `VALID`.
    AuditorVeto,
    /// The auditor says `VALID` and the scholar does not object.
    AuditorOk,
    /// The auditor says `VALID`, the scholar something that cannot go with it.
    IncoherentPair,
}

impl Why {
    /// All reasons, in the order of the rules.
    pub const ALL: [Why; 5] = [
        Why::HardFlag,
        Why::CitationOutOfScope,
        Why::AuditorVeto,
        Why::AuditorOk,
        Why::IncoherentPair,
    ];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Why::HardFlag => "hard_flag",
            Why::CitationOutOfScope => "citation_out_of_scope",
            Why::AuditorVeto => "auditor_veto",
            Why::AuditorOk => "auditor_ok",
            Why::IncoherentPair => "incoherent_pair",
        }
    }

    /// The final label it leads to.
    pub fn final_label(self) -> Label {
        match self {
            Why::AuditorOk => Label::Valid,
            _ => Label::Reject,
        }
    }
}

/// Decides a pair. `None` stands for a label that is not in the label space: whoever
/// gave it did not say `VALID`. `in_scope` is asked only where it matters: whether all
/// citations were retrieved.
#[inline]
pub fn arbitrate(
    scholar: Option<Label>,
    auditor: Option<Label>,
    flagged: bool,
    in_scope: impl FnOnce() -> bool,
) -> Why {
    if flagged {
        Why::HardFlag
    } else if !in_scope() {
        Why::CitationOutOfScope
    } else {
        match (scholar, auditor) {
            (Some(Label::Valid | Label::NotInContext), Some(Label::Valid)) => Why::AuditorOk,
            (_, Some(Label::Valid)) => Why::IncoherentPair,
            _ => Why::AuditorVeto,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::line::Line;
    use crate::pairs::verdict::pair_of;

    fn decide(line: &str) -> Why {
        let line = Line::read(line.as_bytes()).unwrap();
        pair_of(&line).unwrap().judge().why
    }

    #[test]
    fn rules_apply_in_order() {
        let line = |scholar: &str, auditor: &str, more: &str| {
            format!(
                r#"{{"scholar":{{"label":"{scholar}"}},"auditor":{{"label":"{auditor}"}}{more}}}"#
            )
        };
        for (scholar, auditor, more, why) in [
            ("VALID", "VALID", "", Why::AuditorOk),
            ("NOT_IN_CONTEXT", "VALID", "", Why::AuditorOk),
            ("REJECT", "VALID", "", Why::IncoherentPair),
            ("ABSTAIN", "VALID", "", Why::IncoherentPair),
            ("hm", "VALID", "", Why::IncoherentPair),
            ("VALID", "NOT_IN_CONTEXT", "", Why::AuditorVeto),
            ("VALID", "hm", "", Why::AuditorVeto),
            (
                "VALID",
                "VALID",
                r#","flags":{"provenance_violation":1}"#,
                Why::HardFlag,
            ),
            (
                "VALID",
                "VALID",
                r#","flags":{"constraints_mismatch":"no"}"#,
                Why::HardFlag,
            ),
            (
                "VALID",
                "VALID",
                r#","flags":{"constraints_mismatch":0}"#,
                Why::AuditorOk,
            ),
            (
                "VALID",
                "VALID",
                r#","answer_json":{"citations":["a"]}"#,
                Why::CitationOutOfScope,
            ),
            (
                "VALID",
                "REJECT",
                r#","answer_json":{"citations":["a"]}"#,
                Why::CitationOutOfScope,
            ),
            (
                "VALID",
                "VALID",
                r#","retrieved_ids":["a"],"answer_json":{"citations":["a"]}"#,
                Why::AuditorOk,
            ),
            (
                "VALID",
                "VALID",
                r#","answer_json":null,"flags":null"#,
                Why::AuditorOk,
            ),
            (
                "VALID",
                "REJECT",
                r#","flags":{"provenance_violation":true},"answer_json":{"citations":["a"]}"#,
                Why::HardFlag,
            ),
        ] {
            assert_eq!(
                decide(&line(scholar, auditor, more)),
                why,
                "{scholar} {auditor} {more}"
            );
        }
    }

    #[test]
    fn only_an_auditors_yes_ships() {
        for why in Why::ALL {
            let ships = why.final_label() == Label::Valid;
            assert_eq!(ships, why == Why::AuditorOk, "{}", why.name());
        }
    }
}
