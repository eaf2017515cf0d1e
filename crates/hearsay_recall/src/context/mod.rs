//! The scene context: a speaker's knowledge for one scene, assembled from its view within a token budget.

mod asked_relation;
mod assemble;
mod episodes;
mod form;
mod grammatical_person;
mod remark;
mod render;
mod request;
mod scene_context;
mod secrecy;
mod writer;

pub use asked_relation::AskedRelation;
pub use form::{Detail, Form};
pub use remark::Remark;
pub use render::ChatParts;
#[cfg(test)]
pub(crate) use render::{INSTRUCTION, citation_lines, prompt_note, prompt_sections, prompt_text};
pub use request::{ContextRequest, Scene};
pub use scene_context::{Line, LineClaim, LineFeelings, SceneContext, Section, SectionKind};
pub use secrecy::LineSecrecy;
