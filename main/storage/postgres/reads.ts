import { StorageError } from '../../kernel/db.ts'
import type { Connection } from './connection.ts'
import { execute } from './statements.ts'

/** Connections for reading. Each statement sees what was committed when it began. */
export interface Reads {
  read(statement: { readonly text: string }, params: object): Promise<object[]>
  close(): Promise<void>
}

interface ReadsDeps {
  /** @throws the driver's error */
  readonly connect: () => Promise<Connection>
  readonly connections: number
  /** Waits before the next attempt to reach the server. */
  readonly sleep: (ms: number) => Promise<void>
}

/** How long a read waits for a server that is away: longer than the restart of a server takes. */
const ATTEMPTS = 15
const BETWEEN_ATTEMPTS_MS = 500

/**
 * A statement is sent to the connection with the fewest unanswered ones, without waiting for those: it then costs one
 * round trip, also when hundreds arrive together.
 */
export function createReads({ connect, connections, sleep }: ReadsDeps): Reads {
  const lanes = Array.from({ length: connections }, () => createLane(connect))
  let isClosed = false

  const freest = () => lanes.reduce((best, lane) => (lane.pending() < best.pending() ? lane : best))

  return {
    async read(statement, params) {
      for (let left = ATTEMPTS; ;) {
        if (isClosed) throw new StorageError('closed', 'The database is closed')
        try {
          return await freest().read(statement, params)
        } catch (error) {
          if (!(error instanceof StorageError) || error.kind !== 'unreachable' || --left === 0) throw error
        }
        await sleep(BETWEEN_ATTEMPTS_MS)
      }
    },
    async close() {
      isClosed = true
      await Promise.all(lanes.map((lane) => lane.close()))
    },
  }
}

/** One connection, opened when it is first used and again after it was lost. */
function createLane(connect: ReadsDeps['connect']) {
  let opening: Promise<Connection> | undefined
  let pending = 0

  async function usable(): Promise<Connection> {
    const seen = opening
    const known = await seen?.catch(() => undefined)
    if (known?.isUsable() === true) return known
    // Another read may have opened it meanwhile.
    if (opening === seen) opening = connect()
    return opening ?? connect()
  }

  return {
    pending: () => pending,
    async read(statement: { readonly text: string }, params: object): Promise<object[]> {
      pending++
      try {
        const connection = await usable().catch((error: unknown) => {
          throw new StorageError('unreachable', 'The database server could not be reached', { cause: error })
        })
        return (await execute(connection, statement, params)).rows as object[]
      } finally {
        pending--
      }
    },
    async close() {
      const connection = await opening?.catch(() => undefined)
      await connection?.close()
    },
  }
}
