//! The tools.

mod basic;
mod slow;

use super::tool::Tool;

/// Every tool, group by group, in the order in which they are listed.
pub(super) const ALL: &[&[Tool]] = &[basic::TOOLS, slow::TOOLS];
