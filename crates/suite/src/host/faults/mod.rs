//! Faulty hosts: ours, with one thing broken on purpose from outside. No host that people use knows of them.

use std::sync::Arc;

use host::FaultHooks;
use server::Fault;
use server::fault::Effect;

mod bridge;
mod documents;
mod sandbox;
mod windows;

pub use bridge::{
    ANSWER_TRIMMED, ANSWERS_FOR_PERSON, ANYTHING_VALID, APP_TOOLS_OFFERED, BROKEN_BY_RESULT, CANCEL_KEPT,
    CANCEL_UNTOLD, CAPABILITIES_MISSING, CONTEXT_MISSING, CONTEXT_WHOLE, DEAF_AFTER_FLOOD, DEAF_AFTER_NOISE,
    DENIAL_HIDDEN, DIMENSIONS_CONTRADICT, ERROR_RECODED, FONTS_INVENTED, FROZEN_BY_FLOOD, IDS_CHANGED,
    INPUT_EMPTY, INPUT_TWICE, LINK_CLAIMED, LOCALE_MISSING, LOCALE_UNKNOWN, MESSAGE_LOST, MODE_FAILED,
    MODE_STUCK, MODE_UNANSWERED, MODE_UNDECLARED, MODE_UNTOLD, MODEL_CONTEXT_FIRST, MODEL_CONTEXT_REFUSED,
    MODEL_TOOLS_CALLED, MODES_UNTRUE, OTHER_SERVER_CALLED, PARTIAL_GOES_ON, PING_IGNORED, READING_REFUSED,
    RESULT_TRIMMED, RUNS_BY_ITSELF, SCRIPT_LINKS_OPENED, SERVES_EARLY, SIZE_IGNORED, SIZE_UNBOUNDED,
    TALKS_EARLY, TEARDOWN_HASTY, TEARDOWN_UNTOLD, THEME_UNTOLD, TOOL_HIDDEN, TOOL_INFO_WRONG, TWIN_IGNORED,
    UNKNOWN_ANSWERED, UNSAID_REFUSED, VARIABLES_INVENTED, VIEW_UNSHOWN,
};
pub use documents::{
    BASE_OPEN, BLOB_IGNORED, CONNECTIONS_OPEN, DECLARED_IGNORED, DOMAINS_SPLIT, EVAL_ALLOWED, FRAMES_OPEN,
    MIME_TYPES_MISSING, NO_POLICY, OBJECTS_OPEN, PICTURES_FORBIDDEN, SIDE_WAYS_OPEN, TYPE_IGNORED,
};
pub use sandbox::{
    FLAGS_MISSING, LEAVING_ALLOWED, PERMISSIONS_CLAIMED, PERMISSIONS_GIVEN, PROXY_SILENT, RESERVED_RELAYED,
    SINGLE_FRAME, UNSANDBOXED,
};
pub use windows::{ANYBODY_HEARD, ARGUMENTS_INVENTED, CONSENT_HASTY, WORN_DOWN};

/// One way to break our host.
#[derive(Debug)]
pub struct HostFault {
    /// Its name and what goes wrong.
    pub fault: Fault,
    /// A script that runs before those of the host's page. It may wrap `globalThis.yardstickHost.step` and `.send`.
    pub page: &'static str,
    /// A script that runs before those of the sandbox proxy and the View.
    pub frames: &'static str,
    /// What is changed in the host itself.
    pub fault_hooks: Option<fn() -> Arc<dyn FaultHooks>>,
}

impl HostFault {
    /// The way to break a host that a check names.
    pub fn with_fault(fault: &Fault) -> Option<&'static Self> {
        Self::all().find(|known| known.fault.name == fault.name)
    }

    /// Every fault, by area.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        ALL.iter().copied().flatten().copied()
    }
}

/// Every fault, by area.
const ALL: &[&[&HostFault]] = &[bridge::FAULTS, documents::FAULTS, sandbox::FAULTS, windows::FAULTS];

/// A fault of the scripts of the host's page.
const fn in_page(name: &'static str, about: &'static str, page: &'static str) -> HostFault {
    HostFault { fault: Fault { name, about, effect: Effect::Host }, page, frames: "", fault_hooks: None }
}

/// A fault of the sandbox proxy.
const fn in_frames(name: &'static str, about: &'static str, frames: &'static str) -> HostFault {
    HostFault { fault: Fault { name, about, effect: Effect::Host }, page: "", frames, fault_hooks: None }
}

/// A fault of the host itself.
const fn in_host(
    name: &'static str,
    about: &'static str,
    fault_hooks: fn() -> Arc<dyn FaultHooks>,
) -> HostFault {
    HostFault {
        fault: Fault { name, about, effect: Effect::Host },
        page: "",
        frames: "",
        fault_hooks: Some(fault_hooks),
    }
}
