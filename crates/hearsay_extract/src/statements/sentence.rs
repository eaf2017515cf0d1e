//! Sentences that can be understood alone: names replace pronouns, and a subject is added if the words have none.

use std::ops::Range;

use super::{Document, words::Word};
use crate::{
    mentions::Who,
    model::{Found, Meant, Referent, Status},
    verbs::{Form, third},
};

/// The sentence of a statement.
pub(crate) struct Sentence {
    pub(crate) text: String,
    /// Entity that the sentence is about.
    pub(crate) subject: Who,
    pub(crate) status: Status,
    /// Name that is added before the words because they have no subject; `None` if they have one.
    pub(crate) lead: Option<String>,
    /// Words that are replaced, each with the name that replaces them.
    pub(crate) resolved: Vec<(Range<usize>, String)>,
    /// Product of the probabilities of the subject and of all references.
    pub(crate) certainty: f32,
    /// Whether the sentence contains a new name.
    pub(crate) names_new: bool,
    /// Number of words such as "it" and "there" whose meaning the sentence does not explain.
    pub(crate) vague: u8,
    /// Number of personal pronouns that remain in the sentence.
    pub(crate) pronouns: u8,
    /// Whether the statement begins where a clause can begin.
    pub(crate) starts: bool,
    /// Whether the statement ends where a clause can end.
    pub(crate) ends: bool,
}

/// Pronouns of the first and second person.
const SPEAKING: [&str; 12] = ["i", "me", "my", "mine", "we", "us", "our", "ours", "you", "your", "yours", "ourselves"];
/// Pronouns of the third person that refer to persons.
const PERSONAL: [&str; 9] = ["he", "she", "they", "him", "her", "them", "his", "their", "theirs"];
/// Possessive pronouns.
const POSSESSIVE: [&str; 11] = ["my", "our", "your", "his", "their", "its", "mine", "ours", "yours", "theirs", "hers"];
/// Pronouns that can be the subject of a verb.
const SUBJECTS: [&str; 6] = ["i", "we", "you", "he", "she", "they"];
/// Verbs that already express a plan. A sentence with such a verb gets no "Planned:" mark.
const MODALS: [&str; 16] = [
    "will", "would", "shall", "should", "must", "can", "could", "may", "might", "plan", "plans", "planned", "want",
    "wants", "intends", "ll",
];

/// Minimum probability at which a name replaces a description.
const DESCRIPTION: f32 = 0.8;
/// Words after a pronoun that look like verbs but are not.
const ADVERBS: [&str; 14] = [
    "still", "also", "just", "all", "both", "then", "now", "instead", "even", "only", "better", "last", "first", "back",
];

/// Words whose meaning depends on the surrounding text.
const VAGUE: [&str; 12] =
    ["it", "its", "this", "these", "those", "there", "here", "each", "another", "others", "something", "one"];
/// Words at which clauses begin and end.
const BOUNDARIES: [&str; 22] = [
    "and", "but", "or", "as", "while", "when", "before", "after", "who", "which", "that", "to", "so", "because",
    "then", "where", "until", "if", "though", "although", "since", "for",
];
/// Auxiliary verbs, and parts of their short forms.
const AUXILIARIES: [&str; 27] = [
    "is", "are", "was", "were", "be", "has", "have", "had", "do", "does", "did", "will", "would", "can", "could",
    "may", "might", "must", "should", "shall", "ll", "re", "ve", "m", "don", "isn", "won",
];
/// Words before which "'s" and "'d" mean "has" and "had".
const PERFECT: [&str; 12] =
    ["been", "had", "got", "gone", "done", "seen", "taken", "made", "come", "become", "never", "already"];
/// Words that cannot end a statement.
const UNFINISHED: [&str; 33] = [
    "the", "a", "an", "and", "or", "but", "that", "which", "who", "whom", "to", "of", "by", "upon", "with", "from",
    "for", "at", "as", "his", "their", "my", "your", "is", "was", "are", "were", "be", "been", "has", "had", "will",
    "ll",
];

impl Sentence {
    /// Writes the sentence of a statement. Returns `None` if it cannot be understood alone. This is the case if a
    /// pronoun is not resolved, words are missing, the words are a question or an order, or the sentence names no
    /// entity.
    pub(super) fn of(document: &Document<'_>, line: usize, found: &Found) -> Option<Self> {
        let writer = Writer { document, line, words: &document.words[line] };
        writer.write(found)
    }
}

struct Writer<'d, 'a> {
    document: &'d Document<'a>,
    line: usize,
    words: &'d [Word<'a>],
}

/// A name that replaces some words.
struct Replacement {
    words: Range<usize>,
    who: Option<Who>,
    name: String,
    plural: bool,
}

impl Writer<'_, '_> {
    fn lower(&self, word: usize) -> String {
        self.words.get(word).map(|word| word.text.to_lowercase()).unwrap_or_default()
    }

    /// Returns the entity to which a reference refers, its name, and whether the name is plural. Returns `None` for a
    /// referent without a name.
    fn named(&self, meant: &Meant) -> Option<(Option<Who>, String, bool)> {
        match meant.referent {
            Referent::Named(who) => Some((Some(who), self.document.name(who).to_owned(), false)),
            Referent::Party => {
                let party = self.document.lexicon.party().map(Who::Known);
                Some((party, party.map_or("the party", |who| self.document.name(who)).to_owned(), true))
            }
            Referent::Other | Referent::Own => None,
        }
    }

    fn write(&self, found: &Found) -> Option<Sentence> {
        if self.is_asked(found) || !self.is_complete(found) {
            return None;
        }
        let names = &self.document.lines[self.line].names;
        let mut certainty = 1.0;
        let mut replacements: Vec<Replacement> = Vec::new();
        for reference in &found.references {
            // A name is not replaced.
            let is_name =
                names.iter().any(|(range, _)| range.start < reference.words.end && reference.words.start < range.end);
            if is_name || reference.words.end > found.words.end {
                continue;
            }
            let is_pronoun = reference.words.len() == 1 && self.is_pronoun(reference.words.start);
            // A description can remain if the referent is uncertain.
            if !is_pronoun && reference.meant.probability < DESCRIPTION {
                continue;
            }
            let Some((who, name, plural)) = self.named(&reference.meant) else { continue };
            certainty *= reference.meant.probability;
            replacements.push(Replacement { words: reference.words.clone(), who, name, plural });
        }
        let mentioned =
            names.iter().filter(|(range, _)| found.words.start <= range.start && range.end <= found.words.end);
        let mut mentioned: Vec<(usize, Who)> = mentioned.map(|(range, who)| (range.start, *who)).collect();
        mentioned.extend(replacements.iter().filter_map(|replaced| Some((replaced.words.start, replaced.who?))));
        mentioned.sort_unstable();
        self.check_pronouns(found, &replacements, &mentioned)?;
        let subject = match found.subject.referent {
            Referent::Own => None,
            _ => self.named(&found.subject),
        };
        certainty *= found.subject.probability;
        let body = self.body(found, &replacements, subject.as_ref().and_then(|(who, ..)| *who));
        let lead = subject.as_ref().map(|(_, name, _)| name.clone());
        let (text, subject) = match &subject {
            Some((who, name, plural)) => (
                format!("{name} {}", self.predicate(found, &body, *plural)),
                who.or(mentioned.first().map(|(_, who)| *who))?,
            ),
            None => (body, mentioned.first()?.1),
        };
        let is_new = |who: &Who| matches!(who, Who::New(_));
        let status = most_likely(&found.status);
        // A sentence of two words, such as "Vex leads.", says too little.
        if text.split_whitespace().count() < 3 {
            return None;
        }
        Some(Sentence {
            text: finished(&text, self.mark(found, status)),
            subject,
            status,
            lead,
            certainty,
            names_new: is_new(&subject) || mentioned.iter().any(|(_, who)| is_new(who)),
            vague: self.count(found, &replacements, &VAGUE),
            pronouns: self.count(found, &replacements, &PERSONAL),
            starts: self.is_boundary(found.words.start.checked_sub(1)),
            ends: self.is_boundary(Some(found.words.end)),
            resolved: replacements.into_iter().map(|replaced| (replaced.words, replaced.name)).collect(),
        })
    }

    /// Returns how many of the words in `counted` remain in the statement.
    fn count(&self, found: &Found, replacements: &[Replacement], counted: &[&str]) -> u8 {
        let stays = |word: &usize| !replacements.iter().any(|replaced| replaced.words.contains(word));
        let is_counted = |word: &usize| counted.contains(&self.lower(*word).as_str());
        found.words.clone().filter(stays).filter(is_counted).count().min(9) as u8
    }

    /// Returns whether a clause can begin or end at a word: at a mark, at a word in [`BOUNDARIES`], or at the start or
    /// end of the line.
    fn is_boundary(&self, word: Option<usize>) -> bool {
        let Some(word) = word.and_then(|at| self.words.get(at)) else { return true };
        !word.text.starts_with(char::is_alphanumeric) || BOUNDARIES.contains(&word.text.to_lowercase().as_str())
    }

    /// Returns whether the words contain a verb that can be the main verb of a sentence.
    fn has_verb(&self, found: &Found) -> bool {
        let plural = found.subject.referent == Referent::Party
            || found.references.iter().any(|reference| reference.meant.referent == Referent::Party);
        found.words.clone().skip(1).chain([found.words.start]).any(|word| {
            let lower = self.lower(word);
            let has = |form| self.forms(&lower).iter().any(|(_, has)| has.has(form));
            AUXILIARIES.contains(&lower.as_str())
                || has(Form::THIRD.or(Form::PAST))
                || (plural && has(Form::BASE))
                || (word == found.words.start
                    && found.subject.referent != Referent::Own
                    && has(Form::BASE.or(Form::ING)))
        })
    }

    /// Returns whether the statement is part of a question.
    fn is_asked(&self, found: &Found) -> bool {
        let mut behind = self.words.get(found.words.end..).unwrap_or_default().iter();
        behind.find(|word| matches!(word.text, "." | "!" | "?")).is_some_and(|word| word.text == "?")
    }

    /// Returns whether the words can be a complete sentence: they have a verb, do not end too early, and are not an
    /// order.
    fn is_complete(&self, found: &Found) -> bool {
        let mut words = found
            .words
            .clone()
            .rev()
            .map(|word| self.lower(word))
            .filter(|word| word.starts_with(char::is_alphanumeric));
        let last = words.next().unwrap_or_default();
        let first = self.lower(found.words.start);
        !UNFINISHED.contains(&last.as_str())
            && !["let", "please", "don"].contains(&first.as_str())
            && words.next().is_some()
            && self.has_verb(found)
    }

    /// Returns `None` if a pronoun is not resolved. A pronoun of the third person is allowed if an entity is named
    /// before it.
    fn check_pronouns(&self, found: &Found, replacements: &[Replacement], mentioned: &[(usize, Who)]) -> Option<()> {
        for word in found.words.clone() {
            if replacements.iter().any(|replaced| replaced.words.contains(&word)) {
                continue;
            }
            let lower = self.lower(word);
            let named_before =
                mentioned.first().is_some_and(|(at, _)| *at < word) || found.subject.referent != Referent::Own;
            if SPEAKING.contains(&lower.as_str()) || (PERSONAL.contains(&lower.as_str()) && !named_before) {
                return None;
            }
        }
        Some(())
    }

    fn is_pronoun(&self, word: usize) -> bool {
        let lower = self.lower(word);
        [&SPEAKING[..], &PERSONAL, &POSSESSIVE].iter().any(|list| list.contains(&lower.as_str()))
    }

    /// Returns the words of the statement, with names instead of references. A pronoun of the third person remains if
    /// the statement named its referent before.
    fn body(&self, found: &Found, replacements: &[Replacement], lead: Option<Who>) -> String {
        let text = self.document.source[self.line].text;
        let names = &self.document.lines[self.line].names;
        let mut named: Vec<Who> = lead.into_iter().collect();
        let mut body = String::new();
        let mut at = found.words.start;
        while at < found.words.end {
            let word = &self.words[at];
            if !body.is_empty() {
                body.push_str(&text[self.words[at - 1].end..word.start]);
            }
            named.extend(names.iter().filter(|(range, _)| range.end == at).map(|(_, who)| *who));
            let lower = self.lower(at);
            let Some(replaced) = replacements.iter().find(|replaced| replaced.words.start == at) else {
                body.push_str(word.text);
                at += 1;
                continue;
            };
            at = replaced.words.end;
            if replaced.who.is_some_and(|who| named.contains(&who))
                && (PERSONAL.contains(&lower.as_str()) || lower == "its")
            {
                body.push_str(word.text);
                continue;
            }
            named.extend(replaced.who);
            body.push_str(&replaced.name);
            if replaced.words.len() > 1 {
                continue;
            }
            if self.is_possessive(&lower, at, found.words.end) {
                body.push_str(if replaced.name.ends_with('s') { "'" } else { "'s" });
            } else if SUBJECTS.contains(&lower.as_str()) {
                at = self.verb(&mut body, at, found.words.end, replaced.plural);
            }
        }
        body
    }

    /// Writes the verb after a name that replaces a pronoun, so that the verb agrees with the name. Returns the index
    /// of the next word.
    fn verb(&self, body: &mut String, at: usize, end: usize, plural: bool) -> usize {
        let text = |word: usize| if word < end { self.words[word].text } else { "" };
        let (first, mark, rest) = (text(at), text(at + 1), text(at + 2));
        let is_mark = |mark: &str| matches!(mark, "'" | "\u{2019}");
        // Examples: "they're", "he's"
        if is_mark(first) {
            let long = match (mark, plural) {
                ("m" | "re", false) => "is",
                ("m" | "re", true) => "are",
                ("s", _) if PERFECT.contains(&rest) => "has",
                ("d", _) if PERFECT.contains(&rest) => "had",
                ("s", _) => "is",
                ("ve", false) => "has",
                ("ve", true) => "have",
                ("ll", _) => "will",
                ("d", _) => "would",
                _ => return at,
            };
            body.push(' ');
            body.push_str(long);
            return at + 2;
        }
        if first.is_empty() || plural {
            return at;
        }
        // Examples: "don't", "haven't"
        let short = match first {
            _ if !(is_mark(mark) && rest == "t") => None,
            "don" => Some("doesn't"),
            "haven" => Some("hasn't"),
            "aren" => Some("isn't"),
            "weren" => Some("wasn't"),
            _ => None,
        };
        body.push(' ');
        match short {
            Some(short) => {
                body.push_str(short);
                at + 3
            }
            None => {
                body.push_str(&self.agreeing(first, plural));
                at + 1
            }
        }
    }

    /// Returns whether a pronoun is possessive. "Her" is possessive if a noun or adjective follows.
    fn is_possessive(&self, pronoun: &str, next: usize, end: usize) -> bool {
        if pronoun != "her" {
            return POSSESSIVE.contains(&pronoun);
        }
        use crate::grammar::Class;
        let grammar = self.document.extractor.grammar();
        let lower = self.lower(next);
        let closed = Class::PREPOSITION.or(Class::CONJUNCTION).or(Class::DETERMINER);
        let follows = next < end && lower.starts_with(char::is_alphanumeric);
        follows
            && !grammar.class(&lower).has(closed)
            && !["to", "that", "if", "how", "what", "as", "not", "is", "was"].contains(&lower.as_str())
    }

    /// Returns the form of a verb that agrees with a name. `plural` tells whether the name is plural.
    fn agreeing(&self, verb: &str, plural: bool) -> String {
        match (verb, plural) {
            ("am" | "are", false) => "is".to_owned(),
            ("am", true) => "are".to_owned(),
            ("were", false) => "was".to_owned(),
            ("have", false) => "has".to_owned(),
            ("do", false) => "does".to_owned(),
            (_, false) if self.is_base(verb) && !ADVERBS.contains(&verb) => third(verb),
            _ => verb.to_owned(),
        }
    }

    fn forms(&self, verb: &str) -> &[(String, Form)] {
        self.document.extractor.grammar().forms.get(verb).map_or(&[], Vec::as_slice)
    }

    /// Returns whether a word is the base form of a verb, but not a past form.
    fn is_base(&self, verb: &str) -> bool {
        let has = |form| self.forms(verb).iter().any(|(_, has)| has.has(form));
        has(Form::BASE) && !has(Form::PAST)
    }

    /// Returns the words of a statement without a subject, in a form that can follow the name of its subject.
    fn predicate(&self, found: &Found, body: &str, plural: bool) -> String {
        let first = self.words[found.words.start].text;
        let has = |form| self.forms(first).iter().any(|(_, has): &(String, Form)| has.has(form));
        if has(Form::ING) && !has(Form::BASE) {
            return format!("{} {body}", if plural { "are" } else { "is" });
        }
        match body.strip_prefix(first) {
            Some(rest) => format!("{}{rest}", self.agreeing(first, plural)),
            None => body.to_owned(),
        }
    }

    /// Returns the mark before a sentence that is not asserted, such as "Planned: ". Returns an empty string if the
    /// words already express the status.
    fn mark(&self, found: &Found, status: Status) -> &'static str {
        let said = |words: &[&str]| found.words.clone().any(|word| words.contains(&self.lower(word).as_str()));
        match status {
            Status::Planned if !said(&MODALS) && self.lower(found.words.start) != "to" => "Planned: ",
            Status::Hedged if !said(&["perhaps", "maybe", "may", "might", "could", "if", "seems", "possibly"]) => {
                "Perhaps: "
            }
            Status::Ended if !said(&["was", "were", "had", "formerly", "once", "longer"]) => "No longer so: ",
            _ => "",
        }
    }
}

fn most_likely(status: &[f32; 5]) -> Status {
    let best = Status::ALL.into_iter().zip(status).max_by(|a, b| a.1.total_cmp(b.1));
    best.map_or(Status::Hedged, |(status, _)| status)
}

/// Returns a sentence that begins with a capital letter and ends with a full stop.
fn finished(text: &str, mark: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = format!("{mark}{}", text.trim_end_matches(['.', ',', ';', ':', '-', ' ']));
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}
