import { accountRoom } from '../account/room.ts'
import { aiKnowledgeRoom } from '../ai-knowledge/room.ts'
import { aiRoom } from '../ai/room.ts'
import { contactsRoom } from '../contacts/room.ts'
import { crmRoom } from '../crm/room.ts'
import { entitlementsRoom } from '../entitlements/room.ts'
import { instancesRoom } from '../instances/room.ts'
import { defineRoom } from '../room.ts'
import { usageRoom } from '../usage/room.ts'
import { createVoiceAgents } from './chat-agents.ts'
import { voiceContract } from './contract.ts'
import { tellCrm } from './crm-timeline.ts'
import type { VoiceDeps } from './deps.ts'
import { voiceExistence, voiceHandlers } from './handlers.ts'
import { createVoice } from './index.ts'

type Given =
  | ('agents' | 'instances' | 'isSuspended' | 'onEnded' | 'onRefusalChanged' | 'packages' | 'personName')
  | ('refusalOf' | 'sessions' | 'timeZoneOf' | 'usage')

interface Deps extends Omit<VoiceDeps, Given> {
  /** Tests only: replaces the agents of the AI room. */
  readonly voiceAgents?: VoiceDeps['agents']
  /** Address for programs on this machine, without a trailing slash. */
  readonly localUrl: () => string
}

export const voiceRoom = defineRoom({
  name: 'voice',
  contract: voiceContract,
  uses: {
    account: accountRoom,
    ai: aiRoom,
    contacts: contactsRoom,
    crm: crmRoom,
    entitlements: entitlementsRoom,
    instances: instancesRoom,
    knowledge: aiKnowledgeRoom,
    usage: usageRoom,
  },
  build(given: Deps, { account, ai, contacts, crm, entitlements, instances, knowledge, usage }) {
    const { config, localUrl } = given
    const deps: VoiceDeps = {
      ...{ ...given, instances, usage, sessions: account },
      agents: given.voiceAgents ?? createVoiceAgents({ ...given, ai, knowledge, instances }),
      packages: async (accountId) => (await entitlements.of(accountId)).voicePackages,
      isSuspended: account.isSuspended,
      refusalOf: entitlements.refusalOf,
      onRefusalChanged: entitlements.onRefusalChanged,
      timeZoneOf: account.timeZoneOf,
      personName: contacts.nameOf,
      onEnded: (tx, call) => tellCrm(crm, tx, call, config.publicBaseUrl ?? localUrl()),
    }
    const voice = createVoice(deps)
    account.whenAccessEnds(async (tx, { accountId, endsLinks }) => {
      if (endsLinks) await voice.endLinksOf(tx, accountId)
    })
    return {
      handlers: voiceHandlers(voice, deps),
      existence: voiceExistence(voice),
      recover: voice.recover,
      start: voice.start,
      stop: voice.stop,
      close: voice.close,
      chores: [voice.recordings.retention],
      api: voice,
      movePerson: voice.movePerson,
      problems() {
        const text = deps.process.problem()
        return text === null ? [] : [{ code: 'calls_failing', text }]
      },
    }
  },
})
