//! Watching a folder or file for changes.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::{Duration, Instant, SystemTime},
};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

/// Watches a folder or file for changes. The watcher waits until the files have stopped changing, and then reports the
/// change. The reason is that editors write a file in several steps, and sync programs write many files one after the
/// other.
///
/// Hidden files and folders are ignored, such as `.obsidian` and `.hearsay`.
#[derive(Debug)]
pub struct FileWatcher {
    path: PathBuf,
    quiet_period: Duration,
    events: Receiver<()>,
    /// Stops watching when it is dropped.
    _watcher: RecommendedWatcher,
    /// The size and modification time of each file at the time of the last report.
    reported_stamps: BTreeMap<PathBuf, FileStamp>,
    /// The time of the latest event since the last report.
    last_event: Option<Instant>,
}

/// Size and modification time of a file. With these values, a change is detected without reading the file.
type FileStamp = (u64, Option<SystemTime>);

impl FileWatcher {
    /// Starts to watch a folder or file. `quiet_period` is the duration for which the files must stay unchanged before
    /// a change is reported. A suitable value is half a second.
    ///
    /// # Errors
    /// Returns an error if the path does not exist or the operating system cannot watch it.
    pub fn new(path: &Path, quiet_period: Duration) -> io::Result<Self> {
        let path = path.canonicalize()?;
        let (sender, events) = channel();
        let watched = path.clone();
        let on_event = move |event: notify::Result<notify::Event>| {
            let is_relevant = match &event {
                Ok(event) if matches!(event.kind, EventKind::Access(_)) => false,
                Ok(event) => event.paths.is_empty() || event.paths.iter().any(|path| !is_hidden(path, &watched)),
                // An event was missed, and it may have been a change.
                Err(_) => true,
            };
            if is_relevant {
                let _ = sender.send(());
            }
        };
        let mut watcher = notify::recommended_watcher(on_event).map_err(io::Error::other)?;
        // If the path is a single file, its folder is watched: an editor may replace the file by a new file with the
        // same name, and only the folder reports this.
        let folder = if path.is_dir() { path.as_path() } else { path.parent().unwrap_or(&path) };
        let mode = if path.is_dir() { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
        watcher.watch(folder, mode).map_err(io::Error::other)?;
        let reported_stamps = file_stamps(&path);
        Ok(Self { path, quiet_period, events, _watcher: watcher, reported_stamps, last_event: None })
    }

    /// Waits for a change, at most for the duration `timeout`. Returns `true` if files have changed and then stopped
    /// changing.
    pub fn wait(&mut self, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        loop {
            let now = Instant::now();
            let due = self.last_event.map(|since| since + self.quiet_period);
            if due.is_some_and(|due| due <= now) {
                self.last_event = None;
                let stamps = file_stamps(&self.path);
                if stamps == self.reported_stamps {
                    continue;
                }
                // A file that is still being written is checked again.
                std::thread::sleep(self.quiet_period.min(Duration::from_millis(50)));
                if file_stamps(&self.path) != stamps {
                    self.last_event = Some(Instant::now());
                    continue;
                }
                self.reported_stamps = stamps;
                return true;
            }
            if now >= deadline {
                return false;
            }
            let wait = due.map_or(deadline, |due| due.min(deadline)).saturating_duration_since(now);
            match self.events.recv_timeout(wait) {
                Ok(()) => {
                    while self.events.try_recv().is_ok() {}
                    self.last_event = Some(Instant::now());
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }
}

fn is_hidden(path: &Path, root: &Path) -> bool {
    let inner = path.strip_prefix(root).unwrap_or(path);
    inner.components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'))
}

/// Returns the size and modification time of every file that is not hidden. Does not follow links.
fn file_stamps(path: &Path) -> BTreeMap<PathBuf, FileStamp> {
    let mut stamps = BTreeMap::new();
    let is_visible =
        |entry: &walkdir::DirEntry| entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with('.');
    for entry in walkdir::WalkDir::new(path).max_depth(64).into_iter().filter_entry(is_visible).flatten() {
        if entry.file_type().is_file()
            && let Ok(meta) = fs::symlink_metadata(entry.path())
        {
            stamps.insert(entry.path().to_owned(), (meta.len(), meta.modified().ok()));
        }
    }
    stamps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_told_once_when_the_files_lie_still() {
        let folder = tempfile::tempdir().unwrap();
        let note = folder.path().join("note.md");
        fs::write(&note, "one").unwrap();
        let mut watch = FileWatcher::new(folder.path(), Duration::from_millis(40)).unwrap();
        assert!(!watch.wait(Duration::from_millis(60)), "nothing has changed");
        for part in ["t", "tw", "two and more"] {
            fs::write(&note, part).unwrap();
        }
        assert!(watch.wait(Duration::from_secs(20)));
        assert!(!watch.wait(Duration::from_millis(150)), "three writes are one change");
        fs::create_dir(folder.path().join(".obsidian")).unwrap();
        fs::write(folder.path().join(".obsidian/workspace.json"), "{}").unwrap();
        assert!(!watch.wait(Duration::from_millis(150)), "hidden files do not count");
        fs::remove_file(&note).unwrap();
        assert!(watch.wait(Duration::from_secs(20)));
    }
}
