/** A red pixel. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

/** A WAV file without a sound in it. */
export const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

const TITLED = [
  { const: 'value1', title: 'First Option' },
  { const: 'value2', title: 'Second Option' },
  { const: 'value3', title: 'Third Option' },
]

/** Forms that the suite names field by field. */
export const ELICITED = {
  user: {
    type: 'object' as const,
    properties: {
      username: { type: 'string' as const, description: "User's response" },
      email: { type: 'string' as const, description: "User's email address" },
    },
    required: ['username', 'email'],
  },
  defaults: {
    type: 'object' as const,
    properties: {
      name: { type: 'string' as const, default: 'John Doe' },
      age: { type: 'integer' as const, default: 30 },
      score: { type: 'number' as const, default: 95.5 },
      status: { type: 'string' as const, enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean' as const, default: true },
    },
  },
  enums: {
    type: 'object' as const,
    properties: {
      untitledSingle: { type: 'string' as const, enum: ['option1', 'option2', 'option3'] },
      titledSingle: { type: 'string' as const, oneOf: TITLED },
      legacyEnum: {
        type: 'string' as const,
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: {
        type: 'array' as const,
        items: { type: 'string' as const, enum: ['option1', 'option2', 'option3'] },
      },
      titledMulti: { type: 'array' as const, items: { anyOf: TITLED } },
    },
  },
}

/** A schema with every keyword that a server might lose on the way. */
export const JSON_SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}
