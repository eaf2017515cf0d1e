//! Texts of a campaign: waits for their vectors and for the extraction of facts.

use std::{path::Path, sync::Arc};

use anyhow::{Context, Result};
use hearsay_belief::{dead_entity, place_at};
use hearsay_commands::{
    proposal::ProposalCounts,
    reading::{Draft, refers_by_pronoun},
    review::later_place,
    session::excepted_characters,
};
use hearsay_engine::{Memory, ModelStatus, Settings, Status, TextType};
use hearsay_model::{
    Author, EntityId, Evidence, Fact, FactId, FactStatus, Factuality, Knower, Passage, PassageId, PredicateRole, State,
    TalkKind,
};
use hearsay_query::session::{FoundFact, MatchingPromises, matching_promises};
use serde::Serialize;

use crate::{
    args::Campaign,
    interrupt,
    output::{Output, count},
    style::{Line, Style},
};

/// Whether the command uses the sentence encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EncoderUse {
    Enabled,
    Disabled,
}

/// Maximum number of texts without a vector for which `ask` and `search` wait. If there are more, the user must run `db
/// embed`.
const MAX_WAITED_TEXTS: usize = 1_000;

/// Waits until the stored vectors are read and the sentence encoder is loaded or turns out to be missing. Returns the
/// status of the memory.
pub(crate) fn wait_until_ready(memory: &Memory) -> Result<Status> {
    memory.wait_until_settled(|| !interrupt::is_requested()).map_err(|error| match interrupt::check() {
        Err(stopped) => stopped,
        Ok(()) => error.into(),
    })
}

/// Waits until every text has its vector, and shows a progress bar on the terminal.
pub(crate) fn embed(memory: &Memory, output: &Output) -> Result<Status> {
    let bar = output.progress("embedding");
    let status = memory.wait_for_vectors(|done, total| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
        !interrupt::is_requested()
    });
    bar.finish_and_clear();
    interrupt::check()?;
    status.context("not all vectors were computed")
}

/// If at most [`MAX_WAITED_TEXTS`] texts have no vector, waits until every text has one. Prints a note if an answer
/// cannot rank all texts by meaning.
pub(crate) fn embed_if_few(memory: &Memory, encoder_use: EncoderUse, output: &Output) -> Result<()> {
    embed_up_to(memory, encoder_use, MAX_WAITED_TEXTS, output)
}

/// Waits until every text has a vector, unless `encoder_use` is `Disabled`. Prints a note if an answer cannot rank all
/// texts by meaning.
pub(crate) fn embed_all(memory: &Memory, encoder_use: EncoderUse, output: &Output) -> Result<()> {
    embed_up_to(memory, encoder_use, usize::MAX, output)
}

fn embed_up_to(memory: &Memory, encoder_use: EncoderUse, max_pending: usize, output: &Output) -> Result<()> {
    if encoder_use == EncoderUse::Disabled {
        return Ok(());
    }
    let mut status = wait_until_ready(memory)?;
    if (1..=max_pending).contains(&status.pending_vectors) || status.unindexed > 0 {
        status = embed(memory, output)?;
    }
    match status.model {
        ModelStatus::None { why } => {
            output
                .note(format!("the search uses words and relations only, not meaning: {}", first_line_with_hint(&why)));
        }
        _ if status.pending_vectors > 0 => {
            // Does not print the number of texts, because it may count texts that the character does not know.
            output.note(
                "some texts have no vector and can be found by words only; run `hearsay db embed` to compute the vectors",
            );
        }
        _ => {}
    }
    Ok(())
}

/// Outcome of extracting facts from texts.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct ExtractionReport {
    #[serde(flatten)]
    pub(crate) counts: ProposalCounts,
    /// Number of review items that this extraction added to those that are held back.
    pub(crate) held_back: usize,
}

/// Extracts facts from the texts that are not processed yet, and waits for the result. If `reprocess_all` is `true`,
/// processes all texts. After an interruption, the next run processes the remaining texts.
pub(crate) fn extract_texts(memory: &Memory, reprocess_all: bool, output: &Output) -> Result<ExtractionReport> {
    let earlier = memory.status()?.wait()?;
    let reading = if reprocess_all { memory.reread_texts() } else { memory.read_texts() };
    let total = reading?.wait()? as u64;
    let bar = output.progress("extracting facts");
    bar.set_length(total);
    let status = memory.wait_for_reading(|remaining| {
        bar.set_position(total.saturating_sub(remaining as u64));
        !interrupt::is_requested()
    });
    bar.finish_and_clear();
    interrupt::check()?;
    let later =
        status.context("the extraction of facts stopped before the last text; run the command again to continue")?;
    Ok(ExtractionReport {
        counts: difference(&later.found, &earlier.found),
        held_back: later.held_back.saturating_sub(earlier.held_back),
    })
}

/// Returns the counts in `later` minus the counts in `earlier`. The memory counts since it was opened, so only the
/// difference belongs to one command.
fn difference(later: &ProposalCounts, earlier: &ProposalCounts) -> ProposalCounts {
    ProposalCounts {
        canon: later.canon - earlier.canon,
        claimed: later.claimed - earlier.claimed,
        waiting: later.waiting - earlier.waiting,
        dropped: later.dropped - earlier.dropped,
        rejected_before: later.rejected_before - earlier.rejected_before,
        known: later.known - earlier.known,
        supported: later.supported - earlier.supported,
    }
}

/// Returns whether the settings of a campaign enable automatic extraction.
pub(crate) fn is_extraction_enabled(directory: &Path) -> Result<bool> {
    Ok(Settings::read(directory)?.extraction.enabled)
}

/// Calls [`extract_texts`] and prints the counts, if the settings of the campaign enable automatic extraction.
pub(crate) fn extract_new_texts(
    memory: &Memory,
    directory: &Path,
    output: &mut Output,
) -> Result<Option<ExtractionReport>> {
    if !is_extraction_enabled(directory)? {
        return Ok(None);
    }
    let report = extract_texts(memory, false, output)?;
    print_extraction_report(&report, output)?;
    Ok(Some(report))
}

/// Extracts facts from the waiting texts, and prints the counts on standard error. Does nothing if the settings disable
/// automatic extraction.
pub(crate) fn extract_waiting_texts(memory: &Memory, directory: &Path, output: &Output) -> Result<()> {
    let waiting = memory.status()?.wait()?.unread;
    if waiting == 0 || !is_extraction_enabled(directory)? {
        return Ok(());
    }
    let counts = counts(&extract_texts(memory, false, output)?.counts);
    let counts = if counts.is_empty() { "no facts found".to_owned() } else { counts.join(", ") };
    output.note(format!("searched {} for facts: {counts}", count(waiting, "text", "texts")));
    Ok(())
}

/// Describes how many extracted facts had each outcome, such as recorded or dropped.
fn counts(proposed: &ProposalCounts) -> Vec<String> {
    let parts = [
        (proposed.canon, "recorded as canon"),
        (proposed.claimed, "recorded as claims"),
        (proposed.waiting, "waiting for review"),
        (proposed.known, "in the campaign already"),
        (proposed.rejected_before, "rejected earlier"),
        (proposed.dropped, "too uncertain or too trivial to keep"),
    ];
    parts.iter().filter(|(count, _)| *count > 0).map(|(count, outcome)| format!("{count} {outcome}")).collect()
}

/// Prints the counts of extracted facts by outcome. Prints nothing if all facts were dropped.
pub(crate) fn print_extraction_counts(proposed: &ProposalCounts, output: &mut Output) -> Result<()> {
    let only_dropped = ProposalCounts { dropped: proposed.dropped, ..ProposalCounts::default() };
    if *proposed == only_dropped {
        return Ok(());
    }
    output.line(format!("  facts found in the text: {}", counts(proposed).join(", ")))
}

/// Prints the outcome of extracting facts from texts.
pub(crate) fn print_extraction_report(report: &ExtractionReport, output: &mut Output) -> Result<()> {
    print_extraction_counts(&report.counts, output)?;
    match report.held_back {
        0 => Ok(()),
        held_back => output.line(format!(
            "  {} held back, to keep the review short: `hearsay review --more` lists them",
            count(held_back, "less certain item is", "less certain items are")
        )),
    }
}

/// Number of earlier lines of the session that `log` reads as the context of a line.
const CONTEXT_LINES: usize = 4;

/// Prints the facts of a recorded line that the DM rejected earlier. They are not recorded again, so this function extracts
/// the facts of the line once more. `state` is the state before the line.
pub(crate) fn print_rejected(
    memory: &Memory,
    state: &State,
    line: Option<&Arc<Passage>>,
    found: Option<&ExtractionReport>,
    output: &mut Output,
) -> Result<()> {
    let has_rejected = found.is_some_and(|found| found.counts.rejected_before > 0);
    let Some(line) = line.filter(|_| has_rejected && !output.is_json()) else { return Ok(()) };
    let draft = line_draft(state, line);
    let drafted = interrupt::wait(&memory.draft(draft)?)?;
    for fact in drafted.rejected_facts(state) {
        output.line(format!("    rejected earlier: {}: {}", fact.id().short(), fact.statement()))?;
    }
    Ok(())
}

/// Returns a draft for a trial extraction from a line of a session.
pub(crate) fn line_draft(state: &State, line: &Passage) -> Draft {
    let lines = state.passages_in_session(line.session.as_ref()).map(|(_, earlier)| earlier);
    let earlier_lines = lines.rev().filter(|earlier| earlier.line < line.line);
    let mut before: Vec<String> = earlier_lines.take(CONTEXT_LINES).map(|earlier| earlier.text.clone()).collect();
    before.reverse();
    Draft {
        text: line.text.clone(),
        form: if line.speaker.is_some() { TextType::Talk } else { TextType::Narration },
        speaker: line.speaker.clone(),
        present: line.heard_by.iter().filter_map(Knower::entity).cloned().collect(),
        place: line.place.clone(),
        before,
    }
}

/// Prints the facts that the extraction finds in a draft, without recording them.
pub(crate) fn print_drafted_facts(memory: &Memory, draft: Draft, output: &mut Output) -> Result<()> {
    let drafted = interrupt::wait(&memory.draft(draft)?)?;
    let facts = drafted.extraction.facts.iter().zip(&drafted.statuses).filter(|(fact, _)| !fact.denied);
    for (fact, status) in facts {
        if let Some(status) = status {
            output.line(format!("  would be extracted: {}: \"{}\"", status_label(*status), fact.statement))?;
        }
    }
    Ok(())
}

/// A fact that was extracted from a text.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ExtractedRow {
    /// Id of the fact.
    pub(crate) fact: FactId,
    /// Sentence that states the fact.
    pub(crate) statement: String,
    /// Status of the fact.
    pub(crate) status: FactStatus,
    /// Name of the character whose death the fact states. `None` if the fact states no death, does not wait for review,
    /// or is not from narration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unconfirmed_death: Option<String>,
    /// Move that the fact states. `None` if the fact states no move, does not wait for review, or is not from narration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unconfirmed_move: Option<UnconfirmedMove>,
    /// Whether the words of the text refer to the character that dies or moves only with a pronoun, which may mean another
    /// character.
    pub(crate) is_pronoun: bool,
    /// Promises that were kept or broken according to the fact. `None` if the fact is not about a kept or broken promise,
    /// or is neither canon nor waits for review.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) settles: Option<SettledPromises>,
}

impl ExtractedRow {
    /// Returns whether the fact waits for review and `log --yes` accepts it.
    pub(crate) fn is_offered(&self) -> bool {
        let closes = |settled: &SettledPromises| settled.is_unique && settled.promises.len() == 1;
        let closes_promise = self.status == FactStatus::Proposed && self.settles.as_ref().is_some_and(closes);
        let changes_character = self.unconfirmed_death.is_some() || self.unconfirmed_move.is_some();
        (changes_character && !self.is_pronoun) || closes_promise
    }
}

impl ExtractedRow {
    /// Returns the character for whom [`print_extracted_facts`] offers a move.
    pub(crate) fn moved_character(&self) -> Option<&EntityId> {
        self.unconfirmed_move.as_ref().map(|moved| &moved.id)
    }

    /// Returns the names of the character whose move `log --yes` accepts, and of its new place.
    pub(crate) fn offered_move(&self) -> Option<(&str, &str)> {
        let moved = self.unconfirmed_move.as_ref().filter(|_| self.is_offered())?;
        Some((&moved.character, &moved.place))
    }
}

/// Names of a character that moves and of its new place.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct UnconfirmedMove {
    #[serde(skip)]
    id: EntityId,
    character: String,
    place: String,
}

/// Promises to which a fact about a kept or broken promise may refer.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct SettledPromises {
    /// Promises that have not ended.
    promises: Vec<FoundFact>,
    /// Whether the fact closes the promise if it is canon.
    is_unique: bool,
}

impl SettledPromises {
    fn new(matching: MatchingPromises) -> Self {
        let promise =
            |fact: &Fact| FoundFact { fact: fact.id(), statement: fact.statement().to_owned(), status: fact.status() };
        Self { promises: matching.promises.into_iter().map(promise).collect(), is_unique: matching.is_unique }
    }
}

/// Returns the facts that were extracted from passages and not rejected, sorted by status and statement.
pub(crate) fn extracted_facts(memory: &Memory, passages: &[Arc<Passage>]) -> Result<Vec<ExtractedRow>> {
    let sources: Vec<(PassageId, bool)> =
        passages.iter().map(|passage| (passage.id(), passage.speaker.is_none())).collect();
    let rows = memory.read(move |world| {
        let state = &world.state;
        let citing = |(id, is_narration): &(PassageId, bool)| {
            let is_narration = *is_narration;
            state.facts_citing(*id).map(move |fact| (fact, is_narration))
        };
        let facts = sources.iter().flat_map(citing);
        let is_shown = |(fact, _): &(&Arc<Fact>, bool)| {
            fact.provenance().author == Author::Extractor && fact.status() != FactStatus::Rejected
        };
        let row = |(fact, is_narration): (&Arc<Fact>, bool)| {
            let is_proposed = fact.status() == FactStatus::Proposed;
            let dead = dead_entity(state, fact).filter(|_| is_narration && is_proposed);
            let moved = moved_character(state, fact).filter(|_| is_narration && is_proposed);
            let moved = moved.filter(|(id, _)| !is_excepted(state, fact, id));
            let name = |id: &EntityId| state.name_or_id(id).to_owned();
            let character = dead.or(moved.map(|(id, _)| id));
            let settles = matching_promises(state, fact).filter(|_| is_proposed || fact.status() == FactStatus::Canon);
            ExtractedRow {
                fact: fact.id(),
                statement: fact.statement().to_owned(),
                status: fact.status(),
                unconfirmed_death: dead.map(name),
                unconfirmed_move: moved.map(|(id, place)| UnconfirmedMove {
                    id: id.clone(),
                    character: name(id),
                    place: name(place),
                }),
                is_pronoun: character.is_some_and(|id| refers_by_pronoun(state, fact, id)),
                settles: settles.map(SettledPromises::new),
            }
        };
        let mut rows: Vec<ExtractedRow> = facts.filter(is_shown).map(row).collect();
        rows.sort_by(|a, b| (a.status, &a.statement, a.fact).cmp(&(b.status, &b.statement, b.fact)));
        rows.dedup_by_key(|row| row.fact);
        Ok(rows)
    })?;
    Ok(rows.wait()?)
}

/// Returns the character that moves according to a fact, and its new place. Returns `None` if the fact states no
/// present location, or if the character is already there or has moved to another place since.
fn moved_character<'f>(state: &State, fact: &'f Fact) -> Option<(&'f EntityId, &'f EntityId)> {
    let (id, place) = (fact.subject(), fact.object().entity()?);
    let is_location = PredicateRole::Location.is(fact.predicate()) && fact.factuality() == Factuality::Asserted;
    let is_current = fact.fact_relation().is_none() && !fact.validity().is_closed();
    let is_character = state.is_character(id);
    let is_there = || place_at(state, id, state.clock()).as_ref() == Some(place);
    let is_now = || !is_there() && later_place(state, fact).is_none();
    (is_location && is_current && is_character && is_now()).then_some((id, place))
}

/// Returns whether a line of narration from which a fact comes excepts a character, as in "Everybody but Odo leaves".
fn is_excepted(state: &State, fact: &Fact, id: &EntityId) -> bool {
    let lines = fact.provenance().evidence.iter().filter_map(Evidence::passage);
    lines.filter_map(|line| state.passage(line)).any(|line| excepted_characters(state, line).contains(id))
}

/// Returns how lists of extracted facts name a status.
fn status_label(status: FactStatus) -> &'static str {
    match status {
        FactStatus::Proposed => "waits for review",
        FactStatus::Claimed => "claim",
        FactStatus::False => "lie",
        FactStatus::Canon => "canon",
        FactStatus::Rejected => "rejected",
    }
}

/// Prints extracted facts with their ids. For each death and each move that waits for review, prints the command that
/// accepts it.
pub(crate) fn print_extracted_facts(rows: &[ExtractedRow], campaign: &Campaign, output: &mut Output) -> Result<()> {
    for row in rows {
        output.line(format!("  {}: {}: \"{}\"", status_label(row.status), row.fact.short(), row.statement))?;
    }
    for row in rows {
        let accept = campaign.command(&format!("review accept {}", row.fact.short()));
        let doubt =
            if row.is_pronoun { "; the text has only a pronoun, so `log --yes` does not accept this" } else { "" };
        if let Some(name) = &row.unconfirmed_death {
            let reject = campaign.command(&format!("review reject {}", row.fact.short()));
            let text = format!(
                " {name} counts as alive, but hears no later lines, until you decide: `{accept}` or `{reject}`{doubt}"
            );
            output.line(Line::default().styled(Style::Warning, "warning:").plain(text))?;
        }
        if let Some(UnconfirmedMove { character, place, .. }) = &row.unconfirmed_move {
            output.line(format!("  to move {character} to {place}, accept the fact: `{accept}`{doubt}"))?;
        }
        if let Some(settled) = &row.settles {
            let accept = (row.status == FactStatus::Proposed).then_some(&*accept);
            print_settled_promises(settled, accept, campaign, output)?;
        }
    }
    Ok(())
}

/// Prints which promise a kept or broken promise closes. `accept` is the command that accepts the fact, if the fact waits
/// for review.
fn print_settled_promises(
    settled: &SettledPromises,
    accept: Option<&str>,
    campaign: &Campaign,
    output: &mut Output,
) -> Result<()> {
    let SettledPromises { promises, is_unique } = settled;
    match (&promises[..], accept) {
        ([], _) => return output.line("  no open promise matches"),
        ([promise], None) if *is_unique => {
            return output.line(format!("  closes the promise: {}", promise.statement));
        }
        ([promise], Some(accept)) if *is_unique => {
            let statement = &promise.statement;
            return output.line(format!("  to close the promise \"{statement}\", accept the fact: `{accept}`"));
        }
        _ => {}
    }
    let retract = campaign.command("fact retract FACT --until DATE");
    output.line(format!("  several promises are recorded, so none is closed; to close one: `{retract}`"))?;
    for promise in promises {
        output.line(format!("    {}  {}", promise.fact.short(), promise.statement))?;
    }
    Ok(())
}

/// Returns the remark after the text of a line that no character hears, such as `  (out of character)`; empty for other
/// texts.
pub(crate) fn talk_remark(talk_kind: Option<TalkKind>) -> String {
    let unheard = talk_kind.filter(|kind| !kind.is_heard());
    unheard.map_or_else(String::new, |kind| format!("  ({kind})"))
}

/// Returns the first line of a reason, with a hint that names the command for the rest.
pub(crate) fn first_line_with_hint(reason: &str) -> String {
    match reason.split_once('\n') {
        None => reason.to_owned(),
        Some((first, _)) => {
            let first = first.trim_end_matches("Searched:").trim_end_matches([' ', '.']);
            format!(
                "{first}; `hearsay model fetch` fetches a model, `hearsay model show` lists the searched directories"
            )
        }
    }
}
