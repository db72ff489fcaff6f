import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createI18n } from 'vue-i18n'
import { CONTRACTS } from '../../../main/capabilities/contracts.ts'
import { ApiError, consoleErrorBody, ERROR_CODES, type ErrorCode } from '../../../main/contract/errors.ts'
import { ERROR_REASONS, type ErrorDetail, type ErrorReason } from '../../../main/contract/error-reasons.ts'
import { createCheck } from '../../../main/faces/validation.ts'
import type { Audience } from '../../../renderer/app/audience.ts'
import { unitText } from '../../../renderer/app/numbers.ts'
import { asProblem, Problem, readProblem } from '../../../renderer/app/problem.ts'
import { textOf, textOfCommand, type Refusal, type Words } from '../../../renderer/app/problem-text.ts'
import { labelledFields } from './form-fields.ts'

const LANGUAGES = ['en', 'pt-BR', 'es'] as const
const AUDIENCES: readonly (Audience | undefined)[] = [undefined, 'owner', 'agency', 'member', 'client']
const OPERATIONS = CONTRACTS.flatMap(({ operations }) => Object.values(operations))
const REASONS = Object.keys(ERROR_REASONS) as ErrorReason[]

/** The door answers every operation with these, whatever the operation declares. */
const OF_THE_DOOR: readonly ErrorCode[] = [
  ...(['validation_error', 'invalid_json', 'unauthorized', 'insufficient_scope', 'forbidden_host'] as const),
  ...(['forbidden_origin', 'account_suspended', 'not_found', 'method_not_allowed', 'payload_too_large'] as const),
  ...(['unsupported_media_type', 'rate_limited', 'headers_too_large', 'internal_error', 'upstream_timeout'] as const),
  ...(['service_unavailable', 'storage_full', 'sealed'] as const),
]

const words = Object.fromEntries(LANGUAGES.map((language) => [language, wordsIn(language)])) as Record<
  (typeof LANGUAGES)[number],
  Words
>

function wordsIn(language: string): Words {
  const folder = new URL(`../../../renderer/locales/${language}/`, import.meta.url)
  // Sentences take the names of rooms and tabs from the words of those.
  const rooms = readdirSync(folder).map((file): [string, object] => [
    file.replace('.json', ''),
    JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as object,
  ])
  const messages = { [language]: Object.fromEntries(rooms) }
  const keys = new Set(keysIn(messages[language]))
  const { t, n } = createI18n({ legacy: false, locale: language, messages, missingWarn: false }).global
  return {
    has: (key) => keys.has(key),
    say: once((key: string, params, count: number) => t(key, params, count)),
    number: (value, unit) => (unit === undefined ? n(value) : unitText({ value, unit }, language)),
  }
}

function keysIn(words: object | undefined, path = ''): string[] {
  return Object.entries(words ?? {}).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'string' ? [`${path}${name}`] : keysIn(value as object, `${path}${name}.`),
  )
}

/** The same words are asked for by hundreds of operations. */
function once<Args extends readonly unknown[], T>(find: (...args: Args) => T): (...args: Args) => T {
  const found = new Map<string, T>()
  return (...args) => {
    const key = JSON.stringify(args)
    if (!found.has(key)) found.set(key, find(...args))
    return found.get(key) as T
  }
}

/** What each audience is told in each language. */
const told = (refusal: Refusal) =>
  LANGUAGES.flatMap((language) =>
    AUDIENCES.map((audience) => ({ language, audience, ...textOf(refusal, audience, words[language]) })),
  )

const exampleOf = (reason: ErrorReason): ErrorDetail => ({
  reason,
  params: Object.fromEntries(
    ERROR_REASONS[reason].map((name) => [name, name === 'feature' ? 'ai' : name === 'field' ? 'name' : 17]),
  ),
})

/** `quoted_message_id`, but no file such as settings.json. */
const API_NAME = /\b[a-z]+_[a-z_]+\b/

function expectWords({ title, text }: { title: string; text: string }): void {
  for (const said of [title, text]) {
    expect(said).not.toMatch(/^(problems|common)\./)
    expect(said).not.toMatch(/[{}]/)
    expect(said).not.toMatch(API_NAME)
    expect(said.trim()).not.toBe('')
  }
}

describe('the words for a refusal', () => {
  test('every error code of an operation has a text in each language, for each reader', () => {
    const said = new Map<string, string>()
    for (const { id, errors } of OPERATIONS)
      for (const code of new Set([...errors, ...OF_THE_DOOR, 'account_frozen', 'unreachable', 'reconnected']))
        for (const { title, text } of told({ code, operation: id }))
          said.set(JSON.stringify({ title, text }), `${id} ${code}`)
    expect(said.size).toBeGreaterThan(ERROR_CODES.length)
    for (const each of said.keys()) expectWords(JSON.parse(each) as { title: string; text: string })
    const fallbacks = LANGUAGES.map((language) => words[language].say('problems.code.unexpected', {}, 1))
    expect([...said].filter(([each]) => fallbacks.includes((JSON.parse(each) as { text: string }).text))).toEqual([])
  })

  test.each(ERROR_CODES)('%s says what happened and what to do', (code) => {
    for (const said of told({ code })) expectWords(said)
    expect(words.en.has(`problems.title.${code}`)).toBe(true)
  })

  test.each(REASONS.filter((reason) => reason !== 'account_frozen'))('the reason %s has a text', (reason) => {
    const detail = exampleOf(reason)
    for (const { language, audience, ...said } of told({ code: 'invalid_state', detail })) {
      expectWords(said)
      expect(said.text).not.toBe(textOf({ code: 'invalid_state' }, audience, words[language]).text)
    }
  })

  test('no text is for an operation or code that does not exist', () => {
    const { operation, reason, code } = JSON.parse(
      readFileSync(new URL('../../../renderer/locales/en/problems.json', import.meta.url), 'utf8'),
    ) as Record<string, Record<string, object>>
    const codes = new Set<string>([
      ...ERROR_CODES,
      'account_frozen',
      'unreachable',
      'reconnected',
      'unexpected',
      'window',
      'interrupted',
    ])
    const ids = new Set(OPERATIONS.map(({ id }) => id))
    expect(Object.keys(operation ?? {}).filter((id) => !ids.has(id))).toEqual([])
    expect(
      Object.values(operation ?? {})
        .flatMap(Object.keys)
        .filter((each) => !codes.has(each)),
    ).toEqual([])
    expect(Object.keys(code ?? {}).filter((each) => !codes.has(each))).toEqual([])
    expect(Object.keys(reason ?? {}).filter((each) => !Object.hasOwn(ERROR_REASONS, each))).toEqual([])
  })

  test('a frozen account names where to pay, or whom to ask', () => {
    const frozen = { code: 'account_frozen', operation: 'sendMessage' }
    expect(textOf(frozen, 'owner', words.en).text).toContain('in Billing')
    expect(textOf(frozen, 'agency', words.en).text).toContain('your own account')
    expect(textOf(frozen, 'client', words.en).text).toContain('ask your agency')
    expect(textOf(frozen, 'client', words.en).text).not.toContain('Billing')
    expect(textOf(frozen, 'client', words.es).text).toContain('consulte a su agencia')
    expect(textOf({ code: 'account_suspended' }, 'agency', words.en).text).toContain('Activate this client')
  })

  test('a waiting time is in the language of the window', () => {
    expect(textOf({ code: 'rate_limited', retryAfterSeconds: 1 }, 'owner', words.es).text).toContain('1 segundo ')
    expect(textOf({ code: 'rate_limited', retryAfterSeconds: 1_500 }, 'owner', words.en).text).toContain(
      '1,500 seconds',
    )
  })

  test('a size has its unit', () => {
    const detail: ErrorDetail = { reason: 'file_too_large', params: { mb: 16 } }
    expect(textOf({ code: 'payload_too_large', detail }, 'owner', words.en).text).toBe(
      'The file is larger than 16 MB. Choose a smaller one.',
    )
  })

  test('an error of the window is not shown as an unreachable service', () => {
    expect(textOf(asProblem(new TypeError('x is undefined')), 'owner', words.en).title).toBe('Something went wrong')
    expect(textOf(new Problem(0, 'unreachable', ''), 'owner', words.en).title).toContain('Can’t reach Switchboard')
  })
})

describe('the words for a field', () => {
  const check = createCheck('body', {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 3 },
      config: {
        type: 'object',
        properties: { window: { type: 'object', properties: { start: { pattern: '^[0-9]' } } } },
      },
      metadata: { type: 'object', additionalProperties: { type: 'string' } },
      email: { type: 'string', format: 'email' },
    },
    required: ['name'],
    additionalProperties: false,
  })

  async function refusedWith(body: unknown): Promise<Problem> {
    try {
      check(body)
    } catch (error) {
      return readProblem(Response.json(consoleErrorBody(error as ApiError, 'req_1'), { status: 400 }))
    }
    throw new Error('The body was accepted')
  }

  test.each([
    [{}, 'Nombre: es obligatorio.'],
    [{ name: '' }, 'Nombre: no puede quedar vacío.'],
    [{ name: 'abcd' }, 'Nombre: como máximo 3 caracteres.'],
    [{ name: 'a', config: { window: { start: 'x' } } }, 'Inicio: el formato no es correcto. Revíselo.'],
    [{ name: 'a', metadata: { shop: 1 } }, 'Metadatos: este valor no se acepta aquí.'],
    [{ name: 'a', email: 'x' }, 'Correo electrónico: escriba una dirección de correo.'],
  ])('names the label of the field for %j', async (body, said) => {
    expect(textOf(await refusedWith(body), 'client', words.es).text).toBe(said)
  })

  test('does not show the API name of a field without a label', async () => {
    const { text } = textOf(await refusedWith({ name: 'a', new_thing: 1 }), 'owner', words.en)
    expect(text).toMatch(/^This entry: /)
  })

  test('is not named for a command, which has no form', async () => {
    const problem = await refusedWith({ name: '' })
    const refusal = { code: problem.code, ...(problem.detail && { detail: problem.detail }) }
    for (const language of LANGUAGES) {
      const { title, text } = textOfCommand({ ...refusal, operation: 'restartInstance' }, 'client', words[language])
      expect(title).toContain(words[language].say('assistants.act.restartInstance', {}, 1))
      expect(`${title} ${text}`).not.toContain(words[language].say('problems.field.name', {}, 1))
      expect(textOfCommand(refusal, 'client', words[language])).toEqual({
        title: words[language].say('common.problem.title', {}, 1),
        text,
      })
    }
    const other: Refusal = { code: 'rate_limited', operation: 'restartInstance', retryAfterSeconds: 5 }
    expect(textOfCommand(other, 'client', words.en)).toEqual(textOf(other, 'client', words.en))
  })

  test('every field of a form of the window has a label', () => {
    const missing = labelledFields(OPERATIONS).filter((name) => !words.en.has(`problems.field.${name}`))
    expect(missing).toEqual([])
  })

  test('the console gets the reason with code and message', () => {
    const refusal = new ApiError('validation_error', 'name is missing.').because('field_required', { field: 'name' })
    expect(consoleErrorBody(refusal, 'req_1').error.detail).toEqual({
      reason: 'field_required',
      params: { field: 'name' },
    })
  })
})
