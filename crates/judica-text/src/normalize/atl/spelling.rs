//! The normal form of a formula's text.

use crate::atl::run_end;

/// White space removed; `∧ ∨ ¬ → ⇒ ↔ ⇔` and the words `and` and `or`, in any case, as
/// `&& || ! -> <->`; lower case.
///
/// A word is a run of letters, digits and underscores, and is looked for before white
/// space goes: there is no operator in `p_and_q` or in `p an d q`. Everything else stays,
/// parentheses and other spellings of operators included.
pub(super) fn normal_form(text: &str) -> String {
    let mut form = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.as_bytes().get(at) {
        let end = run_end(text, at);
        if end > at {
            form.push_str(match &text[at..end] {
                word if word.eq_ignore_ascii_case("and") => "&&",
                word if word.eq_ignore_ascii_case("or") => "||",
                word => word,
            });
            at = end;
        } else if byte.is_ascii() {
            if !matches!(byte, b'\t'..=b'\r' | b' ') {
                form.push(char::from(byte));
            }
            at += 1;
        } else {
            let Some(symbol) = text[at..].chars().next() else {
                break;
            };
            match symbol {
                '∧' => form.push_str("&&"),
                '∨' => form.push_str("||"),
                '¬' => form.push('!'),
                '→' | '⇒' => form.push_str("->"),
                '↔' | '⇔' => form.push_str("<->"),
                _ if symbol.is_whitespace() => {}
                _ => form.push(symbol),
            }
            at += symbol.len_utf8();
        }
    }
    if form.is_ascii() {
        form.make_ascii_lowercase();
        form
    } else {
        // Beyond ASCII the lower case of a letter may depend on those around it.
        form.to_lowercase()
    }
}
