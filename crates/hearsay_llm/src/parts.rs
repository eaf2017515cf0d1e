//! Divides long texts into overlapping parts, at the ends of paragraphs, lines, sentences or words.

use std::ops::Range;

/// Returns the byte ranges of the parts of a text, in order. A part has at most `max_chars` characters, and shares
/// about `overlap` characters with the part before it. The parts cover the whole text.
pub(crate) fn split_into_parts(text: &str, max_chars: usize, overlap: usize) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    let (max_chars, overlap) = (max_chars.max(2), overlap.min(max_chars / 2));
    loop {
        let Some(limit) = byte_after(text, start, max_chars) else {
            if start < text.len() {
                parts.push(start..text.len());
            }
            return parts;
        };
        // A part has at least half of the maximum length, so that there are not too many parts.
        let min_end = byte_after(text, start, max_chars / 2).unwrap_or(limit);
        let end = cut_position(text, min_end, limit);
        parts.push(start..end);
        let overlap_start = byte_before(text, end, overlap);
        // The overlap begins at the start of a sentence, if a sentence starts there.
        let next = cut_position(text, overlap_start, byte_before(text, end, overlap / 2).max(overlap_start));
        start = if next > start { next } else { end };
    }
}

/// Returns the byte position `count` characters after `start`; `None` if the text ends before or at that position.
fn byte_after(text: &str, start: usize, count: usize) -> Option<usize> {
    text[start..].char_indices().nth(count).map(|(at, _)| start + at)
}

fn byte_before(text: &str, end: usize, count: usize) -> usize {
    match count.checked_sub(1) {
        None => end,
        Some(last) => text[..end].char_indices().rev().nth(last).map_or(0, |(at, _)| at),
    }
}

/// Returns the best position for a cut in a byte range: after the last paragraph of the range; else after its last
/// line, sentence or word; else the end of the range.
fn cut_position(text: &str, from: usize, to: usize) -> usize {
    let range_text = &text[from..to];
    let paragraph = range_text.rfind("\n\n").map(|at| at + 2);
    let line = || range_text.rfind('\n').map(|at| at + 1);
    let sentence = || sentence_end(range_text);
    let word = || range_text.char_indices().rev().find(|(_, c)| c.is_whitespace()).map(|(at, c)| at + c.len_utf8());
    paragraph.or_else(line).or_else(sentence).or_else(word).map_or(to, |at| from + at)
}

/// Returns the position after the white space that follows the last complete sentence of a text.
fn sentence_end(text: &str) -> Option<usize> {
    let mut blank_start = None;
    for (at, c) in text.char_indices().rev() {
        if let Some(blank) = blank_start
            && matches!(c, '.' | '!' | '?' | '\u{2026}')
        {
            return Some(blank);
        }
        blank_start = match c {
            c if c.is_whitespace() => Some(blank_start.unwrap_or(at + c.len_utf8())),
            '"' | '\u{201D}' | '\'' | '\u{2019}' | ')' => blank_start,
            _ => None,
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn parts_are_the_whole_text(text in "([a-zé\u{4e2d} .\\n]|[A-Z][a-z]{1,9}\\. |\\n\\n){0,400}", max_chars in 8_usize..120, overlap in 0_usize..60) {
            let parts = split_into_parts(&text, max_chars, overlap);
            prop_assert_eq!(parts.is_empty(), text.is_empty());
            prop_assert_eq!(parts.first().map_or(0, |part| part.start), 0);
            prop_assert_eq!(parts.last().map_or(0, |part| part.end), text.len());
            for part in &parts {
                let length = text[part.clone()].chars().count();
                prop_assert!(length >= 1 && length <= max_chars, "{length}");
            }
            for pair in parts.windows(2) {
                prop_assert!(pair[0].start < pair[1].start && pair[1].start <= pair[0].end && pair[0].end < pair[1].end);
            }
        }
    }

    #[test]
    fn cuts_lie_between_paragraphs_and_sentences() {
        let text = format!("{}\n\n{}", "One sentence here. ".repeat(6).trim(), "Another one there. ".repeat(6).trim());
        let parts = split_into_parts(&text, 160, 40);
        let words: Vec<&str> = parts.iter().map(|part| &text[part.clone()]).collect();
        assert!(words[0].ends_with("here.\n\n"), "{words:?}");
        assert!(words[1].starts_with("One sentence here.\n\nAnother") || words[1].starts_with("Another"), "{words:?}");
    }

    #[test]
    fn a_sentence_without_end_is_cut_in_time() {
        let text = "word ".repeat(2_000_000);
        let count = split_into_parts(&text, 12_000, 800).len();
        assert!((833..2_000).contains(&count), "{count}");
        assert_eq!(split_into_parts(&"x".repeat(100_000), 12_000, 800).len(), 9);
    }
}
