//! Finds entities by their names, aliases, parts of names and descriptions.

use hearsay_model::{
    EntityId, Kind, State, attribute,
    spelling::{SpellingIndex, is_common_word},
    text,
    words::{is_title, without_article},
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::OnceLock;

use crate::language::{
    grammar::{Grammar, WordClass},
    kind_set::KindSet,
    word_lists::{WordSet, lists},
};

/// The pronouns that can refer to an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Gender {
    #[default]
    Unknown,
    He,
    She,
    It,
    They,
}

/// How words refer to an entity. The variants are in descending order of preference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NameType {
    Name,
    Alias,
    Part,
    Description,
}

/// Entity in a [`Lexicon`].
#[derive(Debug, Clone)]
pub struct LexiconEntity {
    pub(crate) id: EntityId,
    pub(crate) name: String,
    pub(crate) kinds: KindSet,
    /// Whether the entity is a character that is not played by a player.
    pub(crate) is_npc: bool,
    /// Recorded gender.
    gender: Gender,
    /// Words of the names and descriptions of a person that can state the gender, such as "brother".
    gender_words: Vec<String>,
}

impl LexiconEntity {
    /// Returns the recorded gender, or else the gender that the titles and the occupation of the entity state, as in
    /// "Brother Anselm", "the Saffron Lady" and "stable boy".
    pub(crate) fn gender(&self, grammar: &Grammar) -> Gender {
        match self.gender {
            Gender::Unknown => stated_gender(self.gender_words.iter().map(String::as_str), grammar),
            gender => gender,
        }
    }

    /// Returns whether a word is the title before a name of the entity, or the noun of a description of the entity. The word
    /// must be in lowercase.
    pub(crate) fn has_title(&self, word: &str) -> bool {
        self.gender_words.iter().any(|title| title == word)
    }

    /// Returns the id of the entity.
    pub fn id(&self) -> &EntityId {
        &self.id
    }

    /// Returns the main name of the entity.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns a kind that fits the entity. Similar kinds are not distinguished: the kind is [`Kind::Npc`] for every
    /// person, [`Kind::Faction`] for every group, and [`Kind::Item`] for every thing. Returns `None` if the entity has
    /// no kind or a custom kind.
    pub fn likely_kind(&self) -> Option<Kind> {
        self.kinds.likely_kind()
    }
}

/// Names and other properties of an entity, from which a [`Lexicon`] is made.
#[derive(Debug, Clone)]
pub struct EntityNames<'a> {
    /// The entity.
    pub id: &'a EntityId,
    /// Names and aliases. The first is the main name.
    pub names: Vec<&'a str>,
    /// Kind of the entity; `None` if it is unknown.
    pub kind: Option<Kind>,
    /// Pronouns or gender, such as "she/her" or "female"; `None` if they are unknown.
    pub pronouns: Option<&'a str>,
    /// Descriptions that texts can use instead of the name, such as "captain of the watch".
    pub descriptions: Vec<&'a str>,
    /// Person at the table who plays the character; `None` if nobody is known.
    pub player: Option<&'a str>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct LinkCandidate {
    pub(crate) entity: u32,
    pub(crate) name_type: NameType,
    /// Whether the words are a description of the entity, also if they are part of its name: "the abbot" can be Abbot
    /// Odo.
    pub(crate) is_description: bool,
}

/// Index of the names of a campaign's entities. Finds these names in texts.
///
/// The index does not contain secret names, because a text with a secret name must not reveal which entity has this
/// name.
#[derive(Debug, Clone, Default)]
pub struct Lexicon {
    pub(crate) entities: Vec<LexiconEntity>,
    by_id: FxHashMap<EntityId, u32>,
    names: FxHashMap<String, Vec<LinkCandidate>>,
    /// Maps a word to the number of words in the longest name that begins with the word.
    max_words_by_first_word: FxHashMap<String, usize>,
    spellings: OnceLock<SpellingIndex<u32>>,
    /// The index of the players' party, if the campaign has exactly one party.
    party: Option<u32>,
    /// Names that end in `'s`, such as "St. Orrin's".
    possessive_names: FxHashSet<String>,
    /// The character of each person at the table, by the person's full name and by its first word. `None` if several
    /// characters have a player with this name.
    characters_of_players: FxHashMap<String, Option<u32>>,
}

/// Maximum number of words in a name; longer names are ignored.
const MAX_NAME_WORDS: usize = 8;

impl Lexicon {
    /// Collects the names of all entities in a state, without secret names.
    pub fn from_state(state: &State) -> Self {
        Self::from_names(state.entities().map(|entity| {
            let id = &entity.id;
            let is_public = |fact: &&hearsay_model::Fact| fact.secrecy() != hearsay_model::Secrecy::Secret;
            let value = |name: &str| state.newest(id, name).filter(is_public).and_then(|fact| fact.object().text());
            let kind = state.kind(id);
            EntityNames {
                id,
                names: state.open_names(id),
                pronouns: recorded_pronouns(state, id, kind.as_ref()),
                kind,
                descriptions: [attribute::OCCUPATION, attribute::TITLE].into_iter().filter_map(value).collect(),
                player: value(attribute::PLAYER),
            }
        }))
    }

    /// Collects the given names. Leaves out entities without a name.
    pub fn from_names<'a>(entities: impl IntoIterator<Item = EntityNames<'a>>) -> Self {
        let mut lexicon = Self::default();
        let mut parties = Vec::new();
        for EntityNames { id, names, kind, pronouns, descriptions, player } in entities {
            let Some(first) = names.first() else { continue };
            let mut gender = pronouns.map(parse_gender).unwrap_or_default();
            let kinds = KindSet::from_kind(kind.as_ref());
            if gender == Gender::Unknown && !kinds.intersects(KindSet::PERSON) {
                gender = Gender::It;
            }
            let index = lexicon.entities.len() as u32;
            lexicon.entities.push(LexiconEntity {
                id: id.clone(),
                name: (*first).to_owned(),
                kinds,
                is_npc: kind == Some(Kind::Npc),
                gender,
                gender_words: gender_words(&names, &descriptions),
            });
            lexicon.by_id.insert(id.clone(), index);
            let player = player.map(text::words).unwrap_or_default();
            for name in [player.join(" "), player.first().cloned().unwrap_or_default()] {
                if !name.is_empty() {
                    let character = lexicon.characters_of_players.entry(name).or_insert(Some(index));
                    *character = character.filter(|character| *character == index);
                }
            }
            parties.extend((kind == Some(Kind::Party)).then_some(index));
            for (at, name) in names.iter().enumerate() {
                lexicon.add_name(index, name, if at == 0 { NameType::Name } else { NameType::Alias }, kind.as_ref());
            }
            for description in descriptions {
                lexicon.add_description(index, description);
            }
        }
        lexicon.party = <[u32; 1]>::try_from(parties).ok().map(|[party]| party);
        lexicon
    }

    fn add(&mut self, words: &[String], entity: u32, name_type: NameType) {
        if words.is_empty() || words.len() > MAX_NAME_WORDS {
            return;
        }
        let candidates = self.names.entry(words.join(" ")).or_default();
        let is_description = name_type == NameType::Description;
        match candidates.iter_mut().find(|candidate| candidate.entity == entity) {
            Some(candidate) => {
                candidate.name_type = candidate.name_type.min(name_type);
                candidate.is_description |= is_description;
            }
            None => candidates.push(LinkCandidate { entity, name_type, is_description }),
        }
        let longest = self.max_words_by_first_word.entry(words[0].clone()).or_default();
        *longest = (*longest).max(words.len());
    }

    fn add_name(&mut self, entity: u32, name: &str, name_type: NameType, kind: Option<&Kind>) {
        let words = without_article(text::words(name));
        self.add(&words, entity, name_type);
        if text::normalize(name).ends_with("'s") {
            self.possessive_names.insert(words.join(" "));
            self.possessive_names.extend(words.last().cloned());
        }
        if words.len() < 2 {
            return;
        }
        if is_person_kind(kind) && words.len() > 2 {
            // Adds "Edmund Harrow" for "Dr. Edmund Harrow", and "Liora Serin" for "Liora Hren Serin".
            self.add(&words[1..], entity, NameType::Part);
            self.add(&[words[0].clone(), words[words.len() - 1].clone()], entity, NameType::Part);
        }
        // Adds "the Tallow Star" for the Order of the Tallow Star.
        let of_position =
            words.iter().position(|word| word == "of").filter(|_| KindSet::from_kind(kind) == KindSet::GROUP);
        if let Some(of_position) = of_position.filter(|at| *at > 0) {
            let rest = without_article(words[of_position + 1..].to_vec());
            if rest.len() > 1 {
                self.add(&rest, entity, NameType::Part);
            }
        }
        // "The watch" can refer to the Harbour Watch, but "the harbour" cannot.
        let last = words.len() - 1;
        let is_person = kind.is_some_and(Kind::is_character);
        for (at, word) in words.iter().enumerate() {
            let is_significant = word.chars().count() > 2 && !(at == 0 && is_title(word));
            if is_significant
                && (at == last
                    || (!is_common_word(word) && !is_name_particle(word))
                    || (is_person && at == 0)
                    || (at == 0 && words[1] == "of"))
            {
                self.add(std::slice::from_ref(word), entity, NameType::Part);
            }
        }
    }

    fn add_description(&mut self, entity: u32, description: &str) {
        let words = without_article(text::words(description));
        let of_position = words.iter().position(|word| is_noun_end(word));
        self.add(&words, entity, NameType::Description);
        if let Some(at) = of_position.filter(|at| *at > 0) {
            self.add(&words[..at], entity, NameType::Description);
        }
        let end = of_position.unwrap_or(words.len());
        if let Some(last) = words[..end].last() {
            self.add(std::slice::from_ref(last), entity, NameType::Description);
        }
    }

    /// Returns the character that a person at the table plays. `name` is the person's full name or its first word, in
    /// lowercase.
    pub(crate) fn character_of_player(&self, name: &str) -> Option<u32> {
        self.characters_of_players.get(name).copied().flatten()
    }

    /// Returns whether a name in lowercase is the full name of a person at the table, or its first word.
    pub(crate) fn is_player(&self, name: &str) -> bool {
        self.characters_of_players.contains_key(name)
    }

    /// Returns the number of entities with a name that is not secret.
    pub fn len(&self) -> usize {
        self.entities.len()
    }

    /// Returns whether the lexicon has no names.
    pub fn is_empty(&self) -> bool {
        self.entities.is_empty()
    }

    /// Returns the entity with an id. Returns `None` if no entity has the id, or if the entity has no public name.
    pub fn entity(&self, id: &EntityId) -> Option<&LexiconEntity> {
        self.entities.get(self.index(id)? as usize)
    }

    /// Finds the names and descriptions of entities in a text, as whole words and in exact spelling. If several names
    /// begin at the same word, only the longest name is found. Names can overlap in the text.
    ///
    /// Returns pairs of a name and an entity with this name, in the order of the text. Each name is given by its
    /// normalized words. A name of several entities gives several pairs.
    pub fn names_in(&self, text: &str) -> Vec<(&str, &LexiconEntity)> {
        let words = text::words(text);
        let mut found = Vec::new();
        for at in 0..words.len() {
            let max_words = self.max_name_words(&words[at]).min(words.len() - at);
            let longest =
                (1..=max_words).rev().find_map(|count| self.names.get_key_value(&words[at..at + count].join(" ")));
            let Some((name, candidates)) = longest else { continue };
            found.extend(candidates.iter().map(|candidate| (name.as_str(), &self.entities[candidate.entity as usize])));
        }
        found
    }

    pub(crate) fn party(&self) -> Option<u32> {
        self.party
    }

    pub(crate) fn index(&self, id: &EntityId) -> Option<u32> {
        self.by_id.get(id).copied()
    }

    pub(crate) fn max_name_words(&self, first: &str) -> usize {
        self.max_words_by_first_word.get(first).copied().unwrap_or_default()
    }

    /// Returns whether a name ends in `'s`.
    pub(crate) fn is_possessive_name(&self, key: &str) -> bool {
        self.possessive_names.contains(key)
    }

    pub(crate) fn candidates(&self, key: &str) -> &[LinkCandidate] {
        self.names.get(key).map_or(&[], Vec::as_slice)
    }

    /// Returns the person with a name of which a word begins with these letters. Returns `None` if there is no such
    /// person, or more than one.
    pub(crate) fn person_with_beginning(&self, letters: &str) -> Option<u32> {
        let words = self.names.iter().filter(|(name, _)| !name.contains(' ') && name.starts_with(letters));
        let candidates = words.flat_map(|(_, candidates)| candidates).filter(|candidate| {
            let is_person = self.entities[candidate.entity as usize].kinds == KindSet::PERSON;
            is_person && candidate.name_type != NameType::Description
        });
        let mut persons = candidates.map(|candidate| candidate.entity);
        let person = persons.next()?;
        persons.all(|other| other == person).then_some(person)
    }

    /// Returns the entity whose name is spelt almost like the words, or `None` if no name is similar enough.
    pub(crate) fn find_similar(&self, words: &[String]) -> Option<u32> {
        let spellings = self.spellings.get_or_init(|| {
            let mut spelled_names: Vec<(Vec<String>, Option<u32>)> = Vec::new();
            for (key, candidates) in &self.names {
                let mut name_candidates =
                    candidates.iter().filter(|candidate| candidate.name_type != NameType::Description);
                let Some(first) = name_candidates.next() else { continue };
                let candidate = name_candidates.next().is_none().then_some(first.entity);
                spelled_names.push((key.split(' ').map(str::to_owned).collect(), candidate));
            }
            SpellingIndex::from_names(spelled_names.iter().map(|(words, candidate)| (words, candidate.as_ref())))
        });
        spellings.nearest(words).map(|(_, entity)| *entity)
    }
}

fn is_person_kind(kind: Option<&Kind>) -> bool {
    kind.is_some_and(Kind::is_character)
}

/// Returns the pronoun that refers to an entity as the subject of a sentence: "he", "she", "they" or "it". Returns `None`
/// if the campaign records no pronouns of the entity, no gender, and no description with such a pronoun.
pub fn subject_pronoun(state: &State, id: &EntityId) -> Option<&'static str> {
    match parse_gender(recorded_pronouns(state, id, state.kind(id).as_ref())?) {
        Gender::Unknown => None,
        Gender::He => Some("he"),
        Gender::She => Some("she"),
        Gender::It => Some("it"),
        Gender::They => Some("they"),
    }
}

/// Returns the pronouns or the gender of an entity, or the pronoun in its description if the entity is a person. Secret
/// facts are ignored.
fn recorded_pronouns<'s>(state: &'s State, id: &EntityId, kind: Option<&Kind>) -> Option<&'s str> {
    let value = |name: &str| {
        let fact = state.newest(id, name).filter(|fact| fact.secrecy() != hearsay_model::Secrecy::Secret)?;
        fact.object().text()
    };
    let described = || described_pronoun(value(attribute::DESCRIPTION).filter(|_| is_person_kind(kind))?);
    value(attribute::PRONOUNS).or_else(|| value(attribute::GENDER)).or_else(described)
}

fn is_name_particle(word: &str) -> bool {
    lists().names.particles.contains(word)
}

/// Returns the pronoun by which the description of a person refers to the person: "he" for "Odo is a ferryman. He is
/// deaf." Returns `None` if no sentence begins with such a pronoun, or if the text contains pronouns of both genders.
fn described_pronoun(description: &str) -> Option<&'static str> {
    let words = text::words(description);
    let contains = |forms: &WordSet| words.iter().any(|word| forms.contains(word));
    let pronoun = match (contains(&lists().pronouns.male), contains(&lists().pronouns.female)) {
        (true, false) => "he",
        (false, true) => "she",
        _ => return None,
    };
    let mut sentences = description.split(['.', '!', '?', '\n']);
    let begins = sentences.any(|sentence| text::words(sentence).first().is_some_and(|first| first == pronoun));
    begins.then_some(pronoun)
}

/// Returns whether a word ends the noun of a description: "captain of the watch".
fn is_noun_end(word: &str) -> bool {
    lists().prepositions.description_ends.contains(word)
}

/// Returns the words of names and descriptions that can state the gender of a person: the first word of a name, which
/// may be a title, and the noun of a description, an occupation, or a name with an article.
fn gender_words(names: &[&str], descriptions: &[&str]) -> Vec<String> {
    let noun = |words: Vec<String>| words.into_iter().take_while(|word| !is_noun_end(word)).last();
    let name_word = |name: &&str| {
        let words = text::words(name);
        match words.len() {
            0 | 1 => None,
            _ if words[0] == "the" => noun(words),
            _ => words.into_iter().next(),
        }
    };
    let described = descriptions.iter().filter_map(|description| noun(text::words(description)));
    names.iter().filter_map(name_word).chain(described).collect()
}

/// Returns the gender that words such as "brother" and "lady" state. Returns [`Gender::Unknown`] if they state none, or
/// both.
pub(crate) fn stated_gender<'w>(words: impl IntoIterator<Item = &'w str>, grammar: &Grammar) -> Gender {
    let classes = words.into_iter().map(|word| grammar.word_class(word));
    let class = classes.fold(WordClass::default(), WordClass::or);
    match (class.has(WordClass::MALE), class.has(WordClass::FEMALE)) {
        (true, false) => Gender::He,
        (false, true) => Gender::She,
        _ => Gender::Unknown,
    }
}

fn parse_gender(text: &str) -> Gender {
    let names = &lists().names;
    match text::words(text).first().map(String::as_str) {
        Some("it" | "its") => Gender::It,
        Some(word) if names.male_values.contains(word) => Gender::He,
        Some(word) if names.female_values.contains(word) => Gender::She,
        Some(word) if names.other_values.contains(word) => Gender::They,
        _ => Gender::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use hearsay_model::{Author, Change, Entity, Fact, Method, Operation, Provenance};

    use super::*;

    #[test]
    fn a_description_states_the_pronoun_of_a_person() {
        for (description, expected) in [
            ("Odo is a ferryman. He is deaf in one ear.", Some("he")),
            ("A clerk of the guild. She owes Odo nine guilders.", Some("she")),
            ("The landlady.\nShe was married to a lockkeeper who drowned.", Some("she")),
            ("A clerk. She owes Odo nine guilders, and he knows it.", None),
            ("The captain who lost her ship.", None),
            ("A ferryman.", None),
        ] {
            assert_eq!(described_pronoun(description), expected, "{description}");
        }
    }

    #[test]
    fn titles_and_occupations_state_the_gender() {
        let id = EntityId::new("somebody").unwrap();
        let language = crate::Language::english();
        for (names, occupation, expected) in [
            (vec!["Brother Anselm Rook", "Keys"], "cellarer", Gender::He),
            (vec!["Yasmira Dhoun", "the Saffron Lady"], "merchant", Gender::She),
            (vec!["Hadi"], "stable boy", Gender::He),
            (vec!["Odo Brandt"], "captain of the queen", Gender::Unknown),
            (vec!["Lady Vane"], "king", Gender::Unknown),
        ] {
            let lexicon = Lexicon::from_names([EntityNames {
                id: &id,
                names: names.clone(),
                kind: Some(Kind::Npc),
                pronouns: None,
                descriptions: vec![occupation],
                player: None,
            }]);
            assert_eq!(lexicon.entities[0].gender(&language.grammar), expected, "{names:?}");
        }
    }

    #[test]
    fn the_longest_name_at_each_word_is_found() {
        let mut changes = Vec::new();
        for (id, name, kind) in [("odo", "Odo Brandt", "player"), ("brandt", "Brandt", "location")] {
            let id = EntityId::new(id).unwrap();
            changes.push(Change::AddEntity(Entity::new(id.clone())));
            for (attribute, value) in [("name", name), ("kind", kind)] {
                let fact = Fact::attribute(&id, attribute, value, Provenance::new(Method::Authored, Author::Dm));
                changes.push(Change::AssertFact(fact.unwrap().build().unwrap().into()));
            }
        }
        let mut state = State::default();
        state.apply(Operation::new(Author::Dm, "names", changes)).unwrap();
        let lexicon = Lexicon::from_state(&state);
        let found = lexicon.names_in("Where is ODO Brandt\u{2019}s boat? Odo sold it.");
        let found: Vec<_> = found.iter().map(|(words, entity)| (*words, entity.id().as_str())).collect();
        // "Brandt" is also a part of the name Odo Brandt.
        assert_eq!(found[0], ("odo brandt", "odo"));
        assert!(found.contains(&("brandt", "odo")) && found.contains(&("brandt", "brandt")));
        assert_eq!(found.last(), Some(&("odo", "odo")));

        let odo = lexicon.entity(&EntityId::new("odo").unwrap()).unwrap();
        assert_eq!((odo.name(), odo.likely_kind()), ("Odo Brandt", Some(Kind::Npc)));
        assert!(lexicon.entity(&EntityId::new("bram").unwrap()).is_none());
    }
}
