import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import makeWASocket, { useMultiFileAuthState, type WASocket } from 'baileys'
import { pino } from 'pino'
import { answerAs } from '../lib/peer.ts'

/** Numbers on linked devices with only the client library: it stores its own files and does nothing but reconnect. */
const sockets = new Map<string, WASocket>()
const qrs = new Map<string, string>()
const open = new Set<string>()

async function connect(folder: string, number: string): Promise<void> {
  const at = join(folder, number)
  mkdirSync(at, { recursive: true })
  const { state, saveCreds } = await useMultiFileAuthState(at)
  const socket = makeWASocket({
    auth: state,
    logger: pino({ level: 'silent' }),
    markOnlineOnConnect: false,
    syncFullHistory: false,
  })
  sockets.set(number, socket)
  socket.ev.on('creds.update', () => void saveCreds())
  socket.ev.on('connection.update', ({ connection, qr, isNewLogin }) => {
    if (qr !== undefined) qrs.set(number, qr)
    if (connection === 'open') open.add(number)
    // This happens after a pairing and after a lost connection.
    if (isNewLogin === true || connection === 'close') open.delete(number)
    if (connection === 'close' && sockets.get(number) === socket) void connect(folder, number)
  })
}

answerAs({
  connect: ({ folder, number }: { folder: string; number: string }) => connect(folder, number),
  connectAll: ({ folder, numbers }: { folder: string; numbers: readonly string[] }) =>
    Promise.all(numbers.map((number) => connect(folder, number))),
  qr: ({ number }: { number: string }) => qrs.get(number),
  isOpen: ({ number }: { number: string }) => open.has(number),
  openCount: () => open.size,
})
