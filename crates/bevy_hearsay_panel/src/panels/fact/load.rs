//! Reads facts from the state.

use hearsay_model::{Author, Date, Fact, Method, Object, Secrecy, State};
use hearsay_query as query;
use hearsay_query::{table::PlayersView, who_knows::HolderRow};

use super::model::{FactModel, KnowerLine, MAX_KNOWERS, PartyKnowledge, SourceLine};
use crate::{names::NamedEntity, text::LinkedText};

/// Formats a date for display.
pub(crate) fn date(state: &State, date: Option<&Date>) -> Option<String> {
    let date = date?;
    Some(if date.raw.is_empty() { state.calendar().format(date.time?) } else { date.raw.clone() })
}

impl FactModel {
    /// Reads a fact for display. `players_view` is the party's knowledge.
    pub fn from_fact(state: &State, players_view: &PlayersView, fact: &Fact) -> Self {
        let knower_rows = query::portrait::direct_knowers(state, fact.id());
        let knower_line = |group: bool| {
            move |row: HolderRow| KnowerLine {
                knower: NamedEntity::new(state, &row.knower),
                acquisition: row.acquisition.join(", "),
                credence: row.credence,
                since: row.since,
                conceals: row.conceals,
                group,
            }
        };
        let groups = knower_rows.groups.into_iter().map(knower_line(true));
        let mut knowers: Vec<KnowerLine> =
            groups.chain(knower_rows.characters.into_iter().map(knower_line(false))).collect();
        let concealed = knowers.iter().any(|knower| knower.conceals);
        knowers.retain(|line| !players_view.players().any(|player| *player == line.knower.id));
        let more_knowers = knowers.len().saturating_sub(MAX_KNOWERS);
        knowers.truncate(MAX_KNOWERS);
        let provenance = fact.provenance();
        let secret = fact.secrecy() == Secrecy::Secret;
        let is_extracted = provenance.method == Method::Stated || provenance.extracted.is_some();
        let source_line = |source: query::portrait::EvidenceText| SourceLine {
            place: source.place,
            text: source.text,
            quote: source.quote,
        };
        Self {
            fact: fact.id(),
            subject: NamedEntity::new(state, fact.subject()),
            predicate: fact.predicate().as_str().to_owned(),
            object: match fact.object() {
                Object::Entity(id) => state.name_or_id(id).to_owned(),
                Object::Value(value) => value.to_string(),
            },
            object_entity: fact.object().entity().map(|id| NamedEntity::new(state, id)),
            statement: LinkedText::from_fact(state, fact),
            status: fact.status(),
            secret,
            concealed,
            since: date(state, fact.validity().from.as_ref()),
            until: date(state, fact.validity().until.as_ref()),
            attitude: fact.attitude().map(hearsay_model::Attitude::get),
            confidence: is_extracted.then(|| provenance.confidence.get()),
            origin: origin(state, fact),
            session: provenance.session.clone(),
            party_knowledge: players_view.knows(fact.id()).map(|party_knows| party_knowledge(state, party_knows)),
            known_to_everybody: knower_rows.everybody,
            knowers,
            more_knowers,
            sources: query::portrait::sources_of(state, fact).into_iter().map(source_line).collect(),
        }
    }
}

/// Formats the source of a fact, such as `said by Odo Brandt in Session 2, found in the text`.
fn origin(state: &State, fact: &Fact) -> String {
    let provenance = fact.provenance();
    let method = match (provenance.method, &provenance.speaker) {
        (Method::Witnessed, _) => "happened".to_owned(),
        (Method::Stated, Some(speaker)) => format!("said by {}", state.name_or_id(speaker)),
        (Method::Stated, None) => "narrated".into(),
        (Method::Inferred, _) => "inferred".into(),
        (Method::Authored, _) => "written by hand".into(),
        (Method::Imported, _) => "imported".into(),
    };
    let session = provenance.session.as_ref().and_then(|session| query::table::session_title(state, session));
    let author = match &provenance.author {
        Author::Dm => Some("by the DM".to_owned()),
        Author::Extractor => Some("found in the text".into()),
        Author::Game => Some("by the game".into()),
        Author::Importer(_) => None,
        author => Some(format!("by {author}")),
    };
    let confirmed = provenance.confirmed.then(|| "confirmed by the DM".to_owned());
    let text = match session {
        Some(session) => format!("{method} in {session}"),
        None => method,
    };
    [Some(text), author, confirmed].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

pub(crate) fn party_knowledge(state: &State, party_knows: query::table::PlayersKnowledge) -> PartyKnowledge {
    let known_by: Vec<KnowerLine> = party_knows
        .known_by
        .into_iter()
        .map(|knower| KnowerLine {
            knower: NamedEntity::new(state, &knower.knower),
            acquisition: knower.acquisition,
            credence: knower.credence,
            since: knower.since,
            conceals: knower.conceals,
            group: !state.is_character(&knower.knower),
        })
        .collect();
    let names: Vec<&str> = known_by.iter().filter(|line| !line.group).map(|line| line.knower.name.as_str()).collect();
    let subject = match names.as_slice() {
        _ if party_knows.all => "The party knows".to_owned(),
        [] => "The party knows".into(),
        [one] => format!("{one} knows"),
        [one, two] => format!("{one} and {two} know"),
        [one, rest @ ..] => format!("{one} and {} others know", rest.len()),
    };
    let since = match (party_knows.title, party_knows.since) {
        (Some(title), _) => format!("since {}", lower_first(&title)),
        (None, Some(date)) => format!("since {date}"),
        (None, None) => "from the beginning".into(),
    };
    PartyKnowledge {
        text: format!("{subject} it, {since}"),
        session: party_knows.session,
        all: party_knows.all,
        known_by,
    }
}

/// Changes `Session` at the beginning of a text to lower case, for use within a sentence.
fn lower_first(text: &str) -> String {
    match text.strip_prefix("Session ") {
        Some(rest) => format!("session {rest}"),
        None => text.to_owned(),
    }
}
