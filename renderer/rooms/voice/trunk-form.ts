import type { Trunk, TrunkBody } from '../../../main/capabilities/voice/contract.ts'

export const TRANSPORTS = ['tls', 'tcp', 'wss'] as const
export type Transport = (typeof TRANSPORTS)[number]
/** The default port of each transport. */
export const PORTS: Readonly<Record<Transport, number>> = { tls: 5061, tcp: 5060, wss: 443 }

export interface TrunkForm {
  host: string
  port: string
  transport: Transport
  username: string
  callerId: string
  /** A new password; empty keeps the stored one. */
  password: string
}

export const trunkFormOf = (trunk: Trunk | null): TrunkForm => ({
  host: trunk?.host ?? '',
  port: String(trunk?.port ?? PORTS.tls),
  transport: trunk?.transport ?? 'tls',
  username: trunk?.username ?? '',
  callerId: trunk?.caller_id ?? '',
  password: '',
})

const digitsOf = (text: string): string => text.replaceAll(/[\s().+-]/g, '')

export const trunkBodyOf = (form: TrunkForm): TrunkBody => ({
  ...{ host: form.host.trim(), port: Number(form.port), transport: form.transport, username: form.username.trim() },
  caller_id: digitsOf(form.callerId) === '' ? null : digitsOf(form.callerId),
  ...(form.password !== '' && { password: form.password }),
})

export type TrunkFault = 'host' | 'port' | 'username' | 'callerId' | 'password'

/** Whether the stored password can be kept. It is sent only to the address it was entered for. */
export const keepsPassword = (form: TrunkForm, trunk: Trunk | null): boolean =>
  trunk?.password_configured === true &&
  trunk.host === form.host.trim() &&
  trunk.port === Number(form.port) &&
  trunk.transport === form.transport

/** @param isStored whether a password is stored and will be kept. */
export function listTrunkFaults(form: TrunkForm, isStored: boolean): TrunkFault[] {
  const port = Number(form.port)
  const callerId = digitsOf(form.callerId)
  return [
    ...(/^[A-Za-z0-9.:-]+$/.test(form.host.trim()) ? [] : (['host'] as const)),
    ...(Number.isInteger(port) && port >= 1 && port <= 65_535 ? [] : (['port'] as const)),
    ...(/^[^\s@]+$/.test(form.username.trim()) ? [] : (['username'] as const)),
    ...(callerId === '' || /^[1-9]\d{6,14}$/.test(callerId) ? [] : (['callerId'] as const)),
    ...(isStored || form.password !== '' ? [] : (['password'] as const)),
  ]
}
