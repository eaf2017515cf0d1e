//! Draws the report and the log of a session.

use egui::{RichText, ScrollArea, Ui};
use hearsay_model::{FactId, FactStatus};
use hearsay_query::session::ChangeKind;

use super::{
    model::{LearnerModel, LogLineModel, OpenThreadModel, ReportModel},
    view::{SessionAction, SessionView},
};
use crate::{
    panel::DisplayContext,
    text::{LinkedText, format_count},
    theme::Tone,
    widgets::{
        badge, confidence_bar, empty_state, entity_button, label, list, omitted_label, section_heading, sentence,
        weak_label,
    },
};

/// Maximum number of rows drawn per section of the report.
const MAX_ROWS: usize = 60;

pub(super) fn log_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    lines: &[LogLineModel],
    omitted_count: usize,
    view: &mut SessionView,
    actions: &mut Vec<SessionAction>,
) {
    if lines.is_empty() {
        empty_state(ui, display, "No lines yet", "Type what happens in the line at the bottom (Ctrl+L).", None);
        return;
    }
    if omitted_count > 0 {
        weak_label(ui, display, &format!("{omitted_count} earlier lines are not shown"));
    }
    // Scroll to the last line when lines are added.
    let last = (std::mem::replace(&mut view.line_count, lines.len()) != lines.len()).then_some(lines.len() - 1);
    list(ui, "log", lines.len(), &mut view.heights, display.theme.sizes().row, last, |ui, number| {
        let line = &lines[number];
        let scene: Vec<&str> = line.place.iter().chain(&line.when).map(String::as_str).collect();
        if !scene.is_empty() {
            weak_label(ui, display, &scene.join(", "));
        }
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(line.line.to_string()).small().color(display.theme.palette().weak));
            if line.private {
                badge(ui, display, Tone::Secret, "not heard by all")
                    .on_hover_text(format!("heard by {}", line.heard_by));
            }
            if let Some(kind) = line.talk_kind.filter(|kind| !kind.is_heard()) {
                badge(ui, display, Tone::Weak, &kind.to_string()).on_hover_text("No character hears this line");
            }
            match &line.speaker {
                None => _ = label(ui, RichText::new(&line.text).italics()),
                Some(speaker) => {
                    if entity_button(ui, display, speaker).clicked() {
                        actions.push(SessionAction::Show(speaker.id.clone()));
                    }
                    label(ui, format!("\u{201C}{}\u{201D}", line.text));
                }
            }
        });
    });
}

pub(super) fn report_ui(ui: &mut Ui, display: &DisplayContext, report: &ReportModel, actions: &mut Vec<SessionAction>) {
    ScrollArea::vertical().id_salt("report").auto_shrink([false, false]).show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            for count in &report.counts {
                badge(ui, display, Tone::Weak, count);
            }
        });
        // Only the DM decides on facts.
        if !display.screen_safe {
            review_ui(ui, display, report, actions);
            secrets_ui(ui, display, report, actions);
        }
        if !report.promises.is_empty() {
            section_heading(ui, display, "Promises made", Some(report.promises.len()));
            threads_ui(ui, display, &report.promises, actions);
        }
        if !display.screen_safe {
            contradictions_ui(ui, display, report, actions);
            new_names_ui(ui, display, report, actions);
        }
        let (players, others): (Vec<_>, Vec<_>) = report.learned.iter().partition(|learner| learner.player);
        section_heading(ui, display, "The players learned", None);
        players.into_iter().for_each(|learner| learner_ui(ui, display, learner, actions));
        section_heading(ui, display, "What changed", Some(report.changed.len()));
        for row in report.changed.iter().take(MAX_ROWS) {
            let kind = match row.kind {
                ChangeKind::Died => "died",
                ChangeKind::Moved => "moved",
                ChangeKind::Joined => "joined",
                ChangeKind::Left => "left",
                ChangeKind::Changed => "changed",
                ChangeKind::Ended => "ended",
            };
            fact_ui(ui, display, &row.statement, row.fact, actions, |ui| _ = badge(ui, display, Tone::Accent, kind));
        }
        omitted_label(ui, display, report.changed.len().saturating_sub(MAX_ROWS));
        section_heading(ui, display, "Open threads", Some(report.threads.len()));
        threads_ui(ui, display, &report.threads, actions);
        section_heading(ui, display, "Others learned", None);
        others.into_iter().take(MAX_ROWS).for_each(|learner| learner_ui(ui, display, learner, actions));
    });
}

fn review_ui(ui: &mut Ui, display: &DisplayContext, report: &ReportModel, actions: &mut Vec<SessionAction>) {
    section_heading(ui, display, "Facts to confirm", Some(report.review.len()));
    if report.review.is_empty() {
        weak_label(ui, display, "No facts of this session need review.");
    }
    for row in &report.review {
        fact_ui(ui, display, &row.statement, row.fact, actions, |ui| {
            badge(
                ui,
                display,
                if row.status == FactStatus::Proposed { Tone::Warn } else { Tone::Weak },
                row.status.as_str(),
            );
            confidence_bar(ui, display, "confidence", row.confidence);
        });
        weak_label(ui, display, &row.reason);
    }
}

fn secrets_ui(ui: &mut Ui, display: &DisplayContext, report: &ReportModel, actions: &mut Vec<SessionAction>) {
    if report.secrets_out.is_empty() {
        return;
    }
    section_heading(ui, display, "Secrets that came out", Some(report.secrets_out.len()));
    for row in report.secrets_out.iter().take(MAX_ROWS) {
        fact_ui(ui, display, &row.statement, row.fact, actions, |ui| _ = badge(ui, display, Tone::Secret, "secret"));
        weak_label(ui, display, &row.learned_by);
    }
    omitted_label(ui, display, report.secrets_out.len().saturating_sub(MAX_ROWS));
}

fn contradictions_ui(ui: &mut Ui, display: &DisplayContext, report: &ReportModel, actions: &mut Vec<SessionAction>) {
    if report.contradictions.is_empty() {
        return;
    }
    section_heading(ui, display, "Contradictions", Some(report.contradictions.len()));
    for (number, facts) in report.contradictions.iter().take(MAX_ROWS).enumerate() {
        ui.indent(("contradiction", number), |ui| {
            for row in facts {
                let tone = if row.status == FactStatus::Canon { Tone::Weak } else { Tone::Warn };
                fact_ui(ui, display, &row.statement, row.fact, actions, |ui| {
                    badge(ui, display, tone, row.status.as_str());
                });
            }
        });
    }
    omitted_label(ui, display, report.contradictions.len().saturating_sub(MAX_ROWS));
}

fn new_names_ui(ui: &mut Ui, display: &DisplayContext, report: &ReportModel, actions: &mut Vec<SessionAction>) {
    if report.new_names.is_empty() {
        return;
    }
    section_heading(ui, display, "Mentioned, without a page", Some(report.new_names.len()));
    for row in report.new_names.iter().take(MAX_ROWS) {
        fact_ui(ui, display, &LinkedText::plain(&row.name), row.fact, actions, |_| ());
        weak_label(ui, display, &format_count(row.lines, "line", "lines"));
    }
    omitted_label(ui, display, report.new_names.len().saturating_sub(MAX_ROWS));
}

fn threads_ui(ui: &mut Ui, display: &DisplayContext, threads: &[OpenThreadModel], actions: &mut Vec<SessionAction>) {
    for row in threads.iter().take(MAX_ROWS) {
        let tone = if row.secret { Tone::Secret } else { Tone::Accent };
        match row.fact {
            Some(fact) => {
                fact_ui(ui, display, &row.description, fact, actions, |ui| _ = badge(ui, display, tone, row.kind))
            }
            None => {
                ui.horizontal_wrapped(|ui| {
                    badge(ui, display, tone, row.kind);
                    if let Some(id) = sentence(ui, display, &row.description, Tone::Plain) {
                        actions.push(SessionAction::Show(id));
                    }
                });
            }
        }
    }
}

fn learner_ui(ui: &mut Ui, display: &DisplayContext, learner: &LearnerModel, actions: &mut Vec<SessionAction>) {
    let facts = &learner.facts;
    if facts.is_empty() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        match &learner.knower {
            None => _ = ui.strong("Everybody"),
            Some(knower) => {
                if entity_button(ui, display, knower).clicked() {
                    actions.push(SessionAction::Show(knower.id.clone()));
                }
            }
        }
        weak_label(ui, display, &facts.len().to_string());
    });
    ui.indent(("learner", learner.knower.as_ref().map(|knower| knower.id.as_str())), |ui| {
        for fact in facts.iter().take(MAX_ROWS) {
            fact_ui(ui, display, &fact.statement, fact.fact, actions, |ui| {
                if fact.secret {
                    badge(ui, display, Tone::Secret, "secret");
                }
                if fact.status != FactStatus::Canon {
                    badge(ui, display, Tone::Warn, fact.status.as_str());
                }
            });
        }
        omitted_label(ui, display, facts.len().saturating_sub(MAX_ROWS));
    });
}

/// Draws a fact on one line, with a prefix and a link to the fact.
fn fact_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    statement: &LinkedText,
    fact: FactId,
    actions: &mut Vec<SessionAction>,
    prefix: impl FnOnce(&mut Ui),
) {
    ui.horizontal_wrapped(|ui| {
        prefix(ui);
        if let Some(id) = sentence(ui, display, statement, Tone::Plain) {
            actions.push(SessionAction::Show(id));
        }
        if ui.small_button("Show fact").clicked() {
            actions.push(SessionAction::ShowFact(fact));
        }
    });
}
