//! SHA-256, by which files are named wherever it matters that they are the same. Inputs are
//! hashed whole, so it must keep up with reading them, also on processors that have no
//! instructions for it.

use ring::digest::{Context, SHA256};

use crate::hex::hex;

/// The hash of bytes that come piece by piece. Its state is large for what it is part of.
#[derive(Clone)]
pub struct Sha256(Box<Context>);

impl Sha256 {
    /// Of nothing yet.
    pub fn new() -> Self {
        Sha256(Box::new(Context::new(&SHA256)))
    }

    /// Takes the next bytes.
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.update(bytes.as_ref());
    }

    /// The hash of all of them.
    pub fn finish(self) -> [u8; 32] {
        let mut hash = [0; 32];
        hash.copy_from_slice(self.0.finish().as_ref());
        hash
    }

    /// The same in hex.
    pub fn finish_hex(self) -> String {
        hex(&self.finish())
    }
}

impl Default for Sha256 {
    fn default() -> Self {
        Sha256::new()
    }
}

/// The hash of some bytes.
pub fn sha256(bytes: impl AsRef<[u8]>) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update(bytes);
    hasher.finish()
}

/// The same in hex.
pub fn sha256_hex(bytes: impl AsRef<[u8]>) -> String {
    hex(&sha256(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_published_hash() {
        // FIPS 180-2, appendix B, and its hash of nothing.
        for (bytes, expected) in [
            (
                &b""[..],
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            ),
            (
                b"abc",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            ),
            (
                b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
            (
                &[b'a'; 1_000_000],
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
            ),
        ] {
            assert_eq!(sha256_hex(bytes), expected);
            for size in [1, 63, 64, 65, 4096] {
                let mut hasher = Sha256::new();
                bytes.chunks(size).for_each(|piece| hasher.update(piece));
                assert_eq!(hasher.finish_hex(), expected);
            }
        }
    }
}
