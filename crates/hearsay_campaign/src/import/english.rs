//! English words that the readers of notes use to recognize fields, kinds, states, secrets and rumours. The words are
//! in the files in `data/english`, which are parsed once.

use std::{
    collections::{BTreeMap, HashSet},
    sync::LazyLock,
};

use hearsay_model::{Kind, Predicate};
use serde::Deserialize;

use super::word_lists::parse_table;

/// All word lists.
pub(super) struct English {
    pub(super) fields: FieldNames,
    pub(super) relations: RelationRules,
    pub(super) kinds: KindWords,
    pub(super) words: MarkWords,
}

/// The word lists from `data/english`.
pub(super) static ENGLISH: LazyLock<English> = LazyLock::new(|| English {
    fields: parse_table("english/fields.toml", include_str!("../../data/english/fields.toml")),
    relations: parse_table("english/relations.toml", include_str!("../../data/english/relations.toml")),
    kinds: parse_table("english/kinds.toml", include_str!("../../data/english/kinds.toml")),
    words: parse_table("english/words.toml", include_str!("../../data/english/words.toml")),
});

/// Names of fields that are not relations.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FieldNames {
    pub(super) named: NamedFields,
    pub(super) fields: PlainFields,
    /// For each attribute, the names of the fields that contain it.
    pub(super) attributes: BTreeMap<String, Vec<String>>,
}

/// Names of fields with a special meaning.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NamedFields {
    pub(super) name: Vec<String>,
    pub(super) alias: Vec<String>,
    pub(super) kind: Vec<String>,
    pub(super) player: Vec<String>,
    pub(super) session_number: Vec<String>,
    pub(super) session_date: Vec<String>,
    pub(super) session_present: Vec<String>,
    pub(super) session_start: Vec<String>,
    pub(super) session_end: Vec<String>,
    pub(super) start: Vec<String>,
    pub(super) end: Vec<String>,
}

/// Names of fields that contain a state of the entity, such as `dead`, or its usual place, and names of fields that are
/// ignored.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlainFields {
    pub(super) states: Vec<String>,
    pub(super) usual_places: Vec<String>,
    pub(super) ignored: Vec<String>,
}

/// Fields about ranks, and rules that change relations. The vocabulary has the names of all other relation fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RelationRules {
    pub(super) ranks: RankFields,
    pub(super) fit: Vec<FitRule>,
}

/// Names of fields about ranks in a group.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RankFields {
    /// Fields whose name is the rank, such as `captain`. The value is the member with that rank.
    pub(super) holders: Vec<String>,
    /// Fields whose value is the leader of the group.
    pub(super) leaders: Vec<String>,
    /// Fields whose value is a group that the entity of the note leads.
    pub(super) leads: Vec<String>,
}

/// A rule that changes a relation, depending on the kinds of its two entities.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FitRule {
    name: Predicate,
    direction: Option<Direction>,
    note: Option<Vec<KindClass>>,
    target: Option<Vec<KindClass>>,
    #[serde(default)]
    ranked: bool,
    /// The relation that replaces the original one; `None` to keep it.
    pub(super) becomes: Option<Predicate>,
    /// The direction that replaces the original one; `None` to keep it.
    pub(super) turned: Option<Direction>,
    /// Whether the relation loses its rank.
    #[serde(default)]
    pub(super) drops_rank: bool,
}

/// Direction of a relation between the entity of a note and the target of a link.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Direction {
    /// The entity of the note is the subject.
    Forward,
    /// The target is the subject.
    Backward,
}

/// A kind of entity, or a group of kinds, that a rule names.
#[derive(Deserialize)]
#[serde(from = "String")]
enum KindClass {
    Character,
    /// A built-in kind that is not a character.
    Thing,
    Kind(Kind),
}

impl From<String> for KindClass {
    fn from(word: String) -> Self {
        match word.as_str() {
            "character" => Self::Character,
            "thing" => Self::Thing,
            kind => Self::Kind(Kind::from(kind)),
        }
    }
}

impl KindClass {
    fn contains(&self, kind: &Kind) -> bool {
        match self {
            Self::Character => kind.is_character(),
            Self::Thing => !kind.is_character() && !matches!(kind, Kind::Custom(_)),
            Self::Kind(this_kind) => this_kind == kind,
        }
    }
}

impl FitRule {
    /// Returns whether this rule applies to a relation between entities of these kinds.
    pub(super) fn applies(
        &self,
        (name, backwards, ranked): (&Predicate, bool, bool),
        note: Option<&Kind>,
        target: Option<&Kind>,
    ) -> bool {
        let direction = if backwards { Direction::Backward } else { Direction::Forward };
        let is_allowed = |allowed: &Option<Vec<KindClass>>, kind: Option<&Kind>| match allowed {
            Some(sorts) => kind.is_some_and(|kind| sorts.iter().any(|sort| sort.contains(kind))),
            None => true,
        };
        self.name == *name
            && self.direction.is_none_or(|allowed| allowed == direction)
            && (ranked || !self.ranked)
            && is_allowed(&self.note, note)
            && is_allowed(&self.target, target)
    }
}

/// Words for the kinds and states of entities.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KindWords {
    pub(super) kinds: WordMap,
    pub(super) nouns: WordMap,
    pub(super) name_words: WordMap,
    pub(super) headings: WordMap,
    /// Words for states, such as `deceased`.
    pub(super) states: WordMap,
}

/// A map from words to their meanings.
#[derive(Deserialize)]
#[serde(from = "BTreeMap<String, Vec<String>>")]
pub(super) struct WordMap(std::collections::HashMap<String, String>);

impl From<BTreeMap<String, Vec<String>>> for WordMap {
    fn from(by_meaning: BTreeMap<String, Vec<String>>) -> Self {
        let entries = by_meaning.into_iter();
        Self(entries.flat_map(|(meaning, words)| words.into_iter().map(move |word| (word, meaning.clone()))).collect())
    }
}

impl WordMap {
    /// Returns the meaning of a word.
    pub(super) fn meaning(&self, word: &str) -> Option<&str> {
        self.0.get(word).map(String::as_str)
    }

    /// Returns the kind that a word means.
    pub(super) fn kind(&self, word: &str) -> Option<Kind> {
        self.meaning(word).map(Kind::from)
    }
}

/// Words that mark secrets and rumours, words for "no entity", and words in headings and names.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MarkWords {
    pub(super) secret: SecretWords,
    pub(super) knowers: KnowerWords,
    pub(super) truth: TruthWords,
    pub(super) author_notes: AuthorNoteWords,
    pub(super) party: PartyWords,
    pub(super) no_entity: NoEntityWords,
    pub(super) headings: HeadingWords,
    pub(super) sessions: SessionWords,
    pub(super) names: NameWords,
    pub(super) function_words: FunctionWords,
}

/// Words that mark a secret.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SecretWords {
    pub(super) words: HashSet<String>,
    pub(super) sequences: Vec<Sequence>,
    pub(super) companions: HashSet<String>,
    pub(super) phrases: Vec<Sequence>,
    pub(super) additions: Vec<Sequence>,
}

/// Words that say who knows a secret. The file `data/english/words.toml` says where each list occurs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KnowerWords {
    pub(super) list_starts: Vec<String>,
    pub(super) verbs: Vec<String>,
    pub(super) only_verbs: Vec<String>,
    pub(super) deniers: Vec<String>,
    pub(super) exception_words: Vec<String>,
    pub(super) connectors: HashSet<String>,
    pub(super) denials: Vec<String>,
    pub(super) others: HashSet<String>,
    pub(super) references: HashSet<String>,
    pub(super) no_knowers: HashSet<String>,
}

impl KnowerWords {
    /// Returns the words for nobody: `nobody`, `no one else`.
    pub(super) fn all_deniers(&self) -> impl Iterator<Item = &String> {
        self.deniers.iter().chain(&self.others)
    }

    /// Returns the phrases before the names of the only knowers: `nobody but`, `no one else except`.
    pub(super) fn exceptions(&self) -> impl Iterator<Item = String> {
        self.all_deniers()
            .flat_map(move |denier| self.exception_words.iter().map(move |word| format!("{denier} {word}")))
    }
}

/// A sequence of consecutive words.
#[derive(Deserialize)]
#[serde(from = "String")]
pub(super) struct Sequence(Vec<String>);

impl From<String> for Sequence {
    fn from(words: String) -> Self {
        Self(words.split(' ').map(str::to_owned).collect())
    }
}

impl Sequence {
    /// Returns whether a text contains the words of the sequence one after the other.
    pub(super) fn occurs_in(&self, text: &[String]) -> bool {
        text.windows(self.0.len()).any(|window| *window == *self.0)
    }
}

/// Words that mark a statement as a rumour or as untrue.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TruthWords {
    pub(super) rumoured: HashSet<String>,
    pub(super) untrue: HashSet<String>,
    pub(super) true_remarks: HashSet<String>,
    pub(super) false_remarks: HashSet<String>,
    pub(super) remark_companions: HashSet<String>,
    pub(super) rumour_openers: Vec<String>,
    pub(super) contradictions: Vec<String>,
    pub(super) labels: HashSet<String>,
}

/// Words of the author's working notes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AuthorNoteWords {
    pub(super) anywhere: Vec<Sequence>,
    pub(super) game_nouns: HashSet<String>,
    pub(super) game_noun_openers: HashSet<String>,
    pub(super) world_followers: HashSet<String>,
    pub(super) in_brackets: Vec<Sequence>,
    pub(super) scene_times: HashSet<String>,
}

/// Words of a sentence about all player characters.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PartyWords {
    pub(super) subjects: HashSet<String>,
    pub(super) nouns: HashSet<String>,
    pub(super) verbs: HashSet<String>,
}

/// Words that say that there is no entity.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoEntityWords {
    pub(super) nobody: HashSet<String>,
    pub(super) sorts: HashSet<String>,
    pub(super) vague: HashSet<String>,
}

/// Words in headings and file names.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeadingWords {
    pub(super) parts: HashSet<String>,
    pub(super) about: HashSet<String>,
    pub(super) groups: HashSet<String>,
    pub(super) rules: HashSet<String>,
}

/// Signs of a session log. The file `data/english/words.toml` says where each list occurs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SessionWords {
    pub(super) number_words: HashSet<String>,
    pub(super) kinds: HashSet<String>,
    pub(super) fields: HashSet<String>,
    pub(super) folders: HashSet<String>,
}

/// Words in and around names.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NameWords {
    pub(super) remarks: HashSet<String>,
    pub(super) alias_openers: Vec<String>,
    pub(super) naming_verbs: Vec<String>,
    pub(super) passive_naming_verbs: Vec<String>,
    pub(super) passive_agents: Vec<String>,
    pub(super) nickname_openers: Vec<String>,
    pub(super) alias_marks: Vec<String>,
    pub(super) addressees: HashSet<String>,
    pub(super) real_name_phrases: Vec<Sequence>,
    pub(super) pretence_verbs: Vec<String>,
    pub(super) false_name_marks: Vec<String>,
    pub(super) pretence_ends: HashSet<String>,
    pub(super) real_name_openers: Vec<String>,
}

/// Words without a meaning of their own. The file `data/english/words.toml` says how each list is used.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FunctionWords {
    pub(super) relation: HashSet<String>,
    pub(super) truth: HashSet<String>,
    pub(super) link: HashSet<String>,
    pub(super) noun_end: HashSet<String>,
    pub(super) negation: HashSet<String>,
}

#[cfg(test)]
mod tests {
    use hearsay_model::Vocabulary;

    use super::*;

    #[test]
    fn the_files_are_whole() {
        let english = &*ENGLISH;
        let vocabulary = Vocabulary::default();
        for rule in &english.relations.fit {
            for name in std::iter::once(&rule.name).chain(&rule.becomes) {
                assert!(vocabulary.predicate(name).is_some(), "{name} is not in the vocabulary");
            }
        }
        let known = |word: &String| Kind::BUILT_IN.contains(&Kind::from(word.as_str()));
        let kinds = &english.kinds;
        for map in [&kinds.kinds, &kinds.nouns, &kinds.name_words, &kinds.headings] {
            assert!(map.0.values().all(known));
        }
    }
}
