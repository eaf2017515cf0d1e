//! Searches directories for a model in a fixed order.

use std::{
    env,
    path::{Path, PathBuf},
};

use crate::{
    error::EmbedError,
    model_dir::missing_file,
    searched_directory::{DEFAULT_MODEL, MODEL_DIR_VAR, SearchReason, SearchedDirectory},
};

/// Directory of models in the user's data directory.
const USER_MODELS: [&str; 2] = ["hearsay", "models"];

/// The directories and environment variables that [`find_model`] uses. To search other directories, a program or a test
/// can change these values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LookupEnvironment {
    /// Value of `HEARSAY_MODEL_DIR`.
    pub model_dir: Option<PathBuf>,
    /// Directory of the executable.
    pub executable_dir: Option<PathBuf>,
    /// Value of `BEVY_ASSET_ROOT`. Bevy's own asset lookup checks this variable first.
    pub bevy_asset_root: Option<PathBuf>,
    /// Value of `CARGO_MANIFEST_DIR`, which `cargo run` sets. Bevy's own asset lookup checks this variable second.
    pub cargo_manifest_dir: Option<PathBuf>,
    /// Current directory of the process. The search includes `assets/models` in this directory and in its parent
    /// directories.
    pub current_dir: Option<PathBuf>,
    /// The user's data directory. The search uses its subdirectory `hearsay/models`.
    pub user_data_dir: Option<PathBuf>,
    /// Root directory of the Hearsay source code from which the program was built.
    pub checkout_dir: Option<PathBuf>,
}

impl LookupEnvironment {
    /// Reads the environment of this process. An empty variable has the same effect as an unset variable.
    pub fn from_process() -> Self {
        Self {
            model_dir: path_var(MODEL_DIR_VAR),
            executable_dir: env::current_exe().ok().and_then(|exe| Some(exe.parent()?.to_owned())),
            bevy_asset_root: path_var("BEVY_ASSET_ROOT"),
            cargo_manifest_dir: path_var("CARGO_MANIFEST_DIR"),
            current_dir: env::current_dir().ok(),
            user_data_dir: user_data_dir(),
            checkout_dir: checkout_dir(),
        }
    }

    /// Finds a model like [`find_model`], but searches the directories in this value instead of the directories of this
    /// process.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`find_model`].
    pub fn find_model(&self, explicit: Option<&Path>) -> Result<PathBuf, EmbedError> {
        let explicit_directories =
            [(SearchReason::Explicit, explicit), (SearchReason::EnvironmentVariable, self.model_dir.as_deref())];
        for (reason, path) in explicit_directories {
            if let Some(path) = path {
                return match check_directory(reason, path) {
                    None => Ok(path.to_owned()),
                    Some(directory) => Err(EmbedError::NotAModel { directory }),
                };
            }
        }
        let mut searched = Vec::new();
        for (reason, path) in self.default_directories() {
            match check_directory(reason, &path) {
                None => return Ok(path),
                Some(directory) => searched.push(directory),
            }
        }
        Err(EmbedError::ModelNotFound { searched })
    }

    /// Returns the directory of models in the user's data directory. [`find_model`] searches this directory, and
    /// `hearsay model fetch` writes models to it.
    pub fn user_models_dir(&self) -> Option<PathBuf> {
        let mut directory = self.user_data_dir.clone()?;
        directory.extend(USER_MODELS);
        Some(directory)
    }

    fn default_directories(&self) -> Vec<(SearchReason, PathBuf)> {
        let mut directories: Vec<(SearchReason, PathBuf)> = Vec::new();
        let mut add = |reason, root: &Path, subdirectories: &[&str]| {
            let path = subdirectories.iter().fold(root.to_owned(), |path, part| path.join(part));
            let path = path.join(DEFAULT_MODEL);
            // The manifest directory and the current directory are often the same. List a path only once.
            if directories.iter().all(|(_, known)| *known != path) {
                directories.push((reason, path));
            }
        };
        if let Some(root) = &self.executable_dir {
            add(SearchReason::Executable, root, &["models"]);
            add(SearchReason::Executable, root, &["assets", "models"]);
        }
        for root in [&self.bevy_asset_root, &self.cargo_manifest_dir].into_iter().flatten() {
            add(SearchReason::Assets, root, &["assets", "models"]);
        }
        // Also search the ancestors, because programs and tests may be started in a subdirectory of a workspace.
        for root in self.current_dir.iter().flat_map(|dir| dir.ancestors()) {
            add(SearchReason::Assets, root, &["assets", "models"]);
        }
        if let Some(root) = &self.user_data_dir {
            add(SearchReason::UserData, root, &USER_MODELS);
        }
        if let Some(root) = &self.checkout_dir {
            add(SearchReason::Checkout, root, &["assets", "models"]);
        }
        directories
    }
}

/// Returns the directory of the model to use.
///
/// The search order is:
///
/// 1. `explicit`
/// 2. the environment variable `HEARSAY_MODEL_DIR`
/// 3. beside the executable: `models/all-MiniLM-L6-v2`, then `assets/models/all-MiniLM-L6-v2`
/// 4. the app's assets: `assets/models/all-MiniLM-L6-v2` under `BEVY_ASSET_ROOT`, under
///    `CARGO_MANIFEST_DIR`, and under the current directory and each of its ancestors
/// 5. the user's data directory: `hearsay/models/all-MiniLM-L6-v2` under `$XDG_DATA_HOME` or
///    `~/.local/share`; on macOS `~/Library/Application Support`; on Windows `%LOCALAPPDATA%`
/// 6. the directory of the Hearsay source code from which the program was built, if this directory still exists
///
/// # Errors
///
/// Returns [`EmbedError::NotAModel`] if `explicit` or `HEARSAY_MODEL_DIR` is set and names a directory without a model.
/// In this case, the search does not continue in other directories. Returns [`EmbedError::ModelNotFound`] if no
/// directory contains a model. This error lists all searched directories.
pub fn find_model(explicit: Option<&Path>) -> Result<PathBuf, EmbedError> {
    LookupEnvironment::from_process().find_model(explicit)
}

/// Returns the problem with a directory; `None` if the directory contains a model.
fn check_directory(reason: SearchReason, path: &Path) -> Option<SearchedDirectory> {
    let missing = if path.is_dir() { Some(missing_file(path)?) } else { None };
    Some(SearchedDirectory { reason, path: path.to_owned(), missing })
}

fn path_var(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn user_data_dir() -> Option<PathBuf> {
    if cfg!(windows) {
        path_var("LOCALAPPDATA").or_else(|| path_var("APPDATA"))
    } else if cfg!(target_os = "macos") {
        Some(env::home_dir()?.join("Library/Application Support"))
    } else {
        // The XDG specification requires relative paths to be ignored.
        path_var("XDG_DATA_HOME")
            .filter(|path| path.is_absolute())
            .or_else(|| Some(env::home_dir()?.join(".local/share")))
    }
}

/// Returns the root of the checkout that this crate was built from; `None` if the checkout has no directory
/// `assets/models` any more.
fn checkout_dir() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?;
    root.join("assets/models").is_dir().then(|| root.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn make_model(dir: &Path) {
        fs::create_dir_all(dir).unwrap();
        for file in ["config.json", "tokenizer.json", "model.safetensors"] {
            fs::write(dir.join(file), "{}").unwrap();
        }
    }

    fn environment(root: &Path) -> LookupEnvironment {
        LookupEnvironment {
            model_dir: None,
            executable_dir: Some(root.join("bin")),
            bevy_asset_root: Some(root.join("bevy")),
            cargo_manifest_dir: Some(root.join("crate")),
            current_dir: Some(root.join("work/deep/below")),
            user_data_dir: Some(root.join("data")),
            checkout_dir: Some(root.join("source")),
        }
    }

    #[test]
    fn earlier_places_win() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let mut environment = environment(root);
        // From the last directory in the search order to the first: each new model takes precedence over the models
        // created before.
        for directory in [
            "source/assets/models/all-MiniLM-L6-v2",
            "data/hearsay/models/all-MiniLM-L6-v2",
            "work/assets/models/all-MiniLM-L6-v2",
            "work/deep/below/assets/models/all-MiniLM-L6-v2",
            "crate/assets/models/all-MiniLM-L6-v2",
            "bevy/assets/models/all-MiniLM-L6-v2",
            "bin/assets/models/all-MiniLM-L6-v2",
            "bin/models/all-MiniLM-L6-v2",
        ] {
            make_model(&root.join(directory));
            assert_eq!(environment.find_model(None).unwrap(), root.join(directory));
        }
        make_model(&root.join("from-variable"));
        environment.model_dir = Some(root.join("from-variable"));
        assert_eq!(environment.find_model(None).unwrap(), root.join("from-variable"));
        make_model(&root.join("given"));
        let given = root.join("given");
        assert_eq!(environment.find_model(Some(&given)).unwrap(), given);
    }

    #[test]
    fn a_named_directory_that_is_no_model_is_an_error() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let mut environment = environment(root);
        make_model(&root.join("bin/models/all-MiniLM-L6-v2"));

        let absent = root.join("absent");
        let error = environment.find_model(Some(&absent)).unwrap_err().to_string();
        assert!(error.contains("absent (the given path)"), "{error}");
        assert!(error.contains("no such directory"), "{error}");

        let half = root.join("half");
        make_model(&half);
        fs::remove_file(half.join("model.safetensors")).unwrap();
        environment.model_dir = Some(half);
        let error = environment.find_model(None).unwrap_err().to_string();
        assert!(error.contains("half (HEARSAY_MODEL_DIR)"), "{error}");
        assert!(error.contains("it has no model.safetensors"), "{error}");
    }

    #[test]
    fn not_found_lists_every_place_and_what_to_do() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        fs::create_dir_all(root.join("bin/models/all-MiniLM-L6-v2")).unwrap();
        let error = environment(root).find_model(None).unwrap_err();
        let message = error.to_string();
        let EmbedError::ModelNotFound { searched } = error else {
            unreachable!("{message}");
        };
        assert!(searched.len() >= 9, "{searched:?}");
        for directory in &searched {
            assert!(message.contains(&directory.path.display().to_string()), "{message}");
        }
        assert!(message.contains("(beside the executable): it has no config.json"), "{message}");
        assert!(message.contains("data/hearsay/models/all-MiniLM-L6-v2"), "{message}");
        assert!(message.contains("set HEARSAY_MODEL_DIR"), "{message}");
        assert!(message.contains("hearsay model fetch"), "{message}");
    }

    #[test]
    fn a_directory_is_listed_once() {
        let environment = LookupEnvironment {
            cargo_manifest_dir: Some("/somewhere".into()),
            current_dir: Some("/somewhere".into()),
            ..LookupEnvironment::default()
        };
        let directories = environment.default_directories();
        assert_eq!(directories.len(), 2, "{directories:?}");
    }

    #[test]
    fn a_program_finds_the_model_of_its_checkout_from_anywhere() {
        let environment = LookupEnvironment { checkout_dir: checkout_dir(), ..LookupEnvironment::default() };
        assert!(environment.find_model(None).unwrap().ends_with("assets/models/all-MiniLM-L6-v2"));
    }

    #[test]
    fn the_checkout_has_the_default_model() {
        let environment =
            LookupEnvironment { current_dir: Some(env!("CARGO_MANIFEST_DIR").into()), ..LookupEnvironment::default() };
        assert!(environment.find_model(None).unwrap().ends_with("assets/models/all-MiniLM-L6-v2"));
    }
}
