//! Writes the lines of a scene context.

use std::collections::BTreeSet;

use hearsay_belief::{AccessPath, Heard, Hold, Known, Reason};
use hearsay_model::{EntityId, FactId, FactRelation, GameTime, PassageId, Predicate, PredicateRole, text};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    request::Request,
    scene_context::{Line, Section},
};
use crate::{
    Citation, Citations, DocId, Query, Ranked, Ranking, Relevant, Source, Weights,
    dedup::{Sayable, once},
    quoted,
};

/// Minimum credence at which a speaker treats a fact as true.
const BELIEVED: f64 = 0.65;

/// Minimum score of a result that is relevant to the question.
const RELEVANT: f32 = 0.04;

/// Number of results to consider per line of a section. Results further down the ranking are too weak to matter.
const TRIED: usize = 4;

/// Maximum number of entities present whose knowledge is examined, apart from the speaker.
const MOST_PRESENT: usize = 8;

/// Maximum number of facts that are listed as known to other entities present.
const MOST_SHARED: usize = 4;

/// Maximum number of lines of recent talk.
const MOST_LATELY: usize = 4;

/// Minutes of game time during which talk counts as recent, if no session is given.
const LATELY: i64 = 60;

/// Number of top results that are written even if an earlier section already states them. Applies to facts only.
const LEADING: usize = 5;

/// A speaker's knowledge that is relevant to a question.
pub(super) struct Answers {
    /// Lines to add while they fit the budget, best first.
    pub(super) lines: Vec<Line>,
    /// Number of relevant facts and passages, including those without a line.
    pub(super) all: usize,
}

pub(super) struct Writer<'a> {
    request: &'a Request<'a>,
    /// Facts with functional predicates for which the speaker believes a later value.
    superseded: FxHashSet<FactId>,
    /// Facts and passages that an earlier section already states.
    said: BTreeSet<DocId>,
    /// Facts that the speaker has heard to be untrue or ended.
    answered: FxHashSet<FactId>,
    /// Relations and functional attributes by subject. Facts of one subject may contradict each other.
    rivals: FxHashMap<&'a EntityId, Vec<&'a Known>>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(request: &'a Request<'a>) -> Self {
        let (mut answered, mut rivals) = (FxHashSet::default(), FxHashMap::<_, Vec<_>>::default());
        let (mut single, mut is_single) = (Vec::new(), FxHashMap::<&str, bool>::default());
        for known in request.view.facts() {
            answered.extend(match known.fact_relation() {
                Some(FactRelation::Refutes(fact) | FactRelation::Ends(fact)) => Some(fact),
                _ => None,
            });
            let predicate = known.predicate();
            // Caches the lookup, because it is slow and there are few distinct predicates.
            let is_single =
                *is_single.entry(predicate.as_str()).or_insert_with(|| request.vocabulary.is_functional(predicate));
            if is_single && known.credence().get() >= BELIEVED {
                single.push(known);
            }
            if is_single || predicate.is_relation() {
                rivals.entry(known.subject()).or_default().push(known);
            }
        }
        let superseded = superseded(&single);
        Self { request, superseded, said: BTreeSet::new(), answered, rivals }
    }

    pub(super) fn speaker(&self, name: &str) -> Section {
        let speaker = self.request.speaker;
        let mut facts: Vec<(u8, &Known)> = Vec::new();
        for known in self.facts().filter(|known| known.subject() == speaker) {
            let place = self.request.vocabulary.behavior(known.predicate()).identity;
            facts.extend(place.map(|place| (place, known)));
        }
        facts.sort_by_key(|(place, known)| (*place, known.id()));
        let facts: Vec<_> = facts.into_iter().map(|(_, known)| known).collect();
        let lines = self.once(&facts, labelled);
        Section { name: "speaker", title: name.to_owned(), lines }
    }

    /// Returns the relations of the speaker itself, strongest feelings first.
    pub(super) fn relations(&self) -> Section {
        let speaker = self.request.speaker;
        let own = |known: &&Known| {
            known.predicate().is_relation()
                && !PredicateRole::Location.is(known.predicate())
                && (known.subject() == speaker || known.object().entity() == Some(speaker))
        };
        let mut facts: Vec<_> = self.facts().filter(own).collect();
        facts.sort_by_key(|known| {
            let feeling = known.attitude().map_or(0, |attitude| attitude.get().unsigned_abs());
            (known.subject() != speaker, std::cmp::Reverse(feeling), known.predicate().clone(), known.id())
        });
        let lines = self.once(&facts, |known| known.statement().to_owned());
        Section { name: "relations", title: "Relations".into(), lines }
    }

    pub(super) fn scene(&self) -> Section {
        let Request { names, scene, .. } = self.request;
        let given = |text: String| line(text, Citation::of_scene());
        let mut lines = Vec::new();
        if let Some(time) = scene.time {
            let weekday = self.request.calendar.weekday(time).map(|day| format!("{day}, ")).unwrap_or_default();
            lines.push(given(format!("It is {weekday}{}.", self.request.calendar.print(time))));
        }
        if let Some(place) = &scene.place {
            if let Some(name) = names.name(place) {
                lines.push(given(format!("The place is {name}.")));
            }
            for attribute in self.request.vocabulary.in_order(|behavior| behavior.scenery) {
                let of_place = |known: &&Known| known.subject() == place && known.predicate() == attribute;
                let facts: Vec<_> = self.facts().filter(of_place).collect();
                lines.extend(self.once(&facts, |known| known.statement().to_owned()));
            }
        }
        for id in &self.present() {
            let name = names.name(id).unwrap_or("Somebody whom you do not know by name");
            let of_them = |known: &&Known| known.subject() == id && *known.predicate() == *"occupation";
            let occupation = self.facts().filter(of_them).max_by_key(|known| (known.credence(), known.recency()));
            match occupation {
                Some(known) => {
                    let told = self.line(known, format!("{name} is there, {}.", known.object()));
                    // The note may express doubt about the occupation, but the presence is certain.
                    lines.push(Line { note: String::new(), ..told });
                }
                None => lines.push(given(format!("{name} is there."))),
            }
        }
        Section { name: "scene", title: "Scene".into(), lines }
    }

    /// Returns the recent talk that the speaker heard, in order: the last lines of the session or, without a session,
    /// of the last hour.
    pub(super) fn lately(&self) -> Section {
        let scene = self.request.scene;
        let moment = |heard: &Heard| heard.passage.time.as_ref().and_then(|date| date.time);
        let is_late = |heard: &Heard| match (&scene.session, scene.time, moment(heard)) {
            (Some(session), ..) => heard.passage.session.as_ref() == Some(session),
            (None, Some(GameTime(now)), Some(GameTime(said))) => (now.saturating_sub(LATELY)..=now).contains(&said),
            _ => false,
        };
        let spoken = |heard: &Heard| heard.passage.speaker.is_some() || heard.passage.speaker_alias.is_some();
        let said = self.request.view.passages().filter(|(_, heard)| spoken(heard) && is_late(heard));
        let mut said: Vec<_> = said.collect();
        said.sort_by_key(|(id, heard)| (moment(heard), heard.passage.line, *id));
        let last = said.split_off(said.len().saturating_sub(MOST_LATELY));
        let lines = last.into_iter().map(|(id, heard)| self.passage_line(id, heard)).collect();
        Section { name: "lately", title: "Said lately".into(), lines }
    }

    /// Records the sources of a written line, so that later sections do not repeat them.
    pub(super) fn note_said(&mut self, line: &Line) {
        let citations = std::iter::once(&line.citation).chain(&line.also);
        self.said.extend(citations.filter_map(|citation| match citation.source {
            Source::Fact(id) => Some(DocId::Fact(id)),
            Source::Passage(id) => Some(DocId::Passage(id)),
            Source::Scene => None,
        }));
    }

    /// Returns the entities present besides the speaker, sorted. If the scene lists none, returns the entities that are
    /// at the scene's location as far as the speaker knows.
    fn present(&self) -> Vec<EntityId> {
        let Request { scene, speaker, .. } = self.request;
        let mut present = scene.present.clone();
        if let Some(place) = scene.place.as_ref().filter(|_| present.is_empty()) {
            let here = |known: &&Known| {
                PredicateRole::Location.is(known.predicate()) && known.object().entity() == Some(place)
            };
            present.extend(self.facts().filter(here).map(|known| known.subject().clone()));
        }
        present.retain(|id| id != *speaker);
        present.sort();
        present.dedup();
        present
    }

    /// Ranks the facts and passages that are relevant to the question. The top results, up to the maximum number of
    /// lines, are complete; the others are only ids.
    pub(super) fn ranked(&self) -> Relevant {
        let request = self.request;
        let mut named = request.names.mentioned(request.question);
        let says_here = text::words(request.question).iter().any(|word| word == "here");
        if let Some(place) = request.scene.place.as_ref().filter(|_| says_here)
            && named.iter().all(|named| named.id != *place)
        {
            named.push(request.names.named(place));
        }
        let scope = request.scope();
        if let Some(scope) = &scope {
            scope.join(&mut named);
        }
        let (text, vector, graph) = (request.question, request.vector, request.graph);
        let query = Query { text, vector, named, graph, scope, weights: Weights::default() };
        let ranking = Ranking::of(request.view, request.index, &query);
        let tried = request.limit.saturating_mul(TRIED).saturating_add(self.said.len());
        ranking.relevant(RELEVANT, tried, |doc| self.is_latest(doc))
    }

    /// Returns the speaker's knowledge that is relevant to the question, without repetitions.
    pub(super) fn knowledge(&self, ranked: &Relevant) -> Answers {
        // Passages that are already in the recent talk are never repeated.
        let said = |place: usize, ranked: &Ranked| match ranked.doc {
            DocId::Fact(_) => place >= LEADING && self.said.contains(&ranked.doc),
            DocId::Passage(_) => self.said.contains(&ranked.doc),
        };
        let new: Vec<&Ranked> = ranked
            .best
            .iter()
            .enumerate()
            .filter(|(at, ranked)| !said(*at, ranked))
            .map(|(_, ranked)| ranked)
            .collect();
        let others = ranked.others.iter().filter(|doc| !self.said.contains(doc)).count();
        let tried = &new[..new.len().min(self.request.limit.saturating_mul(TRIED))];
        let view = self.request.view;
        let sayable = |ranked: &&Ranked| match ranked.doc {
            DocId::Fact(id) => view.fact(id).map(Sayable::Fact),
            DocId::Passage(id) => view.passage(id).map(|heard| Sayable::Passage(id, heard)),
        };
        let sayables: Vec<Sayable> = tried.iter().filter_map(sayable).collect();
        let lines = once(&sayables).into_iter().filter_map(|group| {
            let best = tried[*group.iter().min()?];
            let mut lines = group.iter().map(|at| self.sayable_line(&sayables[*at]));
            let first = lines.next()?;
            Some(Line {
                also: lines.map(|line| line.citation).collect(),
                score: Some(best.score),
                channels: Some(best.channels),
                explanation: Some(best.explanation.clone()),
                path: best.explanation.way(view),
                ..first
            })
        });
        Answers { lines: lines.collect(), all: new.len() + others }
    }

    /// Returns facts as lines. Facts with the same content share one line.
    fn once(&self, facts: &[&Known], text: impl Fn(&Known) -> String) -> Vec<Line> {
        let sayables: Vec<Sayable> = facts.iter().map(|known| Sayable::Fact(known)).collect();
        let line = |group: Vec<usize>| {
            let mut lines = group.into_iter().map(|at| self.line(facts[at], text(facts[at])));
            let first = lines.next()?;
            Some(Line { also: lines.map(|line| line.citation).collect(), ..first })
        };
        once(&sayables).into_iter().filter_map(line).collect()
    }

    /// Returns the relevant facts that other entities present know, as far as the speaker has reason to think so. A
    /// fact that the speaker knows only as common lore, as a resident or as a member of a group is left out unless it
    /// is secret.
    pub(super) fn others(&self, ranked: &[Ranked]) -> Vec<Line> {
        let (present, view) = (self.present(), self.request.view);
        let fact = |ranked: &Ranked| match ranked.doc {
            DocId::Fact(id) => view.fact(id),
            DocId::Passage(_) => None,
        };
        let of_its_own = |known: &&Known| {
            let own = known.known_edges().iter().any(|way| way.access_path == AccessPath::Own);
            own || known.is_secret() || !known.shared().is_empty()
        };
        let mut lines = Vec::new();
        for known in ranked.iter().take(self.request.limit).filter_map(fact).filter(of_its_own) {
            let note = self.why_known(&present, known);
            let said = lines.iter().any(|line: &Line| line.text == known.statement());
            if !note.is_empty() && !said {
                lines.push(Line { note, ..self.line(known, known.statement().to_owned()) });
            }
            if lines.len() == MOST_SHARED {
                break;
            }
        }
        lines
    }

    /// Returns the speaker's reason to think that some of the entities present know a fact, in words. Uses the latest
    /// reason for each entity. Returns an empty string if there is no reason.
    fn why_known(&self, present: &[EntityId], known: &Known) -> String {
        let (mut were_there, mut told, mut tellers, mut belong) =
            <(Vec<&str>, Vec<&str>, Vec<&str>, Vec<String>)>::default();
        for other in present.iter().take(MOST_PRESENT) {
            let Some(called) = self.request.names.name(other) else { continue };
            let reasons = self.request.view.attributes(other, known).into_iter().map(|attributed| attributed.reason);
            let telling = |reason: &Reason| match reason {
                Reason::Common => false,
                Reason::Belongs(_) => known.is_secret(),
                _ => true,
            };
            match reasons.into_iter().find(telling) {
                Some(Reason::Present | Reason::WasThere(_)) => were_there.push(called),
                Some(Reason::ToldByMe) => told.push(called),
                Some(Reason::ToldMe) => tellers.push(called),
                Some(Reason::Belongs(group)) => {
                    belong.push(format!("{called} belongs to {}", self.called_or(&group, "those who know it")));
                }
                Some(Reason::Common) | None => {}
            }
        }
        let mut notes = Vec::new();
        if !were_there.is_empty() {
            let were = if were_there.len() == 1 { "was" } else { "were" };
            notes.push(format!("{} {were} there", listed(&were_there)));
        }
        if !told.is_empty() {
            notes.push(format!("you told {}", listed(&told)));
        }
        if !tellers.is_empty() {
            notes.push(format!("{} told you", listed(&tellers)));
        }
        notes.extend(belong);
        notes.join("; ")
    }

    /// Returns `false` for a fact with a functional predicate if the speaker believes a later value, and `true`
    /// otherwise.
    fn is_latest(&self, doc: DocId) -> bool {
        !matches!(doc, DocId::Fact(id) if self.superseded.contains(&id))
    }

    /// Returns the facts that the speaker knows, without superseded facts.
    fn facts(&self) -> impl Iterator<Item = &Known> {
        self.request.view.facts().filter(|known| !self.superseded.contains(&known.id()))
    }

    fn sayable_line(&self, sayable: &Sayable) -> Line {
        match sayable {
            Sayable::Fact(known) => self.line(known, known.statement().to_owned()),
            Sayable::Passage(id, heard) => self.passage_line(*id, heard),
        }
    }

    fn citations(&self) -> Citations<'a> {
        let Request { names, calendar, speaker, .. } = *self.request;
        Citations { names, calendar, knower: Some(speaker) }
    }

    fn line(&self, known: &Known, text: String) -> Line {
        Line { note: self.note(known), ..line(text, self.citations().of_fact(known)) }
    }

    fn passage_line(&self, id: PassageId, heard: &Heard) -> Line {
        let passage = &heard.passage;
        let speaker = passage.speaker.as_ref();
        let text = match speaker {
            Some(who) if who == self.request.speaker => format!("You said: {}", quoted(&passage.text)),
            Some(who) => format!("{} said: {}", self.called(who), quoted(&passage.text)),
            None if let Some(alias) = &passage.speaker_alias => format!("{alias} said: {}", quoted(&passage.text)),
            None => passage
                .title
                .as_ref()
                .map_or_else(|| passage.text.clone(), |title| format!("{title}: {}", passage.text)),
        };
        line(text, self.citations().of_passage(id, heard))
    }

    fn called(&self, id: &EntityId) -> &str {
        self.called_or(id, "somebody")
    }

    fn called_or<'n>(&'n self, id: &EntityId, nameless: &'n str) -> &'n str {
        self.request.names.name(id).unwrap_or(nameless)
    }

    /// Returns whether the speaker knows another fact that contradicts `known`, and neither fact is superseded, refuted
    /// or ended.
    fn has_heard_both(&self, known: &Known) -> bool {
        let rivals = self.rivals.get(known.subject()).into_iter().flatten();
        // A public fact and a secret fact are not rival rumours, even if they contradict each other.
        let rivals = rivals.filter(|other| other.is_secret() == known.is_secret());
        let stand = |id| !self.superseded.contains(&id) && !self.answered.contains(&id);
        stand(known.id())
            && rivals.filter(|other| stand(other.id())).any(|other| self.request.view.are_against(known, other))
    }

    /// Returns a note to the speaker about a fact: whether the speaker doubts it, who told it, and whether the speaker
    /// conceals it.
    fn note(&self, known: &Known) -> String {
        let mut credence = known.credence().get();
        let mut notes = Vec::new();
        if self.answered.contains(&known.id()) {
            let belief = self.request.view.belief(known);
            credence = belief.credence.get();
            match belief.hold {
                Hold::Ended(_) => notes.push("it is so no longer".to_owned()),
                Hold::Outweighed(_) => notes.push("you have heard that it is not so, and believe that".into()),
                // The speaker has heard that the fact ended, but does not believe it, or the end lies in the future.
                _ if belief.credence < known.credence() => notes.push("you have heard that it is not so".into()),
                _ => {}
            }
        } else if self.has_heard_both(known) {
            notes.push("you have heard both this and otherwise".into());
        }
        if known.acquisition().is_some() {
            let untrue = "you know that this is untrue";
            let belief =
                [(0.0, untrue), (0.35, "you doubt it"), (0.65, "you are not sure of it"), (0.9, "you believe it")];
            notes.extend(belief.into_iter().find(|(up_to, _)| credence <= *up_to).map(|(_, note)| note.to_owned()));
            if let Some((acquisition, AccessPath::Own)) = known.acquisition()
                && let Some(by) = acquisition.teller()
            {
                notes.push(format!("{} told you", self.called(by)));
            }
        } else if !known.shared().is_empty() {
            notes.push("you made it up".into());
        }
        if known.conceals() {
            notes.push("you keep it to yourself".into());
        }
        notes.join("; ")
    }
}

/// Joins names: `A`, `A and B`, `A, B and C`.
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Returns the facts with a functional predicate for which the knower believes a later value. `single` contains only
/// believed facts, so a rumour that the knower does not believe is neither superseded nor supersedes a fact. A public
/// fact does not supersede a secret fact.
fn superseded(single: &[&Known]) -> FxHashSet<FactId> {
    fn key(known: &Known) -> (&EntityId, &Predicate, bool) {
        (known.subject(), known.predicate(), known.is_secret())
    }
    let mut latest: FxHashMap<_, &Known> = FxHashMap::default();
    for known in single {
        let best = latest.entry(key(known)).or_insert(known);
        if best.recency() < known.recency() {
            *best = known;
        }
    }
    let is_earlier = |known: &&&Known| {
        latest.get(&key(known)).is_some_and(|best| known.recency() < best.recency() && known.object() != best.object())
    };
    single.iter().filter(is_earlier).map(|known| known.id()).collect()
}

/// Returns an attribute with its label: `Occupation: innkeeper`.
fn labelled(known: &Known) -> String {
    let mut label = known.predicate().as_str().replace('_', " ");
    if let Some(first) = label.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    format!("{label}: {}", known.object())
}

fn line(text: String, citation: Citation) -> Line {
    Line {
        text,
        note: String::new(),
        citation,
        also: Vec::new(),
        score: None,
        channels: None,
        explanation: None,
        path: Vec::new(),
    }
}
