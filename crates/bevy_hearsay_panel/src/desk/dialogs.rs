//! The help dialog with all keys, and the command palette.

use egui::{Key, Modal, RichText, ScrollArea, TextEdit, Ui};

use crate::{
    commands::{self, Command, CommandScope},
    panel::DisplayContext,
    widgets::{key_hint, weak_label},
};

/// The dialogs above the panels.
#[derive(Debug, Default)]
pub(super) struct Dialogs {
    open: Option<Dialog>,
}

#[derive(Debug)]
enum Dialog {
    Help,
    Palette { typed: String, highlighted: usize, is_new: bool },
}

impl Dialogs {
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    pub(super) fn open_help(&mut self) {
        self.open = Some(Dialog::Help);
    }

    pub(super) fn open_palette(&mut self) {
        self.open = Some(Dialog::Palette { typed: String::new(), highlighted: 0, is_new: true });
    }

    /// Draws the open dialog. Returns the chosen command.
    pub(super) fn ui(&mut self, ui: &mut Ui, display: &DisplayContext) -> Option<&'static Command> {
        let mut chosen = None;
        let dialog = self.open.as_mut()?;
        let response = Modal::new(egui::Id::new("hearsay dialog")).show(ui.ctx(), |ui| {
            ui.set_width(560.0);
            match dialog {
                Dialog::Help => help_dialog(ui, display),
                Dialog::Palette { typed, highlighted, is_new } => {
                    chosen = command_palette(ui, display, typed, highlighted, is_new);
                }
            }
        });
        if response.should_close() || chosen.is_some() {
            self.open = None;
        }
        chosen
    }
}

fn scope_name(scope: CommandScope) -> &'static str {
    match scope {
        CommandScope::Desk => "Everywhere",
        CommandScope::Panel(kind) => kind.name(),
        CommandScope::Capture => "Capture line",
    }
}

fn help_dialog(ui: &mut Ui, display: &DisplayContext) {
    ui.label(RichText::new("All keys").heading());
    weak_label(ui, display, "Single keys work while no text field has the focus. Press Escape to close.");
    let height = ui.ctx().content_rect().height() * 0.7;
    ScrollArea::vertical().max_height(height).show(ui, |ui| {
        let mut scope = None;
        for command in commands::all() {
            if scope != Some(command.scope) {
                scope = Some(command.scope);
                ui.add_space(display.theme.spacing().normal);
                ui.label(RichText::new(scope_name(command.scope)).strong());
            }
            ui.horizontal(|ui| {
                ui.allocate_ui(egui::vec2(120.0, display.theme.sizes().row), |ui| {
                    ui.set_min_width(120.0);
                    ui.horizontal(|ui| {
                        for keys in command.keys.iter().take(2) {
                            key_hint(ui, display, &keys.text());
                        }
                    });
                });
                ui.vertical(|ui| {
                    ui.label(command.name);
                    ui.label(RichText::new(command.help).small().color(display.theme.palette().weak));
                });
            });
        }
    });
}

fn command_palette(
    ui: &mut Ui,
    display: &DisplayContext,
    typed: &mut String,
    highlighted: &mut usize,
    is_new: &mut bool,
) -> Option<&'static Command> {
    let query = typed.trim().to_lowercase();
    let matches_query = |command: &&Command| {
        query
            .split_whitespace()
            .all(|word| command.name.to_lowercase().contains(word) || command.help.to_lowercase().contains(word))
    };
    let matches: Vec<&'static Command> = commands::all().filter(matches_query).collect();
    let ctx = ui.ctx().clone();
    let key = |key| ctx.input(|input| input.key_pressed(key));
    let last = matches.len().saturating_sub(1);
    if key(Key::ArrowDown) {
        *highlighted = (*highlighted + 1).min(last);
    }
    if key(Key::ArrowUp) {
        *highlighted = highlighted.saturating_sub(1);
    }
    let is_confirmed = key(Key::Enter);
    let field = ui.add(
        TextEdit::singleline(typed)
            .hint_text(crate::widgets::italic_hint("Name of a command"))
            .desired_width(f32::INFINITY),
    );
    field.request_focus();
    if field.changed() {
        *highlighted = 0;
    }
    let mut area = ScrollArea::vertical().max_height(ctx.content_rect().height() * 0.6);
    // egui keeps the scroll position from the last time that the palette was open.
    if field.changed() || std::mem::take(is_new) {
        area = area.vertical_scroll_offset(0.0);
    }
    *highlighted = (*highlighted).min(last);
    let mut chosen = is_confirmed.then(|| matches.get(*highlighted).copied()).flatten();
    area.show(ui, |ui| {
        for (number, command) in matches.iter().enumerate() {
            let text = format!("{}: {}", scope_name(command.scope), command.name);
            let button = egui::Button::selectable(number == *highlighted, text)
                .right_text(RichText::new(command.key_hint()).small().monospace());
            let response = ui.add_sized([ui.available_width(), display.theme.sizes().target], button);
            if number == *highlighted && (key(Key::ArrowDown) || key(Key::ArrowUp)) {
                response.scroll_to_me(None);
            }
            if response.on_hover_text(command.help).clicked() {
                chosen = Some(command);
            }
        }
        if matches.is_empty() {
            weak_label(ui, display, "No command matches.");
        }
    });
    chosen
}
