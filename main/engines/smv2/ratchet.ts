/** A session with one device, as the encryption library holds it in memory. */
interface Entry {
  serialize(): object
  pendingPreKey?: unknown
}

interface EntryClass {
  deserialize(data: object): Entry
}

/** What the library does to read a message with one session; its declarations leave it out. */
interface Reader {
  doDecryptWhisperMessage(message: Uint8Array, session: Entry | undefined): Promise<Uint8Array>
}

const mended = new WeakSet()

/**
 * The library looks for the session of a message by trying one after another, and steps each of them on before it knows
 * whether it was the right one. When one fits, all are stored as they are then: whatever was merely tried can never be
 * used again. It happens as soon as something under an older session is read after a newer one was opened, as with a
 * backlog after a reconnect; from then on neither side can read the other. Here every attempt is made on a copy.
 */
export function tryOnCopies(cipher: { readonly prototype: object }): void {
  if (mended.has(cipher.prototype)) return
  mended.add(cipher.prototype)
  const reader = cipher.prototype as Reader
  const read = reader.doDecryptWhisperMessage
  reader.doDecryptWhisperMessage = async function (message, session) {
    if (session === undefined) return read.call(this, message, session)
    // The library exports the class of its sessions nowhere.
    const copy = (session.constructor as unknown as EntryClass).deserialize(session.serialize())
    const plain = await read.call(this, message, copy)
    // Once something was read with it, the other side has answered.
    delete session.pendingPreKey
    Object.assign(session, copy)
    return plain
  }
}
