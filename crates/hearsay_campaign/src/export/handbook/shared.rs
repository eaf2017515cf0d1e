//! The facts and passages that all readers of a handbook know.

use std::{cmp::Reverse, collections::BTreeSet, sync::Arc};

use hearsay_belief::{AccessPath, EndKind, Known, KnownEdge, KnownEnd, View, hides_from};
use hearsay_model::{
    Acquisition, Credence, EntityId, FactId, GameTime, Knower, Passage, PassageId, Predicate, PredicateRole, SessionId,
    State, attribute,
};

use super::{HandbookReaders, HandbookRequest};

/// How much a reader believes a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Certainty {
    /// The credence is above 0.9.
    Certain,
    /// The credence is above 0.65 and at most 0.9.
    Likely,
    /// The credence is above 0.35 and at most 0.65, or lower without any evidence against the fact.
    Unsure,
    /// The credence is above 0 and at most 0.35, and the reader knows evidence against the fact.
    Doubted,
    /// The credence is 0.
    Untrue,
}

impl Certainty {
    /// Returns how much a reader believes a fact. A low credence alone is no doubt: a rumour that went through many
    /// mouths has one.
    fn of_reader(view: &View, known: &Known) -> Self {
        let belief = view.belief(known);
        let has_counterevidence = || !belief.contradicting_facts.is_empty() || view.refutations(known).next().is_some();
        match belief.credence.get() {
            credence if credence <= 0.0 => Self::Untrue,
            credence if credence <= 0.35 && has_counterevidence() => Self::Doubted,
            credence if credence <= 0.65 => Self::Unsure,
            credence if credence <= 0.9 => Self::Likely,
            _ => Self::Certain,
        }
    }
}

/// How the readers know a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    /// The readers saw the fact, have always known the fact, or concluded the fact.
    Own,
    /// These entities told the fact to all readers.
    Told(BTreeSet<EntityId>),
    /// The readers read the fact in this document; `None` if the document is unknown.
    Read(Option<EntityId>),
    /// The readers heard the fact from different entities.
    Heard,
    /// The handbook has a single reader, who invented the fact.
    Invented,
}

/// The knowledge that all readers of a handbook have in common.
///
/// Everything in a handbook comes from this type. This type contains only facts and passages that all readers know.
pub(super) struct SharedView<'v> {
    pub(super) facts: Vec<SharedFact<'v>>,
    pub(super) passages: Vec<(PassageId, Arc<Passage>)>,
    /// Whispers that no other character of the party heard, as far as the only reader knows. Empty if the handbook has
    /// several readers.
    pub(super) private_whispers: BTreeSet<PassageId>,
}

/// A fact that all readers know.
pub(super) struct SharedFact<'v> {
    /// The fact in the view of each reader. There is at least one reader.
    known: Vec<&'v Known>,
    /// How much the readers believe the fact; `None` if they do not agree. The handbook must not show whose belief
    /// differs, because a reader may have a reason that the others do not know.
    pub(super) certainty: Option<Certainty>,
    pub(super) origin: Origin,
    /// The end of the fact, if all readers know that it has ended. The date is set only if all readers know this date.
    pub(super) end: Option<KnownEnd<'v>>,
    /// Whether all readers know a later value of the same functional predicate, or know that the fact ended and holds
    /// again.
    pub(super) is_superseded: bool,
    /// Whether the fact states the end of another fact, and has no [statement of its own](EndKind::Stated) for any
    /// reader.
    is_end: bool,
    /// Whether the only reader has reason to think that no other character of the party knows the fact.
    pub(super) is_private: bool,
}

impl<'v> SharedView<'v> {
    /// Returns the common knowledge of the readers of a handbook. If the handbook is for the party, leaves out the facts
    /// and passages that all readers conceal.
    pub(super) fn new(state: &State, views: &'v [View], request: &HandbookRequest) -> Self {
        let Some((first, others)) = views.split_first() else {
            return Self { facts: Vec::new(), passages: Vec::new(), private_whispers: BTreeSet::new() };
        };
        let for_party = request.readers == HandbookReaders::Party;
        let reader = Reader { state, view: first, party: request.party };
        let has_private = others.is_empty() && request.party.len() > 1;
        let facts = first.facts().filter_map(|known| {
            let all: Option<Vec<&Known>> =
                std::iter::once(Some(known)).chain(others.iter().map(|view| view.fact(known.id()))).collect();
            let all = all.filter(|all| !for_party || !all.iter().all(|known| known.conceals()))?;
            Some(SharedFact { is_private: has_private && reader.is_private(known), ..SharedFact::new(views, all) })
        });
        let concealed: Vec<BTreeSet<PassageId>> = views.iter().map(View::concealed_passages).collect();
        let passages = first.passages().filter_map(|(id, heard)| {
            let others: Option<Vec<_>> = others.iter().map(|view| view.passage(id)).collect();
            if for_party && concealed.iter().all(|passages| passages.contains(&id)) {
                return None;
            }
            // If one reader does not know who the speaker is, the handbook does not name the speaker.
            let mut forms = std::iter::once(heard).chain(others?).map(|heard| &heard.passage);
            let masked = forms.find(|passage| passage.speaker.is_none()).unwrap_or(&heard.passage);
            Some((id, Arc::clone(masked)))
        });
        let passages: Vec<(PassageId, Arc<Passage>)> = passages.collect();
        let whispers = passages.iter().filter(|(_, line)| has_private && line.confidential && !reader.is_shared(line));
        let private_whispers = whispers.map(|(id, _)| *id).collect();
        Self { facts: facts.collect(), passages, private_whispers }
    }

    /// Returns a passage by its id; `None` if not all readers know it.
    pub(super) fn passage(&self, id: PassageId) -> Option<&Passage> {
        self.passages.iter().find(|(other, _)| *other == id).map(|(_, passage)| passage.as_ref())
    }

    /// Returns the passages with their ids.
    pub(super) fn lines(&self) -> Vec<(PassageId, &Passage)> {
        self.passages.iter().map(|(id, passage)| (*id, passage.as_ref())).collect()
    }
}

/// The only reader of a handbook.
struct Reader<'a> {
    state: &'a State,
    view: &'a View,
    party: &'a [EntityId],
}

impl Reader<'_> {
    /// Returns whether the reader has reason to think that no other character of the party knows a fact.
    fn is_private(&self, known: &Known) -> bool {
        // Somebody whom the reader did not notice may have heard a line that was not a whisper.
        let is_whisper = |line: &&Passage| line.confidential && line.has_participant(self.view.knower());
        let passages = || known.evidence_passages().filter_map(|id| self.view.passage(id));
        let whispers = || passages().map(|heard| &*heard.passage).filter(is_whisper);
        let edges = || known.known_edges().iter().chain(known.shared());
        let is_alone = |known_edge: &KnownEdge| {
            let edge = &known_edge.edge;
            let mut others = edge.co_present.iter().chain(edge.acquisition.teller());
            // The facts that a whisper states are learned without a record of who else was there.
            let is_of_edge = |line: &Passage| line.session == edge.session && line.time == edge.learned;
            let is_recorded = match &edge.acquisition {
                Acquisition::Witnessed | Acquisition::Told { by: None, .. } => {
                    !edge.co_present.is_empty() || whispers().any(is_of_edge)
                }
                _ => true,
            };
            known_edge.access_path == AccessPath::Own && is_recorded && !others.any(|id| self.party.contains(id))
        };
        let is_unusual = known.is_secret()
            || known.conceals()
            || edges()
                .any(|known_edge| !known_edge.edge.acquisition.is_authored() || known_edge.edge.session.is_some());
        is_unusual && edges().all(is_alone) && !whispers().any(|line| self.is_shared(line))
    }

    /// Returns whether another character of the party said or heard a line, and the reader noticed this character.
    fn is_shared(&self, line: &Passage) -> bool {
        let moment = line.said_at();
        let mut participants = line.heard_by.iter().filter_map(Knower::entity).chain(&line.speaker);
        participants.any(|id| {
            let is_other = self.party.contains(id) && self.view.knower().entity() != Some(id);
            is_other && !hides_from(self.state, id, self.view, moment)
        })
    }
}

impl<'v> SharedFact<'v> {
    fn new(views: &'v [View], known: Vec<&'v Known>) -> Self {
        let in_views = || views.iter().zip(&known);
        let mut certainties = in_views().map(|(view, known)| Certainty::of_reader(view, known));
        let first = certainties.next();
        let certainty = first.filter(|first| certainties.all(|other| other == *first));
        let ends: Option<Vec<KnownEnd>> = in_views().map(|(view, known)| view.known_end(known)).collect();
        let shared_end = |a: KnownEnd<'v>, b: KnownEnd<'v>| KnownEnd { date: a.date.filter(|_| a.date == b.date) };
        let end = ends.and_then(|ends| ends.into_iter().reduce(shared_end));
        let is_superseded = in_views().all(|(view, known)| view.is_superseded(known.id()) || view.holds_again(known));
        let origin = origin(views, &known);
        let is_end = in_views().all(|(view, known)| view.end_kind(known).is_some_and(|kind| kind != EndKind::Stated));
        Self { certainty, origin, end, is_superseded, is_end, is_private: false, known }
    }

    /// Returns whether a reader knows the fact itself, and not only as a resident of a place or a member of a group.
    pub(super) fn is_own(&self) -> bool {
        self.known.iter().any(|known| known.is_own())
    }

    /// Returns the fact as one of the readers knows it. The subject, predicate, object and statement of the fact are
    /// the same for all readers.
    pub(super) fn known(&self) -> &'v Known {
        self.known[0]
    }

    /// Returns whether the fact is printed. Earlier values of functional predicates are not printed, and neither are
    /// earlier locations and the ends of other facts.
    pub(super) fn is_told(&self) -> bool {
        let predicate = self.known().predicate();
        let is_left_place = self.end.is_some() && PredicateRole::Location.is(predicate);
        !self.is_superseded && !self.is_end && !is_left_place && !is_omitted(predicate)
    }

    /// Returns a sort key. Of several facts with the same statement, the first is printed: the one that the readers
    /// believe most.
    pub(super) fn priority(&self) -> (u8, Reverse<Credence>, FactId) {
        let priority = match self.certainty {
            Some(Certainty::Certain) => 0,
            Some(Certainty::Likely) => 1,
            None => 2,
            Some(Certainty::Unsure) => 3,
            Some(Certainty::Doubted) => 4,
            Some(Certainty::Untrue) => 5,
        };
        (priority, Reverse(self.known().credence()), self.known().id())
    }

    /// Returns the time at which the last of the readers learned the fact, and the session in which this reader learned
    /// it. `None` if this reader has always known the fact, or learned it outside of the sessions.
    pub(super) fn learned(&self) -> (Option<GameTime>, Option<&'v SessionId>) {
        let first_learned = self.known.iter().map(|known| {
            let edges = known.known_edges().iter().chain(known.shared());
            edges.map(|known_edge| (known_edge.since, known_edge.edge.session.as_ref())).min().unwrap_or_default()
        });
        first_learned.max().unwrap_or_default()
    }

    /// Returns the sessions in which all readers witnessed the fact.
    pub(super) fn witnessed_in(&self) -> BTreeSet<&'v SessionId> {
        let sessions = self.known.iter().map(|known| {
            let own = known.known_edges().iter().filter(|known_edge| known_edge.access_path == AccessPath::Own);
            let witnessed = own.filter(|known_edge| known_edge.edge.acquisition.is_witnessed());
            witnessed.filter_map(|known_edge| known_edge.edge.session.as_ref()).collect::<BTreeSet<_>>()
        });
        sessions.reduce(|a, b| a.intersection(&b).copied().collect()).unwrap_or_default()
    }

    /// Returns the entities that were present when each reader learned the fact, or told it to each reader.
    pub(super) fn company(&self) -> BTreeSet<EntityId> {
        let companies = self.known.iter().map(|known| {
            let edges = known.known_edges().iter().filter(|known_edge| known_edge.access_path == AccessPath::Own);
            let company = edges.flat_map(|known_edge| {
                known_edge.edge.co_present.iter().chain(known_edge.edge.acquisition.teller()).cloned()
            });
            company.collect::<BTreeSet<EntityId>>()
        });
        companies.reduce(|a, b| a.intersection(&b).cloned().collect()).unwrap_or_default()
    }

    /// Returns whether the only reader told the fact to others.
    pub(super) fn was_passed_on(&self) -> bool {
        self.known.len() == 1 && !self.known().shared().is_empty()
    }
}

/// Returns how all readers know a fact.
fn origin(views: &[View], known: &[&Known]) -> Origin {
    let origins: Vec<Origin> = known.iter().map(|known| own_origin(known)).collect();
    let [first, others @ ..] = &origins[..] else { return Origin::Heard };
    if others.iter().all(|other| other == first) && !matches!(first, Origin::Told(_) | Origin::Invented) {
        return first.clone();
    }
    if others.is_empty() {
        return first.clone();
    }
    // A reader who knows the fact from elsewhere may be the one who told it to the others.
    let tellers = views.iter().zip(known).zip(&origins).map(|((view, known), origin)| {
        let mut tellers = match origin {
            Origin::Told(tellers) => tellers.clone(),
            _ => BTreeSet::new(),
        };
        tellers.extend(known.known_edges().iter().filter_map(|edge| edge.edge.acquisition.teller().cloned()));
        tellers.extend(view.knower().entity().cloned());
        tellers
    });
    match tellers.reduce(|a, b| a.intersection(&b).cloned().collect()) {
        Some(tellers) if !tellers.is_empty() => Origin::Told(tellers),
        _ => Origin::Heard,
    }
}

/// Returns how one knower knows a fact.
fn own_origin(known: &Known) -> Origin {
    if known.is_made_up() {
        return Origin::Invented;
    }
    // If the knower learned the fact itself, its belief does not depend on its groups and places.
    let is_own = |known_edge: &&KnownEdge| known_edge.access_path == AccessPath::Own;
    let has_own = known.known_edges().iter().any(|known_edge| is_own(&known_edge));
    let edges = move || known.known_edges().iter().filter(move |known_edge| !has_own || is_own(known_edge));
    let acquisitions = || edges().map(|known_edge| &known_edge.edge.acquisition);
    if acquisitions().any(|acquisition| !matches!(acquisition, Acquisition::Told { .. } | Acquisition::Read { .. })) {
        return Origin::Own;
    }
    let tellers: BTreeSet<EntityId> = acquisitions().filter_map(|acquisition| acquisition.teller().cloned()).collect();
    let read = acquisitions().find_map(|acquisition| match acquisition {
        Acquisition::Read { document } => Some(document.clone()),
        _ => None,
    });
    match read {
        _ if !tellers.is_empty() => Origin::Told(tellers),
        Some(document) => Origin::Read(document),
        None => Origin::Heard,
    }
}

/// Returns whether a predicate is left out of handbooks: names and kinds are printed elsewhere, and the others are notes
/// for the DM and settings of the game.
fn is_omitted(predicate: &Predicate) -> bool {
    let omitted = [
        attribute::NAME,
        attribute::KIND,
        attribute::TAG,
        attribute::TALKATIVENESS,
        attribute::FORGETTING,
        attribute::HONESTY,
    ];
    omitted.contains(&predicate.as_str())
}
