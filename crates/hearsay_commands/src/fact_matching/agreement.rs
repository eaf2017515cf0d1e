//! Agreement between the entities that a sentence names and the entities of a fact.

use std::collections::BTreeSet;

use hearsay_belief::Known;
use hearsay_extract::{SpokenSentence, is_anaphor};
use hearsay_model::{
    EntityId, State, text,
    words::{contains_word, english},
};
use hearsay_query::views::CachedView;
use hearsay_recall::{EntityLinker, LinkedEntity, stems};

/// How well the entities of a sentence and of a fact agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agreement {
    /// The sentence names only entities of the fact, and refers to every entity of the fact by name or with a pronoun.
    /// A reference to the speaker may be missing. The line names at least one entity of the fact other than the
    /// speaker.
    Full,
    /// The sentence names an entity that is not in the fact, omits an entity of the fact, or refers to all entities
    /// with pronouns.
    Partial,
    /// The fact is about the speaker. The sentence is in the first person and names no other entity of the fact.
    SpeakerOnly,
    /// A sentence of narration refers to the subject and the object of the fact. It also names an entity that is not in
    /// the fact, and omits an entity of the fact: "Wren finds out that Odo led Jory to the warehouse."
    SubjectAndObject,
}

/// What a person does according to a text: "Odo robbed Pell".
pub(super) struct Deed {
    pub(super) actor: EntityId,
    /// Stem of the verb, or the name of the predicate if the extraction found the deed.
    pub(super) verb: String,
    /// Person to whom the deed is done.
    pub(super) object: Option<EntityId>,
}

impl Deed {
    fn is_same(&self, other: &Self) -> bool {
        let objects = self.object.as_ref().zip(other.object.as_ref());
        self.verb == other.verb && self.actor == other.actor && objects.is_none_or(|(one, other)| one == other)
    }

    /// Returns whether two texts tell the same deed, but only of different persons.
    pub(super) fn have_other_persons(said: &[Self], stated: &[Self]) -> bool {
        let has_same =
            |is_same: fn(&Self, &Self) -> bool| said.iter().any(|deed| stated.iter().any(|other| is_same(deed, other)));
        has_same(|deed, other| deed.verb == other.verb) && !has_same(Self::is_same)
    }
}

/// Minimum length of an abbreviated title, such as "Doc" for "Doctor".
const MIN_TITLE_LENGTH: usize = 3;

/// The entities of a sentence, for comparison with facts of a view.
pub(super) struct EntityAgreement<'a> {
    pub(super) state: &'a State,
    pub(super) cached_view: &'a CachedView,
    /// `None` for narration.
    pub(super) speaker: Option<&'a EntityId>,
    pub(super) sentence: &'a SpokenSentence,
    /// Words of the whole line.
    pub(super) line_text: &'a str,
    /// Entities that the sentence names. The speaker is among these entities if the sentence is in the first person.
    pub(super) named: &'a [LinkedEntity],
    /// Entities that any sentence of the line names. Pronouns of the sentence can refer to these entities.
    pub(super) named_in_line: &'a BTreeSet<EntityId>,
    /// Place where the line is said. A speaker need not name it.
    pub(super) place: Option<&'a EntityId>,
}

impl EntityAgreement<'_> {
    /// Compares the sentence with a fact. Returns `None` if the sentence is about other entities than the fact.
    pub(super) fn with_fact(&self, known: &Known) -> Option<Agreement> {
        let named = self.named_ids();
        let mentioned = self.cached_view.names.mentioned_entities(known.statement());
        let in_statement: BTreeSet<&EntityId> = mentioned.iter().map(|mentioned| &mentioned.id).collect();
        let in_fact: BTreeSet<&EntityId> = known.entities().chain(in_statement.iter().copied()).collect();
        if self.is_said_to_other(&in_fact) {
            return None;
        }
        let has_other_entity = !named.is_subset(&in_fact);
        let must_be_named = |id: &EntityId| Some(id) != self.speaker && Some(id) != self.place;
        let left_out = in_statement.difference(&named).filter(|id| must_be_named(id)).count();
        let is_replaced = left_out <= self.sentence.pronoun_count;
        // "I owe them ten crowns" can be about anybody, so the speaker alone does not count.
        let is_named = |id: &EntityId| named.contains(id) || self.named_in_line.contains(id) || Some(id) == self.place;
        let mut others = in_fact.iter().filter(|id| Some(**id) != self.speaker).peekable();
        let is_anchored = others.peek().is_none() || others.any(|id| is_named(id));
        match (has_other_entity, is_replaced) {
            (true, false) => self.narrates(known).then_some(Agreement::SubjectAndObject),
            (false, false) if !is_anchored => {
                self.speaker.is_some_and(|speaker| named.contains(speaker)).then_some(Agreement::SpeakerOnly)
            }
            (false, true) if is_anchored => Some(Agreement::Full),
            _ => Some(Agreement::Partial),
        }
    }

    /// Returns whether "you" stands for a hearer whom the sentence names, and not for a person of the fact whom the line
    /// does not name: "I promise you a boat, Odo" is no promise to Pell.
    fn is_said_to_other(&self, in_fact: &BTreeSet<&EntityId>) -> bool {
        let is_hearer_word = |word: &&String| contains_word(&english().addressee_pronouns, word);
        let hearer_words = text::words(&self.sentence.text).iter().filter(is_hearer_word).count();
        let is_other = |id: &EntityId| Some(id) != self.speaker && self.state.is_character(id);
        let is_omitted = |id: &EntityId| is_other(id) && !self.named_in_line.contains(id);
        self.speaker.is_some()
            && hearer_words > 0
            && hearer_words >= self.sentence.pronoun_count
            && in_fact.iter().any(|id| is_omitted(id))
            && self.named.iter().any(|named| is_other(&named.id) && !in_fact.contains(&named.id))
    }

    /// Returns the number of entities of a fact that the sentence names, without the speaker.
    pub(super) fn named_in_fact(&self, known: &Known) -> usize {
        let in_fact = self.entities_of(known);
        self.named_ids().into_iter().filter(|id| Some(*id) != self.speaker && in_fact.contains(*id)).count()
    }

    /// Returns the entities of a fact, and those that its sentence names.
    fn entities_of(&self, known: &Known) -> BTreeSet<EntityId> {
        let mentioned = self.cached_view.names.mentioned_entities(known.statement());
        known.entities().cloned().chain(mentioned.into_iter().map(|mentioned| mentioned.id)).collect()
    }

    /// Returns whether the sentence of a fact names the place where the line is said.
    pub(super) fn is_said_at_place_of(&self, known: &Known) -> bool {
        let mentioned = self.cached_view.names.mentioned_entities(known.statement());
        self.place.is_some_and(|place| mentioned.iter().any(|mentioned| mentioned.id == *place))
    }

    /// Returns whether the sentence names only entities of a fact and the speaker.
    pub(super) fn names_no_other(&self, known: &Known) -> bool {
        let named = self.named_ids().into_iter().filter(|id| Some(*id) != self.speaker).count();
        named == self.named_in_fact(known)
    }

    /// Returns the number of persons of a fact to whom the line refers by name or by title, without the speaker. Returns
    /// `None` if the line leaves out an entity of the fact, or if the fact has no entity other than the speaker.
    pub(super) fn persons_of_retold_fact(&self, known: &Known) -> Option<usize> {
        let mut others = self.entities_of(known);
        others.retain(|id| Some(id) != self.speaker && Some(id) != self.place);
        let named = self.named_ids();
        let is_meant = |id: &EntityId| named.contains(id) || self.named_in_line.contains(id) || self.has_title(id);
        let is_complete = !others.is_empty() && others.iter().all(is_meant);
        is_complete.then(|| others.iter().filter(|id| self.state.is_character(id)).count())
    }

    /// Returns whether the line refers to an entity by the title in its name, which can be abbreviated: "the abbot" for
    /// Abbot Severin, and "Doc" for Doctor Finch.
    fn has_title(&self, id: &EntityId) -> bool {
        let names = self.cached_view.names.linked_entity(id).names;
        let titles: Vec<&String> = names.iter().filter(|name| name.len() > 1).filter_map(|name| name.first()).collect();
        let words: Vec<&str> = self.line_text.split_whitespace().collect();
        words.iter().enumerate().any(|(at, word)| {
            let before = at.checked_sub(1).map(|at| words[at].to_lowercase());
            let has_article = before.is_some_and(|before| contains_word(&english().determiners, &before));
            let is_marked = has_article || word.starts_with(char::is_uppercase);
            let word = text::words(word).pop().unwrap_or_default();
            is_marked && word.len() >= MIN_TITLE_LENGTH && titles.iter().any(|title| title.starts_with(word.as_str()))
        })
    }

    /// Returns whether the line is narration, and the sentence refers to the subject and the object of the fact by name
    /// or with a pronoun.
    pub(super) fn narrates(&self, known: &Known) -> bool {
        let named = self.named_ids();
        let has_pronoun = self.sentence.pronoun_count > 0;
        let is_meant = |id: &EntityId| named.contains(id) || (has_pronoun && self.named_in_line.contains(id));
        self.speaker.is_none() && is_meant(known.subject()) && known.object().entity().is_none_or(is_meant)
    }

    /// Returns whether the sentence and the fact refer to the same persons in the same order, so that "Odo robbed Pell"
    /// does not state "Pell robbed Odo". A pronoun of the sentence can stand for any person.
    pub(super) fn has_same_roles(&self, known: &Known) -> bool {
        let in_sentence = self.persons(&self.sentence.text);
        let in_fact: Vec<EntityId> = self.persons(known.statement()).into_iter().flatten().collect();
        let agrees = |in_fact: &[EntityId]| {
            in_sentence.len() == in_fact.len()
                && in_sentence.iter().zip(in_fact).all(|(one, other)| one.as_ref().is_none_or(|one| one == other))
        };
        // A pronoun can repeat a named person: "Tobin sold me a print of his key".
        let names_same = in_sentence.iter().flatten().eq(&in_fact);
        // The speaker can leave itself out: "Silas pushed the cart" for "Izzy saw Silas push the cart".
        let others: Vec<EntityId> = in_fact.iter().filter(|id| Some(*id) != self.speaker).cloned().collect();
        names_same || agrees(&in_fact) || agrees(&others)
    }

    /// Returns whether the sentence names a person who is not in a fact.
    pub(super) fn names_other_person(&self, known: &Known) -> bool {
        let in_fact = self.entities_of(known);
        self.named_ids().into_iter().any(|id| self.state.is_character(id) && !in_fact.contains(id))
    }

    /// Returns the deed with which a text begins; `None` if the text does not begin with the name of a person and a verb.
    pub(super) fn leading_deed(&self, text: &str) -> Option<Deed> {
        let words = text::words(text);
        let named = self.cached_view.names.mentioned_entities(text);
        let (actor, rest) = self.leading_person(&named, &words)?;
        let (verb, rest) = rest.split_first()?;
        let object = self.leading_person(&named, rest).map(|(object, _)| object);
        Some(Deed { actor, verb: stems(verb).pop()?, object })
    }

    /// Returns the person with whose name words begin, and the words after the name. `named` are the entities to choose from.
    fn leading_person<'w>(&self, named: &[LinkedEntity], words: &'w [String]) -> Option<(EntityId, &'w [String])> {
        let name_length = |person: &LinkedEntity| {
            let is_of_name = |word: &&String| person.names.iter().flatten().any(|part| part == *word);
            words.iter().take_while(is_of_name).count()
        };
        let persons = named.iter().filter(|named| self.state.is_character(&named.id));
        let (count, person) = persons.map(|person| (name_length(person), person)).max_by_key(|(count, _)| *count)?;
        (count > 0).then(|| (person.id.clone(), &words[count..]))
    }

    /// Returns the persons to whom a text refers, in the order of the text. `None` stands for a pronoun.
    fn persons(&self, text: &str) -> Vec<Option<EntityId>> {
        let names = &self.cached_view.names;
        let mentioned = names.mentioned_entities(text).into_iter().map(|named| named.id);
        let all: BTreeSet<EntityId> = mentioned.filter(|id| self.state.is_character(id)).collect();
        let words: Vec<&str> = text.split_whitespace().collect();
        let (mut seen, mut persons) = (BTreeSet::new(), Vec::new());
        for (at, word) in words.iter().enumerate() {
            let mentioned = names.mentioned_entities(&words[..=at].join(" ")).into_iter().map(|named| named.id);
            persons.extend(mentioned.filter(|id| all.contains(id) && seen.insert(id.clone())).map(Some));
            let word = text::normalize(word);
            if is_anaphor(&word) && !matches!(word.as_str(), "it" | "its" | "itself" | "there") {
                persons.push(None);
            }
        }
        persons
    }

    fn named_ids(&self) -> BTreeSet<&EntityId> {
        self.named.iter().map(|named| &named.id).collect()
    }

    /// Returns the stems of all words in the names, aliases and descriptions of the entities that occur in the sentence
    /// or in a fact. Uses only names, aliases and descriptions of the view.
    pub(super) fn name_stems(&self, known: &Known) -> BTreeSet<String> {
        self.name_stems_of(known, |_| true)
    }

    /// Returns the [name stems](Self::name_stems) of the selected entities.
    pub(super) fn name_stems_of(&self, known: &Known, is_selected: impl Fn(&EntityId) -> bool) -> BTreeSet<String> {
        let CachedView { view, names, .. } = self.cached_view;
        let mentioned = names.mentioned_entities(known.statement());
        let mut entities = self.named_ids();
        entities.extend(mentioned.iter().map(|mentioned| &mentioned.id));
        entities.retain(|id| is_selected(id));
        let names = entities.into_iter().flat_map(|id| view.facts_with_subject(id));
        let names = names.filter(|known| EntityLinker::reads(view.vocabulary(), known.predicate()));
        names.filter_map(|known| known.object().text()).flat_map(stems).collect()
    }
}
