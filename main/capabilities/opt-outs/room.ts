import type { Files } from '../../kernel/files.ts'
import type { Cursors } from '../../kernel/page.ts'
import { instancesRoom } from '../instances/room.ts'
import { defineRoom } from '../room.ts'
import { createAttention } from './attention.ts'
import { optOutsContract } from './contract.ts'
import { optOutsHandlers } from './handlers.ts'
import { createOptOuts, type OptOutsDeps } from './index.ts'
import { rekeyOptOuts } from './rekey.ts'

interface Deps extends Omit<OptOutsDeps, 'instances'> {
  readonly cursors: Cursors
  readonly files: Pick<Files, 'storeTemporarily'>
}

export const optOutsRoom = defineRoom({
  name: 'opt-outs',
  contract: optOutsContract,
  uses: { instances: instancesRoom },
  build(given: Deps, rooms) {
    const deps = { ...given, ...rooms }
    const optOuts = createOptOuts(deps)
    return {
      handlers: optOutsHandlers({ ...deps, optOuts }),
      api: optOuts,
      recover: () => rekeyOptOuts(given.db),
      chores: [optOuts.questions.retention],
      attention: createAttention(deps),
      movePerson: optOuts.movePerson,
    }
  },
})
