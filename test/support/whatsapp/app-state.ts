import { randomBytes } from 'node:crypto'
import { proto } from 'baileys'
import { newSalt, saltSetting } from './contact-salt.ts'
import { createCollection, type Collection } from './collection.ts'
import { COLLECTIONS, EMPTY_LEDGER, openChanges, sealChanges, type CollectionName, type Ledger } from './ledger.ts'
import type { DeviceInside } from './linked-device.ts'
import { externalBlob } from './media.ts'
import { peerStanza } from './own-phone.ts'
import type { PhoneCore, PhoneInside, Surroundings } from './people.ts'
import type { Operation, Setting, SyncKey } from './setting.ts'
import { newMessageId } from './speech.ts'
import { spoil, type Spoilt } from './spoilt.ts'
import { groupJid, lidJid, numberJid, seconds, stanza } from './stanza.ts'

/**
 * Settings of an account that the phone and all linked devices share: the names of contacts, and the settings of each
 * chat. Chats are identified by phone numbers and group ids.
 */
export interface AppState {
  /** A collection from the phone's view. */
  ledger(name: CollectionName): Ledger
  /** The keys that encrypt the settings, newest last. */
  readonly keys: readonly SyncKey[]
  /** Saves contacts under these names; null removes a contact. All of this is one change. */
  saveContacts(names: Readonly<Record<string, string | null>>): void
  nameMyself(name: string): void
  archive(chat: string, isArchived: boolean): void
  /** @param untilMs null unmutes the chat. */
  mute(chat: string, untilMs: number | null): void
  markRead(chat: string, isRead: boolean): void
  /** Whether the network requires a token for messages to new people. The token is made with a salt. */
  saltNewChats(isSalted: boolean): void
  /** Encrypts later changes with a new key. */
  renewKey(): void
  /** Withholds the keys from linked devices until `shareKeys` is called. */
  withholdKeys(): void
  shareKeys(): void
  /** One MAC of the next change is wrong where the server returns it; the phone has the right one. */
  spoilNext(which: Spoilt): void
}

/** Adds what only the simulated network uses. */
export interface AppStateInside extends AppState {
  /** null if new chats need no token. */
  readonly salt: Buffer | null
  collection(name: CollectionName): Collection
  /**
   * Accepts the next version from a linked device. The real server accepts anything, and the phone finds errors
   * later; here errors are refused immediately, so that a test notices them.
   * @throws if the version is not valid.
   */
  take(name: CollectionName, patch: proto.ISyncdPatch, author: DeviceInside): void
  /** Called before a device is linked: creates the settings that the owner made earlier. */
  begin(): void
  /** Sends the keys to a device. */
  share(device: DeviceInside): Promise<void>
}

/** With more changes than this, they are stored in a separate file. */
const INLINE_AT_MOST = 16
const KEY_BYTES = 32
const { SET, REMOVE } = proto.SyncdMutation.SyncdOperation

export function createAppState(core: PhoneCore, around: Surroundings, self: () => PhoneInside): AppStateInside {
  const ledgers = new Map<CollectionName, Ledger>()
  const collections = new Map(COLLECTIONS.map((name) => [name, createCollection(name)]))
  const keys: SyncKey[] = [newKey(1)]
  let isSharing = true
  let salt: Buffer | null = null
  let spoilt: Spoilt | undefined

  const ledger = (name: CollectionName) => ledgers.get(name) ?? EMPTY_LEDGER
  const chatJid = (chat: string) => (around.group(chat) ? groupJid(chat) : numberJid(chat))

  function change(name: CollectionName, settings: readonly (readonly [Operation, Setting])[]): void {
    const changes = settings.map(([operation, { value, ...setting }]) => ({
      operation,
      setting: { ...setting, value: { ...value, timestamp: Date.now() } },
    }))
    const made = sealChanges(name, ledger(name), keys.at(-1)!, changes)
    ledgers.set(name, made.ledger)
    publish(name, spoilt ? spoil(made.patch, spoilt) : made.patch)
    spoilt = undefined
  }

  const set = (name: CollectionName, version: number, index: readonly string[], value: proto.ISyncActionValue) =>
    change(name, [[SET, { index, value, version }]])

  function publish(name: CollectionName, patch: proto.ISyncdPatch, author?: DeviceInside): void {
    const collection = collections.get(name)!
    const mutations = patch.mutations ?? []
    collection.keep(mutations.length > INLINE_AT_MOST ? withFile(patch) : patch, mutations)
    const news = stanza('collection', { name, version: collection.version })
    const notice = { type: 'server_sync', from: 's.whatsapp.net', id: newMessageId(), t: seconds() }
    for (const device of core.devices) if (device !== author) device.enqueue(stanza('notification', notice, [news]))
  }

  function withFile({ mutations, ...patch }: proto.ISyncdPatch): proto.ISyncdPatch {
    const bytes = proto.SyncdMutations.encode({ mutations: mutations ?? null }).finish()
    return { ...patch, externalMutations: externalBlob(around.cdn.publish('app_state', Buffer.from(bytes))) }
  }

  async function share(device: DeviceInside): Promise<void> {
    if (isSharing) device.enqueue(await peerStanza(self(), device, keyShare(keys)))
  }

  function shareKeys(): void {
    for (const device of core.devices) void core.inTurn(() => share(device))
  }

  const nameMyself = (name: string) => set('critical_block', 1, ['setting_pushName'], { pushNameSetting: { name } })

  return {
    ledger,
    keys,
    collection: (name) => collections.get(name)!,
    saveContacts(names) {
      const contacts = Object.entries(names).map(([number, name]) => {
        const value = { contactAction: { fullName: name, lidJid: lidJid(around.phone(number).lid) } }
        const setting = { index: ['contact', numberJid(number)], value, version: 2 }
        return [name === null ? REMOVE : SET, setting] as const
      })
      change('critical_unblock_low', contacts)
    },
    nameMyself,
    get salt() {
      return salt
    },
    saltNewChats(isSalted) {
      salt = isSalted ? newSalt() : null
      change('regular_high', [[isSalted ? SET : REMOVE, saltSetting(salt)]])
    },
    archive: (chat, archived) =>
      set('regular_low', 3, ['archive', chatJid(chat)], { archiveChatAction: { archived, messageRange: now() } }),
    mute: (chat, untilMs) =>
      set('regular_high', 2, ['mute', chatJid(chat)], {
        muteAction: { muted: untilMs !== null, muteEndTimestamp: untilMs },
      }),
    markRead: (chat, read) =>
      set('regular_low', 3, ['markChatAsRead', chatJid(chat)], { markChatAsReadAction: { read, messageRange: now() } }),
    renewKey() {
      keys.push(newKey(keys.length + 1))
      shareKeys()
    },
    withholdKeys: () => void (isSharing = false),
    shareKeys() {
      isSharing = true
      shareKeys()
    },
    spoilNext: (which) => void (spoilt = which),
    take(name, patch, author) {
      const id = Buffer.from(patch.keyId?.id ?? [])
      const key = keys.find((one) => one.id.equals(id))
      if (key === undefined) throw new Error('the change is sealed with a key the phone does not have')
      ledgers.set(name, openChanges(name, ledger(name), key, patch))
      publish(name, patch, author)
    },
    begin() {
      const { name } = core.habits
      if (name !== '' && ledger('critical_block').version === 0) nameMyself(name)
    },
    share,
  }
}

/** The id contains the device that created it (0) and a counter. */
function newKey(count: number): SyncKey {
  const id = Buffer.alloc(6)
  id.writeUInt32BE(count, 2)
  return { id, secret: randomBytes(KEY_BYTES) }
}

function keyShare(keys: readonly SyncKey[]): proto.IMessage {
  const shared = keys.map(({ id, secret }) => ({
    keyId: { keyId: id },
    keyData: {
      keyData: secret,
      fingerprint: { rawId: id.readUInt32BE(2), currentIndex: 0, deviceIndexes: [0] },
      timestamp: Date.now(),
    },
  }))
  const type = proto.Message.ProtocolMessage.Type.APP_STATE_SYNC_KEY_SHARE
  return { protocolMessage: { type, appStateSyncKeyShare: { keys: shared } } }
}

const now = () => ({ lastMessageTimestamp: seconds() })
