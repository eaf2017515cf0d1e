//! Sentences with links, and quotes with highlighted words.

use std::ops::Range;

use egui::{FontSelection, RichText, TextFormat, TextStyle, Ui, WidgetText, text::LayoutJob};
use hearsay_model::EntityId;

use super::basic::{label, named, within};
use crate::{
    direction::{has_right_to_left, in_order, rows},
    names::Named,
    panel::Look,
    text::Linked,
    theme::Tone,
};

/// Draws a sentence with clickable names. Returns the clicked entity.
pub fn sentence(ui: &mut Ui, look: &Look, words: &Linked, tone: Tone) -> Option<EntityId> {
    let mut clicked = None;
    let mut piece = |ui: &mut Ui, seen: &str, to: Option<&Named>, name: &str| match to {
        None => _ = ui.label(RichText::new(seen).color(look.theme.tone(tone))),
        Some(to) => {
            let response = ui.link(RichText::new(seen).color(look.theme.kind(to.kind.as_ref())));
            let response = named(response, ui.is_enabled(), name);
            if response.on_hover_text(to.id.as_str()).clicked() {
                clicked = Some(to.id.clone());
            }
        }
    };
    if has_right_to_left(&words.text) {
        let job = WidgetText::from(&words.text).into_layout_job(ui.style(), FontSelection::Default, ui.text_valign());
        let rows = rows(ui, &job);
        let cuts: Vec<usize> = words.links.iter().flat_map(|link| [link.span.start, link.span.end]).collect();
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing = egui::Vec2::ZERO;
            ui.spacing_mut().interact_size.y = 0.0;
            for pieces in in_order(&words.text, &rows, &cuts) {
                ui.horizontal(|ui| {
                    for part in pieces {
                        let link = words.links.iter().find(|link| link.span.contains(&part.span.start));
                        piece(ui, &part.seen, link.map(|link| &link.to), &words.text[part.span]);
                    }
                });
            }
        });
    } else {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            words.pieces().for_each(|(words, to)| piece(ui, words, to, words));
        });
    }
    clicked
}

/// Draws a quote from a source, and highlights the words that state the fact. These words are also underlined, so that
/// they stand out without colours.
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
        job.append(piece, 0.0, format);
    }
    job.append("\u{201D}", 0.0, plain);
    label(ui, job);
}
