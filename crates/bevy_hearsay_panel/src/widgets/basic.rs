//! Labels, buttons, badges and frames.

use std::ops::Range;

use egui::{
    Align, Color32, CornerRadius, Frame, Layout, Margin, Response, RichText, ScrollArea, Sense, Stroke, TextStyle,
    TextWrapMode, Ui, WidgetInfo, WidgetText, WidgetType,
};

use crate::{
    commands::Command,
    direction::{visual_order, wrap_visual_order},
    names::NamedEntity,
    panel::DisplayContext,
    theme::Tone,
};

/// Draws a badge: a few words in a coloured frame, such as a status, a kind or a warning. In a row that wraps, a badge
/// that does not fit moves to the next line.
pub fn badge(ui: &mut Ui, display: &DisplayContext, tone: Tone, text: &str) -> Response {
    let (colour, spacing) = (display.theme.tone(tone), display.theme.spacing());
    let widget_text = WidgetText::from(RichText::new(visual_order(text)).small().color(colour));
    let galley = widget_text.into_galley(ui, Some(TextWrapMode::Extend), f32::INFINITY, TextStyle::Small);
    let margin = egui::vec2(spacing.tight, 1.0);
    let (rect, response) = ui.allocate_exact_size(galley.size() + 2.0 * margin, Sense::hover());
    let (rounding, stroke) = (CornerRadius::same(spacing.rounding as u8), Stroke::new(1.0, colour));
    ui.painter().rect_stroke(rect, rounding, stroke, egui::StrokeKind::Inside);
    ui.painter().galley(rect.min + margin, galley, colour);
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Label, true, text));
    response
}

/// Draws a confidence as a number and a bar. A screen reader reads, for example, `confidence 0.55`.
pub fn confidence_bar(ui: &mut Ui, display: &DisplayContext, name: &str, value: f64) -> Response {
    let (palette, sizes) = (display.theme.palette(), display.theme.sizes());
    let value = value.clamp(0.0, 1.0) as f32;
    let row = ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = display.theme.spacing().tight;
        ui.label(RichText::new(format!("{value:.2}")).monospace());
        let (rect, response) = ui.allocate_exact_size(egui::vec2(sizes.body * 4.0, sizes.body * 0.55), Sense::hover());
        let rounding = CornerRadius::same(2);
        ui.painter().rect_filled(rect, rounding, palette.background);
        let mut filled = rect;
        filled.set_width(rect.width() * value);
        let tone = if value >= 0.7 { Tone::Good } else { Tone::Warn };
        ui.painter().rect_filled(filled, rounding, display.theme.tone(tone));
        ui.painter().rect_stroke(rect, rounding, Stroke::new(1.0, palette.line), egui::StrokeKind::Inside);
        response
    });
    let response = row.inner.on_hover_text(format!("{name} {value:.2}"));
    response.widget_info(|| WidgetInfo::labeled(WidgetType::ProgressIndicator, true, format!("{name} {value:.2}")));
    response
}

/// Draws the text of an empty panel. `title` says why the panel is empty, and `hint` says what the user can do. Returns
/// whether the user pressed the button.
pub fn empty_state(ui: &mut Ui, display: &DisplayContext, title: &str, hint: &str, button: Option<&str>) -> bool {
    ui.vertical_centered(|ui| {
        ui.add_space(display.theme.spacing().wide * 3.0);
        ui.label(RichText::new(title).heading());
        ui.add_space(display.theme.spacing().tight);
        ui.label(RichText::new(hint).color(display.theme.palette().weak));
        ui.add_space(display.theme.spacing().normal);
        button.is_some_and(|button| ui.button(button).clicked())
    })
    .inner
}

/// Draws a key name as a small keycap.
pub fn key_hint(ui: &mut Ui, display: &DisplayContext, keys: &str) -> Response {
    let palette = display.theme.palette();
    let frame = Frame::new()
        .fill(palette.background)
        .stroke(Stroke::new(1.0, palette.line))
        .corner_radius(CornerRadius::same(3))
        .inner_margin(Margin::symmetric(4, 0));
    frame.show(ui, |ui| ui.label(RichText::new(keys).small().monospace().color(palette.weak))).inner
}

/// Draws the button of a command with its key. Returns whether the user chose the command with a click, with its key or
/// in the palette.
pub fn command_button(ui: &mut Ui, display: &DisplayContext, command: &Command) -> bool {
    let clicked = command_button_without_keys(ui, display, command).clicked();
    display.is_triggered(ui, command) || clicked
}

/// Draws the button of a command with its key. Does not handle the key.
pub fn command_button_without_keys(ui: &mut Ui, display: &DisplayContext, command: &Command) -> Response {
    let hint = command.key_hint();
    let weak = display.theme.palette().weak;
    let button = match hint.is_empty() {
        true => egui::Button::new(command.name),
        false => egui::Button::new(command.name).right_text(RichText::new(hint).small().monospace().color(weak)),
    };
    set_button_name(ui.add(button).on_hover_text(command.tooltip()), ui.is_enabled(), command.name)
}

/// Draws a button with a symbol. `name` is the tooltip and the name for screen readers.
pub fn icon_button(ui: &mut Ui, symbol: &str, name: &str) -> Response {
    let size = ui.spacing().interact_size.y;
    let button = egui::Button::new(symbol).min_size(egui::vec2(size, size));
    set_button_name(ui.add(button).on_hover_text(name), ui.is_enabled(), name)
}

/// Sets colours that keep unticked check boxes and radio buttons visible.
pub fn set_check_mark_style(ui: &mut Ui, display: &DisplayContext) {
    let palette = display.theme.palette();
    let widgets = &mut ui.visuals_mut().widgets;
    for state in [&mut widgets.inactive, &mut widgets.hovered, &mut widgets.active] {
        state.corner_radius = CornerRadius::same(3);
        state.bg_fill = palette.background;
        state.bg_stroke.color = palette.weak;
    }
}

/// Draws a check box with a name.
pub fn named_checkbox(ui: &mut Ui, display: &DisplayContext, on: bool, name: &str) -> Response {
    set_check_mark_style(ui, display);
    let response = ui.checkbox(&mut { on }, "");
    response.widget_info(|| WidgetInfo::selected(WidgetType::Checkbox, true, on, name));
    response
}

/// Sets the name and the chosen value of a choice list for screen readers.
pub fn set_combo_box_name(response: &Response, name: &str, value: &str) {
    response.widget_info(|| WidgetInfo {
        current_text_value: Some(value.to_owned()),
        ..WidgetInfo::labeled(WidgetType::ComboBox, true, name)
    });
}

/// Draws a toggle button, for example for a filter or a mode.
pub fn toggle(ui: &mut Ui, on: bool, name: &str, help: &str) -> Response {
    let symbol = if on { "\u{2714} " } else { "" };
    let response = ui.add(egui::Button::selectable(on, format!("{symbol}{name}"))).on_hover_text(help);
    response.widget_info(|| WidgetInfo::selected(WidgetType::Checkbox, true, on, name));
    response
}

/// Sets the name of a text field for screen readers and tests.
pub(crate) fn set_text_field_name(field: &Response, name: &str, value: &str) {
    field.widget_info(|| {
        let mut info = WidgetInfo::text_edit(true, value, value, "");
        info.label = Some(name.to_owned());
        info
    });
}

/// Sets the name of a response for screen readers.
pub fn set_button_name(response: Response, enabled: bool, name: &str) -> Response {
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Button, enabled, name));
    response
}

/// Draws an entity's name as a button, with the symbol and colour of its kind. A click shows the entity. In screen-safe
/// mode the caller must hide the name, because it may be secret.
pub fn entity_button(ui: &mut Ui, display: &DisplayContext, entity: &NamedEntity) -> Response {
    let colour = display.theme.kind(entity.kind.as_ref());
    let kind = entity.kind.as_ref().map_or("unknown", |kind| kind.as_str());
    let text = format!("{} {}", kind_symbol(entity.kind.as_ref()), visual_order(&entity.name));
    // A name that does not fit moves to the next line. It is broken only if it is longer than a line.
    let fits_one_line = text.chars().count() as f32 * display.theme.sizes().body * 0.6 < ui.max_rect().width();
    let wrap = ui.style().wrap_mode;
    if fits_one_line {
        ui.style_mut().wrap_mode = Some(TextWrapMode::Extend);
    }
    let response = ui.link(RichText::new(text).color(colour));
    ui.style_mut().wrap_mode = wrap;
    set_button_name(response.on_hover_text(format!("{kind}: {}", entity.id)), ui.is_enabled(), &entity.name)
}

/// Returns the symbol of a kind. Each kind has a different symbol, so a user can distinguish the kinds without colours.
pub fn kind_symbol(kind: Option<&hearsay_model::Kind>) -> &'static str {
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
    display: &DisplayContext,
    focused: bool,
    selected: bool,
    content: impl FnOnce(&mut Ui) -> R,
) -> egui::InnerResponse<R> {
    let (palette, spacing) = (display.theme.palette(), display.theme.spacing());
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
            content(ui)
        })
}

/// Draws the controls above a list. The controls take at most half of the height, and scroll if they need more space.
/// The list takes the remaining height.
pub fn list_header<R>(ui: &mut Ui, id: &str, content: impl FnOnce(&mut Ui) -> R) -> R {
    let half = ui.available_height() / 2.0;
    let area = ScrollArea::vertical().id_salt(id).max_height(half).min_scrolled_height(half);
    area.auto_shrink([false, true]).show(ui, content).inner
}

/// Lays out the content of one of egui's columns, aligned to the left. egui's own columns stretch widgets to the full
/// width.
pub fn column<R>(ui: &mut Ui, content: impl FnOnce(&mut Ui) -> R) -> R {
    ui.with_layout(Layout::top_down(Align::Min), content).inner
}

/// Lays out content to the right of a list, with a gap.
pub fn content_beside_list<R>(ui: &mut Ui, display: &DisplayContext, content: impl FnOnce(&mut Ui) -> R) -> R {
    let margin = Margin { left: display.theme.spacing().normal as i8, ..Margin::ZERO };
    egui::CentralPanel::default().frame(Frame::new().inner_margin(margin)).show(ui, content).inner
}

/// Draws a heading in a panel, with an optional count.
pub fn section_heading(ui: &mut Ui, display: &DisplayContext, name: &str, count: Option<usize>) {
    ui.add_space(display.theme.spacing().normal);
    ui.horizontal(|ui| {
        ui.label(RichText::new(name).strong().color(display.theme.palette().strong));
        if let Some(count) = count {
            ui.label(RichText::new(count.to_string()).small().color(display.theme.palette().weak));
        }
    });
}

/// Draws the number of omitted items, such as `and 12 more`. Draws nothing if the number is 0.
pub fn omitted_label(ui: &mut Ui, display: &DisplayContext, count: usize) {
    if count > 0 {
        ui.label(RichText::new(format!("and {count} more")).small().color(display.theme.palette().weak));
    }
}

/// Draws a text in visual order (see [`wrap_visual_order`]), with as many lines as needed.
pub fn label(ui: &mut Ui, text: impl Into<WidgetText>) -> Response {
    let text = wrap_visual_order(ui, text);
    ui.label(text)
}

/// Draws a clickable text in visual order (see [`wrap_visual_order`]).
pub fn link(ui: &mut Ui, text: impl Into<WidgetText>) -> Response {
    let text = wrap_visual_order(ui, text);
    ui.link(text)
}

/// Draws less important text.
pub fn weak_label(ui: &mut Ui, display: &DisplayContext, text: &str) -> Response {
    label(ui, RichText::new(text).color(display.theme.palette().weak))
}

/// Draws text in the colour of a tone.
pub fn toned_label(ui: &mut Ui, display: &DisplayContext, tone: Tone, text: &str) -> Response {
    label(ui, RichText::new(text).color(display.theme.tone(tone)))
}

/// Formats the hint of an empty field in italics, so that the hint does not look like typed text.
pub fn italic_hint(text: impl Into<String>) -> RichText {
    RichText::new(text).italics()
}

/// Lays out widgets from the right.
pub fn right_to_left<R>(ui: &mut Ui, content: impl FnOnce(&mut Ui) -> R) -> R {
    ui.with_layout(Layout::right_to_left(Align::Center), content).inner
}

/// Makes a colour more transparent. `fraction` is from 0 (unchanged) to 1 (invisible).
pub fn dimmed(colour: Color32, fraction: f32) -> Color32 {
    colour.gamma_multiply(1.0 - fraction)
}

/// Returns a byte range unchanged if it is valid in a text. If the range is not valid, returns an empty range at the
/// end of the text.
pub(crate) fn clamp_span(text: &str, span: &Range<usize>) -> Range<usize> {
    if text.get(span.clone()).is_some() { span.clone() } else { text.len()..text.len() }
}
