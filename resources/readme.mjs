/** `npm run readme`: writes the parts of README.md that are made from the code. A test holds them to be current. */
import fs from 'node:fs'
import path from 'node:path'
import { settingsTable } from '../main/config.ts'

const README = path.resolve(import.meta.dirname, '../README.md')

/** @param {string} text @returns {string} the README with its tables as the code has them */
export function withTables(text) {
  return text.replace(
    /(<!-- settings -->\n)[\s\S]*?(<!-- \/settings -->)/,
    (_all, open, close) => `${open}\n${settings()}\n\n${close}`,
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
  const head = ['In settings.json', 'Flag', 'Variable', 'Value', 'Default', 'What it does']
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(escaped).join(' | ')} |`).join('\n')
}

const escaped = (/** @type {string} */ cell) => cell.replaceAll('|', '\\|')

if (import.meta.main) fs.writeFileSync(README, withTables(fs.readFileSync(README, 'utf8')))
