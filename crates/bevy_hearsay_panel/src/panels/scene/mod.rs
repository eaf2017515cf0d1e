//! The scene panel: the characters present, the facts with which the speaker may answer the players' question, and the
//! knowledge of everyone present.

mod load;
mod model;
#[cfg(test)]
mod tests;
mod ui;

use std::borrow::Cow;

use egui::Ui;
use hearsay_commands::game_event::{Circumstances, GameEvent, Stated};
use hearsay_engine::{Memory, MemoryError, Ticket};
use hearsay_model::{EntityId, FactId, Kind, Position, SessionId, StateVersion};
use hearsay_query::{
    ask::{Answer, Ask},
    search::{Search, SearchResults},
};
use serde::{Deserialize, Serialize};

pub use model::{
    AnswerLine, AnswerModel, AnswerSection, Mind, MindFact, MindLine, MindsModel, MindsRequest, PresentLine, SaidLine,
    StageModel, StageRequest, WhyNotModel, WhyNotSource,
};
pub use ui::{SceneAction, SceneModels, SceneView, scene_ui};

use crate::{
    panel::{DeskCommand, Look, Note, Panel, PanelContext, Request, Saved, restored, saved},
    panel_context::taken,
};

/// Maximum number of facts for which the knowledge of everyone present is read.
const MOST_FACTS: usize = 10;

/// The scene panel.
#[derive(Debug, Default)]
pub struct ScenePanel {
    stage: StageModel,
    answer: AnswerModel,
    minds: MindsModel,
    why_not: Option<WhyNotModel>,
    kept: Kept,
    /// The request for `stage`, and the version of the memory at the time of the request.
    staged: Option<(StageRequest, StateVersion)>,
    staging: Option<Ticket<StageModel>>,
    /// The last question that was sent, and the position of the state that answers it.
    answered: Option<(Question, Position)>,
    asking: Option<Ticket<Answer>>,
    telling: Option<Ticket<AnswerModel>>,
    searching: Option<Ticket<SearchResults>>,
    minding: Option<Ticket<MindsModel>>,
    wondering: Option<Ticket<WhyNotModel>>,
    /// The character and the fact of the next explanation to request.
    wonder: Option<(EntityId, FactId)>,
    asks: Vec<Request>,
}

/// State that is saved when the desk closes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    view: SceneView,
    /// Text of the last question that was sent.
    asked: String,
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
    /// Returns the scene that was read last: the characters present, the place and the time.
    pub fn stage(&self) -> &StageModel {
        &self.stage
    }

    /// Returns the last answer, converted for display.
    pub fn answer(&self) -> &AnswerModel {
        &self.answer
    }

    /// Returns what everyone present knows, as read last.
    pub fn minds(&self) -> &MindsModel {
        &self.minds
    }

    fn request(&self) -> StageRequest {
        let SceneView { place, speaker, added, left_out, .. } = self.kept.view.clone();
        StageRequest { place, speaker, added, left_out }
    }

    fn present(&self) -> Vec<EntityId> {
        self.stage.present.iter().map(|line| line.who.id.clone()).collect()
    }

    fn question(&self) -> Question {
        Question {
            text: self.kept.asked.clone(),
            speaker: self.kept.view.speaker.clone(),
            place: self.stage.place.as_ref().map(|place| place.id.clone()),
            present: self.present(),
            session: self.stage.session.clone(),
        }
    }

    fn is_busy(&self) -> bool {
        let reading = self.staging.is_some() || self.asking.is_some() || self.telling.is_some();
        reading || self.searching.is_some() || self.minding.is_some() || self.wondering.is_some()
    }

    fn note(&mut self, error: &MemoryError) {
        self.asks.push(Request::Tell(Note::trouble(error.to_string())));
    }

    fn take(&mut self, memory: &Memory) {
        match taken(&mut self.staging) {
            Some(Ok(stage)) => {
                self.stage = stage;
                let view = &self.kept.view;
                // A character that was just added is not in the scene that was read earlier.
                let here =
                    |id: &EntityId| self.stage.present.iter().any(|line| line.who.id == *id) || view.added.contains(id);
                if view.speaker.as_ref().is_some_and(|speaker| !here(speaker)) {
                    self.kept.view.speaker = None;
                }
            }
            Some(Err(error)) => self.note(&error),
            None => {}
        }
        match taken(&mut self.asking) {
            Some(Ok(answer)) => {
                self.telling = memory.read_in_background(move |world| AnswerModel::of(world, &answer)).ok();
            }
            Some(Err(error)) => self.note(&error),
            None => {}
        }
        match taken(&mut self.telling) {
            Some(Ok(answer)) => self.answer = answer,
            Some(Err(error)) => self.note(&error),
            None => {}
        }
        match taken(&mut self.searching) {
            Some(Ok(found)) => {
                let facts = found.facts.iter().filter_map(|hit| hit.id.parse().ok()).take(MOST_FACTS).collect();
                let request = MindsRequest { question: self.kept.asked.clone(), facts, present: self.present() };
                self.minding = memory.read_in_background(move |world| MindsModel::load(world, &request)).ok();
            }
            Some(Err(error)) => self.note(&error),
            None => {}
        }
        match taken(&mut self.minding) {
            Some(Ok(minds)) => self.minds = minds,
            Some(Err(error)) => self.note(&error),
            None => {}
        }
        match taken(&mut self.wondering) {
            Some(Ok(why)) => self.why_not = Some(why),
            Some(Err(error)) => self.note(&error),
            None => {}
        }
    }

    /// Sends the question, unless it was already sent for the state at `position`.
    fn ask(&mut self, memory: &Memory, position: Position) {
        if self.staging.is_some() || self.staged.is_none() {
            return;
        }
        let question = self.question();
        if question.text.is_empty() && question.speaker.is_none() {
            return;
        }
        if self.answered.as_ref().is_some_and(|(asked, at)| *asked == question && *at == position) {
            return;
        }
        let mut sent = Ok(());
        match &question.speaker {
            Some(speaker) => {
                let others = question.present.iter().filter(|id| *id != speaker).map(ToString::to_string);
                let ask = Ask {
                    place: question.place.as_ref().map(ToString::to_string),
                    present: others.collect(),
                    session: question.session.as_ref().map(ToString::to_string),
                    ..Ask::new(speaker.as_str(), &question.text)
                };
                match memory.ask(ask) {
                    Ok(ticket) => self.asking = Some(ticket),
                    Err(error) => sent = Err(error),
                }
            }
            None => (self.answer, self.asking, self.telling) = (AnswerModel::default(), None, None),
        }
        // Without a question, there is nothing to search for.
        if !question.text.is_empty() {
            match memory.search(Search { depth: 0, limit: MOST_FACTS, ..Search::new(&question.text) }) {
                Ok(ticket) => self.searching = Some(ticket),
                Err(error) => sent = Err(error),
            }
        }
        // If the queue is full, retry in the next frame.
        if sent.is_ok() {
            self.answered = Some((question, position));
        }
    }

    fn all_saw(&self, facts: Vec<Stated>) -> Request {
        let witnesses: Vec<String> = self.present().iter().map(ToString::to_string).collect();
        if witnesses.is_empty() {
            return Request::Tell(Note::trouble(
                "The scene has no characters: choose a place or add a character first.",
            ));
        }
        Request::Do(DeskCommand::Learn(GameEvent::Witness { facts, witnesses, circumstances: self.circumstances() }))
    }

    fn circumstances(&self) -> Circumstances {
        Circumstances { place: self.stage.place.as_ref().map(|place| place.id.to_string()), ..Circumstances::default() }
    }

    /// Returns the request that makes the party know a fact. If a character in the scene knows the fact, this character
    /// reveals it. Otherwise the party witnesses the fact.
    fn revealed(&self, fact: FactId, look: &Look) -> Request {
        let here = self.stage.present.iter().filter(|line| line.player).map(|line| line.who.id.to_string());
        let mut to: Vec<String> = here.collect();
        if to.is_empty() {
            let players = look.names.all().iter().filter(|named| named.kind == Some(Kind::Player));
            to = players.map(|named| named.id.to_string()).collect();
        }
        if to.is_empty() {
            return Request::Tell(Note::trouble(
                "There are no player characters yet: add one with `+` in the capture line.",
            ));
        }
        let minds = self.minds.facts.iter().find(|mind| mind.fact == fact).map(|mind| mind.minds.as_slice());
        let knows = |line: &&MindLine| line.mind != Mind::Unaware && !to.contains(&line.who.id.to_string());
        let knowing = || minds.unwrap_or_default().iter().filter(knows);
        let speaker = knowing().find(|line| Some(&line.who.id) == self.kept.view.speaker.as_ref());
        let holder = speaker.or(knowing().next());
        let (fact, circumstances) = (fact.to_string(), self.circumstances());
        Request::Do(DeskCommand::Learn(match holder {
            Some(line) => GameEvent::Reveal { holder: line.who.id.to_string(), fact, to, openly: false, circumstances },
            None => GameEvent::Witness { facts: vec![Stated::Recorded(fact)], witnesses: to, circumstances },
        }))
    }

    /// Returns the request that records a new fact, which everyone present witnesses. The fact is a sentence about the
    /// place. Without a place, it is about the first character present.
    fn happened(&self, text: String) -> Request {
        let about = self.stage.place.as_ref().or(self.stage.present.first().map(|line| &line.who));
        match about {
            Some(about) => self.all_saw(vec![Stated::Lore { about: about.id.to_string(), text }]),
            None => self.all_saw(Vec::new()),
        }
    }
}

impl Panel for ScenePanel {
    fn title(&self) -> Cow<'_, str> {
        Cow::Borrowed("Scene")
    }

    fn update(&mut self, memory: &Memory, context: &PanelContext) {
        self.take(memory);
        let request = self.request();
        let same = |(staged, at): &(StageRequest, StateVersion)| *staged == request && *at == context.version;
        if self.staging.is_none() && !self.staged.as_ref().is_some_and(same) {
            let wanted = request.clone();
            if let Ok(ticket) = memory.read_in_background(move |world| StageModel::load(world, &wanted)) {
                self.staging = Some(ticket);
                self.staged = Some((request, context.version));
            }
        }
        self.ask(memory, context.version.position);
        if let Some((who, fact)) = self.wonder.take() {
            self.wondering = memory.read_in_background(move |world| WhyNotModel::load(world, &who, fact)).ok();
        }
    }

    fn ui(&mut self, ui: &mut Ui, look: &Look) -> Vec<Request> {
        if self.is_busy() {
            ui.ctx().request_repaint();
        }
        let mut asked = std::mem::take(&mut self.asks);
        let models = SceneModels {
            stage: &self.stage,
            answer: &self.answer,
            minds: &self.minds,
            why_not: self.why_not.as_ref(),
            waits: self.asking.is_some() || self.telling.is_some(),
        };
        for action in scene_ui(ui, look, models, &mut self.kept.view) {
            match action {
                SceneAction::Ask(request) => asked.push(request),
                SceneAction::Question => {
                    self.kept.asked = self.kept.view.question.trim().to_owned();
                    self.why_not = None;
                    ui.ctx().request_repaint();
                }
                SceneAction::WhyNot(Some(what)) => self.wonder = Some(what),
                SceneAction::WhyNot(None) => self.why_not = None,
                SceneAction::AllSaw(fact) => asked.push(self.all_saw(vec![Stated::Recorded(fact.to_string())])),
                SceneAction::Revealed(fact) => asked.push(self.revealed(fact, look)),
                SceneAction::Happened(text) => asked.push(self.happened(text)),
            }
        }
        asked
    }

    fn show(&mut self, request: &Request) -> bool {
        let Request::Scene { place, speaker } = request else { return false };
        let view = &mut self.kept.view;
        if place.is_some() {
            (view.place, view.added, view.left_out) = (place.clone(), Vec::new(), Vec::new());
        }
        if let Some(speaker) = speaker {
            view.left_out.retain(|id| id != speaker);
            // If the speaker is not in the scene, add the speaker.
            if !self.stage.present.iter().any(|line| line.who.id == *speaker) && !view.added.contains(speaker) {
                view.added.push(speaker.clone());
            }
            view.speaker = Some(speaker.clone());
        }
        true
    }

    fn save(&self) -> Option<Saved> {
        saved(&self.kept)
    }

    fn restore(&mut self, kept: Saved) {
        self.kept = restored(kept).unwrap_or_default();
    }
}
