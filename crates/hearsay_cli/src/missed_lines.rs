//! Lines of a session that a character did not hear, as values of the option `--line`.

use hearsay_commands::session::is_table_line;
use hearsay_model::{EntityId, Evidence, FactId, Knower, Passage, SessionId, State};

/// Returns the numbers of lines in the form of the option `--line`: `7,9-11`. Returns `None` without lines.
pub(crate) fn line_ranges(numbers: &[u32]) -> Option<String> {
    let ranges = numbers.chunk_by(|line, next| line + 1 == *next).filter_map(|range| match range {
        [line] => Some(line.to_string()),
        [first, .., last] => Some(format!("{first}-{last}")),
        [] => None,
    });
    let ranges: Vec<String> = ranges.collect();
    (!ranges.is_empty()).then(|| ranges.join(","))
}

/// Returns the noun for [line ranges](line_ranges).
pub(crate) fn line_noun(ranges: &str) -> &'static str {
    if ranges.contains([',', '-']) { "lines" } else { "line" }
}

/// Returns the lines after the narrated line that states the supposed death of a character, in the scene of this line, that
/// the character did not hear and that were not meant for others only. Also returns their session. Returns `None` if the
/// fact cites no narrated line that the character heard, or if there are no such lines.
pub(crate) fn unheard_since(state: &State, character: &EntityId, death: FactId) -> Option<(SessionId, String)> {
    let knower = Knower::Entity(character.clone());
    let cited = state.fact(death)?.provenance().evidence.iter().filter_map(Evidence::passage);
    let cited = cited.filter_map(|id| state.passage(id));
    let mut narrated = cited.filter(|line| line.speaker.is_none() && line.has_participant(&knower));
    let stated = narrated.next()?;
    let session = stated.session.as_ref()?;
    let lines = state.passages_in_session(Some(session)).map(|(_, line)| line);
    let is_missed = |line: &Passage| {
        let is_heard = is_table_line(line) && !line.is_out_of_character() && !line.confidential;
        is_heard && line.line > stated.line && line.place == stated.place && !line.has_participant(&knower)
    };
    let mut numbers: Vec<u32> = lines.filter(|line| is_missed(line)).map(|line| line.line).collect();
    numbers.sort_unstable();
    Some((session.clone(), line_ranges(&numbers)?))
}
