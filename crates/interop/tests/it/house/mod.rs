//! House rules that no compiler knows.

mod deny;
mod expression;
mod features;
mod files;
mod licences;
mod names;
mod sbom;
