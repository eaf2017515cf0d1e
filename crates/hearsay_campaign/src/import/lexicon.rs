//! Meanings of the names of fields and relations, shared by the readers of all formats.

use std::{collections::HashMap, sync::LazyLock};

use hearsay_model::{Kind, ListDirections, Predicate, PredicateRole, Vocabulary, attribute, slug};

use super::{
    DateRole,
    english::{Direction, ENGLISH},
    truth::{self, Truth},
};

/// The meaning of a field of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meaning {
    /// The field contains the name of the entity.
    Name,
    /// The field contains another name of the entity.
    Alias,
    /// The field contains the kind of the entity.
    Kind,
    /// The field contains the name of the player, so the entity is a player character.
    Player,
    /// The field states a relation to other entities. Values that are not entities become an attribute with the name of
    /// the field.
    Relation(RelationMeaning),
    /// The field contains an attribute with this name.
    Attribute(Predicate),
    /// The field contains a state of the entity, such as dead or missing.
    State,
    /// The field contains a date.
    Date(DateRole),
    /// The field occurs only in session logs.
    Session(SessionField),
    /// The field states no fact about the game world. Examples are a setting of the page layout, and a number of the
    /// game rules.
    Ignored,
}

/// A field of a session log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionField {
    /// The number of the session.
    Number,
    /// The date of the session in the real world.
    Date,
    /// The game date at the start of the session.
    Start,
    /// The game date at the end of the session.
    End,
    /// The characters who were present at the session.
    Present,
}

/// The relation that a field or a phrase states between the entity of a note and a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationMeaning {
    /// The predicate of the relation.
    pub predicate: Predicate,
    /// Whether the target is the subject of the relation. Otherwise the entity of the note is the subject.
    pub backwards: bool,
    /// The rank that the relation implies, such as `leader`; `None` if the relation implies no rank.
    pub rank: Option<&'static str>,
}

/// Returns whether the word lists or the vocabulary contain this field name. Readers use this function to decide
/// whether bold text before a colon is the name of a field.
pub fn is_known(name: &str) -> bool {
    match meaning(name) {
        Meaning::Ignored => false,
        Meaning::Attribute(attribute) => {
            let is_listed = find_entry(&normalize_name(name), &VOCABULARY).is_some();
            is_listed || VOCABULARY.attribute(&attribute).is_some()
        }
        _ => true,
    }
}

/// Returns the meaning of the field with this name, according to the word lists and the built-in vocabulary.
pub fn meaning(name: &str) -> Meaning {
    meaning_in(name, &VOCABULARY)
}

/// Returns the meaning of the field with this name. `vocabulary` has the names of the fields that state relations.
pub fn meaning_in(name: &str, vocabulary: &Vocabulary) -> Meaning {
    let word = normalize_name(name);
    if let Some(meaning) = SPECIAL_FIELDS.get(word.as_str()) {
        return meaning.clone();
    }
    let attribute = match find_entry(&word, vocabulary) {
        Some(LexiconEntry::Ignored) => return Meaning::Ignored,
        Some(LexiconEntry::State) => return Meaning::State,
        Some(LexiconEntry::Relation { name, backwards, rank }) => {
            return Meaning::Relation(RelationMeaning { predicate: name.clone(), backwards, rank });
        }
        Some(LexiconEntry::Attribute(name)) => name,
        None => match truth::split_doubt(&word) {
            // `Rumoured allies` has the meaning of `allies`. The doubt is handled separately.
            (Truth::Plain, _) => word.as_str(),
            (_, rest) => match meaning_in(rest, vocabulary) {
                relation @ Meaning::Relation(_) => return relation,
                _ => word.as_str(),
            },
        },
    };
    match Predicate::new(&attribute.replace('-', "_")) {
        Ok(name) if !name.is_relation() => Meaning::Attribute(name),
        _ => Meaning::Ignored,
    }
}

/// The meaning of a field name in the word lists or the vocabulary.
#[derive(Debug, Clone, Copy)]
enum LexiconEntry<'a> {
    Ignored,
    State,
    Relation { name: &'a Predicate, backwards: bool, rank: Option<&'static str> },
    Attribute(&'static str),
}

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(Vocabulary::default);

/// Names of the fields with a special meaning.
static SPECIAL_FIELDS: LazyLock<HashMap<&'static str, Meaning>> = LazyLock::new(|| {
    let named = &ENGLISH.fields.named;
    let session = Meaning::Session;
    let all = [
        (&named.name, Meaning::Name),
        (&named.alias, Meaning::Alias),
        (&named.kind, Meaning::Kind),
        (&named.player, Meaning::Player),
        (&named.session_number, session(SessionField::Number)),
        (&named.session_date, session(SessionField::Date)),
        (&named.session_present, session(SessionField::Present)),
        (&named.session_start, session(SessionField::Start)),
        (&named.session_end, session(SessionField::End)),
        (&named.start, Meaning::Date(DateRole::Start)),
        (&named.end, Meaning::Date(DateRole::End)),
    ];
    all.into_iter()
        .flat_map(|(words, meaning)| words.iter().map(move |word| (word.as_str(), meaning.clone())))
        .collect()
});

/// Names of all other fields in the word lists. If a word is in two lists, the earlier list wins.
static LEXICON: LazyLock<HashMap<&'static str, LexiconEntry<'static>>> = LazyLock::new(|| {
    let (fields, relations) = (&ENGLISH.fields, &ENGLISH.relations);
    let mut rows = HashMap::new();
    let mut add = |words: &'static [String], row: &dyn Fn(&'static str) -> LexiconEntry<'static>| {
        for word in words {
            rows.entry(word.as_str()).or_insert_with(|| row(word));
        }
    };
    add(&fields.fields.ignored, &|_| LexiconEntry::Ignored);
    add(&fields.fields.states, &|_| LexiconEntry::State);
    let member = |backwards, rank| LexiconEntry::Relation {
        name: PredicateRole::Membership.predicate(),
        backwards,
        rank: Some(rank),
    };
    add(&relations.ranks.holders, &|word| member(true, word));
    add(&relations.ranks.leaders, &|_| member(true, "leader"));
    add(&relations.ranks.leads, &|_| member(false, "leader"));
    for (name, words) in &fields.attributes {
        add(words, &|_| LexiconEntry::Attribute(name));
    }
    rows
});

/// Looks up a word, also in its singular form.
fn find_entry<'a>(word: &str, vocabulary: &'a Vocabulary) -> Option<LexiconEntry<'a>> {
    let singular = || word.strip_suffix('s').filter(|_| !word.ends_with("ss"));
    find_exact_entry(word, vocabulary).or_else(|| find_exact_entry(singular()?, vocabulary))
}

/// Looks up a word. A relation of the vocabulary takes precedence over an attribute.
fn find_exact_entry<'a>(word: &str, vocabulary: &'a Vocabulary) -> Option<LexiconEntry<'a>> {
    let listed = LEXICON.get(word).copied();
    if listed.is_some_and(|entry| !matches!(entry, LexiconEntry::Attribute(_))) {
        return listed;
    }
    let relation = vocabulary.relation_of_field(word).map(|field| LexiconEntry::Relation {
        name: &field.predicate,
        backwards: field.is_inverse,
        rank: None,
    });
    relation.or(listed)
}

/// Returns the relation that words such as `is the rival of`, `organization` or `MEMBER_OF` state. Up to five unknown
/// words become the name of a new relation. For more than five unknown words, the relation is `RELATED_TO`. Never
/// returns `None`.
pub fn relation(words: &str, vocabulary: &Vocabulary) -> Option<RelationMeaning> {
    let word = normalize_name(words);
    let parsed = Predicate::relation(&word).ok();
    if let Some(name) = &parsed {
        if vocabulary.predicate(name).is_some() {
            return Some(RelationMeaning { predicate: name.clone(), backwards: false, rank: None });
        }
        if let Some(def) = vocabulary.inverse_of(name) {
            return Some(RelationMeaning { predicate: def.name.clone(), backwards: true, rank: None });
        }
    }
    if let Meaning::Relation(meaning) = meaning_in(words, vocabulary) {
        return Some(meaning);
    }
    // `is the rival of` has the same meaning as `rival of`, and `a member of the` the same as `member of`.
    let content_words = word.split('-').filter(|word| !ENGLISH.words.function_words.relation.contains(*word));
    let content_words: Vec<&str> = content_words.collect();
    let short = content_words.join("-");
    if short != word && !short.is_empty() {
        return relation(&short, vocabulary);
    }
    let predicate = match parsed {
        Some(name) if content_words.len() <= 5 => name,
        _ => PredicateRole::Related.predicate().clone(),
    };
    Some(RelationMeaning { predicate, backwards: false, rank: None })
}

/// Adapts the relation that a list states to the kind of the note's entity. In the note of a place, `Locations` lists
/// parts of that place.
pub(super) fn adapt_list_relation(name: &str, meaning: &RelationMeaning, note: Option<&Kind>) -> RelationMeaning {
    let word = normalize_name(name);
    let is_plural = word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("whereabouts");
    let lists_parts = is_plural
        && !meaning.backwards
        && PredicateRole::Location.is(&meaning.predicate)
        && note == Some(&Kind::Location);
    match lists_parts {
        true => RelationMeaning { predicate: PredicateRole::Part.predicate().clone(), backwards: true, rank: None },
        false => meaning.clone(),
    }
}

/// Adapts a relation to the kinds of the note's entity and of the target. For example, the `parent` of a place contains
/// that place.
pub fn fit_to_kinds(mut meaning: RelationMeaning, note: Option<&Kind>, target: Option<&Kind>) -> RelationMeaning {
    let relation = (&meaning.predicate, meaning.backwards, meaning.rank.is_some());
    let Some(rule) = ENGLISH.relations.fit.iter().find(|rule| rule.applies(relation, note, target)) else {
        return meaning;
    };
    if let Some(predicate) = &rule.becomes {
        meaning.predicate = predicate.clone();
    }
    if let Some(direction) = rule.turned {
        meaning.backwards = direction == Direction::Backward;
    }
    if rule.drops_rank {
        meaning.rank = None;
    }
    meaning
}

/// Returns whether a heading that states this relation applies to each item of the list below it.
pub(super) fn applies_to_list_items(meaning: &RelationMeaning) -> bool {
    match VOCABULARY.words(&meaning.predicate).and_then(|words| words.lists) {
        Some(ListDirections::Both) => true,
        Some(ListDirections::Inverse) => meaning.backwards,
        None => false,
    }
}

/// Converts a word to the form of the word lists: `currentLocation` and `Current location` become `current-location`.
fn normalize_name(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 8);
    let mut previous = ' ';
    for c in name.chars() {
        if c.is_uppercase() && previous.is_lowercase() {
            words.push(' ');
        }
        words.push(c);
        previous = c;
    }
    // A name may be written as `organization(s)`.
    slug(&words.replace("(s)", "s"))
}

/// Returns the kind of entity that a tag, a type or the name of a folder means. Returns `None` if the word does not
/// mean a kind.
pub fn kind(word: &str) -> Option<Kind> {
    let word = normalize_name(word);
    // `npc/ally` and `world/people` contain the kind as a part.
    let words: Vec<&str> = word.split('-').collect();
    let kind_of_word =
        |word: &str| ENGLISH.kinds.kinds.kind(word.strip_suffix('s').filter(|_| !word.ends_with("ss")).unwrap_or(word));
    kind_of_word(&word)
        .or_else(|| (words.len() <= 4).then(|| words.iter().rev().find_map(|word| kind_of_word(word)))?)
}

/// Returns the kind of the entities that a noun describes, such as `blacksmith` or `outpost`, or `None` if the noun is
/// unknown.
pub fn noun(word: &str) -> Option<Kind> {
    ENGLISH.kinds.nouns.kind(word).or_else(|| kind(word))
}

/// Returns the kind of the entities that a noun of two words describes, such as `boarding house`, or `None` if the noun is
/// unknown.
pub fn compound_noun(first: &str, second: &str) -> Option<Kind> {
    ENGLISH.kinds.nouns.kind(&format!("{first} {second}"))
}

/// Returns the kind that a word in a name implies. For example, `The Ascendant Guild` is a faction. Returns `None` if
/// no word implies a kind.
pub fn name_kind(name: &str) -> Option<Kind> {
    let words = slug(name);
    let last = words.rsplit('-').next()?;
    let first = words.trim_start_matches("the-").split('-').next()?;
    if words.contains("bandits") {
        return Some(Kind::Faction);
    }
    let kinds = [last, first].map(|word| ENGLISH.kinds.name_words.kind(word));
    let includes = |kind: Kind| kinds.contains(&Some(kind.clone())).then_some(kind);
    includes(Kind::Faction).or_else(|| includes(Kind::Location))
}

/// Returns the kind that a heading such as `Key locations`, `NPCs` or `Residents` announces for the entities below it.
/// Returns `None` if the heading announces no kind.
pub fn announced_kind(title: &str) -> Option<Kind> {
    // Words in parentheses are a remark. A possessive names the owner, not the kind.
    let words = hearsay_model::text::words(title.split('(').next().unwrap_or_default());
    let kind_of_word = |word: &String| {
        let plural_kind = || word.ends_with('s').then(|| kind(word)).flatten();
        ENGLISH.kinds.headings.kind(word).or_else(plural_kind)
    };
    if words.len() > 4 { None } else { words.iter().rev().find_map(kind_of_word) }
}

/// Returns whether a heading is the title of a part of a text, such as `History` or `Rumours in town`, and therefore no
/// name.
pub fn is_part_title(title: &str) -> bool {
    let words = slug(title);
    let is_part_word = |word: &str| ENGLISH.words.headings.parts.contains(word);
    words.split('-').next().is_some_and(is_part_word) || words.rsplit('-').next().is_some_and(is_part_word)
}

/// Returns the state that the words mean, in the words of the vocabulary. For example, `DECEASED` becomes `dead`. In a
/// longer text such as `DECEASED (throat slit)`, only the beginning counts. Returns `None` if the words do not mean a
/// state.
pub fn state(words: &str) -> Option<&'static str> {
    let text = hearsay_model::text::words(words.split('(').next().unwrap_or_default());
    let first: Vec<&str> = text.iter().take(4).map(String::as_str).collect();
    let is_negated = ENGLISH.words.function_words.negation.iter().any(|word| first.contains(&word.as_str()));
    if is_negated {
        return None;
    }
    first.iter().find_map(|word| ENGLISH.kinds.states.meaning(word))
}

/// Returns the state that a field such as `dead: true` or `alive: false` expresses. Returns `None` if the field does
/// not express a state.
pub fn flag_state(name: &str, flag: bool) -> Option<&'static str> {
    match (state(&normalize_name(name).replace('-', " "))?, flag) {
        ("alive", false) => Some("dead"),
        (state, true) => Some(state),
        _ => None,
    }
}

/// Returns whether a field contains the usual place of the note's entity, such as `location`.
pub(super) fn is_usual_place(name: &str) -> bool {
    ENGLISH.fields.fields.usual_places.contains(&normalize_name(name))
}

/// Returns whether a field states the home of the note's entity.
pub(super) fn is_home(name: &str, vocabulary: &Vocabulary) -> bool {
    match meaning_in(name, vocabulary) {
        Meaning::Relation(meaning) => PredicateRole::Residence.is(&meaning.predicate) && !meaning.backwards,
        _ => false,
    }
}

/// Returns whether an importer must not write an attribute of this name.
pub(super) fn is_reserved(name: &Predicate) -> bool {
    [attribute::NAME, attribute::KIND, attribute::ALIAS].contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_the_relations_of_the_vocabulary() {
        for def in VOCABULARY.predicates() {
            let Some(words) = VOCABULARY.words(&def.name) else { continue };
            for (fields, backwards) in [(&words.fields, false), (&words.inverse_fields, true)] {
                for field in fields {
                    let expected = RelationMeaning { predicate: def.name.clone(), backwards, rank: None };
                    assert_eq!(meaning(field), Meaning::Relation(expected), "{field}");
                }
            }
        }
    }
}
