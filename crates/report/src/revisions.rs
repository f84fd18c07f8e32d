//! The verdict on each revision, in words.

use protocol::Version;
use suite::{Conclusion, Report, RevisionReport};

/// How many checks are named; of more only the number is told.
const MAX_NAMED: usize = 3;

/// `conformant with A, B; 1 finding in C: CHECK; D could not be tested in full`. Empty when no revision was measured.
pub(crate) fn sentence(report: &Report) -> String {
    let revisions = report.revisions();
    let with = |verdict| {
        let versions = revisions.iter().filter(move |one| one.verdict == verdict);
        versions.map(|one| one.protocol).collect::<Vec<_>>()
    };
    let mut parts = Vec::new();
    let sound = with(Conclusion::Conformant);
    if !sound.is_empty() {
        parts.push(format!("conformant with {}", join_versions(&sound)));
    }
    parts.extend(broken(&revisions));
    let open = with(Conclusion::Incomplete);
    if !open.is_empty() {
        parts.push(format!("{} could not be tested in full", join_versions(&open)));
    }
    parts.join("; ")
}

/// Revisions that break the same rules are reported together.
fn broken(revisions: &[RevisionReport]) -> Vec<String> {
    let mut alike: Vec<(&[String], Vec<Version>)> = Vec::new();
    for one in revisions.iter().filter(|one| one.verdict == Conclusion::NotConformant) {
        match alike.iter_mut().find(|(findings, _)| *findings == one.findings) {
            Some((_, versions)) => versions.push(one.protocol),
            None => alike.push((&one.findings, vec![one.protocol])),
        }
    }
    let told = |(findings, versions): (&[String], Vec<Version>)| {
        let counted = findings_in_words(findings.len());
        let names =
            if findings.len() > MAX_NAMED { String::new() } else { format!(": {}", findings.join(", ")) };
        format!("{counted} in {}{names}", join_versions(&versions))
    };
    alike.into_iter().map(told).collect()
}

/// `no findings`, `1 finding`, `2 findings`.
pub(crate) fn findings_in_words(count: usize) -> String {
    match count {
        0 => "no findings".to_owned(),
        1 => "1 finding".to_owned(),
        count => format!("{count} findings"),
    }
}

/// The revisions with commas between.
pub(crate) fn join_versions(versions: &[Version]) -> String {
    versions.iter().map(|version| version.as_str()).collect::<Vec<_>>().join(", ")
}
