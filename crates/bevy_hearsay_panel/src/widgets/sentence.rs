//! Sentences with links, and quotes with the words that matter marked.

use std::ops::Range;

use egui::{RichText, TextFormat, TextStyle, Ui, text::LayoutJob};
use hearsay_model::EntityId;

use super::{named, within};
use crate::{
    panel::Look,
    text::{Linked, visual},
    theme::Tone,
};

/// A sentence in which names can be clicked. Answers with whom was.
pub fn sentence(ui: &mut Ui, look: &Look, words: &Linked, tone: Tone) -> Option<EntityId> {
    let mut clicked = None;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        for (piece, to) in words.pieces() {
            match to {
                None => _ = ui.label(RichText::new(visual(piece)).color(look.theme.tone(tone))),
                Some(to) => {
                    let colour = look.theme.kind(to.kind.as_ref());
                    let response = ui.link(RichText::new(visual(piece)).color(colour));
                    let response = named(response, ui.is_enabled(), piece);
                    if response.on_hover_text(to.id.as_str()).clicked() {
                        clicked = Some(to.id.clone());
                    }
                }
            }
        }
    });
    clicked
}

/// Words of a source, with those marked that state the fact. The mark is underlined too, so that colour is not needed.
pub fn quote(ui: &mut Ui, look: &Look, words: &str, marked: &Range<usize>) {
    let palette = look.theme.palette();
    let marked = within(words, marked);
    let font = TextStyle::Body.resolve(ui.style());
    let plain = TextFormat { font_id: font.clone(), color: palette.weak, italics: true, ..TextFormat::default() };
    let mark = TextFormat {
        font_id: font,
        color: palette.text,
        background: palette.mark,
        underline: egui::Stroke::new(1.0, palette.text),
        ..TextFormat::default()
    };
    let mut job = LayoutJob::default();
    job.append("\u{201C}", 0.0, plain.clone());
    for (piece, format) in
        [(&words[..marked.start], plain.clone()), (&words[marked.clone()], mark), (&words[marked.end..], plain.clone())]
    {
        job.append(&visual(piece), 0.0, format);
    }
    job.append("\u{201D}", 0.0, plain);
    ui.label(job);
}
