import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { SnippetLanguage } from '../../renderer/rooms/webhooks/snippets.ts'
import { programPath } from './programs.ts'

/** A delivery as a receiver has it: header names in lower case, the body byte for byte. */
export interface SignedDelivery {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly secret: string
}

/** How a language runs: its program, the file that takes the snippet, and a main file that asks it about each delivery. */
interface Runner {
  readonly program: () => string
  readonly args: readonly string[]
  readonly snippet: string
  readonly files: Readonly<Record<string, string>>
  readonly environment?: Readonly<Record<string, string>>
}

const RUNNERS: Readonly<Record<SnippetLanguage, Runner>> = {
  node: {
    program: () => process.execPath,
    args: ['main.mjs'],
    snippet: 'verify.mjs',
    files: {
      'main.mjs': `import { readFileSync } from 'node:fs'
import { isFromSwitchboard } from './verify.mjs'
const cases = JSON.parse(readFileSync(0, 'utf8'))
console.log(JSON.stringify(cases.map((c) => isFromSwitchboard(Buffer.from(c.body), c.headers, c.secret))))`,
    },
  },
  python: {
    program: () =>
      programPath({ title: 'Python', names: ['python3'], variable: 'PYTHON_PATH', packages: ['python3-minimal'] }),
    args: ['main.py'],
    snippet: 'verify.py',
    files: {
      'main.py': `import json, sys
from verify import is_from_switchboard
cases = json.load(sys.stdin)
print(json.dumps([is_from_switchboard(c["body"].encode(), c["headers"], c["secret"]) for c in cases]))`,
    },
  },
  php: {
    program: () => programPath({ title: 'PHP', names: ['php'], variable: 'PHP_PATH', packages: ['php-cli'] }),
    args: ['main.php'],
    snippet: 'verify.php',
    files: {
      'main.php': `<?php
require 'verify.php';
$cases = json_decode(stream_get_contents(STDIN), true);
echo json_encode(array_map(fn ($c) => isFromSwitchboard($c['body'], $c['headers'], $c['secret']), $cases));`,
    },
  },
  go: {
    program: () => programPath({ title: 'Go', names: ['go'], variable: 'GO_PATH', packages: ['golang-go'] }),
    args: ['run', '.'],
    snippet: 'switchboard/verify.go',
    files: {
      'go.mod': 'module example\n\ngo 1.19\n',
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
    // Neither a C compiler nor the network is asked for.
    environment: { CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOPROXY: 'off', GOFLAGS: '-buildvcs=false' },
  },
}

/** What the code of a snippet, really run, says of each delivery. */
export function verdictsOf(
  language: SnippetLanguage,
  code: string,
  deliveries: readonly SignedDelivery[],
): readonly boolean[] {
  const { program, args, snippet, files, environment } = RUNNERS[language]
  const path = program()
  const folder = mkdtempSync(join(tmpdir(), `snippet-${language}-`))
  try {
    for (const [name, text] of Object.entries({ ...files, [snippet]: code })) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    const input = JSON.stringify(deliveries)
    const env = { ...process.env, ...environment }
    return JSON.parse(execFileSync(path, args, { cwd: folder, input, env, encoding: 'utf8' })) as boolean[]
  } finally {
    rmSync(folder, { recursive: true })
  }
}
