/**
 * The service as main/ composes it, on a storage that is slow in a controlled manner:
 * `node slow-end-child.ts close 7000 --home …` closes it that much later; with `reads`, reads do not end after SIGUSR2.
 */
import { serveCommand } from '../../main/commands/serve.ts'
import { systemTerminal } from '../../main/commands/terminal.ts'
import { settingsOf, worldOf } from '../../main/machine.ts'
import { openStorage, type OpenStorage } from '../../main/storage/sqlite.ts'

const [slow = '', ms = '', ...argv] = process.argv.slice(2)
const never = new Promise<never>(() => {})
let isHeld = false
process.on('SIGUSR2', () => (isHeld = slow === 'reads'))

const openSlow: OpenStorage = async (needs) => {
  const storage = await openStorage(needs)
  return {
    ...storage,
    read: (...given) => (isHeld ? never : storage.read(...given)),
    readOne: (...given) => (isHeld ? never : storage.readOne(...given)),
    async close() {
      if (slow === 'close') await new Promise((done) => setTimeout(done, Number(ms)))
      await storage.close()
    },
  }
}

const { config, rest } = settingsOf(argv)
process.exitCode = await serveCommand(
  rest,
  () => ({ ...worldOf(config, config.logLevel), openStorage: openSlow }),
  systemTerminal,
)
