//! A reply without a language model: the statement of a fact that the character knows and is allowed to tell.

use std::collections::BTreeSet;

use hearsay_commands::reply::{CitedFact, FindingKind, ReplyCheck, ReplyFinding};
use hearsay_model::{
    EntityId, Feeling, Span, attribute,
    text::words,
    words::{contains_word, english},
};
use hearsay_query::ask::Answer;
use hearsay_recall::{Line, Remark, SceneContext, SectionKind, Source, stems};

use super::ReplyRequest;

/// Manner in which a character speaks, according to its feelings towards the listeners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tone {
    Neutral,
    Warm,
    Cold,
    Afraid,
}

impl Tone {
    /// Returns the tone towards the listeners, the first of which is addressed. Fear of any listener prevails. Ignores
    /// feelings whose cause the character conceals from a listener.
    fn new(context: &SceneContext, listeners: &[EntityId]) -> Self {
        let may_show = |line: &&Line| listeners.iter().all(|listener| line.secrecy.allows(listener));
        let feelings = || context.lines().filter(may_show).filter_map(|line| line.feelings.as_ref());
        let level = |listener: &EntityId, feeling: Feeling| {
            let levels = feelings().filter(|feelings| feelings.towards == *listener);
            levels.filter_map(|feelings| feelings.levels.get(&feeling)).copied().next().unwrap_or_default()
        };
        if listeners.iter().any(|listener| level(listener, Feeling::Fear) > 0) {
            return Self::Afraid;
        }
        let Some(addressee) = listeners.first() else { return Self::Neutral };
        match (level(addressee, Feeling::Affinity), level(addressee, Feeling::Debt)) {
            (..0, _) => Self::Cold,
            (1.., _) | (0, 1..) => Self::Warm,
            _ => Self::Neutral,
        }
    }

    /// Returns the words before the first statement of a conversation.
    fn opening(self) -> &'static str {
        match self {
            Self::Neutral => "",
            Self::Warm => "Gladly. ",
            Self::Cold => "If I must. ",
            Self::Afraid => "I want no trouble. ",
        }
    }

    /// Returns the reply if the character knows nothing about the question, or may not tell it.
    fn refusal(self) -> &'static str {
        match self {
            Self::Neutral => "I can tell you nothing about that.",
            Self::Warm => "I am sorry, I can tell you nothing about that.",
            Self::Cold => "I have nothing to say to you about that.",
            Self::Afraid => "Please do not ask me. I can tell you nothing about that.",
        }
    }
}

/// Minimum cosine of the question and a line for which the character mentions the line.
const MIN_COSINE: f32 = 0.4;

/// Minimum word score of a line for which the character mentions the line, if the line has no vector.
const MIN_WORDS: f32 = 0.5;

/// The fact that a template states.
pub(super) struct StatedFact {
    cited: CitedFact,
    is_lie: bool,
}

impl StatedFact {
    fn new(line: &Line) -> Option<Self> {
        let Source::Fact(fact) = line.citation.source else { return None };
        let how_known = line.citation.describe_acquisition();
        let cited = CitedFact { fact, handle: None, statement: line.text.clone(), how_known };
        Some(Self { cited, is_lie: line.is_lie() })
    }

    /// Adds a finding for the fact to the check of the words, if the check did not recognize the fact.
    pub(super) fn add_to(self, check: &mut ReplyCheck, words: &str) {
        if check.findings.iter().flat_map(|finding| &finding.facts).any(|cited| cited.fact == self.cited.fact) {
            return;
        }
        let kind = if self.is_lie { FindingKind::RepeatsLie } else { FindingKind::Supported };
        let span = Span { start: 0, end: words.len() };
        check.findings.push(ReplyFinding::stated(kind, self.cited, span, words, 1.0));
    }
}

/// Minimum cosine of the question and a sentence that shares no word with the question apart from names. A sentence about
/// the same person is similar to the question, even if it says nothing about the matter.
const MIN_COSINE_BY_NAMES: f32 = 0.5;

/// A line about the character is preferred if the question is about the character.
const ADDRESS_ADVANTAGE: f32 = 0.15;

/// A line about the character and the listener who asks is preferred to all others if the question is about both, as in
/// "What did you promise me?", and the line shares a word with the question.
const MUTUAL_ADVANTAGE: f32 = 1.0;

/// A line that links two entities is preferred if the question asks for an entity, as in "Who owns the barge?", and the line
/// shares a word with the question.
const ENTITY_ADVANTAGE: f32 = 0.3;

/// Returns the reply if the character has nothing to tell.
pub(super) fn refusal(answer: &Answer, request: &ReplyRequest) -> &'static str {
    Tone::new(&answer.context, &request.listeners).refusal()
}

/// Returns the words of a reply, with the fact that they state: the line that fits the question best, of those that the
/// character may tell. The feelings of the character towards the listeners decide the tone.
pub(super) fn template_reply(answer: &Answer, request: &ReplyRequest) -> (String, Option<StatedFact>) {
    let (context, listeners) = (&answer.context, &request.listeners);
    let question = Question::new(context, listeners.first());
    let knowledge = context.section_lines(SectionKind::Knowledge).iter();
    let lines = knowledge.chain(context.section_lines(SectionKind::Relations));
    let tellable = lines.filter(|line| may_tell(line, listeners) && !line.states_feelings());
    let fitting = tellable.filter_map(|line| Some((question.fit(line)?, line)));
    // Of lines with the same relevance, the first one wins.
    let best = fitting.reduce(|best, next| if next.0 > best.0 { next } else { best });
    match best {
        Some((_, line)) => {
            let is_first = !request.earlier.iter().any(|line| line.is_own);
            let opening = if is_first { Tone::new(context, listeners).opening() } else { "" };
            let words = context.spoken(line, listeners.first());
            (format!("{opening}{}{words}", certainty(line)), StatedFact::new(line))
        }
        None => (refusal(answer, request).to_owned(), None),
    }
}

/// A question to the character.
struct Question<'a> {
    context: &'a SceneContext,
    /// Listener who asks the question.
    asker: Option<&'a EntityId>,
    /// Stems of the words of the question, apart from stop words and words with a capital letter.
    stems: BTreeSet<String>,
    /// Whether the question is about the character.
    addresses_speaker: bool,
    /// Whether the question is about the character and the asker.
    is_mutual: bool,
    /// Whether the answer names a person, a thing or a place.
    asks_for_entity: bool,
}

impl<'a> Question<'a> {
    fn new(context: &'a SceneContext, asker: Option<&'a EntityId>) -> Self {
        let question_words = words(&context.question);
        let contains = |list: &[String]| question_words.iter().any(|word| contains_word(list, word));
        let addresses_speaker = contains(&english().addressee_pronouns);
        let is_name = |word: &&str| word.starts_with(char::is_uppercase);
        let plain: Vec<&str> = context.question.split_whitespace().filter(|word| !is_name(word)).collect();
        Self {
            context,
            asker,
            stems: stems(&plain.join(" ")).into_iter().collect(),
            addresses_speaker,
            is_mutual: addresses_speaker && contains(&english().speaker_pronouns),
            asks_for_entity: question_words
                .first()
                .is_some_and(|first| contains_word(&english().entity_questions, first)),
        }
    }

    /// Returns how well a line fits the question; `None` if it does not answer the question.
    fn fit(&self, line: &Line) -> Option<f32> {
        let shares_word = stems(&line.text).iter().any(|stem| self.stems.contains(stem));
        if self.is_mutual && shares_word && self.is_between_both(line) {
            return Some(relevance(line).unwrap_or(MIN_COSINE) + MUTUAL_ADVANTAGE);
        }
        let is_sentence = line.claim.as_ref().is_some_and(|claim| claim.predicate.as_str() == attribute::LORE);
        let is_by_names = |relevance: &f32| is_sentence && !shares_word && *relevance < MIN_COSINE_BY_NAMES;
        let relevance = relevance(line).filter(|relevance| !is_by_names(relevance))?;
        let is_about_speaker = line.claim.as_ref().is_some_and(|claim| claim.subject == self.context.speaker);
        let links_entities = line.claim.as_ref().is_some_and(|claim| claim.object.entity().is_some());
        let names_answer = self.asks_for_entity && shares_word && links_entities;
        let address = if self.addresses_speaker && is_about_speaker { ADDRESS_ADVANTAGE } else { 0.0 };
        Some(relevance + address + if names_answer { ENTITY_ADVANTAGE } else { 0.0 })
    }

    /// Returns whether a line is about the character and the asker.
    fn is_between_both(&self, line: &Line) -> bool {
        let (Some(claim), Some(asker)) = (&line.claim, self.asker) else { return false };
        let is_about = |id: &EntityId| claim.subject == *id || claim.object.entity() == Some(id);
        is_about(&self.context.speaker) && (is_about(asker) || self.context.names_listener(line, asker))
    }
}

/// Returns whether the character may tell a line, and believes it.
fn may_tell(line: &Line, listeners: &[EntityId]) -> bool {
    let is_believed = !line.remarks.iter().any(|remark| matches!(remark, Remark::Untrue | Remark::Outweighed));
    // The words of a passage are often a whole paragraph, which nobody would say.
    line.claim.is_some() && is_believed && listeners.iter().all(|listener| line.secrecy.allows(listener))
}

/// Returns how well a line fits the question; `None` if it does not answer the question.
fn relevance(line: &Line) -> Option<f32> {
    match line.explanation.as_ref().and_then(|explanation| explanation.cosine) {
        Some(cosine) => Some(cosine).filter(|cosine| *cosine >= MIN_COSINE),
        None => line.channels.as_ref().map(|channels| channels.words).filter(|words| *words >= MIN_WORDS),
    }
}

/// Returns the words that say how certain the character is. Empty if it is certain.
fn certainty(line: &Line) -> &'static str {
    let has = |wanted: fn(&Remark) -> bool| line.remarks.iter().any(wanted);
    match () {
        // A liar stays with the lie.
        () if line.is_lie() => "",
        () if has(|remark| *remark == Remark::Doubted) => "I have heard this, but I doubt it: ",
        () if has(|remark| *remark == Remark::Uncertain) => "I am not sure, but I have heard this: ",
        () if has(|remark| *remark == Remark::Believed) => "As far as I know: ",
        () => "",
    }
}
