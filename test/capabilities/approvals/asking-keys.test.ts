import { expect, test } from 'vitest'
import { keysCommand } from '../../../main/commands/keys.ts'
import { asConsole } from '../../support/console.ts'
import { worldOfTest, type World } from '../../support/world.ts'

/** The terminal of somebody who makes keys. */
async function keys(w: World, ...argv: string[]): Promise<string> {
  const lines: string[] = []
  const terminal = { out: (line: string) => void lines.push(line), err: () => {}, isInteractive: false }
  await keysCommand(argv, (request) => w.service.carryOut(request), terminal)
  return lines.join('\n')
}

test('a key that requires approval can be created in the terminal, and the list of keys shows it', async () => {
  const w = await worldOfTest()
  const { id } = JSON.parse(await keys(w, 'create', '--name', 'Assistant', '--ask', 'sending', '--json'))
  const { data } = (await asConsole(w)('GET', '/v1/keys')).body
  expect(data.find((key: { id: string }) => key.id === id).approval).toBe('sending')
  expect(await keys(w, 'list')).toContain('Assistant  (all instances; approval required: sending;')
  await expect(keys(w, 'create', '--name', 'X', '--ask', 'everything')).rejects.toThrow(/destructive or sending/)
})

test('a key requires no approval by default', async () => {
  const w = await worldOfTest()
  const { id } = JSON.parse(await keys(w, 'create', '--name', 'Program', '--json'))
  const { data } = (await asConsole(w)('GET', '/v1/keys')).body
  expect(data.find((key: { id: string }) => key.id === id).approval).toBe('none')
  expect(await keys(w, 'list')).not.toContain('approval required')
})
