//! English words with which questions are read. The lists are read once, from `data/questions.toml`, which explains each
//! list.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

/// Lists of English words, one list for each purpose.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct QuestionWords {
    pub(super) opinion_questions: Vec<String>,
    pub(super) relation_questions: Vec<String>,
    pub(super) possession_questions: Vec<String>,
    pub(super) possession_determiners: Vec<String>,
    pub(super) owner_marks: Vec<String>,
    pub(super) place_questions: Vec<String>,
    pub(super) property_questions: Vec<PropertyQuestion>,
    pub(super) relatives: BTreeMap<String, Vec<String>>,
}

/// Questions for a property of an entity.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PropertyQuestion {
    pub(super) predicates: Vec<String>,
    pub(super) exclusive: bool,
    pub(super) phrases: Vec<String>,
}

/// The lists.
#[expect(clippy::panic, reason = "the file is part of the program, and the tests of replies read it")]
pub(super) static QUESTION_WORDS: LazyLock<QuestionWords> = LazyLock::new(|| {
    let file = include_str!("../../data/questions.toml");
    toml::from_str(file).unwrap_or_else(|error| panic!("data/questions.toml: {error}"))
});
