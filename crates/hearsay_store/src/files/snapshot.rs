//! The snapshot: a copy of the journal up to a position, in a format that is fast to read. The snapshot is derived
//! data, so you can delete it at any time.
//!
//! The file has a header and frames. The header contains magic bytes, the format version, the version of this crate,
//! the position, the digest of the journal entry at that position, the position up to which the journal is compacted,
//! and the length of the frames. A frame contains about a megabyte of operations, encoded with postcard. Several threads
//! read and decode the frames. The header and each frame have a BLAKE3 hash. If the snapshot does not match the journal,
//! the store reports this, ignores the snapshot and reads the journal.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, TryRecvError},
    },
};

use hearsay_files::{Access, Durability};
use hearsay_model::{Author, Change, Key, KnowledgeId, Operation, PassageId, Position, SharedIds, State, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{StoreError, journal::JournalPosition};

/// Name of the file within the campaign directory.
pub(crate) const FILE: &str = "snapshot";

const MAGIC: &[u8; 16] = b"hearsay snapshot";

/// Error text for a snapshot that is not damaged, but that this version cannot use.
pub(crate) const OTHER_VERSION: &str = "another version of Hearsay wrote it";

/// Version of the format. Increment the version with every change of the format, including changes of the model types
/// that are serialized.
const FORMAT: u32 = 19;

/// Approximate size of a frame in bytes. Several processors decode frames in parallel.
const FRAME: usize = 1 << 20;

/// Length of the header in bytes: magic, format, version, position, digest, end of the compacted part, length of the
/// frames, hash of the header.
const HEADER: usize = HASHED_HEADER + 32;
const HASHED_HEADER: usize = 16 + 4 + 16 + 8 + 32 + 8 + 8;

/// Error text for a snapshot that ends too early.
const TRUNCATED: &str = "it is truncated";

/// An operation without its changes, and the number of its changes.
#[derive(Serialize, Deserialize)]
struct Head {
    position: Position,
    author: Author,
    recorded: Timestamp,
    summary: String,
    changes: u64,
}

/// A part of an operation. Most operations have one part. The parts of a larger operation are in consecutive frames.
struct Part {
    /// The operation, if this is its first part.
    head: Option<Head>,
    changes: Vec<Change>,
    /// The key that each change writes.
    keys: Vec<Option<Key>>,
}

/// The parts of operations in a frame, or the reason why the frame cannot be read.
type Parts = Result<Vec<Part>, String>;

/// The contents of a snapshot.
pub(crate) struct Snapshot {
    pub(crate) at: JournalPosition,
    /// Position up to which the journal in the snapshot is compacted.
    pub(crate) compacted_to: Position,
    pub(crate) operations: Operations,
}

/// Iterator over the operations of a snapshot, in the order of their positions. Other threads decode the frames
/// meanwhile. An error text says why the snapshot cannot be used.
pub(crate) struct Operations {
    decoder: Decoder,
    decoded: Receiver<(usize, Parts)>,
    /// Decoded frames that must wait, because an earlier frame is not decoded yet.
    early: BTreeMap<usize, Parts>,
    /// Number of the next frame. The field `parts` has the rest of the previous frame.
    next: usize,
    parts: std::vec::IntoIter<Part>,
    compacted_to: Position,
    /// Number of the expected operations after the compacted part.
    missing: u64,
}

/// An operation of a snapshot.
pub(crate) struct Recorded {
    pub(crate) position: Position,
    pub(crate) operation: Operation,
    /// The key that each change of the operation writes.
    pub(crate) keys: Vec<Option<Key>>,
}

/// An operation with its position.
pub(crate) type Placed = (Position, Arc<Operation>);

/// Returns the version of this crate in 16 bytes. The header contains the version, because the serialized types can
/// differ between versions.
fn version() -> [u8; 16] {
    let mut version = [0; 16];
    for (to, from) in version.iter_mut().zip(env!("CARGO_PKG_VERSION").bytes()) {
        *to = from;
    }
    version
}

/// Replaces the snapshot of a directory.
pub(crate) fn write(
    directory: &Path,
    at: JournalPosition,
    compacted_to: Position,
    operations: &[Placed],
) -> Result<(), StoreError> {
    let path = directory.join(FILE);
    let written = hearsay_files::replace_with(&path, Access::Default, Durability::Synced, |file| {
        write_to(file, at, compacted_to, operations)
    });
    written.map(drop).map_err(|source| StoreError::File {
        action: "write",
        path,
        advice: "check that the disk has free space; the campaign itself is safe",
        source,
    })
}

fn write_to(
    file: &mut (impl Write + Seek),
    at: JournalPosition,
    compacted_to: Position,
    operations: &[Placed],
) -> io::Result<()> {
    // The header contains the length of the frames, so it is written after them.
    file.seek(SeekFrom::Start(HEADER as u64))?;
    let length = write_frames(operations, file)?;
    let mut header = Vec::with_capacity(HEADER);
    header.extend_from_slice(MAGIC);
    header.extend_from_slice(&FORMAT.to_le_bytes());
    header.extend_from_slice(&version());
    header.extend_from_slice(&at.position.0.to_le_bytes());
    header.extend_from_slice(&at.digest);
    header.extend_from_slice(&compacted_to.0.to_le_bytes());
    header.extend_from_slice(&length.to_le_bytes());
    header.extend_from_slice(blake3::hash(&header).as_bytes());
    file.rewind()?;
    file.write_all(&header)
}

/// Writes operations as frames, and returns the number of written bytes. A frame consists of the length of its contents
/// in bytes, the hash of its contents, and its contents. The contents are parts of operations. Each part consists of the
/// [`Head`] if it is the first part, the number of its changes, and its changes. The id of a knowledge edge or passage
/// follows the change that adds it, because reading the id takes less time than computing it.
fn write_frames(operations: &[Placed], file: &mut impl Write) -> io::Result<u64> {
    let mut length = 0;
    let mut write_frame = |frame: &mut Vec<u8>| -> io::Result<()> {
        file.write_all(&(frame.len() as u64).to_le_bytes())?;
        file.write_all(blake3::hash(frame).as_bytes())?;
        file.write_all(frame)?;
        length += (FRAME_HEADER + frame.len()) as u64;
        frame.clear();
        Ok(())
    };
    let (mut frame, mut part) = (Vec::with_capacity(FRAME * 2), Vec::new());
    for (position, operation) in operations {
        let mut head = Some(Head {
            position: *position,
            author: operation.author.clone(),
            recorded: operation.recorded,
            summary: operation.summary.clone(),
            changes: operation.changes.len() as u64,
        });
        let mut count = 0_u64;
        for change in &operation.changes {
            encode(change, &mut part)?;
            match change {
                Change::Learn(edge) => encode(&edge.id(), &mut part)?,
                Change::AddPassage(passage) => encode(&passage.id(), &mut part)?,
                _ => {}
            }
            count += 1;
            if frame.len() + part.len() >= FRAME {
                encode(&(head.take(), count), &mut frame)?;
                frame.append(&mut part);
                write_frame(&mut frame)?;
                count = 0;
            }
        }
        if count > 0 || head.is_some() {
            encode(&(head, count), &mut frame)?;
            frame.append(&mut part);
        }
    }
    write_frame(&mut frame)?;
    Ok(length)
}

/// Appends the encoded form of a value.
fn encode(value: &impl Serialize, to: &mut Vec<u8>) -> io::Result<()> {
    postcard::to_io(value, to).map(drop).map_err(io::Error::other)
}

/// Reads the snapshot of a directory. Returns `None` if there is no snapshot. The error text says why the snapshot
/// cannot be used. An error in the frames appears only when the operations are read.
pub(crate) fn read(directory: &Path) -> Result<Option<Snapshot>, String> {
    let file = match File::open(directory.join(FILE)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let length = file.metadata().map_err(|error| error.to_string())?.len();
    parse(file, length).map(Some)
}

/// Returns why the snapshot of a directory cannot be used, if there is one.
pub(crate) fn damage(directory: &Path) -> Option<String> {
    let snapshot = match read(directory) {
        Ok(snapshot) => snapshot?,
        Err(reason) => return Some(reason),
    };
    snapshot.operations.into_iter().find_map(Result::err)
}

/// Reads a snapshot of `length` bytes. The error text says why the snapshot cannot be used.
fn parse(mut source: impl Read + Send + 'static, length: u64) -> Result<Snapshot, String> {
    let mut header = [0; HEADER];
    source.read_exact(&mut header).map_err(|_| TRUNCATED)?;
    let number = |at: usize| header[at..at + 8].try_into().map(u64::from_le_bytes).map_err(|_| TRUNCATED);
    if header[..16] != *MAGIC {
        return Err("it is not a snapshot".into());
    }
    if header[16..20] != FORMAT.to_le_bytes() || header[20..36] != version() {
        return Err(OTHER_VERSION.into());
    }
    if header[HASHED_HEADER..] != *blake3::hash(&header[..HASHED_HEADER]).as_bytes() {
        return Err("its header was changed".into());
    }
    let digest = header[44..76].try_into().map_err(|_| TRUNCATED)?;
    let at = JournalPosition { position: Position(number(36)?), digest };
    let (compacted_to, frames_length) = (Position(number(76)?), number(84)?);
    if length != frames_length + HEADER as u64 {
        return Err("its length is wrong".into());
    }
    let missing = at.position.0.checked_sub(compacted_to.0).ok_or("its header is invalid")?;
    let frames = Arc::new(Mutex::new(Frames { source: Box::new(source), remaining: frames_length, next: 0 }));
    let decoded = decode(&frames);
    let (decoder, early, parts) = (Decoder::new(&frames), BTreeMap::new(), Vec::new().into_iter());
    let operations = Operations { decoder, decoded, early, next: 0, parts, compacted_to, missing };
    Ok(Snapshot { at, compacted_to, operations })
}

/// Reads the state from the snapshot in a campaign directory, without opening the database. Takes no lock and writes no
/// files. The state may be older than the newest operation of the journal, and does not contain transient values.
///
/// Returns `None` if there is no usable snapshot, or if the snapshot file is larger than `most_bytes` bytes.
pub fn read_state(directory: &Path, most_bytes: u64) -> Option<State> {
    if std::fs::metadata(directory.join(FILE)).ok()?.len() > most_bytes {
        return None;
    }
    read(directory).ok()??.fold().ok()
}

/// Encodes a state as the bytes of a snapshot, so that another process on this machine can compute the same state with
/// [`decode_state`]. The bytes do not contain transient values.
///
/// # Errors
/// Returns an error if the state cannot be encoded.
pub fn encode_state(state: &State) -> io::Result<Vec<u8>> {
    let operations: Vec<Placed> = state.journal().map(|(at, entry)| (at, Arc::clone(&entry.operation))).collect();
    let at = JournalPosition { position: state.position(), digest: [0; 32] };
    let mut file = io::Cursor::new(Vec::new());
    write_to(&mut file, at, state.compacted_to(), &operations)?;
    Ok(file.into_inner())
}

/// Computes a state from the bytes that [`encode_state`] returned.
///
/// # Errors
/// Returns the reason why the bytes cannot be used, for example because another version of Hearsay encoded them.
pub fn decode_state(bytes: Vec<u8>) -> Result<State, String> {
    let length = bytes.len() as u64;
    parse(io::Cursor::new(bytes), length)?.fold()
}

impl Snapshot {
    /// Applies all operations to an empty state.
    fn fold(self) -> Result<State, String> {
        let mut state = State::default();
        for operation in self.operations {
            let Recorded { position, operation, keys } = operation?;
            if position <= self.compacted_to {
                state.apply_compacted_keyed(position, operation, keys);
            } else {
                state.advance_compaction(self.compacted_to);
                state.apply_recorded_keyed(operation, keys);
            }
        }
        state.advance_compaction(self.compacted_to);
        Ok(state)
    }
}

impl Operations {
    /// Returns the next part of an operation, or `None` after the last part.
    fn part(&mut self) -> Option<Result<Part, String>> {
        loop {
            if let Some(part) = self.parts.next() {
                return Some(Ok(part));
            }
            match self.frame()? {
                Ok(parts) => self.parts = parts.into_iter(),
                Err(reason) => return Some(Err(reason)),
            }
        }
    }

    /// Returns the next frame, or `None` after the last frame. If no frame is decoded, decodes a frame on this thread.
    fn frame(&mut self) -> Option<Parts> {
        loop {
            if let Some(parts) = self.early.remove(&self.next) {
                self.next += 1;
                return Some(parts);
            }
            let (number, parts) = match self.decoded.try_recv() {
                Ok(decoded) => decoded,
                Err(TryRecvError::Disconnected) => return None,
                Err(TryRecvError::Empty) => match self.decoder.next() {
                    Some(decoded) => decoded,
                    None => self.decoded.recv().ok()?,
                },
            };
            self.early.insert(number, parts);
        }
    }

    /// Returns the operation that starts with the next part, or `None` after the last part.
    fn operation(&mut self) -> Result<Option<Recorded>, String> {
        let Some(first) = self.part().transpose()? else {
            return if self.missing == 0 { Ok(None) } else { Err("some of its operations are missing".into()) };
        };
        let Part { head: Some(head), mut changes, mut keys } = first else {
            return Err("the start of an operation is missing".into());
        };
        let Head { position, author, recorded, summary, changes: count } = head;
        let mut more = Vec::new();
        let mut known = changes.len() as u64;
        while known < count {
            match self.part().transpose()? {
                Some(part) if part.head.is_none() => {
                    known += part.changes.len() as u64;
                    more.push(part);
                }
                _ => return Err("some changes of an operation are missing".into()),
            }
        }
        // Reserves the exact capacity, because the changes stay in memory as long as the state.
        changes.reserve_exact(more.iter().map(|part| part.changes.len()).sum());
        for part in more {
            changes.extend(part.changes);
            keys.extend(part.keys);
        }
        if position > self.compacted_to {
            self.missing = self.missing.checked_sub(1).ok_or("it has too many operations")?;
        }
        Ok(Some(Recorded { position, operation: Operation { author, recorded, summary, changes }, keys }))
    }
}

impl Iterator for Operations {
    type Item = Result<Recorded, String>;

    fn next(&mut self) -> Option<Self::Item> {
        self.operation().transpose()
    }
}

/// Length of the header of a frame in bytes: length of the contents, hash of the contents.
const FRAME_HEADER: usize = 8 + 32;

/// The frames of a snapshot that were not read yet.
struct Frames {
    source: Box<dyn Read + Send>,
    /// Number of bytes that were not read yet.
    remaining: u64,
    /// Number of the next frame.
    next: usize,
}

impl Frames {
    /// Reads the contents of the next frame. Returns the number and the expected hash of the frame, or `None` after the
    /// last frame. After an error, no frame is left.
    fn read(&mut self, content: &mut Vec<u8>) -> Option<(usize, Result<[u8; 32], String>)> {
        if self.remaining == 0 {
            return None;
        }
        let (number, remaining) = (self.next, std::mem::take(&mut self.remaining));
        self.next += 1;
        let mut read = || -> io::Result<[u8; 32]> {
            let (mut length, mut hash) = ([0; 8], [0; 32]);
            self.source.read_exact(&mut length)?;
            self.source.read_exact(&mut hash)?;
            let length = u64::from_le_bytes(length);
            let end = length.checked_add(FRAME_HEADER as u64).and_then(|length| remaining.checked_sub(length));
            content.clear();
            let is_whole = self.source.by_ref().take(length).read_to_end(content)? as u64 == length;
            self.remaining = end.filter(|_| is_whole).ok_or(io::ErrorKind::UnexpectedEof)?;
            Ok(hash)
        };
        let hash = read().map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => TRUNCATED.into(),
            _ => error.to_string(),
        });
        Some((number, hash))
    }
}

/// Decodes frames on several threads. The receiver gets each decoded frame with its number.
fn decode(frames: &Arc<Mutex<Frames>>) -> Receiver<(usize, Parts)> {
    let (sender, receiver) = mpsc::channel();
    // Leaves one processor for folding the decoded operations.
    let threads = std::thread::available_parallelism().map_or(1, usize::from).saturating_sub(1).clamp(1, 4);
    for _ in 0..threads {
        let (decoder, sender) = (Decoder::new(frames), sender.clone());
        std::thread::spawn(move || decoder.into_iter().try_for_each(|decoded| sender.send(decoded)));
    }
    receiver
}

/// Reads and decodes frames on one thread. Each item is a frame with its number.
struct Decoder {
    frames: Arc<Mutex<Frames>>,
    ids: SharedIds,
    /// Buffer for the contents of a frame.
    content: Vec<u8>,
}

impl Decoder {
    fn new(frames: &Arc<Mutex<Frames>>) -> Self {
        Self { frames: Arc::clone(frames), ids: SharedIds::default(), content: Vec::new() }
    }
}

impl Iterator for Decoder {
    type Item = (usize, Parts);

    fn next(&mut self) -> Option<Self::Item> {
        let Self { frames, ids, content } = self;
        let (number, hash) = frames.lock().unwrap_or_else(PoisonError::into_inner).read(content)?;
        let parts = hash.and_then(|hash| match hash == *blake3::hash(content).as_bytes() {
            true => ids.share(|| parts(content)).map_err(|error| format!("it cannot be read: {error}")),
            false => Err("its content was changed".into()),
        });
        Some((number, parts))
    }
}

/// Decodes the contents of a frame.
fn parts(mut rest: &[u8]) -> Parts {
    fn take<'a, T: Deserialize<'a>>(rest: &mut &'a [u8]) -> Result<T, String> {
        let (value, after) = postcard::take_from_bytes(rest).map_err(|error| error.to_string())?;
        *rest = after;
        Ok(value)
    }
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let (head, count): (Option<Head>, u64) = take(&mut rest)?;
        // Each change takes at least one byte, so the number of bytes limits the capacity.
        let capacity = usize::try_from(count).unwrap_or(usize::MAX).min(rest.len());
        let (mut changes, mut keys) = (Vec::with_capacity(capacity), Vec::with_capacity(capacity));
        for _ in 0..count {
            let change: Change = take(&mut rest)?;
            keys.push(match &change {
                Change::Learn(_) => Some(Key::KnowledgeEdge(take::<KnowledgeId>(&mut rest)?)),
                Change::AddPassage(_) => Some(Key::Passage(take::<PassageId>(&mut rest)?)),
                change => change.written_key(),
            });
            changes.push(change);
        }
        parts.push(Part { head, changes, keys });
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearsay_model::{Condition, Entity, EntityId, GameSetting, Passage, Reveal, Setting, TalkKind, Value};

    #[test]
    fn a_snapshot_is_read_as_written_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        assert!(matches!(read(directory.path()), Ok(None)));
        let operations: Vec<_> = (0..3)
            .map(|n| {
                let add = Change::AddEntity(Entity::new(EntityId::new(format!("e{n}")).unwrap()));
                let is = Value::Flag(true);
                let when = Condition::Not(Box::new(Condition::Flag { name: "f".into(), is: is.clone() }));
                let (id, fact) = ("r".into(), "0".repeat(32).parse().unwrap());
                let reveal = Setting::Game(GameSetting::Reveal(Reveal { id, fact, holder: None, when, note: None }));
                let mut changes = vec![add; n + 1];
                changes.extend([Change::Set(reveal), Change::SetFlag { name: "f".into(), value: is }]);
                let line = Passage { talk_kind: Some(TalkKind::Narration), ..Passage::new("Roll for it.") };
                let (passage, kind) = (line.id(), TalkKind::OutOfCharacter);
                changes.extend([Change::AddPassage(line.into()), Change::SetTalkKind { passage, kind }]);
                // No operation at position 2, as if compaction had deleted it.
                let position = Position([1, 3, 4][n]);
                (position, Arc::new(Operation::new(Author::Player("Ann".into()), "add", changes)))
            })
            .collect();
        let at = JournalPosition { position: Position(4), digest: [7; 32] };
        write(directory.path(), at, Position(2), &operations).unwrap();
        let snapshot = read(directory.path()).unwrap().unwrap();
        assert_eq!(snapshot.at, at);
        assert_eq!(snapshot.compacted_to, Position(2));
        let read_back: Vec<_> = snapshot.operations.map(Result::unwrap).collect();
        for (read, (position, operation)) in read_back.iter().zip(&operations) {
            assert_eq!((read.position, &read.operation), (*position, &**operation));
            assert!(read.keys.iter().cloned().eq(operation.changes.iter().map(Change::written_key)));
        }
        assert_eq!(read_back.len(), operations.len());
        assert_eq!(damage(directory.path()), None);
        let path = directory.path().join(FILE);
        let good = std::fs::read(&path).unwrap();
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x40;
            std::fs::write(&path, &bad).unwrap();
            assert!(damage(directory.path()).is_some(), "byte {at}");
            std::fs::write(&path, &good[..at]).unwrap();
            assert!(damage(directory.path()).is_some(), "cut at {at}");
        }
    }
}
