//! The report as JSON, for machines; `docs/report.schema.json` describes it.

use serde::Serialize;
use suite::{Conclusion, Report, RevisionReport};

use crate::Collection;

/// The version of the format; a field that goes away or changes its meaning raises it.
pub const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReportDocument<'a> {
    schema_version: u32,
    tool: ReportingTool,
    verdict: Conclusion,
    revisions: Vec<RevisionReport>,
    #[serde(flatten)]
    report: &'a Report,
}

/// Reports of several targets.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Documents<'a> {
    schema_version: u32,
    tool: ReportingTool,
    verdict: Conclusion,
    reports: Vec<ReportDocument<'a>>,
}

/// Who wrote a report.
#[derive(Serialize)]
pub(crate) struct ReportingTool {
    name: &'static str,
    version: &'static str,
}

/// Yardstick, in this version.
pub(crate) const TOOL: ReportingTool =
    ReportingTool { name: "yardstick", version: env!("CARGO_PKG_VERSION") };

/// The report, pretty-printed, with a newline at its end.
pub fn render(report: &Report) -> String {
    pretty(&document(report))
}

/// A single report as it is; several as one document.
pub fn render_all(collection: &Collection) -> String {
    if let [only] = collection.reports() {
        return render(only);
    }
    pretty(&Documents {
        schema_version: SCHEMA_VERSION,
        tool: TOOL,
        verdict: collection.verdict(),
        reports: collection.reports().iter().map(document).collect(),
    })
}

fn document(report: &Report) -> ReportDocument<'_> {
    ReportDocument {
        schema_version: SCHEMA_VERSION,
        tool: TOOL,
        verdict: report.verdict(),
        revisions: report.revisions(),
        report,
    }
}

/// One document as it is; of several targets a list.
pub(crate) fn one_or_list<D: Serialize>(collection: &Collection, document: impl Fn(&Report) -> D) -> String {
    match collection.reports() {
        [only] => pretty(&document(only)),
        reports => pretty(&reports.iter().map(document).collect::<Vec<_>>()),
    }
}

/// A document, pretty-printed, with a newline at its end.
pub(crate) fn pretty(document: &impl Serialize) -> String {
    // Nothing in a report can fail to serialise: no maps with odd keys, no floats that are not numbers.
    let mut text = serde_json::to_string_pretty(document).unwrap_or_default();
    text.push('\n');
    text
}
