import { ApiError } from '../../contract/errors.ts'
import type { Handlers } from '../handler.ts'
import type { officialSettingsContract } from './contract.ts'
import type { Conversational } from './conversational-components.ts'
import type { GraphVersions } from './graph-version.ts'
import type { BusinessUsernames } from './username.ts'

export function officialSettingsHandlers(
  versions: GraphVersions,
  usernames: BusinessUsernames,
  conversational: Conversational,
): Handlers<typeof officialSettingsContract> {
  return {
    getOfficialSettings: async ({ instance }) => versions.read(instance),
    updateOfficialSettings: ({ instance, body, requireAccess }) => versions.update(instance, body, requireAccess),
    getUsername: ({ instance, query }) => usernames.read(instance, query),
    setUsername({ principal, instance, body }) {
      if (body.transfer === true && principal.allowedInstanceIds !== null) throw isOutOfReach()
      return usernames.set(instance, body)
    },
    getConversationalComponents: ({ instance }) => conversational.read(instance),
    setConversationalComponents: ({ instance, body }) => conversational.set(instance, body),
    async deleteUsername({ instance }) {
      await usernames.remove(instance)
      return undefined
    },
  }
}

/** Meta does not say which number loses the username. */
const isOutOfReach = () =>
  new ApiError(
    'key_restricted',
    'This key reaches only some instances, and the username may be taken from another one. Use a key that reaches all.',
  )
