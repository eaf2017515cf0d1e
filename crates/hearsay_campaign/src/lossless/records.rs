//! Reading of the records of an export.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    fs,
    io::BufReader,
    path::Path,
};

use hearsay_model::{
    Change, EngineSetting, EntityId, Evidence, GameSetting, Key, Kind, KnowledgeEdge, Session, SessionId, Setting,
    SettingKey, WorldSetting, attribute,
};

use super::line::{FORMAT, Line, RECORDS, hash, within};
use crate::{
    Campaign, CampaignError, CampaignErrors, Folder, Limits,
    campaign::{Reach, Stated, UnchangedRecords},
    read_jsonl, regular,
};

/// Returns the key under which an export writes a setting in a campaign file. The key is empty for a setting that only
/// the records contain. Returns `None` for a setting that is always read from the campaign files.
fn written_as(setting: &Setting) -> Option<&'static str> {
    match setting {
        Setting::World(WorldSetting::Predicate(_) | WorldSetting::Attribute(_)) => None,
        Setting::World(WorldSetting::Campaign(_)) => Some("campaign"),
        Setting::World(WorldSetting::Calendar(_)) => Some("calendar"),
        Setting::World(WorldSetting::Audience(_)) => Some("audience"),
        Setting::Game(GameSetting::Flag { .. }) => Some("flags"),
        _ => Some(""),
    }
}

/// The records of an export, and the lines of its pages that are unchanged.
#[derive(Debug, Default)]
pub(crate) struct Records {
    changes: Vec<Change>,
    gone: BTreeSet<Key>,
    unchanged: HashSet<(String, u32)>,
    /// Keys of the campaign file, such as `calendar`, that a person added or changed.
    edited: BTreeSet<String>,
    pub(crate) ids: BTreeSet<EntityId>,
    digest: String,
}

impl Records {
    /// Reads the records in a folder. Returns `None` if the folder has no records.
    ///
    /// # Errors
    /// Returns an error if the records are damaged.
    pub(crate) fn of(path: &Path, limits: &Limits) -> Result<Option<Self>, CampaignErrors> {
        // A records file that is a symbolic link is ignored.
        let file = path.join(RECORDS);
        if !fs::symlink_metadata(&file).is_ok_and(|meta| meta.is_file()) {
            return Ok(None);
        }
        let fault = |line: u32, message: String, hint: &str| {
            let (file, hint) = (RECORDS.to_owned(), hint.to_owned());
            CampaignErrors { errors: vec![CampaignError { file, line, field: String::new(), message, hint }], more: 0 }
        };
        let hint = "restore the file from the export; without it, the pages are read as ordinary notes";
        let text = regular::read_text_file(&file, limits.total_bytes)
            .map_err(|error| fault(0, format!("cannot be read: {error}"), hint))?;
        let mut written: BTreeMap<String, Vec<Key>> = BTreeMap::new();
        let (mut head, mut at) = (0, 0);
        for (number, line) in (1..).zip(text.lines()) {
            if line.starts_with("{\"type\":\"hearsay\"") {
                break;
            }
            at += line.len() + 1;
            head = number;
            if line.starts_with("{\"type\":\"page\"") {
                continue;
            }
            match serde_json::from_str(line).map_err(|error| fault(number, error.to_string(), hint))? {
                Line::HearsayRecords { format: FORMAT } => {}
                Line::HearsayRecords { format } => {
                    let what = format!("unknown format {format}");
                    return Err(fault(number, what, "use a newer version of this program"));
                }
                Line::Written { hash, keys } => _ = written.insert(hash, keys),
            }
        }
        let changes =
            read_jsonl(BufReader::new(text.get(at..).unwrap_or_default().as_bytes())).map_err(|mut errors| {
                for error in &mut errors.errors {
                    RECORDS.clone_into(&mut error.file);
                    error.line += head;
                }
                errors
            })?;
        let mut records = Self { changes, ..Self::default() };
        records.digest = blake3::hash(text.as_bytes()).to_hex().to_string();
        let mut status: HashSet<&String> = HashSet::new();
        let folder = Folder::open(path, limits)?;
        for entry in folder.files().filter(|entry| entry.has_extension(&["md", "yaml", "yml"])) {
            let bytes = folder.head(entry, limits.file_bytes);
            let text = String::from_utf8_lossy(&bytes);
            let within = within(&text);
            for (number, line) in (1..).zip(text.lines()) {
                if let Some((hash, _)) = written.get_key_value(&hash(&within, line)) {
                    status.insert(hash);
                    records.unchanged.insert((entry.path.clone(), number));
                } else if let Some((key, _)) = line.split_once(':')
                    && entry.has_extension(&["yaml", "yml"])
                {
                    records.edited.insert(key.to_owned());
                }
            }
        }
        let there: BTreeSet<&Key> =
            written.iter().filter(|(hash, _)| status.contains(hash)).flat_map(|(_, keys)| keys).collect();
        records.gone = written.values().flatten().filter(|key| !there.contains(key)).cloned().collect();
        records.ids = records
            .changes
            .iter()
            .filter_map(|change| match change {
                Change::AddEntity(entity) => Some(entity.id.clone()),
                _ => None,
            })
            .collect();
        Ok(Some(records))
    }

    /// Returns the id of the exported campaign, if the records contain it.
    pub(crate) fn campaign(&self) -> Option<&str> {
        self.changes.iter().find_map(|change| match change {
            Change::Set(Setting::World(WorldSetting::Campaign(info))) => Some(info.id.as_str()),
            _ => None,
        })
    }

    /// Merges the records into a campaign that was read from the pages. If a line is unchanged, its records come from
    /// the export.
    pub(crate) fn over(self, campaign: &mut Campaign) {
        let Self { changes, gone, unchanged, edited, digest, .. } = self;
        let is_unchanged = |evidence: &[Evidence]| {
            evidence.iter().any(|evidence| match evidence {
                Evidence::File { path, line, .. } => unchanged.contains(&(path.clone(), *line)),
                Evidence::Excerpt(excerpt) => unchanged.contains(&(excerpt.path.to_string(), excerpt.line)),
                Evidence::Passage { .. } => false,
            })
        };
        let is_there = |path: &str, line: u32| !unchanged.contains(&(path.to_owned(), line));
        campaign.passages.retain(|text| !is_unchanged(&text.passage.evidence));
        // The indices of facts become invalid, because facts are removed below.
        for text in &mut campaign.passages {
            text.facts.clear();
        }
        let says =
            |fact: &hearsay_model::Fact| (fact.subject().clone(), fact.predicate().clone(), fact.object().clone());
        let known: HashSet<_> = changes
            .iter()
            .filter_map(|change| match change {
                Change::AssertFact(fact) if !gone.contains(&Key::Fact(fact.id())) => Some(says(fact)),
                _ => None,
            })
            .collect();
        let exact_entities: BTreeSet<EntityId> = self.ids;
        campaign.facts.retain(|stated| {
            let fact = &stated.fact;
            let name = [attribute::NAME, attribute::KIND].contains(&fact.predicate().as_str());
            let known = known.contains(&says(fact)) || name && exact_entities.contains(fact.subject());
            !known && !is_unchanged(&fact.provenance().evidence)
        });
        let findings = &mut campaign.findings;
        findings.ambiguous.retain(|(place, _)| is_there(&place.path, place.line));
        findings.dangling.retain(|place| is_there(&place.path, place.line));
        findings.unclear.retain(|place| is_there(&place.path, place.line));
        campaign.warnings.retain(|warning| is_there(&warning.path, warning.line));
        // Keeps the settings that a person changed. The records contain the settings that the export wrote.
        campaign.settings.retain(|setting| written_as(setting).is_none_or(|key| edited.contains(key)));
        let by_hand: HashSet<SettingKey> = campaign.settings.iter().map(Setting::key).collect();
        campaign.reveals.clear();
        let (mut exact, mut settings, sessions) = add_changes(changes, &gone, &by_hand, campaign);
        campaign.reveals.retain(|reveal| !reveal.facts().any(|fact| gone.contains(&Key::Fact(fact))));
        // If the note of an entity was removed, the entity no longer knows anything. It is removed unless a fact names
        // it.
        let removed = &exact.removed.0;
        let named: HashSet<&EntityId> = campaign.facts.iter().flat_map(|stated| stated.fact.entities()).collect();
        campaign.entities.retain(|id, _| exact_entities.contains(id) || named.contains(id));
        let left = |edge: &KnowledgeEdge| edge.knower.entity().is_none_or(|id| !removed.contains(id));
        exact.edges.retain(|_, edge| left(edge));
        let held: BTreeSet<SessionId> = sessions.iter().map(|session| session.id.clone()).collect();
        let used: BTreeSet<&SessionId> =
            campaign.passages.iter().filter_map(|text| text.passage.session.as_ref()).collect();
        campaign.sessions.retain(|session| !held.contains(&session.id) && used.contains(&session.id));
        campaign.sessions.extend(sessions);
        campaign.settings.retain(|setting| !exact.settings.contains(&setting.key()));
        settings.append(&mut campaign.settings);
        campaign.settings = settings;
        exact.gone = gone;
        campaign.digest = blake3::hash(format!("{} {digest}", campaign.digest).as_bytes()).to_hex().to_string();
        campaign.exact = Some(Box::new(exact));
    }
}

/// Adds the records of an export to a campaign. Returns the records that unchanged lines represent, the settings, and
/// the sessions. `by_hand` contains the keys of the settings that a person changed.
fn add_changes(
    changes: Vec<Change>,
    gone: &BTreeSet<Key>,
    by_hand: &HashSet<SettingKey>,
    campaign: &mut Campaign,
) -> (UnchangedRecords, Vec<Setting>, Vec<Session>) {
    let (mut exact, mut settings, mut sessions) = (UnchangedRecords::default(), Vec::new(), Vec::new());
    for change in changes {
        match change {
            Change::Set(Setting::Engine(EngineSetting::Imported { .. })) => {}
            Change::Set(Setting::Game(GameSetting::Reveal(reveal))) => campaign.reveals.push(reveal),
            Change::Set(Setting::World(WorldSetting::Campaign(held))) if by_hand.contains(&SettingKey::Campaign) => {
                // The pages contain the description as a passage.
                for setting in &mut campaign.settings {
                    if let Setting::World(WorldSetting::Campaign(info)) = setting
                        && info.description.is_empty()
                    {
                        info.description.clone_from(&held.description);
                        campaign.info.clone_from(info);
                    }
                }
            }
            Change::Set(setting) if written_as(&setting).is_some() && by_hand.contains(&setting.key()) => {}
            Change::Set(setting) => {
                exact.settings.insert(setting.key());
                settings.push(setting);
            }
            Change::AddEntity(entity) => {
                campaign.entities.entry(entity.id.clone()).or_insert_with(|| Kind::Custom("unknown".into()));
                if gone.contains(&Key::Entity(entity.id.clone())) {
                    exact.removed.0.insert(entity.id.clone());
                }
                campaign.external.insert(entity.id, entity.external_ids);
            }
            Change::RemoveEntity(id) => _ = exact.removed.0.insert(id),
            Change::RemoveSession(id) => _ = exact.removed.1.insert(id),
            Change::SetSession(session) => sessions.push(session),
            Change::AssertFact(fact) if !gone.contains(&Key::Fact(fact.id())) => {
                if let (attribute::KIND, Some(kind)) = (fact.predicate().as_str(), fact.object().text()) {
                    campaign.entities.insert(fact.subject().clone(), Kind::from(kind));
                }
                exact.facts.insert(fact.id());
                campaign.facts.push(Stated { fact, reach: Reach::Named, learned: Vec::new(), speakers: Vec::new() });
            }
            Change::Learn(edge) if !gone.contains(&Key::Fact(edge.fact)) => {
                exact.edges.insert(edge.id(), edge);
            }
            Change::AddPassage(passage) if !gone.contains(&Key::Passage(passage.id())) => {
                exact.passages.insert(passage.id(), passage);
            }
            _ => {}
        }
    }
    (exact, settings, sessions)
}
