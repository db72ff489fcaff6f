import { variableKey } from '../../contract/campaign-text.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Principal } from '../../kernel/access.ts'
import { personKey } from '../../kernel/phone-number.ts'
import type { SendResult } from '../messages/index.ts'
import type { Found } from './access.ts'
import type { CampaignsDeps } from './deps.ts'
import { recipientsPage, recipientWith } from './recipient-store.ts'
import { faultOf, renderMessage, sendFields, type Addressee } from './render.ts'

export interface TestWish {
  readonly to: string
  readonly instance_id?: string
  readonly variation?: number
  readonly name?: string
  readonly variables?: Readonly<Record<string, string>>
}

export interface TestCall {
  readonly caller: Principal
  readonly wish: TestWish
  readonly rawBody: () => unknown
  readonly idempotencyKey: string | null
}

/** Sends one variation of a campaign to a number that the caller chooses, outside the campaign. */
export function createTestSend({ db, instances, messages }: Pick<CampaignsDeps, 'db' | 'instances' | 'messages'>) {
  return async function test(
    { campaign, instanceIds }: Found,
    { caller, wish, rawBody, idempotencyKey }: TestCall,
  ): Promise<{ result: SendResult; instanceId: string; variation: number }> {
    const { variation = 1, instance_id: instanceId = instanceIds[0] ?? '' } = wish
    if (!instanceIds.some((id) => id === instanceId))
      throw new ApiError(
        'not_found',
        `instance_id names ${instanceId}, which is not an instance of this campaign.`,
      ).because('chosen_gone', { field: 'instance_id' })
    const message = campaign.messages[variation - 1]
    if (message === undefined) {
      const count = campaign.messages.length
      throw wrong(count === 0 ? 'The campaign has no messages yet.' : `variation must be 1 to ${count}.`).because(
        'campaign_no_messages',
      )
    }
    const instance = await instances.subject(caller.accountId, instanceId)
    if (instance === undefined || instance.deleted)
      throw new ApiError('not_found', 'This instance was deleted.').because('chosen_gone', { field: 'instance_id' })
    const addressee = await addresseeOf(campaign.id, wish)
    const rendered = renderMessage(message, addressee, instance.engine, `${campaign.id}:test`)
    const fault = faultOf(rendered, instance.engine)
    if (fault !== undefined) throw wrong(fault.message)
    const body = { to: wish.to, ...sendFields(rendered) }
    const result = await messages.send({ instance, body, rawBody, idempotencyKey, source: caller.source })
    return { result, instanceId, variation }
  }

  /** Uses values of the request first, then of the recipient with this number, then of the first recipient. */
  async function addresseeOf(campaignId: string, { to, name, variables = {} }: TestWish): Promise<Addressee> {
    const canonical = personKey(to)
    const recipient =
      (await db.readOne(recipientWith, { campaignId, canonical })) ??
      (await db.readOne(recipientsPage, { campaignId, after: 0, rows: 1 }))
    const own = Object.fromEntries(Object.entries(variables).map(([key, value]) => [variableKey(key), value]))
    return {
      phone: to,
      name: name ?? recipient?.name ?? null,
      variables: { ...(JSON.parse(recipient?.variables ?? '{}') as Record<string, string>), ...own },
    }
  }
}

const wrong = (message: string) => new ApiError('validation_error', message)
