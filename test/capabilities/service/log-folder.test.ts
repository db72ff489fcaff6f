import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Notice } from '../../../main/contract/notice.ts'
import { silentLog, type LogFields } from '../../../main/kernel/log.ts'
import { asConsole } from '../../support/console.ts'
import { tempFolder } from '../../support/database.ts'
import { worldOfTest, type World } from '../../support/world.ts'

const said = async (w: World) => {
  const { warnings, troubles } = (await asConsole(w)('GET', '/v1/service')).body
  const { warnings: toDoctor } = (await w.service.carryOut({ command: 'doctor.facts', input: {} })) as World['service']
  return { warnings, troubles, toDoctor }
}

test('a log that cannot be written stops nothing, and is reported on standard error, in the window and by the doctor until it can be written', async () => {
  const home = tempFolder()
  onTestFinished(() => rmSync(home, { recursive: true }))
  writeFileSync(join(home, 'logs'), 'a file where the folder should be')
  const warned: LogFields[] = []
  const log = { ...silentLog, warn: (fields: LogFields) => void warned.push(fields) }
  const w = await worldOfTest({ home, log, settings: { logFiles: 2 } })
  const notices: Notice[] = []
  w.service.onNotice((notice) => notices.push(notice))

  expect((await w.api('POST', '/v1/instances', {})).status).toBe(201)
  const sentence = expect.stringMatching(/^Can't write the log file \(EEXIST: .*\)\. Logs go to standard error only\./)
  expect(await said(w)).toEqual({ warnings: [sentence], troubles: [sentence], toDoctor: [sentence] })
  expect(warned).toEqual([{ event: 'log.not_kept', problem: sentence }])

  rmSync(join(home, 'logs'))
  notices.length = 0
  w.service.resumed()
  expect(await said(w)).toEqual({ warnings: [], troubles: [], toDoctor: [] })
  expect(notices).toContainEqual({ topic: 'service' })
})
