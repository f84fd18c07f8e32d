//! House rules that no compiler knows.

mod expression;
mod files;
mod licences;
