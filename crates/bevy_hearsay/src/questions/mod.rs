//! Questions to the memory. Each question is a Bevy entity. Its components are the [state](QuestionState) of the
//! question and, later, the [reply](Reply).

mod commands;
mod question;
mod queue;

use bevy::prelude::*;

use crate::schedule::{Step, StepsAppExt};

pub use commands::{EntityQuestionCommands, MemoryCommands};
pub use question::{Answered, AskedOf, Question, QuestionState, Questions, Reply, Unanswered};
pub(crate) use queue::QuestionQueue;

/// Plugin that sends questions to the memory and receives their replies.
#[derive(Debug, Clone, Default)]
pub struct QuestionsPlugin;

impl Plugin for QuestionsPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<QuestionQueue>()
            .register_type::<QuestionState>()
            .register_type::<AskedOf>()
            .register_type::<Questions>()
            .add_step(Step::ReceiveReplies, queue::has_unanswered, queue::receive_replies)
            .add_step(Step::SendQuestions, queue::has_unsent, queue::send)
            .add_work("questions", queue::is_busy);
    }
}
