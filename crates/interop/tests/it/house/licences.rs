//! The rules of `deny.toml` about dependencies: their licences, where they come from, and that each is there once.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde::Deserialize;

use crate::harness::root;
use crate::house::{deny, expression};

/// The product's workspace, and that of the Rust peer.
const MANIFESTS: [&str; 2] = [PRODUCT, "peers/rmcp/Cargo.toml"];
const PRODUCT: &str = "Cargo.toml";

/// What `cargo metadata` says, as far as it matters here.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_members: Vec<String>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    source: Option<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    kind: Option<String>,
}

#[test]
fn every_dependency_has_a_licence_from_the_list() {
    let allowed = deny::texts("licenses", "allow");
    let allows = |licence: &str| allowed.iter().any(|it| it == licence);
    let bad: Vec<_> = MANIFESTS
        .into_iter()
        .flat_map(|manifest| metadata(manifest).packages)
        .filter(|package| !package.license.as_deref().is_some_and(|it| expression::holds(it, &allows)))
        .map(|package| format!("{} {}: {:?}", package.name, package.version, package.license))
        .collect();
    assert!(bad.is_empty(), "not allowed by deny.toml: {bad:#?}");
}

#[test]
fn the_product_has_each_dependency_once() {
    let borne: BTreeMap<_, _> = deny::crates("bans", "skip").into_iter().collect();
    let unreasoned: Vec<_> = borne.iter().filter(|(_, reason)| reason.is_empty()).collect();
    assert!(unreasoned.is_empty(), "each duplicate needs a reason: {unreasoned:?}");

    let duplicates = metadata(PRODUCT).duplicates();
    let new: Vec<_> = duplicates.iter().filter(|(name, _)| !borne.contains_key(*name)).collect();
    assert!(new.is_empty(), "several versions of one crate; unite them or give a reason: {new:#?}");
    let gone: Vec<_> = borne.keys().filter(|name| !duplicates.contains_key(*name)).collect();
    assert!(gone.is_empty(), "deny.toml lists what is no duplicate any more: {gone:?}");
}

#[test]
fn nothing_banned_is_in_the_product() {
    let metadata = metadata(PRODUCT);
    let product = metadata.product();
    let banned: BTreeMap<_, _> = deny::crates("bans", "deny").into_iter().collect();
    assert!(!banned.is_empty());
    let there: Vec<_> = metadata
        .packages
        .iter()
        .filter(|package| product.contains(package.id.as_str()))
        .filter_map(|package| banned.get(&package.name).map(|why| (&package.name, why)))
        .collect();
    assert!(there.is_empty(), "banned by deny.toml: {there:?}");
}

#[test]
fn every_dependency_comes_from_a_registry_on_the_list() {
    let allowed = deny::texts("sources", "allow-registry");
    let foreign: Vec<_> = MANIFESTS
        .into_iter()
        .flat_map(|manifest| metadata(manifest).packages)
        .filter_map(|package| Some((package.name, package.source?)))
        .filter(|(_, source)| !allowed.iter().any(|it| source.strip_prefix("registry+") == Some(it)))
        .collect();
    assert!(foreign.is_empty(), "not from a registry of deny.toml: {foreign:?}");
}

impl Metadata {
    /// The crates that the product is built from in several incompatible versions.
    fn duplicates(&self) -> BTreeMap<String, BTreeSet<String>> {
        let product = self.product();
        let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for package in self.packages.iter().filter(|package| product.contains(package.id.as_str())) {
            versions.entry(package.name.clone()).or_default().insert(package.version.clone());
        }
        versions.retain(|_, versions| versions.len() > 1);
        versions
    }

    /// Everything that ends up in the product, on any platform: no peers, nothing that only tests need.
    fn product(&self) -> BTreeSet<&str> {
        let nodes: BTreeMap<_, _> = self.resolve.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
        let interop =
            |id: &str| self.packages.iter().any(|it| it.id == id && it.name == env!("CARGO_PKG_NAME"));
        let mut found = BTreeSet::new();
        let mut open: Vec<&str> =
            self.workspace_members.iter().map(String::as_str).filter(|id| !interop(id)).collect();
        while let Some(id) = open.pop() {
            if found.insert(id) {
                let built = nodes[id].deps.iter().filter(|it| it.is_built_in());
                open.extend(built.map(|dependency| dependency.pkg.as_str()));
            }
        }
        found
    }
}

impl Dependency {
    fn is_built_in(&self) -> bool {
        self.dep_kinds.iter().any(|kind| kind.kind.as_deref() != Some("dev"))
    }
}

fn metadata(manifest: &str) -> Metadata {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--manifest-path", manifest])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo metadata fails; did scripts/setup run?\n{errors}");
    serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON")
}
