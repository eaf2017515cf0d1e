//! Doubtful parts of a text. A fact from a doubtful part always waits for review. This rule applies to all stages of
//! the extraction.

use hearsay_model::{Confidence, Factuality, Span};

use crate::facts::{Cue, CueKind, ExtractedFact};

/// Maximum confidence of a fact that the text does not state as certain.
pub(crate) const MAX_DOUBTFUL_CONFIDENCE: f64 = 0.69;

/// Maximum confidence of a fact in a sentence with words addressed to the program.
pub(crate) const MAX_INJECTION_CONFIDENCE: f64 = 0.5;

/// Clause that the text does not state as certain, or sentence with words addressed to the program.
#[derive(Debug, Clone)]
pub(crate) struct DoubtfulPart {
    /// Byte range in which a statement begins if it depends on this part.
    pub(crate) scope: Span,
    /// Position of the verb of a doubtful clause. A statement depends on the clause only if it contains this position.
    pub(crate) verb: Option<usize>,
    /// Maximum confidence of a statement that depends on this part.
    pub(crate) max_confidence: f64,
    /// Reasons to doubt the part.
    pub(crate) cues: Vec<Cue>,
}

impl DoubtfulPart {
    /// Limits the confidence of a fact, if the words of the fact depend on this part.
    pub(crate) fn limit(&self, fact: &mut ExtractedFact) {
        let span = fact.span;
        let begins_in_scope = self.scope.start <= span.start && span.start < self.scope.end;
        if begins_in_scope && self.verb.is_none_or(|verb| span.start <= verb && verb < span.end) {
            fact.limit_confidence(self.max_confidence, &self.cues);
        }
    }
}

impl CueKind {
    /// Returns whether a cue of this kind means that the text does not state the fact as certain.
    pub(crate) fn is_doubt(self) -> bool {
        match self {
            Self::Hedge | Self::Rumour | Self::Thought | Self::Sarcasm | Self::Wording => true,
            Self::Past | Self::Meaning => false,
        }
    }
}

impl ExtractedFact {
    /// Returns whether the text does not state the fact as certain.
    pub(crate) fn is_doubtful(&self) -> bool {
        self.cues.iter().any(|cue| cue.kind.is_doubt())
    }

    /// Limits the confidence to a maximum, and adds the cues that are the reason. With a cue of doubt, an asserted fact
    /// becomes a hedged one.
    pub(crate) fn limit_confidence<'a>(&mut self, max: f64, cues: impl IntoIterator<Item = &'a Cue>) {
        self.confidence = self.confidence.min(Confidence::new(max).unwrap_or(Confidence::NONE));
        for cue in cues {
            if !self.cues.contains(cue) {
                self.cues.push(cue.clone());
            }
        }
        if self.factuality == Factuality::Asserted && self.is_doubtful() {
            self.factuality = Factuality::Hedged;
        }
    }

    /// Makes the fact as doubtful as another fact that the same words state.
    pub(crate) fn inherit_doubt(&mut self, other: &Self) {
        if other.is_doubtful() {
            self.limit_confidence(MAX_DOUBTFUL_CONFIDENCE, other.cues.iter().filter(|cue| cue.kind.is_doubt()));
        }
    }
}
