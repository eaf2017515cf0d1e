//! `talk`: talks to a character.

use std::io::{self, Write};

use anyhow::Result;
use hearsay_belief::valid_death_fact;
use hearsay_commands::{
    game_event::{Circumstances, GameEvent, Hearers},
    reply::FindingKind,
};
use hearsay_engine::Memory;
use hearsay_model::{Author, EntityId};
use hearsay_query::{ask::Ask, resolve::Speaker};
use hearsay_speech::{CharacterReply, ConversationLine, ReplyRequest, ReplyWriter, Speech, SpeechError};
use serde_json::json;

use super::check_reply::print_finding;
use crate::{
    args,
    campaign::{self, Access},
    choice, ctrl_c, interrupt,
    names::Names,
    output::{CliError, FILE_ERROR, Output},
    style::Line,
    texts::{self, EncoderUse},
};

/// A talk with a character.
struct Talk<'a> {
    memory: &'a Memory,
    speech: &'a Speech,
    speaker: EntityId,
    listeners: Vec<EntityId>,
    place: Option<EntityId>,
    earlier: Vec<ConversationLine>,
}

pub(crate) fn talk(args: &args::Talk, output: &mut Output) -> Result<()> {
    let access = if args.record { Access::Write } else { Access::Read };
    let memory = campaign::open_for_speech(&args.campaign, access, output)?;
    let names = Names::read(&memory, output)?;
    let mut listeners = vec![names.character(&args.listener)?];
    listeners.extend(names.characters(&args.with)?);
    let (speaker, place) = (names.character(&args.character)?, names.optional_place(args.at.as_ref())?);
    let (speaker_name, listener_name) =
        (names.state().name_or_id(&speaker).to_owned(), names.state().name_or_id(&listeners[0]).to_owned());
    if let Some(death) = valid_death_fact(names.state(), &speaker, names.state().clock()) {
        output.note(format!(
            "warning: {speaker_name} is dead (fact {}: \"{}\"). The replies use what {speaker_name} knew, because a ghost \
             can speak.",
            death.id().short(),
            death.statement()
        ));
    }
    drop(names);
    let mut settings = memory.settings().speech.clone();
    if let Some(model) = &args.model {
        settings.model = Some(model.clone());
        settings.server = None;
    }
    let speech = Speech::from_settings(&settings, None)?;
    texts::embed_if_few(&memory, EncoderUse::Enabled, output)?;
    wait_for_model(&speech, output)?;
    let mut talk = Talk { memory: &memory, speech: &speech, speaker, listeners, place, earlier: Vec::new() };
    match &args.text {
        Some(text) => talk.answer(text, &speaker_name, args, output)?,
        None => {
            if output.is_json() {
                output.use_json_lines();
            }
            let is_terminal = choice::is_terminal();
            loop {
                if is_terminal {
                    write!(io::stderr(), "{listener_name}: ")?;
                    io::stderr().flush()?;
                }
                let line = ctrl_c::read_answer(&mut io::stdin().lock())?;
                let Some(line) = line.filter(|line| !line.trim().is_empty()) else { break };
                talk.answer(line.trim(), &speaker_name, args, output)?;
            }
        }
    }
    drop(speech);
    Ok(memory.close()?)
}

/// Waits until the language model is loaded.
fn wait_for_model(speech: &Speech, output: &Output) -> Result<()> {
    let spinner = output.spinner("loading the language model");
    let loaded = speech.wait_until_loaded(interrupt::check);
    spinner.finish_and_clear();
    match loaded {
        Err(error) if error.is::<SpeechError>() => Err(CliError::new(FILE_ERROR, error.to_string()).into()),
        loaded => loaded.map(drop),
    }
}

impl Talk<'_> {
    /// Shows the reply to what the listener says, and records both if wanted.
    fn answer(&mut self, text: &str, speaker_name: &str, args: &args::Talk, output: &mut Output) -> Result<()> {
        let reply = self.reply(text, output)?;
        output.data(&json!({
            "speaker": self.speaker,
            "question": text,
            "reply": reply.text(),
            "writer": reply.writer,
            "findings": reply.check.findings,
            "rejected": reply.rejected,
            "stats": reply.stats,
            "time_ms": reply.time.as_millis() as u64,
            "model_error": reply.model_error.as_ref().map(ToString::to_string),
        }))?;
        output.line(format!("{speaker_name}: \u{201C}{}\u{201D}", reply.text()))?;
        if let Some(error) = &reply.model_error {
            output.note(error.to_string());
        }
        if args.verbose {
            print_details(&reply, &Names::read(self.memory, output)?, output)?;
        }
        if args.record {
            self.record(text, &reply)?;
        }
        self.earlier.push(ConversationLine { is_own: false, text: text.to_owned() });
        self.earlier.push(ConversationLine { is_own: true, text: reply.text().to_owned() });
        Ok(())
    }

    fn reply(&self, text: &str, output: &Output) -> Result<CharacterReply> {
        let spinner = output.spinner("writing");
        let ask = Ask {
            place: self.place.clone(),
            present: self.listeners.clone(),
            budget: Some(self.memory.settings().speech.prompt_tokens),
            ..Ask::new(self.speaker.clone(), text)
        };
        let request = ReplyRequest { listeners: self.listeners.clone(), earlier: self.earlier.clone(), for_dm: true };
        let pending = self.speech.reply(self.memory.ask(ask)?, request);
        let reply = pending.wait(self.memory, |_| !interrupt::is_requested());
        spinner.finish_and_clear();
        interrupt::check()?;
        Ok(reply?)
    }

    /// Records the words of the listener and the reply.
    fn record(&self, text: &str, reply: &CharacterReply) -> Result<()> {
        let circumstances = Circumstances { place: self.place.clone(), ..Circumstances::default() };
        let (asker, others) = self.listeners.split_at(1);
        let hearers = others.iter().chain([&self.speaker]).cloned().collect();
        let asked = GameEvent::Say {
            speaker: Speaker::from(asker[0].clone()),
            text: text.to_owned(),
            states: Vec::new(),
            hearers: Hearers::Listed(hearers),
            lie: false,
            circumstances: circumstances.clone(),
        };
        self.memory.learn(Author::Dm, asked)?.wait()?;
        self.memory.learn(Author::Dm, reply.event(circumstances))?.wait()?;
        Ok(())
    }
}

/// Prints who wrote a reply, the facts that it states, and the drafts that were not said.
fn print_details(reply: &CharacterReply, names: &Names, output: &mut Output) -> Result<()> {
    let writer = match reply.writer {
        ReplyWriter::Model => "the language model",
        ReplyWriter::Repair => "the language model, second draft",
        ReplyWriter::Template => "a template",
    };
    let speed = reply.stats.map(|stats| {
        let writing = (stats.total - stats.first_token).as_secs_f64();
        let speed = (stats.generated_tokens.saturating_sub(1)) as f64 / writing.max(1e-3);
        format!(
            ", prompt of {} tokens ({} known), first token after {} ms, {speed:.0} tokens/s",
            stats.prompt_tokens,
            stats.cached_tokens,
            stats.first_token.as_millis()
        )
    });
    output.line(Line::default().id(format!("    written by {writer}{}", speed.unwrap_or_default())))?;
    let stated = [FindingKind::Supported, FindingKind::KnownToListeners, FindingKind::RepeatsLie];
    for finding in reply.check.findings.iter().filter(|finding| stated.contains(&finding.kind)) {
        print_finding(finding, names, output)?;
    }
    for rejected in &reply.rejected {
        output.line(format!("  not said: \u{201C}{}\u{201D}", rejected.text))?;
        for problem in &rejected.problems {
            print_finding(problem, names, output)?;
        }
    }
    Ok(())
}
