//! Text fields that complete the names of entities while the user types.

use egui::{Key, Modifiers, Response, RichText, TextEdit, Ui};

use super::basic::{italic_hint, kind_symbol};
use crate::{direction::visual_order, names::NamedEntity, panel::DisplayContext};

/// The result of a name field.
#[derive(Debug)]
pub struct NameField {
    /// The response of egui to the text field.
    pub response: Response,
    /// The entity that the user chose from the list in this frame; `None` if the user chose none. The field then
    /// contains the name of the chosen entity.
    pub chosen: Option<NamedEntity>,
    /// Whether the user pressed Enter in the field without choosing from the list.
    pub entered: bool,
}

/// State of a completion list. The caller stores this value between frames.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completion {
    /// Index of the highlighted entry.
    pub highlighted: usize,
    /// The typed text for which the user closed the list with Escape; `None` if the user did not close the list.
    pub dismissed: Option<String>,
}

/// Draws a text field that completes a name. Up and Down move the highlight, Enter or Tab chooses the highlighted
/// entity, and Escape closes the list. `name` is the field's name for screen readers. `is_offered` returns whether the
/// list is allowed to contain an entity.
pub fn name_field(
    ui: &mut Ui,
    display: &DisplayContext,
    name: &str,
    hint: &str,
    typed: &mut String,
    completion: &mut Completion,
    is_offered: impl Fn(&NamedEntity) -> bool,
) -> NameField {
    let id = ui.make_persistent_id(("name field", name));
    // If the rest of the line is too narrow for a name, use the next line.
    if ui.layout().main_wrap && ui.available_width() < ui.spacing().text_edit_width {
        ui.end_row();
    }
    let focused = ui.memory(|memory| memory.has_focus(id));
    let candidates: Vec<NamedEntity> = match focused && completion.dismissed.as_ref() != Some(typed) {
        true => display.names.completions(typed, &is_offered, 8).into_iter().cloned().collect(),
        false => Vec::new(),
    };
    let chosen_by_key = handle_completion_keys(ui, &candidates, completion, typed, &[Key::Tab, Key::Enter]);
    let edit = TextEdit::singleline(typed).id(id).hint_text(italic_hint(hint));
    let response = ui.add(edit);
    response.widget_info(|| {
        let mut info = egui::WidgetInfo::text_edit(true, typed.as_str(), typed.as_str(), hint);
        info.label = Some(name.to_owned());
        info
    });
    if response.changed() {
        completion.highlighted = 0;
        completion.dismissed = None;
    }
    let clicked = completion_list_ui(display, &response, &candidates, completion);
    let chosen = chosen_by_key.or(clicked);
    if let Some(entity) = &chosen {
        *typed = entity.name.clone();
        completion.dismissed = Some(typed.clone());
    }
    let entered = chosen.is_none() && response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
    NameField { response, chosen, entered }
}

/// Handles the keys of a completion list. Call this function before drawing the text field, which would otherwise
/// receive these keys. If the user presses one of `choose_keys`, the highlighted entity is chosen. Returns the chosen
/// entity.
pub fn handle_completion_keys(
    ui: &Ui,
    candidates: &[NamedEntity],
    completion: &mut Completion,
    typed: &str,
    choose_keys: &[Key],
) -> Option<NamedEntity> {
    if candidates.is_empty() {
        return None;
    }
    let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    if pressed(Key::ArrowDown) {
        completion.highlighted = (completion.highlighted + 1) % candidates.len();
    }
    if pressed(Key::ArrowUp) {
        completion.highlighted = completion.highlighted.checked_sub(1).unwrap_or(candidates.len() - 1);
    }
    if pressed(Key::Escape) {
        completion.dismissed = Some(typed.to_owned());
        return None;
    }
    let is_confirmed = choose_keys.iter().any(|key| pressed(*key));
    is_confirmed.then(|| candidates.get(completion.highlighted.min(candidates.len() - 1)).cloned()).flatten()
}

/// Draws the completion list below a text field. Returns the clicked entity.
pub fn completion_list_ui(
    display: &DisplayContext,
    field: &Response,
    candidates: &[NamedEntity],
    completion: &Completion,
) -> Option<NamedEntity> {
    if candidates.is_empty() {
        return None;
    }
    let mut clicked = None;
    egui::Popup::from_response(field).id(field.id.with("completions")).open(true).gap(2.0).show(|ui| {
        ui.set_min_width(220.0);
        for (number, entity) in candidates.iter().enumerate() {
            let colour = display.theme.kind(entity.kind.as_ref());
            let text = format!("{} {}", kind_symbol(entity.kind.as_ref()), visual_order(&entity.name));
            let is_highlighted = number == completion.highlighted.min(candidates.len() - 1);
            if ui.selectable_label(is_highlighted, RichText::new(text).color(colour)).clicked() {
                clicked = Some(entity.clone());
            }
        }
    });
    clicked
}
