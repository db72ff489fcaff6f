import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { ApiError } from '../../contract/errors.ts'
import type { SessionFiles } from '../../engines/engine.ts'
import type { Random } from '../../kernel/ids.ts'
import { SCRYPT_COST } from '../../kernel/scrypt.ts'
import { createSeal } from '../../kernel/seal.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'

/** An exported session: a line of JSON. `sealed` holds the gzipped files. */
interface ExportedSession {
  readonly switchboard_session: 1
  readonly salt: string
  readonly cost: number
  readonly sealed: string
}

/** How keys are made and files sealed. */
interface Crypto {
  readonly random: Random
  /** @throws ApiError rate_limited */
  readonly derive: (text: string, salt: Uint8Array, cost: number) => Promise<Buffer>
}

const OWNER = 'session-export'
const [zip, unzip] = [promisify(gzip), promisify(gunzip)]
/** Unpacked, so that a small file cannot fill the memory. */
const MAX_BYTES = 256 * 1024 * 1024
/** Read before others have a turn. */
const LINES_AT_ONCE = 1_000
/** 128 MB and half a second: more would hold up other accounts. */
const MAX_COST = 2 ** 17

const sealOf = (key: Buffer, random: Random) => createSeal({ masterKey: { key: () => key }, random })

/**
 * Makes the key first, since there may be no room for that.
 * @returns encrypts the files of a session.
 * @throws ApiError rate_limited
 */
export async function prepareExport(
  passphrase: string,
  { random, derive }: Crypto,
): Promise<(files: SessionFiles) => Promise<string>> {
  const salt = random.bytes(16)
  const key = await derive(passphrase, salt, SCRYPT_COST)
  return async (files) => {
    const sealed = sealOf(key, random).seal(await zip(JSON.stringify(files)), OWNER)
    const exported: ExportedSession = {
      ...{ switchboard_session: 1, salt: salt.toString('base64'), cost: SCRYPT_COST },
      sealed: sealed.toString('base64'),
    }
    return `${JSON.stringify(exported)}\n`
  }
}

async function decryptSession(file: ExportedSession, passphrase: string, crypto: Crypto): Promise<SessionFiles> {
  const { random, derive } = crypto
  const { salt, cost, sealed } = file
  if (!Number.isInteger(Math.log2(cost)) || cost > MAX_COST)
    throw invalid('This export was changed. Export it again.').because('export_changed')
  const key = await derive(passphrase, Buffer.from(salt, 'base64'), cost)
  let packed: Buffer
  try {
    packed = sealOf(key, random).openBytes(Buffer.from(sealed, 'base64'), OWNER)
  } catch {
    throw invalid('The passphrase does not open this export. Check the passphrase and try again.').because(
      'passphrase_wrong',
    )
  }
  return JSON.parse((await unzip(packed, { maxOutputLength: MAX_BYTES })).toString()) as SessionFiles
}

/** What a line of an upload may be. */
type Line = Partial<ExportedSession> & {
  readonly name?: unknown
  readonly content?: unknown
  readonly passphrase?: unknown
}

/**
 * Reads an upload, a JSON value in each line: `{"name", "content"}` for each file of a folder, or `{"passphrase"}` and
 * then an export.
 * @throws ApiError validation_error, rate_limited
 */
export async function readUpload(stream: AsyncIterable<Uint8Array>, crypto: Crypto): Promise<SessionFiles> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  const files: Record<string, string> = {}
  let passphrase = ''
  let at = 0
  for (const text of linesIn(Buffer.concat(chunks))) {
    if (++at % LINES_AT_ONCE === 0) await yieldToEventLoop()
    const line = parse(text, at)
    if (typeof line.passphrase === 'string') passphrase = line.passphrase
    else if (isExported(line)) return decryptSession(line, passphrase, crypto)
    else if (typeof line.name === 'string' && typeof line.content === 'string') files[line.name] = line.content
    else
      throw invalid(
        `Line ${at} is neither a file, a passphrase nor an export. Send {"name", "content"} per line.`,
      ).because('export_unreadable')
  }
  return files
}

/** One at a time: an upload may have millions, of which the first is wrong. Blank ones are left out. */
function* linesIn(bytes: Buffer): Generator<string> {
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf('\n', from)
    const until = end < 0 ? bytes.length : end
    const text = bytes.toString('utf8', from, until)
    if (text.trim() !== '') yield text
    from = until + 1
  }
}

function parse(text: string, line: number): Line {
  try {
    return (JSON.parse(text) ?? {}) as Line
  } catch {
    throw invalid(`Line ${line} is not valid JSON. Send one JSON value per line.`).because('export_unreadable')
  }
}

const isExported = (line: Line): line is ExportedSession =>
  line.switchboard_session === 1 &&
  typeof line.salt === 'string' &&
  typeof line.cost === 'number' &&
  typeof line.sealed === 'string'

const invalid = (message: string) => new ApiError('validation_error', message)
