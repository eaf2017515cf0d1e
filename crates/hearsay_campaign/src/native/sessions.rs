//! Sessions and their logs. Every line of a log is a passage, and its hearers learn the facts that it states.

use hearsay_model::{
    Acquisition, Credence, Date, EntityId, Fact, FactStatus, Knower, Method, Passage, Session, SessionId, attribute,
    text,
};

use super::{
    drafts::Context,
    fields::{Fields, nth},
    reader::CampaignReader,
};
use crate::{
    campaign::{Learned, Reach, Text},
    keys,
    yaml::{Node, Yaml},
};

/// The session, and the place, time and hearers of the current line of the log.
struct Scene {
    session: SessionId,
    place: Option<EntityId>,
    present: Vec<Knower>,
    time: Option<Date>,
}

impl CampaignReader {
    pub(super) fn session(&mut self, f: &Fields) {
        let number = self.count(f, "number");
        let title = self.owned(f, "title");
        let written = match (self.text(f, "id"), &title, number) {
            (Some(id), ..) => id.to_owned(),
            (None, Some(title), _) => hearsay_model::slug(title),
            (None, None, Some(number)) => format!("session-{number}"),
            (None, None, None) => String::new(),
        };
        let id = match SessionId::new(&written) {
            Ok(id) => id,
            Err(error) => return self.faults.add(f.at, &f.below("id"), error.to_string(), "add `id: session-1`"),
        };
        if let Some(first) = self.session_ids.insert(id.clone(), f.at) {
            let message = format!("duplicate id `{id}`: it is already used at {}", self.faults.spot(first));
            return self.faults.add(f.at, &f.path, message, "give one of them another `id`");
        }
        let (start, end) = (self.date(f, "start"), self.date(f, "end"));
        if let (Some(begin), Some(stop)) = (start.as_ref().and_then(|d| d.time), end.as_ref().and_then(|d| d.time))
            && stop < begin
        {
            self.faults.add(f.at, &f.below("end"), "the session ends before it begins", "");
        }
        let mut present = self.refers(f, "present");
        present.sort();
        present.dedup();
        let place = self.refer(f, "place");
        let hearers: Vec<Knower> = present.iter().cloned().map(Knower::Entity).collect();
        if let Some(summary) = self.owned(f, "summary") {
            let mut passage = Passage::new(summary);
            passage.title.clone_from(&title);
            passage.session = Some(id.clone());
            passage.time = end.clone().or_else(|| start.clone());
            passage.place.clone_from(&place);
            passage.heard_by.clone_from(&hearers);
            passage.mentions = self.mentions(&passage.text, None);
            let at = f.get("summary").map_or(f.at, |node| node.at);
            passage.evidence.push(self.evidence(at, &f.below("summary")));
            self.passages.push(Text { passage, reach: Reach::Named, subject: None, facts: Vec::new() });
        }
        let date = f.get("date").and_then(|node| match &node.value {
            Yaml::Number(_, raw) => Some(raw.to_string()),
            _ => self.owned(f, "date"),
        });
        let mut scene = Scene { session: id.clone(), place, present: hearers, time: start.clone() };
        let title = title.unwrap_or_else(|| number.map_or_else(|| id.to_string(), |n| format!("Session {n}")));
        self.sessions.push(Session { id, number, title, date, start, end, present });
        for (n, node) in self.list(f, "log").iter().enumerate() {
            self.line(&mut scene, node, &nth(&f.below("log"), n), n as u32 + 1);
        }
    }

    fn line(&mut self, scene: &mut Scene, node: &Node, path: &str, line: u32) {
        let f = match node.value {
            Yaml::Map(_) => match self.fields(node, path, &keys::LINE) {
                Some(f) => Some(f),
                None => return,
            },
            _ => None,
        };
        let text = match &f {
            Some(f) => self.needed(f, "text", "a line"),
            None => self.text_of(node, path),
        };
        let Some(text) = text else { return };
        let mut passage = Passage::new(text.trim());
        let (mut hearers, mut place) = (scene.present.clone(), scene.place.clone());
        if let Some(f) = &f {
            passage.speaker = self.refer(f, "speaker");
            passage.speaker_alias = passage.speaker.as_ref().and_then(|id| {
                let written = self.text(f, "speaker")?.trim();
                self.index.is_secret_name(id, written).then(|| written.to_owned())
            });
            if f.get("heard_by").is_some() {
                hearers = self.knowers(f, "heard_by");
            }
            hearers.extend(self.knowers(f, "with"));
            place = self.refer(f, "place").or(place);
            if let Some(time) = self.date(f, "time") {
                scene.time = Some(time);
            }
        }
        let (speaker, alias) = (passage.speaker.clone(), passage.speaker_alias.clone());
        passage.heard_by = hearers.iter().cloned().chain(speaker.clone().map(Knower::Entity)).collect();
        passage.heard_by.sort();
        passage.heard_by.dedup();
        hearers.retain(|hearer| hearer.entity().is_none() || hearer.entity() != speaker.as_ref());
        passage.session = Some(scene.session.clone());
        passage.line = line;
        passage.time.clone_from(&scene.time);
        passage.place = place;
        passage.mentions = self.mentions(&passage.text, None);
        passage.evidence.push(self.evidence(node.at, path));
        let context = Context {
            reach: Reach::Named,
            status: if speaker.is_some() { FactStatus::Claimed } else { FactStatus::Canon },
            method: if speaker.is_some() { Method::Stated } else { Method::Imported },
            speaker,
            session: Some(scene.session.clone()),
            passage: Some((passage.id(), passage.text.clone())),
            ..Context::about(None)
        };
        self.passages.push(Text { passage, reach: Reach::Named, subject: None, facts: Vec::new() });
        let Some(f) = f else { return };
        for f in self.maps(&f, "facts", &keys::STATED) {
            self.stated(&f, scene, &context, (&hearers[..], alias.as_deref()));
        }
    }

    /// Reads a fact that a line of the log states. If the line has a speaker, the speaker told the fact to the hearers.
    /// Otherwise, the hearers witnessed the fact. If the line names the speaker by a secret name, some hearers may not
    /// know that the name belongs to the speaker. These hearers were told the fact by an unknown teller.
    fn stated(&mut self, f: &Fields, scene: &Scene, context: &Context, (hearers, alias): (&[Knower], Option<&str>)) {
        let given = self.scale(f, "credence", Credence::new);
        let usual = if context.speaker.is_some() { 0.7 } else { 1.0 };
        let Some(credence) = given.or(Credence::new(usual).ok()) else { return };
        let knows = |hearer: &Knower, speaker: &EntityId, alias: &str| {
            let is_name = |fact: &Fact| {
                let said = fact.object().text().is_some_and(|name| text::normalize(name) == text::normalize(alias));
                *fact.predicate() == *attribute::ALIAS && fact.subject() == speaker && said
            };
            let mut names = self.facts.iter().filter(|stated| is_name(&stated.fact));
            names.any(|stated| stated.learned.iter().any(|learned| learned.knower == *hearer))
        };
        let acquisition = |hearer: &Knower| match (&context.speaker, alias) {
            (Some(speaker), Some(alias)) if !knows(hearer, speaker, alias) => Acquisition::told(None),
            (Some(speaker), _) => Acquisition::told(Some(speaker.clone())),
            (None, _) => Acquisition::Witnessed,
        };
        let others = |hearer| hearers.iter().filter(move |other| *other != hearer).filter_map(Knower::entity).cloned();
        let learned = hearers.iter().map(|hearer| Learned {
            acquisition: acquisition(hearer),
            learned: scene.time.clone(),
            session: Some(scene.session.clone()),
            co_present: others(hearer).collect(),
            at: f.at,
            ..Learned::authored(hearer.clone(), credence, false)
        });
        let learned: Vec<Learned> = learned.collect();
        if self.is_reference(f) {
            if let Some(mut later) = self.later(f, "fact") {
                later.learned.extend(learned);
                later.speaker.clone_from(&context.speaker);
                later.said_in.clone_from(&context.passage);
                self.later.push(later);
            }
        } else if let Some(number) = self.entry(f, context) {
            self.facts[number].learned.extend(learned);
            self.facts[number].speakers.extend(context.speaker.clone());
        }
    }
}
