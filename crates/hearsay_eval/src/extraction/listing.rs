//! Formats extracted facts as lines of text.

use std::{fs, path::Path};

use hearsay_extract::{
    ExtractedFact, Extraction, Extractor, FactObject, Language, Mention, SentenceEncoder, Text, TextType,
};
use hearsay_model::Vocabulary;
use serde::Serialize;

use super::labelled::{ExtractionError, read};

/// An extracted fact, formatted for a list.
#[derive(Debug, Clone, Serialize)]
pub struct ListedFact {
    /// The fact as one line of text.
    pub fact: String,
    /// The words of the text that state the fact.
    pub quote: String,
    /// The confidence of the fact, from 0 to 1.
    pub confidence: f64,
}

/// Extracts the facts from the text in the file `path`. The file `names` contains one line of JSON with a scene, which
/// defines the entities that the text may name.
///
/// # Errors
/// Returns an error if a file cannot be read, or if the file `names` contains no scene.
pub fn list_facts(
    path: &Path,
    names: &Path,
    encoder: Option<&dyn SentenceEncoder>,
) -> Result<Vec<ListedFact>, ExtractionError> {
    let labelled = read(&[names.to_owned()])?;
    let Some(scene) = labelled.scenes.values().next() else {
        let problem = "the file contains no scene; expected a line with `scene` and `entities`".to_owned();
        return Err(ExtractionError::Line { path: names.to_owned(), line: 1, problem });
    };
    let text = fs::read_to_string(path).map_err(|source| ExtractionError::File { path: path.to_owned(), source })?;
    let extractor = Extractor::new(Language::english(), Vocabulary::default());
    let extraction = extractor.extract(&scene.lexicon, &Text { encoder, ..Text::new(&text, TextType::Narration) });
    let listed_fact = |fact: &ExtractedFact| ListedFact {
        fact: format_fact(fact, &extraction),
        quote: fact.quote.clone(),
        confidence: fact.confidence.get(),
    };
    Ok(extraction.facts.iter().map(listed_fact).collect())
}

/// Formats an extracted fact as one line of text. `extraction` is the extraction that contains the fact.
pub fn format_fact(fact: &ExtractedFact, extraction: &Extraction) -> String {
    let mention = |mention: &Mention| match mention {
        Mention::Known(id) => id.to_string(),
        Mention::New(at) => format!("new:{}", extraction.entities.get(*at).map_or("", |entity| entity.name.as_str())),
    };
    let object = match &fact.object {
        FactObject::Entity(entity) => mention(entity),
        FactObject::Value(value) => format!("`{value}`"),
    };
    let relation = fact.relation.as_ref().map(|words| format!("({words})")).unwrap_or_default();
    let by = fact.stated_by.as_ref().map(|by| format!(" by {}", mention(by))).unwrap_or_default();
    let over = if fact.ended { " OVER" } else { "" };
    let denied = if fact.denied { " DENIED" } else { "" };
    format!(
        "{:.2} {} {}{relation} {object}{by}{over}{denied}",
        fact.confidence.get(),
        mention(&fact.subject),
        fact.predicate
    )
}
