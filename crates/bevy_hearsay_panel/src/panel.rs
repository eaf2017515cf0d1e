//! What a panel is: it shows a model, asks for what reaches beyond it, and never waits.

use std::{borrow::Cow, path::PathBuf, sync::Arc};

use hearsay_memory::{
    Decision, Decisions, Edit, GossipPlan, Happening, ImportOutcome, Keep, Log, Memory, MemoryError, MergePlan,
    Proposal, Proposed, Retcon, SessionStep, Status, UndoTarget, World, Written,
};
use hearsay_model::{Author, EntityId, FactId, GameTime, Operation, Position, SessionId, StateVersion};
use serde::{Serialize, de::DeserializeOwned};

use crate::{commands::Command, names::Names, theme::Theme};

/// One panel of the desk.
///
/// Each frame in which it is visible, the desk calls [`update`](Self::update) and then [`ui`](Self::ui). Neither waits
/// for anything: what is asked of the memory comes back as a ticket, which the panel looks at the next time.
pub trait Panel: Send + Sync {
    /// What its tab says.
    fn title(&self) -> Cow<'_, str>;

    /// Takes what came back from the memory, and asks for what is stale.
    fn update(&mut self, memory: &Memory, news: &News);

    /// Draws; answers with what reaches beyond this panel.
    fn ui(&mut self, ui: &mut egui::Ui, look: &Look) -> Vec<Request>;

    /// How many things wait here, for a number on its tab.
    fn badge(&self) -> usize {
        0
    }

    /// Shows something that was asked for elsewhere. Answers whether this is the panel for it: then the desk opens it.
    fn show(&mut self, request: &Request) -> bool {
        let _ = request;
        false
    }

    /// Hears what became of a deed, of its own or of another panel.
    fn heard(&mut self, outcome: &Outcome) {
        let _ = outcome;
    }

    /// What is to be there when the desk opens again: selection, filters, and what is typed and not sent yet. Nothing
    /// that was typed is lost when the window is closed.
    fn save(&self) -> Option<Saved> {
        None
    }

    /// Takes back what was [saved](Self::save). What cannot be read is as if nothing was saved.
    fn restore(&mut self, saved: Saved) {
        let _ = saved;
    }
}

/// What a panel [saves](Panel::save).
pub type Saved = serde_json::Value;

/// What the eye holds, as it is [saved](Panel::save).
pub fn saved<T: Serialize>(view: &T) -> Option<Saved> {
    serde_json::to_value(view).inspect_err(|error| tracing::debug!("a view is not saved: {error}")).ok()
}

/// What was [saved](Panel::save), if it can be read.
pub fn restored<T: DeserializeOwned>(saved: Saved) -> Option<T> {
    serde_json::from_value(saved).inspect_err(|error| tracing::debug!("a saved view is left out: {error}")).ok()
}

/// What a panel asks of the desk.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "few at a time, and gone in the same frame")]
pub enum Request {
    /// Show an entity's page.
    Show(EntityId),
    /// Show a fact: in the review panel where it waits, else on its subject's page.
    ShowFact(FactId),
    /// Search for something.
    Search(String),
    /// Show a scene.
    Scene {
        /// Where; where the scene is, when nothing is said.
        place: Option<EntityId>,
        /// Who is asked.
        speaker: Option<EntityId>,
    },
    /// Show the graph around an entity.
    Graph(EntityId),
    /// Show what was recorded in a session.
    Session(SessionId),
    /// Open a panel.
    Open(PanelKind),
    /// Put text on the clipboard.
    Copy(String),
    /// Say something in the status bar.
    Tell(Note),
    /// Change the memory. What became of it is [heard](Panel::heard) by all panels.
    Do(Deed),
    /// Something was written without a deed: undo reaches it all the same.
    Wrote(Written),
    /// Take back the newest deed of the DM that counts: names it, and asks first when others rest on it.
    Undo,
    /// Take back the newest undo.
    Redo,
}

/// A line for the status bar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The words.
    pub text: String,
    /// Whether something went wrong.
    pub trouble: bool,
}

impl Note {
    /// Something that went well.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), trouble: false }
    }

    /// Something that went wrong: what was expected, and what to do.
    pub fn trouble(text: impl Into<String>) -> Self {
        Self { text: text.into(), trouble: true }
    }
}

/// The panels of the desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PanelKind {
    /// What waits for the DM.
    Review,
    /// Search and browse.
    Search,
    /// An entity's page.
    Entity,
    /// Who is here, and what they may say.
    Scene,
    /// The graph.
    Graph,
    /// Promises, debts, quests and secrets.
    Threads,
    /// What happened when.
    Timeline,
    /// Let time pass.
    Time,
    /// The journal.
    History,
    /// Files in.
    Import,
    /// The session: start, attendance, end, recap.
    Session,
}

impl PanelKind {
    /// All of them, in the order of their tabs.
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

    /// What it is called.
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

    /// The panel of a name, as it is typed on a command line: `review`, `let-time-pass`.
    pub fn of(name: &str) -> Option<Self> {
        let same = |c: char| c.is_alphanumeric().then(|| c.to_ascii_lowercase());
        let plain = |text: &str| text.chars().filter_map(same).collect::<String>();
        let wanted = plain(name);
        Self::ALL.into_iter().find(|kind| plain(kind.name()) == wanted || plain(&format!("{kind:?}")) == wanted)
    }
}

/// Makes an operation from the state at the moment of its turn.
pub type Make = Arc<dyn Fn(&World) -> Result<Operation, MemoryError> + Send + Sync>;

/// A change that the DM makes, carried out as one operation: it can be undone and named.
#[derive(Clone)]
pub enum Deed {
    /// A decision on facts that wait, all in one operation.
    Decide(Decisions),
    /// Facts become secrets, or open again.
    Keep(Keep),
    /// Something written by hand.
    Edit(Edit),
    /// Something that happens: somebody learns something.
    Learn(Happening),
    /// Lines of the session.
    Log(Log),
    /// The session begins or ends, or somebody comes or goes.
    Session(SessionStep),
    /// Something never was so, or is so no longer.
    Retcon(Retcon),
    /// Proposals, through the policy.
    Propose(Author, Vec<Proposal>),
    /// Undo, without a question.
    Undo(UndoTarget),
    /// Go back to a position of the journal: nothing of what came after remains.
    Restore(Position),
    /// Two entities are one.
    Merge(Box<MergePlan>),
    /// An entity that was merged is two again.
    Split(String),
    /// Two entities that look alike are two.
    NotTheSame(EntityId, EntityId),
    /// What people told each other while time passed.
    Gossip(Box<GossipPlan>),
    /// Files.
    Import(PathBuf),
    /// All that the memory holds, into one file.
    Export(PathBuf),
    /// The game clock.
    SetClock(GameTime),
    /// The state under a name.
    SaveSlot(String),
    /// The state of a name.
    LoadSlot(String),
    /// Anything else, as one operation.
    Make {
        /// What it is, for people: `everybody present saw it`.
        what: String,
        /// Makes the operation. May be called more than once.
        make: Make,
    },
}

impl std::fmt::Debug for Deed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Deed({})", self.what())
    }
}

impl Deed {
    /// A deed of many changes in one operation.
    pub fn make(
        what: impl Into<String>,
        make: impl Fn(&World) -> Result<Operation, MemoryError> + Send + Sync + 'static,
    ) -> Self {
        Self::Make { what: what.into(), make: Arc::new(make) }
    }

    /// What it is, in a few words, before it is done. Once it is done, its operation's summary says it better.
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

/// What became of a deed.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The deed.
    pub deed: Deed,
    /// What it did; why not, with what to do.
    pub done: Result<Done, String>,
}

/// What a deed did.
#[derive(Debug, Clone)]
pub struct Done {
    /// The position of its operation; none, when nothing changed.
    pub position: Option<Position>,
    /// What it did, in a few words.
    pub summary: String,
    /// Of an import: its report.
    pub import: Option<Arc<ImportOutcome>>,
    /// Of proposals: what became of them.
    pub proposed: Option<Proposed>,
}

/// How the memory stands, as far as is known. The same for all panels of a frame.
#[derive(Debug, Clone, Default)]
pub struct News {
    /// The newest state: what was read before it is stale.
    pub version: StateVersion,
    /// The memory's own words on how it is.
    pub status: Option<Arc<Status>>,
    /// What the campaign is called.
    pub campaign: Option<String>,
    /// The session that is played.
    pub session: Option<SessionId>,
    /// What that is called.
    pub session_title: Option<String>,
    /// The game clock, on the campaign's calendar.
    pub clock: Option<String>,
    /// The game clock in minutes.
    pub clock_time: Option<GameTime>,
    /// Where the scene is.
    pub place: Option<EntityId>,
    /// Whose characters are at the table.
    pub here: Vec<EntityId>,
    /// All names, for completion.
    pub names: Arc<Names>,
    /// How many deeds are under way.
    pub under_way: usize,
}

/// How a panel is to look now.
#[derive(Debug, Clone)]
pub struct Look {
    /// Colours, sizes, spacing.
    pub theme: Arc<Theme>,
    /// Players look at the screen: nothing secret is drawn, nor the DM's notes, nor what only some heard.
    pub screen_safe: bool,
    /// In combat: no badges that move, no popups that nobody asked for.
    pub quiet: bool,
    /// Whether single keys are this panel's: it is the active one, and nothing is being typed.
    pub keys: bool,
    /// The command that was chosen in the palette for this panel, in this frame.
    pub asked: Option<&'static str>,
    /// All names, for completion and for what entities are called.
    pub names: Arc<Names>,
}

impl Default for Look {
    fn default() -> Self {
        Self { theme: Arc::default(), screen_safe: false, quiet: false, keys: true, asked: None, names: Arc::default() }
    }
}

impl Look {
    /// Whether a command of this panel was given: by its keys, or in the palette.
    pub fn pressed(&self, ui: &egui::Ui, command: &Command) -> bool {
        let chosen = self.asked == Some(command.name);
        // What is being typed is no command, whatever the desk thinks: the focus may have moved in this very frame.
        let typing = ui.ctx().text_edit_focused();
        chosen || command.keys.iter().any(|keys| (keys.needs_no_focus() || self.keys && !typing) && keys.consume(ui))
    }
}
