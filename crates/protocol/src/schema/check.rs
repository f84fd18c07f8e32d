//! Checks a value against a definition, part by part.

use serde_json::{Map as JsonMap, Value};

use super::flaw::{At, Notes, SchemaFlaw};
use super::words::*;
use super::{Schema, closest, leaf};

/// A type of a revision, ready to judge values. There is nothing to compile, so it costs nothing to make.
#[derive(Clone, Copy, Debug)]
pub struct Validator {
    schema: Schema,
    def: &'static Def,
}

impl Validator {
    pub(super) const fn new(schema: Schema, def: &'static Def) -> Self {
        Self { schema, def }
    }

    pub(super) const fn parts(&self) -> (Schema, &'static ValueShape) {
        (self.schema, &self.def.shape)
    }

    /// The official name of the type.
    pub const fn name(&self) -> &'static str {
        self.def.name
    }

    /// Everything that is wrong with `value`; nothing when it is valid.
    pub fn check(&self, value: &Value) -> Vec<SchemaFlaw> {
        if self.accepts(value) {
            return Vec::new();
        }
        self.schema.flaws(&self.def.shape, value, At::Root)
    }

    /// Whether `value` is valid.
    pub fn accepts(&self, value: &Value) -> bool {
        self.schema.accepts(&self.def.shape, value)
    }
}

impl Schema {
    pub(super) fn accepts(self, shape: &'static ValueShape, value: &Value) -> bool {
        let mut notes = Notes::Verdict(false);
        self.judge(shape, value, At::Root, &mut notes);
        !notes.is_settled()
    }

    pub(super) fn flaws(self, shape: &'static ValueShape, value: &Value, at: At<'_>) -> Vec<SchemaFlaw> {
        let mut notes = Notes::Flaws(Vec::new());
        self.judge(shape, value, at, &mut notes);
        match notes {
            Notes::Flaws(flaws) => flaws,
            Notes::Verdict(_) => Vec::new(),
        }
    }

    fn judge(self, shape: &'static ValueShape, value: &Value, at: At<'_>, notes: &mut Notes) {
        if notes.is_settled() {
            return;
        }
        if !leaf::fits(shape, value) {
            notes.note(at, || {
                format!("expected {}, found {}", leaf::describe_shape(shape), leaf::describe_value(value))
            });
            return;
        }
        match shape {
            Any | Null | Bool | Int | IntFrom(_) | Num | NumIn(..) | Str | Uri | UriTemplate | Base64
            | Const(_) | Code(_) | Enum(_) | AnyObject => {}
            Array(item) | ArrayUpTo(_, item) => {
                for (index, part) in value.as_array().into_iter().flatten().enumerate() {
                    self.judge(item, part, At::Index(&at, index), notes);
                }
            }
            Map(member) => {
                for (key, part) in value.as_object().into_iter().flatten() {
                    self.judge(member, part, At::Key(&at, key), notes);
                }
            }
            Object(groups) => {
                if let Some(members) = value.as_object() {
                    self.judge_members(groups, members, at, notes);
                }
            }
            Ref(name) => match self.find(name) {
                Some(def) => self.judge(&def.shape, value, at, notes),
                None => notes.note(at, || format!("{} has no `{name}`", self.version)),
            },
            Either(shapes) => closest::judge(self, shapes, value, at, notes),
            All(shapes) => shapes.iter().for_each(|shape| self.judge(shape, value, at, notes)),
            By(_) | Narrowed { .. } => match self.resolve(shape) {
                Some(chosen) => self.judge(chosen, value, at, notes),
                None => notes.note(at, || format!("{} has no such value", self.version)),
            },
        }
    }

    fn judge_members(
        self,
        groups: &'static [&'static [Field]],
        members: &JsonMap<String, Value>,
        at: At<'_>,
        notes: &mut Notes,
    ) {
        for (field, shape) in self.fields(groups) {
            match members.get(field.name) {
                Some(part) => self.judge(shape, part, At::Key(&at, field.name), notes),
                None if field.required => notes.note_missing(at, field.name),
                None => {}
            }
            if notes.is_settled() {
                return;
            }
        }
    }
}
