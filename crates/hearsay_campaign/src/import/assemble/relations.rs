//! Relations between entities. Relations from fields are canon; relations from free text are proposals.

use hearsay_model::{Attitude, EntityId, Object, Predicate, PredicateRole, Validity, Value};

use super::assembly::{Assembly, Saying};
use crate::import::{
    Field, Found, Link, Note, Piece, Relation, Sure, Target, Visibility,
    lexicon::{self, Says},
    prose::split_list,
    resolve,
    truth::{self, Truth},
};

/// Maximum number of entities that may share a name. A name that more entities share counts as a common word.
const MOST_MEANT: usize = 4;

impl Assembly<'_> {
    /// Adds a link that is not within a text. A link that states no relation adds no fact.
    pub(super) fn link(&mut self, id: &EntityId, note: &Note, link: &Link) {
        let visibility = link.visibility.within(&note.visibility);
        let target = self.target(&link.target, link.label.as_deref(), note, &link.origin, &visibility);
        let Some(relation) = &link.relation else { return };
        let Some(says) = lexicon::relation(&relation.words, &self.vocabulary) else { return };
        let says = lexicon::listed(&relation.words, &says, self.kinds.get(id));
        let Some(target) = target else {
            let guessed = Relation { sure: Sure::Guessed, ..relation.clone() };
            for one in self.meant(&link.target, note) {
                self.relate(id, note, &one, says.clone(), &guessed, &link.origin, visibility.clone());
            }
            return;
        };
        self.relate(id, note, &target, says, relation, &link.origin, visibility);
    }

    /// Returns the entities that an ambiguous name may refer to. The caller proposes a relation to each of them, and
    /// the DM chooses.
    fn meant(&self, target: &Target, from: &Note) -> Vec<EntityId> {
        match self.index.find(target, from, self.notes) {
            Found::Several(several) if several.len() <= MOST_MEANT => {
                several.into_iter().filter_map(|number| self.ids[number].clone()).collect()
            }
            _ => Vec::new(),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn relate(
        &mut self,
        id: &EntityId,
        note: &Note,
        target: &EntityId,
        says: Says,
        relation: &Relation,
        origin: &crate::import::Origin,
        visibility: Visibility,
    ) {
        if id == target {
            return;
        }
        // The words of a relation describe its subject. The subject of a backwards relation is the link's target.
        let (of, to) = if relation.backwards { (target, id) } else { (id, target) };
        let says = lexicon::fitted(says, self.kinds.get(of), self.kinds.get(to));
        let visibility = self.as_secret_as(visibility, target);
        let backwards = says.backwards != relation.backwards;
        let (subject, object) = if backwards { (target, id) } else { (id, target) };
        let date = |raw: &Option<String>| raw.as_deref().map(|raw| self.date(raw, None));
        let validity = Validity { from: date(&relation.since), until: date(&relation.until) };
        let attitude = relation.attitude.and_then(|attitude| Attitude::new(attitude.clamp(-100, 100)).ok());
        let rank = relation.rank.clone().or_else(|| says.rank.map(str::to_owned));
        let symmetric = self.vocabulary.predicate(&says.predicate).is_some_and(|def| def.symmetric);
        let both = relation.both_ways && !symmetric;
        let (mut subject, mut object) = (subject, object);
        if symmetric {
            // A relation that both notes state is one fact with two evidence entries, unless the attitudes differ.
            let said = |a: &EntityId, b: &EntityId| (says.predicate.clone(), a.clone(), b.clone());
            if self.both_ways.get(&said(object, subject)) == Some(&attitude) {
                std::mem::swap(&mut subject, &mut object);
            } else {
                self.both_ways.insert(said(subject, object), attitude);
            }
        }
        let ends = [(subject, object), (object, subject)];
        for (subject, object) in ends.into_iter().take(if both { 2 } else { 1 }) {
            let saying = Saying {
                subject,
                predicate: says.predicate.clone(),
                object: Object::Entity(object.clone()),
                statement: relation.statement.clone(),
                sure: relation.sure,
                truth: relation.truth,
                origin,
                key: &note.key,
                visibility: visibility.clone(),
            };
            let (validity, rank) = (validity.clone(), rank.clone());
            self.say(saying, |builder| builder.attitude(attitude).rank(rank).validity(validity));
        }
    }

    /// Adds the relations that a relation field states. The targets are its links, and texts that name a note. All
    /// other values become an attribute.
    pub(super) fn related(&mut self, id: &EntityId, note: &Note, field: &Field, says: &Says, visibility: &Visibility) {
        let says = &lexicon::listed(&field.name, says, self.kinds.get(id));
        let (of_name, _) = truth::named(&field.name);
        for piece in &field.values {
            let truth = of_name.max(Truth::of(&piece.value.to_string()));
            if let ([target], Some(relation)) = (&piece.links[..], said_of(piece, says)) {
                let sure = field.sure;
                let words = lexicon::relation(&relation, &self.vocabulary).filter(|_| lexicon::is_known(&relation));
                let says = words.as_ref().unwrap_or(says);
                self.relate_to(id, note, field, target, says, (sure, truth), visibility);
                continue;
            }
            if !piece.links.is_empty() {
                for target in &piece.links {
                    self.relate_to(id, note, field, target, says, (field.sure, truth), visibility);
                }
                continue;
            }
            let Value::Text(text) = &piece.value else { continue };
            if resolve::is_nobody(text) {
                self.findings.nobody += 1;
                continue;
            }
            let mut left = false;
            let parts = split_list(text);
            // If a list contains only names, the names count as links. If it also contains prose, they become
            // proposals.
            let means = |part: &&str| {
                let target = Target::Name((*part).to_owned());
                matches!(self.index.find(&target, note, self.notes), Found::One(_))
            };
            let exact = parts.iter().all(means);
            for part in parts {
                let name = part.split('(').next().unwrap_or_default().trim();
                let target = Target::Name(name.trim_end_matches('?').trim().to_owned());
                let truth = of_name.max(Truth::of(part));
                // A text that names no note is not a link, so it creates no stub.
                match self.index.find(&target, note, self.notes) {
                    Found::One(_) => {
                        let plain = exact || part == text.trim();
                        let sure = if plain { field.sure } else { Sure::Guessed };
                        self.relate_to(id, note, field, &target, says, (sure, truth), visibility);
                        left |= !plain;
                    }
                    Found::Several(_) => {
                        self.relate_to(id, note, field, &target, says, (Sure::Guessed, truth), visibility);
                        left = true;
                    }
                    Found::Dangling | Found::Nobody => left = true,
                }
            }
            if left && let Some(name) = attribute_of(&field.name) {
                self.value(id, note, field, &name, piece, visibility);
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn relate_to(
        &mut self,
        id: &EntityId,
        note: &Note,
        field: &Field,
        target: &Target,
        says: &Says,
        (sure, truth): (Sure, Truth),
        visibility: &Visibility,
    ) {
        let (sure, meant) = match self.target(target, None, note, &field.origin, visibility) {
            Some(target) => (sure, vec![target]),
            None => (Sure::Guessed, self.meant(target, note)),
        };
        let relation = Relation { sure, truth, ..Relation::default() };
        for target in &meant {
            self.relate(id, note, target, says.clone(), &relation, &field.origin, visibility.clone());
        }
    }

    /// Adds a relation for each link in a field whose name is unknown. The relation gets the name of the field.
    pub(super) fn linked_value(
        &mut self,
        id: &EntityId,
        note: &Note,
        field: &Field,
        piece: &Piece,
        visibility: &Visibility,
    ) {
        let name = Predicate::relation(&field.name).unwrap_or_else(|_| PredicateRole::Related.predicate().clone());
        let says = Says { predicate: name, backwards: false, rank: None };
        for target in &piece.links {
            let truth = Truth::of(&piece.value.to_string());
            self.relate_to(id, note, field, target, &says, (field.sure, truth), visibility);
        }
    }
}

/// Returns the words that a general relation field contains besides its link, such as `brother` in `[[Bob]] (brother)`
/// and `rival` in `rival: [[Eve]]`.
fn said_of(piece: &Piece, says: &Says) -> Option<String> {
    let [Target::Name(name)] = &piece.links[..] else { return None };
    let text = piece.value.to_string();
    let name = name.split('#').next()?.rsplit('/').next()?;
    let rest = text.replacen(name, " ", 1);
    let words = hearsay_model::text::words(&rest);
    let fits = PredicateRole::Related.is(&says.predicate) && rest != text && (1..=3).contains(&words.len());
    let certain = || words.iter().filter(|word| Truth::of(word) == Truth::Plain).cloned().collect::<Vec<_>>().join(" ");
    fits.then(certain).filter(|words| !words.is_empty())
}

/// Returns the attribute for the values of a relation field that name no entity.
fn attribute_of(name: &str) -> Option<Predicate> {
    let name = hearsay_model::slug(name).replace('-', "_");
    Predicate::new(&name).ok().filter(|name| !name.is_relation() && !lexicon::is_reserved(name))
}
