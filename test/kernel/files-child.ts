import { join } from 'node:path'
import { systemClock } from '../../main/kernel/clock.ts'
import { createFiles } from '../../main/kernel/files.ts'
import { createIds, systemRandom, type AccountId } from '../../main/kernel/ids.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { MIGRATIONS } from '../../main/storage/migrations/index.ts'
import { openStorage } from '../../main/storage/sqlite.ts'

/** Stores a file in the home folder given, or adopts the one given, and kills itself at the step given. */
const [home = '', step = '', path = ''] = process.argv.slice(2)
const die = (at: string) => {
  if (at === step) process.kill(process.pid, 'SIGKILL')
}

const clock = systemClock
const ids = createIds(clock, systemRandom)
const file = join(home, 'switchboard.db')
const db = await openStorage({ file, migrations: MIGRATIONS, ids, log: silentLog, clock })
const files = createFiles({ db, clock, ids, folder: join(home, 'files') })

async function* source() {
  yield Buffer.alloc(100_000, 'a')
  die('while it is written')
  yield Buffer.alloc(100_000, 'b')
  die('before it is synced')
}

const about = {
  ...{ accountId: '0197f0c2-0000-7c51-9d2b-000000000001' as AccountId, kind: 'test', name: 'list.csv' },
  ...{ mimeType: 'text/csv', expiresAt: null, maxBytes: 1_000_000 },
}
const record = async () => die('before its row is committed')
if (path === '') await files.store(source(), about, record)
else await files.adopt(path, about, record)
die('after the commit')
