//! Episodes: facts with the same content that began on different days, such as the visits of a person to a place.
//!
//! If the speaker knows several episodes, the context states only the latest one, with a remark on their number. The
//! line cites all episodes.

use hearsay_belief::{BELIEF_THRESHOLD, Known};
use hearsay_model::{FactId, GameTime, Precision, words::past_tense};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::{remark::Remark, request::ContextRequest};

/// The episodes that the latest of them represents.
pub(super) struct Repetition<'a> {
    /// The earlier episodes, sorted by time.
    pub(super) earlier: Vec<&'a Known>,
    /// Number and dates of all episodes.
    pub(super) remark: Remark,
    /// The statement of the latest episode. In the past tense if the speaker believes a later value, such as another
    /// location.
    pub(super) statement: String,
}

/// All repeated facts in the view of a speaker.
#[derive(Default)]
pub(super) struct Episodes<'a> {
    by_latest: FxHashMap<FactId, Repetition<'a>>,
    earlier: FxHashSet<FactId>,
}

impl<'a> Episodes<'a> {
    /// Finds the believed facts with the same content that began on at least [`ContextRequest::min_episodes`] days.
    pub(super) fn new(request: &ContextRequest<'a>) -> Self {
        let ContextRequest { view, calendar, names, scene, min_episodes, .. } = *request;
        let mut episodes = Self::default();
        if min_episodes == 0 {
            return episodes;
        }
        let mut groups: FxHashMap<_, SmallVec<[(GameTime, &'a Known); 1]>> = FxHashMap::default();
        for known in view.facts() {
            let start = known.since().and_then(|date| date.time);
            let Some(start) = start.filter(|start| scene.time.is_none_or(|now| *start <= now)) else { continue };
            let is_believed = known.credence().get() >= BELIEF_THRESHOLD && known.fact_relation().is_none();
            if is_believed && !request.hidden.contains(known.predicate()) {
                let visibility = (known.is_secret(), known.conceals());
                let content = (known.subject(), known.predicate(), known.object(), known.statement(), visibility);
                groups.entry(content).or_default().push((start, known));
            }
        }
        let minutes_per_day = calendar.minutes_per_day().max(1);
        for mut group in groups.into_values().filter(|group| group.len() >= min_episodes.max(2)) {
            group.retain(|(_, known)| view.refutations(known).next().is_none());
            group.sort_unstable_by_key(|(start, known)| (*start, known.id()));
            let mut days: Vec<i64> = group.iter().map(|(start, _)| start.0.div_euclid(minutes_per_day)).collect();
            days.dedup();
            if days.len() < min_episodes.max(2) {
                continue;
            }
            let (Some((first, _)), Some((last, latest))) = (group.first().copied(), group.pop()) else { continue };
            let mut statement = Some(latest.statement().to_owned());
            if view.is_superseded(latest.id()) {
                statement = names.name(latest.subject()).and_then(|name| past_tense(latest.statement(), name));
            }
            // A sentence in the present tense about a past value would be wrong.
            let Some(statement) = statement else { continue };
            let [first, last] = [first, last].map(|time| calendar.format_with_precision(time, Precision::Day));
            let remark = Remark::Repeated { days: days.len(), first, last };
            let earlier: Vec<&Known> = group.into_iter().map(|(_, known)| known).collect();
            episodes.earlier.extend(earlier.iter().map(|known| known.id()));
            episodes.by_latest.insert(latest.id(), Repetition { earlier, remark, statement });
        }
        episodes
    }

    /// Returns the episodes that a fact represents. Returns `None` if the fact is not repeated, or if it is not the
    /// latest episode.
    pub(super) fn repetition(&self, latest: FactId) -> Option<&Repetition<'a>> {
        self.by_latest.get(&latest)
    }

    /// Returns the earlier episodes that a fact represents, sorted by time.
    pub(super) fn earlier_than(&self, latest: FactId) -> &[&'a Known] {
        self.repetition(latest).map_or(&[][..], |repetition| repetition.earlier.as_slice())
    }

    /// Returns whether a later episode represents a fact.
    pub(super) fn is_earlier(&self, fact: FactId) -> bool {
        self.earlier.contains(&fact)
    }
}
