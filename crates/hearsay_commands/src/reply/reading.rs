//! Reading of a draft: its sentences, its names, and the facts that it states.

use hearsay_extract::{Extraction, Text, TextType};
use hearsay_model::Span;

use super::DraftReply;
use crate::reading::ReadingTools;

/// Maximum number of sentences of a draft that are checked. Further sentences are not checked.
const MAX_SENTENCES: usize = 24;

/// A part of a draft that is compared with facts: a sentence, or two neighbouring sentences.
#[derive(Debug, Clone)]
pub(super) struct DraftPart {
    /// Index of the first sentence.
    pub(super) first: usize,
    /// Index of the last sentence.
    pub(super) last: usize,
    /// Words of the part, with the name of the speaker in place of "I".
    pub(super) text: String,
    /// Position of the part in the draft, in bytes.
    pub(super) span: Span,
    /// Vector of the words; `None` if there is no sentence encoder.
    pub(super) vector: Option<Vec<f32>>,
    /// Vector of the words together with the line that they answer. The same as `vector` if there is no such line.
    pub(super) context_vector: Option<Vec<f32>>,
}

impl DraftPart {
    /// Returns whether the part is a single sentence.
    pub(super) fn is_sentence(&self) -> bool {
        self.first == self.last
    }
}

/// Result of reading a draft: its sentences, its names, and the facts that it states.
#[derive(Debug, Clone)]
pub struct DraftReading {
    /// The sentences, followed by the pairs of neighbouring sentences.
    pub(super) parts: Vec<DraftPart>,
    /// Names and facts that the extractor found.
    pub(super) extraction: Extraction,
}

impl DraftReply {
    /// Reads the draft. `tools` must contain the lexicon of the [speaker's view](super::view_lexicon), so that the
    /// result depends only on names that the speaker knows.
    pub fn read(&self, tools: &ReadingTools<'_>) -> DraftReading {
        let heard: Vec<&str> = self.heard.iter().map(String::as_str).collect();
        let text = Text {
            speaker: Some(&self.speaker),
            present: &self.listeners,
            preceding: &heard,
            ..Text::new(&self.text, TextType::Talk)
        };
        let mut sentences = tools.extractor.spoken_sentences(tools.lexicon, &text);
        sentences.truncate(MAX_SENTENCES);
        let part = |first: usize, last: usize| DraftPart {
            first,
            last,
            text: sentences[first..=last].iter().map(|sentence| sentence.text.as_str()).collect::<Vec<_>>().join(" "),
            span: Span { start: sentences[first].span.start, end: sentences[last].span.end },
            vector: None,
            context_vector: None,
        };
        let single = (0..sentences.len()).map(|at| part(at, at));
        let pairs = (1..sentences.len()).map(|at| part(at - 1, at));
        let mut parts: Vec<DraftPart> = single.chain(pairs).collect();
        self.add_vectors(&mut parts, tools);
        let extraction = tools.extractor.extract(tools.lexicon, &text);
        DraftReading { parts, extraction }
    }

    fn add_vectors(&self, parts: &mut [DraftPart], tools: &ReadingTools<'_>) {
        let Some(encoder) = tools.encoder.filter(|_| !parts.is_empty()) else { return };
        let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
        let in_context: Vec<String> = match self.heard.last() {
            Some(heard) => texts.iter().map(|text| format!("{heard} {text}")).collect(),
            None => Vec::new(),
        };
        let all: Vec<&str> = texts.iter().copied().chain(in_context.iter().map(String::as_str)).collect();
        let mut vectors = encoder.vectors(&all).unwrap_or_default();
        let context_vectors = vectors.split_off(vectors.len().min(parts.len()));
        for (at, (part, vector)) in parts.iter_mut().zip(vectors).enumerate() {
            part.context_vector = Some(context_vectors.get(at).unwrap_or(&vector).clone());
            part.vector = Some(vector);
        }
    }
}
