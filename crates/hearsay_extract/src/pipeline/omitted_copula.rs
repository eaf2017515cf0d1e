//! Inserts the "is" that notes and descriptions leave out.

use crate::{
    entities::mentions::{EntityRef, NameMention},
    language::{
        grammar::{Grammar, WordClass},
        word_lists::lists,
    },
    syntax::chunker::{Chunk, Chunks, VerbForm, VerbGroup},
    text::tokenizer::Token,
};

/// Inserts the "is" that notes leave out: "Bram dead.", "Static in brig."
pub(super) fn insert_omitted_copula(tokens: &[Token], names: &[NameMention], chunks: &mut Chunks, grammar: &Grammar) {
    let has_finite_verb = chunks.verb_groups.iter().any(|vg| vg.form == VerbForm::Finite);
    if has_finite_verb {
        return;
    }
    // A line without final punctuation may be a heading. In a heading, only known names count.
    let is_terminated = tokens.last().is_some_and(|last| last.is_punctuation(".!;"));
    let is_known = |name: usize| is_terminated || matches!(names[name].entity, EntityRef::Known(_));
    let is_np = |item: &Chunk| matches!(item, Chunk::NounGroup(np) if chunks.noun_groups[*np].name.is_some_and(is_known) || chunks.noun_groups[*np].owner.is_some());
    // The verb is inserted after the name or list of names at the beginning.
    let Some(first) = chunks.items.iter().position(is_np).filter(|at| *at <= 3) else {
        insert_copula_at_start(tokens, chunks, grammar);
        return;
    };
    let mut at = first + 1;
    let word = |at: usize| match chunks.items.get(at) {
        Some(Chunk::Token(token)) => tokens[*token].norm.as_str(),
        _ => "",
    };
    while (word(at) == "," || lists().conjunctions.additive.contains(word(at)))
        && matches!(chunks.items.get(at + 1), Some(Chunk::NounGroup(np)) if chunks.noun_groups[*np].name.is_some())
    {
        at += 2;
    }
    let has_predicate = match chunks.items.get(at) {
        Some(Chunk::Token(token)) => {
            let norm = tokens[*token].norm.as_str();
            let class = grammar.word_class(norm);
            class.has(WordClass::PREPOSITION) && norm != "of"
                || grammar.attribute_adjectives.contains_key(norm)
                || matches!(norm, ":" | "=" | "\u{2014}")
        }
        _ => false,
    };
    if !has_predicate {
        return;
    }
    let token = match chunks.items.get(at) {
        Some(Chunk::Token(token)) if matches!(tokens[*token].norm.as_str(), ":" | "=" | "\u{2014}") => {
            let token = *token;
            chunks.items.remove(at);
            token + 1
        }
        Some(Chunk::Token(token)) => *token,
        _ => return,
    };
    if token >= tokens.len() {
        return;
    }
    chunks.items.insert(at, Chunk::VerbGroup(chunks.verb_groups.len()));
    chunks.verb_groups.push(VerbGroup {
        start: token,
        end: token,
        head: token.saturating_sub(1),
        lemma: "be".into(),
        is_copula: true,
        is_omitted: true,
        ..VerbGroup::default()
    });
}

/// Inserts an "is" into a note that has neither a subject nor a verb, such as "In foul mood."
fn insert_copula_at_start(tokens: &[Token], chunks: &mut Chunks, grammar: &Grammar) {
    let Some(Chunk::Token(token)) = chunks.items.first() else { return };
    let norm = tokens[*token].norm.as_str();
    let is_terminated = tokens.last().is_some_and(|last| last.is_punctuation(".!;"));
    if !is_terminated
        || tokens.len() > 12
        || tokens.len() < 3
        || !(grammar.word_class(norm).has(WordClass::PREPOSITION) || grammar.attribute_adjectives.contains_key(norm))
    {
        return;
    }
    let vg = VerbGroup {
        start: *token,
        end: *token,
        head: *token,
        lemma: "be".into(),
        is_copula: true,
        is_omitted: true,
        ..VerbGroup::default()
    };
    chunks.items.insert(0, Chunk::VerbGroup(chunks.verb_groups.len()));
    chunks.verb_groups.push(vg);
}

/// Inserts an "is" before a description that precedes its subject: "Soft-spoken and cruel, Odo speaks in questions."
pub(super) fn insert_copula_before_description(tokens: &[Token], chunks: &mut Chunks, grammar: &Grammar) {
    let word = |item: usize| match chunks.items.get(item) {
        Some(Chunk::Token(at)) => tokens[*at].norm.as_str(),
        _ => "",
    };
    let Some(verb) = chunks.items.iter().position(|item| matches!(item, Chunk::VerbGroup(_))) else { return };
    let subject = verb.checked_sub(1).and_then(|item| match chunks.items[item] {
        Chunk::NounGroup(np) => Some(&chunks.noun_groups[np]),
        _ => None,
    });
    let Some(subject) = subject.filter(|np| np.name.is_some() || np.is_pronoun || np.article.is_some()) else { return };
    if verb < 3 || word(verb - 2) != "," || subject.owner.is_some() {
        return;
    }
    let first = (0..verb - 2).find(|item| !lists().conjunctions.concessions.contains(word(*item)));
    let (start, end) = match first.map(|item| chunks.items[item]) {
        Some(Chunk::Token(at)) => (at, at + 1),
        Some(Chunk::NounGroup(np))
            if chunks.noun_groups[np].name.is_none() && chunks.noun_groups[np].owner.is_none() =>
        {
            (chunks.noun_groups[np].start, chunks.noun_groups[np].end)
        }
        _ => return,
    };
    let is_number =
        |at: usize| grammar.word_class(tokens[at].norm.split('-').next().unwrap_or_default()).has(WordClass::NUMBER);
    let norm = |at: usize| tokens.get(at).map_or("", |token| token.norm.as_str());
    let is_age = is_number(start) && (end == start + 1 && norm(end) == "," || norm(end) == "old");
    let is_description = grammar.attribute_adjectives.contains_key(norm(start))
        && lists().conjunctions.after_descriptions.contains(norm(start + 1));
    if !(is_age || is_description) {
        return;
    }
    let vg = VerbGroup {
        start,
        end: start,
        head: start,
        lemma: "be".into(),
        is_copula: true,
        is_omitted: true,
        ..VerbGroup::default()
    };
    chunks.items.insert(0, Chunk::VerbGroup(chunks.verb_groups.len()));
    chunks.verb_groups.push(vg);
}
