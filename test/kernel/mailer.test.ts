import { createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import { createMailer } from '../../main/kernel/mailer.ts'
import type { AccountId } from '../../main/kernel/ids.ts'
import { openOperatorSocket } from '../../main/outbound/operator-socket.ts'

const ACCOUNT = 'account' as AccountId
const MAIL = { to: ['ana@example.com'], subject: 'Call', text: 'Hello', messageId: 'one@switchboard' }

/** A mail server. @param talk what it does with each connection. */
async function serverThat(talk: (socket: Socket) => void, deadlineMs = 300) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
    talk(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const settings = {
    host: '127.0.0.1',
    port,
    security: 'none',
    user: null,
    password: null,
    from: 'a@b.example',
  } as const
  const deps = {
    clock: systemClock,
    server: async () => settings,
    isSandbox: false,
    connect: openOperatorSocket,
    deadlineMs,
  }
  return { mailer: createMailer(deps), open: () => sockets.size }
}

/** Sends a letter now and then, and never a line. */
function trickle(socket: Socket): void {
  const writing = setInterval(() => socket.write('2'), 50)
  socket.once('close', () => clearInterval(writing))
}

const LINES: Readonly<Record<string, string>> = {
  EHLO: '250 mail.example',
  MAIL: '250 ok',
  RCPT: '250 ok',
  DATA: '354 go',
}

/** Answers every command before `stop`, and then trickles. */
const answersUntil = (stop: string) => (socket: Socket) => {
  socket.write('220 mail.example\r\n')
  let heard = ''
  socket.on('data', (chunk: Buffer) => {
    heard += chunk.toString('latin1')
    const command = chunk.toString('latin1').slice(0, 4).toUpperCase()
    if (command === stop) trickle(socket)
    else if (LINES[command] !== undefined) socket.write(`${LINES[command]}\r\n`)
    else if (heard.endsWith('\r\n.\r\n')) {
      if (stop === '.') trickle(socket)
      else socket.write('250 ok\r\n')
    }
  })
}

test('sends a mail', async () => {
  const { mailer } = await serverThat(answersUntil('never'), 20_000)
  expect(await mailer.send(ACCOUNT, MAIL)).toEqual({ kind: 'sent' })
})

test.each(['EHLO', 'MAIL', 'RCPT', 'DATA'])(
  'gives up on a mail server that trickles its answer to %s',
  async (command) => {
    const { mailer, open } = await serverThat(answersUntil(command))
    expect(await mailer.send(ACCOUNT, MAIL)).toMatchObject({ kind: 'unavailable' })
    await expect.poll(open).toBe(0)
  },
)

test('gives up on a mail server that has the mail and trickles its answer: it may have accepted the mail', async () => {
  const { mailer, open } = await serverThat(answersUntil('.'))
  expect((await mailer.send(ACCOUNT, MAIL)).kind).toBe('unknown')
  await expect.poll(open).toBe(0)
})

test('a check of a mail server that trickles ends with an error', async () => {
  const { mailer, open } = await serverThat(trickle)
  expect(await mailer.verify(ACCOUNT)).not.toBeNull()
  await expect.poll(open).toBe(0)
})
