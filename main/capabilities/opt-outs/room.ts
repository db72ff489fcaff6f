import type { Files } from '../../kernel/files.ts'
import type { Cursors } from '../../kernel/page.ts'
import type { Instances } from '../instances/index.ts'
import { room } from '../room.ts'
import { createAttention } from './attention.ts'
import { optOutsContract } from './contract.ts'
import { optOutsHandlers } from './handlers.ts'
import { createOptOuts, type OptOutsDeps } from './index.ts'
import { rekeyOptOuts } from './rekey.ts'

interface RoomDeps extends OptOutsDeps {
  readonly cursors: Cursors
  readonly files: Pick<Files, 'storeTemporarily'>
  readonly instances: Pick<Instances, 'find' | 'subscribe' | 'owned'>
}

export function optOutsRoom(deps: RoomDeps) {
  const optOuts = createOptOuts(deps)
  return room({
    ...{ name: 'opt-outs', contract: optOutsContract, handlers: optOutsHandlers({ ...deps, optOuts }), api: optOuts },
    recover: () => rekeyOptOuts(deps.db),
    chores: [optOuts.questions.retention],
    attention: createAttention(deps),
  })
}
