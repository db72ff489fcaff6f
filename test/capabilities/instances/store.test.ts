import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createAnnounce } from '../../../main/capabilities/instances/announce.ts'
import * as store from '../../../main/capabilities/instances/store.ts'
import type { Tx } from '../../../main/kernel/db.ts'
import { instancesRoom, type InstancesRoom } from '../../support/instances.ts'
import { queryPlan } from '../../support/query-plan.ts'

let room: InstancesRoom

beforeEach(async () => {
  room = await instancesRoom()
})
afterEach(() => room.close())

describe('every query uses an index', () => {
  const byPrimaryKey = /^SEARCH instances USING INDEX sqlite_autoindex_instances_1 \(id[=>]\?\)$/
  test.each([
    ['subjectById', store.subjectById, byPrimaryKey],
    ['byId', store.byId, byPrimaryKey],
    ['updateInstance', store.updateInstance, byPrimaryKey],
    ['updateLink', store.updateLink, byPrimaryKey],
    ['nextEvent', store.nextEvent, byPrimaryKey],
    ['pageToResume', store.pageToResume, byPrimaryKey],
    ['pageToDiscard', store.pageToDiscard, /USING INDEX instances_to_discard/],
    [
      'liveByExternalRef',
      store.liveByExternalRef,
      /USING INDEX instances_by_external_ref \(account_id=\? AND external_ref=\?\)/,
    ],
    ['byInstanceName', store.byInstanceName, /INDEX instances_by_instance_name \(account_id=\? AND instance_name=\?\)/],
    ['pageByAge', store.pageByAge, /USING INDEX instances_by_age \(account_id=\? AND \(created_at,id\)<\(\?,\?\)\)/],
    [
      'pageByChange',
      store.pageByChange,
      /USING INDEX instances_by_change \(account_id=\? AND updated_at>\? AND updated_at<\?\)/,
    ],
    [
      'pageByDeletion',
      store.pageByDeletion,
      /USING INDEX instances_by_deletion \(account_id=\? AND deleted_at>\? AND deleted_at<\?\)/,
    ],
    ['countReconnects', store.countReconnects, /INDEX instance_reconnects_by_time \(instance_id=\? AND at>\?\)/],
    ['pruneReconnects', store.pruneReconnects, /INDEX instance_reconnects_by_time \(instance_id=\? AND at<\?\)/],
  ])('%s', (_name, statement, wanted) => {
    const plan = queryPlan(room.database.raw, statement)
    expect(plan.join('\n')).toMatch(wanted)
    // Neither a scan nor a sort: pages cost what they hold.
    expect(plan.join('\n')).not.toMatch(/SCAN|TEMP B-TREE/)
  })
})

test('database constraints refuse the same change value twice, and the same external_ref for two existing instances', async () => {
  const [one, two] = [await room.create({ external_ref: 'ref' }), await room.create()]
  const { raw } = room.database
  expect(() =>
    raw
      .prepare('UPDATE instances SET updated_at = (SELECT updated_at FROM instances WHERE id = ?) WHERE id = ?')
      .run(one.id, two.id),
  ).toThrow('UNIQUE')
  expect(() => raw.prepare("UPDATE instances SET external_ref = 'ref' WHERE id = ?").run(two.id)).toThrow('UNIQUE')
})

test('announcing an event takes one update and one append to the ledger', async () => {
  const { id } = await room.create({ metadata: { a: '1' } })
  const statements: string[] = []
  const facts: unknown[] = []
  const announce = createAnnounce({
    clock: room.clock,
    ledger: {
      async append(_tx, fact) {
        facts.push(fact)
        return fact as never
      },
    },
  })
  await room.database.db.commit(async (tx) => {
    const seen = <S extends { text: string }>(statement: S): S => {
      statements.push(statement.text)
      return statement
    }
    const watched: Tx = {
      ...tx,
      one: (statement, params) => tx.one(seen(statement), params),
      all: (statement, params) => tx.all(seen(statement), params),
      run: (statement, params) => tx.run(seen(statement), params),
    }
    await announce(watched, id, 'instance.qr.updated', { attempt: 1, expires_at: 'x' })
  })
  expect(statements).toEqual([store.nextEvent.text])
  expect(facts).toMatchObject([
    {
      accountId: room.accountId,
      instanceId: id,
      instance: { id, metadata: { a: '1' } },
      data: { attempt: 1, sequence: 2 },
    },
  ])
})

test('subject() finds an instance only in its own account', async () => {
  const { id } = await room.connected()
  expect(await room.instances.subject(room.accountId, id)).toEqual({
    id,
    accountId: room.accountId,
    engine: 'smv2',
    network: 'sandbox',
    connected: true,
    reconnecting: false,
    deleted: false,
  })
  expect(await room.instances.subject('other', id)).toBeUndefined()
  expect(await room.instances.subject(room.accountId, 'nonsense')).toBeUndefined()
})

test('known() returns the existing instances among the ids', async () => {
  const [live, gone] = [await room.create(), await room.create()]
  await room.instances.remove(gone.id)
  expect(await room.instances.known(room.accountId, [live.id, gone.id, 'nonsense'])).toEqual(new Set([live.id]))
})
