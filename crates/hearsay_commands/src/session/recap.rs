//! Saving of a recap that the DM edited.

use hearsay_model::{Author, Change, EditedRecap, Operation, SessionSetting, Setting, SettingKey, State, Timestamp};
use hearsay_query::ids::require_session;

use crate::CommandError;

/// Returns the operation that saves a recap that the DM edited. An empty text removes the saved recap.
///
/// # Errors
/// Returns an error if the session does not exist.
pub fn save_recap(state: &State, recap: &EditedRecap, now: Timestamp) -> Result<Operation, CommandError> {
    let session = require_session(state, &recap.session)?.id.clone();
    let key = SettingKey::Recap(session.clone(), recap.reader);
    let (verb, change) = match recap.text.trim() {
        "" => ("withdraw", Change::Unset(key.clone())),
        text => (
            "write",
            Change::Set(Setting::Session(SessionSetting::Recap(EditedRecap {
                session,
                reader: recap.reader,
                text: text.into(),
            }))),
        ),
    };
    Ok(Operation { recorded: now, ..Operation::new(Author::Dm, format!("{verb} {key}"), vec![change]) })
}
