import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { TSchema } from 'typebox'
import { describe, expect, test } from 'vitest'
import { CONTRACTS } from '../../../main/capabilities/contracts.ts'
import { effectsOf } from '../../../main/contract/effects.ts'

/** A person reads what a call of an assistant would do, and what came of it: fields and states have words. */
const LOCALES = resolve(import.meta.dirname, '../../../renderer/locales')
const wordsOf = (language: string, room: string) =>
  JSON.parse(readFileSync(join(LOCALES, language, `${room}.json`), 'utf8')) as Record<string, Record<string, string>>

/** Of what a phone signs to log in; no assistant gets it. */
const OF_PASSKEYS = new Set([
  ...['qr', 'pairing_code', 'passkey', 'step', 'challenge', 'rpId', 'timeout', 'userVerification'],
  ...['allowCredentials', 'extensions', 'origin', 'deadline'],
])

/** Calls that can wait for a person. Those of the sandbox reach nobody. */
const calls = CONTRACTS.flatMap(({ operations }) => Object.values(operations)).filter(
  ({ tool, audience, path, effects }) =>
    tool !== null && audience !== 'console' && !path.includes('/sandbox/') && effectsOf({ effects }).length > 0,
)
type Schema = TSchema & {
  readonly properties?: Record<string, Schema>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly enum?: readonly string[]
}

function* fieldsOf(schema: Schema | null | undefined): Generator<readonly [name: string, schema: Schema]> {
  if (!schema) return
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    yield [name, inner]
    yield* fieldsOf(inner)
  }
  for (const inner of [...(schema.anyOf ?? []), ...(schema.allOf ?? []), schema.items]) yield* fieldsOf(inner)
  if (typeof schema.additionalProperties === 'object') yield* fieldsOf(schema.additionalProperties)
}
const fields = calls.flatMap(({ body, reply }) => [...fieldsOf(body), ...fieldsOf(reply.schema)])

describe.each(['en', 'es', 'pt-BR'])('in %s', (language) => {
  const { argument = {}, value = {} } = wordsOf(language, 'assistants')
  const { field = {} } = wordsOf(language, 'problems')

  test('every field of arguments and results has a name', () => {
    const names = new Set(fields.map(([name]) => name))
    expect(names.size).toBeGreaterThan(250)
    // Ids are shown as what they name, or not at all.
    const unnamed = [...names].filter(
      (name) => !OF_PASSKEYS.has(name) && !/(?:^|_)ids?$/.test(name) && !(name in argument) && !(name in field),
    )
    expect(unnamed).toEqual([])
  })

  test('every state has words', () => {
    const states = fields.flatMap(([name, schema]) =>
      ['status', 'state', 'pause_reason'].includes(name)
        ? [schema, ...(schema.anyOf ?? [])].flatMap((each) => each.enum ?? [])
        : [],
    )
    expect(new Set(states).size).toBeGreaterThan(40)
    expect([...new Set(states)].filter((state) => !(state in value))).toEqual([])
  })
})
