import type { Db } from '../../../kernel/db.ts'
import { sql } from '../../../kernel/sql.ts'
import { graphIdentity } from '../user-ids.ts'
import { GraphFault, ok, parameterFault, type GraphAnswer } from './answers.ts'
import type { GraphRequest } from './request.ts'
import type { GraphNumber } from './store.ts'

type Of = { phoneNumberId: string; userId: string }

const put = sql<Of>(
  `INSERT INTO sandbox_graph_contact_book (phone_number_id, user_id) VALUES (:phoneNumberId, :userId)
   ON CONFLICT (phone_number_id, user_id) DO NOTHING`,
)
const remove = sql<Of>(
  'DELETE FROM sandbox_graph_contact_book WHERE phone_number_id = :phoneNumberId AND user_id = :userId',
)
const one = sql<Of, { userId: string }>(
  `SELECT user_id AS userId FROM sandbox_graph_contact_book
   WHERE phone_number_id = :phoneNumberId AND user_id = :userId`,
)

/** `/{phone-number-id}/contact_book`: "Business-scoped user IDs". Any message to or from a person adds an entry. */
export function createGraphContactBook(db: Db) {
  const refusing = new Set<string>()
  return {
    async note({ phoneNumberId, userScope }: GraphNumber, digits: string): Promise<void> {
      const { userId } = graphIdentity(digits, userScope)
      await db.commit((tx) => tx.run(put, { phoneNumberId, userId }))
    },
    has: async ({ phoneNumberId, userScope }: GraphNumber, digits: string): Promise<boolean> =>
      (await db.readOne(one, { phoneNumberId, userId: graphIdentity(digits, userScope).userId })) !== undefined,
    /** Makes Meta refuse to delete entries of the number. */
    refuse: ({ phoneNumberId }: GraphNumber): void => void refusing.add(phoneNumberId),

    async ofNumber({ phoneNumberId, userScope }: GraphNumber, { method, query }: GraphRequest): Promise<GraphAnswer> {
      if (method !== 'DELETE') throw parameterFault('Unsupported method.')
      if (query.get('messaging_product') !== 'whatsapp') throw parameterFault('messaging_product is required.')
      const userId = query.get('bsuid') ?? ''
      const [, digits] = /^US\.([0-9]{7,15})/.exec(userId) ?? []
      if (digits === undefined || userId !== graphIdentity(digits, userScope).userId)
        throw parameterFault('Param bsuid is not a business-scoped user id of this portfolio.')
      if (refusing.has(phoneNumberId)) throw new GraphFault(400, 100, '(#100) Invalid parameter', 'It is in use.')
      const deleted = (await db.commit((tx) => tx.run(remove, { phoneNumberId, userId }))) === 1
      return ok({ messaging_product: 'whatsapp', success: true, deleted })
    },
  }
}
