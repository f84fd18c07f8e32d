//! The ways to drive a host.

mod chromium;
mod manual;
mod own;
mod page;
mod remote;

pub use manual::ManualHost;
pub use own::OwnHost;
pub use page::PageHost;
pub use remote::RemoteHost;
