import { charactersIn, CONVERSATIONAL_LIMITS as MOST } from '../../../contract/message-limits.ts'
import type { ConversationalComponents } from '../../conversational-components.ts'
import type { SandboxNetwork } from '../network.ts'
import { parameterFault, SUCCESS, type GraphAnswer } from './answers.ts'
import type { GraphNumber } from './store.ts'

type Json = Readonly<Record<string, unknown>>

export type GraphConversational = ReturnType<typeof createConversationalRoutes>

/** `/{phone-number-id}/conversational_automation` ("Conversational components", 2026-03-27). */
export function createConversationalRoutes({ conversational }: Pick<SandboxNetwork, 'conversational'>) {
  return {
    /** The field in the answer about the number. */
    async describe({ accountId, number }: GraphNumber): Promise<object> {
      const { iceBreakers, commands } = await conversational.read(accountId, number)
      return {
        enable_welcome_message: false,
        prompts: iceBreakers,
        commands: commands.map(({ name, hint }) => ({ command_name: name, command_description: hint })),
      }
    },
    /** Fields that are left out keep their value. */
    async set({ accountId, number }: GraphNumber, { prompts, commands }: Json): Promise<GraphAnswer> {
      const before = await conversational.read(accountId, number)
      const components: ConversationalComponents = {
        iceBreakers: prompts === undefined ? before.iceBreakers : promptsOf(prompts),
        commands: commands === undefined ? before.commands : commandsOf(commands),
      }
      await conversational.set(accountId, number, components)
      return SUCCESS
    },
  }
}

function promptsOf(given: unknown): string[] {
  const prompts = listOf(given, 'prompts', MOST.iceBreakers)
  for (const prompt of prompts) requireText(prompt, 'prompts', MOST.iceBreaker)
  return prompts as string[]
}

function commandsOf(given: unknown): ConversationalComponents['commands'] {
  return listOf(given, 'commands', MOST.commands).map((command) => {
    const { command_name: name, command_description: hint } = (command ?? {}) as Json
    requireText(name, 'command_name', MOST.commandName)
    requireText(hint, 'command_description', MOST.commandHint)
    return { name: name as string, hint: hint as string }
  })
}

function listOf(given: unknown, name: string, most: number): unknown[] {
  if (!Array.isArray(given)) throw parameterFault(`Param ${name} must be an array.`)
  if (given.length > most) throw parameterFault(`Param ${name} can have ${most} entries at most.`)
  return given
}

function requireText(value: unknown, name: string, most: number): void {
  if (typeof value !== 'string' || value.trim() === '') throw parameterFault(`Param ${name} must be a text.`)
  if (charactersIn(value) > most) throw parameterFault(`Param ${name} can have ${most} characters at most.`)
  if (/\p{Extended_Pictographic}/u.test(value)) throw parameterFault(`Param ${name} cannot have emojis.`)
}
