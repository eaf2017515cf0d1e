//! Lies: the facts that a lie asserts, and the effect of marking a recorded statement as a lie.

use std::sync::Arc;

use hearsay_belief::{
    Occasion, StateViews,
    learn::{self, HeardStatement, Sincerity},
};
use hearsay_model::{
    Change, Credence, EntityId, Evidence, ExtractionStage, Fact, FactStatus, Justification, Knower, KnowledgeEdge,
    KnowledgeId, Passage, PassageId, Span,
    text::{self, SENTENCE_ENDS},
    words,
};

/// Returns whether a line only mentions a fact. A lie does not make such a fact false: "I was at home on the night the
/// barge sank" does not assert that the barge sank.
///
/// `span` is the position of the words that state the fact. `statements` contains the subjects and positions of all
/// statements that the extraction found in the line. The line only mentions a fact if its words are part of a dependent
/// clause, or if a statement about another entity contains the words and begins before them. A fact about the speaker of
/// the line is always asserted.
pub(crate) fn is_only_mentioned(
    line: &Passage,
    subject: &EntityId,
    span: Span,
    statements: &[(&EntityId, Span)],
) -> bool {
    let contains_fact = |(other, statement): &(&EntityId, Span)| {
        *other != subject && statement.start < span.start && span.end <= statement.end
    };
    line.speaker.as_ref() != Some(subject)
        && (is_in_dependent_clause(&line.text, span) || statements.iter().any(contains_fact))
}

/// Returns whether words of a text are part of a clause about the time or the reason of a main clause: "the barge sank" in
/// "I was at home when the barge sank" and in "When the barge sank, I was at home".
fn is_in_dependent_clause(text: &str, span: Span) -> bool {
    let english = words::english();
    let Some((before, stated)) = text.get(..span.end).and_then(|text| text.split_at_checked(span.start)) else {
        return false;
    };
    let sentence = before.rsplit(SENTENCE_ENDS).next().unwrap_or_default();
    let first_word = stated.split_whitespace().next();
    let before_fact: Vec<&str> = sentence.split_whitespace().chain(first_word).collect();
    let is_opener = |word: &&str| {
        text::words(word).iter().any(|word| words::contains_word(&english.circumstance_conjunctions, word))
    };
    let Some(opener) = before_fact.iter().rposition(is_opener) else { return false };
    // A clause at the start ends at its comma. After the main clause, only a new main clause ends it.
    let (clause, following) = (&before_fact[opener..], before_fact.get(opener + 1..).unwrap_or_default());
    let begins_clause = |word: &str| words::contains_word(&english.clause_openers, &word.to_lowercase());
    let is_ended = match opener {
        0 => clause[..clause.len() - 1].iter().any(|word| word.ends_with(',')),
        _ => clause.iter().zip(following).any(|(word, next)| word.ends_with(',') && begins_clause(next)),
    };
    !is_ended
}

/// Returns the changes after which the speaker of a recorded line does not believe the facts that the line asserts,
/// according to the extraction. Returns nothing for a new line.
pub(crate) fn mark_line_as_lie(views: &StateViews, passage: &Passage) -> Vec<Change> {
    let Some(speaker) = &passage.speaker else { return Vec::new() };
    let id = passage.id();
    let mut facts: Vec<&Arc<Fact>> = views.state().facts_citing(id).collect();
    facts.sort_unstable_by_key(|fact| fact.id());
    let mut statements: Vec<(&EntityId, Span)> = Vec::new();
    for fact in facts.iter().copied() {
        let is_statement = fact.provenance().stage == Some(ExtractionStage::Statements);
        if let Some(span) = span_in(fact, id).filter(|_| is_statement) {
            statements.push((fact.subject(), span));
        }
    }
    let is_mentioned = |fact: &Fact, span: Span| is_only_mentioned(passage, fact.subject(), span, &statements);
    let is_asserted = |fact: &&Arc<Fact>| span_in(fact, id).is_none_or(|span| !is_mentioned(fact, span));
    facts.into_iter().filter(is_asserted).flat_map(|fact| mark_as_lie(views, speaker, fact)).collect()
}

/// Returns the position of the words of a passage that state a fact; `None` if the fact does not quote the passage.
fn span_in(fact: &Fact, passage: PassageId) -> Option<Span> {
    fact.provenance().evidence.iter().find_map(|evidence| match evidence {
        Evidence::Passage { passage: quoted, span, .. } => (*quoted == passage).then_some(*span),
        Evidence::File { .. } | Evidence::Excerpt(_) => None,
    })
}

/// Returns the changes after which the speaker of a claim does not believe the claim. The characters who heard the
/// claim from the speaker still believe it as before. If this speaker is the source of the fact and the DM has not
/// confirmed the fact, its status becomes false.
///
/// Does not change the knowledge of a speaker who knows the fact from another source, or who did not claim the fact
/// during play.
pub(crate) fn mark_as_lie(views: &StateViews, speaker: &EntityId, fact: &Arc<Fact>) -> Vec<Change> {
    let knower = Knower::Entity(speaker.clone());
    let is_own_word = |edge: &KnowledgeEdge| edge.acquisition.is_authored() && edge.session.is_some();
    let (records, known): (Vec<_>, Vec<_>) = views
        .state()
        .recorded_edges(fact.id())
        .filter(|(_, edge)| edge.knower == knower)
        .partition(|(_, edge)| !edge.acquisition.gives_knowledge());
    let mut changes = Vec::new();
    let is_own_claim = fact.provenance().speaker.as_ref() == Some(speaker) && !fact.provenance().confirmed;
    if is_own_claim && matches!(fact.status(), FactStatus::Claimed | FactStatus::Proposed) {
        changes.push(Change::SetStatus { fact: fact.id(), status: FactStatus::False });
    }
    if known.is_empty() || !known.iter().all(|(_, edge)| is_own_word(edge)) {
        return changes;
    }
    let own_edges: Vec<KnowledgeId> = known.iter().map(|(id, _)| *id).collect();
    let depends_on_own_word = |edge: &KnowledgeEdge| {
        let mut sources = edge.sources.iter();
        sources.any(|source| matches!(source, Justification::Basis { edge, .. } if own_edges.contains(edge)))
    };
    let records: Vec<_> = records.into_iter().filter(|(_, edge)| depends_on_own_word(edge)).collect();
    changes.extend(own_edges.iter().copied().chain(records.iter().map(|(id, _)| *id)).map(Change::Unlearn));
    for (_, record) in records {
        let occasion = Occasion { time: record.learned.clone(), place: None, session: record.session.clone() };
        let view = views.get(&knower, occasion.moment());
        let hearers: Vec<Knower> = record.co_present.iter().cloned().map(Knower::Entity).collect();
        let statement = HeardStatement {
            speaker,
            view: &view,
            alias: None,
            citing: None,
            hearers: &hearers,
            fact,
            restates: None,
            sincerity: Sincerity::Lie,
            certainty: Credence::FULL,
        };
        changes.extend(learn::overhear(views, &statement, &occasion).changes);
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependent_clause_is_no_part_of_the_claim() {
        for (text, words, expected) in [
            ("I slept at the ford when the granary burned.", "the granary burned", true),
            ("When the granary burned, I slept at the ford.", "the granary burned", true),
            ("When the granary burned, Cyra slept at the ford.", "Cyra slept", false),
            ("Cyra slept at the ford because the granary burned.", "Cyra slept", false),
            ("We rode, after Cyra had sold the mule, to the ford.", "Cyra had sold the mule", true),
            ("I slept when the bell rang, and Cyra stole the mule.", "Cyra stole the mule", false),
            ("I slept when the bell rang. Cyra stole the mule.", "Cyra stole the mule", false),
            ("Cyra stole the mule.", "Cyra stole the mule", false),
        ] {
            let start = text.find(words).unwrap();
            let span = Span { start, end: start + words.len() };
            assert_eq!(is_in_dependent_clause(text, span), expected, "{text}");
        }
    }
}
