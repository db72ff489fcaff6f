import { describe, expect, onTestFinished, test } from 'vitest'
import { StorageError } from '../../../main/kernel/db.ts'
import { worldOfTest, type World } from '../../support/world.ts'
import { campaign, campaignOf, expectCountsRight, phonesFrom, receivedBy, recipientsOf } from './campaign-world.ts'

const MINUTE = 60_000

/** After the first commit that brings this about, nothing can be written until it is given back. */
function fillDiskOnce({ service, rows }: World, isReached: string): () => void {
  const db = service.db as { commit: World['service']['db']['commit'] }
  const { commit } = db
  let isFull = false
  const free = () => void (db.commit = commit)
  db.commit = async (work) => {
    if (isFull) throw new StorageError('full', 'The disk is full')
    const result = await commit(work)
    isFull ||= (await rows(isReached)).length > 0
    return result
  }
  onTestFinished(free)
  return free
}

const SENDING = "SELECT 1 FROM campaign_recipients WHERE status = 'sending'"

describe('a disk that is full between two commits of a campaign', () => {
  test.each([
    ['one after another', { minDelay: 1, maxDelay: 2, checkNumbers: false }, 3],
    ['all at once', { minDelay: 0, maxDelay: 0, checkNumbers: false }, 3],
    ['the last one', { minDelay: 1, maxDelay: 2, checkNumbers: false }, 1],
  ])('leaves no recipient in the state of being sent to, without a restart: %s', async (_name, config, people) => {
    const w = await worldOfTest()
    const phones = phonesFrom(people)
    const instances = [await w.pair()]
    const id = await campaignOf(w, { instances, phones, config, start: false })
    const free = fillDiskOnce(w, SENDING)
    await w.api('POST', `/v1/campaigns/${id}/start`)
    await w.clock.advance(5 * MINUTE)
    expect(await w.rows(SENDING)).not.toEqual([])
    free()
    await w.pass(10 * MINUTE)
    expect((await campaign(w, id)).status).toBe('completed')
    expect((await recipientsOf(w, id)).map(({ status }) => status)).toEqual(phones.map(() => 'read'))
    expect(await receivedBy(w)).toEqual(new Map(phones.map((phone) => [phone, 1])))
    await expectCountsRight(w, id)
  })

  test('also if the campaign was canceled meanwhile', async () => {
    const w = await worldOfTest()
    const id = await campaignOf(w, { instances: [await w.pair()], phones: phonesFrom(2), start: false })
    const free = fillDiskOnce(w, SENDING)
    await w.api('POST', `/v1/campaigns/${id}/start`)
    await w.clock.advance(10_000)
    free()
    expect((await w.api('POST', `/v1/campaigns/${id}/cancel?confirm=true`)).status).toBe(200)
    await w.pass(5 * MINUTE)
    expect((await recipientsOf(w, id)).map(({ status }) => status)).toEqual(['pending', 'pending'])
    expect((await campaign(w, id)).status).toBe('canceled')
  })

  test('leaves no partial list of recipients: an unfinished campaign is removed, and its key can be used again', async () => {
    const w = await worldOfTest()
    const { id: instance } = await w.pair()
    const body = {
      ...{ instance_ids: [instance], name: 'Long', messages: [{ text: 'Hello' }] },
      recipients: phonesFrom(1_200).map((phone) => ({ phone })),
    }
    const create = () => w.api('POST', '/v1/campaigns', body, { headers: { 'idempotency-key': 'long' } })
    const free = fillDiskOnce(w, 'SELECT 1 FROM campaigns WHERE loading = 2')
    expect((await create()).body.error.code).toBe('storage_full')
    expect(await w.rows('SELECT loading FROM campaigns')).toEqual([{ loading: 2 }])
    free()
    await w.pass(2 * MINUTE)
    expect(await w.rows('SELECT id FROM campaigns')).toEqual([])
    expect(await w.rows('SELECT position FROM campaign_recipients LIMIT 1')).toEqual([])
    expect((await create()).body.recipients.accepted).toBe(1_200)
  })

  test('does not keep a draft from being changed: adding a list has ended', async () => {
    const w = await worldOfTest()
    const instances = [await w.pair()]
    const id = await campaignOf(w, { instances, phones: phonesFrom(2), start: false })
    const add = () =>
      w.api('PATCH', `/v1/campaigns/${id}`, { recipients: phonesFrom(3, 12_025_580_000).map((phone) => ({ phone })) })
    const free = fillDiskOnce(w, 'SELECT 1 FROM campaigns WHERE loading = 1')
    expect((await add()).body.error.code).toBe('storage_full')
    free()
    await w.pass(2 * MINUTE)
    expect((await add()).status).toBe(200)
    expect((await campaign(w, id)).counts.pending).toBe(3)
  })
})
