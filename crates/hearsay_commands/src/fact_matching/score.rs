//! Score for the similarity of a sentence and a fact, and the thresholds for the decision whether the sentence states
//! the fact.
//!
//! The thresholds favour precision, because a secret that a hearer learns by mistake is worse than a needless question
//! to the DM. Two sets of lines determined the rule and the thresholds. The first set has 70 lines from the sessions of
//! the example campaign Gullhaven. The second set has 76 lines in `hearsay_engine/tests/memory/spoken-lines.tsv`; half
//! of them only resemble a fact. A check used 6,000 lines of real table talk from ten episodes of the corpus CRD3. In
//! this check, 5 lines passed the rule, and 2 or 3 of them were wrong. Each wrong line shared only one word with the
//! fact, so [`Candidate::decision`] is stricter for these lines.
//!
//! A character confesses a secret in its own words, so the DM is asked about a secret that the speaker knows already if the
//! sentence shares three words with the secret and has a lower score. This threshold adds no needless question for the two
//! sets of lines.
//!
//! A character also retells a secret, a lie or a rumour in its own words: "Lung fever, poor lad". The DM is asked at the
//! same lower score if the line refers to all entities of the fact, by name or by title, and contains a large share of
//! its words, or any word of a fact about two other persons: see [`MatchScore::may_be_retold`].
//!
//! Narration is compared with secrets only, and the result decides whether the hearers hear the line. A line that is
//! withheld by mistake costs the DM one command, but the hearers cannot forget a secret. Therefore, narration possibly
//! states a secret even if it also says other things: see [`MatchScore::may_be_narrated`]. This rule was chosen with
//! lines of narration about the secrets of three campaigns, some of which are in
//! `hearsay_engine/tests/memory/narrated-lines.tsv`.
//!
//! If a secret says where a thing is hidden, narration also possibly states the secret if it names the thing and the place,
//! because the person who finds the thing need not know who hid it. The module `hidden_thing` contains this rule. It was chosen
//! with 101 lines about the 25 secrets of four invented campaigns. The other rules recognize 18 of the 45 lines in which a secret
//! comes out.
//!
//! A line also hints at a secret that its speaker knows, or in narration at any secret, if it resembles the secret more than
//! every open fact of the campaign: see [`Candidate::is_hint`]. The cosine alone is high for every line that names the
//! persons of a fact, but open facts about the same persons then have a high cosine too. This rule was chosen with 107
//! lines of an invented campaign with eleven secrets. It found 11 of the 20 secrets that the other rules did not find, and
//! added a needless question for none of the 73 ordinary lines. Most of the lines that it did not find share no word with
//! the secret. Because a line of narration is withheld, narration must share more words, unless it is said at the place that
//! the secret names.
//!
//! A character also tells its own secret with few words of it, or with none of its verbs: "It was me, I wrote that
//! testament". Then no cosine separates the line from open facts about the same persons. Three rules recognize such
//! lines, and only for a secret that the speaker knows, in a sentence that names nobody outside the secret: a phrase
//! such as "it was me" with 40 % of the words of the secret, nearly all words of the secret, and the names of a hidden
//! thing and of its place. The rules also count words with the same meaning (`synonyms` in `words.toml`). The module
//! `other_words` contains them. They were designed with 80 lines about the 15 secrets of three invented campaigns in
//! which several facts share the important words. In 33 of these lines, a character tells a secret. The other rules
//! recognize 14 of them, and the new rules 5 more. The rules were tested with 40 lines about the eight secrets of a
//! fourth campaign. There, they fire for 4 of the 16 lines in which a character tells a secret, and the other rules
//! recognize these lines too. At first, they also fired for 3 ordinary lines of this test. Therefore, the phrase now
//! also needs the verb or a name of the secret. Now they fire for none of the 52 ordinary spoken lines of both sets. The
//! figures of the new rules come from a simulation that compares words, names and negations in the same way.
//!
//! A line also possibly states a secret, a lie or a rumour if the extraction finds the same relation in the line and in the
//! main clause of the fact: "Pia is my wife" for "Renzo is secretly married to Pia".

use std::collections::BTreeSet;

use hearsay_recall::stems;

use super::{Agreement, Candidate};

/// Features of a sentence and a fact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MatchScore {
    /// Cosine of the vectors of the sentence and of the fact; `None` if one of them has no vector.
    pub(super) cosine: Option<f32>,
    /// Share of the words of the sentence that also occur in the fact. Names are not counted.
    pub(super) shared_of_sentence: f32,
    /// Share of the words of the fact that also occur in the sentence. Names are not counted.
    pub(super) shared_of_fact: f32,
    /// Number of different words that occur in both the sentence and the fact. Names are not counted.
    pub(super) shared_words: usize,
    /// Whether the sentence contains the first word of the fact, which is usually a verb. Names are not counted.
    pub(super) has_first_word: bool,
    /// Number of shared words, without the word directly after the name at the start of the fact. This word is usually a
    /// verb, so "I hid my purse" shares nothing that matters with "Odo hid the silver".
    pub(super) shared_after_verb: usize,
}

/// Whether a sentence states a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Decision {
    /// The sentence does not state the fact.
    Other,
    /// The sentence possibly states the fact, so the DM must decide.
    MayState,
    /// The sentence states the fact.
    States,
}

const COSINE_WEIGHT: f32 = 0.6;
const SENTENCE_WEIGHT: f32 = 0.25;
const FACT_WEIGHT: f32 = 0.15;

/// Minimum share of the words of a fact that occur in a sentence which states the fact. A hearer must not learn what
/// the sentence leaves out.
const MIN_SHARED_OF_FACT: f32 = 0.6;

/// Minimum cosine of a sentence that states a fact.
const MIN_COSINE: f32 = 0.6;

/// Minimum cosine of a sentence that states a fact and shares only one word with it.
const MIN_COSINE_OF_ONE_WORD: f32 = 0.8;

/// Minimum score at which the DM is asked whether a sentence states a fact.
const MIN_POSSIBLE_SCORE: f32 = 0.6;

/// Minimum score at which the DM is asked whether a sentence states a secret that the speaker knows.
const MIN_CONFESSION_SCORE: f32 = 0.5;

/// Minimum number of words that such a sentence has in common with the secret. Names are not counted.
const MIN_CONFESSION_WORDS: usize = 3;

/// Minimum share of the words of a fact that occur in a sentence which retells the fact about at most one other person.
const MIN_RETOLD_SHARE: f32 = 0.4;

/// Minimum share of the words of a secret that occur in narration which possibly states the secret in its own words.
const MIN_NARRATED_SHARE: f32 = 0.4;

/// Minimum difference between the cosines of a line and the secret at which it hints, and of the line and any open fact.
const MIN_HINT_MARGIN: f32 = 0.16;

/// Cosine of an ordinary line and an open fact. A campaign with few open facts has no fact with this cosine for most lines.
const TYPICAL_OPEN_COSINE: f32 = 0.3;

/// Minimum share of the words of a secret that occur in narration which hints at the secret.
const MIN_NARRATED_HINT: f32 = 0.5;

impl MatchScore {
    /// Compares the words of a sentence and of a statement. `name_stems` contains the stems of names, which are not
    /// compared.
    pub(super) fn new(sentence: &str, statement: &str, name_stems: &BTreeSet<String>) -> Self {
        let words = |text: &str| -> BTreeSet<String> {
            stems(text).into_iter().filter(|stem| !name_stems.contains(stem)).collect()
        };
        let in_order = stems(statement);
        let first_at = in_order.iter().position(|stem| !name_stems.contains(stem));
        let first_word = first_at.and_then(|at| in_order.get(at));
        let verb = first_word.filter(|_| first_at != Some(0));
        let (sentence, statement) = (words(sentence), words(statement));
        let shared_words = sentence.intersection(&statement).count();
        let shared_after_verb = sentence.intersection(&statement).filter(|word| Some(*word) != verb).count();
        let share = |count: usize| if count == 0 { 0.0 } else { shared_words as f32 / count as f32 };
        Self {
            cosine: None,
            shared_of_sentence: share(sentence.len()),
            shared_of_fact: share(statement.len()),
            shared_words,
            has_first_word: first_word.is_some_and(|word| sentence.contains(word)),
            shared_after_verb,
        }
    }

    /// Returns whether the sentence says nearly all that the fact says, and nothing else.
    pub(super) fn is_complete(&self) -> bool {
        self.shared_of_sentence >= 1.0 && self.shared_of_fact >= MIN_SHARED_OF_FACT
    }

    /// Returns whether the score reaches the minimum at which the DM is asked. If the cosine is not known yet, assumes
    /// the highest possible cosine. `is_own_secret` is whether the fact is a secret that the speaker knows, and
    /// `is_retold` whether the sentence [may retell](Self::may_be_retold) a fact that matters.
    pub(super) fn may_be_possible(&self, is_own_secret: bool, is_retold: bool) -> bool {
        let is_confession = is_retold || (is_own_secret && self.may_be_confessed());
        let min_score = if is_confession { MIN_CONFESSION_SCORE } else { MIN_POSSIBLE_SCORE };
        self.shared_words > 0 && Self { cosine: self.cosine.or(Some(1.0)), ..*self }.value() >= min_score
    }

    /// Returns whether the sentence contains enough words of a secret to confess the secret in its own words.
    fn may_be_confessed(&self) -> bool {
        self.shared_words >= MIN_CONFESSION_WORDS
    }

    /// Returns whether a sentence that refers to all entities of a fact contains enough words of the fact to retell it in
    /// its own words. `persons` is the number of persons in the fact, without the speaker.
    pub(super) fn may_be_retold(&self, persons: usize) -> bool {
        let has_most_words = self.shared_words > 1 && self.shared_of_fact >= MIN_RETOLD_SHARE;
        has_most_words || (self.shared_words > 0 && persons > 1)
    }

    /// Returns whether the sentence contains enough words of the fact to tell the fact in its own words.
    pub(super) fn may_be_narrated(&self) -> bool {
        self.has_first_word && self.shared_words > 1 && self.shared_of_fact >= MIN_NARRATED_SHARE
    }

    /// Returns whether the sentence contains a word with which it can hint at a secret.
    pub(super) fn may_hint(&self) -> bool {
        self.shared_after_verb > 0
    }

    /// Returns whether narration contains at least `min_words` words and a large enough share of the words of a secret to
    /// hint at it.
    pub(super) fn may_hint_in_narration(&self, min_words: usize) -> bool {
        self.may_hint() && self.shared_words >= min_words && self.shared_of_fact >= MIN_NARRATED_HINT
    }

    /// Returns the score, 0.0–1.0.
    pub(super) fn value(&self) -> f32 {
        let Self { cosine, shared_of_sentence, shared_of_fact, .. } = *self;
        let score = COSINE_WEIGHT * cosine.unwrap_or(0.0).max(0.0)
            + SENTENCE_WEIGHT * shared_of_sentence
            + FACT_WEIGHT * shared_of_fact;
        score.clamp(0.0, 1.0)
    }
}

impl Candidate {
    /// Returns whether the sentence resembles a secret more than every open fact of the campaign, and has enough words of the
    /// secret.
    fn is_hint(&self) -> bool {
        let cosines = self.score.cosine.zip(self.open_cosine);
        cosines.is_some_and(|(cosine, open)| cosine - open.max(TYPICAL_OPEN_COSINE) >= MIN_HINT_MARGIN)
    }

    /// Decides whether the sentence states the fact.
    pub(super) fn decision(&self, score: f32) -> Decision {
        // "I love it" has the only word of "Pike loves Scanlan", but "it" can be anything.
        let is_one_word = self.score.shared_words < 2;
        let min_cosine = if is_one_word { MIN_COSINE_OF_ONE_WORD } else { MIN_COSINE };
        let is_meant =
            self.score.cosine.is_some_and(|cosine| cosine >= min_cosine) && !(is_one_word && self.has_pronoun);
        let is_own_words = self.is_retold || (self.is_own_secret && self.score.may_be_confessed());
        let is_confession = is_own_words && score >= MIN_CONFESSION_SCORE;
        let has_subject = match self.agreement {
            Agreement::Full | Agreement::Partial => true,
            // "I owe them ten crowns" can be about anybody, so a sentence that names only its speaker must share more.
            Agreement::SpeakerOnly => is_confession || (is_meant && !is_one_word),
            Agreement::SubjectAndObject => false,
        };
        let is_only_compared_by_words = self.score.cosine.is_none() && self.score.is_complete() && !is_one_word;
        let says_the_same = self.agreement == Agreement::Full && is_meant && self.score.is_complete();
        let is_sure = !self.is_doubtful && !self.fact.unknown_to_speaker;
        if is_sure && (says_the_same || self.is_extracted) {
            Decision::States
        } else if self.is_extracted
            || self.is_reworded
            || self.is_hint()
            || (has_subject && (score >= MIN_POSSIBLE_SCORE || is_confession || is_only_compared_by_words))
        {
            Decision::MayState
        } else {
            Decision::Other
        }
    }
}
