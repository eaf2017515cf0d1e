//! The table of all commands, which defines the keys, the help (`?`) and the palette (Ctrl+P).

use egui::{Event, Key, Modifiers};

use crate::panel::PanelKind;

/// Where a command is available.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Everywhere.
    Desk,
    /// When this panel is the active one.
    Panel(PanelKind),
    /// In the capture line.
    Capture,
}

/// A key combination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keys {
    key: Key,
    command: bool,
    shift: bool,
    alt: bool,
}

/// A single key.
pub const fn key(key: Key) -> Keys {
    Keys { key, command: false, shift: false, alt: false }
}

/// A key with Ctrl, or Cmd on a Mac.
pub const fn ctrl(key: Key) -> Keys {
    Keys { key, command: true, shift: false, alt: false }
}

/// A key with Alt.
pub const fn alt(key: Key) -> Keys {
    Keys { key, command: false, shift: false, alt: true }
}

impl Keys {
    /// The same combination with Shift.
    pub const fn shift(self) -> Self {
        Self { shift: true, ..self }
    }

    /// Returns whether the combination also works while a text field has the focus.
    pub fn needs_no_focus(self) -> bool {
        self.command || self.alt || (Key::F1..=Key::F20).contains(&self.key)
    }

    /// Returns whether the keys were pressed, and consumes the key event.
    pub fn consume(self, ui: &egui::Ui) -> bool {
        // With Shift, some keyboards report another key and others do not.
        let shifted =
            matches!(self.key, Key::Questionmark | Key::Slash | Key::Plus | Key::Colon | Key::Exclamationmark);
        let same = |modifiers: &Modifiers| {
            modifiers.command == self.command && modifiers.alt == self.alt && (shifted || modifiers.shift == self.shift)
        };
        ui.input_mut(|input| {
            let pressed = |event: &Event| matches!(event, Event::Key { key, pressed: true, modifiers, .. } if *key == self.key && same(modifiers));
            let Some(at) = input.events.iter().position(pressed) else { return false };
            input.events.remove(at);
            // Remove the letter that comes with the key; otherwise the field that the command focuses would receive it.
            if !self.needs_no_focus()
                && let Some(letter) = input.events.iter().position(|event| matches!(event, Event::Text(_)))
            {
                input.events.remove(letter);
            }
            true
        })
    }

    /// Returns the combination for display: `Ctrl+K`.
    pub fn text(self) -> String {
        let name = match self.key {
            Key::Questionmark => "?",
            Key::Slash => "/",
            Key::Plus => "+",
            Key::Minus => "\u{2212}",
            Key::ArrowDown => "Down",
            Key::ArrowUp => "Up",
            Key::ArrowLeft => "Left",
            Key::ArrowRight => "Right",
            key => key.name(),
        };
        let part = |on: bool, name: &'static str| if on { name } else { "" };
        let name = if name.len() == 1 && !(self.command || self.alt) { name.to_lowercase() } else { name.to_owned() };
        [part(self.command, "Ctrl+"), part(self.alt, "Alt+"), part(self.shift, "Shift+"), &name].concat()
    }
}

/// A command that keys, the palette and a button can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Command {
    /// Name of the command: sentence case, with `…` if the command asks for more input. Unique.
    pub name: &'static str,
    /// Where the command is available.
    pub scope: Scope,
    /// Keys of the command. If empty, only the palette gives it.
    pub keys: &'static [Keys],
    /// One-line description.
    pub help: &'static str,
}

impl Command {
    /// Returns the first key combination for display.
    pub fn hint(&self) -> String {
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

macro_rules! commands {
    ($($(#[$doc:meta])* $name:ident: $scope:expr, $called:literal, [$($keys:expr),*], $help:literal;)*) => {
        $($(#[$doc])* pub const $name: Command = Command { name: $called, scope: $scope, keys: &[$($keys),*], help: $help };)*
        /// All commands, in the order of the help.
        pub const ALL: &[Command] = &[$($name),*];
    };
}

use PanelKind as P;
use Scope::{Desk, Panel};

commands! {
    // The desk.
    /// Search from anywhere.
    SEARCH: Desk, "Search", [ctrl(Key::K)], "Find names, words and meanings; ask “who knows …?”";
    /// Type a line into the capture line.
    CAPTURE: Desk, "Capture", [ctrl(Key::L)], "Type what happens at the table";
    /// Choose a command by name.
    PALETTE: Desk, "Command palette", [ctrl(Key::P)], "Choose any command by its name";
    /// Show all keys.
    HELP: Desk, "All keys", [key(Key::Questionmark), key(Key::F1)], "Shows every key and what it does";
    /// Revert the newest change.
    UNDO: Desk, "Undo", [key(Key::U), ctrl(Key::Z)], "Takes back the newest change, and says which; asks when others rest on it";
    /// Revert the newest undo.
    REDO: Desk, "Redo", [key(Key::U).shift(), ctrl(Key::Z).shift(), ctrl(Key::Y)], "Brings back what was undone last";
    /// Quiet mode.
    QUIET: Desk, "Quiet mode", [key(Key::F9)], "For combat: nothing but the panel you look at, and a badge";
    /// Screen-safe mode.
    SCREEN_SAFE: Desk, "Screen-safe mode", [key(Key::F8)], "Hides all secrets while players look";
    /// Switch between dark and light.
    SHADE: Desk, "Dark or light", [key(Key::F7)], "Changes between the dark and the light theme";
    /// Enlarge everything.
    LARGER: Desk, "Larger", [ctrl(Key::Plus), ctrl(Key::Equals)], "Makes everything larger";
    /// Reduce everything.
    SMALLER: Desk, "Smaller", [ctrl(Key::Minus)], "Makes everything smaller";
    /// Use the size of the theme file.
    NORMAL_SIZE: Desk, "Normal size", [ctrl(Key::Num0)], "Makes everything as large as the theme says";
    /// Reset the layout.
    RESET_LAYOUT: Desk, "Reset the layout", [], "Puts all panels where they were at first";
    /// Open review.
    OPEN_REVIEW: Desk, "Open review", [alt(Key::Num1)], "What waits for you";
    /// Open search.
    OPEN_SEARCH: Desk, "Open search", [alt(Key::Num2)], "Find and browse";
    /// Open the entity page.
    OPEN_ENTITY: Desk, "Open entity page", [alt(Key::Num3)], "All about one of them";
    /// Open the scene.
    OPEN_SCENE: Desk, "Open scene", [alt(Key::Num4)], "Who is here, and what they may say";
    /// Open the graph.
    OPEN_GRAPH: Desk, "Open graph", [alt(Key::Num5)], "Who has to do with whom";
    /// Open threads.
    OPEN_THREADS: Desk, "Open threads and secrets", [alt(Key::Num6)], "Promises, debts, quests, secrets";
    /// Open the timeline.
    OPEN_TIMELINE: Desk, "Open timeline", [alt(Key::Num7)], "What happened when";
    /// Open time.
    OPEN_TIME: Desk, "Open let time pass", [alt(Key::Num8)], "What people tell each other meanwhile";
    /// Open history.
    OPEN_HISTORY: Desk, "Open history", [alt(Key::Num9)], "Every change, and undo";
    /// Open import.
    OPEN_IMPORT: Desk, "Open import", [alt(Key::I)], "Files in";
    /// Open the session.
    OPEN_SESSION: Desk, "Open session", [alt(Key::Num0)], "Start, attendance, end, recap";

    // Review.
    /// The next card.
    REVIEW_NEXT: Panel(P::Review), "Next", [key(Key::J), key(Key::ArrowDown)], "Goes to the next card";
    /// The previous card.
    REVIEW_BACK: Panel(P::Review), "Back", [key(Key::K), key(Key::ArrowUp)], "Goes to the card before";
    /// The other fact of a contradiction.
    REVIEW_OTHER: Panel(P::Review), "The other fact", [key(Key::ArrowRight)], "Of facts that contradict each other, chooses the next";
    /// Accept the fact.
    ACCEPT: Panel(P::Review), "Accept", [key(Key::A)], "It is so: canon from now on";
    /// Edit the fact and accept it.
    EDIT: Panel(P::Review), "Edit…", [key(Key::E)], "Changes the fact, and accepts it";
    /// Reject the fact.
    REJECT: Panel(P::Review), "Reject", [key(Key::R)], "It is no part of the world";
    /// Mark the fact as false.
    MARK_FALSE: Panel(P::Review), "Mark false", [key(Key::F)], "It was said, but it is not so: some may believe it";
    /// Defer the card.
    DEFER: Panel(P::Review), "Defer", [key(Key::D)], "Puts it at the end, for another day";
    /// Make the fact a secret.
    MAKE_SECRET: Panel(P::Review), "Make secret", [key(Key::S)], "Only its bearer and those who hold it know it; or open again";
    /// Select the card.
    SELECT: Panel(P::Review), "Select", [key(Key::Space)], "Selects the card: decisions then count for all selected";
    /// Select all cards of the same source.
    SELECT_SOURCE: Panel(P::Review), "Select all of this source", [key(Key::G)], "Selects every card that comes from where this one does";
    /// Select all cards with at least this confidence.
    SELECT_ABOVE: Panel(P::Review), "Select all as sure as this", [key(Key::X)], "Selects every card of this confidence or above";
    /// Clear the selection.
    SELECT_NONE: Panel(P::Review), "Select none", [key(Key::Escape)], "Selects nothing";
    /// Add a reason to the next decision.
    REASON: Panel(P::Review), "Reason…", [key(Key::W)], "Keeps why, with the next decision";
    /// Filter the cards.
    FILTER: Panel(P::Review), "Filter…", [key(Key::Slash)], "Shows only what has these words";

    // Threads and secrets.
    /// The next thread.
    THREAD_NEXT: Panel(P::Threads), "Next", [key(Key::J), key(Key::ArrowDown)], "Goes to the next thread";
    /// The previous thread.
    THREAD_BACK: Panel(P::Threads), "Back", [key(Key::K), key(Key::ArrowUp)], "Goes to the thread before";
    /// Settle the thread.
    THREAD_SETTLE: Panel(P::Threads), "Settled", [key(Key::D)], "The promise is kept, the debt is paid, the quest is done";
    /// Reveal the secret.
    THREAD_REVEAL: Panel(P::Threads), "Reveal to the table", [key(Key::T)], "Those at the table learn it, from one who holds it";
    /// Show the thread's fact.
    THREAD_SHOW: Panel(P::Threads), "Show fact", [key(Key::Enter)], "Shows the fact with all that is known of it";
    /// Filter the threads.
    THREAD_FILTER: Panel(P::Threads), "Filter…", [key(Key::Slash)], "Shows only what has these words";

    // Timeline.
    /// Show a longer span of time.
    TIMELINE_OUT: Panel(P::Timeline), "Zoom out", [key(Key::Minus)], "Looks at the month, the year, or all of time";
    /// Show the current month.
    TIMELINE_NOW: Panel(P::Timeline), "Now", [key(Key::N)], "Looks into the month that it is now";

    // Let time pass.
    /// Preview one day.
    TIME_DAY: Panel(P::Time), "One day", [key(Key::Num1)], "Shows what people would tell each other in a day";
    /// Preview three days.
    TIME_THREE_DAYS: Panel(P::Time), "Three days", [key(Key::Num3)], "Shows what people would tell each other in three days";
    /// Preview seven days.
    TIME_WEEK: Panel(P::Time), "Seven days", [key(Key::Num7)], "Shows what people would tell each other in seven days";
    /// Apply the preview.
    TIME_APPLY: Panel(P::Time), "Let it pass", [key(Key::Enter)], "Time passes, and they learn what is shown";
    /// Discard the preview.
    TIME_DISCARD: Panel(P::Time), "Stay here", [key(Key::Escape)], "Forgets what was worked out; nothing happens";

    // History.
    /// The next operation.
    HISTORY_NEXT: Panel(P::History), "Next", [key(Key::J), key(Key::ArrowDown)], "Goes to the change before in time";
    /// The previous operation in the list.
    HISTORY_BACK: Panel(P::History), "Back", [key(Key::K), key(Key::ArrowUp)], "Goes to the change after in time";
    /// Preview undoing an operation.
    HISTORY_UNDO: Panel(P::History), "Undo this…", [key(Key::X), key(Key::Delete)], "Shows what undoing it, or bringing it back, would do";
    /// Undo the operation.
    HISTORY_UNDO_NOW: Panel(P::History), "Undo it", [key(Key::Enter)], "Undoes it, with what rests on it";
    /// Redo the operation.
    HISTORY_REDO_NOW: Panel(P::History), "Bring it back", [], "Brings back what was undone";
    /// Close the preview.
    HISTORY_KEEP: Panel(P::History), "Leave it", [key(Key::Escape)], "Leaves everything as it is";

    // Import.
    /// Do a dry run.
    IMPORT_CHECK: Panel(P::Import), "Look first", [key(Key::L)], "Says what the files would change, and what is wrong with them; writes nothing";
    /// Import the files.
    IMPORT_APPLY: Panel(P::Import), "Import", [key(Key::I)], "Takes the files in, as one change that can be undone";
    /// Stop the import.
    IMPORT_CANCEL: Panel(P::Import), "Stop", [key(Key::Escape)], "Stops the import; nothing is written";
    /// Undo the import.
    IMPORT_UNDO: Panel(P::Import), "Undo the import", [key(Key::Delete)], "Takes back all that it brought";

    // The session.
    /// Start the session.
    SESSION_START: Panel(P::Session), "Start the session", [key(Key::S)], "From now on what happens carries this session";
    /// Ask whether to end the session.
    SESSION_END: Panel(P::Session), "End the session…", [key(Key::E)], "Ends the session, and shows what it brought";
    /// End the session.
    SESSION_END_NOW: Panel(P::Session), "End it", [key(Key::Enter)], "Ends the session now";
    /// Show the log.
    SESSION_LOG: Panel(P::Session), "Log", [key(Key::L)], "What was said";
    /// Show the report.
    SESSION_REPORT: Panel(P::Session), "Report", [key(Key::R)], "What it brought: learned, changed, open, and what to look at first";
    /// Show the recap.
    SESSION_RECAP: Panel(P::Session), "Recap", [key(Key::C)], "What happened in few words, for you or for the players";
    /// Copy the recap.
    SESSION_COPY: Panel(P::Session), "Copy the recap", [key(Key::Y)], "Puts the recap on the clipboard";
    /// Save the recap.
    SESSION_KEEP: Panel(P::Session), "Keep the recap", [ctrl(Key::S)], "Keeps the recap as it stands here";

    // The entity's page.
    /// The previous page.
    PAGE_BACK: Panel(P::Entity), "Back", [alt(Key::ArrowLeft), key(Key::Backspace)], "Goes to the page before";
    /// The next page.
    PAGE_FORWARD: Panel(P::Entity), "Forward", [alt(Key::ArrowRight)], "Goes to the page after";
    /// Show the entity's neighbourhood in the graph.
    PAGE_GRAPH: Panel(P::Entity), "Graph", [key(Key::G)], "Shows who has to do with it";
    /// Show a scene with the entity.
    PAGE_SCENE: Panel(P::Entity), "Scene", [key(Key::S)], "Asks it, or goes there";
    /// Add a fact.
    PAGE_ADD: Panel(P::Entity), "Add…", [key(Key::A)], "Adds an attribute or a relation";

    // The scene.
    /// Type a question.
    SCENE_ASK: Panel(P::Scene), "Ask…", [key(Key::Slash), key(Key::I)], "Type what the players ask, and press Enter";
    /// Select the next speaker.
    SCENE_SPEAKER: Panel(P::Scene), "Next speaker", [key(Key::N)], "Asks the next of those who are here";
    /// Copy the answer.
    SCENE_COPY: Panel(P::Scene), "Copy", [key(Key::C)], "Copies what the speaker may say, for a language model";
    /// Copy the answer with citations.
    SCENE_COPY_CITATIONS: Panel(P::Scene), "Copy with citations", [key(Key::C).shift()], "Copies it with how each line is known";
    /// Show citations.
    SCENE_CITATIONS: Panel(P::Scene), "Citations", [key(Key::R)], "Shows how each line is known";
    /// The next fact.
    SCENE_NEXT: Panel(P::Scene), "Next fact", [key(Key::J), key(Key::ArrowDown)], "Goes to the next fact in their minds";
    /// The previous fact.
    SCENE_BACK: Panel(P::Scene), "Fact before", [key(Key::K), key(Key::ArrowUp)], "Goes to the fact before";
    /// Record that everyone present saw the fact.
    SCENE_SAW: Panel(P::Scene), "All present saw this", [key(Key::W)], "All who are here know this fact from now on: they saw it";
    /// Reveal the fact to the party.
    SCENE_REVEALED: Panel(P::Scene), "Revealed to the party", [key(Key::V)], "The players’ characters who are here learn this fact";
    /// Explain why the speaker cannot know the fact.
    SCENE_WHY: Panel(P::Scene), "Why not?", [key(Key::Y)], "Why the speaker cannot know this, and from whom it could hear it";

    // The graph.
    /// Show the whole campaign.
    GRAPH_WHOLE: Panel(P::Graph), "Whole campaign", [key(Key::W)], "Those with most relations of all";
    /// Change the depth of the neighbourhood.
    GRAPH_DEEPER: Panel(P::Graph), "Steps around", [key(Key::D)], "One, two or three steps around the center";
    /// Fit the graph into view.
    GRAPH_FIT: Panel(P::Graph), "Fit", [key(Key::F)], "Brings all into view";
    /// Make the selected entity the center.
    GRAPH_WALK: Panel(P::Graph), "Walk there", [key(Key::G)], "Makes the selected one the center; so does a second click";
    /// Open the page of the selected entity.
    GRAPH_PAGE: Panel(P::Graph), "Open page", [key(Key::O)], "Opens the page of the selected one";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn names_are_unique_and_no_two_commands_of_a_scope_share_a_key() {
        let mut names = BTreeMap::new();
        let mut keys: Vec<(Scope, Keys, &str)> = Vec::new();
        for command in ALL {
            assert!(names.insert((format!("{:?}", command.scope), command.name), ()).is_none(), "{}", command.name);
            for used in command.keys {
                let clash = keys.iter().find(|(scope, other, _)| {
                    other == used && (*scope == command.scope || *scope == Scope::Desk || command.scope == Scope::Desk)
                });
                assert!(clash.is_none(), "{} and {:?}", command.name, clash);
                keys.push((command.scope, *used, command.name));
            }
        }
    }

    #[test]
    fn keys_are_written_as_people_read_them() {
        assert_eq!(SEARCH.hint(), "Ctrl+K");
        assert_eq!(ACCEPT.hint(), "a");
        assert_eq!(HELP.hint(), "?");
        assert_eq!(REDO.hint(), "Shift+u");
    }
}
