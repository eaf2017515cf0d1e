//! Reads the records of an export.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    fs,
    io::BufReader,
    ops::RangeInclusive,
    path::Path,
    sync::Arc,
};

use hearsay_model::{
    Author, Change, Credence, EngineSetting, EntityId, Evidence, Excerpt, Fact, GameSetting, Key, Kind, KnowledgeEdge,
    Method, Provenance, Secrecy, Session, SessionId, Setting, SettingKey, WorldSetting, attribute,
};

use super::{
    edits::FactEdits,
    fact_line::ChangedLine,
    line::{FORMAT, Line, RECORDS, front_matter_lines, line_hash, page_subject, secret_lines},
};
use crate::{
    Campaign, CampaignError, CampaignErrors, Folder, Limits,
    campaign::{AudienceSource, CampaignFact, CampaignPassage, KnowerEntry, UnchangedRecords},
    read_jsonl, regular_file,
};

/// Returns the key under which an export writes a setting in a campaign file. The key is empty for a setting that only
/// the records contain. Returns `None` for a setting that is always read from the campaign files.
fn exported_key(setting: &Setting) -> Option<&'static str> {
    match setting {
        Setting::World(WorldSetting::Predicate(_) | WorldSetting::Attribute(_)) => None,
        Setting::World(WorldSetting::Campaign(_)) => Some("campaign"),
        Setting::World(WorldSetting::Calendar(_)) => Some("calendar"),
        Setting::World(WorldSetting::Audience(_)) => Some("audience"),
        Setting::World(WorldSetting::Minds(_)) => Some("minds"),
        Setting::Game(GameSetting::Flag { .. }) => Some("flags"),
        _ => Some(""),
    }
}

/// The records of an export, and the lines of its pages that are unchanged.
#[derive(Debug, Default)]
pub(crate) struct Records {
    changes: Vec<Change>,
    invalidated: BTreeSet<Key>,
    /// The unchanged and the blank lines.
    unchanged: HashSet<(String, u32)>,
    /// The byte at which each line starts, by page.
    line_starts: HashMap<String, Vec<usize>>,
    /// The lines in secret callouts.
    secret_lines: HashSet<(String, u32)>,
    /// Keys of the campaign file, such as `calendar`, that a person added or changed.
    edited: BTreeSet<String>,
    edits: FactEdits,
    pub(crate) ids: BTreeSet<EntityId>,
    digest: String,
}

impl Records {
    /// Reads the records in a folder. Returns `None` if the folder has no records.
    ///
    /// # Errors
    /// Returns an error if the records are damaged.
    pub(crate) fn read(path: &Path, limits: &Limits) -> Result<Option<Self>, CampaignErrors> {
        // A records file that is a symbolic link is ignored.
        let file = path.join(RECORDS);
        if !fs::symlink_metadata(&file).is_ok_and(|meta| meta.is_file()) {
            return Ok(None);
        }
        let error_at = |line: u32, message: String, hint: &str| {
            let (file, hint) = (RECORDS.to_owned(), hint.to_owned());
            CampaignErrors {
                errors: vec![CampaignError { file, line, field: String::new(), message, hint }],
                omitted_errors: 0,
            }
        };
        let hint = "restore the file from the export; without it, the pages are read as ordinary notes";
        let text = regular_file::read_text_file(&file, limits.total_bytes)
            .map_err(|error| error_at(0, format!("cannot be read: {error}"), hint))?;
        let mut keys_by_hash: BTreeMap<String, Vec<Key>> = BTreeMap::new();
        let (mut header_lines, mut header_bytes) = (0, 0);
        for (number, line) in (1..).zip(text.lines()) {
            if line.starts_with("{\"type\":\"hearsay\"") {
                break;
            }
            header_bytes += line.len() + 1;
            header_lines = number;
            match serde_json::from_str(line).map_err(|error| error_at(number, error.to_string(), hint))? {
                Line::HearsayRecords { format: FORMAT, .. } | Line::Page { .. } => {}
                Line::HearsayRecords { format, .. } => {
                    let message = format!("unknown format {format}");
                    return Err(error_at(number, message, "use a newer version of this program"));
                }
                Line::Written { hash, keys } => _ = keys_by_hash.insert(hash, keys),
            }
        }
        let changes = read_jsonl(BufReader::new(text.get(header_bytes..).unwrap_or_default().as_bytes())).map_err(
            |mut errors| {
                for error in &mut errors.errors {
                    RECORDS.clone_into(&mut error.file);
                    error.line += header_lines;
                }
                errors
            },
        )?;
        let mut records = Self { changes, ..Self::default() };
        records.digest = blake3::hash(text.as_bytes()).to_hex().to_string();
        records.ids = records
            .changes
            .iter()
            .filter_map(|change| match change {
                Change::AddEntity(entity) => Some(entity.id.clone()),
                _ => None,
            })
            .collect();
        records.compare_pages(&keys_by_hash, path, limits)?;
        Ok(Some(records))
    }

    /// Compares the pages in a folder with the hashes of the exported lines.
    fn compare_pages(
        &mut self,
        keys_by_hash: &BTreeMap<String, Vec<Key>>,
        path: &Path,
        limits: &Limits,
    ) -> Result<(), CampaignErrors> {
        let mut present_hashes: HashSet<&String> = HashSet::new();
        let mut changed_lines: Vec<ChangedLine> = Vec::new();
        let folder = Folder::open(path, limits)?;
        for entry in folder.files().filter(|entry| entry.has_extension(&["md", "yaml", "yml"])) {
            let bytes = folder.head(entry, limits.file_bytes);
            let text = String::from_utf8_lossy(&bytes);
            let page_id = page_subject(&text);
            let is_note = entry.has_extension(&["md"]);
            let front_matter_end = front_matter_lines(&text);
            let entity = EntityId::new(&page_id).ok().filter(|id| is_note && self.ids.contains(id));
            if let Some(id) = &entity {
                self.edits.add_note(&entry.path, id);
            }
            let starts = text.split_inclusive('\n').scan(0, |next, line| {
                let start = *next;
                *next += line.len();
                Some(start)
            });
            self.line_starts.insert(entry.path.clone(), starts.collect());
            if is_note {
                self.secret_lines.extend(secret_lines(&text).map(|number| (entry.path.clone(), number)));
            }
            for (number, line) in (1..).zip(text.lines()) {
                if line.trim().is_empty() {
                    self.unchanged.insert((entry.path.clone(), number));
                } else if let Some((hash, _)) = keys_by_hash.get_key_value(&line_hash(&page_id, line)) {
                    present_hashes.insert(hash);
                    self.unchanged.insert((entry.path.clone(), number));
                } else if is_note {
                    if let Some(id) = &entity {
                        self.edits.add_header(&entry.path, number, id, line);
                    }
                    if number > front_matter_end {
                        changed_lines.extend(ChangedLine::parse(&entry.path, number, &page_id, line));
                    }
                } else if let Some((key, _)) = line.split_once(':') {
                    self.edited.insert(key.to_owned());
                }
            }
        }
        let present_keys: BTreeSet<&Key> =
            keys_by_hash.iter().filter(|(hash, _)| present_hashes.contains(hash)).flat_map(|(_, keys)| keys).collect();
        self.invalidated = keys_by_hash.values().flatten().filter(|key| !present_keys.contains(key)).cloned().collect();
        self.edits.match_lines(&self.changes, &mut self.invalidated, changed_lines);
        self.unchanged.extend(self.edits.positions());
        Ok(())
    }

    /// Returns the id of the exported campaign, if the records contain it.
    pub(crate) fn campaign_id(&self) -> Option<&str> {
        self.changes.iter().find_map(|change| match change {
            Change::Set(Setting::World(WorldSetting::Campaign(info))) => Some(info.id.as_str()),
            _ => None,
        })
    }

    /// Merges the records into a campaign that was read from the pages. If a line is unchanged, its records come from
    /// the export.
    pub(crate) fn merge_into(self, campaign: &mut Campaign) {
        let Self {
            mut changes, mut invalidated, unchanged, line_starts, secret_lines, edited, mut edits, digest, ..
        } = self;
        let author = Author::Importer(campaign.info.id.clone());
        let edited_facts = edits.apply(&mut changes, &mut invalidated, &author);
        let is_unchanged = |evidence: &[Evidence]| {
            evidence.iter().any(|evidence| match evidence {
                Evidence::File { path, line, .. } => unchanged.contains(&(path.clone(), *line)),
                // A person can add a line to an exported text, so all lines must be unchanged.
                Evidence::Excerpt(excerpt) => {
                    lines_of(excerpt, &line_starts).all(|line| unchanged.contains(&(excerpt.path.to_string(), line)))
                }
                Evidence::Passage { .. } => false,
            })
        };
        let is_changed = |path: &str, line: u32| !unchanged.contains(&(path.to_owned(), line));
        campaign.passages.retain(|campaign_passage| !is_unchanged(&campaign_passage.passage.evidence));
        // The indices of facts become invalid, because facts are removed below.
        for campaign_passage in &mut campaign.passages {
            campaign_passage.facts.clear();
        }
        let content_of = |fact: &Fact| (fact.subject().clone(), fact.predicate().clone(), fact.object().clone());
        let known_content: HashSet<_> = changes
            .iter()
            .filter_map(|change| match change {
                Change::AssertFact(fact) if !invalidated.contains(&Key::Fact(fact.id())) => Some(content_of(fact)),
                _ => None,
            })
            .collect();
        let exact_entities: BTreeSet<EntityId> = self.ids;
        campaign.facts.retain(|campaign_fact| {
            let fact = &campaign_fact.fact;
            let name = [attribute::NAME, attribute::KIND].contains(&fact.predicate().as_str());
            let known_content =
                known_content.contains(&content_of(fact)) || name && exact_entities.contains(fact.subject());
            !known_content && !is_unchanged(&fact.provenance().evidence)
        });
        add_new_secrets(campaign, &secret_lines, &author);
        let findings = &mut campaign.findings;
        findings.ambiguous.retain(|(place, _)| is_changed(&place.path, place.line));
        findings.dangling.retain(|place| is_changed(&place.path, place.line));
        findings.not_understood.retain(|place| is_changed(&place.path, place.line));
        campaign.warnings.retain(|warning| is_changed(&warning.path, warning.line));
        campaign.warnings.extend(edits.into_warnings());
        // Keeps the settings that a person changed. The records contain the settings that the export wrote.
        campaign.settings.retain(|setting| exported_key(setting).is_none_or(|key| edited.contains(key)));
        let edited_keys: HashSet<SettingKey> = campaign.settings.iter().map(Setting::key).collect();
        campaign.reveals.clear();
        let (mut unchanged_records, mut settings, sessions) =
            add_changes(changes, &invalidated, &edited_keys, campaign);
        campaign.reveals.retain(|reveal| !reveal.facts().any(|fact| invalidated.contains(&Key::Fact(fact))));
        // If the note of an entity was removed, the entity no longer knows anything. It is removed unless a fact names
        // it.
        let removed = &unchanged_records.removed.0;
        let named_entities: HashSet<&EntityId> =
            campaign.facts.iter().flat_map(|campaign_fact| campaign_fact.fact.entities()).collect();
        campaign.entities.retain(|id, _| exact_entities.contains(id) || named_entities.contains(id));
        // A page of texts describes no entity.
        let Campaign { entities, passages, .. } = campaign;
        for campaign_passage in passages {
            let passage = &mut campaign_passage.passage;
            passage.mentions.retain(|id| entities.contains_key(id));
            passage.document.take_if(|id| !entities.contains_key(id));
            campaign_passage.subject.take_if(|id| !entities.contains_key(id));
        }
        let remains = |edge: &KnowledgeEdge| edge.knower.entity().is_none_or(|id| !removed.contains(id));
        unchanged_records.edges.retain(|_, edge| remains(edge));
        let session_ids: BTreeSet<SessionId> = sessions.iter().map(|session| session.id.clone()).collect();
        let used: BTreeSet<&SessionId> =
            campaign.passages.iter().filter_map(|campaign_passage| campaign_passage.passage.session.as_ref()).collect();
        campaign.sessions.retain(|session| !session_ids.contains(&session.id) && used.contains(&session.id));
        campaign.sessions.extend(sessions);
        campaign.settings.retain(|setting| !unchanged_records.settings.contains(&setting.key()));
        settings.append(&mut campaign.settings);
        campaign.settings = settings;
        unchanged_records.edited_facts = edited_facts;
        campaign.digest = blake3::hash(format!("{} {digest}", campaign.digest).as_bytes()).to_hex().to_string();
        campaign.unchanged_records = Some(Box::new(unchanged_records));
    }
}

/// Returns the numbers of the lines that an excerpt covers. `line_starts` contains the byte at which each line of a page
/// starts.
fn lines_of(excerpt: &Excerpt, line_starts: &HashMap<String, Vec<usize>>) -> RangeInclusive<u32> {
    let starts = line_starts.get(&*excerpt.path).map_or(&[][..], Vec::as_slice);
    let last = starts.partition_point(|start| *start < excerpt.span.end);
    excerpt.line..=u32::try_from(last).unwrap_or(u32::MAX).max(excerpt.line)
}

/// Turns the new texts in the secret callouts of a character's note into secrets of this character. The character knows
/// and conceals these secrets, and the new facts in these callouts.
fn add_new_secrets(campaign: &mut Campaign, secret_lines: &HashSet<(String, u32)>, author: &Author) {
    let Campaign { entities, passages, facts, .. } = campaign;
    let is_character = |id: &EntityId| entities.get(id).is_some_and(Kind::is_character);
    let is_in_callout = |evidence: &[Evidence]| {
        evidence.iter().any(|evidence| match evidence {
            Evidence::Excerpt(excerpt) => secret_lines.contains(&(excerpt.path.to_string(), excerpt.line)),
            Evidence::File { .. } | Evidence::Passage { .. } => false,
        })
    };
    for CampaignFact { fact, knowers, .. } in facts.iter_mut() {
        let is_secret = fact.secrecy() == Secrecy::Secret && is_in_callout(&fact.provenance().evidence);
        if is_secret && knowers.is_empty() && is_character(fact.subject()) {
            knowers.push(KnowerEntry::authored(fact.subject().clone(), Credence::FULL, true));
        }
    }
    passages.retain(|campaign_passage| {
        let CampaignPassage { passage, subject, .. } = campaign_passage;
        let subject = subject.as_ref().filter(|id| is_character(id) && is_in_callout(&passage.evidence));
        let secret = subject.and_then(|subject| {
            let evidence = passage.evidence.clone();
            let provenance = Provenance { evidence, ..Provenance::new(Method::Imported, author.clone()) };
            let fact = Fact::attribute(subject, attribute::LORE, passage.text.as_str(), provenance).ok()?;
            let fact = fact.statement(passage.text.as_str()).mentions(passage.mentions.iter().cloned());
            Some(CampaignFact {
                fact: Arc::new(fact.secrecy(Secrecy::Secret).build().ok()?),
                audience_source: AudienceSource::NamedKnowers,
                knowers: vec![KnowerEntry::authored(subject.clone(), Credence::FULL, true)],
                speakers: Vec::new(),
            })
        });
        let is_passage = secret.is_none();
        facts.extend(secret);
        is_passage
    });
}

/// Adds the records of an export to a campaign. Returns the records that unchanged lines represent, the settings, and
/// the sessions. `edited_keys` contains the keys of the settings that a person changed.
fn add_changes(
    changes: Vec<Change>,
    invalidated: &BTreeSet<Key>,
    edited_keys: &HashSet<SettingKey>,
    campaign: &mut Campaign,
) -> (UnchangedRecords, Vec<Setting>, Vec<Session>) {
    let (mut unchanged_records, mut settings, mut sessions) = (UnchangedRecords::default(), Vec::new(), Vec::new());
    for change in changes {
        match change {
            Change::Set(Setting::Engine(EngineSetting::Imported { .. })) => {}
            Change::Set(Setting::Game(GameSetting::Reveal(reveal))) => campaign.reveals.push(reveal),
            Change::Set(Setting::World(WorldSetting::Campaign(exported_info)))
                if edited_keys.contains(&SettingKey::Campaign) =>
            {
                // The pages contain the description only as a passage, so the setting takes it from the export.
                for setting in &mut campaign.settings {
                    if let Setting::World(WorldSetting::Campaign(info)) = setting
                        && info.description.is_empty()
                    {
                        info.description.clone_from(&exported_info.description);
                        campaign.info.clone_from(info);
                    }
                }
            }
            Change::Set(setting) if exported_key(&setting).is_some() && edited_keys.contains(&setting.key()) => {}
            Change::Set(setting) => {
                unchanged_records.settings.insert(setting.key());
                settings.push(setting);
            }
            Change::AddEntity(entity) => {
                campaign.entities.entry(entity.id.clone()).or_insert_with(|| Kind::Custom("unknown".into()));
                if invalidated.contains(&Key::Entity(entity.id.clone())) {
                    unchanged_records.removed.0.insert(entity.id.clone());
                }
                campaign.external_ids.insert(entity.id, entity.external_ids);
            }
            Change::RemoveEntity(id) => _ = unchanged_records.removed.0.insert(id),
            Change::RemoveSession(id) => _ = unchanged_records.removed.1.insert(id),
            Change::SetSession(session) => sessions.push(session),
            Change::AssertFact(fact) if !invalidated.contains(&Key::Fact(fact.id())) => {
                if let (attribute::KIND, Some(kind)) = (fact.predicate().as_str(), fact.object().text()) {
                    campaign.entities.insert(fact.subject().clone(), Kind::from(kind));
                }
                unchanged_records.facts.insert(fact.id());
                campaign.facts.push(CampaignFact {
                    fact,
                    audience_source: AudienceSource::NamedKnowers,
                    knowers: Vec::new(),
                    speakers: Vec::new(),
                });
            }
            Change::Learn(edge) if !invalidated.contains(&Key::Fact(edge.fact)) => {
                unchanged_records.edges.insert(edge.id(), edge);
            }
            Change::AddPassage(passage) if !invalidated.contains(&Key::Passage(passage.id())) => {
                unchanged_records.passages.insert(passage.id(), passage);
            }
            _ => {}
        }
    }
    (unchanged_records, settings, sessions)
}
