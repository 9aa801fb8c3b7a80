//! The shape of a line: what stands between its values.
//!
//! A program that writes a million lines writes the same keys, braces and blanks a million
//! times. Once a line has been read, the next is likely to differ in its values only: then
//! it is enough to compare what stands between them, all at once, instead of finding out
//! again what it means. A line of another shape, or one that is broken, is left to the
//! reader that knows all of JSON; so shapes save time and never decide.

use super::scan::{same_bytes, starts_with};

/// What stands between the values of a line, and what each value is.
#[derive(Debug, Clone)]
pub struct Shape<V> {
    text: Vec<u8>,
    /// Where what stands before a value ends in `text`, and the value.
    values: Vec<(usize, V)>,
}

impl<V> Default for Shape<V> {
    fn default() -> Self {
        Shape {
            text: Vec::new(),
            values: Vec::new(),
        }
    }
}

impl<V: Copy> Shape<V> {
    /// Adds a value, and what stands before it.
    pub fn push(&mut self, before: &[u8], value: V) {
        self.text.extend_from_slice(before);
        self.values.push((self.text.len(), value));
    }

    /// Adds what follows the last value.
    pub fn close(&mut self, after: &[u8]) {
        self.text.extend_from_slice(without_blanks(after));
    }

    /// How many values there are.
    pub fn value_count(&self) -> usize {
        self.values.len()
    }

    /// Whether a line has this shape: `read` is given each value and where it begins, and says
    /// where it ends.
    #[inline]
    pub fn read(&self, line: &[u8], mut read: impl FnMut(usize, V) -> Option<usize>) -> Option<()> {
        // That a line has another shape mostly shows at its end, before anything was read.
        let line = without_blanks(line);
        let after = self.values.last().map_or(0, |(end, _)| *end);
        let end = line.len().checked_sub(self.text.len() - after)?;
        if !same_bytes(&line[end..], &self.text[after..]) {
            return None;
        }
        let (mut start, mut at) = (0, 0);
        for (end, value) in &self.values {
            let before = &self.text[start..*end];
            if !starts_with(line.get(at..)?, before) {
                return None;
            }
            at = read(at + before.len(), *value)?;
            start = *end;
        }
        (at == end).then_some(())
    }
}

/// A line without what JSON lets stand behind its value.
fn without_blanks(mut line: &[u8]) -> &[u8] {
    while let [before @ .., b' ' | b'\t' | b'\r' | b'\n'] = line {
        line = before;
    }
    line
}

/// The shapes that lines had, those that recur most first.
#[derive(Debug)]
pub struct Shapes<S> {
    known: Vec<Known<S>>,
    /// Lines of no known shape that are let go by before another shape is learnt: the more
    /// shapes were learnt in vain, the more.
    patience: u32,
    /// How many of them are still to come.
    waiting: u32,
}

#[derive(Debug)]
struct Known<S> {
    shape: S,
    lines: u32,
}

/// Lines come in few shapes, or in many that do not recur.
const MOST_KNOWN: usize = 8;
/// Where nothing repeats, learning costs next to nothing, and where something begins to, it is
/// soon noticed.
const MOST_PATIENCE: u32 = 256;

impl<S> Default for Shapes<S> {
    fn default() -> Self {
        Shapes {
            known: Vec::new(),
            patience: 0,
            waiting: 0,
        }
    }
}

impl<S> Shapes<S> {
    /// What the first of the shapes reads that can.
    #[inline]
    pub fn read<T>(&mut self, mut read: impl FnMut(&mut S) -> Option<T>) -> Option<T> {
        for at in 0..self.known.len() {
            let Some(value) = read(&mut self.known[at].shape) else {
                continue;
            };
            let lines = &mut self.known[at].lines;
            if *lines == 0 {
                (self.patience, self.waiting) = (0, 0);
            }
            *lines = lines.saturating_add(1);
            if at > 0 && self.known[at].lines > self.known[at - 1].lines {
                self.known.swap(at - 1, at);
            }
            return Some(value);
        }
        None
    }

    /// Takes the shape of a line that had none of them, if it has one.
    #[cold]
    pub fn learn(&mut self, learn: impl FnOnce() -> Option<S>) {
        if self.waiting > 0 {
            self.waiting -= 1;
            return;
        }
        self.patience = (2 * self.patience + 1).min(MOST_PATIENCE);
        self.waiting = self.patience;
        if let Some(shape) = learn() {
            self.known.truncate(MOST_KNOWN - 1);
            self.known.push(Known { shape, lines: 0 });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Scanner;

    fn shape() -> Shape<char> {
        let mut shape = Shape::default();
        shape.push(b"{\"a\": ", 'a');
        shape.push(b", \"b\": ", 'b');
        shape.close(b"} \n");
        shape
    }

    fn numbers(line: &str) -> Option<Vec<(char, f64)>> {
        let mut read = Vec::new();
        shape().read(line.as_bytes(), |at, value| {
            let mut scanner = Scanner::new(line.as_bytes(), at);
            read.push((value, scanner.number().ok()?));
            Some(scanner.pos)
        })?;
        Some(read)
    }

    #[test]
    fn a_line_has_a_shape_to_the_byte_but_for_its_values() {
        let line = "{\"a\": 1, \"b\": 2.5}";
        assert_eq!(numbers(line), Some(vec![('a', 1.0), ('b', 2.5)]));
        assert!(numbers(&format!("{line} \r\n")).is_some());
        for other in [
            "",
            "{}",
            "{\"a\":1, \"b\": 2}",
            "{\"a\": 1, \"b\": 2",
            "{\"a\": 1, \"b\": 2}x",
            "{\"a\": 1, \"b\": 2}\u{c}",
            "{\"a\": 1, \"b\": }}",
            "{\"a\": 1, \"b\": true}",
            " {\"a\": 1, \"b\": 2}",
        ] {
            assert_eq!(numbers(other), None, "{other}");
        }
    }

    #[test]
    fn what_recurs_is_kept_and_what_does_not_costs_little() {
        let mut shapes = Shapes::default();
        let known = |shapes: &mut Shapes<i32>, line: i32| {
            let found = shapes
                .read(|shape| (*shape == line).then_some(()))
                .is_some();
            if !found {
                shapes.learn(|| Some(line));
            }
            found
        };
        assert!(!known(&mut shapes, 0));
        for line in 1..50 {
            assert!(known(&mut shapes, 0), "kept in all company");
            assert!(!known(&mut shapes, line));
        }
        // What begins to recur is noticed, and is kept beside what recurred before.
        let met = (0..4 * MOST_PATIENCE).filter(|_| known(&mut shapes, -1));
        assert!(met.count() as u32 > 2 * MOST_PATIENCE);
        assert!(known(&mut shapes, 0));
        // Where nothing recurs, few lines are learnt from.
        let mut learnt = 0;
        for _ in 0..10_000 {
            shapes.learn(|| {
                learnt += 1;
                None
            });
        }
        assert!(learnt < 60, "{learnt}");
    }
}
