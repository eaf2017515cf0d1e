//! The scene context: a speaker's knowledge for one scene, assembled from its view within a token budget.

mod assemble;
mod form;
mod render;
mod request;
mod scene_context;
mod writer;

pub use form::{Detail, Form};
#[cfg(test)]
pub(crate) use render::heading;
pub use request::{ContextRequest, Scene};
pub use scene_context::{Line, SceneContext, Section};
