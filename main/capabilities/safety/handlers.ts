import { ApiError } from '../../contract/errors.ts'
import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import type { Db } from '../../kernel/db.ts'
import type { Handlers } from '../handler.ts'
import type { safetyContract } from './contract.ts'
import type { Safety } from './index.ts'

export function safetyHandlers(safety: Safety, db: Db): Handlers<typeof safetyContract> {
  return {
    async getInstanceSafety({ instance }) {
      const state = await safety.state(db, instance.accountId, instance.id)
      // Deleted since the access check.
      if (!state) throw new ApiError('not_found', 'There is no instance with this id.')
      const { pairedDays, today, hour, messagingLimit, newChats, restriction, reasons } = state
      return {
        paired_days: pairedDays,
        today: {
          ...{ sent: today.sent, limit: today.limit },
          ...{ first_contacts: today.firstContacts, first_contacts_limit: today.firstContactsLimit },
        },
        hour: { sent: hour.sent, limit: hour.limit },
        messaging_limit: messagingLimit && {
          ...{ tier: messagingLimit.tier, limit: messagingLimit.limit, used: messagingLimit.used },
          portfolio_id: messagingLimit.portfolioId,
          source: messagingLimit.source,
          as_of: isoTimeOrNull(messagingLimit.atMs),
        },
        new_chats: newChats && {
          ...{ used: newChats.used, limit: newChats.limit },
          until: isoTime(newChats.endsAtMs),
        },
        restriction: restriction && {
          active: true,
          kind: restriction.kind,
          until: isoTimeOrNull(restriction.untilMs),
        },
        reasons: reasons.map(({ code, message, untilMs }) => ({ code, message, until: isoTimeOrNull(untilMs) })),
      }
    },
  }
}
