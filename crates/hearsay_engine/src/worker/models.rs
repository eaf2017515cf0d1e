//! Models that are loaded when they are first used.

use std::{
    path::Path,
    sync::{Arc, OnceLock},
};

use hearsay_embed::{EmbedError, EncoderOptions, WeightPrecision, find_model};
use hearsay_extract::{ENTAILMENT_MODEL, EntailmentModel};

use crate::ModelSettings;

/// Model that is loaded when it is first used.
pub(super) struct LazyModel<M> {
    settings: ModelSettings,
    /// Name of the directory next to that of the sentence encoder.
    directory: &'static str,
    load: fn(&Path, &EncoderOptions) -> Result<M, EmbedError>,
    model: OnceLock<Option<M>>,
}

impl<M> LazyModel<M> {
    pub(super) fn new(
        settings: &ModelSettings,
        directory: &'static str,
        load: fn(&Path, &EncoderOptions) -> Result<M, EmbedError>,
    ) -> Self {
        Self { settings: settings.clone(), directory, load, model: OnceLock::new() }
    }

    /// Returns the model, or `None` if there is no model. Callers then do without the model.
    pub(super) fn get(&self) -> Option<&M> {
        self.model.get_or_init(|| self.read()).as_ref()
    }

    fn read(&self) -> Option<M> {
        let encoder = find_model(self.settings.directory.as_deref()).ok()?;
        let directory = encoder.parent()?.join(self.directory);
        if !directory.is_dir() {
            return None;
        }
        let options = EncoderOptions { threads: self.settings.threads, precision: WeightPrecision::Int8 };
        let loaded = (self.load)(&directory, &options);
        loaded.inspect_err(|error| tracing::warn!("the model {} is not used: {error}", self.directory)).ok()
    }
}

/// The entailment model, which compares replies with facts. It is loaded at the first check of a reply.
#[derive(Clone)]
pub(super) struct EntailmentResource(Arc<LazyModel<EntailmentModel>>);

impl EntailmentResource {
    pub(super) fn new(settings: &ModelSettings) -> Self {
        Self(Arc::new(LazyModel::new(settings, ENTAILMENT_MODEL, EntailmentModel::load)))
    }

    /// Returns the model, or `None` if there is no model.
    pub(super) fn model(&self) -> Option<&EntailmentModel> {
        self.0.get()
    }
}
