import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ApiError } from '../../../main/contract/errors.ts'
import { Model } from './model.ts'
import { ACCOUNT, HOUR, SECOND, webhookWorld, type WebhookWorld } from './world.ts'

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
    await world.webhooks().update(ACCOUNT, model.hookId, { active })
    if (active) model.resumed(world.clock.now())
    else model.paused(world.clock.now())
    await world.idle()
  })

const change = (maxInFlight: number) =>
  step(`change to ${maxInFlight}`, async (model, world) => {
    await world.webhooks().update(ACCOUNT, model.hookId, { max_in_flight: maxInFlight, description: `${maxInFlight}` })
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
    const outcome = await world.webhooks().redeliver(ACCOUNT, chosen.id).then(
      () => 'accepted',
      (error: unknown) => (error instanceof ApiError ? error.code : Promise.reject(error)),
    )
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

const crashInFlight = step('crash in flight', async (model, world) => {
  world.answer({ hang: true })
  model.happened(await world.happenTimes(2), world.clock.now())
  await world.idle()
  model.see(world, true)
  await restart(model, world)
})

const jump = (hours: number) =>
  step(`clock ${hours} h, restart`, async (model, world) => {
    world.clock.set(world.clock.now() + hours * HOUR)
    model.jumped(world.clock.now())
    await restart(model, world)
  })

const commands = fc.commands(
  [
    fc.integer({ min: 1, max: 4 }).map(happen),
    fc.constantFrom(1, 12, 80, 700).map(pass),
    fc.constantFrom(200, 200, 500, 500, 500, 503, 410).map(answer),
    fc.boolean().map(setActive),
    fc.integer({ min: 1, max: 64 }).map(change),
    fc.constantFrom(0, 60, 86_400).map(rotate),
    fc.nat(50).map(redeliver),
    fc.constant(replace),
    fc.constant(crash),
    fc.constant(crashInFlight),
    fc.constantFrom(-24, -1, 1, 24).map(jump),
  ],
  { maxCommands: 60, size: 'max' },
)

test('whatever happens in whatever order, a model of the tables and the database agree', async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (steps) => {
      const world = await webhookWorld()
      const model = new Model()
      model.hookId = (await world.hook()).id
      await fc.asyncModelRun(() => ({ model, real: world }), steps)
      await world.close()
    }),
    { numRuns: 100, seed: Number(process.env['FC_SEED'] ?? 20_260_105) },
  )
}, 120_000)
