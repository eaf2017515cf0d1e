//! English words with which pages and answers are read. The lists are read once, from `data/pages.toml`, which explains
//! each list.

use std::sync::LazyLock;

use serde::Deserialize;

/// Lists of English words, one list for each purpose.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PageWords {
    pub(super) start_words: Vec<String>,
    pub(super) telling_verbs: Vec<String>,
    pub(super) teller_starts: Vec<String>,
    pub(super) hearer_starts: Vec<String>,
    pub(super) everybody: Vec<String>,
    pub(super) hearing_verbs: Vec<String>,
    pub(super) heard_verbs: Vec<String>,
    pub(super) place_parts: Vec<String>,
    pub(super) place_prepositions: Vec<String>,
    pub(super) name_followers: Vec<String>,
    pub(super) noun_followers: Vec<String>,
    pub(super) no_names: Vec<String>,
    pub(super) male_titles: Vec<String>,
    pub(super) female_titles: Vec<String>,
    pub(super) saint_titles: Vec<String>,
    pub(super) dedicated_buildings: Vec<String>,
    pub(super) name_verbs: Vec<String>,
    pub(super) list_verbs: Vec<String>,
    pub(super) adverbs_without_subject: Vec<String>,
    pub(super) unwitting_words: Vec<String>,
    pub(super) knowing_forms: Vec<String>,
    pub(super) place_adverbs: Vec<String>,
    pub(super) lie_titles: Vec<String>,
    pub(super) rumour_titles: Vec<String>,
    pub(super) secret_titles: Vec<String>,
    pub(super) truth_openers: Vec<String>,
    pub(super) thread_titles: Vec<String>,
    pub(super) player_titles: Vec<String>,
    pub(super) people_titles: Vec<String>,
    pub(super) place_titles: Vec<String>,
    pub(super) faction_titles: Vec<String>,
    pub(super) item_titles: Vec<String>,
    pub(super) dm_only_titles: Vec<String>,
    pub(super) page_nouns: Vec<String>,
    pub(super) page_noun_companions: Vec<String>,
    pub(super) title_companions: Vec<String>,
    pub(super) title_followers: Vec<String>,
    pub(super) meeting_verbs: Vec<String>,
    pub(super) place_introductions: Vec<String>,
    pub(super) remark_starts: Vec<String>,
    pub(super) topic_ends: Vec<String>,
    pub(super) membership_words: Vec<String>,
    pub(super) personal_relations: Vec<String>,
    pub(super) fatal_roles: Vec<String>,
    pub(super) naming_verbs: Vec<String>,
    pub(super) personal_relatives: Vec<String>,
    pub(super) thing_relatives: Vec<String>,
    pub(super) family_nouns: Vec<String>,
    pub(super) family_titles: Vec<String>,
}

/// The lists.
#[expect(clippy::panic, reason = "the file is part of the program, and the tests of pages read it")]
pub(super) static ENGLISH: LazyLock<PageWords> = LazyLock::new(|| {
    let file = include_str!("../../../data/pages.toml");
    toml::from_str(file).unwrap_or_else(|error| panic!("data/pages.toml: {error}"))
});
