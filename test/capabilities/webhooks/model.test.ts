import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sized } from '../../support/sized.ts'
import { GAPS, Model } from './model.ts'
import { ACCOUNT, codeOf, HOUR, SECOND, webhookWorld, type WebhookWorld } from './world.ts'
import { keepsAccess } from '../../support/access.ts'

type Step = fc.AsyncCommand<Model, WebhookWorld>

/** A command that may always run; afterwards model and database must agree. */
const step = (name: string, act: (model: Model, world: WebhookWorld) => Promise<void>): Step => ({
  check: () => true,
  async run(model, world) {
    await act(model, world)
    model.see(world)
    await model.agree(world)
  },
  toString: () => name,
})

const happen = (count: number) =>
  step(`happen ${count}`, async (model, world) => {
    model.happened(await world.happenTimes(count), world.clock.now())
    await world.idle()
  })

const pass = (seconds: number) => step(`pass ${seconds} s`, (_, world) => world.pass(seconds * SECOND))

const answer = (status: number) =>
  step(`answer ${status}`, async (model, world) => {
    model.status = status
    world.answer({ status })
  })

const setActive = (active: boolean) =>
  step(active ? 'resume' : 'pause', async (model, world) => {
    await world.webhooks().update(ACCOUNT, model.hookId, { active }, keepsAccess)
    if (active) model.resumed(world.clock.now())
    else model.paused(world.clock.now())
    await world.idle()
  })

const change = (maxInFlight: number) =>
  step(`change to ${maxInFlight}`, async (model, world) => {
    await world
      .webhooks()
      .update(ACCOUNT, model.hookId, { max_in_flight: maxInFlight, description: `${maxInFlight}` }, keepsAccess)
    await world.idle()
  })

const rotate = (overlap: number) =>
  step(`rotate ${overlap}`, async (model, world) => {
    await world.webhooks().rotate(ACCOUNT, model.hookId, overlap)
  })

const redeliver = (pick: number) =>
  step(`redeliver ${pick}`, async (model, world) => {
    const { data } = await world.webhooks().listDeliveries(ACCOUNT, { limit: 200 })
    const chosen = data[pick % Math.max(1, data.length)]
    const delivery = model.deliveries.get(chosen?.event_id ?? '')
    if (!chosen || !delivery) return
    const isActive = model.hook === 'active' && delivery.hookId === model.hookId
    const expected = delivery.manual >= 5 ? 'retry_limit_reached' : isActive ? 'accepted' : 'invalid_state'
    const outcome = await codeOf(world.webhooks().redeliver(ACCOUNT, chosen.id))
    expect(outcome).toBe(expected)
    if (outcome !== 'accepted') return
    delivery.manual++
    delivery.isManualNow = true
    await world.idle()
  })

async function restart(model: Model, world: WebhookWorld) {
  await world.crash()
  model.crashed(world.clock.now())
  world.answer({ status: model.status })
  world.webhooks().start()
  await world.idle()
}

const replace = step('delete and create', async (model, world) => {
  await world.webhooks().remove(ACCOUNT, model.hookId)
  model.replaced((await world.hook()).id)
})

const crash = step('crash', restart)

/** Nine seconds at most, or what hangs would time out instead of being cut off. */
const crashInFlight = ({ events, times }: { events: number; times: number }) =>
  step(`crash in flight ${events}, ${times} times`, async (model, world) => {
    model.happened(await world.happenTimes(events), world.clock.now())
    for (let i = 0; i < times; i++) {
      model.see(world)
      world.answer({ hang: true })
      await world.pass(9 * SECOND)
      model.see(world, true)
      await restart(model, world)
    }
  })

const jump = (hours: number) =>
  step(`clock ${hours} h, restart`, async (model, world) => {
    world.clock.set(world.clock.now() + hours * HOUR)
    model.jumped(world.clock.now())
    await restart(model, world)
  })

/** What takes a delivery further comes more often than what begins anew. */
const often = <T>(times: number, arbitrary: T) => Array.from({ length: times }, () => arbitrary)

const commands = fc.commands(
  [
    ...often(3, fc.integer({ min: 1, max: 4 }).map(happen)),
    ...often(4, fc.constantFrom(1, 5, 12, 60, 120).map(pass)),
    ...often(2, fc.constantFrom(200, 200, 500, 500, 500, 503, 410).map(answer)),
    ...often(2, fc.constant(setActive(true))),
    ...often(3, fc.nat(50).map(redeliver)),
    ...often(2, fc.record({ events: fc.nat(2), times: fc.integer({ min: 1, max: 4 }) }).map(crashInFlight)),
    fc.constant(setActive(false)),
    fc.integer({ min: 1, max: 64 }).map(change),
    fc.constantFrom(0, 60, 86_400).map(rotate),
    fc.constant(replace),
    fc.constant(crash),
    fc.constantFrom(-24, -1, 1).map(jump),
  ],
  { maxCommands: 60, size: 'max' },
)

test('C-08 a model of the tables matches the database under random operations', async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (steps) => {
      const world = await webhookWorld({ schedule: GAPS })
      const model = new Model()
      model.hookId = (await world.hook()).id
      await fc.asyncModelRun(() => ({ model, real: world }), steps)
      await world.close()
    }),
    { numRuns: sized(6, 60), seed: 20_260_105 },
  )
})
