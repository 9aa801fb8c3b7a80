//! Decided pairs as lines of text: the TSV of disagreements, the JSON lines of
//! `--arbitrated`.

use std::io::Write;

use judica_data::json::text::write_string;

use super::policy::Policy;
use super::verdict::Judgment;

/// The first line of the table of disagreements.
pub fn tsv_header(policy: &Policy) -> String {
    let [first, second] = policy.names();
    format!("qid\t{first}\t{second}\tfinal\twhy\n")
}

/// Appends a line of the table of disagreements.
pub fn tsv_line(policy: &Policy, qid: &[u8], verdict: &Judgment, out: &mut Vec<u8>) {
    let [scholar, auditor] = labels(policy, verdict);
    for cell in [qid, scholar, auditor] {
        cell_text(cell, out);
        out.push(b'\t');
    }
    let decision = verdict.decision;
    out.extend_from_slice(policy.spec(decision.label).name.as_bytes());
    out.push(b'\t');
    out.extend_from_slice(policy.why(decision.why).as_bytes());
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
pub fn json_line(policy: &Policy, qid: &[u8], verdict: &Judgment, out: &mut Vec<u8>) {
    let [scholar, auditor] = labels(policy, verdict);
    let [first, second] = policy.names();
    let mut before = b'{';
    for (key, text) in [("qid", qid), (first, scholar), (second, auditor)] {
        out.push(before);
        before = b',';
        write_string(key, out);
        out.push(b':');
        write_string(&String::from_utf8_lossy(text), out);
    }
    let decision = verdict.decision;
    // Writing to memory cannot fail, and neither name needs escapes.
    let _ = writeln!(
        out,
        ",\"final\":\"{}\",\"why\":\"{}\",\"counted\":{}}}",
        policy.spec(decision.label).name,
        policy.why(decision.why),
        verdict.labels.is_some()
    );
}

/// Both labels as they were given.
fn labels<'v>(policy: &'v Policy, verdict: &'v Judgment) -> [&'v [u8]; 2] {
    match (&verdict.labels, &verdict.given) {
        (Some(known), _) => known.map(|label| policy.spec(label).name.as_bytes()),
        (None, Some([scholar, auditor])) => [scholar, auditor],
        (None, None) => [b"", b""],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_cannot_be_broken_by_names() {
        let policy = Policy::built_in().unwrap();
        let labels = ["VALID", "REJECT"].map(|name| policy.label(name.as_bytes()).unwrap());
        let decision = policy.decide(labels.map(Some), false, || true);
        let verdict = Judgment::counted(labels, decision);
        let (mut tsv, mut json) = (Vec::new(), Vec::new());
        tsv_line(&policy, b"a\tb\n\"", &verdict, &mut tsv);
        json_line(&policy, b"a\tb\n\"", &verdict, &mut json);
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
