import { connect } from 'node:net'

/** What a kind of slow client does on its connection: called when it stands, with 0, and then each second. */
export interface Manner {
  readonly name: string
  readonly act: (write: (text: string) => void, second: number) => void
  /** Leaves its answers where they are. */
  readonly isDeaf?: boolean
}

/** A client that is slow on purpose. It ends nothing by itself, not even where the service has ended its side. */
export interface SlowClient {
  readonly isOpen: boolean
  /** By the clock of `performance`; null while the connection stands. */
  readonly goneAtMs: number | null
  /** The first line of what it was told. */
  readonly told: string
  /** How many bytes of answers reached it. */
  readonly bytes: number
  /** From now on it reads, if it did not: what is left for it, and whether the connection still stands. */
  listen(): void
  cut(): void
}

export function slowClient(port: number, { act, isDeaf }: Manner): SlowClient {
  let isOpen = false
  let goneAtMs: number | null = null
  let told = ''
  let bytes = 0
  let second = 0
  let drip: NodeJS.Timeout | undefined
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })

  const write = (text: string) => {
    if (socket.writable) socket.write(text)
  }
  const gone = () => {
    isOpen = false
    goneAtMs ??= performance.now()
    clearInterval(drip)
  }
  const listen = () =>
    socket.on('data', (chunk: Buffer) => {
      if (bytes === 0) told = chunk.toString('latin1').split('\r\n', 1)[0] ?? ''
      bytes += chunk.length
    })
  socket.once('connect', () => {
    isOpen = true
    act(write, 0)
    drip = setInterval(() => act(write, ++second), 1_000)
  })
  // To be cut off is what it is here for.
  socket.on('error', gone).once('end', gone).once('close', gone)
  if (isDeaf !== true) listen()

  return {
    get isOpen() {
      return isOpen
    },
    get goneAtMs() {
      return goneAtMs
    },
    get told() {
      return told
    },
    get bytes() {
      return bytes
    },
    listen: () => void listen(),
    cut() {
      gone()
      socket.destroy()
    },
  }
}
