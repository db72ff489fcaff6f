import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const LOCALES = resolve(import.meta.dirname, '../../renderer/locales')
type Words = { readonly [key: string]: string | Words }

const flat = (words: Words, prefix: string): [string, string][] =>
  Object.entries(words).flatMap(([key, value]) =>
    typeof value === 'string' ? [[`${prefix}.${key}`, value] as [string, string]] : flat(value, `${prefix}.${key}`),
  )
const wordsOf = (language: string) =>
  new Map(
    readdirSync(join(LOCALES, language)).flatMap((file) =>
      flat(JSON.parse(readFileSync(join(LOCALES, language, file), 'utf8')) as Words, file.replace('.json', '')),
    ),
  )

interface Ban {
  readonly pattern: RegExp
  readonly instead: string
  /** Keys the pattern is for; all, if left out. */
  readonly keys?: RegExp
}

/** Numbers with a unit come from the formatters, which know where it goes. */
const UNITS: Ban = { pattern: /\}\s?(?:%|ms|kB|MB|GB)(?!\w)/, instead: 'a placeholder for the formatted text' }

const BANS: Readonly<Record<string, readonly Ban[]>> = {
  en: [
    UNITS,
    { pattern: /\b(?:whoever|whatever|anew|by itself|all the same|at once|what became of)\b/i, instead: 'plain words' },
    { pattern: /\b(?:is|are|was|were) due\b/i, instead: 'what happens when' },
    { pattern: /\b(?:of them|is none|was told|hears of|lies in|taken back|tried again)\b/i, instead: 'plain words' },
    { pattern: /\b(?:any more|not any|goes on|go on)\b/i, instead: 'no longer, continues' },
    { pattern: /\b(?:waits?) for (?:a person|you)\b/i, instead: 'is waiting for, needs' },
    { pattern: /\bset-up\b/i, instead: 'setup' },
    { pattern: /\btrial calls?\b/i, instead: 'free calls' },
    { pattern: /\b(?:Enable|enabled|Enabling)\b/, instead: 'turn on' },
    { pattern: /\bprovider of\b/i, instead: 'phone provider, payment provider' },
    { pattern: /\bspeaks the API\b/i, instead: 'OpenAI-compatible' },
    { pattern: /\b(?:last wrote|last written)\b/i, instead: 'last received, last sent' },
    { pattern: /\bKind of call\b/, instead: 'call type' },
    { pattern: /\b(?:the line|lines?) (?:is|are)\b/i, instead: 'the number' },
    { pattern: /^Waiting to be (?:scanned|paired)$/, instead: 'Pairing, Not paired' },
    {
      pattern: /^(?:Not connected|Connection lost|Offline)$/,
      instead: 'Disconnected',
      keys: /^(?!sandbox|instances\.reason)/,
    },
    { pattern: /^(?:States?|All states|Any state)$/, instead: 'Status' },
    { pattern: /(?<=[A-Za-z])'(?=[a-z])/, instead: '’' },
    { pattern: /(?<!\{)"/, instead: '“ and ”' },
    { pattern: /\bhome folder\b/i, instead: 'folder' },
    { pattern: /^(?:Empty:|Empty: )/, instead: 'Leave empty …' },
  ],
  'pt-BR': [
    UNITS,
    {
      pattern:
        /\b(?:[Cc]onectada|[Dd]esconectada|[Bb]anida|[Pp]areada|[Nn]ova|[Ss]elecionada|[Ii]gnorada|[Rr]einiciada|[Cc]riada|[Mm]ovida)s?\b/,
      instead: 'masculine: o número',
      keys: /^instances\.(?:status|state|event\.instance|reason|bulk|selected|order|toast|issue\.\w+\.title)/,
    },
    { pattern: /\b(?:delas|deles) por\b/i, instead: 'De campanhas' },
    { pattern: /\b[Cc]hamadas?\b/, instead: 'ligação', keys: /^(?!assistants\.|voice\.trunk\.callerId)/ },
    { pattern: /\b(?:[Nn]úmeros? de teste)\b/, instead: 'números do sandbox' },
    { pattern: /\b(?:[Cc]hamadas?|[Ll]igaç(?:ão|ões)) de teste\b/, instead: 'ligações grátis' },
    { pattern: /(?<!\{)\bemails?\b/i, instead: 'e-mail' },
    { pattern: /\bpasskeys?\b/i, instead: 'chave de acesso' },
    { pattern: /\b(?:deixa|cancele|envie) tu\b|\b(?:tu|teu|tua|teus|tuas)\b/i, instead: 'você, seu' },
    { pattern: /\bo que vence\b/i, instead: 'what happens when' },
    { pattern: /^Aguardando (?:leitura|pareamento)$/, instead: 'Pareando, Não pareado' },
    {
      pattern: /^(?:Conexão perdida|Estados?|Todos os estados)$/,
      instead: 'Desconectado, Status',
      keys: /^(?!instances\.reason)/,
    },
    { pattern: /^Vazio:/, instead: 'Deixe vazio …' },
  ],
  es: [
    UNITS,
    {
      pattern: /(?<![\p{L}])(?:tu|tus|tú|ti|contigo|tuy[oa]s?)(?![\p{L}])/iu,
      instead: 'usted: su, sus',
    },
    {
      pattern:
        /(?<!\p{L})(?:puedes|quieres|tienes|debes|estás|eres|necesitas|hazlo|haz|inténtalo|cópialo|guárdal[oa]|ponl[oa]|dale|elijas|programes)(?!\p{L})/iu,
      instead: 'usted: puede, quiere, tiene …',
    },
    {
      pattern: /(?:^|[.:;!?] )(?:Elige|Escribe|Abre|Suelta|Pulsa|Escanea|Selecciona|Revisa|Define|Consulta|Pega) /,
      instead: 'usted: Elija, Escriba, Abra …',
    },
    {
      pattern:
        /(?<!\p{L})(?:[Cc]onectada|[Dd]esconectada|[Bb]loqueada|[Ss]uspendida|[Vv]inculada|[Nn]ueva|[Ss]eleccionada|[Oo]mitida|[Rr]einiciada|[Cc]reada|[Tt]rasladada)s?(?!\p{L})/u,
      instead: 'masculine: el número',
      keys: /^instances\.(?:status|state|event\.instance|reason|bulk|selected|order|toast|issue\.\w+\.title)/,
    },
    {
      pattern: /(?<!\p{L})(?:añad\p{L}+|ordenador\p{L}*|vídeos?|pulse|periodos?)(?!\p{L})/iu,
      instead: 'agregar, equipo, video, presione, período',
    },
    { pattern: /(?<!\p{L})plazas?(?!\p{L})/iu, instead: 'cupos' },
    { pattern: /(?<!\p{L})ajustes(?!\p{L})/iu, instead: 'configuración' },
    { pattern: /(?<!\p{L})[Nn]úmeros? de prueba(?!\p{L})/u, instead: 'números del sandbox' },
    { pattern: /(?<!\p{L})llamadas? de prueba(?!\p{L})/iu, instead: 'llamadas gratis' },
    { pattern: /(?<!\p{L})passkeys?(?!\p{L})/iu, instead: 'llave de acceso' },
    { pattern: /(?<!\p{L})de ellos por(?!\p{L})/iu, instead: 'De campañas' },
    { pattern: /[“”]/, instead: '« and »' },
    { pattern: /^Vacío:/, instead: 'Déjelo vacío …' },
    {
      pattern: /^(?:Por vincular|Esperando escaneo|Sin conexión|Conexión perdida)$/,
      instead: 'Sin vincular, Vinculando, Desconectado',
      keys: /^(?!sandbox|instances\.reason)/,
    },
  ],
}

describe.each(Object.entries(BANS))('the words of %s', (language, bans) => {
  const words = [...wordsOf(language)]

  test.each(bans.map((ban) => [ban.instead, ban] as const))('say it as: %s', (_, { pattern, keys = /./ }) => {
    expect(
      words.filter(([key, text]) => keys.test(key) && pattern.test(text)).map(([key, text]) => `${key}: ${text}`),
    ).toEqual([])
  })
})

/** Keys that name the same thing on different screens. */
const SAME: readonly (readonly string[])[] = [
  [
    'instances.state.created',
    'instances.state.codeExpired',
    'instances.state.interrupted',
    'instances.issue.not_paired.title',
  ],
  ['instances.status.created', 'instances.state.notConnected', 'instances.issue.official.not_paired.title'],
  ['instances.status.qr', 'instances.state.qr', 'instances.issue.waiting_for_scan.title'],
  ['instances.status.connected', 'instances.state.connected', 'instances.event.instance_connected'],
  [
    'instances.status.disconnected',
    'instances.state.disconnected',
    'instances.state.lost',
    'instances.issue.disconnected.title',
    'instances.issue.link_lost.title',
    'instances.event.instance_disconnected',
    'campaigns.number.state.disconnected',
  ],
  ['instances.status.auth_failed', 'instances.state.signedOut', 'instances.issue.logged_out.title'],
  ['instances.status.banned', 'instances.state.banned'],
  ['instances.status.recreating', 'instances.state.recreating', 'instances.issue.recreating.title'],
  ['messages.status.queued', 'instances.walk.queued', 'campaigns.recipient.pending'],
  ['messages.status.failed', 'instances.walk.failed'],
  ['voice.state.enable', 'softphone.dial.enable'],
  ['voice.title', 'calls.setUp'],
  ['softphone.title', 'calls.callYourself'],
]

test.each(Object.keys(BANS))('one thing has one name in %s', (language) => {
  const words = wordsOf(language)
  for (const keys of SAME) expect([...new Set(keys.map((key) => words.get(key)))], keys.join(', ')).toHaveLength(1)
})
