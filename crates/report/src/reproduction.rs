//! The command that shows a finding again.

use suite::Report;
use wire::recording::Medium;

/// The command that runs one check again, in the revisions in which it did not pass.
pub(crate) fn reproduction_command(report: &Report, check: &str, protocols: &[protocol::Version]) -> String {
    let mut command = format!("yardstick check --only {check}");
    // A finding in all revisions needs no `--protocol`, unless there is only one, which the user may have named. Views and
    // hosts have one revision, which nobody chooses.
    let is_chosen = report.viewed.is_empty() && report.target.transport != Medium::PostMessage.as_str();
    if is_chosen && (protocols != report.target.speaks || protocols.len() == 1) {
        for protocol in protocols {
            command.push_str(&format!(" --protocol {protocol}"));
        }
    }
    if !report.target.arguments.is_empty() {
        command.push(' ');
        command.push_str(&report.target.arguments);
    }
    command
}
