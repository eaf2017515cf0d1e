//! The owner's side of sharing: the programs that are attached to this worker, and their writes.

use std::collections::BTreeMap;

use hearsay_model::{Key, PassageId};

use super::{Worker, Write, reading::passage_ids, remote_write::RemoteWrite};
use crate::sharing::{Client, ClientId, PreparedWrite, ServerMessage};

/// The attached programs.
#[derive(Default)]
pub(super) struct Clients(BTreeMap<ClientId, Attached>);

/// An attached program, and the passages that it added. The program extracts facts from these passages itself.
struct Attached {
    client: Client,
    passages: Vec<PassageId>,
}

impl Clients {
    /// Returns the names of the attached programs.
    pub(super) fn programs(&self) -> Vec<String> {
        self.0.values().map(|attached| attached.client.program.clone()).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Ends all connections, because the state was replaced. The programs attach again and receive the new state.
    pub(super) fn disconnect(&mut self) {
        self.0.clear();
    }

    /// Sends a committed write to all attached programs, except the program that made it. Instead of the write, that
    /// program gets the answer to its request.
    pub(super) fn broadcast(&mut self, prepared: &PreparedWrite, write: &Write, touched: &[Key]) {
        let origin = match write {
            Write::Remote(remote) => Some(remote.client_id()),
            _ => None,
        };
        for (id, attached) in &mut self.0 {
            if Some(*id) != origin {
                attached.client.send_committed(prepared.clone());
            } else {
                attached.passages.extend(passage_ids(touched));
            }
        }
    }
}

impl Worker {
    pub(super) fn take_server_message(&mut self, message: ServerMessage) {
        match message {
            ServerMessage::Joined(client) => {
                client.send_state(self.snapshot.state.clone());
                self.clients.0.insert(client.id, Attached { client, passages: Vec::new() });
            }
            ServerMessage::Append { client, first, write } => {
                // A program that was disconnected attaches again, and then looks for its write in the new state.
                if let Some(Attached { client, .. }) = self.clients.0.get(&client) {
                    self.writes.push(Write::Remote(Box::new(RemoteWrite::new(client.clone(), first, write))));
                }
            }
            ServerMessage::Left { client, unread } => {
                let attached = self.clients.0.remove(&client);
                let passages = unread.or(attached.map(|attached| attached.passages)).unwrap_or_default();
                self.readings.enqueue_left(&self.snapshot.state, passages);
            }
        }
    }
}
