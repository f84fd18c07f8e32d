//! The ways to drive a host.

mod chromium;
mod manual;
mod names;
mod observed;
mod own;
mod page;
mod remote;

pub use chromium::Chromium;
pub use manual::{ManualHost, SkipButton, TellPerson};
pub use observed::ObservedHost;
pub(crate) use observed::UNDRIVEN;
pub use own::OwnHost;
pub use page::PageHost;
pub use remote::RemoteHost;
