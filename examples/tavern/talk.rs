//! The player's conversations: asking, telling and lying. Also saves and loads the game.

use bevy::prelude::*;
use bevy_hearsay::{SlotLoaded, SlotSaved, prelude::*};
use hearsay_query::knowledge::KnowsRow;
use hearsay_recall::Source;

use crate::{
    minds::{Minds, TOPIC},
    room::{Near, Person, Player},
};

/// The lie that the player can tell.
const LIE: &str = "The miller hid the chapel bell in his barn.";

/// Time for which spoken words are shown, in seconds.
const BREATH: f32 = 7.0;

/// The words that a character is saying.
#[derive(Component)]
pub(crate) struct Says {
    pub(crate) words: String,
    left: f32,
}

/// A notice to the player.
#[derive(Resource, Default)]
pub(crate) struct Notice(pub(crate) String);

/// Facts that the player can tell the nearest character.
pub(crate) struct Choices {
    /// The rumour to pass on. The player has heard this rumour but has not told it to the character, and the character
    /// does not know it.
    pub(crate) news: Option<KnowsRow>,
    /// The lie, if the character has not heard it yet.
    pub(crate) lie: Option<&'static str>,
}

impl Choices {
    pub(crate) fn of(minds: &Minds, player: &MemoryId, other: &MemoryId) -> Self {
        let theirs = minds.of(other);
        let is_new = |statement: &str| theirs.iter().all(|row| row.statement != statement);
        let is_news = |row: &&KnowsRow| row.credence > 0.05 && is_new(&row.statement);
        Self { news: minds.of(player).iter().find(is_news).cloned(), lie: is_new(LIE).then_some(LIE) }
    }
}

pub(crate) fn plugin(app: &mut App) {
    let turned_away = resource_changed::<Near>.or_else(on_message::<SlotLoaded>);
    app.init_resource::<Notice>().add_observer(answer).add_systems(
        Update,
        (
            (hush.run_if(turned_away), talk.run_if(memory_ready), fade).chain(),
            (keep, note_saves, note_troubles, note_state),
        ),
    );
}

fn say(commands: &mut Commands, who: Entity, words: impl Into<String>) {
    commands.entity(who).insert(Says { words: words.into(), left: BREATH });
}

fn talk(
    keys: Res<ButtonInput<KeyCode>>,
    near: Res<Near>,
    minds: Res<Minds>,
    player: Query<(Entity, &MemoryId), With<Player>>,
    ids: Query<&MemoryId>,
    mut commands: Commands,
) {
    let (Some(other), Ok((player, id))) = (near.0, player.single()) else { return };
    let Ok(choices) = ids.get(other).map(|other| Choices::of(&minds, id, other)) else { return };
    if keys.just_pressed(KeyCode::Digit1) {
        say(&mut commands, player, "What do you know of the chapel bell?");
        commands.entity(other).ask(Question::new("What happened to the chapel bell?").superseding());
    }
    if let Some(news) = choices.news.filter(|_| keys.just_pressed(KeyCode::Digit2)) {
        say(&mut commands, player, format!("Have you heard? {}", news.statement));
        commands.entity(player).tell(other, Statement::fact(news.fact));
    }
    if let Some(lie) = choices.lie.filter(|_| keys.just_pressed(KeyCode::Digit3)) {
        say(&mut commands, player, lie);
        let action = GameAction::Tell { what: Statement::lore(TOPIC, lie), lie: true };
        commands.trigger(GameEvent { to: vec![other.into()], ..GameEvent::new(player, action) });
    }
}

/// Answers the player's question with one fact. It is the most relevant fact that the character does not conceal and
/// the player has not heard. The character tells this fact, so the player knows it from now on.
fn answer(
    answered: On<Answered>,
    replies: Query<(&Reply<Answer>, &bevy_hearsay::AskedOf)>,
    player: Single<(Entity, &MemoryId), With<Player>>,
    minds: Res<Minds>,
    mut commands: Commands,
) {
    let Ok((Reply(answer), asked)) = replies.get(answered.entity) else { return };
    let (player, id) = *player;
    let lines = answer.context.sections.iter().filter(|section| section.name == "knowledge");
    let facts = lines.flat_map(|section| &section.lines).filter_map(|line| match line.citation.source {
        Source::Fact(fact) if !line.citation.conceals => Some((fact, line)),
        _ => None,
    });
    let mut new = facts.filter(|(fact, _)| minds.of(id).iter().all(|row| row.fact != *fact));
    commands.entity(answered.entity).despawn();
    match new.next() {
        None => say(&mut commands, asked.0, "That is all I can tell you."),
        Some((fact, line)) => {
            let sure = line.citation.credence.is_none_or(|credence| credence.get() > 0.8);
            say(&mut commands, asked.0, if sure { line.text.clone() } else { format!("They say: {}", line.text) });
            commands.entity(asked.0).tell(player, Statement::fact(fact));
        }
    }
}

/// Hides all spoken words when the nearest character changes or a slot is loaded.
fn hush(speakers: Query<Entity, With<Says>>, mut commands: Commands) {
    for entity in &speakers {
        commands.entity(entity).remove::<Says>();
    }
}

fn fade(mut speakers: Query<(Entity, &mut Says), With<Person>>, time: Res<Time>, mut commands: Commands) {
    for (entity, mut says) in &mut speakers {
        says.bypass_change_detection().left -= time.delta_secs();
        if says.left <= 0.0 {
            commands.entity(entity).remove::<Says>();
        }
    }
}

fn keep(keys: Res<ButtonInput<KeyCode>>, mut commands: Commands, mut exit: MessageWriter<AppExit>) {
    if keys.just_pressed(KeyCode::Escape) {
        exit.write(AppExit::Success);
    }
    if keys.just_pressed(KeyCode::F5) {
        commands.quick_save();
    }
    if keys.just_pressed(KeyCode::F9) {
        commands.quick_load();
    }
}

fn note_saves(mut saved: MessageReader<SlotSaved>, mut loaded: MessageReader<SlotLoaded>, mut notice: ResMut<Notice>) {
    if saved.read().count() > 0 {
        notice.0 = "Saved. F9 returns to this point.".to_owned();
    }
    if loaded.read().count() > 0 {
        notice.0 = "Loaded: everyone forgot all later events.".to_owned();
    }
}

fn note_troubles(mut troubles: MessageReader<MemoryErrorMessage>, mut notice: ResMut<Notice>) {
    for trouble in troubles.read() {
        notice.0 = match trouble.what.contains("no slot") {
            true => "Nothing is saved yet. Press F5 to save.".to_owned(),
            false => trouble.what.clone(),
        };
    }
}

fn note_state(state: Res<MemoryState>, mut notice: ResMut<Notice>) {
    if state.is_changed() {
        notice.0 = match &*state {
            MemoryState::Loading => "Opening the memory...".to_owned(),
            MemoryState::Failed(why) => format!("The memory could not be opened: {why}"),
            _ => String::new(),
        };
    }
}
