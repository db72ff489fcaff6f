import { startProcess, untilListening } from '../support/service-process.ts'

/** A stand-in for a test run: starts a service in the given home, prints its process ID, and waits to be killed. */
const [, , home = ''] = process.argv
const service = await untilListening(startProcess(['serve', '--port', '0', '--json', '--home', home], process.env))
process.stdout.write(`${service.pid}\n`)
await service.ended
