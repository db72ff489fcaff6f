import type { Config } from '../../config.ts'
import type { Db } from '../../kernel/db.ts'
import { createEngineCalls } from '../engine-call.ts'
import type { Instances } from '../instances/index.ts'
import { createAttention } from './attention.ts'
import { createConversational } from './conversational-components.ts'
import { createGraphVersions } from './graph-version.ts'
import { createBusinessUsernames } from './username.ts'

export type OfficialSettingsDeps = Omit<Parameters<typeof createEngineCalls>[0], 'config'> & {
  readonly db: Db
  readonly instances: Pick<Instances, 'engineFor'>
  readonly ownVersions: Parameters<typeof createAttention>[0]['ownVersions']
  readonly config: Pick<Config, 'graphVersion' | 'sendTimeoutMs'>
}

/**
 * Settings of official numbers: the version of Meta's API, the business username, and the suggestions shown to
 * people.
 */
export function createOfficialSettings(deps: OfficialSettingsDeps) {
  const callEngine = createEngineCalls(deps)
  return {
    versions: createGraphVersions({ ...deps, callEngine, defaultVersion: deps.config.graphVersion }),
    usernames: createBusinessUsernames({ callEngine, instances: deps.instances }),
    conversational: createConversational({ callEngine, instances: deps.instances }),
    attention: createAttention(deps),
  }
}
