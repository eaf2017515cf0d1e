//! Keyboard input of the panels.
//!
//! `bevy_egui` reads the modifier keys only at the end of a frame. If the user presses and releases Ctrl+L within one
//! slow frame, egui therefore receives a plain `l`. `bevy_egui` also delivers all keys of a frame at once. If the user
//! types letters after Ctrl+L in the same frame, the letters do not reach the field that gets the focus. The systems in
//! this module replace the conversion of `bevy_egui`. Each key gets the modifiers that were held when it was pressed.
//! If a key can move the focus, later keys wait for the next frame.

use std::collections::VecDeque;

use bevy::{
    input::keyboard::{Key as LogicalKey, KeyboardFocusLost, KeyboardInput},
    prelude::*,
    window::PrimaryWindow,
};
use bevy_egui::{
    EguiClipboard, EguiContext, EguiContextSettings, EguiInput, PrimaryEguiContext,
    helpers::{bevy_to_egui_key, bevy_to_egui_physical_key},
    input::ModifierKeysState,
};
use egui::{Event, Key, Modifiers};

/// A key that was pressed or released.
#[derive(Debug, Clone)]
struct KeyStroke {
    key: Option<Key>,
    modifiers: Modifiers,
    is_pressed: bool,
    /// Events for egui, in order.
    events: Vec<Event>,
}

impl KeyStroke {
    /// Returns whether the key can be a command, or can move the focus, while a text field has the focus.
    fn is_command(&self) -> bool {
        let moves_focus =
            |key: Key| matches!(key, Key::Enter | Key::Tab | Key::Escape) || (Key::F1..=Key::F35).contains(&key);
        self.modifiers.command || self.modifiers.ctrl || self.modifiers.alt || self.key.is_some_and(moves_focus)
    }
}

/// The keys that egui has not received yet.
#[derive(Resource, Default)]
pub(crate) struct KeyQueue {
    held: ModifierKeysState,
    waiting: VecDeque<KeyStroke>,
    /// Modifiers that egui received last.
    sent: Modifiers,
}

impl KeyQueue {
    /// Adds a key. `pasted` is called for the text of the clipboard.
    fn add(&mut self, input: &KeyboardInput, pasted: impl FnOnce() -> Option<String>) {
        let is_pressed = input.state.is_pressed();
        match &input.logical_key {
            LogicalKey::Shift => self.held.shift = is_pressed,
            LogicalKey::Control => self.held.ctrl = is_pressed,
            LogicalKey::Alt => self.held.alt = is_pressed,
            LogicalKey::Super | LogicalKey::Meta => self.held.win = is_pressed,
            _ => {}
        }
        let modifiers = self.held.to_egui_modifiers();
        let physical_key = bevy_to_egui_physical_key(&input.key_code);
        let key = bevy_to_egui_key(&input.logical_key).or(physical_key);
        let mut events = Vec::new();
        if is_pressed && self.held.text_input_is_allowed() {
            let text = match &input.logical_key {
                LogicalKey::Character(text) if !text.contains(char::is_control) => Some(text.to_string()),
                LogicalKey::Space => Some(" ".to_owned()),
                _ => None,
            };
            events.extend(text.map(Event::Text));
        }
        if let Some(key) = key {
            events.push(Event::Key { key, physical_key, pressed: is_pressed, repeat: false, modifiers });
        }
        if is_pressed && modifiers.command {
            match key {
                Some(Key::C) => events.push(Event::Copy),
                Some(Key::X) => events.push(Event::Cut),
                Some(Key::V) => events.extend(pasted().map(Event::Paste)),
                _ => {}
            }
        }
        self.waiting.push_back(KeyStroke { key, modifiers, is_pressed, events });
    }

    /// Forgets that modifier keys are held, because the window lost the focus.
    fn release_modifiers(&mut self) {
        self.held = ModifierKeysState::default();
    }

    /// Returns the events for the next frame. `is_typing` says whether a text field has the focus; otherwise, each key
    /// can be a command, so a frame gets only one key.
    fn next_events(&mut self, is_typing: bool) -> Vec<Event> {
        let mut modifiers = None;
        let mut events = Vec::new();
        while let Some(stroke) = self.waiting.front() {
            // Text that is typed may change between small and capital letters in one frame.
            let significant = |modifiers: Modifiers| Modifiers { shift: modifiers.shift && !is_typing, ..modifiers };
            if modifiers.is_some_and(|modifiers| significant(modifiers) != significant(stroke.modifiers)) {
                break;
            }
            let Some(stroke) = self.waiting.pop_front() else { break };
            let is_last = stroke.is_pressed && (stroke.is_command() || !is_typing) && !stroke.events.is_empty();
            if !stroke.events.is_empty() {
                modifiers = Some(stroke.modifiers);
            }
            events.extend(stroke.events);
            if is_last {
                break;
            }
        }
        let current = modifiers.or_else(|| self.waiting.is_empty().then(|| self.held.to_egui_modifiers()));
        if let Some(current) = current.filter(|current| *current != self.sent) {
            self.sent = current;
            events.insert(0, Event::ModifiersChanged(current));
        }
        events
    }
}

/// Turns off the conversion of keys by `bevy_egui` for the context of the panels.
pub(crate) fn replace_conversion(mut contexts: Query<&mut EguiContextSettings, Added<PrimaryEguiContext>>) {
    for mut settings in &mut contexts {
        settings.input_system_settings.run_write_keyboard_input_messages_system = false;
    }
}

/// Puts the keys of the primary window into the queue.
pub(crate) fn read_keys(
    mut keys: MessageReader<KeyboardInput>,
    mut focus_lost: MessageReader<KeyboardFocusLost>,
    windows: Query<(), With<PrimaryWindow>>,
    mut clipboard: ResMut<EguiClipboard>,
    mut queue: ResMut<KeyQueue>,
) {
    if focus_lost.read().count() > 0 {
        queue.release_modifiers();
    }
    for input in keys.read().filter(|input| windows.contains(input.window)) {
        queue.add(input, || clipboard.get_text());
    }
}

/// Gives egui the keys for this frame. Replaces the state of the modifier keys that `bevy_egui` sends in each frame: egui
/// asks for another frame after each event, so an idle window would be drawn all the time.
pub(crate) fn send_keys(
    mut contexts: Query<(&mut EguiInput, &mut EguiContext), With<PrimaryEguiContext>>,
    mut queue: ResMut<KeyQueue>,
) {
    for (mut input, mut context) in &mut contexts {
        let context = context.get_mut();
        input.events.retain(|event| !matches!(event, Event::ModifiersChanged(_)));
        let events = queue.next_events(context.text_edit_focused());
        input.events.extend(events);
        if !queue.waiting.is_empty() {
            context.request_repaint();
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use bevy::input::ButtonState;

    use super::*;

    fn add(queue: &mut KeyQueue, key: LogicalKey, code: KeyCode, is_pressed: bool) {
        let state = if is_pressed { ButtonState::Pressed } else { ButtonState::Released };
        let input = KeyboardInput {
            key_code: code,
            logical_key: key,
            state,
            text: None,
            repeat: false,
            window: Entity::PLACEHOLDER,
        };
        queue.add(&input, || Some("pasted".to_owned()));
    }

    fn press(queue: &mut KeyQueue, letter: &str, code: KeyCode) {
        for is_pressed in [true, false] {
            add(queue, LogicalKey::Character(letter.into()), code, is_pressed);
        }
    }

    fn control(queue: &mut KeyQueue, letter: &str, code: KeyCode) {
        add(queue, LogicalKey::Control, KeyCode::ControlLeft, true);
        press(queue, letter, code);
        add(queue, LogicalKey::Control, KeyCode::ControlLeft, false);
    }

    fn texts(events: &[Event]) -> String {
        let text = |event: &Event| match event {
            Event::Text(text) | Event::Paste(text) => Some(text.clone()),
            _ => None,
        };
        events.iter().filter_map(text).collect()
    }

    fn pressed(events: &[Event]) -> Vec<(Key, bool)> {
        let key = |event: &Event| match event {
            Event::Key { key, pressed: true, modifiers, .. } => Some((*key, modifiers.ctrl)),
            _ => None,
        };
        events.iter().filter_map(key).collect()
    }

    #[test]
    fn a_fast_shortcut_keeps_its_modifier_and_the_letters_after_it_wait() {
        let mut queue = KeyQueue::default();
        control(&mut queue, "l", KeyCode::KeyL);
        press(&mut queue, "j", KeyCode::KeyJ);
        press(&mut queue, "o", KeyCode::KeyO);
        let first = queue.next_events(false);
        assert_eq!((pressed(&first), texts(&first).as_str()), (vec![(Key::L, true)], ""));
        assert!(matches!(first[0], Event::ModifiersChanged(modifiers) if modifiers.ctrl));
        // The field has the focus now, and gets the letters at once.
        let mut rest = queue.next_events(true);
        rest.extend(queue.next_events(true));
        assert_eq!((pressed(&rest), texts(&rest).as_str()), (vec![(Key::J, false), (Key::O, false)], "jo"));
        assert!(rest.iter().any(|event| matches!(event, Event::ModifiersChanged(modifiers) if modifiers.is_none())));
        assert!(queue.next_events(true).is_empty(), "an unchanged state is not sent again");
    }

    #[test]
    fn without_a_text_field_each_frame_gets_one_key() {
        let mut queue = KeyQueue::default();
        ["a", "r"].into_iter().zip([KeyCode::KeyA, KeyCode::KeyR]).for_each(|(key, code)| press(&mut queue, key, code));
        assert_eq!(pressed(&queue.next_events(false)), [(Key::A, false)]);
        assert_eq!(pressed(&queue.next_events(false)), [(Key::R, false)]);
    }

    #[test]
    fn letters_after_enter_wait_for_the_next_frame() {
        let mut queue = KeyQueue::default();
        press(&mut queue, "a", KeyCode::KeyA);
        add(&mut queue, LogicalKey::Enter, KeyCode::Enter, true);
        press(&mut queue, "b", KeyCode::KeyB);
        let first = queue.next_events(true);
        assert_eq!((pressed(&first), texts(&first).as_str()), (vec![(Key::A, false), (Key::Enter, false)], "a"));
        assert_eq!(texts(&queue.next_events(true)), "b");
        control(&mut queue, "v", KeyCode::KeyV);
        assert_eq!(texts(&queue.next_events(true)), "pasted");
    }
}
