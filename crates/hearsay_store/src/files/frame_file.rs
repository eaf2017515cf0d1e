//! Files of derived data next to the database. A file has a header, followed by frames, which are byte strings. The
//! header contains a key that identifies the contents of the file. Each frame has a checksum.
//!
//! Reading stops at the first frame with a wrong checksum. If a write was interrupted, only the last frames of the file
//! are lost. Writes are not synced to the disk, because lost data can be recomputed.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use hearsay_files::{Access, Durability};

const MAGIC: &[u8; 16] = b"hearsay derived\0";

/// Number of bytes before the contents of a frame: 8 for the length, 32 for the checksum.
const FRAME_HEADER_BYTES: usize = 8 + 32;

/// An open file of derived data, such as the vectors of texts. You can delete the file at any time, because its
/// contents can be recomputed.
#[derive(Debug)]
pub struct FrameFile {
    path: PathBuf,
    key: String,
    file: File,
    /// Offset of the end of the last valid frame. The next append removes all bytes after this offset.
    end: u64,
}

/// Returns the bytes of a header. The header contains the version of this crate, so that this version ignores files of
/// other versions.
fn header(key: &str) -> Vec<u8> {
    let mut header = MAGIC.to_vec();
    let key = format!("{} {key}", env!("CARGO_PKG_VERSION"));
    header.extend_from_slice(&(key.len() as u32).to_le_bytes());
    header.extend_from_slice(key.as_bytes());
    let checksum = blake3::hash(&header);
    header.extend_from_slice(checksum.as_bytes());
    header
}

fn write_frame(to: &mut impl Write, content: &[u8]) -> io::Result<u64> {
    to.write_all(&(content.len() as u64).to_le_bytes())?;
    to.write_all(blake3::hash(content).as_bytes())?;
    to.write_all(content)?;
    Ok((FRAME_HEADER_BYTES + content.len()) as u64)
}

impl FrameFile {
    /// Reads the key in the header of a file. The key identifies the contents. Returns `None` if the file does not
    /// exist, its header is damaged, or another version of Hearsay wrote it.
    pub fn read_key(path: &Path) -> Option<String> {
        let mut start = Vec::new();
        File::open(path).ok()?.take(1 << 10).read_to_end(&mut start).ok()?;
        let length = u32::from_le_bytes(start.get(16..20)?.try_into().ok()?) as usize;
        let key = std::str::from_utf8(start.get(20..20_usize.checked_add(length)?)?).ok()?;
        let key = key.strip_prefix(env!("CARGO_PKG_VERSION"))?.strip_prefix(' ')?;
        start.starts_with(&header(key)).then(|| key.to_owned())
    }

    /// Reads a file and opens it for appending. Returns `None` if the file does not exist, its header is damaged or
    /// contains another key, or another version of Hearsay wrote it.
    ///
    /// `key` is the expected key. This function calls `accept_frame` with the contents of each frame, and with the
    /// number of bytes after the frame. `accept_frame` returns whether the frame is usable. Reading stops at the first
    /// unusable frame.
    ///
    /// # Errors
    /// Returns an error if the file exists but cannot be read or written.
    pub fn open(
        path: impl Into<PathBuf>,
        key: &str,
        mut accept_frame: impl FnMut(&[u8], u64) -> bool,
    ) -> io::Result<Option<Self>> {
        let path = path.into();
        let mut options = OpenOptions::new();
        let mut file = match options.read(true).write(true).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let expected_header = header(key);
        let length = file.metadata()?.len();
        let mut reader = BufReader::with_capacity(1 << 16, &mut file);
        let mut found_header = vec![0; expected_header.len()];
        if length < expected_header.len() as u64
            || reader.read_exact(&mut found_header).is_err()
            || found_header != expected_header
        {
            return Ok(None);
        }
        let (mut end, mut content) = (expected_header.len() as u64, Vec::new());
        while let Some(remaining) = length.checked_sub(end + FRAME_HEADER_BYTES as u64) {
            let mut frame_header = [0; FRAME_HEADER_BYTES];
            reader.read_exact(&mut frame_header)?;
            let (size, checksum) = frame_header.split_at(8);
            let size = size.try_into().map(u64::from_le_bytes).unwrap_or(u64::MAX);
            if size > remaining {
                break;
            }
            content.resize(usize::try_from(size).unwrap_or(0), 0);
            reader.read_exact(&mut content)?;
            if content.len() as u64 != size
                || *blake3::hash(&content).as_bytes() != *checksum
                || !accept_frame(&content, remaining - size)
            {
                break;
            }
            end += FRAME_HEADER_BYTES as u64 + size;
        }
        drop(reader);
        Ok(Some(Self { path, key: key.to_owned(), file, end }))
    }

    /// Returns a description of the damage to a file. Returns `None` if the file is intact or does not exist. A file of
    /// another version of Hearsay does not count as damaged.
    pub(crate) fn damage(path: &Path) -> Option<String> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => return Some(error.to_string()),
        };
        let damaged_header = || Some("its header is damaged".to_owned());
        let Some(length) = bytes.get(16..20).and_then(|length| length.try_into().ok()).map(u32::from_le_bytes) else {
            return damaged_header();
        };
        let key_end = 20_usize.saturating_add(length as usize);
        let (Some(start), Some(checksum)) = (bytes.get(..key_end), bytes.get(key_end..key_end.saturating_add(32)))
        else {
            return damaged_header();
        };
        if !start.starts_with(MAGIC) || *blake3::hash(start).as_bytes() != *checksum {
            return damaged_header();
        }
        let mut end = key_end + 32;
        while let Some(frame) = bytes.get(end..).filter(|frame| !frame.is_empty()) {
            let intact_length = frame.split_at_checked(FRAME_HEADER_BYTES).and_then(|(frame_header, rest)| {
                let (size, checksum) = frame_header.split_at(8);
                let size = usize::try_from(u64::from_le_bytes(size.try_into().ok()?)).ok()?;
                (*blake3::hash(rest.get(..size)?).as_bytes() == *checksum).then_some(FRAME_HEADER_BYTES + size)
            });
            match intact_length {
                Some(length) => end += length,
                None => return Some(format!("it is damaged from byte {end} on")),
            }
        }
        None
    }

    /// Creates a file with the given key and frames, or replaces an existing file. The new file is written under a
    /// temporary name and then renamed.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written. The old file is then unchanged.
    pub fn create<C: AsRef<[u8]>>(
        path: impl Into<PathBuf>,
        key: &str,
        frames: impl IntoIterator<Item = C>,
    ) -> io::Result<Self> {
        let path = path.into();
        let (file, end) = hearsay_files::replace_with(&path, Access::Default, Durability::Deferred, |file| {
            let header = header(key);
            file.write_all(&header)?;
            let mut end = header.len() as u64;
            for frame in frames {
                end += write_frame(file, frame.as_ref())?;
            }
            Ok(end)
        })?;
        Ok(Self { path, key: key.to_owned(), file, end })
    }

    /// Appends a frame with the given contents at the end of the file.
    ///
    /// # Errors
    /// Returns an error if the frame cannot be written. Earlier frames are not affected, and the next append overwrites
    /// the failed frame.
    pub fn append(&mut self, content: &[u8]) -> io::Result<()> {
        self.file.set_len(self.end)?;
        self.file.seek(SeekFrom::Start(self.end))?;
        self.end += write_frame(&mut self.file, content)?;
        Ok(())
    }

    /// Returns the key of the file.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(path: &Path, key: &str) -> Option<Vec<Vec<u8>>> {
        let mut frames = Vec::new();
        let file = FrameFile::open(path, key, |content, _| {
            frames.push(content.to_vec());
            true
        });
        file.unwrap().map(|_| frames)
    }

    #[test]
    fn frames_are_read_as_written_up_to_the_first_that_is_damaged() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("vectors");
        assert_eq!(frames(&path, "k"), None);
        let all: Vec<Vec<u8>> = vec![vec![1; 5], vec![], vec![2; 70]];
        let mut file = FrameFile::create(&path, "k", &all[..1]).unwrap();
        all[1..].iter().for_each(|frame| file.append(frame).unwrap());
        assert_eq!(frames(&path, "k").as_ref(), Some(&all));
        assert_eq!(FrameFile::read_key(&path).as_deref(), Some("k"));
        assert_eq!(FrameFile::read_key(directory.path()), None);
        assert_eq!(frames(&path, "other"), None);
        let good = fs::read(&path).unwrap();
        let start = header("k").len();
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x20;
            fs::write(&path, &bad).unwrap();
            match frames(&path, "k") {
                None => assert!(at < start, "byte {at}"),
                Some(read) => assert!(at >= start && read.len() < 3 && read[..] == all[..read.len()], "byte {at}"),
            }
            fs::write(&path, &good[..at]).unwrap();
            let read = frames(&path, "k");
            assert!(read.is_none_or(|read| read.len() < 3 && read[..] == all[..read.len()]), "cut at {at}");
        }
    }

    #[test]
    fn a_frame_takes_the_place_of_a_damaged_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("vectors");
        let mut file = FrameFile::create(&path, "k", [[1; 40], [2; 40]]).unwrap();
        file.append(&[3; 400]).unwrap();
        let mut bytes = fs::read(&path).unwrap();
        let end = bytes.len();
        bytes[end - 1] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let mut file = FrameFile::open(&path, "k", |_, _| true).unwrap().unwrap();
        file.append(&[4; 2]).unwrap();
        assert_eq!(frames(&path, "k").unwrap(), [vec![1; 40], vec![2; 40], vec![4; 2]]);
        // Reading also stops at a frame that the callback rejects.
        let mut count = 0;
        let mut file = FrameFile::open(&path, "k", |_, _| {
            count += 1;
            count < 2
        });
        file.as_mut().unwrap().as_mut().unwrap().append(&[5; 3]).unwrap();
        assert_eq!(frames(&path, "k").unwrap(), [vec![1; 40], vec![5; 3]]);
    }

    #[test]
    fn a_file_that_cannot_be_written_leaves_the_one_before() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("vectors");
        FrameFile::create(&path, "k", [[1; 3]]).unwrap();
        fs::create_dir(hearsay_files::temporary_path(&path)).unwrap();
        assert!(FrameFile::create(&path, "k", [[2; 3]]).is_err());
        assert_eq!(frames(&path, "k").unwrap(), [vec![1; 3]]);
    }
}
