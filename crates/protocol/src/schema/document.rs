//! The JSON Schema document of a revision, made from its definitions.

use serde_json::{Map as JsonMap, Value, json};

use super::Schema;
use super::words::*;

impl Schema {
    /// The JSON Schema that describes every type: draft-07 up to 2025-06-18, 2020-12 from then on.
    pub fn document(self) -> Value {
        let (dialect, container) = self.dialect();
        let types: JsonMap<_, _> =
            self.defs().into_iter().map(|def| (def.name.to_owned(), self.json(&def.shape))).collect();
        json!({"$schema": dialect, container: types})
    }

    const fn dialect(self) -> (&'static str, &'static str) {
        match self.version {
            V2024_11_05 | V2025_03_26 | V2025_06_18 => {
                ("http://json-schema.org/draft-07/schema#", "definitions")
            }
            V2025_11_25 | V2026_07_28 => ("https://json-schema.org/draft/2020-12/schema", "$defs"),
        }
    }

    fn json(self, shape: &'static ValueShape) -> Value {
        match shape {
            Any => json!({}),
            Null => json!({"type": "null"}),
            Bool => json!({"type": "boolean"}),
            Int => json!({"type": "integer"}),
            IntFrom(least) => json!({"type": "integer", "minimum": least}),
            Num => json!({"type": "number"}),
            NumIn(least, most) => json!({"type": "number", "minimum": least, "maximum": most}),
            Str => json!({"type": "string"}),
            Uri => json!({"type": "string", "format": "uri"}),
            UriTemplate => json!({"type": "string", "format": "uri-template"}),
            Base64 => json!({"type": "string", "format": "byte"}),
            Const(text) => json!({"type": "string", "const": text}),
            Code(number) => json!({"type": "integer", "const": number}),
            Enum(texts) => json!({"type": "string", "enum": texts}),
            Array(item) => json!({"type": "array", "items": self.json(item)}),
            ArrayUpTo(most, item) => json!({"type": "array", "items": self.json(item), "maxItems": most}),
            AnyObject => json!({"type": "object"}),
            Map(member) => json!({"type": "object", "additionalProperties": self.json(member)}),
            Object(groups) => self.object(groups),
            Ref(name) => self.reference(name),
            Either(shapes) => json!({"anyOf": self.list(shapes)}),
            All(shapes) => json!({"allOf": self.list(shapes)}),
            By(_) | Narrowed { .. } => {
                self.resolve(shape).map_or(Value::Bool(false), |chosen| self.json(chosen))
            }
        }
    }

    fn object(self, groups: &'static [&'static [Field]]) -> Value {
        let mut properties = JsonMap::new();
        let mut required = Vec::new();
        for (field, shape) in self.fields(groups) {
            properties.insert(field.name.to_owned(), self.json(shape));
            if field.required {
                required.push(field.name);
            }
        }
        let mut object = json!({"type": "object"});
        if !properties.is_empty() {
            object["properties"] = Value::Object(properties);
        }
        if !required.is_empty() {
            object["required"] = json!(required);
        }
        object
    }

    fn reference(self, name: &str) -> Value {
        match self.find(name) {
            Some(def) if def.named_in(self.version) => {
                json!({"$ref": format!("#/{}/{name}", self.dialect().1)})
            }
            Some(def) => self.json(&def.shape),
            None => Value::Bool(false),
        }
    }

    fn list(self, shapes: &'static [ValueShape]) -> Vec<Value> {
        shapes.iter().filter_map(|shape| self.resolve(shape)).map(|shape| self.json(shape)).collect()
    }
}
