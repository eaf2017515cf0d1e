//! Sets the fields of the entities that their open text states: occupation, condition, home, groups and relations.

use hearsay_campaign::import::{
    lexicon::{self, Meaning, RelationMeaning},
    truth::Truth,
};
use hearsay_extract::{EntityNames, Extractor, FactObject, Language, Lexicon, Mention, Text, TextType, is_anaphor};
use hearsay_model::{
    EntityId, Factuality, Kind, Predicate, PredicateRole, Vocabulary,
    spelling::is_stop_word,
    text::words,
    words::{contains_word, english, is_article, lower_first, upper_first},
};

use super::{
    super::{
        answers::describe,
        draft::{Draft, DraftEntity, DraftGroup, DraftTie},
        english::ENGLISH,
        sentences::{begins_with_anaphor, begins_with_article, sentences},
    },
    PageReader,
    fates::fates,
    occupations::{MAX_ROLE_WORDS, is_rank, is_trade, labelled_occupation, occupation, without_relation},
    own_names::lacks_subject,
    place_nouns::with_place_names,
    subjects::{has_genitive, is_verb, leading_entity, name_person},
    surroundings::{set_settlement, set_surroundings},
};

/// Minimum confidence of a relation that becomes a field.
const MIN_RELATION_CONFIDENCE: f64 = 0.7;

/// Maximum number of words after a place that say when somebody is there: "every night".
const MAX_TIME_WORDS: usize = 2;

/// A relation between two entities of a draft, by their indices.
struct Relation {
    subject: usize,
    predicate: Predicate,
    object: usize,
    rank: Option<&'static str>,
    /// Whether prose states the relation. A character whose location only prose states is a guest there.
    is_prose: bool,
}

impl Relation {
    /// Creates the relation that a field with this meaning states between the entity with the field and another entity.
    fn new(entity: usize, meaning: &RelationMeaning, other: usize) -> Self {
        let (subject, object) = if meaning.backwards { (other, entity) } else { (entity, other) };
        Self { subject, predicate: meaning.predicate.clone(), object, rank: meaning.rank, is_prose: false }
    }
}

impl PageReader {
    /// Sets the fields that the open descriptions of the entities state.
    pub(super) fn set_fields(&mut self) {
        let extractor = Extractor::new(Language::english(), Vocabulary::default());
        let draft = &self.made.draft;
        let lexicon = lexicon_of(draft);
        let occupations: Vec<Option<String>> =
            draft.entities.iter().map(|entity| occupation(draft, entity, &extractor, &lexicon)).collect();
        let relations: Vec<Relation> = (0..draft.entities.len())
            .flat_map(|index| {
                let stated = stated_relations(draft, index, &extractor, &lexicon);
                [labelled_relations(draft, index), leading_relations(draft, index), stated]
            })
            .flatten()
            .collect();
        let fates = fates(draft);
        let draft = &mut self.made.draft;
        for (entity, occupation) in draft.entities.iter_mut().zip(occupations) {
            entity.occupation = occupation;
            entity.condition = entity.condition.take().or_else(|| condition(entity));
        }
        for (index, fate) in fates {
            draft.entities[index].condition.get_or_insert_with(|| fate.to_owned());
        }
        relations.into_iter().for_each(|relation| add_relation(draft, relation));
        set_surroundings(draft);
        set_workplaces(draft, &extractor, &lexicon);
        set_settlement(draft);
    }
}

/// Returns a lexicon with the names of a draft.
fn lexicon_of(draft: &Draft) -> Lexicon {
    Lexicon::from_names(draft.entities.iter().map(|entity| EntityNames {
        id: &entity.id,
        names: std::iter::once(&entity.name).chain(&entity.aliases).map(String::as_str).collect(),
        kind: Some(entity.kind.clone()),
        pronouns: None,
        descriptions: Vec::new(),
        player: None,
    }))
}

/// Returns the condition of a character, such as `dead`, if a part of the description only states it: "Casper Voigt
/// (dead)", "DEAD - found in the stable".
fn condition(entity: &DraftEntity) -> Option<String> {
    if !entity.kind.is_character() {
        return None;
    }
    let separators = ['.', ',', ';', '!', '(', ')', '\u{2013}', '\u{2014}'];
    let name = words(&entity.name);
    entity.description.iter().find_map(|paragraph| {
        paragraph.text.split(separators).flat_map(|part| part.split(" - ")).find_map(|part| {
            let all = words(part);
            let rest = all.strip_prefix(&name[..]).unwrap_or(&all);
            let is_only_state = rest.iter().filter(|word| !is_stop_word(word)).count() == 1;
            let state = lexicon::state(&rest.join(" ")).filter(|state| is_only_state && *state != "alive");
            state.map(str::to_owned)
        })
    })
}

/// Returns the relations that labels in the description of an entity state: "(home: the Ibex)", "Members: Odo, Juno".
fn labelled_relations(draft: &Draft, index: usize) -> Vec<Relation> {
    let mut found = Vec::new();
    for paragraph in &draft.entities[index].description {
        for (at, _) in paragraph.text.match_indices(": ") {
            let (before, after) = (&paragraph.text[..at], &paragraph.text[at + 2..]);
            let label = before.rsplit(['.', ',', ';', '(']).next().unwrap_or_default();
            let value = after.split(['.', ';', ')']).next().unwrap_or_default();
            let Meaning::Relation(meaning) = lexicon::meaning(label.trim()) else { continue };
            if Truth::from_state_text(value) != Truth::Plain {
                continue;
            }
            found.extend(draft.named_in(value).into_iter().map(|other| Relation::new(index, &meaning, other)));
        }
    }
    found
}

/// Returns the relations that the beginnings of clauses in the description of an entity state, with the words of a field:
/// "Led by Odo Brandt", "Member of the Lampless", "She is staying at the Ibex", "At the Ibex tonight", "He is the father of Ada
/// and Tom".
fn leading_relations(draft: &Draft, index: usize) -> Vec<Relation> {
    let parts = draft.entities[index].description.iter().flat_map(|paragraph| sentences(&paragraph.text));
    let relation = |sentence: &str, clause: &str| {
        let (at, other) = *draft.named_at(clause).first()?;
        let others = listed_after(draft, clause, at);
        let clause_words: Vec<&str> = clause.split_whitespace().collect();
        let words = &clause_words[..at.min(clause_words.len())];
        let words = words.strip_suffix(&["the"]).unwrap_or(words);
        let is_adverb = |word: &&&str| word.ends_with("ly") || ["is", "Is", "often"].contains(*word);
        let skipped = usize::from(begins_with_anaphor(clause));
        let skipped = skipped + words.iter().skip(skipped).take_while(is_adverb).count();
        let own = words.get(skipped..).unwrap_or_default();
        // "The father of Ada hates him" states nothing about the entity, so the name ends a clause with an article.
        let own = own.split_first().filter(|(first, _)| !others.is_empty() && is_article(&first.to_lowercase()));
        let own = own.map_or(words.get(skipped..).unwrap_or_default(), |(_, rest)| rest);
        let phrase = own.join(" ");
        // "Possibly the son of Odo"
        let is_plain = words.iter().all(|word| Truth::from_text(word) == Truth::Plain);
        let name_length = draft.entities[other].name.split(' ').count();
        // "Sister of Odo's wife" states no relation to Odo.
        if has_genitive(draft, other, clause_words.get(at..).unwrap_or_default()) {
            return None;
        }
        // "At the Gull tonight."
        let is_whole =
            sentence.trim_end_matches('.') == clause && clause_words.len() <= at + name_length + MAX_TIME_WORDS;
        let whole = || is_whole.then(|| lexicon::meaning(&format!("is {phrase}")));
        let is_relation = |meaning: &Meaning| matches!(meaning, Meaning::Relation(_));
        match Some(lexicon::meaning(&phrase)).filter(is_relation).or_else(whole)? {
            Meaning::Relation(meaning) if is_plain => {
                let others = if others.is_empty() { vec![other] } else { others };
                let others = others.into_iter().filter(|other| *other != index);
                let new = |other| Relation { is_prose: true, ..Relation::new(index, &meaning, other) };
                Some(others.map(new).collect::<Vec<_>>())
            }
            _ => None,
        }
    };
    let relations = |sentence: &str| {
        let own = sentence.strip_prefix(draft.entities[index].name.as_str());
        let own = own.filter(|rest| !rest.starts_with(['\'', '\u{2019}']));
        let rest = own.map(|rest| rest.trim_start_matches(|c: char| !c.is_alphanumeric()));
        let sentence = with_place_names(draft, rest.unwrap_or(sentence));
        let (mut found, mut before) = (Vec::new(), None::<&str>);
        for clause in sentence.split([',', ';', '.']).map(str::trim) {
            let is_of_other = before.is_some_and(|before| is_apposition(draft, index, before, clause));
            let stated = relation(&sentence, clause).filter(|_| !is_of_other);
            // "Sister of Ada, wife of Tom"
            before = Some(clause).filter(|_| stated.is_none() || begins_with_verb(clause));
            found.extend(stated.into_iter().flatten());
        }
        found
    };
    parts.flat_map(relations).collect()
}

/// Returns whether a clause describes another character, with whose name the clause before it ends: "Fears Odo, father of Ada".
fn is_apposition(draft: &Draft, index: usize, before: &str, clause: &str) -> bool {
    let named = draft.named_at(before).pop();
    let ends_with_other = named.is_some_and(|(at, other)| {
        other != index && draft.entities[other].kind.is_character() && !listed_after(draft, before, at).is_empty()
    });
    ends_with_other && clause.contains(" of ") && !begins_with_verb(clause)
}

/// Returns whether a clause begins with a verb, or with a pronoun and a verb: "fears Odo", "she fears Odo".
fn begins_with_verb(clause: &str) -> bool {
    let mut clause_words = clause.split(' ').map(str::to_lowercase);
    clause_words.find(|word| !is_anaphor(word)).is_some_and(|word| is_verb(&word))
}

/// Returns the entities in a list of names at the end of a clause, after some words: "Father of Ada and Tom". The list is empty
/// if other words follow the names.
fn listed_after(draft: &Draft, clause: &str, at: usize) -> Vec<usize> {
    let rest = clause.split_whitespace().skip(at).collect::<Vec<_>>().join(" ");
    let named = draft.named_in(&rest);
    let names = named.iter().flat_map(|index| {
        let entity = &draft.entities[*index];
        entity.aliases.iter().chain([&entity.name]).flat_map(|name| words(name))
    });
    let known: Vec<String> = names.collect();
    let is_name = |word: &String| known.contains(word) || contains_word(&english().name_conjunctions, word);
    if words(&rest).iter().all(is_name) { named } else { Vec::new() }
}

/// Returns the relations that the sentences in the description of an entity state.
fn stated_relations(draft: &Draft, index: usize, extractor: &Extractor, lexicon: &Lexicon) -> Vec<Relation> {
    let entity = &draft.entities[index];
    if !entity.kind.is_character() {
        return Vec::new();
    }
    let mut place = None;
    let mut text = String::new();
    for paragraph in &entity.description {
        for part in sentences(&paragraph.text).into_iter().flat_map(clauses) {
            let part = &with_place_adverbs(draft, &with_place_names(draft, part));
            text.push_str(&with_subject(draft, index, part, place));
            text.push_str(". ");
            let is_place = |other: &usize| draft.entities[*other].kind == Kind::Location;
            place = draft.named_in(part).into_iter().find(is_place).or(place);
        }
    }
    let found = extractor.extract(lexicon, &Text::new(&text, TextType::Lore));
    let index_of = |mention: &Mention| match mention {
        Mention::Known(id) => draft.entities.iter().position(|entity| entity.id == *id),
        Mention::New(_) => None,
    };
    let facts = found.facts.iter().filter(|fact| {
        let is_sure = fact.confidence.get() >= MIN_RELATION_CONFIDENCE && fact.factuality == Factuality::Asserted;
        is_sure && !fact.denied && !fact.ended
    });
    let relations = facts.filter_map(|fact| {
        let FactObject::Entity(object) = &fact.object else { return None };
        let (subject, object) = (index_of(&fact.subject)?, index_of(object)?);
        // The patterns have no predicate of their own for some verbs, such as "lead", but the fields of notes have one.
        let named = fact.relation.as_deref().map(|verb| lexicon::meaning(&format!("{verb}s")));
        let (predicate, rank) = match named {
            Some(Meaning::Relation(meaning)) if !meaning.backwards => (meaning.predicate, meaning.rank),
            _ => (fact.predicate.clone(), None),
        };
        Some(Relation { subject, predicate, object, rank, is_prose: true })
    });
    relations.filter(|relation| relation.subject == index).collect()
}

/// Returns a sentence in which the name of the place that the sentence names last before "there" replaces this word, if the
/// word ends a clause: "She runs the mill and lives there."
fn with_place_adverbs(draft: &Draft, sentence: &str) -> String {
    let all: Vec<&str> = sentence.split(' ').collect();
    let replace = |(number, part): (usize, &&str)| {
        let word = part.trim_end_matches(|c: char| !c.is_alphanumeric());
        let next = all.get(number + 1).filter(|_| word.len() == part.len());
        let ends_clause = next.is_none_or(|next| contains_word(&english().name_conjunctions, next));
        let is_adverb = ends_clause && contains_word(&ENGLISH.place_adverbs, word);
        let before = if is_adverb { draft.named_in(&all[..number].join(" ")) } else { Vec::new() };
        let place = before.into_iter().rev().find(|other| draft.entities[*other].kind == Kind::Location);
        match place {
            Some(place) => format!("at {}{}", draft.entities[place].name, &part[word.len()..]),
            None => (*part).to_owned(),
        }
    };
    all.iter().enumerate().map(replace).collect::<Vec<_>>().join(" ")
}

/// Splits a sentence at the full stops before a small letter: "Sees everything. lives on the ship."
fn clauses(sentence: &str) -> Vec<&str> {
    let (mut found, mut start) = (Vec::new(), 0);
    for (at, _) in sentence.match_indices(". ") {
        if sentence[at + 2..].starts_with(char::is_lowercase) {
            found.push(&sentence[start..at]);
            start = at + 2;
        }
    }
    found.push(sentence[start..].trim_end_matches(['.', ' ']));
    found
}

/// Returns a sentence about an entity with the name of the entity as its subject, and with the name of the place that "there"
/// refers to.
pub(super) fn with_subject(draft: &Draft, index: usize, sentence: &str, place: Option<usize>) -> String {
    let name = &draft.entities[index].name;
    let sentence = upper_first(sentence);
    let sentence = match leading_entity(draft, &sentence) {
        Some(_) => sentence,
        None if begins_with_anaphor(&sentence) => name_person(&sentence, name),
        None if lacks_subject(&sentence) => {
            let (verb, rest) = sentence.split_once(' ').unwrap_or((sentence.as_str(), ""));
            format!("{name} {} {rest}", verb.to_lowercase())
        }
        // "Staying at the inn."
        None if sentence.split(' ').next().is_some_and(|first| first.ends_with("ing")) => {
            format!("{name} is {}", lower_first(&sentence))
        }
        None => describe(name, &lower_first(&sentence)).trim_end_matches('.').to_owned(),
    };
    let Some(place) = place else { return sentence };
    let replace = |part: &str| {
        let word = part.trim_end_matches(|c: char| !c.is_alphanumeric());
        let end = &part[word.len()..];
        if contains_word(&ENGLISH.place_adverbs, word) {
            format!("at {}{end}", draft.entities[place].name)
        } else {
            part.to_owned()
        }
    };
    sentence.split(' ').map(replace).collect::<Vec<_>>().join(" ")
}

/// Adds a home, a location, a group or a personal relation to the subject of a relation. Other relations are not fields. The
/// first home counts.
fn add_relation(draft: &mut Draft, relation: Relation) {
    let Relation { subject, predicate, object, rank, is_prose } = relation;
    let target = &draft.entities[object];
    let (is_place, is_group) = (target.kind == Kind::Location, target.kind == Kind::Faction);
    let id = target.id.clone();
    let part_of_object = target.part_of.clone();
    let is_personal = (target.kind.is_character() || is_group)
        && subject != object
        && contains_word(&ENGLISH.personal_relations, predicate.as_str());
    let vocabulary = Vocabulary::default();
    let is_symmetric = vocabulary.predicate(&predicate).is_some_and(|def| def.symmetric);
    let is_inverse = |tie: &DraftTie| tie.relation == predicate.as_str() && tie.other == draft.entities[subject].id;
    let is_known = is_symmetric && target.ties.iter().any(is_inverse);
    let entity = &mut draft.entities[subject];
    let is_part = PredicateRole::Part.is(&predicate) || PredicateRole::Location.is(&predicate);
    if entity.kind == Kind::Location && is_place && is_part {
        if entity.id != id && part_of_object.as_ref() != Some(&entity.id) {
            entity.part_of.get_or_insert(id);
        }
        return;
    }
    if !entity.kind.is_character() {
        return;
    }
    if PredicateRole::Residence.is(&predicate) && is_place {
        // "Staying at the inn" can also be read as a home, but a guest does not live there.
        let is_stay = is_prose && entity.is_guest && entity.location.as_ref() == Some(&id);
        if !is_stay {
            entity.home.get_or_insert(id);
        }
    } else if PredicateRole::Location.is(&predicate) && is_place && entity.kind == Kind::Npc {
        if entity.location.is_none() {
            (entity.location, entity.is_guest) = (Some(id), is_prose);
        }
    } else if PredicateRole::Membership.is(&predicate) && is_group {
        let group = DraftGroup { relation: predicate.to_string(), group: id, rank: rank.map(str::to_owned) };
        let is_same = |other: &&mut DraftGroup| other.relation == group.relation && other.group == group.group;
        match entity.groups.iter_mut().find(is_same) {
            Some(known) => known.rank = known.rank.take().or(group.rank),
            None => entity.groups.push(group),
        }
    } else if is_personal {
        let tie = DraftTie { relation: predicate.to_string(), other: id };
        // A character has only one employer at a time, and the first one counts.
        let is_single = vocabulary.is_functional(&predicate);
        let is_same = |known: &DraftTie| *known == tie || is_single && known.relation == tie.relation;
        if !is_known && !entity.ties.iter().any(is_same) {
            entity.ties.push(tie);
        }
    }
}

/// Makes the place where an NPC works its home, if the page states no other place of the NPC. Otherwise, the NPC would be
/// nowhere.
fn set_workplaces(draft: &mut Draft, extractor: &Extractor, lexicon: &Lexicon) {
    for index in 0..draft.entities.len() {
        let entity = &draft.entities[index];
        let is_nowhere = entity.kind == Kind::Npc && entity.home.is_none() && entity.location.is_none();
        if let Some(place) = is_nowhere.then(|| workplace(draft, index, extractor, lexicon)).flatten() {
            let entity = &mut draft.entities[index];
            (entity.home, entity.is_home_workplace) = (Some(place), true);
        }
    }
}

/// Returns the place where a character works, if a sentence of the description begins with the occupation and the place:
/// "Landlady of the Gull.", "She is the priest at the chapel." Returns `None` if the character no longer works there.
fn workplace(draft: &Draft, index: usize, extractor: &Extractor, lexicon: &Lexicon) -> Option<EntityId> {
    let entity = &draft.entities[index];
    let place_in = |sentence: &str| {
        let sentence = with_place_names(draft, sentence);
        let text = labelled_occupation(&sentence).unwrap_or(&sentence);
        let text = text.strip_prefix(entity.name.as_str()).unwrap_or(text);
        let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
        let text = if begins_with_anaphor(text) { text.split_once(' ')?.1 } else { text };
        let text = without_relation(text.strip_prefix("is ").unwrap_or(text));
        let clause = text.split([',', '.', ';', '(', ')', '\u{2013}', '\u{2014}']).next()?;
        let is_place = |(_, other): &(usize, usize)| draft.entities[*other].kind == Kind::Location;
        let (at, place) = draft.named_at(clause).into_iter().find(is_place)?;
        let clause_words: Vec<&str> = clause.split_whitespace().collect();
        let (before, named) = clause_words.split_at(at.min(clause_words.len()));
        let before = before.strip_suffix(&["the"]).unwrap_or(before);
        let (preposition, role) = before.split_last()?;
        let role = if begins_with_article(role.first()?) { &role[1..] } else { role };
        let role = role.join(" ");
        let is_known = entity.occupation.as_ref() == Some(&role);
        let is_role = role.split(' ').count() <= MAX_ROLE_WORDS && (is_known || is_trade(&role) || is_rank(&role));
        let is_at = *preposition == "of" || contains_word(&english().scene_openers, preposition);
        // "The landlady of the Gull's cook" does not work at the Gull herself.
        let is_owner = has_genitive(draft, place, named);
        let place = &draft.entities[place];
        if !is_role || !is_at || is_owner {
            return None;
        }
        let stated = format!("{}.", with_subject(draft, index, sentence.trim_end_matches('.'), None));
        let found = extractor.extract(lexicon, &Text::new(&stated, TextType::Lore));
        let is_over = found.facts.iter().any(|fact| fact.ended || fact.denied);
        (!is_over).then(|| place.id.clone())
    };
    let mut parts = entity.description.iter().flat_map(|paragraph| sentences(&paragraph.text));
    parts.find_map(place_in)
}
