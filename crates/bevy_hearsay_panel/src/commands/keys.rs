//! Key combinations.

use egui::{Event, Key, Modifiers};

/// A key combination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyCombination {
    key: Key,
    command: bool,
    shift: bool,
    alt: bool,
}

/// Creates a combination that consists of a single key.
pub const fn key(key: Key) -> KeyCombination {
    KeyCombination { key, command: false, shift: false, alt: false }
}

/// Creates a combination of Ctrl (Cmd on a Mac) and a key.
pub const fn ctrl(key: Key) -> KeyCombination {
    KeyCombination { key, command: true, shift: false, alt: false }
}

/// Creates a combination of Alt and a key.
pub const fn alt(key: Key) -> KeyCombination {
    KeyCombination { key, command: false, shift: false, alt: true }
}

impl KeyCombination {
    /// Adds Shift to the combination.
    pub const fn shift(self) -> Self {
        Self { shift: true, ..self }
    }

    /// Returns whether the combination also works while a text field has the focus.
    pub fn works_while_typing(self) -> bool {
        self.command || self.alt || (Key::F1..=Key::F20).contains(&self.key)
    }

    /// Returns whether the user pressed the combination in this frame. Also removes the key event, so that no other
    /// widget handles it.
    pub fn consume(self, ui: &egui::Ui) -> bool {
        // Accept these keys with and without Shift, because only some keyboards need Shift to type them.
        let ignores_shift =
            matches!(self.key, Key::Questionmark | Key::Slash | Key::Plus | Key::Colon | Key::Exclamationmark);
        let matches_modifiers = |modifiers: &Modifiers| {
            modifiers.command == self.command
                && modifiers.alt == self.alt
                && (ignores_shift || modifiers.shift == self.shift)
        };
        ui.input_mut(|input| {
            let is_pressed = |event: &Event| matches!(event, Event::Key { key, pressed: true, modifiers, .. } if *key == self.key && matches_modifiers(modifiers));
            let Some(at) = input.events.iter().position(is_pressed) else { return false };
            input.events.remove(at);
            // Remove the text event of the key. Otherwise the text field that the command focuses would receive this
            // letter.
            if !self.works_while_typing()
                && let Some(text_event) = input.events.iter().position(|event| matches!(event, Event::Text(_)))
            {
                input.events.remove(text_event);
            }
            true
        })
    }

    /// Returns the combination as text, such as `Ctrl+K`.
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
        let modifier_text = |on: bool, name: &'static str| if on { name } else { "" };
        let name = if name.len() == 1 && !(self.command || self.alt) { name.to_lowercase() } else { name.to_owned() };
        [
            modifier_text(self.command, "Ctrl+"),
            modifier_text(self.alt, "Alt+"),
            modifier_text(self.shift, "Shift+"),
            &name,
        ]
        .concat()
    }
}
