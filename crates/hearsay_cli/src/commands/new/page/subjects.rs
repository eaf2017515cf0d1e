//! Finds the entity that a sentence is about.

use std::collections::HashMap;

use hearsay_campaign::import::lexicon;
use hearsay_model::{
    Kind,
    spelling::{is_common_word, is_stop_word},
    text::words,
    words::{contains_word, english, is_article, upper_first},
};

use super::super::{
    draft::{Draft, DraftEntity, clean},
    english::ENGLISH,
    sentences::begins_with_anaphor,
};

/// What the pronoun at the beginning of a sentence refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pronoun {
    Male,
    Female,
    Thing,
}

/// Pronouns at the beginning of a sentence, and whether they are possessive.
const PRONOUNS: [(&str, Pronoun, bool); 6] = [
    ("he", Pronoun::Male, false),
    ("his", Pronoun::Male, true),
    ("she", Pronoun::Female, false),
    ("her", Pronoun::Female, true),
    ("it", Pronoun::Thing, false),
    ("its", Pronoun::Thing, true),
];

/// A sentence with the entity that it is about.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SentenceSubject {
    pub(super) entity: Option<usize>,
    /// The sentence. If it belongs to another entity than the sentence before, names replace its pronouns.
    pub(super) text: String,
}

/// Follows the entities that the sentences of a page are about.
#[derive(Debug, Default)]
pub(super) struct Subjects {
    /// The pronouns of the characters, as far as the page states them.
    pronouns: HashMap<usize, Pronoun>,
    /// The entity that a list item or paragraph is about.
    owner: Option<usize>,
    current: Option<usize>,
    /// The entities that the current block named so far.
    mentioned: Vec<usize>,
    /// Number of the first entity in `mentioned` that the last sentence named.
    first_recent: usize,
    /// The entity with which the last sentence began.
    leading: Option<usize>,
}

impl Subjects {
    /// Learns the pronouns of characters from their titles, and from the sentences of a block. In a block about an entity
    /// (`owner`), a pronoun after a sentence about this entity refers to this entity. In any other block, a pronoun after a
    /// sentence that names only one character refers to this character.
    pub(super) fn learn_pronouns(&mut self, draft: &Draft, sentences: &[(&str, usize)], owner: Option<usize>) {
        for (index, entity) in draft.entities.iter().enumerate().filter(|(_, entity)| entity.kind.is_character()) {
            let has_title = |titles: &[String]| words(&entity.name).iter().any(|word| contains_word(titles, word));
            if has_title(&ENGLISH.male_titles) {
                self.pronouns.insert(index, Pronoun::Male);
            } else if has_title(&ENGLISH.female_titles) {
                self.pronouns.insert(index, Pronoun::Female);
            }
        }
        let is_character = |index: &usize| draft.entities[*index].kind.is_character();
        for pair in sentences.windows(2) {
            let (first, second) = (pair[0].0, pair[1].0);
            let Some((pronoun, _)) = leading_pronoun(second).filter(|(pronoun, _)| *pronoun != Pronoun::Thing) else {
                continue;
            };
            let character = match owner {
                Some(owner) => {
                    let is_about_other = leading_entity(draft, first).is_some_and(|entity| entity != owner)
                        || leading_pronoun(first).is_some_and(|(other, _)| other != pronoun);
                    Some(owner).filter(|_| !is_about_other).filter(is_character)
                }
                None => {
                    let mut characters = draft.named_in(first).into_iter().filter(is_character);
                    characters.next().filter(|_| characters.next().is_none())
                }
            };
            if let Some(character) = character {
                self.pronouns.entry(character).or_insert(pronoun);
            }
        }
    }

    /// Returns whether the pronoun at the beginning of a sentence in the text about a character can mean this character, according
    /// to the pronouns in the description of the character, or else to the pronoun that the page states elsewhere.
    pub(super) fn can_mean(&self, draft: &Draft, character: usize, sentence: &str) -> bool {
        let Some((pronoun, _)) = leading_pronoun(sentence) else { return true };
        let pronoun_of =
            |word: &String| PRONOUNS.iter().find(|(known, ..)| known == word).map(|(_, pronoun, _)| *pronoun);
        let described: Vec<Pronoun> = draft.entities[character]
            .description
            .iter()
            .flat_map(|paragraph| words(&paragraph.text))
            .filter_map(|word| pronoun_of(&word))
            .filter(|pronoun| *pronoun != Pronoun::Thing)
            .collect();
        match self.pronouns.get(&character) {
            _ if !described.is_empty() => described.contains(&pronoun),
            Some(known) => *known == pronoun,
            None => true,
        }
    }

    /// Begins a block. `owner` is the entity that the block is about, if its beginning says so.
    pub(super) fn begin_block(&mut self, owner: Option<usize>) {
        self.owner = owner;
        self.current = owner;
        self.mentioned.clear();
        self.mentioned.extend(owner);
        (self.first_recent, self.leading) = (0, owner);
    }

    /// Ends the text about an entity within a block. The next sentences can refer to the place `place`.
    pub(super) fn begin_scene(&mut self, place: usize) {
        (self.current, self.leading) = (None, None);
        self.mentioned.push(place);
    }

    /// Returns whether the beginning of the block says what the block is about.
    pub(super) fn has_owner(&self) -> bool {
        self.owner.is_some()
    }

    /// Returns the entity that the last sentence was about.
    pub(super) fn current(&self) -> Option<usize> {
        self.current
    }

    /// Returns the entity that the next sentence of the block is about.
    pub(super) fn next(&mut self, draft: &Draft, sentence: &str) -> SentenceSubject {
        let previous = self.current;
        let pronoun = leading_pronoun(sentence);
        let entity = match pronoun {
            Some((pronoun, _)) => self.referent(draft, pronoun),
            None if previous.is_some() && begins_with_anaphor(sentence) => self.owner.or(previous),
            None => match self.owner {
                // An item is about its entity, except for sentences that begin with another name.
                Some(owner) => leading_entity(draft, sentence)
                    .filter(|entity| !begins_with_possession(draft, sentence, *entity))
                    .or(Some(owner)),
                None => named_first(draft, sentence).or(previous),
            },
        };
        let mut text = sentence.to_owned();
        if let (Some(entity), Some(previous)) = (entity, previous.filter(|previous| entity != Some(*previous))) {
            text = match pronoun {
                Some((_, is_possessive)) => replace_first_word(&text, &draft.entities[entity].name, is_possessive),
                None => self.replace_objects(draft, &text, previous, entity),
            };
        }
        self.first_recent = self.mentioned.len();
        self.mentioned.extend(draft.named_in(sentence));
        self.mentioned.extend(entity);
        self.leading = if pronoun.is_some() { entity } else { leading_entity(draft, sentence) };
        self.current = entity;
        SentenceSubject { entity, text }
    }

    /// Returns the entity to which a pronoun refers: the owner of the block, the current entity, or the entity that was
    /// named last. An entity whose pronoun is known comes before an entity whose pronoun is unknown. However, the entity with
    /// which the last sentence began comes before the entities that only earlier sentences named.
    fn referent(&mut self, draft: &Draft, pronoun: Pronoun) -> Option<usize> {
        let near: Vec<usize> =
            self.owner.into_iter().chain(self.current).chain(self.mentioned.iter().rev().copied()).collect();
        let is_person = |index: usize| draft.entities[index].kind.is_character();
        let found = match pronoun {
            Pronoun::Thing => near.iter().copied().find(|index| !is_person(*index)),
            pronoun => {
                let is_known = |index: &usize| self.pronouns.get(index) == Some(&pronoun);
                let is_unknown = |index: &usize| is_person(*index) && !self.pronouns.contains_key(index);
                let recent = &self.mentioned[self.first_recent..];
                let mut of_last = self.owner.into_iter().chain(self.current).chain(recent.iter().rev().copied());
                let leading = self.leading.filter(|index| self.owner.is_none() && is_unknown(index));
                let known = of_last.find(is_known).or(leading);
                let earlier = || near.iter().copied().find(is_known);
                known.or_else(earlier).or_else(|| near.iter().copied().find(is_unknown))
            }
        };
        if let (Some(found), true) = (found, pronoun != Pronoun::Thing) {
            self.pronouns.entry(found).or_insert(pronoun);
        }
        found.or(self.current)
    }

    /// Replaces the pronouns in a sentence that refer to the entity of the sentence before: "Bettony hates him." After the
    /// first clause, a pronoun can also refer to the subject of the sentence, so its gender must tell the two apart:
    /// "Bettony is rich, and many hate her."
    fn replace_objects(&self, draft: &Draft, sentence: &str, previous: usize, subject: usize) -> String {
        let entity = &draft.entities[previous];
        let is_person = entity.kind.is_character();
        let (known, subject) = (self.pronouns.get(&previous), self.pronouns.get(&subject));
        let mut is_first_clause = true;
        let replace = |part: &str| {
            let word = part.trim_end_matches(|c: char| !c.is_alphanumeric());
            let end = &part[word.len()..];
            let is_clear = is_first_clause || known.is_some() && subject.is_some() && known != subject;
            is_first_clause &= !end.contains([',', ';']) && !contains_word(&english().name_conjunctions, word);
            let is_object = match word {
                "him" => is_person && is_clear && known != Some(&Pronoun::Female),
                // "Her" before a noun is possessive.
                "her" => is_person && is_clear && known != Some(&Pronoun::Male) && !end.is_empty(),
                "it" => !is_person && !end.is_empty(),
                "them" => entity.kind == Kind::Faction,
                "here" if entity.kind == Kind::Location && !end.is_empty() => {
                    return format!("at {}{end}", entity.name);
                }
                _ => false,
            };
            if is_object { format!("{}{end}", entity.name) } else { part.to_owned() }
        };
        sentence.split(' ').map(replace).collect::<Vec<_>>().join(" ")
    }
}

/// Returns the entity that a sentence names first. The owner in a phrase such as "Marta's cousin Hob Fenn" is not the
/// subject of the sentence.
fn named_first(draft: &Draft, sentence: &str) -> Option<usize> {
    let mut named = draft.named_at(sentence);
    named.retain(|(at, index)| *at > 0 || !is_part_of_name(&draft.entities[*index], sentence));
    let (at, first) = *named.first()?;
    let plain = clean(sentence);
    let mut rest = plain.split(' ').skip(at).skip_while(|word| !is_possessive(word)).skip(1);
    let is_owner = plain.split(' ').skip(at).take(3).any(is_possessive);
    let is_relation = rest.next().is_some_and(|word| word.chars().all(char::is_lowercase));
    let next_name = rest.next().unwrap_or_default();
    let second = named.get(1).map(|(_, second)| *second);
    match second {
        Some(second)
            if is_owner && is_relation && words(&draft.entities[second].name).starts_with(&words(next_name)[..]) =>
        {
            Some(second)
        }
        _ => Some(first),
    }
}

/// Returns the entity with whose name a sentence begins: "Bettony hates him.", "The miller, Osric Thane, pays him."
pub(super) fn leading_entity(draft: &Draft, sentence: &str) -> Option<usize> {
    let (at, first) = *draft.named_at(sentence).first()?;
    let entity = &draft.entities[first];
    if at == 0 && (is_ordinary_word(entity, sentence) || is_part_of_name(entity, sentence)) {
        return None;
    }
    let before: Vec<&str> = sentence.split(' ').take(at).collect();
    // "Home: the Ibex" is not about the place.
    if before.first().and_then(|word| word.strip_suffix(':')).is_some_and(lexicon::is_known) {
        return None;
    }
    let is_any_article = |word: &str| is_article(&word.to_lowercase());
    // A title such as `Old`, but not the verb in "Hates Dorric.", and not the preposition in "At the Gull tonight."
    let is_title = |word: &str| {
        let is_verb = word.ends_with("ed") || word.ends_with("ing") || word.ends_with('s') && !word.ends_with("ss");
        word.starts_with(char::is_uppercase) && !is_verb && !is_stop_word(&word.to_lowercase())
    };
    let leads = match before[..] {
        [] => true,
        [first] => is_any_article(first) || is_title(first),
        [article, noun] => is_any_article(article) && noun.ends_with(','),
        _ => false,
    };
    if leads { named_first(draft, sentence) } else { None }
}

/// Splits a sentence that describes several characters into one sentence for each character: "Odo is a cook, Wren is a smith
/// and Pia is a thief." Returns nothing if a part refers to another part with a pronoun.
pub(super) fn descriptions(draft: &Draft, sentence: &str) -> Vec<(usize, String)> {
    let begins = |(at, _): (usize, &str)| {
        let (before, rest) = (&sentence[..at], &sentence[at + 1..]);
        let ends = before.ends_with(',') || before.ends_with(" and");
        let character = ends.then(|| described_character(draft, rest)).flatten()?;
        Some((at + 1, character))
    };
    let Some(first) = described_character(draft, sentence) else { return Vec::new() };
    let mut starts = vec![(0, first)];
    starts.extend(sentence.match_indices(' ').filter_map(begins));
    let is_new = |number: usize| starts[..number].iter().all(|(_, other)| *other != starts[number].1);
    let has_pronoun = words(sentence).iter().any(|word| hearsay_extract::is_anaphor(word));
    if starts.len() < 2 || has_pronoun || !(1..starts.len()).all(is_new) {
        return Vec::new();
    }
    let ends = starts.iter().skip(1).map(|(start, _)| *start).chain([sentence.len()]);
    let part = |((start, character), end): (&(usize, usize), usize)| {
        let part = sentence[*start..end].trim_end();
        let part = part.strip_suffix(" and").unwrap_or(part).trim_end_matches([',', '.']);
        (*character, format!("{part}."))
    };
    starts.iter().zip(ends).map(part).collect()
}

/// Returns the character with whose name a text begins, if a verb such as "is" follows the name.
fn described_character(draft: &Draft, text: &str) -> Option<usize> {
    let (at, first) = *draft.named_at(text).first()?;
    let verb = text.split(' ').find(|word| !word.starts_with(char::is_uppercase))?;
    let is_described = at == 0 && draft.entities[first].kind.is_character() && contains_word(&ENGLISH.name_verbs, verb);
    is_described.then_some(first)
}

/// Returns whether the first word of a sentence can be an ordinary word instead of the nickname of an entity: "Tar and
/// cabbage." A verb must follow a nickname of one word.
fn is_ordinary_word(entity: &DraftEntity, sentence: &str) -> bool {
    let mut sentence_words = sentence.split(' ');
    let first = words(sentence_words.next().unwrap_or_default());
    let is_nickname = entity.aliases.iter().any(|alias| words(alias) == first);
    let is_whole_alias = is_nickname && !first.iter().any(|word| words(&entity.name).contains(word));
    is_whole_alias && !sentence_words.next().is_some_and(is_verb)
}

/// Returns whether the first word of a sentence is an ordinary word that the longer name of a place or thing contains: "Snow has
/// closed the road." is not about the Snow Gate.
fn is_part_of_name(entity: &DraftEntity, sentence: &str) -> bool {
    let all = words(sentence);
    let without_article =
        |name: &String| words(name).into_iter().skip_while(|word| is_article(word)).collect::<Vec<String>>();
    let name = without_article(&entity.name);
    let is_whole = |name: &String| all.starts_with(&without_article(name));
    let is_thing = matches!(entity.kind, Kind::Location | Kind::Item);
    // The last word can stand for the whole name.
    let is_part = |first: &String| name.contains(first) && name.last() != Some(first) && is_common_word(first);
    let is_in_sentence = sentence.split(' ').nth(1).is_some_and(|word| word.starts_with(char::is_lowercase));
    is_thing
        && is_in_sentence
        && all.first().is_some_and(is_part)
        && !std::iter::once(&entity.name).chain(&entity.aliases).any(is_whole)
}

/// Returns whether a word after a name can be a verb.
pub(super) fn is_verb(word: &str) -> bool {
    word.starts_with(char::is_lowercase) && (word.ends_with('s') || contains_word(&ENGLISH.name_verbs, word))
}

/// Returns whether a sentence begins with a possession of an entity: "Bettony's ring is lost."
fn begins_with_possession(draft: &Draft, sentence: &str, entity: usize) -> bool {
    let name = &draft.entities[entity].name;
    let mut start = sentence.split(' ').take(words(name).len() + 1);
    !is_possessive(name) && start.any(|word| is_possessive(word) && draft.named_in(word).contains(&entity))
}

/// Returns whether words that begin with the name of an entity name a possession of the entity: "the Gull's cook".
pub(super) fn has_genitive(draft: &Draft, entity: usize, named: &[&str]) -> bool {
    let name = &draft.entities[entity].name;
    let is_genitive = |word: &&str| word.ends_with("'s") || word.ends_with("\u{2019}s");
    !name.contains(['\'', '\u{2019}']) && named.iter().take(name.split(' ').count()).any(is_genitive)
}

fn is_possessive(text: &str) -> bool {
    text.contains("'s") || text.contains("\u{2019}s")
}

/// Returns the pronoun with which a sentence begins, and whether it is possessive.
fn leading_pronoun(sentence: &str) -> Option<(Pronoun, bool)> {
    let first = words(sentence).into_iter().next()?;
    let (_, pronoun, is_possessive) = PRONOUNS.iter().find(|(word, ..)| *word == first)?;
    Some((*pronoun, *is_possessive))
}

/// Replaces the pronoun at the beginning of a sentence by a name.
pub(super) fn replace_first_word(sentence: &str, name: &str, is_possessive: bool) -> String {
    let Some((first, rest)) = sentence.split_once(' ') else { return sentence.to_owned() };
    if !first.chars().all(char::is_alphanumeric) {
        return sentence.to_owned();
    }
    let name = upper_first(name);
    if is_possessive { format!("{name}'s {rest}") } else { format!("{name} {rest}") }
}

/// Replaces a pronoun for a person at the beginning of a sentence by the name of this person.
pub(super) fn name_person(sentence: &str, name: &str) -> String {
    match leading_pronoun(sentence) {
        Some((Pronoun::Male | Pronoun::Female, is_possessive)) => replace_first_word(sentence, name, is_possessive),
        _ => sentence.to_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Returns the entity of each sentence, and the sentence.
    fn subjects(owner: Option<usize>, sentences: &[&str]) -> Vec<String> {
        let mut draft = Draft::default();
        for name in ["Bettony Flask", "Dorric Vane", "Hob Fenn"] {
            draft.add(name, Kind::Npc).unwrap();
        }
        draft.add("The Lantern", Kind::Location).unwrap();
        let mut subjects = Subjects::default();
        let numbered: Vec<(&str, usize)> = sentences.iter().map(|sentence| (*sentence, 1)).collect();
        subjects.learn_pronouns(&draft, &numbered, owner);
        subjects.begin_block(owner);
        let subject = |sentence: &&str| {
            let found = subjects.next(&draft, sentence);
            format!("{}: {}", found.entity.map_or("-", |index| draft.entities[index].id.as_str()), found.text)
        };
        sentences.iter().map(subject).collect()
    }

    #[test]
    fn pronouns_refer_to_the_right_person() {
        let item = ["Bettony runs the Lantern.", "She owes Dorric ten crowns.", "He knows about the cellar."];
        let expected = [
            "bettony-flask: Bettony runs the Lantern.",
            "bettony-flask: She owes Dorric ten crowns.",
            "dorric-vane: Dorric Vane knows about the cellar.",
        ];
        assert_eq!(subjects(Some(0), &item), expected);
        assert_eq!(subjects(None, &item), expected);
    }

    #[test]
    fn a_pronoun_refers_to_the_beginning_of_the_sentence_before() {
        // The sentence about Hob names two persons, so nothing else states the pronoun of Hob.
        let text = ["Bettony runs the Lantern.", "She drinks.", "Hob is a friend of Dorric.", "She cheats Dorric."];
        let expected = [
            "bettony-flask: Bettony runs the Lantern.",
            "bettony-flask: She drinks.",
            "hob-fenn: Hob is a friend of Dorric.",
            "hob-fenn: She cheats Dorric.",
        ];
        assert_eq!(subjects(None, &text), expected);
        // A person whose pronoun is known comes first if the sentence before names the person.
        let text = ["Bettony runs the Lantern.", "She drinks.", "Hob is a friend of Bettony.", "She cheats."];
        assert_eq!(subjects(None, &text)[3], "bettony-flask: Bettony Flask cheats.");
    }

    #[test]
    fn an_item_is_about_its_entity() {
        let item = ["Dorric Vane - a lender.", "He is kind.", "Bettony hates him.", "Owes money to Hob.", "He drinks."];
        let expected = [
            "dorric-vane: Dorric Vane - a lender.",
            "dorric-vane: He is kind.",
            "bettony-flask: Bettony hates Dorric Vane.",
            "dorric-vane: Owes money to Hob.",
            "dorric-vane: He drinks.",
        ];
        assert_eq!(subjects(Some(1), &item), expected);
        let place = ["The Lantern is old.", "Hob works here.", "It smells of tar."];
        let expected = [
            "the-lantern: The Lantern is old.",
            "hob-fenn: Hob works at The Lantern.",
            "the-lantern: The Lantern smells of tar.",
        ];
        assert_eq!(subjects(Some(3), &place), expected);
    }

    #[test]
    fn a_pronoun_in_an_item_refers_to_the_person_of_the_item() {
        let item = ["Dorric Vane, a lender.", "Loyal to Bettony.", "He loves Hob.", "Bettony's ring.", "He's sly."];
        let expected = [
            "dorric-vane: Dorric Vane, a lender.",
            "dorric-vane: Loyal to Bettony.",
            "dorric-vane: He loves Hob.",
            "dorric-vane: Bettony's ring.",
            "dorric-vane: He's sly.",
        ];
        assert_eq!(subjects(Some(1), &item), expected);
    }

    #[test]
    fn a_pronoun_after_the_first_clause_can_refer_to_the_subject() {
        let text = ["Dorric Vane lends money.", "Bettony is rich and many hate her.", "Hob likes Bettony."];
        let expected = [
            "dorric-vane: Dorric Vane lends money.",
            "bettony-flask: Bettony is rich and many hate her.",
            "hob-fenn: Hob likes Bettony.",
        ];
        assert_eq!(subjects(None, &text), expected);
    }

    #[test]
    fn a_list_of_descriptions_is_split() {
        let mut draft = Draft::default();
        for name in ["Bettony Flask", "Dorric Vane", "Hob Fenn"] {
            draft.add(name, Kind::Player).unwrap();
        }
        let text = "Bettony Flask is a cook from the north, Dorric was a smith, and Hob is a thief of twelve.";
        let expected = [
            (0, "Bettony Flask is a cook from the north.".to_owned()),
            (1, "Dorric was a smith.".to_owned()),
            (2, "Hob is a thief of twelve.".to_owned()),
        ];
        assert_eq!(descriptions(&draft, text), expected);
        for text in [
            "Bettony is a cook, and Dorric is her brother.",
            "Bettony is a cook and hates Dorric.",
            "Bettony is a cook, a thief and a smith.",
            "In the north, Bettony is a cook.",
        ] {
            assert!(descriptions(&draft, text).is_empty(), "{text}");
        }
    }

    #[test]
    fn an_owner_is_not_the_subject() {
        assert_eq!(
            subjects(None, &["Bettony's cousin Hob Fenn drinks."]),
            ["hob-fenn: Bettony's cousin Hob Fenn drinks."]
        );
        assert_eq!(subjects(None, &["Bettony's ring is lost."]), ["bettony-flask: Bettony's ring is lost."]);
    }
}
