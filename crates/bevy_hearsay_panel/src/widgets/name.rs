//! Fields in which names are completed.

use egui::{Key, Modifiers, Response, RichText, TextEdit, Ui};

use super::kind_sign;
use crate::{direction::visual, names::Named, panel::Look};

/// What came of a name field.
#[derive(Debug)]
pub struct NameField {
    /// The field's own response.
    pub response: Response,
    /// Who was chosen from the list, in this frame; the field has its name then.
    pub chosen: Option<Named>,
    /// Whether Enter was pressed in the field without choosing.
    pub entered: bool,
}

/// Where a list of completions stands: kept by the caller.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completion {
    /// Which line is marked.
    pub marked: usize,
    /// Whether the list was sent away for this text.
    pub dismissed: Option<String>,
}

/// A line of text in which a name is completed: Up and Down choose, Enter or Tab takes, Escape sends the list away. `name`
/// is what screen readers call the field; `wanted` says who may be chosen.
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
    // What is left of a line may be too narrow for a name.
    if ui.layout().main_wrap && ui.available_width() < ui.spacing().text_edit_width {
        ui.end_row();
    }
    let focused = ui.memory(|memory| memory.has_focus(id));
    let found: Vec<Named> = match focused && completion.dismissed.as_ref() != Some(typed) {
        true => look.names.completions(typed, &wanted, 8).into_iter().cloned().collect(),
        false => Vec::new(),
    };
    let taken = complete(ui, &found, completion, typed);
    let edit = TextEdit::singleline(typed).id(id).hint_text(crate::widgets::as_hint(hint));
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

/// The keys of a list of completions, to be taken before the field gets them. Answers with who was taken.
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

/// The list of completions below a field. Answers with who was clicked.
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
