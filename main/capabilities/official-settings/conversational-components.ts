import { ApiError } from '../../contract/errors.ts'
import type { ConversationalSettings } from '../../engines/conversational-components.ts'
import type { Engine } from '../../engines/engine.ts'
import { notSupported, requireConnected, type CallEngine } from '../engine-call.ts'
import type { InstanceSubject } from '../handler.ts'
import type { ConversationalBody } from './contract.ts'

interface Deps {
  readonly callEngine: CallEngine
  readonly instances: { engineFor(subject: InstanceSubject): Engine }
}

/** Each function throws ApiError not_ready for a number that is not connected, and Meta's errors. */
export interface Conversational {
  read(instance: InstanceSubject): Promise<ConversationalBody>
  set(instance: InstanceSubject, body: ConversationalBody): Promise<ConversationalBody>
}

/** The ice breakers and commands of a business number. Meta keeps them, so nothing is stored here. */
export function createConversational({ callEngine, instances }: Deps): Conversational {
  function settingsOf(instance: InstanceSubject): ConversationalSettings {
    requireConnected(instance)
    const { conversational } = instances.engineFor(instance)
    if (conversational === undefined) throw notSupported()
    return conversational
  }

  async function read(instance: InstanceSubject): Promise<ConversationalBody> {
    const settings = settingsOf(instance)
    const { iceBreakers, commands } = await callEngine(instance, () => settings.read(instance))
    return { ice_breakers: [...iceBreakers], commands: commands.map((command) => ({ ...command })) }
  }

  return {
    read,
    async set(instance, { ice_breakers: iceBreakers, commands }) {
      requireText(iceBreakers, 'ice_breakers')
      requireText(
        commands.flatMap(({ name, hint }) => [name, hint]),
        'commands',
      )
      if (new Set(commands.map(({ name }) => name)).size < commands.length) throw repeated()
      const settings = settingsOf(instance)
      await callEngine(instance, () => settings.set(instance, { iceBreakers, commands }))
      return read(instance)
    },
  }
}

/** Rules that the contract's schema cannot express. */
function requireText(texts: readonly string[], field: 'ice_breakers' | 'commands'): void {
  if (texts.some((text) => text.trim() === ''))
    throw new ApiError('validation_error', `${field} has an empty text. Remove it, or write something.`).because(
      'component_empty',
      { field },
    )
  if (texts.some((text) => /\p{Extended_Pictographic}/u.test(text)))
    throw new ApiError('validation_error', `${field} has an emoji, which Meta does not accept here.`).because(
      'component_emoji',
      { field },
    )
}

const repeated = () =>
  new ApiError('validation_error', 'commands has the same name twice. Give each command its own name.').because(
    'component_repeated',
    { field: 'commands' },
  )
