import { ApiError } from '../../contract/errors.ts'
import type { DirectActs } from '../direct.ts'
import type { EngineInstance } from '../engine.ts'
import { refusalOf } from './close-codes.ts'
import { changeGroup } from './group-metadata.ts'
import type { OpenLink } from './link.ts'
import { mutate } from './mex.ts'

interface OwnProfileNeeds {
  /** @throws ApiError not_ready */
  readonly openOf: (instance: EngineInstance) => OpenLink
}

const TEXT_STATUS = '9152604461510864'

/** As the library addresses the server. */
const SERVER = '@s.whatsapp.net'

/** What a line shows of itself, and of groups it may change. */
export function createOwnProfile({ openOf }: OwnProfileNeeds): Pick<DirectActs, 'setName' | 'setAbout' | 'setPicture'> {
  return {
    setName: (instance, name) => openOf(instance).sock.updateProfileName(name),
    // The library still uses a request that WhatsApp's own client no longer makes.
    setAbout: (instance, text) => mutate(openOf(instance), TEXT_STATUS, { text, ephemeral_duration_sec: 0 }),
    async setPicture(instance, groupId, jpeg) {
      // The library would scale it first, with a native module that is not installed.
      const picture = { tag: 'picture', attrs: { type: 'image' }, content: jpeg }
      const target = groupId === null ? {} : { target: groupId }
      const open = openOf(instance)
      const asked = open.sock
        .query({
          ...{ tag: 'iq', attrs: { to: SERVER, type: 'set', xmlns: 'w:profile:picture', ...target } },
          content: [picture],
        })
        .catch(pictureRefused)
      await (groupId === null ? asked : changeGroup(open, groupId, asked))
    },
  }
}

function pictureRefused(error: unknown): never {
  const code = refusalOf(error) ?? 0
  if (!PICTURE_REFUSALS.has(code)) throw error
  throw new ApiError('validation_error', 'WhatsApp refused the picture. Send a square JPEG of 640 × 640 pixels.')
}

const PICTURE_REFUSALS: ReadonlySet<number> = new Set([400, 406, 413])
