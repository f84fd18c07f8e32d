//! Measures hosts of MCP Apps.
//!
//! A [`ProbeStage`] is a server whose Views are probes, and witnesses on loopback that Views try to reach. A [`HostDriver`] makes a host
//! show them. What Views, server, witnesses and driver saw becomes [`HostFacts`]; a check is a pure function of those.

mod cx;
mod driver;
pub mod drivers;
mod facts;
pub mod faults;
mod observed;
pub mod probe;
mod run;
mod witness;

pub use cx::{HostCx, shorten};
pub use driver::{DriverStep, HostDriver, cannot};
pub use facts::{ActFailure, HostFacts, SceneFacts};
pub use run::{HostOptions, ProbeStage, judge_host, run_host};
pub use witness::{WitnessSite, WitnessSocket};
