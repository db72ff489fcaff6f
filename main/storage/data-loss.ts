import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type, type Static } from 'typebox'
import { Check } from 'typebox/value'
import { isoTime } from '../contract/request.ts'

const DataLossShape = Type.Object({
  /** The copy that took the database's place. */
  backup: Type.String(),
  fromMs: Type.Integer(),
  untilMs: Type.Integer(),
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

const describeLoss = ({ backup, fromMs, untilMs }: DataLoss, folder: string): string =>
  `The database was damaged and replaced with the backup ${backup}. ` +
  `Changes made between ${isoTime(fromMs)} and ${isoTime(untilMs)} are missing. ` +
  'API keys revoked in that time work again: review them. Repeating a message of that time sends it again. ' +
  `The damaged files are in ${folder}. This warning stays until you move that folder away.`
