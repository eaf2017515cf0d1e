//! The settings of a campaign: its name, calendar, audience rules and vocabulary.

use hearsay_model::{
    AttributeDef, Audience, AudienceRules, Calendar, CalendarError, CampaignInfo, Degree, EntityId, Era, GameTime,
    History, LeapRule, MindRules, Month, Predicate, PredicateDef, VocabularyError,
};

use super::{
    fields::{Fields, item_path},
    reader::CampaignReader,
    references::parse_kind,
};
use crate::{keys, yaml::Node};

const AUDIENCES: [&str; 4] = ["common", "local", "parties", "private"];

impl CampaignReader {
    pub(super) fn read_campaign(&mut self, node: &Node) -> Option<(CampaignInfo, Option<GameTime>)> {
        let f = self.read_fields(node, "campaign", &keys::CAMPAIGN)?;
        let name = self.read_required_text(&f, "name", "a campaign");
        let id = match self.read_text(&f, "id").or(name).map(|id| (id, f.get("id").is_some())) {
            Some((id, true)) => EntityId::new(id),
            Some((name, false)) => EntityId::from_name(name),
            None => return None,
        };
        let description = self.read_trimmed_text(&f, "description").unwrap_or_default();
        let system = self.read_trimmed_text(&f, "system").unwrap_or_default();
        let start = self.read_date(&f, "start").and_then(|date| date.time);
        match id {
            Ok(id) => {
                let (id, name) = (id.to_string(), name?.trim().to_owned());
                Some((CampaignInfo { id, name, description, system }, start))
            }
            Err(error) => {
                let at = f.get("id").map_or(f.at, |node| node.at);
                self.diagnostics.add(at, "campaign/id", error.to_string(), "");
                None
            }
        }
    }

    pub(super) fn read_calendar(&mut self, node: &Node) -> Option<Calendar> {
        let error_count = self.diagnostics.error_count();
        let f = self.read_fields(node, "calendar", &keys::CALENDAR)?;
        let months = self.read_maps(&f, "months", &keys::MONTH);
        let months = months.iter().filter_map(|m| {
            let name = self.read_required_text(m, "name", "a month")?.trim().to_owned();
            if m.get("days").is_none() {
                self.diagnostics.add(m.at, &m.path, format!("the month {name} has no `days`"), "add `days: 30`");
            }
            Some(Month { name, days: self.read_count(m, "days")? })
        });
        let months = months.collect();
        let (leap, eras) = (self.read_maps(&f, "leap", &keys::LEAP), self.read_maps(&f, "eras", &keys::ERA));
        let defaults = Calendar::default();
        let calendar = Calendar {
            name: self.read_trimmed_text(&f, "name").unwrap_or_default(),
            months,
            weekdays: self.read_texts(&f, "weekdays"),
            hours_per_day: self.read_count(&f, "hours_per_day").unwrap_or(defaults.hours_per_day),
            minutes_per_hour: self.read_count(&f, "minutes_per_hour").unwrap_or(defaults.minutes_per_hour),
            era: self.read_trimmed_text(&f, "era").unwrap_or_default(),
            leap: leap.iter().filter_map(|rule| self.read_leap_rule(rule)).collect(),
            year_zero: self.read_flag(&f, "year_zero").unwrap_or(defaults.year_zero),
            eras: eras.iter().filter_map(|era| self.read_era(era)).collect(),
        };
        if self.diagnostics.error_count() > error_count {
            return None;
        }
        let checked = calendar.check().map_err(|error| {
            let part = match error {
                CalendarError::Leap { number, .. } => leap.get(number - 1),
                CalendarError::Era { number, .. } => eras.get(number - 1),
                _ => None,
            };
            let part = part.unwrap_or(&f);
            self.diagnostics.add(part.at, &part.path, error.to_string(), "");
        });
        checked.ok().map(|()| calendar)
    }

    fn read_leap_rule(&mut self, f: &Fields) -> Option<LeapRule> {
        if f.get("every").is_none() {
            self.diagnostics.add(f.at, &f.path, "the leap rule has no `every`", "add `every: 4`");
        }
        Some(LeapRule {
            month: self.read_required_text(f, "month", "a leap rule")?.trim().to_owned(),
            every: self.read_count(f, "every")?,
            except_every: self.read_count(f, "except_every"),
            unless_every: self.read_count(f, "unless_every"),
            offset: self.read_integer(f, "offset").unwrap_or(0),
            days: self.read_count(f, "days").unwrap_or(1),
        })
    }

    fn read_era(&mut self, f: &Fields) -> Option<Era> {
        Some(Era {
            name: self.read_required_text(f, "name", "an era")?.trim().to_owned(),
            short: self.read_trimmed_text(f, "short").unwrap_or_default(),
            start: self.read_integer(f, "start"),
            end: self.read_integer(f, "end"),
            first: self.read_integer(f, "first").unwrap_or(1),
            backwards: self.read_flag(f, "backwards").unwrap_or(false),
        })
    }

    pub(super) fn read_audience(&mut self, f: &Fields, key: &str) -> Option<Audience> {
        self.read_audience_node(f.get(key)?, &f.child_path(key))
    }

    fn read_audience_node(&mut self, node: &Node, path: &str) -> Option<Audience> {
        match self.read_text_node(node, path)? {
            "common" => Some(Audience::Common),
            "local" => Some(Audience::Local),
            "parties" => Some(Audience::Parties),
            "private" => Some(Audience::Private),
            other => {
                let message = format!("unknown audience `{other}`");
                self.diagnostics.add(node.at, path, message, keys::hint(other, AUDIENCES));
                None
            }
        }
    }

    fn read_history(&mut self, f: &Fields) -> History {
        let Some(node) = f.get("history") else { return History::default() };
        let path = f.child_path("history");
        match self.read_text_node(node, &path) {
            Some("full") | None => History::Full,
            Some("session") => History::Session,
            Some("latest") => History::Latest,
            Some(other) => {
                let hint = keys::hint(other, ["full", "session", "latest"]);
                self.diagnostics.add(node.at, &path, format!("unknown history `{other}`"), hint);
                History::Full
            }
        }
    }

    /// Reads the audience rules. The vocabulary is complete at this point, so unknown names can be reported.
    pub(super) fn read_audience_rules(&mut self, node: &Node) -> AudienceRules {
        let mut rules = AudienceRules::default();
        let Some(f) = self.read_fields(node, "audience", &keys::AUDIENCE) else { return rules };
        rules.default = self.read_audience(&f, "default");
        for (key, is_relation) in [("predicates", true), ("attributes", false)] {
            let Some(node) = f.get(key) else { continue };
            let Some(map) = self.read_any_fields(node, &f.child_path(key), "the rules by name") else { continue };
            for (name, node) in map.entries() {
                let path = map.child_path(&name.text);
                let Some(audience) = self.read_audience_node(node, &path) else { continue };
                let known_names: Vec<String> = match is_relation {
                    true => self.vocabulary.predicates().map(|def| def.name.to_string()).collect(),
                    false => self.vocabulary.attributes().map(|def| def.name.to_string()).collect(),
                };
                match Predicate::new(&name.text) {
                    Ok(predicate) if known_names.iter().any(|known_name| **known_name == *name.text) => {
                        let rules = if is_relation { &mut rules.predicates } else { &mut rules.attributes };
                        rules.insert(predicate, audience);
                    }
                    _ => {
                        let sort = if is_relation { "predicate" } else { "attribute" };
                        let nearest_name = keys::nearest(&name.text, known_names.iter().map(String::as_str));
                        let hint = match nearest_name {
                            Some(nearest_name) => format!("did you mean `{nearest_name}`?"),
                            None => format!("declare the {sort} under `{sort}s`"),
                        };
                        self.diagnostics.add(name.at, &path, format!("unknown {sort} `{}`", name.text), hint);
                    }
                }
            }
        }
        rules
    }

    /// Reads the rules for minds. A rule that is missing or wrong keeps its default.
    pub(super) fn read_mind_rules(&mut self, node: &Node) -> MindRules {
        let mut rules = MindRules::default();
        let Some(f) = self.read_fields(node, "minds", &keys::MINDS) else { return rules };
        let degrees = Degree::ALL.map(|degree| (degree.as_str(), degree));
        if let Some(forgetting) = self.read_choice(&f, "forgetting", &degrees) {
            rules.forgetting = forgetting;
        }
        if let Some(distortion) = self.read_choice(&f, "distortion", &degrees) {
            rules.distortion = distortion;
        }
        if let Some(stifling) = self.read_choice(&f, "stifling", &degrees) {
            rules.stifling = stifling;
        }
        match self.read_count(&f, "feelings_half_life_days") {
            None => {}
            Some(0) => {
                let at = f.get("feelings_half_life_days").map_or(f.at, |node| node.at);
                let path = f.child_path("feelings_half_life_days");
                self.diagnostics.add(at, &path, "expected a number of days that is at least 1, not 0", "");
            }
            Some(days) => rules.feelings_half_life_days = days,
        }
        rules
    }

    fn read_predicate_name(&mut self, f: &Fields, key: &str) -> Option<Predicate> {
        let node = f.get(key)?;
        let text = self.read_text(f, key)?;
        Predicate::new(text)
            .map_err(|error| self.diagnostics.add(node.at, &f.child_path(key), error.to_string(), ""))
            .ok()
    }

    pub(super) fn read_predicate(&mut self, node: &Node, path: &str) -> Option<PredicateDef> {
        let f = self.read_fields(node, path, &keys::PREDICATE)?;
        self.read_required_text(&f, "name", "a predicate")?;
        let name = self.read_predicate_name(&f, "name")?;
        let def = PredicateDef {
            name,
            inverse: self.read_predicate_name(&f, "inverse"),
            phrase: self.read_required_text(&f, "phrase", "a predicate")?.to_owned(),
            inverse_phrase: self.read_trimmed_text(&f, "inverse_phrase"),
            symmetric: self.read_flag(&f, "symmetric").unwrap_or(false),
            functional: self.read_flag(&f, "functional").unwrap_or(false),
            history: self.read_history(&f),
            embedded: self.read_flag(&f, "embedded").unwrap_or(true),
            audience: self.read_audience(&f, "audience"),
            opposites: self.read_opposites(&f),
            examples: self.read_texts(&f, "examples"),
            behavior: self.read_behavior(&f),
            words: self.read_relation_words(&f).map(Box::new),
        };
        let result = self.vocabulary.define(def.clone());
        self.check_definition(&f, &def.name, result).map(|()| def)
    }

    /// Reads the opposites of a relation: relations that cannot hold at the same time. An opposite may be declared
    /// later, in any file.
    fn read_opposites(&mut self, f: &Fields) -> Vec<Predicate> {
        let mut opposites = Vec::new();
        for (n, node) in self.read_list(f, "opposites").iter().enumerate() {
            let path = item_path(&f.child_path("opposites"), n);
            let Some(text) = self.read_text_node(node, &path) else { continue };
            match Predicate::new(text) {
                Ok(name) => {
                    opposites.push(name.clone());
                    self.pending_opposites.push((name, node.at, path));
                }
                Err(error) => self.diagnostics.add(node.at, &path, error.to_string(), ""),
            }
        }
        opposites
    }

    /// Checks that every opposite is a relation. The vocabulary is complete at this point.
    pub(super) fn check_opposites(&mut self) {
        for (name, at, path) in std::mem::take(&mut self.pending_opposites) {
            if self.vocabulary.predicate(&name).is_none() {
                let known_names = self.vocabulary.predicates().map(|def| def.name.as_str());
                let hint = match keys::nearest(name.as_str(), known_names) {
                    Some(nearest_name) => format!("did you mean `{nearest_name}`?"),
                    None => "declare the predicate under `predicates`".to_owned(),
                };
                self.diagnostics.add(at, &path, format!("unknown predicate `{name}`"), hint);
            }
        }
    }

    pub(super) fn read_attribute_def(&mut self, node: &Node, path: &str) -> Option<AttributeDef> {
        let f = self.read_fields(node, path, &keys::ATTRIBUTE_DEF)?;
        self.read_required_text(&f, "name", "an attribute")?;
        let def = AttributeDef {
            name: self.read_predicate_name(&f, "name")?,
            kinds: self.read_texts(&f, "kinds").iter().map(|kind| parse_kind(kind)).collect(),
            phrase: self.read_trimmed_text(&f, "phrase"),
            functional: self.read_flag(&f, "functional").unwrap_or(false),
            history: self.read_history(&f),
            embedded: self.read_flag(&f, "embedded").unwrap_or(true),
            audience: self.read_audience(&f, "audience"),
            behavior: self.read_behavior(&f),
        };
        let result = self.vocabulary.define_attribute(def.clone());
        self.check_definition(&f, &def.name, result).map(|()| def)
    }

    fn check_definition(&mut self, f: &Fields, name: &Predicate, result: Result<(), VocabularyError>) -> Option<()> {
        if let Some(first) = self.definitions.insert(name.clone(), f.at) {
            let message = format!("`{name}` is already defined at {}", self.diagnostics.format_position(first));
            self.diagnostics.add(f.at, &f.path, message, "remove one of the two definitions");
            return None;
        }
        result.map_err(|error| self.diagnostics.add(f.at, &f.path, error.to_string(), "")).ok()
    }
}
