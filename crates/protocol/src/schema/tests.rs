//! The tables themselves: nothing is said twice, and nothing points nowhere.

use std::collections::HashSet;

use super::words::*;
use super::{Extension, Schema, defs};
use crate::Version;

#[test]
fn every_name_is_defined_once() {
    for tables in [defs::CORE, defs::TASKS, defs::APPS] {
        let mut seen = HashSet::new();
        for def in tables.iter().copied().flatten() {
            assert!(seen.insert(def.name), "{} is defined twice", def.name);
        }
    }
}

#[test]
fn every_reference_is_to_a_type() {
    let all: Vec<_> = defs::CORE.iter().chain(defs::TASKS).chain(defs::APPS).copied().flatten().collect();
    let names: HashSet<_> = all.iter().map(|def| def.name).collect();
    for def in &all {
        visit(&def.shape, &mut |shape| {
            if let Ref(name) = shape {
                assert!(names.contains(name), "{} refers to {name}, which is not defined", def.name);
            }
        });
    }
}

#[test]
fn no_member_is_lost_or_said_twice_in_any_revision() {
    for version in Version::ALL {
        let plain = Schema::for_version(version);
        for schema in [plain, plain.with(Extension::Tasks), plain.with(Extension::Apps)] {
            for def in schema.defs() {
                visit(&def.shape, &mut |shape| check_members(schema, def.name, shape));
            }
        }
    }
}

fn check_members(schema: Schema, name: &str, shape: &'static ValueShape) {
    let Object(groups) = shape else { return };
    let mut seen = HashSet::new();
    for field in groups.iter().copied().flatten().filter(|field| field.span.contains(schema.version)) {
        let place = format!("{} of {name} in {}", field.name, schema.version);
        assert!(seen.insert(field.name), "{place} is said twice");
        assert!(schema.resolve(&field.shape).is_some(), "{place} has a type that is not there");
    }
}

fn visit(shape: &'static ValueShape, see: &mut impl FnMut(&'static ValueShape)) {
    see(shape);
    match shape {
        Any | Null | Bool | Int | IntFrom(_) | Num | NumIn(..) | Str | Uri | UriTemplate | Base64
        | Const(_) | Code(_) | Enum(_) | AnyObject | Ref(_) => {}
        Array(part) | ArrayUpTo(_, part) | Map(part) => visit(part, see),
        Object(groups) => groups.iter().copied().flatten().for_each(|field| visit(&field.shape, see)),
        Either(parts) | All(parts) => parts.iter().for_each(|part| visit(part, see)),
        By(choices) => choices.iter().for_each(|(_, part)| visit(part, see)),
        Narrowed { published, source } => [published, source].into_iter().for_each(|part| visit(part, see)),
    }
}
