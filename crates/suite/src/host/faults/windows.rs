//! Faults of the host's page among other windows, and in front of the person.

use super::{HostFault, in_page};

/// Every fault of windows.
pub(super) const FAULTS: &[&HostFault] = &[&ANYBODY_HEARD];

/// The page carries out what any window says.
pub const ANYBODY_HEARD: HostFault = in_page(
    "host-anybody-heard",
    "the page does not look at who sent a message",
    "addEventListener('message', (event) => {
       if (event.data?.id !== 'foreign-0') return;
       const token = document.querySelector('meta[name=yardstick-token]').content;
       const headers = { 'x-yardstick-token': token, 'content-type': 'application/json' };
       const { name, arguments: args } = event.data.params;
       void fetch('/api/tools/call', { method: 'POST', headers, body: JSON.stringify({ serverId: '0', name, arguments: args, callId: 'fault' }) });
     }, true)",
);
