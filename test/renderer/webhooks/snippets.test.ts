import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signature } from '../../../main/capabilities/webhooks/signature.ts'
import { Secret } from '../../../main/kernel/secret.ts'
import { SNIPPET_LANGUAGES, SNIPPETS, type SnippetLanguage } from '../../../renderer/rooms/webhooks/snippets.ts'

/** A delivery as a receiver has it: header names in lower case, the body byte for byte. */
interface Delivery {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly secret: string
}

const SECRET = 'whsec_3kq8Qv0m7uY2bT5rW1xN9cJ4hL6dF8gS0aZpE7iq9Zk'
/** Spaces and letters that a parser would write otherwise: verified bytes, not verified meaning. */
const BODY = '{ "event_id":"evt_01",  "data":{"text":"Olá, \\u00e7a va? 👍"} }\n'

function signed(secret: string, secondsAgo = 0): Delivery {
  const sentAt = Math.floor(Date.now() / 1_000) - secondsAgo
  return {
    headers: {
      'content-type': 'application/json',
      'x-service-timestamp': String(sentAt),
      'x-service-signature': signature(new Secret(secret), sentAt, Buffer.from(BODY)),
    },
    body: BODY,
    secret: SECRET,
  }
}

const genuine = signed(SECRET)
const rotating = signed('whsec_new')
const CASES: readonly (readonly [string, Delivery, boolean])[] = [
  ['a genuine delivery', genuine, true],
  ['one of four minutes ago', signed(SECRET, 240), true],
  ['one of six minutes ago', signed(SECRET, 360), false],
  ['one of six minutes ahead', signed(SECRET, -360), false],
  ['another body', { ...genuine, body: BODY.replace('evt_01', 'evt_02') }, false],
  ['the same JSON written otherwise', { ...genuine, body: JSON.stringify(JSON.parse(BODY)) }, false],
  ['another secret', { ...genuine, secret: `${SECRET}x` }, false],
  ['no signature', { ...genuine, headers: without(genuine.headers, 'x-service-signature') }, false],
  ['no timestamp', { ...genuine, headers: without(genuine.headers, 'x-service-timestamp') }, false],
  ['a timestamp of words', { ...genuine, headers: { ...genuine.headers, 'x-service-timestamp': 'now' } }, false],
  ['a signature cut short', { ...genuine, headers: { ...genuine.headers, 'x-service-signature': 'sha256=' } }, false],
  [
    'one of a rotation, to a receiver with the old secret',
    {
      ...rotating,
      headers: {
        ...rotating.headers,
        'x-service-signature-previous': signature(
          new Secret(SECRET),
          Number(rotating.headers['x-service-timestamp']),
          Buffer.from(BODY),
        ),
      },
    },
    true,
  ],
]

function without(headers: Readonly<Record<string, string>>, gone: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== gone))
}

/** Reads the cases from the standard input, says true or false of each. */
interface Runner {
  readonly command: string
  readonly version: readonly string[]
  readonly files: Readonly<Record<string, string>>
  readonly args: readonly string[]
}

const RUNNERS: Readonly<Record<SnippetLanguage, Runner>> = {
  node: {
    command: 'node',
    version: ['--version'],
    files: {
      'verify.mjs': SNIPPETS.node.code,
      'main.mjs': `import { readFileSync } from 'node:fs'
import { isFromSwitchboard } from './verify.mjs'
const cases = JSON.parse(readFileSync(0, 'utf8'))
console.log(JSON.stringify(cases.map((c) => isFromSwitchboard(Buffer.from(c.body), c.headers, c.secret))))`,
    },
    args: ['main.mjs'],
  },
  python: {
    command: 'python3',
    version: ['--version'],
    files: {
      'verify.py': SNIPPETS.python.code,
      'main.py': `import json, sys
from verify import is_from_switchboard
cases = json.load(sys.stdin)
print(json.dumps([is_from_switchboard(c["body"].encode(), c["headers"], c["secret"]) for c in cases]))`,
    },
    args: ['main.py'],
  },
  php: {
    command: 'php',
    version: ['--version'],
    files: {
      'verify.php': SNIPPETS.php.code,
      'main.php': `<?php
require 'verify.php';
$cases = json_decode(stream_get_contents(STDIN), true);
echo json_encode(array_map(fn ($c) => isFromSwitchboard($c['body'], $c['headers'], $c['secret']), $cases));`,
    },
    args: ['main.php'],
  },
  go: {
    command: 'go',
    version: ['version'],
    files: {
      'go.mod': 'module example\n\ngo 1.21\n',
      'switchboard/verify.go': SNIPPETS.go.code,
      'main.go': `package main

import (
	"encoding/json"
	"net/http"
	"os"

	"example/switchboard"
)

type delivery struct {
	Headers map[string]string
	Body    string
	Secret  string
}

func main() {
	var cases []delivery
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	verdicts := []bool{}
	for _, each := range cases {
		headers := http.Header{}
		for name, value := range each.Headers {
			headers.Set(name, value)
		}
		verdicts = append(verdicts, switchboard.IsFromSwitchboard([]byte(each.Body), headers, each.Secret))
	}
	if err := json.NewEncoder(os.Stdout).Encode(verdicts); err != nil {
		panic(err)
	}
}`,
    },
    args: ['run', '.'],
  },
}

const isHere = ({ command, version }: Runner) => spawnSync(command, version).status === 0

describe.each(SNIPPET_LANGUAGES)('the snippet in %s', (language) => {
  const runner = RUNNERS[language]
  const runs = isHere(runner)
  const folder = runs ? mkdtempSync(join(tmpdir(), `snippet-${language}-`)) : ''
  let verdicts: readonly boolean[] = []

  beforeAll(() => {
    if (!runs) return
    for (const [name, text] of Object.entries(runner.files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    const input = JSON.stringify(CASES.map(([, delivery]) => delivery))
    verdicts = JSON.parse(execFileSync(runner.command, runner.args, { cwd: folder, input, encoding: 'utf8' }))
  }, 120_000)
  afterAll(() => {
    if (runs) rmSync(folder, { recursive: true })
  })

  for (const [index, [name, , expected]] of CASES.entries()) {
    const says = `${expected ? 'accepts' : 'refuses'} ${name}`
    it.skipIf(!runs)(runs ? `${says} (${runner.command} ran)` : `${says} (no ${runner.command} here)`, () => {
      expect(verdicts[index]).toBe(expected)
    })
  }
})
