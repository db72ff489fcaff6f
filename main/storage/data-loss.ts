import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type, type Static } from 'typebox'
import { Check } from 'typebox/value'
import { isoTime } from '../contract/request.ts'

const DataLossShape = Type.Object({
  /** The copy that took the database's place; null: only the end of its log was damaged, and the rest stayed. */
  backup: Type.Union([Type.String(), Type.Null()]),
  fromMs: Type.Integer(),
  untilMs: Type.Integer(),
  /** What the damaged file still shows of that time; null where it cannot be read. */
  events: Type.Union([Type.Integer(), Type.Null()]),
  messages: Type.Union([Type.Integer(), Type.Null()]),
  /** Pages at the end of the log that were acknowledged and are gone. */
  frames: Type.Union([Type.Integer(), Type.Null()]),
  keysUnknown: Type.Boolean(),
})

/** What a damaged file took with it. */
export type DataLoss = Static<typeof DataLossShape>

const PREFIX = 'quarantine-'
const FILE = 'loss.json'

export const quarantineName = (nowMs: number) => `${PREFIX}${isoTime(nowMs).replace(/[-:]|\.\d+/g, '')}`

export function recordDataLoss(folder: string, loss: DataLoss): void {
  writeFileSync(join(folder, FILE), `${JSON.stringify(loss, null, 2)}\n`, { mode: 0o600 })
}

/** A sentence for each loss whose files still lie in the home folder: it is said until a person has put them away. */
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
  const time = `between ${isoTime(loss.fromMs)} and ${isoTime(loss.untilMs)}`
  const what =
    loss.backup === null
      ? `The end of the database log was damaged. Changes made ${time} (${loss.frames ?? 0} pages) are missing.`
      : `The database was damaged and replaced with the backup ${loss.backup}. Changes made ${time} are missing${visibleRows(loss)}.`
  const keys = loss.keysUnknown ? ' API keys revoked in that time may work again: review them.' : ''
  return `${what}${keys} The damaged files are in ${folder}. This warning stays until you move that folder away.`
}

function visibleRows({ events, messages }: DataLoss): string {
  if (events === null || messages === null) return ''
  return ` (${events} events and ${messages} messages, as far as the damaged file shows)`
}
