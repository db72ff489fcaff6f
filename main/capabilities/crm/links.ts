import type { CrmSync, FieldMapping } from '../../contract/crm.ts'
import type { Notice } from '../../contract/notice.ts'
import type { Creator } from '../../kernel/access.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, Ids, InstanceId } from '../../kernel/ids.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import {
  allLinks,
  insertLink,
  insertQueue,
  linkById,
  linkBySeq,
  linkOf,
  linksBySecretOf,
  linksOfAccount,
  linksOfCompany,
  linksOfInstance,
  linksOfQueue,
  removeBackfill,
  removeContacts,
  removeInbox,
  removeLink,
  removeOutbox,
  removeQueue,
  removeStatuses,
  removeTokens,
  updateLink,
  type LinkRow,
} from './link-store.ts'
import { removeHidden } from './hidden-people.ts'
import { removeOptOutChanges } from './opt-out-changes.ts'

/** A connection between an instance and a CRM. */
export interface CrmLink extends Omit<LinkRow, 'sync' | 'fieldMap'> {
  readonly sync: CrmSync
  readonly fieldMap: readonly FieldMapping[]
}

type Reader = Pick<Tx, 'one' | 'all'>

export type Links = ReturnType<typeof createLinks>

interface LinksDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Pick<Ids, 'tagged'>
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
}

export type NewLink = Omit<
  CrmLink,
  'seq' | 'id' | 'connectedAtMs' | 'lastSyncAtMs' | 'errorCode' | 'errorMessage' | 'errorAtMs'
>

const ID_PREFIX = 'crm'

/** The scope in which ids of CRM users' messages are unique. */
export const scopeOf = ({ kind, queue, id }: Pick<CrmLink, 'kind' | 'queue' | 'id'>): string =>
  kind === 'ghl' ? queue : id

const SEND = 'send:'
/** The queue of messages that CRM users write. */
export const sendQueueOf = ({ id }: Pick<CrmLink, 'id'>): string => `${SEND}${id}`
export const linkIdOfSendQueue = (queue: string): string => queue.slice(SEND.length)

export function createLinks({ db, clock, ids, live }: LinksDeps) {
  /** Instances with a connection; messages of all others are skipped without a query. */
  const linked = new Set<string>()
  const outside: Reader = { one: db.readOne, all: db.read }

  const notify = (tx: Tx, accountId: AccountId) => tx.afterCommit(() => live.publish(accountId, { topic: 'crm' }))

  const end = async (tx: Tx, link: CrmLink): Promise<void> => {
    const { seq, queue, instanceId, accountId } = link
    for (const statement of [removeOutbox, removeStatuses, removeInbox, removeBackfill, removeHidden, removeLink])
      await tx.run(statement, { seq })
    if ((await tx.one(linksOfQueue, { queue })) === undefined) {
      await tx.run(removeContacts, { queue })
      await tx.run(removeQueue, { queue })
      await removeOptOutChanges(tx, queue)
      if (link.locationId !== null) await tx.run(removeTokens, { locationId: link.locationId })
    }
    await tx.run(removeQueue, { queue: sendQueueOf(link) })
    const isLast = (await tx.one(linksOfInstance, { instanceId })) === undefined
    tx.afterCommit(() => {
      if (isLast) linked.delete(instanceId)
    })
    notify(tx, accountId)
  }

  return {
    /** Runs at start. */
    async load(): Promise<void> {
      for (const { instanceId } of await db.read(allLinks, {})) linked.add(instanceId)
    },
    isLinked: (instanceId: string): boolean => linked.has(instanceId),

    find: async (instanceId: string, kind: LinkRow['kind'], read: Reader = outside): Promise<CrmLink | undefined> => {
      const row = await read.one(linkOf, { instanceId, kind })
      return row && toLink(row)
    },
    ofInstance: async (instanceId: string, read: Reader = outside): Promise<CrmLink[]> =>
      (await read.all(linksOfInstance, { instanceId })).map(toLink),
    ofQueue: async (queue: string, read: Reader = outside): Promise<CrmLink[]> =>
      (await read.all(linksOfQueue, { queue })).map(toLink),
    ofAccount: async (accountId: AccountId, read: Reader = outside): Promise<CrmLink[]> =>
      (await read.all(linksOfAccount, { accountId })).map(toLink),
    bySecretOf: async (creator: Creator, read: Reader = outside): Promise<CrmLink[]> =>
      (await read.all(linksBySecretOf, { creator })).map(toLink),
    ofCompany: async (companyId: string, read: Reader = outside): Promise<CrmLink[]> =>
      (await read.all(linksOfCompany, { companyId })).map(toLink),
    byId: async (id: string, read: Reader = outside): Promise<CrmLink | undefined> => {
      const row = await read.one(linkById, { id })
      return row && toLink(row)
    },
    bySeq: async (seq: number, read: Reader = outside): Promise<CrmLink | undefined> => {
      const row = await read.one(linkBySeq, { seq })
      return row && toLink(row)
    },

    /** @param id of a connection that needed its id earlier, for sealing. */
    async add(tx: Tx, wish: NewLink, id: string = ids.tagged(ID_PREFIX)): Promise<CrmLink> {
      const link: CrmLink = {
        ...wish,
        ...{ seq: await tx.next('crm_links'), id, connectedAtMs: clock.now(), lastSyncAtMs: null },
        ...{ errorCode: null, errorMessage: null, errorAtMs: null },
      }
      await tx.run(insertLink, toRow(link))
      await tx.run(insertQueue, { id: link.queue, accountId: link.accountId })
      await tx.run(insertQueue, { id: sendQueueOf(link), accountId: link.accountId })
      tx.afterCommit(() => void linked.add(link.instanceId))
      notify(tx, link.accountId)
      return link
    },
    newId: () => ids.tagged(ID_PREFIX),
    async change(tx: Tx, link: CrmLink, patch: Partial<CrmLink>): Promise<CrmLink> {
      const next = { ...link, ...patch }
      await tx.run(updateLink, toRow(next))
      notify(tx, link.accountId)
      return next
    },
    end,
    async endOf(tx: Tx, instanceId: InstanceId): Promise<void> {
      for (const row of await tx.all(linksOfInstance, { instanceId })) await end(tx, toLink(row))
    },
    notify,
  }
}

const toLink = ({ sync, fieldMap, ...row }: LinkRow): CrmLink => ({
  ...row,
  // toRow wrote both.
  sync: JSON.parse(sync) as CrmSync,
  fieldMap: JSON.parse(fieldMap) as FieldMapping[],
})

const toRow = ({ sync, fieldMap, ...link }: CrmLink): LinkRow => ({
  ...link,
  sync: JSON.stringify(sync),
  fieldMap: JSON.stringify(fieldMap),
})
