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
    /// Vector of the words; `None` for two sentences, or if there is no sentence encoder.
    pub(super) vector: Option<Vec<f32>>,
    /// Vector of the words together with the line that they answer, if there is such a line. `None` if there is no
    /// sentence encoder.
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

impl DraftReading {
    /// Returns whether the draft contains a name that the view of the speaker does not contain.
    pub fn has_new_names(&self) -> bool {
        !self.extraction.entities.is_empty()
    }
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
        let heard = self.heard.last();
        let in_context: Vec<String> = match heard {
            Some(heard) => parts.iter().map(|part| format!("{heard} {}", part.text)).collect(),
            None => parts.iter().map(|part| part.text.clone()).collect(),
        };
        // Without a heard line, the words in context are the words alone.
        let alone = parts.iter().filter(|part| part.is_sentence() && heard.is_some()).map(|part| part.text.as_str());
        let all: Vec<&str> = in_context.iter().map(String::as_str).chain(alone).collect();
        let mut vectors = encoder.vectors(&all).unwrap_or_default().into_iter();
        for part in parts.iter_mut() {
            part.context_vector = vectors.next();
        }
        for part in parts.iter_mut().filter(|part| part.is_sentence()) {
            part.vector = vectors.next().or_else(|| part.context_vector.clone());
        }
    }
}
