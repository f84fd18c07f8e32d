//! What the crate promises to those who use it.

mod apps;
mod official;
mod schema;
mod shape;
mod table;
