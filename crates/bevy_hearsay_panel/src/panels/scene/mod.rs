//! The scene panel. It shows the characters present, the facts with which the speaker may answer the players' question,
//! and the knowledge of everyone present.

mod load;
mod model;
#[cfg(test)]
mod tests;
mod ui;

use std::borrow::Cow;

use egui::Ui;
use hearsay_commands::game_event::{Circumstances, GameEvent, Hearers, Stated};
use hearsay_engine::{MemoryError, Ticket};
use hearsay_model::{EntityId, FactId, Kind, Position, SessionId, StateVersion};
use hearsay_query::{
    ask::{Answer, Ask},
    search::{Search, SearchResults},
};
use serde::{Deserialize, Serialize};

pub use model::{
    AnswerLine, AnswerModel, AnswerSection, CharacterKnowledge, FactKnowledge, KnowledgeCategory, KnowledgeModel,
    KnowledgeRequest, PresentLine, RecentLine, SceneSettingModel, SceneSettingRequest, WhyNotModel, WhyNotSource,
};
pub use ui::{SceneAction, SceneModels, SceneView, scene_ui};

use crate::{
    panel::{DeskCommand, DisplayContext, Panel, Request, SavedState, StatusMessage, restore_state, save_state},
    panel_context::{PanelContext, poll_ticket},
    panel_source::PanelSource,
};

/// Maximum number of facts for which the knowledge of everyone present is read.
const MAX_FACTS: usize = 10;

/// The scene panel.
#[derive(Debug, Default)]
pub struct ScenePanel {
    setting: SceneSettingModel,
    answer: AnswerModel,
    knowledge: KnowledgeModel,
    why_not: Option<WhyNotModel>,
    state: PanelState,
    /// The request for `setting`, and the version of the memory at the time of the request.
    loaded_setting: Option<(SceneSettingRequest, StateVersion)>,
    pending_setting: Option<Ticket<SceneSettingModel>>,
    /// The last question that was sent, and the journal position of the state from which it is answered.
    sent_question: Option<(Question, Position)>,
    pending_answer: Option<Ticket<Answer>>,
    pending_answer_model: Option<Ticket<AnswerModel>>,
    pending_search: Option<Ticket<SearchResults>>,
    pending_knowledge: Option<Ticket<KnowledgeModel>>,
    pending_why_not: Option<Ticket<WhyNotModel>>,
    /// The character and the fact of the next explanation to request.
    why_not_request: Option<(EntityId, FactId)>,
    pending_requests: Vec<Request>,
}

/// State that is saved when the DM console closes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct PanelState {
    view: SceneView,
    /// Text of the last question that was sent.
    submitted_question: String,
}

/// A question to a speaker in the scene.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Question {
    text: String,
    speaker: Option<EntityId>,
    place: Option<EntityId>,
    present: Vec<EntityId>,
    session: Option<SessionId>,
}

impl ScenePanel {
    /// Returns the characters present, the place and the time, as last read from the memory.
    pub fn setting(&self) -> &SceneSettingModel {
        &self.setting
    }

    /// Returns the last answer, converted for display.
    pub fn answer(&self) -> &AnswerModel {
        &self.answer
    }

    /// Returns the knowledge of everyone present, as last read from the memory.
    pub fn knowledge(&self) -> &KnowledgeModel {
        &self.knowledge
    }

    fn request(&self) -> SceneSettingRequest {
        let SceneView { place, speaker, added, removed, .. } = self.state.view.clone();
        SceneSettingRequest { place, speaker, added, removed }
    }

    fn present(&self) -> Vec<EntityId> {
        self.setting.present.iter().map(|line| line.character.id.clone()).collect()
    }

    fn question(&self) -> Question {
        Question {
            text: self.state.submitted_question.clone(),
            speaker: self.state.view.speaker.clone(),
            place: self.setting.place.as_ref().map(|place| place.id.clone()),
            present: self.present(),
            session: self.setting.session.clone(),
        }
    }

    fn is_busy(&self) -> bool {
        let reading =
            self.pending_setting.is_some() || self.pending_answer.is_some() || self.pending_answer_model.is_some();
        reading || self.pending_search.is_some() || self.pending_knowledge.is_some() || self.pending_why_not.is_some()
    }

    fn report_error(&mut self, error: &MemoryError) {
        self.pending_requests.push(Request::ShowMessage(StatusMessage::error(error.to_string())));
    }

    fn poll_tickets(&mut self, source: PanelSource) {
        match poll_ticket(&mut self.pending_setting) {
            Some(Ok(setting)) => {
                self.setting = setting;
                let view = &self.state.view;
                // A character that was just added is not in the scene that was read earlier.
                let is_present = |id: &EntityId| {
                    self.setting.present.iter().any(|line| line.character.id == *id) || view.added.contains(id)
                };
                if view.speaker.as_ref().is_some_and(|speaker| !is_present(speaker)) {
                    self.state.view.speaker = None;
                }
            }
            Some(Err(error)) => self.report_error(&error),
            None => {}
        }
        match poll_ticket(&mut self.pending_answer) {
            Some(Ok(answer)) => {
                self.pending_answer_model =
                    source.read_in_background(move |world| AnswerModel::from_answer(world, &answer)).ok();
            }
            Some(Err(error)) => self.report_error(&error),
            None => {}
        }
        match poll_ticket(&mut self.pending_answer_model) {
            Some(Ok(answer)) => self.answer = answer,
            Some(Err(error)) => self.report_error(&error),
            None => {}
        }
        match poll_ticket(&mut self.pending_search) {
            Some(Ok(results)) => {
                let facts = results.facts.iter().filter_map(|hit| hit.id.parse().ok()).take(MAX_FACTS).collect();
                let request = KnowledgeRequest {
                    question: self.state.submitted_question.clone(),
                    facts,
                    present: self.present(),
                };
                self.pending_knowledge =
                    source.read_in_background(move |world| KnowledgeModel::load(world, &request)).ok();
            }
            Some(Err(error)) => self.report_error(&error),
            None => {}
        }
        match poll_ticket(&mut self.pending_knowledge) {
            Some(Ok(knowledge)) => self.knowledge = knowledge,
            Some(Err(error)) => self.report_error(&error),
            None => {}
        }
        match poll_ticket(&mut self.pending_why_not) {
            Some(Ok(why_not)) => self.why_not = Some(why_not),
            Some(Err(error)) => self.report_error(&error),
            None => {}
        }
    }

    /// Sends the question, unless it was already sent for the state at `position`.
    fn send_question(&mut self, source: PanelSource, position: Position) {
        if self.pending_setting.is_some() || self.loaded_setting.is_none() {
            return;
        }
        let question = self.question();
        if question.text.is_empty() && question.speaker.is_none() {
            return;
        }
        if self.sent_question.as_ref().is_some_and(|(sent_question, at)| *sent_question == question && *at == position)
        {
            return;
        }
        let mut result = Ok(());
        match &question.speaker {
            Some(speaker) => {
                let others = question.present.iter().filter(|id| *id != speaker).cloned();
                let ask = Ask {
                    place: question.place.clone(),
                    present: others.collect(),
                    session: question.session.clone(),
                    ..Ask::new(speaker.clone(), &question.text)
                };
                // A character's answer is not common knowledge, so only the DM gets one.
                match source.memory().map(|memory| memory.ask(ask)) {
                    Some(Ok(ticket)) => self.pending_answer = Some(ticket),
                    Some(Err(error)) => result = Err(error),
                    None => {}
                }
            }
            None => {
                (self.answer, self.pending_answer, self.pending_answer_model) = (AnswerModel::default(), None, None)
            }
        }
        // Without a question, there is nothing to search for.
        if !question.text.is_empty() {
            match source.search(Search { depth: 0, limit: MAX_FACTS, ..Search::new(&question.text) }) {
                Ok(ticket) => self.pending_search = Some(ticket),
                Err(error) => result = Err(error),
            }
        }
        // If the queue is full, retry in the next frame.
        if result.is_ok() {
            self.sent_question = Some((question, position));
        }
    }

    fn witness_request(&self, facts: Vec<Stated>) -> Request {
        let witnesses = self.present();
        if witnesses.is_empty() {
            return Request::ShowMessage(StatusMessage::error(
                "The scene has no characters: choose a place or add a character first.",
            ));
        }
        Request::Execute(DeskCommand::Learn(GameEvent::Witness {
            facts,
            witnesses: Hearers::Listed(witnesses),
            circumstances: self.circumstances(),
        }))
    }

    fn circumstances(&self) -> Circumstances {
        Circumstances { place: self.setting.place.as_ref().map(|place| place.id.clone()), ..Circumstances::default() }
    }

    /// Returns the request that makes the party know a fact. If a character in the scene knows the fact, this character
    /// reveals it. If no character in the scene knows the fact, the party witnesses the fact.
    fn reveal_request(&self, fact: FactId, display: &DisplayContext) -> Request {
        let present_players =
            self.setting.present.iter().filter(|line| line.player).map(|line| line.character.id.clone());
        let mut to: Vec<EntityId> = present_players.collect();
        if to.is_empty() {
            let players = display.names.all().iter().filter(|entity| entity.kind == Some(Kind::Player));
            to = players.map(|entity| entity.id.clone()).collect();
        }
        if to.is_empty() {
            return Request::ShowMessage(StatusMessage::error(
                "There are no player characters yet: add one with `+` in the capture line.",
            ));
        }
        let characters =
            self.knowledge.facts.iter().find(|line| line.fact == fact).map(|line| line.characters.as_slice());
        let can_reveal = |line: &&CharacterKnowledge| {
            line.category != KnowledgeCategory::Unaware && !to.contains(&line.character.id)
        };
        let possible_holders = || characters.unwrap_or_default().iter().filter(can_reveal);
        let speaker = possible_holders().find(|line| Some(&line.character.id) == self.state.view.speaker.as_ref());
        let holder = speaker.or(possible_holders().next());
        let circumstances = self.circumstances();
        Request::Execute(DeskCommand::Learn(match holder {
            Some(line) => GameEvent::Reveal {
                holder: line.character.id.clone().into(),
                fact,
                to: Hearers::Listed(to),
                openly: false,
                circumstances,
            },
            None => GameEvent::Witness {
                facts: vec![Stated::Recorded(fact)],
                witnesses: Hearers::Listed(to),
                circumstances,
            },
        }))
    }

    /// Returns the request that records a new fact, which everyone present witnesses. The fact is a sentence about the
    /// place. Without a place, the fact is a sentence about the first character present.
    fn event_request(&self, text: String) -> Request {
        let subject = self.setting.place.as_ref().or(self.setting.present.first().map(|line| &line.character));
        match subject {
            Some(subject) => self.witness_request(vec![Stated::Lore { about: subject.id.clone(), text }]),
            None => self.witness_request(Vec::new()),
        }
    }
}

impl Panel for ScenePanel {
    fn title(&self) -> Cow<'_, str> {
        Cow::Borrowed("Scene")
    }

    fn update(&mut self, source: PanelSource, context: &PanelContext) {
        self.poll_tickets(source);
        let request = self.request();
        let is_same_request =
            |(loaded, at): &(SceneSettingRequest, StateVersion)| *loaded == request && *at == context.version;
        if self.pending_setting.is_none() && !self.loaded_setting.as_ref().is_some_and(is_same_request) {
            let setting_request = request.clone();
            if let Ok(ticket) = source.read_in_background(move |world| SceneSettingModel::load(world, &setting_request))
            {
                self.pending_setting = Some(ticket);
                self.loaded_setting = Some((request, context.version));
            }
        }
        self.send_question(source, context.version.position);
        if let Some((character, fact)) = self.why_not_request.take() {
            self.pending_why_not =
                source.read_in_background(move |world| WhyNotModel::load(world, &character, fact)).ok();
        }
    }

    fn ui(&mut self, ui: &mut Ui, display: &DisplayContext) -> Vec<Request> {
        if self.is_busy() {
            ui.ctx().request_repaint();
        }
        let mut requests = std::mem::take(&mut self.pending_requests);
        let models = SceneModels {
            setting: &self.setting,
            answer: &self.answer,
            knowledge: &self.knowledge,
            why_not: self.why_not.as_ref(),
            answer_pending: self.pending_answer.is_some() || self.pending_answer_model.is_some(),
        };
        for action in scene_ui(ui, display, models, &mut self.state.view) {
            match action {
                SceneAction::Request(request) => requests.push(request),
                SceneAction::AskQuestion => {
                    self.state.submitted_question = self.state.view.question.trim().to_owned();
                    self.why_not = None;
                    ui.ctx().request_repaint();
                }
                SceneAction::WhyNot(Some(request)) => self.why_not_request = Some(request),
                SceneAction::WhyNot(None) => self.why_not = None,
                SceneAction::AllSaw(fact) => requests.push(self.witness_request(vec![Stated::Recorded(fact)])),
                SceneAction::RevealToParty(fact) => requests.push(self.reveal_request(fact, display)),
                SceneAction::RecordEvent(text) => requests.push(self.event_request(text)),
            }
        }
        requests
    }

    fn handle_request(&mut self, request: &Request) -> bool {
        let Request::Scene { place, speaker } = request else { return false };
        let view = &mut self.state.view;
        if place.is_some() {
            (view.place, view.added, view.removed) = (place.clone(), Vec::new(), Vec::new());
        }
        if let Some(speaker) = speaker {
            view.removed.retain(|id| id != speaker);
            // If the speaker is not in the scene, add the speaker.
            if !self.setting.present.iter().any(|line| line.character.id == *speaker) && !view.added.contains(speaker) {
                view.added.push(speaker.clone());
            }
            view.speaker = Some(speaker.clone());
        }
        true
    }

    fn save(&self) -> Option<SavedState> {
        save_state(&self.state)
    }

    fn restore(&mut self, saved: SavedState) {
        self.state = restore_state(saved).unwrap_or_default();
    }
}
