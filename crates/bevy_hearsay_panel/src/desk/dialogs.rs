//! The help dialog with all keys, and the command palette.

use egui::{Key, Modal, RichText, ScrollArea, TextEdit, Ui};

use crate::{
    commands::{self, Command, Scope},
    panel::Look,
    widgets::{key_hint, weak},
};

/// The dialogs above the panels.
#[derive(Debug, Default)]
pub(super) struct Dialogs {
    open: Option<Dialog>,
}

#[derive(Debug)]
enum Dialog {
    Help,
    Palette { typed: String, marked: usize },
}

impl Dialogs {
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    pub(super) fn open_help(&mut self) {
        self.open = Some(Dialog::Help);
    }

    pub(super) fn open_palette(&mut self) {
        self.open = Some(Dialog::Palette { typed: String::new(), marked: 0 });
    }

    /// Draws the open dialog. Returns the chosen command.
    pub(super) fn ui(&mut self, ui: &mut Ui, look: &Look) -> Option<&'static Command> {
        let mut chosen = None;
        let dialog = self.open.as_mut()?;
        let response = Modal::new(egui::Id::new("hearsay dialog")).show(ui.ctx(), |ui| {
            ui.set_width(560.0);
            match dialog {
                Dialog::Help => help(ui, look),
                Dialog::Palette { typed, marked } => chosen = palette(ui, look, typed, marked),
            }
        });
        if response.should_close() || chosen.is_some() {
            self.open = None;
        }
        chosen
    }
}

fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Desk => "Everywhere",
        Scope::Panel(kind) => kind.name(),
        Scope::Capture => "Capture line",
    }
}

fn help(ui: &mut Ui, look: &Look) {
    ui.label(RichText::new("All keys").heading());
    weak(ui, look, "Single keys work while no text field has the focus. Press Escape to close.");
    let height = ui.ctx().content_rect().height() * 0.7;
    ScrollArea::vertical().max_height(height).show(ui, |ui| {
        let mut scope = None;
        for command in commands::all() {
            if scope != Some(command.scope) {
                scope = Some(command.scope);
                ui.add_space(look.theme.spacing().normal);
                ui.label(RichText::new(scope_name(command.scope)).strong());
            }
            ui.horizontal(|ui| {
                ui.allocate_ui(egui::vec2(120.0, look.theme.sizes().row), |ui| {
                    ui.set_min_width(120.0);
                    ui.horizontal(|ui| {
                        for keys in command.keys.iter().take(2) {
                            key_hint(ui, look, &keys.text());
                        }
                    });
                });
                ui.vertical(|ui| {
                    ui.label(command.name);
                    ui.label(RichText::new(command.help).small().color(look.theme.palette().weak));
                });
            });
        }
    });
}

fn palette(ui: &mut Ui, look: &Look, typed: &mut String, marked: &mut usize) -> Option<&'static Command> {
    let wanted = typed.trim().to_lowercase();
    let has = |command: &&Command| {
        wanted
            .split_whitespace()
            .all(|word| command.name.to_lowercase().contains(word) || command.help.to_lowercase().contains(word))
    };
    let found: Vec<&'static Command> = commands::all().filter(has).collect();
    let ctx = ui.ctx().clone();
    let key = |key| ctx.input(|input| input.key_pressed(key));
    let last = found.len().saturating_sub(1);
    if key(Key::ArrowDown) {
        *marked = (*marked + 1).min(last);
    }
    if key(Key::ArrowUp) {
        *marked = marked.saturating_sub(1);
    }
    let entered = key(Key::Enter);
    let field = ui.add(
        TextEdit::singleline(typed)
            .hint_text(crate::widgets::as_hint("Name of a command"))
            .desired_width(f32::INFINITY),
    );
    field.request_focus();
    if field.changed() {
        *marked = 0;
    }
    *marked = (*marked).min(last);
    let mut chosen = entered.then(|| found.get(*marked).copied()).flatten();
    ScrollArea::vertical().max_height(ctx.content_rect().height() * 0.6).show(ui, |ui| {
        for (number, command) in found.iter().enumerate() {
            let text = format!("{}: {}", scope_name(command.scope), command.name);
            let button = egui::Button::selectable(number == *marked, text)
                .right_text(RichText::new(command.hint()).small().monospace());
            let response = ui.add_sized([ui.available_width(), look.theme.sizes().target], button);
            if number == *marked && (key(Key::ArrowDown) || key(Key::ArrowUp)) {
                response.scroll_to_me(None);
            }
            if response.on_hover_text(command.help).clicked() {
                chosen = Some(command);
            }
        }
        if found.is_empty() {
            weak(ui, look, "No command matches.");
        }
    });
    chosen
}
