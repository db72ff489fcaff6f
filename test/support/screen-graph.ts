import { readdirSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import ts from 'typescript'
import { parse } from 'vue/compiler-sfc'

/** Part of the window that calls operations: a component, or a declaration of a module. */
interface Caller {
  /** `rooms/crm/GhlCard.vue`, `app/brand.ts#useBrand`. */
  readonly name: string
  readonly operations: readonly string[]
}

/** Which screens of the window can call which operations, as their sources say. */
export interface ScreenGraph {
  readonly callers: readonly Caller[]
  /**
   * Screens that use a caller, and `App.vue`, with one way to each.
   * @param isCondition whether a condition says who may use what is shown under it. Nothing is followed past one.
   */
  screensOf(caller: string, isCondition: (code: string) => boolean): ReadonlyMap<string, readonly string[]>
}

interface Source {
  readonly file: string
  readonly script: string
  readonly template: TemplateNode | undefined
  /** Code of each declaration, by name; statements without one have a number. */
  readonly declarations: ReadonlyMap<string, string>
  readonly imports: ReadonlyMap<string, { readonly file: string; readonly name: string }>
}

interface TemplateNode {
  readonly tag?: string
  readonly props?: readonly {
    readonly type: number
    readonly name: string
    readonly exp?: { readonly content?: string }
  }[]
  readonly children?: readonly (TemplateNode | string)[]
}

interface Use {
  readonly by: string
  /** Code that decides whether it is used. */
  readonly conditions: readonly string[]
}

const FOLDER = `${resolve(import.meta.dirname, '../../renderer')}/`
const CALL = /\b(?:call|fileUrl|readCsv)\(\s*'(\w+)'/g
const LAZY = /import\('(\.[^']+)'\)/g
const DIRECTIVE = 7
/** A condition is often a computed of a computed. */
const DEPTH = 3

export function screenGraph(): ScreenGraph {
  const sources = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|vue)$/.test(file))
    .map(read)
  const uses = new Map<string, Use[]>()
  const operations = new Map<string, string[]>()
  /** Conditions within the code of a caller: `if (!access.isOperator()) return`. */
  const inside = new Map<string, string>()
  const screens = new Set<string>()
  const add = (of: string, use: Use) => uses.set(of, [...(uses.get(of) ?? []), use])

  for (const source of sources) {
    const isComponent = source.file.endsWith('.vue')
    for (const [declared, code] of source.declarations) {
      const own = `${source.file}#${declared}`
      const name = isComponent ? source.file : own
      const called = [...code.matchAll(CALL)].map(([, id = '']) => id)
      if (called.length > 0) {
        operations.set(own, called)
        inside.set(own, code)
        if (isComponent) add(own, { by: name, conditions: [] })
      }
      const words = wordsOf(code)
      for (const other of source.declarations.keys())
        if (!isComponent && other !== declared && words.has(other))
          add(`${source.file}#${other}`, { by: name, conditions: [] })
      for (const [word, target] of source.imports)
        if (!target.file.endsWith('.vue') && words.has(word))
          add(`${target.file}#${target.name}`, { by: name, conditions: [] })
      for (const [, path = ''] of code.matchAll(LAZY)) {
        const target = resolve(dirname(FOLDER + source.file), path).slice(FOLDER.length)
        if (source.file.endsWith('routes.ts')) screens.add(target)
        else add(target, { by: name, conditions: [] })
      }
    }
    if (source.template) usesIn(source, source.template, [], add)
  }
  screens.add('App.vue')

  return {
    callers: [...operations].map(([name, called]) => ({ name, operations: [...new Set(called)] })),
    screensOf(caller, isCondition) {
      const found = new Map<string, readonly string[]>()
      const seen = new Set<string>()
      const queue: (readonly string[])[] = isCondition(inside.get(caller) ?? '') ? [] : [[caller]]
      for (let way = queue.shift(); way !== undefined; way = queue.shift()) {
        const [last = ''] = way.slice(-1)
        if (seen.has(last)) continue
        seen.add(last)
        if (screens.has(last)) found.set(last, way)
        for (const { by, conditions } of uses.get(last) ?? [])
          if (!conditions.some(isCondition)) queue.push([...way, by])
      }
      return found
    },
  }
}

function read(file: string): Source {
  const text = readFileSync(FOLDER + file, 'utf8')
  const { descriptor } = file.endsWith('.vue') ? parse(text) : { descriptor: undefined }
  const script = descriptor ? [descriptor.scriptSetup?.content, descriptor.script?.content].join('\n') : text
  const declarations = new Map<string, string>()
  const imports = new Map<string, { file: string; name: string }>()
  for (const statement of ts.createSourceFile(file, script, ts.ScriptTarget.Latest, true).statements) {
    if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) continue
    if (ts.isImportDeclaration(statement)) readImport(file, statement, imports)
    else for (const name of namesOf(statement, declarations.size)) declarations.set(name, statement.getText())
  }
  return { file, script, template: descriptor?.template?.ast as TemplateNode | undefined, declarations, imports }
}

function readImport(
  from: string,
  { importClause: clause, moduleSpecifier }: ts.ImportDeclaration,
  imports: Map<string, { file: string; name: string }>,
): void {
  const path = (moduleSpecifier as ts.StringLiteral).text
  const target = resolve(dirname(FOLDER + from), path)
  if (!path.startsWith('.') || !target.startsWith(FOLDER) || clause === undefined) return
  const file = target.slice(FOLDER.length)
  if (clause.name) imports.set(clause.name.text, { file, name: 'default' })
  const named = clause.namedBindings
  if (named === undefined || !ts.isNamedImports(named)) return
  for (const { name, propertyName, isTypeOnly } of named.elements)
    if (!isTypeOnly) imports.set(name.text, { file, name: (propertyName ?? name).text })
}

function namesOf(statement: ts.Statement, index: number): string[] {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map(({ name }) => name.getText())
  if (ts.isFunctionDeclaration(statement) && statement.name) return [statement.name.text]
  return [String(index)]
}

function usesIn(
  source: Source,
  { tag = '', props = [], children = [] }: TemplateNode,
  above: readonly string[],
  add: (of: string, use: Use) => void,
): void {
  const own = props.flatMap(({ type, name, exp }) =>
    type === DIRECTIVE && /^(if|else-if|show)$/.test(name) && exp?.content ? [withMeaning(source, exp.content)] : [],
  )
  const conditions = [...above, ...own]
  const used = source.imports.get(tag.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase()))
  if (used?.file.endsWith('.vue')) add(used.file, { by: source.file, conditions })
  for (const child of children) if (typeof child === 'object') usesIn(source, child, conditions, add)
}

/** A condition, followed by the code of what it names. */
function withMeaning({ declarations }: Source, condition: string): string {
  let code = condition
  for (let depth = 0; depth < DEPTH; depth++)
    for (const word of wordsOf(code)) {
      const declared = declarations.get(word)
      if (declared !== undefined && !code.includes(declared)) code += `\n${declared}`
    }
  return code
}

const wordsOf = (code: string): ReadonlySet<string> => new Set(code.match(/[A-Za-z_$][\w$]*/g) ?? [])
