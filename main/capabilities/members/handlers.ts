import type { Existence, Handlers } from '../handler.ts'
import type { membersContract } from './contract.ts'
import type { Members } from './index.ts'

export function membersHandlers(members: Members): Handlers<typeof membersContract> {
  return {
    listMembers: async ({ principal }) => ({ data: await members.list(principal.accountId) }),
    inviteMember: ({ principal, body }) => members.invite(principal.accountId, body),
    createMemberLink: ({ principal, params }) => members.newLink(principal.accountId, params.member_id),
    getMemberAccess: ({ principal, params }) => members.access(principal.accountId, params.member_id),
    async removeMember({ principal, params, query: { revoke_keys: wanted } }) {
      const ids = wanted?.toLowerCase().split(',').filter(Boolean)
      await members.remove(principal.accountId, params.member_id, ids)
      return undefined
    },
    async setOwnPassword({ principal, body }) {
      await members.setPassword(principal, body.password, body.current_password)
      return undefined
    },
  }
}

export const membersExistence = (members: Members): Existence<typeof membersContract> => ({
  createMemberLink: ({ accountId }, { member_id: id }) => members.find(accountId, id),
  getMemberAccess: ({ accountId }, { member_id: id }) => members.find(accountId, id),
  removeMember: ({ accountId }, { member_id: id }) => members.find(accountId, id),
})
