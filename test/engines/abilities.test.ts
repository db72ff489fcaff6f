import { contentOf } from '../../main/kernel/file-content.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ABILITIES, type Abilities, type Level } from '../../main/contract/abilities.ts'
import type { DirectActs } from '../../main/engines/direct.ts'
import { ENGINE_ABILITIES } from '../../main/engines/abilities.ts'
import type { Outgoing } from '../../main/engines/engine.ts'
import { interactivePayload } from '../../main/engines/official/interactive.ts'
import type { Content } from '../../main/engines/sandbox/inbox.ts'
import { ANA, OURS, SCENES, type Scene } from './scenes.ts'

const file = (mediaType: 'image' | 'video' | 'audio' | 'document' | 'sticker', mimeType: string) =>
  ({
    kind: 'media',
    mediaType,
    mimeType,
    content: contentOf(Buffer.from('a file')),
    caption: null,
    filename: 'a',
  }) as const

/** A message of each kind, in the words of the port. */
const OUT: Readonly<
  Record<Exclude<keyof Abilities['send'], 'template' | 'reply' | 'forward' | 'group'>, Partial<Outgoing>>
> = {
  text: { kind: 'text', text: 'Hello' },
  link_preview: {
    kind: 'text',
    text: 'https://example.com',
    preview: { url: 'https://example.com', title: 'Us', description: null },
  },
  image: file('image', 'image/png'),
  video: file('video', 'video/mp4'),
  audio: file('audio', 'audio/mpeg'),
  document: file('document', 'application/pdf'),
  sticker: file('sticker', 'image/webp'),
  location: { kind: 'location', latitude: 1, longitude: 2, name: 'Shop', address: null },
  contact: { kind: 'contact', name: 'Ben', number: '12025550102' },
  interactive: {
    kind: 'cloud_api',
    payload: interactivePayload({ type: 'button', body: 'Open?', buttons: [{ id: '1', title: 'Yes' }] }),
  },
  poll: { kind: 'poll', question: 'Bread?', options: ['Rye', 'Wheat'], maxChoices: 1 },
}

/** The same in Meta's words, where they are needed. */
const RAW: Partial<Record<keyof Abilities['send'], object>> = {
  link_preview: { type: 'text', text: { body: 'https://example.com', preview_url: true } },
  sticker: { type: 'sticker', sticker: { link: 'https://example.com/a.webp' } },
  location: { type: 'location', location: { latitude: 1, longitude: 2 } },
  contact: { type: 'contacts', contacts: [{ name: { formatted_name: 'Ben' } }] },
  template: { type: 'template', template: { name: 'hello_world', language: { code: 'en_US' } } },
}

/** A text that answers a message, said in the way the table claims. */
const REPLY: Readonly<Record<Level, (engineMessageId: string) => Partial<Outgoing>>> = {
  yes: (engineMessageId) => ({
    ...{ kind: 'text', text: 'Yes' },
    quoted: { engineMessageId, chat: ANA, isOwn: false, participant: null, type: 'text', text: 'Open?' },
  }),
  raw: (message_id) => ({
    kind: 'cloud_api',
    payload: { type: 'text', text: { body: 'Yes' }, context: { message_id } },
  }),
  no: () => ({ kind: 'text', text: 'Yes' }),
}

const forwardOf = (engineMessageId: string): Partial<Outgoing> => ({
  ...{ kind: 'forward', type: 'text', text: 'Hello', mediaId: null, details: null },
  original: { engineMessageId, chat: ANA, isOwn: true, participant: null },
})

const ACTS: Readonly<Record<keyof Abilities['act'], readonly (keyof DirectActs)[]>> = {
  react: ['react'],
  edit: ['edit'],
  delete: ['remove'],
  mark_read: ['markRead'],
  star_message: ['star'],
  pin_message: ['pinMessage'],
  join_requests: ['joinRequests', 'answerJoinRequests'],
  join_rules: ['setJoinRules'],
  // Acts of `groups`, which the official engine has without adding anybody.
  group_members: [],
  group_rules: ['setGroupRules'],
  join_groups: ['joinGroup'],
  channels: ['channels', 'followChannel', 'unfollowChannel', 'postToChannel'],
  communities: ['createCommunity', 'communityGroups', 'communityMembers', 'linkGroup', 'unlinkGroup'],
  disappearing_messages: ['chatTimer', 'setChatTimer'],
  privacy: ['privacy', 'setPrivacy'],
  check_number: ['check'],
  profile: ['profile', 'avatar'],
  change_profile: ['setName', 'setAbout', 'setPicture'],
  post_status: ['postStatus', 'deleteStatus'],
  chat_list: ['changeChat'],
  labels: ['labels', 'saveLabel', 'removeLabel', 'labelChat', 'labelMessage'],
  block: ['block', 'blocked'],
  typing: ['showTyping'],
  show_online: ['setOnline'],
  groups: [
    ...(['groups', 'group', 'createGroup', 'changeMembers', 'inviteLink'] as const),
    ...(['renameGroup', 'describeGroup', 'leaveGroup'] as const),
  ],
}

const HEARD = ['text', 'image', 'video', 'audio', 'document', 'sticker', 'location', 'contact', 'poll'] as const
const isFile = (type: string) => ['image', 'video', 'audio', 'document', 'sticker'].includes(type)

describe.each(Object.entries(SCENES))('the table of %s is correct:', (_name, make) => {
  let scene: Scene
  beforeEach(async () => {
    scene = await make()
  })
  afterEach(() => scene.close())

  test('how it connects', () => {
    const { pairing, onboarding } = scene.engine
    const [byPhone, byPage] = [pairing ? 'yes' : 'no', onboarding ? 'yes' : 'no']
    expect(scene.abilities.connect).toEqual({
      ...{ qr_code: byPhone, pairing_code: byPhone, onboarding_page: byPage },
      passkey: pairing?.passkey ? 'yes' : 'no',
    })
  })

  test('what it sends', async () => {
    const instance = await scene.connect(OURS)
    let said = ''
    for (const kind of ABILITIES.send) {
      if (kind === 'reply' || kind === 'group') continue
      const level = scene.abilities.send[kind]
      const out = kind === 'template' ? undefined : kind === 'forward' ? forwardOf(said) : OUT[kind]
      if (level !== 'raw' && out !== undefined) {
        const { outcome } = await scene.send(instance, ANA, out)
        expect([kind, outcome.kind]).toEqual([kind, level === 'yes' ? 'accepted' : 'invalid'])
        if (outcome.kind === 'accepted' && kind === 'text') said = outcome.engineMessageId
      }
      if (level === 'raw') {
        const { outcome } = await scene.send(instance, ANA, { kind: 'cloud_api', payload: RAW[kind] ?? {} })
        expect([kind, outcome.kind]).toEqual([kind, 'accepted'])
      }
    }
  })

  test('what a phone shows for its replies', async () => {
    const instance = await scene.connect(OURS)
    await scene.say('Open?')
    const heard = () => scene.told(instance).find((signal) => signal.kind === 'received')
    await scene.until('heard', () => heard() !== undefined)
    const id = heard()?.engineMessageId ?? ''
    const level = scene.abilities.send.reply
    const { messageId } = await scene.send(instance, ANA, REPLY[level](id))
    await scene.until('arrived', () => scene.statuses(instance, messageId).includes('delivered'))
    expect(await scene.answeredBy(ANA)).toBe(level === 'no' ? null : id)
  })

  test('whether it sends to groups', async () => {
    const instance = await scene.connect(OURS)
    const made = await scene.engine.direct?.createGroup?.(
      ...([instance, 'Garden', scene.abilities.act.group_members === 'yes' ? [ANA] : []] as const),
    )
    const { outcome } = await scene.send(instance, made?.group.id ?? '120363041234567890@g.us')
    expect(outcome.kind === 'accepted').toBe(scene.abilities.send.group === 'yes')
  })

  test('which actions it supports', () => {
    // Calls are no part of the table: nobody can be called, or answered.
    const found = Object.keys(scene.engine.direct ?? {}).filter((act) => act !== 'rejectCall')
    const claimed = ABILITIES.act.filter((act) => scene.abilities.act[act] === 'yes').flatMap((act) => ACTS[act])
    expect(found.toSorted()).toEqual(claimed.toSorted())
  })

  test('which events it reports', async () => {
    const instance = await scene.connect(OURS)
    for (const type of HEARD.filter((kind) => scene.abilities.hear[kind] === 'yes')) {
      await scene.say(said(type))
      const heard = () => scene.told(instance).some((signal) => signal.kind === 'received' && signal.type === type)
      await scene.until(`heard: ${type}`, heard)
    }
  })
})

/** What a phone says, of each kind. */
function said(type: (typeof HEARD)[number]): Content {
  if (isFile(type)) {
    return { type, text: null, media: { mimeType: 'image/png', size: 3, filename: null, caption: null } }
  }
  const details = {
    ...{ latitude: 1, longitude: 2, name: 'Ben', address: null, number: '12025550102' },
    ...{ question: 'Bread?', options: ['Rye'], max_choices: 1 },
  }
  return { type, text: `a ${type}`, ...(type !== 'text' && { details }) }
}

test('every table belongs to an engine that is checked here', () => {
  expect(ENGINE_ABILITIES).toHaveLength(Object.keys(SCENES).length)
})
