//! The message schemas of every revision.
//!
//! Each type is written once, in `defs`, with the revisions that each of its fields belongs to. From that
//! come the [`Validator`] that judges a value and says what is wrong in plain words, and the JSON Schema
//! document of a revision. Types are called by their official names.
//!
//! ```
//! use serde_json::json;
//! use yardstick_protocol::{Version, schema};
//!
//! let result = schema::validator(Version::V2025_11_25, "ListToolsResult").expect("the revision has tools");
//! let flaws = result.check(&json!({"tools": [{"name": "add", "inputSchema": {}}]}));
//! assert_eq!(flaws[0].to_string(), "/tools/0/inputSchema: `type` is missing");
//! ```

mod check;
mod closest;
mod defs;
mod document;
mod flaw;
mod format;
mod leaf;
mod lookalike;
mod words;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::Version;
use words::{By, Def, Field, Narrowed, Ref, ValueShape};

pub use check::Validator;
pub use flaw::SchemaFlaw;
pub(crate) use lookalike::is_alike;

/// The message types of one revision, read in one way, with or without an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schema {
    version: Version,
    reading: Reading,
    extension: Option<Extension>,
}

/// Which text decides where the published JSON Schema is narrower than the TypeScript it is generated from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The TypeScript, which the specification calls the source of truth.
    Source,
    /// The JSON Schema, to the letter.
    Published,
}

/// A set of message types that a revision does not have by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extension {
    /// `io.modelcontextprotocol/tasks`, which needs a modern revision.
    Tasks,
    /// `io.modelcontextprotocol/ui`, whose messages are made of the types of 2025-11-25.
    Apps,
}

type Index = HashMap<&'static str, &'static Def>;

static CORE: LazyLock<Index> = LazyLock::new(|| index(defs::CORE));
static TASKS: LazyLock<Index> = LazyLock::new(|| index(defs::TASKS));
static APPS: LazyLock<Index> = LazyLock::new(|| index(defs::APPS));

/// What judges values of the type that `version` calls `name`.
pub fn validator(version: Version, name: &str) -> Option<Validator> {
    Schema::for_version(version).validator(name)
}

/// The JSON Schema of `version`.
pub fn document(version: Version) -> serde_json::Value {
    Schema::for_version(version).document()
}

/// The names of the types of `version`, sorted.
pub fn names(version: Version) -> Vec<&'static str> {
    Schema::for_version(version).names()
}

impl Schema {
    /// The types of `version` itself, read as its source says.
    pub const fn for_version(version: Version) -> Self {
        Self { version, reading: Reading::Source, extension: None }
    }

    /// The same types, read otherwise.
    #[must_use]
    pub const fn read_as(self, reading: Reading) -> Self {
        Self { reading, ..self }
    }

    /// The same types, and those of an extension. A revision that cannot have the extension stays as it is.
    #[must_use]
    pub const fn with(self, extension: Extension) -> Self {
        Self { extension: Some(extension), ..self }
    }

    /// What judges values of the type called `name`.
    pub fn validator(self, name: &str) -> Option<Validator> {
        self.find(name).filter(|def| def.named_in(self.version)).map(|def| Validator::new(self, def))
    }

    /// The names of the types, sorted.
    pub fn names(self) -> Vec<&'static str> {
        self.defs().into_iter().map(|def| def.name).collect()
    }

    /// The types that have a name, sorted by it.
    fn defs(self) -> Vec<&'static Def> {
        let all = CORE.keys().chain(self.added().into_iter().flat_map(HashMap::keys));
        let mut defs: Vec<_> =
            all.filter_map(|name| self.find(name)).filter(|def| def.named_in(self.version)).collect();
        defs.sort_unstable_by_key(|def| def.name);
        defs.dedup_by_key(|def| def.name);
        defs
    }

    /// The type that a `Ref` to `name` means, whether this revision names it or writes it out.
    fn find(self, name: &str) -> Option<&'static Def> {
        let known = |def: &&'static Def| def.known_in(self.version);
        let added = self.added().and_then(|index| index.get(name).copied());
        added.filter(known).or_else(|| CORE.get(name).copied().filter(known))
    }

    fn added(self) -> Option<&'static Index> {
        self.extension.map(|extension| match extension {
            Extension::Tasks => &*TASKS,
            Extension::Apps => &*APPS,
        })
    }

    /// The shape as this revision and reading have it, if they have it at all.
    fn resolve(self, shape: &'static ValueShape) -> Option<&'static ValueShape> {
        if let By(choices) = shape {
            let (_, chosen) = choices.iter().find(|(span, _)| span.contains(self.version))?;
            return self.resolve(chosen);
        }
        if let Narrowed { published, source } = shape {
            return self.resolve(match self.reading {
                Reading::Source => source,
                Reading::Published => published,
            });
        }
        if let Ref(name) = shape {
            return self.find(name).map(|_| shape);
        }
        Some(shape)
    }

    /// The members that this revision gives an object, with their shapes.
    fn fields(
        self,
        groups: &'static [&'static [Field]],
    ) -> impl Iterator<Item = (&'static Field, &'static ValueShape)> {
        let fields = groups.iter().copied().flatten();
        fields
            .filter(move |field| field.span.contains(self.version))
            .filter_map(move |field| Some((field, self.resolve(&field.shape)?)))
    }
}

impl Extension {
    /// The name under which the extension is negotiated.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Tasks => "io.modelcontextprotocol/tasks",
            Self::Apps => crate::capability::extension::UI,
        }
    }
}

fn index(tables: &'static [&'static [Def]]) -> Index {
    tables.iter().copied().flatten().map(|def| (def.name, def)).collect()
}

#[cfg(test)]
mod tests;
