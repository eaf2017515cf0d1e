//! Cache of the states of a network after the beginnings of recent prompts.

use candle_core::Tensor;

use super::network::Network;

/// State of the network after the beginning of a prompt.
pub(super) struct Prefix {
    pub(super) tokens: Vec<u32>,
    pub(super) network: Network,
    /// Logits of the token that follows.
    pub(super) logits: Tensor,
}

/// The last states, the most recently used one last.
pub(super) struct PrefixCache {
    prefixes: Vec<Prefix>,
    max_bytes: usize,
    token_bytes: usize,
}

impl PrefixCache {
    pub(super) fn new(max_bytes: usize, token_bytes: usize) -> Self {
        Self { prefixes: Vec::new(), max_bytes, token_bytes }
    }

    /// Returns a copy of the state after the longest beginning of a prompt.
    pub(super) fn longest(&mut self, prompt: &[u32]) -> Option<Prefix> {
        let matching = self.prefixes.iter().enumerate().filter(|(_, prefix)| prompt.starts_with(&prefix.tokens));
        let (at, _) = matching.max_by_key(|(_, prefix)| prefix.tokens.len())?;
        let prefix = self.prefixes.remove(at);
        let network = prefix.network.fork();
        let (tokens, logits) = (prefix.tokens.clone(), prefix.logits.clone());
        self.prefixes.push(prefix);
        Some(Prefix { tokens, network: network?, logits })
    }

    /// Keeps a state. Drops the states that were not used for the longest time if there is too little memory.
    pub(super) fn keep(&mut self, prefix: Prefix) {
        self.prefixes.retain(|kept| kept.tokens != prefix.tokens);
        self.prefixes.push(prefix);
        while self.bytes() > self.max_bytes && !self.prefixes.is_empty() {
            self.prefixes.remove(0);
        }
    }

    fn bytes(&self) -> usize {
        self.prefixes.iter().map(|prefix| prefix.tokens.len() * self.token_bytes).sum()
    }
}
