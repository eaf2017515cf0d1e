//! A language model turns the facts that a character knows into a line of speech. The example asks an NPC a question
//! and sends the scene context of the NPC to a server with OpenAI's protocol (Ollama, LM Studio, llama.cpp, …). It
//! prints the words as they arrive, and records the line for everyone who heard it. Facts that the NPC does not know
//! are never sent.
//!
//! ```sh
//! cargo run -p hearsay_examples --example bring_your_own_llm
//! OPENAI_BASE_URL=http://localhost:11434/v1 OPENAI_MODEL=llama3.2 cargo run -p hearsay_examples --example bring_your_own_llm
//! ```
//!
//! Without `OPENAI_BASE_URL`, the example uses no network: a template produces the line from the facts of the context.
//! The template is also used if the server fails. `OPENAI_API_KEY` is sent if it is set, and is never printed.
//! `OPENAI_TIMEOUT` is the maximum time for a line in seconds (default 60). `--ask "…"` asks a different question.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod llm;

use std::io::Write;

use bevy::prelude::*;
use bevy_hearsay::prelude::*;
use crossbeam_channel::{Receiver, TryRecvError};
use hearsay_examples::{campaign, option};
use llm::{AnswerPiece, Endpoint};

/// Marks the character who answers the question.
#[derive(Component)]
struct Innkeeper;

/// Marks the character who listens.
#[derive(Component)]
struct Listener;

/// A line that the model is speaking.
#[derive(Component)]
struct StreamingLine {
    pieces: Receiver<AnswerPiece>,
    text: String,
    /// The line to say if the model fails.
    fallback_line: String,
}

/// A complete line, from the model or the template.
#[derive(Event)]
struct LineSpoken(String);

#[derive(Resource)]
struct LanguageModel(Option<Endpoint>);

fn main() -> AppExit {
    App::new()
        .add_plugins((
            MinimalPlugins,
            HearsayPlugins::unsaved(campaign("tiny-tavern")).spawn_policy(SpawnPolicy::Nothing),
        ))
        .insert_resource(LanguageModel(Endpoint::from_env()))
        .add_systems(Startup, setup)
        .add_systems(Update, (receive_words, report_errors))
        .add_observer(record_line)
        .run()
}

fn setup(mut commands: Commands) {
    // The campaign already contains both characters. Their ids bind these entities to the characters.
    commands.spawn((Listener, MemoryId::new("gaffer-moss"), EntityKind::npc()));
    let question = option("--ask").unwrap_or_else(|| "Where is the silver spoon?".to_owned());
    println!("You ask Tilda: {question}\n");
    let mut tilda = commands.spawn((Innkeeper, MemoryId::new("tilda-bun"), EntityKind::npc()));
    tilda.move_to("the-last-crumb").ask(question).observe(request_line);
}

/// Sends the language model a prompt with the facts that Tilda may say.
fn request_line(
    answered: On<Answered>,
    replies: Query<&Reply<Answer>>,
    innkeeper: Single<Entity, With<Innkeeper>>,
    model: Res<LanguageModel>,
    mut commands: Commands,
) -> Result {
    let context = &replies.get(answered.entity)?.0.context;
    let fallback_line = template(context);
    match &model.0 {
        None => {
            println!("Tilda, by template: {fallback_line}");
            commands.trigger(LineSpoken(fallback_line));
        }
        Some(endpoint) => {
            print!("Tilda, by {}: ", endpoint.model);
            let pieces = endpoint.request_answer(context.render(Form::Prompt, false));
            commands.entity(*innkeeper).insert(StreamingLine { pieces, text: String::new(), fallback_line });
        }
    }
    Ok(())
}

/// Makes a line without a model, from the fact that is most relevant to the question. Skips facts that the speaker
/// conceals.
fn template(context: &SceneContext) -> String {
    let mut knowledge = context.section_lines(SectionKind::Knowledge).iter();
    match knowledge.find(|line| line.secrecy == LineSecrecy::Open) {
        Some(line) => format!("All I can tell you is this. {}", line.text),
        None => "I know nothing of that.".to_owned(),
    }
}

/// Takes the words that have arrived since the last frame. The network has its own thread, so this system never blocks.
fn receive_words(mut speaking: Query<(Entity, &mut StreamingLine)>, mut commands: Commands) {
    for (entity, mut line) in &mut speaking {
        let outcome = loop {
            match line.pieces.try_recv() {
                Ok(AnswerPiece::Words(words)) => {
                    print!("{words}");
                    line.text += &words;
                }
                Ok(AnswerPiece::End) if line.text.trim().is_empty() => {
                    break Some(Err("the answer is empty".to_owned()));
                }
                Ok(AnswerPiece::End) => break Some(Ok(())),
                Ok(AnswerPiece::Failed(reason)) => break Some(Err(reason)),
                Err(TryRecvError::Empty) => break None,
                Err(TryRecvError::Disconnected) => break Some(Err("the thread ended without an answer".to_owned())),
            }
        };
        // An error is ignored: the game continues if the terminal is closed.
        let _ = std::io::stdout().flush();
        let spoken = match outcome {
            None => continue,
            Some(Ok(())) => line.text.trim().to_owned(),
            Some(Err(reason)) => {
                // Discard an incomplete line, because the model may have stopped before a word such as `not`.
                eprintln!("The language model failed: {reason}");
                println!("\nTilda, by template: {}", line.fallback_line);
                line.fallback_line.clone()
            }
        };
        commands.entity(entity).remove::<StreamingLine>();
        commands.trigger(LineSpoken(spoken));
    }
}

/// Says the line in the game, so that everyone present remembers it. The command `say` states no facts. If a game knows
/// which facts a line states, it uses `say_that` to record these facts too.
fn record_line(
    line_spoken: On<LineSpoken>,
    innkeeper: Single<Entity, With<Innkeeper>>,
    listener: Single<Entity, With<Listener>>,
    mut commands: Commands,
) {
    commands.entity(*innkeeper).say(line_spoken.0.as_str());
    let line = line_spoken.0.clone();
    let print = move |answered: On<Answered>, replies: Query<&Reply<Answer>>, mut exit: MessageWriter<AppExit>| {
        let context = replies.get(answered.entity).map(|reply| &reply.0.context);
        let mut lines = context.iter().flat_map(|context| context.lines());
        let beginning: String = line.chars().take(20).collect();
        match lines.find(|line| line.text.contains(&beginning)) {
            Some(line) => {
                println!("\nGaffer Moss remembers: {} ({})", line.text, line.citation.describe_acquisition());
            }
            None => println!("\nGaffer Moss was not listening."),
        }
        exit.write(AppExit::Success);
    };
    commands.entity(*listener).ask(format!("What did Tilda say? {}", line_spoken.0)).observe(print);
}

/// Prints errors and ends the example.
fn report_errors(mut errors: MessageReader<MemoryErrorMessage>, mut exit: MessageWriter<AppExit>) {
    for error in errors.read() {
        eprintln!("{}", error.error);
        exit.write(AppExit::error());
    }
}
