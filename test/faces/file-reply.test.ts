import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendFile } from '../../main/faces/file-reply.ts'
import { ApiError } from '../../main/contract/errors.ts'
import { contentAt } from '../../main/kernel/file-content.ts'
import { tempFolder } from '../support/database.ts'

const folder = tempFolder()
const path = join(folder, 'a')
const app = Fastify({ exposeHeadRoutes: true })
beforeAll(() => {
  app.setErrorHandler((error, _, reply) => reply.code(error instanceof ApiError ? error.status : 500).send({}))
  app.get('/', (request, reply) => sendFile(request, reply, contentAt(path, { size: 5, hash: 'abc' }), {}))
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true })
})

const REQUESTS = [
  { method: 'GET' },
  { method: 'GET', headers: { range: 'bytes=0-1' } },
  { method: 'GET', headers: { range: 'bytes=9-' } },
  { method: 'GET', headers: { 'if-none-match': '"abc"' } },
  { method: 'HEAD' },
  { method: 'HEAD', headers: { 'if-none-match': '"abc"' } },
] as const
const statuses = () => Promise.all(REQUESTS.map(async (asked) => (await app.inject({ url: '/', ...asked })).statusCode))

test('a file whose bytes are missing or truncated is 404 however it is requested', async () => {
  writeFileSync(path, 'hello')
  expect(await statuses()).toEqual([200, 206, 416, 304, 200, 304])
  writeFileSync(path, 'hell')
  expect(await statuses()).toEqual(REQUESTS.map(() => 404))
  rmSync(path)
  expect(await statuses()).toEqual(REQUESTS.map(() => 404))
})
