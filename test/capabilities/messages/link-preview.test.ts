import { describe, expect, test } from 'vitest'
import { withLinkPreview, detailsOf } from '../../../main/capabilities/messages/link-preview.ts'
import { sampleOf } from '../../../main/engines/sandbox/index.ts'
import type { AccountId } from '../../../main/kernel/ids.ts'
import type { MediaConverter } from '../../../main/kernel/media-converter.ts'
import type { OutboundAnswer, OutboundRequest } from '../../../main/outbound/outbound.ts'
import { fakeClock } from '../../support/clock.ts'
import { cpuTime } from '../../support/cpu-time.ts'

const URL_OF_PAGE = 'https://shop.example/cake'
const PAGE = `<html><head><title>Cake &amp; more</title>
  <meta name="description" content='All our cakes'>
  <META content="Cakes &#8211; &quot;fresh&quot;" property="og:title"/></head></html>`

const answer = (status: number, headers: Record<string, string>, body: string | Buffer = ''): OutboundAnswer =>
  ({
    ...{
      kind: 'response',
      status,
      headers,
      body: typeof body === 'string' ? Buffer.from(body) : body,
      truncated: false,
    },
  }) as OutboundAnswer
const page = (body: string) => answer(200, { 'content-type': 'text/html; charset=utf-8' }, body)

const PICTURE = sampleOf('image').bytes
const SMALL = Buffer.from('small')
const converter = { convert: async () => ({ kind: 'done' as const, bytes: SMALL, loudness: null }) }

async function previewOf(
  pages: Record<string, OutboundAnswer | 'never'>,
  said: { title?: string } = {},
  using: Pick<MediaConverter, 'convert'> = converter,
) {
  const asked: string[] = []
  const clock = fakeClock()
  const request = ({ url, signal }: OutboundRequest) => {
    asked.push(url)
    const found = pages[url] ?? answer(404, {})
    if (found !== 'never') return Promise.resolve(found)
    return new Promise<OutboundAnswer>((resolve) => {
      signal?.addEventListener('abort', () =>
        resolve({ kind: 'failure', stage: 'timeout', code: 'aborted' } as OutboundAnswer),
      )
    })
  }
  const preview = { url: URL_OF_PAGE, title: said.title ?? null, description: null }
  const content = { kind: 'text' as const, to: '12025550101', text: URL_OF_PAGE, preview }
  const fetching = withLinkPreview({ outbound: { request }, clock, converter: using }, content, 'a' as AccountId)
  await clock.advance(3_000)
  return { preview: (await fetching).preview, asked, waiting: clock.waiting() }
}

test('the preview has the Open Graph title and description of the page, or else its title element', async () => {
  const { preview } = await previewOf({ [URL_OF_PAGE]: page(PAGE) })
  expect(preview).toEqual({ url: URL_OF_PAGE, title: 'Cakes – "fresh"', description: 'All our cakes' })
  expect(detailsOf('<title>\n Only\n this </title>')).toMatchObject({ title: 'Only this', description: null })
})

test('a preview follows at most two redirects, and links to the original URL', async () => {
  const moved = (location: string) => answer(301, { location })
  const next = {
    'https://shop.example/a': moved('https://www.shop.example/b'),
    'https://www.shop.example/b': page(PAGE),
  }
  const found = await previewOf({ [URL_OF_PAGE]: moved('/a'), ...next })
  expect([found.preview.url, found.preview.title]).toEqual([URL_OF_PAGE, 'Cakes – "fresh"'])
  const loop = await previewOf({ [URL_OF_PAGE]: moved(URL_OF_PAGE) })
  expect([loop.asked.length, loop.preview.title]).toEqual([3, null])
  expect((await previewOf({ [URL_OF_PAGE]: moved('file:///etc/passwd') })).asked).toEqual([URL_OF_PAGE])
})

test('the preview has no title if the page is too slow, not HTML, blocked or an error', async () => {
  const file = answer(200, { 'content-type': 'application/pdf' }, PAGE)
  const blocked = { kind: 'failure', stage: 'blocked', code: 'blocked' } as OutboundAnswer
  for (const found of ['never', file, blocked, answer(500, {}, PAGE)] as const) {
    const { preview, waiting } = await previewOf({ [URL_OF_PAGE]: found })
    expect([preview.title, preview.description, waiting]).toEqual([null, null, 0])
  }
})

test('the page is not fetched if the sender gave a title', async () => {
  const { preview, asked } = await previewOf({ [URL_OF_PAGE]: page(PAGE) }, { title: 'Mine' })
  expect([preview.title, asked]).toEqual(['Mine', []])
})

describe('the picture of a preview', () => {
  const PAGE_WITH_PICTURE = page('<title>Cake</title><meta property="og:image" content="/cake.png">')
  const FROM = 'https://shop.example/cake.png'
  const picture = answer(200, { 'content-type': 'image/png' }, PICTURE)

  test('is the one that the page names, made smaller', async () => {
    const pages = { [URL_OF_PAGE]: PAGE_WITH_PICTURE, [FROM]: picture }
    const { preview, asked } = await previewOf(pages)
    expect(preview).toEqual({ url: URL_OF_PAGE, title: 'Cake', description: null, picture: SMALL })
    expect(asked).toEqual([URL_OF_PAGE, FROM])
  })

  test.each([
    ['answers too late', 'never' as const],
    ['is not there', answer(404, {})],
    ['is no picture', answer(200, { 'content-type': 'image/png' }, 'Hello')],
    ['is at an address that is blocked', { kind: 'failure', stage: 'blocked', code: 'blocked' } as OutboundAnswer],
    ['is too large', { ...picture, truncated: true } as OutboundAnswer],
  ])('is left out if it %s', async (_, found) => {
    const { preview, waiting } = await previewOf({ [URL_OF_PAGE]: PAGE_WITH_PICTURE, [FROM]: found })
    expect([preview, waiting]).toEqual([{ url: URL_OF_PAGE, title: 'Cake', description: null }, 0])
  })

  test('is left out if converting it fails or takes too long', async () => {
    const pages = { [URL_OF_PAGE]: PAGE_WITH_PICTURE, [FROM]: picture }
    for (const convert of [() => new Promise<never>(() => {}), async () => ({ kind: 'unreadable' as const })]) {
      expect((await previewOf(pages, {}, { convert })).preview).not.toHaveProperty('picture')
    }
  })

  test('is not fetched from a URL that is not http or https', async () => {
    const odd = page('<meta property="og:image" content="file:///etc/passwd">')
    expect((await previewOf({ [URL_OF_PAGE]: odd })).asked).toEqual([URL_OF_PAGE])
  })
})

test('a hostile page is parsed quickly', async () => {
  for (const page of ['<meta '.repeat(21_000), `<meta content="${'a="'.repeat(40_000)}`, '<title'.repeat(21_000)])
    expect(await cpuTime(() => detailsOf(page))).toBeLessThan(1_000)
})
