//! Tests of conversations: words to a character, and its reply.

use std::{
    ops::ControlFlow,
    sync::{Arc, Mutex},
    time::Duration,
};

use bevy_hearsay::{
    AskedOf, NpcSpeech,
    character_speech::{
        ChatPrompt, EndReason, GenerationLimits, GenerationStats, LanguageModel, ReplyWriter, ScriptedModel, Speech,
        SpeechError, SpeechStatus,
    },
    engine::SpeechSettings,
};

use super::*;

/// What the observers of the game saw.
#[derive(Resource, Default)]
struct Seen {
    words: String,
    replies: Vec<(String, ReplyWriter, bool)>,
    bubbles: usize,
    errors: Vec<String>,
}

fn limits() -> GenerationLimits {
    GenerationLimits::from_settings(&SpeechSettings::default())
}

/// Returns the tavern with a player, and the entities of Rook and the player.
fn tavern(speech: Option<Speech>) -> (SteppingApp, Entity, Entity) {
    let mut app = SteppingApp::new(HearsayPlugins::unsaved(campaign("tiny-tavern")));
    if let Some(speech) = speech {
        app.insert_resource(NpcSpeech::new(speech));
    }
    app.init_resource::<Seen>().add_observer(
        |chunk: On<ReplyChunk>, turns: Query<&ConversationTurn>, mut seen: ResMut<Seen>| match turns.get(chunk.entity) {
            Ok(_) => seen.words.push_str(&chunk.words),
            Err(_) => seen.bubbles += 1,
        },
    );
    app.add_observer(|spoken: On<ReplySpoken>, turns: Query<&ConversationTurn>, mut seen: ResMut<Seen>| {
        if turns.get(spoken.entity).is_ok() {
            let reply = &spoken.reply;
            seen.replies.push((reply.text().to_owned(), reply.writer, reply.is_interrupted));
        }
    });
    app.add_observer(|failed: On<Unanswered>, mut seen: ResMut<Seen>| seen.errors.push(failed.error.to_string()));
    app.settle();
    let player = (MemoryId::new("hero"), Name::new("Hero"), EntityKind::player(), PlaceId::new("the-last-crumb"));
    let player = app.world_mut().spawn(player).id();
    app.settle();
    let rook = entity(&mut app, "rook").unwrap();
    (app, rook, player)
}

fn say(app: &mut SteppingApp, character: Entity, player: Entity, words: &str) -> Entity {
    app.world_mut().commands().entity(character).converse_with(player).say(words).id()
}

/// Returns the spoken lines in the memory.
fn recorded_lines(app: &SteppingApp) -> Vec<String> {
    read(app, |world| {
        let lines = world.state.passages().filter(|(_, passage)| passage.speaker.is_some());
        lines.map(|(_, passage)| passage.text.to_string()).collect()
    })
}

#[test]
fn a_character_answers_and_both_lines_are_recorded() {
    let speech =
        Speech::start(|| Ok(ScriptedModel::new(["I wash the pots. Tilda Bun keeps me busy."])), limits(), None);
    let (mut app, rook, player) = tavern(Some(speech.unwrap()));
    let turn = say(&mut app, rook, player, "What do you do all day?");
    app.step();
    assert_eq!(app.world().get::<AskedOf>(turn), Some(&AskedOf(rook)));
    app.settle();
    let seen = app.world().resource::<Seen>();
    assert_eq!(seen.errors, Vec::<String>::new());
    assert_eq!(seen.replies, [("I wash the pots. Tilda Bun keeps me busy.".to_owned(), ReplyWriter::Model, false)]);
    assert_eq!(seen.words, seen.replies[0].0);
    // Every chunk also came to the character.
    assert!(seen.bubbles > 0);
    assert!(app.world().get_entity(turn).is_err(), "the entity of the turn is despawned");
    let lines = recorded_lines(&app);
    for line in ["What do you do all day?", "I wash the pots. Tilda Bun keeps me busy."] {
        assert!(lines.iter().any(|recorded| recorded == line), "{lines:?}");
    }
    let status = app.world().resource::<NpcSpeech>().status();
    assert!(matches!(status, Some(SpeechStatus::Ready { name }) if name == "scripted"));
}

#[test]
fn templates_answer_without_a_language_model() {
    let (mut app, rook, player) = tavern(None);
    say(&mut app, rook, player, "Who bakes for the Bread Guild?");
    app.settle();
    let seen = app.world().resource::<Seen>();
    assert_eq!((seen.replies.len(), &seen.errors), (1, &Vec::new()));
    assert_eq!(seen.replies[0].1, ReplyWriter::Template);
    assert!(matches!(app.world().resource::<NpcSpeech>().status(), Some(SpeechStatus::NoModel)));
}

/// A model that writes the same sentence again and again until it is stopped.
struct Endless;

impl LanguageModel for Endless {
    fn name(&self) -> &str {
        "endless"
    }

    fn generate(
        &mut self,
        _: &ChatPrompt,
        _: &GenerationLimits,
        emit: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<GenerationStats, SpeechError> {
        while emit("I wash the pots. ").is_continue() {
            std::thread::sleep(Duration::from_millis(2));
        }
        let zero = Duration::ZERO;
        let end = EndReason::Stopped;
        Ok(GenerationStats {
            prompt_tokens: 1,
            cached_tokens: 0,
            generated_tokens: 1,
            first_token: zero,
            total: zero,
            end,
        })
    }
}

/// A model that always gives the same reply, and records the texts of the messages in each prompt.
struct Recorder(Arc<Mutex<Vec<Vec<String>>>>);

impl LanguageModel for Recorder {
    fn name(&self) -> &str {
        "recorder"
    }

    fn generate(
        &mut self,
        prompt: &ChatPrompt,
        limits: &GenerationLimits,
        emit: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<GenerationStats, SpeechError> {
        let texts = prompt.messages.iter().map(|message| message.text.clone());
        self.0.lock().unwrap().push(texts.collect());
        ScriptedModel::new(["I wash the pots."]).generate(prompt, limits, emit)
    }
}

/// Steps the app until the first words came.
fn wait_for_words(app: &mut SteppingApp) {
    for _ in 0..10_000 {
        app.step();
        if !app.world().resource::<Seen>().words.is_empty() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("no words came");
}

#[test]
fn new_words_interrupt_the_reply() {
    let (mut app, rook, player) = tavern(Some(Speech::start(|| Ok(Endless), limits(), None).unwrap()));
    let first = say(&mut app, rook, player, "What do you do all day?");
    wait_for_words(&mut app);
    let second = say(&mut app, rook, player, "Stop. Who are you?");
    app.step();
    app.step();
    let seen = app.world().resource::<Seen>();
    assert_eq!(seen.replies.len(), 1);
    assert!(seen.replies[0].2 && seen.replies[0].0.starts_with("I wash the pots."), "{:?}", seen.replies);
    assert!(app.world().get_entity(first).is_err());
    // The second reply is interrupted by hand, before or after its first words.
    app.world_mut().commands().entity(second).interrupt();
    app.settle();
    let seen = app.world().resource::<Seen>();
    assert_eq!(seen.replies.len() + seen.errors.len(), 2, "{:?} {:?}", seen.replies, seen.errors);
    assert!(app.world().get_entity(second).is_err());
}

#[test]
fn a_despawned_turn_is_cancelled_and_nothing_is_recorded() {
    let (mut app, rook, player) = tavern(Some(Speech::start(|| Ok(Endless), limits(), None).unwrap()));
    let before = recorded_lines(&app);
    let turn = say(&mut app, rook, player, "What do you do all day?");
    wait_for_words(&mut app);
    app.world_mut().commands().entity(turn).despawn();
    app.settle();
    assert!(app.world().resource::<Seen>().replies.is_empty());
    assert_eq!(recorded_lines(&app), before);
}

#[test]
fn a_conversation_with_a_stranger_fails_with_a_reason() {
    let (mut app, _, player) = tavern(None);
    let stranger = app.world_mut().spawn_empty().id();
    say(&mut app, stranger, player, "Who are you?");
    app.settle();
    let seen = app.world().resource::<Seen>();
    assert_eq!(seen.errors.len(), 1);
    assert!(seen.errors[0].contains("MemoryId"), "{:?}", seen.errors);
}

#[test]
fn a_prompt_contains_the_earlier_lines_until_a_slot_is_loaded() {
    let prompts = Arc::new(Mutex::new(Vec::new()));
    let recorder = Recorder(Arc::clone(&prompts));
    let (mut app, rook, player) = tavern(Some(Speech::start(move || Ok(recorder), limits(), None).unwrap()));
    let other = (MemoryId::new("guest"), Name::new("Guest"), EntityKind::player(), PlaceId::new("the-last-crumb"));
    let other = app.world_mut().spawn(other).id();
    app.world_mut().commands().save_slot("before");
    app.settle();
    let last_prompt = |app: &mut SteppingApp, listener: Entity, words: &str| {
        say(app, rook, listener, words);
        app.settle();
        assert_eq!(app.world().resource::<Seen>().errors, Vec::<String>::new());
        prompts.lock().unwrap().last().unwrap().clone()
    };
    let first = last_prompt(&mut app, player, "What do you do all day?");
    assert!(first.len() == 1 && first[0].contains("What do you do all day?"), "{first:?}");
    let second = last_prompt(&mut app, player, "Do you like it?");
    assert_eq!(second[..2], ["What do you do all day?", "I wash the pots."]);
    assert!(second.len() == 3 && second[2].contains("Do you like it?"), "{second:?}");
    // Another listener has another conversation.
    assert_eq!(last_prompt(&mut app, other, "Who are you?").len(), 1);
    app.world_mut().commands().load_slot("before");
    app.settle();
    assert_eq!(last_prompt(&mut app, player, "Do you like it?").len(), 1);
}
