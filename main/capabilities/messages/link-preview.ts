import type { OutgoingContent } from '../../engines/engine.ts'
import type { Clock } from '../../kernel/clock.ts'
import { contentOf } from '../../kernel/file-content.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { MediaConverter } from '../../kernel/media-converter.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { isDecodablePicture } from '../../kernel/picture-size.ts'
import { startTimeout } from '../../kernel/timeout.ts'

type Content = Exclude<OutgoingContent, { kind: 'media' }>

interface PreviewDeps {
  readonly outbound: Pick<Outbound, 'request'>
  readonly clock: Clock
  readonly converter: Pick<MediaConverter, 'convert'>
}

/** For page and picture together. After that the message goes with what is there. */
const FETCH_MS = 3_000
/** What a page says about itself is at its beginning. */
const PAGE_BYTES = 128 * 1024
const PICTURE_BYTES = 3 * 1024 * 1024
const MAX_REQUESTS = 3
const TITLE_LENGTH = 256
const DESCRIPTION_LENGTH = 1_024
const ADDRESS_LENGTH = 2_048

/** The sender gave the address of the card, but no title or text. */
export const needsLinkPreview = (content: Content): boolean =>
  content.kind === 'text' && content.preview?.title === null && content.preview.description === null

/**
 * Adds the title, description and picture that the page gives itself. A preview is not worth a failure: what cannot be
 * fetched in time is left out.
 */
export async function withLinkPreview<T extends Content>(
  deps: PreviewDeps,
  content: T,
  accountId: AccountId,
): Promise<T> {
  if (content.kind !== 'text' || content.preview === undefined || !needsLinkPreview(content)) return content
  const controller = new AbortController()
  const limit = startTimeout(deps.clock, FETCH_MS, () => controller.abort())
  const fetching = { ...deps, accountId, signal: controller.signal }
  try {
    const page = await fetchPage(fetching, content.preview.url)
    if (page === undefined) return content
    const { picture: address, ...words } = detailsOf(page.text)
    const picture = address === null ? undefined : await fetchPicture(fetching, address, page.url)
    return { ...content, preview: { ...content.preview, ...words, ...(picture && { picture }) } }
  } finally {
    limit.cancel()
  }
}

interface Fetching extends PreviewDeps {
  readonly accountId: AccountId
  /** Aborts when the time is over. */
  readonly signal: AbortSignal
}

async function fetchPage(fetching: Fetching, address: string): Promise<{ text: string; url: string } | undefined> {
  const found = await fetchFollowing(fetching, address, 'text/html', PAGE_BYTES)
  if (!/^(?:text\/html|application\/xhtml\+xml)\b/i.test(found?.type ?? '')) return undefined
  return found && { text: found.body.toString('utf8'), url: found.url }
}

async function fetchPicture(fetching: Fetching, address: string, page: string): Promise<Buffer | undefined> {
  const url = URL.parse(address, page)
  if (url === null || !isWeb(url)) return undefined
  const found = await fetchFollowing(fetching, url.href, 'image/*', PICTURE_BYTES)
  if (found === undefined || found.isCut || !isDecodablePicture(found.body)) return undefined
  const converting = fetching.converter.convert(fetching.accountId, 'card', contentOf(found.body))
  const converted = await Promise.race([converting, aborted(fetching.signal)])
  return converted?.kind === 'done' ? converted.bytes : undefined
}

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })

const isWeb = ({ protocol }: URL): boolean => protocol === 'https:' || protocol === 'http:'

/** The guard checks every address in a chain of redirects. */
async function fetchFollowing(
  { outbound, accountId, signal }: Fetching,
  address: string,
  accept: string,
  maxBodyBytes: number,
): Promise<{ body: Buffer; type: string; url: string; isCut: boolean } | undefined> {
  let url = address
  for (let requests = 0; requests < MAX_REQUESTS && !signal.aborted; requests++) {
    const answer = await outbound.request({
      ...{ url, method: 'GET', headers: { accept }, signal, from: { accountId } },
      ...{ headersTimeoutMs: FETCH_MS, bodyTimeoutMs: FETCH_MS, maxBodyBytes },
    })
    if (answer.kind === 'failure') return undefined
    const { status, headers, body, truncated: isCut } = answer
    const next = status >= 300 && status < 400 ? URL.parse(headers['location'] ?? '', url) : null
    if (next === null) return status === 200 ? { body, type: headers['content-type'] ?? '', url, isCut } : undefined
    if (!isWeb(next)) return undefined
    url = next.href
  }
  return undefined
}

/** What other apps show of a page, else what browsers do. */
export function detailsOf(page: string): { title: string | null; description: string | null; picture: string | null } {
  const tags = new Map<string, string>()
  for (const [tag] of page.matchAll(/<meta\s[^<>]{1,4000}>/gi)) {
    const name = attributeIn(tag, 'property') ?? attributeIn(tag, 'name')
    const content = attributeIn(tag, 'content')
    if (name !== undefined && content !== undefined && !tags.has(name.toLowerCase()))
      tags.set(name.toLowerCase(), content)
  }
  const title = tags.get('og:title') ?? /<title[^<>]{0,200}>([^<]{1,4000})/i.exec(page)?.[1]
  const description = tags.get('og:description') ?? tags.get('description')
  const picture = tags.get('og:image') ?? tags.get('og:image:url') ?? tags.get('twitter:image')
  return {
    title: plain(title, TITLE_LENGTH),
    description: plain(description, DESCRIPTION_LENGTH),
    picture: plain(picture, ADDRESS_LENGTH),
  }
}

function attributeIn(tag: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'i').exec(tag)
  return found?.[1] ?? found?.[2]
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

function plain(words: string | undefined, most: number): string | null {
  const decoded = (words ?? '').replaceAll(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi,
    (whole, ten, sixteen, name) => {
      if (typeof name === 'string') return ENTITIES[name.toLowerCase()] ?? whole
      const code = typeof ten === 'string' ? Number(ten) : Number.parseInt(String(sixteen), 16)
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
    },
  )
  return decoded.replaceAll(/\s+/g, ' ').trim().slice(0, most).toWellFormed() || null
}
