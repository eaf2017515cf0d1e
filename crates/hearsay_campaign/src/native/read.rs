//! Reads all entries of a campaign, in order.

use std::{collections::HashMap, path::Path, sync::Arc};

use hearsay_model::{
    AudienceRules, CampaignInfo, EntityId, Evidence, GameSetting, Kind, Knower, Passage, Setting, Span, WorldSetting,
};

use super::{
    drafts::Context,
    fields::{Fields, item_path},
    reader::CampaignReader,
};
use crate::{
    Campaign, CampaignErrors, Limits,
    alias::AliasBytes,
    campaign::{AudienceSource, CampaignPassage},
    error::{Diagnostics, SourcePosition},
    files::{self, File, LoadedFiles},
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
    let mut diagnostics = Diagnostics::new(limits.errors);
    let LoadedFiles { files, skipped } = files::load_files(path, limits, &mut diagnostics);
    let mut campaign = read_loaded(files, limits, diagnostics)?;
    campaign.findings.skipped = skipped;
    Ok(campaign)
}

/// Reads a campaign from files in memory, like [`read`].
pub(crate) fn read_files(files: Vec<File>, limits: &Limits) -> Result<Campaign, CampaignErrors> {
    let mut diagnostics = Diagnostics::new(limits.errors);
    diagnostics.files.extend(files.iter().map(|file| file.path.clone()));
    read_loaded(files, limits, diagnostics)
}

/// Reads a campaign from loaded files. `diagnostics` already contains the paths of these files.
fn read_loaded(files: Vec<File>, limits: &Limits, mut diagnostics: Diagnostics) -> Result<Campaign, CampaignErrors> {
    let digest = files::hash_files(&files);
    let indices: HashMap<String, u32> =
        diagnostics.files.iter().enumerate().map(|(index, path)| (path.clone(), index as u32)).collect();
    let (mut trees, aliases) = (Vec::new(), AliasBytes::default());
    for file in files {
        let index = indices.get(&file.path).copied().unwrap_or_default();
        trees.extend(yaml::parse(&file.bytes, index, limits, &aliases, &mut diagnostics));
    }
    let mut reader = CampaignReader::new(diagnostics);
    let campaign = reader.read_all(&trees);
    reader.finish(campaign, digest)
}

/// The settings of a campaign.
struct CampaignHead {
    info: CampaignInfo,
    settings: Vec<Setting>,
    rules: AudienceRules,
    entities: Vec<EntityId>,
}

impl CampaignReader {
    fn read_all(&mut self, trees: &[Node]) -> Option<CampaignHead> {
        let files: Vec<Fields> = trees.iter().filter_map(|tree| self.read_fields(tree, "", &keys::FILE)).collect();
        let mut head = self.read_head(&files);
        let mut registered = Vec::new();
        for f in &files {
            // A value of `entities` that is not a list is reported here.
            self.read_list(f, "entities");
            if let Some(list) = f.get("entities") {
                registered.extend(self.register_entities(list, "entities"));
            }
        }
        for (id, node) in &registered {
            self.read_entity(id, node);
        }
        if let Some(head) = &mut head {
            head.entities = registered.into_iter().map(|(id, _)| id).collect();
        }
        let context = Context::for_subject(None);
        for f in &files {
            for f in self.read_maps(f, "relationships", &keys::TOP_RELATIONSHIP) {
                self.read_fact(&f, &context);
            }
            for f in self.read_maps(f, "facts", &keys::FACT) {
                self.read_fact(&f, &context);
            }
            for f in self.read_maps(f, "rumours", &keys::RUMOUR) {
                self.read_rumour(&f);
            }
            for f in self.read_maps(f, "lies", &keys::LIE) {
                self.read_lie(&f);
            }
            for f in self.read_maps(f, "knowledge", &keys::KNOWLEDGE) {
                self.read_knowledge(&f);
            }
            for f in self.read_maps(f, "passages", &keys::PASSAGE) {
                self.read_passage(&f);
            }
            for f in self.read_maps(f, "sessions", &keys::SESSION) {
                self.read_session(&f);
            }
        }
        self.build_deferred_facts();
        self.resolve_handle_references();
        self.set_cover_credences();
        self.link_contradicted_facts();
        self.hide_secret_places();
        self.apply_restricted_visibility();
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
    fn set_clock(&self, head: &mut CampaignHead) {
        let lines = self.passages.iter().filter(|campaign_passage| campaign_passage.passage.session.is_some());
        let lines = lines.filter_map(|campaign_passage| campaign_passage.passage.time.as_ref());
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
    fn read_head(&mut self, files: &[Fields]) -> Option<CampaignHead> {
        let mut settings = Vec::new();
        if let Some(node) = self.single_node(files, "calendar") {
            match self.read_calendar(node) {
                Some(calendar) => {
                    settings.push(Setting::World(WorldSetting::Calendar(calendar.clone())));
                    self.calendar = calendar;
                }
                None => self.is_calendar_valid = false,
            }
        }
        for f in files {
            for (n, node) in self.read_list(f, "predicates").iter().enumerate() {
                settings.extend(
                    self.read_predicate(node, &item_path("predicates", n))
                        .map(|setting| Setting::World(WorldSetting::Predicate(setting))),
                );
            }
            for (n, node) in self.read_list(f, "attributes").iter().enumerate() {
                settings.extend(
                    self.read_attribute_def(node, &item_path("attributes", n))
                        .map(|setting| Setting::World(WorldSetting::Attribute(setting))),
                );
            }
            self.read_flags(f);
            if let Some(format) = self.read_integer(f, "format").filter(|&format| format != 1) {
                let at = f.get("format").map_or(f.at, |node| node.at);
                let hint = "write `format: 1`, or use a newer version of this program";
                self.diagnostics.add(at, "format", format!("unknown format {format}"), hint);
            }
        }
        self.check_opposites();
        let flags = self.flags.iter().map(|(name, (value, _))| (name.clone(), value.clone()));
        settings.extend(flags.map(|(name, value)| Setting::Game(GameSetting::Flag { name, value })));
        let rules = self.single_node(files, "audience").map(|node| self.read_audience_rules(node));
        settings.extend(rules.clone().map(|setting| Setting::World(WorldSetting::Audience(setting))));
        let minds = self.single_node(files, "minds").map(|node| self.read_mind_rules(node));
        settings.extend(minds.map(|rules| Setting::World(WorldSetting::Minds(rules))));
        let Some(node) = self.single_node(files, "campaign") else {
            if files.is_empty() && self.diagnostics.has_no_errors() || !files.is_empty() {
                let hint = "add `campaign: {name: …}` to one file";
                let line = u32::from(!files.is_empty());
                self.diagnostics.add(
                    SourcePosition { file: 0, line },
                    "campaign",
                    "no file has a `campaign` entry",
                    hint,
                );
            }
            return None;
        };
        let (info, start) = self.read_campaign(node)?;
        self.source.clone_from(&info.id);
        if !info.description.is_empty() {
            let mut passage = Passage::new(&info.description);
            passage.title = Some(info.name.clone());
            passage.heard_by = vec![Knower::World];
            passage.evidence.push(self.file_evidence(node.at, "campaign/description"));
            self.passages.push(CampaignPassage {
                passage,
                audience_source: AudienceSource::NamedKnowers,
                subject: None,
                facts: Vec::new(),
            });
        }
        settings.insert(0, Setting::World(WorldSetting::Campaign(info.clone())));
        settings.extend(start.map(|setting| Setting::Game(GameSetting::Clock(setting))));
        Some(CampaignHead { info, settings, rules: rules.unwrap_or_default(), entities: Vec::new() })
    }

    /// Returns the value of a key that only one file may contain.
    fn single_node<'a>(&mut self, files: &[Fields<'a>], key: &str) -> Option<&'a Node> {
        let mut first = None::<&Node>;
        for node in files.iter().filter_map(|f| f.get(key)) {
            match first {
                None => first = Some(node),
                Some(first) => {
                    let message =
                        format!("duplicate `{key}`: it is already at {}", self.diagnostics.format_position(first.at));
                    self.diagnostics.add(node.at, key, message, "remove one of the two entries");
                }
            }
        }
        first
    }

    fn resolve_handle_references(&mut self) {
        for reference in std::mem::take(&mut self.handle_references) {
            let Some(&(index, _)) = self.handles.get(&reference.handle) else {
                self.add_unknown_handle_error(&reference.handle, reference.at, &reference.path);
                continue;
            };
            self.facts[index].knowers.extend(reference.knowers);
            self.facts[index].speakers.extend(reference.speaker);
            if let Some((passage, quote)) = reference.log_line {
                let campaign_fact = &mut self.facts[index];
                let mut provenance = campaign_fact.fact.provenance().clone();
                let span = Span { start: 0, end: quote.len() };
                provenance.evidence.push(Evidence::Passage { passage, span, quote });
                // The line of the log becomes further evidence of the fact.
                if let Ok(fact) = campaign_fact.fact.to_builder().provenance(provenance).build() {
                    campaign_fact.fact = Arc::new(fact);
                }
            }
            if let Some(passage_index) = reference.passage_index {
                self.passages[passage_index].facts.push(index);
            }
        }
    }

    pub(super) fn add_unknown_handle_error(&mut self, handle: &str, at: SourcePosition, path: &str) {
        let is_full = self.diagnostics.is_full();
        let nearest_handle = || keys::nearest(handle, self.handles.keys().map(String::as_str));
        let hint = match if is_full { None } else { nearest_handle() } {
            Some(nearest_handle) => format!("did you mean `{nearest_handle}`?"),
            None => "write the `id` of a fact".to_owned(),
        };
        self.diagnostics.add(at, path, format!("no fact has the id `{handle}`"), hint);
    }

    fn finish(self, head: Option<CampaignHead>, digest: String) -> Result<Campaign, CampaignErrors> {
        let Self { mut diagnostics, index, vocabulary, facts, passages, sessions, reveals, .. } = self;
        if head.is_none() && diagnostics.has_no_errors() {
            diagnostics.add(SourcePosition::default(), "campaign", "the campaign cannot be read", "");
        }
        let Some(CampaignHead { info, settings, rules, entities }) = head.filter(|_| diagnostics.has_no_errors())
        else {
            diagnostics.finish()?;
            return Err(CampaignErrors { errors: Vec::new(), omitted_errors: 0 });
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
            external_ids: std::collections::BTreeMap::new(),
            warnings: Vec::new(),
            digest,
            findings: crate::ImportFindings::default(),
            unchanged_records: None,
        };
        Self::check_telling_cycles(&mut diagnostics, &campaign);
        campaign.warnings = diagnostics.finish()?;
        Ok(campaign)
    }
}
