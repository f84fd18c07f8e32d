//! What is wrong with a value, and where.

use std::fmt;

/// One thing that is wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaFlaw {
    /// The JSON Pointer of the part that is wrong; empty for the value itself.
    pub path: String,
    /// The member that is missing there, if that is what is wrong.
    pub missing: Option<&'static str>,
    /// What is wrong, for a human.
    pub message: String,
}

/// A place inside a value; it becomes text only when something is wrong there.
#[derive(Clone, Copy)]
pub(super) enum At<'a> {
    Root,
    Key(&'a Self, &'a str),
    Index(&'a Self, usize),
}

/// Where flaws are noted. Most values are only asked whether they have any.
pub(super) enum Notes {
    /// Whether there is a flaw.
    Verdict(bool),
    /// The flaws themselves.
    Flaws(Vec<SchemaFlaw>),
}

impl Notes {
    /// Notes a flaw; its text is made only if it is kept.
    pub(super) fn note(&mut self, at: At<'_>, message: impl FnOnce() -> String) {
        match self {
            Self::Verdict(flawed) => *flawed = true,
            Self::Flaws(flaws) => flaws.push(SchemaFlaw::new(at, message())),
        }
    }

    /// Notes that a member is missing.
    pub(super) fn note_missing(&mut self, at: At<'_>, member: &'static str) {
        match self {
            Self::Verdict(flawed) => *flawed = true,
            Self::Flaws(flaws) => flaws.push(SchemaFlaw {
                missing: Some(member),
                ..SchemaFlaw::new(at, format!("`{member}` is missing"))
            }),
        }
    }

    /// Whether further flaws make no difference.
    pub(super) const fn is_settled(&self) -> bool {
        matches!(self, Self::Verdict(true))
    }
}

impl SchemaFlaw {
    /// A flaw of what is there.
    pub(super) fn new(at: At<'_>, message: String) -> Self {
        Self { path: at.to_string(), missing: None, message }
    }

    /// The JSON Pointer of the part that is wrong or missing.
    pub fn place(&self) -> String {
        match self.missing {
            Some(member) => format!("{}/{member}", self.path),
            None => self.path.clone(),
        }
    }
}

impl fmt::Display for SchemaFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            return f.write_str(&self.message);
        }
        write!(f, "{}: {}", self.path, self.message)
    }
}

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            At::Root => Ok(()),
            At::Key(parent, key) => write!(f, "{parent}/{}", key.replace('~', "~0").replace('/', "~1")),
            At::Index(parent, index) => write!(f, "{parent}/{index}"),
        }
    }
}
