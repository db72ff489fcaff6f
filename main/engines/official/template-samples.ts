import { ApiError } from '../../contract/errors.ts'
import type { GraphClient } from './graph-client.ts'
import { asRecord, recordsAt, type Json } from './json.ts'
import type { GraphCredentials } from './transport.ts'

type Components = readonly object[]

interface SampleDeps {
  readonly client: Pick<GraphClient, 'fetch'>
  readonly upload: (speaker: GraphCredentials, mimeType: string, bytes: Buffer) => Promise<string>
}

const LARGEST_SAMPLE = 100 * 1024 * 1024

/**
 * Meta returns the sample of a header as a URL, but accepts it only as an upload handle. So the sample is uploaded
 * again when a template that was read is submitted again, edited or as a copy.
 */
export function createSampleKeeper({ client, upload }: SampleDeps) {
  async function handleOf(speaker: GraphCredentials, url: string): Promise<string> {
    const file = await client.fetch(url, speaker.accessToken, speaker.accountId, LARGEST_SAMPLE).catch(() => {
      throw new ApiError(
        'invalid_state',
        'Meta no longer has the sample file of the header, so nothing was submitted. Give the file again.',
      ).because('template_sample_gone')
    })
    return upload(speaker, file.mimeType, file.bytes)
  }

  async function withHandle(speaker: GraphCredentials, component: object): Promise<object> {
    const { cards } = asRecord(component)
    if (Array.isArray(cards)) {
      const kept = (cards as readonly Json[]).map(async (card) => ({
        ...card,
        components: await withHandles(speaker, recordsAt(card, 'components')),
      }))
      return { ...component, cards: await Promise.all(kept) }
    }
    const url = addressIn(component)
    if (url === undefined) return component
    return { ...component, example: { header_handle: [await handleOf(speaker, url)] } }
  }

  const withHandles = (speaker: GraphCredentials, components: Components): Promise<Components> =>
    Promise.all(components.map((component) => withHandle(speaker, component)))

  return withHandles
}

/** The URL of the sample of a header, if it has one. */
function addressIn(component: object): string | undefined {
  const { type, example } = asRecord(component)
  const handles = asRecord(example)['header_handle']
  const [handle] = type === 'HEADER' && Array.isArray(handles) ? (handles as readonly unknown[]) : []
  return typeof handle === 'string' && URL.canParse(handle) && /^https?:\/\//.test(handle) ? handle : undefined
}
