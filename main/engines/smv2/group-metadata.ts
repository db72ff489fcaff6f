import { groupAdminsOnly, noSuchGroup } from '../group-rules.ts'
import type { GroupMetadata, GroupParticipant } from 'baileys'
import { ApiError } from '../../contract/errors.ts'
import { personKey } from '../../kernel/phone-number.ts'
import type { EngineInstance } from '../instance.ts'
import { refusalOf } from './close-codes.ts'
import { addressOf } from './jid.ts'
import type { OpenLink } from './link.ts'
import type { People } from './people.ts'

/** A group as the network describes it now. @throws ApiError not_found if the instance is not in this group. */
export async function fetchGroup({ sock, groups }: OpenLink, id: string): Promise<GroupMetadata> {
  const group = await withReadErrors(sock.groupMetadata(id))
  groups.set(group)
  return group
}

/** The same as it was described lately. */
export const getGroup = async (open: OpenLink, id: string): Promise<GroupMetadata> =>
  open.groups.get(id) ?? fetchGroup(open, id)

/** Whether its members are named by their hidden ids. */
export const usesHiddenIds = ({ library }: OpenLink, { addressingMode }: GroupMetadata): boolean =>
  addressingMode === library.WAMessageAddressingMode.LID

/**
 * Somebody who has spoken in a group, as that group names its members: the network takes an act on what they said only
 * under that address.
 * @param name digits of their number, or of their hidden id.
 */
export async function participantOf(
  open: OpenLink,
  people: Pick<People, 'addressOf'>,
  instance: EngineInstance,
  { groupId, name }: { readonly groupId: string; readonly name: string },
): Promise<string | null> {
  const group = await getGroup(open, groupId)
  const member = memberOf(group, name)
  if (member) return member.id
  // The person has left the group since.
  const jid = await people.addressOf(instance, open, name)
  if (jid === null || !usesHiddenIds(open, group) || addressOf(jid).kind !== 'number') return jid
  return (await open.sock.signalRepository.lidMapping.getLIDForPN(jid)) ?? jid
}

/** @param name digits of their number, or of their hidden id. */
export function memberOf({ participants }: GroupMetadata, name: string): GroupParticipant | undefined {
  const sought = personKey(name)
  const isThem = (jid: string | undefined) => jid !== undefined && personKey(addressOf(jid).user) === sought
  return participants.find(({ id, phoneNumber, lid }) => [id, phoneNumber, lid].some(isThem))
}

/** A refusal is passed on to the caller. Any other failure means that the network did not answer. */
export async function withApiErrors<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    const code = refusalOf(error)
    if (code === 404) throw noSuchGroup()
    if (code === 401 || code === 403) throw groupAdminsOnly()
    throw error
  }
}

/** The same where the network refuses only those who are not in the group: it answers them with 403. */
export async function withReadErrors<T>(asked: Promise<T>): Promise<T> {
  return withApiErrors(
    asked.catch((error: unknown) => {
      throw refusalOf(error) === 403 ? noSuchGroup() : error
    }),
  )
}

/**
 * Changes a group. A line that is refused may be no admin, or not in the group: the description of the group tells which.
 */
export async function changeGroup<T>(open: OpenLink, id: string, asked: Promise<T>): Promise<T> {
  try {
    return await withApiErrors(asked)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_state') await fetchGroup(open, id)
    throw error
  }
}
