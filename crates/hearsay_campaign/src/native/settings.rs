//! The settings of a campaign: its name, calendar, audience rules and vocabulary.

use hearsay_model::{
    AttributeDef, Audience, AudienceRules, Calendar, CalendarError, CampaignInfo, EntityId, Era, GameTime, History,
    LeapRule, Month, Predicate, PredicateDef, VocabularyError,
};

use super::{
    fields::{Fields, nth},
    names::kind_of,
    reader::CampaignReader,
};
use crate::{keys, yaml::Node};

const AUDIENCES: [&str; 4] = ["common", "local", "parties", "private"];

impl CampaignReader {
    pub(super) fn campaign(&mut self, node: &Node) -> Option<(CampaignInfo, Option<GameTime>)> {
        let f = self.fields(node, "campaign", &keys::CAMPAIGN)?;
        let name = self.needed(&f, "name", "a campaign");
        let id = match self.text(&f, "id").or(name).map(|id| (id, f.get("id").is_some())) {
            Some((id, true)) => EntityId::new(id),
            Some((name, false)) => EntityId::from_name(name),
            None => return None,
        };
        let description = self.owned(&f, "description").unwrap_or_default();
        let system = self.owned(&f, "system").unwrap_or_default();
        let start = self.date(&f, "start").and_then(|date| date.time);
        match id {
            Ok(id) => {
                let (id, name) = (id.to_string(), name?.trim().to_owned());
                Some((CampaignInfo { id, name, description, system }, start))
            }
            Err(error) => {
                let at = f.get("id").map_or(f.at, |node| node.at);
                self.faults.add(at, "campaign/id", error.to_string(), "");
                None
            }
        }
    }

    pub(super) fn calendar(&mut self, node: &Node) -> Option<Calendar> {
        let before = self.faults.count();
        let f = self.fields(node, "calendar", &keys::CALENDAR)?;
        let months = self.maps(&f, "months", &keys::MONTH);
        let months = months.iter().filter_map(|m| {
            let name = self.needed(m, "name", "a month")?.trim().to_owned();
            if m.get("days").is_none() {
                self.faults.add(m.at, &m.path, format!("the month {name} has no `days`"), "add `days: 30`");
            }
            Some(Month { name, days: self.count(m, "days")? })
        });
        let months = months.collect();
        let (leap, eras) = (self.maps(&f, "leap", &keys::LEAP), self.maps(&f, "eras", &keys::ERA));
        let plain = Calendar::default();
        let calendar = Calendar {
            name: self.owned(&f, "name").unwrap_or_default(),
            months,
            weekdays: self.texts(&f, "weekdays"),
            hours_per_day: self.count(&f, "hours_per_day").unwrap_or(plain.hours_per_day),
            minutes_per_hour: self.count(&f, "minutes_per_hour").unwrap_or(plain.minutes_per_hour),
            era: self.owned(&f, "era").unwrap_or_default(),
            leap: leap.iter().filter_map(|rule| self.leap_rule(rule)).collect(),
            year_zero: self.flag(&f, "year_zero").unwrap_or(plain.year_zero),
            eras: eras.iter().filter_map(|era| self.era(era)).collect(),
        };
        if self.faults.count() > before {
            return None;
        }
        let sound = calendar.check().map_err(|error| {
            let part = match error {
                CalendarError::Leap { number, .. } => leap.get(number - 1),
                CalendarError::Era { number, .. } => eras.get(number - 1),
                _ => None,
            };
            let part = part.unwrap_or(&f);
            self.faults.add(part.at, &part.path, error.to_string(), "");
        });
        sound.ok().map(|()| calendar)
    }

    fn leap_rule(&mut self, f: &Fields) -> Option<LeapRule> {
        if f.get("every").is_none() {
            self.faults.add(f.at, &f.path, "the leap rule has no `every`", "add `every: 4`");
        }
        Some(LeapRule {
            month: self.needed(f, "month", "a leap rule")?.trim().to_owned(),
            every: self.count(f, "every")?,
            except_every: self.count(f, "except_every"),
            unless_every: self.count(f, "unless_every"),
            offset: self.whole(f, "offset").unwrap_or(0),
            days: self.count(f, "days").unwrap_or(1),
        })
    }

    fn era(&mut self, f: &Fields) -> Option<Era> {
        Some(Era {
            name: self.needed(f, "name", "an era")?.trim().to_owned(),
            short: self.owned(f, "short").unwrap_or_default(),
            start: self.whole(f, "start"),
            end: self.whole(f, "end"),
            first: self.whole(f, "first").unwrap_or(1),
            backwards: self.flag(f, "backwards").unwrap_or(false),
        })
    }

    pub(super) fn audience(&mut self, f: &Fields, key: &str) -> Option<Audience> {
        self.audience_of(f.get(key)?, &f.below(key))
    }

    fn audience_of(&mut self, node: &Node, path: &str) -> Option<Audience> {
        match self.text_of(node, path)? {
            "common" => Some(Audience::Common),
            "local" => Some(Audience::Local),
            "parties" => Some(Audience::Parties),
            "private" => Some(Audience::Private),
            other => {
                let message = format!("unknown audience `{other}`");
                self.faults.add(node.at, path, message, keys::hint(other, AUDIENCES));
                None
            }
        }
    }

    fn history(&mut self, f: &Fields) -> History {
        let Some(node) = f.get("history") else { return History::default() };
        let path = f.below("history");
        match self.text_of(node, &path) {
            Some("full") | None => History::Full,
            Some("session") => History::Session,
            Some("latest") => History::Latest,
            Some(other) => {
                let hint = keys::hint(other, ["full", "session", "latest"]);
                self.faults.add(node.at, &path, format!("unknown history `{other}`"), hint);
                History::Full
            }
        }
    }

    /// Reads the audience rules. The vocabulary is complete at this point, so unknown names can be reported.
    pub(super) fn rules(&mut self, node: &Node) -> AudienceRules {
        let mut rules = AudienceRules::default();
        let Some(f) = self.fields(node, "audience", &keys::AUDIENCE) else { return rules };
        rules.default = self.audience(&f, "default");
        for (key, relations) in [("predicates", true), ("attributes", false)] {
            let Some(node) = f.get(key) else { continue };
            let Some(map) = self.any_fields(node, &f.below(key), "the rules by name") else { continue };
            for (name, node) in map.entries() {
                let path = map.below(&name.text);
                let Some(audience) = self.audience_of(node, &path) else { continue };
                let known: Vec<String> = match relations {
                    true => self.vocabulary.predicates().map(|def| def.name.to_string()).collect(),
                    false => self.vocabulary.attributes().map(|def| def.name.to_string()).collect(),
                };
                match Predicate::new(&name.text) {
                    Ok(predicate) if known.iter().any(|known| **known == *name.text) => {
                        let rules = if relations { &mut rules.predicates } else { &mut rules.attributes };
                        rules.insert(predicate, audience);
                    }
                    _ => {
                        let what = if relations { "predicate" } else { "attribute" };
                        let near = keys::nearest(&name.text, known.iter().map(String::as_str));
                        let hint = match near {
                            Some(near) => format!("did you mean `{near}`?"),
                            None => format!("declare it under `{what}s`"),
                        };
                        self.faults.add(name.at, &path, format!("unknown {what} `{}`", name.text), hint);
                    }
                }
            }
        }
        rules
    }

    fn predicate_name(&mut self, f: &Fields, key: &str) -> Option<Predicate> {
        let node = f.get(key)?;
        let text = self.text(f, key)?;
        Predicate::new(text).map_err(|error| self.faults.add(node.at, &f.below(key), error.to_string(), "")).ok()
    }

    pub(super) fn predicate(&mut self, node: &Node, path: &str) -> Option<PredicateDef> {
        let f = self.fields(node, path, &keys::PREDICATE)?;
        self.needed(&f, "name", "a predicate")?;
        let name = self.predicate_name(&f, "name")?;
        let def = PredicateDef {
            name,
            inverse: self.predicate_name(&f, "inverse"),
            phrase: self.needed(&f, "phrase", "a predicate")?.to_owned(),
            inverse_phrase: self.owned(&f, "inverse_phrase"),
            symmetric: self.flag(&f, "symmetric").unwrap_or(false),
            functional: self.flag(&f, "functional").unwrap_or(false),
            history: self.history(&f),
            embedded: self.flag(&f, "embedded").unwrap_or(true),
            audience: self.audience(&f, "audience"),
            opposites: self.opposites(&f),
            examples: self.texts(&f, "examples"),
            behavior: self.behavior(&f),
        };
        let defined = self.vocabulary.define(def.clone());
        self.defined(&f, defined).map(|()| def)
    }

    /// Reads the opposites of a relation: relations that cannot hold at the same time. An opposite may be declared
    /// later, in any file.
    fn opposites(&mut self, f: &Fields) -> Vec<Predicate> {
        let mut opposites = Vec::new();
        for (n, node) in self.list(f, "opposites").iter().enumerate() {
            let path = nth(&f.below("opposites"), n);
            let Some(text) = self.text_of(node, &path) else { continue };
            match Predicate::new(text) {
                Ok(name) => {
                    opposites.push(name.clone());
                    self.unread_opposites.push((name, node.at, path));
                }
                Err(error) => self.faults.add(node.at, &path, error.to_string(), ""),
            }
        }
        opposites
    }

    /// Checks that every opposite is a relation. The vocabulary is complete at this point.
    pub(super) fn check_opposites(&mut self) {
        for (name, at, path) in std::mem::take(&mut self.unread_opposites) {
            if self.vocabulary.predicate(&name).is_none() {
                let known = self.vocabulary.predicates().map(|def| def.name.as_str());
                let hint = match keys::nearest(name.as_str(), known) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "declare it under `predicates`".to_owned(),
                };
                self.faults.add(at, &path, format!("unknown predicate `{name}`"), hint);
            }
        }
    }

    pub(super) fn attribute_def(&mut self, node: &Node, path: &str) -> Option<AttributeDef> {
        let f = self.fields(node, path, &keys::ATTRIBUTE_DEF)?;
        self.needed(&f, "name", "an attribute")?;
        let def = AttributeDef {
            name: self.predicate_name(&f, "name")?,
            kinds: self.texts(&f, "kinds").iter().map(|kind| kind_of(kind)).collect(),
            phrase: self.owned(&f, "phrase"),
            functional: self.flag(&f, "functional").unwrap_or(false),
            history: self.history(&f),
            embedded: self.flag(&f, "embedded").unwrap_or(true),
            audience: self.audience(&f, "audience"),
            behavior: self.behavior(&f),
        };
        let defined = self.vocabulary.define_attribute(def.clone());
        self.defined(&f, defined).map(|()| def)
    }

    fn defined(&mut self, f: &Fields, defined: Result<(), VocabularyError>) -> Option<()> {
        defined.map_err(|error| self.faults.add(f.at, &f.path, error.to_string(), "")).ok()
    }
}
