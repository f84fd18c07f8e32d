//! A host that nobody drives: it starts the probe server itself, and what it shows is looked at.

use serde_json::Value;

use crate::host::{DriverStep, HostDriver, cannot};

/// Why nothing can be done with such a host.
pub(crate) const UNDRIVEN: &str = "nobody drives this host";

/// A host that nobody drives.
#[derive(Clone, Copy, Debug)]
pub struct ObservedHost;

impl HostDriver for ObservedHost {
    fn description(&self) -> String {
        "a host that started the probe server".to_owned()
    }

    fn show<'a>(&'a self, _tool: &'a str, _arguments: &'a Value) -> DriverStep<'a, ()> {
        cannot(UNDRIVEN)
    }
}
