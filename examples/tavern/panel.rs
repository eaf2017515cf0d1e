//! The text beside the room: the memory of the nearest character, the player's choices, and the keys. If any part
//! changes, all parts are redrawn.

use bevy::{prelude::*, sprite::Anchor};
use bevy_hearsay::prelude::*;
use hearsay_query::knowledge::KnowsRow;

use crate::{
    look::{self, at, block, clip, columns, line_height, wrap},
    minds::Minds,
    room::{Near, Person, Player},
    talk::{Choices, Notice, Says},
};

/// Position and size of the panel: left, top, width, height.
const PANEL: [f32; 4] = [836.0, 16.0, 428.0, 652.0];
const TALK: [f32; 4] = [16.0, 514.0, 808.0, 154.0];
const PADDING: f32 = 16.0;
const SIZE: f32 = 14.0;

/// Marks the entities of the panel, which are despawned before a redraw.
#[derive(Component)]
struct Drawn;

/// Characters with the components that the panel shows.
type People<'w, 's> = Query<'w, 's, (&'static MemoryId, &'static Name, Option<&'static Attributes>), With<Person>>;

pub(crate) fn plugin(app: &mut App) {
    let changed = resource_changed::<Near>
        .or_else(resource_changed::<Minds>)
        .or_else(resource_changed::<Notice>)
        .or_else(|added: Query<(), Added<Player>>| !added.is_empty())
        .or_else(|says: Query<(), Changed<Says>>, gone: RemovedComponents<Says>| !says.is_empty() || !gone.is_empty());
    app.add_systems(Startup, frame).add_systems(PostUpdate, draw.run_if(changed));
}

fn frame(mut commands: Commands) {
    for [left, top, width, height] in [PANEL, TALK] {
        commands.spawn(block(look::PANEL, width, height, at(left, top, 30.0)));
    }
    let keys = "Arrows or WASD: walk    1-3: talk    F5: save    F9: load    Esc: quit";
    commands.spawn(look::text(keys, SIZE, look::MUTED, Anchor::CENTER_LEFT, at(20.0, 694.0, 31.0)));
}

fn draw(
    drawn: Query<Entity, With<Drawn>>,
    (near, minds, notice): (Res<Near>, Res<Minds>, Res<Notice>),
    people: People,
    player: Query<(Entity, &MemoryId), With<Player>>,
    says: Query<(Entity, &Says, &Transform)>,
    mut commands: Commands,
) {
    drawn.iter().for_each(|entity| commands.entity(entity).despawn());
    let shown = near.0.or(player.single().ok().map(|(entity, _)| entity));
    if let Some((id, name, attributes)) = shown.and_then(|shown| people.get(shown).ok()) {
        let occupation = attributes.and_then(|attributes| Some(attributes.get("occupation")?.to_string()));
        draw_memory(&mut commands, &minds, id, name, occupation.as_deref());
    }
    let you = player.single().ok();
    let words = you.and_then(|(entity, _)| says.get(entity).ok()).map(|(_, says, _)| says.words.as_str());
    let other = near.0.and_then(|near| people.get(near).ok()).map(|(id, name, _)| (id, name.as_str()));
    draw_choices(&mut commands, &minds, you.map(|(_, id)| id), other, words);
    for (entity, says, place) in &says {
        if you.is_none_or(|(you, _)| entity != you) {
            draw_bubble(&mut commands, &says.words, place.translation);
        }
    }
    let notice_columns = columns(600.0, SIZE);
    let notice = clip(wrap(&notice.0, notice_columns), 1).join("");
    let place = at(look::WIDTH - 20.0, 694.0, 31.0);
    commands.spawn((look::text(notice, SIZE, look::ACCENT, Anchor::CENTER_RIGHT, place), Drawn));
}

/// Draws the memory of a character, with a card for each fact.
fn draw_memory(commands: &mut Commands, minds: &Minds, id: &MemoryId, name: &str, occupation: Option<&str>) {
    let [left, top, width, height] = PANEL;
    let (x, width) = (left + PADDING, width - 2.0 * PADDING);
    let is_you = name == "You";
    let title = if is_you { "Your memory".to_owned() } else { format!("{name}'s memory") };
    commands.spawn((look::text(title, 22.0, look::ACCENT, Anchor::TOP_LEFT, at(x, top + 14.0, 31.0)), Drawn));
    let rows = minds.of(id);
    let count = match rows.len() {
        0 => "nothing".to_owned(),
        1 => "one thing".to_owned(),
        more => format!("{more} things"),
    };
    let under = occupation.map_or_else(String::new, |occupation| format!("{occupation}; "));
    let under = format!("{under}knows {count} of the bell");
    commands.spawn((look::text(under, SIZE, look::MUTED, Anchor::TOP_LEFT, at(x, top + 44.0, 31.0)), Drawn));
    let mut y = top + 76.0;
    let bottom = top + height - PADDING;
    if rows.is_empty() {
        let empty = match is_you {
            true => "You have heard nothing of the bell yet. Walk up to somebody, and press 1 to ask.",
            false => "This character has heard nothing of the bell. Press 2 to tell a rumour, or 3 to tell a lie.",
        };
        let lines = wrap(empty, columns(width, SIZE)).join("\n");
        commands.spawn((look::text(lines, SIZE, look::TEXT, Anchor::TOP_LEFT, at(x, y, 31.0)), Drawn));
    }
    for (index, row) in rows.iter().enumerate() {
        let card = Card::of(row, minds.is_fresh(id, row), width);
        // Reserve the last line for the number of facts that do not fit.
        let room = if index + 1 == rows.len() { 0.0 } else { line_height(SIZE) };
        if y + card.height + room > bottom {
            let more = format!("and {} more", rows.len() - index);
            commands.spawn((look::text(more, SIZE, look::MUTED, Anchor::TOP_LEFT, at(x, y, 31.0)), Drawn));
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
    fresh: bool,
    height: f32,
}

impl Card {
    const INSET: f32 = 14.0;
    const SMALL: f32 = 13.0;

    fn of(row: &KnowsRow, fresh: bool, width: f32) -> Self {
        let inner = width - 2.0 * Self::INSET;
        let statement = clip(wrap(&row.statement, columns(inner, SIZE)), 4);
        let mut acquisition = row.acquisition.clone();
        if row.conceals {
            acquisition += "; keeps it secret";
        }
        let acquisition = clip(wrap(&acquisition, columns(inner, Self::SMALL)), 2);
        let text = statement.len() as f32 * line_height(SIZE) + acquisition.len() as f32 * line_height(Self::SMALL);
        let height = text + line_height(Self::SMALL) + 2.0 * 10.0 + 6.0;
        Self { statement, acquisition, credence: row.credence as f32, fresh, height }
    }

    fn draw(&self, commands: &mut Commands, x: f32, y: f32, width: f32) {
        commands.spawn((block(look::CARD, width, self.height, at(x, y, 31.0)), Drawn));
        if self.fresh {
            commands.spawn((block(look::ACCENT, 4.0, self.height, at(x, y, 32.0)), Drawn));
        }
        let x = x + Self::INSET;
        let mut y = y + 10.0;
        let mut write = |lines: &[String], size: f32, color: Color| {
            let text = look::text(lines.join("\n"), size, color, Anchor::TOP_LEFT, at(x, y, 32.0));
            commands.spawn((text, Drawn));
            y += lines.len() as f32 * line_height(size) + 3.0;
        };
        write(&self.statement, SIZE, look::TEXT);
        write(&self.acquisition, Self::SMALL, look::MUTED);
        let (word, color) = sureness(self.credence);
        let fresh = if self.fresh { "  (new)" } else { "" };
        let sure = format!("{:>3.0} %  {word}{fresh}", self.credence * 100.0);
        let middle = y + line_height(Self::SMALL) / 2.0;
        let place = at(x + 132.0, middle, 32.0);
        commands.spawn((look::text(sure, Self::SMALL, color, Anchor::CENTER_LEFT, place), Drawn));
        commands.spawn((block(look::BACKGROUND, 120.0, 8.0, at(x, middle - 4.0, 32.0)), Drawn));
        commands.spawn((block(color, 120.0 * self.credence, 8.0, at(x, middle - 4.0, 33.0)), Drawn));
    }
}

/// Returns a word and a colour for a credence.
fn sureness(credence: f32) -> (&'static str, Color) {
    match credence {
        0.9.. => ("certain", look::SURE),
        0.65.. => ("believes it", look::SURE),
        0.4.. => ("in two minds", look::UNSURE),
        0.05.. => ("doubts it", look::DOUBTFUL),
        _ => ("knows better", look::DOUBTFUL),
    }
}

/// Draws the player's choices.
fn draw_choices(
    commands: &mut Commands,
    minds: &Minds,
    you: Option<&MemoryId>,
    other: Option<(&MemoryId, &str)>,
    words: Option<&str>,
) {
    let [left, top, width, _] = TALK;
    let (x, mut y) = (left + PADDING, top + 12.0);
    let columns = columns(width - 2.0 * PADDING, SIZE);
    let mut write = |text: &str, most: usize, color: Color| {
        let lines = clip(wrap(text, columns), most);
        commands.spawn((look::text(lines.join("\n"), SIZE, color, Anchor::TOP_LEFT, at(x, y, 31.0)), Drawn));
        y += lines.len() as f32 * line_height(SIZE);
    };
    let (Some(you), Some((id, name))) = (you, other) else {
        write("Nobody is near.", 1, look::ACCENT);
        write("Walk up to Mara, Odo or Pell. The panel on the right shows what they know of the bell.", 2, look::TEXT);
        return;
    };
    let choices = Choices::of(minds, you, id);
    write(&format!("You stand before {name}."), 1, look::ACCENT);
    write("[1] Ask: What do you know of the chapel bell?", 1, look::TEXT);
    match choices.news {
        Some(news) => write(&format!("[2] Tell: {}", news.statement), 2, look::TEXT),
        None => write(&format!("[2] Tell: you have heard nothing that {name} does not know"), 2, look::MUTED),
    }
    match choices.lie {
        Some(lie) => write(&format!("[3] Lie: {lie}"), 1, look::TEXT),
        None => write(&format!("[3] Lie: {name} has heard it already"), 1, look::MUTED),
    }
    if let Some(words) = words {
        write(&format!("You: {words}"), 2, look::UNSURE);
    }
}

/// Draws a speech bubble above a character.
fn draw_bubble(commands: &mut Commands, words: &str, person: Vec3) {
    let lines = wrap(words, 34);
    let longest = lines.iter().map(String::len).max().unwrap_or(0) as f32;
    let (width, height) = (longest * SIZE * 0.6 + 24.0, lines.len() as f32 * line_height(SIZE) + 16.0);
    let (x, y) = (person.x + look::WIDTH / 2.0, look::HEIGHT / 2.0 - person.y);
    let x = (x - width / 2.0).clamp(40.0, 800.0 - width);
    let y = (y - 46.0 - height).max(8.0);
    commands.spawn((block(look::TEXT, width, height, at(x, y, 20.0)), Drawn));
    let place = at(x + 12.0, y + 8.0, 21.0);
    commands.spawn((look::text(lines.join("\n"), SIZE, look::BACKGROUND, Anchor::TOP_LEFT, place), Drawn));
}
