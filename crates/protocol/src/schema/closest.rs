//! Explains a value that matches none of several types: finds the type that was meant, and what is wrong with it.

use serde_json::{Map as JsonMap, Value};

use super::flaw::{At, Notes, SchemaFlaw};
use super::words::*;
use super::{Schema, leaf};

/// One type that the value may be of, and how far it is from it.
struct Alternative {
    name: Option<&'static str>,
    shape: &'static ValueShape,
    tags: Vec<Tag>,
    /// How many members of the value the type does not know.
    strange: usize,
}

/// A member that tells types apart, such as `type` or `method`.
struct Tag {
    key: &'static str,
    allowed: &'static [&'static str],
    /// Whether the value says otherwise.
    contradicted: bool,
}

/// Notes what is wrong with `value` when it fits none of `shapes`.
pub(super) fn judge(
    schema: Schema,
    shapes: &'static [ValueShape],
    value: &Value,
    at: At<'_>,
    notes: &mut Notes,
) {
    if shapes.iter().filter_map(|shape| schema.resolve(shape)).any(|shape| schema.accepts(shape, value)) {
        return;
    }
    match notes {
        Notes::Verdict(flawed) => *flawed = true,
        Notes::Flaws(flaws) => flaws.extend(explain(schema, shapes, value, at)),
    }
}

fn explain(schema: Schema, shapes: &'static [ValueShape], value: &Value, at: At<'_>) -> Vec<SchemaFlaw> {
    let mut all = Vec::new();
    flatten(schema, shapes, &mut all);
    let near: Vec<_> = all
        .iter()
        .filter(|(_, shape)| same_kind(schema, shape, value))
        .map(|(name, shape)| Alternative::new(schema, *name, shape, value))
        .collect();
    if near.is_empty() {
        return vec![wrong_kind(&all, value, at)];
    }
    match unknown_tag(&near, value, at) {
        Some(flaw) => vec![flaw],
        None => nearest(schema, near, value, at),
    }
}

/// The types behind `shapes`, with unions of unions opened.
fn flatten(
    schema: Schema,
    shapes: &'static [ValueShape],
    into: &mut Vec<(Option<&'static str>, &'static ValueShape)>,
) {
    for shape in shapes.iter().filter_map(|shape| schema.resolve(shape)) {
        let (name, shape) = target(schema, shape);
        if let Either(inner) = shape {
            flatten(schema, inner, into);
        } else {
            into.push((name, shape));
        }
    }
}

/// What a shape stands for once references are followed.
fn target(schema: Schema, shape: &'static ValueShape) -> (Option<&'static str>, &'static ValueShape) {
    let mut seen = (None, shape);
    while let Ref(name) = seen.1 {
        let Some(def) = schema.find(name) else { break };
        let Some(shape) = schema.resolve(&def.shape) else { break };
        seen = (Some(def.name), shape);
    }
    seen
}

/// Whether the value is an object or an array where the shape is one; for scalars words are enough.
fn same_kind(schema: Schema, shape: &'static ValueShape, value: &Value) -> bool {
    match target(schema, shape).1 {
        AnyObject | Map(_) | Object(_) => value.is_object(),
        Array(_) | ArrayUpTo(..) => value.is_array(),
        All(shapes) | Either(shapes) => shapes.iter().any(|shape| same_kind(schema, shape, value)),
        Any
        | Null
        | Bool
        | Int
        | IntFrom(_)
        | Num
        | NumIn(..)
        | Str
        | Uri
        | UriTemplate
        | Base64
        | Const(_)
        | Code(_)
        | Enum(_)
        | Ref(_)
        | By(_)
        | Narrowed { .. } => false,
    }
}

/// The flaw of a value that is not even the kind of thing that any of the types is.
fn wrong_kind(all: &[(Option<&'static str>, &'static ValueShape)], value: &Value, at: At<'_>) -> SchemaFlaw {
    let names = distinct(all.iter().map(|(_, shape)| leaf::describe_shape(shape)));
    SchemaFlaw::new(at, format!("expected {}, found {}", names.join(" or "), leaf::describe_value(value)))
}

/// The flaw of a tag that tells the types apart and whose value none of them has.
fn unknown_tag(near: &[Alternative], value: &Value, at: At<'_>) -> Option<SchemaFlaw> {
    let (first, others) = near.split_first()?;
    for tag in first.tags.iter().filter(|tag| tag.contradicted) {
        let same: Vec<_> = others
            .iter()
            .filter_map(|other| other.tags.iter().find(|other| other.key == tag.key && other.contradicted))
            .collect();
        if same.len() < others.len() || same.iter().all(|other| other.allowed == tag.allowed) {
            continue;
        }
        let allowed = tag.allowed.iter().chain(same.iter().flat_map(|other| other.allowed));
        let choice = leaf::one_of(&distinct(allowed.copied()));
        return Some(match value.get(tag.key) {
            Some(part) => SchemaFlaw::new(
                At::Key(&at, tag.key),
                format!("expected {choice}, found {}", leaf::describe_value(part)),
            ),
            None => SchemaFlaw::new(at, format!("`{}` is missing, which is {choice}", tag.key)),
        });
    }
    None
}

/// The flaws of the type that the tags point at, else of the one that knows most of the value.
fn nearest(schema: Schema, near: Vec<Alternative>, value: &Value, at: At<'_>) -> Vec<SchemaFlaw> {
    let candidates = least(near, Alternative::contradicted);
    let sure = candidates.len() == 1;
    let attempts = least(candidates, |alternative| alternative.strange);
    let attempts =
        attempts.into_iter().map(|found| (found.name, schema.flaws(found.shape, value, at))).collect();
    let attempts = least(attempts, |(_, flaws)| flaws.len());
    if let Some(flaw) = common_flaw(&attempts) {
        return vec![flaw];
    }
    match attempts.into_iter().next() {
        Some((Some(name), flaws)) if !sure => flaws.into_iter().map(|flaw| read_as(name, flaw)).collect(),
        Some((_, flaws)) => flaws,
        None => Vec::new(),
    }
}

/// One flaw for attempts that are equally near and each complain once, about the same place.
fn common_flaw(attempts: &[(Option<&str>, Vec<SchemaFlaw>)]) -> Option<SchemaFlaw> {
    let [(_, first), _, ..] = attempts else { return None };
    let path = &first.first()?.path;
    let flaws: Vec<_> = attempts.iter().flat_map(|(_, flaws)| flaws).collect();
    let alike = flaws.len() == attempts.len() && flaws.iter().all(|flaw| flaw.path == *path);
    let messages = distinct(flaws.iter().map(|flaw| &*flaw.message));
    let missing = first.first()?.missing.filter(|name| flaws.iter().all(|flaw| flaw.missing == Some(name)));
    alike.then(|| SchemaFlaw { path: path.clone(), missing, message: messages.join(", or ") })
}

fn read_as(name: &str, flaw: SchemaFlaw) -> SchemaFlaw {
    SchemaFlaw { message: format!("{} (read as {name})", flaw.message), ..flaw }
}

/// The items with the smallest rank.
fn least<T>(mut items: Vec<T>, rank: impl Fn(&T) -> usize) -> Vec<T> {
    let smallest = items.iter().map(&rank).min();
    items.retain(|item| Some(rank(item)) == smallest);
    items
}

/// The items in their order, each once.
fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut kept = Vec::new();
    for item in items {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}

impl Alternative {
    fn new(schema: Schema, name: Option<&'static str>, shape: &'static ValueShape, value: &Value) -> Self {
        let mut fields = Vec::new();
        collect_fields(schema, shape, &mut fields);
        let tags = fields.iter().filter_map(|(field, shape)| Tag::new(field, shape, value)).collect();
        let known = |key: &String| fields.iter().any(|(field, _)| field.name == key);
        let strange = value.as_object().into_iter().flat_map(JsonMap::keys).filter(|key| !known(key)).count();
        Self { name, shape, tags, strange }
    }

    fn contradicted(&self) -> usize {
        self.tags.iter().filter(|tag| tag.contradicted).count()
    }
}

impl Tag {
    fn new(field: &Field, shape: &'static ValueShape, value: &Value) -> Option<Self> {
        let allowed = if let Const(text) = shape {
            std::slice::from_ref(text)
        } else if let Enum(texts) = shape {
            texts
        } else {
            return None;
        };
        let contradicted = value.get(field.name).map_or(field.required, |part| !leaf::fits(shape, part));
        Some(Self { key: field.name, allowed, contradicted })
    }
}

fn collect_fields(
    schema: Schema,
    shape: &'static ValueShape,
    into: &mut Vec<(&'static Field, &'static ValueShape)>,
) {
    let shape = target(schema, shape).1;
    if let Object(groups) = shape {
        into.extend(schema.fields(groups));
    }
    if let All(shapes) = shape {
        shapes.iter().for_each(|shape| collect_fields(schema, shape, into));
    }
}
