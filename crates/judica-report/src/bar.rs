//! A tiny bar for terminals.

/// Partial blocks, from one eighth of a column to seven.
const EIGHTHS: [char; 7] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// A bar filling `fraction` (0 to 1, clamped) of `width` columns, padded with
/// spaces to exactly that width. A fraction that is not a number shows as empty.
pub fn bar(fraction: f64, width: u16) -> String {
    let fraction = fraction.clamp(0.0, 1.0);
    // At most 65,535 columns of eight; the cast turns not-a-number into zero.
    let filled = (fraction * f64::from(width) * 8.0).round() as usize;
    let mut out = "█".repeat(filled / 8);
    if let Some(part) = (filled % 8).checked_sub(1) {
        out.push(EIGHTHS[part]);
    }
    let drawn = filled.div_ceil(8);
    out.push_str(&" ".repeat(usize::from(width).saturating_sub(drawn)));
    out
}

#[cfg(test)]
mod tests {
    use super::bar;

    #[test]
    fn bars_fill_exactly_their_width() {
        assert_eq!(bar(0.0, 4), "    ");
        assert_eq!(bar(0.5, 4), "██  ");
        assert_eq!(bar(0.53125, 4), "██▏ ");
        assert_eq!(bar(1.0, 4), "████");
        assert_eq!(bar(7.0, 2), "██");
        assert_eq!(bar(-1.0, 2), "  ");
        assert_eq!(bar(f64::NAN, 2), "  ");
        assert_eq!(bar(0.5, 0), "");
    }
}
