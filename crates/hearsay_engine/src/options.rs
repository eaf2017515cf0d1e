//! Options for opening a memory and for an import.

use std::path::{Path, PathBuf};

use hearsay_store::{Endpoint, Location, StoreOptions};

use crate::{
    MemoryError, Waker,
    progress::ImportProgress,
    settings::{Settings, server},
};

/// Options for opening a memory.
#[derive(Debug, Clone)]
pub struct MemoryOptions {
    /// Location of the database. If the campaign is in a server, this location contains only derived data, such as
    /// vectors.
    pub location: Location,
    /// Server that contains the campaign (feature `remote`). If this is `None` and `location` is a directory, the
    /// setting [`endpoint`](crate::StoreSettings::endpoint) decides whether the campaign is in a server. Default `None`.
    pub endpoint: Option<Endpoint>,
    /// Settings of the campaign.
    pub settings: Settings,
    /// Options of the database.
    pub store: StoreOptions,
    /// Whether several programs on this machine can have the campaign open at the same time: see [`SharingStatus`]. If
    /// `false`, opening fails while another program has the campaign open. Default: the setting `share` in the section
    /// `[store]` of the campaign, which is `true` by default.
    ///
    /// [`SharingStatus`]: crate::SharingStatus
    pub share: bool,
    /// Maximum number of reads that wait for the worker thread. The same limit applies to writes. Further requests fail
    /// with [`MemoryError::Full`]. Default 256.
    pub queue: usize,
    /// Function that the memory calls after each answer and each event. Default `None`.
    pub waker: Option<Waker>,
    /// Whether closing frees the data in memory. Set this to `false` in a program that ends after closing: freeing a
    /// large campaign takes time, and the operating system frees the data anyway. Default: `true`.
    pub free_on_close: bool,
}

impl MemoryOptions {
    /// Returns the options for a campaign directory. Reads the settings of the campaign from `hearsay.toml`, if that
    /// file exists.
    ///
    /// # Errors
    /// Returns an error if `hearsay.toml` is invalid, as described at [`Settings::read`].
    pub fn for_campaign(directory: impl AsRef<Path>) -> Result<Self, MemoryError> {
        let directory = directory.as_ref();
        Ok(Self::with_settings(directory, Settings::read(directory)?))
    }

    /// Returns the options for a campaign directory with the given settings. Relative paths in the settings are
    /// resolved against the campaign directory.
    pub fn with_settings(directory: &Path, mut settings: Settings) -> Self {
        let location = Location::Directory(directory.join(&settings.store.directory));
        settings.model.directory = settings.model.directory.map(|model| directory.join(model));
        settings.extraction.language = settings.extraction.language.map(|language| directory.join(language));
        settings.speech.model = settings.speech.model.map(|model| directory.join(model));
        let share = settings.store.share;
        Self { location, settings, share, ..Self::in_memory() }
    }

    /// Returns the options for a campaign in a server (feature `remote`), without files on this machine.
    pub fn with_endpoint(settings: Settings, endpoint: Endpoint) -> Self {
        Self { settings, endpoint: Some(endpoint), ..Self::in_memory() }
    }

    /// Returns the server that contains the campaign; `None` if the campaign is not in a server.
    ///
    /// # Errors
    /// Returns an error if the environment does not contain the user and the password, if it does not allow the host,
    /// or if the program was built without the feature `remote`.
    pub(crate) fn server(&self) -> Result<Option<Endpoint>, MemoryError> {
        let endpoint = match (&self.endpoint, &self.location) {
            (Some(endpoint), _) => Some(endpoint.clone()),
            (None, Location::Directory(_)) => {
                server::endpoint(&self.settings.store, |name| std::env::var(name).ok()).map_err(MemoryError::Server)?
            }
            (None, Location::Memory) => None,
        };
        match endpoint {
            Some(_) if cfg!(not(feature = "remote")) => {
                Err(MemoryError::Server("this program was built without the feature `remote`".into()))
            }
            endpoint => Ok(endpoint),
        }
    }

    /// Returns the options for a memory without files. The contents of this memory are lost when it closes. Its database
    /// contains the journal, but no graph tables, because no program could query them.
    pub fn in_memory() -> Self {
        Self {
            location: Location::Memory,
            endpoint: None,
            settings: Settings::default(),
            store: StoreOptions::default(),
            share: false,
            queue: 256,
            waker: None,
            free_on_close: true,
        }
    }
}

/// Options of an import. If an option is not set, the import detects its value from the files.
#[derive(Debug, Clone, Default)]
pub struct ImportOptions {
    /// Format of the files.
    pub format: Option<hearsay_campaign::Format>,
    /// Path of a mapping file, which defines the meaning of the fields in JSON, YAML or CSV files of any structure.
    pub mapping: Option<PathBuf>,
    /// Name of the imported source. If unset, the name comes from the files or their folder. A later import with the
    /// same name applies only the changes since this import.
    pub name: Option<String>,
    /// Whether to import the texts of secret folders as open texts. By default, these texts are secret. A folder is
    /// secret if its name says that it is only for the DM, or if it is a Foundry compendium that players cannot see by
    /// default.
    pub open_folders: bool,
    /// Handle through which the caller can read the progress of the import.
    pub progress: ImportProgress,
}
