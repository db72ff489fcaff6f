import { LIMITS } from '../../contract/limits.ts'
import { creatorOf } from '../../kernel/access.ts'
import { Answer, type Existence, type Handlers } from '../handler.ts'
import type { crmContract } from './contract.ts'
import type { CrmRoom } from './index.ts'

export function crmHandlers(crm: CrmRoom): Handlers<typeof crmContract> {
  const { simulated } = crm
  return {
    connectGhl: ({ principal, instance, body, requireAccess }) =>
      crm.connect(instance, body, creatorOf(principal), requireAccess),
    getGhl: ({ instance }) => crm.viewGhl(instance),
    async updateGhl({ instance, body: { field_map: fieldMap, ...patch } }) {
      await crm.change(instance.id, 'ghl', { ...patch, fieldMap })
      return crm.viewGhl(instance)
    },
    async disconnectGhl({ instance }) {
      await crm.remove(instance, 'ghl')
      return undefined
    },
    async backfillGhl({ instance, body: { days = LIMITS.crmBackfillDaysDefault } }) {
      await crm.startBackfill(instance, 'ghl', days)
      return crm.viewGhl(instance)
    },

    async setCrmWebhook({ principal, instance, body, requireAccess }) {
      const secret = await crm.setWebhook(instance, body, creatorOf(principal), requireAccess)
      const view = { ...(await crm.viewWebhook(instance)), secret: secret?.open() ?? null }
      return new Answer({ status: secret === null ? 200 : 201, body: view })
    },
    getCrmWebhook: ({ instance }) => crm.viewWebhook(instance),
    async updateCrmWebhook({ instance, body }) {
      await crm.change(instance.id, 'webhook', body)
      return crm.viewWebhook(instance)
    },
    async removeCrmWebhook({ instance }) {
      await crm.remove(instance, 'webhook')
      return undefined
    },
    async rotateCrmWebhookSecret({ principal, instance, body: { overlap_seconds: overlap = LIMITS.overlapSeconds } }) {
      const secret = await crm.rotateSecret(instance.id, overlap, creatorOf(principal))
      return { ...(await crm.viewWebhook(instance)), secret: secret.open() }
    },
    async backfillCrmWebhook({ instance, body: { days = LIMITS.crmBackfillDaysDefault } }) {
      await crm.startBackfill(instance, 'webhook', days)
      return crm.viewWebhook(instance)
    },

    listSandboxGhlConversations: ({ principal, query }) => simulated.conversations(principal.accountId, query),
    listSandboxGhlMessages: ({ principal, params, query }) => simulated.messages(principal.accountId, params.id, query),
    writeSandboxGhlMessage: ({ principal, params, body }) => simulated.write(principal.accountId, params.id, body),
    async createSandboxGhlContact({ principal, body }) {
      const { contact, isNew } = await simulated.addContact(principal.accountId, body)
      return new Answer({ status: isNew ? 201 : 200, body: contact })
    },
    updateSandboxGhlContact: ({ principal, params, body }) =>
      simulated.setDnd(principal.accountId, params.id, body.dnd),
    causeSandboxGhlFault: async ({ principal, body: { kind, times = 1 } }) => {
      simulated.fail(principal.accountId, kind, times)
      return { kind, times }
    },
  }
}

export function crmExistence({ simulated }: CrmRoom): Existence<typeof crmContract> {
  return {
    listSandboxGhlMessages: ({ accountId }, { id }) => simulated.getConversation(accountId, id),
    writeSandboxGhlMessage: ({ accountId }, { id }) => simulated.getConversation(accountId, id),
    updateSandboxGhlContact: ({ accountId }, { id }) => simulated.contactOf(accountId, id),
  }
}
