import type { FileBody } from '../../contract/operation.ts'
import type { ImportResult } from '../../contract/shapes.ts'
import { COLUMN_NAMES } from '../../contract/list-columns.ts'
import { importNumbers } from '../../kernel/number-import.ts'
import type { Db } from '../../kernel/db.ts'
import type { Files } from '../../kernel/files.ts'
import { createImportTurns } from '../../kernel/import-turns.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { OptOuts } from './index.ts'

interface ImportDeps {
  readonly db: Db
  readonly files: Pick<Files, 'storeTemporarily'>
  readonly optOuts: Pick<OptOuts, 'record' | 'country'>
}

/** Opts out every number of a CSV file. */
export function createImport({ db, files, optOuts }: ImportDeps) {
  const inTurn = createImportTurns()
  return async (
    accountId: AccountId,
    { stream: source, ended }: Pick<FileBody, 'stream' | 'ended'>,
    columns: { readonly phone?: string; readonly note?: string },
  ): Promise<ImportResult> =>
    importNumbers<'note'>(files, {
      source,
      country: await optOuts.country(accountId),
      columns: [
        { field: 'phone', wanted: columns.phone, names: COLUMN_NAMES.phone, isRequired: true },
        { field: 'note', wanted: columns.note, names: COLUMN_NAMES.note },
      ],
      save: (rows) =>
        inTurn(accountId, ended, () =>
          db.commit(async (tx) => {
            let created = 0
            for (const { phone, values } of rows) {
              const note = values.note?.slice(0, LIMITS.noteLength) ?? null
              const { isNew } = await optOuts.record(tx, { accountId, phone, instanceId: null, source: 'import', note })
              if (isNew) created++
            }
            return { created, updated: 0 }
          }),
        ),
    })
}
