import { createServer } from 'node:net'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'

/** One process for each profile; a second one hands its words over and is told no. Two real processes, one socket. */
export function takeLock(profile: string, onSecond: (argv: string[]) => void): boolean {
  const address = join(profile, 'lock.sock')
  if (existsSync(address)) {
    const words = JSON.stringify(process.argv)
    const { status } = spawnSync(process.execPath, ['-e', HAND_OVER, address, words])
    if (status === 0) return false
    rmSync(address)
  }
  createServer((socket) => {
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    socket.on('end', () => onSecond(JSON.parse(text) as string[]))
  })
    .listen(address)
    .unref()
  return true
}

const HAND_OVER = `
const [address, words] = process.argv.slice(1)
require('node:net').createConnection(address, function () { this.end(words) }).on('error', () => process.exit(1))`
