//! Knowers of facts: the entries of `known_by`, `heard_by`, `told_to` and `knowledge`.

use hearsay_model::{Acquisition, AcquisitionDescriptor, Credence, EntityId, Kind, Knower, words};

use super::{
    drafts::{Context, Marks},
    fields::{Fields, item_path},
    reader::CampaignReader,
};
use crate::{
    campaign::{AudienceSource, KnowerEntry},
    keys,
    yaml::{Node, Yaml},
};

/// The default acquisition, credence and concealment of a knower, for an entry that contains only the knower's name.
#[derive(Debug, Clone)]
pub(super) struct KnowerDefaults {
    pub(super) acquisition: Acquisition,
    pub(super) credence: f64,
    pub(super) conceals: bool,
}

impl KnowerDefaults {
    /// Returns the defaults of knowers who do not conceal the fact.
    pub(super) fn open(acquisition: Acquisition, credence: f64) -> Self {
        Self { acquisition, credence, conceals: false }
    }

    pub(super) fn authored() -> Self {
        Self::open(Acquisition::Authored, 1.0)
    }
}

/// The value of `how` for a fact that the knower was told and believes with a credence of at most 0.5.
const RUMOUR: &str = "rumour";

/// Returns the acquisitions that can be written in campaign files.
fn acquisition_names() -> impl Iterator<Item = &'static str> + Clone {
    let writable = AcquisitionDescriptor::ALL.into_iter().filter(|kind| kind.create.is_some());
    writable.map(|kind| kind.name).chain([RUMOUR])
}

impl CampaignReader {
    /// Returns the knowers in `known_by` and `conceals`. Also returns whether the bearer of the secret conceals it;
    /// `None` if there is no bearer who knows it.
    ///
    /// All knowers of a secret conceal it, unless `conceals` is false or the entry names those who conceal it.
    pub(super) fn read_named_knowers(
        &mut self,
        f: &Fields,
        context: &Context,
        is_secret: bool,
    ) -> (Vec<KnowerEntry>, Option<bool>) {
        // Rumours, lies, and facts that a line or a passage states have no bearer: only their hearers know them.
        let has_bearer = is_secret && context.audience_source == AudienceSource::Rules;
        let (mut default_conceals, mut concealing) = (has_bearer, Vec::new());
        match f.get("conceals") {
            Some(Node { value: Yaml::Flag(flag), .. }) if has_bearer => default_conceals = *flag,
            Some(Node { value: Yaml::List(_), .. }) => concealing = self.read_references(f, "conceals"),
            Some(node) => {
                self.add_type_error(node, &f.child_path("conceals"), "a list of the characters who conceal the fact")
            }
            None => {}
        }
        let bearer_knows = has_bearer && self.read_flag(f, "bearer") != Some(false);
        let bearer_conceals = bearer_knows.then_some(default_conceals);
        let is_concealing =
            |item: &Node| item.get("conceals").is_some_and(|conceals| conceals.value == Yaml::Flag(true));
        let names_concealing_knowers =
            !concealing.is_empty() || f.get("known_by").map_or(&[][..], Node::items).iter().any(is_concealing);
        let conceals = default_conceals && !names_concealing_knowers;
        let defaults = KnowerDefaults { conceals, ..KnowerDefaults::authored() };
        let mut entries = self.read_knower_entries(f, "known_by", &defaults);
        for id in concealing {
            let knower = Knower::Entity(id);
            if !entries.iter().any(|entry| entry.knower == knower) {
                entries.push(KnowerEntry::authored(knower.clone(), Credence::FULL, true));
            }
            for entry in entries.iter_mut().filter(|entry| entry.knower == knower) {
                entry.conceals = true;
            }
        }
        (entries, bearer_conceals)
    }

    /// Adds the bearer of a secret to the knowers, unless the entry names the bearer as a knower.
    ///
    /// The bearer is the entity that the entry belongs to. If the entry belongs to no entity, the bearer is the subject. A
    /// group or place is a bearer only of
    /// the entries under its `secrets`, because it shares the secret with all its members or residents.
    pub(super) fn add_bearer(&self, marks: &mut Marks, context: &Context, subject: &EntityId) {
        let Some(conceals) = marks.bearer_conceals.take() else { return };
        let bearer = context.subject.as_ref().unwrap_or(subject);
        let is_named = marks.knowers.iter().any(|entry| entry.knower.entity() == Some(bearer));
        let can_bear = self.index.kind(bearer).is_some_and(|kind| match context.secret_owner {
            Some(_) => kind.can_know(),
            None => kind.is_character(),
        });
        if can_bear && !is_named {
            marks.knowers.push(KnowerEntry::authored(bearer.clone(), Credence::FULL, conceals));
        }
    }

    pub(super) fn read_knower_entries(&mut self, f: &Fields, key: &str, defaults: &KnowerDefaults) -> Vec<KnowerEntry> {
        let items = self.read_list(f, key).iter().enumerate();
        items
            .filter_map(|(n, item)| self.read_knower_entry(item, &item_path(&f.child_path(key), n), defaults))
            .collect()
    }

    fn read_knower_entry(&mut self, node: &Node, path: &str, defaults: &KnowerDefaults) -> Option<KnowerEntry> {
        if let Yaml::Map(_) = node.value {
            let f = self.read_fields(node, path, &keys::HOLDER)?;
            return self.read_knower_fields(&f, defaults);
        }
        let knower = self.read_knower(node, path)?;
        let credence = Credence::new(defaults.credence).unwrap_or(Credence::FULL);
        let acquisition = defaults.acquisition.clone();
        let entry = KnowerEntry::authored(knower, credence, defaults.conceals);
        Some(KnowerEntry { acquisition, at: node.at, has_default_credence: true, ..entry })
    }

    /// Reads a knower from the keys `who`, `how`, `from`, `citing`, `when`, `with`, `rank`, `credence` and `conceals`.
    pub(super) fn read_knower_fields(&mut self, f: &Fields, defaults: &KnowerDefaults) -> Option<KnowerEntry> {
        let learned_date = self.read_date(f, "when");
        let given_credence = self.read_scale(f, "credence", Credence::new);
        let conceals = self.read_flag(f, "conceals").unwrap_or(defaults.conceals);
        let from = self.read_reference(f, "from");
        let acquisition_name = self.read_text(f, "how");
        let mut default_credence = defaults.credence;
        let citing = self.read_reference(f, "citing");
        let create = acquisition_name.and_then(AcquisitionDescriptor::from_name).and_then(|kind| kind.create);
        let mut acquisition = match (acquisition_name, create) {
            (_, Some(create)) => create(from),
            (None, None) if from.is_none() => defaults.acquisition.clone(),
            (None, None) => Acquisition::told(from),
            (Some(RUMOUR), None) => {
                default_credence = default_credence.min(0.5);
                Acquisition::told(from)
            }
            (Some(other), None) => {
                let at = f.get("how").map_or(f.at, |node| node.at);
                let message = format!("unknown value of `how`: `{other}`");
                self.diagnostics.add(at, &f.child_path("how"), message, keys::hint(other, acquisition_names()));
                return None;
            }
        };
        match (&mut acquisition, f.get("citing")) {
            (Acquisition::Told { citing: cited, .. }, Some(_)) => *cited = citing,
            (_, Some(node)) => {
                let hint = "add `how: told` and `from: …`, or remove `citing`";
                self.diagnostics.add(
                    node.at,
                    &f.child_path("citing"),
                    "`citing` is allowed only with `how: told`",
                    hint,
                );
            }
            (_, None) => {}
        }
        let mut co_present = self.read_references(f, "with");
        let Some(knower_node) = f.get("who") else {
            self.diagnostics.add(f.at, &f.path, "the knower is missing", "add `who: …`");
            return None;
        };
        let knower = self.read_knower(knower_node, &f.child_path("who"))?;
        let credence = given_credence.or(Credence::new(default_credence).ok())?;
        co_present.retain(|id| knower.entity() != Some(id));
        let rank = self.read_rank(f, knower.entity());
        let entry = KnowerEntry::authored(knower, credence, conceals);
        let has_default_credence = given_credence.is_none();
        let entry = KnowerEntry { acquisition, learned: learned_date, co_present, rank, at: f.at, ..entry };
        Some(KnowerEntry { has_default_credence, ..entry })
    }

    /// Reads the minimum rank. The knowledge edge applies only to members of the group with at least this rank.
    fn read_rank(&mut self, f: &Fields, group: Option<&EntityId>) -> Option<String> {
        let node = f.get("rank")?;
        let kind = group.and_then(|group| self.index.kind(group));
        if !matches!(kind, Some(Kind::Faction | Kind::Party)) {
            let group_name = group.map_or("the world", EntityId::as_str);
            let message = format!("`{group_name}` is not a faction or party, so it has no ranks");
            self.diagnostics.add(
                node.at,
                &f.child_path("rank"),
                message,
                "remove the rank, or name the group as `who`",
            );
            return None;
        }
        self.read_trimmed_text(f, "rank")
    }

    /// Reads a knower: a character, a group, a place, or `world`.
    pub(super) fn read_knower(&mut self, node: &Node, path: &str) -> Option<Knower> {
        if node.text() == Some("world") && !self.is_known("world") {
            return Some(Knower::World);
        }
        let id = self.resolve_reference(node, path)?;
        let kind = self.index.kind(&id).cloned().unwrap_or(Kind::Npc);
        if !kind.can_know() {
            let hint = "name a character, a faction, a party, a place, or `world`";
            let noun = words::with_article(&kind.noun());
            self.diagnostics.add(node.at, path, format!("`{id}` is {noun}, which cannot know facts"), hint);
            return None;
        }
        Some(Knower::Entity(id))
    }

    /// Reads the knowers in a list.
    pub(super) fn read_knowers(&mut self, f: &Fields, key: &str) -> Vec<Knower> {
        let items = self.read_list(f, key).iter().enumerate();
        items.filter_map(|(n, item)| self.read_knower(item, &item_path(&f.child_path(key), n))).collect()
    }
}
