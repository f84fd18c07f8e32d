//! Bundles the page's modules into two files: the code that opens the first app, and the rest. A browser takes longer
//! to request fifty small files than to run them.
//!
//! Each module becomes a function that is called once and returns the module's exports. This relies on how the page's
//! modules are written: an import is one line with named imports, an export is a declaration, and there are no import
//! cycles.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The entry module that runs first, and the one that is loaded while the first runs.
const FIRST_MODULE: &str = "first-run.js";
const REST_MODULE: &str = "main.js";
/// Files that are not bundled: styles, and the scripts that a worker loads.
const UNBUNDLED: [&str; 5] =
    ["page.css", "timeline.css", "events-worker.js", "event-source.js", "pattern-worker.js"];

fn main() -> io::Result<()> {
    let folder = |name: &str| PathBuf::from(env::var(name).unwrap_or_default());
    let (web, out) = (folder("CARGO_MANIFEST_DIR").join("web"), folder("OUT_DIR"));
    println!("cargo::rerun-if-changed=web");
    let mut first = Bundle::new(&web);
    first.add(FIRST_MODULE)?;
    let mut rest = Bundle::new(&web);
    rest.imported = first.modules.clone();
    rest.add(REST_MODULE)?;
    let names: Vec<String> = first.modules.iter().map(|name| variable(name)).collect();
    let names = names.join(", ");
    fs::write(out.join(FIRST_MODULE), format!("{}export {{ {names} }};\n", first.text))?;
    fs::write(
        out.join(REST_MODULE),
        format!("import {{ {names} }} from \"./{FIRST_MODULE}\";\n{}", rest.text),
    )?;
    let files = [FIRST_MODULE, REST_MODULE].map(|name| (name, out.join(name)));
    let files = files.into_iter().chain(UNBUNDLED.map(|name| (name, web.join(name))));
    let mut list = String::from("/// Name and content of each.\nconst ASSETS: &[(&str, &[u8])] = &[\n");
    for (name, path) in files {
        let _ = writeln!(list, "    ({name:?}, include_bytes!({:?})),", path.display().to_string());
    }
    list.push_str("];\n");
    fs::write(out.join("assets.rs"), list)
}

/// Modules in one file, each after the modules that it imports.
struct Bundle<'w> {
    web: &'w Path,
    /// Modules that are part of the other bundle.
    imported: BTreeSet<String>,
    modules: BTreeSet<String>,
    text: String,
}

impl<'w> Bundle<'w> {
    const fn new(web: &'w Path) -> Self {
        Self { web, imported: BTreeSet::new(), modules: BTreeSet::new(), text: String::new() }
    }

    fn add(&mut self, name: &str) -> io::Result<()> {
        if self.imported.contains(name) || !self.modules.insert(name.to_owned()) {
            return Ok(());
        }
        let source = fs::read_to_string(self.web.join(name))?;
        let (mut body, mut exports) = (String::new(), Vec::new());
        for line in source.lines() {
            if let Some((names, path)) = import(line) {
                let path = resolved(name, path);
                self.add(&path)?;
                let _ = writeln!(body, "const {{ {names} }} = {};", variable(&path));
            } else if let Some(declaration) = line.strip_prefix("export ") {
                exports.push(declared(declaration));
                let _ = writeln!(body, "{declaration}");
            } else {
                let _ = writeln!(body, "{line}");
            }
        }
        let _ = writeln!(
            self.text,
            "// {name}\nconst {} = (() => {{\n{body}return {{ {} }};\n}})();",
            variable(name),
            exports.join(", ")
        );
        Ok(())
    }
}

/// The names and the path of an import line.
fn import(line: &str) -> Option<(&str, &str)> {
    let (names, path) = line.strip_prefix("import { ")?.split_once(" } from \"")?;
    Some((names, path.strip_suffix("\";")?))
}

/// The module at `path`, relative to the module `from`.
fn resolved(from: &str, path: &str) -> String {
    let folder = from.rsplit_once('/').map(|(folder, _)| folder);
    match (path.strip_prefix("../"), folder) {
        (Some(above), _) => above.to_owned(),
        (None, Some(folder)) => format!("{folder}/{}", path.trim_start_matches("./")),
        (None, None) => path.trim_start_matches("./").to_owned(),
    }
}

/// The name that a declaration declares.
fn declared(declaration: &str) -> String {
    let words = declaration.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let is_name = |word: &&str| !["", "async", "function", "const", "class"].contains(word);
    words.into_iter().find(is_name).unwrap_or_default().to_owned()
}

fn variable(module: &str) -> String {
    let name = module.trim_end_matches(".js");
    format!("${}", name.replace(|c: char| !c.is_alphanumeric(), "_"))
}
