//! The tables of all panels and commands.

use egui::Key;
use serde::{Deserialize, Serialize};

use super::keys::{KeyCombination, alt, ctrl, key};

/// Part of the DM console in which a command is available.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandScope {
    /// The whole DM console. The command is available in every panel.
    Desk,
    /// One panel. The command is available only while this panel is active.
    Panel(PanelKind),
    /// The capture line only.
    Capture,
}

/// A command that the user gives with a key, with a button or through the command palette.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Command {
    /// Name of the command, in sentence case. The name ends with `…` if the command asks for more input. Names are
    /// unique within a scope.
    pub name: &'static str,
    /// Part of the DM console in which the command is available.
    pub scope: CommandScope,
    /// Key combinations of the command. Empty if the command has no key.
    pub keys: &'static [KeyCombination],
    /// Description of the command, in one line.
    pub help: &'static str,
}

impl Command {
    /// Returns the first key combination of the command, as text.
    pub fn key_hint(&self) -> String {
        self.keys.first().map_or_else(String::new, |keys| keys.text())
    }

    /// Returns the tooltip of the command's button.
    pub fn tooltip(&self) -> String {
        match self.keys.first() {
            Some(keys) => format!("{} ({})", self.help, keys.text()),
            None => self.help.to_owned(),
        }
    }
}

/// Position of a panel in a new layout: the half of the DM console, and the number of the tab in this half.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DefaultPosition {
    /// In the left half, among the panels for decisions and search.
    Left(u8),
    /// In the right half, among the panels for reading.
    Right(u8),
}

macro_rules! panels {
    ($($(#[$doc:meta])* $kind:ident: $name:literal, $place:expr, $command_name:literal, [$($keys:expr),*], $help:literal;)*) => {
        /// The panels of the DM console.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum PanelKind {
            $($(#[$doc])* $kind,)*
        }

        impl PanelKind {
            /// All panels, in the order of their tabs.
            pub const ALL: [Self; OPEN_COMMANDS.len()] = [$(Self::$kind),*];

            /// Returns the panel's name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            /// Returns the panel's position in a new layout.
            pub(crate) fn default_position(self) -> DefaultPosition {
                match self {
                    $(Self::$kind => $place,)*
                }
            }
        }

        /// The commands that open the panels, in the order of [`PanelKind::ALL`].
        const OPEN_COMMANDS: &[Command] =
            &[$(Command { name: $command_name, scope: CommandScope::Desk, keys: &[$($keys),*], help: $help }),*];
    };
}

macro_rules! commands {
    ($list:ident: $($(#[$doc:meta])* $name:ident: $scope:expr, $command_name:literal, [$($keys:expr),*], $help:literal;)*) => {
        $($(#[$doc])* pub const $name: Command = Command { name: $command_name, scope: $scope, keys: &[$($keys),*], help: $help };)*
        const $list: &[Command] = &[$($name),*];
    };
}

use CommandScope::{Desk, Panel};
use DefaultPosition::{Left, Right};
use PanelKind as P;

// Each panel has a name, a position in a new layout, and a command that opens the panel.
panels! {
    /// Facts that wait for the DM's review.
    Review: "Review", Left(0), "Open review", [alt(Key::Num1)], "Doubtful facts and possible duplicates that wait for your decision";
    /// Search for entities, facts and passages.
    Search: "Search", Left(1), "Open search", [alt(Key::Num2)], "Find entities, facts and passages";
    /// The page of one entity: its facts, its knowledge and its secrets.
    Entity: "Entity", Right(0), "Open entity page", [alt(Key::Num3)], "All facts about one entity";
    /// The characters in a scene, and the facts that each character is allowed to say.
    Scene: "Scene", Left(2), "Open scene", [alt(Key::Num4)], "Characters in the scene, and what each of them may say";
    /// The entities and their relations as a graph.
    Graph: "Graph", Right(1), "Open graph", [alt(Key::Num5)], "Relations between entities";
    /// Promises, debts, quests and secrets.
    Threads: "Threads and secrets", Right(2), "Open threads and secrets", [alt(Key::Num6)], "Promises, debts, quests and secrets";
    /// Events and facts by date.
    Timeline: "Timeline", Right(3), "Open timeline", [alt(Key::Num7)], "Events in order of game time";
    /// A preview of gossip between characters, and the advance of the game clock.
    Time: "Let time pass", Right(4), "Open “Let time pass”", [alt(Key::Num8)], "Preview which facts characters tell each other, and advance the game clock";
    /// The journal: all operations, with undo.
    History: "History", Left(4), "Open history", [alt(Key::Num9)], "All changes, and undo";
    /// Import of files.
    Import: "Import", Left(5), "Open import", [alt(Key::I)], "Preview and import campaign files, notes and exports";
    /// Start, attendance, end and recap of a session.
    Session: "Session", Left(3), "Open session", [alt(Key::Num0)], "Start or end a session; attendance, log, report and recap";
}

// The commands of the whole DM console.
commands! {
    DESK_COMMANDS:
    /// Search from anywhere.
    SEARCH: Desk, "Search", [ctrl(Key::K)], "Search names, words and meanings, or ask “who knows …?”";
    /// Type a line into the capture line.
    CAPTURE: Desk, "Capture", [ctrl(Key::L)], "Type what happens at the table";
    /// Confirm that the last line states the fact about which the capture line asks.
    CONFIRM_FACT: Desk, "Yes, that fact", [key(Key::F2)], "Confirm that the line states the fact about which the capture line asks";
    /// Answer that the last line does not state the fact about which the capture line asks.
    DENY_FACT: Desk, "No, another fact", [key(Key::F3)], "Answer that the line does not state the fact about which the capture line asks";
    /// Choose a command by name.
    PALETTE: Desk, "Command palette", [ctrl(Key::P)], "Find a command by its name and run it";
    /// Show all keys.
    HELP: Desk, "All keys", [key(Key::Questionmark), key(Key::F1)], "Show all keys and their commands";
    /// Revert the newest change.
    UNDO: Desk, "Undo", [key(Key::U), ctrl(Key::Z)], "Undo your newest change; asks first if later changes depend on it";
    /// Revert the newest undo.
    REDO: Desk, "Redo", [key(Key::U).shift(), ctrl(Key::Z).shift(), ctrl(Key::Y)], "Redo the change that was undone last";
    /// Turn quiet mode on or off.
    QUIET: Desk, "Quiet mode", [key(Key::F9)], "For combat: show only the current panel and the number of cards to review";
    /// Turn screen-safe mode on or off.
    SCREEN_SAFE: Desk, "Screen-safe mode", [key(Key::F8)], "Hide all secrets while players can see the screen";
    /// Switch between dark and light.
    SHADE: Desk, "Dark or light theme", [key(Key::F7)], "Switch between the dark and the light theme";
    /// Enlarge everything.
    LARGER: Desk, "Larger", [ctrl(Key::Plus), ctrl(Key::Equals)], "Enlarge the interface";
    /// Reduce everything.
    SMALLER: Desk, "Smaller", [ctrl(Key::Minus)], "Shrink the interface";
    /// Set the scale to 1.0, so that text and widgets have the sizes that the theme file defines.
    NORMAL_SIZE: Desk, "Normal size", [ctrl(Key::Num0)], "Use the size that the theme sets";
    /// Reset the layout.
    RESET_LAYOUT: Desk, "Reset the layout", [], "Move all panels back to their initial places";
}

// The commands of the panels.
commands! {
    PANEL_COMMANDS:
    // Review.
    /// Go to the next card.
    REVIEW_NEXT: Panel(P::Review), "Next", [key(Key::J), key(Key::ArrowDown)], "Go to the next card";
    /// Go to the previous card.
    REVIEW_PREVIOUS: Panel(P::Review), "Back", [key(Key::K), key(Key::ArrowUp)], "Go to the previous card";
    /// Select the other fact of a contradiction.
    REVIEW_OTHER: Panel(P::Review), "The other fact", [key(Key::ArrowRight)], "Select the next of the facts that contradict each other";
    /// Accept the fact.
    ACCEPT: Panel(P::Review), "Accept", [key(Key::A)], "Make the fact canon";
    /// Edit the fact and accept it.
    EDIT: Panel(P::Review), "Edit…", [key(Key::E)], "Edit the fact, then accept it";
    /// Reject the fact.
    REJECT: Panel(P::Review), "Reject", [key(Key::R)], "Reject the fact: it is not part of the campaign";
    /// Mark the fact as false.
    MARK_FALSE: Panel(P::Review), "Mark false", [key(Key::F)], "Record that the claim is untrue; characters may still believe it";
    /// Defer the card.
    DEFER: Panel(P::Review), "Defer", [key(Key::D)], "Move the card to the end of the list";
    /// Make the fact a secret.
    MAKE_SECRET: Panel(P::Review), "Make secret", [key(Key::S)], "Make the fact a secret that only its named holders know, or make it open again";
    /// Select the card.
    SELECT: Panel(P::Review), "Select", [key(Key::Space)], "Select the card; decisions then apply to all selected cards";
    /// Select all cards of the same kind and source as the focused card.
    SELECT_SOURCE: Panel(P::Review), "Select all from this source", [key(Key::G)], "Select every card from the same source";
    /// Select all cards of the same kind as the focused card with at least its confidence.
    SELECT_ABOVE: Panel(P::Review), "Select all with this confidence or higher", [key(Key::X)], "Select every card with the same or a higher confidence";
    /// Clear the selection.
    SELECT_NONE: Panel(P::Review), "Select none", [key(Key::Escape)], "Clear the selection";
    /// Add a reason to the next decision.
    REASON: Panel(P::Review), "Reason…", [key(Key::W)], "Store a reason with the next decision";
    /// Filter the cards.
    FILTER: Panel(P::Review), "Filter…", [key(Key::Slash)], "Show only entries that contain these words";

    // Threads and secrets.
    /// Go to the next thread.
    THREAD_NEXT: Panel(P::Threads), "Next", [key(Key::J), key(Key::ArrowDown)], "Go to the next thread";
    /// Go to the previous thread.
    THREAD_PREVIOUS: Panel(P::Threads), "Back", [key(Key::K), key(Key::ArrowUp)], "Go to the previous thread";
    /// Settle the thread.
    THREAD_SETTLE: Panel(P::Threads), "Settled", [key(Key::D)], "Close the thread: the promise is kept, the debt is paid, or the quest is done";
    /// Reveal the secret.
    THREAD_REVEAL: Panel(P::Threads), "Reveal to the table", [key(Key::T)], "The player characters at the table learn the secret from one of its holders";
    /// Show the thread's fact.
    THREAD_SHOW: Panel(P::Threads), "Show fact", [key(Key::Enter)], "Show the fact with its sources and knowers";
    /// Filter the threads.
    THREAD_FILTER: Panel(P::Threads), "Filter…", [key(Key::Slash)], "Show only entries that contain these words";

    // Timeline.
    /// Show a longer span of time.
    TIMELINE_ZOOM_OUT: Panel(P::Timeline), "Zoom out", [key(Key::Minus)], "Show the enclosing month, the year, or all of time";
    /// Show the current month.
    TIMELINE_NOW: Panel(P::Timeline), "Now", [key(Key::N)], "Show the current month";

    // Let time pass.
    /// Preview the gossip of one day.
    TIME_DAY: Panel(P::Time), "One day", [key(Key::Num1)], "Preview what characters would tell each other in one day";
    /// Preview the gossip of three days.
    TIME_THREE_DAYS: Panel(P::Time), "Three days", [key(Key::Num3)], "Preview what characters would tell each other in three days";
    /// Preview the gossip of seven days.
    TIME_WEEK: Panel(P::Time), "Seven days", [key(Key::Num7)], "Preview what characters would tell each other in seven days";
    /// Apply the preview.
    TIME_APPLY: Panel(P::Time), "Let it pass", [key(Key::Enter)], "Advance the game clock; characters learn the facts in the preview";
    /// Discard the preview.
    TIME_DISCARD: Panel(P::Time), "Discard preview", [key(Key::Escape)], "Discard the preview; nothing changes";

    // History.
    /// Go to the next operation in the list, which is older.
    HISTORY_NEXT: Panel(P::History), "Next", [key(Key::J), key(Key::ArrowDown)], "Go to the next older change";
    /// Go to the previous operation in the list, which is newer.
    HISTORY_PREVIOUS: Panel(P::History), "Back", [key(Key::K), key(Key::ArrowUp)], "Go to the next newer change";
    /// Preview undoing an operation.
    HISTORY_UNDO: Panel(P::History), "Undo this…", [key(Key::X), key(Key::Delete)], "Preview the effect of undoing or redoing the change";
    /// Undo the operation.
    HISTORY_UNDO_NOW: Panel(P::History), "Undo it", [key(Key::Enter)], "Undo the change and all later changes that depend on it";
    /// Redo the operation.
    HISTORY_REDO_NOW: Panel(P::History), "Redo it", [], "Redo the change that was undone";
    /// Close the preview.
    HISTORY_CANCEL: Panel(P::History), "Cancel", [key(Key::Escape)], "Close the preview; nothing changes";

    // Import.
    /// Preview the import without writing anything.
    IMPORT_PREVIEW: Panel(P::Import), "Preview", [key(Key::L)], "Show what the files would change, and their errors; writes nothing";
    /// Import the files.
    IMPORT_APPLY: Panel(P::Import), "Import", [key(Key::I)], "Import the files as one change that can be undone";
    /// Stop the import.
    IMPORT_CANCEL: Panel(P::Import), "Stop", [key(Key::Escape)], "Stop the import; nothing is written";
    /// Undo the import.
    IMPORT_UNDO: Panel(P::Import), "Undo the import", [key(Key::Delete)], "Undo everything that the import added";

    // The session.
    /// Start the session.
    SESSION_START: Panel(P::Session), "Start the session", [key(Key::S)], "Lines and facts from now on belong to this session";
    /// Ask whether to end the session.
    SESSION_END: Panel(P::Session), "End the session…", [key(Key::E)], "End the session and show its report";
    /// End the session.
    SESSION_END_NOW: Panel(P::Session), "End it", [key(Key::Enter)], "End the session now";
    /// Show the log.
    SESSION_LOG: Panel(P::Session), "Log", [key(Key::L)], "Lines spoken and narrated in the session";
    /// Show the report.
    SESSION_REPORT: Panel(P::Session), "Report", [key(Key::R)], "Facts learned and changed, open threads, and the cards to review first";
    /// Show the recap.
    SESSION_RECAP: Panel(P::Session), "Recap", [key(Key::C)], "A short summary of the session, for you or for the players";
    /// Copy the recap.
    SESSION_COPY_RECAP: Panel(P::Session), "Copy the recap", [key(Key::Y)], "Copy the recap to the clipboard";
    /// Save the recap.
    SESSION_SAVE_RECAP: Panel(P::Session), "Save the recap", [ctrl(Key::S)], "Save the recap as edited here";

    // The entity's page.
    /// Go to the previous page.
    PAGE_BACK: Panel(P::Entity), "Back", [alt(Key::ArrowLeft), key(Key::Backspace)], "Go to the previous page";
    /// Go to the next page.
    PAGE_FORWARD: Panel(P::Entity), "Forward", [alt(Key::ArrowRight)], "Go to the next page";
    /// Show the entity's neighbourhood in the graph.
    PAGE_GRAPH: Panel(P::Entity), "Graph", [key(Key::G)], "Show the relations of the entity as a graph";
    /// Show a scene with the entity.
    PAGE_SCENE: Panel(P::Entity), "Scene", [key(Key::S)], "Open a scene with this character, or at this place";
    /// Add a fact.
    PAGE_ADD: Panel(P::Entity), "Add…", [key(Key::A)], "Add an attribute or a relation";

    // The scene.
    /// Type a question.
    SCENE_ASK: Panel(P::Scene), "Ask…", [key(Key::Slash), key(Key::I)], "Type the players’ question and press Enter";
    /// Select the next speaker.
    SCENE_SPEAKER: Panel(P::Scene), "Next speaker", [key(Key::N)], "Ask the next character in the scene";
    /// Copy the answer.
    SCENE_COPY: Panel(P::Scene), "Copy", [key(Key::C)], "Copy what the speaker may say, as a prompt for a language model";
    /// Copy the answer with citations.
    SCENE_COPY_CITATIONS: Panel(P::Scene), "Copy with citations", [key(Key::C).shift()], "Copy what the speaker may say, with the source of each line";
    /// Show citations.
    SCENE_CITATIONS: Panel(P::Scene), "Citations", [key(Key::R)], "Show how the speaker knows each line";
    /// Go to the next fact.
    SCENE_NEXT: Panel(P::Scene), "Next fact", [key(Key::J), key(Key::ArrowDown)], "Go to the next fact in the list";
    /// Go to the previous fact.
    SCENE_PREVIOUS: Panel(P::Scene), "Previous fact", [key(Key::K), key(Key::ArrowUp)], "Go to the previous fact in the list";
    /// Record that everyone present saw the fact.
    SCENE_ALL_SAW: Panel(P::Scene), "All present saw this", [key(Key::W)], "Record that all characters in the scene witnessed this fact";
    /// Reveal the fact to the party.
    SCENE_REVEALED: Panel(P::Scene), "Revealed to the party", [key(Key::V)], "Record that the player characters in the scene learned this fact";
    /// Explain why the speaker does not know the fact.
    SCENE_WHY_NOT: Panel(P::Scene), "Why not?", [key(Key::Y)], "Show why the speaker does not know this fact, and who could tell it to the speaker";

    // The graph.
    /// Show the whole campaign.
    GRAPH_WHOLE_CAMPAIGN: Panel(P::Graph), "Whole campaign", [key(Key::W)], "Show the entities with the most relations";
    /// Change the depth of the neighbourhood.
    GRAPH_DEPTH: Panel(P::Graph), "Depth", [key(Key::D)], "Show entities up to one, two or three steps from the center";
    /// Fit the graph into view.
    GRAPH_FIT: Panel(P::Graph), "Fit", [key(Key::F)], "Fit the whole graph into the view";
    /// Make the selected entity the center.
    GRAPH_RECENTER: Panel(P::Graph), "Make it the center", [key(Key::G)], "Make the selected entity the center; a second click on it does the same";
    /// Open the page of the selected entity.
    GRAPH_PAGE: Panel(P::Graph), "Open page", [key(Key::O)], "Open the page of the selected entity";
}

/// Returns all commands, in the order of the help.
pub fn all() -> impl Iterator<Item = &'static Command> {
    DESK_COMMANDS.iter().chain(OPEN_COMMANDS).chain(PANEL_COMMANDS)
}

impl PanelKind {
    /// Returns the panel that a command opens.
    pub(crate) fn from_open_command(command: &Command) -> Option<Self> {
        OPEN_COMMANDS.iter().position(|open| open == command).map(|number| Self::ALL[number])
    }

    /// Finds a panel by a name such as `review` or `let-time-pass`. Ignores letter case, spaces and hyphens. Returns
    /// `None` if no panel has this name.
    pub fn from_name(name: &str) -> Option<Self> {
        let normalized_char = |c: char| c.is_alphanumeric().then(|| c.to_ascii_lowercase());
        let normalize = |text: &str| text.chars().filter_map(normalized_char).collect::<String>();
        let normalized_name = normalize(name);
        Self::ALL.into_iter().find(|kind| {
            normalize(kind.name()) == normalized_name || normalize(&format!("{kind:?}")) == normalized_name
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn names_are_unique_and_no_two_commands_of_a_scope_share_a_key() {
        let mut names = BTreeMap::new();
        let mut keys: Vec<(CommandScope, KeyCombination, &str)> = Vec::new();
        for command in all() {
            assert!(names.insert((format!("{:?}", command.scope), command.name), ()).is_none(), "{}", command.name);
            for key_combination in command.keys {
                let conflict = keys.iter().find(|(scope, other, _)| {
                    other == key_combination
                        && (*scope == command.scope
                            || *scope == CommandScope::Desk
                            || command.scope == CommandScope::Desk)
                });
                assert!(conflict.is_none(), "{} and {:?}", command.name, conflict);
                keys.push((command.scope, *key_combination, command.name));
            }
        }
    }

    #[test]
    fn keys_are_written_as_people_read_them() {
        assert_eq!(SEARCH.key_hint(), "Ctrl+K");
        assert_eq!(ACCEPT.key_hint(), "a");
        assert_eq!(HELP.key_hint(), "?");
        assert_eq!(REDO.key_hint(), "Shift+u");
    }
}
