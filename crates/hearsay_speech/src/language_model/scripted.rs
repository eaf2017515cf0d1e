//! A language model that says prepared texts, for tests and demos.

use std::{collections::VecDeque, ops::ControlFlow, time::Instant};

use super::{ChatPrompt, EndReason, GenerationLimits, GenerationStats, LanguageModel, StopFilter};
use crate::SpeechError;

/// A language model that returns prepared texts, one for each call. After the last text, each call returns an empty
/// text.
#[derive(Debug, Clone, Default)]
pub struct ScriptedModel {
    texts: VecDeque<String>,
}

impl ScriptedModel {
    /// Creates a model that says these texts in this order.
    pub fn new(texts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { texts: texts.into_iter().map(Into::into).collect() }
    }
}

impl LanguageModel for ScriptedModel {
    fn name(&self) -> &str {
        "scripted"
    }

    fn generate(
        &mut self,
        prompt: &ChatPrompt,
        limits: &GenerationLimits,
        emit: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<GenerationStats, SpeechError> {
        let start = Instant::now();
        let text = self.texts.pop_front().unwrap_or_default();
        let mut stop = StopFilter::new(&limits.stop);
        let (mut generated_tokens, mut end) = (0, EndReason::Finished);
        for word in text.split_inclusive(' ') {
            if generated_tokens == limits.max_tokens {
                end = EndReason::MaxTokens;
                break;
            }
            generated_tokens += 1;
            let part = stop.push(word);
            if !part.is_empty() && emit(&part).is_break() {
                end = EndReason::Stopped;
                break;
            }
            if stop.is_stopped() {
                break;
            }
        }
        let end = stop.finish(end, emit);
        let prompt_tokens = prompt.system.split_whitespace().count();
        let total = start.elapsed();
        Ok(GenerationStats { prompt_tokens, cached_tokens: 0, generated_tokens, first_token: total, total, end })
    }
}
