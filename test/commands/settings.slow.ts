import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testHome, type TestHome } from '../support/service-process.ts'

const VARIABLE = 'SWITCHBOARD_ANONYMOUS_RATE_LIMIT_PER_MINUTE'
const FLAG = '--anonymous-rate-limit-per-minute'

let home: TestHome

beforeEach(() => {
  home = testHome()
})

afterEach(() => home.remove())

test('a flag overrides a variable, which overrides settings.json, which overrides the default', async () => {
  expect(await limitWith({})).toBe('60')
  home.write({ anonymous_rate_limit_per_minute: 111 })
  expect(await limitWith({})).toBe('111')
  expect(await limitWith({ [VARIABLE]: '222' })).toBe('222')
  expect(await limitWith({ [VARIABLE]: '222' }, FLAG, '333')).toBe('333')
  expect(await limitWith({ [VARIABLE]: '' }, `${FLAG}=444`)).toBe('444')
  expect(await limitWith({ [VARIABLE]: '' })).toBe('111')
})

/** What the answers say the limit of callers without a key is. */
async function limitWith(environment: Record<string, string>, ...args: string[]): Promise<string | null> {
  const service = await home.start(environment, ...args)
  const { headers } = await fetch(`${service.url}/healthz`)
  await service.end('SIGKILL')
  return headers.get('x-ratelimit-limit')
}

test.each<[string, Record<string, string>, string[], object | string | undefined, RegExp]>([
  [
    'a flag out of range',
    {},
    ['--port', '70000'],
    undefined,
    /^--port must be an integer from 0 to 65535\. Got "70000"\.\n$/,
  ],
  ['a flag without its value', {}, ['--port'], undefined, /^--port needs a value\.\n$/],
  [
    'an unknown flag',
    {},
    ['--prot', '1'],
    undefined,
    /^Unknown option '--prot'\.\nserve takes settings \(see the README\) and --json\.\n$/,
  ],
  [
    'an unknown variable',
    { SWITCHBOARD_PROT: '1' },
    [],
    undefined,
    /^SWITCHBOARD_PROT is not a Switchboard setting\. See the README for the list\.\n$/,
  ],
  [
    'a variable of the wrong kind',
    { SWITCHBOARD_LOG_LEVEL: 'loud' },
    [],
    undefined,
    /^SWITCHBOARD_LOG_LEVEL must be one of .*\. Got "loud"\.\n$/,
  ],
  [
    'an unknown name in settings.json',
    {},
    [],
    { prot: 1 },
    /^"prot" in .*settings\.json is not a Switchboard setting\. /,
  ],
  [
    'a wrong value in settings.json',
    {},
    [],
    { port: '1' },
    /^"port" in .*settings\.json must be an integer from 0 to 65535\. Got "1"\.\n$/,
  ],
  ['a settings.json that is no JSON', {}, [], '{"port": 1,}', /^.*settings\.json is not valid JSON: .*\n$/],
  [
    'a setting that may not stand there',
    { SWITCHBOARD_EGRESS_TRUSTED_RANGES: '10.0.0.0/8' },
    [],
    undefined,
    /^SWITCHBOARD_EGRESS_TRUSTED_RANGES can't be set there\. Use settings\.json\.\n$/,
  ],
])('%s is refused with one sentence, by serve and by keys', async (_what, environment, args, file, sentence) => {
  if (typeof file === 'string') writeFileSync(join(home.dir, 'settings.json'), file)
  else if (file !== undefined) home.write(file as Record<string, unknown>)

  for (const command of [['serve'], ['keys', 'list']]) {
    const refused = await home.commandIn(environment, ...command, ...args)
    if (args[0] === '--prot' && command[0] === 'keys') continue
    expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringMatching(sentence) })
  }
  expect(existsSync(join(home.dir, 'switchboard.db'))).toBe(false)
})

test('a passphrase that is too short is never repeated on the screen', async () => {
  const refused = await home.commandIn({ SWITCHBOARD_VAULT_PASSPHRASE: 'hunter2' }, 'serve')

  expect(refused).toMatchObject({
    code: 1,
    out: '',
    err: 'SWITCHBOARD_VAULT_PASSPHRASE must have at least 8 characters.\n',
  })
})
