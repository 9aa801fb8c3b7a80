//! Decided pairs as lines of text: the TSV of disagreements, the JSON lines of
//! `--arbitrated`.

use std::io::Write;

use judica_data::json::text::write_string;

use super::verdict::Judgment;

/// The first line of the table of disagreements.
pub const TSV_HEADER: &str = "qid\tscholar\tauditor\tfinal\twhy\n";

/// Appends a line of the table of disagreements.
pub fn tsv_line(qid: &[u8], verdict: &Judgment, out: &mut Vec<u8>) {
    let [scholar, auditor] = labels(verdict);
    for cell in [qid, scholar, auditor] {
        cell_text(cell, out);
        out.push(b'\t');
    }
    out.extend_from_slice(verdict.why.final_label().name().as_bytes());
    out.push(b'\t');
    out.extend_from_slice(verdict.why.name().as_bytes());
    out.push(b'\n');
}

/// A tab or a line's end would break the table; they are written as in C.
fn cell_text(text: &[u8], out: &mut Vec<u8>) {
    if !text.iter().any(|b| matches!(b, b'\t' | b'\n' | b'\r')) {
        return out.extend_from_slice(text);
    }
    for byte in text {
        match byte {
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            other => out.push(*other),
        }
    }
}

/// Appends a JSON line.
pub fn json_line(qid: &[u8], verdict: &Judgment, out: &mut Vec<u8>) {
    let [scholar, auditor] = labels(verdict);
    for (key, text) in [
        (&b"{\"qid\":"[..], qid),
        (b",\"scholar\":", scholar),
        (b",\"auditor\":", auditor),
    ] {
        out.extend_from_slice(key);
        write_string(&String::from_utf8_lossy(text), out);
    }
    // Writing to memory cannot fail.
    let _ = writeln!(
        out,
        ",\"final\":\"{}\",\"why\":\"{}\",\"counted\":{}}}",
        verdict.why.final_label().name(),
        verdict.why.name(),
        verdict.labels.is_some()
    );
}

/// Both labels as they were given.
fn labels<'v>(verdict: &'v Judgment) -> [&'v [u8]; 2] {
    match (&verdict.labels, &verdict.given) {
        (Some(known), _) => known.map(|label| label.name().as_bytes()),
        (None, Some([scholar, auditor])) => [scholar, auditor],
        (None, None) => [b"", b""],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::arbitrate::Why;
    use crate::pairs::label::Label;

    #[test]
    fn lines_cannot_be_broken_by_names() {
        let verdict = Judgment {
            given: None,
            labels: Some([Label::Valid, Label::Reject]),
            why: Why::AuditorVeto,
            refusal: None,
        };
        let (mut tsv, mut json) = (Vec::new(), Vec::new());
        tsv_line(b"a\tb\n\"", &verdict, &mut tsv);
        json_line(b"a\tb\n\"", &verdict, &mut json);
        assert_eq!(
            String::from_utf8_lossy(&tsv),
            "a\\tb\\n\"\tVALID\tREJECT\tREJECT\tauditor_veto\n"
        );
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(json["qid"], "a\tb\n\"");
        assert_eq!(json["why"], "auditor_veto");
        assert_eq!(json["counted"], true);
    }
}
