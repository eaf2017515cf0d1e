//! Writes facts as sentences that also show how certain the readers are.

use hearsay_model::{Calendar, Date, EntityId, Passage, Vocabulary, text, words};

use super::{
    names::Names,
    shared::{Certainty, Origin, SharedFact, SharedView},
};

/// How the sentences of a handbook name its readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Voice {
    /// The text calls the readers the party.
    Party,
    /// The text addresses the single reader as "you".
    You,
}

/// Writes the sentences of a handbook.
pub(super) struct Wording<'a> {
    pub(super) shared: &'a SharedView<'a>,
    pub(super) names: &'a Names,
    pub(super) calendar: &'a Calendar,
    pub(super) vocabulary: &'a Vocabulary,
    pub(super) voice: Voice,
}

impl Wording<'_> {
    /// Returns a fact as a sentence: `Mirela Voss says that the ferry is late.` The past tense is used if `is_past`, or
    /// if the fact has ended.
    pub(super) fn sentence(&self, fact: &SharedFact, is_past: bool) -> String {
        let known = fact.known();
        let subject = known.subject();
        let statement = with_full_stop(known.statement());
        let statement = match self.names.name(subject) {
            Some(name) => words::with_own_possessives(&statement, name, self.names.pronouns(subject)),
            None => statement,
        };
        // Of several sentences, only the first would be in the past tense.
        let is_one_sentence = !statement.trim_end_matches('.').contains(". ");
        let past = (is_one_sentence && (is_past || fact.end.is_some()))
            .then(|| self.names.name(subject).and_then(|name| words::past_tense(&statement, name)))
            .flatten();
        let end = fact.end.map(|end| match end.date.map(|date| self.date(date)) {
            Some(date) if !date.is_empty() => format!(" This ended on {date}."),
            _ => " This has ended.".to_owned(),
        });
        // An author who writes the past tense has already written that the fact has ended.
        let end = end.filter(|_| past.is_some()).unwrap_or_default();
        format!("{}{end}", self.attributed(fact, past.as_ref().unwrap_or(&statement)))
    }

    /// Returns a date as text.
    pub(super) fn date(&self, date: &Date) -> String {
        date.time.map_or_else(|| date.raw.clone(), |time| self.calendar.format(time))
    }

    /// Returns whether a fact is stated without a source and without a doubt.
    pub(super) fn is_plain(fact: &SharedFact) -> bool {
        fact.certainty == Some(Certainty::Certain) && fact.origin != Origin::Invented
    }

    /// Returns a statement with its source and the doubts of the readers.
    fn attributed(&self, fact: &SharedFact, statement: &str) -> String {
        let only_teller = match &fact.origin {
            Origin::Told(tellers) => tellers.first().filter(|_| tellers.len() == 1),
            _ => None,
        };
        let named = only_teller.and_then(|teller| self.names.with_full_name(teller, statement));
        let described = only_teller.and_then(|teller| self.with_description(fact, teller, statement));
        let statement = named.as_deref().or(described.as_deref()).unwrap_or(statement);
        if let Some(quotation) = self.quotation(fact, statement) {
            return quotation;
        }
        let clause = self.names.as_clause(statement);
        let without_stop = clause.trim_end_matches('.');
        let readers = self.readers();
        let doubt = match fact.certainty {
            Some(Certainty::Doubted) => ", which seems unlikely.",
            Some(Certainty::Untrue) => ", which is not true.",
            _ if clause.ends_with(['!', '?', '"', '\u{201D}']) => "",
            _ => ".",
        };
        // "Odo says that Odo was in all night" sounds as if there were two of them.
        let subject = fact.known().subject();
        let starts_with = |id: &EntityId| {
            let rest = self.names.name(id).and_then(|name| without_stop.strip_prefix(name));
            rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        };
        let is_own_account = described.is_some() || only_teller.is_some_and(starts_with);
        // The statement of a task or a promise already says who gave it, so no source is added.
        let is_thread = self.vocabulary.behavior(fact.known().predicate()).thread.is_some();
        match (&fact.origin, fact.certainty) {
            (_, Some(Certainty::Likely)) if is_thread => statement.to_owned(),
            (_, Some(Certainty::Unsure) | None) if is_thread && is_own_account => statement.to_owned(),
            (_, Some(Certainty::Untrue)) if self.voice == Voice::You && fact.was_passed_on() => {
                format!("You told others that {without_stop}, which is not true.")
            }
            (Origin::Invented, _) => format!("{} invented this: {statement}", words::upper_first(readers)),
            (Origin::Told(tellers), Some(Certainty::Certain)) if !tellers.contains(subject) => {
                format!("{} told {readers} that {without_stop}{doubt}", self.join(tellers.iter()))
            }
            (_, Some(Certainty::Certain)) => statement.to_owned(),
            (Origin::Told(tellers), _) => match only_teller.map(|teller| (teller, self.names.pronouns(teller))) {
                Some((_, pronouns)) if is_own_account => {
                    let possessive = pronouns.map_or("their", |pronouns| pronouns.possessive.as_str());
                    format!("By {possessive} own account, {without_stop}{doubt}")
                }
                Some((teller, pronouns)) => {
                    let name = self.names.name_or_description(teller);
                    words::reported_speech(name, without_stop, pronouns) + doubt
                }
                None => format!("{} say that {without_stop}{doubt}", self.join(tellers.iter())),
            },
            (Origin::Read(document), _) => {
                let document = document.as_ref().and_then(|id| self.names.name(id)).unwrap_or("a text");
                format!("According to {}, {without_stop}{doubt}", words::lower_first(document))
            }
            (Origin::Heard, Some(Certainty::Likely)) => format!("It is said that {without_stop}{doubt}"),
            (Origin::Heard, None) => format!("{} heard that {without_stop}{doubt}", self.readers_have()),
            (Origin::Heard, _) => format!("It is rumoured that {without_stop}{doubt}"),
            (Origin::Own, Some(Certainty::Likely)) => format!("It seems that {without_stop}{doubt}"),
            (Origin::Own, Some(Certainty::Unsure)) => format!("It may be that {without_stop}{doubt}"),
            (Origin::Own, Some(Certainty::Doubted)) => format!("It seems unlikely that {without_stop}."),
            (Origin::Own, Some(Certainty::Untrue)) => format!("It is not true that {without_stop}."),
            (Origin::Own, None) => format!("{} heard that {without_stop}{doubt}", self.readers_have()),
        }
    }

    /// Returns a statement that cannot follow "says that", such as a description without a verb, as a quotation with its source.
    /// Returns `None` for another statement, and for a statement that needs no source.
    fn quotation(&self, fact: &SharedFact, statement: &str) -> Option<String> {
        let known = fact.known();
        let is_thread = self.vocabulary.behavior(known.predicate()).thread.is_some();
        let is_clause = known.states_clause(self.names.name(known.subject()));
        if is_clause || is_thread {
            return None;
        }
        let is_certain = fact.certainty == Some(Certainty::Certain);
        let is_untrue = fact.certainty == Some(Certainty::Untrue);
        let source = match &fact.origin {
            _ if is_untrue && self.voice == Voice::You && fact.was_passed_on() => "You told others".to_owned(),
            Origin::Told(tellers) if is_certain && !tellers.contains(known.subject()) => {
                format!("{} told {}", self.join(tellers.iter()), self.readers())
            }
            _ if is_certain => return None,
            Origin::Invented => return None,
            Origin::Told(tellers) => {
                let names: Vec<&str> = tellers.iter().map(|id| self.names.name_or_description(id)).collect();
                format!("According to {}", words::join_names(&names))
            }
            Origin::Read(document) => {
                let document = document.as_ref().and_then(|id| self.names.name(id)).unwrap_or("a text");
                format!("According to {}", words::lower_first(document))
            }
            Origin::Heard => "It is said".to_owned(),
            Origin::Own => "It may be".to_owned(),
        };
        let doubt = match fact.certainty {
            Some(Certainty::Doubted) => " This seems unlikely.",
            Some(Certainty::Untrue) => " This is not true.",
            _ => "",
        };
        Some(format!("{source}: \u{201C}{statement}\u{201D}{doubt}"))
    }

    /// Returns a sentence with a description instead of the name at its start, if the teller told the fact about itself and
    /// the readers do not know the name of the teller: "A stranger found the boot." Uses only the words that the readers
    /// heard and the sentence, because the readers must not see who the teller is.
    fn with_description(&self, fact: &SharedFact, teller: &EntityId, sentence: &str) -> Option<String> {
        let name = text::name_at_start(sentence).filter(|_| self.names.name(teller).is_none())?;
        let rest = sentence.strip_prefix(name).filter(|_| self.names.mentions(name).is_empty())?;
        let name = text::words(name);
        // "I found the boot" is about the teller, and "Vess owes me a boot" is not.
        let is_own = |line: &Passage| {
            let words = text::words(&line.text);
            line.speaker.as_ref() == Some(teller)
                && words.iter().any(|word| words::is_first_person(word))
                && !text::contains_name(&words, &name)
        };
        let mut heard = fact.known().evidence_passages().filter_map(|id| self.shared.passage(id));
        heard.any(is_own).then(|| words::upper_first(&format!("{}{rest}", self.names.name_or_description(teller))))
    }

    fn readers(&self) -> &'static str {
        match self.voice {
            Voice::Party => "the party",
            Voice::You => "you",
        }
    }

    fn readers_have(&self) -> &'static str {
        match self.voice {
            Voice::Party => "The party has",
            Voice::You => "You have",
        }
    }

    /// Joins the names or descriptions of entities: `A`, `A and B`, `A, B and C`.
    pub(super) fn join<'i>(&self, ids: impl Iterator<Item = &'i EntityId>) -> String {
        let names: Vec<&str> = ids.map(|id| self.names.name_or_description(id)).collect();
        words::upper_first(&words::join_names(&names))
    }
}

fn with_full_stop(statement: &str) -> String {
    let statement = statement.trim();
    match statement.ends_with(['.', '!', '?', '"', '\u{201D}', '\u{2026}']) {
        true => statement.to_owned(),
        false => format!("{statement}."),
    }
}
