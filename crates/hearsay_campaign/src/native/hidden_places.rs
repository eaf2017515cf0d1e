//! Homes and locations that are also the content of a secret.

use std::collections::HashMap;

use hearsay_model::{Belonging, EntityId, Evidence, Fact, FactStatus, PredicateRole, Secrecy, Vocabulary};

use super::reader::CampaignReader;
use crate::campaign::{AudienceSource, KnowerEntry};

impl CampaignReader {
    /// Makes a home or location a secret if a secret of the same entity names the same place, and warns about it.
    /// Without this rule, the default audience would learn the secret. The home or location gets the knowers of the
    /// secret.
    ///
    /// Has no effect on a home or location with an audience in the files.
    pub(super) fn hide_secret_places(&mut self) {
        let mut secrets: HashMap<(EntityId, EntityId), Vec<usize>> = HashMap::new();
        for (index, campaign_fact) in self.facts.iter().enumerate() {
            let fact = &campaign_fact.fact;
            if let Some(place) = stated_place(&self.vocabulary, fact).filter(|_| fact.secrecy() == Secrecy::Secret) {
                secrets.entry((fact.subject().clone(), place.clone())).or_default().push(index);
            }
        }
        if secrets.is_empty() {
            return;
        }
        for index in 0..self.facts.len() {
            let campaign_fact = &self.facts[index];
            let fact = &campaign_fact.fact;
            if fact.secrecy() != Secrecy::Open || !matches!(campaign_fact.audience_source, AudienceSource::Rules) {
                continue;
            }
            let key = stated_place(&self.vocabulary, fact).map(|place| (fact.subject().clone(), place.clone()));
            let same_place = key.as_ref().and_then(|key| secrets.get(key)).into_iter().flatten();
            let overlapping: Vec<usize> = same_place
                .copied()
                .filter(|secret| self.facts[*secret].fact.validity().overlaps(fact.validity()))
                .collect();
            if let (Some((subject, place)), [first, ..]) = (key, &overlapping[..]) {
                let field = field_path(fact);
                let secret = self.diagnostics.format_position(self.fact_positions[*first]);
                let message = format!(
                    "{field}: a secret ({secret}) names `{place}` as the place of `{subject}`, so this entry is a \
                     secret too, with the same knowers; to avoid this warning, write another place or `none` here; if \
                     other characters know the place, write the place under `relationships` with an `audience`"
                );
                self.diagnostics.warn(self.fact_positions[index], message);
                let knowers: Vec<KnowerEntry> =
                    overlapping.iter().flat_map(|secret| self.facts[*secret].knowers.clone()).collect();
                self.restrict_to_secret(index, knowers);
            }
        }
    }

    /// Makes a fact a secret that only its named knowers and `knowers` know.
    pub(super) fn restrict_to_secret(&mut self, index: usize, knowers: Vec<KnowerEntry>) {
        let campaign_fact = &mut self.facts[index];
        if let Ok(fact) = campaign_fact.fact.to_builder().secrecy(Secrecy::Secret).build() {
            campaign_fact.fact = fact.into();
        }
        campaign_fact.audience_source = AudienceSource::NamedKnowers;
        campaign_fact.knowers.extend(knowers);
    }
}

/// Returns the place that a canon fact states as the home or location of its subject.
fn stated_place<'f>(vocabulary: &Vocabulary, fact: &'f Fact) -> Option<&'f EntityId> {
    let predicate = fact.predicate();
    let is_place =
        PredicateRole::Location.is(predicate) || vocabulary.belonging(predicate) == Some(Belonging::Resident);
    fact.object().entity().filter(|_| is_place && fact.status() == FactStatus::Canon)
}

/// Returns the path of the entry that states a fact, such as `entities/pim/home`.
fn field_path(fact: &Fact) -> &str {
    let mut paths = fact.provenance().evidence.iter().filter_map(|evidence| match evidence {
        Evidence::File { field, .. } => Some(field.as_str()),
        Evidence::Passage { .. } | Evidence::Excerpt(_) => None,
    });
    paths.next_back().unwrap_or_default()
}
