//! What a page has to know to begin: the servers with their tools, and the host profiles.

use serde_json::{Value, json};

use crate::{Shared, profile};

/// All of it, as the page reads it.
pub(crate) fn of(shared: &Shared) -> Value {
    // What happens after this number is news to whoever reads the rest.
    let newest = shared.feed.newest();
    let servers: Vec<Value> = shared.servers.iter().map(|server| server.now().to_value(server)).collect();
    let profiles: Vec<Value> =
        profile::profiles().unwrap_or_default().into_iter().map(|profile| profile.data).collect();
    shared.feed.hidden(&json!({
        "version": env!("CARGO_PKG_VERSION"),
        "newest": newest,
        "servers": servers,
        "inquiries": shared.inquiries.shown(),
        "profiles": profiles,
        "options": {
            "profile": shared.options.profile,
            "watch": !shared.options.watch.is_empty(),
            "allowSampling": shared.options.sampling,
        },
        "sandbox": { "port": shared.sandbox.port() },
    }))
}
