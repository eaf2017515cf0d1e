//! Knowers of facts: the entries of `known_by`, `heard_by`, `told_to` and `knowledge`.

use hearsay_model::{Acquisition, AcquisitionDescriptor, Credence, EntityId, Kind, Knower};

use super::{
    fields::{Fields, nth},
    reader::CampaignReader,
};
use crate::{
    campaign::Learned,
    keys,
    yaml::{Node, Yaml},
};

/// The default acquisition and credence of a knower, for an entry that contains only the knower's name.
#[derive(Debug, Clone)]
pub(super) struct Usual {
    pub(super) acquisition: Acquisition,
    pub(super) credence: f64,
}

impl Usual {
    pub(super) fn authored() -> Self {
        Self { acquisition: Acquisition::Authored, credence: 1.0 }
    }
}

/// The value of `how` for a fact that the knower was told and believes with a credence of at most 0.5.
const RUMOUR: &str = "rumour";

/// Returns the acquisitions that can be written in campaign files.
fn acquisitions() -> impl Iterator<Item = &'static str> + Clone {
    let stated = AcquisitionDescriptor::ALL.into_iter().filter(|kind| kind.create.is_some());
    stated.map(|kind| kind.name).chain([RUMOUR])
}

impl CampaignReader {
    pub(super) fn holders(&mut self, f: &Fields, key: &str, default: &Usual) -> Vec<Learned> {
        let items = self.list(f, key).iter().enumerate();
        items.filter_map(|(n, item)| self.holder(item, &nth(&f.below(key), n), default)).collect()
    }

    fn holder(&mut self, node: &Node, path: &str, default: &Usual) -> Option<Learned> {
        if let Yaml::Map(_) = node.value {
            let f = self.fields(node, path, &keys::HOLDER)?;
            return self.holder_fields(&f, default);
        }
        let knower = self.knower(node, path)?;
        let credence = Credence::new(default.credence).unwrap_or(Credence::FULL);
        let acquisition = default.acquisition.clone();
        Some(Learned { acquisition, at: node.at, ..Learned::authored(knower, credence, false) })
    }

    /// Reads a knower from the keys `who`, `how`, `from`, `citing`, `when`, `with`, `rank`, `credence` and `conceals`.
    pub(super) fn holder_fields(&mut self, f: &Fields, default: &Usual) -> Option<Learned> {
        let learned = self.date(f, "when");
        let given = self.scale(f, "credence", Credence::new);
        let conceals = self.flag(f, "conceals").unwrap_or(false);
        let from = self.refer(f, "from");
        let way = self.text(f, "how");
        let mut usual = default.credence;
        let citing = self.refer(f, "citing");
        let create = way.and_then(AcquisitionDescriptor::from_name).and_then(|kind| kind.create);
        let mut acquisition = match (way, create) {
            (_, Some(create)) => create(from),
            (None, None) if from.is_none() => default.acquisition.clone(),
            (None, None) => Acquisition::told(from),
            (Some(RUMOUR), None) => {
                usual = usual.min(0.5);
                Acquisition::told(from)
            }
            (Some(other), None) => {
                let at = f.get("how").map_or(f.at, |node| node.at);
                let message = format!("unknown value of `how`: `{other}`");
                self.faults.add(at, &f.below("how"), message, keys::hint(other, acquisitions()));
                return None;
            }
        };
        match (&mut acquisition, f.get("citing")) {
            (Acquisition::Told { citing: cited, .. }, Some(_)) => *cited = citing,
            (_, Some(node)) => {
                let hint = "add `how: told` and `from: …`, or remove `citing`";
                self.faults.add(node.at, &f.below("citing"), "`citing` is allowed only with `how: told`", hint);
            }
            (_, None) => {}
        }
        let mut co_present = self.refers(f, "with");
        let Some(who) = f.get("who") else {
            self.faults.add(f.at, &f.path, "the knower is missing", "add `who: …`");
            return None;
        };
        let knower = self.knower(who, &f.below("who"))?;
        let credence = given.or(Credence::new(usual).ok())?;
        co_present.retain(|id| knower.entity() != Some(id));
        let rank = self.rank_in(f, knower.entity());
        let known = Learned::authored(knower, credence, conceals);
        Some(Learned { acquisition, learned, co_present, rank, at: f.at, ..known })
    }

    /// Reads the minimum rank. The knowledge edge applies only to members of the group with at least this rank.
    fn rank_in(&mut self, f: &Fields, group: Option<&EntityId>) -> Option<String> {
        let node = f.get("rank")?;
        let kind = group.and_then(|group| self.index.kind(group));
        if !matches!(kind, Some(Kind::Faction | Kind::Party)) {
            let who = group.map_or("the world", EntityId::as_str);
            let message = format!("`{who}` is not a faction or party, so it has no ranks");
            self.faults.add(node.at, &f.below("rank"), message, "remove the rank, or name the group as `who`");
            return None;
        }
        self.owned(f, "rank")
    }

    /// Reads a knower: a character, a group, a place, or `world`.
    pub(super) fn knower(&mut self, node: &Node, path: &str) -> Option<Knower> {
        if node.text() == Some("world") && !self.is_known("world") {
            return Some(Knower::World);
        }
        let id = self.reference(node, path)?;
        let kind = self.index.kind(&id).cloned().unwrap_or(Kind::Npc);
        if !kind.can_know() {
            let hint = "name a character, a faction, a party, a place, or `world`";
            self.faults.add(node.at, path, format!("`{id}` is of the kind {kind}, which cannot know facts"), hint);
            return None;
        }
        Some(Knower::Entity(id))
    }

    /// Reads the knowers in a list.
    pub(super) fn knowers(&mut self, f: &Fields, key: &str) -> Vec<Knower> {
        let items = self.list(f, key).iter().enumerate();
        items.filter_map(|(n, item)| self.knower(item, &nth(&f.below(key), n))).collect()
    }
}
