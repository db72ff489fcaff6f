import { defineConfig } from 'vitest/config'
import { base, PACKAGES, testFilesWith } from './base.ts'
import { LongestFirst } from './longest-first.ts'

/** Files that have a short and a long form (test/support/sized.ts). */
const sizedFiles = testFilesWith(/\/support\/sized\.ts'/)

const smv2 = (...names: readonly string[]) => names.map((name) => `test/engines/smv2/${name}.{test,slow}.ts`)
const library = (...names: readonly string[]) => names.map((name) => `test/support/whatsapp/${name}.slow.ts`)

/**
 * Scenarios that run with either stand-in for WhatsApp (test/support/stand-in.ts). The other scenarios need what the
 * second stand-in does not support: app state, earlier history, and control over single stanzas.
 */
const overBoth = [
  ...smv2('burst', 'channels', 'ends', 'group-send', 'inbound', 'line-events', 'pairing', 'pairing-window'),
  ...smv2(
    'passkey-faults',
    'passkey-link',
    'pending-files',
    'replies',
    'sends',
    'session-transfer',
    'story',
    'trust',
    'votes',
  ),
  ...library('ends', 'groups', 'media', 'messages', 'numbers', 'pairing', 'passkey', 'rarities', 'votes'),
  'test/engines/conversation.slow.ts',
  'test/headless/{move,smv2-crash,smv2-pairing-crash,smv2-file-memory,smv2-scenarios}.slow.ts',
]

/** Tests that take minutes: crash tests, all accessibility checks, the package, the benchmarks and the judges. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    // Machines differ a lot in speed, so these limits only end tests that hang.
    testTimeout: 600_000,
    hookTimeout: 300_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'slow',
          include: ['test/**/*.slow.ts', ...sizedFiles],
          exclude: [PACKAGES],
          env: { TEST_SIZE: 'long' },
        },
      },
      {
        extends: true,
        test: { name: 'second stand-in', include: overBoth, env: { TEST_SIZE: 'long', STAND_IN: 'second' } },
      },
    ],
  },
})
