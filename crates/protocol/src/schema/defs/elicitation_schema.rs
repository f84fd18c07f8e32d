//! The small JSON Schemas that the fields of a form are described with.

use crate::schema::words::*;

pub(super) const DEFS: &[Def] = &[
    def(
        "PrimitiveSchemaDefinition",
        since(V2025_06_18),
        Either(&[Ref("StringSchema"), Ref("NumberSchema"), Ref("BooleanSchema"), Ref("EnumSchema")]),
    ),
    def(
        "StringSchema",
        since(V2025_06_18),
        Object(&[
            &[
                req("type", Const("string")),
                opt("minLength", Int),
                opt("maxLength", Int),
                opt("format", Enum(&["email", "uri", "date", "date-time"])),
                opt("default", Str).since(V2025_11_25),
            ],
            LABELS,
        ]),
    ),
    def(
        "NumberSchema",
        since(V2025_06_18),
        Object(&[
            &[
                req("type", Enum(&["number", "integer"])),
                opt("minimum", Num),
                opt("maximum", Num),
                opt("default", Num).since(V2025_11_25),
            ],
            LABELS,
        ]),
    ),
    def(
        "BooleanSchema",
        since(V2025_06_18),
        Object(&[&[req("type", Const("boolean")), opt("default", Bool)], LABELS]),
    ),
    def(
        "EnumSchema",
        since(V2025_06_18),
        By(&[
            (only(V2025_06_18), LEGACY_ENUM),
            (
                since(V2025_11_25),
                Either(&[
                    Ref("SingleSelectEnumSchema"),
                    Ref("MultiSelectEnumSchema"),
                    Ref("LegacyTitledEnumSchema"),
                ]),
            ),
        ]),
    ),
    def("LegacyTitledEnumSchema", since(V2025_11_25), LEGACY_ENUM),
    def(
        "SingleSelectEnumSchema",
        since(V2025_11_25),
        Either(&[Ref("UntitledSingleSelectEnumSchema"), Ref("TitledSingleSelectEnumSchema")]),
    ),
    def(
        "UntitledSingleSelectEnumSchema",
        since(V2025_11_25),
        Object(&[&[req("type", Const("string")), req("enum", Array(&Str)), opt("default", Str)], LABELS]),
    ),
    def(
        "TitledSingleSelectEnumSchema",
        since(V2025_11_25),
        Object(&[&[req("type", Const("string")), req("oneOf", TITLED), opt("default", Str)], LABELS]),
    ),
    def(
        "MultiSelectEnumSchema",
        since(V2025_11_25),
        Either(&[Ref("UntitledMultiSelectEnumSchema"), Ref("TitledMultiSelectEnumSchema")]),
    ),
    def(
        "UntitledMultiSelectEnumSchema",
        since(V2025_11_25),
        Object(&[
            MULTI,
            &[req("items", Object(&[&[req("type", Const("string")), req("enum", Array(&Str))]]))],
            LABELS,
        ]),
    ),
    def(
        "TitledMultiSelectEnumSchema",
        since(V2025_11_25),
        Object(&[MULTI, &[req("items", Object(&[&[req("anyOf", TITLED)]]))], LABELS]),
    ),
];

const LABELS: &[Field] = &[opt("title", Str), opt("description", Str)];

const TITLED: ValueShape = Array(&Object(&[&[req("const", Str), req("title", Str)]]));

const MULTI: &[Field] =
    &[req("type", Const("array")), opt("minItems", Int), opt("maxItems", Int), opt("default", Array(&Str))];

const LEGACY_ENUM: ValueShape = Object(&[
    &[
        req("type", Const("string")),
        req("enum", Array(&Str)),
        opt("enumNames", Array(&Str)),
        opt("default", Str).since(V2025_11_25),
    ],
    LABELS,
]);
