//! Changes of sessions.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use hearsay_model::{Change, EntityId, Session, SessionId};

use super::planner::Planner;

impl Planner<'_> {
    pub(super) fn plan_sessions(&mut self, removed_entities: &BTreeSet<EntityId>) {
        let mut first: BTreeMap<&SessionId, &Session> = BTreeMap::new();
        for session in &self.campaign.sessions {
            if let Some(first) = first.get(&session.id) {
                if *first != session {
                    let reason =
                        "another session in the files has the same id; change the number, date or title of one";
                    self.report_unchanged(None, format!("session `{}`", session.id), reason);
                }
                continue;
            }
            first.insert(&session.id, session);
            let removed = self
                .unchanged_records()
                .is_some_and(|unchanged_records| unchanged_records.removed.1.contains(&session.id));
            if removed && self.history.sessions.contains_key(&session.id) {
                continue;
            }
            let mut session = session.clone();
            session.present.retain(|id| !removed_entities.contains(id));
            match self.history.sessions.get(&session.id) {
                Some(last) if last.value == Some(&session) => {}
                Some(last) if !last.ours => {
                    self.report_unchanged(None, format!("session `{}`", session.id), "it was changed in the campaign");
                }
                _ => {
                    self.report.sessions += 1;
                    self.additions.push(Change::SetSession(session));
                }
            }
        }
    }

    pub(super) fn remove_sessions(&mut self) {
        if self.is_foreign() {
            return;
        }
        let file_sessions: HashSet<_> = self.campaign.sessions.iter().map(|session| &session.id).collect();
        let ours = self.history.sessions.iter().filter(|(_, last)| last.ours && last.value.is_some());
        let mut missing_sessions: Vec<_> =
            ours.filter(|(id, _)| !file_sessions.contains(*id)).map(|(id, _)| (*id).clone()).collect();
        missing_sessions.sort();
        self.removals.extend(missing_sessions.into_iter().map(Change::RemoveSession));
    }
}
