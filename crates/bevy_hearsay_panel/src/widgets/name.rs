//! Text fields that complete names of entities.

use egui::{Key, Modifiers, Response, RichText, TextEdit, Ui};

use super::basic::{as_hint, kind_sign};
use crate::{direction::visual, names::Named, panel::Look};

/// The result of a name field.
#[derive(Debug)]
pub struct NameField {
    /// The response of the field.
    pub response: Response,
    /// The entity that the user chose from the list in this frame. The field then contains the name of this entity.
    pub chosen: Option<Named>,
    /// Whether the user pressed Enter in the field without choosing from the list.
    pub entered: bool,
}

/// State of a completion list. The caller stores this value between frames.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completion {
    /// Index of the highlighted entry.
    pub marked: usize,
    /// The text for which the user closed the list.
    pub dismissed: Option<String>,
}

/// Draws a text field that completes a name. Up and Down move the highlight, Enter or Tab chooses the highlighted
/// entity, and Escape closes the list. `name` is the field's name for screen readers. `wanted` returns whether to offer
/// an entity.
pub fn name_field(
    ui: &mut Ui,
    look: &Look,
    name: &str,
    hint: &str,
    typed: &mut String,
    completion: &mut Completion,
    wanted: impl Fn(&Named) -> bool,
) -> NameField {
    let id = ui.make_persistent_id(("name field", name));
    // If the rest of the line is too narrow for a name, use the next line.
    if ui.layout().main_wrap && ui.available_width() < ui.spacing().text_edit_width {
        ui.end_row();
    }
    let focused = ui.memory(|memory| memory.has_focus(id));
    let found: Vec<Named> = match focused && completion.dismissed.as_ref() != Some(typed) {
        true => look.names.completions(typed, &wanted, 8).into_iter().cloned().collect(),
        false => Vec::new(),
    };
    let taken = complete(ui, &found, completion, typed);
    let edit = TextEdit::singleline(typed).id(id).hint_text(as_hint(hint));
    let response = ui.add(edit);
    response.widget_info(|| {
        let mut info = egui::WidgetInfo::text_edit(true, typed.as_str(), typed.as_str(), hint);
        info.label = Some(name.to_owned());
        info
    });
    if response.changed() {
        completion.marked = 0;
        completion.dismissed = None;
    }
    let clicked = complete_ui(look, &response, &found, completion);
    let chosen = taken.or(clicked);
    if let Some(named) = &chosen {
        *typed = named.name.clone();
        completion.dismissed = Some(typed.clone());
    }
    let entered = chosen.is_none() && response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
    NameField { response, chosen, entered }
}

/// Handles the keys of a completion list. Call this function before drawing the text field, which would otherwise
/// receive these keys. Returns the chosen entity.
pub fn complete(ui: &Ui, found: &[Named], completion: &mut Completion, typed: &str) -> Option<Named> {
    if found.is_empty() {
        return None;
    }
    let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    if pressed(Key::ArrowDown) {
        completion.marked = (completion.marked + 1) % found.len();
    }
    if pressed(Key::ArrowUp) {
        completion.marked = completion.marked.checked_sub(1).unwrap_or(found.len() - 1);
    }
    if pressed(Key::Escape) {
        completion.dismissed = Some(typed.to_owned());
        return None;
    }
    let take = pressed(Key::Tab) || pressed(Key::Enter);
    take.then(|| found.get(completion.marked.min(found.len() - 1)).cloned()).flatten()
}

/// Draws the completion list below a text field. Returns the clicked entity.
pub fn complete_ui(look: &Look, field: &Response, found: &[Named], completion: &Completion) -> Option<Named> {
    if found.is_empty() {
        return None;
    }
    let mut clicked = None;
    egui::Popup::from_response(field).id(field.id.with("completions")).open(true).gap(2.0).show(|ui| {
        ui.set_min_width(220.0);
        for (number, named) in found.iter().enumerate() {
            let colour = look.theme.kind(named.kind.as_ref());
            let text = format!("{} {}", kind_sign(named.kind.as_ref()), visual(&named.name));
            let marked = number == completion.marked.min(found.len() - 1);
            if ui.selectable_label(marked, RichText::new(text).color(colour)).clicked() {
                clicked = Some(named.clone());
            }
        }
    });
    clicked
}
