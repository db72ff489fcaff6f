import { defineConfig } from 'eslint/config'
import regexp from 'eslint-plugin-regexp'
import vue from 'eslint-plugin-vue'
import ts from 'typescript-eslint'
import vueParser from 'vue-eslint-parser'

const TIME_AND_CHANCE = 'Time, chance and the network come from the world (kernel/clock.ts, kernel/ids.ts).'

const THROUGH_THE_GUARD = 'Connections are opened by main/outbound/ only, which checks where they lead.'

const timers = ['setTimeout', 'setInterval'].map((name) => ({ name, message: TIME_AND_CHANCE }))
const network = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'].map((name) => ({
  name,
  message: THROUGH_THE_GUARD,
}))
const timersAndNetwork = [...timers, ...network]
const globalObjects = ['globalThis', 'global'].flatMap((object) =>
  timersAndNetwork.map(({ name, message }) => ({ object, property: name, message })),
)
const timeAndChance = [
  { object: 'Date', property: 'now', message: TIME_AND_CHANCE },
  { object: 'Math', property: 'random', message: TIME_AND_CHANCE },
  ...globalObjects,
]
const environment = { object: 'process', property: 'env', message: 'Settings are read in main/config.ts only.' }
const environmentImport = {
  name: 'node:process',
  importNames: ['env'],
  message: 'Settings are read in main/config.ts only.',
}
const timerImports = ['node:timers', 'node:timers/promises', 'timers', 'timers/promises'].map((name) => ({
  name,
  message: TIME_AND_CHANCE,
}))
const argumentlessDate = {
  selector: "NewExpression[callee.name='Date'][arguments.length=0], CallExpression[callee.name='Date']",
  message: TIME_AND_CHANCE,
}
const ownPath = {
  selector: 'MemberExpression[object.type="MetaProperty"][property.name=/^(dirname|filename|url)$/]',
  message: 'Paths are computed in entry files (main/headless.ts, main/start.ts) and handed down: chunks lie elsewhere.',
}

const normalization = {
  property: 'normalize',
  message: 'It is quadratic in a run of combining marks. Use normalizeText (contract/normalize-text.ts).',
}

/** Regular expressions over foreign text take linear time, and mean what they say. Style is left to their authors. */
const regularExpressions = {
  'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
  'regexp/no-super-linear-move': ['error', { report: 'potential' }],
  ...Object.fromEntries(
    [
      ...['no-contradiction-with-assertion', 'no-dupe-characters-character-class', 'no-dupe-disjunctions'],
      ...['no-empty-alternative', 'no-empty-capturing-group', 'no-empty-character-class', 'no-empty-group'],
      ...['no-empty-lookarounds-assertion', 'no-escape-backspace', 'no-invisible-character', 'no-lazy-ends'],
      ...['no-misleading-capturing-group', 'no-misleading-unicode-character', 'no-missing-g-flag', 'no-obscure-range'],
      ...['no-optional-assertion', 'no-potentially-useless-backreference', 'no-useless-assertions'],
      ...['no-useless-backreference', 'no-useless-dollar-replacements', 'optimal-lookaround-quantifier'],
    ].map((name) => [`regexp/${name}`, 'error']),
  ),
}

/** What opens connections. Listeners and types may be imported. */
const DIALLING_NAMES = {
  net: ['connect', 'createConnection', 'Socket', 'Stream', 'default'],
  http: ['request', 'get', 'Agent', 'globalAgent', 'ClientRequest', 'default'],
  https: ['request', 'get', 'Agent', 'globalAgent', 'default'],
}
const DIALLING_MODULES = ['tls', 'dgram', 'dns', 'dns/promises', 'http2', 'undici', 'ws']
const diallingImports = [
  ...Object.entries(DIALLING_NAMES).flatMap(([name, importNames]) =>
    [name, `node:${name}`].map((module) => ({ name: module, importNames })),
  ),
  ...DIALLING_MODULES.flatMap((name) => [{ name }, { name: `node:${name}` }]),
].map((path) => ({ ...path, message: THROUGH_THE_GUARD, allowTypeImports: true }))
const diallingByName = {
  selector:
    'ImportExpression[source.value=/^(node:)?(net|tls|dgram|dns|dns.promises|http|https|http2|undici|ws)$/], ' +
    'CallExpression[callee.name="require"], CallExpression[callee.property.name="getBuiltinModule"]',
  message: THROUGH_THE_GUARD,
}

/**
 * The rules of this project, and those for regular expressions and components. Everything else of TypeScript is linted by
 * oxlint (.oxlintrc.json), whose rules about types read the program of the native compiler: here they took four times as long.
 */
export default defineConfig(
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  { files: ['**/*.ts'], extends: [ts.configs.base] },
  {
    files: ['main/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', ...timersAndNetwork],
      'no-restricted-properties': ['error', ...timeAndChance, environment, normalization],
      'no-restricted-imports': ['error', { paths: [...timerImports, environmentImport] }],
      'no-restricted-syntax': ['error', argumentlessDate, ownPath, diallingByName],
      '@typescript-eslint/no-restricted-imports': ['error', { paths: diallingImports }],
    },
  },
  {
    files: ['{main,preload,renderer}/**/*.{ts,vue}'],
    plugins: { regexp },
    rules: regularExpressions,
  },
  {
    files: [
      'main/outbound/*.ts',
      // To the command socket of a service in the same home.
      'main/faces/control.ts',
      // Sound of a trunk, to addresses that the guard permits.
      'main/voice/gateways/sip/rtp-peer.ts',
    ],
    rules: { '@typescript-eslint/no-restricted-imports': 'off' },
  },
  {
    // To the browser that it has started, on loopback.
    files: ['main/shell/passkey/browser-port.ts'],
    rules: { 'no-restricted-globals': ['error', ...timersAndNetwork.filter(({ name }) => name !== 'WebSocket')] },
  },
  {
    files: ['main/kernel/{clock,ids}.ts'],
    rules: {
      'no-restricted-globals': ['error', ...network],
      'no-restricted-properties': ['error', environment],
      'no-restricted-imports': ['error', { paths: [environmentImport] }],
      'no-restricted-syntax': ['error', ownPath, diallingByName],
    },
  },
  {
    files: ['main/config.ts'],
    rules: {
      'no-restricted-properties': ['error', ...timeAndChance],
      'no-restricted-imports': ['error', { paths: timerImports }],
    },
  },
  {
    files: ['main/{headless,start,desktop}.ts'],
    rules: { 'no-restricted-syntax': ['error', argumentlessDate, diallingByName] },
  },
  {
    files: ['preload/**/*.ts', 'renderer/**/*.{ts,vue}'],
    rules: {
      'no-restricted-properties': ['error', environment],
      'no-restricted-syntax': ['error', ownPath],
    },
  },
  {
    files: ['renderer/**/*.{ts,vue}'],
    ignores: ['renderer/app/{api,live}.ts'],
    rules: {
      'no-restricted-globals': ['error', { name: 'fetch', message: 'The door is reached through renderer/app/ only.' }],
    },
  },
  {
    files: ['**/*.vue'],
    // Oxlint reads no templates. vue-tsc checks the types of components.
    extends: [ts.configs.strict, vue.configs['flat/recommended']],
    languageOptions: { parser: vueParser, parserOptions: { parser: ts.parser, extraFileExtensions: ['.vue'] } },
    rules: {
      'no-console': 'error',
      eqeqeq: 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      'vue/no-v-html': 'error',
      'vue/block-lang': ['error', { script: { lang: 'ts' } }],
      'vue/multi-word-component-names': 'off',
      // Prettier lays the templates out.
      'vue/max-attributes-per-line': 'off',
      'vue/singleline-html-element-content-newline': 'off',
      'vue/multiline-html-element-content-newline': 'off',
      'vue/html-self-closing': 'off',
      'vue/html-indent': 'off',
      'vue/html-closing-bracket-newline': 'off',
    },
  },
)
