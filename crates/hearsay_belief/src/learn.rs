//! Functions that compute the changes by which knowers learn facts.
//!
//! Each function reads a state and returns the changes of one operation, but does not apply the changes. A knower
//! learns a fact by a new knowledge edge. If another knower told the fact, the edge has justifications. These are the
//! edges through which the teller knew the fact, and the hearer's experiences with the teller. Dead characters cannot
//! learn or tell facts.

mod acquaintance;
mod error;
mod recorder;
mod related_fact;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_model::{
    Acquisition, Change, Credence, EntityId, Fact, FactId, Knower, KnowledgeEdge, KnowledgeId, Passage, PassageReader,
    State,
};

use crate::{Occasion, StateViews, View, credence::credence, dead_entity};
pub use acquaintance::{Acquaintance, meet, visible_facts};
pub use error::LearnError;
use recorder::{LearningRecorder, sincerity_about};
pub(crate) use recorder::{justifications, newest_name_and_kind};
pub use related_fact::{ending, ending_statement, refutation, refutation_statement};

/// One fact that one knower learned.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnedFact {
    /// The knower.
    pub knower: EntityId,
    /// The fact.
    pub fact: FactId,
    /// The id of the new edge from the knower to the fact.
    pub edge: KnowledgeId,
    /// The knower's credence in the fact according to this edge alone.
    pub belief: Credence,
    /// Whether the knower already knew the fact.
    pub was_known: bool,
}

/// Result of one occasion on which knowers learned facts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Learning {
    /// The changes of the operation.
    pub changes: Vec<Change>,
    /// The learned facts, sorted by knower. The knowers also learn the names and kinds of entities in these facts; the
    /// list does not contain them.
    pub learned_facts: Vec<LearnedFact>,
    /// Dead characters among the given participants, sorted. Dead characters learn nothing.
    pub dead: Vec<EntityId>,
}

/// Whether a teller is sincere or lies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sincerity {
    /// The teller passes on a fact that it knows. The teller's credence affects the hearers' credence.
    #[default]
    Sincere,
    /// The teller contradicts its own knowledge or invents the fact. The teller is then the origin of the fact.
    Lie,
}

impl Sincerity {
    /// Returns the sincerity of a line that is marked as a lie, or of a line without this mark.
    pub fn from_lie_mark(is_lie: bool) -> Self {
        if is_lie { Self::Lie } else { Self::Sincere }
    }
}

/// Description of how one knower tells a fact to others.
#[derive(Debug, Clone)]
pub struct Telling<'a> {
    /// The teller.
    pub teller: &'a EntityId,
    /// The secret name that the teller uses; `None` if the teller uses no secret name. A hearer who does not know that
    /// this name belongs to the teller treats the teller as a stranger.
    pub alias: Option<&'a str>,
    /// The hearers: characters, groups or places, in any order.
    pub hearers: &'a [EntityId],
    /// The fact that the teller tells. If `retold` is set, the fact that `retold` distorts.
    pub fact: &'a Arc<Fact>,
    /// The version that the teller tells instead of `fact`; `None` if the teller tells `fact` exactly. The version must
    /// [distort](hearsay_model::FactRelation::Distorts) `fact`.
    pub retold: Option<&'a Arc<Fact>>,
    /// Whether the teller lies.
    pub sincerity: Sincerity,
    /// The entity that the teller names as its own source; `None` if the teller names no source.
    pub citing: Option<&'a EntityId>,
    /// The hearers' credence in the fact. If `None`, the credence is computed from the trust of each hearer in the
    /// teller.
    pub credence: Option<Credence>,
}

impl<'a> Telling<'a> {
    /// Creates a sincere, undistorted telling.
    pub fn new(teller: &'a EntityId, hearers: &'a [EntityId], fact: &'a Arc<Fact>) -> Self {
        Self {
            teller,
            alias: None,
            hearers,
            fact,
            retold: None,
            sincerity: Sincerity::Sincere,
            citing: None,
            credence: None,
        }
    }
}

/// Records that witnesses observe facts. Each witness learns all the facts, except those that state its own death.
///
/// # Errors
/// Returns an error if there is no witness, or if a witness is dead or cannot know facts. Also returns an error if a
/// fact is proposed or rejected.
pub fn witness(
    state: &State,
    facts: &[Arc<Fact>],
    witnesses: &[EntityId],
    occasion: &Occasion,
) -> Result<Learning, LearnError> {
    let mut recorder = LearningRecorder::new(StateViews::new(state), occasion);
    let witnesses = recorder.checked_hearers(witnesses)?;
    for fact in facts {
        recorder.record_fact(fact)?;
    }
    for knower in &witnesses {
        let view = recorder.view(&knower.clone().into());
        let co_present = recorder.noticed_by(&view, &witnesses, &[knower]);
        for fact in facts.iter().filter(|fact| dead_entity(state, fact) != Some(knower)) {
            let edge = KnowledgeEdge {
                co_present: co_present.clone(),
                ..recorder.new_edge(knower.clone(), fact, Acquisition::Witnessed)
            };
            recorder.learn(&view, edge, credence(1.0));
        }
        // A witness of a fact need not be at a place that the fact names, so the edge to the name records no visit.
        recorder.learn_names(&view, facts, &co_present, &Acquisition::told(None), None);
    }
    Ok(recorder.learning)
}

/// A fact that a text states, and the characters who hear the text. For example, the text is a line of a session log.
#[derive(Debug, Clone, Copy)]
pub struct HeardStatement<'a> {
    /// The speaker.
    pub speaker: &'a EntityId,
    /// The speaker's view at the time when the speaker says the text.
    pub view: &'a View,
    /// The secret name that the speaker uses; `None` if the speaker uses no secret name. A hearer who does not know
    /// that the name belongs to the speaker treats the speaker as a stranger. Such a hearer does not learn a fact about
    /// the speaker.
    pub alias: Option<&'a str>,
    /// The entity that the speaker names as its own source; `None` if the speaker names no source.
    pub citing: Option<&'a EntityId>,
    /// The hearers, in any order and without duplicates. The list of hearers can also contain the speaker.
    pub hearers: &'a [Knower],
    /// The fact.
    pub fact: &'a Arc<Fact>,
    /// Another fact with the same content that the speaker already knows; `None` if there is no such fact. The
    /// speaker's credence in the statement is then its credence in the known fact.
    pub restates: Option<FactId>,
    /// Whether the speaker lies.
    pub sincerity: Sincerity,
    /// The probability that the text states the fact. The credence of all knowers that learn the fact is multiplied by
    /// this probability.
    pub certainty: Credence,
}

/// Returns the changes by which the speaker and the hearers of a text learn a fact that the text states.
///
/// The hearers learn the fact as with [`tell`]. If the speaker is sincere and did not know the fact, the speaker learns
/// the fact too. The source of the speaker is then the entity that the speaker cites, or the speaker's own statement.
/// A speaker who does not believe the fact at all lies, even if the statement counts as sincere.
/// The changes do not record the fact itself, because the fact may be doubtful. This function does not check the
/// participants.
pub fn overhear(views: &StateViews, statement: &HeardStatement, occasion: &Occasion) -> Learning {
    let mut recorder = LearningRecorder::new(views.clone(), occasion);
    recorder.overhear(statement);
    recorder.learning
}

/// Records that a teller tells hearers a fact. The teller knows the fact or lies.
///
/// A hearer's credence depends on its [trust](crate::Trust) in the teller and on the teller's credence. Each
/// [retelling](crate::RETELLING_FACTOR) reduces the credence further. In addition, a new edge of the teller records who
/// heard the fact.
///
/// # Errors
/// Returns an error if a sincere teller does not know the fact, or if the teller is dead or among the hearers. Also
/// returns the errors of [`witness`].
pub fn tell(state: &State, telling: &Telling, occasion: &Occasion) -> Result<Learning, LearnError> {
    let mut recorder = LearningRecorder::new(StateViews::new(state), occasion);
    recorder.tell(telling, &BTreeSet::new())?;
    Ok(recorder.learning)
}

/// Records that a teller states a fact to hearers. If the teller is sincere and did not know the fact, the teller
/// learns the fact too.
///
/// # Errors
/// Returns the same errors as [`tell`], with one exception: the teller need not know the fact.
pub fn claim(state: &State, telling: &Telling, occasion: &Occasion) -> Result<Learning, LearnError> {
    let mut recorder = LearningRecorder::new(StateViews::new(state), occasion);
    recorder.check_can_learn(telling.teller)?;
    let view = recorder.view(&telling.teller.clone().into());
    let own_edges = recorder.learn_own_statement(&view, telling.teller, telling.fact, telling.sincerity)?;
    recorder.tell(telling, &own_edges)?;
    Ok(recorder.learning)
}

/// Records a spoken line. All hearers hear the passage and learn the facts that it states. A speaker who does not
/// believe a fact at all lies about this fact, even if `sincerity` is [`Sincerity::Sincere`].
///
/// If the speaker is sincere and did not know a fact, the speaker learns the fact too. The passage must have a speaker.
/// The arguments `hearers`, `sincerity` and `occasion` override the corresponding fields of `passage`.
///
/// # Errors
/// Returns an error if the passage has no speaker. Also returns the errors of [`tell`].
pub fn say(
    state: &State,
    passage: Passage,
    states: &[Arc<Fact>],
    hearers: &[EntityId],
    sincerity: Sincerity,
    occasion: &Occasion,
) -> Result<Learning, LearnError> {
    let mut recorder = LearningRecorder::new(StateViews::new(state), occasion);
    let speaker = passage.speaker.clone().ok_or(LearnError::NoSpeaker)?;
    recorder.check_can_learn(&speaker)?;
    let hearers: Vec<EntityId> = hearers.iter().filter(|id| **id != speaker).cloned().collect();
    let hearers = if hearers.is_empty() { Vec::new() } else { recorder.checked_hearers(&hearers)? };
    let mut heard_by: Vec<Knower> =
        hearers.iter().cloned().map(Knower::Entity).chain([speaker.clone().into()]).collect();
    heard_by.sort();
    let Occasion { time, place, session } = occasion.clone();
    let passage_alias = passage.speaker_alias.clone();
    let lie = sincerity == Sincerity::Lie;
    let passage = Passage { heard_by, time, place, session, lie, ..passage };
    recorder.learning.changes.push(Change::AddPassage(Arc::new(passage)));
    let (view, alias) = (recorder.view(&speaker.clone().into()), passage_alias.as_deref());
    for fact in states {
        let sincerity = sincerity_about(&view, fact.id(), sincerity);
        let own_edges = recorder.learn_own_statement(&view, &speaker, fact, sincerity)?;
        if hearers.is_empty() {
            continue;
        }
        let telling = Telling { sincerity, alias, ..Telling::new(&speaker, &hearers, fact) };
        recorder.tell(&telling, &own_edges)?;
    }
    Ok(recorder.learning)
}

/// Records that readers read a document. The readers learn the passages of the document and the facts that the passages
/// state.
///
/// # Errors
/// Returns an error if the document has no passages. Also returns the errors of [`witness`].
pub fn read(
    state: &State,
    document: &EntityId,
    readers: &[EntityId],
    credence: Credence,
    occasion: &Occasion,
) -> Result<Learning, LearnError> {
    let mut recorder = LearningRecorder::new(StateViews::new(state), occasion);
    let readers = recorder.checked_hearers(readers)?;
    let passages: BTreeMap<_, _> = state.passages_in_document(document).collect();
    if passages.is_empty() {
        return Err(LearnError::NoText(document.clone()));
    }
    for passage in passages.values() {
        let mut passage = Passage::clone(passage);
        for id in &readers {
            let knower = Knower::Entity(id.clone());
            if passage.received_at(&knower).is_none_or(|reached| reached > occasion.moment()) {
                passage.readers.retain(|reader| reader.knower != knower);
                passage.readers.push(PassageReader { knower, since: occasion.moment() });
            }
        }
        passage.readers.sort();
        recorder.learning.changes.push(Change::AddPassage(Arc::new(passage)));
    }
    let stated_facts = passages.keys().flat_map(|id| state.facts_citing(*id));
    let stated_facts =
        stated_facts.filter(|fact| fact.status().is_knowable()).map(|fact| (fact.id(), Arc::clone(fact)));
    let facts: Vec<Arc<Fact>> = stated_facts.collect::<BTreeMap<_, _>>().into_values().collect();
    let acquisition = Acquisition::Read { document: Some(document.clone()) };
    for knower in &readers {
        let view = recorder.view(&knower.clone().into());
        let co_present = recorder.noticed_by(&view, &readers, &[knower]);
        for fact in &facts {
            let edge = KnowledgeEdge {
                credence,
                co_present: co_present.clone(),
                ..recorder.new_edge(knower.clone(), fact, acquisition.clone())
            };
            recorder.learn(&view, edge, credence);
        }
        recorder.learn_names(&view, &facts, &co_present, &acquisition, None);
    }
    Ok(recorder.learning)
}

/// Records that a knower deduces a fact from other facts that it knows (the premises). The new edge depends on the
/// edges to the premises.
///
/// # Errors
/// Returns an error if there are no premises or the knower does not know a premise. Also returns the errors of
/// [`witness`].
pub fn deduce(
    state: &State,
    knower: &EntityId,
    fact: &Arc<Fact>,
    from: &[FactId],
    certainty: Credence,
    occasion: &Occasion,
) -> Result<Learning, LearnError> {
    let mut recorder = LearningRecorder::new(StateViews::new(state), occasion);
    recorder.check_can_learn(knower)?;
    if from.is_empty() {
        return Err(LearnError::NoPremises);
    }
    recorder.record_fact(fact)?;
    let view = recorder.view(&knower.clone().into());
    let (mut sources, mut belief) = (Vec::new(), certainty.get());
    for premise in from {
        let statement = || state.fact(*premise).map_or_else(|| premise.to_string(), |fact| fact.statement().to_owned());
        let unknown_premise = || LearnError::UnknownPremise { knower: knower.clone(), statement: statement() };
        let known = view.fact(*premise).filter(|known| !known.is_made_up()).ok_or_else(unknown_premise)?;
        belief *= known.credence().get();
        sources.extend(justifications(known));
    }
    let mut from = from.to_vec();
    from.sort_unstable();
    from.dedup();
    let edge = KnowledgeEdge {
        credence: certainty,
        sources,
        ..recorder.new_edge(knower.clone(), fact, Acquisition::Deduced { from })
    };
    recorder.learn(&view, edge, credence(belief));
    Ok(recorder.learning)
}

#[cfg(test)]
mod tests;
