//! The reference server, from the outside.

mod apps_documents;
mod apps_faults;
mod apps_offer;
mod apps_openai;
mod apps_support;
mod apps_tools;
mod ask;
mod http;
mod lifecycle;
mod limits;
mod lists;
mod malformed;
mod progress;
mod prompts;
mod resources;
mod streams;
mod support;
mod tasks_legacy;
mod tasks_modern;
mod tasks_support;
mod tools;
