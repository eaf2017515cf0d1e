//! Knowledge: the edges from knowers to the facts that they know.

mod acquisition;
mod edge;
mod justification;
mod knower;

pub use acquisition::{Acquisition, AcquisitionDescriptor, Reliability};
pub use edge::KnowledgeEdge;
pub use justification::Justification;
pub use knower::Knower;
