import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { manageConnections, type Connections } from '../../main/faces/connections.ts'

const PROXY = '127.0.0.0/8'
let server: Server | undefined
let sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  sockets = []
  server?.closeAllConnections()
  server?.close()
})

type Act = (request: IncomingMessage, response: ServerResponse, connections: Connections) => void

/** @param origin of all connections: tests can only come from loopback. */
async function serve(
  act: Act,
  wish: { atMost?: number; silenceMs?: number; proxies?: string[]; origin?: () => string } = {},
) {
  const { atMost = 20, silenceMs = 60_000, proxies = [], origin } = wish
  const made = createServer()
  const connections = manageConnections(made, { trustedProxies: proxies, atMost, silenceMs })
  if (origin !== undefined)
    made.prependListener('connection', (socket) => Object.defineProperty(socket, 'remoteAddress', { value: origin() }))
  made.on('request', (request, response) => act(request, response, connections))
  await new Promise<void>((listening) => made.listen(0, '127.0.0.1', listening))
  server = made
  return (made.address() as AddressInfo).port
}

interface Client {
  readonly socket: Socket
  isOpen: boolean
  received: string
}

/** Opens a connection, sends the text, and notes what comes of it. */
async function open(port: number, text = ''): Promise<Client> {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  const client = { socket, isOpen: true, received: '' }
  socket.on('error', () => {})
  socket.on('data', (chunk) => (client.received += chunk.toString()))
  socket.once('close', () => (client.isOpen = false))
  await new Promise<void>((done) => socket.once('connect', done).once('close', () => done()))
  if (text !== '') socket.write(text)
  // The server is in this process: it needs turns of the event loop, which are few in ten milliseconds of a busy machine.
  for (let turn = 0; turn < 10; turn++) await sleep(1)
  return client
}

async function openMany(port: number, count: number, text?: string): Promise<Client[]> {
  const clients: Client[] = []
  for (let i = 0; i < count; i++) clients.push(await open(port, text))
  return clients
}

const countOpen = (clients: readonly Client[]) => clients.filter(({ isOpen }) => isOpen).length
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const answer: Act = (_request, response) => response.end('answered')
const never: Act = () => {}

test('one network gets half of the connections, the next fewer, and others can still connect', async () => {
  let address = ''
  const port = await serve(answer, { origin: () => address })
  address = '203.0.113.7'
  const greedy = await openMany(port, 15)
  expect(countOpen(greedy)).toBe(10)
  address = '::ffff:203.0.113.7'
  expect((await open(port)).isOpen).toBe(false)
  address = '198.51.100.1'
  expect((await open(port, GET)).received).toContain('answered')
  address = '2001:db8::1'
  expect(countOpen(await openMany(port, 5))).toBe(1)
  address = '2001:db8::2'
  expect((await open(port)).isOpen).toBe(false)
  address = '203.0.113.7'
  for (const { socket } of greedy) socket.destroy()
  await expect.poll(async () => (await open(port, GET)).received).toContain('answered')
})

test('local programs and trusted proxies are not limited to a share', async () => {
  let address = '127.0.0.1'
  const port = await serve(answer, { origin: () => address, proxies: ['192.0.2.0/24'] })
  expect(countOpen(await openMany(port, 14))).toBe(14)
  address = '192.0.2.9'
  expect(countOpen(await openMany(port, 4))).toBe(4)
  address = '203.0.113.7'
  expect(countOpen(await openMany(port, 3))).toBe(1)
})

test('a network behind a trusted proxy has a share of the requests', async () => {
  const port = await serve(
    (request, response, connections) => {
      const client = String(request.headers['x-client'])
      if (!connections.takeShare(request, client, response)) response.writeHead(503).end()
      else if (request.url === '/') response.end('answered')
    },
    { proxies: [PROXY] },
  )
  const from = (client: string, path = '/') => `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Client: ${client}\r\n\r\n`
  const greedy = await openMany(port, 12, from('203.0.113.7', '/stream'))
  expect(greedy.filter(({ received }) => received.includes('503'))).toHaveLength(2)
  expect((await open(port, from('198.51.100.1'))).received).toContain('answered')
  expect((await open(port, from('203.0.113.7'))).received).toContain('503')
  for (const { socket } of greedy) socket.destroy()
  await expect.poll(async () => (await open(port, from('203.0.113.7'))).received).toContain('answered')
})

test('near the limit, idle connections and unfinished requests are closed, and working ones stay', async () => {
  const port = await serve(never)
  const working = await openMany(port, 5, GET)
  const idle = [...(await openMany(port, 8)), ...(await openMany(port, 7, 'GET / HTTP/1.1\r\nX: '))]
  await sleep(1_100)
  await open(port)
  await expect.poll(() => countOpen(idle)).toBe(0)
  expect(countOpen(working)).toBe(5)
  const last = await open(port)
  await sleep(1_300)
  await open(port)
  // There is room.
  expect(last.isOpen).toBe(true)
})

test('a request in progress is answered however long it takes, and so is one whose answer has started', async () => {
  const port = await serve(
    (request, response) => {
      if (request.url === '/stream') response.writeHead(200).write('begun')
      setTimeout(() => response.end('answered'), 500)
    },
    { silenceMs: 100 },
  )
  const clients = [await open(port, GET), await open(port, GET.replace('/', '/stream'))]
  const silent = await open(port)
  await expect.poll(() => silent.isOpen).toBe(false)
  expect(clients[1]?.received).toContain('begun')
  for (const client of clients) await expect.poll(() => client.received).toContain('answered')
})

test('a client that does not read its answer is disconnected', async () => {
  let isCut = false
  const port = await serve(
    (_request, response) => {
      response.once('close', () => (isCut = true))
      response.write(Buffer.alloc(64 * 1024 * 1024))
    },
    { silenceMs: 100 },
  )
  const { socket } = await open(port)
  socket.pause()
  socket.write(GET)
  await expect.poll(() => isCut).toBe(true)
})

test('the rest of a refused body is read while it arrives, and the connection is closed when it stalls', async () => {
  const port = await serve((request, response) => {
    response.writeHead(503).end('refused')
    request.resume()
  })
  const post = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n'
  const [silent, slow] = [await open(port, post), await open(port, post)]
  for (const letter of ['a', 'b', 'c', 'd']) {
    slow.socket.write(letter)
    await sleep(600)
  }
  expect(silent.received).toContain('refused')
  await expect.poll(() => silent.isOpen).toBe(false)
  slow.socket.write(`e${GET}`)
  await expect.poll(() => slow.received.split('refused').length).toBe(3)
})
