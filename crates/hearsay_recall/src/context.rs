//! The scene context: what one speaker may say in a scene, assembled from its view within a token budget.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_belief::{Heard, Hold, Known, Reason, Via, View};
use hearsay_model::{
    Bearing, Calendar, Credence, EntityId, Evidence, FactId, GameTime, How, PassageId, SessionId, Vocabulary,
    attribute, predicate, text,
};
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::{
    Channels, DocId, Form, Index, Names, Query, TokenCounter, Weights,
    rank::{Ranked, rank},
    render::render,
};

/// Attributes that say who somebody is, in the order in which they are told.
const IDENTITY: [&str; 14] = [
    "title",
    "species",
    "gender",
    "pronouns",
    "age",
    "occupation",
    "appearance",
    "personality",
    "speaking_style",
    "emotional_state",
    "goals",
    "behavior_rules",
    "alignment",
    "description",
];

/// Attributes of a place that set a scene.
const SETTING: [&str; 4] = ["atmosphere", "description", "appearance", "condition"];

/// The share of the budget that speaker, relations and scene may take, each, in percent.
const SHARES: [usize; 3] = [30, 20, 15];

/// From this credence on a speaker takes a state for what is so.
const BELIEVED: f64 = 0.65;

/// Results below this score have nothing to do with the question.
const RELEVANT: f32 = 0.04;

/// Others who are looked at, to say what they know.
const MOST_PRESENT: usize = 8;

/// Facts that others who are there are said to know.
const MOST_SHARED: usize = 4;

/// A fact among the first so many results is said again, though the speaker's relations already have it.
const LEADING: usize = 5;

/// Where and when a question is asked.
#[derive(Debug, Clone, Default)]
pub struct Scene {
    /// The place.
    pub place: Option<EntityId>,
    /// Who is there besides the speaker; those whom the speaker knows to be at the place, when nobody is named.
    pub present: Vec<EntityId>,
    /// The moment, in game time.
    pub time: Option<GameTime>,
}

/// What a line is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A fact.
    Fact(FactId),
    /// A passage.
    Passage(PassageId),
    /// What the asker said of the scene.
    Scene,
}

/// How the speaker comes to know a line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Receipt {
    /// What the line is made from.
    pub source: Source,
    /// How it is known, in words: `told by Odo Brandt`, `as a member of the Harbour Watch`.
    pub how: String,
    /// How much the speaker believes it. A line that was heard is known to have been said.
    pub credence: Option<Credence>,
    /// When it was learned, on the campaign's calendar; since ever, when there is none.
    pub learned: Option<String>,
    /// The session it comes from.
    pub session: Option<SessionId>,
    /// The file and line it comes from.
    pub file: Option<String>,
    /// Whether the speaker keeps it to itself.
    pub conceals: bool,
}

/// A line of a scene context.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// What is known.
    pub text: String,
    /// What the speaker makes of it, addressed to the speaker: `you doubt it`. Empty where there is nothing to say.
    pub note: String,
    /// How it is known.
    pub receipt: Receipt,
    /// Why it is told in answer to the question, and how well it fits, 0.0–1.0.
    pub score: Option<f32>,
    /// What each channel of the ranking said.
    pub channels: Option<Channels>,
}

/// A part of a scene context.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Section {
    /// What it is about: `speaker`, `relations`, `scene`, `knowledge`, `others`.
    pub name: &'static str,
    /// Its heading.
    pub title: String,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// What a speaker may say in a scene. The stable part comes first, so that the prompt caches of language models hold:
/// speaker and relations change only with what the speaker knows of itself, the scene with the place, the last section
/// with the question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SceneContext {
    /// Who speaks.
    pub speaker: EntityId,
    /// What the speaker is called.
    pub name: String,
    /// What was asked.
    pub question: String,
    /// Speaker, relations, scene, knowledge, and what others who are there know of that.
    pub sections: Vec<Section>,
    /// Tokens of the prompt form.
    pub tokens: usize,
    /// Tokens that it may have.
    pub budget: usize,
    /// How many facts and passages bear on the question but found no room.
    pub omitted: usize,
    /// Whether meaning took part in the ranking.
    pub meaning: bool,
}

/// What a scene context is made from.
pub struct Request<'a> {
    /// What the speaker knows.
    pub view: &'a View,
    /// The names in the view.
    pub names: &'a Names,
    /// Words and vectors.
    pub index: &'a Index,
    /// For printing dates.
    pub calendar: &'a Calendar,
    /// For what has one state at a time.
    pub vocabulary: &'a Vocabulary,
    /// Who speaks.
    pub speaker: &'a EntityId,
    /// Where and when.
    pub scene: &'a Scene,
    /// What is asked.
    pub question: &'a str,
    /// The question's vector.
    pub vector: Option<&'a [f32]>,
    /// Whether the graph is walked.
    pub graph: bool,
    /// At most so many results.
    pub limit: usize,
    /// At most so many tokens.
    pub budget: usize,
    /// How tokens are counted.
    pub counter: &'a dyn TokenCounter,
}

impl SceneContext {
    /// Assembles the context of a request.
    pub fn assemble(request: &Request) -> Self {
        let mut writer = Writer::new(request);
        let name = request.names.name(request.speaker).unwrap_or("Somebody").to_owned();
        let mut context = Self {
            speaker: request.speaker.clone(),
            name,
            question: request.question.to_owned(),
            sections: Vec::new(),
            tokens: 0,
            budget: request.budget,
            omitted: 0,
            meaning: request.vector.is_some(),
        };
        let prefix = [writer.speaker(&context.name), writer.relations(), writer.scene()];
        for (mut section, share) in prefix.into_iter().zip(SHARES) {
            let mut room = request.budget * share / 100;
            section.lines.retain(|line| {
                let cost = request.counter.count(&line.text) + request.counter.count(&line.note) + 2;
                let fits = cost <= room;
                room -= if fits { cost } else { 0 };
                fits
            });
            writer.said.extend(section.lines.iter().filter_map(|line| match line.receipt.source {
                Source::Fact(id) => Some(id),
                _ => None,
            }));
            context.sections.push(section);
        }
        context.sections.push(Section {
            name: "knowledge",
            title: "What bears on the question".into(),
            lines: Vec::new(),
        });
        context.fit(request.counter);
        let ranked = writer.ranked();
        for line in writer.knowledge(&ranked) {
            context.omitted += usize::from(!context.try_push(line, request));
        }
        let title = "What the others here know".into();
        context.sections.push(Section { name: "others", title, lines: Vec::new() });
        for line in writer.others(&ranked) {
            context.try_push(line, request);
        }
        context.sections.retain(|section| !section.lines.is_empty());
        context
    }

    /// Drops lines from the end until the prompt form keeps to the budget.
    fn fit(&mut self, counter: &dyn TokenCounter) {
        self.tokens = counter.count(&render(self, Form::Prompt, false));
        while self.tokens > self.budget {
            let Some(section) = self.sections.iter_mut().rev().find(|section| !section.lines.is_empty()) else { break };
            section.lines.pop();
            self.tokens = counter.count(&render(self, Form::Prompt, false));
        }
    }

    /// Adds a line to the last section, if there is room for it. What is too long leaves its room to what follows.
    fn try_push(&mut self, line: Line, request: &Request) -> bool {
        let Some(section) = self.sections.last_mut() else { return false };
        let longer = request.counter.count(&line.text);
        if section.lines.len() < request.limit && self.tokens + longer <= self.budget {
            section.lines.push(line);
            let tokens = request.counter.count(&render(self, Form::Prompt, false));
            if tokens <= self.budget {
                self.tokens = tokens;
                return true;
            }
            if let Some(section) = self.sections.last_mut() {
                section.lines.pop();
            }
        }
        false
    }

    /// The context in one of its forms. Receipts stay out of the prompt unless asked for.
    pub fn render(&self, form: Form, receipts: bool) -> String {
        render(self, form, receipts)
    }
}

struct Writer<'a> {
    request: &'a Request<'a>,
    /// Earlier states of what has one state at a time, by what the speaker knows.
    superseded: BTreeSet<FactId>,
    /// Facts that an earlier section already tells.
    said: BTreeSet<FactId>,
    /// Facts of which the speaker has learned that they are not so, or so no longer.
    answered: BTreeSet<FactId>,
    /// Relations, and what has one state at a time, by subject: what may contradict each other.
    rivals: FxHashMap<&'a EntityId, Vec<&'a Known>>,
}

impl<'a> Writer<'a> {
    fn new(request: &'a Request<'a>) -> Self {
        let superseded = superseded(request.view, request.vocabulary);
        let (mut answered, mut rivals) = (BTreeSet::new(), FxHashMap::<_, Vec<_>>::default());
        for known in request.view.facts() {
            answered.extend(match known.bearing() {
                Some(Bearing::Refutes(fact) | Bearing::Ends(fact)) => Some(fact),
                _ => None,
            });
            if known.predicate().is_relation() || request.vocabulary.is_functional(known.predicate()) {
                rivals.entry(known.subject()).or_default().push(known);
            }
        }
        Self { request, superseded, said: BTreeSet::new(), answered, rivals }
    }

    fn speaker(&self, name: &str) -> Section {
        let speaker = self.request.speaker;
        let mut facts: Vec<(usize, &Known)> = Vec::new();
        for known in self.facts().filter(|known| known.subject() == speaker) {
            let place = IDENTITY.iter().position(|name| *known.predicate() == **name);
            let alias = *known.predicate() == *attribute::ALIAS;
            facts.extend(place.or(alias.then_some(IDENTITY.len())).map(|place| (place, known)));
        }
        facts.sort_by_key(|(place, known)| (*place, known.id()));
        let lines = facts.into_iter().map(|(_, known)| self.line(known, labelled(known))).collect();
        Section { name: "speaker", title: name.to_owned(), lines }
    }

    /// Relations of the speaker itself, the strongest feelings first.
    fn relations(&self) -> Section {
        let speaker = self.request.speaker;
        let own = |known: &&Known| {
            known.predicate().is_relation()
                && *known.predicate() != *predicate::LOCATED_AT
                && (known.subject() == speaker || known.object().entity() == Some(speaker))
        };
        let mut facts: Vec<_> = self.facts().filter(own).collect();
        facts.sort_by_key(|known| {
            let feeling = known.attitude().map_or(0, |attitude| attitude.get().unsigned_abs());
            (known.subject() != speaker, std::cmp::Reverse(feeling), known.predicate().clone(), known.id())
        });
        let lines = facts.into_iter().map(|known| self.line(known, known.statement().to_owned())).collect();
        Section { name: "relations", title: "Relations".into(), lines }
    }

    fn scene(&self) -> Section {
        let Request { names, scene, .. } = self.request;
        let given = |text: String| Line {
            text,
            note: String::new(),
            receipt: Receipt {
                source: Source::Scene,
                how: "the scene".into(),
                credence: None,
                learned: None,
                session: None,
                file: None,
                conceals: false,
            },
            score: None,
            channels: None,
        };
        let mut lines = Vec::new();
        if let Some(time) = scene.time {
            let weekday = self.request.calendar.weekday(time).map(|day| format!("{day}, ")).unwrap_or_default();
            lines.push(given(format!("It is {weekday}{}.", self.request.calendar.print(time))));
        }
        if let Some(place) = &scene.place {
            if let Some(name) = names.name(place) {
                lines.push(given(format!("The place is {name}.")));
            }
            for attribute in SETTING {
                let of_place = |known: &&Known| known.subject() == place && *known.predicate() == *attribute;
                lines.extend(self.facts().filter(of_place).map(|known| self.line(known, known.statement().to_owned())));
            }
        }
        for id in &self.present() {
            let name = names.name(id).unwrap_or("Somebody whom you do not know by name");
            let of_them = |known: &&Known| known.subject() == id && *known.predicate() == *"occupation";
            let occupation = self.facts().filter(of_them).max_by_key(|known| (known.credence(), known.recency()));
            match occupation {
                Some(known) => {
                    let told = self.line(known, format!("{name} is there, {}.", known.object()));
                    // Doubt about the trade is no doubt that somebody is there.
                    lines.push(Line { note: String::new(), ..told });
                }
                None => lines.push(given(format!("{name} is there."))),
            }
        }
        Section { name: "scene", title: "Scene".into(), lines }
    }

    /// Who is there besides the speaker: those who are named, or else those whom it knows to be there. Sorted.
    fn present(&self) -> Vec<EntityId> {
        let Request { scene, speaker, .. } = self.request;
        let mut present = scene.present.clone();
        if let Some(place) = scene.place.as_ref().filter(|_| present.is_empty()) {
            let here =
                |known: &&Known| *known.predicate() == *predicate::LOCATED_AT && known.object().entity() == Some(place);
            present.extend(self.facts().filter(here).map(|known| known.subject().clone()));
        }
        present.retain(|id| id != *speaker);
        present.sort();
        present.dedup();
        present
    }

    /// What bears on the question, the best first.
    fn ranked(&self) -> Vec<Ranked> {
        let request = self.request;
        let mut named = request.names.mentioned(request.question);
        let says_here = text::words(request.question).iter().any(|word| word == "here");
        if let Some(place) = request.scene.place.as_ref().filter(|_| says_here)
            && named.iter().all(|named| named.id != *place)
        {
            named.push(request.names.named(place));
        }
        let query = Query {
            text: request.question,
            vector: request.vector,
            named,
            graph: request.graph,
            weights: Weights::default(),
        };
        let ranked = rank(request.view, request.index, &query).into_iter();
        ranked.take_while(|ranked| ranked.score >= RELEVANT).filter(|ranked| self.is_latest(ranked)).collect()
    }

    /// What the speaker knows of what bears on the question.
    fn knowledge(&self, ranked: &[Ranked]) -> Vec<Line> {
        let said = |place: usize, ranked: &Ranked| matches!(ranked.doc, DocId::Fact(id) if place >= LEADING && self.said.contains(&id));
        let new = ranked.iter().enumerate().filter(|(place, ranked)| !said(*place, ranked));
        new.filter_map(|(_, ranked)| self.ranked_line(ranked)).collect()
    }

    /// What bears on the question and the speaker has reason to think that others who are there know. Common lore, and
    /// what all know who live here, is no reason.
    fn others(&self, ranked: &[Ranked]) -> Vec<Line> {
        let (present, view) = (self.present(), self.request.view);
        let fact = |ranked: &Ranked| match ranked.doc {
            DocId::Fact(id) => view.fact(id),
            DocId::Passage(_) => None,
        };
        let of_its_own = |known: &&Known| {
            let own = known.ways().iter().any(|way| way.via == Via::Own);
            own || known.is_secret() || !known.shared().is_empty()
        };
        let mut lines = Vec::new();
        for known in ranked.iter().take(self.request.limit).filter_map(fact).filter(of_its_own) {
            let note = self.why_known(&present, known);
            if !note.is_empty() {
                lines.push(Line { note, ..self.line(known, known.statement().to_owned()) });
            }
            if lines.len() == MOST_SHARED {
                break;
            }
        }
        lines
    }

    /// Why the speaker thinks that some of those present know a fact, each by the latest reason; empty, when none does.
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

    /// Whether a result is no earlier state of something that has one state at a time.
    fn is_latest(&self, ranked: &Ranked) -> bool {
        !matches!(ranked.doc, DocId::Fact(id) if self.superseded.contains(&id))
    }

    /// What the speaker knows, without earlier states.
    fn facts(&self) -> impl Iterator<Item = &Known> {
        self.request.view.facts().filter(|known| !self.superseded.contains(&known.id()))
    }

    fn ranked_line(&self, ranked: &Ranked) -> Option<Line> {
        let line = match ranked.doc {
            DocId::Fact(id) => {
                let known = self.request.view.fact(id)?;
                self.line(known, known.statement().to_owned())
            }
            DocId::Passage(id) => self.passage_line(id, self.request.view.passage(id)?),
        };
        Some(Line { score: Some(ranked.score), channels: Some(ranked.channels), ..line })
    }

    fn line(&self, known: &Known, text: String) -> Line {
        let learned = known.learned().map(|time| self.request.calendar.print(time));
        let receipt = Receipt {
            source: Source::Fact(known.id()),
            how: match known.how() {
                Some((how, via)) => self.how(how, via),
                None if known.shared().is_empty() => "recorded".into(),
                None => "made it up".into(),
            },
            credence: known.how().map(|_| known.credence()),
            learned,
            session: known.session().cloned(),
            file: file(known.evidence()),
            conceals: known.conceals(),
        };
        Line { text, note: self.note(known), receipt, score: None, channels: None }
    }

    fn passage_line(&self, id: PassageId, heard: &Heard) -> Line {
        let passage = &heard.passage;
        let speaker = passage.speaker.as_ref();
        let text = match speaker {
            Some(who) if who == self.request.speaker => format!("You said: \u{201C}{}\u{201D}", passage.text),
            Some(who) => format!("{} said: \u{201C}{}\u{201D}", self.called(who), passage.text),
            None => passage
                .title
                .as_ref()
                .map_or_else(|| passage.text.clone(), |title| format!("{title}: {}", passage.text)),
        };
        let how = match &heard.via {
            Via::Own if speaker == Some(self.request.speaker) => "said it".into(),
            Via::Own if speaker.is_some() => "heard it".into(),
            Via::Own if passage.session.is_some() => "was there".into(),
            Via::Own => "read it".into(),
            via => self.how(&How::Authored, via),
        };
        let receipt = Receipt {
            source: Source::Passage(id),
            how,
            credence: None,
            learned: passage.time.as_ref().and_then(|date| date.time).map(|time| self.request.calendar.print(time)),
            session: passage.session.clone(),
            file: file(&passage.evidence),
            conceals: false,
        };
        Line { text, note: String::new(), receipt, score: None, channels: None }
    }

    fn called(&self, id: &EntityId) -> &str {
        self.called_or(id, "somebody")
    }

    fn called_or<'n>(&'n self, id: &EntityId, nameless: &'n str) -> &'n str {
        self.request.names.name(id).unwrap_or(nameless)
    }

    fn how(&self, how: &How, via: &Via) -> String {
        let learned = match how {
            How::Witnessed => "witnessed".to_owned(),
            How::Told { by: Some(by), citing: None } => format!("told by {}", self.called(by)),
            How::Told { by: Some(by), citing: Some(citing) } => {
                format!("told by {}, who has it from {}", self.called(by), self.called(citing))
            }
            How::Shared => "passed it on".to_owned(),
            How::Told { by: None, .. } => "heard talk of it".to_owned(),
            How::Read { document: Some(document) } => format!("read in {}", self.called_or(document, "a document")),
            How::Read { document: None } => "read".to_owned(),
            How::Authored => String::new(),
            How::Deduced { .. } => "concluded".to_owned(),
        };
        let reached = match via {
            Via::Own if learned.is_empty() => "own knowledge".to_owned(),
            Via::Own => String::new(),
            Via::Member(group) => format!("as a member of {}", self.called_or(group, "a group")),
            Via::Resident(place) => format!("as a resident of {}", self.called_or(place, "a place")),
            Via::Common => "common lore".to_owned(),
        };
        [learned, reached].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }

    /// Whether the speaker knows something that cannot be so together with a fact, and neither is an earlier state.
    fn has_heard_both(&self, known: &Known) -> bool {
        let rivals = self.rivals.get(known.subject()).into_iter().flatten();
        // What is said in public and what is kept secret are no rumours that contradict each other.
        let rivals = rivals.filter(|other| other.is_secret() == known.is_secret());
        let stand = |id| !self.superseded.contains(&id) && !self.answered.contains(&id);
        stand(known.id())
            && rivals.filter(|other| stand(other.id())).any(|other| self.request.view.are_against(known, other))
    }

    /// What the speaker makes of a fact.
    fn note(&self, known: &Known) -> String {
        let mut credence = known.credence().get();
        let mut notes = Vec::new();
        if self.answered.contains(&known.id()) {
            let belief = self.request.view.belief(known);
            credence = belief.credence.get();
            match belief.hold {
                Hold::Ended(_) => notes.push("it is so no longer".to_owned()),
                Hold::Outweighed(_) => notes.push("you have heard that it is not so, and believe that".into()),
                // An end that is not believed, or lies ahead, is a fact among others.
                _ if belief.credence < known.credence() => notes.push("you have heard that it is not so".into()),
                _ => {}
            }
        } else if self.has_heard_both(known) {
            notes.push("you have heard both this and otherwise".into());
        }
        if known.how().is_some() {
            let untrue = "you know that this is untrue";
            let belief =
                [(0.0, untrue), (0.35, "you doubt it"), (0.65, "you are not sure of it"), (0.9, "you believe it")];
            notes.extend(belief.into_iter().find(|(up_to, _)| credence <= *up_to).map(|(_, note)| note.to_owned()));
            if let Some((How::Told { by: Some(by), .. }, Via::Own)) = known.how() {
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

/// `A`, `A and B`, `A, B and C`.
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Of what has one state at a time, the states that the knower believes and knows a later one of. What is doubted neither
/// ends a state nor is ended: of rumours that contradict each other, each is told. Nor does an open state end a secret one.
fn superseded(view: &View, vocabulary: &Vocabulary) -> BTreeSet<FactId> {
    let believed = |known: &&Known| known.credence().get() >= BELIEVED && vocabulary.is_functional(known.predicate());
    let key = |known: &Known| (known.subject().clone(), known.predicate().clone(), known.is_secret());
    let mut latest: BTreeMap<_, &Known> = BTreeMap::new();
    for known in view.facts().filter(believed) {
        let best = latest.entry(key(known)).or_insert(known);
        if best.recency() < known.recency() {
            *best = known;
        }
    }
    let is_earlier = |known: &&Known| {
        latest.get(&key(known)).is_some_and(|best| known.recency() < best.recency() && known.object() != best.object())
    };
    view.facts().filter(believed).filter(is_earlier).map(Known::id).collect()
}

/// An attribute under its label: `Occupation: innkeeper`.
fn labelled(known: &Known) -> String {
    let mut label = known.predicate().as_str().replace('_', " ");
    if let Some(first) = label.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    format!("{label}: {}", known.object())
}

fn file(evidence: &[Evidence]) -> Option<String> {
    evidence.iter().find_map(|evidence| match evidence {
        Evidence::File { path, line, .. } => Some(format!("{path}:{line}")),
        Evidence::Passage { .. } => None,
    })
}
