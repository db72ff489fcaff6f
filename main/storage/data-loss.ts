import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type, type Static } from 'typebox'
import { Check } from 'typebox/value'
import { isoTime } from '../contract/request.ts'

const Lost = {
  fromMs: Type.Integer(),
  untilMs: Type.Integer(),
  /** Whether the file of facts covers the time. */
  areFactsKnown: Type.Optional(Type.Boolean()),
}

const DataLossShape = Type.Union([
  Type.Object({
    /** The backup that replaced the database. */
    backup: Type.String(),
    /** There was no database to set aside. */
    wasMissing: Type.Optional(Type.Boolean()),
    ...Lost,
  }),
  Type.Object({
    /** Why the database lacks its newest commits, or all of them. */
    cause: Type.Union([
      Type.Literal('log_missing'),
      Type.Literal('commits_missing'),
      Type.Literal('older_file'),
      Type.Literal('database_missing'),
    ]),
    ...Lost,
  }),
])

/** Lost commits, with or without a damaged file. */
export type DataLoss = Static<typeof DataLossShape>

const PREFIX = 'quarantine-'
const FILE = 'loss.json'

export const quarantineName = (nowMs: number) => `${PREFIX}${isoTime(nowMs).replace(/[-:]|\.\d+/g, '')}`

export function recordDataLoss(folder: string, loss: DataLoss): void {
  writeFileSync(join(folder, FILE), `${JSON.stringify(loss, null, 2)}\n`, { mode: 0o600 })
}

/** A sentence for each loss whose files are still in the home folder; it is shown until a person removes them. */
export function listDataLosses(home: string): string[] {
  if (!existsSync(home)) return []
  return readdirSync(home)
    .filter((name) => name.startsWith(PREFIX))
    .toSorted()
    .flatMap((name) => {
      const loss = readLoss(join(home, name, FILE))
      return loss === undefined ? [] : [describeLoss(loss, join(home, name))]
    })
}

function readLoss(file: string): DataLoss | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return Check(DataLossShape, found) ? found : undefined
  } catch {
    return undefined
  }
}

function describeLoss(loss: DataLoss, folder: string): string {
  const { fromMs, untilMs, areFactsKnown = false } = loss
  const isReplaced = 'backup' in loss
  // Another program may have read the log into the file and removed it.
  const are = !isReplaced && loss.cause === 'log_missing' ? 'may be' : 'are'
  const missing = `Changes made between ${isoTime(fromMs)} and ${isoTime(untilMs)} ${are} missing. `
  const hasFiles = isReplaced && loss.wasMissing !== true
  const reason = isReplaced
    ? `The database was ${hasFiles ? 'damaged' : 'missing'} and replaced with the backup ${loss.backup}. `
    : REASONS[loss.cause]
  const files = hasFiles ? `The damaged files are in ${folder}. ` : `This loss is noted in ${folder}. `
  const isMissing = !isReplaced && loss.cause === 'database_missing'
  const kept = isMissing ? MISSING_KEPT : areFactsKnown ? FACTS_KEPT : FACTS_LOST
  return `${reason}${missing}${kept}${files}This warning stays until you move that folder away.`
}

const FACTS_KEPT =
  'Opt-outs, revocations, payments and what campaigns sent were kept. Set passwords again that were changed in that time. '

const MISSING_KEPT =
  'Accounts, their opt-outs, payments and usage were kept. All numbers, messages, API keys and passwords are gone. ' +
  'If you have a copy of the database, stop Switchboard, put the copy in place of switchboard.db and start again. ' +
  'Otherwise create keys and connect numbers again. '

const FACTS_LOST =
  'Opt-outs, revocations and payments of that time are not known: review them. Repeating a message of that time sends ' +
  'it again. Campaigns that were running skip everybody who may have got the message. '

const REASONS = {
  database_missing: 'switchboard.db was missing and there was no backup, so a new database was created. ',
  log_missing:
    'switchboard.db-wal, the file with the newest changes, is gone: Switchboard was not closed properly, or ' +
    'switchboard.db is a copy. ',
  commits_missing:
    'Switchboard was not closed properly, and then switchboard.db or switchboard.db-wal was removed, cut short or ' +
    'replaced by an older file. ',
  older_file: 'While Switchboard was closed, an older file took the place of switchboard.db. ',
}
