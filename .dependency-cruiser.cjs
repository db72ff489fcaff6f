const { readdirSync, readFileSync } = require('node:fs')

// Who may import whom. The picture is in section "Who may import whom" of the house's architecture.

const ROOMS = readdirSync('main/capabilities', { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

/** A room sees the rooms that its room.ts uses, and only through their index.ts or contract.ts. */
const usedBy = (room) =>
  [...readFileSync(`main/capabilities/${room}/room.ts`, 'utf8').matchAll(/from '[.][.][/]([a-z-]+)[/]room[.]ts'/g)].map(
    ([, other]) => other,
  )

/** What each layer sees below itself. Itself it always sees. */
const LAYERS = {
  contract: [],
  kernel: ['contract'],
  outbound: ['contract', 'kernel'],
  storage: ['contract', 'kernel', 'config'],
  vault: ['contract', 'kernel', 'config'],
  engines: ['contract', 'kernel', 'outbound', 'config'],
  simulators: ['contract', 'kernel', 'outbound', 'config'],
  voice: ['contract', 'kernel', 'outbound', 'config'],
  capabilities: ['contract', 'kernel', 'outbound', 'config', 'storage', 'vault', 'engines', 'simulators', 'voice'],
  faces: ['contract', 'kernel', 'outbound', 'config', 'storage', 'vault', 'engines', 'simulators', 'capabilities'],
  config: ['contract', 'kernel'],
  service: [
    'contract',
    'kernel',
    'outbound',
    'config',
    'storage',
    'vault',
    'engines',
    'simulators',
    'voice',
    'capabilities',
    'faces',
  ],
  machine: ['contract', 'kernel', 'config', 'service'],
  commands: ['contract', 'kernel', 'outbound', 'config', 'faces', 'service', 'machine'],
  shell: [
    'contract',
    'kernel',
    'outbound',
    'config',
    'storage',
    'vault',
    'engines',
    'voice',
    'capabilities',
    'faces',
    'service',
  ],
}

/** A package, and the only place in main/ that may import it. */
const HOMES = {
  electron: '^main/(desktop[.]ts|shell/)',
  'electron-updater': '^main/shell/updater[.]ts$',
  'better-sqlite3': '^main/storage/',
  pg: '^main/storage/postgres/',
  keytar: '^main/vault/',
  baileys: '^main/engines/smv2/',
  libsignal: '^main/engines/smv2/',
  unpdf: '^main/kernel/documents/pdf[.]ts$',
  mammoth: '^main/kernel/documents/docx[.]ts$',
  stripe: '^main/(capabilities/billing/stripe|simulators/stripe)/',
  '@ffmpeg/core': '^main/kernel/media-program[.]ts$',
  // What opens connections by itself. Each is given a way through the guard there, except for mails, which go to the server
  // in the operator's settings, and for the MCP client of the command line.
  undici: '^main/outbound/',
  ws: '^main/outbound/web-socket[.]ts$',
  werift: '^main/voice/gateways/',
  jssip: '^main/voice/gateways/sip/',
  nodemailer: '^main/kernel/mailer[.]ts$',
  '@ai-sdk': '^main/capabilities/ai-providers/',
  '@modelcontextprotocol/client': '^main/commands/',
}

/** `contract` is main/contract/…, `service` is main/service.ts. */
const place = (name) => `^main/${name}(/|[.]ts$)`

/** What the operator sets, declared in the room that reads it. */
const OPERATOR_SETTINGS = '/operator-settings[.]ts$'

/** `contract.ts`, or a part of it in `contract/`. */
const CONTRACT_OF_ROOM = '^main/capabilities/[^/]+/contract([.]ts$|/)'

const layers = Object.entries(LAYERS).map(([layer, below]) => ({
  name: `layer-${layer}`,
  comment: `${layer} sees ${below.join(', ') || 'nobody'}, and itself.`,
  severity: 'error',
  from: { path: place(layer) },
  to: {
    path: '^main/',
    pathNot: [...[layer, ...below].map(place), ...(layer === 'config' ? [OPERATOR_SETTINGS] : [])],
  },
}))

const rooms = ROOMS.map((room) => {
  const seen = usedBy(room)
  return {
    name: `room-${room}`,
    comment: `${room} sees ${seen.join(', ') || 'no other room'}, through index.ts or contract.ts, as its room.ts says in \`uses\`.`,
    severity: 'error',
    from: { path: `^main/capabilities/${room}/` },
    to: {
      path: '^main/capabilities/[^/]+/',
      pathNot: [
        `^main/capabilities/${room}/`,
        ...seen.map((other) => `^main/capabilities/${other}/(index|contract|room)[.]ts$`),
      ],
    },
  }
})

const homes = Object.entries(HOMES).map(([name, home]) => ({
  name: `home-of-${name}`,
  comment: `${name} is imported in ${home} only.`,
  severity: 'error',
  from: { path: '^(main|renderer)/', pathNot: home },
  to: { path: `(^|node_modules/)${name}(/|$)` },
}))

module.exports = {
  forbidden: [
    ...layers,
    ...rooms,
    ...homes,
    {
      name: 'rooms-are-used-as-values',
      comment: 'What a room uses of another is given to it. Only room.ts names the definitions of other rooms.',
      severity: 'error',
      from: { path: '^main/capabilities/[^/]+/', pathNot: '/room[.]ts$' },
      to: { path: '^main/capabilities/[^/]+/room[.]ts$' },
    },
    {
      name: 'only-the-guard-dials',
      comment: 'main/outbound/ opens connections and resolves names. Sound of trunks goes where it permits.',
      severity: 'error',
      from: { path: '^(main|preload)/', pathNot: ['^main/outbound/', '^main/voice/gateways/sip/rtp-peer[.]ts$'] },
      to: { path: '^(node:)?(tls|dgram|dns|dns/promises|http2)$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'rooms-do-not-see-the-lists',
      comment: 'contracts.ts lists the rooms; a room that reads it would see all others.',
      severity: 'error',
      from: { path: '^main/capabilities/[^/]+/' },
      to: { path: '^main/capabilities/contracts[.]ts$' },
    },
    {
      name: 'contracts-are-pure',
      comment:
        'main/contract imports typebox only; the contract of a room besides that only contracts. The renderer reads both.',
      severity: 'error',
      from: {
        path: ['^main/contract/', CONTRACT_OF_ROOM, '^main/capabilities/contracts[.]ts$'],
      },
      to: {
        pathNot: ['^main/contract/', CONTRACT_OF_ROOM, '^node_modules/typebox/'],
      },
    },
    {
      name: 'settings-are-pure',
      comment: 'main/config.ts reads them before anything of the service exists.',
      severity: 'error',
      from: { path: OPERATOR_SETTINGS },
      to: { path: '^main/', pathNot: [place('contract'), place('kernel')] },
    },
    {
      name: 'faces-see-rooms-from-outside',
      severity: 'error',
      from: { path: '^main/faces/' },
      to: { path: '^main/capabilities/[^/]+/', pathNot: '^main/capabilities/[^/]+/(index|contract)[.]ts$' },
    },
    {
      name: 'faces-use-the-door',
      comment: 'The composition root hands the handlers to the door; a face calls the door.',
      severity: 'error',
      from: { path: '^main/faces/' },
      to: { path: '^main/capabilities/[^/]+/(handlers|room)[.]ts$' },
    },
    {
      name: 'nobody-imports-entries',
      comment: 'Entry files are started, not imported.',
      severity: 'error',
      from: { path: '^(main|preload|renderer)/', pathNot: '^main/start[.]ts$' },
      to: { path: '^main/(start|headless|desktop)[.]ts$' },
    },
    {
      name: 'renderer-reads-contracts-only',
      severity: 'error',
      from: { path: '^renderer/' },
      to: {
        path: '^(main|preload)/',
        pathNot: ['^main/contract/', '^main/capabilities/[^/]+/contract[.]ts$', '^main/capabilities/contracts[.]ts$'],
      },
    },
    {
      name: 'renderer-carries-no-contracts',
      comment: 'Of the list of contracts the window uses types only; the build gives it the paths.',
      severity: 'error',
      from: { path: '^renderer/' },
      to: { path: '^main/capabilities/contracts[.]ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'renderer-runs-in-a-browser',
      severity: 'error',
      from: { path: '^renderer/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'main-ships-without-development-packages',
      comment: 'What main imports at run time is in dependencies. Only tests open storage/postgres so far.',
      severity: 'error',
      from: { path: '^main/', pathNot: '^main/storage/postgres/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: 'node_modules/electron/' },
    },
    {
      name: 'product-does-not-import-tests',
      severity: 'error',
      from: { path: '^(main|preload|renderer)/' },
      to: { path: '^(test|resources)/' },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    // Type imports are dependencies as well.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
