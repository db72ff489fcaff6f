/** Details of a header with a location or a product, or of a button with products. Each has its own form field. */
type TemplateDetail =
  | 'latitude'
  | 'longitude'
  | 'placeName'
  | 'address'
  | 'catalogId'
  | 'productId'
  | 'sectionTitle'
  | 'productIds'

type Json = Readonly<Record<string, unknown>>
type Values = Readonly<Partial<Record<TemplateDetail, string>>>

interface DetailedPart {
  readonly details: readonly TemplateDetail[]
  /** The parameter in Graph's format. */
  readonly toParameter: (values: Values) => Json
  readonly read: (parameter: Json) => Values
}

const LOCATION: DetailedPart = {
  details: ['latitude', 'longitude', 'placeName', 'address'],
  toParameter: ({ latitude, longitude, placeName: name, address }) => ({
    type: 'location',
    location: { latitude, longitude, name, address },
  }),
  read({ location }) {
    const { latitude, longitude, name, address } = recordOf(location)
    return {
      latitude: textOf(latitude),
      longitude: textOf(longitude),
      placeName: textOf(name),
      address: textOf(address),
    }
  },
}

const PRODUCT: DetailedPart = {
  details: ['catalogId', 'productId'],
  toParameter: ({ catalogId, productId }) => ({
    type: 'product',
    product: { catalog_id: catalogId, product_retailer_id: productId },
  }),
  read({ product }) {
    const { catalog_id: catalog, product_retailer_id: id } = recordOf(product)
    return { catalogId: textOf(catalog), productId: textOf(id) }
  },
}

/** The image of the message is that of its first product. */
const PRODUCTS: DetailedPart = {
  details: ['sectionTitle', 'productIds'],
  toParameter({ sectionTitle: title = '', productIds = '' }) {
    const ids = idsIn(productIds)
    const sections = [{ title, product_items: ids.map((id) => ({ product_retailer_id: id })) }]
    return { type: 'action', action: { thumbnail_product_retailer_id: ids[0] ?? '', sections } }
  },
  read({ action }) {
    const [section] = listOf(recordOf(action)['sections'])
    const ids = listOf(section?.['product_items']).map(({ product_retailer_id: id }) => textOf(id))
    return { sectionTitle: textOf(section?.['title']), productIds: ids.join(', ') }
  },
}

/** By the format of the header. */
export const HEADER_DETAILS: Readonly<Partial<Record<string, DetailedPart>>> = { LOCATION, PRODUCT }
/** By the type of the button. */
export const BUTTON_DETAILS: Readonly<Partial<Record<string, DetailedPart>>> = { MPM: PRODUCTS }

/** The details of a parameter that this window created. @returns undefined for other parameters. */
export function readDetails(parameter: Json): Values | undefined {
  const part = { location: LOCATION, product: PRODUCT, action: PRODUCTS }[textOf(parameter['type'])]
  return part?.read(parameter)
}

const idsIn = (text: string): readonly string[] =>
  text
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '')
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const recordOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})
const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as unknown[]).map(recordOf) : [])
