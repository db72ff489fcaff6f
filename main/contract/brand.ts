import { Type, type Static } from 'typebox'
import { LIMITS } from './limits.ts'
import { Nullable } from './shapes.ts'

const Hex = Type.String({ pattern: '^#[0-9a-fA-F]{6}$', examples: ['#0f766e'] })

export const BrandColors = Type.Object(
  {
    primary: Type.Optional(Hex),
    background: Type.Optional(Hex),
  },
  {
    additionalProperties: false,
    description:
      'Of buttons and of the page, in light mode. They are shifted until every text on them is readable (WCAG AA); `theme` has the result.',
  },
)
export type BrandColors = Static<typeof BrandColors>

const Theme = Type.Object({
  background: Type.String(),
  surface: Type.String(),
  text: Type.String(),
  muted: Type.String(),
  primary: Type.String(),
  on_primary: Type.String({ description: 'Text on `primary`.' }),
})
export type Theme = Static<typeof Theme>

const brandFields = {
  display_name: Nullable(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.brandNameLength,
      pattern: '\\S',
      description: 'null: the account’s name.',
    }),
  ),
  logo: Nullable(
    Type.String({
      maxLength: LIMITS.logoLength,
      pattern: '^data:image/(png|jpeg|webp|gif);base64,[A-Za-z0-9+/]+={0,2}$',
      description: 'A PNG, JPEG, WebP or GIF as a data URI, so that pages work offline.',
    }),
  ),
  colors: BrandColors,
  support_url: Nullable(
    Type.String({ maxLength: 2_048, pattern: '^(https://|mailto:|tel:)\\S+$', description: 'https, mailto or tel.' }),
  ),
  allowed_origins: Type.Array(Type.String({ maxLength: 253, pattern: '^https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?$' }), {
    maxItems: 20,
    uniqueItems: true,
    description: 'Web sites that may show access links in a frame. Empty: none.',
  }),
}

export const BrandInput = {
  display_name: Type.Optional(brandFields.display_name),
  logo: Type.Optional(brandFields.logo),
  colors: Type.Optional(BrandColors),
  support_url: Type.Optional(brandFields.support_url),
  allowed_origins: Type.Optional(brandFields.allowed_origins),
}

export const Branding = Type.Object({
  ...brandFields,
  theme: Type.Object(
    { light: Theme, dark: Theme },
    { description: 'The colors that pages use, derived from `colors` and readable on each other.' },
  ),
})
export type Branding = Static<typeof Branding>
