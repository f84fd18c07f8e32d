//! The messages between View, host and sandbox proxy (SEP-1865 of 2026-01-26, and what ext-apps 2.x adds).
//!
//! The schema that ext-apps publishes refuses what real hosts send: it closes every object, wants every style variable,
//! allows no two dimensions at once and knows no reason of a teardown. These definitions follow the text instead;
//! where the text and its own TypeScript differ, both are allowed. They build on the MCP types of 2025-11-25, which the
//! text links to.

mod context;
mod data;
mod handshake;
mod requests;

use crate::schema::words::*;

pub(in crate::schema) const APPS: &[&[Def]] = &[handshake::DEFS, context::DEFS, requests::DEFS, data::DEFS];

/// The revision whose types these messages are made of.
const BASE: Span = only(V2025_11_25);

const MODE: ValueShape = Enum(&["inline", "fullscreen", "pip"]);

/// Params of a notification that may say nothing.
const SILENT: &[Field] = &[opt("params", AnyObject)];
