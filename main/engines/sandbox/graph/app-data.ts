import { GraphFault, ok, parameterFault, type GraphAnswer } from './answers.ts'
import type { GraphChange } from './callback-bodies.ts'
import type { Callbacks } from './callbacks.ts'
import type { GraphNumber } from './store.ts'

type Json = Readonly<Record<string, unknown>>

/** Data of the WhatsApp Business app on a simulated phone from before it was connected. */
export interface AppData {
  /** In the address book. */
  readonly contacts: readonly { readonly number: string; readonly name: string }[]
  readonly chats: readonly {
    readonly number: string
    /** In Graph's format, without `history_context`. Messages with a file are announced first and described later. */
    readonly messages: readonly Json[]
  }[]
  /** The person declined to share the chats. */
  readonly isHistoryDeclined?: boolean
}

interface AppDataDeps {
  readonly callbacks: Pick<Callbacks, 'send'>
  readonly newId: () => string
}

const FILES = ['image', 'video', 'audio', 'document', 'sticker']
const SYNCED = new GraphFault(400, 2_593_107, 'Synchronization request limit exceeded')
const NO_APP = new GraphFault(400, 2_593_108, 'Synchronization is for numbers of the WhatsApp Business app')
const DECLINED = {
  code: 2_593_109,
  title: 'History sync is turned off by the business from the WhatsApp Business App',
  error_data: { details: 'History sharing is turned off by the business' },
}
const TYPES = ['smb_app_state_sync', 'history']
const NOTHING: AppData = { contacts: [], chats: [] }

/**
 * Meta hands out the contacts and chats of a number that is also used in the app, once and on request ("Onboarding
 * business app users").
 */
export function createAppData({ callbacks, newId }: AppDataDeps) {
  const known = new Map<string, AppData>()
  const given = new Set<string>()

  const base = ({ number, phoneNumberId }: GraphNumber) => ({
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: number, phone_number_id: phoneNumberId },
  })
  const dataOf = ({ phoneNumberId }: GraphNumber) => known.get(phoneNumberId) ?? NOTHING

  async function sendContacts(number: GraphNumber): Promise<void> {
    const { contacts } = dataOf(number)
    if (contacts.length > 0) await callbacks.send(number, contactsChange(number, contacts, 'add'))
  }

  function contactsChange(number: GraphNumber, contacts: AppData['contacts'], action: 'add' | 'remove'): GraphChange {
    const state_sync = contacts.map(({ number: phone_number, name }) => ({
      type: 'contact',
      contact: { phone_number, ...(action === 'add' && { full_name: name, first_name: name.split(' ')[0] }) },
      action,
      metadata: { timestamp: '1739321024' },
    }))
    return { field: 'smb_app_state_sync', value: { ...base(number), state_sync } }
  }

  async function sendHistory(number: GraphNumber): Promise<void> {
    const { chats, isHistoryDeclined } = dataOf(number)
    const change = (value: object): GraphChange => ({ field: 'history', value: { ...base(number), ...value } })
    if (isHistoryDeclined === true) return callbacks.send(number, change({ history: [{ errors: [DECLINED] }] }))
    const isFile = ({ type }: Json) => FILES.includes(String(type))
    for (const [at, chat] of chats.entries()) {
      const messages = chat.messages.map((message) => {
        const { id, from, timestamp } = message
        const shown = isFile(message) ? { id, from, timestamp, type: 'media_placeholder' } : message
        return { ...shown, history_context: { status: 'READ' } }
      })
      const metadata = { phase: 0, chunk_order: at + 1, progress: Math.round((100 * (at + 1)) / chats.length) }
      await callbacks.send(number, change({ history: [{ metadata, threads: [{ id: chat.number, messages }] }] }))
    }
    const files = chats.flatMap(({ messages }) => messages.filter(isFile))
    if (files.length > 0) await callbacks.send(number, change({ messages: files }))
  }

  return {
    /** Sets the data of the number's app. */
    keep({ phoneNumberId }: GraphNumber, data: AppData): void {
      known.set(phoneNumberId, data)
    },
    /** The owner of the number changes the address book. */
    changeContacts: (number: GraphNumber, contacts: AppData['contacts'], action: 'add' | 'remove') =>
      callbacks.send(number, contactsChange(number, contacts, action)),
    sendHistory,

    /** `POST /{phone-number-id}/smb_app_data` */
    sync(number: GraphNumber, isBesideApp: boolean, body: Json): GraphAnswer {
      const type = body['sync_type']
      if (body['messaging_product'] !== 'whatsapp' || typeof type !== 'string' || !TYPES.includes(type))
        throw parameterFault('messaging_product and sync_type are required.')
      if (!isBesideApp) throw NO_APP
      const name = `${number.phoneNumberId} ${type}`
      if (given.has(name)) throw SYNCED
      given.add(name)
      setImmediate(() => void (type === 'history' ? sendHistory(number) : sendContacts(number)).catch(() => {}))
      return ok({ messaging_product: 'whatsapp', request_id: newId() })
    },
  }
}

export type GraphAppData = ReturnType<typeof createAppData>
