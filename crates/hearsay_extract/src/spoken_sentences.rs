//! The sentences of a spoken text, and whether the speaker asserts, denies or asks each of them.

use hearsay_model::Span;

use crate::{
    assertion_status::AssertionStatus,
    chunker::VerbForm,
    clauses::ClauseType,
    function_words::{FirstPerson, first_person, is_anaphor, is_negation},
    mentions::EntityRef,
    sentence_reader::SentenceReader,
    tokenizer::TokenKind,
    word_lists::lists,
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
}

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
        let sentence = self.sentence_from(0, 0, &statuses, span);
        let content = (!is_fragment).then(|| self.content_start(&statuses)).flatten();
        let content = content.map(|(token, clause)| {
            let content = self.sentence_from(token, clause, &statuses, span);
            Box::new(SpokenSentence { is_doubtful: true, ..content })
        });
        let is_doubtful = is_fragment || sentence.is_doubtful;
        Some(SpokenSentence { is_doubtful, content, ..sentence })
    }

    /// Returns the part of the sentence from the token `from` on. `clause` is the first clause of this part.
    fn sentence_from(&self, from: usize, clause: usize, statuses: &[AssertionStatus], span: Span) -> SpokenSentence {
        let (tokens, statuses) = (&self.tokens[from..], &statuses[clause..]);
        let is_unasserted = |status: &AssertionStatus| status.is_unasserted || status.has_would || status.has_can;
        let speaker = self.speech.speaker;
        let is_reported = |status: &AssertionStatus| status.stated_by != speaker;
        let has_quotation = tokens.iter().any(|token| matches!(token.kind, TokenKind::Quote(_)));
        SpokenSentence {
            text: self.text_in_third_person(from),
            span,
            is_asserted: !statuses.iter().all(is_unasserted),
            is_doubtful: has_quotation
                || statuses.iter().any(|status| status.is_doubtful || is_unasserted(status) || is_reported(status)),
            is_negated: statuses.iter().any(|status| status.denied) || self.has_negation(from),
            is_ended: statuses.iter().any(|status| status.ended),
            has_first_person: tokens.iter().any(|token| first_person(&token.norm).is_some()),
            pronoun_count: tokens.iter().filter(|token| is_anaphor(&token.norm)).count(),
            content: None,
        }
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

    /// Returns the clause with the words that are told, thought or heard according to a clause.
    fn told_clause(&self, reporting: usize) -> Option<usize> {
        let properties = self.grammar.verb_properties(&self.verb_group(reporting).lemma);
        let is_told = |told: &usize| {
            self.clauses[*told].parent == Some(reporting) && *self.clause_type(*told) == ClauseType::Complement
        };
        (reporting + 1..self.clauses.len()).find(is_told).filter(|_| properties.is_speech || properties.is_thought)
    }

    /// Returns whether the sentence contains a word that negates it, from a token on. The answer in "No, Odo has it" and the
    /// contrast in "Odo has it, not Pell" do not negate the sentence.
    fn has_negation(&self, from: usize) -> bool {
        let is_answer =
            |at: usize| self.tokens[at].is("no") && self.tokens.get(at + 1).is_some_and(|next| !next.is_word());
        let is_contrast =
            |at: usize| at > 0 && self.tokens[at].is("not") && self.tokens[at - 1].is_punctuation(",\u{2014}");
        let is_negating = |at: usize| is_negation(&self.tokens[at].norm) && !is_answer(at) && !is_contrast(at);
        (from..self.tokens.len()).any(is_negating)
    }

    /// Returns the words of the sentence from a token on, without quotations. The name of the speaker replaces the pronouns
    /// of the first person.
    fn text_in_third_person(&self, from: usize) -> String {
        let speaker = match self.speech.speaker {
            Some(EntityRef::Known(speaker)) => Some(self.lexicon.entities[speaker as usize].name.as_str()),
            Some(EntityRef::New(_)) | None => None,
        };
        let mut text = String::new();
        // A quotation is one token: the words of somebody else.
        for token in self.tokens[from..].iter().filter(|token| !matches!(token.kind, TokenKind::Quote(_))) {
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
    fn quoted_words_of_others_are_left_out() {
        assert_eq!(sentence("\u{201C}Odo stole the ledger.\u{201D}").text, "Odo stole the ledger.");
        let told = sentences("Grim told me: \u{201C}Odo stole the ledger.\u{201D}");
        assert!(told.iter().all(|sentence| sentence.is_doubtful && !sentence.text.contains("stole")), "{told:?}");
    }
}
