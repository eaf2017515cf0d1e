//! Splits a list in a sentence into its items.

/// Splits a list in prose into its items. A comma within parentheses does not separate items: `Bluecoats (canal
/// patrol), The Vultures (rival outfit, Tier I).`
pub(super) fn split_list(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_i32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' | ';' | '\n' if depth <= 0 => {
                parts.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    let parts = parts.into_iter().map(|part| {
        let part = part.trim().trim_end_matches('.').trim();
        part.strip_prefix("and ").unwrap_or(part)
    });
    parts.filter(|part| !part.is_empty()).collect()
}
