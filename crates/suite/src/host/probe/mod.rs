//! The probe server: one tool and one `ui://` resource for each scene, and a record of all that the host did.

mod record;
mod scene;
mod server;

pub use record::{ProbeCall, ProbeRecord, ReportSeen, ResourceRead};
pub use scene::{Act, DocumentForm, SCENES, Scene, ToolAnswer, scene_named};
pub(crate) use server::full_result;
pub use server::{ProbePeer, ProbeServer, Sites};
