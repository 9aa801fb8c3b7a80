//! A fingerprint of a row's bytes: enough to tell whether what stands in its place is still
//! the same, and quick enough to take of every row. It is xxHash64 with the seed 0, which
//! other programs can compute too.

/// The fingerprint of some bytes.
pub fn fingerprint(bytes: &[u8]) -> u64 {
    twox_hash::XxHash64::oneshot(0, bytes)
}

#[cfg(test)]
mod tests {
    use super::fingerprint;

    #[test]
    fn it_is_the_published_hash() {
        // From the reference implementation's own table.
        assert_eq!(fingerprint(b""), 0xef46_db37_51d8_e999);
        assert_eq!(fingerprint(b"a"), 0xd24e_c4f1_a98c_6e5b);
    }
}
