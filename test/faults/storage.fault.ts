import { readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { catchEverything, pairedInstance } from '../support/sandbox.ts'
import { pause, testHome, until, type Api, type TestHome } from '../support/service-process.ts'
import { noSmallDisk, smallDisk } from './small-disk.ts'
import { needStrace, startTraced, stopTraced } from './strace.ts'

const MB = 1_000_000
const RESERVE = 4 * MB
const CUSTOMER = '12025550101'

function homeOfTest(dir?: string): TestHome {
  const home = testHome('', dir)
  onTestFinished(() => home.remove())
  return home
}

function diskOfTest(megabytes: number) {
  const disk = smallDisk(megabytes)
  onTestFinished(() => disk.remove())
  return disk
}

const bytesOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0

const freeOn = (dir: string) => {
  const { bavail, bsize } = statfsSync(dir)
  return bavail * bsize
}

const health = async (url: string) => (await (await fetch(`${url}/healthz`)).json()) as { problems: string[] }

/** Sends with a key each until one is not accepted. @returns the ids that were. */
async function sendUntilRefused(api: Api, instance: string, most: number) {
  const accepted: string[] = []
  for (let n = 0; n < most; n++) {
    const { status, body } = await api(
      'POST',
      `/v1/instances/${instance}/messages`,
      { to: CUSTOMER, text: `${n} ${'x'.repeat(3_000)}` },
      { 'idempotency-key': `order-${n}` },
    )
    if (status !== 201) return { accepted, refused: body.error.code as string }
    accepted.push(body.message_id)
  }
  return { accepted, refused: null }
}

function checkSound(home: string, accepted: readonly string[]): void {
  const database = new Database(join(home, 'switchboard.db'), { readonly: true })
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
  const stored = new Set(database.prepare('SELECT id FROM messages').pluck().all())
  expect(accepted.filter((id) => !stored.has(id))).toEqual([])
  // No request without a stored attempt: the catcher and the log of attempts agree.
  expect(database.prepare("SELECT COUNT(*) FROM delivery_attempts WHERE outcome = 'in_progress'").pluck().get()).toBe(0)
  database.close()
}

test('D-01 a real disk fills up under sends: refused with storage_full, nothing acknowledged is lost, and it resumes alone', async ({
  task,
  skip,
}) => {
  if (noSmallDisk !== undefined) return skip(noSmallDisk)
  const disk = diskOfTest(64)
  const home = homeOfTest(disk.dir)
  home.write({
    anonymous_rate_limit_per_minute: 1_000_000,
    storage: { reserve_mb: 4, warn_below_mb: 0, refuse_below_mb: 2 },
    sandbox: { timeline_ms: [0, 0, 0, 0] },
  })
  const { key } = await home.key('Full')
  const service = await home.start()
  const api = service.api(key)
  const instance = await pairedInstance(api, '12025550100')
  await catchEverything(api, 'full')
  await until('the reserve', () => bytesOf(join(home.dir, 'reserve.bin')) === RESERVE)
  const ballast = join(home.dir, 'ballast')
  writeFileSync(ballast, Buffer.alloc(Math.max(0, freeOn(disk.dir) - 8 * MB), 1))

  const { accepted, refused } = await sendUntilRefused(api, instance, 20_000)
  expect(refused).toBe('storage_full')
  expect((await health(service.url)).problems).toEqual(['storage_full'])
  expect((await api('GET', `/v1/instances/${instance}`)).status).toBe(200)

  rmSync(ballast)
  await until('it to go on by itself', async () => (await health(service.url)).problems.length === 0)
  const again = await api('POST', `/v1/instances/${instance}/messages`, { to: CUSTOMER, text: 'There is room' })
  expect(again.status).toBe(201)
  expect(await service.end('SIGTERM')).toBe(0)
  checkSound(home.dir, [...accepted, again.body.message_id])
  task.meta.observed = `${accepted.length} sends accepted and all there, then 503 storage_full; resumed alone`
})

test('D-02 at the very end of the disk the reserve is given back, and the service goes on without outside help', async ({
  task,
  skip,
}) => {
  if (noSmallDisk !== undefined) return skip(noSmallDisk)
  const disk = diskOfTest(64)
  const home = homeOfTest(disk.dir)
  home.write({
    anonymous_rate_limit_per_minute: 1_000_000,
    storage: { reserve_mb: 16, warn_below_mb: 0, refuse_below_mb: 0 },
    sandbox: { timeline_ms: [0, 0, 0, 0] },
  })
  const { key } = await home.key('Full')
  const service = await home.start({ SWITCHBOARD_LOG_LEVEL: 'info' })
  const api = service.api(key)
  const instance = await pairedInstance(api, '12025550100')
  await until('the reserve', () => bytesOf(join(home.dir, 'reserve.bin')) === 4 * RESERVE)
  const ballast = join(home.dir, 'ballast')
  writeFileSync(ballast, Buffer.alloc(Math.max(0, freeOn(disk.dir) - 3 * MB), 1))

  const { accepted, refused } = await sendUntilRefused(api, instance, 20_000)
  expect(refused).toBe('storage_full')
  await until('it to go on by itself', async () => (await health(service.url)).problems.length === 0)
  const more = await sendUntilRefused(api, instance, accepted.length + 5)
  expect(more.accepted.slice(0, accepted.length)).toEqual(accepted)
  expect(await service.end('SIGTERM')).toBe(0)
  checkSound(home.dir, accepted)
  task.meta.observed = `${accepted.length} sends to the last byte, all there; the reserve freed, the log written back, resumed alone`
})

/**
 * Sends one order until its outcome is known, as the API documents it: an answer that leaves doubt is looked up by its
 * key, and the request is repeated only when nothing was sent. @returns the id of the message.
 */
async function sendUntilKnown(api: Api, messages: string, order: number, onDoubt: (sent: boolean) => void) {
  const idempotencyKey = `order-${order}`
  const send = () =>
    api('POST', messages, { to: CUSTOMER, text: String(order) }, { 'idempotency-key': idempotencyKey }).catch(
      () => null,
    )
  const look = () => api('GET', `${messages}?idempotency_key=${idempotencyKey}`).catch(() => null)
  let id: string | undefined
  let isInDoubt = false
  await until(
    idempotencyKey,
    async () => {
      const answer = isInDoubt ? await look() : await send()
      if (isInDoubt && answer?.status === 404) onDoubt((isInDoubt = false))
      else if (isInDoubt && answer?.status === 200 && answer.body.status !== 'queued') {
        onDoubt(true)
        id = answer.body.message_id
      } else if (answer?.status === 201) id = answer.body.message_id
      else if (answer?.status === 409 || answer?.status === 504) isInDoubt = true
      return id !== undefined || (await pause(100).then(() => false))
    },
    30_000,
  )
  return id ?? ''
}

// Which commit fails differs from run to run: that of the acceptance, of the outcome, or of a receipt.
test.for([52, 56, 58, 60, 63])(
  'D-04 sync %i of the disk fails: everything is reopened, and no acknowledged or repeated send is lost or doubled',
  async (nth, { task, skip }) => {
    needStrace(skip)
    const home = homeOfTest()
    home.write({ sandbox: { timeline_ms: [0, 0, 0, 0] } })
    const { key } = await home.key('Sync')
    const before = await home.start()
    const instance = await pairedInstance(before.api(key), '12025550100')
    await before.end('SIGTERM')

    const injection = ['-f', '-qq', '-o', '/dev/null', '-e', 'trace=fsync,fdatasync']
    const failing = ['-e', `inject=fsync,fdatasync:error=EIO:when=${nth}`]
    const traced = await startTraced([...injection, ...failing], home.dir, { SWITCHBOARD_LOG_LEVEL: 'info' })
    const api = traced.api(key)
    const messages = `/v1/instances/${instance}/messages`
    const listened = () => traced.out().match(/"event":"listening"/g)?.length ?? 0
    const ids: string[] = []
    const doubts: boolean[] = []
    for (let n = 0; n < 150; n++) ids.push(await sendUntilKnown(api, messages, n, (sent) => doubts.push(sent)))
    expect(listened()).toBeGreaterThanOrEqual(2)
    expect((await health(traced.url)).problems).toEqual([])
    const repeated: string[] = []
    for (let n = 0; n < 150; n++) repeated.push(await sendUntilKnown(api, messages, n, () => {}))
    expect(repeated).toEqual(ids)
    await stopTraced(traced, home.dir)

    checkSound(home.dir, ids)
    const database = new Database(join(home.dir, 'switchboard.db'), { readonly: true })
    const sent = database
      .prepare("SELECT id, text FROM messages WHERE direction = 'out' AND status <> 'failed' ORDER BY seq")
      .all()
    database.close()
    expect(sent).toEqual(ids.map((id, n) => ({ id, text: String(n) })))
    const inDoubt = `${doubts.length} in doubt, ${doubts.filter((was) => !was).length} of them not sent and repeated`
    task.meta.observed = `sync ${nth}: reopened ${listened() - 1} time(s), 150 sends, each there once (${inDoubt})`
  },
)

test('D-06 killed again and again in the middle of a backup: every backup that has its name is whole, and the rest is none', async ({
  task,
}) => {
  const home = homeOfTest()
  const { key } = await home.key('Backup')
  const first = await home.start()
  const instance = await pairedInstance(first.api(key), '12025550100')
  await sendUntilRefused(first.api(key), instance, 800)
  await first.end('SIGTERM')
  expect((await home.command('backup')).code).toBe(0)
  for (let round = 0; round < 6; round++) {
    const service = await home.start()
    const asked = home.command('backup')
    await until(
      'a copy under way',
      () => readdirSync(join(home.dir, 'backups')).some((name) => name.endsWith('.part')) || round > 4,
      5_000,
    )
    await pause(round * 3)
    await service.end('SIGKILL')
    await asked
  }
  const names = readdirSync(join(home.dir, 'backups')).filter((name) => name.endsWith('.db'))
  for (const name of names) {
    const copy = new Database(join(home.dir, 'backups', name), { readonly: true })
    expect([name, copy.pragma('integrity_check', { simple: true })]).toEqual([name, 'ok'])
    copy.close()
  }
  const listed = JSON.parse((await home.command('restore', '--json')).out) as {
    data: { name: string; state: string }[]
  }
  expect(listed.data.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
  expect(listed.data.every(({ state }) => state === 'usable')).toBe(true)
  task.meta.observed = `6 kills, ${names.length} backups, each whole`
})
