//! Which file a path leads to, however it is spelt: links of both kinds lead to one file.

use std::path::Path;

/// Device and number, by which the file system knows a file.
pub type Identity = (u64, u64);

/// What the file system calls what a path leads to; `None` if nothing does.
#[cfg(unix)]
pub fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    let there = std::fs::metadata(path).ok()?;
    Some((there.dev(), there.ino()))
}

/// What the file system calls what a path leads to; `None` if nothing does.
#[cfg(windows)]
pub fn identity(path: &Path) -> Option<Identity> {
    let there = winapi_util::Handle::from_path_any(path).ok()?;
    let there = winapi_util::file::information(there).ok()?;
    Some((there.volume_serial_number(), there.file_index()))
}

/// Whether two paths lead to one file or folder.
pub fn is_same(one: &Path, other: &Path) -> bool {
    one == other || identity(one).is_some_and(|found| identity(other) == Some(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link, copy, nothing] =
            ["file", "link", "copy", "nothing"].map(|name| folder.path().join(name));
        std::fs::write(&file, "a").unwrap();
        std::fs::hard_link(&file, &link).unwrap();
        std::fs::copy(&file, &copy).unwrap();
        assert!(is_same(&file, &link));
        assert!(is_same(&file, &folder.path().join(".").join("file")));
        assert!(!is_same(&file, &copy));
        assert!(is_same(&nothing, &nothing));
        assert!(!is_same(&nothing, &folder.path().join("nothing either")));
    }
}
