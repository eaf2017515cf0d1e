//! The desk: all panels, their layout, the keys, undo, and the saved state. This module does not depend on Bevy.

mod bars;
mod dialogs;
mod kept;
mod layout;
mod undo;

use std::{collections::BTreeMap, sync::Arc};

use egui::{CentralPanel, Ui};
use egui_tiles::Tree;
use hearsay_engine::Memory;

use crate::{
    commands::{self, Command, PanelKind, Scope},
    desk_commands::Deeds,
    panel::{Look, Note, Outcome, Panel, PanelContext, Request},
    panel_context::Watch,
    panels::{self, capture::CapturePanel, status::StatusBar},
    theme::{Shade, Theme},
};

pub use kept::KeptDesk;

/// The desk: all panels, with their layout, keys, undo and saved state.
///
/// Call [`ui`](Self::ui) each frame. This call never blocks, because requests to the memory return tickets.
pub struct Desk {
    panels: BTreeMap<PanelKind, Box<dyn Panel>>,
    tree: Tree<PanelKind>,
    active: PanelKind,
    capture: CapturePanel,
    status: StatusBar,
    watch: Watch,
    desk_commands: Deeds,
    undo: undo::Undo,
    dialogs: dialogs::Dialogs,
    theme: Arc<Theme>,
    screen_safe: bool,
    quiet: bool,
    /// A command that the user chose in the palette for a panel, until the panel receives it.
    asked: Option<&'static Command>,
}

impl Default for Desk {
    fn default() -> Self {
        Self {
            panels: PanelKind::ALL.into_iter().map(|kind| (kind, panels::new(kind))).collect(),
            tree: layout::first(),
            active: PanelKind::Review,
            capture: CapturePanel::default(),
            status: StatusBar::default(),
            watch: Watch::default(),
            desk_commands: Deeds::default(),
            undo: undo::Undo::default(),
            dialogs: dialogs::Dialogs::default(),
            theme: Arc::default(),
            screen_safe: false,
            quiet: false,
            asked: None,
        }
    }
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").field("active", &self.active).finish_non_exhaustive()
    }
}

impl Desk {
    /// Returns the state to save.
    pub fn keep(&self) -> KeptDesk {
        KeptDesk {
            layout: self.tree.clone(),
            active: self.active,
            shade: self.theme.shade(),
            scale: self.theme.scale(),
            quiet: self.quiet,
            screen_safe: self.screen_safe,
            panels: self.panels.iter().filter_map(|(kind, panel)| Some((*kind, panel.save()?))).collect(),
            own: self.undo.own().to_vec(),
            capture: self.capture.save(),
        }
    }

    /// Restores saved state.
    pub fn restore(&mut self, kept: KeptDesk) {
        if layout::is_whole(&kept.layout) {
            self.tree = kept.layout;
        }
        self.active = kept.active;
        let mut theme = Theme::clone(&self.theme);
        theme.set_shade(kept.shade);
        theme.set_scale(kept.scale);
        self.theme = Arc::new(theme);
        (self.quiet, self.screen_safe) = (kept.quiet, kept.screen_safe);
        for (kind, saved) in kept.panels {
            if let Some(panel) = self.panels.get_mut(&kind) {
                panel.restore(saved);
            }
        }
        self.undo.restore(kept.own);
        if let Some(saved) = kept.capture {
            self.capture.restore(saved);
        }
    }

    /// Returns the last known state of the memory, which all panels share.
    pub fn panel_context(&self) -> &PanelContext {
        self.watch.panel_context()
    }

    /// Returns the theme.
    pub fn theme(&self) -> &Theme {
        &self.theme
    }

    /// Sets the theme.
    pub fn set_theme(&mut self, theme: Theme) {
        self.theme = Arc::new(theme);
    }

    /// Sets the shade of the theme: dark or light.
    pub fn set_shade(&mut self, shade: Shade) {
        Arc::make_mut(&mut self.theme).set_shade(shade);
    }

    /// Sets the scale of the interface, clamped to [`Theme::SCALES`].
    pub fn set_scale(&mut self, scale: f32) {
        Arc::make_mut(&mut self.theme).set_scale(scale);
    }

    /// Sets whether players can see the screen. If so, the panels draw no secrets.
    pub fn set_screen_safe(&mut self, screen_safe: bool) {
        self.screen_safe = screen_safe;
    }

    /// Returns the active panel, which receives single keys.
    pub fn active(&self) -> PanelKind {
        self.active
    }

    /// Returns the number of items that wait for review. A game can show this number while the desk is closed.
    pub fn waiting(&self) -> usize {
        self.watch.panel_context().status.as_ref().map_or(0, |status| status.reviews)
    }

    /// Returns whether a command, a read of the shared state, or undo is in progress.
    pub fn is_busy(&self) -> bool {
        self.desk_commands.count() > 0 || self.watch.is_busy() || self.undo.is_busy()
    }

    /// Opens a panel and makes it the active panel.
    pub fn open(&mut self, kind: PanelKind) {
        layout::open(&mut self.tree, kind);
        self.active = kind;
    }

    /// Handles a request as if a panel had returned it.
    pub fn request(&mut self, ctx: &egui::Context, request: Request) {
        match request {
            Request::Open(kind) => self.open(kind),
            Request::Copy(text) => {
                ctx.copy_text(text);
                self.status.tell(Note::new("copied"));
            }
            Request::Tell(note) => self.status.tell(note),
            Request::Do(desk_command) => self.desk_commands.begin(desk_command),
            Request::Wrote(written) => {
                self.watch.wrote(written.position);
                self.status.tell(Note::new(written.summary.clone()));
                self.undo.wrote(written.position, written.summary);
            }
            Request::Undo => self.undo.ask(),
            Request::Redo => match self.undo.redo() {
                Some(desk_command) => self.desk_commands.begin(desk_command),
                None => self.status.tell(Note::new("there is nothing to redo")),
            },
            request => {
                // Show a fact that waits for review in the review panel, and any other fact on the page of its subject.
                let order = match &request {
                    Request::ShowFact(_) => [PanelKind::Review, PanelKind::Entity].into_iter().chain(PanelKind::ALL),
                    _ => [PanelKind::Entity, PanelKind::Search].into_iter().chain(PanelKind::ALL),
                };
                let mut shows = |kind: &PanelKind| self.panels.get_mut(kind).is_some_and(|panel| panel.show(&request));
                if let Some(kind) = order.into_iter().find(|kind| shows(kind)) {
                    self.open(kind);
                }
            }
        }
    }

    /// Continues pending work while the desk is closed. A closed desk is not drawn.
    pub fn attend(&mut self, memory: &Memory) {
        for outcome in self.desk_commands.update(memory) {
            self.hear(&outcome);
        }
        self.watch.update(memory, self.desk_commands.count());
    }

    /// Draws the desk on the surface `ui`.
    pub fn ui(&mut self, ui: &mut Ui, memory: &Memory) {
        self.theme.apply(ui.ctx());
        self.update(memory);
        let dialog_open = self.dialogs.is_open() || self.undo.asks();
        if !dialog_open {
            self.commands(ui);
        }
        let mut requests = Vec::new();
        let look = Look {
            theme: Arc::clone(&self.theme),
            screen_safe: self.screen_safe,
            quiet: self.quiet,
            keys: false,
            asked: None,
            names: Arc::clone(&self.watch.panel_context().names),
        };
        if !self.quiet {
            let modes = bars::Modes { quiet: self.quiet, screen_safe: self.screen_safe };
            if let Some(command) = bars::top_bar(ui, &look, modes, self.watch.panel_context(), &mut requests) {
                self.settings(command);
            }
        }
        let waiting = self.panels.get(&PanelKind::Review).map_or(0, |panel| panel.badge());
        requests.extend(self.status.ui(ui, &look, self.watch.panel_context(), waiting, self.quiet));
        requests.extend(self.capture.bar(ui, &look));
        requests.extend(self.capture.due());
        // Show only one panel in quiet mode and in a window that is too narrow for two panels.
        let alone = self.quiet || ui.available_width() < layout::NARROW;
        let frame = egui::Frame::new().fill(self.theme.palette().background);
        CentralPanel::default().frame(frame).show(ui, |ui| {
            let mut behaviour = layout::Behaviour {
                panels: &mut self.panels,
                look: &look,
                active: &mut self.active,
                keys: !dialog_open,
                asked: self.asked.take(),
                requests: &mut requests,
            };
            match alone {
                true => layout::alone(&mut self.tree, &mut behaviour, ui, !self.quiet),
                false => self.tree.ui(&mut behaviour, ui),
            }
        });
        if let Some(command) = self.dialogs.ui(ui, &look) {
            self.run(ui.ctx(), command);
        }
        requests.extend(self.undo.ui(ui, &look));
        for request in requests {
            self.request(ui.ctx(), request);
        }
        if self.is_busy() {
            ui.ctx().request_repaint();
        } else {
            ui.ctx().request_repaint_after(std::time::Duration::from_millis(100));
        }
    }

    /// Receives answers from the memory.
    fn update(&mut self, memory: &Memory) {
        self.attend(memory);
        self.undo.update(memory, &mut self.desk_commands, &mut self.status);
        let visible = layout::visible(&self.tree);
        let panel_context = self.watch.panel_context();
        for (kind, panel) in &mut self.panels {
            // Update the review panel even if it is hidden, because its tab shows a badge.
            if visible.contains(kind) || *kind == PanelKind::Review {
                panel.update(memory, panel_context);
            }
        }
        self.capture.update(memory, panel_context);
    }

    fn hear(&mut self, outcome: &Outcome) {
        match &outcome.done {
            Ok(done) => {
                if let Some(position) = done.position {
                    self.watch.wrote(position);
                }
                self.undo.hear(outcome);
                self.status.tell(Note::new(format!("Done: {}", done.summary)));
            }
            Err(why) => self.status.tell(Note::trouble(format!("{}: {why}", outcome.desk_command.what()))),
        }
        for panel in self.panels.values_mut() {
            panel.heard(outcome);
        }
        self.capture.heard(outcome);
    }

    /// Handles the keys of the desk's own commands.
    fn commands(&mut self, ui: &Ui) {
        let typing = ui.ctx().text_edit_focused();
        let given = commands::all().filter(|command| command.scope == Scope::Desk);
        let given = given
            .filter(|command| command.keys.iter().any(|keys| (keys.needs_no_focus() || !typing) && keys.consume(ui)));
        for command in given.collect::<Vec<_>>() {
            self.run(ui.ctx(), command);
        }
        if self.quiet && !typing && ui.input(|input| input.key_pressed(egui::Key::Escape)) {
            self.quiet = false;
        }
    }

    /// Carries out a command.
    fn run(&mut self, ctx: &egui::Context, command: &'static Command) {
        if let Scope::Panel(kind) = command.scope {
            self.open(kind);
            self.asked = Some(command);
            return;
        }
        if let Some(kind) = PanelKind::opened_by(command) {
            self.open(kind);
            return;
        }
        let request = match *command {
            commands::SEARCH => Request::Search(String::new()),
            commands::UNDO => Request::Undo,
            commands::REDO => Request::Redo,
            _ => {
                self.settings(command);
                return;
            }
        };
        self.request(ctx, request);
    }

    /// Carries out a command that changes the desk itself.
    fn settings(&mut self, command: &Command) {
        let scale = self.theme.scale();
        match *command {
            commands::CAPTURE => self.capture.focus(),
            commands::PALETTE => self.dialogs.open_palette(),
            commands::HELP => self.dialogs.open_help(),
            commands::QUIET => self.quiet = !self.quiet,
            commands::SCREEN_SAFE => self.screen_safe = !self.screen_safe,
            commands::SHADE => self.set_shade(self.theme.shade().other()),
            commands::LARGER => self.set_scale(scale + 0.125),
            commands::SMALLER => self.set_scale(scale - 0.125),
            commands::NORMAL_SIZE => self.set_scale(1.0),
            commands::RESET_LAYOUT => {
                self.tree = layout::first();
                self.active = PanelKind::Review;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
