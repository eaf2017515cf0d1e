//! The capture line: a text field in which the DM types what happens at the table.

mod parse;

use std::{
    borrow::Cow,
    collections::BTreeMap,
    time::{Duration, Instant},
};

use egui::{Key, Modifiers, RichText, TextEdit, Ui, text::CCursor};
use hearsay_commands::{
    CommandError,
    edit::{Edit, FactOptions},
    reading::{Draft, Drafted},
    session::{Log, LogLine, NewSession, SessionStep},
};
use hearsay_engine::{ExtractedObject, Form, Memory, Mention, Ticket};
use hearsay_model::{Author, Change, EntityId, Kind, Operation, Playing, SessionSetting, Setting};
use serde::{Deserialize, Serialize};

pub use parse::{Line, parse};

use crate::{
    direction::visual,
    names::Named,
    panel::{DeskCommand, Look, Outcome, Panel, PanelContext, Request, Saved, restored, saved},
    text::shortened,
    widgets::{Completion, complete, complete_ui, weak},
};

/// Delay between the last key press and the extraction of facts from the typed text.
const REST: Duration = Duration::from_millis(250);

/// Maximum number of sent lines that the Up key can recall.
const REMEMBERED: usize = 50;

/// View state of the capture line. The typed text is saved when the window closes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct CaptureView {
    typed: String,
    /// Sent lines, newest last.
    before: Vec<String>,
    #[serde(skip)]
    recalled: Option<usize>,
    #[serde(skip)]
    completion: Completion,
    #[serde(skip)]
    focus: bool,
    #[serde(skip)]
    trouble: Option<String>,
    /// A line that is logged as soon as a session starts. If the DM declines to start a session, the line stays in the
    /// text field.
    #[serde(skip)]
    waiting: Option<Log>,
    #[serde(skip)]
    starting: bool,
}

/// The capture line at the bottom of the desk.
///
/// `Grimjaw told Lyra the shipment is under the chapel` becomes a line of the session's log, and the memory extracts
/// facts from it. The first character of a line can change its effect: `+Bram, ferryman, Salt Quay` creates an entity,
/// `@npc words` logs words of this character, `#place` moves the scene to this place, and `!words` records a secret.
#[derive(Debug, Default)]
pub struct CapturePanel {
    view: CaptureView,
    /// The current text, and the facts extracted from it.
    drafted: Option<(String, Drafted)>,
    drafting: Option<(String, Ticket<Drafted>)>,
    changed: Option<Instant>,
    playing: bool,
    here: Vec<EntityId>,
    place: Option<EntityId>,
}

impl CapturePanel {
    /// Moves the keyboard focus to the capture line.
    pub fn focus(&mut self) {
        self.view.focus = true;
    }

    /// Returns the typed text.
    pub fn typed(&self) -> &str {
        &self.view.typed
    }

    /// Draws the capture line at the bottom of the desk. Returns the requests to the desk.
    pub fn bar(&mut self, ui: &mut Ui, look: &Look) -> Vec<Request> {
        let palette = look.theme.palette();
        let frame = egui::Frame::new().fill(palette.background).inner_margin(egui::Margin::symmetric(8, 4));
        egui::Panel::bottom(egui::Id::new("hearsay capture"))
            .frame(frame)
            .show_separator_line(false)
            .show(ui, |ui| Panel::ui(self, ui, look))
            .inner
    }

    /// Parses the typed line. Returns the requests for this line.
    fn send(&mut self, look: &Look) -> Vec<Request> {
        self.view.trouble = None;
        let line = match parse(&self.view.typed, &look.names) {
            Ok(None) => return Vec::new(),
            Ok(Some(line)) => line,
            Err(why) => {
                self.view.trouble = Some(why);
                return Vec::new();
            }
        };
        let request = match line {
            Line::Log(text) => return self.log(LogLine::new(text)),
            Line::Speech { speaker, words } if words.is_empty() => {
                Request::Scene { place: None, speaker: Some(speaker) }
            }
            Line::Speech { speaker, words } => {
                return self.log(LogLine { speaker: Some(speaker.to_string()), ..LogLine::new(words) });
            }
            Line::Move { place, words } if words.is_empty() => self.move_to(place),
            Line::Move { place, words } => {
                return self.log(LogLine { place: Some(place.to_string()), ..LogLine::new(words) });
            }
            Line::Secret(text) => match self.secret(&text, look) {
                Some(edit) => Request::Do(DeskCommand::Edit(edit)),
                None => {
                    self.view.trouble = Some(
                        "write the name of the character that the secret is about, as spelled in the campaign".into(),
                    );
                    return Vec::new();
                }
            },
            Line::New { name, kind, occupation, place } => {
                let occupation = occupation.map(|occupation| ("occupation".to_owned(), occupation));
                let attributes = BTreeMap::from_iter(occupation);
                let place =
                    place.or_else(|| self.place.clone().filter(|_| kind == Kind::Npc)).map(|place| place.to_string());
                Request::Do(DeskCommand::Edit(Edit::Introduce { name, kind, place, attributes }))
            }
        };
        self.sent();
        vec![request]
    }

    fn log(&mut self, line: LogLine) -> Vec<Request> {
        let log = Log { lines: vec![line], ..Log::default() };
        if !self.playing {
            self.view.waiting = Some(log);
            return Vec::new();
        }
        self.sent();
        vec![Request::Do(DeskCommand::Log(log))]
    }

    /// Stores the sent line for the Up key and clears the text field.
    fn sent(&mut self) {
        let line = std::mem::take(&mut self.view.typed);
        self.view.before.retain(|before| *before != line);
        self.view.before.push(line);
        if self.view.before.len() > REMEMBERED {
            self.view.before.remove(0);
        }
        self.view.recalled = None;
        self.view.waiting = None;
        self.drafted = None;
        self.view.focus = true;
    }

    fn move_to(&self, place: EntityId) -> Request {
        if !self.playing {
            return Request::Scene { place: Some(place), speaker: None };
        }
        Request::Do(DeskCommand::make("move the scene", move |world| {
            let playing =
                world.state.playing().ok_or(hearsay_engine::MemoryError::Command(CommandError::NotPlaying))?;
            let summary = format!("the scene moves to {}", world.state.name_or_id(&place));
            let playing =
                Setting::Session(SessionSetting::Playing(Playing { place: Some(place.clone()), ..playing.clone() }));
            let operation = Operation::new(Author::Dm, summary, vec![Change::Set(playing)]);
            Ok(Operation { recorded: hearsay_engine::real_time(), ..operation })
        }))
    }

    /// Returns the edit that records a secret. The secret is the first extracted fact whose entities exist. If there is
    /// no such fact, the secret is the typed text, as a sentence about the first entity that it names.
    fn secret(&self, text: &str, look: &Look) -> Option<Edit> {
        let options = FactOptions { statement: Some(text.to_owned()), secret: true, ..FactOptions::default() };
        let known = |mention: &Mention| match mention {
            Mention::Known(id) => Some(id.to_string()),
            Mention::New(_) => None,
        };
        let drafted = self.drafted.as_ref().filter(|(of, _)| *of == self.view.typed).map(|(_, drafted)| drafted);
        let found = drafted.into_iter().flat_map(|drafted| &drafted.extraction.facts).find_map(|fact| {
            let (subject, predicate) = (known(&fact.subject)?, fact.predicate.as_str().to_owned());
            Some(match &fact.object {
                ExtractedObject::Entity(object) => {
                    Edit::Relate { subject, predicate, object: known(object)?, options: options.clone() }
                }
                ExtractedObject::Value(value) => {
                    let value = value.clone();
                    Edit::Set { entity: subject, attribute: predicate, value, options: options.clone() }
                }
            })
        });
        found.or_else(|| {
            let about = look.names.mentioned(text)?;
            let (entity, attribute, value) = (about.id.to_string(), "secret".to_owned(), text.to_owned());
            Some(Edit::Set { entity, attribute, value, options })
        })
    }

    /// Returns completions for the name at the end of the line.
    fn completions(&self, look: &Look) -> Vec<Named> {
        let typed = &self.view.typed;
        if self.view.completion.dismissed.as_ref() == Some(typed) {
            return Vec::new();
        }
        let (from, place_only) = name_start(typed);
        let word = &typed[from..];
        if word.chars().count() < 2 {
            return Vec::new();
        }
        let wanted = |named: &Named| !place_only || named.kind == Some(Kind::Location);
        let found = look.names.completions(word, wanted, 6);
        // A complete name needs no completion.
        if found.iter().any(|named| named.name == word) {
            return Vec::new();
        }
        found.into_iter().cloned().collect()
    }

    fn take(&mut self, ui: &Ui, id: egui::Id, named: &Named) {
        let (from, _) = name_start(&self.view.typed);
        self.view.typed.replace_range(from.., &format!("{} ", named.name));
        let end = CCursor::new(self.view.typed.chars().count());
        let mut state = TextEdit::load_state(ui.ctx(), id).unwrap_or_default();
        state.cursor.set_char_range(Some(egui::text::CCursorRange::one(end)));
        TextEdit::store_state(ui.ctx(), id, state);
        self.view.focus = true;
    }

    fn ask_for_session(&mut self, ui: &mut Ui, look: &Look) -> Vec<Request> {
        let mut requests = Vec::new();
        if self.view.waiting.is_none() || self.playing {
            return requests;
        }
        ui.horizontal_wrapped(|ui| {
            weak(ui, look, "No session is running.");
            if ui.button("Start a session and log it").clicked() {
                self.view.starting = true;
                requests.push(Request::Do(DeskCommand::Session(SessionStep::Start(NewSession::default()))));
            }
            if ui.button("Cancel").clicked() {
                self.view.waiting = None;
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
    let starts = typed.char_indices().filter(|(at, _)| *at == 0 || typed[..*at].ends_with([' ', '"', '\u{201C}', '!']));
    let words: Vec<usize> = starts.map(|(at, _)| at).collect();
    // Use the last words that begin with a capital letter, such as `Mirela Vo`.
    let capital = |at: &usize| typed[*at..].chars().next().is_some_and(char::is_uppercase);
    let mut from = typed.len();
    for at in words.iter().rev().take(3) {
        if !capital(at) {
            break;
        }
        from = *at;
    }
    (from, false)
}

impl Panel for CapturePanel {
    fn title(&self) -> Cow<'_, str> {
        "Capture".into()
    }

    fn update(&mut self, memory: &Memory, context: &PanelContext) {
        self.playing = context.session.is_some();
        (self.here, self.place) = (context.here.clone(), context.place.clone());
        if let Some((of, ticket)) = &self.drafting
            && let Some(answer) = ticket.try_take()
        {
            self.drafted = answer.ok().map(|drafted| (of.clone(), drafted));
            self.drafting = None;
        }
        let rested = self.changed.is_some_and(|changed| changed.elapsed() >= REST);
        let text = self.view.typed.trim_start_matches('!').trim();
        let readable = !text.is_empty() && !text.starts_with(['+', '#', '@']);
        if rested && self.drafting.is_none() {
            self.changed = None;
            if readable {
                let draft = Draft {
                    text: text.to_owned(),
                    form: Form::Narration,
                    present: self.here.iter().map(ToString::to_string).collect(),
                    place: self.place.as_ref().map(ToString::to_string),
                    ..Draft::default()
                };
                let ticket = memory.draft(draft).ok();
                self.drafting = ticket.map(|ticket| (self.view.typed.clone(), ticket));
            }
        }
    }

    fn ui(&mut self, ui: &mut Ui, look: &Look) -> Vec<Request> {
        let mut requests = self.ask_for_session(ui, look);
        let id = egui::Id::new("hearsay capture line");
        let focused = ui.memory(|memory| memory.has_focus(id));
        let found = if focused { self.completions(look) } else { Vec::new() };
        if focused {
            if let Some(named) = complete(ui, &found, &mut self.view.completion, &self.view.typed) {
                self.take(ui, id, &named);
            } else if found.is_empty() {
                self.recall(ui);
            }
        }
        let hint = "What happens?   +new entity   @speaker   #place   !secret   (Ctrl+L)";
        let field = TextEdit::singleline(&mut self.view.typed)
            .id(id)
            .hint_text(crate::widgets::as_hint(hint))
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
            self.changed = Some(Instant::now());
            self.view.trouble = None;
            self.view.completion = Completion::default();
        }
        if let Some(named) = complete_ui(look, &response, &found, &self.view.completion) {
            self.take(ui, id, &named);
        }
        if response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
            requests.extend(self.send(look));
        }
        if let Some(trouble) = &self.view.trouble {
            ui.label(RichText::new(trouble).small().color(look.theme.palette().bad));
        } else if let Some((of, drafted)) = &self.drafted
            && *of == self.view.typed
            && !look.screen_safe
        {
            preview(ui, look, drafted);
        }
        requests
    }

    fn heard(&mut self, outcome: &Outcome) {
        let DeskCommand::Session(SessionStep::Start(_)) = &outcome.desk_command else { return };
        if !std::mem::take(&mut self.view.starting) {
            return;
        }
        if outcome.done.is_ok() {
            self.playing = true;
        }
    }

    fn save(&self) -> Option<Saved> {
        saved(&self.view)
    }

    fn restore(&mut self, saved: Saved) {
        self.view = restored(saved).unwrap_or_default();
    }
}

impl CapturePanel {
    /// Returns the request that logs the waiting line, if a session has started.
    pub(crate) fn due(&mut self) -> Option<Request> {
        if !self.playing || self.view.starting {
            return None;
        }
        let log = self.view.waiting.take()?;
        self.sent();
        Some(Request::Do(DeskCommand::Log(log)))
    }

    /// Puts an earlier sent line into the text field when the user presses Up or Down.
    fn recall(&mut self, ui: &Ui) {
        let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        let last = self.view.before.len();
        if pressed(Key::ArrowUp) && last > 0 {
            let at = self.view.recalled.unwrap_or(last).saturating_sub(1);
            self.view.recalled = Some(at);
            self.view.typed = self.view.before[at].clone();
        } else if pressed(Key::ArrowDown)
            && let Some(at) = self.view.recalled
        {
            self.view.recalled = (at + 1 < last).then_some(at + 1);
            self.view.typed = self.view.before.get(at + 1).cloned().unwrap_or_default();
        }
    }
}

/// Draws a preview of the facts that were extracted from the line.
fn preview(ui: &mut Ui, look: &Look, drafted: &Drafted) {
    let facts = &drafted.extraction.facts;
    if facts.is_empty() {
        return;
    }
    let told = facts.iter().zip(&drafted.statuses).take(3).map(|(fact, status)| {
        let status = status.map_or("confidence too low", |status| status.as_str());
        format!("{} ({status}, {:.2})", shortened(&fact.statement, 70), fact.confidence.get())
    });
    let text = format!("\u{2192} {}", told.collect::<Vec<_>>().join("   "));
    ui.add(egui::Label::new(RichText::new(visual(&text)).small().color(look.theme.palette().weak)).truncate());
}

#[cfg(test)]
mod tests;
