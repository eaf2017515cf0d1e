//! The snapshot: a copy of the journal up to a position, in a format that is fast to read. The snapshot is derived
//! data, so you can delete it at any time.
//!
//! The file has a header and segments that are encoded with postcard. The header contains magic bytes, the format
//! version, the version of this crate, the position, the digest of the journal entry at that position, and the length
//! and BLAKE3 hash of the rest. If the snapshot does not match the journal, the store reports this, ignores the
//! snapshot and reads the journal.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    ops::Range,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, Receiver},
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
const FORMAT: u32 = 15;

/// Approximate size of a segment in bytes. Several processors decode segments in parallel.
const SEGMENT: usize = 1 << 20;

/// Length of the header in bytes: magic, format, version, position, digest, length, hash.
const HEADER: usize = 16 + 4 + 16 + 8 + 32 + 8 + 32;

/// An operation without its changes, and the number of its changes.
#[derive(Serialize, Deserialize)]
struct Head {
    position: Position,
    author: Author,
    recorded: Timestamp,
    summary: String,
    changes: u64,
}

/// The contents of a snapshot.
pub(crate) struct Snapshot {
    pub(crate) at: JournalPosition,
    /// Position up to which the journal in the snapshot is compacted.
    pub(crate) compacted_to: Position,
    pub(crate) operations: Operations,
}

/// Iterator over the operations of a snapshot, in the order of their positions. Other threads decode the operations
/// meanwhile. An error text says why the snapshot cannot be used.
pub(crate) struct Operations {
    heads: std::vec::IntoIter<Head>,
    segments: Receiver<(usize, Result<Segment, String>)>,
    /// Decoded segments that must wait, because an earlier segment is not decoded yet.
    early: BTreeMap<usize, Result<Segment, String>>,
    /// Number of the next segment. The fields `changes` and `keys` have the rest of the previous segment.
    next: usize,
    changes: std::vec::IntoIter<Change>,
    keys: std::vec::IntoIter<Option<Key>>,
}

/// Decoded changes, and the key that each change writes.
type Segment = (Vec<Change>, Vec<Option<Key>>);

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
    // The header contains the length and the hash of the contents, so it is written after them.
    file.seek(SeekFrom::Start(HEADER as u64))?;
    let mut content = HashingWriter { file: &mut *file, length: 0, hasher: blake3::Hasher::new() };
    encode(compacted_to, operations, &mut content)?;
    let (length, hash) = (content.length, content.hasher.finalize());
    let mut header = Vec::with_capacity(HEADER);
    header.extend_from_slice(MAGIC);
    header.extend_from_slice(&FORMAT.to_le_bytes());
    header.extend_from_slice(&version());
    header.extend_from_slice(&at.position.0.to_le_bytes());
    header.extend_from_slice(&at.digest);
    header.extend_from_slice(&length.to_le_bytes());
    header.extend_from_slice(hash.as_bytes());
    file.rewind()?;
    file.write_all(&header)
}

/// Writes to a file, and computes the length and the hash of the written data.
struct HashingWriter<'a, W> {
    file: &'a mut W,
    length: u64,
    hasher: blake3::Hasher,
}

impl<W: Write> Write for HashingWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.hasher.update(&bytes[..count]);
        self.length += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Writes operations as frames. A frame consists of its length in bytes, the number of its elements, and its contents.
/// The first frame contains the *heads* of all operations: the operations without their changes. The other frames are
/// segments of changes. The id of a knowledge edge or passage follows the change that adds it, because reading the id
/// takes less time than computing it.
fn encode(compacted_to: Position, operations: &[Placed], content: &mut impl Write) -> io::Result<()> {
    let heads = operations.iter().map(|(position, operation)| Head {
        position: *position,
        author: operation.author.clone(),
        recorded: operation.recorded,
        summary: operation.summary.clone(),
        changes: operation.changes.len() as u64,
    });
    let heads = postcard::to_stdvec(&(compacted_to, heads.collect::<Vec<_>>())).map_err(io::Error::other)?;
    let mut write_frame = |count: u64, segment: &[u8]| -> io::Result<()> {
        content.write_all(&(segment.len() as u64).to_le_bytes())?;
        content.write_all(&count.to_le_bytes())?;
        content.write_all(segment)
    };
    write_frame(operations.len() as u64, &heads)?;
    let (mut segment, mut count) = (Vec::with_capacity(SEGMENT * 2), 0);
    for change in operations.iter().flat_map(|(_, operation)| &operation.changes) {
        segment = postcard::to_extend(change, segment).map_err(io::Error::other)?;
        segment = match change {
            Change::Learn(edge) => postcard::to_extend(&edge.id(), segment),
            Change::AddPassage(passage) => postcard::to_extend(&passage.id(), segment),
            _ => Ok(segment),
        }
        .map_err(io::Error::other)?;
        count += 1;
        if segment.len() >= SEGMENT {
            write_frame(count, &segment)?;
            segment.clear();
            count = 0;
        }
    }
    write_frame(count, &segment)
}

/// Reads the snapshot of a directory. Returns `None` if there is no snapshot. The error text says why the snapshot
/// cannot be used.
pub(crate) fn read(directory: &Path) -> Result<Option<Snapshot>, String> {
    let mut file = match File::open(directory.join(FILE)) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    parse(bytes).map(Some)
}

/// Reads the bytes of a snapshot. The error text says why the snapshot cannot be used.
fn parse(mut bytes: Vec<u8>) -> Result<Snapshot, String> {
    let (header, content) = bytes.split_at_checked(HEADER).ok_or("it is truncated")?;
    let number = |at: usize| header[at..at + 8].try_into().map(u64::from_le_bytes).map_err(|_| "it is truncated");
    if header[..16] != *MAGIC {
        return Err("it is not a snapshot".into());
    }
    if header[16..20] != FORMAT.to_le_bytes() || header[20..36] != version() {
        return Err(OTHER_VERSION.into());
    }
    if number(76)? != content.len() as u64 || header[84..] != *blake3::hash(content).as_bytes() {
        return Err("its content was changed".into());
    }
    let at = JournalPosition {
        position: Position(number(36)?),
        digest: header[44..76].try_into().map_err(|_| "it is truncated")?,
    };
    let unreadable = |error| format!("it cannot be read: {error}");
    let frames = frames(content).map_err(unreadable)?;
    let heads = frames.first().map(|frame| &content[frame.range.clone()]).ok_or("it is empty")?;
    let (compacted_to, heads): (Position, Vec<Head>) =
        postcard::from_bytes(heads).map_err(|error| unreadable(error.to_string()))?;
    let tail = heads.iter().filter(|head| head.position > compacted_to).count() as u64;
    if compacted_to.0 + tail != at.position.0 {
        return Err("some of its operations are missing".into());
    }
    bytes.drain(..HEADER);
    let segments = decode(bytes, frames);
    let (early, (changes, keys)) = <(BTreeMap<_, _>, Segment)>::default();
    let (changes, keys) = (changes.into_iter(), keys.into_iter());
    let operations = Operations { heads: heads.into_iter(), segments, early, next: 1, changes, keys };
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
    parse(bytes)?.fold()
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
    /// Returns the changes of the next segment, or `None` after the last segment.
    fn segment(&mut self) -> Option<Result<Segment, String>> {
        while !self.early.contains_key(&self.next) {
            let (number, segment) = self.segments.recv().ok()?;
            self.early.insert(number, segment);
        }
        self.next += 1;
        self.early.remove(&(self.next - 1))
    }
}

impl Iterator for Operations {
    type Item = Result<Recorded, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let Head { position, author, recorded, summary, changes: count } = self.heads.next()?;
        let (mut changes, mut keys) = Segment::default();
        while (changes.len() as u64) < count {
            if self.changes.len() == 0 {
                match self.segment() {
                    Some(Ok((changes, keys))) => (self.changes, self.keys) = (changes.into_iter(), keys.into_iter()),
                    Some(Err(error)) => return Some(Err(format!("it cannot be read: {error}"))),
                    None => return Some(Err("the changes of its last operations are missing".into())),
                }
            }
            let left = (count as usize).saturating_sub(changes.len()).min(self.changes.len());
            // Reserves the exact capacity, because the changes stay in memory as long as the state.
            changes.reserve_exact(left);
            changes.extend(self.changes.by_ref().take(left));
            keys.extend(self.keys.by_ref().take(left));
        }
        Some(Ok(Recorded { position, operation: Operation { author, recorded, summary, changes }, keys }))
    }
}

/// The byte range of a frame in the contents, and the number of its elements.
#[derive(Clone)]
struct Frame {
    count: u64,
    range: Range<usize>,
}

fn frames(content: &[u8]) -> Result<Vec<Frame>, String> {
    let (mut frames, mut at) = (Vec::new(), 0);
    while at < content.len() {
        let short = "a segment is truncated";
        let lengths = content.get(at..at + 16).ok_or(short)?;
        let number = |bytes: &[u8]| bytes.try_into().map(u64::from_le_bytes).map_err(|_| short);
        let (length, count) = (number(&lengths[..8])?, number(&lengths[8..])?);
        let end = usize::try_from(length).ok().and_then(|length| (at + 16).checked_add(length)).ok_or(short)?;
        content.get(at + 16..end).ok_or(short)?;
        frames.push(Frame { count, range: at + 16..end });
        at = end;
    }
    Ok(frames)
}

/// Decodes segments on several threads. The receiver gets each decoded segment with its number.
fn decode(content: Vec<u8>, frames: Vec<Frame>) -> Receiver<(usize, Result<Segment, String>)> {
    let (sender, receiver) = mpsc::channel();
    // Leaves one processor for folding the decoded operations.
    let threads = std::thread::available_parallelism().map_or(1, usize::from).saturating_sub(1).clamp(1, 4);
    // Segment 0 contains the heads.
    let (shared, next) = (Arc::new((content, frames)), Arc::new(AtomicUsize::new(1)));
    for _ in 0..threads {
        let (shared, next, sender) = (Arc::clone(&shared), Arc::clone(&next), sender.clone());
        std::thread::spawn(move || {
            let (content, frames) = &*shared;
            let mut ids = SharedIds::default();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(Frame { count, range }) = frames.get(number) else { return };
                let read = ids.share(|| segment(*count, &content[range.clone()]));
                if sender.send((number, read)).is_err() {
                    return;
                }
            }
        });
    }
    receiver
}

fn segment(count: u64, mut rest: &[u8]) -> Result<Segment, String> {
    fn take<'a, T: Deserialize<'a>>(rest: &mut &'a [u8]) -> Result<T, String> {
        let (value, after) = postcard::take_from_bytes(rest).map_err(|error| error.to_string())?;
        *rest = after;
        Ok(value)
    }
    // Each change takes at least one byte, so the number of bytes limits the capacity.
    let count = (count as usize).min(rest.len());
    let (mut changes, mut keys) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for _ in 0..count {
        let change: Change = take(&mut rest)?;
        keys.push(match &change {
            Change::Learn(_) => Some(Key::KnowledgeEdge(take::<KnowledgeId>(&mut rest)?)),
            Change::AddPassage(_) => Some(Key::Passage(take::<PassageId>(&mut rest)?)),
            change => change.written_key(),
        });
        changes.push(change);
    }
    Ok((changes, keys))
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
        let path = directory.path().join(FILE);
        let good = std::fs::read(&path).unwrap();
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x40;
            std::fs::write(&path, &bad).unwrap();
            let read = read(directory.path());
            // The hash does not cover position and digest, because they are compared with the journal when the campaign
            // is opened.
            assert!(read.is_err() || (36..76).contains(&at), "byte {at}");
            std::fs::write(&path, &good[..at]).unwrap();
            assert!(super::read(directory.path()).is_err(), "cut at {at}");
        }
    }
}
