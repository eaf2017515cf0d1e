//! The snapshot: the journal up to a position in a form that is quick to read. Derived, and deletable at any time.
//!
//! A file of a header (magic, format, position, digest of the journal's entry there, length and blake3 hash of the
//! rest, the version of this crate) and segments of postcard. One that does not agree with the journal is left alone
//! and reported, never an error.

use std::{
    fs::File,
    io::{BufWriter, Read, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use hearsay_model::{Author, Change, Operation, Position, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{StoreError, mark::Acknowledged};

/// The file's name within the campaign's directory.
pub(crate) const FILE: &str = "snapshot";

const MAGIC: &[u8; 16] = b"hearsay snapshot";

/// Why a snapshot is not used that is not damaged.
pub(crate) const OTHER_VERSION: &str = "another version of Hearsay wrote it";

/// Changes whenever the form does, the form of the model's types included.
const FORMAT: u32 = 7;

/// Bytes of a segment, about. Segments are read by all processors at once.
const SEGMENT: usize = 1 << 20;

/// Length of the header: magic, format, version, position, digest, length, hash.
const HEADER: usize = 16 + 4 + 16 + 8 + 32 + 8 + 32;

/// An operation without its changes, and how many there are.
#[derive(Serialize, Deserialize)]
struct Head {
    author: Author,
    recorded: Timestamp,
    summary: String,
    changes: u64,
}

/// What a snapshot holds.
pub(crate) struct Snapshot {
    pub(crate) at: Acknowledged,
    pub(crate) operations: Vec<Operation>,
}

/// The version of this crate, in 16 bytes: a snapshot of another version is not trusted to have the same types.
fn version() -> [u8; 16] {
    let mut version = [0; 16];
    for (to, from) in version.iter_mut().zip(env!("CARGO_PKG_VERSION").bytes()) {
        *to = from;
    }
    version
}

/// Writes a snapshot: to a file beside, then in place of the old one.
pub(crate) fn write(directory: &Path, at: Acknowledged, operations: &[Arc<Operation>]) -> Result<(), StoreError> {
    let (path, beside) = (directory.join(FILE), directory.join("snapshot.new"));
    let failed = |path: &Path, source: std::io::Error| StoreError::File {
        action: "write",
        path: path.into(),
        advice: "check that the disk has room; the campaign itself is safe",
        source,
    };
    let content = encode(operations).map_err(|error| failed(&beside, std::io::Error::other(error)))?;
    let mut header = Vec::with_capacity(HEADER);
    header.extend_from_slice(MAGIC);
    header.extend_from_slice(&FORMAT.to_le_bytes());
    header.extend_from_slice(&version());
    header.extend_from_slice(&at.position.0.to_le_bytes());
    header.extend_from_slice(&at.digest);
    header.extend_from_slice(&(content.len() as u64).to_le_bytes());
    header.extend_from_slice(blake3::hash(&content).as_bytes());
    let put = || {
        let mut file = BufWriter::new(File::create(&beside)?);
        file.write_all(&header)?;
        file.write_all(&content)?;
        file.into_inner().map_err(|error| error.into_error())?.sync_all()?;
        std::fs::rename(&beside, &path)
    };
    put().map_err(|source| {
        // On a full disk, what was written of it only takes room.
        let _ = std::fs::remove_file(&beside);
        failed(&beside, source)
    })
}

/// Heads, and segments of changes: count of heads, heads, then per segment its length, its count and its changes.
fn encode(operations: &[Arc<Operation>]) -> Result<Vec<u8>, postcard::Error> {
    let heads = operations.iter().map(|operation| Head {
        author: operation.author.clone(),
        recorded: operation.recorded,
        summary: operation.summary.clone(),
        changes: operation.changes.len() as u64,
    });
    let heads = postcard::to_stdvec(&heads.collect::<Vec<_>>())?;
    let mut content = Vec::with_capacity(heads.len() + 8);
    let frame = |content: &mut Vec<u8>, count: u64, segment: &[u8]| {
        content.extend_from_slice(&(segment.len() as u64).to_le_bytes());
        content.extend_from_slice(&count.to_le_bytes());
        content.extend_from_slice(segment);
    };
    frame(&mut content, operations.len() as u64, &heads);
    let (mut segment, mut count) = (Vec::with_capacity(SEGMENT * 2), 0);
    for change in operations.iter().flat_map(|operation| &operation.changes) {
        segment = postcard::to_extend(change, segment)?;
        count += 1;
        if segment.len() >= SEGMENT {
            frame(&mut content, count, &segment);
            segment.clear();
            count = 0;
        }
    }
    frame(&mut content, count, &segment);
    Ok(content)
}

/// Reads the snapshot of a directory; nothing, when there is none. The text says why one cannot be used.
pub(crate) fn read(directory: &Path) -> Result<Option<Snapshot>, String> {
    let path: PathBuf = directory.join(FILE);
    let mut file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    let (header, content) = bytes.split_at_checked(HEADER).ok_or("it is cut short")?;
    let number = |at: usize| header[at..at + 8].try_into().map(u64::from_le_bytes).map_err(|_| "it is cut short");
    if header[..16] != *MAGIC {
        return Err("it is no snapshot".into());
    }
    if header[16..20] != FORMAT.to_le_bytes() || header[20..36] != version() {
        return Err(OTHER_VERSION.into());
    }
    if number(76)? != content.len() as u64 || header[84..] != *blake3::hash(content).as_bytes() {
        return Err("its content is not what was written".into());
    }
    let at = Acknowledged {
        position: Position(number(36)?),
        digest: header[44..76].try_into().map_err(|_| "it is cut short")?,
    };
    let operations = decode(content).map_err(|error| format!("it cannot be read: {error}"))?;
    if operations.len() as u64 != at.position.0 {
        return Err("it does not hold every operation".into());
    }
    Ok(Some(Snapshot { at, operations }))
}

fn decode(content: &[u8]) -> Result<Vec<Operation>, String> {
    let mut frames = Vec::new();
    let mut rest = content;
    while !rest.is_empty() {
        let short = "a segment is cut short";
        let (lengths, after) = rest.split_at_checked(16).ok_or(short)?;
        let number = |bytes: &[u8]| bytes.try_into().map(u64::from_le_bytes).map_err(|_| short);
        let (length, count) = (number(&lengths[..8])?, number(&lengths[8..])?);
        let length = usize::try_from(length).map_err(|_| short)?;
        let (frame, after) = after.split_at_checked(length).ok_or(short)?;
        frames.push((count, frame));
        rest = after;
    }
    let (_, heads) = frames.first().ok_or("it is empty")?;
    let heads: Vec<Head> = postcard::from_bytes(heads).map_err(|error| error.to_string())?;
    let segments = changes(&frames[1..])?;
    let mut left = segments.iter().map(Vec::len).sum::<usize>();
    let mut all = segments.into_iter().flatten();
    let mut operations = Vec::with_capacity(heads.len());
    for Head { author, recorded, summary, changes: count } in heads {
        // Exactly so many: they are kept as long as the state.
        let mut changes = Vec::with_capacity(left.min(count as usize));
        changes.extend(all.by_ref().take(count as usize));
        left -= changes.len();
        if changes.len() as u64 != count {
            return Err("changes are missing".into());
        }
        operations.push(Operation { author, recorded, summary, changes });
    }
    Ok(operations)
}

/// Decodes segments, every processor some of them.
fn changes(frames: &[(u64, &[u8])]) -> Result<Vec<Vec<Change>>, String> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(4);
    let share = frames.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let workers: Vec<_> = frames
            .chunks(share)
            .map(|frames| scope.spawn(|| frames.iter().map(|(count, frame)| segment(*count, frame)).collect()))
            .collect();
        let mut all = Vec::with_capacity(frames.len());
        for worker in workers {
            let decoded: Result<Vec<Vec<Change>>, String> = worker.join().map_err(|_| "decoding stopped")?;
            all.extend(decoded?);
        }
        Ok(all)
    })
}

fn segment(count: u64, mut rest: &[u8]) -> Result<Vec<Change>, String> {
    // A count is bounded by the bytes that are there: each change takes at least one.
    let mut changes = Vec::with_capacity((count as usize).min(rest.len()));
    for _ in 0..count {
        let (change, after) = postcard::take_from_bytes(rest).map_err(|error| error.to_string())?;
        changes.push(change);
        rest = after;
    }
    Ok(changes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearsay_model::{Condition, Entity, EntityId, Reveal, Setting, Value};

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
                let reveal = Setting::Reveal(Reveal { id, fact, holder: None, when, note: None });
                let mut changes = vec![add; n + 1];
                changes.extend([Change::Set(reveal), Change::SetFlag { name: "f".into(), value: is }]);
                Arc::new(Operation::new(Author::Player("Ann".into()), "add", changes))
            })
            .collect();
        let at = Acknowledged { position: Position(3), digest: [7; 32] };
        write(directory.path(), at, &operations).unwrap();
        let snapshot = read(directory.path()).unwrap().unwrap();
        assert_eq!(snapshot.at, at);
        assert!(snapshot.operations.iter().eq(operations.iter().map(|operation| &**operation)));
        let path = directory.path().join(FILE);
        let good = std::fs::read(&path).unwrap();
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x40;
            std::fs::write(&path, &bad).unwrap();
            let read = read(directory.path());
            // Position and digest are compared with the journal.
            assert!(read.is_err() || (36..76).contains(&at), "byte {at}");
            std::fs::write(&path, &good[..at]).unwrap();
            assert!(super::read(directory.path()).is_err(), "cut at {at}");
        }
    }
}
