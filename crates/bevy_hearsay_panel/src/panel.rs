//! The interface of a panel. A panel displays data from the memory, returns requests to the DM console, and never
//! blocks.

use std::{borrow::Cow, path::PathBuf, sync::Arc};

use hearsay_commands::{
    edit::Edit,
    game_event::GameEvent,
    gossip::GossipPlan,
    merge::MergePlan,
    proposal::{Proposal, ProposalCounts},
    retcon::Retcon,
    review::{Decision, Decisions, Keep},
    session::{Log, SessionStep},
};
use hearsay_engine::{ImportOutcome, MemoryError, ReadSnapshot, Written};
use hearsay_model::{Author, EntityId, FactId, GameTime, Operation, Position, SessionId};
use hearsay_query::journal::UndoTarget;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    commands::{Command, PanelKind},
    names::NameIndex,
    panel_context::PanelContext,
    panel_source::PanelSource,
    theme::Theme,
};

/// One panel of the DM console.
///
/// In each frame in which the panel is visible, the DM console calls [`update`](Self::update) and then
/// [`ui`](Self::ui). These two functions must not block. Requests to the memory return tickets, and the panel polls
/// these tickets in the next frames.
pub trait Panel: Send + Sync {
    /// Returns the title of the panel's tab.
    fn title(&self) -> Cow<'_, str>;

    /// Receives answers, and requests new data from the source if the panel's data is stale.
    fn update(&mut self, source: PanelSource, context: &PanelContext);

    /// Draws the panel. Returns the requests of the panel to the DM console.
    fn ui(&mut self, ui: &mut egui::Ui, display: &DisplayContext) -> Vec<Request>;

    /// Returns the entity that the panel shows; `None` if the panel shows no single entity. When the DM turns
    /// screen-safe mode on, the players' version of the panel shows the same entity, if the players may see it.
    fn entity(&self) -> Option<&EntityId> {
        None
    }

    /// Returns the number of waiting items, for a badge on the panel's tab.
    fn badge(&self) -> usize {
        0
    }

    /// Shows the entity, fact or other item that another panel requested. Returns whether this panel can show the item.
    /// If the panel can show the item, the DM console opens the panel.
    fn handle_request(&mut self, request: &Request) -> bool {
        let _ = request;
        false
    }

    /// Receives the outcome of a command that this panel or another panel requested.
    fn on_outcome(&mut self, outcome: &CommandOutcome) {
        let _ = outcome;
    }

    /// Returns the state to restore when the DM console opens again, such as the selection, the filters and unsent
    /// text; `None` if there is nothing to save.
    fn save(&self) -> Option<SavedState> {
        None
    }

    /// Restores [saved](Self::save) state. Invalid state is ignored.
    fn restore(&mut self, saved: SavedState) {
        let _ = saved;
    }
}

/// State that a panel [saves](Panel::save).
pub type SavedState = serde_json::Value;

/// Serializes the state of a panel for [`Panel::save`]. Returns `None` if the state cannot be serialized.
pub fn save_state<T: Serialize>(view: &T) -> Option<SavedState> {
    serde_json::to_value(view).inspect_err(|error| tracing::debug!("cannot save the state of a panel: {error}")).ok()
}

/// Deserializes the state that [`Panel::save`] returned. Returns `None` if the state is invalid.
pub fn restore_state<T: DeserializeOwned>(saved: SavedState) -> Option<T> {
    serde_json::from_value(saved)
        .inspect_err(|error| tracing::debug!("cannot read the saved state of a panel: {error}; using the default"))
        .ok()
}

/// A request from a panel to the DM console.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "few at a time, and gone in the same frame")]
pub enum Request {
    /// Show an entity's page.
    ShowEntity(EntityId),
    /// Show a fact. A fact that waits for review is shown in the review panel. Any other fact is shown on the page of
    /// its subject.
    ShowFact(FactId),
    /// Search for this text.
    Search(String),
    /// Show a scene.
    Scene {
        /// The place of the scene; `None` for the current place.
        place: Option<EntityId>,
        /// The character whom the players ask; `None` to choose no character.
        speaker: Option<EntityId>,
    },
    /// Show the graph around an entity.
    Graph(EntityId),
    /// Show a session.
    Session(SessionId),
    /// Open a panel.
    Open(PanelKind),
    /// Put text on the clipboard.
    Copy(String),
    /// Show a message in the status bar.
    ShowMessage(StatusMessage),
    /// Change the memory. All panels [receive the outcome](Panel::on_outcome).
    Execute(DeskCommand),
    /// Register a write that was made without a [`DeskCommand`], so that undo can revert this write.
    RegisterWrite(Written),
    /// Revert the DM's newest operation that is still in effect. The DM console shows the summary of this operation. If
    /// later operations depend on it, the console asks for confirmation.
    Undo,
    /// Revert the newest undo.
    Redo,
}

/// A message for the status bar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusMessage {
    /// Text of the message.
    pub text: String,
    /// Whether the message reports an error.
    pub is_error: bool,
}

impl StatusMessage {
    /// Creates a message that reports success.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: false }
    }

    /// Creates a message that reports an error. The text must say what went wrong and what to do.
    pub fn error(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: true }
    }
}

/// Function that makes an operation from the state of the memory at the time of the write.
pub type MakeOperation = Arc<dyn Fn(&ReadSnapshot) -> Result<Operation, MemoryError> + Send + Sync>;

/// A change by the DM. Each change becomes one operation, which undo can revert.
#[derive(Clone)]
pub enum DeskCommand {
    /// Decide on facts that wait for review, in one operation.
    Decide(Decisions),
    /// Make facts secret or open.
    SetSecrecy(Keep),
    /// Make a manual edit.
    Edit(Edit),
    /// Record a game event from which characters learn facts.
    Learn(GameEvent),
    /// Add lines to the session log.
    Log(Log),
    /// Start or end a session, or change its attendance.
    Session(SessionStep),
    /// Retract a fact, or end its validity.
    Retcon(Retcon),
    /// Submit proposed facts. The policy decides whether each fact is recorded, waits for review or is dropped.
    Propose(Author, Vec<Proposal>),
    /// Revert an operation without asking for confirmation.
    Undo(UndoTarget),
    /// Restore the state at a position of the journal. All later operations lose their effect.
    Restore(Position),
    /// Merge two entities.
    Merge(Box<MergePlan>),
    /// Split the entity with this id, which is the result of a merge.
    Split(EntityId),
    /// Record that two similar entities are different.
    NotTheSame(EntityId, EntityId),
    /// Apply a gossip plan: time passes, and characters tell each other the facts in the plan.
    Gossip(Box<GossipPlan>),
    /// Import the file or folder at this path.
    Import(PathBuf),
    /// Export the memory to the file at this path.
    Export(PathBuf),
    /// Set the game clock to this time.
    SetClock(GameTime),
    /// Save the current position as a slot with this name.
    SaveSlot(String),
    /// Load the slot with this name.
    LoadSlot(String),
    /// Write an operation for which there is no other command.
    Custom {
        /// Short description for display, such as `everybody present saw it`.
        description: String,
        /// Function that makes the operation. The memory can call this function more than once.
        make_operation: MakeOperation,
    },
}

impl std::fmt::Debug for DeskCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Deed({})", self.description())
    }
}

impl DeskCommand {
    /// Creates a command that writes several changes as one operation.
    pub fn custom(
        description: impl Into<String>,
        make_operation: impl Fn(&ReadSnapshot) -> Result<Operation, MemoryError> + Send + Sync + 'static,
    ) -> Self {
        Self::Custom { description: description.into(), make_operation: Arc::new(make_operation) }
    }

    /// Returns a short description to display while the command is in progress. After the command is complete, display
    /// the summary of the operation instead, because the summary is more precise.
    pub fn description(&self) -> Cow<'_, str> {
        Cow::Borrowed(match self {
            Self::Decide(Decisions { facts, decision, .. }) => {
                let word = match decision {
                    Decision::Accept => "accept",
                    Decision::Edit { .. } => "edit and accept",
                    Decision::False => "mark false",
                    Decision::Reject => "reject",
                };
                return match facts.len() {
                    1 => word.into(),
                    count => format!("{word} {count} facts").into(),
                };
            }
            Self::SetSecrecy(Keep { secret: true, .. }) => "make secret",
            Self::SetSecrecy(_) => "make open",
            Self::Edit(_) => "edit",
            Self::Learn(_) => "record an event",
            Self::Log(_) => "log",
            Self::Session(_) => "session",
            Self::Retcon(_) => "retract",
            Self::Propose(..) => "propose",
            Self::Undo(_) => "undo",
            Self::Restore(_) => "restore",
            Self::Merge(_) => "merge",
            Self::Split(_) => "split",
            Self::NotTheSame(..) => "mark as different",
            Self::Gossip(_) => "let time pass",
            Self::Import(_) => "import",
            Self::Export(_) => "export",
            Self::SetClock(_) => "set the clock",
            Self::SaveSlot(_) => "save",
            Self::LoadSlot(_) => "load",
            Self::Custom { description, .. } => description,
        })
    }
}

/// The outcome of a command.
#[derive(Debug, Clone)]
pub struct CommandOutcome {
    /// The command.
    pub desk_command: DeskCommand,
    /// The result of the command, or an error that says what to do.
    pub result: Result<CommandReport, String>,
}

/// The result of a command.
#[derive(Debug, Clone)]
pub struct CommandReport {
    /// Position of the operation in the journal; `None` if nothing changed.
    pub position: Option<Position>,
    /// Short summary of the changes.
    pub summary: String,
    /// Report of the import; `None` if the command was not an import.
    pub import: Option<Arc<ImportOutcome>>,
    /// Number of proposals by outcome; `None` if the command submitted no proposals.
    pub proposed: Option<ProposalCounts>,
}

/// Display settings of a panel in this frame.
#[derive(Debug, Clone)]
pub struct DisplayContext {
    /// Colours, sizes and spacing.
    pub theme: Arc<Theme>,
    /// Whether players can see the screen. With `true`, the panels read only the [common view](crate::CommonView), and
    /// offer no edits of facts. A panel must hide data according to this field.
    pub screen_safe: bool,
    /// Whether quiet mode is on. Quiet mode is for combat. In this mode, panels show no animated badges, and only
    /// popups that the user requested.
    pub quiet: bool,
    /// Whether this panel receives keys without modifiers. Only the active panel receives these keys, and only while no
    /// text field has the focus.
    pub accepts_keys: bool,
    /// Name of the command that the user chose for this panel in the command palette in this frame; `None` if there is
    /// no such command.
    pub chosen_command: Option<&'static str>,
    /// All names of entities, for completion and display.
    pub names: Arc<NameIndex>,
}

impl Default for DisplayContext {
    fn default() -> Self {
        Self {
            theme: Arc::default(),
            screen_safe: false,
            quiet: false,
            accepts_keys: true,
            chosen_command: None,
            names: Arc::default(),
        }
    }
}

impl DisplayContext {
    /// Returns whether the user chose this command for this panel in this frame, with a key or in the command palette.
    pub fn is_triggered(&self, ui: &egui::Ui, command: &Command) -> bool {
        let is_chosen = self.chosen_command == Some(command.name);
        // Ignore keys while a text field has the focus: the focus may have moved in this frame.
        let typing = ui.ctx().text_edit_focused();
        is_chosen
            || command
                .keys
                .iter()
                .any(|keys| (keys.works_while_typing() || self.accepts_keys && !typing) && keys.consume(ui))
    }
}
