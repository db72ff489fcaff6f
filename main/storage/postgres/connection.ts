import { Client, types, type QueryResult } from 'pg'
import { systemClock, type Timer } from '../../kernel/clock.ts'
import { isLost } from './errors.ts'

/** The server's types for BIGINT and NUMERIC (of a sum). No number of the product comes near 2^53. */
types.setTypeParser(types.builtins.INT8, Number)
types.setTypeParser(types.builtins.NUMERIC, Number)

/**
 * Limits of a session. They are set after connecting, not as startup options, which poolers refuse.
 *
 * A process that is stopped in the middle of a transaction holds the writers' lock: the server ends its session after
 * five seconds, and all others continue.
 */
const SESSION = `
  SET statement_timeout = '10s';
  SET lock_timeout = '5s';
  SET idle_in_transaction_session_timeout = '5s';
  SET tcp_keepalives_idle = 10;
  SET tcp_keepalives_interval = 5;
  SET tcp_keepalives_count = 3;
  SET standard_conforming_strings = on`

const CONNECT_MS = 5_000
/** Longer than the server's own limit for a statement. After it the connection is taken for broken. */
const ANSWER_MS = 15_000

interface Query {
  /** The server keeps the plan of a statement with a name. */
  readonly name?: string
  readonly text: string
  readonly values?: readonly unknown[]
}

/** A session with the server. Statements are sent without waiting for the answers of earlier ones. */
export interface Connection {
  /** Rejects with the error of the driver or the server (errors.ts). */
  query(query: Query): Promise<QueryResult>
  isUsable(): boolean
  close(): Promise<void>
}

/** @throws the driver's error if the server cannot be reached or refuses the session. */
export async function connect(url: string, clock = systemClock): Promise<Connection> {
  const client = new Client({
    connectionString: url,
    application_name: 'switchboard',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    pipeline: true,
  })
  let isUsable = true
  let pending = 0
  let watch: Timer | undefined
  // Without a listener, an error of an idle connection would end the process.
  client.on('error', () => (isUsable = false))
  client.on('end', () => (isUsable = false))
  await client.connect()

  function giveUp(): void {
    isUsable = false
    client.connection.stream.destroy(new Error(`The database server did not answer for ${ANSWER_MS / 1000} seconds`))
  }

  async function query({ name, text, values }: Query): Promise<QueryResult> {
    pending++
    watch ??= clock.after(ANSWER_MS, giveUp)
    try {
      return await client.query({ ...(name !== undefined && { name }), text, ...(values && { values: [...values] }) })
    } catch (error) {
      if (isLost(error)) isUsable = false
      throw error
    } finally {
      watch.cancel()
      watch = --pending === 0 ? undefined : clock.after(ANSWER_MS, giveUp)
    }
  }

  async function close(): Promise<void> {
    isUsable = false
    await client.end().catch(() => {})
  }

  try {
    await query({ text: SESSION })
  } catch (error) {
    await close()
    throw error
  }
  return { query, isUsable: () => isUsable, close }
}
