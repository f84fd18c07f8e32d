//! House rules that no compiler knows.

mod deny;
mod expression;
mod files;
mod licences;
mod sbom;
