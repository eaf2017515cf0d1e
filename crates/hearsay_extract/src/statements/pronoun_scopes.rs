//! Finds the words of a line that decide to whom a pronoun refers: the subject of its clause, and the clauses before it.

use std::ops::Range;

use hearsay_model::words::is_article;

use super::word_splitter::Word;
use crate::{
    entities::{
        lexicon::{Gender, stated_gender},
        mentions::EntityRef,
    },
    language::{
        conjugation::Inflections,
        grammar::{Grammar, WordClass},
        word_lists::lists,
    },
    model::window::PronounScope,
};

/// The words and names of a line.
pub(super) struct LineWords<'l, 'a> {
    pub(super) words: &'l [Word<'a>],
    pub(super) names: &'l [(Range<usize>, EntityRef)],
    pub(super) grammar: &'l Grammar,
}

impl LineWords<'_, '_> {
    /// Returns the scopes of the pronouns, which are given by their words and genders.
    ///
    /// In "Odo draws his sword", the sword is Odo's. In "Odo swears on his sword he leaves", Odo leaves. In "Pell lies
    /// there, Odo kneels beside him", Odo kneels beside Pell. In "I trust the miller, he is honest", the miller is honest.
    pub(super) fn pronoun_scopes(&self, pronouns: &[(usize, Gender)]) -> Vec<PronounScope> {
        let scope = |(word, _): &(usize, Gender)| {
            let Some(subject) = self.named_subject(*word) else {
                let nearest = self.name_before_comma(*word)?;
                return Some(PronounScope { word: *word, nearest, accepts_unknown: true, is_exact: false });
            };
            let lower = self.lower(*word);
            // In "Odo tells Pell that he is rich", Odo is rich.
            let is_exact = self.tells_hearer(&subject, *word);
            let of_subject = |nearest| Some(PronounScope { word: *word, nearest, accepts_unknown: true, is_exact });
            match lower.as_str() {
                "his" => of_subject(subject),
                "he" | "she" if is_exact || self.is_own_speech(&subject, *word) => of_subject(subject),
                "her" if is_exact && self.precedes_noun(*word) => of_subject(subject),
                // In "gives her money", the money is perhaps not hers. In "on her blade" and "draws her blade", the blade
                // is.
                "her" if self.precedes_noun(*word) => {
                    let has_one_object = |verb: &str| !lists().verbs.double_objects.contains(verb);
                    let accepts_unknown = self.class(*word - 1).has(WordClass::PREPOSITION)
                        || self.is_finite_verb(*word - 1, has_one_object);
                    Some(PronounScope { word: *word, nearest: subject, accepts_unknown, is_exact })
                }
                "him" | "her" => {
                    let nearest = self.sentence_start(*word)..subject.start;
                    Some(PronounScope { word: *word, nearest, accepts_unknown: false, is_exact: false })
                }
                _ => None,
            }
        };
        pronouns.iter().filter_map(scope).collect()
    }

    /// Returns the nouns with an article that mean a man or a woman without a name, as in "the king": the word and the
    /// gender.
    pub(super) fn described_persons(&self) -> Vec<(usize, Gender)> {
        let is_named = |word: usize| self.names.iter().any(|(range, _)| range.contains(&word));
        let person = |word: usize| {
            let has_article = word > 0 && is_article(&self.lower(word - 1));
            let gender = stated_gender([self.lower(word).as_str()], self.grammar);
            (has_article && !is_named(word) && gender != Gender::Unknown).then_some((word, gender))
        };
        (0..self.words.len()).filter_map(person).collect()
    }

    /// Returns the first words of the names that begin a sentence as its subject: "Odo" in "Odo told us."
    pub(super) fn opening_subjects(&self) -> Vec<usize> {
        let begins_sentence = |name: &&Range<usize>| name.start == self.sentence_start(name.start);
        let names = self.names.iter().map(|(range, _)| range).filter(begins_sentence);
        names.filter(|name| self.is_subject(name)).map(|name| name.start).collect()
    }

    /// Returns the pronoun "he" or "she" that is the nearest subject before a word of the same sentence, and its gender. The
    /// pronoun must begin a main clause, like "she" in "Odo waves, she nods and leaves".
    pub(super) fn subject_pronoun(&self, word: usize) -> Option<(usize, Gender)> {
        let start = self.sentence_start(word);
        let subject = (start..word).rev().find(|at| self.is_subject_end(*at))?;
        let gender = match self.lower(subject).as_str() {
            "he" => Gender::He,
            "she" => Gender::She,
            _ => return None,
        };
        let begins_clause = subject == start
            || !self.words[subject - 1].text.starts_with(char::is_alphanumeric)
            || self.class(subject - 1).has(WordClass::CONJUNCTION);
        begins_clause.then_some((subject, gender))
    }

    /// Returns whether "his" or "her" at a word belongs to the subject of its clause, and this subject is one of `names`:
    /// "Tamsin draws her sword".
    pub(super) fn belongs_to_subject(&self, pronoun: usize, names: &[Range<usize>]) -> bool {
        let is_possessive = matches!(self.lower(pronoun).as_str(), "his" | "her") && self.precedes_noun(pronoun);
        let start = self.sentence_start(pronoun);
        let is_earlier_subject =
            |name: &&Range<usize>| start <= name.start && name.end < pronoun && self.is_subject(name);
        let subject = names.iter().rfind(is_earlier_subject).filter(|_| is_possessive);
        subject.is_some_and(|subject| !(subject.end..pronoun).any(|at| self.is_subject_end(at)))
    }

    /// Returns whether a word is a pronoun that is a subject, or the last word of a name that is one.
    fn is_subject_end(&self, word: usize) -> bool {
        let is_name_end = |(range, _): &(Range<usize>, EntityRef)| range.end == word + 1 && self.is_subject(range);
        lists().statements.subject_searches.contains(self.lower(word).as_str()) || self.names.iter().any(is_name_end)
    }

    /// Returns whether the line names an entity only to compare somebody with it: Odo in "He drowned, like old Odo."
    pub(super) fn only_compares(&self, entity: EntityRef) -> bool {
        let mut names = self.names.iter().filter(|(_, named)| *named == entity).map(|(range, _)| range).peekable();
        names.peek().is_some() && names.all(|name| self.is_compared(name))
    }

    /// Returns whether a name follows a word such as "like". In "They like Odo", this word is a verb, and in "as Odo left", it
    /// begins a clause.
    fn is_compared(&self, name: &Range<usize>) -> bool {
        let modifies =
            |at: &usize| self.class(*at).has(WordClass::TITLE.or(WordClass::DETERMINER).or(WordClass::ADJECTIVE));
        let modifiers = (0..name.start).rev().take_while(modifies).count();
        let Some(word) = (name.start - modifiers).checked_sub(1) else { return false };
        let lower = self.lower(word);
        let is_comparison = lists().prepositions.comparisons.contains(lower.as_str());
        let before = (0..word).rev().find(|at| !self.class(*at).has(WordClass::ADVERB));
        let precedes_verb = |at: usize| {
            let before = self.lower(at);
            self.names.iter().any(|(range, _)| range.contains(&at))
                || lists().statements.subjects.contains(before.as_str())
                || lists().auxiliaries.do_forms.contains(before.as_str())
                || self.class(at).has(WordClass::MODAL)
                || before == "to"
        };
        let is_verb_or_conjunction =
            if lower == "like" { before.is_some_and(precedes_verb) } else { self.is_subject(name) };
        is_comparison && !is_verb_or_conjunction
    }

    fn lower(&self, word: usize) -> String {
        self.words.get(word).map(|word| word.text.to_lowercase()).unwrap_or_default()
    }

    fn class(&self, word: usize) -> WordClass {
        self.grammar.word_class(&self.lower(word))
    }

    fn precedes_noun(&self, word: usize) -> bool {
        let is_word = self.words.get(word + 1).is_some_and(|next| next.text.starts_with(char::is_alphanumeric));
        is_word && !self.class(word + 1).has(WordClass::CLOSED.or(WordClass::ADVERB))
    }

    fn ends_sentence(&self, word: usize) -> bool {
        matches!(self.words[word].text, "." | "!" | "?" | ":" | ";")
    }

    /// Returns the first word of the sentence that contains a word.
    pub(super) fn sentence_start(&self, word: usize) -> usize {
        (0..word).rev().find(|at| self.ends_sentence(*at)).map_or(0, |at| at + 1)
    }

    /// Returns the name that is the nearest subject before a word of the same sentence. Returns `None` if a pronoun is
    /// nearer.
    fn named_subject(&self, word: usize) -> Option<Range<usize>> {
        let mut preceding = (self.sentence_start(word)..word).rev();
        preceding
            .find_map(|at| {
                if lists().statements.subject_searches.contains(self.lower(at).as_str()) {
                    return Some(None);
                }
                let name = self.names.iter().map(|(range, _)| range).find(|range| range.end == at + 1)?;
                self.is_subject(name).then(|| Some(name.clone()))
            })
            .flatten()
    }

    /// Returns whether a name begins a clause, and a verb follows it.
    fn is_subject(&self, name: &Range<usize>) -> bool {
        let titles = (0..name.start)
            .rev()
            .take_while(|at| self.class(*at).has(WordClass::TITLE.or(WordClass::DETERMINER)))
            .count();
        let begins_clause = (name.start - titles).checked_sub(1).is_none_or(|at| {
            let class = self.class(at);
            let is_mark = !self.words[at].text.starts_with(char::is_alphanumeric);
            is_mark && !matches!(self.words[at].text, "'" | "\u{2019}" | "-")
                || class.has(WordClass::CONJUNCTION.or(WordClass::SUBORDINATOR))
        });
        let next = (name.end..self.words.len()).find(|at| !self.class(*at).has(WordClass::ADVERB));
        let is_auxiliary = |at: usize| self.class(at).has(WordClass::AUXILIARY.or(WordClass::MODAL));
        begins_clause && next.is_some_and(|at| is_auxiliary(at) || self.is_finite_verb(at, |_| true))
    }

    /// Returns whether the words between a subject and a pronoun only say that the subject speaks, as in "Odo says that
    /// he" and "Odo swears on his sword he".
    fn is_own_speech(&self, subject: &Range<usize>, pronoun: usize) -> bool {
        let end = pronoun - usize::from(self.lower(pronoun - 1) == "that");
        let is_speech = |verb: &str| self.grammar.verb_properties(verb).is_speech;
        let is_named = |word: usize| self.names.iter().any(|(range, _)| range.contains(&word));
        let is_plain = |word: usize| {
            let class = self.class(word);
            let is_word = self.words[word].text.starts_with(char::is_alphanumeric);
            is_word && !is_named(word) && !class.has(WordClass::CONJUNCTION.or(WordClass::SUBORDINATOR))
        };
        let is_phrase = end == subject.end + 1 || self.class(subject.end + 1).has(WordClass::PREPOSITION);
        let has_other_person = self.described_persons().iter().any(|(word, _)| (subject.end..end).contains(word));
        self.is_finite_verb(subject.end, is_speech)
            && is_phrase
            && (subject.end..end).all(is_plain)
            && !has_other_person
    }

    /// Returns whether the words between a subject and a pronoun only say that the subject speaks to somebody with a name, as
    /// in "Odo tells Pell that he" and "Odo swears to Pell that he".
    fn tells_hearer(&self, subject: &Range<usize>, pronoun: usize) -> bool {
        let is_speech =
            |verb: &str| self.grammar.verb_properties(verb).is_speech && !lists().verbs.about_hearers.contains(verb);
        let start = subject.end + 1 + usize::from(self.lower(subject.end + 1) == "to");
        let end = pronoun - usize::from(self.lower(pronoun - 1) == "that");
        let is_hearer = self.names.iter().any(|(name, _)| name.start == start && name.end == end);
        is_hearer && self.is_finite_verb(subject.end, is_speech)
    }

    /// Returns the name that a comma separates from a subject pronoun: "the miller" in "I trust the miller, he is honest".
    /// In "Odo, he is honest", the speaker addresses Odo.
    fn name_before_comma(&self, pronoun: usize) -> Option<Range<usize>> {
        let comma = pronoun.checked_sub(1).filter(|at| self.words[*at].text == ",")?;
        let is_subject = matches!(self.lower(pronoun).as_str(), "he" | "she");
        let follows_word = |range: &Range<usize>| {
            let previous = range.start.checked_sub(1).map(|at| self.words[at].text);
            previous.is_some_and(|word| word.starts_with(char::is_alphanumeric))
        };
        let mut names = self.names.iter().map(|(range, _)| range);
        names.find(|range| is_subject && range.end == comma && follows_word(range)).cloned()
    }

    /// Returns whether a word can be a finite form of a verb whose base form satisfies `fits`.
    fn is_finite_verb(&self, word: usize, fits: impl Fn(&str) -> bool) -> bool {
        let is_match =
            |(verb, form): &(String, Inflections)| form.has(Inflections::THIRD.or(Inflections::PAST)) && fits(verb);
        self.grammar.verb_forms.get(&self.lower(word)).is_some_and(|forms| forms.iter().any(is_match))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, statements::word_splitter::split_words};

    #[test]
    fn the_subject_of_a_clause_decides_about_its_pronouns() {
        let language = Language::english();
        for (text, names, expected) in [
            ("Odo draws his sword", vec![(0, 1)], vec![(2, 0..1, true)]),
            (
                "The door bangs and Captain Odo comes in, shaking sand off his cloak",
                vec![(5, 6)],
                vec![(12, 5..6, true)],
            ),
            ("Pell lies there, Odo kneels beside him", vec![(0, 1), (4, 5)], vec![(7, 0..4, false)]),
            ("Odo says that he goes home", vec![(0, 1)], vec![(3, 0..1, true)]),
            ("Odo swears on his sword he comes", vec![(0, 1)], vec![(3, 0..1, true), (5, 0..1, true)]),
            ("Odo swears to the king he comes", vec![(0, 1)], vec![]),
            ("Odo tells Pell that he sold his boat", vec![(0, 1), (2, 3)], vec![(4, 0..1, true)]),
            ("Odo warns Pell that he drowns", vec![(0, 1), (2, 3)], vec![]),
            ("I trust the miller, he is honest", vec![(3, 4)], vec![(5, 3..4, true)]),
            ("Odo, he is honest", vec![(0, 1)], vec![]),
            ("Odo left when he saw it", vec![(0, 1)], vec![]),
            ("The guard gives Odo his sword", vec![(3, 4)], vec![]),
            ("Odo left and she took his sword", vec![(0, 1)], vec![]),
            ("Odo left. The guard draws his sword", vec![(0, 1)], vec![]),
        ] {
            let words = split_words(text);
            let names = (0..).map(EntityRef::Known).zip(names);
            let names: Vec<_> = names.map(|(entity, (start, end))| (start..end, entity)).collect();
            let line = LineWords { words: &words, names: &names, grammar: &language.grammar };
            let pronouns: Vec<_> = (0..words.len())
                .filter(|at| ["he", "his", "him"].contains(&words[*at].text))
                .map(|at| (at, Gender::He))
                .collect();
            let scopes: Vec<_> = line
                .pronoun_scopes(&pronouns)
                .into_iter()
                .map(|scope| (scope.word, scope.nearest, scope.accepts_unknown))
                .collect();
            assert_eq!(scopes, expected, "{text}");
        }
    }

    #[test]
    fn the_pronoun_of_reported_words_is_the_speaker_and_not_the_hearer() {
        let language = Language::english();
        for (text, hearer, expected) in [
            ("Tib swears to Ann that she left", 3..4, Some(true)),
            ("Tib tells Ann that her brother drowned", 2..3, Some(true)),
            ("Tib tells Ann that her", 2..3, Some(false)),
            ("Tib reminds Ann that she left", 2..3, None),
        ] {
            let words = split_words(text);
            let names = [(0..1, EntityRef::Known(0)), (hearer, EntityRef::Known(1))];
            let line = LineWords { words: &words, names: &names, grammar: &language.grammar };
            let pronoun = words.iter().position(|word| ["she", "her"].contains(&word.text)).unwrap();
            let scopes = line.pronoun_scopes(&[(pronoun, Gender::She)]);
            let found = scopes.first().map(|scope| scope.is_exact && scope.nearest == (0..1));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn her_things_belong_to_the_subject_if_the_verb_has_one_object() {
        let language = Language::english();
        for (text, accepts_unknown) in
            [("Tib drops her lantern", true), ("Tib leans on her spade", true), ("Tib gives her money", false)]
        {
            let words = split_words(text);
            let names = [(0..1, EntityRef::Known(0))];
            let line = LineWords { words: &words, names: &names, grammar: &language.grammar };
            let pronoun = words.iter().position(|word| word.text == "her").unwrap();
            let scopes = line.pronoun_scopes(&[(pronoun, Gender::She)]);
            let found: Vec<_> = scopes.iter().map(|scope| scope.accepts_unknown).collect();
            assert_eq!(found, [accepts_unknown], "{text}");
        }
    }

    #[test]
    fn a_comparison_says_nothing_about_the_compared_person() {
        let language = Language::english();
        for (text, name, expected) in [
            ("Drowned. Like the old Tib.", 5..6, true),
            ("He is as deaf as Tib", 5..6, true),
            ("He sank, like poor Tib did", 5..6, true),
            ("They like Tib", 2..3, false),
            ("He sank as Tib shouted", 3..4, false),
            ("Tib sank", 0..1, false),
        ] {
            let words = split_words(text);
            let names = [(name, EntityRef::Known(0))];
            let line = LineWords { words: &words, names: &names, grammar: &language.grammar };
            assert_eq!(line.only_compares(EntityRef::Known(0)), expected, "{text}");
            assert!(!line.only_compares(EntityRef::Known(1)), "{text}");
        }
    }

    #[test]
    fn a_pronoun_can_be_the_subject_of_the_verb_after_its_clause() {
        let language = Language::english();
        for (text, names, word, expected) in [
            ("Odo waves, she nods and leaves", vec![(0, 1)], 6, Some((3, Gender::She))),
            ("Odo waves and he leaves, limping", vec![(0, 1)], 6, Some((3, Gender::He))),
            ("She nods, Odo waves and leaves", vec![(3, 4)], 6, None),
            ("Odo thinks he sleeps and leaves", vec![(0, 1)], 5, None),
            ("She nods. Then Odo leaves", vec![(4, 5)], 5, None),
        ] {
            let words = split_words(text);
            let names: Vec<_> =
                names.into_iter().map(|(start, end)| (start..end, EntityRef::Known(start as u32))).collect();
            let line = LineWords { words: &words, names: &names, grammar: &language.grammar };
            assert_eq!(line.subject_pronoun(word), expected, "{text}");
        }
    }

    #[test]
    fn a_possessive_pronoun_belongs_to_the_subject_of_its_clause() {
        let language = Language::english();
        for (text, pronoun, expected) in [
            ("Tib drops her lantern", 2, true),
            ("Tib leans on her spade", 3, true),
            ("Tib watches her", 2, false),
            ("Tib waves and she drops her lantern", 5, false),
            ("Tib waves. The guard drops her lantern", 6, false),
        ] {
            let words = split_words(text);
            let line = LineWords { words: &words, names: &[], grammar: &language.grammar };
            let (first, second) = (0..1, 1..2);
            assert_eq!(line.belongs_to_subject(pronoun, std::slice::from_ref(&first)), expected, "{text}");
            assert!(!line.belongs_to_subject(pronoun, std::slice::from_ref(&second)), "{text}");
        }
    }

    #[test]
    fn a_name_that_begins_a_sentence_before_a_verb_is_its_subject() {
        let language = Language::english();
        for (text, name, expected) in [
            ("He fell! Odo saw it.", 3..4, vec![3]),
            ("He fell! Odo, look.", 3..4, vec![]),
            ("He fell! Then Odo saw it.", 4..5, vec![]),
        ] {
            let words = split_words(text);
            let names = [(name, EntityRef::Known(0))];
            let line = LineWords { words: &words, names: &names, grammar: &language.grammar };
            assert_eq!(line.opening_subjects(), expected, "{text}");
        }
    }

    #[test]
    fn a_noun_with_an_article_describes_a_person() {
        let language = Language::english();
        let words = split_words("The king is dead! He told the captain, and Father Odo.");
        let names = [(12..13, EntityRef::Known(0))];
        let line = LineWords { words: &words, names: &names, grammar: &language.grammar };
        assert_eq!(line.described_persons(), [(1, Gender::He)]);
    }
}
