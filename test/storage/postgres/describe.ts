import type { Client, Connection, Submittable } from 'pg'

interface Described {
  /** Names of the result's columns; empty for a statement that returns nothing. */
  readonly columns: readonly string[]
}

/** Asks the server what a statement returns, without running it. Rejects if the server refuses the text. */
export function describe(client: Client, text: string): Promise<Described> {
  const { promise, resolve, reject } = Promise.withResolvers<Described>()
  let columns: string[] = []
  let refusal: Error | undefined
  const request = {
    submit(connection: Connection) {
      connection.parse({ name: '', text, types: [] }, true)
      connection.describe({ type: 'S', name: '' }, true)
      connection.sync()
    },
    handleRowDescription({ fields }: { fields: { name: string }[] }) {
      columns = fields.map(({ name }) => name)
    },
    handleError(error: Error) {
      refusal = error
    },
    handleReadyForQuery() {
      if (refusal === undefined) resolve({ columns })
      else reject(refusal)
    },
  }
  client.query(request as unknown as Submittable)
  return promise
}
