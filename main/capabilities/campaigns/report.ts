import { isoTimeOrNull } from '../../contract/request.ts'
import { CSV_BOM, csvLine } from '../../kernel/csv.ts'
import { readLongPage } from '../../kernel/long-rows.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import type { Report } from './contract/report.ts'
import { CSV_COLUMNS } from './contract/report.ts'
import type { CampaignsDeps } from './deps.ts'
import { failuresOf, recipientsPage, type Recipient } from './recipient-store.ts'
import type { Records } from './record.ts'
import type { StoredCampaign } from './store.ts'
import { timelineOf } from './timeline.ts'

const PAGE = 1_000

export function createReports({
  db,
  config,
  records,
}: Pick<CampaignsDeps, 'db' | 'config'> & { readonly records: Records }) {
  return {
    async totals(campaign: StoredCampaign, withTimeline: boolean): Promise<Report> {
      const { id: campaignId } = campaign
      const zone = campaign.config.window?.timezone ?? config.safetyTimezone
      const failed = await db.read(failuresOf, { campaignId, status: 'failed' })
      const skipped = await db.read(failuresOf, { campaignId, status: 'skipped' })
      const failures = [...failed, ...skipped].map(({ reason, count }) => ({ reason: reason ?? 'unknown', count }))
      return {
        campaign_id: campaignId,
        ...(await records.figures(campaign)),
        ...(withTimeline && { timeline: await timelineOf(db, campaignId, zone) }),
        failures: failures.sort((a, b) => b.count - a.count || a.reason.localeCompare(b.reason, 'en')),
      }
    },

    /**
     * One line for each recipient, in portions.
     * @param forSpreadsheets adds a byte order mark for spreadsheet programs; other programs may not accept it.
     */
    async *csv({ id: campaignId }: StoredCampaign, forSpreadsheets: boolean): AsyncGenerator<Buffer> {
      yield Buffer.from((forSpreadsheets ? CSV_BOM : '') + csvLine(CSV_COLUMNS))
      let after = 0
      for (;;) {
        const from = after
        const { shown, hasMore } = await readLongPage<Recipient>(PAGE, (rows, before) =>
          db.read(recipientsPage, { campaignId, after: before?.position ?? from, rows }),
        )
        if (shown.length > 0) yield Buffer.from(shown.map(lineOf).join(''))
        const last = shown.at(-1)
        if (last === undefined || !hasMore) return
        after = last.position
        await yieldToEventLoop()
      }
    },
  }
}

function lineOf(recipient: Recipient): string {
  const { phone, name, status, instanceId, variation, messageId, errorCode, skipReason } = recipient
  const isChosen = status !== 'pending'
  const times = [recipient.sentAtMs, recipient.deliveredAtMs, recipient.readAtMs, recipient.repliedAtMs]
  return csvLine([
    ...[phone, name, status, isChosen ? instanceId : null, isChosen ? variation : null, messageId],
    ...times.map(isoTimeOrNull),
    errorCode ?? skipReason,
  ])
}
