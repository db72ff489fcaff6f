import { proto } from 'baileys'
import type { AppStateInside } from './app-state.ts'
import { COLLECTIONS, type CollectionName } from './ledger.ts'
import type { DeviceInside } from './linked-device.ts'
import { externalBlob, type Cdn } from './media.ts'
import { bytesIn, child, children, stanza, type Stanza } from './stanza.ts'

interface Around {
  readonly device: DeviceInside
  readonly appState: AppStateInside
  readonly cdn: Cdn
}

/** The most versions per answer. A client that is further behind must ask again. */
const AT_ONCE = 8

/** The answer contains every requested collection, because a client would request a missing one again and again. */
export function answerSync(iq: Stanza, around: Around): Stanza[] {
  const named = children(child(iq, 'sync'), 'collection')
  return [
    stanza(
      'sync',
      {},
      named.map((node) => (child(node, 'patch') ? upload(node, around) : download(node, around))),
    ),
  ]
}

function download({ attrs }: Stanza, { appState, cdn }: Around): Stanza {
  const collection = appState.collection(nameIn(attrs))
  const snapshot = attrs['return_snapshot'] === 'true' ? collection.snapshot() : undefined
  const from = Number(snapshot?.version?.version ?? attrs['version'] ?? 0)
  const place = snapshot && cdn.publish('app_state', Buffer.from(proto.SyncdSnapshot.encode(snapshot).finish()))
  return answer(collection, from, [
    ...(place ? [stanza('snapshot', {}, proto.ExternalBlobReference.encode(externalBlob(place)).finish())] : []),
  ])
}

/** Accepts a change only if it is based on the newest version. */
function upload(node: Stanza, { appState, device }: Around): Stanza {
  const name = nameIn(node.attrs)
  const collection = appState.collection(name)
  const from = Number(node.attrs['version'] ?? 0)
  if (from !== collection.version) return refusal(409, 'conflict', answer(collection, from))
  try {
    appState.take(name, proto.SyncdPatch.decode(bytesIn(child(node, 'patch'))), device)
  } catch (error) {
    return refusal(400, error instanceof Error ? error.message : 'bad-request', stanza('collection', { name }, []))
  }
  return stanza('collection', { name, version: collection.version })
}

function answer(collection: ReturnType<AppStateInside['collection']>, from: number, before: Stanza[] = []): Stanza {
  const patches = collection.since(from)
  const some = patches.slice(0, AT_ONCE).map((patch) => stanza('patch', {}, proto.SyncdPatch.encode(patch).finish()))
  const attributes = {
    name: collection.name,
    version: collection.version,
    has_more_patches: patches.length > some.length ? 'true' : undefined,
  }
  return stanza('collection', attributes, [...before, ...(some.length > 0 ? [stanza('patches', {}, some)] : [])])
}

/** The error is inside the collection; the answer itself is not an error. */
const refusal = (code: number, text: string, { attrs, content }: Stanza): Stanza => ({
  ...stanza('collection', { ...attrs, type: 'error' }),
  content: [stanza('error', { code, text }), ...(Array.isArray(content) ? content : [])],
})

function nameIn({ name }: Stanza['attrs']): CollectionName {
  const found = COLLECTIONS.find((one) => one === name)
  if (found === undefined) throw new Error(`there is no collection ${name ?? 'without a name'}`)
  return found
}
