//! Sentences with links, and quotes with highlighted words.

use std::ops::Range;

use egui::{FontSelection, RichText, TextFormat, TextStyle, Ui, WidgetText, text::LayoutJob};
use hearsay_model::EntityId;

use super::basic::{clamp_span, label, set_button_name};
use crate::{
    direction::{has_right_to_left, line_ranges, visual_pieces},
    names::NamedEntity,
    panel::DisplayContext,
    text::LinkedText,
    theme::Tone,
};

/// Draws a sentence with clickable names. Returns the entity whose name the user clicked; `None` without a click.
pub fn sentence(ui: &mut Ui, display: &DisplayContext, linked_text: &LinkedText, tone: Tone) -> Option<EntityId> {
    let mut clicked = None;
    let mut piece = |ui: &mut Ui, text: &str, to: Option<&NamedEntity>, name: &str| match to {
        None => _ = ui.label(RichText::new(text).color(display.theme.tone(tone))),
        Some(to) => {
            let response = ui.link(RichText::new(text).color(display.theme.kind(to.kind.as_ref())));
            let response = set_button_name(response, ui.is_enabled(), name);
            if response.on_hover_text(to.id.as_str()).clicked() {
                clicked = Some(to.id.clone());
            }
        }
    };
    if has_right_to_left(&linked_text.text) {
        let job =
            WidgetText::from(&linked_text.text).into_layout_job(ui.style(), FontSelection::Default, ui.text_valign());
        let lines = line_ranges(ui, &job);
        let boundaries: Vec<usize> =
            linked_text.links.iter().flat_map(|link| [link.span.start, link.span.end]).collect();
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing = egui::Vec2::ZERO;
            ui.spacing_mut().interact_size.y = 0.0;
            for pieces in visual_pieces(&linked_text.text, &lines, &boundaries) {
                ui.horizontal(|ui| {
                    for visual_piece in pieces {
                        let link = linked_text.links.iter().find(|link| link.span.contains(&visual_piece.span.start));
                        piece(ui, &visual_piece.text, link.map(|link| &link.to), &linked_text.text[visual_piece.span]);
                    }
                });
            }
        });
    } else {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            linked_text.pieces().for_each(|(text, to)| piece(ui, text, to, text));
        });
    }
    clicked
}

/// Draws a quote from a source, and highlights the words that state the fact. These words are also underlined, so that
/// they stand out without colours.
pub fn quote(ui: &mut Ui, display: &DisplayContext, words: &str, highlighted: &Range<usize>) {
    let palette = display.theme.palette();
    let highlighted = clamp_span(words, highlighted);
    let font = TextStyle::Body.resolve(ui.style());
    let plain = TextFormat { font_id: font.clone(), color: palette.weak, italics: true, ..TextFormat::default() };
    let highlight = TextFormat {
        font_id: font,
        color: palette.text,
        background: palette.mark,
        underline: egui::Stroke::new(1.0, palette.text),
        ..TextFormat::default()
    };
    let mut job = LayoutJob::default();
    job.append("\u{201C}", 0.0, plain.clone());
    for (piece, format) in [
        (&words[..highlighted.start], plain.clone()),
        (&words[highlighted.clone()], highlight),
        (&words[highlighted.end..], plain.clone()),
    ] {
        job.append(piece, 0.0, format);
    }
    job.append("\u{201D}", 0.0, plain);
    label(ui, job);
}
