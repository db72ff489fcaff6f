import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEnqueue } from '../../../main/capabilities/webhooks/enqueue.ts'
import { systemClock as clock } from '../../../main/kernel/clock.ts'
import { createIds, systemRandom } from '../../../main/kernel/ids.ts'
import { createLedger, type Fact } from '../../../main/kernel/ledger.ts'
import { silentLog as log } from '../../../main/kernel/log.ts'
import { sql } from '../../../main/kernel/sql.ts'
import { MIGRATIONS } from '../../../main/storage/migrations/index.ts'
import { openStorage } from '../../../main/storage/sqlite.ts'
import { answerAs } from './peer.ts'

/** The product's ledger with the work that the webhooks room does for an event, on the product's storage. */
const dir = mkdtempSync(join(tmpdir(), 'bench-enqueue-'))
const ids = createIds(clock, systemRandom)
const [accountId, instanceId] = [ids.account(), ids.instance()]

const addWebhook = sql<{ id: string; accountId: string; now: number }>(
  `INSERT INTO webhooks (id, account_id, url, events, max_in_flight, state, state_since, secret_enc, secret_last4, created_at, updated_at)
   VALUES (:id, :accountId, 'https://catcher.sandbox/bench', '["*"]', 64, 'active', :now, x'00', 'abcd', :now, :now)`,
)
const db = await openStorage({ file: join(dir, 'switchboard.db'), migrations: MIGRATIONS, ids, clock, log })
await db.commit((tx) => tx.run(addWebhook, { id: ids.webhook(), accountId, now: clock.now() }))
const ledger = createLedger({ clock, ids })
ledger.inCommit(createEnqueue({ ids, wake: () => {} }))

const event = (n: number): Fact => ({
  ...{ accountId, instanceId, type: 'message.received' },
  instance: { id: instanceId, external_ref: 'crm-1', metadata: null, engine: 'smv2' },
  data: {
    message_id: 'msg_01KA1F9DE28E37836B983D3CD3',
    chat: '12025550123',
    from: '12025550123',
    from_me: false,
    push_name: 'Ana Souza',
    text: `Good morning! Can I still change the delivery address of my order ${n}? We moved last week.`,
  },
})

answerAs(
  {
    async load({ count, together }: { count: number; together: number }) {
      for (let done = 0; done < count; done += together) {
        const callers = Array.from({ length: Math.min(together, count - done) }, (_, i) => event(done + i))
        await Promise.all(callers.map((one) => db.commit((tx) => ledger.append(tx, one))))
      }
    },
  },
  async () => {
    await db.close()
    rmSync(dir, { recursive: true, force: true })
  },
)
