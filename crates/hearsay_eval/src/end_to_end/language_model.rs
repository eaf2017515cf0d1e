//! Reads texts with a language model, as the engine does.

use std::sync::Arc;

use hearsay_commands::reading::Findings;
use hearsay_extract::{Language, Lexicon};
use hearsay_llm::{ApiKey, Context, Llm, LlmError, LlmSettings, Queue, QueueSettings, RunControl, Turn};
use hearsay_model::{Knower, State, TalkKind, Vocabulary};
use hearsay_query::resolve::public_name;

/// A language model on a server with OpenAI's protocol.
pub struct ServerModel {
    llm: Llm,
    settings: LlmSettings,
}

impl ServerModel {
    /// Creates a client. Does not contact the server. The key comes from the environment, as in the program.
    ///
    /// # Errors
    /// Returns an error if the address or the key is invalid.
    pub fn new(base_url: &str, model: &str) -> Result<Self, LlmError> {
        let settings = LlmSettings {
            enabled: true,
            base_url: base_url.to_owned(),
            model: model.to_owned(),
            total_tokens: u64::MAX,
            ..LlmSettings::default()
        };
        settings.check()?;
        let key = ApiKey::from_env(&settings)?;
        Ok(Self { llm: Llm::new(settings.clone(), key, Language::english(), Vocabulary::default())?, settings })
    }

    /// Reads the passages of earlier findings, except out-of-character lines.
    ///
    /// # Errors
    /// Returns the first error of the server.
    pub(super) fn read(&self, state: &State, read: &[Findings]) -> Result<Vec<Findings>, LlmError> {
        let limits = QueueSettings::from(&self.settings);
        let mut queue = Queue::new();
        for findings in read.iter().filter(|findings| findings.talk_kind != Some(TalkKind::OutOfCharacter)) {
            enqueue(&mut queue, &limits, state, findings);
        }
        queue.flush_all();
        let lexicon = Lexicon::from_state(state);
        let mut all_findings = Vec::new();
        while let Some(job) = queue.take_job(&limits, 0) {
            let found = self.llm.extract_job_blocking(&lexicon, &job, &RunControl::default())?;
            for (id, extraction) in job.split_by_turn(&found).0 {
                if let Some(passage) = state.passage(id) {
                    let (passage, model) = (Arc::clone(passage), Some(self.settings.model.clone()));
                    all_findings.push(Findings { talk_kind: passage.talk_kind, passage, extraction, model });
                }
            }
            queue.complete(job.id);
        }
        Ok(all_findings)
    }
}

/// Adds the passage of findings to the queue of the language model.
fn enqueue(queue: &mut Queue, limits: &QueueSettings, state: &State, findings: &Findings) {
    let passage = &findings.passage;
    let turn = Turn {
        id: passage.id(),
        text: passage.text.clone(),
        speaker: passage.speaker.clone(),
        speaker_name: passage.speaker.as_ref().map(|speaker| public_name(state, speaker).to_owned()),
    };
    let present = passage.heard_by.iter().filter_map(Knower::entity).cloned().collect();
    let context = Context { present, place: passage.place.clone(), before: Vec::new() };
    match &passage.session {
        Some(session) => _ = queue.add_turn(limits, session.as_str(), turn, context),
        None => _ = queue.add_text("text", turn, context),
    }
}
