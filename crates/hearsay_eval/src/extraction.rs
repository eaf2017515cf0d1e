//! Accuracy of the extractor on labelled sentences. `EXTRACTION.md` defines the format of the files and the figures.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    time::Instant,
};

use hearsay_embed::Encoder;
use hearsay_extract::{ExtractedFact, Extraction, Extractor, Form, Language, Lexicon, Meaning, Mention, Stated, Text};
use hearsay_model::{
    ApplyError, Author, Change, Entity, EntityId, Fact, FactError, IdError, Kind, Method, Operation, Predicate,
    Provenance, State, Vocabulary, attribute, predicate, text,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

mod sights;

pub use sights::rows;
pub(crate) use sights::{Finding, Part, findings};

/// Minimum confidence at which a fact is accepted. Between `REVIEWED` and this value, it waits for review.
const ACCEPTED: f64 = 0.7;
const REVIEWED: f64 = 0.3;

/// Error in a labelled file.
#[derive(Debug, Error)]
pub enum ExtractionError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A line has the wrong format.
    #[error("{}:{line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The problem, and the expected input.
        problem: String,
    },
}

/// An entity of a scene.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneEntity {
    /// The id.
    pub id: EntityId,
    /// The kind.
    pub kind: String,
    /// The names, the full one first.
    pub names: Vec<String>,
    /// The pronouns, named by the first of them.
    #[serde(default)]
    pub pronouns: Option<String>,
    /// The attributes that are known beforehand.
    #[serde(default)]
    pub attributes: BTreeMap<Predicate, String>,
}

/// A fact that a careful reader would record.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelledFact {
    /// An entity's id, or `new:Name`.
    pub subject: String,
    /// The relation or attribute.
    pub predicate: Predicate,
    /// An entity's id, `new:Name`, or the value of an attribute.
    pub object: String,
    /// The words of a relation without a predicate of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relation: Option<String>,
    /// The speaker of the statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The characters to whom the statement was made, according to the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<String>,
    /// Whether the fact is only a guess or hearsay.
    #[serde(default)]
    pub doubt: bool,
    /// Whether the fact is past.
    #[serde(default)]
    pub over: bool,
}

/// A sentence with its facts.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The id.
    pub id: String,
    /// The scene.
    pub scene: String,
    /// The type of text.
    pub form: Form,
    /// The character who says it.
    #[serde(default)]
    pub speaker: Option<EntityId>,
    /// The characters who are present.
    #[serde(default)]
    pub present: Vec<EntityId>,
    /// The place.
    #[serde(default)]
    pub place: Option<EntityId>,
    /// The preceding texts.
    #[serde(default)]
    pub before: Vec<String>,
    /// The text.
    pub text: String,
    /// The expected facts.
    pub facts: Vec<LabelledFact>,
    /// The tested features.
    #[serde(default)]
    pub tags: Vec<String>,
}

/// Scenes with their sentences.
#[derive(Debug, Default)]
pub struct Labelled {
    scenes: BTreeMap<String, Scene>,
    examples: Vec<Example>,
}

#[derive(Debug)]
struct Scene {
    ids: BTreeSet<String>,
    lexicon: Lexicon,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SceneLine {
    scene: String,
    #[serde(default, rename = "about")]
    _about: String,
    entities: Vec<SceneEntity>,
}

/// Reads labelled files in order. Each scene belongs to its file.
///
/// # Errors
/// If a file or one of its lines cannot be read, with the position and the expected input.
pub fn read(files: &[PathBuf]) -> Result<Labelled, ExtractionError> {
    let mut labelled = Labelled::default();
    for (at, path) in files.iter().enumerate() {
        let content =
            fs::read_to_string(path).map_err(|source| ExtractionError::File { path: path.clone(), source })?;
        labelled.add(path, &content, at)?;
    }
    Ok(labelled)
}

impl Labelled {
    fn add(&mut self, path: &Path, content: &str, file: usize) -> Result<(), ExtractionError> {
        let mut ids = BTreeSet::new();
        for (line, json) in (1..).zip(content.lines()).filter(|(_, json)| !json.trim().is_empty()) {
            let failed = |problem: String| ExtractionError::Line { path: path.to_owned(), line, problem };
            let value: serde_json::Value =
                serde_json::from_str(json).map_err(|error| failed(format!("not JSON: {error}")))?;
            if value.get("id").is_none() {
                let scene: SceneLine = serde_json::from_value(value).map_err(|error| {
                    failed(format!("neither a scene nor an example: {error}; an example has an `id`"))
                })?;
                let world = world(&scene.entities).map_err(|problem| failed(problem.to_string()))?;
                let ids = scene.entities.iter().map(|entity| entity.id.to_string()).collect();
                let scene_name = format!("{file}/{}", scene.scene);
                let made = Scene { ids, lexicon: Lexicon::of(&world) };
                if self.scenes.insert(scene_name, made).is_some() {
                    return Err(failed(format!("a second scene `{}`; scenes of a file must differ", scene.scene)));
                }
                continue;
            }
            let mut example: Example =
                serde_json::from_value(value).map_err(|error| failed(format!("not an example: {error}")))?;
            let name = format!("{file}/{}", example.scene);
            let Some(scene) = self.scenes.get(&name) else {
                return Err(failed(format!("the scene `{}` is not described before this line", example.scene)));
            };
            if !ids.insert(example.id.clone()) {
                return Err(failed(format!("a second example `{}`; ids must differ", example.id)));
            }
            let named = example.facts.iter().flat_map(|fact| {
                let relation = fact.predicate.is_relation().then_some(&fact.object);
                [Some(&fact.subject), relation, fact.by.as_ref()].into_iter().flatten().chain(&fact.told)
            });
            let people = example.present.iter().chain(&example.speaker).chain(&example.place).map(|id| id.as_str());
            let mut all = named.map(String::as_str).chain(people);
            let unknown = all.find(|id| !scene.ids.contains(*id) && !id.starts_with("new:")).map(str::to_owned);
            drop(all);
            if let Some(unknown) = unknown {
                let problem = format!(
                    "`{unknown}` is no entity of the scene `{}`; a new name is written `new:Name`",
                    example.scene
                );
                return Err(failed(problem));
            }
            example.scene = name;
            self.examples.push(example);
        }
        Ok(())
    }
}

#[derive(Debug, Error)]
enum WorldError {
    #[error(transparent)]
    Id(#[from] IdError),
    #[error(transparent)]
    Fact(#[from] FactError),
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

/// Creates a state with the entities of a scene.
fn world(entities: &[SceneEntity]) -> Result<State, WorldError> {
    let mut changes = Vec::new();
    for entity in entities {
        let id = &entity.id;
        changes.push(Change::AddEntity(Entity::new(id.clone())));
        let names = entity.names.iter().enumerate();
        let names = names.map(|(at, name)| (if at == 0 { attribute::NAME } else { attribute::ALIAS }, name.as_str()));
        let kind = Kind::from(entity.kind.as_str());
        let pronouns = entity.pronouns.as_deref().map(|pronouns| ("pronouns", pronouns));
        let others = entity.attributes.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in names.chain([(attribute::KIND, kind.as_str())]).chain(pronouns).chain(others) {
            let fact = Fact::attribute(id, name, value, Provenance::new(Method::Authored, Author::Dm))?;
            changes.push(Change::AssertFact(fact.build()?.into()));
        }
    }
    let mut state = State::default();
    state.apply(Operation::new(Author::Dm, "a scene", changes))?;
    Ok(state)
}

/// Vectors from the real encoder, with a cache.
pub struct EncoderMeaning<'a> {
    encoder: &'a Encoder,
    known: RefCell<BTreeMap<String, Vec<f32>>>,
}

impl<'a> EncoderMeaning<'a> {
    /// Creates the meaning of an encoder.
    pub fn new(encoder: &'a Encoder) -> Self {
        Self { encoder, known: RefCell::default() }
    }
}

impl Meaning for EncoderMeaning<'_> {
    fn vectors(&self, texts: &[&str]) -> Option<Vec<Vec<f32>>> {
        let mut known = self.known.borrow_mut();
        let new: Vec<&str> = texts.iter().filter(|text| !known.contains_key(**text)).copied().collect();
        for (text, vector) in new.iter().zip(self.encoder.encode(&new).ok()?) {
            known.insert((*text).to_owned(), vector);
        }
        texts.iter().map(|text| known.get(*text).cloned()).collect()
    }
}

/// The result of the measurement.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// The number of sentences.
    pub n: usize,
    /// The share of accepted facts that are right.
    pub precision: f64,
    /// The share of labelled facts without doubt that are accepted.
    pub recall: f64,
    /// The share of all labelled facts that are accepted or wait for review.
    pub review_recall: f64,
    /// The share of facts in review that are labelled, with doubt or without.
    pub review_precision: f64,
    /// The expected calibration error: the mean difference of confidence and accuracy.
    pub ece: f64,
    /// The number of labelled facts.
    pub labelled: usize,
    /// The number of accepted facts.
    pub accepted: usize,
    /// The time per text in milliseconds, without its embedding.
    pub ms: f64,
    /// The calibration by tenths of confidence.
    pub bins: Vec<Bin>,
    /// The counts by tested feature.
    pub tags: BTreeMap<String, Tally>,
    /// Wrong and missed facts.
    #[serde(skip)]
    pub misses: Vec<Miss>,
}

/// The facts with a confidence in one tenth.
#[derive(Debug, Clone, Serialize)]
pub struct Bin {
    /// The number of facts.
    pub n: usize,
    /// The mean confidence.
    pub confidence: f64,
    /// The share of right facts.
    pub right: f64,
}

/// Counts of the sentences with one tag.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Tally {
    /// The number of sentences.
    pub n: usize,
    /// Accepted facts.
    pub accepted: usize,
    /// Accepted facts that are right.
    pub right: usize,
    /// Labelled facts without doubt.
    pub labelled: usize,
    /// Labelled facts without doubt that were accepted.
    pub found: usize,
}

/// A sentence with wrong or missed facts.
#[derive(Debug, Clone, Serialize)]
pub struct Miss {
    /// The id of the example.
    pub id: String,
    /// The text.
    pub text: String,
    /// Accepted facts that are not labelled, with their confidence.
    pub wrong: Vec<String>,
    /// Labelled facts that were not accepted, with their outcome.
    pub missed: Vec<String>,
}

/// Extracts from all sentences, and compares the result with the labels.
pub fn measure(labelled: &Labelled, meaning: Option<&dyn Meaning>) -> Report {
    let extractor = Extractor::new(Language::english(), Vocabulary::default());
    let vocabulary = Vocabulary::default();
    let mut tags: BTreeMap<String, Tally> = BTreeMap::new();
    let mut all = Tally::default();
    let (mut reviewed, mut every) = (0, 0);
    let (mut waiting, mut worth) = (0, 0);
    let mut bins = [(0usize, 0.0f64, 0usize); 10];
    let mut misses = Vec::new();
    let mut took = 0.0;
    for example in &labelled.examples {
        let Some(scene) = labelled.scenes.get(&example.scene) else { continue };
        let before: Vec<&str> = example.before.iter().map(String::as_str).collect();
        let text = example.text(&before, meaning);
        let start = Instant::now();
        let plain = extractor.extract(&scene.lexicon, &Text { meaning: None, ..text });
        took += start.elapsed().as_secs_f64() * 1000.0;
        let found = if meaning.is_some() { extractor.extract(&scene.lexicon, &text) } else { plain };
        let facts: Vec<&ExtractedFact> =
            found.facts.iter().filter(|fact| !fact.denied && fact.confidence.get() >= REVIEWED).collect();
        let matches = |fact: &ExtractedFact, label: &LabelledFact| same(fact, label, &found, &vocabulary);
        let mut tally = Tally { n: 1, ..Tally::default() };
        let mut miss =
            Miss { id: example.id.clone(), text: example.text.clone(), wrong: Vec::new(), missed: Vec::new() };
        for fact in &facts {
            let sure = fact.confidence.get();
            let right = example.facts.iter().any(|label| !label.doubt && matches(fact, label));
            let bin = &mut bins[((sure * 10.0) as usize).min(9)];
            *bin = (bin.0 + 1, bin.1 + sure, bin.2 + usize::from(right));
            let labelled = example.facts.iter().any(|label| matches(fact, label));
            if sure >= ACCEPTED {
                tally.accepted += 1;
                tally.right += usize::from(right);
            } else {
                waiting += 1;
                worth += usize::from(labelled);
            }
            if !right && (sure >= ACCEPTED || !labelled) {
                miss.wrong.push(show(fact, &found));
            }
        }
        for label in &example.facts {
            every += 1;
            let sure =
                facts.iter().filter(|fact| matches(fact, label)).map(|fact| fact.confidence.get()).fold(0.0, f64::max);
            reviewed += usize::from(sure >= REVIEWED);
            if !label.doubt {
                tally.labelled += 1;
                tally.found += usize::from(sure >= ACCEPTED);
            }
            if sure < if label.doubt { REVIEWED } else { ACCEPTED } {
                let json = serde_json::to_string(label).unwrap_or_default();
                miss.missed.push(format!("{sure:.2} {json}"));
            }
        }
        if !miss.wrong.is_empty() || !miss.missed.is_empty() {
            misses.push(miss);
        }
        for tag in &example.tags {
            tags.entry(tag.clone()).or_default().add(&tally);
        }
        all.add(&tally);
    }
    let share = |part: usize, whole: usize| if whole == 0 { 1.0 } else { part as f64 / whole as f64 };
    let predicted: usize = bins.iter().map(|bin| bin.0).sum();
    let ece = bins
        .iter()
        .filter(|bin| bin.0 > 0)
        .map(|(_, sum, right)| (sum - *right as f64).abs() / predicted.max(1) as f64)
        .sum();
    Report {
        n: all.n,
        precision: share(all.right, all.accepted),
        recall: share(all.found, all.labelled),
        review_recall: share(reviewed, every),
        review_precision: share(worth, waiting),
        ece,
        labelled: every,
        accepted: all.accepted,
        ms: took / all.n.max(1) as f64,
        bins: bins
            .iter()
            .filter(|bin| bin.0 > 0)
            .map(|(n, sum, right)| Bin { n: *n, confidence: sum / *n as f64, right: *right as f64 / *n as f64 })
            .collect(),
        tags,
        misses,
    }
}

impl Example {
    fn text<'a>(&'a self, before: &'a [&'a str], meaning: Option<&'a dyn Meaning>) -> Text<'a> {
        Text {
            text: &self.text,
            form: self.form,
            speaker: self.speaker.as_ref(),
            present: &self.present,
            place: self.place.as_ref(),
            before,
            meaning,
        }
    }
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.n += other.n;
        self.accepted += other.accepted;
        self.right += other.right;
        self.labelled += other.labelled;
        self.found += other.found;
    }
}

/// A fact extracted from any text, for listing.
#[derive(Debug, Clone, Serialize)]
pub struct Listed {
    /// The fact in one line.
    pub fact: String,
    /// The words that state the fact.
    pub quote: String,
    /// The confidence.
    pub confidence: f64,
}

/// Extracts the facts of any text. `names` contains a line with a scene.
///
/// # Errors
/// If a file cannot be read.
pub fn list(path: &Path, names: &Path, meaning: Option<&dyn Meaning>) -> Result<Vec<Listed>, ExtractionError> {
    let labelled = read(&[names.to_owned()])?;
    let Some(scene) = labelled.scenes.values().next() else {
        let problem = "no scene in it; expected a line with `scene` and `entities`".to_owned();
        return Err(ExtractionError::Line { path: names.to_owned(), line: 1, problem });
    };
    let text = fs::read_to_string(path).map_err(|source| ExtractionError::File { path: path.to_owned(), source })?;
    let extractor = Extractor::new(Language::english(), Vocabulary::default());
    let found = extractor.extract(&scene.lexicon, &Text { meaning, ..Text::new(&text, Form::Narration) });
    let listed = |fact: &ExtractedFact| Listed {
        fact: show(fact, &found),
        quote: fact.quote.clone(),
        confidence: fact.confidence.get(),
    };
    Ok(found.facts.iter().map(listed).collect())
}

/// Formats a fact in one line.
pub fn show(fact: &ExtractedFact, found: &Extraction) -> String {
    let mention = |mention: &Mention| match mention {
        Mention::Known(id) => id.to_string(),
        Mention::New(at) => format!("new:{}", found.entities.get(*at).map_or("", |entity| entity.name.as_str())),
    };
    let object = match &fact.object {
        Stated::Entity(entity) => mention(entity),
        Stated::Value(value) => format!("`{value}`"),
    };
    let relation = fact.relation.as_ref().map(|words| format!("({words})")).unwrap_or_default();
    let by = fact.stated_by.as_ref().map(|by| format!(" by {}", mention(by))).unwrap_or_default();
    let over = if fact.over { " OVER" } else { "" };
    let denied = if fact.denied { " DENIED" } else { "" };
    format!(
        "{:.2} {} {}{relation} {object}{by}{over}{denied}",
        fact.confidence.get(),
        mention(&fact.subject),
        fact.predicate
    )
}

/// Whether a fact matches a label.
fn same(fact: &ExtractedFact, label: &LabelledFact, found: &Extraction, vocabulary: &Vocabulary) -> bool {
    let (mut name, mut subject, mut object) = (&label.predicate, label.subject.as_str(), label.object.as_str());
    if let Some(def) = vocabulary.inverse_of(name) {
        (name, subject, object) = (&def.name, object, subject);
    }
    if fact.predicate != *name || fact.over != label.over {
        return false;
    }
    let by = match (&fact.stated_by, &label.by) {
        (None, None) => true,
        (Some(by), Some(label)) => is(by, label, found),
        _ => false,
    };
    if !by {
        return false;
    }
    match &fact.object {
        Stated::Value(value) => is(&fact.subject, subject, found) && same_value(value, object),
        Stated::Entity(entity) => {
            let symmetric = either_way(vocabulary, name);
            (is(&fact.subject, subject, found) && is(entity, object, found))
                || (symmetric && is(&fact.subject, object, found) && is(entity, subject, found))
        }
    }
}

/// Whether a relation is symmetric.
fn either_way(vocabulary: &Vocabulary, relation: &Predicate) -> bool {
    vocabulary.predicate(relation).is_some_and(|def| def.symmetric) || *relation == *predicate::RELATED_TO
}

/// Whether a mention matches the entity of a label.
fn is(mention: &Mention, label: &str, found: &Extraction) -> bool {
    match (mention, label.strip_prefix("new:")) {
        (Mention::Known(id), None) => id.as_str() == label,
        (Mention::New(at), Some(name)) => found.entities.get(*at).is_some_and(|entity| same_value(&entity.name, name)),
        _ => false,
    }
}

/// Whether two values have the same words apart from articles, or one contains the other.
fn same_value(a: &str, b: &str) -> bool {
    let words = |value: &str| -> Vec<String> {
        text::words(value).into_iter().filter(|word| !["a", "an", "the"].contains(&word.as_str())).collect()
    };
    let (a, b) = (words(a), words(b));
    !a.is_empty() && !b.is_empty() && (text::names(&a, &b) || text::names(&b, &a))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str = r#"{"scene":"s","entities":[{"id":"bram","kind":"npc","names":["Bram"],"pronouns":"he"},{"id":"odo","kind":"npc","names":["Odo"],"pronouns":"he"}]}"#;

    fn labelled(lines: &[&str]) -> Result<Labelled, ExtractionError> {
        let mut labelled = Labelled::default();
        labelled.add(Path::new("file.jsonl"), &lines.join("\n"), 0).map(|()| labelled)
    }

    #[test]
    fn what_is_found_is_counted() {
        let works = r#"{"id":"1","scene":"s","form":"lore","text":"Bram works for Odo.","facts":[{"subject":"bram","predicate":"EMPLOYED_BY","object":"odo"}],"tags":["plain"]}"#;
        let wrong = r#"{"id":"2","scene":"s","form":"lore","text":"Bram works for Odo.","facts":[]}"#;
        let report = measure(&labelled(&[SCENE, works]).unwrap(), None);
        assert_eq!((report.n, report.precision, report.recall, report.review_recall), (1, 1.0, 1.0, 1.0));
        let report = measure(&labelled(&[SCENE, works, wrong]).unwrap(), None);
        assert_eq!((report.precision, report.recall, report.misses.len()), (0.5, 1.0, 1));
    }

    #[test]
    fn lines_that_cannot_be_read_are_named() {
        let check = |line: &str, expected: &str| {
            let error = labelled(&[SCENE, line]).unwrap_err().to_string();
            assert!(error.starts_with("file.jsonl:2: ") && error.contains(expected), "{error}");
        };
        check("{", "not JSON");
        check(r#"{"id":"1","scene":"t","form":"lore","text":"x","facts":[]}"#, "`t` is not described");
        check(r#"{"id":"1","scene":"s","form":"song","text":"x","facts":[]}"#, "song");
        check(
            r#"{"id":"1","scene":"s","form":"lore","text":"x","facts":[{"subject":"pell","predicate":"OWES","object":"odo"}]}"#,
            "`pell` is no entity",
        );
        check(SCENE, "a second scene");
    }
}
