import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { BridgeProgram } from '../capabilities/service/index.ts'

/**
 * How an assistant's program starts the stdio bridge on this computer.
 * @param root folder of the project.
 * @returns null in a packaged app: it contains no Node, and its own binary cannot run as Node (the fuse runAsNode is
 * off).
 */
export function bridgeProgram(root: string): BridgeProgram | null {
  const launcher = join(root, 'resources', 'run.mjs')
  const node = 'electron' in process.versions ? nodeOf(root) : process.execPath
  return existsSync(launcher) && existsSync(node) ? { command: node, args: [launcher, 'mcp'] } : null
}

/** The Node that npm ci installed with the project. */
const nodeOf = (root: string) =>
  join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
