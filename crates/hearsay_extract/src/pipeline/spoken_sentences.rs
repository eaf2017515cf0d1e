//! The sentences of a spoken text, and whether the speaker asserts, denies or asks each of them.

use hearsay_model::Span;

use crate::{
    entities::mentions::EntityRef,
    language::{
        function_words::{FirstPerson, first_person, is_anaphor, is_negation},
        word_lists::lists,
    },
    sentence_reader::{SentenceReader, assertion_status::AssertionStatus},
    syntax::{
        chunker::VerbForm,
        clauses::{ClauseType, SubjectSource},
    },
    text::tokenizer::TokenKind,
};

/// A sentence of a text, with its assertion status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpokenSentence {
    /// Words of the sentence. The name of the speaker replaces "I", "me", "my" and "mine".
    pub text: String,
    /// Position of the sentence in the text, in bytes.
    pub span: Span,
    /// Whether at least one clause of the sentence asserts something. Questions, commands, wishes and plans assert
    /// nothing.
    pub is_asserted: bool,
    /// Whether at least one clause of the sentence is a guess, is hypothetical, reports words of another person, or
    /// asserts nothing. Also `true` for a sentence without a verb.
    pub is_doubtful: bool,
    /// Whether the sentence contains a negation, such as "never" or "denies that".
    pub is_negated: bool,
    /// Whether the sentence says that something is over, as in "no longer".
    pub is_ended: bool,
    /// Whether the speaker speaks about itself, in the first person singular.
    pub has_first_person: bool,
    /// Number of pronouns that can refer to an entity outside the sentence.
    pub pronoun_count: usize,
    /// The sentence without the words that only say who tells it, and without the verb of an order for which the rest gives
    /// the reason: "the well is poisoned" for "They say that the well is poisoned". `None` if there are no such words.
    pub content: Option<Box<SpokenSentence>>,
    /// The clauses of a sentence with several finite verbs, each with its own subject: "Odo opens the box" and "Odo sees the
    /// ring" for "Odo opens the box and sees the ring". Empty for any other sentence.
    pub clauses: Vec<SpokenSentence>,
}

/// Maximum number of clauses of a sentence that [`SpokenSentence::clauses`] contains.
const MAX_CLAUSES: usize = 8;

impl SentenceReader<'_> {
    /// Returns the sentence with its assertion status.
    pub(crate) fn spoken_sentence(&mut self) -> Option<SpokenSentence> {
        self.record_mentions();
        let (first, last) = (self.tokens.first()?, self.tokens.last()?);
        let span = Span { start: first.start, end: last.end };
        let is_question = self.is_question();
        let mut statuses = self.clause_statuses(is_question);
        let is_fragment = statuses.is_empty();
        if is_fragment {
            statuses.push(self.sentence_status(is_question));
        }
        let tokens_from = |start: usize| (start..self.tokens.len()).collect::<Vec<usize>>();
        let sentence = self.sentence_part(&tokens_from(0), &statuses, span);
        let content = (!is_fragment).then(|| self.content_start(&statuses)).flatten();
        let content = content.map(|(token, clause)| {
            let content = self.sentence_part(&tokens_from(token), &statuses[clause..], span);
            Box::new(SpokenSentence { is_doubtful: true, ..content })
        });
        let is_doubtful = is_fragment || sentence.is_doubtful;
        let clauses = if is_fragment { Vec::new() } else { self.finite_clauses(&statuses) };
        Some(SpokenSentence { is_doubtful, content, clauses, ..sentence })
    }

    /// Returns a part of the sentence. `tokens` are the tokens of the part, and `statuses` the statuses of its clauses.
    fn sentence_part(&self, tokens: &[usize], statuses: &[AssertionStatus], span: Span) -> SpokenSentence {
        let part = || tokens.iter().map(|at| &self.tokens[*at]);
        let is_unasserted = |status: &AssertionStatus| status.is_unasserted || status.has_would || status.has_can;
        let speaker = self.speech.speaker;
        let is_reported = |status: &AssertionStatus| status.stated_by != speaker;
        let has_quotation = part().any(|token| matches!(token.kind, TokenKind::Quote(_)));
        SpokenSentence {
            text: self.text_in_third_person(tokens),
            span,
            is_asserted: !statuses.iter().all(is_unasserted),
            is_doubtful: has_quotation
                || statuses.iter().any(|status| status.is_doubtful || is_unasserted(status) || is_reported(status)),
            is_negated: statuses.iter().any(|status| status.denied) || self.has_negation(tokens),
            is_ended: statuses.iter().any(|status| status.ended),
            has_first_person: part().any(|token| first_person(&token.norm).is_some()),
            pronoun_count: part().filter(|token| is_anaphor(&token.norm)).count(),
            content: None,
            clauses: Vec::new(),
        }
    }

    /// Returns the [clauses](SpokenSentence::clauses) of the sentence.
    fn finite_clauses(&self, statuses: &[AssertionStatus]) -> Vec<SpokenSentence> {
        let is_finite = |clause: &usize| self.verb_group(*clause).form == VerbForm::Finite;
        let finite: Vec<usize> = (0..self.clauses.len()).filter(is_finite).collect();
        if finite.len() < 2 {
            return Vec::new();
        }
        let clause_part = |clause: &usize| {
            let tokens = self.clause_tokens(*clause, &finite)?;
            let span = self.span(self.verb_group(*clause).start, *tokens.last()?);
            Some(self.sentence_part(&tokens, std::slice::from_ref(&statuses[*clause]), span))
        };
        finite.iter().filter_map(clause_part).take(MAX_CLAUSES).collect()
    }

    /// Returns the tokens of a clause and its subject, up to the next of the `finite` clauses. Returns `None` if the clause
    /// has no subject.
    fn clause_tokens(&self, at: usize, finite: &[usize]) -> Option<Vec<usize>> {
        let clause = &self.clauses[at];
        let verb = self.verb_group(at).start;
        let subject_start = clause.subjects.iter().map(|np| self.noun_group(*np).start).min()?;
        let subject_end = clause.subjects.iter().map(|np| self.noun_group(*np).end).max()?;
        let starts = finite.iter().map(|other| self.clauses[*other].start);
        let next = starts.filter(|start| *start > clause.verb_item).min();
        let mut end = next.map_or(self.tokens.len(), |next| self.chunk_start(next));
        while end > verb && self.tokens[end - 1].kind == TokenKind::Punctuation {
            end -= 1;
        }
        Some(match clause.subject_source {
            SubjectSource::Direct if subject_start < verb => (subject_start..end).collect(),
            SubjectSource::Inverted => (self.chunk_start(clause.start)..end).collect(),
            _ => (subject_start..subject_end).chain(verb..end).collect(),
        })
    }

    /// Returns the first token and the first clause of the [content](SpokenSentence::content).
    fn content_start(&self, statuses: &[AssertionStatus]) -> Option<(usize, usize)> {
        let first = self.verb_group(0);
        let begins_with_do = self.norm(first.start) == "do";
        let is_order = ((first.is_base_form && statuses[0].is_unasserted) || begins_with_do)
            && first.form == VerbForm::Finite
            && first.modal.is_none()
            && self.clauses[0].subjects.is_empty();
        if is_order {
            let has_reason = statuses[1..].iter().any(|status| !status.is_unasserted);
            return has_reason.then_some((first.end, 1));
        }
        // In "somebody poisoned the well", the subject has no name, but the rest can be true.
        let names_nobody = |told: usize| {
            let subjects = &self.clauses[told].subjects;
            subjects.iter().any(|np| lists().pronouns.existential.contains(self.norm(self.noun_group(*np).head)))
        };
        let is_stated = |told: &usize| !statuses[*told].is_unasserted || names_nobody(*told);
        let (mut content, mut reporting) = (None, 0);
        // Example: "I heard that Odo says the well is poisoned"
        while let Some(told) = self.told_clause(reporting).filter(is_stated) {
            let start = self.chunk_start(self.clauses[told].start);
            content = Some((start + usize::from(self.norm(start) == "that"), told));
            reporting = told;
        }
        content
    }

    /// Returns the clause with the words that are told, thought, heard or known according to a clause.
    fn told_clause(&self, reporting: usize) -> Option<usize> {
        let verb_group = self.verb_group(reporting);
        let properties = self.grammar.verb_properties(&verb_group.lemma);
        let is_known = properties.is_factive && !verb_group.is_negated;
        let is_told = |told: &usize| {
            self.clauses[*told].parent == Some(reporting) && *self.clause_type(*told) == ClauseType::Complement
        };
        (reporting + 1..self.clauses.len())
            .find(is_told)
            .filter(|_| properties.is_speech || properties.is_thought || is_known)
    }

    /// Returns whether a part of the sentence contains a word that negates it. The answer in "No, Odo has it" and the
    /// contrast in "Odo has it, not Pell" do not negate the sentence.
    fn has_negation(&self, part: &[usize]) -> bool {
        let is_answer =
            |at: usize| self.tokens[at].is("no") && self.tokens.get(at + 1).is_some_and(|next| !next.is_word());
        let is_contrast =
            |at: usize| at > 0 && self.tokens[at].is("not") && self.tokens[at - 1].is_punctuation(",\u{2014}");
        let is_negating = |at: usize| is_negation(&self.tokens[at].norm) && !is_answer(at) && !is_contrast(at);
        part.iter().any(|at| is_negating(*at))
    }

    /// Returns the words of a part of the sentence, without quotations. The name of the speaker replaces the pronouns
    /// of the first person.
    fn text_in_third_person(&self, part: &[usize]) -> String {
        let speaker = match self.speech.speaker {
            Some(EntityRef::Known(speaker)) => Some(self.lexicon.entities[speaker as usize].name.as_str()),
            Some(EntityRef::New(_)) | None => None,
        };
        let mut text = String::new();
        // A quotation is one token: the words of somebody else.
        let tokens = part.iter().map(|at| &self.tokens[*at]);
        for token in tokens.filter(|token| !matches!(token.kind, TokenKind::Quote(_))) {
            if !text.is_empty() && !token.is_attached {
                text.push(' ');
            }
            match (first_person(&token.norm), speaker) {
                (Some(FirstPerson::Personal), Some(speaker)) => text.push_str(speaker),
                (Some(FirstPerson::Possessive), Some(speaker)) => {
                    text.push_str(speaker);
                    text.push_str("'s");
                }
                _ => text.push_str(&self.text[token.start..token.end]),
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Text, TextType,
        tests::{extractor, id, town},
    };

    fn sentences(words: &str) -> Vec<SpokenSentence> {
        let speaker = id("mirela-voss");
        let text = Text { speaker: Some(&speaker), ..Text::new(words, TextType::Talk) };
        extractor().spoken_sentences(&town(), &text)
    }

    fn sentence(words: &str) -> SpokenSentence {
        let mut sentences = sentences(words);
        assert_eq!(sentences.len(), 1, "{words}: {sentences:?}");
        sentences.remove(0)
    }

    #[test]
    fn the_name_of_the_speaker_replaces_the_first_person() {
        let plain = sentence("I sold my ledger to Odo, and he paid me.");
        assert_eq!(plain.text, "Mirela Voss sold Mirela Voss's ledger to Odo, and he paid Mirela Voss.");
        assert!(plain.has_first_person && plain.pronoun_count == 1, "{plain:?}");
        assert!(plain.is_asserted && !plain.is_doubtful && !plain.is_negated && !plain.is_ended, "{plain:?}");
        assert_eq!(sentences("Odo left. Grim stayed.").len(), 2);
    }

    #[test]
    fn questions_and_conditions_assert_nothing() {
        for words in [
            "Did Odo steal the ledger?",
            "Odo stole the ledger?",
            "If Odo stole the ledger, I would know.",
            "Go and steal the ledger, Odo!",
            "I will steal the ledger.",
        ] {
            assert!(!sentence(words).is_asserted, "{words}");
        }
        for words in ["Odo stole the ledger.", "It was Odo who stole the ledger!", "Well, Odo stole it, you know."] {
            assert!(sentence(words).is_asserted, "{words}");
        }
    }

    #[test]
    fn denials_are_negated_and_guesses_are_doubtful() {
        for words in [
            "Odo never stole the ledger.",
            "Odo didn't steal the ledger.",
            "Nobody stole the ledger.",
            "I deny that Odo stole the ledger.",
            "It is not true that Odo stole the ledger.",
        ] {
            assert!(sentence(words).is_negated, "{words}");
        }
        for words in ["No, Odo stole the ledger.", "Odo stole the ledger, not Grim."] {
            assert!(!sentence(words).is_negated, "{words}");
        }
        for words in ["Perhaps Odo stole the ledger.", "Grim says that Odo stole the ledger.", "I think Odo stole it."]
        {
            assert!(sentence(words).is_doubtful, "{words}");
        }
        assert!(sentence("Odo no longer works for the Ferrymen's Guild.").is_ended);
    }

    #[test]
    fn the_content_is_what_the_speaker_tells_at_second_hand() {
        let content = |words: &str| sentence(words).content.map(|content| *content);
        for (words, expected) in [
            ("My cousin says that Odo burned the ledger.", "Odo burned the ledger."),
            ("I heard Odo burned the ledger.", "Odo burned the ledger."),
            ("I heard that Grim says Odo burned the ledger.", "Odo burned the ledger."),
            ("They say that the ledger is burned.", "the ledger is burned."),
        ] {
            let content = content(words).unwrap();
            assert_eq!(content.text, expected, "{words}");
            assert!(content.is_asserted && content.is_doubtful && !content.is_negated, "{content:?}");
        }
        let burned = content("I heard somebody burned the ledger.").unwrap();
        assert_eq!(burned.text, "somebody burned the ledger.");
        for words in ["Never trust Odo, he burned the ledger.", "Don't trust Odo, he burned the ledger."] {
            let warning = content(words).unwrap();
            assert!(warning.text.ends_with("he burned the ledger.") && !warning.is_negated, "{warning:?}");
            assert!(sentence(words).is_negated, "{words}");
        }
        let denial = content("Grim says that Odo never burned the ledger.").unwrap();
        assert!(denial.is_negated, "{denial:?}");
        for words in ["Odo burned the ledger.", "I don't think that Odo burned it.", "Never trust Odo!"] {
            assert_eq!(content(words), None, "{words}");
        }
    }

    #[test]
    fn what_the_speaker_knows_is_told_too() {
        let content = |words: &str| sentence(words).content.map(|content| content.text);
        assert_eq!(content("I know that Odo burned the ledger.").as_deref(), Some("Odo burned the ledger."));
        assert_eq!(content("I don't know that Odo burned the ledger."), None);
    }

    #[test]
    fn each_clause_of_a_sentence_has_its_subject() {
        let clauses =
            |words: &str| -> Vec<String> { sentence(words).clauses.into_iter().map(|clause| clause.text).collect() };
        for (words, expected) in [
            ("Odo burned the ledger and sold the boat.", ["Odo burned the ledger", "Odo sold the boat"]),
            ("Odo left and Grim burned the ledger.", ["Odo left", "Grim burned the ledger"]),
            ("Grim saw it at once: Odo burned the ledger.", ["Grim saw it at once", "Odo burned the ledger"]),
        ] {
            assert_eq!(clauses(words), expected, "{words}");
        }
        assert!(clauses("Odo burned the ledger of Grim.").is_empty());
        let denied = sentence("Grim stayed and Odo never burned the ledger.").clauses;
        assert!(!denied[0].is_negated && denied[1].is_negated, "{denied:?}");
    }

    #[test]
    fn quoted_words_of_others_are_left_out() {
        assert_eq!(sentence("\u{201C}Odo stole the ledger.\u{201D}").text, "Odo stole the ledger.");
        let told = sentences("Grim told me: \u{201C}Odo stole the ledger.\u{201D}");
        assert!(told.iter().all(|sentence| sentence.is_doubtful && !sentence.text.contains("stole")), "{told:?}");
    }
}
