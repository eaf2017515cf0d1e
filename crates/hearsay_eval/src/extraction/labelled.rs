//! Labelled sentences and their scenes, read from files.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use hearsay_extract::{Lexicon, SentenceEncoder, Text, TextType};
use hearsay_model::{
    ApplyError, Author, Change, Entity, EntityId, Fact, FactError, IdError, Kind, Method, Operation, Predicate,
    Provenance, State, attribute,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::mask::Mask;

/// Error in a labelled file.
#[derive(Debug, Error)]
pub enum ExtractionError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A line has the wrong format.
    #[error("{}:{line}: {problem}", path.display())]
    Line {
        /// Path of the file.
        path: PathBuf,
        /// Line number, counted from 1.
        line: usize,
        /// Description of the problem and of the expected input.
        problem: String,
    },
}

/// An entity that the texts of a scene can name.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneEntity {
    /// The id of the entity.
    pub id: EntityId,
    /// The kind of the entity, as in campaign files, such as `npc`.
    pub kind: String,
    /// The names of the entity: the full name, then the aliases.
    pub names: Vec<String>,
    /// The pronouns of the entity, such as `he`.
    #[serde(default)]
    pub pronouns: Option<String>,
    /// The attributes of the entity that the campaign knows before the text is read.
    #[serde(default)]
    pub attributes: BTreeMap<Predicate, String>,
}

/// A fact that a careful reader would record.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelledFact {
    /// The subject: the id of an entity, or `new:Name` for a name that no entity has.
    pub subject: String,
    /// The predicate: a relation or an attribute.
    pub predicate: Predicate,
    /// The object: the id of an entity, `new:Name`, or the value of an attribute.
    pub object: String,
    /// The words of the text that name the relation, if the vocabulary has no predicate for the relation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relation: Option<String>,
    /// The character who states the fact; `None` if no character states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The characters who were told the fact, according to the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<String>,
    /// Whether the text states the fact only as a guess or as hearsay. Such a fact should wait for review.
    #[serde(default)]
    pub doubt: bool,
    /// Whether the fact is no longer true.
    #[serde(default)]
    pub over: bool,
}

/// A sentence with its labels: the facts that should be extracted from it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The id of the example. It is unique within its file.
    pub id: String,
    /// The name of the scene in which the sentence is said or written.
    pub scene: String,
    /// The kind of text: talk, narration or lore.
    pub form: TextType,
    /// The character who says the text; `None` for narration and written text.
    #[serde(default)]
    pub speaker: Option<EntityId>,
    /// The characters who are present when the text is said.
    #[serde(default)]
    pub present: Vec<EntityId>,
    /// The place where the text is said.
    #[serde(default)]
    pub place: Option<EntityId>,
    /// The texts before this text, oldest first.
    #[serde(default)]
    pub before: Vec<String>,
    /// The text of the sentence.
    pub text: String,
    /// The facts that should be extracted.
    pub facts: Vec<LabelledFact>,
    /// Tags that name the difficulties of the sentence, such as `pronoun`. The report has figures for each tag.
    #[serde(default)]
    pub tags: Vec<String>,
}

/// All scenes and labelled sentences of the files that were read.
#[derive(Debug, Default)]
pub struct Labelled {
    pub(crate) scenes: BTreeMap<String, Scene>,
    pub(crate) examples: Vec<Example>,
}

#[derive(Debug)]
pub(crate) struct Scene {
    ids: BTreeSet<String>,
    names: Vec<String>,
    /// The state of a campaign with the entities of the scene.
    pub(crate) state: State,
    pub(super) lexicon: Lexicon,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SceneLine {
    scene: String,
    #[serde(default, rename = "about")]
    _about: String,
    entities: Vec<SceneEntity>,
}

/// The entities of a scene.
#[derive(Debug)]
pub struct Cast {
    /// The entities.
    pub entities: Vec<SceneEntity>,
    /// The names of the entities, for entity linking.
    pub lexicon: Lexicon,
}

/// Reads a file with one scene.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn read_cast(path: &Path) -> Result<Cast, ExtractionError> {
    let content = read_file(path)?;
    let failed = |problem: String| ExtractionError::Line { path: path.to_owned(), line: 1, problem };
    let scene: SceneLine = serde_json::from_str(&content).map_err(|error| failed(error.to_string()))?;
    let state = scene_state(&scene.entities).map_err(|problem| failed(problem.to_string()))?;
    Ok(Cast { entities: scene.entities, lexicon: Lexicon::from_state(&state) })
}

/// Reads labelled files in order. An example can only use scenes of its own file.
///
/// # Errors
/// Returns an error if a file or one of its lines cannot be read. The error names the line and the expected input.
pub fn read(files: &[PathBuf]) -> Result<Labelled, ExtractionError> {
    read_masked(files, &Mask::default())
}

/// Reads labelled files like [`read`], and replaces names in all their texts and labels.
///
/// # Errors
/// Returns the errors of [`read`].
pub fn read_masked(files: &[PathBuf], mask: &Mask) -> Result<Labelled, ExtractionError> {
    let mut labelled = Labelled::default();
    for (at, path) in files.iter().enumerate() {
        labelled.add(path, &read_file(path)?, at, mask)?;
    }
    Ok(labelled)
}

fn read_file(path: &Path) -> Result<String, ExtractionError> {
    fs::read_to_string(path).map_err(|source| ExtractionError::File { path: path.to_owned(), source })
}

/// Returns the names in labelled files: the names of the entities, and the new names in the labels.
///
/// # Errors
/// Returns the errors of [`read`].
pub fn read_names(files: &[PathBuf]) -> Result<BTreeSet<String>, ExtractionError> {
    Ok(read(files)?.names().map(str::to_owned).collect())
}

impl Labelled {
    /// Returns the names of the entities, and the new names in the labels.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let names = self.scenes.values().flat_map(|scene| scene.names.iter().map(String::as_str));
        let facts = self.examples.iter().flat_map(|example| &example.facts);
        let new_names = facts.flat_map(|fact| [&fact.subject, &fact.object]).filter_map(|end| end.strip_prefix("new:"));
        names.chain(new_names)
    }

    pub(super) fn add(&mut self, path: &Path, content: &str, file: usize, mask: &Mask) -> Result<(), ExtractionError> {
        let mut ids = BTreeSet::new();
        for (line, json) in (1..).zip(content.lines()).filter(|(_, json)| !json.trim().is_empty()) {
            let failed = |problem: String| ExtractionError::Line { path: path.to_owned(), line, problem };
            let mut value: serde_json::Value =
                serde_json::from_str(json).map_err(|error| failed(format!("the line is not valid JSON: {error}")))?;
            mask.apply_to_json(&mut value);
            if value.get("id").is_none() {
                let scene: SceneLine = serde_json::from_value(value).map_err(|error| {
                    failed(format!("not a scene: {error}; a scene has `entities`, and an example has an `id`"))
                })?;
                let state = scene_state(&scene.entities).map_err(|problem| failed(problem.to_string()))?;
                let ids = scene.entities.iter().map(|entity| entity.id.to_string()).collect();
                let scene_name = format!("{file}/{}", scene.scene);
                let names = scene.entities.iter().flat_map(|entity| entity.names.clone()).collect();
                let new_scene = Scene { ids, names, lexicon: Lexicon::from_state(&state), state };
                if self.scenes.insert(scene_name, new_scene).is_some() {
                    return Err(failed(format!(
                        "a second scene `{}`; the names of the scenes in a file must differ",
                        scene.scene
                    )));
                }
                continue;
            }
            let mut example: Example =
                serde_json::from_value(value).map_err(|error| failed(format!("the example is invalid: {error}")))?;
            let name = format!("{file}/{}", example.scene);
            let Some(scene) = self.scenes.get(&name) else {
                return Err(failed(format!("the scene `{}` is not defined before this line", example.scene)));
            };
            if !ids.insert(example.id.clone()) {
                return Err(failed(format!("a second example `{}`; the ids of examples must differ", example.id)));
            }
            let mentioned_ids = example.facts.iter().flat_map(|fact| {
                let relation = fact.predicate.is_relation().then_some(&fact.object);
                [Some(&fact.subject), relation, fact.by.as_ref()].into_iter().flatten().chain(&fact.told)
            });
            let people = example.present.iter().chain(&example.speaker).chain(&example.place).map(|id| id.as_str());
            let mut all_ids = mentioned_ids.map(String::as_str).chain(people);
            let unknown = all_ids.find(|id| !scene.ids.contains(*id) && !id.starts_with("new:")).map(str::to_owned);
            drop(all_ids);
            if let Some(unknown) = unknown {
                let problem = format!(
                    "`{unknown}` is no entity of the scene `{}`; use the id of an entity, or `new:Name` for a new name",
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

/// Error of the entities of a scene.
#[derive(Debug, Error)]
pub(crate) enum SceneError {
    #[error(transparent)]
    Id(#[from] IdError),
    #[error(transparent)]
    Fact(#[from] FactError),
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

/// Creates a state with the entities of a scene.
pub(crate) fn scene_state(entities: &[SceneEntity]) -> Result<State, SceneError> {
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

impl Example {
    pub(super) fn to_text<'a>(
        &'a self,
        preceding: &'a [&'a str],
        encoder: Option<&'a dyn SentenceEncoder>,
    ) -> Text<'a> {
        Text {
            text: &self.text,
            form: self.form,
            speaker: self.speaker.as_ref(),
            present: &self.present,
            place: self.place.as_ref(),
            topic: None,
            preceding,
            previous_speaker: None,
            encoder,
        }
    }
}
