//! Resources: the character's own state and scene, or the DM's review queue and session.

use hearsay_engine::Memory;
use hearsay_model::EntityId;
use hearsay_query::session::session_lines;
use hearsay_recall::{SceneContext, SectionKind};
use rmcp::model::Resource;

use crate::{
    arguments::{RecallArguments, ReviewArguments},
    character::own_question,
    dm::{read_state, review},
    error::ToolError,
    identity::SessionIdentity,
    recall::scene_context,
};

/// Number of lines in the resource with the log of the session.
const SESSION_LINES: usize = 40;

/// Description of a resource for a client that does not use MCP. A resource is a text that the client can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResourceDescription {
    /// Name of the resource.
    pub name: &'static str,
    /// Contents of the text.
    pub description: &'static str,
}

/// A resource of a character or of the DM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ResourceName {
    Me,
    Scene,
    Recent,
    Review,
    Session,
}

impl ResourceName {
    /// Returns the resources of an identity.
    pub(crate) fn all(identity: &SessionIdentity) -> &'static [Self] {
        match identity {
            SessionIdentity::Character(_) => &[Self::Me, Self::Scene, Self::Recent],
            SessionIdentity::Dm => &[Self::Review, Self::Session],
        }
    }

    /// Returns the resource with a URI, if the identity has this resource.
    pub(crate) fn find(identity: &SessionIdentity, uri: &str) -> Option<Self> {
        Self::all(identity).iter().copied().find(|resource| resource.uri() == uri)
    }

    pub(crate) fn uri(self) -> &'static str {
        match self {
            Self::Me => "hearsay://me",
            Self::Scene => "hearsay://scene",
            Self::Recent => "hearsay://recent",
            Self::Review => "hearsay://review",
            Self::Session => "hearsay://session",
        }
    }

    /// Returns the description of the resource.
    pub(crate) fn describe(self) -> ResourceDescription {
        let (name, description) = match self {
            Self::Me => ("me", "Who you are, and your relations"),
            Self::Scene => ("scene", "Where you are, when, and who is there, as far as you know"),
            Self::Recent => ("recent", "The last lines that you heard or said"),
            Self::Review => ("review", "Facts that wait for the DM's decision"),
            Self::Session => ("session", "The last lines of the session that is being played"),
        };
        ResourceDescription { name, description }
    }

    /// Returns the description of the resource for an MCP client.
    pub(crate) fn definition(self) -> Resource {
        let ResourceDescription { name, description } = self.describe();
        Resource::new(self.uri(), name).with_description(description).with_mime_type("text/plain")
    }

    /// Returns the text of the resource.
    pub(crate) fn text(self, memory: &Memory, identity: &SessionIdentity) -> Result<String, ToolError> {
        match (self, identity) {
            (Self::Me, SessionIdentity::Character(me)) => {
                own_sections(memory, me, &[SectionKind::Speaker, SectionKind::Relations])
            }
            (Self::Scene, SessionIdentity::Character(me)) => own_sections(memory, me, &[SectionKind::Scene]),
            (Self::Recent, SessionIdentity::Character(me)) => own_sections(memory, me, &[SectionKind::RecentTalk]),
            (Self::Review, _) => review_text(memory),
            (Self::Session, _) => session_text(memory),
            (Self::Me | Self::Scene | Self::Recent, SessionIdentity::Dm) => {
                Err(ToolError::new("the DM has no such resource; list the resources to see their addresses"))
            }
        }
    }
}

fn own_sections(memory: &Memory, character: &EntityId, kinds: &[SectionKind]) -> Result<String, ToolError> {
    let context = scene_context(memory, character, own_question(memory, character, RecallArguments::default())?)?;
    Ok(sections_text(&context, kinds))
}

fn sections_text(context: &SceneContext, kinds: &[SectionKind]) -> String {
    let mut text = format!("{}\n", context.name);
    for section in context.unique_sections().iter().filter(|section| kinds.contains(&section.kind)) {
        text.push_str(&format!("\n{}:\n", section.title));
        for line in &section.lines {
            let note = line.note();
            let note = if note.is_empty() { note } else { format!(" ({note})") };
            text.push_str(&format!("- {}{note}\n", line.text));
        }
    }
    text
}

fn review_text(memory: &Memory) -> Result<String, ToolError> {
    let review = review(memory, ReviewArguments::default())?;
    let mut text = String::new();
    if review.items.is_empty() {
        text.push_str("Nothing waits for review.\n");
    }
    for item in &review.items {
        text.push_str(&format!("{}: {}\n", item.kind, item.entities.join(" and ")));
        for fact in &item.facts {
            text.push_str(&format!("- {} [{}, confidence {:.2}]\n", fact.statement, fact.fact, fact.confidence));
        }
    }
    if review.omitted > 0 {
        text.push_str(&format!("and {} more\n", review.omitted));
    }
    Ok(text)
}

fn session_text(memory: &Memory) -> Result<String, ToolError> {
    read_state(memory, |state| {
        if state.sessions().next().is_none() {
            return Ok("The campaign has no sessions.\n".to_owned());
        }
        let (session, lines, all) = session_lines(state, None, SESSION_LINES)?;
        let mut text = format!("{session}: the last {} of {all} lines\n", lines.len());
        for line in lines {
            let speaker = line.name.map_or_else(String::new, |name| format!("{name}: "));
            text.push_str(&format!("- {speaker}{}\n", line.text));
        }
        Ok(text)
    })
}
