//! A reply without a language model: the statements of facts that the character knows and is allowed to tell.

use std::collections::BTreeSet;

use hearsay_commands::reply::{CitedFact, FindingKind, ReplyCheck, ReplyFinding};
use hearsay_model::{EntityId, FactId, Feeling, Span, attribute};
use hearsay_query::ask::Answer;
use hearsay_recall::{CitedEntity, Line, LineClaim, Remark, SceneContext, SectionKind, Source, stems};

use super::{
    ReplyRequest,
    question::Question,
    statement::{Statement, statements},
};

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

    /// Returns the reply if the character knows nothing about the question, or may not tell what it knows. The words are the
    /// same, so that the listeners do not learn that there is a secret.
    fn refusal(self) -> &'static str {
        match self {
            Self::Neutral => "I can tell you nothing about that.",
            Self::Warm => "I am sorry, I can tell you nothing about that.",
            Self::Cold => "I have nothing to say to you about that.",
            Self::Afraid => "Please do not ask me. I can tell you nothing about that.",
        }
    }
}

/// Replies instead of the same words twice in a row, if the character has nothing to tell, or has told all.
const STILL_NOTHING: &str = "I can tell you nothing about that either.";
const TOLD: &str = "I have told you what I know about that.";
const ALL_TOLD: &str = "There is no more that I could tell you about that.";

/// A fact that a template states, or a sentence of its text.
pub(super) struct StatedFact {
    cited: CitedFact,
    is_lie: bool,
    is_whole: bool,
    /// Position of the sentence in the reply.
    span: Span,
}

impl StatedFact {
    fn new(statement: &Statement, span: Span) -> Option<Self> {
        let Statement { line, is_whole } = statement;
        let fact = line_fact(line)?;
        let how_known = line.citation.describe_acquisition();
        let cited = CitedFact { fact, handle: None, statement: line.text.clone(), how_known };
        Some(Self { cited, is_lie: line.is_lie(), is_whole: *is_whole, span })
    }

    /// Returns the fact if a problem of the reply is in the sentence that states the fact.
    pub(super) fn with_problem(&self, check: &ReplyCheck) -> Option<FactId> {
        let is_here = |span: Span| span.start < self.span.end && self.span.start < span.end;
        let mut problems = check.findings.iter().filter(|finding| finding.is_problem);
        problems.any(|finding| is_here(finding.span)).then_some(self.cited.fact)
    }

    /// Adds a finding for the fact to the check of the words, if the check did not recognize the fact. Adds nothing for a
    /// sentence that is only a part of the fact.
    pub(super) fn add_to(self, check: &mut ReplyCheck, words: &str) {
        let is_recognized =
            check.findings.iter().flat_map(|finding| &finding.facts).any(|cited| cited.fact == self.cited.fact);
        if is_recognized || !self.is_whole {
            return;
        }
        let kind = if self.is_lie { FindingKind::RepeatsLie } else { FindingKind::Supported };
        let span = Span { start: 0, end: words.len() };
        check.findings.push(ReplyFinding::stated(kind, self.cited, span, words, 1.0));
    }
}

/// Returns the fact that a line states.
fn line_fact(line: &Line) -> Option<FactId> {
    match line.citation.source {
        Source::Fact(fact) => Some(fact),
        Source::Passage(_) | Source::Scene => None,
    }
}

/// Maximum number of facts in a reply to an open question, such as "What do you know about the barge?"
const MAX_FACTS: usize = 3;

/// Returns the reply if the character has nothing to tell.
pub(super) fn refusal(answer: &Answer, request: &ReplyRequest) -> &'static str {
    let refusal = Tone::new(&answer.context, &request.listeners).refusal();
    other_than_last(request, refusal, STILL_NOTHING)
}

/// Returns `words`, or `others` if the character has just said `words`.
fn other_than_last(request: &ReplyRequest, words: &'static str, others: &'static str) -> &'static str {
    if last_reply(request) == Some(words) { others } else { words }
}

/// Returns what the character said last; `None` if it said nothing yet.
fn last_reply(request: &ReplyRequest) -> Option<&str> {
    request.earlier.iter().rev().find(|line| line.is_own).map(|line| line.text.as_str())
}

/// Returns the words of a reply, with the facts that they state: the statement that fits the question best, of those that
/// the character may tell. The reply to an open question also states further statements that fit, up to three in all.
/// The reply does not repeat a fact of the last reply, and states none of the facts in `excluded`. The feelings of the
/// character towards the listeners decide the tone.
pub(super) fn template_reply(
    answer: &Answer,
    request: &ReplyRequest,
    excluded: &BTreeSet<FactId>,
) -> (String, Vec<StatedFact>) {
    let (context, listeners) = (&answer.context, &request.listeners);
    let asker = listeners.first();
    let question = Question::new(context, asker);
    let knowledge = context.section_lines(SectionKind::Knowledge).iter();
    let lines = knowledge.chain(context.section_lines(SectionKind::Relations)).cloned();
    let is_statement =
        |line: &Line| is_believed_fact(line) && !line.states_feelings() && !is_idle_rumour(context, line, asker);
    let own_lines = if question.concerns_speaker() { own_lines(context) } else { Vec::new() };
    let statements = lines.chain(own_lines).filter(is_statement).flat_map(|line| statements(context, &line));
    // A lie that the listeners would not believe is left out.
    let statements = statements.filter(|Statement { line, .. }| !line.is_lie() || may_tell(line, listeners));
    let fitting = statements.filter_map(|statement| Some((question.fit(&statement)?, statement)));
    let is_excluded = |line: &Line| line_fact(line).is_some_and(|fact| excluded.contains(&fact));
    let (mut tellable, withheld): (Vec<_>, Vec<_>) =
        fitting.partition(|(_, statement)| may_tell(&statement.line, listeners) && !is_excluded(&statement.line));
    drop_covered(&mut tellable);
    // Of statements with the same relevance, the first one comes first.
    tellable.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let is_told = |line: &Line| {
        let is_repeated = last_reply(request).is_some_and(|last| last.contains(&context.spoken(line, asker)));
        is_repeated || was_told_rumour(line, asker)
    };
    let best_fit = |statements: &[(f32, Statement)]| statements.iter().map(|(fit, _)| *fit).reduce(f32::max);
    let (told, withheld) = (best_fit(&tellable), best_fit(&withheld));
    let mut chosen: Vec<&Statement> = Vec::new();
    let mut said: BTreeSet<String> = BTreeSet::new();
    for (fit, statement) in &tellable {
        let is_off_topic = told.is_some_and(|best| question.changes_subject(best, *fit));
        let content = stems(&statement.line.text);
        let says_new = content.iter().any(|stem| !said.contains(stem));
        if chosen.len() < MAX_FACTS && !is_off_topic && says_new && !is_told(&statement.line) {
            said.extend(content);
            chosen.push(statement);
        }
        // Only the best statement answers a question for a person, a thing, a place or a time.
        if question.asks_for_one() {
            break;
        }
    }
    // The character does not change the subject.
    let is_withheld = withheld.is_some_and(|withheld| told.is_none_or(|told| question.changes_subject(withheld, told)));
    if is_withheld || told.is_none() {
        return (refusal(answer, request).to_owned(), Vec::new());
    }
    if chosen.is_empty() {
        return (other_than_last(request, TOLD, ALL_TOLD).to_owned(), Vec::new());
    }
    let says_occupation = |statement: &&Statement| {
        let claim = statement.line.claim.as_ref();
        claim.is_some_and(|claim| claim.predicate.as_str() == attribute::OCCUPATION)
    };
    // "I live in the mill" alone does not say who the character is.
    let needs_name = question.asks_who_speaker_is() && !chosen.iter().any(says_occupation);
    let own_name = context.subject_names.get(&context.speaker).filter(|_| needs_name);
    let opening = if last_reply(request).is_none() { Tone::new(context, listeners).opening() } else { "" };
    let (mut words, mut stated) = (opening.to_owned(), Vec::new());
    for (number, statement) in chosen.into_iter().enumerate() {
        let space = if number > 0 { " " } else { "" };
        let start = words.len() + space.len();
        words.push_str(space);
        if let Some(name) = own_name.filter(|_| number == 0) {
            words.extend(["I am ", name.as_str(), ". "]);
        }
        words.push_str(certainty(&statement.line));
        words.push_str(&context.spoken(&statement.line, asker));
        stated.extend(StatedFact::new(statement, Span { start, end: words.len() }));
    }
    (words, stated)
}

/// Returns the lines about the character itself that do not depend on the question, with the statements of their facts as
/// text.
fn own_lines(context: &SceneContext) -> Vec<Line> {
    let sections = [SectionKind::Speaker, SectionKind::Further];
    let lines = sections.into_iter().flat_map(|section| context.section_lines(section));
    let own = lines.filter(|line| line.claim.as_ref().is_some_and(|claim| claim.subject == context.speaker));
    own.filter_map(|line| {
        let mut stated = line.clone();
        stated.text = line.statement.clone()?;
        Some(stated)
    })
    .collect()
}

/// Drops the statements of properties about which the character lies: the lie takes the place of the truth.
fn drop_covered(statements: &mut Vec<(f32, Statement)>) {
    let lies = statements.iter().filter(|(_, statement)| statement.line.is_lie());
    let claims = lies.filter_map(|(_, statement)| statement.line.claim.clone());
    let is_property = |claim: &LineClaim| {
        let predicate = claim.predicate.as_str();
        claim.object.entity().is_none() && predicate != attribute::LORE && predicate != attribute::DESCRIPTION
    };
    let lies: Vec<LineClaim> = claims.filter(is_property).collect();
    let is_covered = |line: &Line| {
        let claim = line.claim.as_ref().filter(|_| !line.is_lie());
        claim.is_some_and(|claim| {
            lies.iter().any(|lie| lie.subject == claim.subject && lie.predicate == claim.predicate)
        })
    };
    statements.retain(|(_, statement)| !is_covered(&statement.line));
}

/// Returns whether a line states a fact that the character believes.
fn is_believed_fact(line: &Line) -> bool {
    let is_believed = !line.remarks.iter().any(|remark| matches!(remark, Remark::Untrue | Remark::Outweighed));
    // The words of a passage are often a whole paragraph, which nobody would say.
    line.claim.is_some() && is_believed
}

/// Returns whether the character may tell a line to all listeners.
fn may_tell(line: &Line, listeners: &[EntityId]) -> bool {
    listeners.iter().all(|listener| line.secrecy.allows(listener))
}

/// Returns whether a line is a rumour that the character would not tell: the asker told it to the character or knows it
/// anyway, it is about the character itself, or the character knows better.
fn is_idle_rumour(context: &SceneContext, line: &Line, asker: Option<&EntityId>) -> bool {
    if certainty(line).is_empty() {
        return false;
    }
    let is_asker = |entity: &CitedEntity| asker == Some(&entity.id);
    let is_known = line.remarks.iter().any(|remark| match remark {
        Remark::ToldYou(entities) | Remark::WerePresent(entities) => entities.iter().any(is_asker),
        Remark::Belongs { entity, .. } => is_asker(entity),
        _ => false,
    });
    let subject = |line: &Line| line.claim.as_ref().map(|claim| claim.subject.clone());
    let is_disputed = |line: &Line| line.remarks.contains(&Remark::Contradicted);
    let knows_better =
        |other: &Line| is_disputed(other) && other.credence > line.credence && subject(other) == subject(line);
    is_known
        || subject(line).as_ref() == Some(&context.speaker)
        || is_disputed(line) && context.lines().any(knows_better)
}

/// Returns whether a line is a rumour that the character told the asker before.
fn was_told_rumour(line: &Line, asker: Option<&EntityId>) -> bool {
    let is_asker = |entity: &CitedEntity| asker == Some(&entity.id);
    let is_told = |remark: &Remark| matches!(remark, Remark::YouTold(hearers) if hearers.iter().any(is_asker));
    !certainty(line).is_empty() && line.remarks.iter().any(is_told)
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
