import type { CreateStageBody, Stage as StageRecord, UpdateStageBody } from '../../contract/ai.ts'
import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { isoTime } from '../../contract/request.ts'
import type { Tx } from '../../kernel/db.ts'
import { leaveStage } from './conversation-store.ts'
import type { AiDeps } from './deps.ts'
import { changeStage, insertStage, placeStage, removeStage, stageById, stagesOf, type Stage } from './stage-store.ts'

interface Place {
  readonly instanceId: string
  readonly agentId: string
}

export type Stages = ReturnType<typeof createStages>

/** The stages of a conversation with an agent, ordered without gaps. */
export function createStages({ db, clock, ids, cursors }: Pick<AiDeps, 'db' | 'clock' | 'ids' | 'cursors'>) {
  const get = async (read: Pick<Tx, 'one'>, agentId: string, id: string): Promise<Stage> => {
    const stage = await read.one(stageById, { agentId, id })
    if (stage === undefined) throw new ApiError('not_found', 'This agent has no stage with this id.')
    return stage
  }
  const placeAll = async (tx: Tx, stages: readonly Stage[]) => {
    for (const [at, { id, position }] of stages.entries())
      if (position !== at + 1) await tx.run(placeStage, { id, position: at + 1 })
  }

  return {
    of: (read: Pick<Tx, 'all'>, agentId: string): Promise<Stage[]> => read.all(stagesOf, { agentId }),
    find: (agentId: string, id: string) => get({ one: db.readOne }, agentId, id),

    /** In order. */
    async list(agentId: string, { limit = LIMITS.pageSizeDefault, cursor }: { limit?: number; cursor?: string }) {
      const list = `ai-stages:${agentId}`
      const after = cursor === undefined ? 0 : Number(cursors.decode(list, cursor)[0])
      const rest = (await db.read(stagesOf, { agentId })).filter(({ position }) => position > after)
      const shown = rest.slice(0, limit)
      const last = rest.length > limit ? shown.at(-1) : undefined
      return {
        data: shown.map(toRecord),
        next_cursor: last === undefined ? null : cursors.encode(list, [last.position]),
        has_more: last !== undefined,
      }
    },
    get: async (agentId: string, id: string): Promise<StageRecord> =>
      toRecord(await get({ one: db.readOne }, agentId, id)),

    async create({ instanceId, agentId }: Place, body: CreateStageBody): Promise<StageRecord> {
      return db.commit(async (tx) => {
        const { length } = await tx.all(stagesOf, { agentId })
        if (length >= LIMITS.aiStages)
          throw new ApiError(
            'invalid_state',
            `This agent already has ${LIMITS.aiStages} stages. Delete one first.`,
          ).because('stages_full', { n: LIMITS.aiStages })
        const now = clock.now()
        const { name, objective } = body
        const stage: Stage = {
          ...{ id: ids.uuid(), agentId, name, objective, exitCriteria: body.exit_criteria ?? null },
          ...{ position: length + 1, createdAtMs: now, updatedAtMs: now },
        }
        await tx.run(insertStage, { ...stage, instanceId })
        return toRecord(stage)
      })
    },

    async update(agentId: string, id: string, body: UpdateStageBody): Promise<StageRecord> {
      return db.commit(async (tx) => {
        const before = await get(tx, agentId, id)
        const after = {
          ...before,
          ...(body.name !== undefined && { name: body.name }),
          ...(body.objective !== undefined && { objective: body.objective }),
          ...(body.exit_criteria !== undefined && { exitCriteria: body.exit_criteria }),
        }
        if (JSON.stringify(after) === JSON.stringify(before)) return toRecord(before)
        const { name, objective, exitCriteria } = after
        const updatedAtMs = clock.now()
        await tx.run(changeStage, { id, name, objective, exitCriteria, updatedAtMs })
        return toRecord({ ...after, updatedAtMs })
      })
    },

    async remove({ instanceId, agentId }: Place, id: string): Promise<void> {
      await db.commit(async (tx) => {
        await get(tx, agentId, id)
        await tx.run(removeStage, { id })
        await tx.run(leaveStage, { instanceId, stageId: id })
        await placeAll(tx, await tx.all(stagesOf, { agentId }))
      })
    },

    /** @throws ApiError not_found for a stage of another agent, validation_error unless each stage is listed once */
    async order(agentId: string, stageIds: readonly string[]): Promise<{ data: StageRecord[] }> {
      return db.commit(async (tx) => {
        const stages = await tx.all(stagesOf, { agentId })
        const byId = new Map(stages.map((stage) => [stage.id, stage]))
        const wanted = stageIds.map((id) => {
          const stage = byId.get(id)
          if (stage === undefined)
            throw new ApiError('not_found', `stage_ids names ${id}, which is no stage of this agent.`).because(
              'stages_changed',
            )
          return stage
        })
        if (new Set(stageIds).size !== stageIds.length)
          throw new ApiError('validation_error', 'stage_ids must name each stage once.').because('stages_changed')
        const missing = stages.find(({ id }) => !stageIds.includes(id))
        if (missing !== undefined)
          throw new ApiError(
            'validation_error',
            `stage_ids must name every stage of the agent. “${missing.name}” (${missing.id}) is missing.`,
          ).because('stages_changed')
        await placeAll(tx, wanted)
        return { data: wanted.map((stage, at) => toRecord({ ...stage, position: at + 1 })) }
      })
    },
  }
}

const toRecord = ({ id, name, objective, position, exitCriteria, createdAtMs, updatedAtMs }: Stage): StageRecord => ({
  ...{ id, name, objective, position, exit_criteria: exitCriteria },
  ...{ created_at: isoTime(createdAtMs), updated_at: isoTime(updatedAtMs) },
})
