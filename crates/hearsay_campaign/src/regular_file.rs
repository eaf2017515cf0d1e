//! Opens files safely at untrusted paths. Only regular files are opened.

use std::{
    fs::{self, File, FileType},
    io::{self, Read},
    path::Path,
};

/// Opens a regular file for reading. If the path is a symbolic link, the link is followed.
///
/// This function does not open FIFOs and devices. Opening a FIFO blocks until another process writes to it, and reading
/// a device may never end.
///
/// # Errors
/// Returns an error if the file cannot be opened, or if it is a folder, a FIFO, a socket or a device.
pub fn open_file(path: &Path) -> io::Result<File> {
    if let Some(kind) = special_file_kind(fs::metadata(path)?.file_type()) {
        return Err(io::Error::other(not_regular_message(kind)));
    }
    File::open(path)
}

/// Returns the content of a regular file of at most `max_bytes` bytes.
///
/// # Errors
/// Returns an error in the same cases as [`open_file`], and if the file is larger than `max_bytes`.
pub fn read_file(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // The file may become larger while it is read.
    open_file(path)?.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        let limit_mib = max_bytes >> 20;
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("the file is larger than {limit_mib} MiB")));
    }
    Ok(bytes)
}

/// Returns the content of a regular file of at most `max_bytes` bytes, which must be UTF-8 text.
///
/// # Errors
/// Returns an error in the same cases as [`read_file`], and if the file is not UTF-8.
pub fn read_text_file(path: &Path, max_bytes: u64) -> io::Result<String> {
    String::from_utf8(read_file(path, max_bytes)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count();
        io::Error::new(io::ErrorKind::InvalidData, format!("line {line} is not UTF-8 text"))
    })
}

/// The reason for not following a symbolic link.
pub(crate) const OUTSIDE_LINK_REASON: &str =
    "a symbolic link to a file outside the folder: copy that file into the folder";

/// Returns the error message for a file type that is not regular.
pub(crate) fn not_regular_message(kind: &str) -> String {
    format!("it is {kind}; only regular files are read")
}

/// Returns the name of a file type that is not regular, or `None` for regular files.
pub(crate) fn special_file_kind(kind: FileType) -> Option<&'static str> {
    if kind.is_file() {
        return None;
    }
    if kind.is_dir() {
        return Some("a folder");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return Some("a FIFO");
        }
        if kind.is_socket() {
            return Some("a socket");
        }
        if kind.is_block_device() || kind.is_char_device() {
            return Some("a device");
        }
    }
    Some("a special file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        fs::write(&file, "four").unwrap();
        assert_eq!(read_file(&file, 4).unwrap(), b"four");
        assert_eq!(read_file(&file, 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert!(read_file(folder.path(), 3).unwrap_err().to_string().contains("a folder"));
        assert_eq!(read_file(&folder.path().join("b"), 3).unwrap_err().kind(), io::ErrorKind::NotFound);
        fs::write(&file, [b'a', b'\n', 0xFF]).unwrap();
        assert!(read_text_file(&file, 9).unwrap_err().to_string().contains("line 2 is not UTF-8"));
    }

    #[cfg(unix)]
    #[test]
    fn nothing_that_blocks_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        crate::tests::fifo(&fifo);
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for (path, kind) in [(fifo.as_path(), "a FIFO"), (&socket, "a socket"), (Path::new("/dev/zero"), "a device")] {
            let error = read_file(path, 9).unwrap_err().to_string();
            assert!(error.contains(kind) && error.contains("only regular files"), "{error}");
        }
    }
}
