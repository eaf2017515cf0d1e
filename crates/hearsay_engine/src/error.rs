//! Errors of the memory.

use std::path::PathBuf;

use hearsay_campaign::{CampaignErrors, TranscriptError};
use hearsay_commands::CommandError;
use hearsay_embed::EmbedError;
use hearsay_model::{ApplyError, CalendarError, FactError, IdError, PredicateError, ScaleError};
use hearsay_query::QueryError;
use hearsay_store::StoreError;
use thiserror::Error;

/// An error of a request to the memory. After [`Uncertain`](Self::Uncertain), [`TimedOut`](Self::TimedOut) or
/// [`Closed`](Self::Closed), the request may have changed the campaign. After any other error, the request has changed
/// nothing.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// Error: a name, fact, date or session is unknown.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// Error: the command cannot be carried out.
    #[error(transparent)]
    Command(CommandError),
    /// Error: invalid settings file.
    #[error("{path}: {message}", path = path.display())]
    Settings {
        /// Path of the file.
        path: PathBuf,
        /// Description of the error, with the line in the file.
        message: String,
    },
    /// Error: no language model is enabled, or the enabled language model cannot be used.
    #[cfg(feature = "llm")]
    #[error("the language model is not available: {reason}", reason = .0)]
    NoLlm(String),
    /// Error: the language model returned no usable answer.
    #[cfg(feature = "llm")]
    #[error("the language model returned no usable answer: {reason}", reason = .0)]
    Llm(String),
    /// Error: the database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Error: the sentence encoder failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// Error: invalid campaign files.
    #[error(transparent)]
    Campaign(#[from] CampaignErrors),
    /// Error: the database rejected a commit. The change was not made.
    #[error("the database did not save the change: {reason}", reason = .0)]
    NotCommitted(String),
    /// Error: it is unknown whether the change was made. Either the commit failed, and afterwards the journal could not
    /// be read: all later writes then fail until the memory is opened again. Or the connection to the server of the
    /// campaign was lost: the state contains the change later if it was made.
    #[error("{0}")]
    Uncertain(String),
    /// Error: writing has stopped because the state in memory and the journal may differ.
    #[error("Hearsay stopped writing to the campaign: {reason}; close the campaign and open it again", reason = .0)]
    Halted(String),
    /// Error: the memory closed before the change was committed. The time limit for closing was reached.
    #[error("the change was not saved before the campaign closed; repeat the change")]
    NotCommittedInTime,
    /// Error: the memory closed without committing all accepted changes.
    #[error(
        "{not_committed} of {total} changes were not saved before the campaign closed; repeat the changes that are missing",
        total = committed + not_committed
    )]
    ClosedEarly {
        /// Number of changes that were committed during closing.
        committed: usize,
        /// Number of changes that were not committed.
        not_committed: usize,
    },
    /// Error: only the owner of the campaign can carry out the request. The owner is the program that has the database
    /// of the campaign open.
    #[error(
        "{owner} has the campaign open, but this action needs the database for itself; close that program, and try again"
    )]
    NotOwner {
        /// Description of the owner.
        owner: String,
    },
    /// Error: only a program that has the database of the campaign for itself can carry out the request, but the
    /// campaign is in a server.
    #[error(
        "the campaign is in the server {server}, but this action needs the database for itself; stop the server, and \
         run the action in the campaign directory on the machine of the server"
    )]
    InServer {
        /// Address of the server.
        server: String,
    },
    /// Error: the server of the campaign cannot be used, for example because the environment contains no password.
    #[error("{0}")]
    Server(String),
    /// Error: the owner of the campaign runs another version of Hearsay.
    #[error(
        "{owner} has the campaign open with version {release} of Hearsay, but this program has version {own_version}; \
         use the same version for both programs, or close the other program",
        own_version = env!("CARGO_PKG_VERSION")
    )]
    OtherVersion {
        /// Description of the owner.
        owner: String,
        /// Version of Hearsay that the owner runs.
        release: String,
    },
    /// Error: the clock of the machine shows a time before 1970.
    #[error("the clock of this machine is set to a time before 1970; set the correct time and try again")]
    Clock,
    /// Error: the question or search text is too long.
    #[error("the question has {length} characters, but at most {max_length} are allowed; shorten the question")]
    QuestionTooLong {
        /// Length of the text, in characters.
        length: usize,
        /// Maximum length, in characters.
        max_length: usize,
    },
    /// Error: the request would watch the beliefs of too many knowers.
    #[error(
        "the request watches the beliefs of {count} characters, but at most {max} are allowed; watch fewer characters"
    )]
    TooManyBeliefs {
        /// Number of knowers whose beliefs are to be watched.
        count: usize,
        /// Maximum number of knowers.
        max: usize,
    },
    /// Error: a file cannot be read or written.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// Error: too many requests wait for the worker thread of the memory. Try again in a moment.
    #[error(
        "the memory cannot accept the request, because {waiting} other requests already wait; try again in a moment"
    )]
    Full {
        /// Number of requests that wait for the worker thread.
        waiting: usize,
    },
    /// Error: the request was cancelled.
    #[error("the request was cancelled before it finished; repeat the request if you still need its result")]
    Cancelled,
    /// Error: the request was not answered in time.
    #[error("the memory did not answer the request within {timeout:?}; check whether the request took effect", timeout = .0)]
    TimedOut(std::time::Duration),
    /// Error: a thread could not be started.
    #[error("Hearsay could not start a thread: {error}; close other programs, and try again", error = .0)]
    Thread(std::io::Error),
    /// Error: a closure in the request, or the worker thread, panicked. The log of the program contains the details.
    #[error("the request failed because of a bug in the program (a panic); see the log of the program for details")]
    Panicked,
    /// Error: the memory is closed, so it accepts no requests.
    #[error("the memory is closed; open the campaign again")]
    Closed,
}

impl From<CommandError> for MemoryError {
    /// Converts a command error. If the command error contains a query error, returns the query error as
    /// [`Query`](Self::Query).
    fn from(error: CommandError) -> Self {
        match error {
            CommandError::Query(error) => Self::Query(error),
            error => Self::Command(error),
        }
    }
}

/// Implements the conversions from the errors that the closures of callers can return.
macro_rules! from_command_errors {
    ($($error:ty),*) => {
        $(impl From<$error> for MemoryError {
            fn from(error: $error) -> Self {
                Self::Command(error.into())
            }
        })*
    };
}

from_command_errors!(ApplyError, CalendarError, FactError, IdError, PredicateError, ScaleError, TranscriptError);
