import { ApiError } from '../../contract/errors.ts'
import { cause } from '../../kernel/log.ts'
import { Secret } from '../../kernel/secret.ts'
import { sql } from '../../kernel/sql.ts'
import { parseTypedHost } from '../../outbound/destination.ts'
import type { InstanceSubject, RequireAccess } from '../handler.ts'
import type { Trunk, TrunkBody } from './contract/services.ts'
import type { VoiceDeps } from './deps.ts'
import { trunkOwner, type Routes } from './routes.ts'
import { insertSetup, removeTrunk, saveTrunk, trunkOf, type TrunkRow } from './setup-store.ts'

const trunkIds = sql<{ after: string; rows: number }, { id: string }>(
  'SELECT instance_id AS id FROM voice_trunks WHERE instance_id > :after ORDER BY instance_id LIMIT :rows',
)
const ROWS = 200

/** SIP trunks of instances. A trunk is registered while the service runs, so that it receives calls. */
export function createTrunks({
  db,
  clock,
  seal,
  log,
  process,
  outbound,
  publicOutbound,
  routes,
}: Pick<VoiceDeps, 'db' | 'clock' | 'seal' | 'log' | 'process' | 'outbound' | 'publicOutbound'> & {
  readonly routes: Pick<Routes, 'trunk'>
}) {
  async function read(instanceId: string): Promise<Trunk | null> {
    const row = await db.readOne(trunkOf, { instanceId })
    if (row === undefined) return null
    const { host, port, transport, username, callerId, password } = row
    return { host, port, transport, username, caller_id: callerId, password_configured: password !== null }
  }

  async function register(instanceId: string): Promise<void> {
    const trunk = await routes.trunk(instanceId)
    process.register(instanceId, trunk ?? null)
  }

  return {
    read,

    /**
     * @param isOperator the address may be in a trusted range.
     * @throws ApiError invalid_url, validation_error, sealed
     */
    async set(
      { id: instanceId, accountId }: InstanceSubject,
      body: TrunkBody,
      isOperator: boolean,
      requireAccess: RequireAccess,
    ): Promise<Trunk | null> {
      const { port, transport, username, caller_id: callerId = null, password } = body
      const sealed = password === undefined ? undefined : seal.seal(new Secret(password), trunkOwner(instanceId))
      const known = await db.readOne(trunkOf, { instanceId })
      // A member may change the operator's settings as long as the address stays.
      const isKept = known?.byOperator === 1 && isSameAddress(known, body)
      const host =
        isKept && !isOperator ? known.host : await (isOperator ? outbound : publicOutbound).checkHost(body.host, 'host')
      await db.commit(async (tx) => {
        // Checked again, because the check of the host takes a while.
        await requireAccess(tx)
        const before = await tx.one(trunkOf, { instanceId })
        const isMoved = before !== undefined && !isSameAddress(before, body)
        if (isMoved && before.password !== null && sealed === undefined)
          throw new ApiError(
            'validation_error',
            'password is required when host, port or transport changes: the stored password is not sent to another address. Send it again.',
          ).because('password_again')
        const keepsTrust = before?.byOperator === 1 && !isMoved
        await tx.run(insertSetup, { instanceId, accountId, settings: '{}', now: clock.now() })
        await tx.run(saveTrunk, {
          ...{ instanceId, host, port, transport, username, callerId, now: clock.now() },
          password: sealed ?? before?.password ?? null,
          byOperator: isOperator || keepsTrust ? 1 : 0,
        })
      })
      if (process.isThere) await register(instanceId)
      return read(instanceId)
    },

    async remove({ id: instanceId }: InstanceSubject): Promise<void> {
      await db.commit((tx) => tx.run(removeTrunk, { instanceId }))
      process.register(instanceId, null)
    },

    /** Registers all trunks after the start, and later those that a locked vault held back. */
    async registerAll(): Promise<void> {
      if (!process.isThere) return
      for (let after = ''; ;) {
        const found = await db.read(trunkIds, { after, rows: ROWS })
        for (const { id } of found.filter((one) => !process.isRegistered(one.id)))
          await register(id).catch((error: unknown) =>
            log.warn({ event: 'voice.trunk_not_registered', instanceId: id, cause: cause(error) }),
          )
        after = found.at(-1)?.id ?? after
        if (found.length < ROWS) return
      }
    },
  }
}

type Address = Pick<TrunkRow, 'host' | 'port' | 'transport'>

const isSameAddress = (one: Address, other: Address): boolean =>
  hostOf(one) === hostOf(other) && one.port === other.port && one.transport === other.transport

/** Earlier versions stored a host as typed. */
function hostOf({ host }: Address): string {
  const place = parseTypedHost(host)
  return typeof place === 'string' ? host : place.host
}
