//! Checks of hosts: pure functions of what was seen while a host showed the probes.

pub(in crate::checks) mod attack;
pub(in crate::checks) mod context;
pub(in crate::checks) mod data;
pub(in crate::checks) mod handshake;
pub(in crate::checks) mod leaks;
pub(in crate::checks) mod modes;
pub(in crate::checks) mod person;
pub(in crate::checks) mod requests;
pub(in crate::checks) mod sandbox;
pub(in crate::checks) mod server;
pub(in crate::checks) mod visibility;
