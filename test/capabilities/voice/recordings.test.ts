import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { tempFolder } from '../../support/database.ts'
import { testAgents } from '../../support/voice.ts'
import { world, worldOfTest, type World } from '../../support/world.ts'
import { readPages } from '../../../main/kernel/ogg.ts'
import { callingInstance, ended, until, voiceOf } from './calls.ts'

let w: World
let id: string
let call: any
beforeAll(async () => {
  w = await world({ voiceAgents: testAgents() })
  id = await callingInstance(w)
  call = await make()
})
afterAll(() => w.close())

const errorOf = ({ status, body }: { status: number; body: any }) => `${status} ${body?.error?.code}`

async function make(instance = id): Promise<any> {
  const made = await w.api('POST', `${voiceOf(instance)}/calls`, { to_number: '12025550123', agent_id: 'agent-1' })
  return ended(w, instance, made.body.id)
}
const latest = (query: string, sending = {}) => w.api('GET', `/v1/voice/recordings/latest?${query}`, undefined, sending)

test('the latest recording is found by id, name and instance_name, and not before its call has ended', async () => {
  const record = (await w.api('GET', `/v1/instances/${id}`)).body
  for (const name of [id, record.name, record.instance_name]) {
    const found = await latest(`instance=${encodeURIComponent(name)}`)
    expect(found.body.data.instance).toEqual({ id, name: record.name, instance_name: record.instance_name })
    expect(found.body.data.recording.id).toBe(call.recording_id)
  }
  expect((await latest(`instance=${id}&call_id=${call.id}`)).body.data.recording.call_id).toBe(call.id)

  const running = await w.api('POST', `${voiceOf(id)}/calls`, { to_number: '12025550124', agent_id: 'agent-1' })
  await until(
    w,
    async () => (await w.api('GET', `${voiceOf(id)}/calls/${running.body.id}`)).body,
    ({ status }) => status === 'in_progress',
  )
  expect(errorOf(await latest(`instance=${id}&call_id=${running.body.id}`))).toBe('404 not_found')
  const done = await ended(w, id, running.body.id)
  expect((await latest(`instance=${id}`)).body.data.recording.id).toBe(done.recording_id)
})

test('a name of several instances is ambiguous, for a restricted key only within its list', async () => {
  const one = await w.pair(undefined, { name: 'Twin' })
  const other = await w.pair(undefined, { name: 'Twin' })
  expect(errorOf(await latest('instance=Twin'))).toBe('409 ambiguous_instance')
  const { key } = await w.key({ instances: [one.id] })
  expect(errorOf(await latest('instance=Twin', { key }))).toBe('404 not_found')
  await w.api('POST', `${voiceOf(one.id)}/enable`)
  const twin = await make(one.id)
  expect((await latest('instance=Twin', { key })).body.data.recording.id).toBe(twin.recording_id)
  const { key: outside } = await w.key({ instances: [id] })
  expect(errorOf(await latest('instance=Twin', { key: outside }))).toBe('404 not_found')
  expect(errorOf(await latest(`instance=${other.id}`))).toBe('404 not_found')
  expect(errorOf(await latest('instance=nothing'))).toBe('404 not_found')
})

test('a download redirects to a signed address that serves ranges without a key, for five minutes', async () => {
  const path = `${voiceOf(id)}/recordings/${call.recording_id}/download`
  const redirect = await w.api('GET', path)
  expect(redirect.status).toBe(307)
  const location = redirect.headers['location'] ?? ''
  expect(location).toMatch(/^\/files\/rec\/[0-9a-f-]{36}\?exp=\d+&sig=[\w-]{43}$/)
  const whole = await w.raw(`GET ${location} HTTP/1.1\r\nHost: ${w.host}\r\nConnection: close\r\n\r\n`)
  expect(whole).toContain('200 OK')
  expect(whole).toContain('content-type: audio/ogg')
  const part = await w.api('GET', location, undefined, { key: null, headers: { range: 'bytes=0-3' } })
  expect([part.status, part.text, part.headers['content-range']]).toEqual([
    206,
    'OggS',
    `bytes 0-3/${(await w.api('GET', `${voiceOf(id)}/recordings/${call.recording_id}`)).body.size_bytes}`,
  ])

  expect((await w.api('GET', path, undefined, { key: null })).status).toBe(401)
  const stranger = await w.stranger()
  expect(errorOf(await w.api('GET', path, undefined, { key: stranger.key }))).toBe('404 not_found')
  const { key } = await w.key({ scopes: ['voice:manage'] })
  expect(errorOf(await w.api('GET', path, undefined, { key }))).toBe('403 insufficient_scope')

  const noKey = { key: null }
  const other = location.replace(/rec\/./, (start: string) => (start.endsWith('0') ? 'rec/1' : 'rec/0'))
  for (const altered of [other, location.replace('sig=', 'sig=A'), location.replace(/exp=\d/, 'exp=9'), '/files/rec/x'])
    expect(errorOf(await w.api('GET', altered, undefined, noKey)), altered).toBe('404 not_found')
  await w.pass(301_000)
  expect(errorOf(await w.api('GET', location, undefined, noKey))).toBe('404 not_found')
})

test('recordings are listed by direction and audio, newest first, page by page', async () => {
  await make()
  const all = (await w.api('GET', `${voiceOf(id)}/recordings`)).body.recordings
  expect(all.length).toBeGreaterThanOrEqual(2)
  const first = (await w.api('GET', `${voiceOf(id)}/recordings?limit=1&has_audio=true&direction=outbound`)).body
  expect(first).toMatchObject({ recordings: [all[0]], has_more: true })
  const next = await w.api(
    'GET',
    `${voiceOf(id)}/recordings?limit=1&has_audio=true&direction=outbound&cursor=${first.next_cursor}`,
  )
  expect(next.body.recordings).toEqual([all[1]])
  expect((await w.api('GET', `${voiceOf(id)}/recordings?direction=inbound`)).body.recordings).toEqual([])
  expect((await w.api('GET', `${voiceOf(id)}/recordings?has_audio=false`)).body.recordings).toEqual([])
})

test('the window lists the recordings of all instances of its account, with the other party', async () => {
  const other = await callingInstance(w)
  const there = await make(other)
  const ask = async (query = '') =>
    (await asConsole(w)('GET', `/v1/voice/recordings${query}`)).body as { data: any[]; next_cursor: string | null }
  const { data: all } = await ask()
  expect(all[0]).toMatchObject({
    id: there.recording_id,
    instance_id: other,
    number: '12025550123',
    agent_id: 'agent-1',
  })
  const listed = await until(
    w,
    async () => (await ask()).data[0],
    ({ summary }) => summary !== null,
  )
  expect(listed.extract).toMatchObject({ quotes: ['When are you open?', 'Where are you?'], are_questions: true })
  expect(listed.summary).toContain(`${listed.extract.agent_lines} lines by the agent`)
  expect(all[0].instance_name).toBe((await w.api('GET', `/v1/instances/${other}`)).body.name)
  expect(all.map(({ instance_id: of }) => of)).toContain(id)
  const first = await ask('?limit=1&direction=outbound&has_audio=true')
  const second = await ask(`?limit=1&direction=outbound&has_audio=true&cursor=${first.next_cursor}`)
  expect([...first.data, ...second.data]).toEqual(all.slice(0, 2))
  expect((await ask(`?instance_id=${id}`)).data.every(({ instance_id: of }) => of === id)).toBe(true)
  expect((await ask('?direction=inbound')).data).toEqual([])
  const { key } = await w.stranger()
  const theirs = (await w.api('POST', '/v1/instances', { name: 'Theirs' }, { key })).body.id
  expect((await ask(`?instance_id=${theirs}`)).data).toEqual([])
})

/** What the sandbox writes for a call, as the process left it. */
function partOf(home: string, callId: string): Buffer {
  return readFileSync(join(home, 'recordings', `${callId}.ogg.part`))
}

test('a shutdown ends a running call and keeps its recording', async () => {
  const home = tempFolder()
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const first = await world({ voiceAgents: testAgents(), home })
  const line = await callingInstance(first)
  const made = await first.api('POST', `${voiceOf(line)}/calls`, { to_number: '12025550123', agent_id: 'agent-1' })
  await until(
    first,
    async () => (await first.api('GET', `${voiceOf(line)}/calls/${made.body.id}/review`)).body.transcript,
    (lines) => lines.length > 0,
  )
  await first.close()
  expect(readdirSync(join(home, 'recordings'))).toEqual([])

  const second = await worldOfTest({ voiceAgents: testAgents(), home, vault: first.vault, clock: first.clock, seed: 9 })
  const call = (await second.api('GET', `${voiceOf(line)}/calls/${made.body.id}`)).body
  expect(call).toMatchObject({ status: 'failed', end_reason: 'app_closed', attempt: 1 })
  expect((await second.api('GET', `${voiceOf(line)}/recordings/${call.recording_id}`)).body).toMatchObject({
    ...{ has_audio: true, duration_seconds: call.duration_seconds },
  })
  await second.pass(60_000)
  expect((await second.api('GET', `${voiceOf(line)}/calls`)).body.data, 'it is not made again').toEqual([
    expect.objectContaining({ id: call.id, attempt: 1, status: 'failed' }),
  ])
})

test.each([
  ['is completed as far as it is whole', 3_000, 'kept'],
  ['of which nothing is whole is removed', 40, 'lost'],
])('after a crash, a recording %s', async (_, bytes, fate) => {
  const home = tempFolder()
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const first = await world({ voiceAgents: testAgents(), home, soundAtEnd: false })
  const line = await callingInstance(first)
  const made = await first.api('POST', `${voiceOf(line)}/calls`, { to_number: '12025550123', agent_id: 'agent-1' })
  await until(
    first,
    async () => (existsSync(join(home, 'recordings')) ? readdirSync(join(home, 'recordings')) : []),
    (names) => names.length > 0,
  )
  await first.clock.advance(5_000)
  await until(
    first,
    async () => partOf(home, made.body.id).length,
    (length) => length > 6_000,
    500,
  )
  const copy = tempFolder()
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  mkdirSync(join(copy, 'recordings'))
  // Everything into the one file that is copied.
  await (first.service.db as unknown as { checkpoint(): Promise<void> }).checkpoint()
  for (const name of ['switchboard.db']) copyFileSync(join(home, name), join(copy, name))
  writeFileSync(join(copy, 'recordings', `${made.body.id}.ogg.part`), partOf(home, made.body.id))
  truncateSync(join(copy, 'recordings', `${made.body.id}.ogg.part`), bytes)
  await first.close()

  const second = await worldOfTest({
    voiceAgents: testAgents(),
    home: copy,
    vault: first.vault,
    clock: first.clock,
    seed: 9,
  })
  const call = (await second.api('GET', `${voiceOf(line)}/calls/${made.body.id}`)).body
  expect(call).toMatchObject({ status: 'failed', end_reason: 'app_crashed', attempt: 1 })
  const { recordings } = (await second.api('GET', `${voiceOf(line)}/recordings`)).body
  expect(readdirSync(join(copy, 'recordings'))).toEqual([])
  if (fate === 'lost') {
    expect([call.recording_id, recordings]).toEqual([null, []])
    return
  }
  expect(recordings).toMatchObject([
    { id: call.recording_id, has_audio: true, duration_seconds: call.duration_seconds },
  ])
  const { headers } = await second.api('GET', `${voiceOf(line)}/recordings/${call.recording_id}/download`)
  const { size_bytes: size } = recordings[0]
  expect(size).toBeLessThanOrEqual(3_000)
  const folder = join(copy, 'files')
  const [file = ''] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /fil_/.test(name))
  const kept = readFileSync(join(folder, file))
  const pages = readPages(kept)
  expect(
    pages.reduce((sum, { length }) => sum + length, 0),
    'nothing is left over',
  ).toBe(kept.length)
  expect((kept[(pages.at(-1)?.offset ?? 0) + 5] ?? 0) & 4, 'the last page says so').toBe(4)
  expect(headers['location']).toBeDefined()
})

test('the service starts although a part of a recording cannot be deleted', async () => {
  const home = tempFolder()
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  mkdirSync(join(home, 'recordings', 'stuck.ogg.part'), { recursive: true })
  writeFileSync(join(home, 'recordings', 'then.ogg.part'), 'half')
  await worldOfTest({ voiceAgents: testAgents(), home })
  expect(readdirSync(join(home, 'recordings'))).toEqual(['stuck.ogg.part'])
})

test('a recording whose file is missing says so, and can still be deleted', async () => {
  const made = await make()
  const path = `${voiceOf(id)}/recordings/${made.recording_id}`
  const { headers } = await w.api('GET', `${path}/download`)
  const [{ file }] = (await w.rows<{ file: string }>('SELECT file_id AS file FROM voice_recordings WHERE id = :id', {
    id: made.recording_id,
  })) as [{ file: string }]
  const onDisk = join(w.home, 'files', file.slice(-1), file)

  for (const damage of [() => truncateSync(onDisk, 100), () => rmSync(onDisk)]) {
    damage()
    expect((await w.api('GET', path)).body.download_available).toBe(false)
    expect((await w.api('GET', `${voiceOf(id)}/recordings`)).body.recordings).toContainEqual(
      expect.objectContaining({ id: made.recording_id, download_available: false }),
    )
    expect((await latest(`instance=${id}&call_id=${made.id}`)).body.data.recording.download_available).toBe(false)
    const listed = (await asConsole(w)('GET', '/v1/voice/recordings')).body as { data: any[] }
    expect(listed.data.filter(({ download_available: is }) => !is).map((one) => one.id)).toEqual([made.recording_id])
    for (const way of [
      await w.api('GET', `${path}/download`),
      (await asConsole(w)('GET', `${path}/audio`)) as { status: number; body: any },
    ]) {
      expect(errorOf(way)).toBe('404 not_found')
      expect(way.body.error.message).toContain('The file of this recording is missing from the disk.')
    }
    expect(errorOf(await w.api('GET', headers['location'] ?? '', undefined, { key: null }))).toBe('404 not_found')
  }
  expect((await w.api('GET', `${voiceOf(id)}/recordings/${call.recording_id}`)).body.download_available).toBe(true)
  expect((await asConsole(w)('DELETE', `${path}/file?confirm=true`)).status).toBe(204)
})
