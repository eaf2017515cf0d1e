//! Lists of English words that single rules of the extractor look for. The lists are read once, from
//! `data/english/lists.toml`, which explains each list. They are the same for every [`Language`](crate::Language).

use std::sync::LazyLock;

use rustc_hash::FxHashSet;
use serde::Deserialize;

use crate::language::language_file::Words;

/// Set of words or phrases.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "Words")]
pub(crate) struct WordSet(FxHashSet<String>);

impl From<Words> for WordSet {
    fn from(words: Words) -> Self {
        Self(words.iter().map(str::to_owned).collect())
    }
}

impl WordSet {
    /// Returns whether the set contains a word, which must be in lowercase.
    pub(crate) fn contains(&self, word: &str) -> bool {
        self.0.contains(word)
    }

    /// Returns the words, in no particular order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// Defines the tables of the file, with the lists of each table.
macro_rules! word_lists {
    ($($table:ident: $type:ident { $($list:ident),* $(,)? })*) => {
        /// All lists, by table.
        #[derive(Debug, Default, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct WordLists {
            $(pub(crate) $table: $type,)*
        }

        $(
            /// Lists of a table.
            #[derive(Debug, Default, Deserialize)]
            #[serde(deny_unknown_fields)]
            pub(crate) struct $type {
                $(pub(crate) $list: WordSet,)*
            }
        )*
    };
}

word_lists! {
    pronouns: Pronouns {
        all, male, female, neuter, plural, reflexive, possessive_determiners,
        third_person_determiners, independent_possessives, relative, no_noun_groups, no_anaphors,
        indefinite_prefixes, unasserted_subjects, existential, before_exceptions, universal, objects,
        with_plural_verbs, ambiguous_subjects, facts, resumed,
    }
    determiners: Determiners {
        label_articles, ignored, definite, introducing, naming, outside_values, before_descriptions,
        before_name_parts, before_symbols, negative, without_description, floating, subject_quantifiers,
        plural_quantifiers, demonstratives, before_verbs, partitives, pronoun_partitives, portions,
    }
    conjunctions: Conjunctions {
        coordinators, additive, alternatives, subordinators, before_clauses, sharing_subjects, contrasts, contrast_blockers,
        difficulties, past_circumstances, unasserted, conditions, times, until, before_endings, concessions,
        after_descriptions, before_sources,
    }
    prepositions: Prepositions {
        owners, reciprocal_objects, employers, label_owners, dates, in_dates, in_values, after_adjectives,
        addressees, of_sources, of_tellings, after_reports, places, locations, destinations, value_ends,
        exceptions, comparisons, before_months, description_ends, after_deaths,
    }
    adverbs: Adverbs {
        former, present, nearly, negative, frequencies, habits, place_particles, place_intensifiers,
        intensifiers, departures, no_adverbs,
    }
    auxiliaries: Auxiliaries {
        be_forms, have_forms, do_forms, get_forms, go_forms, singular, have_and_do, inflected, conditional_openers,
        after_nor, possibility, not_only_questions, after_question_words, before_no_longer, elliptic,
        short_forms, obligations,
    }
    verbs: Verbs {
        naming, naming_participles, plans, guesses, open_thoughts, denials, learning, proofs, claims, rumours,
        endings, unasserting, telling, not_parenthetical, with_hearers, about_hearers, orders, subject_control, delivery,
        asides, before_verbs, past_participles, act_followers, keeping, possession, postures, dwelling,
        locations, heights, sounds, losses, finding, asking, double_objects, breaking, wishes, wishes_in_clefts,
        lasting_acts, outcomes, governing, no_past_forms, writing, escorting, with_of, with_base_forms,
    }
    nouns: Nouns {
        plurals, people, collective_subjects, descendants, second_parts, no_occupations, animals,
        place_surnames, named_after_owner, reports, beliefs, news, mottos, atmospheres, governing,
        described_body_parts, fatal_parts, face_parts, not_given, body_parts, skin_marks,
    }
    adjectives: Adjectives {
        former, injuries, deaths, praise, manners, over, outside_values, endearments, suffixes, common_suffixes,
    }
    numbers: Numbers {
        parts, magnitudes, partial, approximators, value_approximators, count_approximators, age_words,
        age_cues, after_ages, no_ages, currencies, payments, heights,
    }
    times: Times {
        nouns, calendar, dates, after_last, after_names, spans, years, of_day,
    }
    questions: Questions {
        words, inverted, indirect, known, complements, before_is,
    }
    speech: Speech {
        negations, pattern_negations, discourse_markers, interjections, hesitations, fillers, no_noun_words,
        apologies, after_apologies, before_orders, order_starts, everybody, status_words, after_ellipsis,
    }
    names: Names {
        particles, linking_words, alias_openers, address_titles, male_values, female_values, other_values,
    }
    phrases: Phrases {
        asides, emphasis, naming, repairs, tag_questions, goals, with_objects,
    }
    statements: Statements {
        first_and_second_person, third_person, possessives, subjects, plans, guesses, past, no_verbs, vague,
        clause_boundaries, auxiliaries, after_has, before_nouns, not_final, not_last, orders, after_object_her,
        subject_searches, introductions,
    }
}

const ENGLISH_LISTS: &str = include_str!("../../data/english/lists.toml");

/// Returns the lists.
pub(crate) fn lists() -> &'static WordLists {
    // The file is compiled into the program, and a test checks it. Therefore the default is never used.
    static LISTS: LazyLock<WordLists> = LazyLock::new(|| toml::from_str(ENGLISH_LISTS).unwrap_or_default());
    &LISTS
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn the_lists_are_whole() {
        toml::from_str::<WordLists>(ENGLISH_LISTS).unwrap();
        let tables: BTreeMap<String, BTreeMap<String, Words>> = toml::from_str(ENGLISH_LISTS).unwrap();
        for (table, lists) in &tables {
            for (list, words) in lists {
                assert!(words.iter().next().is_some(), "the list {table}.{list} is empty");
            }
        }
        assert!(lists().verbs.naming.contains("dub") && lists().phrases.goals.iter().any(|phrase| phrase == "out to"));
    }
}
