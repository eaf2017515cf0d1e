//! Draws the report and the log of a session.

use egui::{RichText, ScrollArea, Ui};
use hearsay_model::{FactId, FactStatus};
use hearsay_query::session::ChangeKind;

use super::{
    model::{LearnerModel, LineModel, ReportModel},
    view::{SessionAction, SessionView},
};
use crate::{
    panel::Look,
    text::Linked,
    theme::Tone,
    widgets::{badge, confidence, empty_state, entity_button, label, list, more, section, sentence, weak},
};

/// Maximum number of rows drawn per section of the report.
const SHOWN: usize = 60;

pub(super) fn log_ui(
    ui: &mut Ui,
    look: &Look,
    lines: &[LineModel],
    before: usize,
    view: &mut SessionView,
    actions: &mut Vec<SessionAction>,
) {
    let lines: Vec<&LineModel> = lines.iter().filter(|line| !(look.screen_safe && line.private)).collect();
    if lines.is_empty() {
        empty_state(ui, look, "No lines yet", "Type what happens in the line at the bottom (Ctrl+L).", None);
        return;
    }
    if before > 0 {
        weak(ui, look, &format!("{before} earlier lines are not shown"));
    }
    // Scroll to the last line when lines are added.
    let last = (std::mem::replace(&mut view.lines, lines.len()) != lines.len()).then_some(lines.len() - 1);
    list(ui, "log", lines.len(), &mut view.heights, look.theme.sizes().row, last, |ui, number| {
        let line = lines[number];
        let scene: Vec<&str> = line.place.iter().chain(&line.when).map(String::as_str).collect();
        if !scene.is_empty() {
            weak(ui, look, &scene.join(", "));
        }
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(line.line.to_string()).small().color(look.theme.palette().weak));
            if line.private {
                badge(ui, look, Tone::Secret, "not heard by all").on_hover_text(format!("heard by {}", line.heard_by));
            }
            match &line.speaker {
                None => _ = label(ui, RichText::new(&line.text).italics()),
                Some(who) => {
                    if entity_button(ui, look, who).clicked() {
                        actions.push(SessionAction::Show(who.id.clone()));
                    }
                    label(ui, format!("\u{201C}{}\u{201D}", line.text));
                }
            }
        });
    });
}

pub(super) fn report_ui(ui: &mut Ui, look: &Look, report: &ReportModel, actions: &mut Vec<SessionAction>) {
    ScrollArea::vertical().id_salt("report").auto_shrink([false, false]).show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            for count in &report.counts {
                badge(ui, look, Tone::Weak, count);
            }
        });
        if !look.screen_safe {
            review_ui(ui, look, report, actions);
        }
        let (players, others): (Vec<_>, Vec<_>) = report.learned.iter().partition(|learner| learner.player);
        section(ui, look, "The players learned", None);
        players.into_iter().for_each(|learner| learner_ui(ui, look, learner, actions));
        let changed: Vec<_> = report.changed.iter().filter(|row| !(look.screen_safe && row.secret)).collect();
        section(ui, look, "What changed", Some(changed.len()));
        for row in changed.iter().take(SHOWN) {
            let kind = match row.kind {
                ChangeKind::Died => "died",
                ChangeKind::Moved => "moved",
                ChangeKind::Joined => "joined",
                ChangeKind::Left => "left",
                ChangeKind::Changed => "changed",
                ChangeKind::Ended => "ended",
            };
            fact_ui(ui, look, &row.what, row.fact, actions, |ui| _ = badge(ui, look, Tone::Accent, kind));
        }
        more(ui, look, changed.len().saturating_sub(SHOWN));
        let open: Vec<_> = report.threads.iter().filter(|row| !(look.screen_safe && row.secret)).collect();
        section(ui, look, "Open threads", Some(open.len()));
        for row in open.iter().take(SHOWN) {
            let tone = if row.secret { Tone::Secret } else { Tone::Accent };
            match row.fact {
                Some(fact) => fact_ui(ui, look, &row.what, fact, actions, |ui| _ = badge(ui, look, tone, row.kind)),
                None => {
                    ui.horizontal_wrapped(|ui| {
                        badge(ui, look, tone, row.kind);
                        if let Some(id) = sentence(ui, look, &row.what, Tone::Plain) {
                            actions.push(SessionAction::Show(id));
                        }
                    });
                }
            }
        }
        if !look.screen_safe {
            section(ui, look, "Others learned", None);
            others.into_iter().take(SHOWN).for_each(|learner| learner_ui(ui, look, learner, actions));
        }
    });
}

fn review_ui(ui: &mut Ui, look: &Look, report: &ReportModel, actions: &mut Vec<SessionAction>) {
    section(ui, look, "Review these first", Some(report.review.len()));
    if report.review.is_empty() {
        weak(ui, look, "No facts of this session need review.");
    }
    for row in &report.review {
        fact_ui(ui, look, &row.what, row.fact, actions, |ui| {
            badge(
                ui,
                look,
                if row.status == FactStatus::Proposed { Tone::Warn } else { Tone::Weak },
                row.status.as_str(),
            );
            confidence(ui, look, "confidence", row.confidence);
        });
        weak(ui, look, &row.why);
    }
}

fn learner_ui(ui: &mut Ui, look: &Look, learner: &LearnerModel, actions: &mut Vec<SessionAction>) {
    let facts: Vec<_> = learner.facts.iter().filter(|fact| !(look.screen_safe && fact.secret)).collect();
    if facts.is_empty() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        match &learner.who {
            None => _ = ui.strong("Everybody"),
            Some(who) => {
                if entity_button(ui, look, who).clicked() {
                    actions.push(SessionAction::Show(who.id.clone()));
                }
            }
        }
        weak(ui, look, &facts.len().to_string());
    });
    ui.indent(("learner", learner.who.as_ref().map(|who| who.id.as_str())), |ui| {
        for fact in facts.iter().take(SHOWN) {
            fact_ui(ui, look, &fact.what, fact.fact, actions, |ui| {
                if fact.secret {
                    badge(ui, look, Tone::Secret, "secret");
                }
                if fact.status != FactStatus::Canon {
                    badge(ui, look, Tone::Warn, fact.status.as_str());
                }
            });
        }
        more(ui, look, facts.len().saturating_sub(SHOWN));
    });
}

/// Draws a fact on one line, with a prefix and a link to the fact.
fn fact_ui(
    ui: &mut Ui,
    look: &Look,
    what: &Linked,
    fact: FactId,
    actions: &mut Vec<SessionAction>,
    before: impl FnOnce(&mut Ui),
) {
    ui.horizontal_wrapped(|ui| {
        before(ui);
        if let Some(id) = sentence(ui, look, what, Tone::Plain) {
            actions.push(SessionAction::Show(id));
        }
        if ui.small_button("Show fact").clicked() {
            actions.push(SessionAction::ShowFact(fact));
        }
    });
}
