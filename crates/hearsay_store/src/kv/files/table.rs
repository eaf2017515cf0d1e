//! Tables: sorted entries in blocks with a checksum each, an index of them, and a footer.

use std::ops::Range;

use super::{Entry, bytes::Bytes};

const MAGIC: [u8; 8] = [0x57, 0xFB, 0x80, 0x8B, 0x24, 0x75, 0x47, 0xDB];
const FOOTER: usize = 50;

/// Bytes behind a block: how it is compressed, and its checksum.
const TRAILER: usize = 5;

/// What follows a key in a block: sequence number and kind, and a time.
const KEY_TRAILER: usize = 16;

/// The longest block that is looked for where the index is damaged. A block ends after the entry that makes it large, and
/// no value is larger than this.
const LONGEST: usize = 4 << 20;

/// A key of the database begins with one of these.
const KEY_STARTS: &[u8] = b"/!";

/// Reads every entry whose block is as it was written. Returns what is damaged.
pub(super) fn read(table: &[u8], each: &mut dyn FnMut(Entry<'_>)) -> Vec<String> {
    let mut damage = Vec::new();
    match layout(table) {
        Ok(layout) => {
            for block in &layout.data {
                match content(table, block) {
                    Some(block) => entries(block, each),
                    None => damage.push(format!("the block at byte {} is not as it was written", block.start)),
                }
            }
            for block in layout.other.iter().filter(|block| content(table, block).is_none()) {
                damage.push(format!("the filter at byte {} is not as it was written", block.start));
            }
            damage.extend(uncovered(table, layout));
        }
        Err(reason) => {
            damage.push(reason);
            let mut end = 0;
            while let Some(block) = next_block(table, end) {
                if let Some(content) = content(table, &block) {
                    entries(content, each);
                }
                end = block.end + TRAILER;
            }
        }
    }
    damage
}

/// Where the blocks of a table are, without their trailers.
struct Layout {
    data: Vec<Range<usize>>,
    /// Index blocks, which were read, and the filter.
    other: Vec<Range<usize>>,
}

/// Finds the blocks by the index.
fn layout(table: &[u8]) -> Result<Layout, String> {
    let footer = table.len().checked_sub(FOOTER).map(|start| &table[start..]).ok_or("it is cut short")?;
    let (handles, magic) = footer.split_at(FOOTER - MAGIC.len());
    let mut bytes = Bytes(handles);
    let ends_well = bytes.take(2) == Some(&[1, 1]) && magic == MAGIC;
    let (meta, index) = (handle(&mut bytes), handle(&mut bytes));
    let (Some(meta), Some(index), true) = (meta, index, ends_well && bytes.0.iter().all(|byte| *byte == 0)) else {
        return Err("its end is missing or damaged".into());
    };
    let read = |block: &Range<usize>| {
        content(table, block).ok_or_else(|| format!("its index at byte {} is not as it was written", block.start))
    };
    let mut layout = Layout { data: Vec::new(), other: vec![meta.clone(), index.clone()] };
    for part in handles_in(read(&index)?) {
        layout.data.extend(handles_in(read(&part)?));
        layout.other.push(part);
    }
    let mut filters = Vec::new();
    raw_entries(read(&meta)?, &mut |key, value| {
        if key.starts_with(b"filter.") {
            filters.extend(handle(&mut Bytes(value)));
        }
    });
    layout.other.extend(filters);
    Ok(layout)
}

/// A gap between the blocks, if there is one.
fn uncovered(table: &[u8], layout: Layout) -> Option<String> {
    let mut blocks: Vec<_> = layout.data.into_iter().chain(layout.other).collect();
    blocks.sort_by_key(|block| block.start);
    let mut end = 0;
    for block in blocks {
        if block.start != end {
            break;
        }
        end = block.end + TRAILER;
    }
    (end + FOOTER != table.len()).then(|| format!("what follows byte {end} belongs to no block"))
}

/// Where a block is, as an index says it.
fn handle(bytes: &mut Bytes<'_>) -> Option<Range<usize>> {
    let (offset, size) = (bytes.varint()?, bytes.varint()?);
    let start = usize::try_from(offset).ok()?;
    Some(start..start.checked_add(usize::try_from(size).ok()?)?)
}

fn handles_in(index: &[u8]) -> Vec<Range<usize>> {
    let mut handles = Vec::new();
    raw_entries(index, &mut |_, value| handles.extend(handle(&mut Bytes(value))));
    handles
}

/// The content of a block; nothing, when its checksum is another.
fn content<'a>(table: &'a [u8], block: &Range<usize>) -> Option<&'a [u8]> {
    let found = table.get(block.clone())?;
    let trailer: [u8; TRAILER] = table.get(block.end..block.end.checked_add(TRAILER)?)?.try_into().ok()?;
    let [compression, check @ ..] = trailer;
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(found);
    (compression == 0 && is_checksum(hasher, compression, check)).then_some(found)
}

/// Whether `check` is the checksum of what was hashed and the way it is compressed.
fn is_checksum(mut hasher: crc32fast::Hasher, compression: u8, check: [u8; 4]) -> bool {
    hasher.update(&[compression]);
    hasher.finalize().rotate_right(15).wrapping_add(0xA282_EAD8) == u32::from_le_bytes(check)
}

/// Finds the next whole block from an offset on by its checksum.
fn next_block(table: &[u8], from: usize) -> Option<Range<usize>> {
    (from..table.len()).filter(|start| begins_block(&table[*start..])).find_map(|start| {
        let longest = &table[start..table.len().min(start + LONGEST)];
        let mut hasher = crc32fast::Hasher::new();
        for (length, window) in longest.windows(TRAILER).enumerate() {
            if let [0, check @ ..] = window
                && let Ok(check) = check.try_into()
                && is_checksum(hasher.clone(), 0, check)
            {
                return Some(start..start + length);
            }
            hasher.update(&window[..1]);
        }
        None
    })
}

/// Whether bytes may be the begin of a block: its first entry has a whole key.
fn begins_block(bytes: &[u8]) -> bool {
    let mut bytes = Bytes(bytes);
    let (shared, length, _value) = (bytes.varint(), bytes.varint(), bytes.varint());
    shared == Some(0) && length > Some(KEY_TRAILER as u64) && bytes.u8().is_some_and(|byte| KEY_STARTS.contains(&byte))
}

/// Hands over the entries of a block with their encoded keys and values.
fn raw_entries(block: &[u8], each: &mut dyn FnMut(&[u8], &[u8])) {
    // The block ends with the places where keys are whole, and their number.
    let Some((rest, count)) = block.split_last_chunk::<4>() else { return };
    let restarts = (u32::from_le_bytes(*count) as usize).saturating_mul(4);
    let mut bytes = Bytes(&rest[..rest.len().saturating_sub(restarts)]);
    let mut key = Vec::new();
    while !bytes.0.is_empty() {
        let entry = (|| {
            let (shared, suffix, value) = (bytes.varint()?, bytes.varint()?, bytes.varint()?);
            let suffix = bytes.take(usize::try_from(suffix).ok()?)?;
            Some((usize::try_from(shared).ok()?, suffix, bytes.take(usize::try_from(value).ok()?)?))
        })();
        let Some((shared, suffix, value)) = entry.filter(|(shared, ..)| *shared <= key.len()) else { return };
        key.truncate(shared);
        key.extend_from_slice(suffix);
        each(&key, value);
    }
}

/// Hands over the entries of a block of data. Those of an index, which hold no values, are passed over.
fn entries(block: &[u8], each: &mut dyn FnMut(Entry<'_>)) {
    raw_entries(block, &mut |key, value| {
        let Some((key, mut trailer)) = key.len().checked_sub(KEY_TRAILER).map(|end| (&key[..end], Bytes(&key[end..])))
        else {
            return;
        };
        let Some(trailer) = trailer.u64() else { return };
        if let Some(entry) = Entry::of(trailer as u8, key, trailer >> 8, value) {
            each(entry);
        }
    });
}
