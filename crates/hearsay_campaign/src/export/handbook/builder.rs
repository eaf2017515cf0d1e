//! Collects the content of a handbook: facts and texts that all of its readers know.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use hearsay_belief::{Known, View};
use hearsay_model::{Belonging, Date, EntityId, Kind, PredicateRole, State, Vocabulary, attribute};

use super::{
    HandbookReaders, HandbookRequest,
    claim::{Claim, described_as, relation_words},
    content::{Block, Chapter, Entry, Handbook, Link},
    kinds::{dead_entity, kinds},
    names::{Names, sort_key},
    shared::{SharedFact, SharedView},
    timeline::Timeline,
    wording::{Voice, Wording},
};

/// Chapters with one entry for each entity, with the kinds of the entities. Entities of other kinds are in the last
/// chapter.
const CHAPTERS: [(&[Kind], &str); 8] = [
    (&[Kind::Player, Kind::Party], "The party"),
    (&[Kind::Npc], "People"),
    (&[Kind::Location], "Places"),
    (&[Kind::Faction], "Factions"),
    (&[Kind::Event], "Events"),
    (&[Kind::Item], "Things"),
    (&[Kind::Document], "Documents"),
    (&[Kind::Concept, Kind::Quest], "Lore"),
];

/// Title of the chapter of the other entities.
const OTHER: &str = "Other things";

/// Returns the link target of the entry for the entities of a chapter that have no entry of their own.
fn others_anchor(chapter: usize) -> String {
    format!("others-{chapter}")
}

/// The knowledge of the readers, and the conclusions from it.
pub(super) struct Builder<'a> {
    pub(super) state: &'a State,
    pub(super) request: &'a HandbookRequest<'a>,
    pub(super) shared: SharedView<'a>,
    pub(super) names: Names,
    pub(super) timeline: Timeline<'a>,
    pub(super) kinds: BTreeMap<EntityId, Kind>,
    /// The entities that the readers know to be dead, with the date of death if they know it.
    pub(super) dead: BTreeMap<EntityId, Option<&'a Date>>,
    /// For each fact, by its position in the common knowledge: the entity under which it is printed. `None` if the fact
    /// is printed elsewhere or not at all.
    pub(super) homes: Vec<Option<EntityId>>,
    /// For each entity, the entities whose entries contain a fact that names this entity.
    pub(super) mentioned_by: BTreeMap<EntityId, BTreeSet<EntityId>>,
    /// For each group and place, the living entities that belong to it, as far as the readers know.
    pub(super) belongings: BTreeMap<EntityId, BTreeSet<(Belonging, EntityId)>>,
    /// The link target of each entity with an entry.
    pub(super) anchors: BTreeMap<EntityId, String>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(state: &'a State, views: &'a [View], request: &'a HandbookRequest<'a>) -> Self {
        let mut shared = SharedView::new(state, views, request);
        let kinds = kinds(&shared, state.vocabulary(), request.party);
        // The residents of a place know who is there, but the readers have not seen the character there.
        let is_character = |id: &EntityId| kinds.get(id).is_some_and(Kind::is_character);
        let is_unseen = |fact: &SharedFact| {
            let known = fact.known();
            PredicateRole::Location.is(known.predicate()) && is_character(known.subject()) && !fact.is_own()
        };
        shared.facts.retain(|fact| !is_unseen(fact));
        let names = Names::new(&shared, state.vocabulary());
        let timeline = Timeline::new(state, request, &shared, &names, &kinds);
        let dead = shared.facts.iter().filter_map(|fact| Some((dead_entity(state.vocabulary(), fact)?, fact)));
        let dead: BTreeMap<EntityId, Option<&Date>> =
            dead.map(|(id, fact)| (id.clone(), fact.known().since())).collect();
        let mut belongings: BTreeMap<EntityId, BTreeSet<(Belonging, EntityId)>> = BTreeMap::new();
        let is_current =
            |fact: &&SharedFact| Wording::is_plain(fact) && fact.is_told() && fact.end.is_none() && !fact.is_private;
        for known in shared.facts.iter().filter(is_current).map(SharedFact::known) {
            let belonging = state.vocabulary().belonging(known.predicate());
            if let (Some(belonging), Some(whole)) = (belonging, known.object().entity())
                && !dead.contains_key(known.subject())
            {
                belongings.entry(whole.clone()).or_default().insert((belonging, known.subject().clone()));
            }
        }
        let (homes, mentioned_by, anchors) = Default::default();
        Self { state, request, shared, names, timeline, kinds, dead, homes, mentioned_by, belongings, anchors }
    }

    pub(super) fn build(mut self) -> Handbook {
        let open_quests = self.open_quests();
        self.find_homes(&open_quests);
        let chapters = self.assign_anchors(&open_quests);
        let sparse_entries = self.join_sparse_entries(&chapters);
        let mut handbook =
            Handbook { title: self.request.title.to_owned(), subtitle: self.subtitle(), chapters: Vec::new() };
        let mut add_chapter = |title: &str, entries: Vec<Entry>| {
            if !entries.is_empty() {
                handbook.chapters.push(Chapter { title: title.to_owned(), entries });
            }
        };
        add_chapter("The story so far", self.story());
        add_chapter("Open threads", self.threads(&open_quests));
        add_chapter("What only you know", self.private_knowledge().into_iter().collect());
        for (number, (title, ids)) in chapters.iter().enumerate() {
            add_chapter(title, self.entries(number, ids, &sparse_entries));
        }
        add_chapter("Letters and texts", self.texts());
        handbook
    }

    /// Returns the entities about which the readers know next to nothing, if a chapter has at least two of them, each
    /// with its entry in one line. These entities share an entry at the end of the chapter, and links to the entities
    /// lead to this entry. Of the own characters, only those with an empty entry belong to these entities.
    fn join_sparse_entries(&mut self, chapters: &[(&str, Vec<EntityId>)]) -> BTreeMap<EntityId, String> {
        let mut sparse_entries = BTreeMap::new();
        for (number, (_, ids)) in chapters.iter().enumerate() {
            let is_sparse = |id: &EntityId, entry: &Entry| match self.request.party.contains(id) {
                true => entry.blocks.is_empty(),
                false => entry.is_sparse(),
            };
            let entries = ids.iter().map(|id| (id, self.entry(id))).filter(|(id, entry)| is_sparse(id, entry));
            let sparse: Vec<_> = entries.map(|(id, entry)| (id.clone(), entry.in_one_line())).collect();
            let has_empty = sparse.iter().any(|(id, _)| self.request.party.contains(id));
            if sparse.len() >= 2 || has_empty {
                self.anchors.extend(sparse.iter().map(|(id, _)| (id.clone(), others_anchor(number))));
                sparse_entries.extend(sparse);
            }
        }
        sparse_entries
    }

    /// Returns the entries of a chapter.
    fn entries(&self, chapter: usize, ids: &[EntityId], sparse_entries: &BTreeMap<EntityId, String>) -> Vec<Entry> {
        let own = ids.iter().filter(|id| !sparse_entries.contains_key(*id));
        let mut entries: Vec<Entry> = own.map(|id| self.entry(id)).collect();
        let items: Vec<String> = ids.iter().filter_map(|id| sparse_entries.get(id).cloned()).collect();
        if !items.is_empty() {
            let blocks = vec![Block::List { label: String::new(), items }];
            let title = if entries.is_empty() { "All" } else { "Others" };
            entries.push(Entry { title: title.to_owned(), anchor: others_anchor(chapter), blocks });
        }
        entries
    }

    pub(super) fn vocabulary(&self) -> &'a Vocabulary {
        self.state.vocabulary()
    }

    pub(super) fn wording(&self) -> Wording<'_> {
        let voice = if self.request.readers == HandbookReaders::Party { Voice::Party } else { Voice::You };
        let (shared, names) = (&self.shared, &self.names);
        Wording { shared, names, calendar: self.state.calendar(), vocabulary: self.vocabulary(), voice }
    }

    fn subtitle(&self) -> String {
        let readers = match self.request.readers {
            HandbookReaders::Party => "the party",
            HandbookReaders::Character(id) => self.names.name(id).unwrap_or(id.as_str()),
        };
        let date = self.request.as_of.map(|time| format!(" as of {}", self.state.calendar().format(time)));
        format!("What {readers} knows{}.", date.unwrap_or_default())
    }

    /// Decides under which entity each fact is printed. Each statement is printed once.
    fn find_homes(&mut self, open_quests: &[EntityId]) {
        let mut homes = vec![None; self.shared.facts.len()];
        for at in self.facts_to_print() {
            let fact = &self.shared.facts[at];
            let known = fact.known();
            if self.is_open_obligation(fact) {
                continue;
            }
            let object = known.object().entity();
            let mentions = self.names.mentions_in_order(known.statement());
            // A quest is printed with the fact that states who gave it.
            let quest = object.filter(|id| open_quests.contains(id));
            let subject = Some(known.subject()).filter(|_| self.names.is_about_subject(known, &mentions));
            let mut candidates =
                quest.into_iter().chain(subject).chain(&mentions).chain([known.subject()]).chain(object);
            homes[at] = candidates.find(|id| self.names.name(id).is_some()).cloned();
            if let Some(home) = &homes[at] {
                for id in mentions.iter().chain(object).filter(|id| *id != home) {
                    self.mentioned_by.entry(id.clone()).or_default().insert(home.clone());
                }
            }
        }
        self.homes = homes;
    }

    /// Returns the positions of the facts to print. Of facts with the same statement, only the one that the readers
    /// believe most is printed.
    pub(super) fn facts_to_print(&self) -> Vec<usize> {
        let mut positions: Vec<usize> = (0..self.shared.facts.len()).collect();
        positions.retain(|at| self.shared.facts[*at].is_told());
        positions.sort_by_key(|at| self.shared.facts[*at].priority());
        let (mut statements, mut relations) = (BTreeSet::new(), BTreeSet::new());
        positions.retain(|at| {
            let known = self.shared.facts[*at].known();
            let is_new = statements.insert(hearsay_model::text::normalize(known.statement()));
            let relation = known.object().entity().map(|object| (known.subject(), known.predicate(), object));
            is_new & relation.is_none_or(|relation| relations.insert(relation)) && !self.joins_party(known)
        });
        self.drop_repetitions(&mut positions);
        positions.sort_unstable();
        positions
    }

    /// Drops the facts whose claim another fact in the list states too, perhaps in more words. Facts that need no sentence,
    /// such as an occupation, and open promises and debts stay.
    fn drop_repetitions(&self, positions: &mut Vec<usize>) {
        let claim = |at: usize| {
            let fact = &self.shared.facts[at];
            let needs_sentence = self.detail(fact).is_none() && !self.is_open_obligation(fact);
            needs_sentence.then(|| Claim::new(fact, &self.names))
        };
        let mut claims: Vec<(usize, Claim)> = positions.iter().filter_map(|at| Some((*at, claim(*at)?))).collect();
        // A fact repeats only facts that the readers believe at least as much.
        claims.sort_by_key(|(at, claim)| (self.shared.facts[*at].priority().0, Reverse(claim.word_count()), *at));
        let mut dropped = self.vague_claims(&claims);
        let mut kept = BTreeMap::<&EntityId, Vec<Claim>>::new();
        for (at, claim) in claims {
            let of_subject = kept.entry(claim.subject()).or_default();
            match dropped.contains(&at) || of_subject.iter().any(|other| claim.repeats(other)) {
                true => _ = dropped.insert(at),
                false => of_subject.push(claim),
            }
        }
        positions.retain(|at| !dropped.contains(at));
    }

    /// Returns the positions of the claims that only describe the home or group of their subject, although another claim names
    /// it: "Odo lives on the barge" beside "Odo lives in The Otter". The readers believe the other claim at least as much.
    fn vague_claims(&self, claims: &[(usize, Claim)]) -> BTreeSet<usize> {
        let vocabulary = self.vocabulary();
        let known = |at: usize| self.shared.facts[at].known();
        let mut belongings: BTreeMap<&EntityId, Vec<&(usize, Claim)>> = BTreeMap::new();
        for entry in claims.iter().filter(|(at, _)| vocabulary.belonging(known(*at).predicate()).is_some()) {
            belongings.entry(entry.1.subject()).or_default().push(entry);
        }
        let mut descriptions: BTreeMap<&EntityId, Vec<&str>> = BTreeMap::new();
        let all = self.shared.facts.iter().map(SharedFact::known);
        for description in all.filter(|known| known.predicate().as_str() == attribute::DESCRIPTION) {
            descriptions.entry(description.subject()).or_default().push(description.statement());
        }
        let names_the_same = |(at, claim): &(usize, Claim), (other_at, other): &(usize, Claim)| {
            let priority = |at: usize| self.shared.facts[at].priority().0;
            let Some(object) = known(*other_at).object().entity() else { return false };
            let described = described_as(descriptions.get(object).into_iter().flatten().copied());
            let relation = relation_words(vocabulary, known(*other_at).predicate());
            priority(*other_at) <= priority(*at) && claim.is_vaguer(other, &described, &relation)
        };
        let vague = claims.iter().filter(|(_, claim)| claim.has_definite_noun()).filter(|entry| {
            let mut others = belongings.get(entry.1.subject()).into_iter().flatten();
            others.any(|other| names_the_same(entry, other))
        });
        vague.map(|(at, _)| *at).collect()
    }

    /// Returns whether a fact states that a character of the party belongs to the party.
    fn joins_party(&self, known: &Known) -> bool {
        PredicateRole::Membership.is(known.predicate())
            && self.request.party.contains(known.subject())
            && known.object().entity().is_some_and(|id| self.kinds.get(id) == Some(&Kind::Party))
    }

    /// Returns the facts that are printed under an entity. Facts that the readers have always known come first.
    pub(super) fn facts_under(&self, id: &EntityId) -> Vec<&SharedFact<'a>> {
        let facts = self.shared.facts.iter().zip(&self.homes);
        let mut facts: Vec<&SharedFact> =
            facts.filter(|(_, home)| home.as_ref() == Some(id)).map(|(fact, _)| fact).collect();
        facts.sort_by_key(|fact| (fact.learned().0, fact.known().id()));
        facts
    }

    /// Returns the chapters of entities with the entities of each chapter, and assigns the link targets.
    fn assign_anchors(&mut self, open_quests: &[EntityId]) -> Vec<(&'static str, Vec<EntityId>)> {
        for (number, id) in open_quests.iter().enumerate() {
            self.anchors.insert(id.clone(), format!("quest-{number}"));
        }
        // An entity of which the readers know only another name or where it belongs needs no entry.
        let minor = |fact: &SharedFact| {
            fact.known().is_name() || self.vocabulary().belonging(fact.known().predicate()).is_some()
        };
        let printed = self.shared.facts.iter().zip(&self.homes).filter(|(fact, _)| !minor(fact));
        let printed: BTreeSet<&EntityId> = printed.filter_map(|(_, home)| home.as_ref()).collect();
        // Of a group, the readers want to know who its members are.
        let groups = self
            .mentioned_by
            .keys()
            .chain(self.belongings.keys())
            .filter(|id| self.kinds.get(*id) == Some(&Kind::Faction));
        let ids = printed.into_iter().chain(self.timeline.meetings.keys()).chain(self.request.party).chain(groups);
        let ids: BTreeSet<&EntityId> =
            ids.filter(|id| self.names.name(id).is_some() && !open_quests.contains(id)).collect();
        let mut chapters: Vec<(&str, Vec<EntityId>)> =
            CHAPTERS.iter().map(|(_, title)| (*title, Vec::new())).chain([(OTHER, Vec::new())]).collect();
        for id in ids {
            let kind = self.kinds.get(id);
            let chapter = CHAPTERS.iter().position(|(kinds, _)| kind.is_some_and(|kind| kinds.contains(kind)));
            chapters[chapter.unwrap_or(CHAPTERS.len())].1.push(id.clone());
        }
        for (number, (_, ids)) in chapters.iter_mut().enumerate() {
            // The party itself comes before its characters.
            let is_party = |id: &EntityId| self.kinds.get(id) == Some(&Kind::Party);
            ids.sort_by_key(|id| (!is_party(id), sort_key(self.names.name(id).unwrap_or_default()), id.clone()));
            for (position, id) in ids.iter().enumerate() {
                self.anchors.insert(id.clone(), format!("entry-{number}-{position}"));
            }
        }
        chapters
    }

    /// Returns links to the entities that have an entry, sorted by name.
    pub(super) fn links<'i>(&self, ids: impl IntoIterator<Item = &'i EntityId>) -> Vec<Link> {
        let mut links = self.named_links(ids);
        links.retain(|link| link.anchor.is_some());
        links
    }

    /// Returns the names of entities, sorted, with links to those that have an entry.
    pub(super) fn named_links<'i>(&self, ids: impl IntoIterator<Item = &'i EntityId>) -> Vec<Link> {
        let link =
            |id: &EntityId| Some(Link { name: self.names.name(id)?.to_owned(), anchor: self.anchors.get(id).cloned() });
        let mut links: Vec<Link> = ids.into_iter().filter_map(link).collect();
        links.sort_by_key(|link| (sort_key(&link.name), link.anchor.clone()));
        links.dedup();
        links
    }
}
