//! A reply without a language model: the statement of a fact that the character knows and may tell.

use hearsay_model::EntityId;
use hearsay_query::ask::Answer;
use hearsay_recall::{Line, Remark, SectionKind};

/// Reply if the character knows nothing about the question, or may not tell it.
pub(super) const NOTHING_TO_TELL: &str = "I can tell you nothing about that.";

/// Minimum cosine of the question and a line for which the character mentions the line.
const MIN_COSINE: f32 = 0.4;

/// Minimum word score of a line for which the character mentions the line, if the line has no vector.
const MIN_WORDS: f32 = 0.5;

/// Returns the words of a reply: the line that fits the question best, of those that the character may tell.
pub(super) fn template_reply(answer: &Answer, listeners: &[EntityId]) -> String {
    let context = &answer.context;
    let lines = context.section_lines(SectionKind::Knowledge).iter();
    let fitting = lines.filter(|line| may_tell(line, listeners)).filter_map(|line| Some((relevance(line)?, line)));
    // Of lines with the same relevance, the first one wins.
    let best = fitting.reduce(|best, next| if next.0 > best.0 { next } else { best });
    match best {
        Some((_, line)) => format!("{}{}", certainty(line), line.spoken(&context.name)),
        None => NOTHING_TO_TELL.to_owned(),
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
        () if has(|remark| *remark == Remark::MadeUp) => "",
        () if has(|remark| *remark == Remark::Doubted) => "I have heard this, but I doubt it: ",
        () if has(|remark| *remark == Remark::Uncertain) => "I am not sure, but I have heard this: ",
        () if has(|remark| *remark == Remark::Believed) => "As far as I know: ",
        () => "",
    }
}
