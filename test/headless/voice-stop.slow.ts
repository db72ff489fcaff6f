import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { pairedInstance } from '../support/sandbox.ts'
import { testHome, until, type Api } from '../support/service-process.ts'
import { slowness } from '../support/loop-stretch.ts'

const STOPS_WITHIN_MS = 6_000

/** Processes that this one has started. */
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

test.runIf(process.platform === 'linux')(
  'SIGTERM to every process of the service, as systemd sends it, ends a call with a goodbye and keeps its recording',
  async () => {
    const home = testHome()
    onTestFinished(() => home.remove())
    home.write({ 'sandbox.voice_speed': 1 })
    const { key } = await home.key('Calls')
    const service = await home.start()
    const api: Api = service.api(key)
    const id = await pairedInstance(api, '12025551000')
    const agent = (await api('POST', `/v1/instances/${id}/ai/agents`, { name: 'Ana', provider: 'builtin' })).body.id
    await api('POST', `/v1/instances/${id}/voice/enable`)
    const made = await api('POST', `/v1/instances/${id}/voice/calls`, { to_number: '13105550123', agent_id: agent })
    const path = `/v1/instances/${id}/voice/calls/${made.body.id}`
    await until('the call', async () => (await api('GET', path)).body.status === 'in_progress', 60_000)

    const startedAt = performance.now()
    for (const child of childrenOf(service.pid)) process.kill(child, 'SIGTERM')
    expect(await service.end('SIGTERM'), service.errors()).toBe(0)
    expect((performance.now() - startedAt) / slowness()).toBeLessThan(STOPS_WITHIN_MS)

    const database = new Database(join(home.dir, 'switchboard.db'), { readonly: true })
    onTestFinished(() => void database.close())
    expect(
      database
        .prepare('SELECT status, end_reason AS reason, recording_id IS NOT NULL AS recorded FROM voice_calls')
        .all(),
    ).toEqual([{ status: 'failed', reason: 'app_closed', recorded: 1 }])
    const said = database.prepare("SELECT text FROM voice_transcripts WHERE speaker = 'agent' ORDER BY position").all()
    expect(said.at(-1)).toMatchObject({ text: expect.stringContaining('We have to hang up. Goodbye.') })
    expect(readdirSync(join(home.dir, 'recordings'))).toEqual([])
  },
)

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test.runIf(process.platform === 'linux')('a voice process that hangs does not outlive the service', async () => {
  const home = testHome()
  onTestFinished(() => home.remove())
  const { key } = await home.key('Calls')
  const service = await home.start()
  const api: Api = service.api(key)
  const id = await pairedInstance(api, '12025551000')
  const agent = (await api('POST', `/v1/instances/${id}/ai/agents`, { name: 'Ana', provider: 'builtin' })).body.id
  await api('POST', `/v1/instances/${id}/voice/enable`)
  const made = await api('POST', `/v1/instances/${id}/voice/calls`, { to_number: '13105550123', agent_id: agent })
  const path = `/v1/instances/${id}/voice/calls/${made.body.id}`
  await until('the call', async () => (await api('GET', path)).body.status === 'in_progress', 60_000)

  const [voice = 0] = childrenOf(service.pid)
  process.kill(voice, 'SIGSTOP')
  onTestFinished(() => {
    if (isAlive(voice)) process.kill(voice, 'SIGKILL')
  })
  await service.end('SIGTERM')
  // What is stopped does not notice that the service is gone.
  await until('its end', () => !isAlive(voice), 10_000)
})
