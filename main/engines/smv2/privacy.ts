import type { DirectActs, Privacy } from '../direct.ts'
import type { EngineInstance } from '../engine.ts'
import type { OpenLink } from './link.ts'

interface PrivacyNeeds {
  /** @throws ApiError not_ready */
  readonly openOf: (instance: EngineInstance) => OpenLink
}

type Setting = keyof Privacy

/** The network's names of the settings. */
const CATEGORIES: Readonly<Record<Setting, string>> = {
  lastSeen: 'last',
  online: 'online',
  picture: 'profile',
  about: 'status',
  readReceipts: 'readreceipts',
  groups: 'groupadd',
  calls: 'calladd',
}
const SETTINGS = Object.keys(CATEGORIES) as readonly Setting[]

/** The network's words for who it is. */
const AUDIENCES: Readonly<Record<string, Privacy[Setting]>> = {
  all: 'everyone',
  contacts: 'contacts',
  contact_blacklist: 'contacts_except',
  none: 'nobody',
  match_last_seen: 'same_as_last_seen',
  known: 'known',
}

/** Who sees what of the account, as it is set on the phone. */
export function createPrivacy({ openOf }: PrivacyNeeds): Pick<DirectActs, 'privacy' | 'setPrivacy'> {
  async function fetchAll({ sock }: OpenLink): Promise<Privacy> {
    const found = await sock.fetchPrivacySettings(true)
    const audienceOf = (setting: Setting) => AUDIENCES[found[CATEGORIES[setting]] ?? ''] ?? null
    return {
      lastSeen: audienceOf('lastSeen'),
      online: audienceOf('online'),
      picture: audienceOf('picture'),
      about: audienceOf('about'),
      readReceipts: audienceOf('readReceipts'),
      groups: audienceOf('groups'),
      calls: audienceOf('calls'),
    }
  }

  return {
    privacy: (instance) => fetchAll(openOf(instance)),
    async setPrivacy(instance, changes) {
      const open = openOf(instance)
      const words = Object.entries(AUDIENCES)
      for (const setting of SETTINGS) {
        const value = words.find(([, audience]) => audience === changes[setting])?.[0]
        if (value === undefined) continue
        const category = { tag: 'category', attrs: { name: CATEGORIES[setting], value } }
        await open.sock.query({
          ...{ tag: 'iq', attrs: { xmlns: 'privacy', to: '@s.whatsapp.net', type: 'set' } },
          content: [{ tag: 'privacy', attrs: {}, content: [category] }],
        })
      }
      return fetchAll(open)
    },
  }
}
