import { createHash, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'

/**
 * A bare Fastify: key check with SHA-256, the usual headers, and answers serialized by their schema. `node
 * read-server.ts <key> '{"/path": body}'` answers each path with its body. It shares no code with the product.
 */
const [key = '', bodies = '{}'] = process.argv.slice(2)
const keys = new Map([[digest(key), { tokens: 1e12, limit: 1_000_000 }]])

function digest(token: string): string {
  return createHash('sha256').update(token).digest('base64')
}

/** A schema that matches exactly this value. */
function schemaOf(value: unknown): object {
  if (value === null) return { type: 'null' }
  if (Array.isArray(value)) return { type: 'array', items: value.length > 0 ? schemaOf(value[0]) : {} }
  if (typeof value !== 'object') return { type: typeof value }
  const entries = Object.entries(value).map(([name, each]) => [name, schemaOf(each)])
  return { type: 'object', properties: Object.fromEntries(entries) as object }
}

const app = Fastify({ logger: false })
app.addHook('onRequest', (request, reply, done) => {
  const found = keys.get(digest(request.headers.authorization?.slice('Bearer '.length) ?? ''))
  if (found === undefined) return void reply.code(401).send({ error: { code: 'unauthorized' } })
  reply
    .header('x-request-id', randomUUID())
    .header('x-ratelimit-limit', found.limit)
    .header('x-ratelimit-remaining', --found.tokens)
  done()
})
for (const [path, body] of Object.entries(JSON.parse(bodies) as Record<string, unknown>)) {
  app.get(path, { schema: { response: { 200: schemaOf(body) } } }, async () => body)
}
await app.listen({ host: '127.0.0.1', port: 0 })
console.log(JSON.stringify({ url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` }))
