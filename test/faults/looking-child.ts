/**
 * The service as main/ composes it, beside which its database is looked through again and again from the first SIGUSR2
 * on: `node looking-child.ts out/main --home …`. Each look prints how long it took.
 */
import { join } from 'node:path'
import { serveCommand } from '../../main/commands/serve.ts'
import { systemTerminal } from '../../main/commands/terminal.ts'
import { settingsOf, worldOf } from '../../main/machine.ts'
import { maintenanceProcess } from '../../main/service/maintenance.ts'

const [built = '', ...argv] = process.argv.slice(2)
const { rest, config } = settingsOf(argv)

async function lookAgainAndAgain(): Promise<never> {
  for (;;) {
    const begun = performance.now()
    const found = await maintenanceProcess(built).checkDatabase(join(config.home, 'switchboard.db')).problems
    systemTerminal.out(JSON.stringify({ event: 'looked', ms: performance.now() - begun, found }))
  }
}

process.once('SIGUSR2', () => void lookAgainAndAgain())
process.exitCode = await serveCommand(rest, () => worldOf(config, config.logLevel), systemTerminal)
