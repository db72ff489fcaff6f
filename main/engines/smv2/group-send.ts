import { ApiError } from '../../contract/errors.ts'
import type { Outgoing } from '../engine.ts'
import { getGroup, memberOf } from './group-metadata.ts'
import { addressOf } from './jid.ts'
import type { OpenLink } from './link.ts'

type Sendable = Exclude<Outgoing, { kind: 'cloud_api' }>

/** A message as a group is sent it, or why this instance cannot. */
type GroupSend =
  | { readonly kind: 'ok'; readonly out: Sendable; readonly mentionedJid: readonly string[] }
  | { readonly kind: 'invalid'; readonly message: string }

/**
 * Checks what the network would refuse without a reason, and names who is mentioned as the group names its members: phones
 * look for exactly that in the text.
 */
export async function prepareForGroup(open: OpenLink, out: Sendable): Promise<GroupSend> {
  const group = await getGroup(open, out.to).catch((error: unknown) => {
    if (error instanceof ApiError) return undefined
    throw error
  })
  if (group === undefined) return invalid(`This instance is in no group with the id ${out.to}.`)
  const { me } = open.session.creds
  const own = [me?.id, me?.lid].flatMap((jid) => memberOf(group, addressOf(jid ?? '').user) ?? [])
  if (own.length === 0) return invalid(`This instance is in no group with the id ${out.to}.`)
  if (group.announce === true && !own.some(({ admin }) => admin)) return invalid('Only admins can write in this group.')

  const mentionedJid: string[] = []
  let prepared = out
  for (const number of ('mentions' in out && out.mentions) || []) {
    const member = memberOf(group, number)
    if (member === undefined) return invalid(`mentions names ${number}, who is not in this group.`)
    mentionedJid.push(member.id)
    prepared = withMention(prepared, number, addressOf(member.id).user)
  }
  return { kind: 'ok', out: prepared, mentionedJid }
}

function withMention(out: Sendable, number: string, user: string): Sendable {
  const rename = (words: string) => words.replaceAll(new RegExp(`@${number}(?![0-9])`, 'g'), `@${user}`)
  if (out.kind === 'text') return { ...out, text: rename(out.text) }
  if (out.kind === 'media' && out.caption !== null) return { ...out, caption: rename(out.caption) }
  return out
}

const invalid = (message: string) => ({ kind: 'invalid', message }) as const
