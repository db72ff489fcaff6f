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
 * What the owner of an account sets on the phone and all linked devices share: who is who, and how each chat is kept.
 * Numbers and ids of groups name chats.
 */
export interface AppState {
  /** A collection as the phone has it. */
  ledger(name: CollectionName): Ledger
  /** What the settings are sealed with, the newest key last. */
  readonly keys: readonly SyncKey[]
  /** Saves people under these names; null removes somebody. One change, however many they are. */
  saveContacts(names: Readonly<Record<string, string | null>>): void
  nameMyself(name: string): void
  archive(chat: string, isArchived: boolean): void
  /** @param untilMs null: it is heard again. */
  mute(chat: string, untilMs: number | null): void
  markRead(chat: string, isRead: boolean): void
  /** The network asks for a token made with a salt from whoever is written to first; false: it does so no more. */
  saltNewChats(isSalted: boolean): void
  /** Changes are sealed with another key from now on. */
  renewKey(): void
  /** Linked devices get no key any more, until `shareKeys`. */
  withholdKeys(): void
  shareKeys(): void
  /** One MAC of the next change is wrong where it is handed out; on the phone it is right. */
  spoilNext(which: Spoilt): void
}

/** The same, for those who run the network. */
export interface AppStateInside extends AppState {
  /** null: new chats need no token. */
  readonly salt: Buffer | null
  collection(name: CollectionName): Collection
  /**
   * A linked device makes the next version. The real server takes whatever it gets, and the phone finds out; here it is
   * refused at once, so that a test sees it.
   * @throws when it is not whole.
   */
  take(name: CollectionName, patch: proto.ISyncdPatch, author: DeviceInside): void
  /** Before a device is linked: what the owner has set since the account exists. */
  begin(): void
  /** Gives a device the keys. */
  share(device: DeviceInside): Promise<void>
}

/** More of them at once lie in a file of their own. */
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

/** Its id names the device that made it, 0, and counts. */
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
