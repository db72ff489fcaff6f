import type { Db } from '../../kernel/db.ts'
import { sql } from '../../kernel/sql.ts'
import { ok, warning, type Finding } from './finding.ts'

const pairedPhone = sql<Record<never, never>, { id: string }>(
  'SELECT instance_id AS id FROM smv2_sessions WHERE ended = 0 LIMIT 1',
)
const learnedVersion = sql<Record<never, never>, { version: string; learnedAtMs: number }>(
  'SELECT version, learned_at AS learnedAtMs FROM smv2_protocol WHERE id = 1',
)

const DAY_MS = 86_400_000
/** Age of the newest version that WhatsApp is known to have refused. */
const OLD_DAYS = 80

/** The version of WhatsApp Web that paired phones use. WhatsApp refuses old versions for all phones on the same day. */
export async function checkProtocol(
  db: Pick<Db, 'readOne'>,
  configured: string | null,
  nowMs: number,
): Promise<Finding[]> {
  if ((await db.readOne(pairedPhone, {})) === undefined) return []
  if (configured !== null)
    return [
      warning(
        'whatsapp',
        `Phones connect as version ${configured} of WhatsApp Web, which the settings fix. Remove it there once phones connect without it.`,
      ),
    ]
  const learned = await db.readOne(learnedVersion, {})
  if (learned === undefined)
    return [
      warning(
        'whatsapp',
        'WhatsApp has not said yet which version of WhatsApp Web is current, so phones connect as the version that Switchboard came with. The running service looks it up once a day: check that it reaches web.whatsapp.com.',
      ),
    ]
  const days = Math.max(0, Math.floor((nowMs - learned.learnedAtMs) / DAY_MS))
  const says = `WhatsApp last named version ${learned.version} of WhatsApp Web, ${days === 0 ? 'today' : days === 1 ? 'a day ago' : `${days} days ago`}.`
  if (days < OLD_DAYS) return [ok('whatsapp', says)]
  return [
    warning(
      'whatsapp',
      `${says} WhatsApp refuses versions of that age. The running service looks it up once a day: check that it reaches web.whatsapp.com.`,
    ),
  ]
}
