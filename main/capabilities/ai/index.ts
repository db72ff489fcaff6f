import type { Tx } from '../../kernel/db.ts'
import type { MovePerson } from '../../kernel/person-move.ts'
import { createAgents, type Agents } from './agents.ts'
import { removeAgentsOf, type Agent } from './agent-store.ts'
import { createBegin } from './begin.ts'
import { createBuiltinBrain } from './builtin-brain.ts'
import { createChats } from './chats.ts'
import { createConversations, type Conversations } from './conversations.ts'
import { removeConversationsOf } from './conversation-store.ts'
import { removeDailyOf } from './daily-store.ts'
import type { Brain } from './decision.ts'
import type { AiDeps } from './deps.ts'
import { createFollowUps } from './follow-up.ts'
import { createHttpCall } from './http-call.ts'
import { createHttpTools, type HttpTools } from './http-tools.ts'
import { removeHttpToolsOf } from './http-tool-store.ts'
import { createListener } from './listen.ts'
import { createMetaAgent } from './meta-agent.ts'
import { createMove } from './move.ts'
import { createMediaLibrary, type MediaLibrary } from './media.ts'
import { removeMediaOf } from './media-store.ts'
import { createOverview } from './overview.ts'
import { createRehome } from './rehome.ts'
import { createRetention } from './retention.ts'
import { createSender } from './send.ts'
import { createSettings, type SettingsStore } from './settings.ts'
import { removeAiInstance } from './settings-store.ts'
import { createStages, type Stages } from './stages.ts'
import { removeStagesOf } from './stage-store.ts'
import { createThinker } from './think.ts'
import { createTrial, type Trial } from './trial.ts'
import { createTurnFailure } from './turn-failure.ts'
import type { TurnQueue } from './step.ts'
import { createTurns } from './turn.ts'
import { removeTurnsOf } from './turn-store.ts'

export type { AiDeps } from './deps.ts'
/** @public */
export type { Agent } from './agent-store.ts'
/** @public */
export type { Brain, BrainTurn, Decision, Utterance } from './decision.ts'

export interface Ai {
  readonly settings: SettingsStore
  readonly agents: Agents
  readonly stages: Stages
  readonly media: MediaLibrary
  readonly httpTools: HttpTools
  readonly conversations: Conversations
  readonly trial: Trial
  readonly overview: ReturnType<typeof createOverview>
  /**
   * Answers a turn without a chat and without sending: for calls and evaluations. Usage is not counted; `trial.ask` does.
   */
  readonly brain: Brain
  readonly movePerson: MovePerson
  /** Called when Meta's own agent starts or stops answering a chat. */
  readonly onHandover: ReturnType<typeof createMetaAgent>
  readonly retention: ReturnType<typeof createRetention>
}

/** AI agents that answer chats. */
export function createAi(deps: AiDeps): Ai {
  const { instances, ledger, knowledge } = deps
  const settings = createSettings(deps)
  const agents = createAgents({ ...deps, settings })
  const stages = createStages(deps)
  const media = createMediaLibrary(deps)
  const httpTools = createHttpTools(deps)
  const callHttp = createHttpCall({ ...deps, tools: httpTools })
  const brain = brainOf(createBuiltinBrain({ knowledge }), async () => {
    const { createModelBrain } = await import('./model-brain.ts')
    return createModelBrain({ ...deps, media, httpTools, callHttp })
  })
  const chats = createChats(deps)
  const conversations = createConversations({ ...deps, settings, chats })
  const followUps = createFollowUps({ ...deps, settings, turns: () => turns })
  const turns: TurnQueue = createTurns({
    ...deps,
    begin: createBegin({ ...deps, settings, agents, stages, chats }),
    think: createThinker({ ...deps, brain, chats }),
    send: createSender({ ...deps, settings, chats, followUps }),
    failed: createTurnFailure({ ...deps, settings, chats }),
  })

  ledger.inCommit(createListener({ ...deps, settings, chats, turns }))
  const rehome = createRehome(deps)
  instances.subscribe(async (tx, change) => {
    const { kind, id: instanceId } = change
    if (kind === 'transferred') await rehome(tx, change)
    if (kind === 'deleted') for (const statement of ALL) await tx.run(statement, { instanceId })
    if (kind === 'recreated') await forget(tx, instanceId)
  })

  return {
    ...{ settings, agents, stages, media, httpTools, conversations, brain },
    trial: createTrial({ ...deps, settings, agents, stages, conversations, brain }),
    overview: createOverview({ ...deps, settings }),
    movePerson: createMove({ ...deps, chats }),
    onHandover: createMetaAgent({ ...deps, settings, chats }),
    retention: createRetention(deps),
  }
}

const MEMORY = [removeTurnsOf, removeConversationsOf] as const
const ALL = [
  ...MEMORY,
  ...[removeStagesOf, removeMediaOf, removeHttpToolsOf, removeAgentsOf, removeDailyOf, removeAiInstance],
] as const

/** Deletes conversations and decisions; agents and settings stay. */
async function forget(tx: Tx, instanceId: string): Promise<void> {
  for (const statement of MEMORY) await tx.run(statement, { instanceId })
}

/** @param loadModel called when an agent first needs a model, because the model libraries are large. */
function brainOf(builtin: Brain, loadModel: () => Promise<Brain>): Brain {
  let model: Promise<Brain> | undefined
  return {
    reply: async (turn, signal) =>
      (isBuiltin(turn.agent) ? builtin : await (model ??= loadModel())).reply(turn, signal),
  }
}

const isBuiltin = ({ provider }: Agent): boolean => provider === 'builtin'
