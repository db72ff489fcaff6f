import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser'
import { ESLint } from 'eslint'
import { beforeAll, expect, test } from 'vitest'
import { tempFolder } from '../support/database.ts'

/** Connections are opened by main/outbound/ only. What is planted here would go around it. */

const ROOT = resolve(import.meta.dirname, '../..')
const GUARD = /main\/outbound/

const eslint = new ESLint({ cwd: ROOT, overrideConfigFile: join(ROOT, '.eslint.config.mjs') })

async function faults(file: string, text: string): Promise<string[]> {
  const [result] = await eslint.lintText(text, { filePath: join(ROOT, file) })
  return (result?.messages ?? []).map(({ message }) => message).filter((message) => GUARD.test(message))
}

// Loading the linter takes a while.
beforeAll(() => faults('main/voice/planted.ts', ''), 120_000)

const PLANTED = [
  `await fetch('https://example.com')`,
  `await globalThis.fetch('https://example.com')`,
  `new WebSocket('wss://example.com')`,
  `new EventSource('https://example.com')`,
  `import { connect } from 'node:net'\nconnect(1)`,
  `import { connect } from 'net'\nconnect(1)`,
  `import * as net from 'node:net'\nnet.connect(1)`,
  `import net from 'node:net'\nnet.connect(1)`,
  `import { Socket } from 'node:net'\nnew Socket()`,
  `import { request } from 'node:http'\nrequest('')`,
  `import { get } from 'node:https'\nget('')`,
  `import { connect } from 'node:tls'\nconnect({})`,
  `import { connect } from 'node:http2'\nconnect('')`,
  `import { createSocket } from 'node:dgram'\ncreateSocket('udp4')`,
  `import { lookup } from 'node:dns/promises'\nawait lookup('')`,
  `import { WebSocket as Socket } from 'ws'\nnew Socket('')`,
  `import { request } from 'undici'\nawait request('')`,
  `const { connect } = await import('node:net')\nconnect(1)`,
  `process.getBuiltinModule('net').connect(1)`,
]

test.each(PLANTED)('the linter refuses %j outside the guard', async (text) => {
  expect(await faults('main/voice/planted.ts', text)).not.toEqual([])
})

test.each(['main/capabilities/ai/planted.ts', 'main/kernel/clock.ts', 'main/config.ts', 'main/headless.ts'])(
  'the linter refuses a connection in %s',
  async (file) => {
    const text = `import { connect } from 'node:tls'\nconnect({})\nawait fetch('')\nawait import('node:dns')`
    expect(await faults(file, text)).toHaveLength(3)
  },
)

test('listeners, types and the guard itself pass', async () => {
  const listener = `import { createServer, type Socket } from 'node:net'\nimport type { Agent } from 'node:https'\nexport const listen = () => createServer()\nexport type All = Socket | Agent`
  expect(await faults('main/faces/planted.ts', listener)).toEqual([])
  for (const text of PLANTED.filter((one) => one.startsWith('import')))
    expect(await faults('main/outbound/planted.ts', text)).toEqual([])
})

test.each([
  'node:dgram',
  'node:tls',
  'node:dns/promises',
  'undici',
  'ws',
  'werift',
  'jssip',
  'nodemailer',
  '@ai-sdk/openai',
])('the dependency rule refuses %s in a room', async (name) => {
  const folder = tempFolder()
  mkdirSync(join(folder, 'main/capabilities/ai'), { recursive: true })
  writeFileSync(
    join(folder, 'main/capabilities/ai/planted.ts'),
    `import * as library from '${name}'\nexport { library }`,
  )
  const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
    forbidden: NonNullable<NonNullable<ICruiseOptions['ruleSet']>['forbidden']>
  }
  const { output } = await cruise(['main'], { baseDir: folder, validate: true, ruleSet: { forbidden } })
  const broken = (output as ICruiseResult).summary.violations.map(({ rule }) => rule.name)
  expect(broken.filter((rule) => rule === 'only-the-guard-dials' || rule.startsWith('home-of-'))).not.toEqual([])
})

/** Answers that are read part by part. Those of `request` have limits without being asked. */
const OPENED = globSync('main/**/*.ts', { cwd: ROOT, exclude: ['main/outbound/**'] }).flatMap((file) => {
  const text = readFileSync(join(ROOT, file), 'utf8')
  return [...text.matchAll(/outbound\.open\(\{(.*?)\n\s*\}\)/gs)].map(([, wish = '']) => ({ file, wish }))
})

test('answers are read chunk by chunk only in known places', () => {
  expect(OPENED.map(({ file }) => file).toSorted()).toEqual([
    'main/capabilities/ai-providers/guarded-fetch.ts',
    'main/capabilities/messages/media.ts',
    'main/engines/smv2/media-transfer.ts',
    'main/voice/speech/http.ts',
  ])
})

test.each(OPENED)('an answer that $file reads chunk by chunk has limits of size and time', ({ wish }) => {
  for (const limit of ['headersTimeoutMs', 'bodyTimeoutMs', 'maxBodyBytes', 'signal']) expect(wish).toContain(limit)
})
