//! The tools of a character. They read only the character's view: everything that the character knows.

use hearsay_belief::{BeliefStatus, Known, KnownEdge};
use hearsay_commands::{
    CommandError,
    fact_matching::SpokenLine,
    game_event::{Circumstances, GameEvent, Hearers, Stated},
    reply::{DraftReply, ReplyFinding},
};
use hearsay_engine::{Memory, MemoryError, ReadSnapshot, real_time};
use hearsay_model::{Author, EntityId, FactId, Knower, State};
use hearsay_query::knowledge::{describe_edge_with_names, known_edges};

use crate::{
    arguments::{
        CheckReplyArguments, FactArguments, KnowAboutArguments, MayTellArguments, RecallArguments, SayArguments,
    },
    error::ToolError,
    outputs::{
        CheckReplyOutput, FindingRow, HowKnownOutput, KnowAboutOutput, KnownFactRow, ListenerRow, MayTellOutput,
        SayOutput, SourceRow,
    },
    own_view::{OwnView, revealable},
    recall::{Question, checked_limit},
};

/// Default number of facts in the result of `know_about`.
const DEFAULT_FACTS: usize = 30;

/// Maximum length of a spoken line, in characters.
const MAX_LINE: usize = 4_000;

/// Calls a function with the view of a character, on a background thread.
pub(crate) fn read_view<T: Send + 'static>(
    memory: &Memory,
    character: &EntityId,
    query: impl FnOnce(&OwnView, &State) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let character = character.clone();
    let read =
        memory.read_in_background(move |world| Ok(query(&OwnView::new(&world.state, &character), &world.state)))?;
    read.wait()?
}

/// Resolves the names in a question.
pub(crate) fn own_question(
    memory: &Memory,
    character: &EntityId,
    arguments: RecallArguments,
) -> Result<Question, ToolError> {
    read_view(memory, character, move |own, _| {
        Ok(Question {
            present: own.entities(&arguments.listeners)?,
            place: arguments.place.as_deref().map(|place| own.entity(place)).transpose()?,
            about: own.entities(&arguments.about)?,
            text: arguments.question,
            limit: arguments.limit,
            session: own.latest_session(),
        })
    })
}

pub(crate) fn know_about(
    memory: &Memory,
    character: &EntityId,
    arguments: KnowAboutArguments,
) -> Result<KnowAboutOutput, ToolError> {
    let limit = checked_limit(arguments.limit, DEFAULT_FACTS)?;
    read_view(memory, character, move |own, _| {
        let id = own.entity(&arguments.name)?;
        let mut found: Vec<&Known> = own.facts_naming(&id).collect();
        found.sort_by_key(|known| (std::cmp::Reverse(known.learned()), known.id()));
        let omitted = found.len().saturating_sub(limit);
        let facts = found.into_iter().take(limit).map(|known| known_fact_row(own, known)).collect();
        Ok(KnowAboutOutput { name: own.name_of(&id), facts, omitted })
    })
}

fn known_fact_row(own: &OwnView, known: &Known) -> KnownFactRow {
    let belief = own.view().belief(known);
    let status = match belief.status {
        _ if own.view().is_superseded(known.id()) => "superseded",
        BeliefStatus::Believed => "believed",
        BeliefStatus::Doubted => "doubted",
        BeliefStatus::Ended(_) => "ended",
        BeliefStatus::Superseded(_) => "superseded",
        BeliefStatus::Outweighed(_) => "outweighed",
    };
    KnownFactRow {
        fact: known.id().to_string(),
        statement: known.statement().to_owned(),
        credence: belief.credence.get(),
        belief: status.to_owned(),
        how_known: own.how_known(known),
        learned: own.date(known.learned()),
        conceals: known.conceals(),
    }
}

pub(crate) fn how_do_i_know(
    memory: &Memory,
    character: &EntityId,
    arguments: FactArguments,
) -> Result<HowKnownOutput, ToolError> {
    read_view(memory, character, move |own, state| {
        let known = own.fact(&arguments.fact)?;
        let mut hearers: Vec<&EntityId> =
            known.shared().iter().flat_map(|known_edge| &known_edge.edge.co_present).collect();
        hearers.sort();
        hearers.dedup();
        Ok(HowKnownOutput {
            fact: known.id().to_string(),
            statement: known.statement().to_owned(),
            credence: own.view().belief(known).credence.get(),
            sources: known_edges(known).iter().map(|known_edge| source_row(own, state, known_edge)).collect(),
            told: hearers.into_iter().map(|id| own.name_of(id)).collect(),
        })
    })
}

/// Returns the row for one edge. Of the edges on which it depends, the row shows only the character's own, which are
/// the premises of a conclusion. The character does not know how a teller came to know a fact, unless the teller said it.
fn source_row(own: &OwnView, state: &State, known_edge: &KnownEdge) -> SourceRow {
    let me = Knower::Entity(own.character().clone());
    let bases = known_edge.edge.sources.iter().flat_map(hearsay_model::Justification::edges);
    let own_bases = bases.filter_map(|id| state.knowledge(id)).filter(|edge| edge.knower == me);
    let mut concluded_from: Vec<String> =
        own_bases.filter_map(|edge| Some(own.view().fact(edge.fact)?.statement().to_owned())).collect();
    concluded_from.sort();
    concluded_from.dedup();
    SourceRow {
        how: describe_edge_with_names(known_edge, &|id| own.name_of(id)),
        learned: own.date(known_edge.since),
        credence: known_edge.belief.get(),
        present: known_edge.edge.co_present.iter().map(|id| own.name_of(id)).collect(),
        concluded_from,
    }
}

pub(crate) fn may_i_tell(
    memory: &Memory,
    character: &EntityId,
    arguments: MayTellArguments,
) -> Result<MayTellOutput, ToolError> {
    if arguments.listeners.is_empty() {
        return Err(ToolError::new("`listeners` is empty; name at least one listener"));
    }
    read_view(memory, character, move |own, state| {
        let known = own.fact(&arguments.fact)?;
        let listeners = own.entities(&arguments.listeners)?;
        let released = known.conceals().then(|| revealable(state, own.character()).remove(&known.id())).flatten();
        let rows: Vec<ListenerRow> = listeners
            .iter()
            .map(|listener| {
                let already_knows = !own.view().attribution_reasons(listener, known).is_empty();
                let (may_tell, reason) = match &released {
                    _ if !known.conceals() => (true, "you do not keep it secret"),
                    _ if already_knows => (true, "they already know it"),
                    None => (false, "you keep it to yourself"),
                    Some(to) if to.is_empty() || to.contains(listener) => (true, "you may tell it now"),
                    Some(_) => (false, "you may tell it only to others"),
                };
                ListenerRow { listener: own.name_of(listener), may_tell, reason: reason.to_owned(), already_knows }
            })
            .collect();
        Ok(MayTellOutput {
            fact: known.id().to_string(),
            statement: known.statement().to_owned(),
            may_tell_all: rows.iter().all(|row| row.may_tell),
            listeners: rows,
        })
    })
}

/// Checks words that the character wants to say.
pub(crate) fn check_reply(
    memory: &Memory,
    character: &EntityId,
    arguments: CheckReplyArguments,
) -> Result<CheckReplyOutput, ToolError> {
    let text = checked_line("reply", &arguments.reply)?;
    let names = arguments.listeners;
    let listeners = read_view(memory, character, move |own, _| own.entities(&names))?;
    let heard = arguments.question.into_iter().collect();
    let draft = DraftReply { heard, ..DraftReply::new(character.clone(), listeners, text) };
    let check = memory.check_reply(draft)?.wait()?;
    read_view(memory, character, move |own, _| {
        let is_fine = check.is_fine();
        let row = |finding: ReplyFinding| FindingRow {
            kind: finding.kind.to_string(),
            is_problem: finding.is_problem,
            words: finding.words,
            reason: finding.reason,
            facts: finding.facts.iter().map(|cited| cited.fact.to_string()).collect(),
            not_for: finding.not_for.iter().map(|id| own.name_of(id)).collect(),
        };
        Ok(CheckReplyOutput { is_fine, findings: check.findings.into_iter().map(row).collect() })
    })
}

/// Returns spoken words without spaces around them, or an error if they are empty or too long. `field` is the name of
/// the argument.
fn checked_line(field: &str, text: &str) -> Result<String, ToolError> {
    let text = text.trim().to_owned();
    if text.is_empty() {
        return Err(ToolError::new(format!("`{field}` is empty; pass the words that you say")));
    }
    if text.chars().count() > MAX_LINE {
        return Err(ToolError::new(format!(
            "`{field}` has more than {MAX_LINE} characters; say the words in several parts"
        )));
    }
    Ok(text)
}

/// Records a line that the character says aloud, as `hearsay say` does.
pub(crate) fn say(memory: &Memory, character: &EntityId, arguments: SayArguments) -> Result<SayOutput, ToolError> {
    let text = checked_line("text", &arguments.text)?;
    let (to, stated) = (arguments.to, arguments.states);
    let (named, names, stated) = read_view(memory, character, move |own, _| {
        let named = own.entities(&to)?;
        let names: Vec<String> = named.iter().map(|id| own.name_of(id)).collect();
        let stated = stated.iter().map(|fact| Ok(own.fact(fact)?.id())).collect::<Result<Vec<FactId>, ToolError>>()?;
        Ok((named, names, stated))
    })?;
    let stated = match stated.is_empty() {
        false => stated,
        true => {
            let line = SpokenLine { lie: arguments.lie, ..SpokenLine::new(character.clone(), text.clone()) };
            let matches = memory.match_facts(line)?.wait()?;
            matches.states.into_iter().map(|stated| stated.fact).collect()
        }
    };
    let hearers = match named.is_empty() {
        true => Hearers::AtPlace,
        false => Hearers::Listed(named),
    };
    let game_event = GameEvent::Say {
        speaker: character.clone().into(),
        text: text.clone(),
        states: stated.into_iter().map(Stated::Recorded).collect(),
        hearers,
        lie: arguments.lie,
        circumstances: Circumstances::default(),
    };
    let build_operation = move |world: &ReadSnapshot| {
        let game_event = without_deaf_hearers(&game_event, &world.state);
        Ok(game_event.operation(&world.state, Author::Dm, real_time())?)
    };
    match memory.write(build_operation)?.wait() {
        Ok(_) => Ok(SayOutput { text, to: names }),
        // The reason may be something that the character does not know, such as a death.
        Err(MemoryError::Command(CommandError::Learn(_)) | MemoryError::Query(_)) => {
            Err(ToolError::new("the line could not be recorded"))
        }
        Err(error) => Err(error.into()),
    }
}

/// Removes named hearers who cannot hear, for example because they are dead. The character may not know this, so it is
/// no error.
fn without_deaf_hearers(game_event: &GameEvent, state: &State) -> GameEvent {
    let mut game_event = game_event.clone();
    if let GameEvent::Say { hearers: Hearers::Listed(listed), .. } = &mut game_event {
        let can_hear = |id: &EntityId| {
            state.kind(id).is_none_or(|kind| kind.can_know()) && !hearsay_belief::is_dead(state, id, None)
        };
        listed.retain(can_hear);
    }
    game_event
}
