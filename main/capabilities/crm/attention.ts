import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { linesOfClients } from '../client-attention.ts'
import type { AttentionLine, AttentionQuery } from '../room.ts'
import type { CrmDeps } from './deps.ts'
import { clientsToReconnect } from './link-store.ts'
import type { CrmLink, Links } from './links.ts'

interface AttentionDeps extends Pick<CrmDeps, 'instances'> {
  readonly db: Pick<Db, 'read' | 'readOne'>
  readonly links: Links
}

interface Broken {
  readonly link: CrmLink
  readonly instance: { readonly id: InstanceId; readonly name: string }
}

/** CRM connections that need a person. */
export function createAttention({ db, links, instances }: AttentionDeps) {
  return async ({ accountId, network, role }: AttentionQuery): Promise<AttentionLine[]> => {
    const broken = (await links.ofAccount(accountId)).filter(({ state }) => state === 'reconnect_required')
    const found = await Promise.all(
      broken.map(async (link) => {
        const instance = await instances.find({ one: db.readOne }, accountId, link.instanceId)
        return instance === undefined || (network !== null && instance.network !== network) ? [] : [{ link, instance }]
      }),
    )
    const hasEnded = ({ link }: Broken) => link.errorCode === 'secret_ended'
    return [
      ...lineOf(
        'reconnect_required',
        found.flat().filter((one) => !hasEnded(one)),
      ),
      ...lineOf('secret_ended', found.flat().filter(hasEnded)),
      ...(role === 'operator'
        ? linesOfClients('warning', await db.read(clientsToReconnect, { accountId, network }))
        : []),
    ]
  }
}

function lineOf(code: string, all: readonly Broken[]): AttentionLine[] {
  const [first] = all
  if (first === undefined) return []
  const { link, instance } = first
  const since = all.map((one) => one.link.errorAtMs).filter((at) => at !== null)
  return [
    {
      ...{ code, severity: 'error', count: all.length },
      subject: all.length === 1 ? { id: instance.id, name: instance.name } : null,
      ids: all.map((one) => one.instance.id),
      sinceMs: since.length === 0 ? null : Math.min(...since),
      text: all.length === 1 ? link.errorMessage : null,
    },
  ]
}
