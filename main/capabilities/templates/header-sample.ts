import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Engine } from '../../engines/engine.ts'
import type { TemplateSample } from '../../engines/templates.ts'
import { contentOf } from '../../kernel/file-content.ts'
import { createEngineCalls } from '../engine-call.ts'
import type { InstanceSubject } from '../handler.ts'
import type { Messages } from '../messages/index.ts'
import type { CreateTemplateBody } from './contract.ts'

type Components = readonly Readonly<Record<string, unknown>>[]
type Card = Readonly<Record<string, unknown>> & { readonly components?: Components }
type Media = CreateTemplateBody['header_media']
type Kind = keyof typeof SAMPLES

export type HeaderSampleDeps = Parameters<typeof createEngineCalls>[0] & {
  readonly messages: Pick<Messages, 'uploads' | 'fetchFile'>
}

/** Files that Meta accepts as samples: "Upload a file", Graph API, and "Template components". */
const SAMPLES = {
  IMAGE: { mediaType: 'image', types: ['image/jpeg', 'image/png'], names: 'JPEG or PNG' },
  VIDEO: { mediaType: 'video', types: ['video/mp4'], names: 'MP4' },
  DOCUMENT: { mediaType: 'document', types: ['application/pdf'], names: 'PDF' },
} as const
const MEGABYTE = 1024 * 1024
/** An upload takes longer than a request. */
const UPLOAD_MS = 150_000

/** Uploads the sample file of a header. @returns the components with Meta's handle of the file. */
export function createHeaderSamples({ messages, ...deps }: HeaderSampleDeps) {
  const callEngine = createEngineCalls({ ...deps, config: { sendTimeoutMs: UPLOAD_MS } })

  async function fileOf(
    { accountId }: InstanceSubject,
    media: NonNullable<Media>,
    kind: Kind,
  ): Promise<TemplateSample> {
    const { media_id: id, media_url: url } = media
    if (id !== undefined && url === undefined) {
      const content = await messages.uploads.get(accountId, id)
      return { mimeType: content.mimeType, content }
    }
    if (url === undefined || id !== undefined)
      throw wrong('header_media needs media_id or media_url, and not both.').because('field_required', {
        field: 'header_media',
      })
    const { mimeType, bytes } = await messages.fetchFile(accountId, url, SAMPLES[kind].mediaType)
    return { mimeType, content: contentOf(bytes) }
  }

  return async (
    instance: InstanceSubject,
    templates: NonNullable<Engine['templates']>,
    components: Components,
    media: Media,
    cardMedia: CreateTemplateBody['card_media'],
  ): Promise<Components> => {
    const withCards =
      cardMedia === undefined ? components : await withCardSamples(instance, templates, components, cardMedia)
    return withHeaderSample(instance, templates, withCards, media)
  }

  /** Each card gets the file with its index. */
  async function withCardSamples(
    instance: InstanceSubject,
    templates: NonNullable<Engine['templates']>,
    components: Components,
    media: NonNullable<CreateTemplateBody['card_media']>,
  ): Promise<Components> {
    const carousel = components.find(({ type }) => type === 'CAROUSEL')
    const cards = Array.isArray(carousel?.['cards']) ? (carousel['cards'] as readonly Card[]) : []
    if (cards.length !== media.length)
      throw wrong(`card_media has ${media.length} files, and the template has ${cards.length} cards.`).because(
        'template_card_files',
        { files: media.length, cards: cards.length },
      )
    const filled: Card[] = []
    for (const [at, card] of cards.entries())
      filled.push({
        ...card,
        components: await withHeaderSample(instance, templates, card.components ?? [], media[at] ?? undefined),
      })
    return components.map((one) => (one === carousel ? { ...one, cards: filled } : one))
  }

  async function withHeaderSample(
    instance: InstanceSubject,
    templates: NonNullable<Engine['templates']>,
    components: Components,
    media: Media,
  ): Promise<Components> {
    if (media === undefined) return components
    const header = components.find((component) => kindOf(component) !== undefined)
    const kind = header && kindOf(header)
    if (kind === undefined)
      throw wrong('header_media needs a component of type HEADER with format IMAGE, VIDEO or DOCUMENT.').because(
        'template_sample_unwanted',
      )
    const sample = await fileOf(instance, media, kind)
    requireSuitable(sample, kind)
    const handle = await callEngine(instance, () => templates.uploadSample(instance, sample))
    return components.map((one) => (one === header ? { ...one, example: { header_handle: [handle] } } : one))
  }
}

function kindOf(component: object): Kind | undefined {
  const { type, format } = component as { type?: unknown; format?: unknown }
  return type === 'HEADER' && typeof format === 'string' && Object.hasOwn(SAMPLES, format)
    ? (format as Kind)
    : undefined
}

/** @throws ApiError validation_error */
function requireSuitable({ mimeType, content }: TemplateSample, kind: Kind): void {
  const { mediaType, types, names } = SAMPLES[kind]
  const megabytes = LIMITS.mediaMegabytes[mediaType]
  if ((types as readonly string[]).includes(mimeType) && content.size <= megabytes * MEGABYTE) return
  throw wrong(
    `The file of header_media must be ${names} and have at most ${megabytes} MB. It is ${mimeType}. Nothing was submitted.`,
  ).because('template_sample_unsuitable', { type: names })
}

const wrong = (message: string) => new ApiError('validation_error', message)
