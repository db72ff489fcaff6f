import { describe, expect, test } from 'vitest'
import { findInstalledBrowser } from '../../main/shell/passkey/installed-browser.ts'
import { passkeyReadiness } from '../../main/shell/passkey/readiness.ts'
import { createPasskeySigner } from '../../main/shell/passkey/signer.ts'
import { parseOutcome, type SigningPage } from '../../main/shell/passkey/signing.ts'
import { fakeClock } from '../support/clock.ts'

const CREDENTIAL = {
  ...{ id: 'aWQ', rawId: 'aWQ', type: 'public-key' },
  response: { clientDataJSON: 'e30', authenticatorData: 'AAAA', signature: 'BBBB', userHandle: null },
}
const SIGNED = { kind: 'signed', credential: CREDENTIAL } as const
const REQUEST = { options: { challenge: 'AAAA' } }

function testPage(answer: Promise<unknown>) {
  const gone = Promise.withResolvers<undefined>()
  let closed = 0
  const page: SigningPage = {
    evaluate: () => answer,
    gone: gone.promise,
    async close() {
      closed++
    },
  }
  return { page, leave: () => gone.resolve(undefined), closed: () => closed }
}
const never = new Promise<never>(() => {})

describe('asking for a passkey', () => {
  test('returns the answer and closes the page', async () => {
    const { page, closed } = testPage(Promise.resolve(JSON.stringify(SIGNED)))
    const signer = createPasskeySigner({ clock: fakeClock(), ways: [async () => page] })
    expect(await signer.sign(REQUEST)).toEqual(SIGNED)
    expect(closed()).toBe(1)
  })

  test('ends when the person closes the page or the page fails', async () => {
    const left = testPage(never)
    left.leave()
    const failed = testPage(Promise.reject(new Error('destroyed')))
    for (const { page, closed } of [left, failed]) {
      const signer = createPasskeySigner({ clock: fakeClock(), ways: [async () => page] })
      expect(await signer.sign(REQUEST)).toEqual({ kind: 'dismissed' })
      expect(closed()).toBe(1)
    }
  })

  test('ends after ten minutes', async () => {
    const clock = fakeClock()
    const { page, closed } = testPage(never)
    const outcome = createPasskeySigner({ clock, ways: [async () => page] }).sign(REQUEST)
    await clock.advance(599_000)
    expect(closed()).toBe(0)
    await clock.advance(1_000)
    expect(await outcome).toEqual({ kind: 'dismissed' })
    expect(closed()).toBe(1)
  })

  test('replaces an open request with a new one', async () => {
    const pages = [testPage(never), testPage(Promise.resolve(JSON.stringify(SIGNED)))]
    const waiting = [...pages]
    const open = async () => waiting.shift()?.page
    const signer = createPasskeySigner({ clock: fakeClock(), ways: [open] })
    const [first, second] = [signer.sign(REQUEST), signer.sign(REQUEST)]
    expect([await first, await second]).toEqual([{ kind: 'dismissed' }, SIGNED])
    expect(pages.map(({ closed }) => closed())).toEqual([1, 1])
  })

  test('closes every page when the app quits, even one that is opening', async () => {
    const opening = Promise.withResolvers<SigningPage>()
    const { page, closed } = testPage(never)
    const signer = createPasskeySigner({ clock: fakeClock(), ways: [() => opening.promise] })
    const outcome = signer.sign(REQUEST)
    const quit = signer.close()
    opening.resolve(page)
    await quit
    expect(await outcome).toEqual({ kind: 'dismissed' })
    expect(closed()).toBe(1)
  })

  test.each([async () => undefined, () => Promise.reject(new Error('no display'))])(
    'is unavailable if no page opens (%#)',
    async (open) => {
      const signer = createPasskeySigner({ clock: fakeClock(), ways: [open] })
      expect(await signer.sign(REQUEST)).toEqual({ kind: 'unavailable' })
    },
  )
})

test.each([
  [JSON.stringify({ kind: 'dismissed', more: 1 }), { kind: 'dismissed' }],
  [JSON.stringify({ kind: 'signed' }), { kind: 'unavailable' }],
  [JSON.stringify({ kind: 'signed', credential: { ...CREDENTIAL, id: 1 } }), { kind: 'unavailable' }],
  [JSON.stringify({ kind: 'other' }), { kind: 'unavailable' }],
  ['null', { kind: 'unavailable' }],
  ['{', { kind: 'unavailable' }],
  [undefined, { kind: 'unavailable' }],
])('does not trust what a page sends: %s', (given, outcome) => {
  expect(parseOutcome(given)).toEqual(outcome)
})

test.each([
  ['dismissed', ['first']],
  ['unavailable', ['first', 'second']],
])('leaves %o when the first browser is %s', async (kind, used) => {
  const opened: string[] = []
  const way = (name: string, outcome: string) => async () => {
    opened.push(name)
    return testPage(Promise.resolve(JSON.stringify({ kind: outcome }))).page
  }
  const ways = [way('first', kind), way('second', 'dismissed')]
  expect(await createPasskeySigner({ clock: fakeClock(), ways }).sign(REQUEST)).toEqual({ kind: 'dismissed' })
  expect(opened).toEqual(used)
})

describe('the system browser', () => {
  const find = (platform: NodeJS.Platform, environment: Record<string, string>, ...installed: string[]) =>
    findInstalledBrowser({ platform, environment, canRun: (file) => installed.includes(file) })

  test('is found where it is installed, Chrome first', () => {
    const edge = '/Users/ana/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge'
    const chrome = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
    const app = (path: string) => ({ kind: 'app', app: path })
    const program = (path: string) => ({ kind: 'program', executable: path })
    expect(find('darwin', { HOME: '/Users/ana' }, edge)).toEqual(app('/Users/ana/Applications/Microsoft Edge.app'))
    expect(find('darwin', { HOME: '/Users/ana' }, edge, chrome)).toEqual(app('/Applications/Google Chrome.app'))
    const path = { PATH: '/usr/local/bin:/usr/bin' }
    const found = find('linux', path, '/usr/bin/chromium', '/usr/bin/google-chrome')
    expect(found).toEqual(program('/usr/bin/google-chrome'))
    const windows = { 'ProgramFiles(x86)': 'C:\\Program Files (x86)', ProgramFiles: 'C:\\Program Files' }
    const installedEdge = 'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe'
    expect(find('win32', windows, installedEdge)).toEqual(program(installedEdge))
    expect(find('linux', path, '/opt/chromium')).toBeUndefined()
    expect(find('linux', {})).toBeUndefined()
  })
})

describe('passkey support of the computer', () => {
  const ready = (platform: NodeJS.Platform, isInstalled: boolean, adapters: readonly string[] | null) =>
    passkeyReadiness({
      platform,
      environment: { PATH: '/usr/bin', HOME: '/home/ana' },
      canRun: () => isInstalled,
      list(folder) {
        if (adapters === null) throw new Error(`no ${folder}`)
        return adapters
      },
    })

  test('is detected without opening anything', () => {
    expect(ready('win32', false, null)).toEqual({ way: 'window', hasBluetooth: null })
    expect(ready('darwin', true, null)).toEqual({ way: 'browser', hasBluetooth: null })
    expect(ready('darwin', false, null)).toEqual({ way: 'none', hasBluetooth: null })
    expect(ready('linux', true, ['hci0'])).toEqual({ way: 'browser', hasBluetooth: true })
    expect(ready('linux', true, [])).toEqual({ way: 'browser', hasBluetooth: false })
    expect(ready('linux', false, null)).toEqual({ way: 'none', hasBluetooth: false })
  })
})
