//! `scripts/sbom` says what the product is built from, and says it the same way every time.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

use crate::harness::root;

fn printed() -> Vec<u8> {
    let output =
        Command::new("python3").arg("scripts/sbom").current_dir(root()).output().expect("python3 runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn refs(components: &Value) -> Vec<&str> {
    let components = components.as_array().expect("a list");
    components.iter().map(|it| it["bom-ref"].as_str().expect("a reference")).collect()
}

#[test]
fn the_bill_of_materials_is_complete_and_always_the_same() {
    let text = printed();
    assert!(text == printed(), "two runs print two texts");
    let bom: Value = serde_json::from_slice(&text).expect("JSON");
    assert_eq!((&bom["bomFormat"], &bom["specVersion"]), (&"CycloneDX".into(), &"1.6".into()));
    assert!(bom["serialNumber"].as_str().is_some_and(|number| number.starts_with("urn:uuid:")));
    assert_eq!(bom["metadata"]["component"]["name"], "yardstick");

    let names = refs(&bom["components"]);
    assert!(names.is_sorted() && names.iter().collect::<BTreeSet<_>>().len() == names.len(), "{names:?}");
    assert!(names.iter().any(|name| name.starts_with("pkg:cargo/hyper@")), "{names:?}");
    assert!(!names.iter().any(|name| name.contains("rmcp") || name.contains("interop")), "{names:?}");
    for component in bom["components"].as_array().expect("a list") {
        let ours = component["name"].as_str().is_some_and(|name| name.starts_with("yardstick-"));
        assert!(ours || component["hashes"][0]["content"].is_string(), "{component}");
        assert!(component["licenses"][0]["expression"].is_string(), "{component}");
    }
    let known: BTreeSet<&str> =
        names.into_iter().chain(bom["metadata"]["component"]["bom-ref"].as_str()).collect();
    for entry in bom["dependencies"].as_array().expect("a list") {
        let needed = entry["dependsOn"].as_array().expect("a list").iter();
        for reference in needed.chain([&entry["ref"]]) {
            assert!(reference.as_str().is_some_and(|it| known.contains(it)), "{reference} is not described");
        }
    }
}
