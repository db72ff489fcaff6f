import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig, settingFlags, settingsTable } from '../../main/config.ts'

interface Given {
  argv?: string[]
  env?: Record<string, string>
  platform?: NodeJS.Platform
  homedir?: string
  /** Content of settings.json, wherever the home is. */
  file?: unknown
  files?: Record<string, string>
}

const FILE = /[/\\]settings\.json$/

function read({ argv = [], env = {}, platform = 'linux', homedir = '/home/ada', file, files = {} }: Given = {}) {
  return readConfig({
    argv,
    env,
    platform,
    homedir,
    readFile(path) {
      if (FILE.test(path) && file !== undefined) return typeof file === 'string' ? file : JSON.stringify(file)
      return files[path] ?? null
    },
  })
}

function complaint(given: Given): string {
  try {
    read(given)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error('the settings were accepted')
}

describe('settings', () => {
  test('without any settings, the defaults of the contract apply', () => {
    expect(read()).toMatchObject({
      home: '/home/ada/.local/share/switchboard',
      host: '127.0.0.1',
      port: 4780,
      network: 'sandbox',
      vault: null,
      vaultPassphrase: null,
      ratePerMinute: 600,
      anonymousRatePerMinute: 60,
      publicBaseUrl: null,
      logLevel: 'info',
      slots: 10_000,
      sendTimeoutMs: 20_000,
      retryScheduleSeconds: [10, 60, 600, 2_700, 7_200, 21_600, 43_200],
      sandboxTimelineMs: [50, 150, 600, 2_000],
      trustedRanges: [],
      allowLan: false,
      allowedHosts: [],
    })
  })

  test('a flag overrides a variable, a variable the file, and the file the default', () => {
    const file = { port: 1, rate_limit_per_minute: 2, slots: 3 }
    const env = { SWITCHBOARD_PORT: '11', SWITCHBOARD_RATE_LIMIT_PER_MINUTE: '12' }
    const config = read({ argv: ['--port', '21'], env, file })
    expect(config).toMatchObject({ port: 21, ratePerMinute: 12, slots: 3, anonymousRatePerMinute: 60 })
  })

  test('reads the settings file of the home that a flag or a variable selects', () => {
    const files = {
      '/srv/sb/settings.json': '{"port": 5}',
      '/home/ada/.local/share/switchboard/settings.json': '{"port": 6}',
    }
    expect(read({ argv: ['--home=/srv/sb'], files }).port).toBe(5)
    expect(read({ env: { SWITCHBOARD_HOME: '/srv/sb' }, files }).port).toBe(5)
    expect(read({ files }).port).toBe(6)
  })

  test.each<[NodeJS.Platform, Record<string, string>, string, string]>([
    ['linux', { XDG_DATA_HOME: '/data' }, '/home/ada', '/data/switchboard'],
    ['linux', { XDG_DATA_HOME: 'relative' }, '/home/ada', '/home/ada/.local/share/switchboard'],
    ['freebsd', {}, '/home/ada', '/home/ada/.local/share/switchboard'],
    ['darwin', {}, '/Users/ada', '/Users/ada/Library/Application Support/Switchboard'],
    [
      'win32',
      { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming' },
      'C:\\Users\\ada',
      'C:\\Users\\ada\\AppData\\Roaming\\Switchboard',
    ],
    ['win32', {}, 'C:\\Users\\ada', 'C:\\Users\\ada\\AppData\\Roaming\\Switchboard'],
  ])('on %s with %j the home is in the default data folder of that system', (platform, env, homedir, home) => {
    expect(read({ platform, env, homedir }).home).toBe(home)
  })

  test('the file accepts nested names and names with dots', () => {
    expect(read({ file: { egress: { trusted_ranges: ['10.0.0.0/8'] } } }).trustedRanges).toEqual(['10.0.0.0/8'])
    expect(read({ file: { 'egress.trusted_ranges': ['10.0.0.0/8'] } }).trustedRanges).toEqual(['10.0.0.0/8'])
  })

  test('lists are comma-separated in flags and variables', () => {
    const config = read({
      argv: ['--sandbox-timeline-ms=0,0,0,0', '--allowed-hosts', 'Switchboard.lan:4780, tunnel.example'],
      env: { SWITCHBOARD_RETRY_SCHEDULE_S: '0.1,0.6,6,27,72,216,432' },
    })
    expect(config.sandboxTimelineMs).toEqual([0, 0, 0, 0])
    expect(config.allowedHosts).toEqual(['switchboard.lan:4780', 'tunnel.example'])
    expect(config.retryScheduleSeconds).toEqual([0.1, 0.6, 6, 27, 72, 216, 432])
  })

  test('an empty variable counts as unset', () => {
    expect(read({ env: { SWITCHBOARD_PORT: '', SWITCHBOARD_VAULT: '' } })).toMatchObject({ port: 4780, vault: null })
  })

  test('ignores environment variables of other programs', () => {
    expect(read({ env: { PORT: 'x', HOST: '0.0.0.0', NETWORK: 'live' } })).toMatchObject({
      port: 4780,
      host: '127.0.0.1',
    })
  })

  test('the result is frozen', () => {
    const config = read({ file: { egress: { trusted_ranges: ['10.0.0.0/8'] } } })
    expect(Object.isFrozen(config)).toBe(true)
    for (const value of [
      config.trustedRanges,
      config.allowedHosts,
      config.retryScheduleSeconds,
      config.sandboxTimelineMs,
    ]) {
      expect(Object.isFrozen(value)).toBe(true)
    }
  })
})

describe('an invalid setting', () => {
  test.each<[Given, string]>([
    [{ argv: ['--prot', '1'] }, '--prot is not a Switchboard setting. See the README for the list.'],
    [{ argv: ['serve'] }, 'serve is not a Switchboard setting. See the README for the list.'],
    [{ argv: ['--port'] }, '--port needs a value.'],
    [{ argv: ['--port', 'x'] }, '--port must be an integer from 0 to 65535. Got "x".'],
    [{ argv: ['--port', '65536'] }, '--port must be an integer from 0 to 65535. Got "65536".'],
    [{ env: { SWITCHBOARD_PROT: '1' } }, 'SWITCHBOARD_PROT is not a Switchboard setting. See the README for the list.'],
    [{ env: { SWITCHBOARD_NETWORK: 'Live' } }, 'SWITCHBOARD_NETWORK must be one of sandbox, live. Got "Live".'],
    [
      { file: { prot: 1 } },
      '"prot" in /home/ada/.local/share/switchboard/settings.json is not a Switchboard setting. See the README for the list.',
    ],
    [
      { file: { port: '4780' } },
      '"port" in /home/ada/.local/share/switchboard/settings.json must be an integer from 0 to 65535. Got "4780".',
    ],
    [
      { file: { allow_lan: 1 } },
      '"allow_lan" in /home/ada/.local/share/switchboard/settings.json must be true or false. Got 1.',
    ],
    [{ file: '[]' }, '/home/ada/.local/share/switchboard/settings.json must contain a JSON object.'],
    [
      { file: { home: '/x' } },
      '"home" in /home/ada/.local/share/switchboard/settings.json can\'t be set there. Use --home or SWITCHBOARD_HOME.',
    ],
    [
      { env: { SWITCHBOARD_PUBLIC_BASE_URL: 'ftp://x' } },
      'SWITCHBOARD_PUBLIC_BASE_URL must be an http or https URL without a query. Got "ftp://x".',
    ],
    [
      { env: { SWITCHBOARD_ALLOWED_HOSTS: '*.example.com' } },
      'SWITCHBOARD_ALLOWED_HOSTS must be a list of `name` or `name:port` without wildcards. Got "*.example.com".',
    ],
  ])('%j is refused with a message that states its rule', (given, message) => {
    expect(complaint(given)).toBe(message)
  })

  test('an error about broken JSON names the file', () => {
    expect(complaint({ file: '{"port": }' })).toMatch(/settings\.json is not valid JSON/)
  })

  test('no settings text causes any other error', () => {
    const name = fc.constantFrom(...settingsTable().flatMap(({ variable }) => (variable ? [variable] : [])))
    fc.assert(
      fc.property(name, fc.string(), (variable, text) => {
        try {
          read({ env: { [variable]: text } })
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError)
        }
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('the passphrase', () => {
  test('is read from its variable and is never printed', () => {
    const config = read({ env: { SWITCHBOARD_VAULT_PASSPHRASE: 'correct horse' } })
    expect(config.vaultPassphrase?.open()).toBe('correct horse')
    expect(JSON.stringify(config)).not.toContain('correct horse')
  })

  test('is taken from the systemd credential when there is one', () => {
    const env = { CREDENTIALS_DIRECTORY: '/run/credentials/sb' }
    const files = { '/run/credentials/sb/switchboard-vault-passphrase': 'battery staple\n' }
    expect(read({ env, files }).vaultPassphrase?.open()).toBe('battery staple')
    expect(read({ env }).vaultPassphrase).toBeNull()
  })

  test('does not appear in an error message about it', () => {
    const message = complaint({ env: { SWITCHBOARD_VAULT_PASSPHRASE: 'short' } })
    expect(message).toBe('SWITCHBOARD_VAULT_PASSPHRASE must have at least 8 characters.')
  })

  test('is refused in the file, and as a flag, because every user of the machine can read flags', () => {
    expect(complaint({ argv: ['--vault-passphrase', 'correct horse'] })).not.toContain('correct horse')
    expect(complaint({ file: { vault_passphrase: 'correct horse' } })).toMatch(/Use SWITCHBOARD_VAULT_PASSPHRASE\.$/)
  })
})

describe('settings that open the service to other machines', () => {
  test.each(['0.0.0.0', '::', '192.168.1.5', 'switchboard.lan'])('host %s needs allow_lan', (host) => {
    expect(complaint({ argv: ['--host', host] })).toMatch(/Other machines can reach.*--allow-lan.*allowed_hosts/)
    expect(read({ argv: ['--host', host, '--allow-lan'] })).toMatchObject({ host, allowLan: true })
  })

  test.each(['127.0.0.1', '127.0.0.2', '::1', 'localhost'])('host %s is loopback and does not need it', (host) => {
    expect(read({ argv: ['--host', host] }).host).toBe(host)
  })

  test.each([
    '0.0.0.0/0',
    '::/0',
    '0/0',
    '10.0.0.0',
    '10.0.0.0/33',
    'fe80::1%eth0/64',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '127.1/8',
  ])('X-07 trusted range %s is refused', (range) => {
    expect(complaint({ file: { egress: { trusted_ranges: [range] } } })).toMatch(/trusted_ranges.*none of them \/0/)
  })

  test('X-07 trusted ranges are accepted from the file only', () => {
    expect(complaint({ env: { SWITCHBOARD_EGRESS_TRUSTED_RANGES: '10.0.0.0/8' } })).toMatch(/Use settings\.json\.$/)
    expect(complaint({ argv: ['--egress-trusted-ranges=10.0.0.0/8'] })).toMatch(/Use settings\.json\.$/)
  })
})

describe('flags of a command', () => {
  test('are separated from settings', () => {
    expect(settingFlags(['create', '--name', 'ci', '--home', '/srv', '--json', '--allow-lan', '--port=0'])).toEqual({
      settings: ['--home=/srv', '--allow-lan=true', '--port=0'],
      rest: ['create', '--name', 'ci', '--json'],
    })
  })
})

describe('the table of settings', () => {
  test('shows the three names, the values and the default of each setting', () => {
    const rows = settingsTable()
    expect(rows.find(({ name }) => name === 'sandbox.timeline_ms')).toEqual({
      name: 'sandbox.timeline_ms',
      flag: '--sandbox-timeline-ms',
      variable: 'SWITCHBOARD_SANDBOX_TIMELINE_MS',
      inFile: true,
      values: '4 integers, 0 to 600000',
      fallback: '`50,150,600,2000`',
      description: 'Delays in milliseconds until a sandbox message is accepted, sent, delivered and read.',
    })
    expect(rows.find(({ name }) => name === 'egress.trusted_ranges')).toMatchObject({
      flag: null,
      variable: null,
      inFile: true,
    })
  })

  test('lists every environment variable of the contract', () => {
    const variables = settingsTable().map(({ variable }) => variable)
    for (const name of [
      'HOME',
      'HOST',
      'PORT',
      'NETWORK',
      'VAULT',
      'VAULT_PASSPHRASE',
      'RATE_LIMIT_PER_MINUTE',
      'PUBLIC_BASE_URL',
      'LOG_LEVEL',
    ]) {
      expect(variables).toContain(`SWITCHBOARD_${name}`)
    }
  })
})
