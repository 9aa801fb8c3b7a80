//! Which containers are open while the scanner walks.

/// The containers that are open, innermost last; true for an object.
///
/// One bit each: the innermost 64 (at most) in a word, those around them on the heap, so
/// that ordinary text needs no allocation and no text can choose how much of the
/// program's own stack is used.
#[derive(Default)]
pub(super) struct OpenContainers {
    /// How many are open.
    pub count: usize,
    innermost: u64,
    around: Vec<u64>,
}

impl OpenContainers {
    #[inline]
    pub fn push(&mut self, is_object: bool) {
        if self.count.is_multiple_of(64) && self.count > 0 {
            self.around.push(self.innermost);
        }
        self.innermost = self.innermost << 1 | u64::from(is_object);
        self.count += 1;
    }

    #[inline]
    pub fn last(&self) -> Option<bool> {
        (self.count > 0).then_some(self.innermost & 1 == 1)
    }

    #[inline]
    pub fn pop(&mut self) {
        self.count -= 1;
        self.innermost >>= 1;
        if self.count.is_multiple_of(64)
            && let Some(word) = self.around.pop()
        {
            self.innermost = word;
        }
    }
}
