//! Changes of settings, flags and reveals.

use std::collections::{BTreeSet, HashMap, HashSet};

use hearsay_model::{Change, EngineSetting, EntityId, FactId, GameSetting, Setting, SettingKey, Value};

use super::planner::{Planner, Withdrawn};

impl Planner<'_> {
    pub(super) fn plan_settings(&mut self) {
        let digest = Setting::Engine(EngineSetting::Imported {
            source: self.campaign.info.id.clone(),
            digest: self.campaign.digest.clone(),
        });
        for setting in self.campaign.settings.iter().chain([&digest]) {
            let key = setting.key();
            match self.history.settings.get(&key) {
                Some(last) if last.value == Some(setting) => {}
                // If another author has set the value since the export, the export contains an older value.
                Some(last)
                    if !last.ours
                        && self
                            .unchanged_records()
                            .is_some_and(|unchanged_records| unchanged_records.settings.contains(&key)) => {}
                // A value that the game has set stays. If the value of a flag has another type, it counts as a
                // different flag.
                Some(last)
                    if !last.ours
                        && let Setting::Game(GameSetting::Flag { name, value }) = setting =>
                {
                    match self.state.flag(name) {
                        Some(current) if current.kind() == value.kind() => {}
                        Some(_) => self.additions.push(Change::Set(setting.clone())),
                        None => self.report_unchanged(
                            None,
                            key.to_string(),
                            "it was removed in the campaign, so it is not added again",
                        ),
                    }
                }
                // The clock advances during play, but the file contains only its start.
                Some(last) if !last.ours && key == SettingKey::Clock => {}
                Some(last) if !last.ours => {
                    self.report_unchanged(None, key.to_string(), "it was set in the campaign by another source");
                }
                _ => self.additions.push(Change::Set(setting.clone())),
            }
        }
    }

    /// Adds reveals to the changes, after the records that the reveals name.
    pub(super) fn plan_reveals(&mut self, withdrawn: &Withdrawn, removed_entities: &BTreeSet<EntityId>) {
        let flags: HashMap<&str, &Value> = self
            .state
            .flags()
            .chain(self.additions.iter().filter_map(|change| match change {
                Change::Set(Setting::Game(GameSetting::Flag { name, value })) => Some((name.as_str(), value)),
                _ => None,
            }))
            .collect();
        let (mut additions, mut unchanged) = (Vec::new(), Vec::new());
        let new_facts: BTreeSet<FactId> = withdrawn.replacements.values().copied().collect();
        for reveal in &self.campaign.reveals {
            let setting = Setting::Game(GameSetting::Reveal(reveal.clone()));
            let key = setting.key();
            let is_replaced = reveal.facts().any(|fact| new_facts.contains(&fact));
            let is_not_added = reveal.facts().any(|fact| withdrawn.not_added.contains(&fact))
                || reveal.entities().any(|id| removed_entities.contains(id))
                || reveal
                    .when
                    .flags()
                    .any(|(name, is)| flags.get(name).is_none_or(|declared| declared.kind() != is.kind()));
            match self.history.settings.get(&key) {
                Some(last) if last.value == Some(&setting) => {}
                Some(last) if !last.ours && !is_replaced => {
                    unchanged.push((reveal.fact, key, "it was set or removed in the campaign"));
                }
                _ if is_not_added => {
                    unchanged.push((reveal.fact, key, "it refers to a fact, entity or flag that is not added again"))
                }
                _ => {
                    self.report.reveals += 1;
                    additions.push(Change::Set(setting));
                }
            }
        }
        self.additions.append(&mut additions);
        for (fact, key, reason) in unchanged {
            self.report_unchanged(Some(fact), key.to_string(), reason);
        }
    }

    /// Withdraws reveals and flags that the files no longer contain, unless another author set them.
    pub(super) fn remove_settings(&mut self) {
        let flags = self.campaign.settings.iter().map(Setting::key);
        let reveals = self.campaign.reveals.iter().map(|reveal| SettingKey::Reveal(reveal.id.clone()));
        let file_keys: HashSet<SettingKey> = flags.chain(reveals).collect();
        let is_removed =
            |key: &SettingKey| matches!(key, SettingKey::Flag(_) | SettingKey::Reveal(_)) && !file_keys.contains(key);
        let ours = self.history.settings.iter().filter(|(_, last)| last.ours && last.value.is_some());
        let removed_keys: BTreeSet<SettingKey> = ours.map(|(key, _)| key.clone()).filter(is_removed).collect();
        self.removals.splice(0..0, removed_keys.into_iter().map(Change::Unset));
    }
}
