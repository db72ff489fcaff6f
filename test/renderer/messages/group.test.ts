import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, test, vi } from 'vitest'
import { useLive } from '../../../renderer/app/live.ts'
import { useGroups } from '../../../renderer/rooms/messages/group.ts'

const PLACE = { instanceId: 'i1', chat: '120363041234567890@g.us' }
const asked: string[] = []
let waiting: string[]
let isAdmin: boolean
let approval: boolean
let publish: (notice: { topic: string; instance_id?: string }) => void

beforeEach(() => {
  setActivePinia(createPinia())
  ;[asked.length, waiting, isAdmin, approval] = [0, ['12025550123', '12025550124'], true, true]
  vi.stubGlobal('fetch', async (url: string, { method = 'GET', body }: RequestInit) => {
    asked.push(`${method} ${url.replace('/panel/v1/instances/i1/groups/', '')}`)
    if (url.includes('include') && !isAdmin)
      return Response.json({ error: { code: 'invalid_state', message: 'No' } }, { status: 409 })
    const answered = JSON.parse((body as string | undefined) ?? '{}') as Record<string, string[]>
    const gone = [...(answered['approve_requests'] ?? []), ...(answered['reject_requests'] ?? [])]
    waiting = waiting.filter((phone) => !gone.includes(phone))
    const requests = url.includes('include') && { join_requests: waiting.map((phone) => ({ phone })) }
    const group = { subject: 'Garden', participants: [{ phone: '12025550100', admin: true }], join_approval: approval }
    return Response.json({ ...group, ...requests })
  })
  const live = useLive()
  vi.spyOn(live, 'onNotice').mockImplementation((_topics, act) => {
    publish = act as typeof publish
    return () => {}
  })
  return () => vi.unstubAllGlobals()
})

const waitingFor = (groups: ReturnType<typeof useGroups>) => groups.find(PLACE.instanceId, PLACE.chat)?.joinRequests

test('loads requests to join if an admin must approve them', async () => {
  const groups = useGroups()
  await groups.show(PLACE)
  expect(groups.find(PLACE.instanceId, PLACE.chat)).toEqual({
    ...{ name: 'Garden', participants: ['12025550100'], joinRequests: ['12025550123', '12025550124'] },
  })
  await groups.show(PLACE)
  expect(asked).toHaveLength(2)
})

test('does not load requests of an open group', async () => {
  approval = false
  const groups = useGroups()
  await groups.show(PLACE)
  expect(waitingFor(groups)).toEqual([])
  expect(asked).toEqual([`GET ${encodeURIComponent(PLACE.chat)}`])
})

test('a member who is not an admin sees no requests', async () => {
  isAdmin = false
  const groups = useGroups()
  await groups.show(PLACE)
  expect(groups.find(PLACE.instanceId, PLACE.chat)).toMatchObject({ name: 'Garden', joinRequests: [] })
})

test('removes an answered request from the list', async () => {
  const groups = useGroups()
  await groups.show(PLACE)
  await groups.answerJoinRequest(PLACE, '12025550123', true)
  expect(waitingFor(groups)).toEqual(['12025550124'])
})

test('adds a new request to the open group, and ignores other instances', async () => {
  const groups = useGroups()
  await groups.show(PLACE)
  waiting = [...waiting, '12025550125']
  asked.length = 0
  publish({ topic: 'groups', instance_id: 'i2' })
  expect(asked).toEqual([])
  publish({ topic: 'groups', instance_id: 'i1' })
  await vi.waitFor(() => expect(waitingFor(groups)).toHaveLength(3))
  await groups.show(undefined)
  asked.length = 0
  publish({ topic: 'groups', instance_id: 'i1' })
  expect(asked).toEqual([])
})
