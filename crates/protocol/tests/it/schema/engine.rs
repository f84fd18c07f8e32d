//! A general JSON Schema engine, to judge by documents what the crate judges by its definitions.

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use jsonschema::ValidatorMap;
use serde_json::{Map, Value};

/// The definitions of a JSON Schema document, ready to judge.
pub(crate) struct Engine {
    container: &'static str,
    document: Value,
    validators: ValidatorMap,
}

impl Engine {
    pub(crate) fn new(document: Value) -> Self {
        let container = if document.get("$defs").is_some() { "$defs" } else { "definitions" };
        let lenient = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
        let base64 = GeneralPurpose::new(&base64::alphabet::STANDARD, lenient);
        let validators = jsonschema::options()
            .should_validate_formats(true)
            .with_format("byte", move |text: &str| base64.decode(text).is_ok())
            .build_map(&document)
            .expect("a valid JSON Schema");
        Self { container, document, validators }
    }

    pub(crate) fn document(&self) -> &Value {
        &self.document
    }

    pub(crate) fn definitions(&self) -> &Map<String, Value> {
        self.document[self.container].as_object().expect("definitions")
    }

    pub(crate) fn accepts(&self, name: &str, value: &Value) -> bool {
        let pointer = format!("#/{}/{name}", self.container);
        self.validators.get(&pointer).expect("every definition is compiled").is_valid(value)
    }
}
