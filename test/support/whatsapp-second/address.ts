/** The address of a person, a hidden id or a group, and one of its devices. Device 0 is the phone. */
export interface Address {
  readonly user: string
  readonly server: 'number' | 'lid' | 'group'
  readonly device: number
}

const SERVERS: ReadonlyMap<string, Address['server']> = new Map([
  ['s.whatsapp.net', 'number'],
  ['lid', 'lid'],
  ['g.us', 'group'],
])

export function parseAddress(jid: string | undefined): Address | undefined {
  const [, user = '', device = '0', host = ''] = /^([\d-]+)(?::(\d+))?@([a-z.]+)$/.exec(jid ?? '') ?? []
  const server = SERVERS.get(host)
  return server && { user, server, device: Number(device) }
}

const withDevice = (user: string, device: number) => (device === 0 ? user : `${user}:${device}`)

export const numberJid = (number: string, device = 0) => `${withDevice(number, device)}@s.whatsapp.net`
export const lidJid = (lid: string, device = 0) => `${withDevice(lid, device)}@lid`
export const groupJid = (id: string) => `${id}@g.us`
