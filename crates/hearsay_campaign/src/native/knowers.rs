//! Knowers of facts: the entries of `known_by`, `heard_by`, `told_to` and `knowledge`.

use hearsay_model::{Acquisition, AcquisitionDescriptor, Credence, EntityId, Kind, Knower, words};

use super::{
    fields::{Fields, item_path},
    reader::CampaignReader,
};
use crate::{
    campaign::KnowerEntry,
    keys,
    yaml::{Node, Yaml},
};

/// The default acquisition and credence of a knower, for an entry that contains only the knower's name.
#[derive(Debug, Clone)]
pub(super) struct KnowerDefaults {
    pub(super) acquisition: Acquisition,
    pub(super) credence: f64,
}

impl KnowerDefaults {
    pub(super) fn authored() -> Self {
        Self { acquisition: Acquisition::Authored, credence: 1.0 }
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
        Some(KnowerEntry { acquisition, at: node.at, ..KnowerEntry::authored(knower, credence, false) })
    }

    /// Reads a knower from the keys `who`, `how`, `from`, `citing`, `when`, `with`, `rank`, `credence` and `conceals`.
    pub(super) fn read_knower_fields(&mut self, f: &Fields, defaults: &KnowerDefaults) -> Option<KnowerEntry> {
        let learned_date = self.read_date(f, "when");
        let given_credence = self.read_scale(f, "credence", Credence::new);
        let conceals = self.read_flag(f, "conceals").unwrap_or(false);
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
        Some(KnowerEntry { acquisition, learned: learned_date, co_present, rank, at: f.at, ..entry })
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
