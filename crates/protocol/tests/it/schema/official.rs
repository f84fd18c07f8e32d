//! The same verdicts as the official JSON Schemas, on instances made from them and on changes of those.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use yardstick_protocol::Version;
use yardstick_protocol::schema::{Extension, Reading, Schema};

use super::engine::Engine;
use super::mutate::{edited, edits};
use super::sample::Sampler;

#[test]
fn v2024_11_05_judges_like_the_official_schema() {
    compare_with_official(Version::V2024_11_05);
}

#[test]
fn v2025_03_26_judges_like_the_official_schema() {
    compare_with_official(Version::V2025_03_26);
}

#[test]
fn v2025_06_18_judges_like_the_official_schema() {
    compare_with_official(Version::V2025_06_18);
}

#[test]
fn v2025_11_25_judges_like_the_official_schema() {
    compare_with_official(Version::V2025_11_25);
}

#[test]
fn v2026_07_28_judges_like_the_official_schema() {
    compare_with_official(Version::V2026_07_28);
}

#[test]
fn tasks_are_judged_like_the_document_with_the_extension() {
    let schema = Schema::for_version(Version::V2026_07_28).with(Extension::Tasks);
    let document = schema.document();
    let core = Schema::for_version(Version::V2026_07_28).document();
    let types = document["$defs"].as_object().expect("definitions");
    assert!(types.contains_key("UpdateTaskRequest") && core["$defs"].get("UpdateTaskRequest").is_none());
    assert!(types.len() > core["$defs"].as_object().expect("definitions").len());
    let own = Engine::new(document);
    compare(schema, &own, &[("own document", &own)], |name| name.contains("Task"));
}

/// Judges by the official schema, if it is at hand, and by our own document.
fn compare_with_official(version: Version) {
    let schema = Schema::for_version(version).read_as(Reading::Published);
    let own = Engine::new(schema.document());
    let Some(official) = official(version) else {
        println!("{version}: the official schema is not at hand, so nothing was compared with it");
        return compare(schema, &own, &[("own document", &own)], |_| true);
    };
    let ours: BTreeSet<_> = schema.names().into_iter().collect();
    let theirs: BTreeSet<_> = official.definitions().keys().map(String::as_str).collect();
    assert_eq!(ours, theirs, "{version}: names of definitions");
    compare(schema, &official, &[("official", &official), ("own document", &own)], |_| true);
}

fn official(version: Version) -> Option<Engine> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/spec/schema");
    let text = fs::read_to_string(folder.join(format!("mcp-{version}.json"))).ok();
    let Some(text) = text else {
        assert!(
            std::env::var_os("CI").is_none(),
            "there is no schema of {version} in ../shared, and this is CI"
        );
        println!("not compared: there is no schema of {version} in ../shared");
        return None;
    };
    Some(Engine::new(serde_json::from_str(&text).expect("the official schema is JSON")))
}

/// Judges instances of the definitions of `from` by `schema` and by every engine; verdicts must not differ.
fn compare(schema: Schema, from: &Engine, engines: &[(&str, &Engine)], of_interest: fn(&str) -> bool) {
    let sampler = Sampler::new(from.document());
    let (mut judged, mut accepted, mut differing) = (0, 0, Vec::new());
    for (name, definition) in from.definitions().iter().filter(|(name, _)| of_interest(name)) {
        let strict = schema.validator(name).unwrap_or_else(|| panic!("{schema:?} lacks {name}"));
        let lenient = schema.read_as(Reading::Source).validator(name).expect("a name in both readings");
        for instance in instances(&sampler, definition) {
            let ours = strict.accepts(&instance);
            judged += 1;
            accepted += usize::from(ours);
            for (whose, engine) in engines {
                if engine.accepts(name, &instance) != ours {
                    let flaws = strict.check(&instance);
                    differing.push(format!(
                        "{name} {instance}\n  {whose}: accepted = {}; flaws = {flaws:?}",
                        !ours
                    ));
                }
            }
            assert!(lenient.accepts(&instance) || !ours, "{name} {instance}: the source allows less");
            assert!(
                judged % 8 > 0 || strict.check(&instance).is_empty() == ours,
                "{name} {instance}: no flaw told"
            );
        }
    }
    println!("{schema:?}: {judged} instances judged, {accepted} of them valid");
    let shown = differing.iter().take(10).cloned().collect::<Vec<_>>().join("\n");
    assert!(differing.is_empty(), "{schema:?}: {} verdicts differ\n{shown}", differing.len());
    assert!(
        accepted * 5 > judged && accepted * 5 < judged * 4,
        "verdicts of both kinds: {accepted}/{judged}"
    );
}

/// Instances as they should be, every change of those that are full near the top, some changes of all others.
fn instances(sampler: &Sampler<'_>, definition: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    for (base, most) in sampler.bases(definition) {
        let edits = edits(&base);
        let step = edits.len().div_ceil(most).max(1);
        all.extend(edits.into_iter().step_by(step).map(|edit| edited(&base, edit)));
        all.push(base);
    }
    all
}
