import { request as httpRequest, type IncomingMessage } from 'node:http'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { clientOf } from '../capabilities/agency/agency-world.ts'
import { FILE_HEAD_BYTES } from '../../main/kernel/file-type.ts'
import { silentLog, type Log } from '../../main/kernel/log.ts'
import { browserOf, builtConsole, signedIn } from '../support/panel.ts'
import { worldOfTest, type World } from '../support/world.ts'

const codeIn = (url: string) => /#code=([\w-]+)$/.exec(url)?.[1] ?? ''

/** An upload that has begun and goes on. */
async function uploading(w: World, cookie: string, path = '/panel/v1/media') {
  const headers = { cookie, origin: `http://${w.host}`, 'sec-fetch-site': 'same-origin', 'content-type': 'video/mp4' }
  const request = httpRequest(`${w.service.url}${path}`, { method: 'POST', headers })
  const state = { isCut: false, status: 0 }
  request.on('response', (response: IncomingMessage) => {
    state.status = response.statusCode ?? 0
    response.resume()
  })
  request.on('error', () => {})
  request.once('close', () => (state.isCut = true))
  const before = parts(w)
  // It is stored once its type can be told.
  request.write(Buffer.alloc(FILE_HEAD_BYTES))
  await vi.waitFor(() => expect(parts(w)).toBe(before + 1), 5_000)
  return { state, request }
}

function parts(w: World): number {
  const folder = join(w.home, 'files', 'incoming')
  return existsSync(folder) ? readdirSync(folder).length : 0
}

test('an upload from the console ends with its session, and other uploads do not', async () => {
  const errors: unknown[] = []
  const log: Log = { ...silentLog, error: (fields) => void errors.push(fields) }
  const w = await worldOfTest({ consoleFolder: builtConsole(), log })
  const [mine, other] = [await signedIn(w), await signedIn(w)]
  const client = await clientOf(w, { name: 'Bakery' })
  const uploads = {
    kept: await uploading(w, mine.cookie),
    own: await uploading(w, other.cookie),
    inClient: await uploading(w, other.cookie, `/panel/accounts/${client.id}/v1/media`),
  }
  expect((await other.ask('DELETE', '/panel/session')).status).toBe(204)
  await vi.waitFor(() => expect([uploads.own.state.isCut, uploads.inClient.state.isCut]).toEqual([true, true]), 2_000)
  await vi.waitFor(() => expect(parts(w)).toBe(1), 2_000)
  uploads.kept.request.end()
  await vi.waitFor(() => expect(uploads.kept.state.status).toBe(201), 2_000)
  expect([uploads.own.state.status, uploads.inClient.state.status]).toEqual([0, 0])
  expect(errors).toEqual([])
})

test('an upload of a member ends when the member is removed', async () => {
  const w = await worldOfTest({ consoleFolder: builtConsole() })
  const operator = await signedIn(w)
  const client = await clientOf(w, { name: 'Bakery' })
  const at = `/panel/accounts/${client.id}/v1/members`
  const { member, url } = (await operator.ask('POST', at, { name: 'Ana', email: 'ana@bakery.example' })).body
  const ana = browserOf(w)
  expect((await ana.signIn({ code: codeIn(url) })).status).toBe(204)
  const { state } = await uploading(w, ana.cookie)
  expect((await operator.ask('DELETE', `${at}/${member.id}`)).status).toBeLessThan(300)
  await vi.waitFor(() => expect(state.isCut).toBe(true), 2_000)
  await vi.waitFor(() => expect(parts(w)).toBe(0), 2_000)
  expect(state.status).toBe(0)
})
