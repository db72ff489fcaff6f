import { personKey } from '../../kernel/phone-number.ts'
import type { DirectActs, MemberResult } from '../direct.ts'
import type { EngineInstance } from '../engine.ts'
import { changeGroup } from './group-metadata.ts'
import { addressOf } from './jid.ts'
import type { OpenLink } from './link.ts'
import type { People } from './people.ts'

interface JoinRequestsNeeds {
  /** @throws ApiError not_ready */
  readonly openOf: (instance: EngineInstance) => OpenLink
  readonly people: Pick<People, 'nameOf'>
}

interface Waiting {
  /** By which the network knows them in this group. */
  readonly jid: string
  readonly number: string
  readonly requestedAtMs: number
}

const REASONS: Readonly<Record<string, MemberResult['reason']>> = {
  '200': null,
  '404': 'not_requested',
  '409': 'already_member',
}

/** People who want to join groups whose admins have to let newcomers in. */
export function createJoinRequests({ openOf, people }: JoinRequestsNeeds) {
  async function waiting(instance: EngineInstance, open: OpenLink, id: string): Promise<Waiting[]> {
    const found = await changeGroup(open, id, open.sock.groupRequestParticipantsList(id))
    await learnNumbers(
      open,
      found.map(({ jid = '', phone_number: number }) => ({ jid, number })),
    )
    const named = found.map(async ({ jid = '', phone_number: beside, request_time: at }): Promise<Waiting> => {
      const { user, kind } = addressOf(jid)
      const name =
        kind === 'hidden'
          ? { number: beside === undefined ? null : addressOf(beside).user, hiddenId: user }
          : { number: user, hiddenId: null }
      const number = await people.nameOf(instance, open.session.keys, name)
      return { jid, number, requestedAtMs: Number(at ?? 0) * 1_000 }
    })
    return (await Promise.all(named)).toSorted((a, b) => a.requestedAtMs - b.requestedAtMs)
  }

  const acts: Pick<DirectActs, 'joinRequests' | 'answerJoinRequests'> = {
    async joinRequests(instance, id) {
      const found = await waiting(instance, openOf(instance), id)
      return found.map(({ number, requestedAtMs }) => ({ number, requestedAtMs }))
    },
    async answerJoinRequests(instance, id, numbers, isApproved) {
      const open = openOf(instance)
      const byPerson = new Map((await waiting(instance, open, id)).map(({ number, jid }) => [personKey(number), jid]))
      const jids = numbers.flatMap((number) => byPerson.get(personKey(number)) ?? [])
      if (jids.length === 0) return numbers.map((number) => ({ number, reason: 'not_requested' }))
      const asked = open.sock.groupRequestParticipantsUpdate(id, jids, isApproved ? 'approve' : 'reject')
      const answers = await changeGroup(open, id, asked)
      open.groups.forget(id)
      const statuses = new Map(answers.map(({ jid = '', status }) => [jid, status]))
      return numbers.map((number): MemberResult => {
        const jid = byPerson.get(personKey(number))
        if (jid === undefined) return { number, reason: 'not_requested' }
        const reason = REASONS[statuses.get(jid) ?? '']
        return { number, reason: reason === undefined ? 'refused' : reason }
      })
    },
  }
  return acts
}

/** Keeps which number belongs to which hidden id: a request may be answered under either. */
export async function learnNumbers(
  { sock }: OpenLink,
  people: readonly { readonly jid: string; readonly number: string | undefined }[],
): Promise<void> {
  const pairs = people.flatMap(({ jid, number }) =>
    number !== undefined && addressOf(jid).kind === 'hidden' ? [{ lid: jid, pn: number }] : [],
  )
  if (pairs.length > 0) await sock.signalRepository.lidMapping.storeLIDPNMappings(pairs)
}
