import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Contract, RoomContract } from '../../main/contract/operation.ts'

const CAPABILITIES = resolve(import.meta.dirname, '../../main/capabilities')

/** Every room of the product that has a contract: `messages/contract.ts` exports `messagesContract`. */
export async function productRooms(): Promise<RoomContract[]> {
  const rooms: RoomContract[] = []
  for (const room of readdirSync(CAPABILITIES).sort()) {
    const file = join(CAPABILITIES, room, 'contract.ts')
    if (!existsSync(file)) continue
    const exported = (await import(pathToFileURL(file).href)) as Record<string, Contract>
    const name = Object.keys(exported).find((each) => each.endsWith('Contract'))
    if (name !== undefined) rooms.push({ room, operations: exported[name]! })
  }
  return rooms
}
