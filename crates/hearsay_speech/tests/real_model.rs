//! Replies that a real language model writes: SmolLM2-135M-Instruct, which `.ci/speech-model` fetches.
#![cfg(feature = "local")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use std::{
    env,
    path::{Path, PathBuf},
    time::Duration,
};

use hearsay_engine::{ExtractionSettings, Memory, MemoryOptions, Settings};
use hearsay_model::EntityId;
use hearsay_query::ask::Ask;
use hearsay_speech::{
    CharacterReply, EndReason, GenerationLimits, LocalModel, LocalModelOptions, ReplyRequest, Speech,
};

/// Returns the model file. Prints a message if it is missing.
fn model() -> Option<PathBuf> {
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache")))?;
    let file = cache.join("hearsay/models/SmolLM2-135M-Instruct.Q4_1.gguf");
    if !file.is_file() {
        eprintln!("skipped: {} is missing; `.ci/speech-model` fetches it", file.display());
        return None;
    }
    Some(file)
}

fn id(id: &str) -> EntityId {
    EntityId::new(id).unwrap()
}

#[test]
fn a_real_language_model_answers_as_a_character() {
    let Some(file) = model() else { return };
    let extraction = ExtractionSettings { enabled: false, ..ExtractionSettings::default() };
    let settings = Settings { extraction, ..Settings::default() };
    let memory = Memory::open(MemoryOptions { settings, ..MemoryOptions::in_memory() }).unwrap();
    memory.import(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../campaigns/gullhaven")).unwrap().wait().unwrap();
    memory.wait_for_vectors(|_, _| true).unwrap();
    let options = LocalModelOptions { temperature: 0.0, ..LocalModelOptions::default() };
    let max_time = Duration::from_secs(300);
    let limits =
        GenerationLimits { max_tokens: 40, max_time, ..GenerationLimits::from_settings(&memory.settings().speech) };
    let speech = Speech::start(move || LocalModel::load(file, options), limits, None).unwrap();
    let reply = |question: &str| -> CharacterReply {
        let ask = Ask { present: vec![id("wren-oake")], ..Ask::new(id("mirela-voss"), question) };
        let request = ReplyRequest { listeners: vec![id("wren-oake")], ..ReplyRequest::default() };
        speech.reply(memory.ask(ask).unwrap(), request).wait(&memory, |_| true).unwrap()
    };
    let replies = ["Who runs the ferry?", "Who are you?", "What do you sell here?", "How is business?"].map(reply);
    for reply in &replies {
        assert!(reply.model_error.is_none(), "{reply:?}");
        assert!(reply.check.is_fine() && !reply.text().is_empty(), "{reply:?}");
        // There are no figures of a draft that the check rejected before its end.
        assert!(reply.stats.is_some() || !reply.rejected.is_empty(), "{reply:?}");
    }
    let stats: Vec<_> = replies.iter().filter_map(|reply| reply.stats).collect();
    assert!(!stats.is_empty(), "{replies:?}");
    for stats in stats {
        assert!(stats.prompt_tokens > 300 && stats.generated_tokens > 3, "{stats:?}");
        assert!(matches!(stats.end, EndReason::Finished | EndReason::MaxTokens | EndReason::Stopped), "{stats:?}");
    }
    // The beginning of each later prompt was known from the prompts before it.
    for stats in replies[1..].iter().filter_map(|reply| reply.stats) {
        assert!(stats.cached_tokens > 100, "{stats:?}");
    }
    memory.close().unwrap();
}
