/** JSON Schema and Standard Schema, and the TypeScript type of what they accept. */

/** The types of JSON Schema. */
export type SchemaType = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";

/** A JSON Schema: an object of keywords, or `true` for anything and `false` for nothing. */
export type JsonSchema = boolean | SchemaKeywords;

/** The keywords of JSON Schema that an editor should offer. Any other keyword may be written, too. */
export interface SchemaKeywords {
  /** One type, or several of which one must fit. */
  readonly type?: SchemaType | (string & {}) | readonly (SchemaType | (string & {}))[];
  /** A short name, for people. */
  readonly title?: string;
  /** What the value means. The model reads it. */
  readonly description?: string;
  /** What a reader should assume if the value is left out. */
  readonly default?: unknown;
  /** Examples, for the model. */
  readonly examples?: readonly unknown[];
  /** The value is one of these. */
  readonly enum?: readonly unknown[];
  /** The value is this one. */
  readonly const?: unknown;
  /** The keys of an object, each with its schema. */
  readonly properties?: { readonly [name: string]: JsonSchema };
  /** The keys that an object must have. Any other key of `properties` may be left out. */
  readonly required?: readonly string[];
  /** What keys beyond `properties` may hold: `false` forbids them. Default: anything. */
  readonly additionalProperties?: JsonSchema;
  /** What every item of an array must be. */
  readonly items?: JsonSchema;
  /** What the first items of an array must be, one after the other. */
  readonly prefixItems?: readonly JsonSchema[];
  /** At least one of these fits. */
  readonly anyOf?: readonly JsonSchema[];
  /** Exactly one of these fits. */
  readonly oneOf?: readonly JsonSchema[];
  /** All of these fit. */
  readonly allOf?: readonly JsonSchema[];
  /** This one does not fit. */
  readonly not?: JsonSchema;
  /** Smallest number. */
  readonly minimum?: number;
  /** Largest number. */
  readonly maximum?: number;
  /** The number is larger than this. */
  readonly exclusiveMinimum?: number;
  /** The number is smaller than this. */
  readonly exclusiveMaximum?: number;
  /** The number is a multiple of this. */
  readonly multipleOf?: number;
  /** Fewest characters of a string. */
  readonly minLength?: number;
  /** Most characters of a string. */
  readonly maxLength?: number;
  /** A regular expression that a string must match. */
  readonly pattern?: string;
  /** What kind of text it is, such as `date-time`, `email` or `uri`. */
  readonly format?: string;
  /** Fewest items of an array. */
  readonly minItems?: number;
  /** Most items of an array. */
  readonly maxItems?: number;
  /** Whether the items of an array differ. */
  readonly uniqueItems?: boolean;
  /** Fewest keys of an object. */
  readonly minProperties?: number;
  /** Most keys of an object. */
  readonly maxProperties?: number;
  /** Reference to another schema, such as `#/$defs/place`. It is typed as `unknown`. */
  readonly $ref?: string;
  /** Schemas that `$ref` refers to. */
  readonly $defs?: { readonly [name: string]: JsonSchema };
  readonly [keyword: string]: unknown;
}

/** JSON Schema of an object, written out: what a tool takes. */
export interface ObjectSchema extends SchemaKeywords {
  /** A tool's input is always an object. */
  readonly type: "object" | (string & {});
}

/**
 * A schema of a library that follows Standard Schema, such as Zod 4, Valibot or ArkType.
 * See standardschema.dev.
 */
export interface StandardSchema<Input = any, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown, ...rest: any[]) => unknown;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** What `inputSchema` takes. */
export type InputSchema = ObjectSchema | StandardSchema;

/** The type of what a schema accepts: `{ type: "string" }` is `string`. */
export type Infer<Schema> = Schema extends { readonly "~standard": { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : FromSchema<Schema>;

type FromSchema<S> = S extends true
  ? unknown
  : S extends false
    ? never
    : S extends { readonly const: infer Value }
      ? Plain<Value>
      : S extends { readonly enum: readonly (infer Value)[] }
        ? Plain<Value>
        : S extends { readonly anyOf: readonly (infer Branch)[] }
          ? OfType<S> & FromSchema<Branch>
          : S extends { readonly oneOf: readonly (infer Branch)[] }
            ? OfType<S> & FromSchema<Branch>
            : S extends { readonly allOf: readonly [infer First, ...infer Rest] }
              ? OfType<S> & FromSchema<First> & (Rest extends readonly [] ? unknown : FromSchema<{ allOf: Rest }>)
              : OfType<S>;

type OfType<S> = S extends { readonly type: readonly (infer Type)[] }
  ? OneType<S, Type>
  : S extends { readonly type: infer Type }
    ? OneType<S, Type>
    : S extends { readonly properties: object }
      ? OfObject<S>
      : unknown;

type OneType<S, Type> = Type extends "string"
  ? string
  : Type extends "number" | "integer"
    ? number
    : Type extends "boolean"
      ? boolean
      : Type extends "null"
        ? null
        : Type extends "array"
          ? OfArray<S>
          : Type extends "object"
            ? OfObject<S>
            : unknown;

type OfArray<S> = S extends { readonly prefixItems: infer First extends readonly unknown[] }
  ? [...{ -readonly [Index in keyof First]: FromSchema<First[Index]> }, ...More<S>]
  : S extends { readonly items: infer Item }
    ? FromSchema<Item>[]
    : unknown[];

type More<S> = S extends { readonly items: infer Item } ? (Item extends false ? [] : FromSchema<Item>[]) : unknown[];

type OfObject<S> = S extends { readonly properties: infer Properties }
  ? string extends keyof Properties
    ? Record<string, unknown>
    : keyof Properties extends never
      ? Extra<S, never>
      : Known<Properties, Required<S>> & Beyond<S, Properties>
  : Extra<S, never>;

type Known<Properties, Needed> = Flat<
  { -readonly [Key in keyof Properties as Key extends Needed ? Key : never]: FromSchema<Properties[Key]> } & {
    -readonly [Key in keyof Properties as Key extends Needed ? never : Key]?: FromSchema<Properties[Key]>;
  }
>;

/** Keys that `required` names and `properties` does not. */
type Beyond<S, Properties> = (Exclude<Required<S>, keyof Properties> extends never
  ? unknown
  : { [Key in Extract<Exclude<Required<S>, keyof Properties>, string>]: unknown }) &
  (S extends { readonly additionalProperties: infer More }
    ? More extends false
      ? unknown
      : Extra<S, FromSchema<Properties[keyof Properties]> | undefined>
    : unknown);

/** An object that is open to keys which nobody named. */
type Extra<S, Named> = S extends { readonly additionalProperties: infer More }
  ? More extends false
    ? {}
    : Record<string, FromSchema<More> | Named>
  : Record<string, unknown>;

type Required<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;

type Flat<T> = { [Key in keyof T]: T[Key] } & {};

/** A value as JSON gives it: nothing of it is read-only. */
type Plain<T> = T extends object ? { -readonly [Key in keyof T]: Plain<T[Key]> } : T;

/**
 * What is wrong with a schema that a type can tell: a misspelt `type`, or an outermost one that is
 * not `object`. `unknown` if nothing is. A schema from a `const` without `as const` says nothing.
 */
export type Checked<S> = S extends { readonly "~standard": unknown }
  ? unknown
  : S extends { readonly type: infer Type }
    ? string extends Type
      ? unknown
      : [Type] extends ["object"]
        ? Inside<S>
        : { readonly type: "object" }
    : unknown;

type Inside<S> = (S extends { readonly properties: infer Properties }
  ? { readonly properties: { readonly [Key in keyof Properties]: Nested<Properties[Key]> } }
  : unknown) &
  (S extends { readonly items: infer Item } ? { readonly items: Nested<Item> } : unknown);

type Nested<S> = S extends { readonly type: infer Type }
  ? Type extends string
    ? string extends Type
      ? unknown
      : Type extends SchemaType
        ? Inside<S>
        : { readonly type: SchemaType }
    : Inside<S>
  : Inside<S>;
