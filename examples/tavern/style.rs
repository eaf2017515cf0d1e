//! Colours and text. The font is Bevy's own. Its plain letters all have the same width, so that text can be wrapped and
//! measured without layout.

use bevy::{prelude::*, sprite::Anchor};

/// Width of the drawn scene, in units that equal pixels at the initial window size.
pub(crate) const WIDTH: f32 = 1280.0;
pub(crate) const HEIGHT: f32 = 720.0;

pub(crate) const BACKGROUND: Color = Color::srgb(0.07, 0.06, 0.08);
pub(crate) const CARD: Color = Color::srgb(0.17, 0.15, 0.19);
pub(crate) const PANEL: Color = Color::srgb(0.11, 0.10, 0.13);
pub(crate) const TEXT: Color = Color::srgb(0.94, 0.92, 0.88);
pub(crate) const MUTED: Color = Color::srgb(0.70, 0.67, 0.66);
pub(crate) const ACCENT: Color = Color::srgb(0.98, 0.78, 0.42);
pub(crate) const SURE: Color = Color::srgb(0.48, 0.80, 0.50);
pub(crate) const UNSURE: Color = Color::srgb(0.92, 0.74, 0.35);
pub(crate) const DOUBTFUL: Color = Color::srgb(0.90, 0.45, 0.40);

/// Returns the line height for a font size.
pub(crate) fn line_height(size: f32) -> f32 {
    (size * 1.3).round()
}

/// Returns how many letters of a font size fit into a width.
pub(crate) fn columns(width: f32, size: f32) -> usize {
    (width / (size * 0.6)) as usize
}

/// Converts a point measured from the upper left corner to camera coordinates.
pub(crate) fn at(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3::new(x - WIDTH / 2.0, HEIGHT / 2.0 - y, z)
}

/// Creates text of one colour and size, with the given line breaks.
pub(crate) fn text(text: impl Into<String>, size: f32, color: Color, anchor: Anchor, place: Vec3) -> impl Bundle {
    (
        Text2d::new(text),
        TextFont::from_font_size(FontSize::Px(size)),
        bevy::text::LineHeight::Px(line_height(size)),
        TextLayout::no_wrap(),
        TextColor(color),
        anchor,
        Transform::from_translation(place),
    )
}

/// Creates a rectangle of one colour, positioned by its upper left corner.
pub(crate) fn block(color: Color, width: f32, height: f32, place: Vec3) -> impl Bundle {
    (Sprite::from_color(color, Vec2::new(width, height)), Anchor::TOP_LEFT, Transform::from_translation(place))
}

/// Breaks text into lines of at most `columns` letters, at spaces where possible.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let mut rest: Vec<char> = word.chars().map(plain).collect();
        while !rest.is_empty() {
            let used = lines.last().map_or(0, |line| line.chars().count());
            let gap = usize::from(used > 0);
            if used + gap + rest.len() <= columns || used == 0 {
                let part = rest.drain(..rest.len().min(columns));
                if let Some(line) = lines.last_mut() {
                    line.extend(std::iter::repeat_n(' ', gap).chain(part));
                }
            }
            if !rest.is_empty() {
                lines.push(String::new());
            }
        }
    }
    lines
}

/// Keeps the first `max_lines` lines. If lines are omitted, the last line ends with `...`.
pub(crate) fn clip(mut lines: Vec<String>, max_lines: usize) -> Vec<String> {
    if lines.len() > max_lines {
        lines.truncate(max_lines);
        if let Some(last) = lines.last_mut() {
            last.truncate(last.char_indices().rev().nth(2).map_or(0, |(at, _)| at));
            *last += "...";
        }
    }
    lines
}

/// Replaces curly quotes and long dashes, which Bevy's own font does not contain.
fn plain(letter: char) -> char {
    match letter {
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        '\u{2013}' | '\u{2014}' | '\u{2212}' => '-',
        ascii if ascii.is_ascii() => ascii,
        _ => '?',
    }
}
