//! Labels, buttons, badges and frames.

use std::ops::Range;

use egui::{
    Align, Color32, CornerRadius, Frame, Layout, Margin, Response, RichText, ScrollArea, Sense, Stroke, TextStyle,
    TextWrapMode, Ui, WidgetInfo, WidgetText, WidgetType,
};

use crate::{
    commands::Command,
    direction::{flowing, visual},
    names::Named,
    panel::Look,
    theme::Tone,
};

/// Draws a badge: a few words in a coloured frame, such as a status, a kind or a warning. In a row that wraps, a badge
/// that does not fit moves to the next line.
pub fn badge(ui: &mut Ui, look: &Look, tone: Tone, words: &str) -> Response {
    let (colour, spacing) = (look.theme.tone(tone), look.theme.spacing());
    let text = WidgetText::from(RichText::new(visual(words)).small().color(colour));
    let galley = text.into_galley(ui, Some(TextWrapMode::Extend), f32::INFINITY, TextStyle::Small);
    let margin = egui::vec2(spacing.tight, 1.0);
    let (rect, response) = ui.allocate_exact_size(galley.size() + 2.0 * margin, Sense::hover());
    let (rounding, stroke) = (CornerRadius::same(spacing.rounding as u8), Stroke::new(1.0, colour));
    ui.painter().rect_stroke(rect, rounding, stroke, egui::StrokeKind::Inside);
    ui.painter().galley(rect.min + margin, galley, colour);
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Label, true, words));
    response
}

/// Draws a confidence as a number and a bar. Screen readers say, for example, `confidence 0.55`.
pub fn confidence(ui: &mut Ui, look: &Look, what: &str, value: f64) -> Response {
    let (palette, sizes) = (look.theme.palette(), look.theme.sizes());
    let value = value.clamp(0.0, 1.0) as f32;
    let inner = ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = look.theme.spacing().tight;
        ui.label(RichText::new(format!("{value:.2}")).monospace());
        let (rect, response) = ui.allocate_exact_size(egui::vec2(sizes.body * 4.0, sizes.body * 0.55), Sense::hover());
        let rounding = CornerRadius::same(2);
        ui.painter().rect_filled(rect, rounding, palette.background);
        let mut full = rect;
        full.set_width(rect.width() * value);
        let tone = if value >= 0.7 { Tone::Good } else { Tone::Warn };
        ui.painter().rect_filled(full, rounding, look.theme.tone(tone));
        ui.painter().rect_stroke(rect, rounding, Stroke::new(1.0, palette.line), egui::StrokeKind::Inside);
        response
    });
    let response = inner.inner.on_hover_text(format!("{what} {value:.2}"));
    response.widget_info(|| WidgetInfo::labeled(WidgetType::ProgressIndicator, true, format!("{what} {value:.2}")));
    response
}

/// Draws the text of an empty panel. `what` says why the panel is empty, and `next` says what the user can do. Returns
/// whether the user pressed the button.
pub fn empty_state(ui: &mut Ui, look: &Look, what: &str, next: &str, button: Option<&str>) -> bool {
    ui.vertical_centered(|ui| {
        ui.add_space(look.theme.spacing().wide * 3.0);
        ui.label(RichText::new(what).heading());
        ui.add_space(look.theme.spacing().tight);
        ui.label(RichText::new(next).color(look.theme.palette().weak));
        ui.add_space(look.theme.spacing().normal);
        button.is_some_and(|button| ui.button(button).clicked())
    })
    .inner
}

/// Draws a key name as a small keycap.
pub fn key_hint(ui: &mut Ui, look: &Look, keys: &str) -> Response {
    let palette = look.theme.palette();
    let frame = Frame::new()
        .fill(palette.background)
        .stroke(Stroke::new(1.0, palette.line))
        .corner_radius(CornerRadius::same(3))
        .inner_margin(Margin::symmetric(4, 0));
    frame.show(ui, |ui| ui.label(RichText::new(keys).small().monospace().color(palette.weak))).inner
}

/// Draws the button of a command with its key. Returns whether the user gave the command, by click, key or palette.
pub fn command_button(ui: &mut Ui, look: &Look, command: &Command) -> bool {
    let clicked = command_button_only(ui, look, command).clicked();
    look.pressed(ui, command) || clicked
}

/// Draws the button of a command with its key. Does not handle the key.
pub fn command_button_only(ui: &mut Ui, look: &Look, command: &Command) -> Response {
    let hint = command.hint();
    let weak = look.theme.palette().weak;
    let button = match hint.is_empty() {
        true => egui::Button::new(command.name),
        false => egui::Button::new(command.name).right_text(RichText::new(hint).small().monospace().color(weak)),
    };
    named(ui.add(button).on_hover_text(command.tooltip()), ui.is_enabled(), command.name)
}

/// Draws a button with a symbol. `name` is the tooltip and the name for screen readers.
pub fn icon_button(ui: &mut Ui, sign: &str, name: &str) -> Response {
    let size = ui.spacing().interact_size.y;
    let button = egui::Button::new(sign).min_size(egui::vec2(size, size));
    named(ui.add(button).on_hover_text(name), ui.is_enabled(), name)
}

/// Sets colours that keep unticked check boxes and radio buttons visible.
pub fn mark_widgets(ui: &mut Ui, look: &Look) {
    let palette = look.theme.palette();
    let widgets = &mut ui.visuals_mut().widgets;
    for state in [&mut widgets.inactive, &mut widgets.hovered, &mut widgets.active] {
        state.corner_radius = CornerRadius::same(3);
        state.bg_fill = palette.background;
        state.bg_stroke.color = palette.weak;
    }
}

/// Draws a check box with a name.
pub fn tick_box(ui: &mut Ui, look: &Look, on: bool, name: &str) -> Response {
    mark_widgets(ui, look);
    let response = ui.checkbox(&mut { on }, "");
    response.widget_info(|| WidgetInfo::selected(WidgetType::Checkbox, true, on, name));
    response
}

/// Sets the name and the chosen value of a choice list for screen readers.
pub fn choice_named(response: &Response, name: &str, chosen: &str) {
    response.widget_info(|| WidgetInfo {
        current_text_value: Some(chosen.to_owned()),
        ..WidgetInfo::labeled(WidgetType::ComboBox, true, name)
    });
}

/// Draws a toggle button, for example for a filter or a mode.
pub fn toggle(ui: &mut Ui, on: bool, name: &str, help: &str) -> Response {
    let sign = if on { "\u{2714} " } else { "" };
    let response = ui.add(egui::Button::selectable(on, format!("{sign}{name}"))).on_hover_text(help);
    response.widget_info(|| WidgetInfo::selected(WidgetType::Checkbox, true, on, name));
    response
}

/// Sets the name of a text field for screen readers and tests.
pub(crate) fn field_name(field: &Response, name: &str, value: &str) {
    field.widget_info(|| {
        let mut info = WidgetInfo::text_edit(true, value, value, "");
        info.label = Some(name.to_owned());
        info
    });
}

/// Sets the name of a response for screen readers.
pub fn named(response: Response, enabled: bool, name: &str) -> Response {
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Button, enabled, name));
    response
}

/// Draws an entity's name as a button, with the symbol and colour of its kind. A click shows the entity. In screen-safe
/// mode the caller must hide the name, because it may be secret.
pub fn entity_button(ui: &mut Ui, look: &Look, entity: &Named) -> Response {
    let colour = look.theme.kind(entity.kind.as_ref());
    let kind = entity.kind.as_ref().map_or("unknown", |kind| kind.as_str());
    let text = format!("{} {}", kind_sign(entity.kind.as_ref()), visual(&entity.name));
    // A name that does not fit moves to the next line. It is broken only if it is longer than a line.
    let whole = text.chars().count() as f32 * look.theme.sizes().body * 0.6 < ui.max_rect().width();
    let wrap = ui.style().wrap_mode;
    if whole {
        ui.style_mut().wrap_mode = Some(TextWrapMode::Extend);
    }
    let response = ui.link(RichText::new(text).color(colour));
    ui.style_mut().wrap_mode = wrap;
    named(response.on_hover_text(format!("{kind}: {}", entity.id)), ui.is_enabled(), &entity.name)
}

/// Returns the symbol of a kind. Each kind has a different symbol, so that kinds can be told apart without colours.
pub fn kind_sign(kind: Option<&hearsay_model::Kind>) -> &'static str {
    use hearsay_model::Kind;
    match kind {
        Some(Kind::Npc) => "\u{25CF}",
        Some(Kind::Player) => "\u{2605}",
        Some(Kind::Party) => "\u{272A}",
        Some(Kind::Location) => "\u{25A0}",
        Some(Kind::Faction) => "\u{25B2}",
        Some(Kind::Item) => "\u{25C6}",
        Some(Kind::Document) => "\u{2263}",
        Some(Kind::Event) => "\u{2731}",
        Some(Kind::Quest) => "\u{2691}",
        Some(Kind::Concept) => "\u{25CB}",
        Some(Kind::Custom(_)) | None => "\u{25CC}",
    }
}

/// Draws a frame around related widgets. The frame is emphasized if the card is focused or selected.
pub fn card<R>(
    ui: &mut Ui,
    look: &Look,
    focused: bool,
    selected: bool,
    inside: impl FnOnce(&mut Ui) -> R,
) -> egui::InnerResponse<R> {
    let (palette, spacing) = (look.theme.palette(), look.theme.spacing());
    let stroke = if focused { Stroke::new(2.0, palette.accent) } else { Stroke::new(1.0, palette.line) };
    let fill = if selected { palette.selection } else { palette.raised };
    // Reduce the margin by the width of the line, so that nothing moves when the focus changes.
    let margin = spacing.normal - stroke.width;
    Frame::new()
        .fill(fill)
        .stroke(stroke)
        .corner_radius(CornerRadius::same(spacing.rounding as u8))
        .inner_margin(Margin::same(margin as i8))
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            inside(ui)
        })
}

/// Draws the controls above a list. They take at most half of the height, and scroll if they need more. The list gets
/// the rest of the height.
pub fn head<R>(ui: &mut Ui, id: &str, inside: impl FnOnce(&mut Ui) -> R) -> R {
    let half = ui.available_height() / 2.0;
    let area = ScrollArea::vertical().id_salt(id).max_height(half).min_scrolled_height(half);
    area.auto_shrink([false, true]).show(ui, inside).inner
}

/// Lays out the content of one of egui's columns, aligned to the left. egui's own columns stretch widgets to the full
/// width.
pub fn column<R>(ui: &mut Ui, inside: impl FnOnce(&mut Ui) -> R) -> R {
    ui.with_layout(Layout::top_down(Align::Min), inside).inner
}

/// Lays out content to the right of a list, with a gap.
pub fn beside<R>(ui: &mut Ui, look: &Look, inside: impl FnOnce(&mut Ui) -> R) -> R {
    let margin = Margin { left: look.theme.spacing().normal as i8, ..Margin::ZERO };
    egui::CentralPanel::default().frame(Frame::new().inner_margin(margin)).show(ui, inside).inner
}

/// Draws a heading in a panel, with an optional count.
pub fn section(ui: &mut Ui, look: &Look, name: &str, count: Option<usize>) {
    ui.add_space(look.theme.spacing().normal);
    ui.horizontal(|ui| {
        ui.label(RichText::new(name).strong().color(look.theme.palette().strong));
        if let Some(count) = count {
            ui.label(RichText::new(count.to_string()).small().color(look.theme.palette().weak));
        }
    });
}

/// Draws the number of omitted items, such as `and 12 more`. Draws nothing if the number is 0.
pub fn more(ui: &mut Ui, look: &Look, left_out: usize) {
    if left_out > 0 {
        ui.label(RichText::new(format!("and {left_out} more")).small().color(look.theme.palette().weak));
    }
}

/// Draws a text in visual order (see [`flowing`]), with as many lines as needed.
pub fn label(ui: &mut Ui, text: impl Into<WidgetText>) -> Response {
    let text = flowing(ui, text);
    ui.label(text)
}

/// Draws a clickable text in visual order (see [`flowing`]).
pub fn link(ui: &mut Ui, text: impl Into<WidgetText>) -> Response {
    let text = flowing(ui, text);
    ui.link(text)
}

/// Draws de-emphasized text.
pub fn weak(ui: &mut Ui, look: &Look, words: &str) -> Response {
    label(ui, RichText::new(words).color(look.theme.palette().weak))
}

/// Draws text in the colour of a tone.
pub fn toned(ui: &mut Ui, look: &Look, tone: Tone, words: &str) -> Response {
    label(ui, RichText::new(words).color(look.theme.tone(tone)))
}

/// Formats the hint of an empty field in italics, so that the hint does not look like typed text.
pub fn as_hint(words: impl Into<String>) -> RichText {
    RichText::new(words).italics()
}

/// Draws the text that replaces a secret in screen-safe mode.
pub fn hidden(ui: &mut Ui, look: &Look) -> Response {
    weak(ui, look, "\u{2022}\u{2022}\u{2022} hidden in screen-safe mode")
}

/// Lays out widgets from the right.
pub fn from_right<R>(ui: &mut Ui, inside: impl FnOnce(&mut Ui) -> R) -> R {
    ui.with_layout(Layout::right_to_left(Align::Center), inside).inner
}

/// Makes a colour more transparent. `by` is from 0 (unchanged) to 1 (invisible).
pub fn dimmed(colour: Color32, by: f32) -> Color32 {
    colour.gamma_multiply(1.0 - by)
}

/// Returns a byte range unchanged if it is valid in a text. Otherwise returns an empty range at the end of the text.
pub(crate) fn within(text: &str, span: &Range<usize>) -> Range<usize> {
    if text.get(span.clone()).is_some() { span.clone() } else { text.len()..text.len() }
}
