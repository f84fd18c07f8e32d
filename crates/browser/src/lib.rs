//! Headless Chromium, driven over its debugging pipe.
//!
//! A [`Browser`] is a process with a profile that is removed with it. A [`Page`] has a browser context of its own, so
//! pages share nothing. The crate attaches to every frame, worker and popup before it runs. So the log of a page has
//! everything in order from the start: messages, requests and violations. Scripts and input work in every [`Frame`],
//! in any process.

mod browser;
mod connection;
mod console;
mod context;
mod dialog;
mod download;
mod element;
mod emulate;
mod error;
mod events;
mod find;
mod frame;
mod frames;
mod input;
mod keys;
mod launch;
mod log;
mod network;
mod page;
mod permission;
mod pipe;
mod process;
mod profile;
mod router;
mod screenshot;
mod script;
mod target;
mod violation;
mod worlds;

pub use browser::Browser;
pub use console::{Console, Exception};
pub use dialog::{Dialog, DialogAnswer, Dialogs};
pub use download::{Download, DownloadProgress};
pub use element::Rect;
pub use emulate::{Emulation, Scheme};
pub use error::BrowserError;
pub use frame::Frame;
pub use frames::FrameInfo;
pub use launch::LaunchOptions;
pub use log::{LogEntry, LogEvent};
pub use network::NetworkRequest;
pub use page::Page;
pub use permission::Setting;
pub use screenshot::Shot;
pub use target::TargetKind;
pub use violation::Violation;
