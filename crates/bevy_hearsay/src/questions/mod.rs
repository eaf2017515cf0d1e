//! Questions to the memory. Each question is a Bevy entity. The components of this entity are the
//! [state](QuestionState) of the question and, later, the [reply](Reply).

mod commands;
mod question;
mod queue;

use bevy::prelude::*;

use crate::{
    bridge::{CloseAppExt, CloseSteps},
    schedule::{ActivityAppExt, HearsaySchedules, PluginName, ReceiveSystems, SendSystems, record_plugin},
    sync,
};

pub(crate) use commands::ask_builder;
pub use commands::{EntityQuestionCommands, MemoryCommands};
pub use question::{Answered, AskedOf, KeepAnswer, Question, QuestionState, Questions, Reply, Unanswered};
pub(crate) use queue::{NotSentReason, QuestionQueue, ReceiveFn, SendFn, fail, finish, queue_question_for};

/// Plugin that sends questions to the memory and receives their replies.
#[derive(Debug, Clone, Default)]
pub struct QuestionsPlugin;

impl Plugin for QuestionsPlugin {
    fn build(&self, app: &mut App) {
        let HearsaySchedules { receive, send } = sync::init(app);
        record_plugin(app, PluginName::Questions);
        app.init_resource::<QuestionQueue>()
            .register_type::<QuestionState>()
            .register_type::<KeepAnswer>()
            .register_type::<AskedOf>()
            .register_type::<Questions>()
            .add_systems(receive, queue::receive.in_set(ReceiveSystems::Questions))
            .add_systems(send, queue::send.in_set(SendSystems::Questions))
            .add_work("questions", queue::is_busy)
            .add_close_steps(CloseSteps { reset: queue::reset, ..CloseSteps::default() });
    }
}
