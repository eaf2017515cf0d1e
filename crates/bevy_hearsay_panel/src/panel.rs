//! The interface of a panel: it shows a model, returns requests to the desk, and never blocks.

use std::{borrow::Cow, path::PathBuf, sync::Arc};

use hearsay_memory::{
    Decision, Decisions, Edit, GameEvent, GossipPlan, ImportOutcome, Keep, Log, Memory, MemoryError, MergePlan,
    Proposal, Proposed, ReadSnapshot, Retcon, SessionStep, Status, UndoTarget, Written,
};
use hearsay_model::{Author, EntityId, FactId, GameTime, Operation, Position, SessionId, StateVersion};
use serde::{Serialize, de::DeserializeOwned};

use crate::{commands::Command, names::Names, theme::Theme};

/// One panel of the desk.
///
/// In each frame in which the panel is visible, the desk calls [`update`](Self::update) and then [`ui`](Self::ui).
/// Neither blocks: requests to the memory return tickets, which the panel polls in the next frame.
pub trait Panel: Send + Sync {
    /// Returns the title of the panel's tab.
    fn title(&self) -> Cow<'_, str>;

    /// Takes answers from the memory, and requests new data where it is stale.
    fn update(&mut self, memory: &Memory, context: &PanelContext);

    /// Draws the panel. Returns its requests to the desk.
    fn ui(&mut self, ui: &mut egui::Ui, look: &Look) -> Vec<Request>;

    /// Returns the number of waiting items, for a badge on the panel's tab.
    fn badge(&self) -> usize {
        0
    }

    /// Shows the target of a request from elsewhere. Returns whether this panel handles the request; if so, the desk
    /// opens the panel.
    fn show(&mut self, request: &Request) -> bool {
        let _ = request;
        false
    }

    /// Receives the outcome of a command, of this or another panel.
    fn heard(&mut self, outcome: &Outcome) {
        let _ = outcome;
    }

    /// Returns the state to restore when the desk opens again: selection, filters, and typed text that was not sent. No
    /// typed text is lost when the window closes.
    fn save(&self) -> Option<Saved> {
        None
    }

    /// Restores [saved](Self::save) state. Invalid state is ignored.
    fn restore(&mut self, saved: Saved) {
        let _ = saved;
    }
}

/// State that a panel [saves](Panel::save).
pub type Saved = serde_json::Value;

/// Serializes a panel's view state, to be [saved](Panel::save).
pub fn saved<T: Serialize>(view: &T) -> Option<Saved> {
    serde_json::to_value(view).inspect_err(|error| tracing::debug!("a view is not saved: {error}")).ok()
}

/// Deserializes [saved](Panel::save) state. Returns `None` if the state is invalid.
pub fn restored<T: DeserializeOwned>(saved: Saved) -> Option<T> {
    serde_json::from_value(saved).inspect_err(|error| tracing::debug!("a saved view is left out: {error}")).ok()
}

/// A request of a panel to the desk.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "few at a time, and gone in the same frame")]
pub enum Request {
    /// Show an entity's page.
    Show(EntityId),
    /// Show a fact: in the review panel if it waits there, or else on its subject's page.
    ShowFact(FactId),
    /// Search for text.
    Search(String),
    /// Show a scene.
    Scene {
        /// The place. Default: the current place of the scene.
        place: Option<EntityId>,
        /// The character that is asked.
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
    /// Show a note in the status bar.
    Tell(Note),
    /// Change the memory. All panels [receive](Panel::heard) the outcome.
    Do(DeskCommand),
    /// Register a write that was made without a [`DeskCommand`], so that undo covers it.
    Wrote(Written),
    /// Revert the DM's newest live operation. The desk names it, and asks first if later operations depend on it.
    Undo,
    /// Revert the newest undo.
    Redo,
}

/// A message for the status bar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The text.
    pub text: String,
    /// Whether the message reports an error.
    pub trouble: bool,
}

impl Note {
    /// Makes a message that reports success.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), trouble: false }
    }

    /// Makes a message that reports an error: what was expected, and what to do.
    pub fn trouble(text: impl Into<String>) -> Self {
        Self { text: text.into(), trouble: true }
    }
}

/// The panels of the desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PanelKind {
    /// Facts that wait for the DM's review.
    Review,
    /// Search and browse.
    Search,
    /// An entity's page.
    Entity,
    /// The characters present, and what they may say.
    Scene,
    /// The graph.
    Graph,
    /// Promises, debts, quests and secrets.
    Threads,
    /// Events and facts by date.
    Timeline,
    /// Let time pass, with gossip between characters.
    Time,
    /// The journal.
    History,
    /// Import of files.
    Import,
    /// The session: start, attendance, end, recap.
    Session,
}

impl PanelKind {
    /// All panels, in the order of their tabs.
    pub const ALL: [Self; 11] = [
        Self::Review,
        Self::Search,
        Self::Entity,
        Self::Scene,
        Self::Graph,
        Self::Threads,
        Self::Timeline,
        Self::Time,
        Self::History,
        Self::Import,
        Self::Session,
    ];

    /// Returns the panel's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Review => "Review",
            Self::Search => "Search",
            Self::Entity => "Entity",
            Self::Scene => "Scene",
            Self::Graph => "Graph",
            Self::Threads => "Threads and secrets",
            Self::Timeline => "Timeline",
            Self::Time => "Let time pass",
            Self::History => "History",
            Self::Import => "Import",
            Self::Session => "Session",
        }
    }

    /// Finds a panel by its name on a command line: `review`, `let-time-pass`.
    pub fn of(name: &str) -> Option<Self> {
        let same = |c: char| c.is_alphanumeric().then(|| c.to_ascii_lowercase());
        let plain = |text: &str| text.chars().filter_map(same).collect::<String>();
        let wanted = plain(name);
        Self::ALL.into_iter().find(|kind| plain(kind.name()) == wanted || plain(&format!("{kind:?}")) == wanted)
    }
}

/// A function that makes an operation from the state at the time of the write.
pub type Make = Arc<dyn Fn(&ReadSnapshot) -> Result<Operation, MemoryError> + Send + Sync>;

/// A change by the DM, carried out as one operation, which can be named and reverted.
#[derive(Clone)]
pub enum DeskCommand {
    /// Decide on waiting facts, in one operation.
    Decide(Decisions),
    /// Make facts secret, or open again.
    Keep(Keep),
    /// Make a manual edit.
    Edit(Edit),
    /// Record a game event, from which characters learn facts.
    Learn(GameEvent),
    /// Add lines to the session log.
    Log(Log),
    /// Start or end a session, or change its attendance.
    Session(SessionStep),
    /// Retract a fact, or end its validity.
    Retcon(Retcon),
    /// Submit proposals to the policy.
    Propose(Author, Vec<Proposal>),
    /// Revert an operation without asking.
    Undo(UndoTarget),
    /// Restore a position of the journal. All later operations lose their effect.
    Restore(Position),
    /// Merge two entities.
    Merge(Box<MergePlan>),
    /// Split a merged entity.
    Split(String),
    /// Record that two similar entities are different.
    NotTheSame(EntityId, EntityId),
    /// Apply a gossip plan: facts that characters tell each other while time passes.
    Gossip(Box<GossipPlan>),
    /// Import files.
    Import(PathBuf),
    /// Export the memory to one file.
    Export(PathBuf),
    /// Set the game clock.
    SetClock(GameTime),
    /// Save a slot.
    SaveSlot(String),
    /// Load a slot.
    LoadSlot(String),
    /// Write any other operation.
    Make {
        /// Short description, for display: `everybody present saw it`.
        what: String,
        /// Makes the operation. May be called more than once.
        make: Make,
    },
}

impl std::fmt::Debug for DeskCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Deed({})", self.what())
    }
}

impl DeskCommand {
    /// Makes a command that writes several changes as one operation.
    pub fn make(
        what: impl Into<String>,
        make: impl Fn(&ReadSnapshot) -> Result<Operation, MemoryError> + Send + Sync + 'static,
    ) -> Self {
        Self::Make { what: what.into(), make: Arc::new(make) }
    }

    /// Returns a short description for use before the command completes. Afterwards the operation's summary is more
    /// precise.
    pub fn what(&self) -> Cow<'_, str> {
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
            Self::Keep(Keep { secret: true, .. }) => "make secret",
            Self::Keep(_) => "make open",
            Self::Edit(_) => "edit",
            Self::Learn(_) => "what happens",
            Self::Log(_) => "log",
            Self::Session(_) => "session",
            Self::Retcon(_) => "take back",
            Self::Propose(..) => "propose",
            Self::Undo(_) => "undo",
            Self::Restore(_) => "go back",
            Self::Merge(_) => "merge",
            Self::Split(_) => "split",
            Self::NotTheSame(..) => "not the same",
            Self::Gossip(_) => "let time pass",
            Self::Import(_) => "import",
            Self::Export(_) => "export",
            Self::SetClock(_) => "set the clock",
            Self::SaveSlot(_) => "save",
            Self::LoadSlot(_) => "load",
            Self::Make { what, .. } => what,
        })
    }
}

/// The outcome of a command.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The command.
    pub desk_command: DeskCommand,
    /// The result, or an error that says what to do.
    pub done: Result<Done, String>,
}

/// The result of a command.
#[derive(Debug, Clone)]
pub struct Done {
    /// Position of the operation; `None` if nothing changed.
    pub position: Option<Position>,
    /// Short summary of the changes.
    pub summary: String,
    /// Report of an import.
    pub import: Option<Arc<ImportOutcome>>,
    /// Outcome of proposals.
    pub proposed: Option<Proposed>,
}

/// State of the memory, as far as known. All panels of a frame share it.
#[derive(Debug, Clone, Default)]
pub struct PanelContext {
    /// Version of the newest state. Data of older versions is stale.
    pub version: StateVersion,
    /// Last status of the memory.
    pub status: Option<Arc<Status>>,
    /// Name of the campaign.
    pub campaign: Option<String>,
    /// Current session.
    pub session: Option<SessionId>,
    /// Title of the current session.
    pub session_title: Option<String>,
    /// Time of the game clock, on the campaign's calendar.
    pub clock: Option<String>,
    /// Time of the game clock, in minutes.
    pub clock_time: Option<GameTime>,
    /// Current place of the scene.
    pub place: Option<EntityId>,
    /// Player characters whose players are at the table.
    pub here: Vec<EntityId>,
    /// All names, for completion.
    pub names: Arc<Names>,
    /// Number of commands in progress.
    pub under_way: usize,
}

/// Display settings of a panel in this frame.
#[derive(Debug, Clone)]
pub struct Look {
    /// Colours, sizes and spacing.
    pub theme: Arc<Theme>,
    /// Whether players see the screen. If so, panels draw no secrets, no notes of the DM, and no facts that only some
    /// of the players know.
    pub screen_safe: bool,
    /// Whether quiet mode, for combat, is on: no moving badges and no unrequested popups.
    pub quiet: bool,
    /// Whether this panel receives single keys: it is the active panel, and no text field has the focus.
    pub keys: bool,
    /// The command chosen for this panel in the palette, in this frame.
    pub asked: Option<&'static str>,
    /// All names, for completion and for the display of entities.
    pub names: Arc<Names>,
}

impl Default for Look {
    fn default() -> Self {
        Self { theme: Arc::default(), screen_safe: false, quiet: false, keys: true, asked: None, names: Arc::default() }
    }
}

impl Look {
    /// Returns whether a command of this panel was given, by its keys or in the palette.
    pub fn pressed(&self, ui: &egui::Ui, command: &Command) -> bool {
        let chosen = self.asked == Some(command.name);
        // Ignore keys while a text field has the focus: the focus may have moved in this frame.
        let typing = ui.ctx().text_edit_focused();
        chosen || command.keys.iter().any(|keys| (keys.needs_no_focus() || self.keys && !typing) && keys.consume(ui))
    }
}
