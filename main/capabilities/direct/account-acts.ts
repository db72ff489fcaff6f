import { ApiError } from '../../contract/errors.ts'
import type { Privacy } from '../../engines/direct.ts'
import type { Acts, Result } from './act-context.ts'
import { fieldsOf } from './fields.ts'

/** The profile of the number. */
export const ACCOUNT_ACTS: Acts = {
  async 'account/online'({ instance, body, engine }) {
    const { online } = fieldsOf('account/online', body, ['online'])
    await engine('setOnline')(instance, online)
    return { online }
  },
  async 'account/name'({ instance, body, engine }) {
    const { name } = fieldsOf('account/name', body, ['name'])
    requireShort('name', name, 25)
    await engine('setName')(instance, name)
    return { name }
  },
  async 'account/about'({ instance, body, engine }) {
    const { text } = fieldsOf('account/about', body, ['text'])
    requireShort('text', text, 139)
    await engine('setAbout')(instance, text)
    return { text }
  },
  async 'account/status'({ instance, body, engine }) {
    const { text, numbers } = fieldsOf('account/status', body, ['text', 'numbers'])
    requireShort('text', text, 700)
    const { engineMessageId } = await engine('postStatus')(instance, text, numbers)
    return { posted: true, message_id: engineMessageId }
  },
  async 'account/status-delete'({ instance, body, engine }) {
    const { message_id, numbers } = fieldsOf('account/status-delete', body, ['message_id', 'numbers'])
    await engine('deleteStatus')(instance, message_id, numbers)
    return { message_id, deleted: true }
  },
  async 'account/privacy'({ instance, body, engine }) {
    const { privacy: changes } = fieldsOf('account/privacy', body, [], ['privacy'])
    if (changes === undefined) return toPrivacy(await engine('privacy')(instance))
    const { last_seen: lastSeen, read_receipts: readReceipts, ...others } = changes
    const named = { ...others, ...(lastSeen && { lastSeen }), ...(readReceipts && { readReceipts }) }
    return toPrivacy(await engine('setPrivacy')(instance, named))
  },
  async 'account/picture'({ instance, body, engine, picture }) {
    const { media_url } = fieldsOf('account/picture', body, ['media_url'])
    await engine('setPicture')(instance, null, await picture(media_url))
    return { changed: true }
  },
}

/** WhatsApp's limits of profile texts. */
function requireShort(field: string, words: string, most: number): void {
  if (words.length <= most) return
  throw new ApiError('validation_error', `${field} must have at most ${most} characters here.`)
}

const toPrivacy = ({ lastSeen: last_seen, readReceipts: read_receipts, ...others }: Privacy): Result => ({
  last_seen,
  read_receipts,
  ...others,
})
