//! The DM console: all panels, their layout, the keys, undo, and the saved state. This module does not depend on Bevy.

mod bars;
mod dialogs;
mod layout;
mod player_screen;
mod saved_desk;
mod undo;

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use egui::{CentralPanel, Ui};
use egui_tiles::Tree;
use hearsay_engine::Memory;

use crate::{
    commands::{self, Command, CommandScope, PanelKind},
    desk_commands::DeskCommandQueue,
    panel::{CommandOutcome, DisplayContext, Panel, Request, StatusMessage},
    panel_context::PanelContext,
    panel_context::PanelContextPoller,
    panel_source::PanelSource,
    panels::{self, capture::CapturePanel, status::StatusBar},
    theme::{Shade, Theme},
};

use player_screen::PlayerScreen;
pub use saved_desk::{SavedDesk, WindowPlacement};

/// Time after an input until all its effects are drawn, for example the preview of a typed line.
const SETTLING_TIME: Duration = Duration::from_secs(3);

/// Time between two frames while effects of an input or of a change of the memory are still to be drawn.
const SETTLING_INTERVAL: Duration = Duration::from_millis(100);

/// The DM console: all panels, with their layout, keys, undo and saved state.
///
/// Call [`ui`](Self::ui) each frame. This function never blocks, because requests to the memory return tickets.
pub struct Desk {
    panels: BTreeMap<PanelKind, Box<dyn Panel>>,
    tree: Tree<PanelKind>,
    active: PanelKind,
    capture: CapturePanel,
    status: StatusBar,
    context_poller: PanelContextPoller,
    desk_commands: DeskCommandQueue,
    undo: undo::Undo,
    dialogs: dialogs::Dialogs,
    theme: Arc<Theme>,
    /// The panels that players can see; `None` while screen-safe mode is off.
    player_screen: Option<PlayerScreen>,
    quiet: bool,
    /// Time of the last frame with input.
    input_at: Option<Instant>,
    /// Whether a text field had the focus at the end of the last frame.
    was_typing: bool,
    /// The command of a panel that the user chose in the command palette. The field is set until the panel receives the
    /// command.
    chosen_command: Option<&'static Command>,
}

impl Default for Desk {
    fn default() -> Self {
        Self {
            panels: PanelKind::ALL.into_iter().map(|kind| (kind, panels::new(kind))).collect(),
            tree: layout::default_layout(),
            active: PanelKind::Review,
            capture: CapturePanel::default(),
            status: StatusBar::default(),
            context_poller: PanelContextPoller::default(),
            desk_commands: DeskCommandQueue::default(),
            undo: undo::Undo::default(),
            dialogs: dialogs::Dialogs::default(),
            theme: Arc::default(),
            player_screen: None,
            quiet: false,
            input_at: None,
            was_typing: false,
            chosen_command: None,
        }
    }
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").field("active", &self.active).finish_non_exhaustive()
    }
}

impl Desk {
    /// Returns the state of the DM console, for [`restore`](Self::restore).
    pub fn save(&self) -> SavedDesk {
        SavedDesk {
            layout: self.tree.clone(),
            active: self.active,
            shade: self.theme.shade(),
            scale: self.theme.scale(),
            quiet: self.quiet,
            screen_safe: self.player_screen.is_some(),
            panels: self.panels.iter().filter_map(|(kind, panel)| Some((*kind, panel.save()?))).collect(),
            own_operations: self.undo.own_operations().to_vec(),
            capture: self.capture.save(),
            window: None,
        }
    }

    /// Restores a state that [`save`](Self::save) returned.
    pub fn restore(&mut self, saved_desk: SavedDesk) {
        if layout::is_complete(&saved_desk.layout) {
            self.tree = saved_desk.layout;
        }
        self.active = saved_desk.active;
        let mut theme = Theme::clone(&self.theme);
        theme.set_shade(saved_desk.shade);
        theme.set_scale(saved_desk.scale);
        self.theme = Arc::new(theme);
        self.quiet = saved_desk.quiet;
        for (kind, saved) in saved_desk.panels {
            if let Some(panel) = self.panels.get_mut(&kind) {
                panel.restore(saved);
            }
        }
        self.undo.restore(saved_desk.own_operations);
        if let Some(saved) = saved_desk.capture {
            self.capture.restore(saved);
        }
        self.set_screen_safe(saved_desk.screen_safe);
    }

    /// Returns the data that all panels share, as last read from the memory.
    pub fn panel_context(&self) -> &PanelContext {
        self.context_poller.panel_context()
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

    /// Sets the scale of the interface, clamped to [`Theme::SCALE_RANGE`].
    pub fn set_scale(&mut self, scale: f32) {
        Arc::make_mut(&mut self.theme).set_scale(scale);
    }

    /// Turns screen-safe mode on or off. While players can see the screen, turn this mode on. The panels then show only
    /// facts that every player character knows.
    pub fn set_screen_safe(&mut self, screen_safe: bool) {
        if screen_safe == self.player_screen.is_some() {
            return;
        }
        self.status.clear();
        self.undo.cancel();
        self.player_screen = screen_safe.then(|| PlayerScreen::new(&self.panels));
    }

    /// Shows a message about an operation. The message can contain secrets.
    fn show_dm_message(&mut self, message: StatusMessage) {
        let is_hidden = self.player_screen.is_some();
        self.status.show(if is_hidden { player_screen::without_details(&message) } else { message });
    }

    /// Returns the active panel, which receives keys without modifiers.
    pub fn active(&self) -> PanelKind {
        self.active
    }

    /// Returns the number of items that wait for review. A game can show this number while the DM console is closed.
    pub fn pending_reviews(&self) -> usize {
        self.context_poller.panel_context().status.as_ref().map_or(0, |status| status.reviews)
    }

    /// Returns the number of texts that wait for the extraction of facts; `None` while this number is unknown.
    pub fn unread_texts(&self) -> Option<usize> {
        self.context_poller.panel_context().status.as_ref().map(|status| status.unread)
    }

    /// Returns whether a command, an undo, or a read of the data that all panels share is in progress.
    pub fn is_busy(&self) -> bool {
        self.desk_commands.pending_count() > 0
            || self.context_poller.is_busy()
            || self.undo.is_busy()
            || self.capture.is_busy()
            || self.player_screen.as_ref().is_some_and(PlayerScreen::is_busy)
    }

    /// Opens a panel and makes it the active panel.
    pub fn open(&mut self, kind: PanelKind) {
        layout::activate_panel(&mut self.tree, kind);
        self.active = kind;
    }

    /// Handles a request as if a panel had returned it.
    pub fn request(&mut self, ctx: &egui::Context, request: Request) {
        match request {
            Request::Open(kind) => self.open(kind),
            Request::Copy(text) => {
                ctx.copy_text(text);
                self.status.show(StatusMessage::new("copied"));
            }
            Request::ShowMessage(message) => self.status.show(message),
            Request::Execute(desk_command) => self.desk_commands.submit(desk_command),
            Request::RegisterWrite(written) => {
                self.context_poller.register_write(written.position);
                self.show_dm_message(StatusMessage::new(written.summary.clone()));
                self.undo.register_write(written.position, written.summary);
            }
            Request::Undo | Request::Redo if self.player_screen.is_some() => {
                self.status.show(StatusMessage::error("Turn screen-safe mode off to undo or redo a change."));
            }
            Request::Undo => self.undo.request(),
            Request::Redo => match self.undo.redo() {
                Some(desk_command) => self.desk_commands.submit(desk_command),
                None => self.status.show(StatusMessage::new("there is nothing to redo")),
            },
            request => {
                // Show a fact that waits for review in the review panel, and any other fact on the page of its subject.
                let order = match &request {
                    Request::ShowFact(_) => [PanelKind::Review, PanelKind::Entity].into_iter().chain(PanelKind::ALL),
                    _ => [PanelKind::Entity, PanelKind::Search].into_iter().chain(PanelKind::ALL),
                };
                let panels = match &mut self.player_screen {
                    Some(screen) => &mut screen.panels,
                    None => &mut self.panels,
                };
                let mut handles_request =
                    |kind: &PanelKind| panels.get_mut(kind).is_some_and(|panel| panel.handle_request(&request));
                if let Some(kind) = order.into_iter().find(|kind| handles_request(kind)) {
                    self.open(kind);
                }
            }
        }
    }

    /// Continues pending work while the DM console is closed. Call this function each frame instead of
    /// [`ui`](Self::ui).
    pub fn update_in_background(&mut self, memory: &Memory) {
        for outcome in self.desk_commands.update(memory) {
            self.handle_outcome(&outcome);
        }
        self.context_poller.update(memory, self.desk_commands.pending_count());
    }

    /// Draws the DM console in the area of `ui`.
    pub fn ui(&mut self, ui: &mut Ui, memory: &Memory) {
        self.theme.apply(ui.ctx());
        self.update(memory);
        let dialog_open = self.dialogs.is_open() || self.undo.is_dialog_open();
        // egui moves the focus before this function runs. In a frame in which a text field loses the focus, the keys
        // still belong to the text field.
        let typing = self.was_typing || ui.ctx().text_edit_focused();
        if !dialog_open {
            self.handle_command_keys(ui, typing);
        }
        let mut requests = Vec::new();
        let display = DisplayContext {
            theme: Arc::clone(&self.theme),
            screen_safe: self.player_screen.is_some(),
            quiet: self.quiet,
            accepts_keys: false,
            chosen_command: None,
            names: match &self.player_screen {
                Some(screen) => screen.names(),
                None => Arc::clone(&self.context_poller.panel_context().names),
            },
        };
        let (panels, capture, context) = match &mut self.player_screen {
            Some(screen) => screen.parts(),
            None => (&mut self.panels, &mut self.capture, self.context_poller.panel_context()),
        };
        let mut chosen_setting = None;
        if !self.quiet {
            let modes = bars::Modes { quiet: self.quiet, screen_safe: display.screen_safe };
            chosen_setting = bars::top_bar(ui, &display, modes, context, &mut requests);
        }
        let pending_reviews = panels.get(&PanelKind::Review).map(|panel| panel.badge());
        requests.extend(self.status.ui(ui, &display, context, pending_reviews, self.quiet));
        requests.extend(capture.bottom_bar_ui(ui, &display));
        capture.log_pending_line();
        // Show only one panel in quiet mode and in a window that is too narrow for two panels.
        let shows_single_panel = self.quiet || ui.available_width() < layout::MIN_TWO_PANEL_WIDTH;
        let frame = egui::Frame::new().fill(self.theme.palette().background);
        CentralPanel::default().frame(frame).show(ui, |ui| {
            let mut behavior = layout::PanelBehavior {
                panels,
                display: &display,
                active: &mut self.active,
                accepts_keys: !dialog_open && !typing,
                chosen_command: self.chosen_command.take(),
                requests: &mut requests,
            };
            match shows_single_panel {
                true => layout::single_panel_ui(&mut self.tree, &mut behavior, ui, !self.quiet),
                false => self.tree.ui(&mut behavior, ui),
            }
        });
        if let Some(command) = chosen_setting {
            self.change_settings(command);
        }
        if let Some(command) = self.dialogs.ui(ui, &display) {
            self.run(ui.ctx(), command);
        }
        if self.player_screen.is_none() {
            requests.extend(self.undo.ui(ui, &display));
        }
        // If screen-safe mode was turned on in this frame, a request of the DM's panels can name a secret.
        let has_changed_mode = display.screen_safe != self.player_screen.is_some();
        let is_write = |request: &Request| matches!(request, Request::Execute(_) | Request::RegisterWrite(_));
        for request in requests.into_iter().filter(|request| !has_changed_mode || is_write(request)) {
            self.request(ui.ctx(), request);
        }
        self.was_typing = ui.ctx().text_edit_focused();
        self.request_repaint(ui);
    }

    /// Requests the next frame while the displayed data can still change: after input, and after a change of the
    /// memory. The memory's [`Waker`](hearsay_engine::Waker) causes a frame when an answer or an event arrives.
    fn request_repaint(&mut self, ui: &Ui) {
        let has_input = ui.input(|input| !input.raw.events.is_empty());
        if has_input {
            self.input_at = Some(Instant::now());
        }
        let is_settling = self.input_at.is_some_and(|input_at| input_at.elapsed() < SETTLING_TIME);
        if has_input || self.is_busy() {
            ui.ctx().request_repaint();
        } else if is_settling || self.context_poller.is_settling() {
            ui.ctx().request_repaint_after(SETTLING_INTERVAL);
        }
    }

    /// Receives answers from the memory.
    fn update(&mut self, memory: &Memory) {
        self.update_in_background(memory);
        let visible = layout::visible_panels(&self.tree);
        let panel_context = self.context_poller.panel_context();
        if let Some(screen) = &mut self.player_screen {
            screen.update(memory, panel_context, &visible);
            return;
        }
        self.undo.update(memory, &mut self.desk_commands, &mut self.status);
        let source = PanelSource::dm(memory);
        for (kind, panel) in &mut self.panels {
            // Update the review panel even if it is hidden, because its tab shows a badge.
            if visible.contains(kind) || *kind == PanelKind::Review {
                panel.update(source, panel_context);
            }
        }
        self.capture.update(source, panel_context);
    }

    fn handle_outcome(&mut self, outcome: &CommandOutcome) {
        match &outcome.result {
            Ok(report) => {
                if let Some(position) = report.position {
                    self.context_poller.register_write(position);
                }
                self.undo.handle_outcome(outcome);
                self.show_dm_message(StatusMessage::new(format!("Done: {}", report.summary)));
            }
            Err(error) => {
                self.show_dm_message(StatusMessage::error(format!("{}: {error}", outcome.desk_command.description())))
            }
        }
        if let Some(screen) = &mut self.player_screen {
            screen.on_outcome(outcome);
        }
        for panel in self.panels.values_mut() {
            panel.on_outcome(outcome);
        }
        self.capture.on_outcome(outcome);
    }

    /// Handles the keys of commands that belong to no panel. `typing` is whether single keys belong to a text field.
    fn handle_command_keys(&mut self, ui: &Ui, typing: bool) {
        let triggered = commands::all().filter(|command| command.scope == CommandScope::Desk);
        let triggered = triggered.filter(|command| {
            command.keys.iter().any(|keys| (keys.works_while_typing() || !typing) && keys.consume(ui))
        });
        for command in triggered.collect::<Vec<_>>() {
            self.run(ui.ctx(), command);
        }
        if self.quiet && !typing && ui.input(|input| input.key_pressed(egui::Key::Escape)) {
            self.quiet = false;
        }
    }

    /// Carries out a command.
    fn run(&mut self, ctx: &egui::Context, command: &'static Command) {
        if let CommandScope::Panel(kind) = command.scope {
            self.open(kind);
            self.chosen_command = Some(command);
            return;
        }
        if let Some(kind) = PanelKind::from_open_command(command) {
            self.open(kind);
            return;
        }
        let request = match *command {
            commands::SEARCH => Request::Search(String::new()),
            commands::UNDO => Request::Undo,
            commands::REDO => Request::Redo,
            _ => {
                self.change_settings(command);
                return;
            }
        };
        self.request(ctx, request);
    }

    /// Carries out a command that changes the DM console itself.
    fn change_settings(&mut self, command: &Command) {
        let scale = self.theme.scale();
        match *command {
            commands::CAPTURE => self.capture.focus(),
            commands::CONFIRM_FACT => self.capture.answer_question(true),
            commands::DENY_FACT => self.capture.answer_question(false),
            commands::PALETTE => self.dialogs.open_palette(),
            commands::HELP => self.dialogs.open_help(),
            commands::QUIET => self.quiet = !self.quiet,
            commands::SCREEN_SAFE => self.set_screen_safe(self.player_screen.is_none()),
            commands::SHADE => self.set_shade(self.theme.shade().other()),
            commands::LARGER => self.set_scale(scale + 0.125),
            commands::SMALLER => self.set_scale(scale - 0.125),
            commands::NORMAL_SIZE => self.set_scale(1.0),
            commands::RESET_LAYOUT => {
                self.tree = layout::default_layout();
                self.active = PanelKind::Review;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
