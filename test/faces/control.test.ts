import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ApiError } from '../../main/contract/errors.ts'
import {
  askRunningService,
  CommandRefused,
  controlAddress,
  listenForCommands,
  type ControlRequest,
} from '../../main/faces/control.ts'
import { silentLog, type LogFields } from '../../main/kernel/log.ts'
import { tempFolder } from '../support/database.ts'
import { world, type World } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

interface Desk {
  readonly address: string
  readonly asked: ControlRequest[]
  readonly logged: LogFields[]
}

function folder(): string {
  const dir = tempFolder()
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** A service that carries out one command, and listens for it where `home` says. */
async function desk(carryOut?: (request: ControlRequest) => Promise<unknown>, home = folder()): Promise<Desk> {
  const asked: ControlRequest[] = []
  const logged: LogFields[] = []
  const address = controlAddress(home, process.platform)
  const server = await listenForCommands({
    address,
    carryOut: async (request) => {
      asked.push(request)
      return carryOut === undefined ? { said: request.input } : carryOut(request)
    },
    log: { ...silentLog, error: (fields) => void logged.push(fields) },
  })
  onTestFinished(() => server.close())
  return { address, asked, logged }
}

/** Writes text on the socket as it is. @returns the lines that came back by the time `count` were there. */
function say(address: string, text: string, count: number): Promise<string[]> {
  return new Promise((resolve) => {
    const lines: string[] = []
    const socket = connect(address, () => socket.write(text))
    createInterface({ input: socket }).on('line', (line) => {
      lines.push(line)
      if (lines.length === count) resolve((socket.destroy(), lines))
    })
  })
}

describe('the control socket', () => {
  test('passes a command to the running service and returns the result', async () => {
    const { address, asked } = await desk()
    expect(await askRunningService(address, { command: 'greet', input: { name: 'Ana 👋\n' } })).toEqual({
      result: { said: { name: 'Ana 👋\n' } },
    })
    expect(asked).toEqual([{ command: 'greet', input: { name: 'Ana 👋\n' } }])
  })

  test('is in the home folder, is accessible only to its owner, and is removed with the service', async () => {
    const home = folder()
    const address = controlAddress(home, 'linux')
    const modeOfNewFile = (name: string) => {
      writeFileSync(join(home, name), '')
      return statSync(join(home, name)).mode
    }
    const usual = modeOfNewFile('earlier')
    expect(address).toBe(join(home, 'control.sock'))
    const server = await listenForCommands({ address, carryOut: async () => null, log: silentLog })
    expect(statSync(address).mode & 0o777).toBe(0o600)
    expect(modeOfNewFile('later'), 'of what is made afterwards').toBe(usual)
    await server.close()
    expect(existsSync(address)).toBe(false)
  })

  test('serves others after a client was killed before its answer', async () => {
    let begin = () => {}
    let finish = () => {}
    const hasBegun = new Promise<void>((resolve) => (begin = resolve))
    const answer = new Promise<void>((resolve) => (finish = resolve))
    const { address } = await desk(async ({ command }) => {
      if (command === 'slow') {
        begin()
        await answer
      }
      return 'done'
    })
    const socket = connect(address, () => socket.write('{"command":"slow"}\n'))
    await hasBegun
    await new Promise<void>((resolve) => socket.once('close', () => resolve()).destroy())
    finish()
    expect(await askRunningService(address, { command: 'quick', input: null })).toEqual({ result: 'done' })
  })

  test.skipIf(process.platform === 'win32')('says so when the service is killed before it answers', async () => {
    const address = join(folder(), 'killed.sock')
    // What was sent is never read: the connection is reset, not closed.
    const server = createServer({ pauseOnConnect: true }, (socket) => setTimeout(() => socket.destroy(), 50))
    await new Promise<void>((resolve) => server.listen(address, resolve))
    onTestFinished(() => void server.close())
    const asked = askRunningService(address, { command: 'backup', input: null })
    await expect(asked).rejects.toThrow('The running service stopped or did not respond. Repeat the command.')
  })

  test('is a named pipe with a separate name for each home on Windows', () => {
    const pipe = controlAddress('C:\\Users\\Ana\\Switchboard', 'win32')
    expect(pipe).toMatch(/^\\\\\.\\pipe\\switchboard-[0-9a-f]{16}$/)
    expect(controlAddress('C:\\Users\\Ben\\Switchboard', 'win32')).not.toBe(pipe)
  })

  test('works in a home whose path is longer than the limit of a socket path', async () => {
    const home = join(folder(), 'x'.repeat(80), 'y'.repeat(80))
    mkdirSync(home, { recursive: true })
    const { address } = await desk(undefined, home)
    expect(address.length).toBeGreaterThan(160)
    expect(await askRunningService(address, { command: 'greet', input: 1 })).toEqual({ result: { said: 1 } })
    expect(statSync(address).mode & 0o777).toBe(0o600)
  })

  test('replaces a socket that a killed service left behind', async () => {
    const home = folder()
    writeFileSync(controlAddress(home, process.platform), 'left behind')
    const { address } = await desk(undefined, home)
    expect(await askRunningService(address, { command: 'greet', input: 2 })).toEqual({ result: { said: 2 } })
  })

  test('reports that no service is running', async () => {
    const home = folder()
    expect(
      await askRunningService(controlAddress(home, process.platform), { command: 'greet', input: 1 }),
    ).toBeUndefined()
  })

  test('answers many clients in parallel, each with its own result', async () => {
    const { address } = await desk()
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => askRunningService(address, { command: 'greet', input: i })),
    )
    expect(answers).toEqual(Array.from({ length: 30 }, (_, i) => ({ result: { said: i } })))
  })
})

describe('a command that fails', () => {
  test('is refused with the sentence meant for the person', async () => {
    const { address, logged } = await desk(async () => {
      throw new ApiError('not_found', 'There is no API key with the id 5.')
    })
    await expect(askRunningService(address, { command: 'x', input: 5 })).rejects.toThrow(
      'There is no API key with the id 5.',
    )
    expect(logged).toEqual([])
  })

  test('is refused with the code from the catalogue, and without a code by a version that sends none', async () => {
    const { address } = await desk(async () => {
      throw new ApiError('invalid_state', 'This backup is damaged.')
    })
    const asked = askRunningService(address, { command: 'x', input: 5 })
    await expect(asked).rejects.toEqual(new ApiError('invalid_state', 'This backup is damaged.'))

    const other = controlAddress(folder(), process.platform)
    const replies = [
      { ok: false, message: 'Old.' },
      { ok: false, code: 'from_the_future', message: 'New.' },
    ]
    const server = createServer((socket) =>
      socket.once('data', () => socket.write(`${JSON.stringify(replies.shift())}\n`)),
    )
    await new Promise<void>((resolve) => server.listen(other, resolve))
    onTestFinished(() => void server.close())
    await expect(askRunningService(other, { command: 'x', input: 5 })).rejects.toEqual(new CommandRefused('Old.'))
    await expect(askRunningService(other, { command: 'x', input: 5 })).rejects.toEqual(new CommandRefused('New.'))
  })

  test('because of an internal error says where to look, and the log has the error', async () => {
    const { address, logged } = await desk(async () => {
      throw new Error('disk on fire at /home/ana/secret')
    })
    const refused = askRunningService(address, { command: 'x', input: 5 })
    await expect(refused).rejects.toThrow('The command failed in the running service. See its log for the cause.')
    expect(logged).toMatchObject([{ event: 'command.failed', cause: { message: expect.stringContaining('on fire') } }])
  })

  test('because the service stopped meanwhile says so', async () => {
    const home = folder()
    const address = controlAddress(home, process.platform)
    const server = createServer((socket) => void socket.once('data', () => socket.destroy()))
    await new Promise<void>((resolve) => server.listen(address, resolve))
    onTestFinished(() => void server.close())
    await expect(askRunningService(address, { command: 'x', input: 5 })).rejects.toThrow(/stopped or did not respond/)
  })

  test.each(['{', 'null', '5', '[]', '"x"', '{}', '{"command":null}', '{"command":{}}', ''])(
    'because the line %j is invalid leaves the service unaffected',
    async (line) => {
      const address = controlAddress(w.home, process.platform)
      const [answer = ''] = await say(address, `${line}\n`, 1)
      expect(JSON.parse(answer)).toMatchObject({ ok: false, message: expect.stringMatching(/\.$/) })
      expect(answer).not.toMatch(/TypeError|\bat /)
      expect(await askRunningService(address, { command: 'keys.list', input: null })).toMatchObject({
        result: { data: expect.any(Array) },
      })
    },
  )
})

describe('the control commands', () => {
  test.each(['keys', 'keys.destroy', '__proto__', 'constructor', 'toString', 'hasOwnProperty', ''])(
    '%j is not a command',
    async (command) => {
      await expect(w.service.carryOut({ command, input: {} })).rejects.toMatchObject({ code: 'not_found' })
    },
  )

  const NEW = { name: 'New', scopes: ['messages:send'], allowed_instance_ids: null }

  // oxfmt-ignore
  test.each([
    {}, null, [], 'text', { ...NEW, name: '' }, { ...NEW, name: 5 }, { ...NEW, name: 'x'.repeat(101) }, { ...NEW, scopes: [] }, { ...NEW, scopes: 'all' },
    { ...NEW, scopes: ['messages:send', 'messages:send'] }, { ...NEW, scopes: ['root'] }, { ...NEW, allowed_instance_ids: [] },
    { ...NEW, allowed_instance_ids: ['x'] }, { ...NEW, allowed_instance_ids: ['0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60'] }, { ...NEW, admin: true },
  ])('keys.create refuses %j with a sentence, and creates no key', async (input) => {
    const [before] = await w.rows('SELECT COUNT(*) AS count FROM api_keys')
    await expect(w.service.carryOut({ command: 'keys.create', input })).rejects.toMatchObject({ code: 'validation_error' })
    expect(await w.rows('SELECT COUNT(*) AS count FROM api_keys')).toEqual([before])
  })

  test('keys.create creates a key that works immediately, keys.list shows it without its value, keys.revoke ends it', async () => {
    const instance = await w.instance()
    const input = {
      name: 'CRM',
      scopes: ['instances:read', 'instances:manage'],
      allowed_instance_ids: [instance.id.toUpperCase()],
    }
    const made = (await w.service.carryOut({ command: 'keys.create', input })) as { id: string; key: string }
    expect(Object.keys(made).toSorted()).toEqual(['allowed_instance_ids', 'id', 'key', 'name', 'scopes'])
    expect((await w.api('GET', '/v1/me', undefined, { key: made.key })).body).toMatchObject({
      scopes: input.scopes,
      allowed_instance_ids: [instance.id],
    })

    const listed = (await w.service.carryOut({ command: 'keys.list', input: null })) as {
      data: { id: string; name: string }[]
    }
    expect(listed.data.find(({ id }) => id === made.id)).toMatchObject({
      name: 'CRM',
      last4: made.key.slice(-4),
      revoked_at: null,
    })
    expect(JSON.stringify(listed)).not.toContain(made.key.slice(4, 20))

    await w.service.carryOut({ command: 'keys.revoke', input: { id: made.id } })
    await w.service.carryOut({ command: 'keys.revoke', input: { id: made.id } })
    expect((await w.api('GET', '/v1/me', undefined, { key: made.key })).status).toBe(401)
    await expect(w.service.carryOut({ command: 'keys.revoke', input: { id: instance.id } })).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})
