import { onTestFinished } from 'vitest'
import makeWASocket, {
  BufferJSON,
  initAuthCreds,
  proto,
  type AuthenticationCreds,
  type AuthenticationState,
  type BaileysEventMap,
  type BinaryNode,
  type ConnectionState,
  type SignalDataSet,
  type UserFacingSocketConfig,
  type WAMessage,
  type WASocket,
} from 'baileys'
import { pino } from 'pino'
import { until } from '../service-process.ts'

/** The unmodified client library, with a record of everything that it reports. */
export interface RawClient {
  readonly socket: WASocket
  /** All updates of the connection so far. */
  readonly updates: readonly Partial<ConnectionState>[]
  /** All events with this name so far. */
  heard<Name extends keyof BaileysEventMap>(name: Name): readonly BaileysEventMap[Name][]
  /** Messages with content for people, in the order of the reports, without the library's internal messages. */
  messages(): readonly WAMessage[]
  /** All reported statuses of a message, from any event. */
  statusesOf(id: string): readonly (number | null | undefined)[]
  /** How the server acknowledged sent messages, in order: `good`, or the error code. */
  readonly acks: readonly string[]
  /** Waits for a QR code and returns its latest text. */
  qr(): Promise<string>
  open(): Promise<void>
  /** @returns the code with which the connection ended; undefined if the library has none. */
  closed(): Promise<number | undefined>
  /** Closes the connection and connects again with the stored data. */
  again(): Promise<RawClient>
  end(): Promise<void>
}

/** The stored data of a client, in memory and as text, so that nothing is shared by accident. */
export interface Kept {
  creds: AuthenticationCreds
  readonly rows: Map<string, string>
}

export const nothingKept = (): Kept => ({ creds: initAuthCreds(), rows: new Map() })

const NAMES = [
  'messages.upsert',
  'messages.update',
  'messages.reaction',
  'message-receipt.update',
  'messaging-history.set',
  'chats.update',
  'contacts.upsert',
  'call',
  'groups.update',
  'group-participants.update',
  'lid-mapping.update',
] as const satisfies readonly (keyof BaileysEventMap)[]

export function rawClient(kept: Kept = nothingKept(), config: Partial<UserFacingSocketConfig> = {}): RawClient {
  const updates: Partial<ConnectionState>[] = []
  const told = new Map<string, unknown[]>()
  const socket = makeWASocket({
    auth: authOf(kept),
    logger: pino({ level: 'silent' }),
    markOnlineOnConnect: false,
    syncFullHistory: false,
    connectTimeoutMs: 3_000,
    defaultQueryTimeoutMs: 3_000,
    transactionOpts: { maxCommitRetries: 2, delayBetweenTriesMs: 200 },
    ...config,
  })
  socket.ev.on('creds.update', (change) => void Object.assign(kept.creds, change))
  socket.ev.on('connection.update', (update) => void updates.push(update))
  for (const name of NAMES)
    socket.ev.on(name, (data: unknown) => void told.set(name, [...(told.get(name) ?? []), data]))

  const acks: string[] = []
  socket.ws.on('CB:ack,class:message', ({ attrs }: BinaryNode) => void acks.push(attrs['error'] ?? 'good'))

  const client: RawClient = {
    socket,
    acks,
    updates,
    heard: (name) => (told.get(name) ?? []) as never,
    messages: () =>
      client
        .heard('messages.upsert')
        .flatMap(({ messages }) => messages)
        .filter(({ message }) => message && !message.protocolMessage),
    statusesOf(id) {
      const upserts = client.heard('messages.upsert').flatMap(({ messages }) => messages)
      const updates = client.heard('messages.update').flat()
      const told = [
        ...upserts.filter(({ key }) => key.id === id).map(({ status }) => status),
        ...updates.filter(({ key }) => key.id === id).map(({ update }) => update.status),
      ]
      // The library reports its own copy as "pending" before the server has answered.
      return told.filter((status) => typeof status === 'number' && status !== proto.WebMessageInfo.Status.PENDING)
    },
    qr: () => until('a QR code', () => updates.findLast(({ qr }) => qr !== undefined)?.qr),
    open: () =>
      until('an open connection', () => updates.some(({ connection }) => connection === 'open')).then(() => {}),
    async closed() {
      const last = await until('the end', () => updates.find(({ connection }) => connection === 'close'))
      return (last.lastDisconnect?.error as { output?: { statusCode?: number } } | undefined)?.output?.statusCode
    },
    async again() {
      await client.end()
      return rawClient(kept, config)
    },
    end: async () => socket.end(undefined),
  }
  onTestFinished(() => client.end())
  return client
}

function authOf({ creds, rows }: Kept): AuthenticationState {
  const row = (type: string, id: string) => `${type}/${id}`
  return {
    creds,
    keys: {
      get: async (type, ids) =>
        Object.fromEntries(
          ids.flatMap((id) => {
            const found = rows.get(row(type, id))
            return found === undefined ? [] : [[id, revived(type, found)]]
          }),
          // The library decides which value belongs to which type.
        ) as never,
      set: async (data: SignalDataSet) => {
        for (const [type, entries] of Object.entries(data))
          for (const [id, value] of Object.entries(entries))
            if (value === null) rows.delete(row(type, id))
            else rows.set(row(type, id), JSON.stringify(value, BufferJSON.replacer))
      },
    },
  }
}

/** Storage for the library must know that it writes these keys as text and reads them as bytes. */
function revived(type: string, row: string): unknown {
  const value: unknown = JSON.parse(row, BufferJSON.reviver)
  return type === 'app-state-sync-key' ? proto.Message.AppStateSyncKeyData.fromObject(value as object) : value
}
