/**
 * `npm run readme`: writes the parts of README.md that are generated from the code. A test checks that they are
 * current.
 */
import fs from 'node:fs'
import path from 'node:path'
import { settingsTable } from '../main/config.ts'
import { ABILITIES } from '../main/contract/abilities.ts'
import { EFFECTS } from '../main/contract/effects.ts'
import { ENGINE_ABILITIES } from '../main/engines/abilities.ts'

const README = path.resolve(import.meta.dirname, '../README.md')

/** @param {string} text @returns {string} the README with its generated tables */
export function withTables(text) {
  return Object.entries({ settings, engines, effects }).reduce(
    (whole, [name, table]) =>
      whole.replace(
        new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`),
        (_all, open, close) => `${open}\n${table()}\n\n${close}`,
      ),
    text,
  )
}

function settings() {
  const code = (/** @type {string | null} */ word) => (word === null ? '' : `\`${word}\``)
  const rows = settingsTable().map((row) => [
    code(row.inFile ? row.name : null),
    code(row.flag),
    code(row.variable),
    row.values,
    row.fallback,
    row.description,
  ])
  return tableOf(['In settings.json', 'Flag', 'Variable', 'Value', 'Default', 'What it does'], rows)
}

const LEVEL = { yes: '✓', raw: 'raw', no: '–' }
const GROUP = { connect: 'Connects by', send: 'Sends', act: 'Does', hear: 'Hears of' }

/** Abilities with the same levels on every engine share a row. */
function engines() {
  const groups = /** @type {import('../main/contract/abilities.ts').AbilityGroup[]} */ (Object.keys(ABILITIES))
  const rows = groups.flatMap((group) => {
    /** @type {Map<string, string[]>} */
    const alike = new Map()
    for (const name of ABILITIES[group]) {
      const levels = ENGINE_ABILITIES.map(({ abilities }) => LEVEL[levelsIn(abilities[group])[name] ?? 'no'])
      const key = levels.join(' ')
      alike.set(key, [...(alike.get(key) ?? []), name.replaceAll('_', ' ')])
    }
    return [...alike].map(([levels, names], nth) => [
      nth === 0 ? `**${GROUP[group]}**` : '',
      names.join(', '),
      ...levels.split(' '),
    ])
  })
  return tableOf(['', '', ...ENGINE_ABILITIES.map(({ engine, network }) => `\`${engine}\`, ${network}`)], rows)
}

function effects() {
  const rows = Object.entries(EFFECTS).map(([name, { about, asksUnder, closedWhenSuspended, closedWhenFrozen }]) => [
    `\`${name}\``,
    about,
    asksUnder === 'sending' ? 'acts' : 'waits',
    'waits',
    closedWhenSuspended ? 'refused' : 'works',
    closedWhenFrozen ? 'refused' : 'works',
  ])
  const head = ['Effect', 'The call …', '`--ask destructive`', '`--ask sending`', 'Suspended client', 'Unpaid account']
  return tableOf(head, rows)
}

/** @param {object} group @returns {Partial<Record<string, import('../main/contract/abilities.ts').Level>>} */
const levelsIn = (group) => ({ ...group })

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
function tableOf(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(escaped).join(' | ')} |`).join('\n')
}

const escaped = (/** @type {string} */ cell) => cell.replaceAll('|', '\\|')

if (import.meta.main) fs.writeFileSync(README, withTables(fs.readFileSync(README, 'utf8')))
