//! The player's conversations: asking, telling and lying. Also saves and loads the game.

use bevy::prelude::*;
use bevy_hearsay::{SlotLoaded, SlotSaved, prelude::*};

use crate::{
    conversation::not_typing,
    knowledge::{CharacterKnowledge, TOPIC},
    room::{NearestCharacter, Person, Player},
};

/// The lie that the player can tell.
const LIE: &str = "The miller hid the chapel bell in his barn.";

/// Time for which spoken words are shown, in seconds.
const SPEECH_SECONDS: f32 = 9.0;

/// The words that a character is saying.
#[derive(Component)]
pub(crate) struct Speech {
    pub(crate) words: String,
    remaining_seconds: f32,
}

impl Speech {
    /// Shows that a character thinks about its reply.
    pub(crate) fn waiting() -> Self {
        Self { words: WAITING.to_owned(), remaining_seconds: f32::INFINITY }
    }

    /// Adds words of a reply.
    pub(crate) fn add(&mut self, words: &str) {
        if self.words == WAITING {
            self.words.clear();
        }
        self.words.push_str(words);
    }
}

/// Words of a character that thinks about its reply.
const WAITING: &str = "...";

/// A notice to the player.
#[derive(Resource, Default)]
pub(crate) struct Notice(pub(crate) String);

/// Facts that the player can tell the nearest character.
pub(crate) struct Choices {
    /// The rumour to pass on. The player has heard this rumour but has not told it to the character, and the character
    /// does not know it.
    pub(crate) rumour: Option<KnowsRow>,
    /// The lie, if the character has not heard it yet.
    pub(crate) lie: Option<&'static str>,
}

impl Choices {
    pub(crate) fn new(knowledge: &CharacterKnowledge, player: &MemoryId, other: &MemoryId) -> Self {
        let their_facts = knowledge.known_facts(other);
        let is_new = |statement: &str| their_facts.iter().all(|row| row.statement != statement);
        let is_rumour = |row: &&KnowsRow| row.credence > 0.05 && is_new(&row.statement);
        Self { rumour: knowledge.known_facts(player).iter().find(is_rumour).cloned(), lie: is_new(LIE).then_some(LIE) }
    }
}

pub(crate) fn plugin(app: &mut App) {
    let conversation_ended = resource_changed::<NearestCharacter>.or_else(on_message::<SlotLoaded>);
    app.init_resource::<Notice>().add_observer(answer).add_systems(
        Update,
        (
            (
                hide_speech.run_if(conversation_ended),
                handle_talk_keys.run_if(memory_ready.and_then(not_typing)),
                expire_speech,
            )
                .chain(),
            (handle_save_keys.run_if(not_typing), show_save_notice, show_errors, show_phase),
        ),
    );
}

/// Shows the words of a character for some seconds.
pub(crate) fn show_speech(commands: &mut Commands, character: Entity, words: impl Into<String>) {
    commands.entity(character).insert(Speech { words: words.into(), remaining_seconds: SPEECH_SECONDS });
}

fn handle_talk_keys(
    keys: Res<ButtonInput<KeyCode>>,
    nearest: Res<NearestCharacter>,
    knowledge: Res<CharacterKnowledge>,
    player: Query<(Entity, &MemoryId), With<Player>>,
    ids: Query<&MemoryId>,
    mut commands: Commands,
) {
    let (Some(other), Ok((player, id))) = (nearest.0, player.single()) else { return };
    let Ok(choices) = ids.get(other).map(|other| Choices::new(&knowledge, id, other)) else { return };
    if keys.just_pressed(KeyCode::Digit1) {
        show_speech(&mut commands, player, "What do you know of the chapel bell?");
        commands.entity(other).ask(Question::new("What happened to the chapel bell?").superseding());
    }
    if let Some(rumour) = choices.rumour.filter(|_| keys.just_pressed(KeyCode::Digit2)) {
        show_speech(&mut commands, player, format!("Have you heard? {}", rumour.statement));
        commands.entity(player).tell(other, Statement::fact(rumour.fact));
    }
    if let Some(lie) = choices.lie.filter(|_| keys.just_pressed(KeyCode::Digit3)) {
        show_speech(&mut commands, player, lie);
        let action = GameAction::Tell { statement: Statement::lore(TOPIC, lie), lie: true };
        commands.trigger(GameEvent { to: Some(vec![other.into()]), ..GameEvent::new(player, action) });
    }
}

/// Answers the player's question with one fact. This is the most relevant fact that the character may tell the player
/// and that the player has not heard yet. The character tells this fact, so the player knows it from now on.
fn answer(
    answered: On<Answered>,
    replies: Query<(&Reply<Answer>, &bevy_hearsay::AskedOf)>,
    player: Single<(Entity, &MemoryId), With<Player>>,
    knowledge: Res<CharacterKnowledge>,
    mut commands: Commands,
) {
    let (player, id) = *player;
    let (Ok((Reply(answer), asked_of)), Some(listener)) = (replies.get(answered.entity), id.get()) else { return };
    let lines = answer.context.section_lines(SectionKind::Knowledge).iter();
    let facts = lines.filter_map(|line| match line.citation.source {
        Source::Fact(fact) if line.secrecy.allows(listener) => Some((fact, line)),
        _ => None,
    });
    let mut unheard_facts = facts.filter(|(fact, _)| knowledge.known_facts(id).iter().all(|row| row.fact != *fact));
    match unheard_facts.next() {
        None => show_speech(&mut commands, asked_of.0, "That is all I can tell you."),
        Some((fact, line)) => {
            let is_certain = line.credence.is_none_or(|credence| credence.get() > 0.8);
            show_speech(
                &mut commands,
                asked_of.0,
                if is_certain { line.text.clone() } else { format!("They say: {}", line.text) },
            );
            commands.entity(asked_of.0).tell(player, Statement::fact(fact));
        }
    }
}

/// Hides all spoken words when the nearest character changes or a slot is loaded.
fn hide_speech(speakers: Query<Entity, With<Speech>>, mut commands: Commands) {
    for entity in &speakers {
        commands.entity(entity).remove::<Speech>();
    }
}

fn expire_speech(mut speakers: Query<(Entity, &mut Speech), With<Person>>, time: Res<Time>, mut commands: Commands) {
    for (entity, mut speech) in &mut speakers {
        speech.bypass_change_detection().remaining_seconds -= time.delta_secs();
        if speech.remaining_seconds <= 0.0 {
            commands.entity(entity).remove::<Speech>();
        }
    }
}

fn handle_save_keys(keys: Res<ButtonInput<KeyCode>>, mut commands: Commands, mut exit: MessageWriter<AppExit>) {
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

fn show_save_notice(
    mut saved: MessageReader<SlotSaved>,
    mut loaded: MessageReader<SlotLoaded>,
    mut notice: ResMut<Notice>,
) {
    if saved.read().count() > 0 {
        notice.0 = "Saved. F9 returns to this point.".to_owned();
    }
    if loaded.read().count() > 0 {
        notice.0 = "Loaded: everyone forgot all later events.".to_owned();
    }
}

fn show_errors(mut errors: MessageReader<MemoryErrorMessage>, mut notice: ResMut<Notice>) {
    for error in errors.read() {
        let text = error.error.to_string();
        notice.0 = match text.contains("no slot") {
            true => "Nothing is saved yet. Press F5 to save.".to_owned(),
            false => text,
        };
    }
}

fn show_phase(phase: Res<State<MemoryPhase>>, failure: Option<Res<MemoryFailure>>, mut notice: ResMut<Notice>) {
    if phase.is_changed() {
        notice.0 = match failure {
            Some(failure) => format!("The memory could not be opened: {}", failure.0),
            None if *phase.get() == MemoryPhase::Opening => "Opening the memory...".to_owned(),
            None => String::new(),
        };
    }
}
