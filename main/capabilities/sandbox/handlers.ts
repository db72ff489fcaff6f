import { Answer, type Existence, type Handlers } from '../handler.ts'
import type { sandboxContract } from './contract.ts'
import type { Sandbox } from './index.ts'

export function sandboxHandlers(sandbox: Sandbox): Handlers<typeof sandboxContract> {
  return {
    createSandboxPhone: async ({ principal, body: { number, ...settings } }) => {
      const { phone, existed } = await sandbox.changePhone(principal.accountId, number, settings)
      return new Answer({ body: phone, status: existed ? 200 : 201 })
    },
    listSandboxPhones: ({ principal, query }) => sandbox.listPhones(principal.accountId, query),
    updateSandboxPhone: async ({ principal, params, body }) =>
      (await sandbox.changePhone(principal.accountId, params.number, body)).phone,
    listSandboxPhoneMessages: ({ principal, params, query }) =>
      sandbox.listMessages(principal.accountId, params.number, query),
    readSandboxProfile: ({ principal, params }) => sandbox.profile(principal.accountId, params.number),
    joinGroupFromSandboxPhone: async ({ principal, params, body }) => {
      const { id, waits } = await sandbox.joinGroup(principal.accountId, params.number, body.link)
      return { group_id: id, state: waits ? ('requested' as const) : ('joined' as const) }
    },
    scanSandboxCode: async ({ principal, params: { number }, body }) => {
      const { instanceId, state } = await sandbox.scan(principal.accountId, number, body)
      return { instance_id: instanceId, number, state }
    },
    speakFromSandboxPhone: ({ principal, params, body }) => sandbox.speak(principal.accountId, params.number, body),
    editSandboxMessage: ({ principal, params, body }) =>
      sandbox.edit(principal.accountId, params.number, params.id, body.text),
    deleteSandboxMessage: ({ principal, params }) => sandbox.remove(principal.accountId, params.number, params.id),
    callFromSandboxPhone: ({ principal, params, body }) => sandbox.call(principal.accountId, params.number, body),
    listCallsToSandboxPhone: async ({ principal, params }) => ({
      data: await sandbox.listCalls(principal.accountId, params.number),
    }),
    async answerSandboxCall({ principal, params }) {
      await sandbox.answer(principal.accountId, params.number, params.call_id)
      return undefined
    },
    async hangUpSandboxCall({ principal, params }) {
      await sandbox.hangUp(principal.accountId, params.number, params.call_id)
      return undefined
    },
    voteInSandboxPoll: ({ principal, params, body }) =>
      sandbox.vote(principal.accountId, params.number, params.id, body.options),
    tapSandboxMessage: ({ principal, params, body }) =>
      sandbox.tap(principal.accountId, params.number, params.id, body),
    reactToSandboxMessage: ({ principal, params, body }) =>
      sandbox.react(principal.accountId, params.number, params.id, body.emoji),
    causeSandboxFault: async ({ principal, params, body: { kind, times = 1 } }) => {
      const fault = await sandbox.causeFault(principal.accountId, params.id, kind, times)
      return { instance_id: fault.id, kind, times: fault.times }
    },
    onboardSandboxInstance: async ({ principal, params, body: { number } }) => {
      const { id } = await sandbox.onboard(principal.accountId, params.id, number)
      return { instance_id: id, number, connected: true }
    },
    createSandboxGraphNumber: ({ principal, body }) => sandbox.graph.addNumber(principal.accountId, body),
    causeSandboxGraphFault: async ({ params: { phone_number_id }, body: { kind, times = 1 } }) => {
      await sandbox.graph.fail(phone_number_id, kind, times)
      return { phone_number_id, kind, times }
    },
    readSandboxModel: async ({ principal }) => sandbox.model.read(principal.accountId),
    queueSandboxModelReplies: async ({ principal, body }) => ({
      queued_replies: sandbox.model.queue(principal.accountId, body.replies),
    }),
    causeSandboxModelFault: async ({ principal, body: { kind, times = 1 } }) => {
      sandbox.model.cause(principal.accountId, kind, times)
      return { kind, times }
    },
    resetSandboxModel: async ({ principal }) => {
      sandbox.model.reset(principal.accountId)
      return undefined
    },
    readSandboxCatcher: ({ principal, params, query }) => sandbox.readCatcher(principal.accountId, params.name, query),
    setSandboxCatcherReply: async ({ principal, params: { name }, body }) => {
      const { status = 200, delay_ms = 0, hang = false } = body
      return { name, reply: await sandbox.setCatcherReply(principal.accountId, name, { status, delay_ms, hang }) }
    },
    emptySandboxCatcher: async ({ principal, params }) => {
      await sandbox.emptyCatcher(principal.accountId, params.name)
      return undefined
    },
  }
}

export function sandboxExistence(sandbox: Sandbox): Existence<typeof sandboxContract> {
  return {
    causeSandboxGraphFault: ({ accountId }, { phone_number_id }) =>
      sandbox.graph.requireNumber(accountId, phone_number_id),
    causeSandboxFault: ({ accountId }, { id }) => sandbox.requireInstance(accountId, id),
    onboardSandboxInstance: ({ accountId }, { id }) => sandbox.requireInstance(accountId, id, 'official'),
  }
}
