//! What the panels are made of. Each is a plain function; each that can be clicked has a name that screen readers and tests
//! find it by.

mod list;
mod name;
mod sentence;

use std::ops::Range;

use egui::{
    Align, Color32, CornerRadius, Frame, Layout, Margin, Response, RichText, ScrollArea, Sense, Stroke, TextStyle,
    TextWrapMode, Ui, WidgetInfo, WidgetText, WidgetType,
};

pub use list::{Heights, list};
pub use name::{Completion, NameField, complete, complete_ui, name_field};
pub use sentence::{quote, sentence};

use crate::{
    commands::Command,
    direction::{flowing, visual},
    names::Named,
    panel::Look,
    theme::Tone,
};

/// A few words in a frame of the tone's colour: a standing, a kind, a warning. In a row that wraps it goes to the next line
/// rather than over the edge.
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

/// How sure something is: a number and a bar. Screen readers hear `confidence 0.55`.
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

/// What a panel shows when there is nothing to show: what this is, and what to do next. Answers whether its button was
/// pressed.
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

/// A key, as a small cap.
pub fn key_hint(ui: &mut Ui, look: &Look, keys: &str) -> Response {
    let palette = look.theme.palette();
    let frame = Frame::new()
        .fill(palette.background)
        .stroke(Stroke::new(1.0, palette.line))
        .corner_radius(CornerRadius::same(3))
        .inner_margin(Margin::symmetric(4, 0));
    frame.show(ui, |ui| ui.label(RichText::new(keys).small().monospace().color(palette.weak))).inner
}

/// The button of a command, with its key; pressed by click or key or palette. `name` is for screen readers and tests where
/// several buttons of one command are on the screen.
pub fn command_button(ui: &mut Ui, look: &Look, command: &Command) -> bool {
    let clicked = command_button_only(ui, look, command).clicked();
    look.pressed(ui, command) || clicked
}

/// The same, without listening to the key.
pub fn command_button_only(ui: &mut Ui, look: &Look, command: &Command) -> Response {
    let hint = command.hint();
    let weak = look.theme.palette().weak;
    let button = match hint.is_empty() {
        true => egui::Button::new(command.name),
        false => egui::Button::new(command.name).right_text(RichText::new(hint).small().monospace().color(weak)),
    };
    named(ui.add(button).on_hover_text(command.tooltip()), ui.is_enabled(), command.name)
}

/// A button of a sign, with a name: `icon_button(ui, "\u{D7}", "Close")`.
pub fn icon_button(ui: &mut Ui, sign: &str, name: &str) -> Response {
    let size = ui.spacing().interact_size.y;
    let button = egui::Button::new(sign).min_size(egui::vec2(size, size));
    named(ui.add(button).on_hover_text(name), ui.is_enabled(), name)
}

/// Makes boxes and rings stand out: what can be ticked is seen where nothing is ticked.
pub fn mark_widgets(ui: &mut Ui, look: &Look) {
    let palette = look.theme.palette();
    let widgets = &mut ui.visuals_mut().widgets;
    for state in [&mut widgets.inactive, &mut widgets.hovered, &mut widgets.active] {
        state.corner_radius = CornerRadius::same(3);
        state.bg_fill = palette.background;
        state.bg_stroke.color = palette.weak;
    }
}

/// A box that is ticked, and has a name.
pub fn tick_box(ui: &mut Ui, look: &Look, on: bool, name: &str) -> Response {
    mark_widgets(ui, look);
    let response = ui.checkbox(&mut { on }, "");
    response.widget_info(|| WidgetInfo::selected(WidgetType::Checkbox, true, on, name));
    response
}

/// Gives a list to choose from the name that screen readers say, and what is chosen.
pub fn choice_named(response: &Response, name: &str, chosen: &str) {
    response.widget_info(|| WidgetInfo {
        current_text_value: Some(chosen.to_owned()),
        ..WidgetInfo::labeled(WidgetType::ComboBox, true, name)
    });
}

/// A button that stays down: a filter, a mode.
pub fn toggle(ui: &mut Ui, on: bool, name: &str, help: &str) -> Response {
    let sign = if on { "\u{2714} " } else { "" };
    let response = ui.add(egui::Button::selectable(on, format!("{sign}{name}"))).on_hover_text(help);
    response.widget_info(|| WidgetInfo::selected(WidgetType::Checkbox, true, on, name));
    response
}

/// Gives a response the name that screen readers say.
pub fn named(response: Response, enabled: bool, name: &str) -> Response {
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Button, enabled, name));
    response
}

/// An entity's name, with the sign and colour of its kind; a click shows it. `None` in screen-safe mode is the caller's
/// matter: names may be secrets too.
pub fn entity_button(ui: &mut Ui, look: &Look, entity: &Named) -> Response {
    let colour = look.theme.kind(entity.kind.as_ref());
    let kind = entity.kind.as_ref().map_or("unknown", |kind| kind.as_str());
    let text = format!("{} {}", kind_sign(entity.kind.as_ref()), visual(&entity.name));
    // A name stays whole: it goes to the next line rather than over two, unless no line has room for it.
    let whole = text.chars().count() as f32 * look.theme.sizes().body * 0.6 < ui.max_rect().width();
    let wrap = ui.style().wrap_mode;
    if whole {
        ui.style_mut().wrap_mode = Some(TextWrapMode::Extend);
    }
    let response = ui.link(RichText::new(text).color(colour));
    ui.style_mut().wrap_mode = wrap;
    named(response.on_hover_text(format!("{kind}: {}", entity.id)), ui.is_enabled(), &entity.name)
}

/// A sign for a kind: another form for each, so that colour is not needed.
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

/// A card: a frame around what belongs together; marked, where it is focused or selected.
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
    // A wider line takes from the margin, so that nothing moves when the focus does.
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

/// What stands above a list: where there is little room it scrolls by itself, so that the list has the other half.
pub fn head<R>(ui: &mut Ui, id: &str, inside: impl FnOnce(&mut Ui) -> R) -> R {
    let half = ui.available_height() / 2.0;
    let area = ScrollArea::vertical().id_salt(id).max_height(half).min_scrolled_height(half);
    area.auto_shrink([false, true]).show(ui, inside).inner
}

/// What lies in one of egui's columns: these stretch lines to both of their edges.
pub fn column<R>(ui: &mut Ui, inside: impl FnOnce(&mut Ui) -> R) -> R {
    ui.with_layout(Layout::top_down(Align::Min), inside).inner
}

/// What lies to the right of a list, with a gap between.
pub fn beside<R>(ui: &mut Ui, look: &Look, inside: impl FnOnce(&mut Ui) -> R) -> R {
    let margin = Margin { left: look.theme.spacing().normal as i8, ..Margin::ZERO };
    egui::CentralPanel::default().frame(Frame::new().inner_margin(margin)).show(ui, inside).inner
}

/// A heading within a panel, with a count where there is one.
pub fn section(ui: &mut Ui, look: &Look, name: &str, count: Option<usize>) {
    ui.add_space(look.theme.spacing().normal);
    ui.horizontal(|ui| {
        ui.label(RichText::new(name).strong().color(look.theme.palette().strong));
        if let Some(count) = count {
            ui.label(RichText::new(count.to_string()).small().color(look.theme.palette().weak));
        }
    });
}

/// A line that says that a list goes on: `and 12 more`. Nothing, where it does not.
pub fn more(ui: &mut Ui, look: &Look, left_out: usize) {
    if left_out > 0 {
        ui.label(RichText::new(format!("and {left_out} more")).small().color(look.theme.palette().weak));
    }
}

/// A text, on as many lines as it needs, in the order in which it is seen.
pub fn label(ui: &mut Ui, text: impl Into<WidgetText>) -> Response {
    let text = flowing(ui, text);
    ui.label(text)
}

/// The same, to be clicked.
pub fn link(ui: &mut Ui, text: impl Into<WidgetText>) -> Response {
    let text = flowing(ui, text);
    ui.link(text)
}

/// Text that stands back.
pub fn weak(ui: &mut Ui, look: &Look, words: &str) -> Response {
    label(ui, RichText::new(words).color(look.theme.palette().weak))
}

/// Text of a tone.
pub fn toned(ui: &mut Ui, look: &Look, tone: Tone, words: &str) -> Response {
    label(ui, RichText::new(words).color(look.theme.tone(tone)))
}

/// What an empty field says of itself: it looks like nothing that was typed.
pub fn as_hint(words: impl Into<String>) -> RichText {
    RichText::new(words).italics()
}

/// What stands where a secret would be in screen-safe mode.
pub fn hidden(ui: &mut Ui, look: &Look) -> Response {
    weak(ui, look, "\u{2022}\u{2022}\u{2022} hidden while players look")
}

/// Lays out from the right.
pub fn from_right<R>(ui: &mut Ui, inside: impl FnOnce(&mut Ui) -> R) -> R {
    ui.with_layout(Layout::right_to_left(Align::Center), inside).inner
}

/// A colour that stands back by so much.
pub fn dimmed(colour: Color32, by: f32) -> Color32 {
    colour.gamma_multiply(1.0 - by)
}

/// A range that lies within a text, at characters; empty at its end, where it does not.
pub(crate) fn within(text: &str, span: &Range<usize>) -> Range<usize> {
    if text.get(span.clone()).is_some() { span.clone() } else { text.len()..text.len() }
}
