//! Options of transcripts: the session to create, and the speakers.

use std::{path::Path, sync::Arc};

use anyhow::Result;
use hearsay_commands::session::{AssignedSpeaker, NewSession, SpeakerAssignment};
use hearsay_engine::{Memory, MemoryError};
use hearsay_model::{SessionId, SpeakerRole, State};

use crate::{args, names::Names};

pub(super) fn new_session(args: &args::NewSession, names: &Names) -> Result<NewSession> {
    Ok(NewSession {
        id: args.id.as_ref().map(SessionId::new).transpose().map_err(MemoryError::from)?,
        number: args.number,
        title: args.title.clone(),
        date: args.date.clone(),
        time: args.time.clone(),
        place: names.optional_place(args.at.as_ref())?,
        present: names.characters(&args.present)?,
    })
}

/// Returns the assignments of speakers on the command line.
pub(super) fn assigned_speakers(args: &args::Speakers, names: &Names) -> Result<Vec<SpeakerAssignment>> {
    let mut speakers = Vec::new();
    for (pairs, remember) in [(&args.player, true), (&args.speaker, false)] {
        for (name, character) in pairs {
            let is = AssignedSpeaker::Character(names.character(character)?);
            speakers.push(SpeakerAssignment { name: name.clone(), is, remember });
        }
    }
    for (people, role) in [(&args.dm, SpeakerRole::Dm), (&args.nobody, SpeakerRole::Nobody)] {
        speakers.extend(people.iter().map(|name| SpeakerAssignment {
            name: name.clone(),
            is: AssignedSpeaker::Role(role),
            remember: true,
        }));
    }
    Ok(speakers)
}

/// Returns the name that identifies a transcript in later imports.
pub(super) fn transcript_name(path: &Path) -> String {
    path.file_name().map_or_else(|| "transcript".into(), |name| name.to_string_lossy().into_owned())
}

/// Returns the current state of the campaign.
pub(super) fn read_state(memory: &Memory) -> Result<Arc<State>> {
    Ok(memory.read(|snapshot| Ok(Arc::clone(&snapshot.state)))?.wait()?)
}
