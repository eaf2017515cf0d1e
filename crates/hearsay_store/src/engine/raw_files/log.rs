//! Reads segments of the write-ahead log. A segment consists of blocks of 32 KiB. Each batch of entries is one record.
//! A record has one part or several parts in consecutive blocks. Each part has a checksum.

use super::{bytes::Bytes, entry::Entry};

const BLOCK_BYTES: usize = 32 << 10;
const HEADER_BYTES: usize = 7;

/// Version of the batch format.
const BATCH_VERSION: u8 = 1;

/// Damage to a segment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SegmentDamage {
    /// Offset in bytes of the first damage that is followed by an intact record.
    pub(super) inside: Option<usize>,
    /// Offset in bytes of damage at the end of the segment, after the last intact record. Usually, a killed program
    /// left an incomplete record there.
    pub(super) at_end: Option<usize>,
}

/// A part of a record.
struct Part<'a> {
    kind: u8,
    payload: &'a [u8],
    end: usize,
}

const FULL: u8 = 1;
const FIRST: u8 = 2;
const MIDDLE: u8 = 3;
const LAST: u8 = 4;

/// Passes the entries of all intact batches to `visit`. Returns the damage.
pub(super) fn read(segment: &[u8], visit: &mut dyn FnMut(Entry<'_>)) -> SegmentDamage {
    let mut damage = SegmentDamage::default();
    // Offset of the first damage after the last intact record so far.
    let mut pending_damage = None::<usize>;
    let mut record = None::<(usize, Vec<u8>)>;
    let mut at = 0;
    while at < segment.len() {
        let end = segment.len().min((at / BLOCK_BYTES + 1) * BLOCK_BYTES);
        if is_padding(&segment[at..end]) {
            at = end;
            continue;
        }
        let Some(part) = read_part(segment, at) else {
            let start = record.take().map_or(at, |(start, _)| start);
            pending_damage.get_or_insert(start);
            at = resume_offset(segment, at);
            continue;
        };
        let start = at;
        at = part.end;
        let is_readable = match (part.kind, record.take()) {
            (FULL, None) => Some(read_batch(part.payload, visit)),
            (FIRST, None) => {
                record = Some((start, part.payload.to_vec()));
                continue;
            }
            (MIDDLE, Some((start, mut content))) => {
                content.extend_from_slice(part.payload);
                record = Some((start, content));
                continue;
            }
            (LAST, Some((_, mut content))) => {
                content.extend_from_slice(part.payload);
                Some(read_batch(&content, visit))
            }
            // A new record begins, but the previous record has no last part.
            (FULL | FIRST, Some((unfinished, _))) => {
                pending_damage.get_or_insert(unfinished);
                at = start;
                None
            }
            // The first part of this record is lost.
            _ => {
                pending_damage.get_or_insert(start);
                None
            }
        };
        match is_readable {
            Some(true) => damage.inside = damage.inside.or(pending_damage.take()),
            Some(false) => _ = pending_damage.get_or_insert(start),
            None => {}
        }
    }
    let unfinished = record.map(|(start, _)| start);
    damage.at_end = pending_damage.or(unfinished);
    damage
}

/// Returns whether the rest of a block consists of zeros, so that it contains no record.
fn is_padding(rest: &[u8]) -> bool {
    rest.iter().all(|byte| *byte == 0)
}

/// Returns the part of a record that starts at offset `at`, or `None` if that part is damaged.
fn read_part(segment: &[u8], at: usize) -> Option<Part<'_>> {
    let block_end = segment.len().min((at / BLOCK_BYTES + 1) * BLOCK_BYTES);
    let mut bytes = Bytes(segment.get(at..block_end)?);
    let (check, length, kind) = (bytes.u32()?, bytes.u16()?, bytes.u8()?);
    let payload = bytes.take(length.into())?;
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&[kind]);
    hasher.update(payload);
    let is_known_kind = (FULL..=LAST).contains(&kind);
    (is_known_kind && hasher.finalize() == check).then_some(Part {
        kind,
        payload,
        end: at + HEADER_BYTES + payload.len(),
    })
}

/// Returns the offset at which reading continues after a damaged part. If an intact part starts where the damaged part
/// ends, reading continues there. Otherwise, reading continues at the next block.
fn resume_offset(segment: &[u8], at: usize) -> usize {
    let block_end = segment.len().min((at / BLOCK_BYTES + 1) * BLOCK_BYTES);
    let length = Bytes(segment.get(at + 4..block_end).unwrap_or_default()).u16();
    let next = length.map(|length| at + HEADER_BYTES + usize::from(length)).filter(|next| *next < block_end);
    next.filter(|next| read_part(segment, *next).is_some()).unwrap_or(block_end)
}

/// Passes the entries of a batch to `visit`. Returns whether the batch is readable. If the batch is not readable, none
/// of its entries is passed.
fn read_batch(content: &[u8], visit: &mut dyn FnMut(Entry<'_>)) -> bool {
    let mut bytes = Bytes(content);
    let entries = (|| {
        (bytes.u8()? == BATCH_VERSION).then_some(())?;
        let (first, count) = (bytes.varint()?, bytes.varint()?);
        let mut entries = Vec::new();
        for index in 0..count {
            let (kind, key, value, _time) = (bytes.u8()?, bytes.prefixed()?, bytes.prefixed()?, bytes.varint()?);
            entries.extend(Entry::new(kind, key, first.checked_add(index)?, value));
        }
        Some(entries)
    })();
    let is_readable = entries.is_some();
    entries.into_iter().flatten().for_each(visit);
    is_readable
}
