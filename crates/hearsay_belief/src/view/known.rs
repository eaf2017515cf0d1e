//! Known facts and passages, and how they reach the knower.

use std::{cmp::Reverse, collections::BTreeSet, sync::Arc};

use hearsay_model::{
    Acquisition, Attitude, Credence, Date, EntityId, Evidence, Fact, FactId, FactRelation, GameTime, KnowledgeEdge,
    KnowledgeId, Object, OpenThread, Passage, PassageId, Predicate, Reliability, Secrecy, SessionId, State, Timestamp,
    Vocabulary, attribute, spelling, text, words,
};
use smallvec::SmallVec;

/// Access path: whether a knower has a fact or passage itself, through a group or place, or as common lore.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessPath {
    /// The knower itself learned the fact or received the passage.
    Own,
    /// The knower is a member of this group, and the group learned the fact or received the passage.
    Member(EntityId),
    /// The knower is a resident of this place, and the place learned the fact or received the passage.
    Resident(EntityId),
    /// Everyone knows the fact or the passage (common lore).
    Common,
}

/// An edge to a known fact, with the access path through which the knower has the edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownEdge {
    /// The id of the edge.
    pub id: KnowledgeId,
    /// The knowledge edge.
    pub edge: Arc<KnowledgeEdge>,
    /// Whether the knower has the edge itself, through a group or place, or as common lore.
    pub access_path: AccessPath,
    /// The game time at which the knower received the fact through this edge; `None` if the knower has always known it.
    /// For an edge of a group or place, the value is the later of two times: when the group or place learned the fact,
    /// and when the knower joined.
    pub since: Option<GameTime>,
    /// The credence that the knower would have in the fact with only this edge. The value depends on all edges in the
    /// derivation of this edge.
    pub belief: Credence,
}

/// Recency of a fact, for sorting. Facts are sorted by the start of their validity. Equal facts are sorted by the game
/// time of learning, and then by the real time of recording.
///
/// Two facts may be equally recent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Recency {
    pub(crate) since: Option<GameTime>,
    pub(crate) learned: Option<GameTime>,
    pub(crate) recorded: Timestamp,
}

/// A fact that a knower knows, with the edges through which the knower knows it.
///
/// This type gives access only to data that the knower can know. For example, it does not give access to the status of
/// the fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub(super) fact: Arc<Fact>,
    /// The edges to the fact. There is nearly always only one edge.
    pub(super) known_edges: SmallVec<[KnownEdge; 1]>,
    pub(super) shared: Vec<KnownEdge>,
    pub(super) credence: Credence,
}

impl Known {
    pub(crate) fn new(fact: Arc<Fact>) -> Self {
        Self { fact, known_edges: SmallVec::new(), shared: Vec::new(), credence: Credence::NONE }
    }

    pub(super) fn summary(&self, index: u32) -> FactSummary {
        let own = self.known_edges.first().is_some_and(|known_edge| known_edge.access_path == AccessPath::Own);
        FactSummary { id: self.id(), index, own, secret: self.is_secret(), conceals: self.conceals() }
    }

    /// Returns the id of the fact.
    #[inline]
    pub fn id(&self) -> FactId {
        self.fact.id()
    }

    /// Returns whether the fact states a name or an alias of its subject.
    pub fn is_name(&self) -> bool {
        self.fact.is_name()
    }

    /// Returns the entity that the fact is about.
    #[inline]
    pub fn subject(&self) -> &EntityId {
        self.fact.subject()
    }

    /// Returns the predicate of the fact.
    #[inline]
    pub fn predicate(&self) -> &Predicate {
        self.fact.predicate()
    }

    /// Returns the object of the fact: an entity or a value.
    #[inline]
    pub fn object(&self) -> &Object {
        self.fact.object()
    }

    /// Returns the relation of this fact to another fact, such as "refutes"; `None` if there is no relation.
    #[inline]
    pub fn fact_relation(&self) -> Option<FactRelation> {
        self.fact.fact_relation()
    }

    /// Returns the facts that this fact [contradicts](Fact::contradicts), for example the fact that a lie hides. The
    /// knower need not know these facts.
    pub fn contradicts(&self) -> &[FactId] {
        self.fact.contradicts()
    }

    /// Returns the fact that this fact distorts; `None` if this fact is no version of another fact.
    pub(crate) fn distorted_fact(&self) -> Option<FactId> {
        match self.fact_relation()? {
            FactRelation::Distorts(id) => Some(id),
            FactRelation::Refutes(_) | FactRelation::Ends(_) | FactRelation::Covers(_) => None,
        }
    }

    /// Returns whether the knower itself has the fact, and not only its groups and places.
    pub fn is_own(&self) -> bool {
        let mut edges = self.known_edges.iter().chain(&self.shared);
        edges.any(|known_edge| known_edge.access_path == AccessPath::Own)
    }

    /// Returns whether the knower itself observed the fact.
    pub(crate) fn is_observed(&self) -> bool {
        let is_observation = |known_edge: &KnownEdge| {
            known_edge.access_path == AccessPath::Own
                && known_edge.edge.acquisition.reliability() == Reliability::Observed
        };
        self.known_edges.iter().any(is_observation)
    }

    /// Returns the sentence that states the fact.
    #[inline]
    pub fn statement(&self) -> &str {
        self.fact.statement()
    }

    /// Returns the subject, the object (if it is an entity) and the mentions of the fact.
    pub fn entities(&self) -> impl Iterator<Item = &EntityId> {
        self.fact.entities()
    }

    /// Returns the attitude of the subject towards the object; `None` if the fact states no attitude.
    pub fn attitude(&self) -> Option<Attitude> {
        self.fact.attitude()
    }

    /// Returns the rank of the subject in the group that is the object; `None` if the fact states no rank.
    pub fn rank(&self) -> Option<&str> {
        self.fact.rank()
    }

    /// Returns the start of the fact's validity. The fact does not contain its end, because a knower learns of the end
    /// from another fact: see [`View::known_end`](crate::View::known_end).
    pub fn since(&self) -> Option<&Date> {
        self.fact.validity().from.as_ref()
    }

    /// Returns the end of the fact's validity if the fact states that `knower` belongs to a group or lives at a place,
    /// and has ended by a moment. A knower knows when it leaves a group or place, because it then no longer receives
    /// the knowledge of that group or place.
    pub(crate) fn own_end(&self, knower: &EntityId, vocabulary: &Vocabulary, as_of: Option<GameTime>) -> Option<&Date> {
        let is_own = self.subject() == knower && vocabulary.behavior(self.predicate()).is_direct_belonging();
        let end = self.fact.validity().until.as_ref().filter(|_| is_own)?;
        // An end that is not a date on the calendar counts as past.
        as_of.is_none_or(|now| end.time.is_none_or(|end| end <= now)).then_some(end)
    }

    /// Returns the entity that is dead according to the fact. Returns `None` if the fact states no death.
    pub fn dead_entity(&self, vocabulary: &Vocabulary) -> Option<&EntityId> {
        vocabulary.behavior(self.predicate()).dead_entity(self.subject(), self.object())
    }

    /// Returns whether the story of a session cannot leave the fact out: it states a death, harm, a promise, a debt or a
    /// secret.
    pub fn is_decisive(&self, vocabulary: &Vocabulary) -> bool {
        let behavior = vocabulary.behavior(self.predicate());
        let is_obligation = matches!(behavior.thread, Some(OpenThread::Promise | OpenThread::Debt));
        is_obligation || behavior.harms_object() || self.dead_entity(vocabulary).is_some() || self.is_secret()
    }

    /// Returns the lines in which others probably told the knower a secret, which was recorded before: of the lines of a
    /// teller in the session of the telling, the line that shares the most words with the statement. Returns nothing for
    /// a fact that is no secret, because its evidence contains its lines.
    pub fn telling_lines(&self, lines: &[(PassageId, &Passage)]) -> Vec<PassageId> {
        if self.is_secret() { self.retelling_lines(lines) } else { Vec::new() }
    }

    /// Returns the lines in which others probably told the knower the fact: of the lines of a teller in the session of the
    /// telling, the line that shares the most words with the statement.
    pub fn retelling_lines(&self, lines: &[(PassageId, &Passage)]) -> Vec<PassageId> {
        let stated = content_stems(self.statement());
        let shared_words = |line: &Passage| content_stems(&line.text).intersection(&stated).count();
        let line_of = |known_edge: &KnownEdge| {
            let (session, teller) = (known_edge.edge.session.as_ref()?, known_edge.edge.acquisition.teller()?);
            let is_of_teller =
                |line: &Passage| line.speaker.as_ref() == Some(teller) && line.session.as_ref() == Some(session);
            let spoken = lines.iter().filter(|(_, line)| is_of_teller(line));
            let best = spoken.map(|(id, line)| (shared_words(line), Reverse(*id))).max()?;
            (best.0 >= MIN_SHARED_WORDS).then_some(best.1.0)
        };
        self.known_edges.iter().filter_map(line_of).collect()
    }

    /// Returns the lines of narration that probably tell what the knower witnessed: of the narration in the session of an edge,
    /// the line that shares the most words with the statement, apart from the name with which the statement begins. A death can
    /// be told with another word, such as "dies". Returns nothing for a fact whose evidence contains its lines.
    pub fn narrated_lines(&self, lines: &[(PassageId, &Passage)]) -> Vec<PassageId> {
        if self.evidence_passages().next().is_some() {
            return Vec::new();
        }
        let english = words::english();
        let mut stated = content_stems(self.statement());
        let name = content_stems(text::name_at_start(self.statement()).unwrap_or_default());
        let is_death = |word: &String| words::contains_word(&english.death_states, word);
        if text::words(self.statement()).iter().any(is_death) {
            let deaths = english.death_states.iter().chain(&english.killing_verbs);
            stated.extend(deaths.map(|word| spelling::stem(word)));
        }
        let shared_words = |line: &Passage| {
            let in_line = content_stems(&line.text);
            let shared: BTreeSet<&String> = in_line.intersection(&stated).collect();
            (shared.iter().filter(|word| !name.contains(**word)).count(), shared.len())
        };
        let line_of = |known_edge: &KnownEdge| {
            let session = known_edge.edge.session.as_ref().filter(|_| known_edge.edge.acquisition.is_witnessed())?;
            let is_narration = |line: &Passage| line.speaker.is_none() && line.session.as_ref() == Some(session);
            let narrated = lines.iter().filter(|(_, line)| is_narration(line));
            let (shared, Reverse(id)) = narrated.map(|(id, line)| (shared_words(line), Reverse(*id))).max()?;
            (shared.0 > 0 && shared.1 >= MIN_SHARED_WORDS).then_some(id)
        };
        self.known_edges.iter().filter_map(line_of).collect()
    }

    /// Returns whether the statement can follow "says that": it is one sentence, and it is no description without a verb, such
    /// as "Odo Marsh, miller of the dale." `name` is the name of the subject.
    pub fn states_clause(&self, name: Option<&str>) -> bool {
        let statement = self.statement().trim();
        let is_about_name = || {
            let Some(start) = text::name_at_start(statement) else { return false };
            let full_name = name.map(text::words).unwrap_or_default();
            statement.strip_prefix(start).is_some_and(|rest| rest.starts_with(' '))
                && text::words(start).iter().all(|word| full_name.contains(word))
        };
        let is_description = self.predicate().as_str() == attribute::DESCRIPTION;
        text::sentences(statement).len() == 1 && (!is_description || is_about_name())
    }

    /// Returns the lines that were recorded together with the knowledge of the fact, because the DM marked them as stating
    /// the fact. One operation may record a whole log, so an edge that several lines may have caused counts for none.
    pub fn recorded_lines(&self, state: &State, lines: &[(PassageId, &Passage)]) -> Vec<PassageId> {
        let line_of = |known_edge: &KnownEdge| {
            let edge = &known_edge.edge;
            let is_of_occasion = |line: &Passage| {
                let is_of_teller = line.speaker.as_ref() == edge.acquisition.teller();
                is_of_teller && line.session.is_some() && line.session == edge.session && line.time == edge.learned
            };
            let of_occasion = lines.iter().filter(|(_, line)| is_of_occasion(line));
            let mut causes = of_occasion.filter(|(id, _)| state.is_recorded_with(known_edge.id, *id));
            let (cause, _) = causes.next()?;
            causes.next().is_none().then_some(*cause)
        };
        self.known_edges.iter().filter_map(line_of).collect()
    }

    /// Returns the recency of the fact. Facts about one subject can be sorted by recency, from the oldest to the
    /// latest.
    pub fn recency(&self) -> Recency {
        Recency {
            since: self.since().and_then(|date| date.time),
            learned: self.learned(),
            recorded: self.fact.provenance().recorded,
        }
    }

    /// Returns whether the fact is secret.
    #[inline]
    pub fn is_secret(&self) -> bool {
        self.fact.secrecy() == Secrecy::Secret
    }

    /// Returns the evidence of the fact, for use in a citation.
    pub fn evidence(&self) -> &[Evidence] {
        &self.fact.provenance().evidence
    }

    /// Returns the passages that state the fact.
    pub fn evidence_passages(&self) -> impl Iterator<Item = PassageId> {
        self.evidence().iter().filter_map(|evidence| match evidence {
            Evidence::Passage { passage, .. } => Some(*passage),
            Evidence::File { .. } | Evidence::Excerpt(_) => None,
        })
    }

    /// Returns the session in which the knower learned the fact, for use in a citation. If this session is unknown,
    /// returns the session in which the fact was recorded.
    pub fn session(&self) -> Option<&SessionId> {
        let learned = self.known_edges.iter().find_map(|known_edge| known_edge.edge.session.as_ref());
        learned.or(self.fact.provenance().session.as_ref())
    }

    /// Returns the edges through which the knower knows the fact. The knower's own edges come first. The edges of
    /// groups, places and common lore follow. Within these two parts, the edges with the highest belief come first.
    #[inline]
    pub fn known_edges(&self) -> &[KnownEdge] {
        &self.known_edges
    }

    /// Returns the edges which record that the knower told others the fact. The field `co_present` of each edge lists
    /// the hearers.
    ///
    /// A fact that the knower invented has only edges of this kind.
    pub fn shared(&self) -> &[KnownEdge] {
        &self.shared
    }

    /// Returns whether the knower lied: `true` if the knower told others the fact, and invented the fact or knows that
    /// it is untrue.
    pub fn is_own_lie(&self) -> bool {
        !self.shared.is_empty() && !self.is_own_version() && (self.is_made_up() || self.credence() == Credence::NONE)
    }

    /// Returns whether the knower does not believe the fact at all. If the knower states such a fact, the knower lies. The
    /// knower believes its [own version](Self::is_own_version) of another fact.
    pub fn is_disbelieved(&self) -> bool {
        self.credence() == Credence::NONE && !self.is_own_version()
    }

    /// Returns whether the fact is the knower's own version of a fact that it heard: the knower changed the fact
    /// without noticing when it told others.
    pub fn is_own_version(&self) -> bool {
        self.is_made_up() && self.shared.iter().any(|record| !record.edge.is_invention())
    }

    /// Returns whether the knower told others the fact, but did not learn it itself: the fact is an invention of the
    /// knower, or its [own version](Self::is_own_version) of another fact.
    pub fn is_made_up(&self) -> bool {
        self.known_edges.is_empty()
    }

    /// Returns the knower's credence in the fact, computed from [all edges together](crate::combined_belief).
    ///
    /// The beliefs of the knower's groups and places count only if everything that the knower itself learned about the
    /// fact is testimony. For example, a liar does not believe its own lie even if the whole town believes the lie.
    #[inline]
    pub fn credence(&self) -> Credence {
        self.credence
    }

    /// Returns how the knower learned the fact, according to the first of the [edges](Self::known_edges).
    pub fn acquisition(&self) -> Option<(&Acquisition, &AccessPath)> {
        self.known_edges.first().map(|known_edge| (&known_edge.edge.acquisition, &known_edge.access_path))
    }

    /// Returns whether the knower conceals the fact, according to its own edges to the fact. If the knower has no own
    /// edges to the fact, the edges of its groups and places decide.
    pub fn conceals(&self) -> bool {
        let own = self.known_edges.iter().any(|known_edge| known_edge.access_path == AccessPath::Own);
        self.known_edges
            .iter()
            .any(|known_edge| (!own || known_edge.access_path == AccessPath::Own) && known_edge.edge.conceals)
    }

    /// Returns the earliest moment at which the knower received the fact; `None` means that the knower has always known
    /// the fact.
    pub fn learned(&self) -> Option<GameTime> {
        self.known_edges.iter().chain(&self.shared).map(|known_edge| known_edge.since).min().flatten()
    }
}

/// Minimum number of words that a line shares with a secret that it tells.
const MIN_SHARED_WORDS: usize = 2;

/// Returns the stems of the words of a text, without function words.
fn content_stems(text: &str) -> BTreeSet<String> {
    text::words(text).iter().filter(|word| !spelling::is_stop_word(word)).map(|word| spelling::stem(word)).collect()
}

/// A passage that the knower heard or read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedPassage {
    /// The passage.
    pub passage: Arc<Passage>,
    /// Whether the knower received the passage itself, through a group or place, or as common lore.
    pub access_path: AccessPath,
}

/// Summary of a known fact. It contains the data that a ranking reads for every fact in a view. A view stores all
/// summaries in one block of memory, so reading them is fast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactSummary {
    /// The id of the fact.
    pub id: FactId,
    /// The dense index of the fact in the state of the view.
    pub index: u32,
    /// Whether the knower has its own edge to the fact. For example, the knower saw or read the fact, or another
    /// character told the knower the fact.
    pub own: bool,
    /// Whether the fact is secret.
    pub secret: bool,
    /// Whether the knower conceals the fact.
    pub conceals: bool,
}

/// Returns whether two facts contradict each other.
pub(crate) fn are_contradictory(vocabulary: &Vocabulary, a: &Known, b: &Known) -> bool {
    let refutes = |a: &Known, b: &Known| a.fact_relation() == Some(FactRelation::Refutes(b.id()));
    if refutes(a, b) || refutes(b, a) {
        return true;
    }
    if a.subject() != b.subject() || a.id() == b.id() {
        return false;
    }
    are_rivals(vocabulary, (a.predicate(), a.object()), (b.predicate(), b.object()))
}

/// Returns whether two predicates with their objects cannot both be true of the same subject: two values of a functional
/// predicate, or opposite relations to the same entity.
pub(crate) fn are_rivals(vocabulary: &Vocabulary, a: (&Predicate, &Object), b: (&Predicate, &Object)) -> bool {
    match (a.0 == b.0, a.1 == b.1) {
        (true, false) => vocabulary.is_functional(a.0),
        (_, true) => vocabulary.are_opposites(a.0, b.0),
        (false, false) => false,
    }
}
