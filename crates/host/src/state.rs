//! The state that the page starts with: the servers with their tools, and the host profiles.

use serde_json::{Value, json};

use crate::{Shared, profile};

/// The state as the page reads it.
pub(crate) fn to_value(shared: &Shared) -> Value {
    // Read first: events after this number may not be part of the state, and reach the page by the feed.
    let newest = shared.feed.newest();
    let servers: Vec<Value> = shared.servers.iter().map(|server| server.now().to_value(server)).collect();
    let profiles: Vec<Value> =
        profile::profiles().unwrap_or_default().into_iter().map(|profile| profile.data).collect();
    shared.feed.masked(&json!({
        "version": env!("CARGO_PKG_VERSION"),
        "newest": newest,
        "servers": servers,
        "inquiries": shared.inquiries.to_values(),
        "profiles": profiles,
        "options": {
            "profile": shared.options.profile,
            "watch": !shared.options.watch.is_empty(),
            "allowSampling": shared.options.sampling,
        },
        "sandbox": { "port": shared.sandbox.port() },
    }))
}
