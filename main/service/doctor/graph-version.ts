import type { Config } from '../../config.ts'
import { graphVersionWarning, TESTED_GRAPH_VERSION } from '../../engines/official/graph-versions.ts'
import type { Db } from '../../kernel/db.ts'
import { sql } from '../../kernel/sql.ts'
import { ok, warning, type Finding } from './finding.ts'

/** Versions of connected numbers; null: that of the service. */
const versionsInUse = sql<Record<never, never>, { version: string | null; count: number }>(
  `SELECT graph_version AS version, COUNT(*) AS count FROM official_numbers WHERE phone_number_id IS NOT NULL
   GROUP BY graph_version ORDER BY graph_version`,
)

/** Checks whether Meta ends an API version that official numbers use. */
export async function checkGraphVersions(
  db: Pick<Db, 'read'>,
  { graphBaseUrl, graphVersion }: Pick<Config, 'graphBaseUrl' | 'graphVersion'>,
  nowMs: number,
): Promise<Finding[]> {
  if (graphBaseUrl === 'sandbox') return []
  const used = await db.read(versionsInUse, {})
  const findings = used.flatMap(({ version, count }): Finding[] => {
    const ends = graphVersionWarning(version ?? graphVersion, nowMs)
    if (ends === null) return []
    const numbers = count === 1 ? 'One official number uses' : `${count} official numbers use`
    const where = version === null ? 'official.graph_version' : 'the version of these numbers'
    return [warning('meta', `${ends}. ${numbers} it: set ${where} to ${TESTED_GRAPH_VERSION}.`)]
  })
  if (findings.length > 0 || used.length === 0) return findings
  const versions = used.map(({ version }) => version ?? graphVersion)
  return [ok('meta', `Official numbers use ${[...new Set(versions)].join(', ')} of Meta’s API.`)]
}
