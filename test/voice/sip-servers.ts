import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { AddressInfo } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import { toWav } from '../../main/voice/speech/wav.ts'
import { programPath } from '../support/programs.ts'
import { selfSigned } from '../support/certificates.ts'

const MODULES = '/usr/lib/baresip/modules'
const NAMES = ['account', 'menu', 'g711', 'aufile', 'sndfile', 'ctrl_tcp']

/** What baresip tells others to send to, which a socket of loopback cannot reach. */
export const ownAddress = (): string =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'

/** A telephone that answers every call with a tone. */
export async function baresip(user: string, port: number) {
  const program = programPath({ title: 'baresip', names: ['baresip'], variable: 'BARESIP_PATH', packages: ['baresip'] })
  const address = ownAddress()
  const folder = mkdtempSync(join(tmpdir(), 'baresip-'))
  const control = port + 1
  writeFileSync(join(folder, 'tone.wav'), tone8k())
  writeFileSync(
    join(folder, 'config'),
    [
      ...[`sip_listen ${address}:${port}`, `module_path ${MODULES}`, ...NAMES.map((name) => `module ${name}.so`)],
      ...[
        `audio_source aufile,${join(folder, 'tone.wav')}`,
        `audio_player aufile,${join(folder, 'heard.wav')}`,
        'rtp_ports 30000-30999',
      ],
      ...[`snd_path ${folder}`, `ctrl_tcp_listen 127.0.0.1:${control}`, ''],
    ].join('\n'),
  )
  writeFileSync(
    join(folder, 'accounts'),
    `<sip:${user}@${address}:${port};transport=tcp>;regint=0;answermode=auto;audio_codecs=PCMU,PCMA\n`,
  )
  writeFileSync(join(folder, 'contacts'), '')
  const phone = spawn(program, ['-f', folder], { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [phone.stdout, phone.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  onTestFinished(async () => {
    if (phone.exitCode === null) {
      phone.kill('SIGKILL')
      await once(phone, 'exit')
    }
    rmSync(folder, { recursive: true, force: true })
  })
  for (let tries = 0; !((await canConnect(address, port)) && (await canConnect('127.0.0.1', control))); tries++) {
    if (tries > 1_000) throw new Error(`baresip does not listen: ${said}`)
    await systemClock.sleep(50)
  }
  /** Types a command, as the person does. */
  async function type(command: string, params?: string): Promise<void> {
    const text = JSON.stringify({ command, ...(params !== undefined && { params }) })
    const socket = connect(control, '127.0.0.1')
    socket.write(`${text.length}:${text},`)
    await once(socket, 'data')
    socket.destroy()
  }
  return {
    said: () => said,
    hangUp: () => type('hangup'),
    dial: (uri: string) => type('dial', uri),
    /** The loudest sample that it decoded, 0 to 32,768; complete once the call is over. */
    heardPeak(): number {
      const name = readdirSync(folder).find((one) => one.endsWith('-dec.wav'))
      const wav = name === undefined ? Buffer.alloc(0) : readFileSync(join(folder, name))
      let peak = 0
      for (let at = 44; at + 1 < wav.length; at += 2) peak = Math.max(peak, Math.abs(wav.readInt16LE(at)))
      return peak
    },
  }
}

/** Twenty seconds of a tone, as G.711 carries it. */
function tone8k(): Buffer {
  const pcm = Int16Array.from({ length: 160_000 }, (_, i) => 9_000 * Math.sin((2 * Math.PI * 440 * i) / 8_000))
  const wav = toWav(pcm)
  wav.writeUInt32LE(8_000, 24)
  wav.writeUInt32LE(16_000, 28)
  return wav
}

async function canConnect(address: string, port: number): Promise<boolean> {
  const socket = connect(port, address)
  return new Promise((resolve) => {
    socket.once('connect', () => (socket.destroy(), resolve(true)))
    socket.once('error', () => resolve(false))
  })
}

/** A registrar that knows one user, with digest authentication. */
export async function registrar(user: string, password: string, isTls = false) {
  const certificate = selfSigned(['localhost'])
  const registered: string[] = []
  const serve = (socket: Socket) => {
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      const text = chunk.toString()
      if (!text.startsWith('REGISTER')) return
      const header = (name: string) => new RegExp(`^${name}: *(.*)$`, 'im').exec(text)?.[1] ?? ''
      const authorization = header('Authorization')
      const field = (name: string) => new RegExp(`${name}="?([^",]+)`).exec(authorization)?.[1] ?? ''
      const md5 = (words: string) => createHash('md5').update(words).digest('hex')
      const response = md5(`${md5(`${user}:test:${password}`)}:${field('nonce')}:${md5(`REGISTER:${field('uri')}`)}`)
      const isKnown = authorization !== '' && field('response') === response
      if (isKnown) registered.push(header('Contact'))
      const head = isKnown ? '200 OK' : authorization === '' ? '401 Unauthorized' : '403 Forbidden'
      const more = isKnown
        ? [`Contact: ${header('Contact')};expires=300`]
        : ['WWW-Authenticate: Digest realm="test", nonce="abc", algorithm=MD5']
      const lines = [
        `SIP/2.0 ${head}`,
        ...['Via', 'From', 'Call-ID', 'CSeq'].map((name) => `${name}: ${header(name)}`),
        `To: ${header('To')};tag=1`,
        ...more,
        'Content-Length: 0',
      ]
      socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    })
  }
  const server = isTls ? createTlsServer(certificate, serve) : createServer(serve)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { registered, port: (server.address() as AddressInfo).port, ca: certificate.cert }
}
