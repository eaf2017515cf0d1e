//! Sessions and their logs. Every line of a log is a passage, and its hearers learn the facts that it states.

use hearsay_model::{
    Acquisition, Credence, Date, EntityId, Fact, FactStatus, Knower, Method, Passage, Session, SessionId, attribute,
    text,
};

use super::{
    drafts::Context,
    fields::{Fields, item_path},
    reader::CampaignReader,
};
use crate::{
    campaign::{AudienceSource, CampaignPassage, KnowerEntry},
    keys,
    yaml::{Node, Yaml},
};

/// The session, and the place, time and hearers of the current line of the log.
struct LogContext {
    session: SessionId,
    place: Option<EntityId>,
    present: Vec<Knower>,
    time: Option<Date>,
}

impl CampaignReader {
    pub(super) fn read_session(&mut self, f: &Fields) {
        let number = self.read_count(f, "number");
        let title = self.read_trimmed_text(f, "title");
        let id_text = match (self.read_text(f, "id"), &title, number) {
            (Some(id), ..) => id.to_owned(),
            (None, Some(title), _) => hearsay_model::slug(title),
            (None, None, Some(number)) => format!("session-{number}"),
            (None, None, None) => String::new(),
        };
        let id = match SessionId::new(&id_text) {
            Ok(id) => id,
            Err(error) => {
                return self.diagnostics.add(f.at, &f.child_path("id"), error.to_string(), "add `id: session-1`");
            }
        };
        if let Some(first_position) = self.session_ids.insert(id.clone(), f.at) {
            let message = format!(
                "duplicate id `{id}`: it is already used at {}",
                self.diagnostics.format_position(first_position)
            );
            return self.diagnostics.add(f.at, &f.path, message, "give one of the two sessions another `id`");
        }
        let (start, end) = (self.read_date(f, "start"), self.read_date(f, "end"));
        if let (Some(begin), Some(stop)) = (start.as_ref().and_then(|d| d.time), end.as_ref().and_then(|d| d.time))
            && stop < begin
        {
            self.diagnostics.add(
                f.at,
                &f.child_path("end"),
                "the session ends before it begins",
                "correct `start` or `end`",
            );
        }
        let mut present = self.read_references(f, "present");
        present.sort();
        present.dedup();
        let place = self.read_reference(f, "place");
        let hearers: Vec<Knower> = present.iter().cloned().map(Knower::Entity).collect();
        if let Some(summary) = self.read_trimmed_text(f, "summary") {
            let mut passage = Passage::new(summary);
            passage.title.clone_from(&title);
            passage.session = Some(id.clone());
            passage.time = end.clone().or_else(|| start.clone());
            passage.place.clone_from(&place);
            passage.heard_by.clone_from(&hearers);
            passage.mentions = self.find_mentions(&passage.text, None);
            let at = f.get("summary").map_or(f.at, |node| node.at);
            passage.evidence.push(self.file_evidence(at, &f.child_path("summary")));
            self.passages.push(CampaignPassage {
                passage,
                audience_source: AudienceSource::NamedKnowers,
                subject: None,
                facts: Vec::new(),
            });
        }
        let date = f.get("date").and_then(|node| match &node.value {
            Yaml::Number(_, raw) => Some(raw.to_string()),
            _ => self.read_trimmed_text(f, "date"),
        });
        let mut log_context = LogContext { session: id.clone(), place, present: hearers, time: start.clone() };
        let title = title.unwrap_or_else(|| number.map_or_else(|| id.to_string(), |n| format!("Session {n}")));
        self.sessions.push(Session { id, number, title, date, start, end, present });
        for (n, node) in self.read_list(f, "log").iter().enumerate() {
            self.read_line(&mut log_context, node, &item_path(&f.child_path("log"), n), n as u32 + 1);
        }
    }

    fn read_line(&mut self, log_context: &mut LogContext, node: &Node, path: &str, line: u32) {
        let f = match node.value {
            Yaml::Map(_) => match self.read_fields(node, path, &keys::LINE) {
                Some(f) => Some(f),
                None => return,
            },
            _ => None,
        };
        let text = match &f {
            Some(f) => self.read_required_text(f, "text", "a line"),
            None => self.read_text_node(node, path),
        };
        let Some(text) = text else { return };
        let mut passage = Passage::new(text.trim());
        let (mut hearers, mut place) = (log_context.present.clone(), log_context.place.clone());
        if let Some(f) = &f {
            passage.speaker = self.read_reference(f, "speaker");
            passage.speaker_alias = passage.speaker.as_ref().and_then(|id| {
                let name = self.read_text(f, "speaker")?.trim();
                self.index.is_secret_name(id, name).then(|| name.to_owned())
            });
            if f.get("heard_by").is_some() {
                hearers = self.read_knowers(f, "heard_by");
            }
            hearers.extend(self.read_knowers(f, "with"));
            place = self.read_reference(f, "place").or(place);
            if let Some(time) = self.read_date(f, "time") {
                log_context.time = Some(time);
            }
        }
        let (speaker, alias) = (passage.speaker.clone(), passage.speaker_alias.clone());
        passage.heard_by = hearers.iter().cloned().chain(speaker.clone().map(Knower::Entity)).collect();
        passage.heard_by.sort();
        passage.heard_by.dedup();
        hearers.retain(|hearer| hearer.entity().is_none() || hearer.entity() != speaker.as_ref());
        passage.session = Some(log_context.session.clone());
        passage.line = line;
        passage.time.clone_from(&log_context.time);
        passage.place = place;
        passage.mentions = self.find_mentions(&passage.text, None);
        passage.evidence.push(self.file_evidence(node.at, path));
        let context = Context {
            audience_source: AudienceSource::NamedKnowers,
            status: if speaker.is_some() { FactStatus::Claimed } else { FactStatus::Canon },
            method: if speaker.is_some() { Method::Stated } else { Method::Imported },
            speaker,
            session: Some(log_context.session.clone()),
            passage: Some((passage.id(), passage.text.clone())),
            ..Context::for_subject(None)
        };
        self.passages.push(CampaignPassage {
            passage,
            audience_source: AudienceSource::NamedKnowers,
            subject: None,
            facts: Vec::new(),
        });
        let Some(f) = f else { return };
        for f in self.read_maps(&f, "facts", &keys::STATED) {
            self.read_stated_fact(&f, log_context, &context, (&hearers[..], alias.as_deref()));
        }
    }

    /// Reads a fact that a line of the log states. If the line has a speaker, the speaker told the fact to the hearers.
    /// If the line has no speaker, the hearers witnessed the fact. If the line names the speaker by a secret name, some
    /// hearers may not know that the name belongs to the speaker. These hearers were told the fact by an unknown
    /// teller.
    fn read_stated_fact(
        &mut self,
        f: &Fields,
        log_context: &LogContext,
        context: &Context,
        (hearers, alias): (&[Knower], Option<&str>),
    ) {
        let given_credence = self.read_scale(f, "credence", Credence::new);
        let default_credence = if context.speaker.is_some() { 0.7 } else { 1.0 };
        let Some(credence) = given_credence.or(Credence::new(default_credence).ok()) else { return };
        let knows_alias = |hearer: &Knower, speaker: &EntityId, alias: &str| {
            let is_name = |fact: &Fact| {
                let has_alias =
                    fact.object().text().is_some_and(|name| text::normalize(name) == text::normalize(alias));
                *fact.predicate() == *attribute::ALIAS && fact.subject() == speaker && has_alias
            };
            let mut names = self.facts.iter().filter(|campaign_fact| is_name(&campaign_fact.fact));
            names.any(|campaign_fact| campaign_fact.knowers.iter().any(|entry| entry.knower == *hearer))
        };
        let acquisition = |hearer: &Knower| match (&context.speaker, alias) {
            (Some(speaker), Some(alias)) if !knows_alias(hearer, speaker, alias) => Acquisition::told(None),
            (Some(speaker), _) => Acquisition::told(Some(speaker.clone())),
            (None, _) => Acquisition::Witnessed,
        };
        let others = |hearer| hearers.iter().filter(move |other| *other != hearer).filter_map(Knower::entity).cloned();
        let entries = hearers.iter().map(|hearer| KnowerEntry {
            acquisition: acquisition(hearer),
            learned: log_context.time.clone(),
            session: Some(log_context.session.clone()),
            co_present: others(hearer).collect(),
            at: f.at,
            ..KnowerEntry::authored(hearer.clone(), credence, false)
        });
        let entries: Vec<KnowerEntry> = entries.collect();
        if self.is_fact_reference(f) {
            if let Some(mut reference) = self.read_handle_reference(f, "fact") {
                reference.knowers.extend(entries);
                reference.speaker.clone_from(&context.speaker);
                reference.log_line.clone_from(&context.passage);
                self.handle_references.push(reference);
            }
        } else if let Some(index) = self.read_fact(f, context) {
            self.facts[index].knowers.extend(entries);
            self.facts[index].speakers.extend(context.speaker.clone());
        }
    }
}
