//! The types and functions that message definitions are written with.

pub(super) use ValueShape::{
    All, Any, AnyObject, Array, ArrayUpTo, Base64, Bool, By, Code, Const, Either, Enum, Int, IntFrom, Map,
    Narrowed, Null, Num, NumIn, Object, Ref, Str, Uri, UriTemplate,
};
pub(super) use Version::{V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

pub(super) use crate::Span;
use crate::Version;

/// A message type: its official name, the revisions that know it by that name, and its shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Def {
    pub(super) name: &'static str,
    pub(super) span: Span,
    /// Earlier revisions have the type too, but write it out wherever it is used.
    pub(super) inline_before: bool,
    pub(super) shape: ValueShape,
}

/// A member of an object, and the revisions it belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) required: bool,
    pub(super) span: Span,
    pub(super) shape: ValueShape,
}

/// What a value may look like.
#[derive(Clone, Copy, Debug)]
pub(super) enum ValueShape {
    /// Any JSON value.
    Any,
    Null,
    Bool,
    Int,
    /// An integer not below this one.
    IntFrom(i64),
    Num,
    /// A number between two others, both included.
    NumIn(f64, f64),
    Str,
    /// A string that is an RFC 3986 URI.
    Uri,
    /// A string that is an RFC 6570 template.
    UriTemplate,
    /// A string of base64.
    Base64,
    /// This string alone.
    Const(&'static str),
    /// This integer alone.
    Code(i64),
    Enum(&'static [&'static str]),
    Array(&'static Self),
    ArrayUpTo(usize, &'static Self),
    /// An object with any members.
    AnyObject,
    /// An object whose members all have one shape.
    Map(&'static Self),
    /// An object with these groups of members; it may have others.
    Object(&'static [&'static [Field]]),
    /// The type of that name.
    Ref(&'static str),
    /// At least one of these. An alternative that a revision does not know drops out.
    Either(&'static [Self]),
    /// All of these at once.
    All(&'static [Self]),
    /// The first whose span holds the revision; absent when none does.
    By(&'static [(Span, Self)]),
    /// Where the published JSON Schema allows less than the TypeScript that it is generated from.
    Narrowed {
        published: &'static Self,
        source: &'static Self,
    },
}

pub(super) const ALWAYS: Span = Span::ALWAYS;
pub(super) const LEGACY: Span = Span::LEGACY;
pub(super) const MODERN: Span = Span::MODERN;

pub(super) const fn since(version: Version) -> Span {
    Span::since(version)
}

pub(super) const fn until(version: Version) -> Span {
    Span::until(version)
}

pub(super) const fn only(version: Version) -> Span {
    Span::only(version)
}

/// A type that the revisions of `span` call `name`.
pub(super) const fn def(name: &'static str, span: Span, shape: ValueShape) -> Def {
    Def { name, span, inline_before: false, shape }
}

/// A member that must be there.
pub(super) const fn req(name: &'static str, shape: ValueShape) -> Field {
    Field { name, required: true, span: ALWAYS, shape }
}

/// A member that may be there.
pub(super) const fn opt(name: &'static str, shape: ValueShape) -> Field {
    Field { name, required: false, span: ALWAYS, shape }
}

/// The `method` of a request or notification.
pub(super) const fn method(name: &'static str) -> Field {
    req("method", Const(name))
}

impl Def {
    /// Says that earlier revisions write the type out instead of naming it.
    pub(super) const fn inline_before(self) -> Self {
        Self { inline_before: true, ..self }
    }

    /// Whether `version` names the type.
    pub(super) const fn named_in(&self, version: Version) -> bool {
        self.span.contains(version)
    }

    /// Whether `version` has the type, by name or written out.
    pub(super) const fn known_in(&self, version: Version) -> bool {
        self.named_in(version) || self.inline_before && (version as u8) < self.span.since as u8
    }
}

impl Field {
    pub(super) const fn since(self, version: Version) -> Self {
        Self { span: Span::between(version, self.span.until), ..self }
    }

    pub(super) const fn until(self, version: Version) -> Self {
        Self { span: Span::between(self.span.since, version), ..self }
    }

    pub(super) const fn only(self, version: Version) -> Self {
        Self { span: Span::only(version), ..self }
    }
}
