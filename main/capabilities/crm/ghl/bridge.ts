import type { MessageStatus } from '../../../contract/shapes.ts'
import type { Random } from '../../../kernel/ids.ts'
import type { Db } from '../../../kernel/db.ts'
import {
  BridgeError,
  type CrmBridge,
  type CrmContact,
  type CrmMessage,
  type Person,
  type PushedMessage,
} from '../bridge.ts'
import type { CrmLink } from '../links.ts'
import { knownExternalIds } from '../outbox-store.ts'
import type { Api } from './api.ts'
import { fieldsOf } from './fields.ts'
import type { GhlClient } from './client.ts'
import { GhlFailure } from './http.ts'
import { messageFaultOf, messagesFailing, providerRefused, statusFaultOf } from './faults.ts'
import { formOf } from './form.ts'

interface BridgeDeps {
  readonly api: Api
  readonly db: Pick<Db, 'read'>
  readonly random: Random
}

const CONTACT = { kind: 'contact', isRepeatable: true } as const
const CONVERSATION = { kind: 'conversation', isRepeatable: true } as const
const FILE = { kind: 'file', isRepeatable: true } as const
const MESSAGE = { kind: 'message', isRepeatable: false, faultOf: messageFaultOf } as const
const STATUS = { kind: 'status', isRepeatable: true, faultOf: statusFaultOf } as const
/** How many items are searched for one that may have been added. */
const LOOKED_AT = 100
/** GoHighLevel's statuses. `sent` is missing, because a message there starts as sent. */
const STATUSES: ReadonlySet<MessageStatus> = new Set(['delivered', 'read', 'failed'])

/** The bridge to GoHighLevel. */
export function createGhlBridge({ api, db, random }: BridgeDeps): CrmBridge {
  /** Finds a contact under any spelling of the number. */
  async function find(link: CrmLink, { spellings }: Person): Promise<CrmContact | null> {
    for (const spelling of spellings) {
      const found = await api(link, CONTACT, (client) => client.duplicateContact(link.locationId ?? '', `+${spelling}`))
      const id = found?.contact?.id
      if (id !== undefined) return { contactId: id, conversationId: null }
    }
    return null
  }

  /** An upsert may answer with an error although it created the contact, or return another person's contact. */
  async function create(link: CrmLink, person: Person, fields: Readonly<Record<string, unknown>>): Promise<CrmContact> {
    const upsert = {
      locationId: link.locationId ?? '',
      phone: `+${person.phone}`,
      ...fields,
      ...(person.isOptedOut && DND),
    }
    try {
      const contact = (await api(link, CONTACT, (client) => client.upsertContact(upsert)))?.contact
      const phone = contact?.phone?.replaceAll(/\D/g, '') ?? person.phone
      if (contact?.id !== undefined && person.spellings.includes(phone))
        return { contactId: contact.id, conversationId: null }
    } catch (error) {
      if (!(error instanceof BridgeError && error.fault.kind === 'refused')) throw error
      const made = await find(link, person)
      if (made !== null) return made
      throw error
    }
    throw new BridgeError({ kind: 'refused', code: 'contact_refused' }, 'GoHighLevel did not accept the contact.')
  }

  async function conversationOf(link: CrmLink, { contactId, conversationId }: CrmContact): Promise<string | null> {
    if (conversationId !== null) return conversationId
    const found = await api(link, CONVERSATION, (client) =>
      client.searchConversations({ locationId: link.locationId ?? '', contactId }),
    )
    return found?.conversations?.[0]?.id ?? null
  }

  /**
   * Finds an item that an earlier call may have added: same direction, time and text, and not known as another item.
   */
  async function findMessage(
    link: CrmLink,
    contact: CrmContact,
    wanted: { readonly direction: string; readonly atMs: number; readonly body: string },
  ): Promise<PushedMessage | null> {
    const conversationId = await conversationOf(link, contact)
    if (conversationId === null) return null
    const page = await api(link, CONVERSATION, (client) => client.messages(conversationId, LOOKED_AT))
    const alike = (page?.messages?.messages ?? []).filter(
      ({ direction, dateAdded, body }) =>
        direction === wanted.direction && Date.parse(dateAdded) === wanted.atMs && (body ?? '') === wanted.body,
    )
    const ids = alike.map(({ id }) => id)
    const turns = await knownExternalIds.over(ids, { linkSeq: link.seq }, (...run) => db.read(...run))
    const known = new Set(turns.flat().map(({ externalId }) => externalId))
    const externalId = ids.find((id) => !known.has(id))
    return externalId === undefined ? null : { externalId, conversationId }
  }

  /** @returns the URL in GoHighLevel; null if the file no longer exists. */
  async function upload(link: CrmLink, contact: CrmContact, message: CrmMessage): Promise<string | null> {
    if (message.file === null) return null
    const file = await message.readFile()
    if (file === null) return null
    const conversationId = await conversationOf(link, contact)
    const fields = {
      ...(conversationId === null ? { contactId: contact.contactId } : { conversationId }),
      locationId: link.locationId ?? '',
    }
    const form = formOf(random, fields, file)
    const answer = await api(link, FILE, (client) => client.uploadAttachment(form))
    const [url] = Object.values<unknown>(answer?.uploadedFiles ?? {})
    return typeof url === 'string' ? url : null
  }

  /** Adds an item to a conversation. */
  async function add(
    link: CrmLink,
    act: (client: GhlClient) => ReturnType<GhlClient['addInbound']>,
  ): Promise<PushedMessage> {
    const answer = await api(link, MESSAGE, act).catch(async (error: unknown) => {
      if (!(error instanceof BridgeError && isServerError(error))) throw error
      // This endpoint answers an invalid token with 500 too. Another call then shows whether the token is invalid,
      // and renews it.
      await api(link, CONTACT, (client) => client.duplicateContact(link.locationId ?? '', '+12025550100'))
      throw messagesFailing(error)
    })
    if (answer?.messageId !== undefined)
      return { externalId: answer.messageId, conversationId: answer.conversationId ?? null }
    // GoHighLevel accepts an app's message without a provider id, but shows it nowhere.
    if (link.mode === 'oauth' && link.providerId === null) throw providerRefused()
    throw new BridgeError(
      { kind: 'refused', code: 'message_refused' },
      'GoHighLevel accepted a message and did not add it.',
    )
  }

  return {
    statuses: STATUSES,

    async contact(link, person, known) {
      const fields = fieldsOf(link.fieldMap, person)
      const id = known ?? (await find(link, person))
      if (id !== null) {
        await api(link, CONTACT, (client) => client.changeContact(id.contactId, fields))
        return id
      }
      return create(link, person, fields)
    },

    async message(link, contact, message, mayExist) {
      const { direction, atMs } = message
      const url = await upload(link, contact, message)
      const isMissing = message.file !== null && url === null
      const body = [message.text, isMissing ? missingNote(message) : ''].filter((line) => line !== '').join('\n')
      if (mayExist) {
        const found = await findMessage(link, contact, { direction, atMs, body })
        if (found !== null) return found
      }
      return add(link, (client) =>
        client.addInbound({
          type: 'SMS',
          contactId: contact.contactId,
          ...(contact.conversationId !== null && { conversationId: contact.conversationId }),
          ...providerOf(link),
          ...(body !== '' && { message: body }),
          ...(url !== null && { attachments: [url] }),
          altId: message.id,
          direction,
          date: new Date(atMs).toISOString(),
        }),
      )
    },

    async call(link, contact, call, mayExist) {
      const { direction, startedAtMs: atMs } = call
      if (mayExist) {
        const found = await findMessage(link, contact, { direction, atMs, body: '' })
        if (found !== null) return found
      }
      const body = {
        type: 'Call',
        contactId: contact.contactId,
        ...(contact.conversationId !== null && { conversationId: contact.conversationId }),
        ...providerOf(link),
        ...(call.recordingUrl !== null && { attachments: [call.recordingUrl] }),
        altId: call.id,
        date: new Date(atMs).toISOString(),
        call: {
          ...(call.from !== null && { from: `+${call.from}` }),
          ...(call.to !== null && { to: `+${call.to}` }),
          status: CALL_STATUS[call.outcome],
        },
      }
      return add(link, (client) =>
        direction === 'inbound' ? client.addInbound({ ...body, direction }) : client.addOutbound(body),
      )
    },

    async status(link, messageId, status, error) {
      const body = { status, ...(error !== null && { error: { code: '1', type: 'saas', message: error } }) }
      await api(link, STATUS, (client) => client.updateStatus(messageId, body))
    },

    async optOut(link, { contactId }, { isOptedOut }) {
      const body = isOptedOut ? DND : { dnd: false, dndSettings: { SMS: { status: 'inactive' } } }
      await api(link, CONTACT, (client) => client.changeContact(contactId, body))
    },
  }
}

const isServerError = ({ fault, cause }: BridgeError) =>
  fault.kind === 'unknown' && cause instanceof GhlFailure && cause.status !== null

/** A private token reaches only the default provider of its location, and is refused with another provider's id. */
const providerOf = ({ mode, providerId }: CrmLink) =>
  mode === 'token' || providerId === null ? {} : { conversationProviderId: providerId }

const DND = { dnd: true, dndSettings: { SMS: { status: 'active', message: 'Opted out', code: '000' } } }

const CALL_STATUS = { completed: 'completed', missed: 'no-answer', declined: 'busy', failed: 'failed' } as const

const missingNote = ({ file, type }: CrmMessage) => `[${file?.filename ?? type}: the file is not available]`
