//! The shape of a line: what stands between its values.
//!
//! A program that writes a million lines writes the same keys, braces and blanks a million
//! times. Once a line has been read, the next is likely to differ in its values only: then
//! it is enough to compare what stands between them, all at once, instead of finding out
//! again what it means. A line of another shape, or one that is broken, is left to the
//! reader that knows all of JSON; so shapes save time and never decide.

use super::Scanner;

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
        self.text.extend_from_slice(after.trim_ascii_end());
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether a line has this shape: `read` is given each value, with the scanner where it
    /// begins, and takes it.
    #[inline]
    pub fn read<'a>(
        &self,
        scanner: &mut Scanner<'a>,
        mut read: impl FnMut(&mut Scanner<'a>, V) -> Option<()>,
    ) -> Option<()> {
        let mut start = 0;
        for (end, value) in &self.values {
            if !scanner.take_exact(&self.text[start..*end]) {
                return None;
            }
            start = *end;
            read(scanner, *value)?;
        }
        (scanner.take_exact(&self.text[start..]) && scanner.at_end()).then_some(())
    }
}

/// The shapes that the latest lines had, those that recur first.
#[derive(Debug)]
pub struct Shapes<S> {
    known: Vec<S>,
    /// Lines that had one of them, less those that had none: where nothing repeats, learning
    /// is given up.
    worth: i32,
}

/// Lines come in few shapes, or in many that do not recur.
const MOST_KNOWN: usize = 8;
/// How much learning may cost before it has paid.
const PATIENCE: i32 = -64;

impl<S> Default for Shapes<S> {
    fn default() -> Self {
        Shapes {
            known: Vec::new(),
            worth: 0,
        }
    }
}

impl<S> Shapes<S> {
    /// What the first of the shapes reads that can.
    #[inline]
    pub fn read<T>(&mut self, mut read: impl FnMut(&S) -> Option<T>) -> Option<T> {
        for at in 0..self.known.len() {
            if let Some(value) = read(&self.known[at]) {
                // One that recurs moves ahead of one that does not.
                self.known.swap(at, at.saturating_sub(1));
                self.worth = (self.worth + 1).min(-PATIENCE);
                return Some(value);
            }
        }
        None
    }

    /// Takes the shape of a line that had none of them, if it has one.
    #[cold]
    pub fn learn(&mut self, learn: impl FnOnce() -> Option<S>) {
        if self.worth <= PATIENCE {
            self.known.clear();
            return;
        }
        self.worth -= 1;
        if let Some(shape) = learn() {
            self.known.truncate(MOST_KNOWN - 1);
            self.known.push(shape);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape() -> Shape<char> {
        let mut shape = Shape::default();
        shape.push(b"{\"a\": ", 'a');
        shape.push(b", \"b\": ", 'b');
        shape.close(b"} \n");
        shape
    }

    fn numbers(line: &str) -> Option<Vec<(char, f64)>> {
        let mut read = Vec::new();
        shape().read(&mut Scanner::new(line.as_bytes(), 0), |scanner, value| {
            read.push((value, scanner.number().ok()?));
            Some(())
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
            "{\"a\": 1, \"b\": true}",
            " {\"a\": 1, \"b\": 2}",
        ] {
            assert_eq!(numbers(other), None, "{other}");
        }
    }

    #[test]
    fn what_recurs_is_kept_and_what_does_not_is_given_up() {
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
            assert!(known(&mut shapes, 0));
            assert!(!known(&mut shapes, line));
        }
        for line in 0..200 {
            assert!(!known(&mut shapes, -1 - line));
        }
        assert!(!known(&mut shapes, 0));
        assert!(!known(&mut shapes, 0), "nothing is learnt any more");
    }
}
