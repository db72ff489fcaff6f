import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { UpdateState } from '../../main/contract/window-bridge.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { isOneOf, offerOf, statementOf } from '../../main/shell/update-signature.ts'
import { createUpdates, type UpdateChannel } from '../../main/shell/updates.ts'

const makers = generateKeyPairSync('ed25519')
const strangers = generateKeyPairSync('ed25519')
const INSTALLER = Buffer.from('the new Switchboard')

const fileOf = (bytes: Buffer) => ({
  url: 'Switchboard-1.3.0.AppImage',
  sha512: createHash('sha512').update(bytes).digest('base64'),
  size: bytes.length,
})

/** What latest-linux.yml says once it is parsed, with what the builder writes besides. */
function release(version: string, { key = makers.privateKey, files = [fileOf(INSTALLER)] } = {}) {
  const signature = sign(null, Buffer.from(statementOf({ version, files })), key).toString('base64')
  return { version, files, path: files[0]?.url, releaseDate: '2026-03-01T00:00:00.000Z', signature }
}

const judge = (told: unknown, current = '1.2.3') => offerOf(told, { key: makers.publicKey, current })

describe('an update channel', () => {
  test.each(['1.2.4', '1.3.0', '2.0.0', '1.10.0', '1.2.10'])('offers %s to 1.2.3', (version) => {
    expect(judge(release(version))).toMatchObject({ kind: 'offered', release: { version } })
  })

  test.each(['1.2.3', '1.2.2', '1.1.9', '0.9.9'])('never offers %s to 1.2.3, although it is signed', (version) => {
    expect(judge(release(version))).toEqual({ kind: 'newest' })
  })

  test('a release replaces only the version that it names', () => {
    expect(judge(release('1.2.3'), '1.2.3-beta').kind).toBe('offered')
    expect(judge(release('1.2.2'), '1.2.3-beta').kind).toBe('newest')
  })

  test.each([
    ['of strangers', release('1.3.0', { key: strangers.privateKey })],
    ['of another version', { ...release('1.3.0'), version: '1.4.0' }],
    ['of another file', { ...release('1.3.0'), files: [fileOf(Buffer.from('evil'))] }],
    ['of a file elsewhere', { ...release('1.3.0'), files: [{ ...fileOf(INSTALLER), url: 'https://evil.example/x' }] }],
    ['of fewer files', { ...release('1.3.0'), files: [fileOf(INSTALLER), fileOf(Buffer.from('second'))] }],
    ['that is no signature', { ...release('1.3.0'), signature: 'AAAA' }],
    ['of an older release that was changed', { ...release('1.0.0'), version: '1.1.0' }],
  ])('is refused with a signature %s', (_, told) => {
    expect(judge(told)).toEqual({ kind: 'refused', why: 'unsigned' })
  })

  test.each([
    undefined,
    null,
    'text',
    {},
    { ...release('1.3.0'), signature: undefined },
    { ...release('1.3.0'), version: 'latest' },
    { ...release('1.3.0'), version: '1.3.0-beta' },
    { ...release('1.3.0'), files: [] },
    { ...release('1.3.0'), files: [{ url: 'x', sha512: 'y' }] },
  ])('is refused if it cannot be read: %j', (told) => {
    expect(judge(told)).toEqual({ kind: 'refused', why: 'unreadable' })
  })

  test('signs the same fields in any order', () => {
    const { version, files } = release('1.3.0')
    const [file] = files
    const turned = { files: [{ size: file!.size, blockMapSize: 5, url: file!.url, sha512: file!.sha512 }], version }
    expect(statementOf(turned)).toBe(statementOf({ version, files }))
  })
})

test.each([
  ['the file itself', INSTALLER, true],
  ['one byte changed', Buffer.from('the new Switchboarc'), false],
  ['one byte more', Buffer.concat([INSTALLER, Buffer.from('!')]), false],
  ['nothing', Buffer.alloc(0), false],
])('checks a downloaded file: %s', async (_, bytes, isProved) => {
  const told = release('1.3.0')
  expect(await isOneOf(told, chunks(bytes))).toBe(isProved)
  // The right sum under another size is another file.
  const wrong = { ...told, files: told.files.map((file) => ({ ...file, size: file.size + 1 })) }
  expect(await isOneOf(wrong, chunks(bytes))).toBe(false)
})

async function* chunks(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 5) yield bytes.subarray(at, at + 5)
}

describe('an update', () => {
  function scene({ metadata = release('1.3.0'), isForUs = true } = {}) {
    const done: string[] = []
    const states: UpdateState[] = []
    const disk = { bytes: INSTALLER }
    let fail = (_error: unknown): void => {}
    const channel: UpdateChannel = {
      key: makers.publicKey,
      async latest() {
        done.push('asked')
        return { metadata, isForUs }
      },
      async fetch(onPercent) {
        onPercent(40.7)
        done.push('fetched')
        return '/tmp/fetched'
      },
      install(onFailure) {
        fail = onFailure
        done.push('installed')
      },
    }
    const updates = createUpdates({
      channel,
      current: '1.2.3',
      log: silentLog,
      readFile: () => chunks(disk.bytes),
      finish: async () => void done.push('finished'),
      reopen: () => void done.push('reopened'),
      onState: (state) => void states.push(state),
    })
    return { updates, channel, done, states, disk, fail: (error: unknown) => fail(error) }
  }

  test('is searched, downloaded, checked and installed, each at the person’s request', async () => {
    const { updates, done, states } = scene()
    expect(updates.state()).toEqual({ kind: 'idle' })
    expect(await updates.check()).toEqual({ kind: 'offered', version: '1.3.0' })
    expect(done).toEqual(['asked'])
    expect(await updates.fetch()).toEqual({ kind: 'ready', version: '1.3.0' })
    expect(done).toEqual(['asked', 'fetched'])
    await updates.restart()
    expect(done).toEqual(['asked', 'fetched', 'finished', 'installed'])
    expect(states.map((state) => state.kind)).toEqual([
      ...['looking', 'offered', 'fetching', 'fetching', 'ready', 'installing'],
    ])
    expect(states[3]).toEqual({ kind: 'fetching', version: '1.3.0', percent: 40 })
  })

  test('is refused if it changed on its way, and the service continues', async () => {
    const { updates, disk, done } = scene()
    await updates.check()
    disk.bytes = Buffer.from('the old Switchboard')
    expect(await updates.fetch()).toEqual({ kind: 'refused' })
    expect(await updates.restart()).toEqual({ kind: 'refused' })
    expect(done).toEqual(['asked', 'fetched'])
  })

  test('is refused if it changed while it waited, before the service closes', async () => {
    const { updates, disk, done } = scene()
    await updates.check()
    await updates.fetch()
    disk.bytes = Buffer.from('the old Switchboard')
    expect(await updates.restart()).toEqual({ kind: 'refused' })
    expect(done).toEqual(['asked', 'fetched'])
  })

  test('from a stranger is not downloaded', async () => {
    const { updates, done } = scene({ metadata: release('1.3.0', { key: strangers.privateKey }) })
    expect(await updates.check()).toEqual({ kind: 'refused' })
    await updates.fetch()
    await updates.restart()
    expect(done).toEqual(['asked'])
  })

  test('for another machine is ignored', async () => {
    expect(await scene({ isForUs: false }).updates.check()).toEqual({ kind: 'newest' })
    expect(await scene({ metadata: release('1.2.3') }).updates.check()).toEqual({ kind: 'newest' })
  })

  test('can be searched again after a failure', async () => {
    const { updates, channel } = scene()
    const { latest } = channel
    Object.assign(channel, { latest: () => Promise.reject(new Error('no network')) })
    expect(await updates.check()).toEqual({ kind: 'failed' })
    Object.assign(channel, { latest })
    expect(await updates.check()).toMatchObject({ kind: 'offered' })
  })

  test('reopens the app if its installer does not start', async () => {
    const { updates, done, fail } = scene()
    await updates.check()
    await updates.fetch()
    await updates.restart()
    fail(new Error('no rights'))
    expect(updates.state()).toEqual({ kind: 'failed' })
    expect(done.at(-1)).toBe('reopened')
  })

  test('is downloaded once for several requests', async () => {
    const { updates, done } = scene()
    await Promise.all([updates.check(), updates.check()])
    await Promise.all([updates.fetch(), updates.fetch(), updates.check()])
    await Promise.all([updates.restart(), updates.restart()])
    expect(done).toEqual(['asked', 'fetched', 'finished', 'installed'])
  })

  test('is not searched without a channel', async () => {
    const updates = createUpdates({
      ...{ channel: null, current: '1.2.3', log: silentLog },
      readFile: () => chunks(INSTALLER),
      finish: () => Promise.reject(new Error('never')),
      reopen: () => {},
      onState: () => expect.unreachable(),
    })
    for (const act of [updates.check, updates.fetch, updates.restart]) expect(await act()).toEqual({ kind: 'none' })
  })
})
