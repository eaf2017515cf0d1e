//! Writer of the lines of a scene context.

mod remarks;

use std::collections::{BTreeMap, BTreeSet};

use hearsay_belief::{AccessPath, BELIEF_THRESHOLD, EndKind, FeelingWords, Feelings, Known, ReceivedPassage};
use hearsay_model::{EntityId, GameTime, PassageId, PredicateRole, text, words::join_names};

use super::{
    episodes::Episodes,
    remark::{Remark, add_remarks},
    request::ContextRequest,
    scene_context::{Line, LineClaim, LineFeelings, Section, SectionKind},
    secrecy::LineSecrecy,
};
use crate::{
    Citation, Citations, CitedEntity, DocId, Query, Ranked, Ranking, Relevant, Source, Weights,
    dedup::{LineSource, group_duplicates},
    quoted,
};

/// Minimum score of a result that is relevant to the question.
const MIN_RELEVANT_SCORE: f32 = 0.04;

/// Number of results to consider per line of a section. Results further down the ranking are too weak to matter.
const RESULTS_PER_LINE: usize = 4;

/// Maximum number of relevant facts with remarks on who else in the scene knows them.
const MAX_FACTS_OF_OTHERS: usize = 4;

/// Maximum number of lines of recent talk.
const MAX_RECENT_LINES: usize = 4;

/// Maximum age of recent talk if no session is given, in minutes of game time.
const RECENT_MINUTES: i64 = 60;

/// Maximum age of a fact, in days, at which the prompt says when the speaker learned it.
const MAX_AGE_DAYS: i64 = 60;

/// Number of best results that the knowledge section contains even if an earlier section already states them. Applies
/// only to facts.
const ALWAYS_WRITTEN: usize = 5;

/// A speaker's knowledge that is relevant to a question.
pub(super) struct Answers {
    /// Lines to add while they fit the budget, best first.
    pub(super) lines: Vec<Line>,
    /// Number of relevant facts and passages, including those without a line.
    pub(super) total: usize,
}

pub(super) struct Writer<'a> {
    request: &'a ContextRequest<'a>,
    /// Facts and passages that an earlier section already states.
    written: BTreeSet<DocId>,
    /// Secrecy of the passages that state a concealed fact.
    concealed_passages: BTreeMap<PassageId, LineSecrecy>,
    episodes: Episodes<'a>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(request: &'a ContextRequest<'a>) -> Self {
        let (concealed_passages, episodes) = (BTreeMap::new(), Episodes::new(request));
        let mut writer = Self { request, written: BTreeSet::new(), concealed_passages, episodes };
        for known in request.view.concealed_facts() {
            for passage in known.evidence_passages() {
                let secrecy = writer.secrecy(known);
                let combined = writer.concealed_passages.entry(passage).or_default();
                *combined = std::mem::take(combined).and(secrecy);
            }
        }
        writer
    }

    /// Returns whether the speaker may tell a fact.
    fn secrecy(&self, known: &Known) -> LineSecrecy {
        match self.is_transparent_lie(known) {
            true => LineSecrecy::Concealed,
            false => LineSecrecy::of_fact(known, self.request, || self.present()),
        }
    }

    /// Returns whether a fact is a lie of the speaker that no listener would believe: the speaker thinks that all of them
    /// know a fact that the lie hides.
    fn is_transparent_lie(&self, known: &Known) -> bool {
        let ContextRequest { view, scene, .. } = self.request;
        if known.contradicts().is_empty() || !known.is_own_lie() || scene.strangers > 0 {
            return false;
        }
        let truths: Vec<&Known> = known.contradicts().iter().filter_map(|id| view.fact(*id)).collect();
        let knows_better = |id: &EntityId| truths.iter().any(|truth| !view.attribution_reasons(id, truth).is_empty());
        let listeners = self.present();
        !listeners.is_empty() && listeners.iter().all(knows_better)
    }

    pub(super) fn speaker(&self, name: &str) -> Section {
        let speaker = self.request.speaker;
        let mut facts: Vec<(u8, &Known)> = Vec::new();
        for known in self.facts_with_subject(speaker) {
            let rank = self.request.vocabulary.behavior(known.predicate()).identity;
            facts.extend(rank.map(|rank| (rank, known)));
        }
        facts.sort_by_key(|(rank, known)| (*rank, known.id()));
        let facts: Vec<_> = facts.into_iter().map(|(_, known)| known).collect();
        let lines = self.deduplicated_lines(&facts, labelled_attribute);
        Section { kind: SectionKind::Speaker, title: name.to_owned(), lines }
    }

    /// Returns the relations of the speaker itself, with the strongest attitudes first.
    pub(super) fn relations(&self) -> Section {
        let speaker = self.request.speaker;
        let is_relation =
            |known: &&Known| known.predicate().is_relation() && !PredicateRole::Location.is(known.predicate());
        let to_speaker = self.facts_with_object(speaker).filter(|known| known.subject() != speaker);
        let mut facts: Vec<_> = self.facts_with_subject(speaker).chain(to_speaker).filter(is_relation).collect();
        facts.sort_by_key(|known| {
            let feeling = known.attitude().map_or(0, |attitude| attitude.get().unsigned_abs());
            (known.subject() != speaker, std::cmp::Reverse(feeling), known.predicate().clone(), known.id())
        });
        let mut lines = self.deduplicated_lines(&facts, |known| known.statement().to_owned());
        for (cause, line) in self.present().iter().flat_map(|other| self.feelings_lines(other, &facts)) {
            let is_deed = self.request.vocabulary.is_deed(cause.predicate());
            // A relation such as LIKES or OWES states the feeling itself.
            match lines.iter_mut().find(|relation| !is_deed && relation.citation.source == line.citation.source) {
                Some(relation) => relation.feelings = line.feelings.map(LineFeelings::on_relation_line),
                None => lines.push(line),
            }
        }
        Section { kind: SectionKind::Relations, title: "Relations".into(), lines }
    }

    /// Returns lines with the speaker's noticeable feelings towards an entity in the scene, each with its main cause.
    /// Feelings with the same main cause share a line. The line also states the cause, unless the cause is one of
    /// `relations`, which the section states. Returns no lines if the speaker does not know the name of the entity.
    fn feelings_lines<'v>(&'v self, other: &EntityId, relations: &[&Known]) -> Vec<(&'v Known, Line)> {
        let view = self.request.view;
        let Some(name) = self.request.names.name(other) else { return Vec::new() };
        let feelings = Feelings::from_view_at(view, other, self.request.scene.time);
        let mut by_cause: Vec<(&Known, Vec<FeelingWords>)> = Vec::new();
        for words in feelings.words() {
            let cause = feelings.strongest_cause(words.feeling).and_then(|cause| view.fact(cause.fact));
            let Some(cause) = cause.filter(|known| !self.is_hidden(known)) else { continue };
            match by_cause.iter_mut().find(|(known, _)| known.id() == cause.id()) {
                Some((_, group)) => group.push(words),
                None => by_cause.push((cause, vec![words])),
            }
        }
        let mut lines = Vec::new();
        for (cause, group) in by_cause {
            let words = join_names(&group.iter().map(|words| words.second_person).collect::<Vec<_>>());
            let is_stated = relations.iter().any(|known| {
                let mut stated = std::iter::once(*known).chain(self.episodes.earlier_than(known.id()).iter().copied());
                stated.any(|known| known.id() == cause.id())
            });
            let cause_text = if is_stated { String::from(".") } else { format!(": {}", cause.statement()) };
            let levels = group.iter().map(|words| (words.feeling, feelings.level(words.feeling))).collect();
            let line = Line {
                feelings: Some(LineFeelings { towards: other.clone(), levels, has_own_line: true }),
                ..self.line(cause, format!("You {words} {name}{cause_text}"))
            };
            lines.push((cause, line));
        }
        lines
    }

    pub(super) fn scene(&self) -> Section {
        let ContextRequest { names, scene, .. } = self.request;
        let scene_line = |text: String| line(text, Citation::for_scene());
        let mut lines = Vec::new();
        if let Some(time) = scene.time {
            let weekday = self.request.calendar.weekday(time).map(|day| format!("{day}, ")).unwrap_or_default();
            lines.push(scene_line(format!("It is {weekday}{}.", self.request.calendar.format(time))));
        }
        if let Some(place) = &scene.place {
            if let Some(name) = names.name(place) {
                lines.push(scene_line(format!("The place is {name}.")));
            }
            for attribute in self.request.vocabulary.in_order(|behavior| behavior.scenery) {
                let facts: Vec<_> =
                    self.facts_with_subject(place).filter(|known| known.predicate() == attribute).collect();
                lines.extend(self.deduplicated_lines(&facts, |known| known.statement().to_owned()));
            }
        }
        let is_stranger = |id: &EntityId| names.name(id).is_none() && !scene.references.contains_key(id);
        let (strangers, others): (Vec<_>, Vec<_>) = self.present().into_iter().partition(is_stranger);
        for id in &others {
            let name = names.name(id).or(scene.references.get(id).map(String::as_str)).unwrap_or_default();
            let is_occupation = |known: &&Known| *known.predicate() == *"occupation" && names.name(id).is_some();
            let occupations = self.facts_with_subject(id).filter(is_occupation);
            let occupation = occupations.max_by_key(|known| (known.credence(), known.recency()));
            match self.known_death(id).or(occupation) {
                Some(known) => {
                    let killed = known.object().entity().map(|_| PredicateRole::dead_value().to_owned());
                    let state = killed.unwrap_or_else(|| known.object().to_string());
                    let description_line = self.line(known, format!("{name} is there, {state}."));
                    // The remarks may express doubt about the fact, but the presence is certain.
                    lines.push(Line { remarks: Vec::new(), states_presence: true, ..description_line });
                }
                None => lines.push(scene_line(format!("{name} is there."))),
            }
        }
        match scene.strangers + strangers.len() {
            0 => {}
            1 => lines.push(scene_line("A stranger is there.".to_owned())),
            count => lines.push(scene_line(format!("{count} strangers are there."))),
        }
        Section { kind: SectionKind::Scene, title: "Scene".into(), lines }
    }

    /// Returns the recent talk that the speaker heard, in order: the last lines of the session or, without a session,
    /// of the last hour.
    pub(super) fn recent_talk(&self) -> Section {
        let scene = self.request.scene;
        let time_of = |heard: &ReceivedPassage| heard.passage.said_at();
        let is_recent = |heard: &ReceivedPassage| match (&scene.session, scene.time, time_of(heard)) {
            (Some(session), ..) => heard.passage.session.as_ref() == Some(session),
            (None, Some(GameTime(now)), Some(GameTime(time))) => {
                (now.saturating_sub(RECENT_MINUTES)..=now).contains(&time)
            }
            _ => false,
        };
        let has_speaker =
            |heard: &ReceivedPassage| heard.passage.speaker.is_some() || heard.passage.speaker_alias.is_some();
        let passages = self.request.view.passages().filter(|(_, heard)| has_speaker(heard) && is_recent(heard));
        let mut passages: Vec<_> = passages.collect();
        passages.sort_by_key(|(id, heard)| (heard.passage.said_order(&scene.sessions), *id));
        let latest = passages.split_off(passages.len().saturating_sub(MAX_RECENT_LINES));
        let lines = latest.into_iter().map(|(id, heard)| self.passage_line(id, heard)).collect();
        Section { kind: SectionKind::RecentTalk, title: "Said lately".into(), lines }
    }

    /// Records the sources that a written line states, so that later sections do not repeat them.
    pub(super) fn mark_written(&mut self, line: &Line) {
        let sources = line.sources().filter(|_| !line.states_feelings());
        self.written.extend(sources.filter_map(|source| match source {
            Source::Fact(id) => Some(DocId::Fact(id)),
            Source::Passage(id) => Some(DocId::Passage(id)),
            Source::Scene => None,
        }));
    }

    /// Returns the known entities in the scene besides the speaker, sorted. If the scene lists nobody, returns those that
    /// the speaker [observes](hearsay_belief::View::observed_at) at the place of the scene.
    fn present(&self) -> Vec<EntityId> {
        let ContextRequest { scene, speaker, .. } = self.request;
        let mut present = scene.present.clone();
        if let Some(place) = scene.place.as_ref().filter(|_| present.is_empty() && scene.strangers == 0) {
            let here = self.request.view.observed_at(place).filter(|known| !self.is_hidden(known));
            present.extend(here.map(|known| known.subject().clone()));
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
        let mut linked = request.names.mentioned_entities(request.question);
        let names_here = text::words(request.question).iter().any(|word| word == "here");
        if let Some(place) = request.scene.place.as_ref().filter(|_| names_here)
            && linked.iter().all(|other| other.id != *place)
        {
            linked.push(request.names.linked_entity(place));
        }
        let scope = request.scope();
        if let Some(scope) = &scope {
            scope.add_to(&mut linked);
        }
        let (text, vector, graph) = (request.question, request.vector, request.graph);
        let (weights, now) = (Weights::default(), request.scene.time);
        let query = Query { text, vector, named: linked, graph, scope, weights, now };
        let ranking = Ranking::new(request.view, request.index, &query);
        let result_count = request.limit.saturating_mul(RESULTS_PER_LINE).saturating_add(self.written.len());
        ranking.relevant(MIN_RELEVANT_SCORE, result_count, |doc| self.is_usable(doc))
    }

    /// Returns the speaker's knowledge that is relevant to the question, without repetitions.
    pub(super) fn knowledge(&self, ranked: &Relevant) -> Answers {
        // Passages that are already in the recent talk are never repeated.
        let is_written = |position: usize, ranked: &Ranked| match ranked.doc {
            DocId::Fact(_) => position >= ALWAYS_WRITTEN && self.written.contains(&ranked.doc),
            DocId::Passage(_) => self.written.contains(&ranked.doc),
        };
        let unwritten: Vec<&Ranked> = ranked
            .best
            .iter()
            .enumerate()
            .filter(|(at, ranked)| !is_written(*at, ranked))
            .map(|(_, ranked)| ranked)
            .collect();
        let others = ranked.others.iter().filter(|doc| !self.written.contains(doc)).count();
        let considered = &unwritten[..unwritten.len().min(self.request.limit.saturating_mul(RESULTS_PER_LINE))];
        let view = self.request.view;
        let line_source = |ranked: &&Ranked| match ranked.doc {
            DocId::Fact(id) => view.fact(id).map(LineSource::Fact),
            DocId::Passage(id) => view.passage(id).map(|heard| LineSource::Passage(id, heard)),
        };
        let line_sources: Vec<LineSource> = considered.iter().filter_map(line_source).collect();
        let (present, mut known_to_others) = (self.present(), 0);
        let lines = group_duplicates(&line_sources).into_iter().filter_map(|group| {
            let best_ranked = considered[*group.iter().min()?];
            let mut line = Line::merge(group.iter().map(|at| self.source_line(&line_sources[*at])))?;
            if let LineSource::Fact(known) = line_sources[*group.first()?]
                && known_to_others < MAX_FACTS_OF_OTHERS
            {
                let others = self.known_to(&present, known);
                known_to_others += usize::from(!others.is_empty());
                add_remarks(&mut line.remarks, others);
            }
            Some(Line {
                score: Some(best_ranked.score),
                channels: Some(best_ranked.channels),
                explanation: Some(best_ranked.explanation.clone()),
                path: best_ranked.explanation.graph_path(view),
                ..line
            })
        });
        let mut lines: Vec<Line> = lines.collect();
        // The present value comes before past values.
        lines.sort_by_key(|line| matches!(line.citation.source, Source::Fact(id) if view.is_superseded(id)));
        let episodes = line_sources.iter().map(|source| match source {
            LineSource::Fact(known) => self.episodes.earlier_than(known.id()).len(),
            LineSource::Passage(..) => 0,
        });
        Answers { lines, total: unwritten.len() + others + episodes.sum::<usize>() }
    }

    /// Returns facts as lines. Facts with the same content share one line.
    fn deduplicated_lines(&self, facts: &[&Known], text: impl Fn(&Known) -> String) -> Vec<Line> {
        let line_sources: Vec<LineSource> = facts.iter().map(|known| LineSource::Fact(known)).collect();
        let line = |group: Vec<usize>| Line::merge(group.into_iter().map(|at| self.line(facts[at], text(facts[at]))));
        group_duplicates(&line_sources).into_iter().filter_map(line).collect()
    }

    /// Returns `false` for a hidden fact, and for a fact that a later [episode](Episodes) represents. Also returns
    /// `false` for a fact with a functional predicate if the speaker believes a later value, unless the fact represents
    /// repeated episodes. Returns `true` otherwise.
    fn is_usable(&self, doc: DocId) -> bool {
        let DocId::Fact(id) = doc else { return true };
        let view = self.request.view;
        let is_present = !view.is_superseded(id) || self.episodes.repetition(id).is_some();
        is_present && !self.episodes.is_earlier(id) && !view.fact(id).is_some_and(|known| self.is_hidden(known))
    }

    /// Returns whether the request leaves out a fact, or the fact is a [redundant end](EndKind::Redundant) of another
    /// fact.
    fn is_hidden(&self, known: &Known) -> bool {
        self.request.hidden.contains(known.predicate()) || self.request.view.end_kind(known) == Some(EndKind::Redundant)
    }

    /// Returns the facts about a subject that the speaker knows. Leaves out superseded, ended and hidden facts.
    fn facts_with_subject<'f>(&'f self, subject: &'f EntityId) -> impl Iterator<Item = &'f Known> {
        self.request.view.facts_with_subject(subject).filter(|known| self.is_current(known))
    }

    /// Returns the facts with the given object that the speaker knows. Leaves out superseded, ended and hidden facts.
    fn facts_with_object<'f>(&'f self, object: &'f EntityId) -> impl Iterator<Item = &'f Known> {
        self.request.view.facts_with_object(object).filter(|known| self.is_current(known))
    }

    /// Returns whether a fact is not hidden, and neither superseded nor ended, as far as the speaker knows. Returns
    /// `false` for a fact that a later [episode](Episodes) represents.
    fn is_current(&self, known: &Known) -> bool {
        let view = self.request.view;
        let is_stated = !self.is_hidden(known) && !self.episodes.is_earlier(known.id());
        is_stated && !view.is_superseded(known.id()) && view.known_end(known).is_none()
    }

    /// Returns the fact from which the speaker knows that an entity is dead.
    fn known_death<'f>(&'f self, id: &'f EntityId) -> Option<&'f Known> {
        let states_death = |known: &&Known| {
            known.dead_entity(self.request.vocabulary) == Some(id) && known.credence().get() >= BELIEF_THRESHOLD
        };
        let facts = self.facts_with_subject(id).chain(self.facts_with_object(id));
        facts.filter(states_death).max_by_key(|known| (known.recency(), known.id()))
    }

    fn source_line(&self, source: &LineSource) -> Line {
        match source {
            LineSource::Fact(known) => {
                let repetition = self.episodes.repetition(known.id());
                let statement = repetition.map_or(known.statement(), |repetition| repetition.statement.as_str());
                self.line(known, statement.to_owned())
            }
            LineSource::Passage(id, heard) => self.passage_line(*id, heard),
        }
    }

    fn citations(&self) -> Citations<'a> {
        let ContextRequest { names, calendar, speaker, .. } = *self.request;
        Citations { names, calendar, knower: Some(speaker) }
    }

    fn cite(&self, id: &EntityId) -> CitedEntity {
        CitedEntity::new(self.request.names, id)
    }

    fn line(&self, known: &Known, text: String) -> Line {
        let (disputes, credence) = self.disputes(known);
        let repeated = self.episodes.repetition(known.id()).map(|repetition| repetition.remark.clone());
        let earlier = self.episodes.earlier_than(known.id()).iter();
        Line {
            claim: Some(LineClaim::from_known(known)),
            statement: Some(known.statement().to_owned()),
            inverse_statement: self.inverse_statement(known),
            credence: known.acquisition().map(|_| credence),
            secrecy: earlier.clone().fold(self.secrecy(known), |all, episode| all.and(self.secrecy(episode))),
            remarks: disputes.into_iter().chain(repeated).chain(self.remarks(known, credence)).collect(),
            age: self.age(known),
            also: earlier.map(|episode| self.citations().fact_citation(episode)).collect(),
            ..line(text, self.citations().fact_citation(known))
        }
    }

    /// Returns the statement of a relation to the speaker, beginning with the speaker, if the relation is symmetric or its
    /// sentence would end in "of me". Returns `None` for a sentence that somebody wrote.
    fn inverse_statement(&self, known: &Known) -> Option<String> {
        let ContextRequest { vocabulary, names, speaker, .. } = *self.request;
        let object = known.object().entity().filter(|object| *object == speaker)?;
        let (predicate, subject, object) = (known.predicate(), names.name(known.subject())?, names.name(object)?);
        let def = vocabulary.predicate(predicate)?;
        let is_reversible = def.symmetric || def.phrase.ends_with(" of {object}");
        let is_generated = || known.statement() == vocabulary.sentence(predicate, subject, object);
        if is_reversible && is_generated() { vocabulary.inverse_sentence(predicate, subject, object) } else { None }
    }

    /// Returns in words when the speaker itself learned a fact.
    fn age(&self, known: &Known) -> Option<String> {
        let (_, access_path) = known.acquisition()?;
        let (now, learned) = (self.request.scene.time?, known.learned()?);
        let calendar = self.request.calendar;
        let day = i64::from(calendar.hours_per_day) * i64::from(calendar.minutes_per_hour);
        let days = now.0.checked_div_euclid(day)? - learned.0.checked_div_euclid(day)?;
        match days {
            _ if *access_path != AccessPath::Own || learned > now => None,
            0 => Some("today".into()),
            1 => Some("yesterday".into()),
            2..=MAX_AGE_DAYS => Some(format!("{days} days ago")),
            _ => None,
        }
    }

    fn passage_line(&self, id: PassageId, heard: &ReceivedPassage) -> Line {
        let passage = &heard.passage;
        let speaker = passage.speaker.as_ref();
        let text = match speaker {
            Some(speaker) if speaker == self.request.speaker => format!("You said: {}", quoted(&passage.text)),
            Some(speaker) => format!("{} said: {}", self.name_of(speaker), quoted(&passage.text)),
            None if let Some(alias) = &passage.speaker_alias => format!("{alias} said: {}", quoted(&passage.text)),
            None => passage
                .title
                .as_ref()
                .map_or_else(|| passage.text.clone(), |title| format!("{title}: {}", passage.text)),
        };
        Line {
            secrecy: self.concealed_passages.get(&id).cloned().unwrap_or_default(),
            ..line(text, self.citations().passage_citation(id, heard))
        }
    }

    fn name_of(&self, id: &EntityId) -> &str {
        self.request.names.name(id).unwrap_or("somebody")
    }
}

/// Returns an attribute with its label: `Occupation: innkeeper`.
fn labelled_attribute(known: &Known) -> String {
    let mut label = known.predicate().as_str().replace('_', " ");
    if let Some(first) = label.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    format!("{label}: {}", known.object())
}

fn line(text: String, citation: Citation) -> Line {
    Line {
        text,
        claim: None,
        statement: None,
        inverse_statement: None,
        feelings: None,
        credence: None,
        secrecy: LineSecrecy::Open,
        remarks: Vec::new(),
        citation,
        also: Vec::new(),
        score: None,
        channels: None,
        explanation: None,
        path: Vec::new(),
        age: None,
        is_repetition: false,
        states_presence: false,
    }
}
