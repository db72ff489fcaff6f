import { rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import {
  approvalsPage,
  countPending,
  interruptedApprovals,
  latestOfCall,
} from '../../../main/capabilities/approvals/store.ts'
import { asConsole } from '../../support/console.ts'
import { tempFolder, testDatabase } from '../../support/database.ts'
import { queryPlan } from '../../support/query-plan.ts'
import { memoryVault } from '../../support/vault.ts'
import { world, type World } from '../../support/world.ts'
import { assistantOf } from './assistant.ts'

/** A home whose service is ended and started again. */
function home() {
  const dir = tempFolder()
  const vault = memoryVault()
  let seed = 1
  let running: World | undefined
  onTestFinished(async () => {
    await running?.close()
    rmSync(dir, { recursive: true, force: true })
  })
  return {
    async start(): Promise<World> {
      running = await world({ home: dir, vault, seed: seed++ })
      return running
    },
    /** Ends the service; then what a crash would have left is written. */
    async end(sql?: string) {
      await running?.close()
      running = undefined
      if (sql === undefined) return
      const database = new Database(join(dir, 'switchboard.db'))
      database.exec(sql)
      database.close()
    },
  }
}

/** As a process leaves it that was killed after it began the call. */
const CUT_OFF = `UPDATE approvals SET state = 'approved', boot = 'boot_gone', decided_at = COALESCE(decided_at, created_at),
  status = NULL, answer = NULL, executed_at = NULL`

const read = async (w: World, id: string) => (await asConsole(w)('GET', `/v1/approvals/${id}`)).body

test('pending approvals stay pending after a restart', async () => {
  const { start, end } = home()
  const before = await start()
  const { id } = await before.instance()
  const { callAndWait, key } = await assistantOf(before, 'destructive')
  const approval = await callAndWait('delete_instance', { instance_id: id })
  await end()

  const after = await start()
  expect((await read(after, approval)).state).toBe('pending')
  expect((await asConsole(after)('POST', `/v1/approvals/${approval}/approve`)).body.state).toBe('executed')
  const again = await assistantOf(after, 'destructive', 'modern', key)
  expect((await again.call('delete_instance', { instance_id: id })).body).toMatchObject({ deleted: true })
})

test('an interrupted call that is safe to repeat is executed again and sends its message once', async () => {
  const { start, end } = home()
  const before = await start()
  const line = await before.pair()
  const { callAndWait } = await assistantOf(before, 'sending')
  const approval = await callAndWait('send_message', { instance_id: line.id, to: '12025550123', text: 'Hello' })
  const { body } = await asConsole(before)('POST', `/v1/approvals/${approval}/approve`)
  expect(body.result.body.sent).toBe(true)
  await before.quiet()
  await end(CUT_OFF)

  const after = await start()
  const now = await read(after, approval)
  expect(now).toMatchObject({ state: 'executed', result: { status: 201, body: body.result.body } })
  expect(await after.rows('SELECT id FROM messages')).toHaveLength(1)
})

test('an interrupted call that is not safe to repeat has an unknown outcome and is not executed again', async () => {
  const { start, end } = home()
  const before = await start()
  const { id } = await before.instance()
  const { callAndWait } = await assistantOf(before, 'destructive')
  const approval = await callAndWait('delete_instance', { instance_id: id })
  await end(`${CUT_OFF}, repeatable = 0`)

  const after = await start()
  expect(await read(after, approval)).toMatchObject({
    state: 'executed',
    result: { status: 500, body: { error: { message: expect.stringContaining('not known') } } },
  })
  expect((await after.api('GET', `/v1/instances/${id}`)).status).toBe(200)
})

test('a call that was interrupted long ago is not executed again', async () => {
  const { start, end } = home()
  const before = await start()
  const { id } = await before.instance()
  const { callAndWait } = await assistantOf(before, 'destructive')
  const approval = await callAndWait('delete_instance', { instance_id: id })
  await end(CUT_OFF.replace('COALESCE(decided_at, created_at)', 'created_at - 3600000'))

  const after = await start()
  expect((await read(after, approval)).result.status).toBe(500)
  expect((await after.api('GET', `/v1/instances/${id}`)).status).toBe(200)
})

test('the arguments of a call are encrypted in the database', async () => {
  const { start, end } = home()
  const w = await start()
  const { id } = await w.instance()
  const { callAndWait } = await assistantOf(w, 'destructive')
  await callAndWait('delete_instance', { instance_id: id })
  const [row] = await w.rows<{ arguments: Uint8Array }>('SELECT arguments FROM approvals')
  expect(Buffer.from(row!.arguments).toString('latin1')).not.toContain(id)
  await end()
})

test('every query uses an index', async () => {
  const database = await testDatabase()
  onTestFinished(() => database.close())
  expect(queryPlan(database.raw, approvalsPage).join()).toContain('approvals_by_account')
  expect(queryPlan(database.raw, latestOfCall).join()).toContain('approvals_by_call')
  expect(queryPlan(database.raw, countPending).join()).toContain('approvals_pending')
  expect(queryPlan(database.raw, interruptedApprovals).join()).toContain('approvals_approved')
})
