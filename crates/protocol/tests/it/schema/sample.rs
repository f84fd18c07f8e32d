//! Instances made from a JSON Schema: the least it accepts, the most it names, and steps between.

use serde_json::{Map, Value, json};

/// Changes of an instance that has everything its own definition names; there are fewer.
const ALL: usize = 1000;

/// Makes instances of the definitions of one document.
pub(crate) struct Sampler<'a> {
    document: &'a Value,
}

impl<'a> Sampler<'a> {
    pub(crate) fn new(document: &'a Value) -> Self {
        Self { document }
    }

    /// Instances that the definition should accept, each with how many changes of it are worth a try: full to
    /// one, two and three references down, every choice inside, each optional member alone, each left out.
    pub(crate) fn bases(&self, schema: &Value) -> Vec<(Value, usize)> {
        let mut made: Vec<_> = self.choices(schema).into_iter().map(|choice| (choice, 10)).collect();
        for alternative in self.alternatives(schema) {
            let (least, full) = (self.make(alternative, 0), self.make(alternative, 1));
            if let (Value::Object(least), Value::Object(full)) = (&least, &full) {
                for (key, part) in full.iter().filter(|(key, _)| !least.contains_key(*key)) {
                    made.push((with(least, key, Some(part.clone())), 1));
                    made.push((with(full, key, None), 1));
                }
            }
            made.extend([(least, 10), (full, ALL)]);
            made.extend([(self.make(alternative, 2), 30), (self.make(alternative, 3), 10)]);
        }
        made
    }

    /// The full instance with each choice inside it made in turn. Definitions referred to are taken as they
    /// come: their own turn shows their choices.
    fn choices(&self, schema: &Value) -> Vec<Value> {
        if let Some(words) = schema["enum"].as_array() {
            return words.clone();
        }
        if let Some(any) = schema["anyOf"].as_array() {
            return any.iter().flat_map(|schema| self.choices(schema)).collect();
        }
        let full = self.make(schema, 1);
        let mut made = Vec::new();
        for (key, schema) in schema["properties"].as_object().into_iter().flatten() {
            let members = full.as_object().expect("an object has properties");
            made.extend(self.choices(schema).into_iter().map(|part| with(members, key, Some(part))));
        }
        if schema["type"] == "array" {
            made.extend(self.choices(&schema["items"]).into_iter().map(|item| json!([item])));
        }
        made.push(full);
        made
    }

    fn follow<'s>(&self, schema: &'s Value) -> &'s Value
    where
        'a: 's,
    {
        match schema["$ref"].as_str() {
            Some(reference) => {
                self.follow(self.document.pointer(&reference[1..]).expect("a local reference"))
            }
            None => schema,
        }
    }

    /// The schemas behind nested `anyOf`s.
    fn alternatives<'s>(&self, schema: &'s Value) -> Vec<&'s Value>
    where
        'a: 's,
    {
        let schema = self.follow(schema);
        match schema["anyOf"].as_array() {
            Some(any) => any.iter().flat_map(|schema| self.alternatives(schema)).collect(),
            None => vec![schema],
        }
    }

    /// An instance with every member named by the schema and by those it refers to in less than `hops` steps;
    /// from there on with what is required.
    fn make(&self, schema: &Value, hops: usize) -> Value {
        if schema.get("$ref").is_some() {
            return self.make(self.follow(schema), hops.saturating_sub(1));
        }
        if let Some(only) = schema.get("const") {
            return only.clone();
        }
        if let Some(choice) = schema["enum"].as_array() {
            return choice[0].clone();
        }
        if let Some(any) = schema["anyOf"].as_array() {
            return self.make(&any[0], hops);
        }
        if let Some(all) = schema["allOf"].as_array() {
            return merged(all.iter().map(|schema| self.make(schema, hops)));
        }
        let kind = schema["type"].as_array().map_or(&schema["type"], |kinds| &kinds[0]);
        match kind.as_str() {
            Some("object") => self.object(schema, hops),
            Some("array") => self.array(schema, hops),
            Some("string") => text(schema["format"].as_str()),
            Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(1)),
            Some("boolean") => json!(false),
            Some("null") => Value::Null,
            _ => json!("anything"),
        }
    }

    fn object(&self, schema: &Value, hops: usize) -> Value {
        let required =
            |key: &str| schema["required"].as_array().is_some_and(|keys| keys.iter().any(|k| k == key));
        let mut made = Map::new();
        for (key, schema) in schema["properties"].as_object().into_iter().flatten() {
            if hops > 0 || required(key) {
                made.insert(key.clone(), self.make(schema, hops));
            }
        }
        if let Some(member) =
            schema.get("additionalProperties").filter(|member| hops > 0 && member.is_object())
        {
            for (index, part) in self.each(member, hops).into_iter().enumerate() {
                made.insert(format!("key{index}"), part);
            }
        }
        Value::Object(made)
    }

    fn array(&self, schema: &Value, hops: usize) -> Value {
        if hops == 0 {
            return json!([]);
        }
        self.each(&schema["items"], hops).into()
    }

    /// An instance of each alternative.
    fn each(&self, schema: &Value, hops: usize) -> Vec<Value> {
        if schema.get("$ref").is_some() {
            return self.each(self.follow(schema), hops.saturating_sub(1));
        }
        match schema["anyOf"].as_array() {
            Some(any) => any.iter().flat_map(|schema| self.each(schema, hops)).collect(),
            None => vec![self.make(schema, hops)],
        }
    }
}

fn text(format: Option<&str>) -> Value {
    match format {
        Some("uri") => json!("file:///tmp/a.txt"),
        Some("uri-template") => json!("file:///{path}"),
        Some("byte") => json!("aGVsbG8="),
        _ => json!("text"),
    }
}

fn with(object: &Map<String, Value>, key: &str, part: Option<Value>) -> Value {
    let mut object = object.clone();
    match part {
        Some(part) => object.insert(key.to_owned(), part),
        None => object.shift_remove(key),
    };
    Value::Object(object)
}

fn merged(parts: impl Iterator<Item = Value>) -> Value {
    let mut whole = Map::new();
    for part in parts {
        whole.extend(part.as_object().cloned().unwrap_or_default());
    }
    Value::Object(whole)
}
