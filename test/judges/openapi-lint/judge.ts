import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { mustAgree, Objection, type Court, type Judge } from '../court.ts'

/**
 * The document as it was last released. A change that breaks callers of it fails; after a release, and after adding
 * operations one wants to be held to, copy the served document here: `npm run serve`, then GET /openapi.yaml.
 */
const RELEASED = 'openapi-released.yaml'

export const judge: Judge = {
  about: 'the served OpenAPI document, by Redocly, Spectral and @seriousme, and against the released one',
  async judge({ url, dir, folder, tool }: Court) {
    const served = join(dir, 'openapi.yaml')
    const answer = await fetch(`${url}/openapi.yaml`)
    if (!answer.ok) throw new Objection(`GET /openapi.yaml answers ${answer.status}`)
    // The port is another one at each start, and no part of what was promised.
    const document = (await answer.text()).replace(url, 'http://127.0.0.1:4780')
    writeFileSync(served, document)

    const rules = (file: string) => join(folder, file)
    mustAgree('redocly lint', await tool('redocly', ['lint', '--config', rules('redocly.yaml'), served]))
    mustAgree('spectral', await tool('spectral', ['lint', served, '--ruleset', rules('spectral.yaml'), '-F', 'hint']))
    mustAgree('@seriousme', await tool('validate-api', [served]))
    const released = join(folder, '..', RELEASED)
    mustAgree(
      'redocly diff against the released document',
      await tool('redocly', ['diff', '--config', rules('redocly-diff.yaml'), released, served]),
    )
    return `${document.match(/operationId:/g)?.length ?? 0} operations and events`
  },
}
