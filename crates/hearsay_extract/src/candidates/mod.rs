//! Less certain facts, which words and classifiers propose. Most of them wait for review.

pub(crate) mod attribute_classifier;
pub(crate) mod attributes;
pub(crate) mod keywords;
pub(crate) mod modifiers;
pub(crate) mod relation_classifier;
pub(crate) mod relations;
pub(crate) mod sentence_similarity;
pub(crate) mod word_votes;
