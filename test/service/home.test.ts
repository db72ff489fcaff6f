import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../main/config.ts'
import type { StorageError } from '../../main/kernel/db.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { openHome } from '../../main/service/home.ts'
import { openStorage, type StorageDeps } from '../../main/storage/sqlite.ts'
import { fakeClock } from '../support/clock.ts'
import { tempFolder } from '../support/database.ts'
import { seededRandom } from '../support/random.ts'

test('D-02 releases the reserve once when a commit finds the disk full, and reports it', async () => {
  const dir = tempFolder()
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const reserve = join(dir, 'reserve.bin')
  writeFileSync(reserve, Buffer.alloc(4_096, 1))
  const asked: StorageDeps[] = []
  const home = await openHome(
    {
      clock: fakeClock(),
      random: seededRandom(),
      config: readConfig({
        argv: ['--home', dir],
        env: {},
        platform: process.platform,
        homedir: dir,
        readFile: () => null,
      }),
      log: silentLog,
      openStorage(needs) {
        asked.push(needs)
        return openStorage(needs)
      },
    },
    'service',
  )
  const heard: StorageError['kind'][] = []
  home.onFault(({ kind }) => heard.push(kind))

  const freeSpace = () => asked[0]?.freeSpace?.()
  expect([freeSpace(), existsSync(reserve), heard, freeSpace()]).toEqual([true, false, [], false])
  await new Promise((resolve) => setImmediate(resolve))
  expect(heard).toEqual(['full'])
  await home.close()
})
