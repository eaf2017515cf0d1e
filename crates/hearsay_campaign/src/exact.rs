//! Lossless exports: readable pages, and the exact records beside them.
//!
//! A page cannot contain everything that a record holds. So an export also writes the file [`RECORDS`] beside its
//! pages. It contains every record, and for each line of a page a hash and the records that the line represents. On
//! import, an unchanged line represents these records exactly. A removed or changed line represents no record, and its
//! new text is read like any file of its format.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    fs,
    io::{self, BufReader, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use hearsay_model::{
    Change, EntityId, Evidence, FactId, Key, Kind, KnowledgeEdge, KnowledgeId, Passage, PassageId, SessionId, Setting,
    SettingKey, State, attribute,
};
use serde::{Deserialize, Serialize};

use crate::{
    Campaign, CampaignError, CampaignErrors, Limits,
    campaign::{Reach, Stated},
    export_jsonl,
    notes::Folder,
    private, read_jsonl, regular,
};

/// The name of the file with the records of an export, within its folder.
pub(crate) const RECORDS: &str = "hearsay.records";

const FORMAT: u32 = 2;

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Line {
    HearsayRecords { format: u32 },
    Written { hash: String, keys: Vec<Key> },
}

/// Whether a folder was written by an export, complete or interrupted, so that another export may replace it.
pub fn is_export(folder: &Path) -> bool {
    let records = folder.join(RECORDS);
    records.is_file() || private::part_of(&records).is_file()
}

/// Pages of an export, with the records that their lines represent.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    pages: BTreeMap<String, String>,
    written: BTreeMap<String, BTreeSet<Key>>,
}

impl Pages {
    /// Adds a line to a page. `within` is the owner of the page: the same line may occur on two pages.
    pub(crate) fn line(&mut self, path: &str, within: &str, line: &str, keys: impl IntoIterator<Item = Key>) {
        let page = self.pages.entry(path.to_owned()).or_default();
        page.push_str(line);
        page.push('\n');
        if !line.trim().is_empty() {
            self.written.entry(hash(within, line)).or_default().extend(keys);
        }
    }

    /// Removes lines from a page, by number counted from 1.
    pub(crate) fn without(&mut self, path: &str, lines: &BTreeSet<u32>) {
        if let Some(page) = self.pages.get_mut(path) {
            let kept = (1..).zip(page.lines()).filter(|(number, _)| !lines.contains(number));
            *page = kept.map(|(_, line)| format!("{line}\n")).collect();
        }
    }

    pub(crate) fn page(&self, path: &str) -> &str {
        self.pages.get(path).map_or("", String::as_str)
    }

    /// Writes the pages and the records of a state into a folder. Removes pages of an earlier export that are no longer
    /// needed, and leftovers of an interrupted export.
    pub(crate) fn write(&self, state: &State, folder: &Path) -> io::Result<()> {
        private::create_folder(folder)?;
        let (records, root) = (folder.join(RECORDS), folder.canonicalize()?);
        let part = private::part_of(&records);
        for page in earlier(&records).into_iter().chain(earlier(&part)) {
            let Some(page) = within_folder(&root, &page) else { continue };
            private::remove(&private::part_of(&page))?;
            if page.strip_prefix(&root).is_ok_and(|path| !self.has(path)) {
                private::remove(&page)?;
            }
        }
        // Written first, so that the pages of an interrupted export can be recognized.
        private::create(&part, &self.records(state)?)?;
        for (path, page) in &self.pages {
            if let Some(parent) = root.join(path).parent() {
                private::create_folder(parent)?;
            }
            let page_path = within_folder(&root, path)
                .ok_or_else(|| io::Error::other(format!("{path}: a symbolic link leads out of the folder")))?;
            private::replace(&page_path, page.as_bytes())?;
        }
        // Renamed last: an export is complete only when all its pages exist.
        fs::rename(part, records)
    }

    fn has(&self, path: &Path) -> bool {
        let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        self.pages.contains_key(&parts.join("/"))
    }

    fn records(&self, state: &State) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut line = |line: &Line| -> io::Result<()> {
            serde_json::to_writer(&mut bytes, line)?;
            bytes.write_all(b"\n")
        };
        line(&Line::HearsayRecords { format: FORMAT })?;
        let status: HashSet<String> = self.hashes().collect();
        for (hash, keys) in self.written.iter().filter(|(hash, _)| status.contains(*hash)) {
            line(&Line::Written { hash: hash.clone(), keys: keys.iter().cloned().collect() })?;
        }
        for path in self.pages.keys() {
            bytes.extend_from_slice(format!("{{\"type\":\"page\",\"path\":{}}}\n", serde_json::json!(path)).as_bytes());
        }
        export_jsonl(state, &mut bytes)?;
        Ok(bytes)
    }

    fn hashes(&self) -> impl Iterator<Item = String> {
        self.pages.values().flat_map(|page| {
            let within = within(page);
            page.lines().map(move |line| hash(&within, line)).collect::<Vec<_>>()
        })
    }
}

/// Returns the pages that a records file lists.
fn earlier(records: &Path) -> Vec<String> {
    #[derive(Deserialize)]
    struct Page {
        r#type: String,
        path: String,
    }
    let Ok(text) = regular::read_file(records, Limits::default().total_bytes) else { return Vec::new() };
    // The file of an interrupted export may end within a character.
    let text = String::from_utf8_lossy(&text);
    let pages = text.lines().filter(|line| line.starts_with("{\"type\":\"page\""));
    let pages = pages.filter_map(|line| serde_json::from_str::<Page>(line).ok());
    pages.filter(|page| page.r#type == "page").map(|page| page.path).collect()
}

/// Returns the path of a page of an export, if it is within the folder. Links that point outside are not followed.
fn within_folder(root: &Path, path: &str) -> Option<PathBuf> {
    let page = [".md", ".yaml"].iter().any(|extension| path.ends_with(extension));
    let safe = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', ':']);
    if !page || !path.split('/').all(safe) {
        return None;
    }
    let path = root.join(path);
    path.parent()?.canonicalize().ok().filter(|parent| parent.starts_with(root))?;
    Some(path)
}

/// Returns the owner of a page: the `id` in its front matter.
fn within(page: &str) -> String {
    let mut lines = page.trim_start_matches('\u{feff}').lines();
    if lines.next().map(str::trim_end) != Some("---") {
        return String::new();
    }
    let front = lines.take_while(|line| line.trim_end() != "---");
    let id = front.filter_map(|line| line.strip_prefix("id:")).next();
    id.map_or_else(String::new, |id| id.trim().to_owned())
}

/// Returns a hash of the visible text of a line. Link targets are ignored, so that notes can be renamed.
fn hash(within: &str, line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut rest = line.trim();
    while let Some(start) = rest.find("[[") {
        let (before, link) = rest.split_at(start);
        shown.push_str(before);
        let Some(end) = link.find("]]") else { break };
        let inner = &link[2..end];
        shown.push_str("[[");
        shown.push_str(inner.split_once('|').map_or(inner, |(_, label)| label));
        shown.push_str("]]");
        rest = &link[end + 2..];
    }
    shown.push_str(rest);
    let mut hasher = blake3::Hasher::new();
    hasher.update(within.as_bytes());
    hasher.update(&[0]);
    hasher.update(shown.as_bytes());
    hasher.finalize().to_hex().as_str()[..20].to_owned()
}

/// Returns the key of a campaign file for a setting that an export writes. The key is empty for a setting that only the
/// records contain.
fn written_as(setting: &Setting) -> Option<&'static str> {
    match setting {
        Setting::Predicate(_) | Setting::Attribute(_) => None,
        Setting::Campaign(_) => Some("campaign"),
        Setting::Calendar(_) => Some("calendar"),
        Setting::Audience(_) => Some("audience"),
        Setting::Flag { .. } => Some("flags"),
        _ => Some(""),
    }
}

/// The records that unchanged lines of an export represent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Exact {
    pub(crate) facts: HashSet<FactId>,
    pub(crate) edges: BTreeMap<KnowledgeId, Arc<KnowledgeEdge>>,
    pub(crate) passages: BTreeMap<PassageId, Arc<Passage>>,
    pub(crate) settings: HashSet<SettingKey>,
    /// Removed entities and sessions that other records name.
    pub(crate) removed: (BTreeSet<EntityId>, BTreeSet<SessionId>),
    /// Records of the export that no line represents any more.
    pub(crate) gone: BTreeSet<Key>,
}

/// The records of a folder, and the unchanged lines of its pages.
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
    /// Reads the records of a folder, if it has any.
    ///
    /// # Errors
    /// If the records are damaged.
    pub(crate) fn of(path: &Path, limits: &Limits) -> Result<Option<Self>, CampaignErrors> {
        // A symbolic link is not followed.
        let file = path.join(RECORDS);
        if !fs::symlink_metadata(&file).is_ok_and(|meta| meta.is_file()) {
            return Ok(None);
        }
        let fault = |line: u32, message: String, hint: &str| {
            let (file, hint) = (RECORDS.to_owned(), hint.to_owned());
            CampaignErrors { errors: vec![CampaignError { file, line, field: String::new(), message, hint }], more: 0 }
        };
        let hint = "take the file from the export again; without it the pages are read as any are";
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
                    let what = format!("format {format} is not known");
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

    /// Returns the id of the exported campaign.
    pub(crate) fn campaign(&self) -> Option<&str> {
        self.changes.iter().find_map(|change| match change {
            Change::Set(Setting::Campaign(info)) => Some(info.id.as_str()),
            _ => None,
        })
    }

    /// Merges the records into a campaign that was read from the pages. Unchanged lines take their records from the
    /// export.
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
        // The fact indices of passages change with the facts.
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
        let mut exact = Exact::default();
        // Settings that a person changed count. Settings that the export wrote are in the records.
        campaign.settings.retain(|setting| written_as(setting).is_none_or(|key| edited.contains(key)));
        let by_hand: HashSet<SettingKey> = campaign.settings.iter().map(Setting::key).collect();
        let mut settings = Vec::new();
        let mut sessions = Vec::new();
        campaign.reveals.clear();
        for change in changes {
            match change {
                Change::Set(Setting::Imported { .. }) => {}
                Change::Set(Setting::Reveal(reveal)) => campaign.reveals.push(reveal),
                Change::Set(Setting::Campaign(held)) if by_hand.contains(&SettingKey::Campaign) => {
                    // The pages contain the description as a passage.
                    for setting in &mut campaign.settings {
                        if let Setting::Campaign(info) = setting
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
                    campaign.facts.push(Stated {
                        fact,
                        reach: Reach::Named,
                        learned: Vec::new(),
                        speakers: Vec::new(),
                    });
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
        campaign.reveals.retain(|reveal| !reveal.facts().any(|fact| gone.contains(&Key::Fact(fact))));
        // An entity whose note was removed keeps no facts of its own.
        let removed = &exact.removed.0;
        let named: HashSet<&EntityId> = campaign.facts.iter().flat_map(|stated| stated.fact.entities()).collect();
        campaign.entities.retain(|id, _| exact_entities.contains(id) || named.contains(id));
        let left = |edge: &KnowledgeEdge| edge.knower.entity().is_none_or(|id| !removed.contains(id));
        exact.edges.retain(|_, edge| left(edge));
        let held: BTreeSet<SessionId> =
            sessions.iter().map(|session: &hearsay_model::Session| session.id.clone()).collect();
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
