import { ApiError } from '../../contract/errors.ts'
import type { Engine } from '../../engines/engine.ts'
import type { Usernames } from '../../engines/usernames.ts'
import { notSupported, requireConnected, type CallEngine } from '../engine-call.ts'
import type { InstanceSubject } from '../handler.ts'
import type { UsernameBody, UsernameQuery, UsernameView } from './contract.ts'

interface UsernameDeps {
  readonly callEngine: CallEngine
  readonly instances: { engineFor(subject: InstanceSubject): Engine }
}

/** Each function throws ApiError not_ready for a number that is not connected, and Meta's errors. */
export interface BusinessUsernames {
  read(instance: InstanceSubject, query: UsernameQuery): Promise<UsernameView>
  set(instance: InstanceSubject, body: UsernameBody): Promise<UsernameView>
  remove(instance: InstanceSubject): Promise<void>
}

/** The username of a business number. Meta keeps it, so nothing is stored here. */
export function createBusinessUsernames({ callEngine, instances }: UsernameDeps): BusinessUsernames {
  function usernamesOf(instance: InstanceSubject): Usernames {
    requireConnected(instance)
    const { usernames } = instances.engineFor(instance)
    if (usernames === undefined) throw notSupported()
    return usernames
  }

  return {
    async read(instance, { include }) {
      const usernames = usernamesOf(instance)
      const known = await callEngine(instance, () => usernames.read(instance))
      const view = known ?? { username: null, status: null }
      if (include === undefined) return view
      return { ...view, suggestions: [...(await callEngine(instance, () => usernames.suggestions(instance)))] }
    },
    async set(instance, { username, transfer = false }) {
      if (!isUsername(username)) throw malformed()
      const usernames = usernamesOf(instance)
      return callEngine(instance, () => usernames.claim(instance, username, transfer))
    },
    async remove(instance) {
      const usernames = usernamesOf(instance)
      await callEngine(instance, () => usernames.release(instance))
    },
  }
}

const DOMAIN_ENDINGS = ['com', 'org', 'net', 'edu', 'gov', 'mil', 'us', 'in', 'io', 'ai', 'html']

/** Rules that the contract's pattern cannot express. */
function isUsername(text: string): boolean {
  const hasGoodPeriods = !text.startsWith('.') && !text.endsWith('.') && !text.includes('..')
  const isDomain = DOMAIN_ENDINGS.some((ending) => text.endsWith(`.${ending}`))
  return /[a-z]/.test(text) && hasGoodPeriods && !text.startsWith('www') && !isDomain
}

const malformed = () =>
  new ApiError(
    'validation_error',
    'username needs a letter, no period at its begin or end or next to another one, no www at its begin, and no ending of a domain such as .com.',
  ).because('username_form', { field: 'username' })
