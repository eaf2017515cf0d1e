//! Reads tables. A table consists of blocks of sorted entries, an index of the blocks, and a footer. Each block has a
//! checksum.

use std::ops::Range;

use super::{bytes::Bytes, entry::Entry};

const MAGIC: [u8; 8] = [0x57, 0xFB, 0x80, 0x8B, 0x24, 0x75, 0x47, 0xDB];
const FOOTER_BYTES: usize = 50;

/// Number of bytes after a block: the compression type and the checksum.
const TRAILER_BYTES: usize = 5;

/// Number of bytes after a key in a block: 8 for sequence number and kind, 8 for a time.
const KEY_TRAILER_BYTES: usize = 16;

/// Maximum size of a block, in bytes. If the index is damaged, this limit bounds the search for blocks. A block ends
/// after the entry that exceeds its target size, and no value is larger than this limit.
const MAX_BLOCK_BYTES: usize = 4 << 20;

/// Possible first bytes of a key.
const FIRST_KEY_BYTES: &[u8] = b"/!";

/// Passes the entries of all intact blocks to `visit`. Returns descriptions of the damage.
pub(super) fn read(table: &[u8], visit: &mut dyn FnMut(Entry<'_>)) -> Vec<String> {
    let mut damage = Vec::new();
    match read_layout(table) {
        Ok(layout) => {
            for block in &layout.data {
                match block_content(table, block) {
                    Some(content) => visit_entries(content, visit),
                    None => damage.push(format!("the block at byte {} is damaged", block.start)),
                }
            }
            for block in layout.other.iter().filter(|block| block_content(table, block).is_none()) {
                damage.push(format!("the filter at byte {} is damaged", block.start));
            }
            damage.extend(describe_gap(table, layout));
        }
        Err(reason) => {
            damage.push(reason);
            let mut end = 0;
            while let Some(block) = next_block(table, end) {
                if let Some(content) = block_content(table, &block) {
                    visit_entries(content, visit);
                }
                end = block.end + TRAILER_BYTES;
            }
        }
    }
    damage
}

/// Byte ranges of the blocks of a table, without their trailers.
struct Layout {
    data: Vec<Range<usize>>,
    /// Index blocks, meta block and filters.
    other: Vec<Range<usize>>,
}

/// Finds the blocks through the index.
fn read_layout(table: &[u8]) -> Result<Layout, String> {
    let footer = table.len().checked_sub(FOOTER_BYTES).map(|start| &table[start..]).ok_or("it is truncated")?;
    let (handles, magic) = footer.split_at(FOOTER_BYTES - MAGIC.len());
    let mut bytes = Bytes(handles);
    let has_valid_end = bytes.take(2) == Some(&[1, 1]) && magic == MAGIC;
    let (meta, index) = (read_block_range(&mut bytes), read_block_range(&mut bytes));
    let (Some(meta), Some(index), true) = (meta, index, has_valid_end && bytes.0.iter().all(|byte| *byte == 0)) else {
        return Err("its end is missing or damaged".into());
    };
    let read = |block: &Range<usize>| {
        block_content(table, block).ok_or_else(|| format!("its index at byte {} is damaged", block.start))
    };
    let mut layout = Layout { data: Vec::new(), other: vec![meta.clone(), index.clone()] };
    for part in read_block_ranges(read(&index)?) {
        layout.data.extend(read_block_ranges(read(&part)?));
        layout.other.push(part);
    }
    let mut filters = Vec::new();
    visit_raw_entries(read(&meta)?, &mut |key, value| {
        if key.starts_with(b"filter.") {
            filters.extend(read_block_range(&mut Bytes(value)));
        }
    });
    layout.other.extend(filters);
    Ok(layout)
}

/// Returns a description of the first bytes that belong to no block, if there are such bytes.
fn describe_gap(table: &[u8], layout: Layout) -> Option<String> {
    let mut blocks: Vec<_> = layout.data.into_iter().chain(layout.other).collect();
    blocks.sort_by_key(|block| block.start);
    let mut end = 0;
    for block in blocks {
        if block.start != end {
            break;
        }
        end = block.end + TRAILER_BYTES;
    }
    (end + FOOTER_BYTES != table.len()).then(|| format!("the data after byte {end} belongs to no block"))
}

/// Decodes the byte range of a block from an index entry.
fn read_block_range(bytes: &mut Bytes<'_>) -> Option<Range<usize>> {
    let (offset, size) = (bytes.varint()?, bytes.varint()?);
    let start = usize::try_from(offset).ok()?;
    Some(start..start.checked_add(usize::try_from(size).ok()?)?)
}

fn read_block_ranges(index: &[u8]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    visit_raw_entries(index, &mut |_, value| ranges.extend(read_block_range(&mut Bytes(value))));
    ranges
}

/// Returns the contents of a block, or `None` if its checksum does not match.
fn block_content<'a>(table: &'a [u8], block: &Range<usize>) -> Option<&'a [u8]> {
    let content = table.get(block.clone())?;
    let trailer: [u8; TRAILER_BYTES] = table.get(block.end..block.end.checked_add(TRAILER_BYTES)?)?.try_into().ok()?;
    let [compression, check @ ..] = trailer;
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(content);
    (compression == 0 && is_checksum(hasher, compression, check)).then_some(content)
}

/// Returns whether `check` is the checksum of the hashed bytes and the compression type.
fn is_checksum(mut hasher: crc32fast::Hasher, compression: u8, check: [u8; 4]) -> bool {
    hasher.update(&[compression]);
    hasher.finalize().rotate_right(15).wrapping_add(0xA282_EAD8) == u32::from_le_bytes(check)
}

/// Finds the next intact block at or after an offset. Recognises the block by its checksum.
fn next_block(table: &[u8], from: usize) -> Option<Range<usize>> {
    (from..table.len()).filter(|start| begins_block(&table[*start..])).find_map(|start| {
        let candidate = &table[start..table.len().min(start + MAX_BLOCK_BYTES)];
        let mut hasher = crc32fast::Hasher::new();
        for (length, window) in candidate.windows(TRAILER_BYTES).enumerate() {
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

/// Returns whether the bytes can be the beginning of a block: an entry with a complete key.
fn begins_block(bytes: &[u8]) -> bool {
    let mut bytes = Bytes(bytes);
    let (shared, length, _value) = (bytes.varint(), bytes.varint(), bytes.varint());
    shared == Some(0)
        && length > Some(KEY_TRAILER_BYTES as u64)
        && bytes.u8().is_some_and(|byte| FIRST_KEY_BYTES.contains(&byte))
}

/// Passes the entries of a block to `visit`, with encoded keys and values.
fn visit_raw_entries(block: &[u8], visit: &mut dyn FnMut(&[u8], &[u8])) {
    // The block ends with the offsets of the entries with complete keys, followed by the number of these offsets.
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
        visit(&key, value);
    }
}

/// Passes the entries of a data block to `visit`. Skips entries that are not values of keys, such as the entries of an
/// index block.
fn visit_entries(block: &[u8], visit: &mut dyn FnMut(Entry<'_>)) {
    visit_raw_entries(block, &mut |key, value| {
        let Some((key, mut trailer)) =
            key.len().checked_sub(KEY_TRAILER_BYTES).map(|end| (&key[..end], Bytes(&key[end..])))
        else {
            return;
        };
        let Some(trailer) = trailer.u64() else { return };
        if let Some(entry) = Entry::new(trailer as u8, key, trailer >> 8, value) {
            visit(entry);
        }
    });
}
