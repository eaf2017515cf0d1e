//! Reader of campaign files: converts trees to facts, edges, passages and sessions.
//!
//! Settings come first, because dates need the calendar and sentences need the vocabulary. Then all entities are
//! collected, so that references can precede their entity. Then all entries are read in the order of the files.
//! Finally, references to facts by handle are resolved.

mod entities;
mod fact_relations;
mod facts;
mod fields;
mod holders;
mod names;
mod passages;
mod reveals;
mod sessions;
mod settings;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::Path,
    sync::Arc,
};

use hearsay_model::{
    AudienceRules, Calendar, CampaignInfo, EntityId, Evidence, FactId, FactStatus, Kind, Knower, Passage, PassageId,
    Predicate, Reveal, Secrecy, Session, SessionId, Setting, Span, Vocabulary, attribute, predicate, text,
};

use crate::{
    Campaign, CampaignErrors, Limits,
    alias::AliasBytes,
    audience,
    campaign::{Learned, Reach, Stated, Text},
    error::{Faults, Place},
    files::{self, File, Loaded},
    keys,
    sources::Step,
    yaml::{self, Node},
};
use facts::Context;
use fields::{Fields, nth};
use names::Index;

/// Reads a campaign from a folder, with every YAML file below it, or from one file. `FORMAT.md` of this crate describes
/// the format.
///
/// # Errors
/// If there is an error in the files, their YAML, a key, a type, a date, a number, a name or a reference. One run
/// collects many errors. An exceeded limit is an error too.
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

/// `faults` contains the paths of the files.
fn read_loaded(files: Vec<File>, limits: &Limits, mut faults: Faults) -> Result<Campaign, CampaignErrors> {
    let digest = files::digest_of(&files);
    let numbers: HashMap<String, u32> =
        faults.files.iter().enumerate().map(|(number, path)| (path.clone(), number as u32)).collect();
    let (mut trees, aliases) = (Vec::new(), AliasBytes::default());
    for file in files {
        let number = numbers.get(&file.path).copied().unwrap_or_default();
        trees.extend(yaml::parse(&file.bytes, number, limits, &aliases, &mut faults));
    }
    let mut reader = NoteReader::new(faults);
    let campaign = reader.all(&trees);
    reader.finish(campaign, digest)
}

/// A reference to a fact by its handle, with its effects.
#[derive(Debug)]
struct Later {
    handle: String,
    at: Place,
    path: String,
    /// The knowers that the reference adds to the fact.
    learned: Vec<Learned>,
    /// The speaker of the fact.
    speaker: Option<EntityId>,
    /// The index of the passage that states the fact.
    read_in: Option<usize>,
    /// The line that states the fact, with its text.
    said_in: Option<(PassageId, String)>,
}

#[derive(Debug)]
struct NoteReader {
    faults: Faults,
    index: Index,
    vocabulary: Vocabulary,
    calendar: Calendar,
    /// Whether dates can be read. With a broken calendar, every date would give another error.
    calendar_is_sound: bool,
    source: String,
    facts: Vec<Stated>,
    /// The first position of each fact.
    spots: Vec<Place>,
    by_id: HashMap<FactId, usize>,
    handles: HashMap<String, (usize, Place)>,
    later: Vec<Later>,
    /// Facts with a relation to another fact.
    unbuilt: Vec<fact_relations::Unbuilt>,
    /// The numbers of public versions and their secrets.
    covers: Vec<(usize, usize)>,
    unread_opposites: Vec<(Predicate, Place, String)>,
    passages: Vec<Text>,
    passage_ids: HashMap<String, Place>,
    sessions: Vec<Session>,
    session_ids: HashMap<SessionId, Place>,
    flags: reveals::Flags,
    /// Reveals, each with the number of its fact.
    unread_reveals: Vec<(usize, reveals::Written)>,
    reveals: Vec<Reveal>,
    /// The knowers of each entity with restricted visibility.
    seen_by: BTreeMap<EntityId, Vec<Knower>>,
    /// Predicates and attributes that already caused a warning.
    undeclared: BTreeSet<Predicate>,
}

/// Formats the steps of a cycle for an error. A long cycle is shortened.
fn in_short<T>(circle: &[T], show: impl Fn(&T) -> String) -> String {
    const MOST: usize = 8;
    let mut steps: Vec<String> = circle.iter().take(MOST).map(show).collect();
    if circle.len() > MOST {
        steps.push(format!("and {} more", circle.len() - MOST));
    }
    steps.join(", ")
}

/// The settings of a campaign.
struct Head {
    info: CampaignInfo,
    settings: Vec<Setting>,
    rules: AudienceRules,
    entities: Vec<EntityId>,
}

impl NoteReader {
    fn new(faults: Faults) -> Self {
        Self {
            faults,
            index: Index::default(),
            vocabulary: Vocabulary::default(),
            calendar: Calendar::default(),
            calendar_is_sound: true,
            source: String::new(),
            facts: Vec::new(),
            spots: Vec::new(),
            by_id: HashMap::new(),
            handles: HashMap::new(),
            later: Vec::new(),
            unbuilt: Vec::new(),
            covers: Vec::new(),
            unread_opposites: Vec::new(),
            passages: Vec::new(),
            passage_ids: HashMap::new(),
            sessions: Vec::new(),
            session_ids: HashMap::new(),
            flags: reveals::Flags::new(),
            unread_reveals: Vec::new(),
            reveals: Vec::new(),
            seen_by: BTreeMap::new(),
            undeclared: BTreeSet::new(),
        }
    }

    fn all(&mut self, trees: &[Node]) -> Option<Head> {
        let files: Vec<Fields> = trees.iter().filter_map(|tree| self.fields(tree, "", &keys::FILE)).collect();
        let mut head = self.head(&files);
        let mut noted = Vec::new();
        for f in &files {
            // This check reports a list of the wrong type once.
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

    /// Sets the game clock to the start of the campaign, or to the latest moment of a session.
    fn set_clock(&self, head: &mut Head) {
        let lines = self.passages.iter().filter(|text| text.passage.session.is_some());
        let lines = lines.filter_map(|text| text.passage.time.as_ref());
        let sessions = self.sessions.iter().flat_map(|session| session.start.iter().chain(&session.end));
        let Some(latest) = lines.chain(sessions).filter_map(|date| date.time).max() else { return };
        match head.settings.iter_mut().find_map(|setting| match setting {
            Setting::Clock(start) => Some(start),
            _ => None,
        }) {
            Some(start) => *start = latest.max(*start),
            None => head.settings.push(Setting::Clock(latest)),
        }
    }

    /// Reads the keys that occur once per campaign, and the vocabulary.
    fn head(&mut self, files: &[Fields]) -> Option<Head> {
        let mut settings = Vec::new();
        if let Some(node) = self.only(files, "calendar") {
            match self.calendar(node) {
                Some(calendar) => {
                    settings.push(Setting::Calendar(calendar.clone()));
                    self.calendar = calendar;
                }
                None => self.calendar_is_sound = false,
            }
        }
        for f in files {
            for (n, node) in self.list(f, "predicates").iter().enumerate() {
                settings.extend(self.predicate(node, &nth("predicates", n)).map(Setting::Predicate));
            }
            for (n, node) in self.list(f, "attributes").iter().enumerate() {
                settings.extend(self.attribute_def(node, &nth("attributes", n)).map(Setting::Attribute));
            }
            self.flags_of(f);
            if let Some(format) = self.whole(f, "format").filter(|&format| format != 1) {
                let at = f.get("format").map_or(f.at, |node| node.at);
                let hint = "write `format: 1`, or use a newer version of this program";
                self.faults.add(at, "format", format!("format {format} is not known"), hint);
            }
        }
        self.check_opposites();
        let flags = self.flags.iter().map(|(name, (value, _))| (name.clone(), value.clone()));
        settings.extend(flags.map(|(name, value)| Setting::Flag { name, value }));
        let rules = self.only(files, "audience").map(|node| self.rules(node));
        settings.extend(rules.clone().map(Setting::Audience));
        let Some(node) = self.only(files, "campaign") else {
            if files.is_empty() && self.faults.found_none() || !files.is_empty() {
                let hint = "add `campaign: {name: …}` to one file";
                let line = u32::from(!files.is_empty());
                self.faults.add(Place { file: 0, line }, "campaign", "no file says which campaign this is", hint);
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
        settings.insert(0, Setting::Campaign(info.clone()));
        settings.extend(start.map(Setting::Clock));
        Some(Head { info, settings, rules: rules.unwrap_or_default(), entities: Vec::new() })
    }

    /// Returns the value of a key that only one file may contain.
    fn only<'a>(&mut self, files: &[Fields<'a>], key: &str) -> Option<&'a Node> {
        let mut first = None::<&Node>;
        for node in files.iter().filter_map(|f| f.get(key)) {
            match first {
                None => first = Some(node),
                Some(first) => {
                    let message = format!("a second `{key}`: the first stands at {}", self.faults.spot(first.at));
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
                // A duplicate fact adds its evidence to the first.
                if let Ok(fact) = stated.fact.to_builder().provenance(provenance).build() {
                    stated.fact = Arc::new(fact);
                }
            }
            if let Some(text) = later.read_in {
                self.passages[text].facts.push(number);
            }
        }
    }

    fn no_handle(&mut self, handle: &str, at: Place, path: &str) {
        let full = self.faults.is_full();
        let near = || keys::nearest(handle, self.handles.keys().map(String::as_str));
        let hint = match if full { None } else { near() } {
            Some(near) => format!("did you mean `{near}`?"),
            None => "write the `id` of a fact".to_owned(),
        };
        self.faults.add(at, path, format!("no fact has the id `{handle}`"), hint);
    }

    /// Checks that no place is part of itself.
    fn check_parts(&mut self) {
        let mut parts: HashMap<EntityId, (EntityId, usize)> = HashMap::new();
        for (number, stated) in self.facts.iter().enumerate() {
            let fact = &stated.fact;
            if *fact.predicate() == *predicate::PART_OF
                && fact.status() == FactStatus::Canon
                && let Some(whole) = fact.object().entity()
            {
                parts.insert(fact.subject().clone(), (whole.clone(), number));
            }
        }
        let mut starts: Vec<&EntityId> = parts.keys().collect();
        starts.sort();
        let mut done = BTreeSet::new();
        for start in starts {
            let (mut path, mut at) = (Vec::new(), start);
            while let Some((whole, _)) = parts.get(at).filter(|_| !done.contains(at)) {
                done.insert(at);
                path.push(at);
                at = whole;
            }
            let Some(begin) = path.iter().position(|id| *id == at) else { continue };
            let cycle: Vec<&str> = path[begin..].iter().map(|id| id.as_str()).chain([at.as_str()]).collect();
            let Some((_, number)) = parts.get(at) else { continue };
            let message = format!("a circle of parts: {}", cycle.join(" is part of "));
            self.faults.add(self.spots[*number], &format!("entities/{at}/part_of"), message, "remove one of these");
        }
    }

    /// Checks that each functional predicate has at most one open value at a time.
    fn check_functional(&mut self) {
        let mut held: HashMap<(&EntityId, &Predicate), Vec<usize>> = HashMap::new();
        for (number, stated) in self.facts.iter().enumerate() {
            let fact = &stated.fact;
            let counts = fact.status() == FactStatus::Canon && fact.secrecy() != Secrecy::Secret;
            if counts && self.vocabulary.is_functional(fact.predicate()) {
                held.entry((fact.subject(), fact.predicate())).or_default().push(number);
            }
        }
        let mut doubled = Vec::new();
        for ((subject, predicate), numbers) in held {
            for (n, &a) in numbers.iter().enumerate() {
                let fact = &self.facts[a].fact;
                let other = numbers[..n].iter().find(|&&b| {
                    let other = &self.facts[b].fact;
                    other.object() != fact.object() && other.validity().overlaps(fact.validity())
                });
                if let Some(&b) = other {
                    let first = self.faults.spot(self.spots[b]);
                    let what =
                        format!("`{subject}` has two values of {predicate} at a time; the first stands at {first}");
                    doubled.push((self.spots[a], what));
                }
            }
        }
        for (at, what) in doubled {
            self.faults.warn(at, what);
        }
    }

    /// Checks that each rank of an edge is a rank of its group.
    fn check_ranks(&mut self) {
        let mut ranks: HashMap<&EntityId, Vec<&str>> = HashMap::new();
        for fact in self.facts.iter().map(|stated| &stated.fact) {
            if *fact.predicate() == *attribute::RANKS {
                ranks
                    .entry(fact.subject())
                    .or_default()
                    .extend(fact.object().text().into_iter().flat_map(|list| list.split(',')));
            }
        }
        let mut unknown = Vec::new();
        for learned in self.facts.iter().flat_map(|stated| &stated.learned) {
            let (Some(group), Some(rank)) = (learned.knower.entity(), &learned.rank) else { continue };
            let known = ranks.get(group).map_or(&[][..], Vec::as_slice);
            if !known.iter().any(|known| text::normal(known) == text::normal(rank)) {
                let known: Vec<_> = known.iter().map(|known| known.trim()).collect();
                let hint = match known.is_empty() {
                    true => "write its `ranks` among its attributes, the lowest first".to_owned(),
                    false => format!("its `ranks` are {}", known.join(", ")),
                };
                unknown.push((learned.at, format!("`{group}` has no rank `{rank}`: {hint}")));
            }
        }
        for (at, what) in unknown {
            self.faults.warn(at, what);
        }
    }

    /// Reports cycles of tellers in which no one is the origin.
    fn check_circles(faults: &mut Faults, campaign: &Campaign) {
        for circle in audience::circles(campaign) {
            let Some(first) = circle.first() else { continue };
            let what = campaign.facts().find(|fact| fact.id() == first.fact).map_or("", |fact| fact.statement());
            let step = |step: &Step| format!("`{}` has it from `{}` ({})", step.who, step.from, faults.spot(step.at));
            let message = format!("a circle of sources of \u{201C}{what}\u{201D}: {}", in_short(&circle, step));
            let hint = "say how one of them learned it: another `how`, or no `from`";
            faults.add(first.at, "", message, hint);
        }
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
