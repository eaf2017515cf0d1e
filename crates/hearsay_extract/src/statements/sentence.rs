//! Writes sentences that can be understood without their context: names replace pronouns, and a subject is added if the
//! words have no subject.

use std::ops::Range;

use hearsay_model::{
    Factuality,
    words::{english, is_article},
};

use super::{PreparedDocument, empty_words::StatementWords, word_splitter::Word};
use crate::{
    entities::{lexicon::Gender, mentions::EntityRef},
    language::{
        function_words::{is_be_form, is_pronoun},
        grammar::WordClass,
        word_lists::{WordSet, lists},
    },
    model::{DecodedStatement, LikelyReferent, Referent},
    text::document::LineRole,
};

/// The sentence of a statement.
pub(crate) struct StatementText {
    pub(crate) text: String,
    /// Entity that the sentence is about.
    pub(crate) subject: EntityRef,
    /// Other entities that the sentence names, in their order in the sentence.
    pub(crate) participants: Vec<EntityRef>,
    pub(crate) factuality: Factuality,
    /// Name that is added before the words because the words have no subject; `None` if they have a subject.
    pub(crate) added_subject: Option<String>,
    /// Words that are replaced, each with the name that replaces them.
    pub(crate) resolved: Vec<(Range<usize>, String)>,
    /// Product of the probabilities of the subject and of all references.
    pub(crate) certainty: f32,
    /// Whether the sentence contains a new name.
    pub(crate) has_new_name: bool,
    /// Whether "the party" replaces a pronoun, a description or an omitted subject.
    pub(crate) names_party: bool,
    /// Number of words such as "it" and "there" whose meaning the sentence does not explain.
    pub(crate) vague_words: u8,
    /// Number of personal pronouns that remain in the sentence.
    pub(crate) pronoun_count: u8,
    /// Whether the statement begins where a clause can begin.
    pub(crate) starts_at_boundary: bool,
    /// Whether the statement ends where a clause can end.
    pub(crate) ends_at_boundary: bool,
}

/// Minimum probability at which a name replaces a description.
const MIN_DESCRIPTION_PROBABILITY: f32 = 0.8;

impl StatementText {
    /// Writes the sentence of a statement. Returns `None` if the sentence cannot be understood alone, because a pronoun
    /// is not resolved, words are missing, the words are a question or an order, or the sentence names no entity.
    pub(super) fn write(document: &PreparedDocument<'_>, line: usize, decoded: &DecodedStatement) -> Option<Self> {
        let writer = SentenceWriter { document, line, words: &document.words[line] };
        writer.write_statement(decoded)
    }
}

/// Writes the sentences of the statements in a line.
pub(super) struct SentenceWriter<'d, 'a> {
    pub(super) document: &'d PreparedDocument<'a>,
    pub(super) line: usize,
    pub(super) words: &'d [Word<'a>],
}

/// A name that replaces some words.
struct Replacement {
    words: Range<usize>,
    entity: Option<EntityRef>,
    name: String,
    is_plural: bool,
}

impl SentenceWriter<'_, '_> {
    pub(super) fn lower(&self, word: usize) -> String {
        self.words.get(word).map(|word| word.text.to_lowercase()).unwrap_or_default()
    }

    /// Returns the entity to which a reference refers, its name, and whether the name is plural. Returns `None` for a
    /// referent without a name.
    fn referent_name(&self, likely_referent: &LikelyReferent) -> Option<(Option<EntityRef>, String, bool)> {
        match likely_referent.referent {
            Referent::Named(entity) => Some((Some(entity), self.document.entity_name(entity).to_owned(), false)),
            Referent::Party => {
                let party = self.document.lexicon.party().map(EntityRef::Known);
                Some((party, party.map_or("the party", |entity| self.document.entity_name(entity)).to_owned(), true))
            }
            Referent::Other | Referent::Explicit => None,
        }
    }

    fn write_statement(&self, decoded: &DecodedStatement) -> Option<StatementText> {
        if self.is_question(decoded)
            || !self.is_complete(decoded)
            || self.states_nothing(decoded)
            || self.document.takes_people_for_party(self.line, decoded)
        {
            return None;
        }
        let names = &self.document.lines[self.line].names;
        let mut certainty = 1.0;
        let mut replacements: Vec<Replacement> = Vec::new();
        let mut names_party = decoded.subject.referent == Referent::Party;
        for reference in &decoded.references {
            // A name is not replaced.
            let is_name =
                names.iter().any(|(range, _)| range.start < reference.words.end && reference.words.start < range.end);
            if is_name || reference.words.end > decoded.words.end || self.introduces(&reference.words) {
                continue;
            }
            if let Referent::Named(entity) = reference.likely_referent.referent
                && self.is_relative_pronoun(reference.words.start)
                && self.is_about_relative(reference.words.start, entity)
            {
                return None;
            }
            let words = self.replaced_words(&reference.words);
            let is_pronoun = words.len() == 1 && self.is_pronoun(words.start);
            // A description can remain if the referent is uncertain.
            if !is_pronoun && reference.likely_referent.probability < MIN_DESCRIPTION_PROBABILITY {
                continue;
            }
            let Some((entity, name, is_plural)) = self.referent_name(&reference.likely_referent) else { continue };
            if !is_pronoun && self.statement_words(decoded).precede_name(words.end, names, entity) {
                continue;
            }
            if !is_plural && self.statement_words(decoded).suggest(words.start) {
                return None;
            }
            certainty *= reference.likely_referent.probability;
            names_party |= reference.likely_referent.referent == Referent::Party;
            replacements.push(Replacement { words, entity, name, is_plural });
        }
        let mentioned =
            names.iter().filter(|(range, _)| decoded.words.start <= range.start && range.end <= decoded.words.end);
        let mut mentioned: Vec<(usize, EntityRef)> = mentioned.map(|(range, entity)| (range.start, *entity)).collect();
        mentioned
            .extend(replacements.iter().filter_map(|replacement| Some((replacement.words.start, replacement.entity?))));
        mentioned.sort_unstable();
        self.check_pronouns(decoded, &replacements, &mentioned)?;
        let note = self.document.source[self.line].topic.filter(|_| self.starts_sentence(decoded));
        if let (Referent::Named(entity), None) = (decoded.subject.referent, note)
            && self.is_about_relative(decoded.words.start, entity)
        {
            return None;
        }
        let subject = match (decoded.subject.referent, note) {
            (Referent::Explicit, _) => None,
            (_, Some(note)) => {
                let entity = EntityRef::Known(self.document.lexicon.index(note)?);
                Some((Some(entity), self.document.entity_name(entity).to_owned(), false))
            }
            (_, None) => self.referent_name(&decoded.subject),
        };
        certainty *= decoded.subject.probability;
        let mut body = self.write_body(decoded, &replacements, subject.as_ref().and_then(|(entity, ..)| *entity));
        if note.is_some() && subject.is_some() {
            body = self.without_capital(decoded, body);
        }
        let added_subject = subject.as_ref().map(|(_, name, _)| name.clone());
        let (text, subject) = match &subject {
            Some((entity, name, is_plural)) => (
                format!("{name} {}", self.predicate_text(decoded, &body, *is_plural)),
                entity.or(mentioned.first().map(|(_, entity)| *entity))?,
            ),
            None => (body, mentioned.first()?.1),
        };
        let is_new = |entity: &EntityRef| matches!(entity, EntityRef::New(_));
        let words = self.statement_words(decoded);
        let factuality = most_likely_factuality(&decoded.status_probabilities, !words.are_past());
        // A sentence of two words, such as "Vex leads.", says too little.
        let is_named_again = added_subject.is_some() || mentioned.len() > 1;
        if text.split_whitespace().count() < 3 || words.only_repeat_name(names, subject, is_named_again) {
            return None;
        }
        Some(StatementText {
            text: finish_sentence(&text, self.status_prefix(decoded, &text, factuality)),
            subject,
            participants: mentioned.iter().map(|(_, other)| *other).filter(|other| *other != subject).collect(),
            factuality,
            added_subject,
            certainty,
            names_party,
            has_new_name: is_new(&subject) || mentioned.iter().any(|(_, entity)| is_new(entity)),
            vague_words: self.count_remaining(decoded, &replacements, &lists().statements.vague),
            pronoun_count: self.count_remaining(decoded, &replacements, &lists().statements.third_person),
            starts_at_boundary: self.is_boundary(decoded.words.start.checked_sub(1)),
            ends_at_boundary: self.is_boundary(Some(decoded.words.end)),
            resolved: replacements.into_iter().map(|replacement| (replacement.words, replacement.name)).collect(),
        })
    }

    /// Returns whether the words of a reference introduce somebody or something, as "a clerk" does, or are only an article.
    fn introduces(&self, reference: &Range<usize>) -> bool {
        let first = self.lower(reference.start);
        matches!(first.as_str(), "a" | "an") || reference.len() == 1 && is_article(&first)
    }

    /// Returns the words of a reference that the name of its referent replaces. In "his parents" and "the king's
    /// guards", the referent is the owner; the parents and guards are other people.
    fn replaced_words(&self, reference: &Range<usize>) -> Range<usize> {
        let Range { start, end } = *reference;
        if end > start + 1 && self.is_possessive(&self.lower(start), start + 1, end) {
            return start..start + 1;
        }
        let is_apostrophe = |at: &usize| matches!(self.words[*at].text, "'" | "\u{2019}");
        let owner_end = (start + 1..end.saturating_sub(2)).find(|at| is_apostrophe(at) && self.lower(*at + 1) == "s");
        start..owner_end.unwrap_or(end)
    }

    /// Returns whether the words from `start` on are about an unnamed relative of an entity, and not about the entity
    /// itself: the words "died at sea" in "Odo's brother, who died at sea", and "died" in "whose brother died".
    fn is_about_relative(&self, start: usize, entity: EntityRef) -> bool {
        let grammar = self.document.extractor.grammar();
        let is_kin = |word: usize| grammar.word_class(&self.lower(word)).has(WordClass::KIN);
        let is_relative =
            |word: usize| word > 0 && is_kin(word) && self.is_possessive(&self.lower(word - 1), word, self.words.len());
        let text = |word: usize| self.words.get(word).map_or("", |word| word.text);
        let is_owner = |end: usize| {
            let is_possessive = matches!(text(end), "'" | "\u{2019}") && self.lower(end + 1) == "s";
            let is_same_sentence = !(end..start).any(|word| matches!(text(word), "." | "!" | "?"));
            is_possessive && end + 2 < start && is_kin(end + 2) && is_same_sentence
        };
        let names = &self.document.lines[self.line].names;
        let last_name = names.iter().rfind(|(range, other)| *other == entity && range.end <= start);
        is_relative(start)
            || start.checked_sub(1).is_some_and(is_relative)
            || last_name.is_some_and(|(range, _)| is_owner(range.end))
    }

    /// Returns how many of the words in `counted` remain in the statement.
    fn count_remaining(&self, decoded: &DecodedStatement, replacements: &[Replacement], counted: &WordSet) -> u8 {
        let remains = |word: &usize| !replacements.iter().any(|replacement| replacement.words.contains(word));
        let is_counted = |word: &usize| counted.contains(&self.lower(*word));
        decoded.words.clone().filter(remains).filter(is_counted).count().min(9) as u8
    }

    /// Returns whether a clause can begin or end at a word: at a punctuation mark, at a word such as "and", or
    /// at the start or end of the line.
    fn is_boundary(&self, word: Option<usize>) -> bool {
        let Some(word) = word.and_then(|at| self.words.get(at)) else { return true };
        !word.text.starts_with(char::is_alphanumeric)
            || lists().statements.clause_boundaries.contains(&word.text.to_lowercase())
    }

    /// Returns whether the statement begins at the start of a sentence.
    fn starts_sentence(&self, decoded: &DecodedStatement) -> bool {
        let previous = decoded.words.start.checked_sub(1).and_then(|at| self.words.get(at));
        previous.is_none_or(|word| matches!(word.text, "." | "!" | "?"))
    }

    /// Returns the words of a statement with its first word in lowercase, if this word is a verb.
    fn without_capital(&self, decoded: &DecodedStatement, body: String) -> String {
        let lower = self.lower(decoded.words.start);
        let is_verb = !self.verb_forms(&lower).is_empty();
        match body.strip_prefix(self.words[decoded.words.start].text).filter(|_| is_verb) {
            Some(rest) => format!("{lower}{rest}"),
            None => body,
        }
    }

    /// Returns whether the statement is part of a question.
    fn is_question(&self, decoded: &DecodedStatement) -> bool {
        let mut following_words = self.words.get(decoded.words.end..).unwrap_or_default().iter();
        following_words.find(|word| matches!(word.text, "." | "!" | "?")).is_some_and(|word| word.text == "?")
    }

    /// Returns whether the words of a line of a session state no fact, although they can be a sentence.
    fn states_nothing(&self, decoded: &DecodedStatement) -> bool {
        let (line, words) = (&self.document.source[self.line], self.statement_words(decoded));
        line.speaker.is_some() && words.say_nothing()
            || words.are_condition()
            || words.tell_nothing(&self.document.lines[self.line].names)
            || words.end_before_description()
            || words.are_asked()
            || words.only_identify(&self.document.lines[self.line].names)
            || line.role != LineRole::Written
                && (words.are_gesture()
                    || words.tell_errand()
                    || words.only_think()
                    || words.end_with_demonstrative()
                    || self.is_unwitnessed(decoded))
            || self.has_wrong_referent(decoded)
    }

    /// Returns whether the words only say that nobody notices somebody: "Nobody sees Odo."
    fn is_unwitnessed(&self, decoded: &DecodedStatement) -> bool {
        let names = &self.document.lines[self.line].names;
        let says_no_more = |word: usize| {
            let lower = self.lower(word);
            is_pronoun(&lower)
                || !lower.starts_with(char::is_alphanumeric)
                || names.iter().any(|(range, _)| range.contains(&word))
        };
        english().unwitnessed_clauses.iter().any(|clause| {
            let mut rest = decoded.words.clone();
            clause.split(' ').all(|expected| rest.next().is_some_and(|word| self.lower(word) == expected))
                && rest.all(says_no_more)
        })
    }

    pub(super) fn statement_words(&self, decoded: &DecodedStatement) -> StatementWords<'_, '_> {
        let grammar = self.document.extractor.grammar();
        StatementWords { words: self.words, statement: decoded.words.clone(), grammar }
    }

    /// Returns whether the words can be a complete sentence: they have a verb, do not end too early, are not an order, and
    /// can follow the subject that is added to them.
    fn is_complete(&self, decoded: &DecodedStatement) -> bool {
        let mut words = decoded
            .words
            .clone()
            .rev()
            .map(|word| self.lower(word))
            .filter(|word| word.starts_with(char::is_alphanumeric));
        let last = words.next().unwrap_or_default();
        let first = self.lower(decoded.words.start);
        // Example: "We should go back before", if the line continues with "she changes her mind"
        let is_interrupted = |word: &String| {
            let next = self.words.get(decoded.words.end);
            lists().statements.clause_boundaries.contains(word)
                && next.is_some_and(|next| next.text.starts_with(char::is_alphanumeric))
        };
        let adds_subject = matches!(decoded.subject.referent, Referent::Named(_) | Referent::Party);
        !lists().statements.not_final.contains(&last)
            && !is_interrupted(&last)
            && !lists().statements.orders.contains(&first)
            && words.next().is_some()
            && self.has_verb(decoded)
            && (!adds_subject || self.is_predicate(decoded))
    }

    /// Returns `None` if a pronoun is not resolved. A pronoun of the third person is allowed if an entity is named
    /// before it. In "Odo has seen her", this entity is only the subject, and the sentence does not say whom Odo has seen.
    fn check_pronouns(
        &self,
        decoded: &DecodedStatement,
        replacements: &[Replacement],
        mentioned: &[(usize, EntityRef)],
    ) -> Option<()> {
        for word in decoded.words.clone() {
            if replacements.iter().any(|replacement| replacement.words.contains(&word)) {
                continue;
            }
            let lower = self.lower(word);
            let named_before =
                mentioned.first().is_some_and(|(at, _)| *at < word) || decoded.subject.referent != Referent::Explicit;
            let is_only_object = self.statement_words(decoded).end_with_object(word)
                && mentioned.iter().filter(|(at, _)| *at < word).count() < 2;
            if lists().statements.first_and_second_person.contains(&lower)
                || is_only_object
                || (lists().statements.third_person.contains(&lower) && !named_before)
            {
                return None;
            }
        }
        Some(())
    }

    fn is_relative_pronoun(&self, word: usize) -> bool {
        self.document.extractor.grammar().word_class(&self.lower(word)).has(WordClass::RELATIVE)
    }

    fn is_pronoun(&self, word: usize) -> bool {
        let lower = self.lower(word);
        let lists = &lists().statements;
        [&lists.first_and_second_person, &lists.third_person, &lists.possessives]
            .into_iter()
            .any(|list| list.contains(&lower))
    }

    /// Returns the words of the statement, with names instead of references. A pronoun of the third person remains if
    /// the statement named its referent before: "Odo comes himself".
    fn write_body(
        &self,
        decoded: &DecodedStatement,
        replacements: &[Replacement],
        added_subject: Option<EntityRef>,
    ) -> String {
        let names = &self.document.lines[self.line].names;
        let mut named_entities: Vec<EntityRef> = added_subject.into_iter().collect();
        let mut body = String::new();
        let mut at = decoded.words.start;
        while at < decoded.words.end {
            let word = &self.words[at];
            if !body.is_empty() {
                body.push_str(if self.words[at - 1].end < word.start { " " } else { "" });
            }
            named_entities.extend(names.iter().filter(|(range, _)| range.end == at).map(|(_, entity)| *entity));
            let lower = self.lower(at);
            let replacement = replacements.iter().find(|replacement| replacement.words.start == at);
            let speaker = self.document.lines[self.line].speaker;
            let referent = replacement.map_or(speaker, |replacement| replacement.entity);
            let named = referent.filter(|entity| named_entities.contains(entity));
            let reflexive = named.and_then(|entity| self.reflexive_pronoun(&lower, entity));
            let Some(replacement) = replacement.filter(|_| reflexive.is_none()) else {
                body.push_str(reflexive.unwrap_or(word.text));
                at += 1;
                continue;
            };
            at = replacement.words.end;
            if named.is_some()
                && (lists().statements.third_person.contains(&lower)
                    || lists().pronouns.reflexive.contains(lower.as_str())
                    || lower == "its")
            {
                body.push_str(word.text);
                continue;
            }
            // "They are there" becomes "They are at the Mill". After other verbs, the preposition is unknown.
            if matches!(lower.as_str(), "there" | "here") {
                let previous = replacement.words.start.checked_sub(1).map(|word| self.lower(word)).unwrap_or_default();
                if is_be_form(&previous) {
                    body.push_str("at ");
                } else if !self.document.extractor.grammar().word_class(&previous).has(WordClass::PREPOSITION) {
                    body.push_str(word.text);
                    continue;
                }
            }
            named_entities.extend(replacement.entity);
            body.push_str(&replacement.name);
            if replacement.words.len() > 1 {
                continue;
            }
            if self.is_possessive(&lower, at, decoded.words.end) {
                body.push_str(if replacement.name.ends_with('s') { "'" } else { "'s" });
            } else if lists().statements.subjects.contains(&lower) && !self.precedes_base_form(replacement.words.start)
            {
                at = self.write_agreeing_verb(&mut body, at, decoded.words.end, replacement.is_plural);
            }
        }
        body
    }

    /// Returns the pronoun of the third person for "myself" or "yourself": "herself" for a woman. Returns `None` for other
    /// words.
    fn reflexive_pronoun(&self, pronoun: &str, entity: EntityRef) -> Option<&'static str> {
        let reflexive = match self.document.entity_gender(entity) {
            Gender::He => "himself",
            Gender::She => "herself",
            Gender::It => "itself",
            Gender::They | Gender::Unknown => "themself",
        };
        matches!(pronoun, "myself" | "yourself").then_some(reflexive)
    }

    /// Returns whether a pronoun is possessive. "Her" is possessive if a noun or adjective follows.
    fn is_possessive(&self, pronoun: &str, next: usize, end: usize) -> bool {
        if pronoun != "her" {
            return lists().statements.possessives.contains(pronoun);
        }
        let grammar = self.document.extractor.grammar();
        let lower = self.lower(next);
        let closed_classes =
            WordClass::PREPOSITION.or(WordClass::CONJUNCTION).or(WordClass::DETERMINER).or(WordClass::RELATIVE);
        let has_next_word = next < end && lower.starts_with(char::is_alphanumeric);
        has_next_word
            && !grammar.word_class(&lower).has(closed_classes)
            && !lists().statements.after_object_her.contains(&lower)
    }

    /// Returns the prefix of a sentence that is not asserted, such as "The plan is that ". Returns an empty string if
    /// the words of the text, or the words of its `sentence`, already express the status.
    fn status_prefix(&self, decoded: &DecodedStatement, sentence: &str, factuality: Factuality) -> &'static str {
        let written = hearsay_model::text::words(sentence);
        let contains_any = |words: &WordSet| {
            let is_listed = |word: &str| words.contains(word);
            decoded.words.clone().any(|word| is_listed(&self.lower(word))) || written.iter().any(|word| is_listed(word))
        };
        let is_ongoing = || self.statement_words(decoded).are_ongoing();
        match factuality {
            Factuality::Planned if is_ongoing() => "",
            Factuality::Planned
                if !contains_any(&lists().statements.plans) && self.lower(decoded.words.start) != "to" =>
            {
                "The plan is that "
            }
            Factuality::Hedged if !contains_any(&lists().statements.guesses) => "Perhaps ",
            Factuality::Ended if !contains_any(&lists().statements.past) => "It is no longer true that ",
            _ => "",
        }
    }
}

fn most_likely_factuality(probabilities: &[f32; 5], may_be_planned: bool) -> Factuality {
    let possible = Factuality::ALL.into_iter().zip(probabilities);
    let possible = possible.filter(|(factuality, _)| may_be_planned || *factuality != Factuality::Planned);
    let best = possible.max_by(|a, b| a.1.total_cmp(b.1));
    best.map_or(Factuality::Hedged, |(factuality, _)| factuality)
}

/// Returns a sentence that begins with a capital letter and ends with a full stop.
fn finish_sentence(text: &str, prefix: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.trim_end_matches(['.', ',', ';', ':', '-', ' ']);
    match prefix {
        "" => format!("{}.", hearsay_model::words::upper_first(text)),
        _ => format!("{prefix}{}.", hearsay_model::words::lower_first(text)),
    }
}
