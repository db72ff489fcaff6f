import { expect, onTestFinished, test } from 'vitest'
import { openLandings } from './landing.ts'
import { cutPower } from './power/copies.ts'
import { recordService } from './power/recording.ts'
import { needStrace } from './strace.ts'

const SENDS = 800
const MOMENTS = Number(process.env['POWER_CUTS'] ?? 200)

test(`C-04 the power goes at ${MOMENTS} moments: what was acknowledged is there, and no attempt was seen that is not`, async ({
  task,
  skip,
}) => {
  needStrace(skip)
  const landings = await openLandings()
  onTestFinished(() => landings.close())
  const landing = landings.open('power')
  const recording = await recordService(landing, SENDS)
  onTestFinished(() => recording.remove())
  const { opened, changes } = await cutPower(recording, landing.seen, MOMENTS)
  expect(Object.keys(opened)).toHaveLength(4)
  const kinds = Object.entries(opened).map(([kind, count]) => `${count} with ${kind}`)
  task.meta.observed = `${changes} writes, syncs and names recorded of ${SENDS} sends; opened ${kinds.join(', ')}`
})
