import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mustAgree, type Court, type Judge } from '../court.ts'

/** Three generators that programs of our callers are made with, and how each is told what to read and where to write. */
const GENERATORS = [
  { name: 'openapi-typescript', args: (from: string, to: string) => [from, '-o', `${to}/openapi-typescript/api.ts`] },
  { name: 'openapi-ts', args: (from: string, to: string) => ['-i', from, '-o', `${to}/hey`, '-c', CLIENT] },
  { name: 'orval', args: (from: string, to: string) => ['--input', from, '--output', `${to}/orval/api.ts`, ...FETCH] },
]
const CLIENT = '@hey-api/client-fetch'
const FETCH = ['--client', 'fetch']

/** What a caller writes with each: what the document allows compiles, and what it forbids does not. */
const USE = `
import type { paths } from './openapi-typescript/api.ts'
import { sendMessage as send, type SendMessageErrors } from './hey/index.ts'
import { sendMessage } from './orval/api.ts'

type Operation = paths['/v1/instances/{id}/messages']['post']
type Body = Operation['requestBody']['content']['application/json']
export const body: Body = { to: '12025550123', text: 'Your order is ready.' }
// @ts-expect-error a message goes to somebody
export const toNobody: Body = { text: 'Your order is ready.' }
// @ts-expect-error a number is digits in a text
export const toNumber: Body = { to: 12025550123, text: 'Your order is ready.' }
export const messageIdOf = (sent: Operation['responses'][201]['content']['application/json']): string => sent.message_id

export async function viaHey(id: string): Promise<string | undefined> {
  const { data } = await send({ path: { id }, body, headers: { 'Idempotency-Key': 'order-1' } })
  return data?.message_id
}
export const isRetryable = (error: SendMessageErrors[504]): boolean => error.error.retryable
// @ts-expect-error the path needs the instance
export const nowhere = () => send({ body })

export async function viaOrval(id: string): Promise<boolean> {
  const answer = await sendMessage(id, body)
  return answer.status === 201 ? answer.data.sent : answer.data.error.retryable
}
`

const TSCONFIG = {
  compilerOptions: {
    ...{ strict: true, noEmit: true, skipLibCheck: false, types: [] },
    ...{ target: 'ES2024', lib: ['ES2024', 'DOM', 'DOM.Iterable'] },
    ...{ module: 'ESNext', moduleResolution: 'Bundler', allowImportingTsExtensions: true },
  },
  include: ['.'],
}

export const judge: Judge = {
  about: 'clients generated from the served document compile, by openapi-typescript, hey-api and orval',
  async judge({ url, dir, tool }: Court) {
    const document = join(dir, 'openapi.yaml')
    writeFileSync(document, await (await fetch(`${url}/openapi.yaml`)).text())
    for (const { name, args } of GENERATORS) mustAgree(name, await tool(name, args(document, dir)))
    writeFileSync(join(dir, 'use.ts'), USE)
    writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(TSCONFIG))
    mustAgree('tsc --strict over the generated clients', await tool('tsc', ['-p', dir]))
    return `${GENERATORS.length} generators`
  },
}
