//! CSV as a list of maps from column names to texts.

use super::value::{Data, Tree, small};
use crate::import::Text;

/// Maximum length of a column name, in bytes.
const MAX_NAME_BYTES: usize = 1_000;

pub(super) fn parse(text: &Text, separator: u8) -> Result<Tree, String> {
    let mut reader = csv::ReaderBuilder::new().delimiter(separator).flexible(true).from_reader(text.content.as_bytes());
    let broken = |error: csv::Error| format!("invalid CSV: {error}; save the table again as CSV in UTF-8");
    let names: Vec<String> = reader.headers().map_err(broken)?.iter().map(|name| name.trim().to_owned()).collect();
    // Each row repeats the names, so a very long name is refused.
    if let Some(name) = names.iter().find(|name| name.len() > MAX_NAME_BYTES) {
        let head: String = name.chars().take(20).collect();
        return Err(format!(
            "line 1: the name of the column `{head}…` has more than {MAX_NAME_BYTES} bytes; shorten it"
        ));
    }
    let mut rows = Vec::new();
    let mut record = csv::StringRecord::new();
    let mut before = small(reader.position().byte() as usize);
    while reader.read_record(&mut record).map_err(broken)? {
        let (start, line) = record.position().map_or((before, 0), |at| (small(at.byte() as usize), at.line()));
        let end = small(reader.position().byte() as usize);
        let (from, to) = (small(text.on_disk(start as usize)), small(text.on_disk(end as usize)));
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        let cell = |value: &str| Tree { at: from..to, line, data: Data::Text(value.into()) };
        let entries = names.iter().zip(record.iter()).filter(|(name, _)| !name.is_empty());
        let entries = entries.map(|(name, value)| (name.as_str().into(), cell(value))).collect();
        rows.push(Tree { at: from..to, line, data: Data::Map(entries) });
        before = end;
    }
    Ok(Tree { at: 0..small(text.content.len()), line: 1, data: Data::List(rows) })
}
