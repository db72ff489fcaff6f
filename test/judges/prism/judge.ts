import fc from 'fast-check'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { follow, until } from '../../support/service-process.ts'
import { Objection, type Court, type Judge } from '../court.ts'
import { readDocument } from './document.ts'
import { exchange, type Asked } from './exchange.ts'
import { createPool } from './pool.ts'
import { recipes, type Recipe } from './recipes.ts'
import { asKept, LOOKS_AT_IT, type Body } from './words.ts'
import { brokenAnywhere, brokenByPrism, differing, isRecord, parsed, type Violation } from './rules.ts'

const REQUESTS = Number(process.env['JUDGE_REQUESTS'] ?? 2_000)
const seed = Number(process.env['JUDGE_SEED'] ?? Date.now() % 2 ** 31)
const MOST_OBJECTIONS = 12

/** Bodies that Prism never answers or takes for none, and ids that would not reach the product through it as they are. */
const PAST_PRISM = ({ operation, ids, body }: Recipe) =>
  body === false ||
  body === null ||
  body === '' ||
  body === 0 ||
  operation.fileTypes.length > 0 ||
  (body !== undefined && operation.body === undefined) ||
  ids.some((id) => typeof id === 'string')

/**
 * Requests made from the served document, and Prism between them and the product as the judge of what is forbidden and
 * what is undocumented. A seed repeats the same thoughts: JUDGE_SEED=1 npm run judge prism.
 */
export const judge: Judge = {
  about: 'requests made from the served document, by fast-check, judged by Prism',
  // A fault or a silent number is waited for this long.
  settings: { SWITCHBOARD_SEND_TIMEOUT_MS: '200' },
  async judge(court: Court) {
    const yaml = await (await fetch(`${court.url}/openapi.yaml`)).text()
    const { operations, resolve } = readDocument(yaml)
    const pool = await createPool(court.api)
    const prism = await startPrism(court, yaml)
    const all = new Set(operations.map(({ id }) => id))
    const broken: string[] = []
    const met = new Map<string, Set<number>>()
    try {
      for (const thought of fc.sample(recipes(operations, resolve), { numRuns: REQUESTS, seed })) {
        const { asked, recipe } = pool.request(thought, court.key)
        const wrong = await tryOne(court, prism.url, recipe, asked, met)
        if (wrong.length > 0) broken.push(`${describe(asked)}\n  ${wrong.join('\n  ')}`)
        if (broken.length >= MOST_OBJECTIONS) break
      }
    } finally {
      await prism.end()
    }
    if (broken.length > 0) throw new Objection(`JUDGE_SEED=${seed}\n${broken.join('\n')}`)
    const unmet = [...all].filter((id) => ![...(met.get(id) ?? [])].some((status) => status < 300))
    const never = unmet.length === 0 ? '' : `, never fulfilled: ${unmet.join(', ')}`
    return `${REQUESTS} requests to ${all.size} operations, seed ${seed}${never}`

    async function tryOne(
      { url, api }: Court,
      through: string,
      recipe: Recipe,
      asked: Asked,
      seen: Map<string, Set<number>>,
    ): Promise<string[]> {
      const isDirect = PAST_PRISM(recipe)
      const thing = LOOKS_AT_IT.has(recipe.operation.id) && !isDirect ? await thingOf(asked) : {}
      const answer = await exchange(isDirect ? url : through, asked)
      if (answer === undefined) return [`no answer from ${isDirect ? 'the product' : 'Prism'}`]
      const { id } = recipe.operation
      seen.set(id, (seen.get(id) ?? new Set()).add(answer.status))
      if (recipe.key !== 'valid' && answer.status !== 401 && !isDirect) return [`${answer.status} without a valid key`]
      const wrong = brokenAnywhere(recipe, answer)
      if (isDirect) return wrong
      const violations = parsed(String(answer.headers['sl-violations'] ?? '[]')) as Violation[]
      wrong.push(...brokenByPrism(recipe, answer, violations, thing))
      if (answer.status >= 300 || answer.headers['idempotent-replayed'] !== undefined) return wrong
      const reply = parsed(answer.text)
      pool.learn(recipe.operation, asked, reply)
      if (recipe.operation.method === 'GET') return wrong
      const sent = asKept(recipe, thing)
      wrong.push(...differing(sent, reply).map((field) => `the answer says otherwise: ${field}`))
      const where = placeOf(recipe, asked, reply)
      const kept = where === undefined ? undefined : await api('GET', where)
      if (kept?.status === 200) {
        wrong.push(...differing(sent, kept.body).map((field) => `kept otherwise: ${field}`))
        wrong.push(...differing(recipe.operation.method === 'DELETE' ? {} : stable(reply), kept.body))
      }
      return wrong
    }

    /** What the path names without its last part. */
    async function thingOf({ path }: Asked): Promise<Body> {
      const { status, body } = await court.api('GET', path.slice(0, path.lastIndexOf('/')))
      return status === 200 ? (body as Body) : {}
    }

    /** Where the thing that a request made or changed can be read. */
    function placeOf({ operation }: Recipe, asked: Asked, reply: unknown): string | undefined {
      const path = asked.path.split('?', 1)[0] ?? ''
      if (operation.method !== 'POST') return path
      if (!isRecord(reply)) return undefined
      const id = operation.id === 'sendMessage' ? reply['message_id'] : reply['id']
      const isListed = operations.some(({ method, path: other }) => method === 'GET' && isItemOf(other, operation.path))
      return typeof id === 'string' && isListed ? `${path}/${id}` : undefined
    }
  },
}

const isItemOf = (item: string, list: string) => item.startsWith(`${list}/{`) && item.indexOf('/', list.length + 1) < 0

/** Fields of an answer that do not move by themselves. */
function stable(reply: unknown): Record<string, unknown> {
  if (!isRecord(reply)) return {}
  const kept = [
    'id',
    'message_id',
    'name',
    'instance_name',
    'engine',
    'network',
    'external_ref',
    'metadata',
    'created_at',
  ]
  return Object.fromEntries(kept.filter((field) => field in reply).map((field) => [field, reply[field]]))
}

const describe = ({ method, path, headers, body }: Asked) => {
  const { authorization: _authorization, ...shown } = headers
  return `${method} ${path} ${JSON.stringify(shown)} ${body ?? ''}`.slice(0, 700)
}

async function startPrism({ url, dir, program }: Court, yaml: string) {
  const document = join(dir, 'openapi.yaml')
  writeFileSync(document, yaml)
  const { file, env } = program('prism')
  const port = await freePort()
  const args = [file, 'proxy', document, url, '-p', String(port), '-h', '127.0.0.1']
  const prism = follow(spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] }))
  const ended = prism.ended.then(() => Promise.reject(new Objection(`Prism ended: ${prism.out()}${prism.errors()}`)))
  const listens = until('Prism listens', () => prism.out().includes('is listening'))
  await Promise.race([listens, ended])
  // From here on it ends when it is told to.
  ended.catch(() => undefined)
  return { url: `http://127.0.0.1:${port}`, end: () => prism.end('SIGKILL') }
}

/** Prism does not say which port it took when it may choose. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
