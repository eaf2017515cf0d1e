//! CSV as a list of maps from column names to texts.

use super::value::{Data, Tree, to_u32};
use crate::import::SourceText;

/// Maximum length of a column name, in bytes.
const MAX_NAME_BYTES: usize = 1_000;

pub(super) fn parse(text: &SourceText, separator: u8) -> Result<Tree, String> {
    let mut reader = csv::ReaderBuilder::new().delimiter(separator).flexible(true).from_reader(text.content.as_bytes());
    let csv_error = |error: csv::Error| format!("invalid CSV: {error}; save the table again as CSV in UTF-8");
    let names: Vec<String> = reader.headers().map_err(csv_error)?.iter().map(|name| name.trim().to_owned()).collect();
    // Each row repeats the names, so a very long name is refused.
    if let Some(name) = names.iter().find(|name| name.len() > MAX_NAME_BYTES) {
        let head: String = name.chars().take(20).collect();
        return Err(format!(
            "line 1: the name of the column `{head}…` has more than {MAX_NAME_BYTES} bytes; shorten it"
        ));
    }
    let mut rows = Vec::new();
    let mut record = csv::StringRecord::new();
    let mut previous_end = to_u32(reader.position().byte() as usize);
    while reader.read_record(&mut record).map_err(csv_error)? {
        let (start, line) =
            record.position().map_or((previous_end, 0), |position| (to_u32(position.byte() as usize), position.line()));
        let end = to_u32(reader.position().byte() as usize);
        let (file_start, file_end) =
            (to_u32(text.file_position(start as usize)), to_u32(text.file_position(end as usize)));
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        let cell = |value: &str| Tree { span: file_start..file_end, line, data: Data::Text(value.into()) };
        let entries = names.iter().zip(record.iter()).filter(|(name, _)| !name.is_empty());
        let entries = entries.map(|(name, value)| (name.as_str().into(), cell(value))).collect();
        rows.push(Tree { span: file_start..file_end, line, data: Data::Map(entries) });
        previous_end = end;
    }
    Ok(Tree { span: 0..to_u32(text.content.len()), line: 1, data: Data::List(rows) })
}
