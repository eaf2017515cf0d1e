//! The text beside the room: the memory of the nearest character, the player's choices, and the keys. If any part
//! changes, all parts are redrawn.

use bevy::{prelude::*, sprite::Anchor};
use bevy_hearsay::prelude::*;

use crate::{
    conversation::TextBox,
    knowledge::CharacterKnowledge,
    room::{NearestCharacter, Person, Player},
    style::{self, at, block, clip, columns, line_height, wrap},
    talk::{Choices, Notice, Speech},
};

/// Position and size of the panel: left, top, width, height.
const PANEL: [f32; 4] = [836.0, 16.0, 428.0, 652.0];
const TALK: [f32; 4] = [16.0, 514.0, 808.0, 154.0];
const PADDING: f32 = 16.0;
const SIZE: f32 = 14.0;

/// Marks the entities of the panel, which are despawned before a redraw.
#[derive(Component)]
struct PanelPart;

/// Characters with the components that the panel shows.
type People<'w, 's> = Query<'w, 's, (&'static MemoryId, &'static Name, Option<&'static Attributes>), With<Person>>;

pub(crate) fn plugin(app: &mut App) {
    let changed = resource_changed::<NearestCharacter>
        .or_else(resource_changed::<CharacterKnowledge>)
        .or_else(resource_changed::<Notice>)
        .or_else(resource_changed::<TextBox>)
        .or_else(|added: Query<(), Added<Player>>| !added.is_empty())
        .or_else(|speech: Query<(), Changed<Speech>>, ended: RemovedComponents<Speech>| {
            !speech.is_empty() || !ended.is_empty()
        });
    app.add_systems(Startup, setup).add_systems(PostUpdate, draw.run_if(changed));
}

fn setup(mut commands: Commands) {
    for [left, top, width, height] in [PANEL, TALK] {
        commands.spawn(block(style::PANEL, width, height, at(left, top, 30.0)));
    }
    let keys = "Arrows or WASD: walk    1-3, Enter: talk    F5: save    F9: load    Esc: quit";
    commands.spawn(style::text(keys, SIZE, style::MUTED, Anchor::CENTER_LEFT, at(20.0, 694.0, 31.0)));
}

fn draw(
    old_parts: Query<Entity, With<PanelPart>>,
    (nearest, knowledge, notice): (Res<NearestCharacter>, Res<CharacterKnowledge>, Res<Notice>),
    text_box: Res<TextBox>,
    people: People,
    player: Query<(Entity, &MemoryId), With<Player>>,
    speech: Query<(Entity, &Speech, &Transform)>,
    mut commands: Commands,
) {
    old_parts.iter().for_each(|entity| commands.entity(entity).despawn());
    let shown_entity = nearest.0.or(player.single().ok().map(|(entity, _)| entity));
    if let Some((id, name, attributes)) = shown_entity.and_then(|shown_entity| people.get(shown_entity).ok()) {
        let occupation = attributes.and_then(|attributes| Some(attributes.get("occupation")?.to_string()));
        draw_memory(&mut commands, &knowledge, id, name, occupation.as_deref());
    }
    let you = player.single().ok();
    let words = you.and_then(|(entity, _)| speech.get(entity).ok()).map(|(_, speech, _)| speech.words.as_str());
    let other = nearest.0.and_then(|nearest| people.get(nearest).ok()).map(|(id, name, _)| (id, name.as_str()));
    let words = Words { typed: text_box.0.as_deref(), said: words };
    draw_choices(&mut commands, &knowledge, you.map(|(_, id)| id), other, words);
    for (entity, speech, place) in &speech {
        if you.is_none_or(|(you, _)| entity != you) {
            draw_bubble(&mut commands, &speech.words, place.translation);
        }
    }
    let notice_columns = columns(600.0, SIZE);
    let notice = clip(wrap(&notice.0, notice_columns), 1).join("");
    let place = at(style::WIDTH - 20.0, 694.0, 31.0);
    commands.spawn((style::text(notice, SIZE, style::ACCENT, Anchor::CENTER_RIGHT, place), PanelPart));
}

/// Draws the memory of a character, with a card for each fact.
fn draw_memory(
    commands: &mut Commands,
    knowledge: &CharacterKnowledge,
    id: &MemoryId,
    name: &str,
    occupation: Option<&str>,
) {
    let [left, top, width, height] = PANEL;
    let (x, width) = (left + PADDING, width - 2.0 * PADDING);
    let is_you = name == "You";
    let title = if is_you { "Your memory".to_owned() } else { format!("{name}'s memory") };
    commands.spawn((style::text(title, 22.0, style::ACCENT, Anchor::TOP_LEFT, at(x, top + 14.0, 31.0)), PanelPart));
    let rows = knowledge.known_facts(id);
    let count = match rows.len() {
        0 => "nothing".to_owned(),
        1 => "one thing".to_owned(),
        more => format!("{more} things"),
    };
    let subtitle = occupation.map_or_else(String::new, |occupation| format!("{occupation}; "));
    let subtitle = format!("{subtitle}knows {count} of the bell");
    commands.spawn((style::text(subtitle, SIZE, style::MUTED, Anchor::TOP_LEFT, at(x, top + 44.0, 31.0)), PanelPart));
    let mut y = top + 76.0;
    let bottom = top + height - PADDING;
    if rows.is_empty() {
        let empty = match is_you {
            true => "You have heard nothing of the bell yet. Walk up to somebody, and press 1 to ask.",
            false => "This character has heard nothing of the bell. Press 2 to tell a rumour, or 3 to tell a lie.",
        };
        let lines = wrap(empty, columns(width, SIZE)).join("\n");
        commands.spawn((style::text(lines, SIZE, style::TEXT, Anchor::TOP_LEFT, at(x, y, 31.0)), PanelPart));
    }
    for (index, row) in rows.iter().enumerate() {
        let card = Card::new(row, knowledge.is_new(id, row), width);
        // Reserve the last line for the number of facts that do not fit.
        let reserved_height = if index + 1 == rows.len() { 0.0 } else { line_height(SIZE) };
        if y + card.height + reserved_height > bottom {
            let more = format!("and {} more", rows.len() - index);
            commands.spawn((style::text(more, SIZE, style::MUTED, Anchor::TOP_LEFT, at(x, y, 31.0)), PanelPart));
            return;
        }
        card.draw(commands, x, y, width);
        y += card.height + 10.0;
    }
}

/// A fact that a character knows, ready to be drawn.
struct Card {
    statement: Vec<String>,
    acquisition: Vec<String>,
    credence: f32,
    is_new: bool,
    height: f32,
}

impl Card {
    const INSET: f32 = 14.0;
    const SMALL: f32 = 13.0;

    fn new(row: &KnowsRow, is_new: bool, width: f32) -> Self {
        let inner = width - 2.0 * Self::INSET;
        let statement = clip(wrap(&row.statement, columns(inner, SIZE)), 4);
        let mut acquisition = row.acquisition.clone();
        if row.conceals {
            acquisition += "; keeps it secret";
        }
        let acquisition = clip(wrap(&acquisition, columns(inner, Self::SMALL)), 2);
        let text = statement.len() as f32 * line_height(SIZE) + acquisition.len() as f32 * line_height(Self::SMALL);
        let height = text + line_height(Self::SMALL) + 2.0 * 10.0 + 6.0;
        Self { statement, acquisition, credence: row.credence as f32, is_new, height }
    }

    fn draw(&self, commands: &mut Commands, x: f32, y: f32, width: f32) {
        commands.spawn((block(style::CARD, width, self.height, at(x, y, 31.0)), PanelPart));
        if self.is_new {
            commands.spawn((block(style::ACCENT, 4.0, self.height, at(x, y, 32.0)), PanelPart));
        }
        let x = x + Self::INSET;
        let mut y = y + 10.0;
        let mut write = |lines: &[String], size: f32, color: Color| {
            let text = style::text(lines.join("\n"), size, color, Anchor::TOP_LEFT, at(x, y, 32.0));
            commands.spawn((text, PanelPart));
            y += lines.len() as f32 * line_height(size) + 3.0;
        };
        write(&self.statement, SIZE, style::TEXT);
        write(&self.acquisition, Self::SMALL, style::MUTED);
        let (word, color) = credence_label(self.credence);
        let is_new = if self.is_new { "  (new)" } else { "" };
        let credence_text = format!("{:>3.0} %  {word}{is_new}", self.credence * 100.0);
        let middle = y + line_height(Self::SMALL) / 2.0;
        let place = at(x + 132.0, middle, 32.0);
        commands.spawn((style::text(credence_text, Self::SMALL, color, Anchor::CENTER_LEFT, place), PanelPart));
        commands.spawn((block(style::BACKGROUND, 120.0, 8.0, at(x, middle - 4.0, 32.0)), PanelPart));
        commands.spawn((block(color, 120.0 * self.credence, 8.0, at(x, middle - 4.0, 33.0)), PanelPart));
    }
}

/// Returns a word and a colour for a credence.
fn credence_label(credence: f32) -> (&'static str, Color) {
    match credence {
        0.9.. => ("certain", style::SURE),
        0.65.. => ("believes it", style::SURE),
        0.4.. => ("in two minds", style::UNSURE),
        0.05.. => ("doubts it", style::DOUBTFUL),
        _ => ("knows better", style::DOUBTFUL),
    }
}

/// The player's words.
#[derive(Clone, Copy)]
struct Words<'a> {
    /// Words in the text box; `None` while it is closed.
    typed: Option<&'a str>,
    /// Words that the player has just said.
    said: Option<&'a str>,
}

/// Draws the player's choices.
fn draw_choices(
    commands: &mut Commands,
    knowledge: &CharacterKnowledge,
    you: Option<&MemoryId>,
    other: Option<(&MemoryId, &str)>,
    words: Words,
) {
    let [left, top, width, _] = TALK;
    let (x, mut y) = (left + PADDING, top + 12.0);
    let columns = columns(width - 2.0 * PADDING, SIZE);
    let mut write = |text: &str, max_lines: usize, color: Color| {
        let lines = clip(wrap(text, columns), max_lines);
        commands.spawn((style::text(lines.join("\n"), SIZE, color, Anchor::TOP_LEFT, at(x, y, 31.0)), PanelPart));
        y += lines.len() as f32 * line_height(SIZE);
    };
    let (Some(you), Some((id, name))) = (you, other) else {
        write("Nobody is near.", 1, style::ACCENT);
        write("Walk up to Mara, Odo or Pell. The panel on the right shows what they know of the bell.", 2, style::TEXT);
        return;
    };
    let choices = Choices::new(knowledge, you, id);
    write(&format!("You stand before {name}."), 1, style::ACCENT);
    write("[1] Ask: What do you know of the chapel bell?", 1, style::TEXT);
    match choices.rumour {
        Some(rumour) => write(&format!("[2] Tell: {}", rumour.statement), 2, style::TEXT),
        None => write(&format!("[2] Tell: you have heard nothing that {name} does not know"), 2, style::MUTED),
    }
    match choices.lie {
        Some(lie) => write(&format!("[3] Lie: {lie}"), 1, style::TEXT),
        None => write(&format!("[3] Lie: {name} has heard it already"), 1, style::MUTED),
    }
    match words.typed {
        Some(typed) => write(&format!("You say: {typed}_"), 2, style::ACCENT),
        None => write("[Enter] Say something in your own words", 1, style::TEXT),
    }
    if let Some(said) = words.said {
        write(&format!("You: {said}"), 2, style::UNSURE);
    }
}

/// Draws a speech bubble above a character.
fn draw_bubble(commands: &mut Commands, words: &str, person: Vec3) {
    let lines = wrap(words, 34);
    let longest = lines.iter().map(String::len).max().unwrap_or(0) as f32;
    let (width, height) = (longest * SIZE * 0.6 + 24.0, lines.len() as f32 * line_height(SIZE) + 16.0);
    let (x, y) = (person.x + style::WIDTH / 2.0, style::HEIGHT / 2.0 - person.y);
    let x = (x - width / 2.0).clamp(40.0, 800.0 - width);
    let y = (y - 46.0 - height).max(8.0);
    commands.spawn((block(style::TEXT, width, height, at(x, y, 20.0)), PanelPart));
    let place = at(x + 12.0, y + 8.0, 21.0);
    commands.spawn((style::text(lines.join("\n"), SIZE, style::BACKGROUND, Anchor::TOP_LEFT, place), PanelPart));
}
