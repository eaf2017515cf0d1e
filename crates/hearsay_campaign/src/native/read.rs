//! Reading of all entries of a campaign, in order.

use std::{collections::HashMap, path::Path, sync::Arc};

use hearsay_model::{
    AudienceRules, CampaignInfo, EntityId, Evidence, GameSetting, Kind, Knower, Passage, Setting, Span, WorldSetting,
};

use super::{
    drafts::Context,
    fields::{Fields, nth},
    reader::CampaignReader,
};
use crate::{
    Campaign, CampaignErrors, Limits,
    alias::AliasBytes,
    campaign::{Reach, Text},
    error::{Faults, Place},
    files::{self, File, Loaded},
    keys,
    yaml::{self, Node},
};

/// Reads a campaign from one file, or from all YAML files in a folder and its subfolders. The file `FORMAT.md` of this
/// crate describes the format.
///
/// # Errors
/// Returns an error if the files contain a mistake, for example in their YAML, or in a key, type, date, number, name or
/// reference. The error lists several mistakes at once. Also returns an error if a limit is exceeded.
pub fn read(path: &Path, limits: &Limits) -> Result<Campaign, CampaignErrors> {
    let mut faults = Faults::new(limits.errors);
    let Loaded { files, skipped } = files::load(path, limits, &mut faults);
    let mut campaign = read_loaded(files, limits, faults)?;
    campaign.findings.skipped = skipped;
    Ok(campaign)
}

/// Reads a campaign from files in memory, like [`read`].
pub(crate) fn read_files(files: Vec<File>, limits: &Limits) -> Result<Campaign, CampaignErrors> {
    let mut faults = Faults::new(limits.errors);
    faults.files.extend(files.iter().map(|file| file.path.clone()));
    read_loaded(files, limits, faults)
}

/// Reads a campaign from loaded files. `faults` already contains the paths of these files.
fn read_loaded(files: Vec<File>, limits: &Limits, mut faults: Faults) -> Result<Campaign, CampaignErrors> {
    let digest = files::digest_of(&files);
    let numbers: HashMap<String, u32> =
        faults.files.iter().enumerate().map(|(number, path)| (path.clone(), number as u32)).collect();
    let (mut trees, aliases) = (Vec::new(), AliasBytes::default());
    for file in files {
        let number = numbers.get(&file.path).copied().unwrap_or_default();
        trees.extend(yaml::parse(&file.bytes, number, limits, &aliases, &mut faults));
    }
    let mut reader = CampaignReader::new(faults);
    let campaign = reader.all(&trees);
    reader.finish(campaign, digest)
}

/// The settings of a campaign.
struct Head {
    info: CampaignInfo,
    settings: Vec<Setting>,
    rules: AudienceRules,
    entities: Vec<EntityId>,
}

impl CampaignReader {
    fn all(&mut self, trees: &[Node]) -> Option<Head> {
        let files: Vec<Fields> = trees.iter().filter_map(|tree| self.fields(tree, "", &keys::FILE)).collect();
        let mut head = self.head(&files);
        let mut noted = Vec::new();
        for f in &files {
            // A value of `entities` that is not a list is reported here.
            self.list(f, "entities");
            if let Some(list) = f.get("entities") {
                noted.extend(self.note_all(list, "entities"));
            }
        }
        for (id, node) in &noted {
            self.entity(id, node);
        }
        if let Some(head) = &mut head {
            head.entities = noted.into_iter().map(|(id, _)| id).collect();
        }
        let context = Context::about(None);
        for f in &files {
            for f in self.maps(f, "relationships", &keys::TOP_RELATIONSHIP) {
                self.entry(&f, &context);
            }
            for f in self.maps(f, "facts", &keys::FACT) {
                self.entry(&f, &context);
            }
            for f in self.maps(f, "rumours", &keys::RUMOUR) {
                self.rumour(&f);
            }
            for f in self.maps(f, "lies", &keys::LIE) {
                self.lie(&f);
            }
            for f in self.maps(f, "knowledge", &keys::KNOWLEDGE) {
                self.knowledge(&f);
            }
            for f in self.maps(f, "passages", &keys::PASSAGE) {
                self.passage(&f);
            }
            for f in self.maps(f, "sessions", &keys::SESSION) {
                self.session(&f);
            }
        }
        self.build_waiting();
        self.resolve_later();
        self.know_better();
        self.keep_unseen();
        self.read_reveals();
        self.check_parts();
        self.check_functional();
        self.check_ranks();
        if let Some(head) = &mut head {
            self.set_clock(head);
        }
        head
    }

    /// Sets the game clock to the latest moment of all sessions, unless the campaign starts later.
    fn set_clock(&self, head: &mut Head) {
        let lines = self.passages.iter().filter(|text| text.passage.session.is_some());
        let lines = lines.filter_map(|text| text.passage.time.as_ref());
        let sessions = self.sessions.iter().flat_map(|session| session.start.iter().chain(&session.end));
        let Some(latest) = lines.chain(sessions).filter_map(|date| date.time).max() else { return };
        match head.settings.iter_mut().find_map(|setting| match setting {
            Setting::Game(GameSetting::Clock(start)) => Some(start),
            _ => None,
        }) {
            Some(start) => *start = latest.max(*start),
            None => head.settings.push(Setting::Game(GameSetting::Clock(latest))),
        }
    }

    /// Reads the keys that occur only once in a campaign, and the vocabulary.
    fn head(&mut self, files: &[Fields]) -> Option<Head> {
        let mut settings = Vec::new();
        if let Some(node) = self.only(files, "calendar") {
            match self.calendar(node) {
                Some(calendar) => {
                    settings.push(Setting::World(WorldSetting::Calendar(calendar.clone())));
                    self.calendar = calendar;
                }
                None => self.calendar_is_sound = false,
            }
        }
        for f in files {
            for (n, node) in self.list(f, "predicates").iter().enumerate() {
                settings.extend(
                    self.predicate(node, &nth("predicates", n))
                        .map(|setting| Setting::World(WorldSetting::Predicate(setting))),
                );
            }
            for (n, node) in self.list(f, "attributes").iter().enumerate() {
                settings.extend(
                    self.attribute_def(node, &nth("attributes", n))
                        .map(|setting| Setting::World(WorldSetting::Attribute(setting))),
                );
            }
            self.flags_of(f);
            if let Some(format) = self.whole(f, "format").filter(|&format| format != 1) {
                let at = f.get("format").map_or(f.at, |node| node.at);
                let hint = "write `format: 1`, or use a newer version of this program";
                self.faults.add(at, "format", format!("unknown format {format}"), hint);
            }
        }
        self.check_opposites();
        let flags = self.flags.iter().map(|(name, (value, _))| (name.clone(), value.clone()));
        settings.extend(flags.map(|(name, value)| Setting::Game(GameSetting::Flag { name, value })));
        let rules = self.only(files, "audience").map(|node| self.rules(node));
        settings.extend(rules.clone().map(|setting| Setting::World(WorldSetting::Audience(setting))));
        let Some(node) = self.only(files, "campaign") else {
            if files.is_empty() && self.faults.found_none() || !files.is_empty() {
                let hint = "add `campaign: {name: …}` to one file";
                let line = u32::from(!files.is_empty());
                self.faults.add(Place { file: 0, line }, "campaign", "no file has a `campaign` entry", hint);
            }
            return None;
        };
        let (info, start) = self.campaign(node)?;
        self.source.clone_from(&info.id);
        if !info.description.is_empty() {
            let mut passage = Passage::new(&info.description);
            passage.title = Some(info.name.clone());
            passage.heard_by = vec![Knower::World];
            passage.evidence.push(self.evidence(node.at, "campaign/description"));
            self.passages.push(Text { passage, reach: Reach::Named, subject: None, facts: Vec::new() });
        }
        settings.insert(0, Setting::World(WorldSetting::Campaign(info.clone())));
        settings.extend(start.map(|setting| Setting::Game(GameSetting::Clock(setting))));
        Some(Head { info, settings, rules: rules.unwrap_or_default(), entities: Vec::new() })
    }

    /// Returns the value of a key that only one file may contain.
    fn only<'a>(&mut self, files: &[Fields<'a>], key: &str) -> Option<&'a Node> {
        let mut first = None::<&Node>;
        for node in files.iter().filter_map(|f| f.get(key)) {
            match first {
                None => first = Some(node),
                Some(first) => {
                    let message = format!("duplicate `{key}`: it is already at {}", self.faults.spot(first.at));
                    self.faults.add(node.at, key, message, "keep one of them");
                }
            }
        }
        first
    }

    fn resolve_later(&mut self) {
        for later in std::mem::take(&mut self.later) {
            let Some(&(number, _)) = self.handles.get(&later.handle) else {
                self.no_handle(&later.handle, later.at, &later.path);
                continue;
            };
            self.facts[number].learned.extend(later.learned);
            self.facts[number].speakers.extend(later.speaker);
            if let Some((passage, quote)) = later.said_in {
                let stated = &mut self.facts[number];
                let mut provenance = stated.fact.provenance().clone();
                let span = Span { start: 0, end: quote.len() };
                provenance.evidence.push(Evidence::Passage { passage, span, quote });
                // The line of the log becomes further evidence of the fact.
                if let Ok(fact) = stated.fact.to_builder().provenance(provenance).build() {
                    stated.fact = Arc::new(fact);
                }
            }
            if let Some(text) = later.read_in {
                self.passages[text].facts.push(number);
            }
        }
    }

    pub(super) fn no_handle(&mut self, handle: &str, at: Place, path: &str) {
        let full = self.faults.is_full();
        let near = || keys::nearest(handle, self.handles.keys().map(String::as_str));
        let hint = match if full { None } else { near() } {
            Some(near) => format!("did you mean `{near}`?"),
            None => "write the `id` of a fact".to_owned(),
        };
        self.faults.add(at, path, format!("no fact has the id `{handle}`"), hint);
    }

    fn finish(self, head: Option<Head>, digest: String) -> Result<Campaign, CampaignErrors> {
        let Self { mut faults, index, vocabulary, facts, passages, sessions, reveals, .. } = self;
        if head.is_none() && faults.found_none() {
            faults.add(Place::default(), "campaign", "the campaign cannot be read", "");
        }
        let Some(Head { info, settings, rules, entities }) = head.filter(|_| faults.found_none()) else {
            faults.finish()?;
            return Err(CampaignErrors { errors: Vec::new(), more: 0 });
        };
        let kind = |id: &EntityId| index.kind(id).cloned().unwrap_or(Kind::Concept);
        let entities = entities.into_iter().map(|id| (id.clone(), kind(&id))).collect();
        let mut campaign = Campaign {
            info,
            settings,
            vocabulary,
            rules,
            entities,
            sessions,
            facts,
            passages,
            reveals,
            external: std::collections::BTreeMap::new(),
            warnings: Vec::new(),
            digest,
            findings: crate::Findings::default(),
            exact: None,
        };
        Self::check_circles(&mut faults, &campaign);
        campaign.warnings = faults.finish()?;
        Ok(campaign)
    }
}
