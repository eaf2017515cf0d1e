//! One run of a network: the network reads a prompt, and then writes a text.

use std::{ops::ControlFlow, time::Instant};

use candle_core::{Device, Result, Tensor};
use candle_transformers::{generation::LogitsProcessor, utils::apply_repeat_penalty};

use super::{
    super::{EndReason, GenerationLimits, GenerationStats, StopFilter},
    network::Network,
    prefix_cache::{Prefix, PrefixCache},
    tokenizer::ModelTokenizer,
};

/// Number of tokens that the network reads at once. Between two such blocks, the run can be stopped.
const BLOCK_TOKENS: usize = 128;

/// Number of the last tokens whose repetition is made less likely.
const REPETITION_WINDOW: usize = 64;

/// State of a network after some tokens of a prompt.
pub(super) struct Position {
    pub(super) network: Network,
    /// Number of tokens that the network has read.
    pub(super) tokens: usize,
    /// Logits of the next token. `None` if the network has read nothing.
    pub(super) logits: Option<Tensor>,
}

/// What a run needs from its model, and its limits.
pub(super) struct Run<'a> {
    pub(super) device: &'a Device,
    pub(super) tokenizer: &'a ModelTokenizer,
    pub(super) sampler: &'a mut LogitsProcessor,
    pub(super) repetition_penalty: f32,
    /// Maximum number of tokens of the prompt and the text together.
    pub(super) context_tokens: usize,
    pub(super) limits: &'a GenerationLimits,
    pub(super) emit: &'a mut dyn FnMut(&str) -> ControlFlow<()>,
    pub(super) start: Instant,
}

impl Run<'_> {
    /// Reads the parts of the prompt, and writes the text. Keeps the state after each part in `prefixes`.
    pub(super) fn write(
        &mut self,
        position: &mut Position,
        parts: &[Vec<u32>],
        prefixes: &mut PrefixCache,
    ) -> Result<GenerationStats> {
        let prompt = parts.concat();
        let mut stats = GenerationStats {
            prompt_tokens: prompt.len(),
            cached_tokens: position.tokens,
            ..GenerationStats::default()
        };
        let mut end_of_part = 0;
        for part in parts {
            end_of_part += part.len();
            if let Some(end) = self.read(position, prompt.get(position.tokens..end_of_part).unwrap_or_default())? {
                let total = self.start.elapsed();
                return Ok(GenerationStats { end, first_token: total, total, ..stats });
            }
            if let (true, Some(logits), Some(network)) =
                (position.tokens == end_of_part, &position.logits, position.network.fork())
            {
                prefixes.keep(Prefix { tokens: prompt[..end_of_part].to_vec(), network, logits: logits.clone() });
            }
        }
        self.continue_text(position, &mut stats)?;
        stats.total = self.start.elapsed();
        Ok(stats)
    }

    /// Reads tokens. Returns the reason if the run must end.
    fn read(&mut self, position: &mut Position, tokens: &[u32]) -> Result<Option<EndReason>> {
        for block in tokens.chunks(BLOCK_TOKENS) {
            if let Some(end) = self.interruption("") {
                return Ok(Some(end));
            }
            self.step(position, block)?;
        }
        Ok(None)
    }

    /// Writes the text after the prompt.
    fn continue_text(&mut self, position: &mut Position, stats: &mut GenerationStats) -> Result<()> {
        let tokenizer = self.tokenizer;
        let mut decoder = tokenizer.decoder();
        let mut stop = StopFilter::new(&self.limits.stop);
        let mut written = Vec::new();
        let end = loop {
            let token = self.choose(position, &written)?;
            if written.is_empty() {
                stats.first_token = self.start.elapsed();
            }
            if tokenizer.ends_message(token) {
                break EndReason::Finished;
            }
            written.push(token);
            let part = stop.push(&decoder.push(token));
            if let Some(end) = self.interruption(&part) {
                break end;
            }
            if stop.is_stopped() {
                break EndReason::Finished;
            }
            if written.len() >= self.limits.max_tokens || position.tokens + 1 >= self.context_tokens {
                break EndReason::MaxTokens;
            }
            self.step(position, &[token])?;
        };
        stats.generated_tokens = written.len();
        stats.end = stop.finish(end, &mut *self.emit);
        Ok(())
    }

    /// Emits a part of the text. Returns a reason if the run must end.
    fn interruption(&mut self, part: &str) -> Option<EndReason> {
        if (self.emit)(part).is_break() {
            return Some(EndReason::Stopped);
        }
        (self.start.elapsed() > self.limits.max_time).then_some(EndReason::TimeOver)
    }

    /// Gives tokens to the network.
    fn step(&self, position: &mut Position, tokens: &[u32]) -> Result<()> {
        let input = Tensor::new(tokens, self.device)?.unsqueeze(0)?;
        position.logits = Some(position.network.forward(&input, position.tokens)?.squeeze(0)?);
        position.tokens += tokens.len();
        Ok(())
    }

    /// Chooses the next token.
    fn choose(&mut self, position: &Position, written: &[u32]) -> Result<u32> {
        let Some(logits) = &position.logits else { candle_core::bail!("the prompt is empty") };
        let last = &written[written.len().saturating_sub(REPETITION_WINDOW)..];
        if self.repetition_penalty <= 1.0 || last.is_empty() {
            return self.sampler.sample(logits);
        }
        self.sampler.sample(&apply_repeat_penalty(logits, self.repetition_penalty, last)?)
    }
}
