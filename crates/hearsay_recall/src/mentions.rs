//! Search for the candidates that name an entity, and for the passages that the entity said.

use hearsay_belief::{Known, View};
use hearsay_model::text;

use crate::{DocId, Index, LinkedEntity, candidates::Candidates, words::stems};

/// Sets `about` for the candidates that contain a name from [`LinkedEntity::names`]. Only names that the knower has for
/// the entity count: a knower who heard of "the Grey Lady" does not know to which entity the author referred. A text is
/// compared with a name only if it contains all terms of the name.
pub(crate) fn mark_mentions(
    view: &View,
    index: &Index,
    candidates: &Candidates,
    named: &LinkedEntity,
    about: &mut [bool],
) {
    for name in &named.names {
        let terms = stems(&name.join(" ")).iter().map(|stem| index.term(stem)).collect::<Option<Vec<u32>>>();
        let Some(terms) = terms else { continue };
        let Some(rarest) = terms.iter().min_by_key(|term| index.postings(**term).len()) else { continue };
        for at in index.postings(*rarest).iter().filter_map(|(text_number, _)| candidates.at(*text_number)) {
            let is_possible = !about[at] && terms.iter().all(|term| candidates.has(at, *term));
            about[at] |= is_possible
                && text_of(view, candidates, at).is_some_and(|text| text::contains_name(&text::words(text), name));
        }
    }
}

/// Sets `about` for the passages that an entity said, if the asker knows who spoke.
pub(crate) fn mark_spoken_passages(
    view: &View,
    index: &Index,
    candidates: &Candidates,
    named: &LinkedEntity,
    about: &mut [bool],
) {
    let Some(speaker) = index.entity(&named.id) else { return };
    for (at, about) in about.iter_mut().enumerate().take(candidates.len()).skip(candidates.facts) {
        if candidates.head(at).speaker.is_some_and(|number| number.get() == speaker)
            && let DocId::Passage(id) = candidates.id(at)
        {
            *about |= view.passage(id).is_some_and(|heard| heard.passage.speaker.as_ref() == Some(&named.id));
        }
    }
}

/// Returns the text of a fact or passage in the view.
fn text_of<'v>(view: &'v View, candidates: &Candidates<'v>, at: usize) -> Option<&'v str> {
    match candidates.id(at) {
        DocId::Fact(_) => candidates.known(at).map(Known::statement),
        DocId::Passage(id) => view.passage(id).map(|heard| heard.passage.text.as_str()),
    }
}
