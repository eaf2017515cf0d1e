//! Settings of a campaign as a whole.

mod engine;
mod game;
mod key;
mod minds;
mod review;
mod session;
mod setting;
mod stored;
mod world;

pub use engine::EngineSetting;
pub use game::GameSetting;
pub use key::{RecapReader, SettingKey};
pub use minds::{Degree, MindRules};
pub use review::{CalibrationSettings, ReviewSetting, SpeakerRole};
pub use session::{ActiveSession, EditedRecap, SessionSetting};
pub use setting::Setting;
pub use world::{CampaignInfo, WorldSetting};
