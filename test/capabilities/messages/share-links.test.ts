import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { directDownload } from '../../../main/capabilities/messages/share-links.ts'
import { createOutbound, type Outbound, type OutboundAnswer } from '../../../main/outbound/outbound.ts'
import { fakeClock } from '../../support/clock.ts'
import { accepted, bench, refusal, type Bench } from './bench.ts'

const ID = '1AbC_d-EfGhIjKlMnOpQrStUvWxYz0123'
const PDF = Buffer.from('%PDF-1.7 the file')

const answer = (status: number, headers: Record<string, string>, body: Buffer | string = ''): OutboundAnswer => ({
  ...{ kind: 'response', status, headers, body: Buffer.from(body), truncated: false, remoteIp: null },
})
const page = (html: string, status = 200) => answer(status, { 'content-type': 'text/html; charset=utf-8' }, html)
const redirect = (status: number, location: string) => answer(status, { location, 'content-type': 'text/html' })
const attachment = (disposition: string, type = 'application/octet-stream') =>
  answer(200, { 'content-type': type, 'content-disposition': disposition }, PDF)

/** What the files of the services are like. */
type Kind = 'shared' | 'private' | 'too_large_to_scan' | 'over_quota' | 'to_loopback' | 'in_circles'

const VIRUS_PAGE =
  '<!DOCTYPE html><html><head><title>Google Drive - Virus scan warning</title></head><form id="download-form">'

/** Google Drive and Dropbox as they answer the world; everything that was not asked for in their way is a page. */
function services(kind: Kind) {
  return ({ hostname, pathname, searchParams, href }: URL): OutboundAnswer => {
    switch (hostname) {
      case 'drive.usercontent.google.com':
        if (pathname !== '/download' || searchParams.get('id') !== ID || searchParams.get('export') !== 'download')
          return page('<!DOCTYPE html><title>Not Found</title>', 404)
        if (kind === 'private') return redirect(303, `https://accounts.google.com/ServiceLogin?continue=${href}`)
        if (kind === 'over_quota') return page('<!DOCTYPE html><title>Google Drive - Quota exceeded</title>')
        if (kind === 'too_large_to_scan' || searchParams.get('confirm') !== 't') return page(VIRUS_PAGE)
        if (kind === 'to_loopback') return redirect(302, 'https://127.0.0.1/secret')
        if (kind === 'in_circles') return redirect(302, href)
        return attachment(`attachment; filename="Factura.pdf"; filename*=UTF-8''Factura%20n.%C2%BA%2042.pdf`)
      case 'docs.google.com':
        if (!pathname.includes('/export')) return page('<!DOCTYPE html><title>Google Docs</title>')
        return redirect(
          307,
          `/exported${pathname}${searchParams.size > 0 ? `?${searchParams}` : ''}`.replace(
            '/exported/',
            'https://doc-0c-docs.googleusercontent.com/',
          ),
        )
      case 'doc-0c-docs.googleusercontent.com':
        return attachment('attachment; filename="Plan.pdf"', 'application/pdf')
      case 'www.dropbox.com':
        if (searchParams.get('dl') !== '1') return page('<!DOCTYPE html><title>Dropbox</title>')
        return kind === 'private'
          ? redirect(302, 'https://www.dropbox.com/login?cont=x&dl=0')
          : redirect(302, 'https://uc1.dl.dropboxusercontent.com/cd/0/get/x/file?dl=1')
      case 'uc1.dl.dropboxusercontent.com':
        return attachment('attachment; filename="Price list.pdf"', 'application/binary')
      default:
        return page('<!DOCTYPE html><title>Sign in - Google Accounts</title>')
    }
  }
}

let b: Bench
let outbound: Outbound
let called: string[]
let kind: Kind
beforeEach(async () => {
  kind = 'shared'
  called = []
  outbound = createOutbound({ clock: fakeClock(), resolve: async () => ['93.184.216.34'], trustedRanges: [] })
  // Checked as the addresses they are, and answered here.
  outbound.addResponder('web.sandbox', async ({ url }) => {
    const real = new URL(Buffer.from(url.pathname.slice(1), 'base64url').toString())
    called.push(real.hostname)
    return services(kind)(real)
  })
  const open: Outbound['open'] = (request) =>
    outbound.open({ ...request, url: `https://web.sandbox/${Buffer.from(request.url).toString('base64url')}` })
  b = await bench({ media: { checkUrl: outbound.checkUrl, request: outbound.request, open } })
})
afterEach(async () => {
  await b.close()
  await outbound.close()
})

const document = (media_url: string) => ({ to: '12025550123', media_url, media_type: 'document' as const })

const DRIVE = `https://drive.google.com/file/d/${ID}/view?usp=sharing`
const DROPBOX = 'https://www.dropbox.com/scl/fi/abc123/Price-list.pdf?rlkey=k3y&st=s&dl=0'

describe('a share link is sent as its file', () => {
  test.each([
    [DRIVE, 'Factura n.º 42.pdf'],
    [`https://drive.google.com/open?id=${ID}`, 'Factura n.º 42.pdf'],
    [`https://drive.google.com/uc?id=${ID}&export=download`, 'Factura n.º 42.pdf'],
    [`https://drive.google.com/a/firm.example/file/d/${ID}/edit`, 'Factura n.º 42.pdf'],
    [`https://docs.google.com/document/d/${ID}/edit?tab=t.0`, 'Plan.pdf'],
    [`https://docs.google.com/spreadsheets/u/0/d/${ID}/edit#gid=0`, 'Plan.pdf'],
    [`https://docs.google.com/presentation/d/${ID}/view`, 'Plan.pdf'],
    [DROPBOX, 'Price list.pdf'],
    ['https://www.dropbox.com/s/abc123/Price-list.pdf', 'Price list.pdf'],
  ])('%s', async (url, filename) => {
    const given: Buffer[] = []
    b.engine.plan = async (_, out) => {
      if (out.kind === 'media') given.push(await buffer(await out.content.read()))
      return accepted('3EB0')
    }
    await b.send(document(url))
    expect(given).toEqual([PDF])
    expect(b.engine.asked[0]?.out).toMatchObject({ mimeType: 'application/pdf', filename })
  })
})

describe('a web page in place of the file is refused, and the error says what to do', () => {
  test.each([
    ['too_large_to_scan', DRIVE, /virus scan warning.*POST \/v1\/media/],
    ['over_quota', DRIVE, /downloaded too often/],
    ['private', DRIVE, /needs a sign-in at Google Drive\. Share the file with anyone who has the link/],
    ['private', DROPBOX, /needs a sign-in at Dropbox/],
    ['in_circles', DRIVE, /answered 302/],
    ['shared', 'https://files.example/invoice', /returned a web page instead of a file\. Use the direct download URL/],
  ] as const)('%s %s', async (state, url, words) => {
    kind = state
    expect(await refusal(b.send(document(url)))).toMatchObject({
      code: 'validation_error',
      message: expect.stringMatching(words),
      detail: { reason: 'file_unusable' },
    })
    expect(b.engine.asked).toEqual([])
  })

  test('a redirect to a private address is not followed', async () => {
    kind = 'to_loopback'
    expect(await refusal(b.send(document(DRIVE)))).toMatchObject({ code: 'invalid_url' })
    expect(called).toEqual(['drive.usercontent.google.com'])
  })
})

test.each([
  'https://drive.google.com/drive/folders/1AbC_d-EfGhIjKlMnOpQrStUvWxYz0123',
  'https://drive.google.com/file/d/short/view',
  'https://docs.google.com/forms/d/1AbC_d-EfGhIjKlMnOpQrStUvWxYz0123/viewform',
  'https://www.dropbox.com/home',
  'https://drive.google.com.evil.example/file/d/1AbC_d-EfGhIjKlMnOpQrStUvWxYz0123/view',
  'not a url',
])('%s is not recognized as a share link', (url) => expect(directDownload(url)).toBeUndefined())

test('a link with a resource key keeps it', () => {
  expect(directDownload(`https://drive.google.com/file/d/${ID}/view?resourcekey=0-x`)?.url).toContain('resourcekey=0-x')
})
