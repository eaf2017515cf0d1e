//! Subscriptions: a client subscribes to resources, and the server notifies the client when their texts change.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use hearsay_engine::Memory;
use rmcp::{Peer, RoleServer, model::ResourceUpdatedNotificationParam};

use crate::{identity::SessionIdentity, resources::ResourceName};

/// Time between two checks of whether other clients or programs have changed the campaign.
const CHANGE_CHECK: Duration = Duration::from_millis(500);

/// The resources to which one client has subscribed.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions {
    /// The last text of each resource.
    texts: Mutex<BTreeMap<ResourceName, String>>,
    /// Locked until all changes that were found are sent. The answer to a write therefore follows the notifications.
    notifying: tokio::sync::Mutex<()>,
    /// Whether a task looks for changes by others.
    is_watching: AtomicBool,
}

impl Subscriptions {
    /// Adds a resource with its current text.
    pub(crate) fn insert(&self, resource: ResourceName, text: String) {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner).insert(resource, text);
    }

    /// Removes a resource.
    pub(crate) fn remove(&self, resource: ResourceName) {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner).remove(&resource);
    }

    /// Notifies the client of the resources whose text changed since the last call.
    pub(crate) async fn notify(
        self: &Arc<Self>,
        memory: &Arc<Memory>,
        identity: &SessionIdentity,
        peer: &Peer<RoleServer>,
    ) {
        let _notifying = self.notifying.lock().await;
        let (subscriptions, memory, identity) = (Arc::clone(self), Arc::clone(memory), identity.clone());
        let changed = match tokio::task::spawn_blocking(move || subscriptions.changed(&memory, &identity)).await {
            Ok(changed) => changed,
            Err(error) => {
                tracing::error!("the search for changed resources failed: {error}");
                return;
            }
        };
        for resource in changed {
            let changed = ResourceUpdatedNotificationParam::new(resource.uri());
            if let Err(error) = peer.notify_resource_updated(changed).await {
                tracing::warn!("the client was not notified of a change: {error}");
            }
        }
    }

    /// Returns the resources whose text changed since the last call. A change that the identity cannot see is no
    /// change.
    fn changed(&self, memory: &Memory, identity: &SessionIdentity) -> Vec<ResourceName> {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = Vec::new();
        for (resource, last) in texts.iter_mut() {
            if let Ok(text) = resource.text(memory, identity)
                && text != *last
            {
                *last = text;
                changed.push(*resource);
            }
        }
        changed
    }

    /// Starts a task that notifies the client of changes by other clients and programs, unless this task runs already.
    /// The task ends with the session. It does not keep the memory open.
    pub(crate) fn watch(self: &Arc<Self>, memory: &Arc<Memory>, identity: &SessionIdentity, peer: &Peer<RoleServer>) {
        if self.is_watching.swap(true, Ordering::Relaxed) {
            return;
        }
        let (subscriptions, memory) = (Arc::downgrade(self), Arc::downgrade(memory));
        let (identity, peer) = (identity.clone(), peer.clone());
        tokio::spawn(async move {
            let mut last_count = None;
            loop {
                tokio::time::sleep(CHANGE_CHECK).await;
                let (Some(subscriptions), Some(memory)) = (subscriptions.upgrade(), memory.upgrade()) else { return };
                if peer.is_transport_closed() {
                    return;
                }
                let count = Some(memory.event_count());
                if count != last_count {
                    last_count = count;
                    subscriptions.notify(&memory, &identity, &peer).await;
                }
            }
        });
    }
}
