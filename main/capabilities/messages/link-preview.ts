import type { OutgoingContent } from '../../engines/engine.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Outbound } from '../../kernel/outbound.ts'
import { startTimeout } from '../../kernel/timeout.ts'

type Content = Exclude<OutgoingContent, { kind: 'media' }>

interface PreviewDeps {
  readonly outbound: Pick<Outbound, 'request'>
  readonly clock: Clock
}

/** For all requests together; the message goes without a title after that. */
const FETCH_MS = 3_000
/** What a page says about itself is at its beginning. */
const PAGE_BYTES = 128 * 1024
const MAX_REQUESTS = 3
const TITLE_LENGTH = 256
const DESCRIPTION_LENGTH = 1_024

/** Its sender has said where the card leads, and nothing about it. */
export const needsLinkPreview = (content: Content): boolean =>
  content.kind === 'text' && content.preview?.title === null && content.preview.description === null

/** Adds the title and description that the page gives itself. A card is an ornament: what cannot be fetched has none. */
export async function withLinkPreview<T extends Content>(
  { outbound, clock }: PreviewDeps,
  content: T,
  accountId: AccountId,
): Promise<T> {
  if (content.kind !== 'text' || content.preview === undefined || !needsLinkPreview(content)) return content
  const controller = new AbortController()
  const limit = startTimeout(clock, FETCH_MS, () => controller.abort())
  try {
    const page = await fetchPage(outbound, content.preview.url, accountId, controller.signal)
    return page === undefined ? content : { ...content, preview: { ...content.preview, ...wordsOf(page) } }
  } finally {
    limit.cancel()
  }
}

/** The guard checks every address in a chain of redirects. */
async function fetchPage(
  outbound: PreviewDeps['outbound'],
  address: string,
  accountId: AccountId,
  signal: AbortSignal,
): Promise<string | undefined> {
  let url = address
  for (let requests = 0; requests < MAX_REQUESTS; requests++) {
    const answer = await outbound.request({
      ...{ url, method: 'GET', headers: { accept: 'text/html' }, signal, from: { accountId } },
      ...{ headersTimeoutMs: FETCH_MS, bodyTimeoutMs: FETCH_MS, maxBodyBytes: PAGE_BYTES },
    })
    if (answer.kind === 'failure') return undefined
    const { status, headers, body } = answer
    const next = status >= 300 && status < 400 ? URL.parse(headers['location'] ?? '', url) : null
    if (next === null) {
      const isPage = status === 200 && /^(?:text\/html|application\/xhtml\+xml)\b/i.test(headers['content-type'] ?? '')
      return isPage ? body.toString('utf8') : undefined
    }
    if (next.protocol !== 'https:' && next.protocol !== 'http:') return undefined
    url = next.href
  }
  return undefined
}

/** What other apps show of a page, else what browsers do. */
export function wordsOf(page: string): { title: string | null; description: string | null } {
  const tags = new Map<string, string>()
  for (const [tag] of page.matchAll(/<meta\s[^<>]{1,4000}>/gi)) {
    const name = attributeIn(tag, 'property') ?? attributeIn(tag, 'name')
    const content = attributeIn(tag, 'content')
    if (name !== undefined && content !== undefined && !tags.has(name.toLowerCase()))
      tags.set(name.toLowerCase(), content)
  }
  const title = tags.get('og:title') ?? /<title[^<>]{0,200}>([^<]{1,4000})/i.exec(page)?.[1]
  const description = tags.get('og:description') ?? tags.get('description')
  return { title: plain(title, TITLE_LENGTH), description: plain(description, DESCRIPTION_LENGTH) }
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
