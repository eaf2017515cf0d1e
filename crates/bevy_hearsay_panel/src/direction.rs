//! Support for right-to-left scripts. egui draws the letters of a word in the correct direction, but always places the
//! words of a line from left to right. This module reorders the words of each line with the Unicode Bidirectional
//! Algorithm, <https://www.unicode.org/reports/tr9/>.

use std::{borrow::Cow, ops::Range, sync::Arc};

use egui::{Direction, FontSelection, TextFormat, TextWrapMode, Ui, WidgetText, text::LayoutJob};
use unicode_bidi::{BidiInfo, Level};

/// Returns a single-line text with its words in visual order: the order in which they appear on the screen from left to
/// right.
pub fn visual_order(text: &str) -> Cow<'_, str> {
    if !has_right_to_left(text) {
        return Cow::Borrowed(text);
    }
    let full_range = 0..text.len();
    Cow::Owned(visual_pieces(text, &[full_range], &[]).into_iter().flatten().map(|piece| piece.text).collect())
}

/// Breaks a text for a label or link into lines, and puts the words of each line in visual order. The width of the
/// lines depends on the current position in the layout of `ui`.
pub fn wrap_visual_order(ui: &Ui, text: impl Into<WidgetText>) -> WidgetText {
    let text = text.into();
    if !has_right_to_left(text.text()) {
        return text;
    }
    let job = Arc::unwrap_or_clone(text.into_layout_job(ui.style(), FontSelection::Default, ui.text_valign()));
    let lines = line_ranges(ui, &job);
    let boundaries: Vec<usize> = job.sections.iter().map(|section| section.byte_range.start.0).collect();
    let mut visual_job = LayoutJob { wrap: job.wrap.clone(), ..LayoutJob::default() };
    for (line_index, pieces) in visual_pieces(&job.text, &lines, &boundaries).into_iter().enumerate() {
        let format = |piece: &Piece| format_at(&job, piece.span.start);
        if line_index > 0 {
            visual_job.append("\n", 0.0, pieces.first().map_or_else(TextFormat::default, format));
        }
        for piece in &pieces {
            visual_job.append(&piece.text, 0.0, format(piece));
        }
    }
    visual_job.into()
}

/// Returns the format at a byte index of a text.
fn format_at(job: &LayoutJob, at: usize) -> TextFormat {
    let section = job.sections.iter().find(|section| section.byte_range.end.0 > at);
    section.map_or_else(TextFormat::default, |section| section.format.clone())
}

/// Returns the byte range of each line of a text that is laid out from the current position of `ui`, without the spaces
/// between lines. This function is necessary because egui's rows count glyphs, and right-to-left text has more glyphs
/// than letters.
pub(crate) fn line_ranges(ui: &Ui, job: &LayoutJob) -> Vec<Range<usize>> {
    let text = job.text.as_str();
    let wraps = ui.wrap_mode() == TextWrapMode::Wrap;
    let max_width = if wraps { ui.available_width() } else { f32::INFINITY };
    let starts_within_line = wraps && ui.layout().main_wrap() && ui.layout().main_dir() == Direction::LeftToRight;
    // Width that earlier widgets take up on the first line.
    let mut x = if starts_within_line { max_width - ui.available_size_before_wrap().x } else { 0.0 };
    let width = |word: &str, at: usize| {
        ui.painter().layout_job(LayoutJob::single_section(word.to_owned(), format_at(job, at))).size().x
    };
    let (mut lines, mut start, mut at) = (Vec::new(), 0, 0);
    for word_with_space in text.split_inclusive([' ', '\n']) {
        let word = word_with_space.trim_end();
        let end = at + word.len();
        if x > 0.0 && x + width(word, at) > max_width {
            lines.push(start..start + text[start..at].trim_end().len());
            (start, x) = (at, 0.0);
        }
        x += width(word_with_space.trim_end_matches('\n'), at);
        at += word_with_space.len();
        if word_with_space.ends_with('\n') {
            lines.push(start..end.max(start));
            (start, x) = (at, 0.0);
        }
    }
    lines.push(start..start + text[start..].trim_end().len());
    lines
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Byte range of the piece in the text.
    pub(crate) span: Range<usize>,
    /// The letters in visual order.
    pub(crate) text: String,
}

/// Returns the pieces of each line in visual order. `boundaries` are byte indexes at which a new piece must begin, such
/// as a change of format.
pub(crate) fn visual_pieces(text: &str, lines: &[Range<usize>], boundaries: &[usize]) -> Vec<Vec<Piece>> {
    let info = BidiInfo::new(text, Some(base_direction(text)));
    let pieces_of_line = |line_range: &Range<usize>| {
        let mut pieces = Vec::new();
        for paragraph in &info.paragraphs {
            let line = line_range.start.max(paragraph.range.start)..line_range.end.min(paragraph.range.end);
            if line.is_empty() {
                continue;
            }
            let (levels, runs) = info.visual_runs(paragraph, line);
            for run in runs {
                let is_rtl = levels[run.start].is_rtl();
                let mut ends: Vec<usize> =
                    boundaries.iter().copied().filter(|boundary| run.contains(boundary)).collect();
                ends.push(run.end);
                let mut start = run.start;
                let mut run_pieces: Vec<Piece> = Vec::new();
                for end in ends.into_iter().filter(|end| *end > run.start) {
                    let visual_text =
                        if is_rtl { reverse_words(&text[start..end]) } else { text[start..end].to_owned() };
                    run_pieces.push(Piece { span: start..end, text: visual_text });
                    start = end;
                }
                if is_rtl {
                    run_pieces.reverse();
                }
                pieces.extend(run_pieces);
            }
        }
        pieces
    };
    lines.iter().map(pieces_of_line).collect()
}

/// Returns the base direction of a text: right to left if more than four fifths of its letters are right-to-left
/// letters. An English sentence is therefore left to right, even if it begins with a Hebrew name.
fn base_direction(text: &str) -> Level {
    let count_letters = |belongs_to_script: fn(char) -> bool| {
        text.chars().filter(|c| c.is_alphabetic() && belongs_to_script(*c)).count()
    };
    let (right_to_left, all_letters) = (count_letters(is_right_to_left), count_letters(|_| true));
    if 4 * (all_letters - right_to_left) < right_to_left { Level::rtl() } else { Level::ltr() }
}

/// Reverses the order of the words, but not the letters of right-to-left words, because egui reverses these letters
/// itself.
fn reverse_words(run: &str) -> String {
    let mut visual_text = String::with_capacity(run.len());
    let mut word: Vec<char> = Vec::new();
    for c in run.chars().rev() {
        if is_right_to_left(c) {
            word.push(c);
        } else {
            visual_text.extend(word.drain(..).rev());
            visual_text.push(mirror_bracket(c));
        }
    }
    visual_text.extend(word.drain(..).rev());
    visual_text
}

/// Returns the mirror image of a bracket, so that brackets open in the direction of the text. Other characters are
/// unchanged.
fn mirror_bracket(c: char) -> char {
    const PAIRS: [(char, char); 5] = [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>'), ('\u{AB}', '\u{BB}')];
    let other = PAIRS.iter().find_map(|(open, close)| match c {
        _ if c == *open => Some(*close),
        _ if c == *close => Some(*open),
        _ => None,
    });
    other.unwrap_or(c)
}

pub(crate) fn has_right_to_left(text: &str) -> bool {
    text.chars().any(is_right_to_left)
}

/// Returns whether a character belongs to a right-to-left script, such as Hebrew, Arabic, Syriac or Thaana.
fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{0590}'..='\u{08FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFF}' | '\u{10800}'..='\u{10FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_right_to_left_text_are_turned_around_and_the_rest_is_not() {
        assert_eq!(visual_order("abc"), "abc");
        assert_eq!(visual_order("אבג"), "אבג");
        assert_eq!(visual_order("אבג דה"), "דה אבג");
        assert_eq!(visual_order("Name: אבג 12"), "Name: 12 אבג");
        assert_eq!(visual_order("אבג fears דה וז."), "אבג fears וז דה.", "a sentence of names");
        assert_eq!(visual_order("אבג (דה)"), "(דה) אבג", "brackets open in the direction of the text");
    }

    #[test]
    fn each_line_is_turned_by_itself_and_pieces_end_at_cuts() {
        let text = "אבג דה וז";
        let lines = [0..11, 12..16];
        let piece_texts = |boundaries: &[usize]| -> Vec<Vec<String>> {
            let lines = visual_pieces(text, &lines, boundaries).into_iter();
            lines.map(|line| line.into_iter().map(|piece| piece.text).collect()).collect()
        };
        assert_eq!(piece_texts(&[]), [vec!["דה אבג"], vec!["וז"]]);
        assert_eq!(piece_texts(&[7]), [vec!["דה", " אבג"], vec!["וז"]]);
    }

    #[test]
    fn a_paragraph_begins_on_its_first_line() {
        let words = ["אבג", "דהו", "זחט", "יכל", "מנס", "עפצ"];
        let text = words.join(" ");
        let mut wrapped = String::new();
        let ctx = egui::Context::default();
        let _ = ctx.run_ui(egui::RawInput::default(), |ui| {
            ui.set_max_width(60.0);
            wrapped = wrap_visual_order(ui, egui::RichText::new(&text).strong()).text().to_owned();
        });
        let wrapped: Vec<&str> = wrapped.split('\n').collect();
        assert!(wrapped.len() > 1, "{wrapped:?}");
        let words_in_order: Vec<&str> = wrapped.iter().flat_map(|line| line.split(' ').rev()).collect();
        assert_eq!(words_in_order, words, "{wrapped:?}");
    }
}
