//! The capture line: a text field in which the DM types lines and events of the game.

mod parse;
mod speech;

use std::{
    borrow::Cow,
    collections::BTreeMap,
    time::{Duration, Instant},
};

use egui::{Key, Modifiers, RichText, TextEdit, Ui, text::CCursor};
use hearsay_commands::{
    edit::{Edit, FactOptions},
    reading::{Draft, DraftExtraction},
    session::{Log, LogLine, NewSession, SessionStep},
};
use hearsay_engine::{ExtractedObject, Mention, TextType, Ticket};
use hearsay_model::{EntityId, FactStatus, Kind};
use serde::{Deserialize, Serialize};

pub use parse::{CaptureLine, parse};
use speech::SpokenLines;

use crate::{
    direction::visual_order,
    names::NamedEntity,
    panel::{CommandOutcome, DeskCommand, DisplayContext, Panel, Request, SavedState, restore_state, save_state},
    panel_context::PanelContext,
    panel_source::PanelSource,
    text::shorten,
    widgets::{Completion, completion_list_ui, handle_completion_keys, weak_label},
};

/// Delay between the last key press and the extraction of facts from the typed text.
const EXTRACTION_DELAY: Duration = Duration::from_millis(250);

/// Maximum number of earlier lines that the Up key can recall.
const MAX_HISTORY_LINES: usize = 50;

/// UI state of the capture line. The typed text is saved when the window closes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct CaptureView {
    typed: String,
    /// Sent and cleared lines, newest last.
    history: Vec<String>,
    #[serde(skip)]
    recalled: Option<usize>,
    #[serde(skip)]
    completion: Completion,
    #[serde(skip)]
    focus: bool,
    #[serde(skip)]
    error: Option<String>,
    /// A line that is logged as soon as a session starts. If the DM declines to start a session, the line stays in the
    /// text field.
    #[serde(skip)]
    pending_log: Option<Log>,
    #[serde(skip)]
    starting_session: bool,
}

/// The capture line at the bottom of the DM console.
///
/// A plain line, such as `Grimjaw told Lyra the shipment is under the chapel`, becomes a line of the session's log. The
/// memory extracts facts from this line. A line such as `Laura: Can I roll for that?` has a speaker: a character, or the
/// player of a character. The first character of a line can change its effect. `+Bram, ferryman, Salt
/// Quay` creates an entity. `@npc words` logs words that this character says. `#place` moves the scene to this place.
/// `!words` records a secret.
#[derive(Debug, Default)]
pub struct CapturePanel {
    view: CaptureView,
    /// The current text, and the facts extracted from it.
    extracted: Option<(String, DraftExtraction)>,
    pending_extraction: Option<(String, Ticket<DraftExtraction>)>,
    changed_at: Option<Instant>,
    spoken: SpokenLines,
    playing: bool,
    present: Vec<EntityId>,
    place: Option<EntityId>,
}

impl CapturePanel {
    /// Moves the keyboard focus to the capture line.
    pub fn focus(&mut self) {
        self.view.focus = true;
    }

    /// Answers the question whether the last line states a known fact. If the capture line asks no question, this
    /// function does nothing.
    pub fn answer_question(&mut self, is_stated: bool) {
        self.spoken.answer(is_stated);
    }

    /// Returns whether a line waits to be logged.
    pub fn is_busy(&self) -> bool {
        self.spoken.is_busy()
    }

    /// Returns the text typed into the capture line.
    pub fn typed(&self) -> &str {
        &self.view.typed
    }

    /// Draws the capture line at the bottom of the DM console. Returns the requests to the DM console.
    pub fn bottom_bar_ui(&mut self, ui: &mut Ui, display: &DisplayContext) -> Vec<Request> {
        let palette = display.theme.palette();
        let frame = egui::Frame::new().fill(palette.background).inner_margin(egui::Margin::symmetric(8, 4));
        egui::Panel::bottom(egui::Id::new("hearsay capture"))
            .frame(frame)
            .show_separator_line(false)
            .show(ui, |ui| Panel::ui(self, ui, display))
            .inner
    }

    /// Parses the typed line. Returns the requests for this line.
    fn send(&mut self, display: &DisplayContext) -> Vec<Request> {
        self.view.error = None;
        let line = match parse(&self.view.typed, &display.names) {
            Ok(None) => return Vec::new(),
            Ok(Some(line)) => line,
            Err(error) => {
                self.view.error = Some(error);
                return Vec::new();
            }
        };
        let request = match line {
            CaptureLine::Log(text) => return self.log(LogLine::typed(text)),
            CaptureLine::Speech { speaker, words } if words.is_empty() => {
                Request::Scene { place: None, speaker: Some(speaker) }
            }
            CaptureLine::Speech { speaker, words } => {
                return self.log(LogLine { speaker: Some(speaker.into()), ..LogLine::typed(words) });
            }
            CaptureLine::Move { place, words } if words.is_empty() => self.move_to(place),
            CaptureLine::Move { place, words } => {
                return self.log(LogLine { place: Some(place), ..LogLine::typed(words) });
            }
            CaptureLine::Secret(text) => match self.secret(&text, display) {
                Some(edit) => Request::Execute(DeskCommand::Edit(edit)),
                None => {
                    self.view.error = Some(
                        "write the name of the character that the secret is about, as spelled in the campaign".into(),
                    );
                    return Vec::new();
                }
            },
            CaptureLine::NewEntity { name, kind, occupation, place } => {
                let occupation = occupation.map(|occupation| ("occupation".to_owned(), occupation));
                let attributes = BTreeMap::from_iter(occupation);
                let place = place.or_else(|| self.place.clone().filter(|_| kind == Kind::Npc));
                Request::Execute(DeskCommand::Edit(Edit::Introduce { name, kind, place, attributes }))
            }
        };
        self.clear_line();
        match request {
            Request::Execute(command) => self.spoken.after_lines(command).map(Request::Execute).into_iter().collect(),
            request => vec![request],
        }
    }

    fn log(&mut self, line: LogLine) -> Vec<Request> {
        let log = Log { lines: vec![line], ..Log::default() };
        if !self.playing {
            self.view.pending_log = Some(log);
            return Vec::new();
        }
        self.clear_line();
        self.spoken.push(log);
        Vec::new()
    }

    /// Stores the line, so that the Up key can recall it, and clears the text field.
    fn clear_line(&mut self) {
        let line = std::mem::take(&mut self.view.typed);
        self.view.history.retain(|earlier| *earlier != line);
        self.view.history.push(line);
        if self.view.history.len() > MAX_HISTORY_LINES {
            self.view.history.remove(0);
        }
        self.view.recalled = None;
        self.view.pending_log = None;
        self.extracted = None;
        self.view.focus = true;
    }

    fn move_to(&self, place: EntityId) -> Request {
        if !self.playing {
            return Request::Scene { place: Some(place), speaker: None };
        }
        Request::Execute(DeskCommand::Session(SessionStep::Move { place }))
    }

    /// Returns the edit that records a secret. The secret is the first extracted fact that is certain enough to become
    /// canon and whose entities exist. If there is no such fact, the secret is the typed text, as a sentence about the
    /// first entity that it names.
    fn secret(&self, text: &str, display: &DisplayContext) -> Option<Edit> {
        let options = FactOptions { statement: Some(text.to_owned()), secret: true, ..FactOptions::default() };
        let known_id = |mention: &Mention| match mention {
            Mention::Known(id) => Some(id.clone()),
            Mention::New(_) => None,
        };
        let extracted =
            self.extracted.as_ref().filter(|(line, _)| *line == self.view.typed).map(|(_, extracted)| extracted);
        let facts =
            extracted.into_iter().flat_map(|extracted| extracted.extraction.facts.iter().zip(&extracted.statuses));
        let mut certain_facts = facts
            .filter(|(fact, status)| **status == Some(FactStatus::Canon) && !fact.denied && !fact.ended)
            .map(|(fact, _)| fact);
        let edit = certain_facts.find_map(|fact| {
            let (subject, predicate) = (known_id(&fact.subject)?, fact.predicate.as_str().to_owned());
            Some(match &fact.object {
                ExtractedObject::Entity(object) => {
                    Edit::Relate { subject, predicate, object: known_id(object)?, options: options.clone() }
                }
                ExtractedObject::Value(value) => {
                    let value = value.clone();
                    Edit::Set { entity: subject, attribute: predicate, value, options: options.clone() }
                }
            })
        });
        edit.or_else(|| {
            let subject = display.names.find_mention(text)?;
            let (entity, attribute, value) = (subject.id.clone(), "secret".to_owned(), text.to_owned());
            Some(Edit::Set { entity, attribute, value, options })
        })
    }

    /// Returns completions for the name at the end of the line.
    fn completions(&self, display: &DisplayContext) -> Vec<NamedEntity> {
        let typed = &self.view.typed;
        if self.view.completion.dismissed.as_ref() == Some(typed) {
            return Vec::new();
        }
        let (start, place_only) = name_start(typed);
        let word = &typed[start..];
        if word.chars().count() < 2 {
            return Vec::new();
        }
        let is_offered = |entity: &NamedEntity| !place_only || entity.kind == Some(Kind::Location);
        let candidates = display.names.completions(word, is_offered, 6);
        // A complete name needs no completion.
        if candidates.iter().any(|entity| entity.name == word) {
            return Vec::new();
        }
        candidates.into_iter().cloned().collect()
    }

    fn insert_completion(&mut self, ui: &Ui, id: egui::Id, entity: &NamedEntity) {
        let (from, _) = name_start(&self.view.typed);
        self.view.typed.replace_range(from.., &format!("{} ", entity.name));
        let end = CCursor::new(self.view.typed.chars().count());
        let mut state = TextEdit::load_state(ui.ctx(), id).unwrap_or_default();
        state.cursor.set_char_range(Some(egui::text::CCursorRange::one(end)));
        TextEdit::store_state(ui.ctx(), id, state);
        self.view.focus = true;
    }

    fn start_session_ui(&mut self, ui: &mut Ui, display: &DisplayContext) -> Vec<Request> {
        let mut requests = Vec::new();
        if self.view.pending_log.is_none() || self.playing {
            return requests;
        }
        ui.horizontal_wrapped(|ui| {
            weak_label(ui, display, "No session is running.");
            if ui.button("Start a session and log it").clicked() {
                self.view.starting_session = true;
                requests.push(Request::Execute(DeskCommand::Session(SessionStep::Start(NewSession::default()))));
            }
            if ui.button("Cancel").clicked() {
                self.view.pending_log = None;
            }
        });
        requests
    }
}

/// Returns the byte index at which the last name in the line begins, and whether this name must be a place. A name
/// begins with a capital letter, or after a character such as `@`.
fn name_start(typed: &str) -> (usize, bool) {
    if let Some(at) = typed.strip_prefix(['@', '#']).map(|_| 1) {
        return (at + (typed.len() - 1 - typed[1..].trim_start().len()), typed.starts_with('#'));
    }
    if typed.starts_with('+') {
        let at = typed.rfind(',').map_or(typed.len(), |comma| comma + 1);
        return (typed.len() - typed[at..].trim_start().len(), true);
    }
    let word_starts =
        typed.char_indices().filter(|(at, _)| *at == 0 || typed[..*at].ends_with([' ', '"', '\u{201C}', '!']));
    let words: Vec<usize> = word_starts.map(|(at, _)| at).collect();
    // Use the last words that begin with a capital letter, such as `Mirela Vo`.
    let is_capitalized = |at: &usize| typed[*at..].chars().next().is_some_and(char::is_uppercase);
    let mut start = typed.len();
    for at in words.iter().rev().take(3) {
        if !is_capitalized(at) {
            break;
        }
        start = *at;
    }
    (start, false)
}

impl Panel for CapturePanel {
    fn title(&self) -> Cow<'_, str> {
        "Capture".into()
    }

    fn update(&mut self, source: PanelSource, context: &PanelContext) {
        self.spoken.update(source.memory());
        self.playing = context.session.is_some();
        (self.present, self.place) = (context.present_players.clone(), context.place.clone());
        if let Some((line, ticket)) = &self.pending_extraction
            && let Some(answer) = ticket.try_take()
        {
            self.extracted = answer.ok().map(|extracted| (line.clone(), extracted));
            self.pending_extraction = None;
        }
        let is_idle = self.changed_at.is_some_and(|changed_at| changed_at.elapsed() >= EXTRACTION_DELAY);
        let text = self.view.typed.trim_start_matches('!').trim();
        let is_extractable = !text.is_empty() && !text.starts_with(['+', '#', '@']);
        if is_idle && self.pending_extraction.is_none() {
            self.changed_at = None;
            if is_extractable {
                let draft = Draft {
                    text: text.to_owned(),
                    form: TextType::Narration,
                    present: self.present.clone(),
                    place: self.place.clone(),
                    ..Draft::default()
                };
                // The preview may name anything, so only the DM gets one.
                let ticket = source.memory().and_then(|memory| memory.draft(draft).ok());
                self.pending_extraction = ticket.map(|ticket| (self.view.typed.clone(), ticket));
            }
        }
    }

    fn ui(&mut self, ui: &mut Ui, display: &DisplayContext) -> Vec<Request> {
        let mut requests = self.spoken.take_due();
        self.spoken.ui(ui, display);
        requests.extend(self.start_session_ui(ui, display));
        let id = egui::Id::new("hearsay capture line");
        let focused = ui.memory(|memory| memory.has_focus(id));
        let candidates = if focused { self.completions(display) } else { Vec::new() };
        if focused {
            // Enter always sends the line, so only Tab chooses from the list.
            let view = &mut self.view;
            let chosen = handle_completion_keys(ui, &candidates, &mut view.completion, &view.typed, &[Key::Tab]);
            if let Some(entity) = chosen {
                self.insert_completion(ui, id, &entity);
            } else if candidates.is_empty() {
                self.recall(ui);
            }
        }
        let hint = "What happens?   +new entity   @speaker   #place   !secret   (Ctrl+L)";
        let field = TextEdit::singleline(&mut self.view.typed)
            .id(id)
            .hint_text(crate::widgets::italic_hint(hint))
            .desired_width(f32::INFINITY);
        let response = ui.add(field);
        response.widget_info(|| {
            let mut info = egui::WidgetInfo::text_edit(true, "", self.view.typed.as_str(), hint);
            info.label = Some("Capture".into());
            info
        });
        if std::mem::take(&mut self.view.focus) {
            response.request_focus();
        }
        if response.changed() {
            self.changed_at = Some(Instant::now());
            self.view.error = None;
            self.view.completion = Completion::default();
        }
        if let Some(entity) = completion_list_ui(display, &response, &candidates, &self.view.completion) {
            self.insert_completion(ui, id, &entity);
        }
        if response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
            requests.extend(self.send(display));
            // The DM types on at once. Without the focus, the letters would be commands.
            response.request_focus();
        }
        if response.lost_focus() && !self.view.typed.is_empty() && ui.input(|input| input.key_pressed(Key::Escape)) {
            self.clear_line();
        }
        if let Some(error) = &self.view.error {
            ui.label(RichText::new(error).small().color(display.theme.palette().bad));
        } else if let Some((line, extracted)) = &self.extracted
            && *line == self.view.typed
        {
            extraction_preview_ui(ui, display, extracted);
        }
        requests
    }

    fn on_outcome(&mut self, outcome: &CommandOutcome) {
        let DeskCommand::Session(SessionStep::Start(_)) = &outcome.desk_command else { return };
        if !std::mem::take(&mut self.view.starting_session) {
            return;
        }
        if outcome.result.is_ok() {
            self.playing = true;
        }
    }

    fn save(&self) -> Option<SavedState> {
        save_state(&self.view)
    }

    fn restore(&mut self, saved: SavedState) {
        self.view = restore_state(saved).unwrap_or_default();
    }
}

impl CapturePanel {
    /// Logs the waiting line, if a session has started.
    pub(crate) fn log_pending_line(&mut self) {
        if !self.playing || self.view.starting_session {
            return;
        }
        if let Some(log) = self.view.pending_log.take() {
            self.clear_line();
            self.spoken.push(log);
        }
    }

    /// Puts an earlier line into the text field when the user presses Up or Down.
    fn recall(&mut self, ui: &Ui) {
        let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        let last = self.view.history.len();
        if pressed(Key::ArrowUp) && last > 0 {
            let at = self.view.recalled.unwrap_or(last).saturating_sub(1);
            self.view.recalled = Some(at);
            self.view.typed = self.view.history[at].clone();
        } else if pressed(Key::ArrowDown)
            && let Some(at) = self.view.recalled
        {
            self.view.recalled = (at + 1 < last).then_some(at + 1);
            self.view.typed = self.view.history.get(at + 1).cloned().unwrap_or_default();
        }
    }
}

/// Draws a preview of the facts that were extracted from the line.
fn extraction_preview_ui(ui: &mut Ui, display: &DisplayContext, extracted: &DraftExtraction) {
    let facts = &extracted.extraction.facts;
    if facts.is_empty() {
        return;
    }
    let fact_texts = facts.iter().zip(&extracted.statuses).take(3).map(|(fact, status)| {
        let status = status.map_or("confidence too low", |status| status.as_str());
        format!("{} ({status}, {:.2})", shorten(&fact.statement, 70), fact.confidence.get())
    });
    let text = format!("\u{2192} {}", fact_texts.collect::<Vec<_>>().join("   "));
    ui.add(egui::Label::new(RichText::new(visual_order(&text)).small().color(display.theme.palette().weak)).truncate());
}

#[cfg(test)]
mod tests;
